"""`python -m conformance.accuracy`: see `--help`. Exit status: 0 all bounds hold, 1 not so, 2 no device."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.memory.dtypes import SHORT
from arrayapi_gpu.special.wrappers import served
from conformance import BY_KERNELS
from conformance.accuracy import measure, special, sums, transforms
from conformance.accuracy.functions import COMPLEX_FUNCTIONS, REAL_FUNCTIONS
from conformance.accuracy.report import NUMPY, Report

HostArray = np.ndarray[Any, Any]

_NUMPY = {f.name: f.numpy for f in (*COMPLEX_FUNCTIONS, *REAL_FUNCTIONS)}
_QUICK = ("float32", "complex64")  # the quick form compares exact functions and sums of these alone

_NUMPY_SUMS: dict[str, Any] = {
    "sum": np.sum,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "cumulative_sum": np.cumsum,
}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.accuracy",
        description="Measure the errors of every floating-point function on each device.",
        epilog="Exit status: 0 when all bounds hold; 1 when not; 2 without a device.",
    )
    add = parser.add_argument
    add("--device", nargs="+", metavar="D", help="these devices (default: all)")
    add("--quick", action="store_true", help="fewer arguments: within a minute")
    dtypes = list(measure.COUNTS)
    add("--dtype", nargs="+", metavar="T", default=dtypes, choices=dtypes, help="only these")
    add("--function", nargs="+", metavar="F", help="only these functions (such as sin, special.erf)")
    add("--merge", nargs="+", type=Path, metavar="FILE", help="measure nothing: make one report of these accuracy.json")
    add("--output", type=Path, metavar="DIR", default=Path("build/accuracy"), help="(%(default)s)")
    return parser.parse_args(arguments)


def special_on_device(device: Any) -> Callable[[str, Sequence[HostArray]], HostArray]:
    """A special function of host arrays, by its name in SciPy, computed on a device."""

    def compute(name: str, operands: Sequence[HostArray]) -> HostArray:
        return np.asarray(served(xp.special, name)(*(xp.asarray(a, device=device) for a in operands)))

    return compute


def on_device(device: Any) -> Callable[[str, Sequence[HostArray]], HostArray]:
    """A function of host arrays, by its name in the standard, computed on a device."""

    def compute(name: str, operands: Sequence[HostArray]) -> HostArray:
        return np.asarray(getattr(xp, name)(*(xp.asarray(a, device=device) for a in operands)))

    return compute


def on_host(name: str, operands: Sequence[HostArray]) -> HostArray:
    """The same by NumPy."""
    with np.errstate(all="ignore"):
        return np.asarray(_NUMPY[name](*operands))


def sum_on_device(device: Any) -> Callable[[str, HostArray, Any], HostArray]:
    """A sum along an axis, or a matrix product."""

    def compute(name: str, x: HostArray, other: Any) -> HostArray:
        a = xp.asarray(x, device=device)
        if name == "matmul":
            return np.asarray(xp.matmul(a, xp.asarray(other, device=device)))
        return np.asarray(getattr(xp, name)(a, axis=other))

    return compute


def transforms_of(devices: Sequence[Any]) -> dict[str, Callable[[str, HostArray, int], HostArray]]:
    """The transforms of NumPy, of devices, and of kernels for GPUs on the devices of OpenCL."""
    found = {NUMPY: transforms.of_namespace(np, np.asarray)}
    for device in devices:
        found[str(device)] = transforms.of_namespace(xp, partial(xp.asarray, device=device))
    for name, own in transforms.own_kernels(devices).items():
        backends.register(own)
        found[name] = transforms.of_namespace(xp, partial(xp.asarray, device=own))
    return found


def sum_on_host(name: str, x: HostArray, other: Any) -> HostArray:
    """The same by NumPy."""
    with np.errstate(all="ignore"):
        return np.asarray(x @ other if name == "matmul" else _NUMPY_SUMS[name](x, axis=other))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything, write the report, return the exit status."""
    options = parse(arguments)
    if options.merge:
        report = Report.read(options.merge[0])
        for file in options.merge[1:]:
            report.add(Report.read(file), file.resolve().parent.name)
        return _write(report, options.output)
    xp.config.set(**BY_KERNELS)
    devices = [backends.get_device(name) for name in options.device] if options.device else backends.devices()
    if not devices:
        print("No device is present: pip install 'arrayapi_gpu[cpu]'", file=sys.stderr)
        return 2
    facts = {"arrayapi_gpu": xp.__version__, "Python": platform.python_version()}
    facts |= {"NumPy": np.__version__, "mpmath": mpmath.__version__, "date": time.strftime("%Y-%m-%d")}
    described = {str(device): device.description for device in devices}
    described |= {name: own.description for name, own in transforms.own_kernels(devices).items()}
    report = Report(facts, described)
    for dtype in options.dtype:
        able = [device for device in devices if SHORT[np.dtype(dtype)] in device.dtypes]
        for function in measure.functions_of(dtype):
            if options.function and function.name not in options.function:
                continue
            if function.exact and options.quick and dtype not in _QUICK:
                continue
            start = time.monotonic()
            sources = {NUMPY: on_host} | {str(device): on_device(device) for device in able}
            rows = list(measure.measure(function, dtype, sources, options.quick))
            report.rows += rows
            _progress(rows, start)
        for one in special.SPECIALS if dtype in special.BOUNDS else ():
            if options.function and f"special.{one.name}" not in options.function:
                continue
            start = time.monotonic()
            computes: dict[str, measure.Compute] = {}
            if special.scipys(one.name):
                computes[special.SCIPY] = special.on_scipy
            computes |= {str(device): special_on_device(device) for device in able}
            rows = list(special.measured(one, dtype, computes, options.quick))
            report.rows += rows
            _progress(rows, start)
        adders = {NUMPY: sum_on_host} | {str(device): sum_on_device(device) for device in able}
        if not options.function and not (options.quick and dtype not in _QUICK):
            start = time.monotonic()
            added = [*sums.measure(dtype, adders, options.quick), *sums.measure_products(dtype, adders, options.quick)]
            if np.dtype(dtype).kind == "c":
                added += transforms.measure(dtype, transforms_of(able), options.quick)
            report.sums += added
            _progress(added, start)
    return _write(report, options.output)


def _write(report: Report, folder: Path) -> int:
    """Write a report, say what is broken, return the exit status."""
    report.write(folder)
    broken = report.broken()
    for row in broken:
        print(f"{row.function} {row.dtype} {row.source}: worst {row.worst:.4g}, bound {row.bound}; at {row.at}")
    print(f"{len(report.rows) + len(report.sums)} rows, {len(broken)} broken: {folder / 'ACCURACY.md'}")
    return 1 if broken else 0


def _progress(rows: Sequence[measure.Row | sums.Sum], start: float) -> None:
    worst = ", ".join(f"{row.source} {row.worst:.3g}{' BROKEN' if row.broken else ''}" for row in rows if row.worst)
    seconds = time.monotonic() - start
    name = " ".join(dict.fromkeys(row.function for row in rows))
    print(f"{rows[0].dtype} {name}: {worst or 'exact'} ({seconds:.1f} s)", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
