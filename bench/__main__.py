"""`python -m bench`: compare arrayapi_gpu with NumPy and the libraries installed beside it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from arrayapi_gpu.backends import default_device
from bench import elementwise, overhead, reductions
from bench.case import Case
from bench.libraries import Library, installed
from bench.measure import Run, interleaved
from bench.programs import cases as programs
from bench.report import Row, plot, save, table

GROUPS: dict[str, Callable[[int], list[Case]]] = {
    "overhead": overhead.cases,
    "elementwise": elementwise.cases,
    "reductions": reductions.cases,
    "programs": programs.cases,
}


def main() -> None:
    """Parse the command line, measure, print, save."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, epilog="ARRAYAPI_GPU_DEVICE chooses the device."
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--size", type=int, default=24, help="2^SIZE elements (default 24)")
    parser.add_argument("--repeats", type=int, default=7, help="samples of each (default 7)")
    options = parser.parse_args()
    if unknown := set(options.groups) - GROUPS.keys():
        parser.error(f"no such group: {', '.join(unknown)}; there are {', '.join(GROUPS)}")

    present, device = installed(), default_device()
    print(f"{device.name}: {device.description}")
    print("\n".join(f"{library.name} {library.version}" for library in present))
    intel = "Intel" in device.description and "PoCL" not in device.description
    results = {}
    for group in options.groups or GROUPS:
        results[group] = _measure(GROUPS[group](1 << options.size), present, options.repeats)
        print(f"\n{table(group, results[group], intel)}", flush=True)
    print(f"\nfigures: {save(results, present)}")
    if picture := plot(results, device.name, intel):
        print(f"plot:    {picture}")


def _measure(cases: list[Case], present: list[Library], repeats: int) -> list[Row]:
    """Measure every case with everybody who can compute it, telling how far it is."""
    rows = []
    for number, case in enumerate(cases, 1):
        if sys.stderr.isatty():
            print(f"\r\033[K{number}/{len(cases)} {case.name}", end="", file=sys.stderr, flush=True)
        runs = {library.name: run for library in present if (run := _run(case, library))}
        rows.append(Row(case, interleaved(runs, repeats)))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return rows


def _run(case: Case, library: Library) -> Run | None:
    """What a library does for a case; None if it cannot."""
    arrays = [library.take(array) for array in case.arrays]
    if library.expressions:
        names = dict(zip("ab", arrays, strict=False))
        return None if case.numexpr is None else lambda: library.namespace.evaluate(case.numexpr, local_dict=names)
    if not arrays and not library.standard:  # programs that create arrays
        return None
    return library.run(library.compiled(case.compute), arrays, case.waits)


if __name__ == "__main__":
    main()
