"""Order statistics, and statistics that ignore NaN: extensions with NumPy's names and arguments.

All are expressions of functions of the standard, on the device. Slices that contain only NaN give NaN without a
warning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...lazy import available
from ...memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    DTYPE_OF,
    FLOATING,
    INTEGRAL,
    REAL_FLOATING,
    is_ordered,
    is_real_floating,
)
from ...memory.layout import normalize_axis, size
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..standard.creation_functions import asarray, full
from ..standard.data_type_functions import astype, floating, result_type
from ..standard.elementwise_functions import ceil, divide, floor, isnan, sqrt, square
from ..standard.indexing_functions import take_along_axis
from ..standard.manipulation_functions import moveaxis, permute_dims, reshape
from ..standard.searching_functions import argmax, argmin, where
from ..standard.sorting_functions import at_places, sort
from ..standard.statistical_functions import (
    Axis,
    axes_of,
    cumulative_prod,
    cumulative_sum,
    flat_by_default,
    in_dtype,
    max,
    min,
    prod,
    sum,
)
from ..standard.utility_functions import all, any

__all__ = [
    "median", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin",
    "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "quantile",
]  # fmt: skip

INT64, FLOAT32, FLOAT64 = DTYPE_OF["i64"], DTYPE_OF["f32"], DTYPE_OF["f64"]


def _holds_nan(a: Array) -> bool:
    """Whether the array's dtype has NaN."""
    return a.dtype in FLOATING


def _without(a: Array, value: float) -> Array:
    """The array with NaN replaced by a value."""
    return where(isnan(a), value, a) if _holds_nan(a) else a


def _numbers(a: Array, axes: tuple[int, ...], keepdims: bool) -> Array | float:
    """The number of elements along axes that are not NaN."""
    if not _holds_nan(a):
        return float(size(tuple(a.shape[axis] for axis in axes)))
    one = a.real if a.dtype in COMPLEX_FLOATING else a
    return sum(astype(~isnan(a), one.dtype), axis=axes, keepdims=keepdims)


@of_arrays
def nansum(a: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Sum the elements along axes, with NaN counted as 0.

    Parameters
    ----------
    a : Array
        The numbers.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    dtype : dtype, optional
        The dtype of the sums; by default as in `sum`.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The sums; 0 if there is no other element.

    See Also
    --------
    sum : The sum with NaN.

    References
    ----------
    NumPy, ``nansum``.

    Examples
    --------
    >>> print(xp.nansum(xp.asarray([1.0, xp.nan, 2.0])))
    3.0
    """
    return sum(_without(a, 0.0), axis=axes_of(axis, a.ndim, "nansum"), dtype=dtype, keepdims=keepdims)


@of_arrays
def nanprod(a: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Multiply the elements along axes, with NaN counted as 1.

    Parameters
    ----------
    a : Array
        The numbers.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    dtype : dtype, optional
        The dtype of the products; by default as in `prod`.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The products; 1 if there is no other element.

    See Also
    --------
    prod : The product with NaN.

    References
    ----------
    NumPy, ``nanprod``.

    Examples
    --------
    >>> print(xp.nanprod(xp.asarray([3.0, xp.nan, 2.0])))
    6.0
    """
    return prod(_without(a, 1.0), axis=axes_of(axis, a.ndim, "nanprod"), dtype=dtype, keepdims=keepdims)


def _extreme(function: Callable[..., Array], worst: float, a: Array, axis: Axis, keepdims: bool) -> Array:
    axis = axes_of(axis, a.ndim, f"nan{function.__name__}")
    if a.dtype not in REAL_FLOATING:
        return function(a, axis=axis, keepdims=keepdims)
    found = function(_without(a, worst), axis=axis, keepdims=keepdims)
    return where(all(isnan(a), axis=axis, keepdims=keepdims), math.nan, found)


@of_arrays
def nanmax(a: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Find the largest elements along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers, real.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The largest elements; NaN if all are NaN.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    max : The largest element, or NaN if there is one.

    References
    ----------
    NumPy, ``nanmax``.

    Examples
    --------
    >>> print(xp.nanmax(xp.asarray([[1.0, xp.nan], [3.0, 2.0]]), axis=0))
    [3. 2.]
    """
    return _extreme(max, -math.inf, a, axis, keepdims)


@of_arrays
def nanmin(a: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Find the smallest elements along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers, real.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The smallest elements; NaN if all are NaN.

    Raises
    ------
    ValueError
        If there are no elements.

    See Also
    --------
    min : The smallest element, or NaN if there is one.

    References
    ----------
    NumPy, ``nanmin``.

    Examples
    --------
    >>> print(xp.nanmin(xp.asarray([[1.0, xp.nan], [3.0, 2.0]]), axis=0))
    [1. 2.]
    """
    return _extreme(min, math.inf, a, axis, keepdims)


def _position(function: Callable[..., Array], worst: float, a: Array, axis: int | None, keepdims: bool) -> Array:
    name = f"nan{function.__name__}"
    axis = axis if axis is None else normalize_axis(axis, a.ndim, name)
    if a.dtype in REAL_FLOATING and bool(any(all(isnan(a), axis=axis))):
        raise ValueError(f"{name}: got slices with only NaN; allowed: slices with other elements; mask these first")
    return function(_without(a, worst), axis=axis, keepdims=keepdims)


@of_arrays
def nanargmax(a: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Find the index of the largest element along an axis, without NaN.

    Parameters
    ----------
    a : Array
        The numbers, real.
    axis : int, optional
        The axis; by default the index is that of the flattened array.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The indices of the first largest elements, int64.

    Raises
    ------
    ValueError
        For slices with only NaN. To find these, the array is computed in the call.

    See Also
    --------
    argmax : The index with NaN as the largest element.

    References
    ----------
    NumPy, ``nanargmax``.

    Examples
    --------
    >>> print(xp.nanargmax(xp.asarray([1.0, xp.nan, 3.0])))
    2
    """
    return _position(argmax, -math.inf, a, axis, keepdims)


@of_arrays
def nanargmin(a: Array, /, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Find the index of the smallest element along an axis, without NaN.

    Parameters
    ----------
    a : Array
        The numbers, real.
    axis : int, optional
        The axis; by default the index is that of the flattened array.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The indices of the first smallest elements, int64.

    Raises
    ------
    ValueError
        For slices with only NaN. To find these, the array is computed in the call.

    See Also
    --------
    argmin : The index with NaN as the smallest element.

    References
    ----------
    NumPy, ``nanargmin``.

    Examples
    --------
    >>> print(xp.nanargmin(xp.asarray([xp.nan, 1.0, 3.0])))
    1
    """
    return _position(argmin, math.inf, a, axis, keepdims)


@of_arrays
def nancumsum(a: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Compute cumulative sums along an axis, with NaN counted as 0.

    Parameters
    ----------
    a : Array
        The numbers.
    axis : int, optional
        The axis; by default the sums go over all elements in C order.
    dtype : dtype, optional
        The dtype of the sums; by default as in `sum`.

    Returns
    -------
    Array
        The sums: of the shape of ``a``, or a vector without ``axis``.

    See Also
    --------
    cumsum : The sums with NaN.

    References
    ----------
    NumPy, ``nancumsum``.

    Examples
    --------
    >>> print(xp.nancumsum(xp.asarray([1.0, xp.nan, 2.0])))
    [1. 1. 3.]
    """
    x, axis = flat_by_default(a, axis, "nancumsum")
    return cumulative_sum(_without(x, 0.0), axis=axis, dtype=dtype)


@of_arrays
def nancumprod(a: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Compute cumulative products along an axis, with NaN counted as 1.

    Parameters
    ----------
    a : Array
        The numbers.
    axis : int, optional
        The axis; by default the products go over all elements in C order.
    dtype : dtype, optional
        The dtype of the products; by default as in `prod`.

    Returns
    -------
    Array
        The products: of the shape of ``a``, or a vector without ``axis``.

    See Also
    --------
    cumprod : The products with NaN.

    References
    ----------
    NumPy, ``nancumprod``.

    Examples
    --------
    >>> print(xp.nancumprod(xp.asarray([3.0, xp.nan, 2.0])))
    [3. 3. 6.]
    """
    x, axis = flat_by_default(a, axis, "nancumprod")
    return cumulative_prod(_without(x, 1.0), axis=axis, dtype=dtype)


@of_arrays
def nanmean(a: Array, /, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    """Compute the mean along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers; integers and booleans are converted to the default floating-point dtype.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    dtype : floating-point dtype, optional
        The dtype of the computation and the result; by default that of ``a``.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The means; NaN if all elements are NaN.

    See Also
    --------
    mean : The mean with NaN.

    References
    ----------
    NumPy, ``nanmean``.

    Examples
    --------
    >>> print(xp.nanmean(xp.asarray([1.0, xp.nan, 2.0])))
    1.5
    """
    x = in_dtype("nanmean", floating(a) if dtype is None else a, dtype)
    axes = axes_of(axis, x.ndim, "nanmean")
    total = nansum(x, axis=axes, keepdims=keepdims)
    return divide(total, _numbers(x, axes, keepdims))


@of_arrays
def nanvar(a: Array, /, axis: Axis = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Array:
    """Compute the variance along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers; integers and booleans are converted to the default floating-point dtype.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    dtype : floating-point dtype, optional
        The dtype of the computation; by default that of ``a``.
    ddof : float, default: 0
        The squared distances from the mean are divided by N - ``ddof``, with the number N of elements that are not NaN.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The variances, real; NaN if N <= ``ddof``.

    See Also
    --------
    var : The variance with NaN.
    nanstd : Its square root.

    References
    ----------
    NumPy, ``nanvar``.

    Examples
    --------
    >>> print(xp.nanvar(xp.asarray([1.0, xp.nan, 3.0])))
    1.0
    """
    x = in_dtype("nanvar", floating(a) if dtype is None else a, dtype)
    axes = axes_of(axis, x.ndim, "nanvar")
    distance = x - nanmean(x, axis=axes, keepdims=True)
    if x.dtype in COMPLEX_FLOATING:
        squares = square(distance.real) + square(distance.imag)
    else:
        squares = square(distance)
    freedom = _numbers(x, axes, keepdims) - ddof
    # The distances of missing elements do not count; those of infinities do, which may be NaN.
    total = sum(where(isnan(x), 0.0, squares), axis=axes, keepdims=keepdims)
    if isinstance(freedom, float):
        return divide(total, freedom if freedom > 0 else math.nan)
    return where(freedom > 0, total / freedom, math.nan)


@of_arrays
def nanstd(a: Array, /, axis: Axis = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Array:
    """Compute the standard deviation along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers; integers and booleans are converted to the default floating-point dtype.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    dtype : floating-point dtype, optional
        The dtype of the computation; by default that of ``a``.
    ddof : float, default: 0
        The squared distances from the mean are divided by N - ``ddof``, with the number N of elements that are not NaN.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The square roots of the variances, real; NaN if N <= ``ddof``.

    See Also
    --------
    std : The standard deviation with NaN.
    nanvar : Its square.

    References
    ----------
    NumPy, ``nanstd``.

    Examples
    --------
    >>> print(xp.nanstd(xp.asarray([1.0, xp.nan, 3.0])))
    1.0
    """
    return sqrt(nanvar(a, axes_of(axis, a.ndim, "nanstd"), dtype, ddof=ddof, keepdims=keepdims))


# Order statistics.


def _rows(a: Array, axis: Axis, name: str) -> tuple[Array, tuple[int, ...]]:
    """The array with the reduced axes joined as its last axis, and the reduced axes. TypeError for complex numbers."""
    if a.dtype in COMPLEX_FLOATING:
        raise TypeError(f"{name}: got {a.dtype}; allowed: real dtypes, complex numbers have no order; use abs(x)")
    axes = axes_of(axis, a.ndim, name)
    kept = tuple(k for k in range(a.ndim) if k not in axes)
    shape = tuple(a.shape[k] for k in kept)
    return reshape(permute_dims(a, (*kept, *axes)), (*shape, size(tuple(a.shape[k] for k in axes)))), axes


METHODS = ("linear", "lower", "higher", "midpoint", "nearest")
OF_ELEMENTS = ("lower", "higher", "nearest")  # methods whose quantiles are elements


def _quantile(name: str, a: Array, q: Any, axis: Axis, method: str, keepdims: bool, ignore: bool) -> Array:
    if a.dtype in BOOLEAN and not name.endswith("median"):
        raise TypeError(f"{name}: got bool; allowed: real dtypes of numbers; convert with astype")
    if method not in METHODS:
        raise ValueError(f"{name}: got method={method!r}; allowed: {', '.join(METHODS)}")
    own = q.to_numpy() if isinstance(q, Array) else np.asarray(q)
    wanted = _probabilities(name, q, own)
    chosen = method in OF_ELEMENTS and a.dtype in INTEGRAL
    rows, axes = _rows(a if chosen else floating(a), axis, name)
    if method not in OF_ELEMENTS:
        rows = astype(rows, _dtype_of_quantiles(rows, q, own, method))
    left = tuple(1 if k in axes else n for k, n in enumerate(a.shape) if keepdims or k not in axes)
    n, nans = rows.shape[-1], isnan(rows)
    if not n and name == "quantile":
        raise ValueError(f"quantile: the array has shape {a.shape}; allowed: at least one element along axis {axis}")
    if not n:
        return full((*wanted.shape, *left), math.nan, dtype=floating(rows).dtype, device=a.device)
    near = _among_numbers if ignore and not chosen else _among_all
    one, other, part = near(rows, wanted.reshape(-1), method)
    if chosen:
        return reshape(moveaxis(one, -1, 0), (*wanted.shape, *left))
    if name.endswith("median"):
        found = where(part == 0, one, _mean(one, other))
    else:
        found = _between(one, other, astype(part, rows.dtype))
    lost = all(nans, axis=-1, keepdims=True) if ignore else any(nans, axis=-1, keepdims=True)
    found = where(lost, math.nan, found)
    return reshape(moveaxis(found, -1, 0), (*wanted.shape, *left))


def _among_all(rows: Array, wanted: np.ndarray[Any, Any], method: str) -> tuple[Array, Array, Array]:
    """The two elements of each row between which quantiles lie, and how far they are from the first one."""
    places = _rounded(wanted * (rows.shape[-1] - 1), method)
    low, high = np.floor(places), np.ceil(places)
    own = np.unique([low, high])
    found = at_places("quantile", rows, tuple(own.astype(np.int64).tolist()))
    one, other = (found[..., asarray(own.searchsorted(place), device=rows.device)] for place in (low, high))
    return one, other, asarray(places - low, dtype=available(FLOAT64, rows.device), device=rows.device)


def _among_numbers(rows: Array, wanted: np.ndarray[Any, Any], method: str) -> tuple[Array, Array, Array]:
    """The same without NaN. Rows may have different numbers of NaN, and then their places differ."""
    exact = available(FLOAT64, rows.device)
    count = rows.shape[-1] - sum(astype(isnan(rows), exact), axis=-1, keepdims=True)
    fractions = asarray(wanted, dtype=exact, device=rows.device)
    places = _rounded(fractions * where(count > 0, count - 1, 0), method)
    low, high = floor(places), ceil(places)
    ordered = sort(rows, axis=-1)
    one, other = (take_along_axis(ordered, astype(place, INT64), axis=-1) for place in (low, high))
    return one, other, places - low


def _probabilities(name: str, q: Any, own: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The numbers of q in float64, given its values. ValueError unless they are probabilities, TypeError for complex
    ones."""
    if not is_ordered(own.dtype):
        raise TypeError(f"{name}: got q of {own.dtype}; allowed: real numbers from 0 to 1")
    wanted = own.astype("float64")
    if wanted.ndim > 1 or not ((wanted >= 0) & (wanted <= 1)).all():
        raise ValueError(f"{name}: got q={q!r}; allowed: a number from 0 to 1, or a vector of them")
    return wanted


def _mean(one: Array, other: Array) -> Array:
    """Half the sum. Small dtypes are added in float32, as in `mean`; in others the sum may overflow, as in NumPy."""
    wide = result_type(one.dtype, FLOAT32)
    return astype((astype(one, wide) + astype(other, wide)) / 2, one.dtype)


def _between(one: Array, other: Array, part: Array) -> Array:
    """The number at a fraction ``part`` of the way from one element to another; the element itself if both are equal,
    also for infinities, where NumPy gives NaN."""
    step = other - one
    return where(one == other, one, where(part >= 0.5, other - step * (1 - part), one + step * part))


def _dtype_of_quantiles(rows: Array, q: Any, own: np.ndarray[Any, Any], method: str) -> Any:
    """The dtype to which the elements and ``q`` promote. A Python number does not count, and neither do integers where
    nothing is computed, because their quantiles are the extremes."""
    if isinstance(q, (int, float)) or not is_ordered(own.dtype) or own.dtype == bool:
        return rows.dtype
    if method == "linear" and own.dtype in INTEGRAL:
        return rows.dtype
    return result_type(rows.dtype, available(own.dtype if is_real_floating(own.dtype) else FLOAT64, rows.device))


def _rounded(places: Any, method: str) -> Any:
    """Fractional indices, of NumPy or of the device, rounded as a method of quantiles defines."""
    if method == "lower":
        return np.floor(places)
    if method == "higher":
        return np.ceil(places)
    if method == "nearest":
        return np.rint(places)
    return (np.floor(places) + np.ceil(places)) / 2 if method == "midpoint" else places


@of_arrays
def quantile(a: Array, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """Compute quantiles along axes.

    A quantile at an element is this element, and one between equal elements is their value, also for infinities.
    Between different infinite neighbours it is NaN.

    Parameters
    ----------
    a : Array
        The numbers, real; not boolean.
    q : float or sequence of float
        The fractions, from 0 to 1: a number or a vector of them.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    method : {'linear', 'lower', 'higher', 'midpoint', 'nearest'}, default: 'linear'
        The result if the quantile lies between two elements.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The quantiles; the axis of a vector ``q`` comes first. The dtype is that of ``a`` if ``method`` is "lower",
        "higher" or "nearest". Otherwise it is that of ``a``, or the default floating-point dtype for integers, promoted
        with that of an array or a sequence ``q``. NaN if any element is NaN.

    Raises
    ------
    ValueError
        For another ``q`` or ``method``, and if there are no elements.
    TypeError
        For booleans and complex numbers.

    See Also
    --------
    nanquantile : Quantiles without NaN.
    median : The quantile of 0.5.

    References
    ----------
    NumPy, ``quantile``.

    Examples
    --------
    >>> print(xp.quantile(xp.asarray([1.0, 2.0, 3.0, 10.0]), [0.0, 0.25, 1.0]))
    [ 1.    1.75 10.  ]
    """
    return _quantile("quantile", a, q, axis, method, keepdims, False)


@of_arrays
def nanquantile(a: Array, /, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False) -> Array:
    """Compute quantiles along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers, real; not boolean.
    q : float or sequence of float
        The fractions, from 0 to 1: a number or a vector of them.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    method : {'linear', 'lower', 'higher', 'midpoint', 'nearest'}, default: 'linear'
        The result if the quantile lies between two elements.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The quantiles, in the shape and dtype of those of `quantile`; NaN if all elements are NaN or there are none.

    Raises
    ------
    ValueError
        For another ``q`` or ``method``.
    TypeError
        For booleans and complex numbers.

    See Also
    --------
    quantile : Quantiles with NaN.

    References
    ----------
    NumPy, ``nanquantile``.

    Examples
    --------
    >>> print(xp.nanquantile(xp.asarray([1.0, xp.nan, 3.0]), 0.5))
    2.0
    """
    return _quantile("nanquantile", a, q, axis, method, keepdims, True)


@of_arrays
def median(a: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Compute the median along axes.

    Parameters
    ----------
    a : Array
        The numbers, real; integers and booleans are converted to the default floating-point dtype.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The middle elements, or half the sums of the two middle elements. NaN if any element is NaN, if there are none,
        and between negative and positive infinity.

    Raises
    ------
    TypeError
        For complex numbers.

    See Also
    --------
    nanmedian : The median without NaN.
    quantile : Other quantiles.

    References
    ----------
    NumPy, ``median``.

    Examples
    --------
    >>> print(xp.median(xp.asarray([[1.0, 5.0, 2.0], [4.0, 8.0, 6.0]]), axis=1))
    [2. 6.]
    """
    return _quantile("median", a, 0.5, axis, "midpoint", keepdims, False)


@of_arrays
def nanmedian(a: Array, /, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Compute the median along axes, without NaN.

    Parameters
    ----------
    a : Array
        The numbers, real; integers and booleans are converted to the default floating-point dtype.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The medians; NaN if all elements are NaN or there are none.

    Raises
    ------
    TypeError
        For complex numbers.

    See Also
    --------
    median : The median with NaN.

    References
    ----------
    NumPy, ``nanmedian``.

    Examples
    --------
    >>> print(xp.nanmedian(xp.asarray([1.0, xp.nan, 3.0, 5.0])))
    3.0
    """
    return _quantile("nanmedian", a, 0.5, axis, "midpoint", keepdims, True)
