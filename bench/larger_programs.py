"""`python -m bench.larger_programs`: programs over more data than a device may hold, in several ways.

The device's arrays are limited to ``--limit``, and the programs work on ``--times`` as much. Each way is run twice, and
the second run is timed. Its results are compared with NumPy's where those are computed, too, else with those of the way
before. Ways: numpy, blocks (one device reads the host's memory block by block), devices (several devices in one
program), dask (a worker process for each device) and cubed (one device; Zarr on disk).
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import alike, get_device
from arrayapi_gpu.backends.base import Device
from bench.programs.larger import PROGRAMS, WAYS, Larger, Size
from bench.programs.program import Inputs
from bench.report import RESULTS, columns, saved

COLUMNS = {"covariance": 256, "tall and skinny SVD": 64}
LAST = 1 << 30  # bytes up to which NumPy is compared with


def size_of(program: Larger, limit: int, times: float, samples: int) -> Size:
    """The size of a program whose data is so many times the limit, in chunks of an eighth of the limit."""
    if program.name == "Monte Carlo":
        return Size(samples, 1, max(1, samples // 100))
    width = COLUMNS.get(program.name) or int((limit * times / 4) ** 0.5)
    rows = int(limit * times / 4 / width)
    least = width if program.name in COLUMNS else 1  # a tall matrix has tall chunks
    return Size(rows, width, max(least, limit // 8 // 4 // width))


@contextlib.contextmanager
def workers(devices: list[Device]) -> Iterator[None]:
    """A cluster with a worker for each device, which dask computes on inside the block."""
    from distributed import Client

    from arrayapi_gpu.dask import local_cluster

    with local_cluster(devices) as cluster, Client(cluster):
        yield


def runs(
    way: str, program: Larger, inputs: Inputs, size: Size, devices: list[Device], folder: str
) -> Callable[[], Inputs]:
    """What one way does."""
    compute = getattr(program, way)
    if way == "blocks":
        return lambda: compute(*inputs, size, devices[0])
    if way == "devices":
        return lambda: compute(*inputs, size, devices)
    if way == "cubed":
        import cubed

        spec = cubed.Spec(folder, allowed_mem=xp.memory().limit)
        return lambda: compute(*inputs, size, spec)
    return lambda: compute(*inputs, size)


def distance(found: Inputs, expected: Inputs) -> float:
    """The largest difference, beside the largest number."""
    return max(
        float(np.max(np.abs(one - other)) / max(np.max(np.abs(other)), 1e-30))
        for one, other in zip(found, expected, strict=True)
    )


def measured(program: Larger, ways: list[str], size: Size, devices: list[Device]) -> dict[str, dict[str, Any]]:
    """Seconds of each way, and how far its results are from those of the first."""
    rows: dict[str, dict[str, Any]] = {}
    inputs = program.inputs(size)
    first: Inputs | None = None
    for way in ways:
        row = rows[way] = {}
        with tempfile.TemporaryDirectory() as folder, workers(devices) if way == "dask" else contextlib.nullcontext():
            try:
                run = runs(way, program, inputs, size, devices, folder)
                results = run()
                began = time.perf_counter()
                run()
                row["seconds"] = time.perf_counter() - began
                if way == "devices" and len(devices) > 1:
                    one = runs(way, program, inputs, size, devices[:1], folder)()
                    row["bits of one device"] = [a.tobytes() for a in results] == [b.tobytes() for b in one]
                first = results if first is None else first
                row["difference"] = distance(results, first)
            except Exception as error:  # a library that is not installed, or has no room
                row["error"] = f"{type(error).__name__}: {error}"[:200]
        print(f"{program.name}, {way}: {row}", file=sys.stderr, flush=True)
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Parse the command line, measure, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.larger_programs", description=__doc__)
    add = parser.add_argument
    add("--only", default="", metavar="TEXT", help="only programs whose name contains TEXT (several: A|B)")
    add("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="W", help=f"of {', '.join(WAYS)} (default: all)")
    add("--devices", nargs="+", metavar="D", help="devices (default: all that are like the default device)")
    add("--limit", default="256 MiB", help="what a device's arrays may take (default %(default)s)")
    add("--times", type=float, default=10, help="how many times the limit the data is (default %(default)s)")
    add("--samples", type=int, default=10**10, help="samples of the Monte Carlo program (default %(default)s)")
    add("--output", type=Path, default=RESULTS / "larger.json", help="the JSON file")
    options = parser.parse_args(arguments)
    os.environ.setdefault("CUBED_BACKEND_ARRAY_API_MODULE", "arrayapi_gpu")  # cubed reads it when it is imported
    xp.config.set(memory_limit=options.limit)
    devices = [get_device(name) for name in options.devices] if options.devices else list(alike())
    xp.config.set(device=str(devices[0]))
    limit, words = xp.memory().limit, options.only.split("|")
    results: dict[str, Any] = {}
    for program in PROGRAMS:
        if any(word in program.name for word in words):
            size = size_of(program, limit, options.times, options.samples)
            host = size.rows if program.name == "Monte Carlo" else 4 * size.rows * size.columns
            ways = [way for way in options.ways if way != "numpy" or host <= LAST or program.name == "Monte Carlo"]
            results[program.name] = {"size": size._asdict(), "ways": measured(program, ways, size, devices)}
    facts = {"devices": [d.description for d in devices], "limit": limit, "results": results}
    print(f"\n{table(results, options.ways)}\n\nfigures: {saved(options.output, facts)}")


def table(results: dict[str, Any], ways: list[str]) -> str:
    """Seconds of each way, a program a row."""
    body = [
        [f"{name}, {found['size']['rows']:,} x {found['size']['columns']:,}"]
        + [f"{found['ways'][way]['seconds']:.3g}" if "seconds" in found["ways"].get(way, {}) else "-" for way in ways]
        for name, found in results.items()
    ]
    return columns(["seconds", *ways], body)


if __name__ == "__main__":
    main()
