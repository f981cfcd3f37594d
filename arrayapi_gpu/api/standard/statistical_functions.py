"""Statistical functions (standard, chapter "Statistical functions").

A reduction computes its operand's pending expression in its own kernel: ``sum(x * y + 1)`` is one launch. Means and
variances are expressions of reductions.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ... import lazy
from ...kernels.core.monoid import ALL, ANY, MAX, MIN, PROD, SUM, Monoid
from ...kernels.core.ops import OPS
from ...lazy import Node, cumulative, handle, reduction
from ...memory.dtypes import (
    ACCUMULATOR,
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPONENT,
    DTYPE_OF,
    FLOATING,
    DType,
    as_dtype,
    check_cast,
)
from ...memory.layout import normalize_axes, normalize_axis, size
from ..core.arguments import of_arrays, supported, with_numpys_options
from ..core.array_object import Array
from .data_type_functions import astype
from .manipulation_functions import reshape

__all__ = ["cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"]

Axis = int | tuple[int, ...] | None
INT64, FLOAT64 = DTYPE_OF["i64"], DTYPE_OF["f64"]


def axes_of(axis: Axis, ndim: int, name: str) -> tuple[int, ...]:
    """The axes as a sorted tuple; all of them for None."""
    return _all_axes(ndim) if axis is None else tuple(sorted(normalize_axes(axis, ndim, name)))


def flat_by_default(a: Array, axis: int | None, name: str) -> tuple[Array, int]:
    """The array and its axis; without an axis, the flattened array and its axis."""
    return (reshape(a, (-1,)), 0) if axis is None else (a, normalize_axis(axis, a.ndim, name))


@cache
def _all_axes(ndim: int) -> tuple[int, ...]:
    return tuple(range(ndim))


def _accumulated(monoid: Monoid, x: Array, axis: Axis, dtype: Any, keepdims: bool) -> Array:
    node = x._node
    wanted = ACCUMULATOR[node.dtype] if dtype is None else supported(as_dtype(dtype), node.device)
    axes = axes_of(axis, len(node.shape), monoid.name)
    if wanted in BOOLEAN:  # sums of booleans are "any", products "all"
        monoid = {SUM: ANY, PROD: ALL}[monoid]
    return handle(Array, reduction(monoid, lazy.astype(node, wanted), axes, keepdims, wanted))


@with_numpys_options
def sum(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the sum of elements along axes.

    A sum of floats has the same bits in each run on one device. float16 is added in float32 and rounded once. NumPy's
    other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    dtype : dtype or None
        The dtype of the result, in which elements are added. None is int64 or uint64 for integers and booleans,
        otherwise the dtype of `x`.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Sums; 0 if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    cumulative_sum, mean, prod

    References
    ----------
    Array API standard, chapter "Statistical functions": ``sum``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> int(xp.sum(x))
    21
    >>> print(xp.sum(x, axis=0))
    [5 7 9]
    """
    return _accumulated(SUM, x, axis, dtype, keepdims)


@with_numpys_options
def prod(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the product of elements along axes.

    NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    dtype : dtype or None
        The dtype of the result, in which elements are multiplied. None is int64 or uint64 for integers and booleans,
        otherwise the dtype of `x`.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Products; 1 if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    cumulative_prod, sum

    References
    ----------
    Array API standard, chapter "Statistical functions": ``prod``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> print(xp.prod(x, axis=1))
    [  6 120]
    """
    return _accumulated(PROD, x, axis, dtype, keepdims)


def _extreme(monoid: Monoid, x: Array, axis: Axis, keepdims: bool) -> Array:
    if x.dtype in COMPLEX_FLOATING:
        raise TypeError(
            f"{monoid.name}: got {x.dtype}; allowed: real dtypes, complex numbers have no order; use abs(x) or real(x)"
        )
    if x.dtype in BOOLEAN and x.size:  # an empty array has no largest element, but an "any"
        monoid = {MIN: ALL, MAX: ANY}[monoid]
    return handle(Array, reduction(monoid, x._node, axes_of(axis, x.ndim, monoid.name), keepdims, x.dtype))


@with_numpys_options
def max(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the largest element along axes.

    NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype that is not complex.
    axis : int, tuple of int or None
        The axes. None takes all.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Elements of the dtype of `x`; NaN if one of the elements is NaN.

    Raises
    ------
    TypeError
        For complex dtypes.
    ValueError
        If there are no elements, or if an axis is out of bounds or repeated.

    See Also
    --------
    argmax, maximum, min

    References
    ----------
    Array API standard, chapter "Statistical functions": ``max``.

    Examples
    --------
    >>> x = xp.asarray([[1, 5, 2], [7, 0, 3]])
    >>> int(xp.max(x))
    7
    >>> print(xp.max(x, axis=1))
    [5 7]
    """
    return _extreme(MAX, x, axis, keepdims)


@with_numpys_options
def min(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Return the smallest element along axes.

    NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype that is not complex.
    axis : int, tuple of int or None
        The axes. None takes all.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Elements of the dtype of `x`; NaN if one of the elements is NaN.

    Raises
    ------
    TypeError
        For complex dtypes.
    ValueError
        If there are no elements, or if an axis is out of bounds or repeated.

    See Also
    --------
    argmin, minimum, max

    References
    ----------
    Array API standard, chapter "Statistical functions": ``min``.

    Examples
    --------
    >>> x = xp.asarray([[1, 5, 2], [7, 0, 3]])
    >>> int(xp.min(x))
    0
    >>> print(xp.min(x, axis=1))
    [1 0]
    """
    return _extreme(MIN, x, axis, keepdims)


def _count(x: Array, axes: tuple[int, ...]) -> int:
    shape = x._node.shape
    return size(shape) if len(axes) == len(shape) else size(tuple([shape[axis] for axis in axes]))


def _floating(dtype: DType) -> DType:
    """The floating-point dtype of a mean or variance of this dtype."""
    return dtype if dtype in FLOATING else FLOAT64


def in_dtype(name: str, x: Array, dtype: Any) -> Array:
    """The array in a floating-point dtype, if one is given (an extension, as in NumPy)."""
    if dtype is None:
        return x
    wanted = supported(as_dtype(dtype), x.device)
    if wanted not in FLOATING:
        raise TypeError(f"{name}: got dtype={wanted}; allowed: floating-point dtypes; convert the result with astype")
    check_cast(x.dtype, wanted)
    return handle(Array, lazy.astype(x._node, wanted))


@with_numpys_options
def mean(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the arithmetic mean of elements along axes.

    NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    dtype : dtype or None
        The floating-point dtype of the computation and the result (an extension). None is the dtype of `x`, or float64
        for integers and booleans.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Means; NaN if there are no elements.

    Raises
    ------
    TypeError
        If `dtype` is not a floating-point one.
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    sum, std, average, median

    References
    ----------
    Array API standard, chapter "Statistical functions": ``mean``.

    Examples
    --------
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 6.0]])
    >>> float(xp.mean(x))
    3.0
    >>> print(xp.mean(x, axis=0))
    [2. 4.]
    """
    x = in_dtype("mean", x, dtype)
    axes = axes_of(axis, x.ndim, "mean")
    total = lazy.total(x._node, axes, keepdims)
    return handle(Array, lazy.astype(lazy.over(total, _count(x, axes)), _floating(x.dtype)))


@with_numpys_options
def var(x: Array, /, *, axis: Axis = None, correction: float = 0.0, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the variance of elements along axes.

    This is the sum of squared distances from the mean, divided by the number of elements. A mean that is large against
    the distances does not cancel their digits. NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    correction : float
        The number to subtract from the number of elements before it divides the sum. 0 gives that of a population, 1
        the unbiased variance of a sample.
    dtype : dtype or None
        The floating-point dtype of the computation and the result (an extension). None is the dtype of `x`, or float64
        for integers and booleans.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Variances, real even if `x` is complex. They are infinite or NaN if there are not more elements than
        `correction`.

    Raises
    ------
    TypeError
        If `correction` is not a number, or `dtype` is not a floating-point one.
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    std, mean, cov

    References
    ----------
    Array API standard, chapter "Statistical functions": ``var``.

    Examples
    --------
    >>> x = xp.asarray([1.0, 2.0, 3.0, 4.0])
    >>> float(xp.var(x))
    1.25
    >>> float(xp.var(x, correction=2))
    2.5
    """
    return handle(Array, _var("var", in_dtype("var", x, dtype), axis, correction, keepdims))


def _var(name: str, x: Array, axis: Axis, correction: float, keepdims: bool) -> Node:
    axes = axes_of(axis, x.ndim, name)
    try:
        freedom = _count(x, axes) - float(correction)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: got correction={correction!r}; allowed: a number; use 1 for the variance of a sample"
        ) from None
    dtype = _floating(x.dtype)
    deviations = lazy.squared_deviations(x._node, axes, keepdims)
    return lazy.astype(lazy.over(deviations, freedom if freedom > 0 else 0.0), COMPONENT.get(dtype, dtype))


@with_numpys_options
def std(x: Array, /, *, axis: Axis = None, correction: float = 0.0, dtype: Any = None, keepdims: bool = False) -> Array:
    """Return the standard deviation of elements along axes.

    NumPy's other arguments, such as `out` and `where`, are taken, too.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axis : int, tuple of int or None
        The axes. None takes all.
    correction : float
        The number to subtract from the number of elements before it divides the sum. 0 gives that of a population, 1
        the square root of the unbiased variance of a sample.
    dtype : dtype or None
        The floating-point dtype of the computation and the result (an extension). None is the dtype of `x`, or float64
        for integers and booleans.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Square roots of the variances of `var`.

    Raises
    ------
    TypeError
        If `correction` is not a number, or `dtype` is not a floating-point one.
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    var, mean

    References
    ----------
    Array API standard, chapter "Statistical functions": ``std``.

    Examples
    --------
    >>> x = xp.asarray([[1.0, 3.0], [2.0, 6.0]])
    >>> print(xp.std(x, axis=1))
    [1. 2.]
    """
    return handle(Array, lazy.unary(OPS["sqrt"], _var("std", in_dtype("std", x, dtype), axis, correction, keepdims)))


def _cumulative(name: str, monoid: Monoid, x: Array, axis: int | None, dtype: Any, include_initial: bool) -> Array:
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{name}: the array has {x.ndim} axes; allowed without axis: 1; give axis=")
        axis = 0
    wanted = ACCUMULATOR[x.dtype] if dtype is None else supported(as_dtype(dtype), x.device)
    if wanted in BOOLEAN:  # "any" and "all": a count or a product that is not zero
        return astype(_cumulative(name, monoid, astype(x, wanted), axis, None, include_initial), wanted)
    return handle(Array, cumulative(monoid, x._node, normalize_axis(axis, x.ndim, name), wanted, include_initial))


@of_arrays
def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Return the sums of elements up to each position along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype, of 1 dimension or more.
    axis : int or None
        The axis. It may be None if `x` has 1 dimension.
    dtype : dtype or None
        The dtype of the result, in which elements are added. None is int64 or uint64 for integers and booleans,
        otherwise the dtype of `x`.
    include_initial : bool
        Whether the results begin with an additional 0.

    Returns
    -------
    Array
        An array of the shape of `x`, or one element longer along the axis.

    Raises
    ------
    ValueError
        If `axis` is out of bounds, or if it is None and `x` does not have 1 dimension.

    See Also
    --------
    sum, diff, cumulative_prod

    References
    ----------
    Array API standard, chapter "Statistical functions": ``cumulative_sum``.

    Examples
    --------
    >>> x = xp.asarray([1, 2, 3, 4])
    >>> print(xp.cumulative_sum(x))
    [ 1  3  6 10]
    >>> print(xp.cumulative_sum(x, include_initial=True))
    [ 0  1  3  6 10]
    """
    return _cumulative("cumulative_sum", SUM, x, axis, dtype, include_initial)


@of_arrays
def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """Return the products of elements up to each position along an axis.

    Parameters
    ----------
    x : Array
        An array of any dtype, of 1 dimension or more.
    axis : int or None
        The axis. It may be None if `x` has 1 dimension.
    dtype : dtype or None
        The dtype of the result, in which elements are multiplied. None is int64 or uint64 for integers and booleans,
        otherwise the dtype of `x`.
    include_initial : bool
        Whether the results begin with an additional 1.

    Returns
    -------
    Array
        An array of the shape of `x`, or one element longer along the axis.

    Raises
    ------
    ValueError
        If `axis` is out of bounds, or if it is None and `x` does not have 1 dimension.

    See Also
    --------
    prod, cumulative_sum

    References
    ----------
    Array API standard, chapter "Statistical functions": ``cumulative_prod``.

    Examples
    --------
    >>> x = xp.asarray([1, 2, 3, 4])
    >>> print(xp.cumulative_prod(x))
    [ 1  2  6 24]
    >>> print(xp.cumulative_prod(x, include_initial=True))
    [ 1  1  2  6 24]
    """
    return _cumulative("cumulative_prod", PROD, x, axis, dtype, include_initial)
