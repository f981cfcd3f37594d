"""`python -m bench.transforms` measures Fourier transforms on a CPU.

It compares the device `native` with NumPy, SciPy and ducc0. The device computes transforms by SciPy or ducc0, so it is
measured once with each. SciPy and ducc0 are also called directly, with the same number of threads. Each round calls all
of them one after the other, because the speed of a machine changes from minute to minute.
"""

from __future__ import annotations

import argparse
import importlib
import statistics
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.fft  # type: ignore[import-untyped]

import arrayapi_gpu as xp
from arrayapi_gpu.kernels.host import host_transforms
from bench.measure import once
from bench.report import RESULTS, columns, saved

ROUNDS = 15
THREADS = 2
SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (  # of arrays, and the axes
    ((1 << 20,), (0,)),
    ((1000, 1000), (0, 1)),
    ((4096, 1000), (1,)),
    ((16384, 100), (1,)),
    ((16384, 16), (1,)),
    ((1009, 1009), (0, 1)),
    ((2048, 2048), (0, 1)),
    ((64, 64, 64), (0, 1, 2)),
)

Work = dict[str, Callable[[], object]]


def works(shape: tuple[int, ...], axes: tuple[int, ...], dtype: str) -> Work:
    """The calls to measure for a shape, by name."""
    rng, real = np.random.default_rng(1), dtype.startswith("float")
    x = rng.standard_normal(shape).astype(dtype)
    if not real:
        x += 1j * rng.standard_normal(shape).astype(x.real.dtype)
    name = "rfftn" if real else "fftn"
    array, ducc = xp.asarray(x, device="native"), importlib.import_module("ducc0.fft")
    x = np.from_dlpack(array)  # the same memory, so that all find it in the same caches

    def by_native(library: str) -> None:
        host_transforms.library = lambda: library  # type: ignore[assignment]
        xp.sync(getattr(xp.fft, name)(array, axes=axes))

    return {
        "NumPy": partial(getattr(np.fft, name), x, axes=axes),
        "SciPy": partial(getattr(scipy.fft, name), x, axes=axes, workers=THREADS),
        "native by SciPy": partial(by_native, "scipy"),
        "ducc0": partial(ducc.r2c if real else ducc.c2c, x, axes=axes, nthreads=THREADS),
        "native by ducc0": partial(by_native, "ducc0"),
    }


def medians(work: Work, rounds: int) -> dict[str, float]:
    """Seconds of each, the median of the rounds."""
    for _ in range(2):
        for run in work.values():
            run()
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, run in work.items():
            found[name].append(once(run)[0])
    return {name: statistics.median(times) for name, times in found.items()}


def row(title: str, seconds: dict[str, float]) -> list[str]:
    """A line of the table: milliseconds, and the speed of `native` relative to NumPy's and ducc0's."""
    numpy, ducc = seconds["NumPy"], seconds["ducc0"]
    factors = numpy / seconds["native by SciPy"], numpy / seconds["native by ducc0"], ducc / seconds["native by ducc0"]
    return [title, *[f"{1e3 * one:.3g}" for one in seconds.values()], *[f"{one:.2f}x" for one in factors]]


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, measure, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.transforms", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--dtypes", nargs="+", default=["complex64", "complex128", "float32", "float64"])
    parser.add_argument("--output", type=Path, default=RESULTS / "transforms_cpu.json")
    options = parser.parse_args(arguments)
    xp.config.set(threads=THREADS)
    results: dict[str, Any] = {}
    for dtype in options.dtypes:
        for shape, axes in SHAPES:
            title = f"{' x '.join(map(str, shape))}{'' if len(axes) == len(shape) else ', rows'}, {dtype}"
            results[title] = medians(works(shape, axes, dtype), options.rounds)
    versions = {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "ducc0": importlib.import_module("ducc0").__version__,
        "arrayapi_gpu": xp.__version__,
    }
    saved(options.output, {"versions": versions, "seconds": results})
    head = ["ms", *next(iter(results.values())), "by SciPy / NumPy", "by ducc0 / NumPy", "by ducc0 / ducc0"]
    print(columns(head, [row(title, found) for title, found in results.items()]))


if __name__ == "__main__":
    main()
