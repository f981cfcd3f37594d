"""Boxes: a first place and an end along each axis of an array, and how to cut an array into boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from .layout import Layout, size

Box = tuple[tuple[int, int], ...]
Shape = tuple[int, ...]


def whole(shape: Shape) -> Box:
    """Return the box of all elements of a shape."""
    return tuple([(0, n) for n in shape])


def shape_of(box: Box) -> Shape:
    """Return the extents of a box."""
    return tuple([stop - start for start, stop in box])


def cut(box: Box, layout: Layout) -> Layout:
    """Return the layout of a box of an array."""
    offset = layout.offset + sum([start * step for (start, _), step in zip(box, layout.strides, strict=True)])
    return Layout(shape_of(box), layout.strides, offset)


def box_of(part: Layout, layout: Layout) -> Box | None:
    """Return the box of an array that has the elements of another layout; None where no box has, or none exist."""
    if part.strides != layout.strides or not size(part.shape) or min(layout.strides, default=0) <= 0:
        return None
    box: list[tuple[int, int]] = [(0, 0)] * len(layout.shape)
    rest = part.offset - layout.offset
    for axis in sorted(range(len(box)), key=lambda axis: -layout.strides[axis]):
        start, rest = divmod(rest, layout.strides[axis])
        box[axis] = start, start + part.shape[axis]
        if start < 0 or box[axis][1] > layout.shape[axis]:
            return None
    return None if rest else tuple(box)


def placed_box(layout: Layout, n: int) -> tuple[Shape, Box] | None:
    """Return a shape of ``n`` elements in C order, and a box of it that has the elements of a layout, in C order; None
    where no such box has them. Axes of one element are left out."""
    steps = [(extent, step) for extent, step in zip(layout.shape, layout.strides, strict=True) if extent > 1]
    units = [*steps, (1, 1)] if not steps or steps[-1][1] != 1 else steps
    above, rest = n, layout.offset
    shape, box = [], []
    for extent, step in units:
        if step <= 0 or above % step:
            return None
        start, rest = divmod(rest, step)
        if start + extent > above // step:
            return None
        shape.append(above // step)
        box.append((start, start + extent))
        above = step
    return tuple(shape), tuple(box)


def moved(box: Box, origin: Box, sign: int = 1) -> Box:
    """Return a box of a part as one of the whole, in which the part begins where ``origin`` does; with sign -1 the
    reverse."""
    ends = zip(box, origin, strict=True)
    return tuple([(start + sign * first, stop + sign * first) for (start, stop), (first, _) in ends])


def inside(box: Box, other: Box) -> bool:
    """Return whether another box has all places of a box."""
    return all([first <= start and stop <= last for (start, stop), (first, last) in zip(box, other, strict=True)])


def merged(boxes: Iterable[Box]) -> list[Box]:
    """Return fewer boxes that hold all of these. Two become one where the one has no more places than both have."""
    left, found = [*dict.fromkeys(boxes)], list[Box]()
    while left:
        box = left.pop(0)
        for other in found:
            both = tuple([(min(a, c), max(b, d)) for (a, b), (c, d) in zip(box, other, strict=True)])
            if size(shape_of(both)) <= size(shape_of(box)) + size(shape_of(other)):
                found.remove(other)
                left.append(both)
                break
        else:
            found.append(box)
    return found


def leading(first: int, last: int, shape: Shape) -> Box:
    """Return the smallest box with the elements of numbers ``first`` to ``last - 1`` in C order. Each axis behind the
    first one along which it has several places is whole."""
    last -= 1
    box = []
    for axis in range(len(shape)):
        inner = size(shape[axis + 1 :])
        start, stop = first // inner, last // inner
        box.append((start, stop + 1))
        if start != stop:
            return (*box, *whole(shape[axis + 1 :]))
        first, last = first % inner, last % inner
    return tuple(box)


def in_order(first: int, last: int, shape: Shape) -> list[Box]:
    """Return boxes with exactly the elements of numbers ``first`` to ``last - 1`` in C order, one after the other."""
    if first == last or not shape:
        return [()] * (last - first)
    inner = size(shape[1:])
    start, stop = -(-first // inner), last // inner  # of the whole rows
    if start > stop:  # both ends are in one place
        return [((stop, start), *box) for box in in_order(first - stop * inner, last - stop * inner, shape[1:])]
    before = in_order(first - (start - 1) * inner, inner, shape[1:]) if first < start * inner else []
    behind = in_order(0, last - stop * inner, shape[1:])
    found: list[Box] = [((start - 1, start), *box) for box in before]
    found += [((start, stop), *whole(shape[1:]))] if start < stop else []
    return [*found, *(((stop, stop + 1), *box) for box in behind)]


def boxes_along(shape: Shape, axes: Sequence[int], length: int) -> list[Box]:
    """Return all boxes of a shape, with ``length`` places along the last of some axes, single places along the others
    of them, and whole along the rest; in C order where the axes are the first ones."""
    choices = []
    for axis, n in enumerate(shape):
        step = n if axis not in axes else length if axis == axes[-1] else 1
        choices.append([(start, min(start + step, n)) for start in range(0, n, max(step, 1))])
    return list(product(*choices))


def first_box(shape: Shape, axes: Sequence[int], length: int) -> Box:
    """Return the first box of `boxes_along`."""
    return tuple(
        [(0, n if axis not in axes else min(n, length if axis == axes[-1] else 1)) for axis, n in enumerate(shape)]
    )


def like_it(box: Box, shape: Shape) -> list[Box]:
    """Return boxes of these extents at the beginning, in the middle and at the end of a shape."""
    extents = shape_of(box)
    found = []
    for part in (0, 1, 2):
        starts = [(n - extent) * part // 2 for n, extent in zip(shape, extents, strict=True)]
        found.append(tuple([(start, start + extent) for start, extent in zip(starts, extents, strict=True)]))
    return list(dict.fromkeys(found))


def chosen(shape: Shape, axes: Sequence[int], room: int, nbytes: Callable[[Box], int]) -> tuple[list[Box], int]:
    """Return boxes along as few of ``axes``, the first ones, as leave room for the bytes that each box takes, and the
    bytes of the first box. Where single places take more, see `longest`."""
    long = [axis for axis in axes if shape[axis] > 1]
    for k, axis in enumerate(long):
        own = long[: k + 1]
        if k + 1 == len(long) or nbytes(first_box(shape, own, 1)) <= room:
            length = longest(room, shape[axis], lambda length: nbytes(first_box(shape, own, length)))  # noqa: B023
            return boxes_along(shape, own, length), nbytes(first_box(shape, own, length))
    return [whole(shape)], nbytes(whole(shape))


def longest(room: int, n: int, nbytes: Callable[[int], int]) -> int:
    """Return how many places of ``n`` along an axis a box takes, whose ``nbytes`` must fit in ``room``; at least one.

    Few places may read as many bytes as many places. So where one place takes more than the room, as many are taken as
    need that much again; and where half of the places would take nearly as much, all are taken.
    """
    one, two = nbytes(1), nbytes(min(2, n))
    slope = max(two - one if two <= room else (nbytes(n) - one) // max(n - 1, 1), 1)
    room += one if one > room else 0
    length = min(max((room - (one - slope)) // slope, 1), n)
    while length > 1 and (taken := nbytes(length)) > room and 4 * nbytes(length // 2) <= 3 * taken:
        length //= 2
    return length
