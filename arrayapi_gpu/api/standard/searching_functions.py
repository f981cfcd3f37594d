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
    """The index (int64) of the largest element along ``axis``, the first of equal ones, or of the first NaN.

    ``axis``: None gives the index in C order of all elements. ValueError if there are no elements.
    Source: standard, ``argmax``.
    """
    return _position(ARGMAX, x, axis, keepdims)


@with_numpys_options
def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The index (int64) of the smallest element along ``axis``, the first of equal ones, or of the first NaN.

    ``axis``: None gives the index in C order of all elements. ValueError if there are no elements.
    Source: standard, ``argmin``.
    """
    return _position(ARGMIN, x, axis, keepdims)


@of_arrays
def count_nonzero(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """The number (int64) of nonzero elements along axes (all by default). Source: standard, ``count_nonzero``."""
    node = lazy.astype(lazy.astype(x._node, BOOL), INT64)
    return handle(Array, reduction(SUM, node, axes_of(axis, x.ndim, "count_nonzero"), keepdims, INT64))


@of_arrays
def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The indices (int64) of the nonzero elements, in C order: a tuple with one array for each axis.

    ValueError for a 0-dimensional array. Source: standard, ``nonzero``.
    """
    if x.ndim == 0:
        raise ValueError("nonzero: the array has 0 dimensions; allowed: 1 or more; use reshape(x, (1,))")
    return tuple(handle(Array, leaf(a)) for a in lazy.nonzero(lazy.astype(x._node, BOOL)))


@of_arrays
def searchsorted(
    x1: Array, x2: Array | float, /, *, side: Literal["left", "right"] = "left", sorter: Array | None = None
) -> Array:
    """The indices (int64) in the sorted array ``x1`` at which to insert the elements of ``x2``.

    ``side``: "left", before equal elements, or "right", after them; ``sorter``: the indices that sort ``x1``, if it is
    not sorted. A Python number that the dtype of ``x1`` does not hold, and a float among integers, is compared in the
    dtype to which both promote, as in NumPy. ValueError for another ``side`` and unless ``x1`` is one-dimensional;
    OverflowError for integers too large for any dtype. Source: standard, ``searchsorted``.
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
def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array: ...
@of_arrays
def where(
    condition: Array, x1: Array | complex | None = None, x2: Array | complex | None = None, /
) -> Array | tuple[Array, ...]:
    """The elements of ``x1`` where ``condition`` is true and those of ``x2`` where it is false, after broadcasting;
    with ``condition`` as the only argument, its `nonzero`, as in NumPy.

    TypeError unless the condition is boolean or the only argument. Source: standard, ``where``.
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
