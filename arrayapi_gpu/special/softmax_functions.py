"""Sums of exponentials and softmax: expressions of functions of the standard. Along rows each is one launch."""

from __future__ import annotations

import math
from typing import Literal, overload

from ..api.core.arguments import of_arrays
from ..api.core.array_object import Array
from ..api.standard.creation_functions import asarray, on_device_of
from ..api.standard.data_type_functions import floating
from ..api.standard.elementwise_functions import abs, equal, exp, isfinite, log, log1p, real, sign
from ..api.standard.manipulation_functions import broadcast_arrays
from ..api.standard.searching_functions import where
from ..api.standard.statistical_functions import Axis, axes_of, max, sum
from .gamma_functions import gammaln
from .wrappers import is_complex, refuse_complex

__all__ = ["log_softmax", "logsumexp", "multigammaln", "softmax"]


def _real(name: str, x: Array) -> Array:
    """The array in a real floating-point dtype. TypeError if it is complex."""
    refuse_complex(name, x)
    return floating(x)


def _largest(x: Array, axis: Axis) -> Array:
    """The largest elements along axes, which are kept with extent 1; 0 in place of infinities and NaN."""
    top = max(x, axis=axis, keepdims=True)
    return where(isfinite(top), top, 0.0)


@overload
def logsumexp(
    a: Array, axis: Axis = ..., b: Array | complex | None = ..., keepdims: bool = ..., return_sign: Literal[False] = ...
) -> Array: ...
@overload
def logsumexp(
    a: Array, axis: Axis, b: Array | complex | None, keepdims: bool, return_sign: Literal[True]
) -> tuple[Array, Array]: ...
@overload
def logsumexp(
    a: Array, axis: Axis = ..., b: Array | complex | None = ..., keepdims: bool = ..., *, return_sign: Literal[True]
) -> tuple[Array, Array]: ...
@of_arrays
def logsumexp(
    a: Array, axis: Axis = None, b: Array | complex | None = None, keepdims: bool = False, return_sign: bool = False
) -> Array | tuple[Array, Array]:
    """Compute log(sum(b * exp(a))) along axes, without intermediate overflow.

    A result near 0 keeps its digits, because the largest elements are separated from the sum: log(m + s) = log(m) +
    log1p(s / m).

    Parameters
    ----------
    a : Array
        Real or complex exponents.
    axis : int or tuple of int, optional
        The axes; by default all.
    b : Array or scalar, optional
        Factors, which broadcast with ``a``.
    keepdims : bool, default: False
        Whether the axes are kept, with length 1.
    return_sign : bool, default: False
        Whether to return the sign of the sum, too.

    Returns
    -------
    logarithm : Array
        The logarithm of the sum, or of its absolute value with ``return_sign``: otherwise NaN for a negative sum. It is
        -infinity if there are no elements.
    sign : Array
        Only with ``return_sign``: the sign of the sum, or a complex sum divided by its absolute value.

    Raises
    ------
    ValueError
        For shapes that do not broadcast, and for axes out of bounds.

    See Also
    --------
    logaddexp : The logarithm of the sum of two exponentials.

    References
    ----------
    SciPy, ``special.logsumexp``.

    Examples
    --------
    >>> print(xp.special.logsumexp(xp.asarray([1000.0, 1000.0])))
    1000.6931471805599
    """
    x = floating(a)
    factors = None if b is None else floating(on_device_of(x, b, "logsumexp"))
    if factors is not None:
        x, factors = broadcast_arrays(x, factors)
    axis = axes_of(axis, x.ndim, "logsumexp")
    if not x.size:
        x, factors = asarray(-math.inf, dtype=x.dtype, device=x.device) + sum(x, axis=axis, keepdims=True), None
    if is_complex(x) or is_complex(factors):
        return _complex_logsumexp(x, factors, axis, keepdims, return_sign)
    if factors is not None:
        x = where(equal(factors, 0.0), -math.inf, x + 0.0 * where(isfinite(factors), factors, 0.0))
    top = _largest(x, axis)
    is_top = equal(x, top)
    terms = exp(x - top) if factors is None else factors * exp(x - top)
    first = sum(where(is_top, terms, 0.0), axis=axis, keepdims=keepdims)
    rest = sum(where(is_top, 0.0, terms), axis=axis, keepdims=keepdims)
    share = where(equal(first, 0.0), 0.0, rest / where(equal(first, 0.0), 1.0, first))
    whole = where(equal(first, 0.0), rest, first)
    near = (share > -0.5) & isfinite(share)
    size = where(near, log1p(where(near, share, 0.0)), log(abs(1.0 + share))) + log(abs(whole))
    total = sign(whole) * sign(1.0 + share)
    size = size + (top if keepdims else max(top, axis=axis))
    if return_sign:
        return size, total
    return where(total < 0.0, math.nan, size)


def _complex_logsumexp(
    x: Array, factors: Array | None, axis: Axis, keepdims: bool, return_sign: bool
) -> Array | tuple[Array, Array]:
    """`logsumexp` of complex elements or factors."""
    top = _largest(real(x), axis)
    terms = exp(x - top)
    if factors is not None:
        terms = where(equal(factors, 0.0), 0.0, factors * terms)
    whole = sum(terms, axis=axis, keepdims=keepdims)
    largest = top if keepdims else max(top, axis=axis)
    if not return_sign:
        total: Array = log(whole) + largest
        return total
    size = abs(whole)
    return log(size) + largest, where(equal(size, 0.0), 0.0, whole / where(equal(size, 0.0), 1.0, size))


@of_arrays
def softmax(x: Array, axis: Axis = None) -> Array:
    """Compute exp(x) / sum(exp(x)) along axes, without intermediate overflow.

    Parameters
    ----------
    x : Array
        Real numbers.
    axis : int or tuple of int, optional
        The axes; by default all.

    Returns
    -------
    Array
        The shares, whose sum is 1, in the shape of ``x``.

    Raises
    ------
    TypeError
        For complex numbers.

    See Also
    --------
    log_softmax : The logarithms of the shares.

    References
    ----------
    SciPy, ``special.softmax``.

    Examples
    --------
    >>> print(xp.special.softmax(xp.asarray([0.0, 1.0, 2.0])))
    [0.09003057 0.24472847 0.66524096]
    """
    x, axis = _real("softmax", x), axes_of(axis, x.ndim, "softmax")
    terms = exp(x - max(x, axis=axis, keepdims=True))
    shares: Array = terms / sum(terms, axis=axis, keepdims=True)
    return shares


@of_arrays
def log_softmax(x: Array, axis: Axis = None) -> Array:
    """Compute log(softmax(x)) along axes, accurate if softmax underflows.

    Parameters
    ----------
    x : Array
        Real numbers.
    axis : int or tuple of int, optional
        The axes; by default all.

    Returns
    -------
    Array
        The logarithms of the shares, in the shape of ``x``.

    Raises
    ------
    TypeError
        For complex numbers.

    See Also
    --------
    softmax : The shares.

    References
    ----------
    SciPy, ``special.log_softmax``.

    Examples
    --------
    >>> print(xp.special.log_softmax(xp.asarray([0.0, 1000.0])))
    [-1000.     0.]
    """
    x, axis = _real("log_softmax", x), axes_of(axis, x.ndim, "log_softmax")
    less = x - _largest(x, axis)
    logarithms: Array = less - log(sum(exp(less), axis=axis, keepdims=True))
    return logarithms


@of_arrays
def multigammaln(a: Array, d: int) -> Array:
    """Compute the logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : Array
        Real numbers; NaN unless they are more than (d - 1) / 2.
    d : int
        The dimension, at least 1.

    Returns
    -------
    Array
        The value for each element.

    Raises
    ------
    ValueError
        Unless ``d`` is a positive integer.
    TypeError
        For complex numbers.

    References
    ----------
    SciPy, ``special.multigammaln``; DLMF 35.3.4.

    Examples
    --------
    >>> print(xp.special.multigammaln(xp.asarray([2.0, 10.0]), 3))
    [ 1.59631259 36.81285863]
    """
    x = _real("multigammaln", a)
    if int(d) != d or d < 1:
        raise ValueError(f"multigammaln: got d={d}; allowed: positive integers")
    result = x * 0.0 + d * (d - 1) / 4 * math.log(math.pi)
    for k in range(int(d)):
        result = result + gammaln(x - k / 2)
    return where(x > (d - 1) / 2, result, math.nan)
