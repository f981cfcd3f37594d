"""`python -m conformance.kernels`: every kind of kernel, once, on small arrays; under a tool that watches, if asked.

What is computed: everything of `conformance.bits`, which is each function on each dtype, and `forms`, which makes each
walk that kernels have: operands along and across, aligned and not, one pass and several, rows in groups and groups of
rows. The pool is off, so that each array is memory of its own; results are read back.

``--tool`` runs the program under NVIDIA's compute-sanitizer (memcheck, racecheck, initcheck, synccheck; CUDA devices),
or under Oclgrind, a simulated OpenCL device, which finds the same three kinds of errors. It is a device of one lane;
with ``--lanes 16`` it runs CPUs' kernels, too, but takes some lanes of vectors for not initialised that are.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.memory.dtypes import DTYPES, REAL, SHORT
from conformance import BY_KERNELS, bits

# Of the arrays of `conformance.bits`: more than one group of work-items and no whole number of them. Stacks of matrices
# take 1,024 elements.
SHAPE = (29, 37)
SANITIZERS = ("memcheck", "racecheck", "initcheck", "synccheck")
SIDES = ("left", "right")
SHOWN = 100  # lines of a tool's complaints

Job = tuple[str, Callable[[], Any]]


# What is computed

Shape = tuple[int, ...]
Form = tuple[str, Callable[..., Any], tuple[Shape, ...]]  # a name, a function of arrays of one dtype, their shapes


def form(name: str, function: Callable[..., Any], *shapes: Shape) -> Form:
    """One walk that kernels have."""
    return f"{name} {' '.join(map(str, shapes))}", function, shapes


def tuned(function: Callable[..., Any], **numbers: Any) -> Callable[..., Any]:
    """A function that computes with other numbers of `tuning`, which decide among kernels."""

    def compute(*arrays: xp.Array) -> Any:
        with patch.multiple(tuning, **numbers):
            result = function(*arrays)
            xp.compute(*arrays_of(result))
        return result

    return compute


def mask(*shape: int) -> xp.Array:
    """Booleans at random."""
    return xp.asarray(bits.operand(np.dtype(bool), 3, shape))


def places(n: int, count: int) -> xp.Array:
    """Indices into ``n`` elements, which come again if there are more of them."""
    return xp.asarray((np.arange(count) * 7 + 3) % n)


def copied(x: xp.Array) -> xp.Array:
    """The same elements one after the other."""
    return xp.asarray(x, copy=True)


def written(x: xp.Array, key: Any, value: Any) -> xp.Array:
    """The array after an assignment."""
    x[key] = value
    return x


def added(x: xp.Array, key: Any, value: Any) -> xp.Array:
    """The array after an addition to places of it."""
    if x.dtype != xp.bool:
        xp.add_at(x, key, value)
    return x


ELEMENTWISE = [
    *[form("aligned", lambda x, y: xp.where(x == y, x, y), (n,), (n,)) for n in (1, 5, 1073, 4099)],
    form("not aligned", lambda x, y: x[1:] == y, (1074,), (1073,)),
    form("not aligned, copied", lambda x: copied(x[1:]), (1074,)),
    form("strided", lambda x: copied(x[1::2]), (2147,)),
    form("backwards", lambda x: copied(x[::-1]), (1073,)),
    form("turned", lambda x: copied(x.T), (71, 90)),
    form("turned, beside one that is not", lambda x, y: y == x.T, (71, 90), (90, 71)),
    form("both turned", lambda x, y: x.T == y.T, (40, 70), (40, 70)),
    *[
        form(f"axes {axes}", lambda x, axes=axes: copied(xp.permute_dims(x, axes)), (9, 10, 11))
        for axes in ((2, 1, 0), (1, 2, 0), (0, 2, 1))
    ],
    *[form("broadcast", lambda x, y: x == y, (33, 40), other) for other in ((40,), (33, 1), (), (1, 1))],
    form("outer", lambda x, y: x == y, (33, 1), (1, 41)),
    form("rows that are not whole registers", lambda x: x[:, 2:] == x[:, :-2], (19, 21)),
    form("many axes", lambda x, y: x[:, ::2, :, ::-2] == y, (2, 3, 4, 5, 6), (2, 2, 1, 3, 1)),
    form("gathered", lambda x, y: x[places(40, 25)] == y, (40, 30), (25, 30)),
    form("tril", lambda x: [xp.tril(x), xp.triu(x, k=3)], (40, 50)),
    form("in place", lambda x, y: [x.__ior__(y) if x.dtype == xp.bool else x.__iadd__(y)], (40, 50), (50,)),
    form("two results", lambda x, y: _two(x == y, x), (1073,), (1073,)),
]


def _two(x: xp.Array, y: xp.Array) -> list[xp.Array]:
    held = xp.where(x, y, y[::-1])
    return [held == y, held]


REDUCED = [(1,), (17,), (300,), (20_001,), (3, 4097), (300, 5), (5, 300), (2, 3000, 5), (1500, 3), (600, 40)]
AXES = [(shape, axis) for shape in REDUCED for axis in (None, *range(len(shape) if len(shape) > 1 else 0))]
REDUCTIONS = [
    *[
        form(f"{name} axis {axis}", partial(getattr(xp, name), axis=axis), shape)
        for shape, axis in AXES
        for name in ("sum", "max", "argmax")
    ],
    *[
        form(f"turned axis {axis}", lambda x, a=axis: xp.sum(x.T, axis=a), shape)
        for shape, axis in AXES
        if len(shape) == 2
    ],
    *[form(f"fused axis {axis}", lambda x, a=axis: xp.argmin(x[::-1] + 1, axis=a), shape) for shape, axis in AXES],
    *[
        form(f"axes {axes}", lambda x, a=axes: [xp.sum(x, axis=a), xp.any(x > 0, axis=a)], (5, 6, 7, 20))
        for axes in ((0,), (1, 2), (0, 2), (0, 3), (1, 3), (0, 1, 2, 3), (1, 2, 3))
    ],
]
ANY_REDUCTIONS = [
    form(f"{name} axis {axis}", partial(getattr(xp, name), axis=axis), shape)
    for name in ("any", "all", "count_nonzero")
    for shape, axis in (((5000,), 0), ((33, 70), 1), ((70, 33), 0))
]
SUMS = [
    form(f"{name} axis {axis}", partial(getattr(xp, name), axis=axis), shape)
    for name in ("sum", "prod")
    for shape, axis in (((5000,), 0), ((33, 70), 1), ((70, 33), 0))
]
EXTREMES = [
    form(f"{name} axis {axis}", partial(getattr(xp, name), axis=axis), shape)
    for name in ("max", "argmin")
    for shape, axis in (((5000,), 0), ((70, 33), 0))
]


def _softmax(x: xp.Array, axis: int) -> Any:
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)


def _standardised(x: xp.Array, axis: int) -> Any:
    return (x - xp.mean(x, axis=axis, keepdims=True)) / xp.std(x, axis=axis, keepdims=True)


NORMALISATIONS = [
    form(f"{function.__name__[1:]} axis {axis}", partial(function, axis=axis), shape)
    for function in (_softmax, _standardised)
    for shape in ((7, 300), (3, 5000), (40, 33), (500, 40), (2, 9000), (3, 4, 65))
    for axis in (-1, 0)
] + [form("statistics", lambda x: [f(x, axis=a) for f in (xp.mean, xp.var) for a in (None, 0, 1)], (40, 70))]

SCANS = [
    *[
        form(f"cumulative sum axis {axis}", partial(xp.cumulative_sum, axis=axis), shape)
        for shape, axis in (
            ((1,), 0), ((9001,), 0), ((3, 4500), 1), ((4500, 3), 0), ((300, 20), 0), ((40, 7), 1), ((301, 20), 1),
            ((33, 132), 1), ((5, 600), 1), ((300_000,), 0),
        )
    ],
    form("cumulative product", lambda x: xp.cumulative_prod(x, include_initial=True), (300,)),
    *[
        form(f"initial axis {axis}", partial(xp.cumulative_sum, axis=axis, include_initial=True), (40, 70))
        for axis in (0, 1)
    ],
    form("strided", lambda x: [xp.cumulative_sum(part) for part in (x[1::2], x[::-1], x * 2 + 1)], (9002,)),
    form("turned", lambda x: xp.cumulative_sum(x.T, axis=1), (33, 70)),
]  # fmt: skip

SORTS = [
    *[
        form(f"{name} axis {axis}", partial(getattr(xp, name), axis=axis, descending=axis == len(shape) - 1), shape)
        for shape, axis in (((1,), 0), ((100,), 0), ((300, 3), 0), ((3, 130), 1))
        for name in ("sort", "argsort")
    ],
    form("equal elements", lambda x: [xp.sort(xp.zeros_like(x)), xp.argsort(x == x)], (300,)),
    form("strided", lambda x: xp.sort(x[1::2]), (601,)),
    form("unique", lambda x: list(xp.unique_all(x)), (300,)),
    form("is in", lambda x, y: xp.isin(x, y), (300,), (40,)),
    *[form(f"searched {s}", lambda x, y, s=s: xp.searchsorted(xp.sort(x), y, side=s), (99,), (300,)) for s in SIDES],
    form("searched in order", lambda x, y: xp.searchsorted(x, y, sorter=xp.argsort(x)), (99,), (300,)),
]
LONG_SORTS = [
    *[form(name, getattr(xp, name), shape) for name in ("sort", "argsort") for shape in ((9001,), (2, 4500))],
    *[
        form(f"{name} by digits", tuned(getattr(xp, name), MERGED=-1), shape)
        for name in ("sort", "argsort")
        for shape in ((9001,), (2, 7000))
    ],
    form("unique", lambda x: list(xp.unique_all(x)), (5000,)),
    form("unique values", xp.unique_values, (9001,)),
]

SELECTIONS = [
    *[form("masked", lambda x: x[mask(*x.shape)], (n,)) for n in (1, 17, 4096, 9001)],
    form("masked, not aligned", lambda x: x[1:][mask(9003)[2:]], (9002,)),
    form("masked rows", lambda x: x[mask(60)], (60, 9)),
    form("all, none", lambda x: [x[mask(5000) == mask(5000)], x[mask(5000) != mask(5000)]], (5000,)),
    form("nonzero", lambda x: list(xp.nonzero(x)), (70, 80)),
    form("taken", lambda x: xp.take(x, places(40, 33), axis=0), (40, 50)),
    form("taken along", lambda x: xp.take_along_axis(x, places(40, 90), axis=0), (40,)),
    form("repeated", lambda x: [xp.repeat(x, 3), xp.repeat(x, places(5, 40))], (40,)),
    form("put together", lambda x, y: [xp.concat([x, y]), xp.roll(x, 3, axis=1)], (7, 9), (8, 9)),
    form("joined", lambda *x: [xp.concat(x, axis=1), xp.stack(x, axis=-1), xp.stack(x)], (70, 9), (70, 9), (70, 9)),
    form("joined, of several lengths", lambda *x: xp.concat(x), (1000,), (30,), (7,)),
    form("written slices", lambda x: written(x, (slice(1, 30, 2), slice(None, None, -3)), 1), (40, 50)),
    form("written view", lambda x, y: written(x, slice(3, 33), y.T), (40, 50), (50, 30)),
    form("written mask", lambda x: written(x, mask(2000), 1), (2000,)),
    form("written mask, values", lambda x, y: written(x, xp.arange(40) % 2 == 0, y), (40,), (20,)),
    form("written places", lambda x, y: written(x, places(100, 40), y), (100,), (40,)),
    form("written places again and again", lambda x, y: written(x, places(100, 3000), y), (100,), (3000,)),
    form("written rows", lambda x, y: written(x, places(40, 20), y), (40, 9), (20, 9)),
    form("added", lambda x, y: added(x, places(100, 40), y), (100,), (40,)),
    form("added again and again", lambda x, y: added(x, places(100, 3000), y), (100,), (3000,)),
]

ROLLED = [form("rolled", lambda x, y: xp.roll(x, (2, -1), axis=(0, 1)) + y[:, ::-1] - xp.roll(y, 3), (7, 40), (7, 40))]

PRODUCTS = [
    *[
        form("product", xp.matmul, a, b)
        for a, b in (
            ((1, 1), (1, 1)), ((17, 33), (33, 9)), ((65, 70), (70, 130)), ((3, 5, 7), (7, 4)), ((300,), (300, 5)),
            ((5, 300), (300,)), ((2, 1, 9, 8), (3, 8, 6)), ((2, 1100), (1100, 3)),
        )
    ],
    form("turned", lambda x, y: xp.matmul(x.T, y.T), (33, 17), (9, 33)),
    form("vecdot", xp.vecdot, (5, 300), (300,)),
    *[
        form("product and what follows", lambda x, y, z: xp.square(x @ y * 2 + z) - 1, a, b, c)
        for a, b, c in (
            ((17, 33), (33, 9), (9,)), ((65, 70), (70, 130), (65, 130)), ((3, 5, 7), (3, 7, 4), (3, 1, 4)),
            ((5, 300), (300,), (5,)), ((2, 1100), (1100, 3), (2, 1)),
        )
    ],
]  # fmt: skip

MARKED = [
    form("unique, marked", lambda: list(xp.unique_inverse(xp.arange(5000) * 7 % 900 - 450))),
    form("unique, marked in a long range", lambda: xp.unique_values(xp.arange(70_000) * 4)),
]

FOLLOWED = [
    form(f"reduction over {axis} and what follows", lambda x, a=axis: xp.sqrt(xp.sum(x * x, axis=a) + 1), shape)
    for shape in ((40, 70), (700, 3), (3, 4000))
    for axis in (None, 0, 1)
]

_OF_ROWS: dict[str, Callable[..., Any]] = {
    **{name: partial(getattr(xp, name), axis=-1) for name in ("sum", "max", "argmax", "cumulative_sum", "sort")},
    "argsort": partial(xp.argsort, axis=-1, descending=True),
    "any": lambda x: xp.any(x != 0, axis=-1),
    "transposed copy": lambda x: copied(x.T),
    "middle axis": lambda x: xp.max(xp.reshape(x, (-1, x.shape[-1], 5)), axis=1),
    "planes": lambda x: copied(xp.permute_dims(xp.reshape(x, (5, -1, x.shape[-1])), (2, 0, 1))),
    "roll": lambda x: xp.roll(x, (1, -1), axis=(0, 1)),
    "repeat": lambda x: [xp.repeat(x, 3, axis=1), xp.tile(x, (1, 2))],
    "stack": lambda x: [xp.stack([x] * 40), xp.concat([x] * 40, axis=1)],
}
SHORT_ROWS = [
    form(f"short rows, {name}", function, shape)
    for name, function in _OF_ROWS.items()
    for shape in ((5000, 2), (1000, 10), (100, 65))
] + [  # by kernels for large arrays of rows of one length, in registers and through local memory
    form(f"rows of one length, {name}", tuned(_OF_ROWS[name], SHORT_FROM=0), shape)
    for name in ("sum", "max", "argmax", "any", "cumulative_sum")
    for shape in ((5001, 2), (307, 31), (203, 32), (97, 132))
]
SHORT_FLOATS = [form("short rows, softmax", partial(_softmax, axis=-1), (n, 9000 // n)) for n in (4500, 900, 90)]
SCATTERED = [
    form("scattered, a permutation", lambda x: written(xp.zeros_like(x), places(9001, 9001), x), (9001,)),
    form("searched, many in few", lambda x, y: xp.searchsorted(xp.sort(x), y), (7,), (9001,)),
    form("is in, many in few", lambda x, y: [xp.isin(y, x), xp.isin(y[1:], x)], (70,), (9001,)),
    form("searched, few in many", lambda x, y: xp.searchsorted(xp.sort(x), y), (9001,), (70,)),
    *[
        form(f"{name} of held elements", tuned(function, HELD_FROM=1, HELD_BYTES=1 << 10), (length,), (3001,))
        for name, function in {
            "searched": lambda x, y: xp.searchsorted(xp.sort(x), y),
            "searched in order": lambda x, y: xp.searchsorted(x, y, side="right", sorter=xp.argsort(x)),
            "is in": lambda x, y: xp.isin(y, x),
        }.items()
        for length in (7, 100, 1001)
    ],
]


def _positive(x: xp.Array) -> xp.Array:
    """Matrices of finite numbers with which every factorisation succeeds."""
    x = xp.where(xp.abs(x) < 100, x, xp.ones_like(x))
    return x @ xp.matrix_transpose(xp.conj(x)) + xp.eye(x.shape[-1], dtype=x.dtype) * 100


def _of_positive(function: Callable[..., Any], place: str) -> Callable[..., Any]:
    """A function of matrices that are positive definite; too large for local memory if their place is another."""

    def compute(x: xp.Array) -> Any:
        x = xp.asarray(_positive(x), copy=True)
        with patch.object(x.device, "local_memory", 128 if place == "global memory" else x.device.local_memory):
            results = arrays_of(function(x))
            for array in results:
                np.asarray(array)
        return results

    return compute


_NAMES = ("cholesky", "inv", "det", "qr", "eigh", "eigvalsh", "svd", "svdvals")
_OF_MATRICES: dict[str, Callable[..., Any]] = {
    **{name: getattr(xp.linalg, name) for name in _NAMES},
    "slogdet": lambda x: list(xp.linalg.slogdet(x)),
    "solve": lambda x: [xp.linalg.solve(x, x), xp.linalg.solve(x, x[..., :1])],
    "solve_triangular": lambda x: [xp.linalg.solve_triangular(x, b, lower=b is x) for b in (x, x[..., :1])],
    "lu": lambda x: list(xp.linalg.lu(x)),
}
FACTORISED = [
    form(f"stack of matrices in {place}, {name}", _of_positive(function, place), shape)
    for name, function in _OF_MATRICES.items()
    for place, shape in (("registers", (35, 3, 3)), ("local memory", (33, 13, 13)), ("global memory", (33, 13, 13)))
]

INDICES = [
    form("arange", lambda: [xp.arange(1073) * 2, xp.arange(9.0)[::-2]]),
    form("eye", lambda: xp.eye(30, 40, k=2)),
    form("linspace", lambda: xp.linspace(0, 1, 999)),
    form("meshgrid", lambda: list(xp.meshgrid(xp.arange(11), xp.arange(12)))),
]

FEW = ("int32", "float32")
TABLE: list[tuple[list[Form], Callable[[np.dtype[Any]], bool]]] = [  # forms, and the dtypes on which to try them
    (ELEMENTWISE + SELECTIONS + ANY_REDUCTIONS, lambda t: True),
    (SORTS, lambda t: t.kind != "c"),
    (ROLLED + SUMS + PRODUCTS[1:3] + SCANS[1:4] + SCANS[6:8], lambda t: t.kind != "b"),
    (EXTREMES, lambda t: t in REAL),
    (REDUCTIONS + SCANS + LONG_SORTS, lambda t: str(t) in FEW),
    (PRODUCTS, lambda t: str(t) in (*FEW, "complex64")),
    (NORMALISATIONS + FOLLOWED, lambda t: str(t) in ("float32", "float64")),
    (INDICES + MARKED, lambda t: str(t) == "int32"),
    (SHORT_ROWS, lambda t: str(t) in ("int8", "uint16", "float32", "float64")),
    (SHORT_FLOATS, lambda t: str(t) in ("float16", "float32")),
    (SCATTERED, lambda t: str(t) in ("int8", "float32", "float64")),
    (FACTORISED, lambda t: str(t) in ("float64", "complex64")),
]


def forms(device: Device) -> Iterator[Job]:
    """Names and computations of the table, for the dtypes of a device."""
    for rows, tried in TABLE:
        for dtype in DTYPES:
            if SHORT[dtype] in device.dtypes and tried(dtype):
                for name, function, shapes in rows:
                    yield f"{name} {dtype}", partial(_compute, function, dtype, shapes)


def _compute(function: Callable[..., Any], dtype: np.dtype[Any], shapes: tuple[Shape, ...]) -> Any:
    return function(*[xp.asarray(bits.operand(dtype, seed, shape)) for seed, shape in enumerate(shapes)])


PLANTED = """
KERNEL void planted(GLOBAL M_i32* out, GLOBAL M_i32* never_written) {
    LOCAL M_i32 shared[64];
    shared[LID] = LID;
    out[LID] = shared[63 - LID] + never_written[LID]; // no barrier, no value
    out[64 + LID] = 0;                                // no memory
}
"""


def plant(device: Device) -> list[xp.Array]:
    """What every tool has to find: a race, a value that nobody wrote, a write behind an array."""
    out, never_written = device.alloc(256), device.alloc(256)
    device.launch(device.compile(PLANTED, "planted"), 1, 64, [out, never_written], b"")
    device.wait()
    return []


def jobs(device: Device) -> dict[str, Callable[[], Any]]:
    """Everything, by name."""
    return {**dict(bits.jobs(device, shape=SHAPE)), **dict(forms(device))}


def arrays_of(result: Any) -> list[xp.Array]:
    """The arrays of a result."""
    return [result] if isinstance(result, xp.Array) else [a for part in result for a in arrays_of(part)]


def run(
    device: Device,
    part: tuple[int, int] = (0, 1),
    only: str = "",
    specialise: str = "always",
    quiet: bool = True,
    planted: bool = False,
) -> tuple[int, int, list[str]]:
    """Compute; return how many computations and launches there were, and what failed, with its errors."""
    number, of = part
    done, failed = 0, []
    started = time.monotonic()
    todo: dict[str, Callable[[], Any]] = {"planted": partial(plant, device)} if planted else jobs(device)
    settings = {"device": str(device), "pool": False, "specialise": specialise, **BY_KERNELS}
    with xp.config.set(**settings), xp.record() as launches:
        for place, (name, compute) in enumerate(todo.items()):
            if place % of == number and only in name:
                if not quiet:
                    print(f"{time.monotonic() - started:7.1f} s  {name}", file=sys.stderr, flush=True)
                try:
                    for array in arrays_of(compute()):
                        np.asarray(array)
                except Exception as error:  # the tool has to see the others, too
                    failed.append(f"{name}: {type(error).__name__}: {error}")
                done += 1
    return done, len(launches), failed


def widen(device: Device, lanes: int) -> None:
    """Have kernels written for registers of so many lanes, whatever suits the device."""
    device.prelude = device.prelude.replace(f"#define LANES {device.lanes}", f"#define LANES {lanes}", 1)
    device.lanes = lanes


def call_functions(device: Device) -> None:
    """Have functions called that would be inlined: Oclgrind does not know what inlining makes of structures that they
    give."""
    device.prelude += "\n#undef GROUP_FN\n#define GROUP_FN static inline\n"


def keep_memory() -> None:
    """Have OpenCL's memory never freed: Oclgrind forgets what kernels write to memory that was another array's."""
    import pyopencl as cl

    from arrayapi_gpu.backends import opencl_memory

    kept: list[cl.Buffer] = []

    def create(queue: cl.CommandQueue, size: int) -> cl.Buffer:
        kept.append(cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, size))
        return kept[-1]

    # `patch` raises an error where there is no such name.
    patch.object(opencl_memory, "ImmediateAllocator", lambda queue: partial(create, queue)).start()


# Tools


def watched(tool: str, program: Sequence[str], log: Path) -> list[str]:
    """The command that runs a program under a tool, which writes what it finds to ``log``."""
    if tool == "oclgrind":
        # Without optimisation, and without prefetching: it does not know all that its compiler makes of kernels.
        options = ["--build-options", "-cl-opt-disable -D__builtin_prefetch(p,w)=", "--local-mem-size", str(48 << 10)]
        options += ["--global-mem-size", str(2 << 30)]
        return [tool, *options, "--max-errors", "1000", "--data-races", "--uninitialized", "--log", str(log), *program]
    # Errors of the driver's functions are no complaints: some are how one asks, and others are raised.
    return ["compute-sanitizer", "--tool", tool, "--report-api-errors", "no", "--log-file", str(log), *program]


def complaints(tool: str, log: str) -> list[str]:
    """The lines of a log that say what is wrong."""
    lines = [line for line in log.splitlines() if line.strip(" =")]
    if tool == "oclgrind":
        return lines
    summary = re.compile(r"(ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards displayed \(0 errors, 0 warnings\))")
    lines = [line for line in lines if "COMPUTE-SANITIZER" not in line]
    clean = bool(lines) and all(summary.search(line) for line in lines)
    return [] if clean else lines or [f"{tool} has written no summary"]


def watch(tool: str, options: argparse.Namespace) -> int:
    """Run this program again under a tool; return the exit status."""
    program = [sys.executable, "-m", "conformance.kernels", "--part", "{}/{}".format(*options.part)]
    program += ["--only", options.only, "--lanes", str(options.lanes), "--specialise", options.specialise]
    program += ["--quiet"] * options.quiet + ["--planted"] * options.planted
    program += ["--device", options.device] if options.device else []
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        command = watched(tool, program, log)
        if shutil.which(command[0]) is None:
            print(f"{command[0]} is not installed", file=sys.stderr)
            return 2
        environment = {**os.environ, "ARRAYAPI_GPU_POOL": "0"}
        if tool == "oclgrind":  # beside its device there shall be no other
            Path(folder, "none.icd").touch()  # a folder that names no driver leaves those from pip
            environment["OCL_ICD_VENDORS"] = folder
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
        found = complaints(tool, log.read_text(encoding="utf-8", errors="replace") if log.exists() else "")
    for line in found[:SHOWN]:
        print(line)
    print(f"{tool}: {done.stdout.strip() or f'the program ended with status {done.returncode}'}; "
          f"{len(found)} lines of complaints")  # fmt: skip
    return 1 if found or done.returncode else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, or have run; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.kernels",
        description="Run every kind of kernel once on small arrays, with the pool off.",
        epilog="Exit status: 0; 1 when a tool complains or a computation fails; 2 when it is not installed.",
    )
    add = parser.add_argument
    add("--device", metavar="D", help="this device (default: the default device)")
    add("--tool", choices=(*SANITIZERS, "oclgrind"), help="run under this tool")
    add("--part", type=_part, metavar="K/N", default=(0, 1), help="only part K, from 0, of N (default: 0/1)")
    add("--only", metavar="TEXT", default="", help="only what has this text in its name")
    add("--lanes", type=int, choices=(0, 1, 16), default=0, help="lanes of registers (default 0: as suits the device)")
    add("--specialise", choices=("always", "never"), default="always", help="never: generic kernels (%(default)s)")
    add("--planted", action="store_true", help="only a kernel with errors, which every tool has to find")
    add("--quiet", action="store_true", help="do not name what is computed")
    options = parser.parse_args(arguments)
    if options.tool:
        return watch(options.tool, options)
    device = backends.get_device(options.device)
    if "Oclgrind" in device.description:
        keep_memory()
        call_functions(device)
    if options.lanes:
        widen(device, options.lanes)
    done, launches, failed = run(device, options.part, options.only, options.specialise, options.quiet, options.planted)
    for line in failed:
        print(line, file=sys.stderr)
    print(
        f"{device}: {done} computations, {launches} launches of {device.kernels_compiled} kernels, {len(failed)} failed"
    )
    return 1 if failed else 0


def _part(text: str) -> tuple[int, int]:
    number, of = text.split("/")
    return int(number), int(of)


if __name__ == "__main__":
    sys.exit(main())
