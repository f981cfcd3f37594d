"""Manipulation functions (standard, chapter "Manipulation functions").

`reshape`, `permute_dims`, `flip`, `squeeze`, `expand_dims`, `moveaxis`, `broadcast_to` and `unstack` return views: they
change the layout, not the memory. Only `reshape` copies if strides do not allow a view.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import lazy
from ...kernels.core.ops import OPS
from ...lazy import handle, index_along
from ...memory import layout as layouts
from ...memory.dtypes import is_discrete
from ...memory.layout import normalize_axes, normalize_axis
from ..core import indexing, viewing
from ..core.arguments import integer, of_arrays
from ..core.array_object import Array

__all__ = [
    "broadcast_arrays", "broadcast_shapes", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims",
    "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
]  # fmt: skip

Axis = int | tuple[int, ...] | None


@of_arrays
def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Broadcast arrays to their common shape.

    Parameters
    ----------
    *arrays : Array
        Arrays of any dtypes, whose shapes broadcast.

    Returns
    -------
    tuple of Array
        Read-only views of the common shape; the arrays themselves if all have that shape.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    broadcast_to, broadcast_shapes

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``broadcast_arrays``.

    Examples
    --------
    >>> x, y = xp.broadcast_arrays(xp.asarray([1, 2]), xp.asarray([[3], [4]]))
    >>> print(x)
    [[1 2]
     [1 2]]
    >>> print(y)
    [[3 3]
     [4 4]]
    """
    shape = layouts.broadcast_shapes(*[array.shape for array in arrays])
    if all(array.shape == shape for array in arrays):
        return arrays
    return tuple(broadcast_to(array, shape) for array in arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which shapes broadcast.

    Parameters
    ----------
    *shapes : tuple of int
        The shapes.

    Returns
    -------
    tuple of int
        Their common shape.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    broadcast_arrays

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``broadcast_shapes``.

    Examples
    --------
    >>> xp.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return layouts.broadcast_shapes(*[tuple(shape) for shape in shapes])


@of_arrays
def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """Broadcast an array to a shape.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    shape : tuple of int
        The shape of the result.

    Returns
    -------
    Array
        A read-only view of that shape.

    Raises
    ------
    ValueError
        If the array does not broadcast to the shape.

    See Also
    --------
    broadcast_arrays, expand_dims

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``broadcast_to``.

    Examples
    --------
    >>> print(xp.broadcast_to(xp.asarray([1, 2, 3]), (2, 3)))
    [[1 2 3]
     [1 2 3]]
    """
    return viewing.broadcast_to(x, shape)


@of_arrays
def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of Array
        One or more arrays, whose shapes differ along `axis` alone. If `axis` is None, they may have any shapes.
    axis : int or None
        The axis. None flattens the arrays first.

    Returns
    -------
    Array
        An array of the dtype to which those of `arrays` promote.

    Raises
    ------
    ValueError
        If there are no arrays, if other extents differ, or if `axis` is out of bounds.

    See Also
    --------
    stack, tile

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``concat``.

    Examples
    --------
    >>> print(xp.concat([xp.asarray([1, 2]), xp.asarray([3])]))
    [1 2 3]
    >>> print(xp.concat([xp.asarray([[1], [2]]), xp.asarray([[3], [4]])], axis=1))
    [[1 3]
     [2 4]]
    """
    nodes = [part._node for part in arrays]
    if not nodes:
        raise ValueError("concat: got no arrays; allowed: one or more; use empty for an empty array")
    if axis is None:
        nodes, axis = [reshape(part, (-1,))._node for part in arrays], 0
    return handle(Array, lazy.concat(nodes, normalize_axis(axis, len(nodes[0].shape), "concat")))


@of_arrays
def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array:
    """Insert axes of extent 1.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int or tuple of int
        The positions of the new axes in the result.

    Returns
    -------
    Array
        A view with the new axes.

    Raises
    ------
    IndexError
        If a position is out of bounds.
    ValueError
        If a position is repeated.

    See Also
    --------
    squeeze, reshape

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``expand_dims``.

    Examples
    --------
    >>> x = xp.asarray([1, 2, 3])
    >>> xp.expand_dims(x).shape
    (1, 3)
    >>> xp.expand_dims(x, axis=(0, -1)).shape
    (1, 3, 1)
    """
    return viewing.expanded(x, axis)


@of_arrays
def flip(x: Array, /, *, axis: Axis = None) -> Array:
    """Reverse the order of elements along axes.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None reverses all.

    Returns
    -------
    Array
        A view of the same shape.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    roll

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``flip``.

    Examples
    --------
    >>> print(xp.flip(xp.asarray([[1, 2], [3, 4]]), axis=1))
    [[2 1]
     [4 3]]
    """
    return viewing.flipped(x, axis)


@of_arrays
def moveaxis(x: Array, source: int | Sequence[int], destination: int | Sequence[int], /) -> Array:
    """Move axes to other positions.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    source : int or sequence of int
        The axes to move.
    destination : int or sequence of int
        Their positions in the result, as many as there are axes to move. The other axes keep their order.

    Returns
    -------
    Array
        A view with the axes in the new order.

    Raises
    ------
    ValueError
        If the numbers of axes and positions differ, or if one of them is out of bounds or repeated.

    See Also
    --------
    permute_dims, matrix_transpose

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``moveaxis``.

    Examples
    --------
    >>> xp.moveaxis(xp.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    one, two = viewing.several(source), viewing.several(destination)
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
    """Change the order of axes.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axes : tuple of int
        For each axis of the result, the axis of `x`.

    Returns
    -------
    Array
        A view with the axes in that order.

    Raises
    ------
    ValueError
        If axes are missing, repeated or out of bounds.

    See Also
    --------
    moveaxis, matrix_transpose

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``permute_dims``.

    Examples
    --------
    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return indexing.permuted(x, axes)


@of_arrays
def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Repeat each element several times in a row.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    repeats : int or Array
        The number of repetitions, or an array with one integer for each position along `axis`.
    axis : int or None
        The axis along which positions are repeated. None flattens the array first.

    Returns
    -------
    Array
        An array of the dtype of `x`; its shape differs from that of `x` along `axis`.

    Raises
    ------
    TypeError
        If `repeats` are not integers.
    ValueError
        If a number is negative, or if there are neither one nor as many as positions.

    See Also
    --------
    tile, concat

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``repeat``.

    Examples
    --------
    >>> x = xp.asarray([1, 2, 3])
    >>> print(xp.repeat(x, 2))
    [1 1 2 2 3 3]
    >>> print(xp.repeat(x, xp.asarray([0, 1, 3])))
    [2 3 3 3]
    """
    if axis is None:
        x, axis = x if x.ndim == 1 else reshape(x, (-1,)), 0
    place = normalize_axis(axis, x.ndim, "repeat")
    n = x.shape[place]
    key = (slice(None),) * place
    if isinstance(repeats, (int, float, complex, np.integer)):
        repeats = integer("repeat", "repeats", repeats)
        if repeats < 0:
            raise ValueError(f"repeat: repeats is {repeats}; allowed: 0 or more")
        side_by_side = repeats * layouts.size(x.shape[place + 1 :])
        if side_by_side >= x.device.lanes or n == x.size:  # otherwise all rows share one array of gather indices
            return viewing.repeated(x, repeats, place)
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
    """Give an array another shape; the elements keep their C order, in which the last index changes fastest.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    shape : tuple of int
        The new shape. One extent may be -1; it is computed from the others.
    copy : bool or None
        Whether to copy. None copies only if no view of the memory has that shape.

    Returns
    -------
    Array
        A view of `x` if possible, otherwise a copy.

    Raises
    ------
    ValueError
        If the numbers of elements differ, or if `copy` is False and a copy is necessary.

    See Also
    --------
    expand_dims, squeeze, Array.ravel

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``reshape``.

    Examples
    --------
    >>> print(xp.reshape(xp.arange(6), (2, -1)))
    [[0 1 2]
     [3 4 5]]
    """
    return viewing.reshaped(x, shape, copy)


@of_arrays
def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: Axis = None) -> Array:
    """Shift elements cyclically along axes.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    shift : int or tuple of int
        The number of positions by which elements move, or one number for each axis.
    axis : int, tuple of int or None
        The axes. None shifts the flattened array and restores its shape.

    Returns
    -------
    Array
        An array of the same shape and dtype.

    Raises
    ------
    TypeError
        If shifts are not integers.
    ValueError
        If there are several shifts, but not as many axes.

    See Also
    --------
    flip, fft.fftshift

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``roll``.

    Examples
    --------
    >>> print(xp.roll(xp.asarray([1, 2, 3, 4]), 1))
    [4 1 2 3]
    >>> print(xp.roll(xp.asarray([[1, 2], [3, 4], [5, 6]]), -1, axis=0))
    [[3 4]
     [5 6]
     [1 2]]
    """
    return viewing.rolled(x, shift, axis)


@of_arrays
def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """Remove axes of extent 1.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes to remove. None removes all axes of extent 1.

    Returns
    -------
    Array
        A view without these axes.

    Raises
    ------
    ValueError
        If one of the axes has another extent, or is out of bounds.

    See Also
    --------
    expand_dims, reshape

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``squeeze``.

    Examples
    --------
    >>> xp.squeeze(xp.zeros((1, 3, 1)), axis=0).shape
    (3, 1)
    >>> xp.squeeze(xp.zeros((1, 3, 1))).shape
    (3,)
    """
    return viewing.squeezed(x, axis)


@of_arrays
def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of Array
        One or more arrays of one shape.
    axis : int
        The position of the new axis in the result.

    Returns
    -------
    Array
        An array with one more axis, of the dtype to which those of `arrays` promote.

    Raises
    ------
    ValueError
        If there are no arrays, if shapes differ, or if `axis` is out of bounds.

    See Also
    --------
    concat, unstack

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``stack``.

    Examples
    --------
    >>> x, y = xp.asarray([1, 2]), xp.asarray([3, 4])
    >>> print(xp.stack([x, y]))
    [[1 2]
     [3 4]]
    >>> print(xp.stack([x, y], axis=1))
    [[1 3]
     [2 4]]
    """
    parts = list(arrays)
    if not parts:
        raise ValueError("stack: got no arrays; allowed: one or more")
    nodes = [part._node for part in parts]
    if len({node.shape for node in nodes}) > 1:
        raise ValueError(f"stack: shapes {[node.shape for node in nodes]}; allowed: one shape; use broadcast_arrays")
    place = normalize_axis(axis, parts[0].ndim + 1, "stack")
    found = lazy.stacked(nodes, place)
    if found is None:
        key = (*(slice(None),) * place, None)
        found = lazy.concat([indexing.indexed(node, key) for node in nodes], place)
    return handle(Array, found)


@of_arrays
def tile(x: Array, repetitions: int | Sequence[int], /) -> Array:
    """Repeat a whole array along its axes.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    repetitions : int or sequence of int
        The number of repetitions along each axis. Missing numbers, and missing axes of `x`, are 1 and come first.

    Returns
    -------
    Array
        An array of the dtype of `x`, whose extents are those of `x` times `repetitions`.

    Raises
    ------
    TypeError
        If `repetitions` are not integers.
    ValueError
        If a number is negative.

    See Also
    --------
    repeat, broadcast_to

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``tile``.

    Examples
    --------
    >>> print(xp.tile(xp.asarray([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    return viewing.tiled(x, repetitions)


@of_arrays
def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Split an array along an axis into arrays without that axis.

    Parameters
    ----------
    x : Array
        An array of any dtype, of 1 dimension or more.
    axis : int
        The axis.

    Returns
    -------
    tuple of Array
        Views, as many as the extent of the axis.

    Raises
    ------
    ValueError
        If `axis` is out of bounds.

    See Also
    --------
    stack

    References
    ----------
    Array API standard, chapter "Manipulation functions": ``unstack``.

    Examples
    --------
    >>> x, y = xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    >>> print(y)
    [3 4]
    """
    place = normalize_axis(axis, x.ndim, "unstack")
    key = (slice(None),) * place
    return tuple(x[(*key, k)] for k in range(x.shape[place]))
