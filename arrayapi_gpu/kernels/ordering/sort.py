"""The sorting kernels: stable, along one axis.

Elements move as they are, in the order of a number made from their bits, digit by digit from the lowest.

With explicit vectors, each pass counts the digits in every segment, scans the counts, and moves each element to its
place. Digits in which no two keys of a row differ are left out. One work-item sorts a row that fits in its cache, in
one launch.

Without, a group sorts a tile of a row by the digit in local memory and writes runs of equal digits. All digits are
counted beforehand, in one pass, and the device leaves out those that do not differ. The places of each tile's runs are
passed on from tile to tile while the tiles are sorted ("onesweep": Adinets and Merrill, arXiv:2206.01784), or, where
groups may not wait for each other, counted and scanned before. Rows that are one tile are sorted in one launch, and a
few tiles in two: each element of a sorted tile looks for its place in the others.

Short rows are sorted by a network: a row a lane, or, without explicit vectors, a row by as many neighbouring work-items
as it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import WARP, Device
from ...memory.dtypes import DISCRETE, DTYPE_OF, REAL_FLOATING, SHORT, SIGNED
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import Layout, transpose
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, int64s
from ..core.launch import FixedKernel
from ..core.monoid import SUM
from ..core.store import kept
from ..core.texts import Hook, section
from ..maps.copy import assign, contiguous, zeros
from . import by_numpy
from .scan import scan

INT32, INT64, UINT32, UINT64 = DTYPE_OF["i32"], DTYPE_OF["i64"], DTYPE_OF["u32"], DTYPE_OF["u64"]

DIGIT_BITS = 8  # of a digit
BINS = 1 << DIGIT_BITS
SORT_TICKET_WORDS = 32  # words before those of the first tile; one is in use
COUNTED = 1 << 30  # from so many elements on, their numbers need 64 bits


class SortOrder(NamedTuple):
    """The facts that a kernel is compiled for."""

    dtype: np.dtype[Any]
    descending: bool
    positions: np.dtype[Any] | None  # that move along with the elements

    @property
    def bits(self) -> np.dtype[Any]:
        """The dtype of an element's bits."""
        return np.dtype(f"u{self.dtype.itemsize}")

    @property
    def digits(self) -> int:
        return self.dtype.itemsize

    @property
    def wider(self) -> int:
        """Bytes of an element or of a position, whichever is wider."""
        return max(self.dtype.itemsize, 0 if self.positions is None else self.positions.itemsize)


class Shared(NamedTuple):
    """The same for kernels in which groups sort together; the defaults for the others."""

    own: int = 0  # elements of a work-item
    counts: np.dtype[Any] = INT64  # of the numbers of elements
    chained: bool = False
    block: int = 0  # elements that a work-item puts in order by a network
    unique: bool = False  # whether equal elements are left out


@on_loops_meanwhile
def sort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """Return the elements in order along ``axis``, real or boolean: a fresh C-contiguous array.

    Equal elements, both zeros among them, keep their order, also ``descending``; NaN comes last.
    """
    if source.storage.device.loops is not None:
        return by_numpy.sort(source, axis, descending)
    return _sort(source, axis, SortOrder(source.dtype, descending, None))


@on_loops_meanwhile
def argsort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """Return the int64 positions along ``axis`` of the elements in the order of `sort`."""
    if source.storage.device.loops is not None:
        return by_numpy.argsort(source, axis, descending)
    # Positions travel with the elements, so they are as narrow as possible.
    narrow = INT32 if source.size < 2**31 else INT64
    return _sort(source, axis, SortOrder(source.dtype, descending, narrow))


def sorted_at_once(device: Device, dtype: np.dtype[Any], n: int) -> bool:
    """Return whether `unique` takes so many elements: on GPUs as many as one group sorts, because launches take longer
    than their work; where NumPy sorts all floats, and few integers, for which marks are quicker (`distinct`)."""
    most = 0
    if device.loops is not None:
        most = tuning.ON_HOST if dtype in DISCRETE else n
    if device.is_gpu:
        most = tuning.GPU_GROUP * tuning.PER_ITEM[max(dtype.itemsize, 4), False]
    return 0 < n <= most


@on_loops_meanwhile
def unique(source: GpuArray) -> GpuArray:
    """Return the different elements of a vector in the order of `sort`: the first of equal ones, and each NaN.

    `sorted_at_once` is true for it.
    """
    device, source = source.storage.device, contiguous(source)
    if device.loops is not None:
        return by_numpy.unique(source)
    most = tuning.PER_ITEM[max(source.dtype.itemsize, 4), False]
    order, shared = SortOrder(source.dtype, False, None), Shared(_own(most, source.size), UINT32, unique=True)
    out, total = empty(device, source.dtype, source.shape), empty(device, INT64, ())
    _run(device, order, shared, "row_together", tuning.GPU_GROUP, (out, source, total), source)
    return out.view(Layout((int(total.download()),), (1,), out.offset))


def _sort(source: GpuArray, axis: int, order: SortOrder) -> GpuArray:
    """Sort along ``axis``, as the last axis of a view."""
    device, dtype = source.storage.device, source.dtype if order.positions is None else INT64
    axes = [k for k in range(len(source.shape)) if k != axis] + [axis]
    rows = contiguous(GpuArray(source.storage, source.dtype, *transpose(source.layout, axes)))
    out = empty(device, dtype, rows.shape) if not rows.size else _sort_rows(device, order, rows)
    if axes == sorted(axes):
        return out
    result = empty(device, dtype, source.shape)
    back = transpose(out.layout, [axes.index(k) for k in range(len(axes))])
    assign(result, GpuArray(out.storage, dtype, *back))
    return result


def _sort_rows(device: Device, order: SortOrder, rows: GpuArray) -> GpuArray:
    """Sort the last axis of a contiguous array that has elements."""
    if device.is_gpu:
        return _sort_together(device, order, rows)
    if rows.shape[-1] <= tuning.NETWORK:
        items = -(-(rows.size // rows.shape[-1]) // device.lanes)
        out = empty(device, order.dtype if order.positions is None else order.positions, rows.shape)
        _run(device, order, Shared(), "network", items, (out, rows, out), rows)
    else:
        out = _sort_segments(device, order, rows)
    return contiguous(out, order.dtype if order.positions is None else INT64)


def _sort_segments(device: Device, order: SortOrder, rows: GpuArray) -> GpuArray:
    """Sort with explicit vectors."""
    n = rows.shape[-1]
    count = rows.size // n
    moving = order.positions is not None
    out = empty(device, order.dtype if order.positions is None else order.positions, rows.shape)
    # Elements and positions go to and fro between two arrays each.
    keys = [empty(device, order.dtype, rows.shape) if moving else out, empty(device, order.dtype, rows.shape)]
    places = [out, empty(device, out.dtype, rows.shape) if moving else out]

    def run(name: str, *arrays: GpuArray, **numbers: int) -> None:
        items = count * numbers.get("segments", 1)
        _run(device, order, Shared(), name, items, arrays, rows, **numbers)

    if n <= tuning.ROW:
        run("rows", keys[0], rows, places[0], keys[1], places[1])
        return out

    length = tuning.SORT_SEGMENT // 2 if order.dtype.itemsize == 8 else tuning.SORT_SEGMENT
    segments = -(-n // length)
    shape = {"segments": segments, "length": length}
    differ = empty(device, order.bits, (count * segments,))
    run("differ", differ, rows, **shape)
    left = int(np.bitwise_or.reduce(differ.download())) or 1
    shifts = []
    while left:
        shifts.append((left & -left).bit_length() - 1)
        left &= -1 << shifts[-1] + DIGIT_BITS
    counts = empty(device, INT64, (count, segments * BINS))
    starts = empty(device, INT64, counts.shape)
    source, source_places = rows, out
    for turn, shift in enumerate(shifts, 1 - len(shifts)):
        target, target_places = keys[turn & 1], places[turn & 1]
        run("count", counts, source, from_0=source.offset, shift=shift, **shape)
        scan(SUM, counts, 1, starts, exclusive=True)
        arrays = (target, source, target_places, source_places, starts)
        run("scatter", *arrays, from_0=source.offset, shift=shift, first=int(source is rows), **shape)
        source, source_places = target, target_places
    return out


def _sort_together(device: Device, order: SortOrder, rows: GpuArray) -> GpuArray:
    """Sort by groups, without explicit vectors."""
    n = rows.shape[-1]
    count = rows.size // n
    dtype, positions = order.dtype, order.positions
    numbers = UINT32 if rows.size < COUNTED else UINT64
    result = empty(device, dtype if positions is None else INT64, rows.shape)
    share = tuning.NETWORK_OWN
    if n <= WARP * share:
        slots = 1 << (n - 1).bit_length()
        warps = -(-count // (WARP * share // slots))
        shared = Shared(share, block=min(share, slots))
        _run(device, order, shared, "network_together", warps * WARP, (result, rows, result), rows, length=slots)
        return result

    own = tuning.PER_ITEM[max(order.wider, 4), positions is not None]
    if n <= tuning.GPU_GROUP * own:
        shared = Shared(_own(own, n), numbers)
        _run(device, order, shared, "row_together", count * tuning.GPU_GROUP, (result, rows, result), rows)
        return result
    segments = -(-n // (tuning.GPU_GROUP * own))
    if rows.size * (segments - 1) <= tuning.MERGED:
        _merge(device, order, Shared(own, numbers), segments, rows, result)
        return result

    counting = order._replace(positions=None)  # kernels that sort and argsort have in common
    shared = Shared(own, numbers, device.forward_progress)

    def run(name: str, groups: int, *arrays: GpuArray, **fields: int) -> None:
        facts = order if name == "scatter" else counting
        _run(device, facts, shared, f"{name}_together", groups * tuning.GPU_GROUP, arrays, rows, **fields)

    tiles = count * segments
    table = count * order.digits * BINS
    region = tiles * BINS + SORT_TICKET_WORDS  # of words, a pass
    # Counts, and behind them the published words of groups.
    counts = words = zeros(device, numbers, (table + (order.digits * region if shared.chained else 0),))
    turns = empty(device, INT32, (count, order.digits + 1))
    length = max(tuning.HISTOGRAM, -(-n * count // tuning.HISTOGRAMS))
    parts = -(-n // length)
    run("histogram", count * parts, counts, rows, segments=parts, length=length)
    run("plan", count, counts, turns)

    even, odd = (empty(device, dtype, rows.shape) if k or positions is not None else result for k in range(2))
    even_j, odd_j = (result if positions is None else empty(device, positions, rows.shape) for _ in range(2))
    for digit in range(order.digits):
        fields = {"segments": segments, "shift": digit * DIGIT_BITS, "words_0": table + digit * region}
        if not shared.chained:
            tile_counts = empty(device, numbers, (count, segments * BINS))
            run("count", tiles, tile_counts, even, odd, rows, turns, **fields)
            words = empty(device, numbers, tile_counts.shape)
            scan(SUM, tile_counts, 1, words, exclusive=True)
        run("scatter", tiles, even, odd, rows, result, even_j, odd_j, counts, turns, words, **fields)
    return result


def _merge(device: Device, order: SortOrder, shared: Shared, segments: int, rows: GpuArray, result: GpuArray) -> None:
    """Sort the segments of rows, which are tiles, and merge them. ``result``: for elements or positions."""
    length = tuning.GPU_GROUP * shared.own
    tiles = empty(device, order.dtype, rows.shape)
    tiles_j = tiles if order.positions is None else empty(device, INT64, rows.shape)
    items, arrays = rows.size // rows.shape[-1] * segments * tuning.GPU_GROUP, (tiles, rows, tiles_j)
    _run(device, order, shared, "row_together", items, arrays, rows, segments=segments, length=length)
    _run(device, order, Shared(), "merge_together", rows.size, (result, tiles, result, tiles_j), rows, length=length)


def _own(most: int, n: int) -> int:
    """Return the elements of a work-item where a group sorts a row, at most so many: a power of two, so that there are
    few kernels."""
    return min(most, 1 << (-(-n // tuning.GPU_GROUP) - 1).bit_length())


_FIELDS = ("rows", "n", "from_0", "segments", "length", "shift", "first", "words_0")


def _run(
    device: Device,
    order: SortOrder,
    shared: Shared,
    name: str,
    items: int,
    arrays: tuple[GpuArray, ...],
    rows: GpuArray,
    **fields: int,
) -> None:
    """Launch a kernel; ``fields``: values of its parameters, for all of ``rows``."""
    n = rows.shape[-1]
    values = {"rows": rows.size // n, "n": n, "from_0": rows.offset, "segments": 1, "length": n} | fields
    numbers, group = [values.get(field, 0) for field in _FIELDS], tuning.GPU_GROUP if device.is_gpu else 1
    _compiled(device, order, shared, name).run(f"sort {name}", items, arrays, numbers, group)


@kept
def _compiled(device: Device, order: SortOrder, shared: Shared, name: str) -> FixedKernel:
    size, floats, signed = order.dtype.itemsize, order.dtype in REAL_FLOATING, order.dtype in SIGNED
    infinity = np.array(np.inf, order.dtype).view(order.bits) if floats else 0
    constants = {
        "FLOATS": floats,
        "SIGNED": signed,
        "DESCENDING": int(order.descending),
        "WIDTH": 8 * size,
        "SIGN": f"((M_u{8 * size})1 << {8 * size - 1})",
        "INFINITE": f"((M_u{8 * size}){int(infinity)}UL)",
        "POSITIONS": int(order.positions is not None),
        "BINS": BINS,
        "SHORT": tuning.NETWORK,
    }
    names = ["words", name]
    if shared.own:
        copies = tuning.COPIES // order.digits
        constants |= {"SIZE": tuning.GPU_GROUP, "OWN": shared.own, "DIGITS": order.digits, "COPIES": copies}
        constants |= {"RESIDENT": tuning.MIN_RESIDENT_GROUPS, "UNIQUE": shared.unique}
        sign = 1 << 8 * size - 1
        largest = sign - 1 if signed else 2 * sign - 1
        last = 2 * sign - 1 - largest if order.descending and not floats else largest
        constants |= {"LAST": f"((M_u{8 * size}){last}UL)", "CHAINED": int(shared.chained), "LINE": SORT_TICKET_WORDS}
    positions = INT32 if order.positions is None else order.positions
    bound: dict[str, Hook] = {"K": f"u{8 * size}", "I": f"i{8 * size}", "J": SHORT[positions]}
    bound |= {"E": f"u{8 * order.wider}", "W": SHORT[shared.counts]}
    bound |= {"O": f"u{max(8 * size, 32)}"}
    if shared.block:
        own, gaps = shared.own, [shared.own >> k for k in range(1, shared.own.bit_length())]
        pairs = [(first + a, first + b) for first in range(0, own, shared.block) for a, b in _exchanges(shared.block)]
        merges = [(a, a + gap) for gap in gaps for a in range(own) if not a & gap]
        bound |= {"exchanges": _statements(pairs), "merges": _statements(merges)}
    elif shared.own:
        names.insert(1, "together")
    text = "".join(section("sort", part, **bound) for part in names)
    if shared.own and not shared.block:
        text = section("groups", "sum_before", **bound) + text
    return FixedKernel(device, name, Parameters(int64s(*_FIELDS)), text, constants)


def _exchanges(n: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of places whose elements Batcher's merge exchange puts in order, one after the other."""
    step = top = 1 << (n - 1).bit_length() >> 1
    while step:
        span, gap, part = top, step, 0
        while gap:
            yield from ((i, i + gap) for i in range(n - gap) if i & step == part)
            gap, span, part = span - step, span >> 1, step
        step >>= 1


def _statements(pairs: Iterable[tuple[int, int]]) -> list[str]:
    return [f"EXCHANGE({a}, {b})" for a, b in pairs]
