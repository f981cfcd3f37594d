"""Adding and removing elements: extensions with NumPy's names and arguments.

Kept and inserted elements are views that are copied one after the other to the new array: nothing else is allocated,
and each element is copied once. If there would be too many views, the elements are gathered by index instead.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, is_integral
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..standard.creation_functions import asarray, on_device_of, ones, zeros
from ..standard.data_type_functions import astype
from ..standard.elementwise_functions import logical_not
from ..standard.manipulation_functions import broadcast_to, concat, expand_dims, moveaxis, reshape

__all__ = ["delete", "insert", "resize"]

HostArray = np.ndarray[Any, Any]

PIECES = 16  # the most views that are copied one after the other: each takes a launch


@of_arrays
def delete(arr: Array, obj: Array | Any, /, axis: int | None = None) -> Array:
    """Copy an array without some elements or sub-arrays.

    Parameters
    ----------
    arr : Array
        The array.
    obj : int, slice, sequence of int or Array
        The indices to leave out along the axis, or a mask as long as the axis.
    axis : int, optional
        The axis; by default the array is flattened first.

    Returns
    -------
    Array
        The remaining elements.

    Raises
    ------
    IndexError
        For integers out of bounds, and for indices that are not integers.
    ValueError
        For a mask of another shape.

    See Also
    --------
    insert : Copy with additional elements.

    References
    ----------
    NumPy, ``delete``.

    Examples
    --------
    >>> xp.delete(xp.asarray([[1, 2, 3], [4, 5, 6]]), 1, axis=1).tolist()
    [[1, 3], [4, 6]]
    """
    x, place = _along("delete", arr, axis)
    n = x.shape[place]
    if isinstance(obj, Array) and obj.ndim:
        return x[_key(place, _kept_on_device(obj, n, x))]
    keep = np.ones(n, np.bool_)
    keep[_places("delete", obj, n, n - 1)] = False
    edges = np.flatnonzero(np.diff(keep, prepend=False, append=False)).tolist()
    if len(edges) > 2 * PIECES:
        return x[_key(place, asarray(keep, device=x.device))]
    runs = [slice(*pair) for pair in zip(edges[::2], edges[1::2], strict=True)]
    return _joined([x[_key(place, run)] for run in runs or [slice(0)]], place)


@of_arrays
def insert(arr: Array, obj: Array | Any, values: Array | Any, /, axis: int | None = None) -> Array:
    """Copy an array with values inserted before indices of an axis.

    Parameters
    ----------
    arr : Array
        The array.
    obj : int, slice, sequence of int or Array
        The indices in ``arr``, or a mask; the length of the axis is its end. Before one index, all of ``values`` along
        the axis are inserted; before each of several indices one, in order for equal indices.
    values : Array or scalar
        The values, which are cast to the dtype of ``arr`` and broadcast over its other axes.
    axis : int, optional
        The axis; by default the array is flattened first.

    Returns
    -------
    Array
        The longer array.

    Raises
    ------
    IndexError
        For indices out of bounds, and for indices that are not integers.
    ValueError
        For ``obj`` of more than one dimension, and for values that do not broadcast.

    See Also
    --------
    delete : Copy without some elements.

    References
    ----------
    NumPy, ``insert``.

    Examples
    --------
    >>> print(xp.insert(xp.asarray([1, 2, 3]), [1, 3], [9, 8]))
    [1 9 2 3 8]
    """
    x, place = _along("insert", arr, axis)
    n = x.shape[place]
    before = _places("insert", obj, n, n)
    if before.ndim > 1:
        raise ValueError(f"insert: got indices of shape {before.shape}; allowed: an integer, or one dimension of them")
    given = astype(on_device_of(x, values, "insert", x.dtype), x.dtype, copy=False)
    if before.size == 1:
        given = reshape(given, (1,) * (x.ndim - given.ndim) + given.shape)
        if before.ndim == 0:
            given = moveaxis(given, 0, place)
        given = broadcast_to(given, (*x.shape[:place], given.shape[place], *x.shape[place + 1 :]))
        at = int(before.item())
        return _joined([x[_key(place, slice(at))], given, x[_key(place, slice(at, None))]], place)
    given = broadcast_to(given, (*x.shape[:place], before.size, *x.shape[place + 1 :]))
    order = np.argsort(before, kind="stable")
    ends = before[order].tolist()
    if 2 * len(ends) + 1 <= PIECES:
        pieces = []
        for start, end, k in zip([0, *ends], [*ends, n], [*order.tolist(), None], strict=True):
            pieces.append(x[_key(place, slice(start, end))])
            if k is not None:
                pieces.append(given[_key(place, slice(k, k + 1))])
        return _joined(pieces, place)
    new = before.copy()
    new[order] += np.arange(before.size)
    old = np.ones(n + before.size, np.bool_)
    old[new] = False
    if not n:
        return given[_key(place, asarray(order, device=x.device))]
    found = x[_key(place, asarray((np.cumsum(old) - 1).clip(0), device=x.device))]
    found[_key(place, asarray(new, device=x.device))] = given
    return found


@of_arrays
def resize(a: Array, /, new_shape: int | tuple[int, ...]) -> Array:
    """Copy the elements into a new shape, repeated as often as necessary.

    The elements are those in C order, so they do not keep their indices; `pad` and slices keep them.

    Parameters
    ----------
    a : Array
        The array.
    new_shape : int or tuple of int
        The shape of the result.

    Returns
    -------
    Array
        The elements, repeated from the beginning; zeros if ``a`` is empty.

    Raises
    ------
    ValueError
        For negative lengths.

    See Also
    --------
    reshape : The same number of elements in another shape.

    References
    ----------
    NumPy, ``resize``.

    Examples
    --------
    >>> xp.resize(xp.asarray([1, 2, 3]), (2, 4)).tolist()
    [[1, 2, 3, 1], [2, 3, 1, 2]]
    """
    shape = tuple(map(operator.index, new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)))
    if any(n < 0 for n in shape):
        raise ValueError(f"resize: got new_shape={new_shape!r}; allowed: extents >= 0")
    size = int(np.prod(shape, dtype=object))
    if not a.size or not size:
        return zeros(shape, dtype=a.dtype, device=a.device)
    x = reshape(a, (-1,))
    times, rest = divmod(size, a.size)
    if times + (rest > 0) <= PIECES:
        return reshape(_joined([*[x] * times, x[:rest]][: times + (rest > 0)], 0), shape)
    rows = broadcast_to(
        expand_dims(x, axis=0), (times + (rest > 0), a.size)
    )  # at most a sixteenth more elements than necessary
    return reshape(reshape(rows, (-1,), copy=True)[:size], shape)


def _along(name: str, x: Array, axis: int | None) -> tuple[Array, int]:
    """The array and the axis; the flattened array and 0 if the axis is None."""
    return (reshape(x, (-1,)), 0) if axis is None else (x, normalize_axis(axis, x.ndim, name))


def _key(axis: int, key: Any) -> tuple[Any, ...]:
    """A key with ``key`` for one axis and all elements of the axes before it."""
    return (*[slice(None)] * axis, key)


def _places(name: str, obj: Any, n: int, last: int) -> HostArray:
    """The indices from 0 to ``last`` that an index selects of an axis of ``n`` elements. IndexError out of bounds."""
    if isinstance(obj, slice):
        return np.arange(*obj.indices(n))
    found = obj.to_numpy() if isinstance(obj, Array) else np.asarray(obj)
    if found.dtype == bool:
        _check_mask(name, found.shape, n)
        return np.flatnonzero(found)
    if found.size and not is_integral(found.dtype):
        raise IndexError(f"{name}: got indices of {found.dtype}; allowed: integers, a slice, or a mask; use astype")
    for extreme in (found.min(), found.max()) if found.size else ():
        if not -n <= extreme <= last:
            raise _outside(name, int(extreme), n, last)
    places = found.astype(np.int64)
    return np.where(places < 0, places + n, places)


def _kept_on_device(obj: Array, n: int, x: Array) -> Array:
    """The mask of the elements that an index array on the device does not select."""
    if obj.dtype in BOOLEAN:
        _check_mask("delete", obj.shape, n)
        return logical_not(obj)
    if obj.dtype not in INTEGRAL:
        raise IndexError(f"delete: got indices of {obj.dtype}; allowed: integers, a slice, or a mask; use astype")
    keep = ones((n,), dtype=DTYPE_OF["b8"], device=x.device)
    keep[obj] = False
    return keep


def _check_mask(name: str, shape: tuple[int, ...], n: int) -> None:
    if shape != (n,):
        raise ValueError(f"{name}: got a mask of shape {shape}; allowed: ({n},), as long as the axis")


def _outside(name: str, came: int, n: int, last: int) -> IndexError:
    return IndexError(f"{name}: got index {came}; allowed: {-n} to {last}, for an axis of {n} elements")


def _joined(pieces: list[Array], axis: int) -> Array:
    """The pieces joined along an axis, as a copy even of a single piece."""
    filled = [piece for piece in pieces if piece.shape[axis]] or pieces[:1]
    return filled[0].copy() if len(filled) == 1 else concat(filled, axis=axis)
