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
    """The sum along axes (all by default); 0 if there are no elements.

    ``dtype``: the dtype of the result; by default int64 or uint64 for integers and booleans, otherwise that of ``x``.
    float16 is added in float32 and rounded once. Sums of floats are blocked and deterministic. ``keepdims``: whether
    reduced axes are kept with extent 1. Source: standard, ``sum``.
    """
    return _accumulated(SUM, x, axis, dtype, keepdims)


@with_numpys_options
def prod(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """The product along axes (all by default); 1 if there are no elements; ``dtype`` and ``keepdims`` as in `sum`.

    Source: standard, ``prod``.
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
    """The largest element along axes (all by default), or NaN if any is NaN.

    ValueError if there are no elements; TypeError for complex numbers. Source: standard, ``max``.
    """
    return _extreme(MAX, x, axis, keepdims)


@with_numpys_options
def min(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The smallest element along axes (all by default), or NaN if any is NaN.

    ValueError if there are no elements; TypeError for complex numbers. Source: standard, ``min``.
    """
    return _extreme(MIN, x, axis, keepdims)


def _count(x: Array, axes: tuple[int, ...]) -> int:
    shape = x._node.shape
    return size(shape) if len(axes) == len(shape) else size(tuple([shape[axis] for axis in axes]))


def _floating(dtype: DType) -> DType:
    """The floating-point dtype of a mean or variance of this dtype."""
    return dtype if dtype in FLOATING else FLOAT64


def _in_dtype(name: str, x: Array, dtype: Any) -> Array:
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
    """The arithmetic mean along axes (all by default); NaN if there are no elements.

    ``dtype``: the dtype of the computation and result (an extension); by default that of ``x``, or float64 for
    integers. Source: standard, ``mean``.
    """
    x = _in_dtype("mean", x, dtype)
    axes = axes_of(axis, x.ndim, "mean")
    total = lazy.total(x._node, axes, keepdims)
    return handle(Array, lazy.astype(lazy.over(total, _count(x, axes)), _floating(x.dtype)))


@with_numpys_options
def var(x: Array, /, *, axis: Axis = None, correction: float = 0.0, dtype: Any = None, keepdims: bool = False) -> Array:
    """The variance along axes (all by default): the sum of squared distances from the mean, divided by N -
    ``correction``.

    If N - correction <= 0, the sum is divided by zero. A large mean causes no cancellation. ``dtype`` as in `mean`; the
    variance of complex numbers is real. TypeError unless ``correction`` is a number. Source: standard, ``var``.
    """
    return handle(Array, _var("var", _in_dtype("var", x, dtype), axis, correction, keepdims))


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
    """The standard deviation along axes (all by default), the square root of `var`. Source: standard, ``std``."""
    return handle(Array, lazy.unary(OPS["sqrt"], _var("std", _in_dtype("std", x, dtype), axis, correction, keepdims)))


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
    """The cumulative sums along an axis; ``dtype`` as in `sum`.

    ``axis``: may be omitted if ``x`` is one-dimensional (ValueError otherwise); ``include_initial``: whether the result
    begins with an additional 0. Source: standard, ``cumulative_sum``.
    """
    return _cumulative("cumulative_sum", SUM, x, axis, dtype, include_initial)


@of_arrays
def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    """The cumulative products along an axis; ``dtype`` as in `sum`.

    ``axis``: may be omitted if ``x`` is one-dimensional (ValueError otherwise); ``include_initial``: whether the result
    begins with an additional 1. Source: standard, ``cumulative_prod``.
    """
    return _cumulative("cumulative_prod", PROD, x, axis, dtype, include_initial)
