"""The scan kernels: what a monoid makes of all elements up to each one, along an axis.

The order in which elements are combined depends on the shape and the kind of device alone, never on strides. Two walks:

Along. Lanes lie along the axis; without explicit vectors, groups take tiles of a row, or several short rows. There, one
launch reads every element once: groups pass on what comes before each tile while they scan them.

Across. Lanes, or work-items, lie along another axis: the last one where it stays, or that of the rows where these are
short.

Where there are few rows, and groups may not wait for each other, rows are cut into segments: one launch combines each
segment, a scan of these totals gives what comes before each, and a last launch scans the segments.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Device, Kernel
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, empty
from ..memory.layout import collapse_ordered
from .copy import contiguous, zeros
from .dialect import Parameters
from .launch import compiled, launch
from .reduce import Monoid
from .texts import sections

FLOAT16, FLOAT32, UINT64 = DTYPE_OF["f16"], DTYPE_OF["f32"], DTYPE_OF["u64"]

SHORT_ROW = 16  # below, rows are walked across


class Cut(NamedTuple):
    """How the work is cut for a kind of device."""

    along: int  # elements of a segment
    across: int  # few: the pages that neighbouring work-items read side by side stay at hand
    group: int  # work-items; at most so many take a tile together, and one each across
    busy: int  # so many rows keep the device busy: they are not cut along the axis


VECTORS = Cut(along=4096, across=256, group=1, busy=64)
SCALARS = Cut(along=4096, across=256, group=256, busy=2048)

WARP = 32  # the fewest work-items that take a tile
TURNS = 8  # how often each takes neighbours, at most
KEPT = 40 << 10  # bytes of local memory that a tile may take
ACCESS = 16  # bytes of them
WINDOW = 32  # tiles that are combined on their own
AHEAD = 4 << 20  # bytes that are on their way into the cache before they are read
LINE = 16  # words before those of the first tile, one of which is in use


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
    form = Form(monoid, source.dtype, out.dtype, values, exclusive)
    if not across and device.lanes == 1:
        _scan_together(device, form, walk, source, out)
        return
    chunks = -(-walk.width // device.lanes)
    length = cut.across if across else cut.along
    if walk.n <= length or (walk.rows >= cut.busy and not across):
        length = walk.n
    segments = -(-walk.n // length)
    ways = "across" if across else "along"
    items = walk.rows * segments * (chunks if across else 1)

    def run(name: str, result: GpuArray, *carries: GpuArray) -> None:
        _run(device, form, f"{name}_{ways}", items, cut.group, walk, segments, length, source, out, result, *carries)

    before = out
    if segments > 1:
        totals = empty(device, values, (walk.rows, segments, walk.width))
        before = empty(device, values, totals.shape)
        run("totals", totals)
        scan(monoid, totals, 1, before, exclusive=True)
    run("scan", out, before)


def _scan_together(device: Device, form: Form, walk: Walk, source: GpuArray, out: GpuArray) -> None:
    """Scan along the axis by groups."""
    near = max(1, ACCESS // max(source.dtype.itemsize, out.dtype.itemsize))
    turns = TURNS
    while turns * (near + 1) * SCALARS.group * max(4, form.values.itemsize) > min(KEPT, 7 * device.local_memory // 8):
        turns //= 2
    size = WARP
    while size < SCALARS.group and size * turns * near < walk.n:
        size *= 2
    length = size * turns * near  # of a tile, and of a segment
    share = size
    while walk.rows > 1 and share > 1 and share // 2 * turns * near >= walk.n:
        share //= 2
    if share < size:  # several rows in a tile
        size = SCALARS.group
    form = form._replace(size=size, share=share, turns=turns, near=near)
    if walk.source[1] == walk.out[1] == 1 and near > 1:
        rows = (walk.source[0], walk.out[0]) if walk.rows > 1 else ()
        places = (source.offset, out.offset, *rows)
        aligned = source.storage.buffer.aligned and out.storage.buffer.aligned
        form = form._replace(whole=aligned and not any(place % near for place in places))

    def run(name: str, result: GpuArray, *others: GpuArray) -> None:
        items = -(-walk.rows * share // size) * segments * size
        _run(device, form, f"{name}_together", items, size, walk, segments, length, source, out, result, *others)

    before = words = out
    segments = -(-walk.n // length)
    if segments > 1 and device.forward_progress:
        form = form._replace(chained=True)
        parts = -(-form.values.itemsize // 4)
        words = zeros(device, UINT64, (LINE + walk.rows * (segments + -(-segments // WINDOW)) * parts,))
    elif segments > 1:
        totals = empty(device, form.values, (walk.rows, segments))
        before = empty(device, form.values, totals.shape)
        run("totals", totals)
        scan(form.monoid, totals, 1, before, exclusive=True)
    run("scan", out, before, words)


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


class Form(NamedTuple):
    """What a kernel is compiled for; the last six for groups that scan together."""

    monoid: Monoid
    source: np.dtype[Any]
    out: np.dtype[Any]
    values: np.dtype[Any]  # that are combined
    exclusive: bool
    size: int = 0  # work-items of a group
    share: int = 0  # of them share a row
    turns: int = 0  # how often one takes neighbours
    near: int = 1  # how many
    whole: bool = False  # by one access
    chained: bool = False  # groups wait for each other


def _run(
    device: Device,
    form: Form,
    name: str,
    items: int,
    group: int,
    walk: Walk,
    segments: int,
    length: int,
    source: GpuArray,
    out: GpuArray,
    result: GpuArray,
    *others: GpuArray,
) -> None:
    kernel, parameters = _compiled(device, form, name)
    buffers = [array.storage.buffer for array in (result, source, *others)]
    numbers = (walk.rows, walk.n, walk.width, segments, length)
    packed = parameters.pack((*numbers, source.offset, *walk.source, out.offset, *walk.out))
    launch(device, kernel, f"scan {form.monoid.name}", items, buffers, packed, group)


@cache
def _compiled(device: Device, form: Form, name: str) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for field in ("rows", "n", "width", "segments", "length"):
        parameters.add(field, "i64")
    for array in ("source", "out"):
        for field in ("0", "row", "step", "lane"):
            parameters.add(f"{array}_{field}", "i64")
    short = SHORT[form.values]
    words = f"#define OP(x, y) {form.monoid.function}_{short}(x, y)\n"
    words += f"#define IDENTITY {form.monoid.identity(form.values)}\n"
    names = ["words", name]
    if form.size:
        names = ["together", name]
        length = form.size * form.turns * form.near
        constants = {"SIZE": form.size, "ROW": form.share, "TURNS": form.turns, "NEAR": form.near}
        constants |= {"WHOLE": int(form.whole), "CHAINED": int(form.chained), "WINDOW": WINDOW, "LINE": LINE}
        constants["AHEAD"] = AHEAD // (length * form.source.itemsize)
        words += "".join(f"#define {key} {value}\n" for key, value in constants.items())
        for dtype in dict.fromkeys((form.source, form.out)):
            if form.whole:
                words += f"VECTORS({SHORT[dtype]}, {form.near}, W_{form.near * dtype.itemsize})\n"
    bound = {"S": SHORT[form.source], "T": SHORT[form.out], "A": short, "exclusive": int(form.exclusive)}
    text = "".join(sections("scan")[part].substitute(bound) for part in names)
    if name == "scan_together":
        text = sections("groups")["told"].substitute(V=f"R_{short}") + text
    return compiled(device, words + parameters.text() + text, name), parameters
