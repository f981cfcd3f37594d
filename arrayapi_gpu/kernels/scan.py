"""The scan kernels: what a monoid makes of all elements up to each one, along an axis.

Where there are few rows they are cut into segments: one launch combines each segment, a scan of
these totals gives what comes before each, and a last launch scans the segments. The order in which
elements are combined depends on the shape alone, never on strides.

Two walks. Along: lanes (without vectors, the work-items of a group) lie along the axis. Across:
they lie along another axis, the last one where it stays, or that of the rows where these are short.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Device, Kernel
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, empty
from ..memory.layout import collapse_ordered
from .copy import contiguous
from .dialect import Parameters
from .launch import compiled, launch
from .reduce import Monoid
from .texts import sections

FLOAT16, FLOAT32 = DTYPE_OF["f16"], DTYPE_OF["f32"]

SHORT_ROW = 16  # below, rows are walked across


class Cut(NamedTuple):
    """How the work is cut for a kind of device."""

    along: int  # elements of a segment
    across: int  # few: the pages that neighbouring work-items read side by side stay at hand
    group: int  # work-items; they take a segment along the axis together, and one each across
    busy: int  # so many rows keep the device busy: they are not cut along the axis


VECTORS = Cut(along=4096, across=256, group=1, busy=64)
SCALARS = Cut(along=4096, across=256, group=256, busy=2048)


class Walk(NamedTuple):
    """source[row, i, lane] in elements: counts, then strides of both arrays."""

    rows: int
    n: int
    width: int
    source: tuple[int, int, int]
    out: tuple[int, int, int]


def scan(monoid: Monoid, source: GpuArray, axis: int, out: GpuArray, *, exclusive: bool = False) -> None:
    """Combine the elements up to each one along ``axis``, itself included unless ``exclusive``.

    ``out`` is C-contiguous and has the shape of ``source``, whose elements are cast to its dtype
    first. Sums and products of float16 are rounded to it only at the end. An exclusive scan begins
    with the identity. The arrays share no memory.
    """
    if not out.size:
        return
    device = out.storage.device
    half = out.dtype == FLOAT16 and monoid.name in ("sum", "prod")
    values = FLOAT32 if half else out.dtype
    source, walk = _walk(source, axis, out.dtype)
    cut = VECTORS if device.lanes > 1 else SCALARS
    across = walk.width > 1
    chunks = -(-walk.width // device.lanes)
    length = cut.across if across else cut.along
    if walk.n <= length or (walk.rows >= cut.busy and not across):
        length = walk.n
    segments = -(-walk.n // length)
    ways = "across" if across else "along" if device.lanes > 1 else "together"
    items = walk.rows * segments * (chunks if across else cut.group)
    numbers = (walk.rows, walk.n, walk.width, segments, length)
    steps = (source.offset, *walk.source, out.offset, *walk.out)

    def run(name: str, result: GpuArray, *carries: GpuArray) -> None:
        key = (device, monoid, source.dtype, out.dtype, values, exclusive, f"{name}_{ways}")
        kernel, parameters = _compiled(*key)
        buffers = [array.storage.buffer for array in (result, source, *carries)]
        packed = parameters.pack((*numbers, *steps))
        launch(device, kernel, f"scan {monoid.name}", items, buffers, packed, cut.group)

    before = out
    if segments > 1:
        totals = empty(device, values, (walk.rows, segments, walk.width))
        before = empty(device, values, totals.shape)
        run("totals", totals)
        scan(monoid, totals, 1, before, exclusive=True)
    run("scan", out, before)


def _walk(source: GpuArray, axis: int, dtype: np.dtype[Any]) -> tuple[GpuArray, Walk]:
    """The walk, and the source or, where its strides do not fit into one, a copy."""
    shape, strides = source.shape, source.strides
    (rows, row_steps), (width, lane_steps) = (
        collapse_ordered(shape[part], (strides[part],)) for part in (slice(axis), slice(axis + 1, None))
    )
    if len(rows) > 1 or len(width) > 1:
        return _walk(contiguous(source, dtype), axis, dtype)
    n = shape[axis]
    own = (row_steps[0][0], strides[axis], lane_steps[0][0])
    walk = Walk(rows[0], n, width[0], own, (n * width[0], width[0], 1))
    if width[0] == 1 and n < SHORT_ROW and rows[0] > 1:
        walk = Walk(1, n, rows[0], (0, own[1], own[0]), (0, 1, n))
    return source, walk


@cache
def _compiled(
    device: Device,
    monoid: Monoid,
    source: np.dtype[Any],
    out: np.dtype[Any],
    values: np.dtype[Any],
    exclusive: bool,
    name: str,
) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for field in ("rows", "n", "width", "segments", "length"):
        parameters.add(field, "i64")
    for array in ("source", "out"):
        for field in ("0", "row", "step", "lane"):
            parameters.add(f"{array}_{field}", "i64")
    short = SHORT[values]
    own = 16 if values.itemsize < 16 else 8  # as local memory allows
    words = (
        f"#define OP(x, y) {monoid.function}_{short}(x, y)\n"
        f"#define IDENTITY {monoid.identity(values)}\n"
        f"#define SIZE {SCALARS.group}\n#define OWN {own}\n"
    )
    bound = {"S": SHORT[source], "T": SHORT[out], "A": short, "exclusive": int(exclusive)}
    text = "".join(sections("scan")[part].substitute(bound) for part in ("words", name))
    return compiled(device, words + parameters.text() + text, name), parameters
