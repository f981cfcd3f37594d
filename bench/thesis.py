"""The figures of libgpuarray's thesis and of the paper before it: what each optimisation gains.

3.1 order reduction, which is the merging of dimensions; 3.2 what a kernel's text knows of its operands; 3.3 launches
that nobody waits for; 3.4 how many work-items a group has, and how much each does. The paper: dimensions, strides, and
a kernel that knows one dimension only. Times do not count compilers. A line is seconds of a call by what is varied.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError
from bench.forced import forced
from bench.measure import Run, measure

Curves = dict[str, dict[str, dict[str, float]]]  # seconds by panel, line and what is varied
Arrays = tuple[xp.Array, xp.Array]
Wait = Callable[[], None]

RANKS = range(1, 10)


def _taylor(x: xp.Array, _: xp.Array) -> tuple[xp.Array, ...]:
    return (x - x**3 / 6 + x**5 / 120 - x**7 / 5040 + x**9 / 362880,)


def _divmod(a: xp.Array, b: xp.Array) -> tuple[xp.Array, ...]:
    quotient = xp.floor(a / b)
    return quotient, a - quotient * b


EXPRESSIONS: dict[str, Callable[[xp.Array, xp.Array], tuple[xp.Array, ...]]] = {
    "a + 1": lambda a, b: (a + 1,),
    "divmod": _divmod,
    "sine by Taylor": _taylor,
}


def extents(log2: int, rank: int) -> tuple[int, ...]:
    """A shape of 2^log2 elements, whose extents are as alike as powers of two can be, the largest last."""
    least, more = divmod(log2, rank)
    return tuple(2 ** (least + (axis >= rank - more)) for axis in range(rank))


def operands(shape: tuple[int, ...]) -> Arrays:
    """Two arrays of float32 from 1 to 2."""
    rng = xp.random.default_rng(1)
    a, b = (rng.random(shape, dtype=xp.float32) + 1 for _ in range(2))
    xp.sync(a, b)
    return a, b


def seconds(device: Device, name: str, arrays: Arrays, synchronous: bool = False) -> float:
    """A call of an expression."""
    compute, (a, b) = EXPRESSIONS[name], arrays

    def run() -> None:
        xp.compute(*compute(a, b))
        if synchronous:
            device.wait()

    return timed(run, device.wait)


def timed(run: Run, wait: Wait) -> float:
    """Seconds of a call, of which some are started before the last is waited for: the least of 15 samples of 1 ms and
    more, since other programs may have the processor. What takes more than 20 ms is called thrice, each waited for."""

    def alone() -> float:
        start = perf_counter()
        run()
        wait()
        return perf_counter() - start

    alone()  # compilers
    if (seconds := alone()) > 0.02:
        return min(seconds, alone(), alone())
    return measure(run, wait, least=0.001, samples=15, choose=min)


def _size(device: Device) -> int:
    """log2 of the elements: 4 MiB on a CPU, 64 on a GPU."""
    return 24 if device.is_gpu else 20


def _by_rank(device: Device, choices: Mapping[str, Mapping[str, Any]]) -> Curves:
    """Each expression by the rank of its contiguous operands, under choices that are forced."""
    curves: Curves = {name: {choice: {} for choice in choices} for name in EXPRESSIONS}
    for rank in RANKS:
        arrays = operands(extents(_size(device), rank))
        for choice, switches in choices.items():
            with forced(**switches):
                for name in EXPRESSIONS:
                    curves[name][choice][str(rank)] = seconds(device, name, arrays)
    return curves


def order_reduction(device: Device) -> Curves:
    """Figure 3.1."""
    return _by_rank(device, {"merged": {}, "not merged": {"merged": False}})


# What the text of a kernel knows: the rank; the extents; the strides as well; or that all is contiguous.
_GENERIC: dict[str, Any] = {"specialise": "never", "merged": False, "GENERIC": 1}
LEVELS: dict[str, dict[str, Any]] = {
    "basic": _GENERIC,
    "dimspec": _GENERIC | {"known": "extents"},
    "specialized": _GENERIC | {"known": "strides"},
    "contig": {},
    "ours, not merged": {"merged": False},
}


def specialisation(device: Device) -> Curves:
    """Figure 3.2."""
    return _by_rank(device, LEVELS)


def asynchronous(device: Device) -> Curves:
    """Figure 3.3, by log2 of the elements."""
    curves: Curves = {name: {"waited for at the end": {}, "each waited for": {}} for name in EXPRESSIONS}
    with forced():
        for log2 in range(8, _size(device) + 3, 2):
            arrays = operands((1 << log2,))
            for name, lines in curves.items():
                for line, waits in (("waited for at the end", False), ("each waited for", True)):
                    lines[line][str(log2)] = seconds(device, name, arrays, waits)
    return curves


def geometries(device: Device) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What one work-item does, the work-items of a group, and the numbers that force both.

    On GPUs these are elements far apart, of arrays that are not aligned; the automatic choice reads them by four, or
    takes one, of costly bodies.
    """
    always = {"ONE_ELEMENT": sys.maxsize}  # or costly bodies would take one element whatever is forced
    group, each = ("GPU_GROUP", "ROWS_PER_ITEM") if device.is_gpu else ("SPAN_GROUP", "SPAN")
    for amount in (1, 4, 16) if device.is_gpu else (1, 4, 16, 64, 256):
        groups = (32, 64, 128, 256, 512, 1024)[: 5 + (amount == 1)] if device.is_gpu else (1, 4, 16, 64, 256)
        for items in groups:
            what = f"{amount} element{'s' * (amount > 1)}" if device.is_gpu else f"{amount * device.lanes} elements"
            yield f"{what} an item", str(items), {group: items, each: amount, **always}


def geometry(device: Device) -> Curves:
    """Figure 3.4, by the work-items of a group. What a device refuses, such as groups with too many registers, has no
    figure."""
    longer, aligned = operands(((1 << _size(device)) + 1,)), operands((1 << _size(device),))
    apart = (longer[0][1:], longer[1][1:]) if device.is_gpu else aligned
    curves: Curves = {name: {} for name in EXPRESSIONS}
    automatic: dict[str, list[float]] = {name: [] for name in EXPRESSIONS}
    for line, items, numbers in geometries(device):
        with forced(**numbers):
            for name in EXPRESSIONS:
                try:
                    curves[name].setdefault(line, {})[items] = seconds(device, name, apart)
                except DeviceError as error:
                    print(f"{device} {name}, {line}, groups of {items}: {error}")
        with forced():  # in between, so that the machine is in the same state
            for name in EXPRESSIONS:
                automatic[name].append(seconds(device, name, aligned))
    for name, lines in curves.items():
        lines["automatic"] = {items: min(automatic[name]) for line in [*lines.values()] for items in line}
    return curves


# --- the paper: A Common GPU n-Dimensional Array for Python and C -----------------------------------------------------

SUMS: dict[str, tuple[str, Callable[[xp.Array, xp.Array], xp.Array]]] = {
    "a + 1": ("a[i] + 1", lambda a, b: a + 1),
    "a² + b² + 2ab": ("a[i] * a[i] + b[i] * b[i] + 2 * a[i] * b[i]", lambda a, b: a * a + b * b + 2 * a * b),
}
VIEWS: dict[str, tuple[int, Callable[[xp.Array], xp.Array], bool]] = {
    "1 dimension": (1, lambda x: x, True),
    "4 dimensions": (4, lambda x: x, True),
    "4 dimensions, not merged": (4, lambda x: x, False),
    "4 dimensions, the outermost strided": (4, lambda x: x[::2], True),
    "4 dimensions, all strided": (4, lambda x: x[::2, ::2, ::2, ::2], True),
}


def paper(device: Device) -> Curves:
    """The paper's figure, by log2 of the elements."""
    curves: Curves = {name: {} for name in SUMS}
    for log2 in range(10, _size(device) + 3, 2):
        for name, (text, compute) in SUMS.items():
            lines = curves[name]
            if (own := driver(device, text, 1 << log2)) is not None:
                lines.setdefault("the driver's library, 1 dimension", {})[str(log2)] = timed(*own)
            for line, (rank, view, merged) in VIEWS.items():
                shape = extents(log2, rank)
                whole = [
                    n * (2 if "all" in line or ("outermost" in line and k == 0) else 1) for k, n in enumerate(shape)
                ]
                a, b = (view(x) for x in operands(tuple(whole)))
                with forced(merged=merged):
                    found = timed(partial(_computed, compute, a, b), device.wait)
                lines.setdefault(line, {})[str(log2)] = found
    return curves


def _computed(compute: Callable[[xp.Array, xp.Array], xp.Array], a: xp.Array, b: xp.Array) -> None:
    xp.compute(compute(a, b))


def driver(device: Device, text: str, n: int) -> tuple[Run, Wait] | None:
    """A kernel for one contiguous dimension by PyOpenCL or CuPy, as the paper has one by PyCUDA, into memory that is
    there; and what waits for it. None where the library is missing."""
    if device.name == "native":  # it has no driver
        return None
    try:
        return (_by_cupy if device.name.startswith("cuda") else _by_pyopencl)(device, text, n)
    except ImportError:
        return None


def _by_cupy(device: Device, text: str, n: int) -> tuple[Run, Wait]:
    cupy: Any = importlib.import_module("cupy")
    kernel = cupy.ElementwiseKernel("raw T a, raw T b", "T o", f"o = {text}", "paper")
    a, b, o = (cupy.ones(n, "float32") for _ in range(3))
    return lambda: kernel(a, b, o), cupy.cuda.Device().synchronize


def _by_pyopencl(device: Device, text: str, n: int) -> tuple[Run, Wait]:
    cl: Any = importlib.import_module("pyopencl")
    context = xp.ones(1, dtype=xp.float32, device=device.name).gpudata.handle.get_info(cl.mem_info.CONTEXT)
    arguments = "__global float *a, __global float *b, __global float *o, int n"
    body = f"int i = get_global_id(0); if (i < n) o[i] = {text};"
    with warnings.catch_warnings():  # of compilers that say something
        warnings.simplefilter("ignore")
        kernel = cl.Program(context, f"__kernel void paper({arguments}) {{ {body} }}").build().paper
    queue = cl.CommandQueue(context)
    memory = [cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * n) for _ in range(3)]
    for buffer in memory:
        cl.enqueue_fill_buffer(queue, buffer, np.float32(1), 0, 4 * n)

    def run() -> None:
        for index, argument in enumerate((*memory, np.int32(n))):  # which keeps the memory alive, too
            kernel.set_arg(index, argument)
        cl.enqueue_nd_range_kernel(queue, kernel, (n,), (64,))

    return run, queue.finish
