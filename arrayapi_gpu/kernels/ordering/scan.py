"""The scan kernels: the combination of all elements up to each one, along an axis.

The order in which elements are combined depends on the shape and the kind of device alone, never on strides.

Two schedules:

Along. Lanes lie along the axis; without explicit vectors, groups take tiles of a row, or several short rows. There, one
launch reads every element once: groups pass on the carry of each tile while they scan the tiles.

Across. Lanes, or work-items, lie along another axis: the last one where it stays, or that of the rows where these are
short.

On GPUs rows of both go through local memory where they lie together and are not long: each of one or several
work-items scans its part of a row, in the order of the schedule.

Where there are few rows, and groups may not wait for each other, rows are cut into segments: one launch combines each
segment, a scan of these totals gives the carries, and a last launch scans the segments. A carry is the combination of
all elements before a tile or segment.

Users' scans may begin again at some elements. Then pairs are combined: a value, and whether a scan begins with it. This
is a monoid again, which does not commute, so all schedules are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import WARP, Device
from ...memory.dtypes import COMPONENT, SHORT
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import collapse_ordered, size
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, int64s, vectors_of
from ..core.launch import FixedKernel
from ..core.monoid import Monoid
from ..core.staging import UNIT_BYTES, Staging, moves, staging_of
from ..core.store import kept
from ..core.texts import Hook, defines, section
from ..maps.copy import contiguous
from ..maps.scratch import scratch
from . import by_numpy

ACCESS = 16  # bytes that one reads at a time
WINDOW = 32  # tiles that are combined separately
SCAN_TICKET_WORDS = 16  # words before those of the first tile; one is in use


class ScanSchedule(NamedTuple):
    """source[row, i, lane] in elements: counts, then strides of both arrays.

    ``all_rows``, ``all_n``, ``all_width``: these counts of the whole array, if this is a part; they decide about the
    order.
    """

    rows: int
    n: int
    width: int
    source: tuple[int, int, int]
    out: tuple[int, int, int]
    all_rows: int
    all_n: int
    all_width: int


def _is_exact(monoid: Monoid, source: GpuArray, axis: int, out: GpuArray, **options: Any) -> bool:
    return not monoid.rounds(out.dtype)


@partial(on_loops_meanwhile, exact=_is_exact)
def scan(
    monoid: Monoid,
    source: GpuArray,
    axis: int,
    out: GpuArray,
    *,
    exclusive: bool = False,
    whole: tuple[int, ...] | None = None,
    starts: GpuArray | None = None,
) -> None:
    """Combine the elements up to each one along ``axis``, itself included unless ``exclusive``.

    ``out`` is C-contiguous and has the shape of ``source``, whose elements are cast to its dtype first. Sums and
    products of float16 are rounded to it only at the end. An exclusive scan begins with the identity. The arrays share
    no memory. ``whole``: the shape of the whole array, if these are some of its rows or columns; it decides about the
    order. ``starts``: truth values of the shape of ``source``; the scan begins again at each element where one is true.
    """
    if not out.size:
        return
    device = out.storage.device
    if (
        device.loops is not None
        and starts is None
        and not exclusive
        and by_numpy.scans(monoid, source.dtype, out.dtype)
    ):
        by_numpy.scan(monoid, source, axis, out)
        return
    if starts is not None:
        source, starts = contiguous(source), contiguous(starts)
    kernels = kernels_for(
        device, monoid, source.dtype, source.shape, source.strides, axis, out.dtype, exclusive, whole or source.shape,
        starts is not None,
    )  # fmt: skip
    if kernels is None:
        scan(monoid, contiguous(source, out.dtype), axis, out, exclusive=exclusive, whole=whole)
    else:
        kernels.run(source, out, starts)


class ScanSpec(NamedTuple):
    """The facts that a kernel is compiled for; those from ``size`` to ``chained`` are for groups that scan together."""

    monoid: Monoid
    source: np.dtype[Any]
    out: np.dtype[Any]
    values: np.dtype[Any]  # that are combined
    exclusive: bool
    segmented: bool  # values are combined with whether a segment begins
    size: int = 0  # work-items of a group
    items_per_row: int = 0  # work-items
    vectors_per_item: int = 0
    vector_width: int = 1  # elements
    whole: bool = False  # vectors are read and written by one access
    chained: bool = False  # groups wait for each other
    row: int = 0  # elements of a row in local memory
    staging: Staging | None = None  # of such rows

    @property
    def state_bytes(self) -> int:
        """The bytes of a combined value, without vectors."""
        part = COMPONENT.get(self.values, self.values).itemsize
        return self.values.itemsize + (part if self.segmented else 0)


class _Launches(NamedTuple):
    """How a schedule becomes launches: the rows are cut into ``segments`` of ``length`` elements."""

    way: str  # the kernel's
    length: int
    segments: int
    items: int  # work-items of all segments
    group: int
    vector_width: int = 1  # neighbours that one access reads, where memory allows that
    words: int = 0  # of scratch memory


class ScanKernels:
    """The kernels and the launches of the scans of one schedule: all except for the memory."""

    def __init__(self, device: Device, spec: ScanSpec, schedule: ScanSchedule):
        self.device = device
        self._schedule = schedule
        self._name = f"scan {spec.monoid.name}"
        self._kernels: dict[tuple[str, bool], FixedKernel] = {}
        if schedule.all_width == 1 and device.is_gpu:
            spec = _tiled(device, spec, schedule)
        staging = _staging(device, spec, schedule)
        if staging is not None:
            spec = spec._replace(row=schedule.n, staging=staging)
            self._launches = _in_local_memory(staging, schedule)
        elif spec.size:
            self._launches = _together(spec, schedule)
        else:
            self._launches = _separately(device, schedule)
        self.spec = spec
        self.length, self.segments = self._launches.length, self._launches.segments
        self.words = self._launches.words
        extents = schedule.rows, schedule.n, schedule.width
        self._numbers = (*extents, self.segments, self.length, *schedule.source, *schedule.out)

    def run(self, source: GpuArray, out: GpuArray, starts: GpuArray | None) -> None:
        """Scan."""
        sources = (source,) if starts is None else (source, starts)
        if self.words:
            before, number = scratch(self.device, "scan", self.words)
            self._launch("scan", sources, out, (out, *sources, before), number)
        elif self.segments > 1:
            schedule = self._schedule
            whole = schedule.all_rows, self.segments, schedule.all_width
            self.after(sources, out, carries(self.spec, self.totals(*sources), whole))
        else:
            self._launch("scan", sources, out, (out, *sources, out), 0)  # which looks at no carries

    def totals(self, *sources: GpuArray) -> list[GpuArray]:
        """Return the combination of the elements of each segment: rows, segments, width. With it, if the scan begins
        again at some elements, whether there is such an element."""
        schedule = self._schedule
        dtypes = [self.spec.values, *[starts.dtype for starts in sources[1:]]]
        totals = [empty(self.device, dtype, (schedule.rows, self.segments, schedule.width)) for dtype in dtypes]
        self._launch("totals", sources, totals[0], (*totals, *sources), 0)
        return totals

    def after(self, sources: Sequence[GpuArray], out: GpuArray, before: GpuArray) -> None:
        """Scan, given the carries of the segments, in the order of `totals`."""
        self._launch("scan", sources, out, (out, *sources, before), 1)

    def tiles(self, source: GpuArray, out: GpuArray, words: GpuArray, first: int, count: int) -> None:
        """Scan ``count`` tiles from number ``first`` on, of one row whose groups publish in ``words``. The arrays have
        the elements of these tiles alone."""
        self._launch("scan", (source,), out, (out, source, words), 1, (first, count))

    def _launch(
        self,
        name: str,
        sources: Sequence[GpuArray],
        out: GpuArray,
        arrays: Sequence[GpuArray],
        number: int,
        tiles: tuple[int, int] | None = None,
    ) -> None:
        source, schedule = sources[0], self._schedule
        tile, count = tiles or (0, schedule.rows * self.segments)
        group = self._launches.group
        items = self._launches.items if tiles is None else count * group
        # The place at which the whole array would begin.
        offsets = [array.offset - tile * self.length * schedule.source[1] for array in sources]
        start = out.offset - tile * self.length * schedule.out[1]
        vector_width, first = self._launches.vector_width, offsets[0]
        whole = (
            vector_width > 1
            and source.storage.buffer.aligned
            and out.storage.buffer.aligned
            and not (first % vector_width or start % vector_width)
        )
        kernel = self._kernels.get((name, whole))
        if kernel is None:
            spec = self.spec._replace(whole=whole)
            kernel = self._kernels[name, whole] = _compiled(self.device, spec, f"{name}_{self._launches.way}")
        numbers = *self._numbers, tile, count, *offsets, start, number
        kernel.run(self._name, items, arrays, numbers, group)


def _separately(device: Device, schedule: ScanSchedule) -> _Launches:
    """Work-items scan separately."""
    cut = tuning.GPU_CUT if device.is_gpu else tuning.CPU_CUT
    across = schedule.all_width > 1
    length = cut.across if across else cut.along
    if schedule.all_n <= length or (schedule.all_rows >= cut.busy and not across):
        length = schedule.all_n
    segments = -(-schedule.n // length)
    items = schedule.rows * segments * (-(-schedule.width // device.lanes) if across else 1)
    return _Launches("across" if across else "along", length, segments, items, cut.group)


def _tiled(device: Device, spec: ScanSpec, schedule: ScanSchedule) -> ScanSpec:
    """Return the facts about the tiles that groups scan along the axis."""
    vector_width = max(1, ACCESS // max(spec.source.itemsize, spec.out.itemsize))
    vectors_per_item, room = tuning.VECTORS_PER_ITEM, min(tuning.SCAN_TILE_BYTES, 7 * device.local_memory // 8)
    while vectors_per_item * (vector_width + 1) * tuning.GPU_CUT.group * max(4, spec.state_bytes) > room:
        vectors_per_item //= 2
    elements = vectors_per_item * vector_width
    size = WARP  # the fewest work-items that take a tile
    while size < tuning.GPU_CUT.group and size * elements < schedule.all_n:
        size *= 2
    items_per_row = size
    while schedule.rows > 1 and items_per_row > 1 and items_per_row // 2 * elements >= schedule.all_n:
        items_per_row //= 2
    chained = schedule.n > size * elements and device.forward_progress
    if items_per_row < size:  # several rows in a tile
        size = tuning.GPU_CUT.group
    return spec._replace(
        size=size, items_per_row=items_per_row, vectors_per_item=vectors_per_item, vector_width=vector_width,
        chained=chained,
    )  # fmt: skip


def _together(spec: ScanSpec, schedule: ScanSchedule) -> _Launches:
    """Groups scan tiles together (`_tiled`)."""
    length = spec.items_per_row * spec.vectors_per_item * spec.vector_width
    segments = -(-schedule.n // length)
    items = -(-schedule.rows * spec.items_per_row // spec.size) * segments * spec.size
    width = spec.vector_width
    rows_aligned = schedule.rows == 1 or not (schedule.source[0] % width or schedule.out[0] % width)
    if not (schedule.source[1] == schedule.out[1] == 1 and rows_aligned):
        width = 1
    published = schedule.rows * (segments + -(-segments // WINDOW))
    words = SCAN_TICKET_WORDS + published * -(-spec.state_bytes // 4) if spec.chained else 0
    return _Launches("together", length, segments, items, spec.size, width, words)


def _in_local_memory(staging: Staging, schedule: ScanSchedule) -> _Launches:
    """Groups bring short rows into local memory."""
    rows = schedule.rows * schedule.width
    return _Launches("rows", schedule.n, 1, -(-rows // staging.rows) * staging.group, staging.group)


def _staging(device: Device, spec: ScanSpec, schedule: ScanSchedule) -> Staging | None:
    """The rows that a group scans in local memory, if they are short and lie together there, on GPUs."""
    rows, n, width = schedule[:3]
    if not device.is_gpu or spec.segmented or spec.monoid.folds(spec.values):
        return None
    if min(rows, width) > 1 or rows * width == 1 or n > tuning.STAGED_SCAN or spec.items_per_row > WARP:
        return None
    if n >= tuning.SHORT_ROW and rows * n * width < tuning.SHORT_FROM:  # each length has a kernel of its own
        return None
    if any([steps[1] != 1 or steps[0 if rows > 1 else 2] != n for steps in (schedule.source, schedule.out)]):
        return None
    row_bytes = [n * dtype.itemsize for dtype in {spec.source, spec.out}]
    room = device.local_memory - tuning.STAGED_GROUP * spec.values.itemsize
    return staging_of(row_bytes, tuning.GPU_CUT.group, room, _items_of_row(spec))


def _items_of_row(spec: ScanSpec) -> int:
    """The work-items of a row in local memory."""
    return spec.items_per_row if spec.size else 1


def carries(spec: ScanSpec, totals: Sequence[GpuArray], whole: tuple[int, int, int]) -> GpuArray:
    """Return the carries of segments, given their totals (`ScanKernels.totals`). ``whole``: the shape of the totals of
    all rows."""
    before = empty(totals[0].storage.device, spec.values, totals[0].shape)
    starts = totals[1] if len(totals) > 1 else None
    scan(spec.monoid, totals[0], 1, before, exclusive=True, whole=whole, starts=starts)
    return before


@kept
def kernels_for(
    device: Device,
    monoid: Monoid,
    source: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    axis: int,
    out: np.dtype[Any],
    exclusive: bool,
    whole: tuple[int, ...],
    segmented: bool,
) -> ScanKernels | None:
    """Return the kernels for a source of this dtype, shape and strides; None if the strides do not fit into a
    schedule."""
    schedule = _schedule(shape, strides, axis, whole)
    if schedule is None:
        return None
    return ScanKernels(device, ScanSpec(monoid, source, out, monoid.accumulator(out), exclusive, segmented), schedule)


def _schedule(
    shape: tuple[int, ...], strides: tuple[int, ...], axis: int, whole: tuple[int, ...]
) -> ScanSchedule | None:
    (rows, row_steps), (width, lane_steps) = (
        collapse_ordered(shape[part], (strides[part],)) for part in (slice(axis), slice(axis + 1, None))
    )
    if len(rows) > 1 or len(width) > 1:
        return None
    n, all_n = shape[axis], whole[axis]
    own = (row_steps[0][0], strides[axis], lane_steps[0][0])
    all_rows, all_width = size(whole[:axis]), size(whole[axis + 1 :])
    if all_width == 1 and all_n < tuning.SHORT_ROW and all_rows > 1:
        return ScanSchedule(1, n, rows[0], (0, own[1], own[0]), (0, 1, n), 1, all_n, all_rows)
    steps = n * width[0], width[0], 1
    return ScanSchedule(rows[0], n, width[0], own, steps, all_rows, all_n, all_width)


@kept
def _compiled(device: Device, spec: ScanSpec, name: str) -> FixedKernel:
    # In the order of `ScanKernels._numbers`.
    strides = [f"{array}_{field}" for array in ("source", "out") for field in ("row", "step", "lane")]
    offsets = ["tile_0", "tiles", "source_0", *["starts_0"] * spec.segmented, "out_0"]
    numbers = int64s("rows", "n", "width", "segments", "length", *strides, *offsets)
    short = SHORT[spec.values]
    words = "".join(f"{text}\n" for text in spec.monoid.texts)
    function = f"{spec.monoid.function}_{short}"
    words += f"#define COMBINED(x, y) {function}({'x, y, C_b8(0)' if spec.monoid.crosses else 'x, y'})\n"
    words += f"#define CROSSING {function}\n" if spec.monoid.crosses else ""
    words += f"#define NOTHING {spec.monoid.identity(spec.values)}\n"
    words += defines({"ORDERED": spec.segmented or not spec.monoid.commutes})
    names = ["words", name]
    if spec.staging is not None:
        words += _staged(spec, spec.staging)
    elif spec.size:
        names = ["together", name]
        length = spec.size * spec.vectors_per_item * spec.vector_width
        constants = {"SIZE": spec.size, "ITEMS_PER_ROW": spec.items_per_row}
        constants |= {"VECTORS_PER_ITEM": spec.vectors_per_item, "VECTOR_WIDTH": spec.vector_width}
        constants |= {"WHOLE": spec.whole, "CHAINED": spec.chained}
        constants |= {"WINDOW": WINDOW, "LINE": SCAN_TICKET_WORDS}
        constants["AHEAD"] = tuning.BYTES_AHEAD // (length * spec.source.itemsize)
        words += defines(constants)
        for dtype in dict.fromkeys((spec.source, spec.out)):
            if spec.whole:
                words += f"VECTORS({SHORT[dtype]}, {spec.vector_width}, W_{spec.vector_width * dtype.itemsize})\n"
    bound: dict[str, Hook] = {"S": SHORT[spec.source], "T": SHORT[spec.out], "A": short}
    bound["exclusive"] = int(spec.exclusive)
    text = "".join(section("scan", part, **bound) for part in names)
    if name == "scan_together":
        text = section("groups", "published", V="State") + text
    text = section("scan", "segments" if spec.segmented else "values", **bound) + text
    return FixedKernel(device, name, Parameters([*numbers, ("number", "i32")]), words + text)


def _staged(spec: ScanSpec, staging: Staging) -> str:
    """The text before the kernel of rows in local memory."""
    n, items = spec.row, _items_of_row(spec)
    stretch = spec.vectors_per_item * spec.vector_width if items > 1 else -(-n // spec.vector_width) * spec.vector_width
    count = UNIT_BYTES // spec.out.itemsize  # elements of an access
    units = spec.source.itemsize == spec.out.itemsize and n % count == 0
    constants = {"SIZE": staging.group, "N": n, "ROWS": staging.rows, "CHUNK": staging.rows * n}
    constants |= {"ITEMS": items, "STRETCH": stretch, "NEIGHBOURS": spec.vector_width}
    constants |= {"IN_PLACE": spec.source == spec.out, "UNIT": count if units else 1}
    accesses = [(SHORT[dtype], count) for dtype in (spec.source, spec.out) if units and count > 1]
    held = vectors_of(accesses) + vectors_of(accesses, "HELD_VECTORS")
    return defines(constants) + moves((spec.source, spec.out), n) + held
