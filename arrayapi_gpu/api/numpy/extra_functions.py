"""Functions that other libraries use in addition to the standard's: extensions with NumPy's names and arguments.

Each is an expression of functions of the standard, on the device. Arguments that only NumPy supports are refused; for
these call ``numpy.NAME``, which computes on host copies.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...kernels.core.ops import OPS
from ...lazy import Movement, available, binary, handle, on_device, view
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, COMPUTES_IN, DTYPE_OF, FLOATING, is_integral
from ...memory.layout import normalize_axes, normalize_axis
from ..core.arguments import by_name, integer, of_arrays
from ..core.array_object import Array
from ..core.host_values import Scalar, number
from ..standard.creation_functions import arange, asarray, linspace, on_device_of, zeros
from ..standard.data_type_functions import astype, floating, result_type
from ..standard.elementwise_functions import (
    clip,
    conj,
    divide,
    floor_divide,
    imag,
    isnan,
    multiply,
    operands,
    pow,
    real,
    sqrt,
)
from ..standard.indexing_functions import take, take_along_axis
from ..standard.linear_algebra_functions import matmul
from ..standard.manipulation_functions import (
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    reshape,
    stack,
)
from ..standard.searching_functions import searchsorted, where
from ..standard.sorting_functions import argsort, at_places, sort
from ..standard.statistical_functions import Axis, axes_of, cumulative_prod, cumulative_sum, flat_by_default, mean, sum
from ..standard.utility_functions import diff
from .window_functions import sliding_window_view

__all__ = [
    "argpartition", "average", "convolve", "corrcoef", "cov", "cross", "cumprod", "cumsum", "diag", "gcd", "gradient",
    "interp", "kron", "lcm", "logspace", "partition", "topk", "transpose", "trapezoid",
]  # fmt: skip

INT64, FLOAT64 = DTYPE_OF["i64"], DTYPE_OF["f64"]


def _numbers(name: str, x: Array) -> Array:
    """``x`` in a floating-point dtype. TypeError for booleans."""
    if x.dtype in BOOLEAN:
        raise TypeError(f"{name}: got bool; allowed: numeric dtypes; convert with astype")
    return floating(x)


@of_arrays
def diag(v: Array, /, k: int = 0) -> Array:
    """Make a diagonal matrix from a vector, or read a diagonal of a matrix.

    Parameters
    ----------
    v : Array
        A vector of n elements, or a matrix.
    k : int, default: 0
        The diagonal: 0 is the main one, positive numbers are above it, negative ones below.

    Returns
    -------
    Array
        For a vector, a matrix of shape (n + abs(k), n + abs(k)) with the vector on the diagonal and zeros elsewhere;
        for a matrix, a read-only view of its diagonal.

    Raises
    ------
    TypeError
        Unless ``k`` is an integer.
    ValueError
        Unless ``v`` has one or two dimensions.

    See Also
    --------
    linalg.diagonal : The diagonals of a stack of matrices.

    References
    ----------
    NumPy, ``diag``.

    Examples
    --------
    >>> xp.diag(xp.asarray([1, 2])).tolist()
    [[1, 0], [0, 2]]
    >>> xp.diag(xp.asarray([[1, 2], [3, 4]]), 1).tolist()
    [2]
    """
    k = integer("diag", "k", k)
    if v.ndim == 1:
        n = v.shape[0] + abs(k)
        places = arange(n, device=v.device)
        longer = concat([v, zeros((abs(k),), dtype=v.dtype, device=v.device)]) if k else v
        value = expand_dims(longer, axis=1) if k >= 0 else longer
        return where(places - expand_dims(places, axis=1) == k, value, zeros((), dtype=v.dtype, device=v.device))
    if v.ndim != 2:
        raise ValueError(f"diag: got shape {v.shape}; allowed: 1 or 2 dimensions; use linalg.diagonal")
    return handle(Array, view(v._node, Movement("diag", {"k": k}), fixed=True))


@by_name
def logspace(
    start: Any, stop: Any, /, num: int = 50, *, endpoint: bool = True, base: float = 10.0, dtype: Any = None,
    device: Any = None,
) -> Array:  # fmt: skip
    """Compute powers of a base with evenly spaced exponents.

    Parameters
    ----------
    start : float
        The first exponent.
    stop : float
        The last exponent, or the end of the exponents if ``endpoint`` is False.
    num : int, default: 50
        The number of powers.
    endpoint : bool, default: True
        Whether ``stop`` is the last exponent.
    base : float, default: 10.0
        The base.
    dtype : dtype, optional
        The dtype of the result; by default that of `linspace`.
    device : Device or str, optional
        The device of the result; by default the default device.

    Returns
    -------
    Array
        A vector of ``num`` elements.

    Raises
    ------
    ValueError
        If ``num`` is negative.

    See Also
    --------
    linspace : Evenly spaced numbers.

    References
    ----------
    NumPy, ``logspace``.

    Examples
    --------
    >>> print(xp.logspace(0, 3, 4))
    [   1.   10.  100. 1000.]
    """
    exponents = linspace(start, stop, num, endpoint=endpoint, device=device)
    found = pow(base, exponents)
    return found if dtype is None else astype(found, dtype)


@of_arrays
def average(a: Array, /, axis: Axis = None, weights: Array | None = None, *, keepdims: bool = False) -> Array:
    """Compute the weighted mean along axes.

    Parameters
    ----------
    a : Array
        The numbers.
    axis : int or tuple of int, optional
        The axes to reduce; by default all.
    weights : Array, optional
        The weight of each element: an array of the shape of ``a``, or a vector of the length of a single ``axis``. By
        default all weights are equal.
    keepdims : bool, default: False
        Whether the reduced axes are kept, with length 1.

    Returns
    -------
    Array
        The means, in the dtype of ``a``, or the one to which it and floating-point weights promote; integers and
        booleans are converted to the default floating-point dtype.

    Raises
    ------
    ValueError
        For weights of another shape.

    See Also
    --------
    mean : The mean with equal weights.

    References
    ----------
    NumPy, ``average``.

    Examples
    --------
    >>> print(xp.average(xp.asarray([1.0, 2.0, 6.0]), weights=xp.asarray([2.0, 1.0, 1.0])))
    2.5
    """
    axes = axes_of(axis, a.ndim, "average")
    if weights is None:
        return mean(a, axis=axes, keepdims=keepdims)
    w = on_device_of(a, weights, "average")
    if w.shape != a.shape:
        if w.ndim != 1 or not isinstance(axis, int) or w.shape[0] != a.shape[axis]:
            raise ValueError(
                f"average: weights of shape {w.shape}; allowed: {a.shape}, or a vector of the length of one axis"
            )
        w = reshape(w, tuple(n if k in axes else 1 for k, n in enumerate(a.shape)))
    x = floating(a)
    dtype = result_type(x.dtype, w.dtype) if w.dtype in FLOATING else x.dtype
    weight = broadcast_to(astype(w, dtype), a.shape)
    total = sum(multiply(astype(x, dtype), weight), axis=axes, keepdims=keepdims)
    return divide(total, sum(weight, axis=axes, keepdims=keepdims))


@of_arrays
def cumsum(a: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Compute cumulative sums along an axis.

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
        The sums of the elements up to each element: of the shape of ``a``, or a vector without ``axis``.

    See Also
    --------
    cumulative_sum : The standard's function.

    References
    ----------
    NumPy, ``cumsum``.

    Examples
    --------
    >>> print(xp.cumsum(xp.asarray([[1, 2], [3, 4]])))
    [ 1  3  6 10]
    """
    x, axis = flat_by_default(a, axis, "cumsum")
    return cumulative_sum(x, axis=axis, dtype=dtype)


@of_arrays
def cumprod(a: Array, /, axis: int | None = None, dtype: Any = None) -> Array:
    """Compute cumulative products along an axis.

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
        The products of the elements up to each element: of the shape of ``a``, or a vector without ``axis``.

    See Also
    --------
    cumulative_prod : The standard's function.

    References
    ----------
    NumPy, ``cumprod``.

    Examples
    --------
    >>> print(xp.cumprod(xp.asarray([1, 2, 3, 4])))
    [ 1  2  6 24]
    """
    x, axis = flat_by_default(a, axis, "cumprod")
    return cumulative_prod(x, axis=axis, dtype=dtype)


@of_arrays
def trapezoid(y: Array, /, x: Array | None = None, dx: float = 1.0, axis: int = -1) -> Array:
    """Integrate along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : Array
        The values of the function. TypeError for booleans.
    x : Array, optional
        The coordinates of the values: a vector of the length of the axis, or an array of the shape of ``y``.
    dx : float, default: 1.0
        The distance of neighbouring values if ``x`` is not given.
    axis : int, default: -1
        The axis.

    Returns
    -------
    Array
        The integrals, without the axis.

    References
    ----------
    NumPy, ``trapezoid``.

    Examples
    --------
    >>> print(xp.trapezoid(xp.asarray([1.0, 2.0, 4.0]), dx=0.5))
    2.25
    """
    axis = normalize_axis(axis, y.ndim, "trapezoid")
    rows = moveaxis(_numbers("trapezoid", y), axis, -1)
    steps: Any = dx
    if x is not None:
        places = on_device_of(y, x, "trapezoid")
        steps = diff(places) if places.ndim == 1 else diff(moveaxis(places, axis, -1), axis=-1)
    return sum(steps * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)


@of_arrays
def kron(a: Array, b: Array, /) -> Array:
    """Compute the Kronecker product of two arrays.

    Parameters
    ----------
    a : Array
        The array whose elements multiply ``b``.
    b : Array
        The array that each element of ``a`` multiplies.

    Returns
    -------
    Array
        The blocks ``a[i, j] * b``, placed as the elements of ``a``. Its lengths are the products of the lengths of
        both; the array with fewer axes gets new first ones.

    References
    ----------
    NumPy, ``kron``.

    Examples
    --------
    >>> xp.kron(xp.asarray([[1, 2]]), xp.asarray([[1, 0], [0, 1]])).tolist()
    [[1, 0, 2, 0], [0, 1, 0, 2]]
    """
    other = on_device_of(a, b, "kron")
    ndim = builtins.max(a.ndim, other.ndim)
    one, two = ((1,) * (ndim - x.ndim) + x.shape for x in (a, other))
    left = reshape(a, tuple(n for pair in zip(one, (1,) * ndim, strict=True) for n in pair))
    right = reshape(other, tuple(n for pair in zip((1,) * ndim, two, strict=True) for n in pair))
    return reshape(left * right, tuple(n * m for n, m in zip(one, two, strict=True)))


@of_arrays
def cov(
    m: Array, /, y: Array | None = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None, *,
    dtype: Any = None,
) -> Array:  # fmt: skip
    """Estimate the covariance matrix of variables.

    Parameters
    ----------
    m : Array
        The observations, of at most two dimensions: one variable for each row.
    y : Array, optional
        More variables, with as many observations.
    rowvar : bool, default: True
        Whether rows are variables; otherwise columns are.
    bias : bool, default: False
        Whether to divide by the number N of observations instead of N - 1.
    ddof : int, optional
        If given, sums are divided by N - ``ddof``, whatever ``bias`` is.
    dtype : dtype, optional
        The dtype of the computation; by default the one to which ``m`` and float64 promote.

    Returns
    -------
    Array
        The matrix, with one row and column for each variable; for a single variable its variance, 0-dimensional.

    Raises
    ------
    ValueError
        For more than two dimensions, and for different numbers of observations.

    See Also
    --------
    corrcoef : Correlation coefficients.

    References
    ----------
    NumPy, ``cov``.

    Examples
    --------
    >>> print(xp.cov(xp.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])))
    [[ 1. -2.]
     [-2.  4.]]
    """
    return _covariances("cov", m, y, rowvar, bias, ddof, dtype)


def _covariances(
    name: str, m: Array, y: Array | None, rowvar: bool, bias: bool, ddof: int | None, dtype: Any
) -> Array:  # fmt: skip
    x = _observations(name, m, rowvar)
    if y is not None:
        more = _observations(name, on_device_of(m, y, name), rowvar)
        if more.shape[1] != x.shape[1]:
            raise ValueError(f"{name}: got {x.shape[1]} and {more.shape[1]} observations; allowed: equal numbers")
        x = concat([x, more], axis=0)
    x = astype(x, result_type(x.dtype, available(FLOAT64, x.device)) if dtype is None else dtype)
    x = x - mean(x, axis=1, keepdims=True)
    count = x.shape[1] - (ddof if ddof is not None else int(not bias))
    product = matmul(x, conj(x).T) if x.dtype in COMPLEX_FLOATING else matmul(x, x.T)
    found = divide(product, float(count) if count > 0 else math.nan)
    return reshape(found, ()) if found.shape == (1, 1) else found


def _observations(name: str, m: Array, rowvar: bool) -> Array:
    """The observations as a matrix with one variable in each row. ValueError for more than 2 dimensions."""
    if m.ndim > 2:
        raise ValueError(f"{name}: got shape {m.shape}; allowed: at most 2 dimensions")
    x = reshape(floating(m), (1, -1)) if m.ndim < 2 else floating(m)
    return x if rowvar or x.shape[0] == 1 else x.T


@of_arrays
def corrcoef(x: Array, /, y: Array | None = None, rowvar: bool = True, *, dtype: Any = None) -> Array:
    """Compute the matrix of correlation coefficients of variables.

    Parameters
    ----------
    x : Array
        The observations, of at most two dimensions: one variable for each row.
    y : Array, optional
        More variables, with as many observations.
    rowvar : bool, default: True
        Whether rows are variables; otherwise columns are.
    dtype : dtype, optional
        The dtype of the computation; by default the one to which ``x`` and float64 promote.

    Returns
    -------
    Array
        The matrix of coefficients from -1 to 1, with one row and column for each variable; 0-dimensional for one
        variable.

    Raises
    ------
    ValueError
        For more than two dimensions, and for different numbers of observations.

    See Also
    --------
    cov : Covariances.

    References
    ----------
    NumPy, ``corrcoef``.

    Examples
    --------
    >>> print(xp.corrcoef(xp.asarray([[0.0, 1.0, 2.0], [4.0, 2.0, 0.0]])))
    [[ 1. -1.]
     [-1.  1.]]
    """
    c = _covariances("corrcoef", x, y, rowvar, False, None, dtype)
    if c.ndim == 0:
        return divide(c, c)
    deviation = sqrt(diag(c).real if c.dtype in COMPLEX_FLOATING else diag(c))
    found = c / expand_dims(deviation, axis=1) / deviation
    return found if c.dtype in COMPLEX_FLOATING else clip(found, -1.0, 1.0)


@of_arrays
def convolve(a: Array, v: Array, /, mode: str = "full") -> Array:
    """Compute the convolution of two vectors.

    Parameters
    ----------
    a : Array
        A vector of n elements.
    v : Array
        A vector of m elements.
    mode : {'full', 'same', 'valid'}, default: 'full'
        The elements to return: "full", all n + m - 1; "same", max(n, m) in the middle; "valid", those at which the
        vectors overlap completely.

    Returns
    -------
    Array
        The convolution, in the dtype to which both promote.

    Raises
    ------
    ValueError
        For another mode, and unless both are vectors with elements.

    References
    ----------
    NumPy, ``convolve``.

    Examples
    --------
    >>> print(xp.convolve(xp.asarray([1, 2, 3]), xp.asarray([1, 1])))
    [1 3 5 3]
    """
    long, short = (reshape(x, (1,)) if not x.ndim else x for x in (a, on_device_of(a, v, "convolve")))
    if long.ndim != 1 or short.ndim != 1 or not long.size or not short.size:
        raise ValueError(f"convolve: got shapes {long.shape} and {short.shape}; allowed: vectors with elements")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve: got mode={mode!r}; allowed: 'full', 'same', 'valid'")
    if long.size < short.size:
        long, short = short, long
    n, m = long.size, short.size
    ends = zeros((m - 1,), dtype=long.dtype, device=long.device)
    padded = concat([ends, long, ends]) if mode != "valid" else long
    dtype = result_type(long.dtype, short.dtype)
    wide = COMPUTES_IN[dtype]  # as the products of matrices
    products = astype(sliding_window_view(padded, m), wide) * astype(flip(short), wide)
    if mode != "valid" and products.dtype in FLOATING:  # a NaN must not be multiplied by the padding
        place = arange(n + 2 * (m - 1), device=long.device)
        inside = (place >= m - 1) & (place < n + m - 1)
        products = where(sliding_window_view(inside, m), products, 0)
    found = astype(sum(products, axis=1, dtype=wide), dtype)
    first = (m - 1) // 2 if mode == "same" else 0
    return found[first : first + n] if mode == "same" else found


@of_arrays
def interp(
    x: Array, xp: Array, fp: Array, /, left: complex | None = None, right: complex | None = None, *,
    period: float | None = None,
) -> Array:  # fmt: skip
    """Interpolate linearly between points.

    At a point the result is its value. Real and imaginary parts are interpolated separately.

    Parameters
    ----------
    x : Array
        The coordinates at which to interpolate.
    xp : Array
        The coordinates of the points: a vector of increasing numbers. With ``period`` they may have any order.
    fp : Array
        The values of the points, real or complex: a vector of the same length.
    left : complex, optional
        The result before the first point; by default the first value.
    right : complex, optional
        The result after the last point; by default the last value.
    period : float, optional
        The period of the coordinates; if it is given, ``left`` and ``right`` are ignored.

    Returns
    -------
    Array
        The interpolated values in the shape of ``x``, in the dtype to which the three arrays promote.

    Raises
    ------
    ValueError
        For a period of zero, and unless the points are vectors of equal length with elements.
    TypeError
        For a complex ``left`` or ``right`` if ``fp`` is real.

    References
    ----------
    NumPy, ``interp``.

    Examples
    --------
    >>> points, values = xp.asarray([0.0, 1.0, 2.0]), xp.asarray([0.0, 10.0, 40.0])
    >>> print(xp.interp(xp.asarray([0.5, 1.5, 3.0]), points, values))
    [ 5. 25. 40.]
    """
    places, values = floating(on_device_of(x, xp, "interp")), floating(on_device_of(x, fp, "interp"))
    if places.ndim != 1 or places.shape != values.shape or not places.size:
        raise ValueError(
            f"interp: points of shapes {places.shape} and {values.shape}; allowed: non-empty vectors of equal length"
        )
    at = floating(x)
    dtype = result_type(at.dtype, places.dtype, values.dtype)
    component = COMPONENT.get(dtype, dtype)
    at, places = astype(at, component), astype(places, component)
    if period is not None:
        at, places, values = _periodic(at, places, values, period)
        left = right = None
    values = astype(values, dtype)
    first, last = _beyond("left", left, values[0]), _beyond("right", right, values[-1])
    if dtype not in COMPLEX_FLOATING:
        return _interpolated(at, places, values, first, last)
    parts = [_interpolated(at, places, part(values), part(first), part(last), True) for part in (real, imag)]
    return stack(parts, axis=-1).view(dtype)[..., 0]


def _beyond(argument: str, given: complex | None, end: Array) -> Array:
    """The result beyond the points: ``given`` in the dtype of ``end``, or ``end`` if it is None."""
    if given is None:
        return end
    value = number("interp", argument, given)
    if isinstance(value, complex) and end.dtype not in COMPLEX_FLOATING:
        raise TypeError(f"interp: got {argument}={given!r} for real fp; allowed: real numbers; make fp complex")
    return asarray(value, dtype=end.dtype, device=end.device)


def _periodic(at: Array, places: Array, values: Array, period: float) -> tuple[Array, Array, Array]:
    """The arguments of a periodic interpolation: the places in the first period, and the points in order, with one
    point before the period and one after it."""
    if period == 0:
        raise ValueError("interp: got period=0; allowed: any other number")
    period = builtins.abs(period)
    at, places = at % period, places % period
    order = argsort(places)
    places, values = places[order], values[order]
    return (at, concat([places[-1:] - period, places, places[:1] + period]), concat([values[-1:], values, values[:1]]))


def _interpolated(
    at: Array, places: Array, values: Array, left: Array, right: Array, by_inverse: bool = False
) -> Array:
    """`interp` of real numbers of one dtype; ``by_inverse``: whether to multiply by the inverse of the distance, as
    NumPy does for complex numbers."""
    index = reshape(searchsorted(places, reshape(at, (-1,)), side="right"), at.shape)
    low, high = (clip(k, 0, places.size - 1) for k in (index - 1, index))
    x0, x1, y0, y1 = (reshape(take(p, reshape(k, (-1,))), at.shape) for p in (places, values) for k in (low, high))
    distance = where(low == high, 1.0, x1 - x0)  # beyond the points
    slope = (y1 - y0) * (1.0 / distance) if by_inverse else (y1 - y0) / distance
    found = slope * (at - x0) + y0
    found = where(isnan(found), slope * (at - x1) + y1, found)
    found = where(isnan(found) & (y0 == y1), y0, found)
    found = where(at == x0, y0, found)
    found = where(at < places[0], left, where(at > places[-1], right, found))
    return found if places.size == 1 else where(isnan(at), at, found)


@of_arrays
def gradient(
    f: Array, /, *spacing: Array | Any, axis: int | tuple[int, ...] | None = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Estimate derivatives along axes from differences of neighbours.

    Inside, the derivative is that of the parabola through an element and its two neighbours.

    Parameters
    ----------
    f : Array
        The values of the function, not boolean.
    *spacing : float or Array
        The distance of neighbours: one number for all axes (by default 1), or for each axis a number or a vector of
        coordinates. Coordinates are copied to the host.
    axis : int or tuple of int, optional
        The axes; by default all.
    edge_order : {1, 2}, default: 1
        The number of neighbours from which the derivatives at the ends are estimated.

    Returns
    -------
    Array or tuple of Array
        The derivatives in the shape of ``f``: one array for one axis, otherwise a tuple of them.

    Raises
    ------
    ValueError
        For an axis of fewer than ``edge_order + 1`` elements, and for coordinates of another length.
    TypeError
        For booleans, and for another number of distances than of axes.

    See Also
    --------
    diff : Differences of neighbours.

    References
    ----------
    NumPy, ``gradient``.

    Examples
    --------
    >>> print(xp.gradient(xp.asarray([0.0, 1.0, 4.0, 9.0])))
    [1. 2. 4. 5.]
    """
    x = _numbers("gradient", f)
    axes = tuple(range(x.ndim)) if axis is None else normalize_axes(axis, x.ndim, "gradient")
    given = spacing * len(axes) if len(spacing) == 1 and np.ndim(spacing[0]) == 0 else spacing or (1.0,) * len(axes)
    if len(given) != len(axes) or edge_order not in (1, 2):
        raise TypeError(
            f"gradient: got {len(spacing)} distances for {len(axes)} axes, edge_order={edge_order!r}; allowed: no "
            "distance, one, or one for each axis; edge_order 1 or 2"
        )
    found = []
    for k, distance in zip(axes, given, strict=True):
        if x.shape[k] < edge_order + 1:
            raise ValueError(f"gradient: axis {k} has {x.shape[k]} elements; allowed: {edge_order + 1} or more")
        steps = _steps(x, distance, x.shape[k])
        found.append(moveaxis(astype(_slopes(moveaxis(x, k, -1), steps, edge_order), x.dtype), -1, k))
    return found[0] if len(found) == 1 else tuple(found)


def _steps(x: Array, distance: Any, n: int) -> Any:
    """The distances of neighbours along an axis: a number, or an array for coordinates that are not evenly spaced."""
    if np.ndim(distance) == 0:
        return number("gradient", "spacing", distance)
    places = np.asarray(distance.to_numpy() if isinstance(distance, Array) else distance)
    if places.shape != (n,):
        raise ValueError(f"gradient: got coordinates of shape {places.shape}; allowed: ({n},)")
    steps = np.diff(places.astype(np.float64) if is_integral(places.dtype) else places)
    return steps[0] if (steps == steps[0]).all() else asarray(steps, device=x.device)


def _slopes(y: Array, steps: Any, edge_order: int) -> Array:
    """The derivative along the last axis. The derivative of a parabola is a weighted sum of its three points."""
    even = not isinstance(steps, Array)
    h, k = (steps, steps) if even else (steps[:-1], steps[1:])
    left, here, right = y[..., :-2], y[..., 1:-1], y[..., 2:]
    if even:
        inner = (right - left) / (2.0 * steps)
    else:
        inner = h / (k * (h + k)) * right + (k - h) / (h * k) * here - k / (h * (h + k)) * left
    if edge_order == 1:
        before = after = (y[..., 1:] - y[..., :-1]) / steps
    else:
        before = (h + k) / (h * k) * here - (2 * h + k) / (h * (h + k)) * left - h / (k * (h + k)) * right
        after = k / (h * (h + k)) * left - (h + k) / (h * k) * here + (h + 2 * k) / (k * (h + k)) * right
    return concat([before[..., :1], inner, after[..., -1:]], axis=-1)


@of_arrays
def partition(a: Array, kth: Any, /, axis: int | None = -1) -> Array:
    """Move the smallest elements along an axis to its front.

    The whole axis is sorted, so the elements on both sides of index ``kth`` are in order, too.

    Parameters
    ----------
    a : Array
        The array.
    kth : int or sequence of int
        The indices of elements that must be at their sorted positions.
    axis : int or None, default: -1
        The axis; None flattens the array first.

    Returns
    -------
    Array
        A copy with its elements in another order.

    Raises
    ------
    ValueError
        For an index out of bounds.

    See Also
    --------
    argpartition : The indices of these elements.
    topk : The largest or smallest elements alone.

    References
    ----------
    NumPy, ``partition``.

    Examples
    --------
    >>> print(xp.partition(xp.asarray([7, 1, 5, 2]), 1)[:2])
    [1 2]
    """
    x, place = _to_partition("partition", a, kth, axis)
    return sort(x, axis=place)


@of_arrays
def argpartition(a: Array, kth: Any, /, axis: int | None = -1) -> Array:
    """Find the indices that move the smallest elements along an axis to its front.

    Parameters
    ----------
    a : Array
        The array.
    kth : int or sequence of int
        The indices of elements that must be at their sorted positions.
    axis : int or None, default: -1
        The axis; None flattens the array first.

    Returns
    -------
    Array
        Indices, int64, as `argsort` finds them.

    Raises
    ------
    ValueError
        For an index out of bounds.

    See Also
    --------
    partition : The elements themselves.

    References
    ----------
    NumPy, ``argpartition``.

    Examples
    --------
    >>> print(xp.argpartition(xp.asarray([7, 1, 5, 2]), 1)[:2])
    [1 3]
    """
    x, place = _to_partition("argpartition", a, kth, axis)
    return argsort(x, axis=place)


def _to_partition(name: str, a: Array, kth: Any, axis: int | None) -> tuple[Array, int]:
    """The array to sort, and the axis. ValueError for a ``kth`` out of bounds."""
    x = reshape(a, (-1,)) if axis is None else a
    place = normalize_axis(-1 if axis is None else axis, x.ndim, name)
    n = x.shape[place]
    numbers = kth.tolist() if isinstance(kth, (Array, np.ndarray)) else kth
    for k in numbers if isinstance(numbers, (list, tuple)) else [numbers]:
        if n and not -n <= integer(name, "kth", k) < n:
            raise ValueError(f"{name}: kth={k}; allowed: {-n} to {n - 1}, the indices of axis {place}")
    return x, place


@of_arrays
def topk(x: Array, k: int, /, *, axis: int = -1, mode: str = "largest") -> tuple[Array, Array]:
    """Find the largest or the smallest elements along an axis.

    Parameters
    ----------
    x : Array
        The array.
    k : int
        The number of elements.
    axis : int, default: -1
        The axis.
    mode : {'largest', 'smallest'}, default: 'largest'
        Whether to find the largest elements, the largest first, or the smallest, the smallest first.

    Returns
    -------
    values : Array
        The elements, with length ``k`` along the axis.
    indices : Array
        Their indices along the axis, int64.

    Raises
    ------
    ValueError
        For another mode, and for a ``k`` that is negative or larger than the axis.

    See Also
    --------
    sort, argsort : All elements in order.

    References
    ----------
    NumPy, ``topk`` (proposed).

    Examples
    --------
    >>> values, indices = xp.topk(xp.asarray([3, 9, 5]), 2)
    >>> print(values, indices)
    [9 5] [1 2]
    """
    axis, k = normalize_axis(axis, x.ndim, "topk"), integer("topk", "k", k)
    if mode not in ("largest", "smallest") or not 0 <= k <= x.shape[axis]:
        raise ValueError(f"topk: got k={k}, mode={mode!r}; allowed: 0 to {x.shape[axis]}, 'largest', 'smallest'")
    first = at_places("topk", x, range(k), axis, descending=mode == "largest", positions=True)
    return take_along_axis(x, first, axis=axis), first


@of_arrays
def transpose(a: Array, /, axes: Sequence[int] | None = None) -> Array:
    """Reorder the axes of an array.

    Parameters
    ----------
    a : Array
        The array.
    axes : sequence of int, optional
        The axes of ``a`` in their new order; by default reversed.

    Returns
    -------
    Array
        A view of ``a``.

    See Also
    --------
    permute_dims : The standard's function.

    References
    ----------
    NumPy, ``transpose``.

    Examples
    --------
    >>> xp.transpose(xp.ones((2, 3, 4))).shape
    (4, 3, 2)
    """
    order = reversed(range(a.ndim)) if axes is None else normalize_axes(tuple(axes), a.ndim, "transpose")
    return permute_dims(a, tuple(order))


def gcd(x1: Array | Scalar, x2: Array | Scalar, /) -> Array:
    """Return the greatest common divisors of integers.

    Parameters
    ----------
    x1, x2 : Array or int
        The integers, of shapes that broadcast.

    Returns
    -------
    Array
        The divisors, in the dtype to which both promote; of 0 and a number, the magnitude of the number.

    Raises
    ------
    TypeError
        For other dtypes than integers.

    See Also
    --------
    lcm : The least common multiples.

    Notes
    -----
    Source: NumPy, ``gcd``.

    Examples
    --------
    >>> xp.gcd(xp.asarray([12, 35, 0]), 18).tolist()
    [6, 1, 18]
    """
    return _divisors("gcd", x1, x2)


def lcm(x1: Array | Scalar, x2: Array | Scalar, /) -> Array:
    """Return the least common multiples of integers.

    Parameters
    ----------
    x1, x2 : Array or int
        The integers, of shapes that broadcast.

    Returns
    -------
    Array
        The multiples, in the dtype to which both promote, in which they may wrap; 0 if one of the integers is 0.

    Raises
    ------
    TypeError
        For other dtypes than integers.

    See Also
    --------
    gcd : The greatest common divisors.

    Notes
    -----
    Source: NumPy, ``lcm``.

    Examples
    --------
    >>> xp.lcm(xp.asarray([4, 6, 0]), 10).tolist()
    [20, 30, 0]
    """
    divisors = _divisors("lcm", x1, x2)
    # In the dtype of the result, because the magnitude of -128 is no int8.
    first, second = [abs(asarray(x, dtype=divisors.dtype, device=divisors.device)) for x in (x1, x2)]
    return multiply(floor_divide(first, divisors), second)


def _divisors(name: str, x1: Array | Scalar, x2: Array | Scalar) -> Array:
    first, second = operands(name, x1, x2)
    try:
        return handle(Array, binary(OPS["gcd"], first, second))
    except TypeError as error:
        raise TypeError(f"{name}{str(error).removeprefix('gcd')}") from None


@of_arrays
def cross(a: Array, b: Array, /, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Array:
    """Compute cross products of vectors with three elements.

    Parameters
    ----------
    a : Array
        Vectors along ``axisa``. The other axes broadcast with those of ``b``.
    b : Array
        Vectors along ``axisb``.
    axisa : int, default: -1
        The axis of the vectors of ``a``.
    axisb : int, default: -1
        The axis of the vectors of ``b``.
    axisc : int, default: -1
        The axis of the vectors of the result.
    axis : int, optional
        One axis in place of the three.

    Returns
    -------
    Array
        The products, in the dtype to which both promote.

    Raises
    ------
    ValueError
        For axes of another length than 3, and for arrays on different devices.
    TypeError
        For booleans.

    See Also
    --------
    linalg.cross : The standard's function.

    References
    ----------
    NumPy, ``cross``.

    Examples
    --------
    >>> print(xp.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0])))
    [0 0 1]
    """
    other = handle(Array, on_device("cross", on_device_of(a, b, "cross")._node, a.device))
    if a.dtype in BOOLEAN and other.dtype in BOOLEAN:
        raise TypeError(f"cross: got {a.dtype} and {other.dtype}; allowed: numeric dtypes; convert with astype")
    ndim = builtins.max(a.ndim, other.ndim)
    axisa, axisb, axisc = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
    places = [normalize_axis(*pair, "cross") for pair in ((axisa, a.ndim), (axisb, other.ndim), (axisc, ndim))]
    products = cross_products(moveaxis(a, places[0], -1), moveaxis(other, places[1], -1), -1)
    return moveaxis(products, -1, places[2])


def cross_products(a: Array, b: Array, axis: int) -> Array:
    """The cross products of 3-vectors along ``axis``, a negative number. ValueError for other than 3 elements."""
    if a.shape[axis] != 3 or b.shape[axis] != 3:
        raise ValueError(f"cross: shapes {a.shape} and {b.shape}; allowed: 3 elements along axis {axis} of both")
    rest = (slice(None),) * (-axis - 1)
    of_a, of_b = [[x[(..., k, *rest)] for k in range(3)] for x in (a, b)]
    return stack([of_a[i] * of_b[j] - of_a[j] * of_b[i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=axis)
