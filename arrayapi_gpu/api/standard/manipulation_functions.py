"""Manipulation functions (standard, chapter "Manipulation functions").

`reshape`, `permute_dims`, `flip`, `squeeze`, `expand_dims`, `moveaxis`, `broadcast_to` and `unstack` return views: they
change the layout, not the memory. Only `reshape` copies if strides do not allow a view.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ... import lazy
from ...kernels.core.ops import OPS
from ...lazy import Movement, handle, index_along, layout_of, view
from ...memory import layout as layouts
from ...memory.dtypes import is_discrete
from ...memory.layout import AxisError, normalize_axes, normalize_axis
from ..core import indexing
from ..core.arguments import of_arrays
from ..core.array_object import Array

__all__ = [
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims",
    "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
]  # fmt: skip

Axis = int | tuple[int, ...] | None


def _several(value: int | Sequence[int]) -> tuple[int, ...]:
    """An int or a sequence of ints as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)  # type: ignore[return-value]


def _integer(value: Any, name: str, argument: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}: {argument} is {value!r}, a {type(value).__name__}; allowed: an int; convert with int()"
        ) from None


@of_arrays
def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """The arrays broadcast to their common shape, as read-only views; the arrays themselves if all have that shape.

    ValueError if the shapes do not broadcast. Source: standard, ``broadcast_arrays``.
    """
    shape = layouts.broadcast_shapes(*[array.shape for array in arrays])
    if all(array.shape == shape for array in arrays):
        return arrays
    return tuple(broadcast_to(array, shape) for array in arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The common shape to which shapes broadcast. ValueError if they do not. Source: standard, ``broadcast_shapes``."""
    return layouts.broadcast_shapes(*[tuple(shape) for shape in shapes])


@of_arrays
def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """The array broadcast to ``shape``, as a read-only view. ValueError if it does not broadcast to it.

    Source: standard, ``broadcast_to``.
    """
    wanted = layouts.check_shape(shape)
    return handle(Array, view(x._node, Movement("broadcast_to", {"shape": wanted}), fixed=True))


@of_arrays
def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """The arrays joined along an existing axis; ``axis``: None flattens them first.

    ValueError if the other extents differ or no array is given. Source: standard, ``concat``.
    """
    nodes = [part._node for part in arrays]
    if not nodes:
        raise ValueError("concat: got no arrays; allowed: one or more; use empty for an empty array")
    if axis is None:
        nodes, axis = [reshape(part, (-1,))._node for part in arrays], 0
    return handle(Array, lazy.concat(nodes, normalize_axis(axis, len(nodes[0].shape), "concat")))


@of_arrays
def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array:
    """The array with new axes of extent 1, as a view; ``axis``: the positions of the new axes in the result.

    IndexError for positions out of bounds. Source: standard, ``expand_dims``.
    """
    wanted = _several(axis)
    ndim = x.ndim + len(wanted)
    try:
        places = normalize_axes(wanted, ndim, "expand_dims")
    except AxisError as error:
        raise IndexError(str(error)) from None
    key = tuple(None if k in places else slice(None) for k in range(ndim))
    return handle(Array, indexing.indexed(x._node, key))


@of_arrays
def flip(x: Array, /, *, axis: Axis = None) -> Array:
    """The array with its elements in reverse order along axes (all by default), as a view.

    Source: standard, ``flip``.
    """
    places = range(x.ndim) if axis is None else normalize_axes(axis, x.ndim, "flip")
    key = tuple(slice(None, None, -1) if k in places else slice(None) for k in range(x.ndim))
    return handle(Array, indexing.indexed(x._node, key))


@of_arrays
def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int], /) -> Array:
    """The array with axes ``source`` moved to positions ``destination``, as a view; the other axes keep their order.

    ValueError if the numbers of axes and positions differ. Source: standard, ``moveaxis``.
    """
    one, two = _several(source), _several(destination)
    if len(one) != len(two):
        raise ValueError(
            f"moveaxis: source {source} and destination {destination} differ in length; allowed: equal lengths"
        )
    origin, goal = normalize_axes(one, x.ndim, "moveaxis"), normalize_axes(two, x.ndim, "moveaxis")
    order = [k for k in range(x.ndim) if k not in origin]
    for place, axis in sorted(zip(goal, origin, strict=True)):
        order.insert(place, axis)
    return indexing.permuted(x, order)


@of_arrays
def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """The array with its axes in the order ``axes``, as a view. ValueError if axes are missing or repeated.

    Source: standard, ``permute_dims``.
    """
    return indexing.permuted(x, axes)


@of_arrays
def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """The array with each element, or sub-array along ``axis``, repeated several times in a row.

    ``repeats``: the number of repetitions, or an array with one number for each element; ``axis``: None flattens the
    array first. ValueError for negative numbers and for a wrong count of them, TypeError for floats.
    Source: standard, ``repeat``.
    """
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    place = normalize_axis(axis, x.ndim, "repeat")
    n = x.shape[place]
    key = (slice(None),) * place
    if isinstance(repeats, (int, float, complex, np.integer)):
        repeats = _integer(repeats, "repeat", "repeats")
        if repeats < 0:
            raise ValueError(f"repeat: repeats is {repeats}; allowed: 0 or more")
        side_by_side = repeats * layouts.size(x.shape[place + 1 :])
        if side_by_side >= x.device.lanes or n == x.size:  # otherwise all rows share one array of gather indices
            wider = (*x.shape[: place + 1], repeats, *x.shape[place + 1 :])
            block = broadcast_to(expand_dims(x, axis=place + 1), wider)
            return reshape(block, (*x.shape[:place], n * repeats, *x.shape[place + 1 :]), copy=True)
        index = lazy.binary(OPS["floor_divide"], index_along(0, (n * repeats,), x.device), max(repeats, 1))
        return x[(*key, handle(Array, index))]
    counts = repeats.to_numpy() if isinstance(repeats, Array) else np.asarray(repeats)
    if counts.size and not is_discrete(counts.dtype):
        raise TypeError(f"repeat: repeats has dtype {counts.dtype}; allowed: integers; convert with astype")
    if counts.shape not in ((), (1,), (n,)):
        raise ValueError(f"repeat: repeats has shape {counts.shape}; allowed: one number, or ({n},) for axis {place}")
    counts = np.broadcast_to(counts.astype(np.int64), (n,))
    if counts.size and counts.min() < 0:
        raise ValueError(f"repeat: repeats contains {counts.min()}; allowed: 0 or more")
    return x[(*key, np.repeat(np.arange(n), counts))]


@of_arrays
def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """The elements in C order in another shape: a view if strides allow it, a copy otherwise.

    ``shape``: the new shape, in which one extent may be -1, computed from the others; ``copy``: True always copies,
    False never does. ValueError if ``copy=False`` and a copy is necessary, or if the sizes differ.
    Source: standard, ``reshape``.
    """
    wanted = layouts.resolve_shape(x.size, shape)
    if not copy and layouts.reshape(layout_of(x._node), wanted) is not None:
        return handle(Array, view(x._node, Movement("reshape", {"shape": wanted})))
    if copy is False:
        raise ValueError(
            f"reshape: copy=False, but an array of shape {x.shape} with these strides has no view of shape {wanted}; "
            "drop copy=False"
        )
    return reshape(x.copy(), wanted)


@of_arrays
def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: Axis = None) -> Array:
    """The array with its elements shifted cyclically along axes.

    ``shift``: the number of positions, or one for each axis; ``axis``: the axes, or None to shift the flattened array
    and restore its shape. ValueError if the numbers of shifts and axes differ, TypeError for shifts that are not
    integers. Source: standard, ``roll``.
    """
    if axis is None:
        if isinstance(shift, (tuple, list)):
            raise ValueError(f"roll: shift {shift} without axis; allowed: one int, or give axis=")
        return reshape(roll(reshape(x, (-1,)), shift, axis=0), x.shape)
    node = x._node
    known = type(shift) is int and type(axis) is int  # other keys, such as 1.0, may have the hash of an int
    places = (_places if known else _places.__wrapped__)(shift, axis, node.shape)
    return handle(Array, lazy.roll(node, places)) if any(places) else x.copy()


@lru_cache(maxsize=4096)
def _places(shift: int | tuple[int, ...], axis: int | tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The number of positions by which elements move along each axis: 0 or more, and less than its extent."""
    axes, shifts = _several(axis), _several(shift)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes; allowed: equal numbers, or one shift")
    total = [0] * len(shape)
    for by, place in zip(shifts, axes, strict=True):
        total[normalize_axis(place, len(shape), "roll")] += _integer(by, "roll", "shift")
    return tuple([by % n if n else 0 for by, n in zip(total, shape, strict=True)])


@of_arrays
def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """The array without the axes ``axis`` of extent 1 (all such axes by default), as a view.

    ValueError if a given axis has another extent. Source: standard, ``squeeze``.
    """
    given = tuple(k for k, n in enumerate(x.shape) if n == 1) if axis is None else axis
    places = normalize_axes(given, x.ndim, "squeeze")
    for place in places:
        if x.shape[place] != 1:
            raise ValueError(f"squeeze: axis {place} has extent {x.shape[place]}; allowed: 1; use reshape")
    key = tuple(0 if k in places else slice(None) for k in range(x.ndim))
    return handle(Array, indexing.indexed(x._node, key))


@of_arrays
def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """The arrays joined along a new axis ``axis``. ValueError if their shapes differ. Source: standard, ``stack``."""
    parts = list(arrays)
    if not parts:
        raise ValueError("stack: got no arrays; allowed: one or more")
    if len({part.shape for part in parts}) > 1:
        raise ValueError(f"stack: shapes {[part.shape for part in parts]}; allowed: one shape; use broadcast_arrays")
    place = normalize_axis(axis, parts[0].ndim + 1, "stack")
    key = (*(slice(None),) * place, None)
    return handle(Array, lazy.concat([indexing.indexed(part._node, key) for part in parts], place))


@of_arrays
def tile(x: Array, repetitions: int | Sequence[int], /) -> Array:
    """The array repeated as a block.

    ``repetitions``: the number of repetitions along each axis. If it is shorter than the shape, or the shape is
    shorter, the shorter one is extended by leading ones. ValueError for negative numbers. Source: standard, ``tile``.
    """
    times = tuple(_integer(n, "tile", "a repetition") for n in _several(repetitions))
    ndim = max(x.ndim, len(times))
    times = (1,) * (ndim - len(times)) + times
    if any(n < 0 for n in times):
        raise ValueError(f"tile: repetitions {repetitions}; allowed: 0 or more")
    shape = (1,) * (ndim - x.ndim) + x.shape
    doubled = tuple(n for pair in zip(times, shape, strict=True) for n in pair)
    ones = tuple(n for own in shape for n in (1, own))
    return reshape(
        broadcast_to(reshape(x, ones), doubled), tuple(a * b for a, b in zip(times, shape, strict=True)), copy=True
    )


@of_arrays
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """A tuple of the sub-arrays along an axis, as views. Source: standard, ``unstack``."""
    place = normalize_axis(axis, x.ndim, "unstack")
    key = (slice(None),) * place
    return tuple(x[(*key, k)] for k in range(x.shape[place]))
