"""Searching functions (standard, chapter "Searching functions")."""

from __future__ import annotations

from typing import Literal, overload

from ... import lazy
from ...kernels.core.monoid import ARGMAX, ARGMIN, SUM, Monoid
from ...kernels.ordering.search import searchsorted as search_kernel
from ...lazy import constant, handle, leaf, reduction
from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF, REAL_FLOATING, fit, holds, promote
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays, with_numpys_options
from ..core.array_object import Array, node_of, operand
from ..core.host_values import Scalar
from .statistical_functions import Axis, axes_of

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]


def _position(monoid: Monoid, x: Array, axis: int | None, keepdims: bool) -> Array:
    if x.dtype in COMPLEX_FLOATING:
        raise TypeError(
            f"{monoid.name}: got {x.dtype}; allowed: real dtypes, complex numbers have no order; use abs(x) or real(x)"
        )
    axes = axes_of(None, x.ndim, monoid.name) if axis is None else (normalize_axis(axis, x.ndim, monoid.name),)
    if not axes:
        return handle(Array, constant(0, INT64, (), x.device))
    return handle(Array, reduction(monoid, x._node, axes, keepdims, INT64))


@with_numpys_options
def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the index of the largest element along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype that is not complex.
    axis : int or None
        The axis. None takes all elements in C order, in which the last index changes fastest.
    keepdims : bool
        Whether to keep the axis, or all axes, with extent 1.

    Returns
    -------
    Array
        Indices of int64: those of the first of equal elements, or of the first NaN.

    Raises
    ------
    TypeError
        For complex dtypes.
    ValueError
        If there are no elements, or if `axis` is out of bounds.

    See Also
    --------
    argmin, max, argsort

    References
    ----------
    Array API standard, chapter "Searching functions": ``argmax``.

    Examples
    --------
    >>> x = xp.asarray([[1, 5, 2], [7, 0, 7]])
    >>> print(xp.argmax(x, axis=1))
    [1 0]
    >>> int(xp.argmax(x))
    3
    """
    return _position(ARGMAX, x, axis, keepdims)


@with_numpys_options
def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Return the index of the smallest element along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype that is not complex.
    axis : int or None
        The axis. None takes all elements in C order, in which the last index changes fastest.
    keepdims : bool
        Whether to keep the axis, or all axes, with extent 1.

    Returns
    -------
    Array
        Indices of int64: those of the first of equal elements, or of the first NaN.

    Raises
    ------
    TypeError
        For complex dtypes.
    ValueError
        If there are no elements, or if `axis` is out of bounds.

    See Also
    --------
    argmax, min, argsort

    References
    ----------
    Array API standard, chapter "Searching functions": ``argmin``.

    Examples
    --------
    >>> x = xp.asarray([[1, 5, 2], [7, 0, 7]])
    >>> print(xp.argmin(x, axis=1))
    [0 1]
    >>> int(xp.argmin(x))
    4
    """
    return _position(ARGMIN, x, axis, keepdims)


@of_arrays
def count_nonzero(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Count the elements that are not zero.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes to count along. None counts all elements.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Counts of int64.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    nonzero, sum

    References
    ----------
    Array API standard, chapter "Searching functions": ``count_nonzero``.

    Examples
    --------
    >>> x = xp.asarray([[0, 1, 2], [0, 0, 3]])
    >>> int(xp.count_nonzero(x))
    3
    >>> print(xp.count_nonzero(x, axis=0))
    [0 1 2]
    """
    node = lazy.astype(lazy.astype(x._node, BOOL), INT64)
    return handle(Array, reduction(SUM, node, axes_of(axis, x.ndim, "count_nonzero"), keepdims, INT64))


@of_arrays
def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Return the indices of the elements that are not zero.

    The number of results depends on the values, so this computes `x`.

    Parameters
    ----------
    x : Array
        An array of any dtype, of 1 dimension or more.

    Returns
    -------
    tuple of Array
        For each axis the indices, of int64, in C order of the elements.

    Raises
    ------
    ValueError
        If `x` has 0 dimensions.

    See Also
    --------
    where, count_nonzero, take

    References
    ----------
    Array API standard, chapter "Searching functions": ``nonzero``.

    Examples
    --------
    >>> rows, columns = xp.nonzero(xp.asarray([[0, 1], [2, 3]]))
    >>> print(rows)
    [0 1 1]
    >>> print(columns)
    [1 0 1]
    """
    if x.ndim == 0:
        raise ValueError("nonzero: the array has 0 dimensions; allowed: 1 or more; use reshape(x, (1,))")
    return tuple(handle(Array, leaf(a)) for a in lazy.nonzero(lazy.astype(x._node, BOOL)))


@of_arrays
def searchsorted(
    x1: Array, x2: Array | float, /, *, side: Literal["left", "right"] = "left", sorter: Array | None = None
) -> Array:
    """Return the positions at which elements have to be inserted into a sorted array.

    Parameters
    ----------
    x1 : Array
        The sorted array, of 1 dimension and of any dtype that is not complex.
    x2 : Array, int or float
        The elements to insert.
    side : {"left", "right"}
        The position among equal elements: before them, or after them.
    sorter : Array or None
        The integers that sort `x1`, if it is not sorted.

    Returns
    -------
    Array
        Positions of int64, of the shape of `x2`.

    Raises
    ------
    OverflowError
        If a Python integer is too large for any dtype.
    TypeError
        For complex dtypes.
    ValueError
        If `x1` does not have 1 dimension, or for another `side`.

    See Also
    --------
    sort, isin

    References
    ----------
    Array API standard, chapter "Searching functions": ``searchsorted``.

    Examples
    --------
    >>> x = xp.asarray([10, 20, 20, 30])
    >>> print(xp.searchsorted(x, xp.asarray([5, 20, 25])))
    [0 1 3]
    >>> print(xp.searchsorted(x, xp.asarray([5, 20, 25]), side="right"))
    [0 3 3]
    """
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: x1 has shape {x1.shape}; allowed: 1 dimension; use reshape(x1, (-1,))")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side={side!r}; allowed: 'left', 'right'")
    same = not isinstance(x2, float) or x1.dtype in REAL_FLOATING  # kinds; integers are compared with floats as floats
    if same and not isinstance(x2, Array) and not hasattr(x2, "dtype") and holds(x2, x1.dtype):
        values, dtype = constant(fit(x2, x1.dtype), x1.dtype, (), x1.device), x1.dtype
    else:
        other = operand(x1.device, x2, "searchsorted")
        values = other if isinstance(x2, Array) else node_of(x2, x1.device, "searchsorted")
        values = lazy.on_device("searchsorted", values, x1.device)
        dtype = promote(x1.dtype, values.dtype)
    if dtype in COMPLEX_FLOATING:
        raise TypeError(
            f"searchsorted: got {dtype}; allowed: real dtypes, complex numbers have no order; use abs(x) or real(x)"
        )
    source = x1 if sorter is None else x1[sorter]
    found = search_kernel(lazy.read(lazy.astype(source._node, dtype)), lazy.read(lazy.astype(values, dtype)), side)
    return handle(Array, leaf(found))


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...
@overload
def where(condition: Array, x1: Array | Scalar, x2: Array | Scalar, /) -> Array: ...
@of_arrays
def where(
    condition: Array, x1: Array | Scalar | None = None, x2: Array | Scalar | None = None, /
) -> Array | tuple[Array, ...]:
    """Choose elements from two arrays by a condition.

    With the condition alone, this is `nonzero`.

    Parameters
    ----------
    condition : Array
        An array of bool.
    x1 : Array or number
        The elements where the condition is true.
    x2 : Array or number
        The elements where it is false.

    Returns
    -------
    Array or tuple of Array
        An array of the shape to which all three broadcast, and of the dtype to which `x1` and `x2` promote. With the
        condition alone, the tuple of `nonzero`.

    Raises
    ------
    TypeError
        If there are two operands and the condition is not of bool, or if an operand is neither an array nor a number.
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    nonzero, clip, maximum

    References
    ----------
    Array API standard, chapter "Searching functions": ``where``.

    Examples
    --------
    >>> x = xp.asarray([-2, 3, -4])
    >>> print(xp.where(x > 0, x, 0))
    [0 3 0]
    """
    if x1 is None and x2 is None:
        return nonzero(condition)
    if type(x1) is Array and type(x2) is Array:
        return handle(Array, lazy.where(condition._node, x1._node, x2._node))
    device = condition.device
    a, b = operand(device, x1, "where"), operand(device, x2, "where")
    if a is NotImplemented or b is NotImplemented:
        came = type(x1 if a is NotImplemented else x2).__name__
        raise TypeError(f"where: got {came}; allowed: arrays, Python and NumPy scalars; use asarray")
    if not hasattr(a, "dtype") and not hasattr(b, "dtype"):
        a = node_of(a, device)
    return handle(Array, lazy.where(condition._node, a, b))
