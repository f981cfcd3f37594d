"""Indexing functions (standard, chapter "Indexing functions")."""

from __future__ import annotations

from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays, refused
from ..core.array_object import Array
from .creation_functions import arange
from .manipulation_functions import reshape

__all__ = ["take", "take_along_axis"]


@of_arrays
def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Select positions along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    indices : Array
        The positions, a 1-dimensional array of integers. Negative ones count from the end.
    axis : int or None
        The axis. It may be None if `x` has 1 dimension.

    Returns
    -------
    Array
        A copy of the elements, of the dtype of `x`. Its extent along the axis is the number of indices.

    Raises
    ------
    IndexError
        If an index is out of bounds.
    ValueError
        If `axis` is None and `x` does not have 1 dimension.

    See Also
    --------
    take_along_axis, nonzero

    References
    ----------
    Array API standard, chapter "Indexing functions": ``take``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> print(xp.take(x, xp.asarray([2, 0]), axis=1))
    [[3 1]
     [6 4]]
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: the array has {x.ndim} axes; allowed without axis: 1; give axis=")
        axis = 0
    place = normalize_axis(axis, x.ndim, "take")
    return x[(*(slice(None),) * place, indices)]


@of_arrays
def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Select elements along an axis, with other indices for each row.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    indices : Array
        Integers, with as many axes as `x`; axes other than `axis` must broadcast. Negative ones count from the end.
    axis : int
        The axis.

    Returns
    -------
    Array
        A copy of the elements, of the dtype of `x`.

    Raises
    ------
    IndexError
        If an index is out of bounds.
    ValueError
        If the numbers of axes differ.

    See Also
    --------
    take, argsort

    References
    ----------
    Array API standard, chapter "Indexing functions": ``take_along_axis``.

    Examples
    --------
    >>> x = xp.asarray([[30, 10, 20], [5, 6, 4]])
    >>> print(xp.take_along_axis(x, xp.argsort(x), axis=-1))
    [[10 20 30]
     [ 4  5  6]]
    """
    return x[along("take_along_axis", x, indices, axis)]


def along(name: str, x: Array, indices: Array, axis: int) -> tuple[Array, ...]:
    """The key that selects the elements of ``x`` at ``indices`` along an axis; their other axes broadcast."""
    place = normalize_axis(axis, x.ndim, name)
    if not isinstance(indices, Array):
        raise refused(name, indices)
    if indices.ndim != x.ndim:
        raise ValueError(
            f"{name}: got indices with {indices.ndim} axes; allowed: {x.ndim}, as many as the array has; use "
            "expand_dims"
        )
    key = []
    for k, n in enumerate(x.shape):
        if k == place:
            key.append(indices)
        else:
            shape = tuple(n if axis_ == k else 1 for axis_ in range(x.ndim))
            key.append(reshape(arange(n, device=x.device), shape))
    return tuple(key)
