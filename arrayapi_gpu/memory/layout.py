"""Where the elements of an array lie: shapes, strides and offsets as plain arithmetic.

This module does not know devices. Everything counts ELEMENTS, never bytes; shapes and strides are tuples of Python ints
of any length. Most functions are called on the way to a launch, so the results of those that are called often are
cached.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import gcd, prod
from types import EllipsisType
from typing import Any, Final, NamedTuple, SupportsIndex, TypeAlias

import numpy as np

Shape: TypeAlias = tuple[int, ...]
Strides: TypeAlias = tuple[int, ...]
BasicKey: TypeAlias = tuple[SupportsIndex | slice | EllipsisType | None, ...]

# Element counts and addresses are signed 64-bit numbers on the device.
LARGEST: Final = 2**63 - 1


class Layout(NamedTuple):
    """Element ``index`` lies at ``offset + sum(index[i] * strides[i])``."""

    shape: Shape
    strides: Strides
    offset: int


class AxisError(np.exceptions.AxisError):
    """An axis that the array does not have; a ValueError, an IndexError and NumPy's AxisError."""

    def __reduce__(self) -> tuple[type[AxisError], tuple[str]]:
        # NumPy 2.5.2 can read a pickled one, but not print it.
        return type(self), (str(self),)


def size(shape: Shape) -> int:
    """Return the number of elements."""
    return prod(shape)


@lru_cache(maxsize=4096)
def contiguous_strides(shape: Shape) -> Strides:
    """Return the strides of the C order; a length of zero counts as one, so that no stride is zero."""
    strides = []
    step = 1
    for n in reversed(shape):
        strides.append(step)
        step *= n or 1
    return tuple(reversed(strides))


@lru_cache(maxsize=4096)
def c_order(shape: Shape) -> Layout:
    """The layout of an array in C order, whose first element is at 0."""
    return Layout(shape, contiguous_strides(shape), 0)


def unravelled(number: int, shape: Shape) -> tuple[int, ...]:
    """Return the indices of an element, given its number in C order."""
    return tuple([number // step % n for n, step in zip(shape, contiguous_strides(shape), strict=True)])


@lru_cache(maxsize=4096)
def is_c_contiguous(shape: Shape, strides: Strides) -> bool:
    """Return whether the elements lie one after the other in C order.

    Strides along axes of length one do not matter, and no stride does where a length is zero.
    """
    step = 1
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1:
            if stride != step:
                return 0 in shape
            step *= n
    return True


@lru_cache(maxsize=4096)
def extents(shape: Shape, strides: Strides) -> tuple[int, bool]:
    """Return the number of elements, and whether they lie one after the other in C order."""
    return size(shape), is_c_contiguous(shape, strides)


def normalize_axis(axis: SupportsIndex, ndim: int, name: str) -> int:
    """Return ``axis`` counted from the front. ``name``: the function that was called, for the message.

    AxisError when out of range, TypeError when not an integer.
    """
    if type(axis) is int and -ndim <= axis < ndim:  # mostly
        return axis if axis >= 0 else axis + ndim
    try:
        index = int(operator.index(axis))
    except TypeError:
        raise TypeError(f"{name}: an axis must be an integer, not {type(axis).__name__}") from None
    if not -ndim <= index < ndim:
        allowed = f"allowed are {-ndim} to {ndim - 1}" if ndim else "there is no axis to name"
        raise AxisError(f"{name}: axis {index} is out of range for {ndim} dimensions; {allowed}")
    return index % ndim


def normalize_axes(axis: SupportsIndex | Sequence[SupportsIndex] | None, ndim: int, name: str) -> tuple[int, ...]:
    """Return one axis, several or all (None) as distinct axes counted from the front, in their order.

    AxisError when out of range, ValueError for a repeated axis, TypeError when not integers.
    """
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, tuple | list):
        return (normalize_axis(axis, ndim, name),)  # type: ignore[arg-type]
    axes = tuple([normalize_axis(each, ndim, name) for each in axis])
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}: axis {tuple(axis)} names a dimension twice; each may occur once")
    return axes


def check_shape(shape: SupportsIndex | Iterable[SupportsIndex]) -> Shape:
    """Return a user's shape, an int or a sequence of ints, as a tuple of Python ints.

    TypeError when not integers; ValueError for negative lengths and for more elements than 64-bit
    addresses reach.
    """
    checked = _ints(shape)
    if any(n < 0 for n in checked):
        raise ValueError(f"shape {checked} has a negative length; allowed are 0 and more")
    # Lengths of zero count as one: strides must fit as well.
    if prod(n or 1 for n in checked) > LARGEST:
        raise ValueError(f"shape {checked} is too large; at most {LARGEST} elements have an address")
    return checked


def _ints(shape: SupportsIndex | Iterable[SupportsIndex]) -> Shape:
    # Through int(), because operator.index returns True unchanged.
    if type(shape) is not tuple:
        try:
            return (int(operator.index(shape)),)  # type: ignore[arg-type]
        except TypeError:
            pass
    try:
        return tuple(map(int, map(operator.index, shape)))  # type: ignore[arg-type]
    except TypeError:
        allowed = "an integer or a sequence of integers"
        raise TypeError(f"a shape must be {allowed}, not {shape!r}") from None


@lru_cache(maxsize=4096)
def broadcast_shapes(*shapes: Shape) -> Shape:
    """Return the shape that all ``shapes`` broadcast to ("Broadcasting"); () without shapes.

    ValueError when they do not, or when the result has more elements than addresses reach.
    """
    result: list[int] = [1] * max(map(len, shapes), default=0)
    for shape in shapes:
        for axis, n in enumerate(shape, len(result) - len(shape)):
            if result[axis] == 1:
                result[axis] = n
            elif n not in (1, result[axis]):
                listed = " and ".join(map(str, shapes))
                where = f"lengths along axis {axis - len(result)} must be equal or 1"
                raise ValueError(f"shapes {listed} could not be broadcast together: {where}")
    return check_shape(result)


@lru_cache(maxsize=4096)
def broadcast(layout: Layout, shape: Shape) -> Layout:
    """Return the layout broadcast to ``shape``: strides are zero where it is repeated.

    ValueError when it does not broadcast to that shape.
    """
    return Layout(shape, broadcast_strides(layout.shape, layout.strides, shape), layout.offset)


@lru_cache(maxsize=4096)
def broadcast_strides(shape: Shape, strides: Strides, to_shape: Shape) -> Strides:
    """Return the strides of an array that is broadcast to ``to_shape``: zero where it is repeated.

    ValueError when it does not broadcast to that shape.
    """
    front = len(to_shape) - len(shape)
    if front < 0 or any(n != m and n != 1 for n, m in zip(shape, to_shape[front:], strict=True)):
        raise ValueError(
            f"shapes {shape} and {to_shape} could not be broadcast together: each length of the first "
            "must be 1 or equal to that of the second, which is the result's"
        )
    return (0,) * front + tuple(
        stride if n == m else 0 for n, stride, m in zip(shape, strides, to_shape[front:], strict=True)
    )


def basic_index(layout: Layout, key: BasicKey) -> Layout:
    """Return the view ``array[key]`` ("Indexing"), as in NumPy.

    ``key`` holds integers and slices, both of any magnitude, None and at most one Ellipsis, in any order. IndexError
    for an integer out of range, for too many indices, for a second Ellipsis, and for an object that is not a basic
    index; ValueError for a slice of step zero.
    """
    known: list[Any] = []  # the key, as Pythons before 3.12 can hash it
    for item in key:
        if isinstance(item, slice):
            limits = item.start, item.stop, item.step
            if not LIMIT_TYPES.issuperset(map(type, limits)):
                return _indexed(layout, key)
            known.append(limits)
        elif type(item) is int or item is None or item is Ellipsis:
            known.append(item)
        else:
            return _indexed(layout, key)
    return _indexed_before(layout, tuple(known))


LIMIT_TYPES = frozenset((int, type(None)))  # types of a slice's limits


@lru_cache(maxsize=4096)
def _indexed_before(layout: Layout, key: tuple[Any, ...]) -> Layout:
    return _indexed(layout, tuple([slice(*item) if type(item) is tuple else item for item in key]))


def _indexed(layout: Layout, key: BasicKey) -> Layout:
    shape, strides, offset = layout
    ndim = len(shape)
    new_shape: list[int] = []
    new_strides: list[int] = []
    axis = 0
    for position, item in enumerate(key):
        if item is None:
            new_shape.append(1)
            new_strides.append(0)
        elif item is Ellipsis:
            rest = key[position + 1 :]
            if any(other is Ellipsis for other in rest):
                raise IndexError("an index may contain one Ellipsis (...), not more")
            end = ndim - sum(other is not None for other in rest)
            if end < axis:
                raise _too_many(key, ndim)
            new_shape += shape[axis:end]
            new_strides += strides[axis:end]
            axis = end
        elif axis == ndim:
            raise _too_many(key, ndim)
        elif isinstance(item, slice):
            length, stride, shift = sliced(item, shape[axis], strides[axis])
            new_shape.append(length)
            new_strides.append(stride)
            offset += shift
            axis += 1
        else:
            offset += _resolve_index(item, axis, shape[axis]) * strides[axis]
            axis += 1
    if axis < ndim:
        new_shape += shape[axis:]
        new_strides += strides[axis:]
    return Layout(tuple(new_shape), tuple(new_strides), offset)


def sliced(item: slice, n: int, stride: int) -> tuple[int, int, int]:
    """Return (length, stride, shift of the offset) of a slice of n elements; the step of one element is one."""
    start, stop, step = item.indices(n)
    length = len(range(start, stop, step))
    return length, step * stride if length > 1 else stride, start * stride if length else 0


@lru_cache(maxsize=4096)
def rows(shape: Shape, strides: Strides, length: int, step: int) -> tuple[Shape, Strides, int, bool]:
    """Return a view of so many rows, every ``step``-th one: shape, strides, number of elements, and whether it is
    C-contiguous."""
    shape = (length, *shape[1:])
    strides = (step * strides[0] if length > 1 else strides[0], *strides[1:])
    return shape, strides, size(shape), is_c_contiguous(shape, strides)


@lru_cache(maxsize=4096)
def row(shape: Shape, strides: Strides) -> tuple[Shape, Strides, int, bool]:
    """Return a view of one row, as `rows` describes it."""
    return shape[1:], strides[1:], size(shape[1:]), is_c_contiguous(shape[1:], strides[1:])


def _too_many(key: BasicKey, ndim: int) -> IndexError:
    count = sum(item is not None and item is not Ellipsis for item in key)
    return IndexError(f"too many indices: {count} for an array of {ndim} dimensions")


def _resolve_index(item: Any, axis: int, n: int) -> int:
    try:
        index = int(operator.index(item))
    except TypeError:
        index = None
    if index is None or isinstance(item, bool):
        allowed = "integers, slices, ..., None, and arrays of integers or booleans"
        raise IndexError(f"index {item!r} for axis {axis}: got {type(item).__name__}; allowed: {allowed}")
    if not -n <= index < n:
        raise index_outside(index, n, axis)
    return index + n if index < 0 else index


def index_outside(index: int, n: int, axis: int) -> IndexError:
    """Return the error for an index outside a dimension of n elements."""
    allowed = f"{-n} ... {n - 1}" if n else "none"
    return IndexError(f"index {index} is out of bounds for axis {axis} with size {n}; allowed: {allowed}")


def permutation(axes: Sequence[SupportsIndex], ndim: int) -> tuple[int, ...]:
    """Return axes counted from the front. ValueError unless every one occurs once, AxisError when out of range."""
    order = normalize_axes(tuple(axes), ndim, "permute_dims")
    if len(order) != ndim:
        raise ValueError(f"permute_dims: axes {tuple(axes)} must name each of the {ndim} dimensions once")
    return order


@lru_cache(maxsize=4096)
def permuted(layout: Layout, order: tuple[int, ...]) -> Layout:
    """Return the view whose dimension i is dimension ``order[i]`` of the array; ``order`` is a `permutation`."""
    shape, strides, offset = layout
    return Layout(tuple([shape[i] for i in order]), tuple([strides[i] for i in order]), offset)


def transpose(layout: Layout, axes: Sequence[SupportsIndex]) -> Layout:
    """Return the view whose dimension i is dimension ``axes[i]`` of the array, with the errors of `permutation`."""
    return permuted(layout, permutation(axes, len(layout.shape)))


@lru_cache(maxsize=4096)
def turned(layout: Layout) -> Layout:
    """Return the view of the transposed matrices in the last two dimensions."""
    *shape, rows, columns = layout.shape
    *strides, down, right = layout.strides
    return Layout((*shape, columns, rows), (*strides, right, down), layout.offset)


def diagonal(layout: Layout, shift: int) -> Layout:
    """Return the view of the diagonals of the matrices in the last two dimensions, as last dimension.

    ``shift`` counts columns to the right. ValueError below two dimensions.
    """
    if len(layout.shape) < 2:
        raise ValueError(f"diagonal: at least two dimensions are needed, not shape {layout.shape}")
    *front, rows, columns = layout.shape
    *outer, down, right = layout.strides
    length = max(0, min(rows, columns - shift) if shift >= 0 else min(rows + shift, columns))
    start = 0 if not length else shift * right if shift >= 0 else -shift * down
    return Layout((*front, length), (*outer, down + right), layout.offset + start)


def component(layout: Layout, number: int) -> Layout:
    """Return the layout of the real parts (0) or the imaginary parts (1) of complex elements, which counts parts."""
    return Layout(layout.shape, tuple([2 * step for step in layout.strides]), 2 * layout.offset + number)


def windows(layout: Layout, lengths: Shape, axes: Sequence[int]) -> Layout:
    """Return all windows of some lengths along axes, one axis a length, behind the axes along which they begin."""
    shape, strides = list(layout.shape), list(layout.strides)
    for length, axis in zip(lengths, axes, strict=True):
        shape[axis] -= length - 1
    steps = [layout.strides[axis] for axis in axes]
    return Layout((*shape, *lengths), (*strides, *steps), layout.offset)


def resolve_shape(count: int, shape: SupportsIndex | Iterable[SupportsIndex]) -> Shape:
    """Return the shape that ``shape``, with at most one -1, means for an array of ``count`` elements.

    TypeError when not integers; ValueError when the elements do not fit or -1 has no single answer.
    """
    if type(shape) is tuple:  # mostly, and with the number of elements
        known = 1
        for n in shape:
            if type(n) is not int or n < 1:
                break
            known *= n
        else:
            if known == count:
                return shape
    wanted = _ints(shape)
    unknown = wanted.count(-1)
    known = -prod(wanted)
    if unknown == 1 and min(wanted) == -1 and known > 0 and not count % known:
        return tuple([count // known if n == -1 else n for n in wanted])
    if unknown > 1 or any(n < -1 for n in wanted):
        raise ValueError(f"reshape: shape {wanted} must hold lengths of 0 and more, and -1 at most once")
    known = prod(n for n in wanted if n != -1)
    if count % known if unknown and known else unknown or known != count:
        raise ValueError(f"reshape: {count} elements do not fit shape {wanted}; -1 in one place takes the rest")
    return check_shape(count // known if n == -1 else n for n in wanted)


@lru_cache(maxsize=4096)
def reshape(layout: Layout, shape: Shape) -> Layout | None:
    """Return the view of another ``shape``, or None when only a copy can have it (NumPy's rule).

    ``shape`` has as many elements as the layout: see `resolve_shape`.
    """
    if 0 in shape:
        return Layout(shape, contiguous_strides(shape), layout.offset)
    # Every new dimension must lie within one evenly spaced run of the elements.
    lengths, (steps,) = collapse_ordered(layout.shape, (layout.strides,))
    runs = list(zip(lengths, steps, strict=True))
    left, step = runs.pop()
    strides = []
    for n in reversed(shape):
        if n != 1 and left == 1:
            left, step = runs.pop()
        if left % n:
            return None
        strides.append(step)
        left //= n
        step *= n
    return Layout(shape, tuple(reversed(strides)), layout.offset)


def composed(layout: Layout, view: Layout) -> Layout | None:
    """The layout of a view of an array, given ``view``, its layout if the array were in C order.

    None where the elements along an axis of the view are not evenly spaced in the array.
    """
    shape, strides, offset = view
    if is_c_contiguous(layout.shape, layout.strides):
        return Layout(shape, strides, layout.offset + offset)
    if 0 in shape:
        return Layout(shape, strides, layout.offset)
    merged, (own,) = collapse_ordered(layout.shape, (layout.strides,))
    found = indices(merged, view)
    if found is None:
        return None
    first, steps = found
    return Layout(
        shape,
        tuple([sum([n * stride for n, stride in zip(step, own, strict=True)]) for step in steps]),
        layout.offset + sum([n * stride for n, stride in zip(first, own, strict=True)]),
    )


@lru_cache(maxsize=4096)
def indices(shape: Shape, view: Layout) -> tuple[Shape, tuple[Shape, ...]] | None:
    """The indices, in an array of a shape in C order, of a view's first element, and by how much they grow with one
    step along each axis of the view. None where they do not grow evenly. The view must have elements."""
    first = unravelled(view.offset, shape)
    low, high = [*first], [*first]
    steps = []
    for n, stride in zip(view.shape, view.strides, strict=True):
        if n > 1:
            second = unravelled(view.offset + stride, shape)
            step = tuple([after - before for before, after in zip(first, second, strict=True)])
        else:
            step = tuple([index if stride >= 0 else -index for index in unravelled(abs(stride), shape)])
        for axis, by in enumerate(step):
            (high if by > 0 else low)[axis] += (n - 1) * by
        steps.append(step)
    inside = all([least >= 0 and most < n for least, most, n in zip(low, high, shape, strict=True)])
    return (first, tuple(steps)) if inside else None


@lru_cache(maxsize=16384)
def collapse(shape: Shape, strides: tuple[Strides, ...]) -> tuple[Shape, tuple[Strides, ...]]:
    """Return the fewest dimensions that walk all operands together, ordered for the first (the output).

    Dimensions of length one are dropped. The others are sorted by descending ``abs(stride)`` of the first operand, then
    of the next. Those along which the first operand does not move come last and keep their order. Neighbours that are
    evenly spaced in every operand are merged. The result has one dimension at least: a single element is ``(1,)`` with
    strides of one, so that the kernel of contiguous operands serves it; no element is ``(0,)``, likewise.
    """

    def order(axis: int) -> tuple[int, ...]:
        return tuple(-abs(steps[axis]) for steps in strides) if strides[0][axis] else (0,)

    axes = sorted(range(len(shape)), key=order) if strides else range(len(shape))
    return collapse_ordered(
        tuple(shape[axis] for axis in axes), tuple(tuple(steps[axis] for axis in axes) for steps in strides)
    )


@lru_cache(maxsize=16384)
def collapse_ordered(shape: Shape, strides: tuple[Strides, ...]) -> tuple[Shape, tuple[Strides, ...]]:
    """`collapse` without sorting: for reductions, and where the index itself matters."""
    if 0 in shape:
        return (0,), ((1,),) * len(strides)
    merged: list[tuple[int, Strides]] = []
    for axis, n in enumerate(shape):
        if n == 1:
            continue
        steps = tuple(each[axis] for each in strides)
        if merged and merged[-1][1] == tuple(n * step for step in steps):
            n *= merged.pop()[0]
        merged.append((n, steps))
    if not merged:
        return (1,), ((1,),) * len(strides)
    return tuple(n for n, _ in merged), tuple(zip(*(steps for _, steps in merged), strict=True))


def extent(layout: Layout) -> tuple[int, int] | None:
    """Return the lowest and the highest address of the layout's elements; None without elements."""
    lowest = highest = layout.offset
    for n, stride in zip(layout.shape, layout.strides, strict=True):
        if n == 0:
            return None
        if stride < 0:
            lowest += (n - 1) * stride
        else:
            highest += (n - 1) * stride
    return lowest, highest


def same_elements(a: Layout, b: Layout) -> bool:
    """Return whether each index means the same address in both layouts."""
    if a == b:
        return True
    if a.shape != b.shape:
        return False
    moving = (n > 1 and s != t for n, s, t in zip(a.shape, a.strides, b.strides, strict=True))
    return 0 in a.shape or (a.offset == b.offset and not any(moving))


def may_overlap(a: Layout, a_itemsize: int, b: Layout, b_itemsize: int) -> bool:
    """Return whether two layouts of one buffer have a byte in common; each counts in its own items.

    Exact, unless the search for a common byte grows too long: then True.
    """
    a_extent, b_extent = extent(a), extent(b)
    if a_extent is None or b_extent is None:
        return False
    # In units that divide both items: equal items are one unit and need no term for bytes within.
    unit = gcd(a_itemsize, b_itemsize)
    a_item, b_item = a_itemsize // unit, b_itemsize // unit
    a_lowest, a_end = a_extent[0] * a_item, (a_extent[1] + 1) * a_item
    b_lowest, b_end = b_extent[0] * b_item, (b_extent[1] + 1) * b_item
    if a_end <= b_lowest or b_end <= a_lowest:
        return False
    # a_lowest + sum(a terms) == b_lowest + sum(b terms); with b's terms counted from their far
    # ends, all are positive.
    terms = [(1, a_item - 1), (1, b_item - 1)]
    terms += [(abs(stride) * a_item, n - 1) for n, stride in zip(a.shape, a.strides, strict=True)]
    terms += [(abs(stride) * b_item, n - 1) for n, stride in zip(b.shape, b.strides, strict=True)]
    return _may_reach(b_end - 1 - a_lowest, terms)


def self_overlaps(layout: Layout) -> bool:
    """Return whether two indices mean one address, as in a broadcast view.

    Exact, unless the search grows too long: then True.
    """
    if 0 in layout.shape:
        return False
    walked = zip(layout.shape, layout.strides, strict=True)
    dims = sorted((abs(stride), n - 1) for n, stride in walked if n != 1)
    reach = 0
    for stride, last in dims:
        if stride <= reach:
            break
        reach += stride * last
    else:
        return False  # each stride steps over all addresses that smaller ones reach: the usual case
    # Two indices differ by d != 0 with sum(stride * d) == 0. Say the first difference that is not 0
    # is d[k] >= 1; count it from 1, and the later ones, of either sign, from their lowest.
    for k, (stride, last) in enumerate(dims):
        later = [(other, 2 * bound) for other, bound in dims[k + 1 :]]
        middle = sum(other * bound for other, bound in dims[k + 1 :])
        if _may_reach(middle - stride, [(stride, last - 1), *later]):
            return True
    return False


# Steps after which `_may_reach` gives up and returns True.
_PATIENCE: Final = 1000


def _may_reach(target: int, terms: Iterable[tuple[int, int]]) -> bool:
    """Return whether ``target == sum(c * x)`` for integers 0 <= x <= bound, over terms (c >= 0, bound).

    It is a depth-first search from the largest coefficient down. At each depth the rest can only give multiples of its
    greatest common divisor up to its sum; where it gives all of them, the search ends. True when it grows too long.
    """
    bounds: dict[int, int] = {}
    for c, bound in terms:
        if c and bound:
            bounds[c] = bounds.get(c, 0) + bound
    chosen = sorted(bounds.items())
    # Of the k smallest coefficients: (divisor, sum, whether every multiple up to it is reached).
    rests = [(0, 0, True)]
    for c, bound in chosen:
        divisor, total, dense = rests[-1]
        dense = dense and (not divisor or (c % divisor == 0 and c <= total + divisor))
        rests.append((gcd(divisor, c), total + c * bound, dense))
    patience = _PATIENCE
    stack = [(len(chosen), target)]
    while stack:
        k, rest = stack.pop()
        divisor, total, dense = rests[k]
        if not 0 <= rest <= total or (divisor and rest % divisor):
            continue
        if dense:
            return True
        c, bound = chosen[k - 1]
        below, reach, _ = rests[k - 1]
        # c * x must leave between 0 and reach, and the right remainder: x is known modulo `period`.
        first, last = max(0, -((reach - rest) // c)), min(bound, rest // c)
        period = below // gcd(below, c)
        residue = rest // divisor * pow(c // divisor, -1, period) % period
        candidates = range(first + (residue - first) % period, last + 1, period)
        patience -= 1 + max(0, last - first) // period
        if patience < 0:
            return True
        stack += [(k - 1, rest - c * x) for x in candidates]
    return False
