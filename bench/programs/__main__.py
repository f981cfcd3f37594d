"""`python -m bench.programs`: whole programs, one source each, beside other libraries, on CPUs and GPUs.

CuPy and PyTorch compute through array_api_compat, which gives them the standard's functions. "jax.jit" compiles a whole
program, "JAX" runs it operation by operation. numexpr is left out: it computes expressions, not programs. The first
call, which compiles, is told apart from later ones. ``--consumers`` measures programs of scikit-learn and SciPy
instead, on the arrays of the libraries that these know.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from arrayapi_gpu.backends import default_device, get_device
from bench.libraries import PEERS, Library, installed, library, standard_namespace
from bench.measure import in_turns, measure, once
from bench.programs.cases import PROGRAMS
from bench.programs.consumers import CONSUMERS
from bench.programs.program import Program
from bench.report import RESULTS, columns

BENEATH = ("NumPy", "CuPy", "PyTorch")  # scikit-learn and SciPy


FIRST_CALL = 60  # seconds in which a library has to compile a program


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """TimeoutError where a block takes longer, on systems that have timers."""

    def late(*_: object) -> None:
        raise TimeoutError(f"the first call took more than {seconds} s")

    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def program_library(name: str) -> Library:
    """A library with the standard's functions."""
    lib = library("JAX" if name == "jax.jit" else name)
    if name == "JAX":
        return replace(lib, compiled=lambda compute: compute)
    return replace(lib, namespace=standard_namespace(lib))


def fitting(program: Program, elements: int) -> int:
    """The largest size of a program whose inputs have at most so many elements each, as far as its medium one; 1 if
    even the inputs of size 1 have more."""
    low, high = 1, program.medium
    while low < high:
        middle = (low + high + 1) // 2
        longest = max(host.size for host in program.inputs(np.random.default_rng(1), middle))
        low, high = (middle, high) if longest <= elements else (low, middle - 1)
    return low


def one(name: str, programs: Sequence[Program], size: Callable[[Program], int]) -> dict[str, Any]:
    """What one library takes: its version, and seconds of the first call and of later ones, or why there are none."""
    lib = program_library(name)
    seconds: dict[str, dict[str, float | str]] = {}
    for program in programs:
        found = seconds[program.name] = {}
        try:
            hosts = program.inputs(np.random.default_rng(1), size(program))
            arrays = [lib.take(host) for host in hosts]
            compute = lib.compiled(program.compute)

            def run(compute: Any = compute, arrays: list[Any] = arrays) -> None:
                results = compute(lib.namespace, *arrays)
                lib.start(*(results if isinstance(results, tuple) else (results,)))

            def whole(run: Any = run) -> None:
                run()
                lib.wait()

            lib.wait()
            lib.patient(False)
            with at_most(FIRST_CALL):
                found["first"], _ = once(whole)
            lib.patient(True)
            found["later"] = measure(run, lib.wait)
        except Exception as error:  # a library without a function, or without assignment, is left out of a row
            found["later"] = f"{type(error).__name__}: {error}"[:200]
        print(f"{name}: {program.name}: {found['later']}", file=sys.stderr, flush=True)
    return {"version": lib.version, "seconds": seconds}


def faster(results: Mapping[str, Mapping[str, Any]], ours: str, other: str) -> dict[str, float]:
    """How many times another library's speed we have, by program that both compute."""
    mine, theirs = (results[name]["seconds"] for name in (ours, other))
    times = {name: (theirs.get(name, {}).get("later"), own.get("later")) for name, own in mine.items()}
    return {name: a / b for name, (a, b) in times.items() if isinstance(a, float) and isinstance(b, float)}


def table(programs: Sequence[Program], results: Mapping[str, Mapping[str, Any]], ours: str) -> str:
    """Milliseconds of later calls, our first call, and geometric means of our speed beside each library's."""
    body = []
    for program in programs:
        found = [result["seconds"].get(program.name, {}).get("later") for result in results.values()]
        first = results[ours]["seconds"].get(program.name, {}).get("first")
        cells = [f"{time * 1e3:.4g}" if isinstance(time, float) else "-" for time in (*found, first)]
        body.append([program.name, *cells])
    means = []
    for name in results:
        ratios = faster(results, ours, name)
        means.append(f"{statistics.geometric_mean(ratios.values()):.2f}x" if ratios and name != ours else "")
    return columns(["ms", *results, "our first call"], [*body, ["our speed, geometric mean", *means, ""]])


def plot(results: Mapping[str, Mapping[str, Any]], ours: str, path: Path) -> Path | None:
    """Our speed beside each library's, a program a row; None where matplotlib is not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    names = list(results[ours]["seconds"])
    figure, axis = pyplot.subplots(figsize=(9, 1 + 0.25 * len(names)), layout="constrained")
    for other in results:
        ratios = faster(results, ours, other)
        if other != ours and ratios:
            axis.plot(
                [ratios[name] for name in names if name in ratios],
                [name for name in names if name in ratios],
                "o",
                label=other,
            )
    axis.axvline(1, color="grey", linewidth=0.8)
    axis.set_xscale("log")
    axis.invert_yaxis()
    axis.set_xlabel(f"times the other library's speed, on {ours}")
    axis.legend(fontsize="small")
    axis.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    return path


def main() -> None:
    """Parse the command line, measure, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.programs", description=__doc__)
    add = parser.add_argument
    add("--libraries", nargs="+", metavar="L", help=f"of {', '.join(PEERS)}, jax.jit, and devices such as cuda:0")
    add("--only", default="", metavar="TEXT", help="only programs whose name contains TEXT (several: A|B)")
    add("--consumers", action="store_true", help="programs of scikit-learn and SciPy")
    add("--large", action="store_true", help="the inputs for GPUs also on a CPU")
    add("--elements", type=int, metavar="N", help="small inputs, of at most N elements where a program can take these")
    add("--rounds", type=int, default=1, help="how often the libraries take turns (default 1)")
    add("--output", type=Path, help="the JSON file (default: programs.json or consumers.json in bench/results)")
    add("--one", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    words = options.only.split("|")
    programs = [
        program
        for program in (CONSUMERS if options.consumers else PROGRAMS)
        if any(word in program.name for word in words)
    ]
    if options.elements:
        programs = [program for program in programs if program.medium > 1]
    if options.one:
        options.one.write_text(json.dumps(one(options.libraries[0], programs, partial(_size, options))))
        return
    names = options.libraries or _all_libraries(options.consumers)
    ours = next(name for name in names if name not in (*PEERS, "jax.jit"))
    large = options.large or get_device(ours).is_gpu
    own = ["bench.programs", "--only", options.only, *["--large"] * large, *["--consumers"] * options.consumers]
    own += ["--elements", str(options.elements)] * bool(options.elements)
    output = options.output or RESULTS / ("consumers.json" if options.consumers else "programs.json")
    results = in_turns(names, options.rounds, partial(_same, own), output)
    print("\n".join(f"{name} {result['version']}" for name, result in results.items()))
    print(f"\n{table(programs, results, ours)}\n\nfigures: {output}")
    if picture := plot(results, ours, output.with_suffix(".png")):
        print(f"plot:    {picture}")


def _all_libraries(consumers: bool) -> list[str]:
    """Those that are installed, and the default device."""
    found = installed()
    names = [name for name in found if (name in BENEATH if consumers else name != "numexpr")]
    return [*names, *["jax.jit"] * ("JAX" in names), default_device().name]


def _size(options: argparse.Namespace, program: Program) -> int:
    """The size of a program's inputs that the command line asks for."""
    if options.elements:
        return fitting(program, options.elements)
    return program.large if options.large else program.medium


def _same(module: Sequence[str], turn: int) -> Sequence[str]:
    return module


if __name__ == "__main__":
    main()
