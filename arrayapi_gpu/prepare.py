"""`python -m arrayapi_gpu prepare`: common kernels are compiled ahead of time, for images of machines and for CI.

A program of common functions runs on a device that keeps the texts of kernels and launches none. Processes then compile
the texts, each a share, into the cache of compiled kernels (`config.cache_dir`), from which programs load them.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import arrayapi_gpu as xp

from .backends import binaries, compiler_ahead, default_device, get_device, register
from .backends.base import Device, DeviceError
from .backends.kernel_reports import asked_by
from .backends.recording import ReadingDevice
from .config import config
from .memory.dtypes import REAL_FLOATING, as_dtype

MOST_KERNELS = 300
COMMON_DTYPES = ("float32", "float64", "int64")
ELEMENTS = 1 << 16  # of the arrays of the program

_FLOATING = (
    "abs", "negative", "square", "sqrt", "exp", "log", "log1p", "expm1", "sin", "cos", "tanh", "floor", "isnan"
)  # fmt: skip
_BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "pow")
_COMPARISONS = ("less", "greater", "equal")
_REDUCTIONS = ("sum", "mean", "max", "min", "var", "argmax", "all", "any")
# The facts of a GPU that is not here.
_ABSENT = {"vector_bytes": 16, "local_memory": 48 << 10, "parameter_bytes": 4096, "compute_units": 132}


def texts(facts: Device | str, dtypes: Sequence[str]) -> list[tuple[str, str]]:
    """Write the texts of common kernels, at most `MOST_KERNELS`.

    Parameters
    ----------
    facts : Device or str
        A device with the facts on which texts depend, or the prelude of a GPU that is not here.
    dtypes : sequence of str
        The names of the dtypes of operands.

    Returns
    -------
    list of tuple of str
        The texts and the names of kernels.

    Examples
    --------
    >>> from arrayapi_gpu.prepare import texts
    >>> kernels = texts(xp.asarray(0).device, ["float32"])  # doctest: +SKIP
    """
    if isinstance(facts, str):
        device = ReadingDevice(None, False, prelude=facts, **_ABSENT)
    else:
        device = ReadingDevice(facts, False)
    register(device)
    with config.set(device=device.name, small_on_host=False, specialise="by use", wait_for_compiler=True):
        for dtype in dtypes:
            _run(dtype)
    return list(device.texts)[:MOST_KERNELS]


def _run(dtype: str) -> None:
    """Call common functions. Values do not exist, so a function that reads one ends early."""
    rows = ELEMENTS // 64
    x, y = (xp.zeros((rows, 64), dtype=dtype) for _ in range(2))
    row = xp.zeros(64, dtype=dtype)
    xp.compute(x, y, row)
    floating = as_dtype(dtype) in REAL_FLOATING
    calls: list[Callable[[], Any]] = []
    names = _FLOATING if floating else ("abs", "negative")
    calls += [partial(getattr(xp, name), x) for name in names]
    calls += [partial(getattr(xp, name), x, other) for name in (*_BINARY, *_COMPARISONS) for other in (y, 2)]
    calls += [partial(getattr(xp, name), x, row) for name in _BINARY[:4]]
    for name in _REDUCTIONS:
        if floating or name not in ("mean", "var"):
            calls += [partial(getattr(xp, name), x, axis=axis) for axis in (None, 0, 1)]
    calls += [
        lambda: xp.where(x > y, x, y), lambda: xp.astype(x, xp.float64), lambda: xp.matrix_transpose(x) + 1,
        lambda: x[:, ::2] + 1, lambda: xp.sort(x, axis=1), lambda: xp.argsort(xp.reshape(x, (-1,))),
        lambda: xp.cumulative_sum(xp.reshape(x, (-1,))), lambda: xp.take(x, xp.arange(rows), axis=0),
        lambda: xp.concat([x, y]) * 2, lambda: x @ xp.matrix_transpose(y), lambda: xp.nonzero(x > y),
        lambda: x * 2 + y,
    ]  # fmt: skip
    if floating:
        calls += [
            lambda: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0),
            lambda: xp.exp(x - xp.max(x, axis=1, keepdims=True)),
            lambda: xp.sum(xp.square(x - y)),
            lambda: xp.sqrt(xp.sum(x * x, axis=1)),
        ]
    for call in calls:
        try:
            xp.compute(call())
        except (DeviceError, ValueError, TypeError, IndexError):
            continue


def main(arguments: Sequence[str]) -> int:
    """Compile common kernels into the cache; ``python -m arrayapi_gpu prepare``.

    Parameters
    ----------
    arguments : sequence of str
        The arguments of the command; ``["--help"]`` prints them.

    Returns
    -------
    int
        The exit status.

    Examples
    --------
    >>> from arrayapi_gpu.prepare import main
    >>> main(["--dtypes", "float32"])  # doctest: +SKIP
    """
    parser = argparse.ArgumentParser(prog="python -m arrayapi_gpu prepare", description="Compile common kernels.")
    parser.add_argument("--device", help="the device (default: the default device)")
    parser.add_argument("--dtypes", nargs="+", default=COMMON_DTYPES, help=f"(default: {' '.join(COMMON_DTYPES)})")
    parser.add_argument("--arch", help="compile for GPUs that need not be here, such as sm_90")
    parser.add_argument("--share", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if binaries.folder() is None or not config.cache:
        print("no folder for compiled kernels: set ARRAYAPI_GPU_CACHE_DIR to a directory")
        return 1
    facts: Device | str
    try:
        for name in given.dtypes:
            as_dtype(name)
        if given.arch is None:
            facts = default_device() if given.device is None else get_device(given.device)
            compile_one: Callable[[str, str], object] = facts.compile
        else:
            facts, compile_one = compiler_ahead(given.arch)
    except (DeviceError, TypeError, ValueError) as error:
        print(error)
        return 1
    if isinstance(facts, Device) and facts.loops is not None:
        print(f"{facts} needs no kernels: its loops were compiled when the package was built")
        return 0
    kernels = texts(facts, given.dtypes)
    if given.share is None:
        return _in_processes(arguments, kernels)
    number, count = map(int, given.share.split("/"))
    asked_by.set("python -m arrayapi_gpu prepare")  # which is not advised to prepare
    try:
        for source, name in kernels[number::count]:
            compile_one(source, name)
            print(name, flush=True)
    except DeviceError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _in_processes(arguments: Sequence[str], kernels: Sequence[tuple[str, str]]) -> int:
    """Compile in one process a processor, and show how many kernels are done."""
    began, count = time.monotonic(), min(os.cpu_count() or 1, len(kernels))
    command = [sys.executable, "-m", __package__ or "arrayapi_gpu", "prepare", *arguments]
    children = [
        subprocess.Popen([*command, "--share", f"{number}/{count}"], stdout=subprocess.PIPE, text=True)
        for number in range(count)
    ]
    done, back = 0, "\r" if sys.stdout.isatty() else ""
    for child in children:
        assert child.stdout is not None
        for _ in child.stdout:
            done += 1
            if back:
                print(f"{back}{done} of {len(kernels)} kernels", end="", flush=True)
    failed = any([child.wait() for child in children])
    print(f"{back}{done} of {len(kernels)} kernels in {time.monotonic() - began:.0f} s, in {binaries.folder()}")
    return int(failed or done < len(kernels))
