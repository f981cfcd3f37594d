"""The order in which the elements of a launch are computed, and where each operand lies along it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout, broadcast_strides, collapse, contiguous_strides, size
from ..core import tuning

LINE = 64  # bytes of a cache line


class Walk:
    """The extents in whose C order elements are walked, and the strides and shifts of each item along them.

    ``axis``: the first one of a span. Spans have `tuning.NATIVE_SPAN` bytes if an array has, and more where this
    changes no item: in each, an item may be in place (neighbours in memory), one number, or neither. ``itemsize``: the
    bytes of the widest elements.
    """

    def __init__(
        self,
        extents: tuple[int, ...],
        strides: Sequence[tuple[int, ...]],
        shifts: Sequence[tuple[int, ...]],
        itemsize: int,
    ):
        self.extents, self.strides, self.shifts, self.itemsize = extents, strides, shifts, itemsize
        plain = contiguous_strides(extents)
        ways = []
        for axis in range(len(extents)):
            long = [k for k in range(axis, len(extents)) if extents[k] > 1]
            ways.append([
                "one" if not any([steps[k] for k in long])
                else "in place" if all([steps[k] == plain[k] and not by[k] for k in long])
                else "rolled" if axis == len(extents) - 1 and steps[axis] == 1
                else "repeated" if steps[axis] == 0
                else ""
                for steps, by in zip(strides, shifts, strict=True)
            ])  # fmt: skip
        self.axis = len(extents) - 1
        while self.axis and (self.span * itemsize < tuning.NATIVE_SPAN or ways[self.axis - 1] == ways[self.axis]):
            self.axis -= 1
        self._ways = ways[self.axis]

    @property
    def span(self) -> int:
        """The number of elements of a span; 1 where there are none."""
        return max(1, size(self.extents[self.axis :]))

    def is_in_place(self, number: int) -> bool:
        return self._ways[number] == "in place"

    def is_one(self, number: int) -> bool:
        """Whether an item is one number in each span."""
        return self._ways[number] == "one"

    def repeats(self, number: int) -> bool:
        """Whether an item has the same elements in all spans, or in all parts of the only one."""
        if self.axis == 0:
            return self.is_one(number) or self.period(number) < self.span
        outer = zip(self.extents[: self.axis], self.strides[number], self.shifts[number], strict=False)
        return not any([n > 1 and (step or by) for n, step, by in outer])

    def is_rolled_row(self, number: int) -> bool:
        """Whether a span is a row of an item, rolled along it."""
        return self._ways[number] == "rolled"

    def period(self, number: int) -> int:
        """Return the elements of a span after which an item repeats."""
        axis = self.axis
        while axis < len(self.extents) - 1 and (self.extents[axis] == 1 or not self.strides[number][axis]):
            axis += 1
        return size(self.extents[axis:])


@dataclass(frozen=True)
class TurnedRows:
    """Rows that lie across cache lines. A line has elements of several rows, which are copied together.

    ``items``: the numbers of such operands in the walk. ``axis``: the one along which their rows are neighbours; a row
    has all axes behind it. ``rows``: those of a panel, 0 where there are none. ``straight``: the rows are copied to
    the result, without a panel.
    """

    items: frozenset[int] = frozenset()
    axis: int = 0
    rows: int = 0
    straight: bool = False

    def width(self, walk: Walk) -> int:
        """Return the elements of a row."""
        return size(walk.extents[self.axis + 1 :])

    def block(self, walk: Walk, most: int) -> tuple[int, int]:
        """Return the elements of a block, and its rows: as many elements in each part of a long row, or short rows."""
        width = self.width(walk)
        if self.straight:
            return min(width, max(tuning.NATIVE_STRAIGHT[walk.itemsize], tuning.NATIVE_COPIED // self.rows)), 0
        if 2 * width > most:
            return -(-width // -(-width // min(most, tuning.NATIVE_PANEL))), 1
        rows = next(rows for rows in range(min(self.rows, most // width), 0, -1) if not self.rows % rows)
        return rows * width, rows

    def groups(self, walk: Walk, block: int, rows: int) -> int:
        """Return the number of blocks, which do not reach beyond a row where there are panels."""
        if not self.rows:
            return -(-size(walk.extents) // block)
        above, width = size(walk.extents[: self.axis]), self.width(walk)
        return above * -(-walk.extents[self.axis] // (rows or self.rows)) * -(-width // block)

    def bytes(self, row: int, itemsize: int) -> int:
        """Return the bytes of a panel, given the elements of its rows. A cache line lies between parts of long rows, so
        that they have other places in the cache."""
        return self.rows * (row * itemsize + LINE)


def turned_rows(walk: Walk, own: int, operands: Sequence[GpuArray | Layout], straight: bool) -> TurnedRows:
    """Return the rows of operands that are copied together. ``own``: how many items of the walk come before them;
    ``straight``: the only result is a copy of the only operand."""
    found: dict[int, tuple[int, int]] = {}
    straight = straight and walk.strides[0] == contiguous_strides(walk.extents)
    for number, item in enumerate(operands, own):
        if not isinstance(item, Layout) and not any(walk.shifts[number]):
            axis, rows = _across(walk, walk.strides[number], item.dtype.itemsize, straight)
            if rows > 1:
                found[number] = axis, rows
    if not found:
        return TurnedRows()
    axis = next(iter(found.values()))[0]
    items = {number: rows for number, (near, rows) in found.items() if near == axis}
    return TurnedRows(frozenset(items), axis, max(items.values()), straight)


def _across(walk: Walk, strides: tuple[int, ...], itemsize: int, straight: bool) -> tuple[int, int]:
    """Return the axis along which the rows of an item are neighbours, and how many of them are copied together."""
    *outer, last = [abs(step) * itemsize for step in strides]
    if last < LINE or not any(outer):
        return 0, 0
    near = min(step for step in outer if step)
    axis = outer.index(near)
    least = 2 if straight else tuning.NATIVE_ROWS
    if 0 in outer[axis:] or LINE // near < least or size(walk.extents[axis + 1 :]) < tuning.NATIVE_TURNED:
        return 0, 0
    return axis, min(tuning.NATIVE_PANEL if straight else LINE // near, walk.extents[axis])


def walked(shape: tuple[int, ...], items: Sequence[GpuArray | Layout]) -> Walk:
    """Return the walk with the fewest axes, in the order of the first item's memory."""
    strides = [broadcast_strides(item.shape, item.strides, shape) for item in items]
    missing = [len(shape) - len(item.shape) for item in items]
    given = [
        (0,) * more + tuple(getattr(item, "shifts", None) or (0,) * len(item.shape))
        for item, more in zip(items, missing, strict=True)
    ]
    rolled = [axis for axis, n in enumerate(shape) if any([by[axis] % n for by in given if n])]
    # One more operand for each of these axes, which moves along it alone, so that it is not merged with others.
    alone = [tuple([int(k == axis) for k in range(len(shape))]) for axis in rolled]
    extents, steps = collapse(shape, tuple([*strides, *alone]))
    shifts = [[0] * len(extents) for _ in items]
    for axis, other in zip(rolled, steps[len(items) :], strict=True):
        place = other.index(1)
        for number, by in enumerate(given):
            if steps[number][place]:
                shifts[number][place] = -by[axis] % shape[axis]
    return Walk(extents, steps[: len(items)], [tuple(by) for by in shifts], widest(items))


def widest(items: Sequence[GpuArray | Layout]) -> int:
    """Return the bytes of the widest elements; those of a layout are indices."""
    return max([8 if isinstance(item, Layout) else item.dtype.itemsize for item in items], default=1)
