"""What the manipulation functions return: views, and copies of views.

The functions here take the arguments of the functions of the same purpose in the namespace, and raise their errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from ... import lazy
from ...kernels.core.ops import OPS
from ...lazy import Movement, Roll, handle, layout_of, leaf, rolled_by, unary, view
from ...memory import layout as layouts
from ...memory.layout import AxisError, Shape, normalize_axes, normalize_axis, size
from .arguments import integer
from .indexing import indexed

if TYPE_CHECKING:
    from .array_object import Array

Axes = int | Sequence[int] | None
T = TypeVar("T")

_POSITIVE = OPS["positive"]


def several(value: Any) -> tuple[Any, ...]:
    """One number or a sequence of numbers as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def _remembered(function: Callable[..., T]) -> Callable[..., T]:
    """The function, with its results remembered where each argument is None, an int or a tuple of ints. Other numbers,
    such as 1.0, may have the hash of an int."""
    known = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def found(*args: Any) -> T:
        for value in args:
            if type(value) is tuple:
                for number in value:
                    if type(number) is not int:
                        return function(*args)
            elif type(value) is not int and value is not None:
                return function(*args)
        return known(*args)

    return found


def broadcast_to(x: Array, shape: Sequence[int]) -> Array:
    """The array broadcast to a shape, as a view that refuses writes."""
    wanted = layouts.check_shape(shape)
    return handle(type(x), view(x._node, Movement("broadcast_to", {"shape": wanted}), True))


def reshaped(x: Array, shape: Sequence[int], copy: bool | None = None) -> Array:
    """The elements in C order with another shape."""
    node = x._node
    array = node.array  # once, because another thread may compute the value meanwhile, in another layout
    wanted = layouts.resolve_shape(size(node.shape), shape)
    layout = None if copy else layouts.reshape(layout_of(node) if array is None else array.layout, wanted)
    if layout is None:
        if copy is False:
            raise ValueError(
                f"reshape: copy=False, but an array of shape {x.shape} with these strides has no view of shape "
                f"{wanted}; drop copy=False"
            )
        node = unary(_POSITIVE, node)
    elif array is not None:
        return handle(type(x), leaf(array.view(layout)))
    return handle(type(x), view(node, Movement("reshape", {"shape": wanted})))


def expanded(x: Array, axis: Axes) -> Array:
    """The array with new axes of extent 1, as a view."""
    node = x._node
    return handle(type(x), indexed(node, _expanding(axis, len(node.shape))))


@_remembered
def _expanding(axis: Axes, ndim: int) -> tuple[Any, ...]:
    """The key that inserts axes."""
    wanted = several(axis)
    try:
        places = normalize_axes(wanted, ndim + len(wanted), "expand_dims")
    except AxisError as error:
        raise IndexError(str(error)) from None
    return tuple([None if k in places else slice(None) for k in range(ndim + len(wanted))])


def flipped(x: Array, axis: Axes) -> Array:
    """The array with its elements along axes in reversed order, as a view."""
    node = x._node
    return handle(type(x), indexed(node, _flipping(axis, len(node.shape))))


@_remembered
def _flipping(axis: Axes, ndim: int) -> tuple[Any, ...]:
    """The key that reverses axes."""
    places = range(ndim) if axis is None else normalize_axes(axis, ndim, "flip")
    return tuple([slice(None, None, -1) if k in places else slice(None) for k in range(ndim)])


def squeezed(x: Array, axis: Axes) -> Array:
    """The array without axes of extent 1, as a view."""
    node = x._node
    return handle(type(x), indexed(node, _squeezing(axis, node.shape)))


@_remembered
def _squeezing(axis: Axes, shape: Shape) -> tuple[Any, ...]:
    """The key that removes axes of extent 1."""
    given = tuple([k for k, n in enumerate(shape) if n == 1]) if axis is None else axis
    places = normalize_axes(given, len(shape), "squeeze")
    for place in places:
        if shape[place] != 1:
            raise ValueError(f"squeeze: axis {place} has extent {shape[place]}; allowed: 1; use reshape")
    return tuple([0 if k in places else slice(None) for k in range(len(shape))])


def rolled(x: Array, shift: int | Sequence[int], axis: Axes) -> Array:
    """The array with its elements shifted cyclically."""
    node = x._node
    if axis is None:
        if isinstance(shift, (tuple, list)):
            raise ValueError(f"roll: shift {shift} without axis; allowed: one int, or give axis=")
        if len(node.shape) != 1:
            return reshaped(rolled(reshaped(x, (-1,)), shift, 0), node.shape)
        axis = 0
    return handle(type(x), lazy.roll(node, _rolling(shift, axis, node.shape)))


@_remembered
def _rolling(shift: int | Sequence[int], axis: int | Sequence[int], shape: Shape) -> Roll:
    """The operation that shifts the elements of arrays of a shape."""
    axes, shifts = several(axis), several(shift)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes; allowed: equal numbers, or one shift")
    total = [0] * len(shape)
    for by, place in zip(shifts, axes, strict=True):
        total[normalize_axis(place, len(shape), "roll")] += integer("roll", "shift", by)
    return rolled_by(tuple([by % n if n else 0 for by, n in zip(total, shape, strict=True)]))


def tiled(x: Array, repetitions: int | Sequence[int]) -> Array:
    """The whole array repeated along its axes, as a copy."""
    node = x._node
    return handle(type(x), lazy.repeated(node, *_tiling(repetitions, node.shape)))


@_remembered
def _tiling(repetitions: int | Sequence[int], shape: Shape) -> tuple[Shape, Shape, Shape]:
    """The shapes for `lazy.repeated`."""
    times = tuple([integer("tile", "a repetition", n) for n in several(repetitions)])
    if any([n < 0 for n in times]):
        raise ValueError(f"tile: repetitions {repetitions}; allowed: 0 or more")
    ndim = max(len(shape), len(times))
    times = (1,) * (ndim - len(times)) + times
    shape = (1,) * (ndim - len(shape)) + shape
    pairs = [*zip(times, shape, strict=True)]
    block = layouts.check_shape([n for pair in pairs for n in pair])
    return tuple([n for own in shape for n in (1, own)]), block, tuple([many * own for many, own in pairs])


def repeated(x: Array, times: int, place: int) -> Array:
    """Each position along the axis at ``place`` repeated, as a copy."""
    node = x._node
    return handle(type(x), lazy.repeated(node, *_repeating(times, place, node.shape)))


@_remembered
def _repeating(times: int, place: int, shape: Shape) -> tuple[Shape, Shape, Shape]:
    """The shapes for `lazy.repeated`."""
    before, n, after = shape[:place], shape[place], shape[place + 1 :]
    block = layouts.check_shape((*before, n, times, *after))
    return (*before, n, 1, *after), block, (*before, n * times, *after)
