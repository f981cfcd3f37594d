"""Sorting functions (standard, chapter "Sorting functions")."""

from __future__ import annotations

from ...lazy import handle, selected_along, sorted_along
from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays
from ..core.array_object import Array
from .creation_functions import arange, asarray
from .indexing_functions import take

__all__ = ["argsort", "sort"]


def _axis(name: str, x: Array, axis: int) -> int:
    node = x._node
    if node.dtype in COMPLEX_FLOATING:
        raise TypeError(
            f"{name}: got {x.dtype}; allowed: real dtypes, complex numbers have no order; use abs(x) or real(x)"
        )
    return normalize_axis(axis, len(node.shape), name)


@of_arrays
def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the indices that sort an array along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype that is not complex. NaN comes last.
    axis : int
        The axis.
    descending : bool
        Whether the largest element comes first.
    stable : bool
        Has no effect: equal elements always keep their order.

    Returns
    -------
    Array
        Indices of int64, of the shape of `x`.

    Raises
    ------
    TypeError
        For complex dtypes.
    ValueError
        If `axis` is out of bounds.

    See Also
    --------
    sort, argmax, take_along_axis

    References
    ----------
    Array API standard, chapter "Sorting functions": ``argsort``.

    Examples
    --------
    >>> x = xp.asarray([30, 10, 20])
    >>> print(xp.argsort(x))
    [1 2 0]
    >>> print(xp.argsort(x, descending=True))
    [0 2 1]
    """
    place = _axis("argsort", x, axis)
    return handle(Array, sorted_along(x._node, place, descending, positions=True))


@of_arrays
def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return a sorted copy of an array.

    Parameters
    ----------
    x : Array
        An array of any dtype that is not complex. NaN comes last.
    axis : int
        The axis to sort along.
    descending : bool
        Whether the largest element comes first.
    stable : bool
        Has no effect: equal elements always keep their order.

    Returns
    -------
    Array
        An array of the shape and dtype of `x`.

    Raises
    ------
    TypeError
        For complex dtypes.
    ValueError
        If `axis` is out of bounds.

    See Also
    --------
    argsort, searchsorted, topk

    References
    ----------
    Array API standard, chapter "Sorting functions": ``sort``.

    Examples
    --------
    >>> print(xp.sort(xp.asarray([30.0, xp.nan, 10.0, 20.0])))
    [10. 20. 30. nan]
    >>> print(xp.sort(xp.asarray([[2, 1], [0, 3]]), axis=0, descending=True))
    [[2 3]
     [0 1]]
    """
    place = _axis("sort", x, axis)
    return handle(Array, sorted_along(x._node, place, descending))


def at_places(
    name: str,
    x: Array,
    places: tuple[int, ...] | range,
    axis: int = -1,
    descending: bool = False,
    positions: bool = False,
) -> Array:
    """The elements at some places of the order along an axis, or, if ``positions``, their indices in the array.

    ``name``: of the function that errors name. ``places``: in ascending order; of indices the first ones.
    """
    place = _axis(name, x, axis)
    node = selected_along(x._node, place, descending, positions, places)
    if node is not None:
        return handle(Array, node)
    ordered = argsort(x, axis=place, descending=descending) if positions else sort(x, axis=place, descending=descending)
    if positions:
        return take(ordered, arange(len(places), device=x.device), axis=place)
    return take(ordered, asarray(places, dtype=DTYPE_OF["i64"], device=x.device), axis=place)
