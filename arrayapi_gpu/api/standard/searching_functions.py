"""Searching functions (standard, chapter "Searching functions")."""

from __future__ import annotations

from typing import Literal, overload

from ...kernels.core.monoid import ARGMAX, ARGMIN, SUM, Monoid
from ...kernels.ordering.search import searchsorted as search_kernel
from ...lazy.build import build, compaction
from ...lazy.build.build import handle
from ...lazy.build.reductions import reduction
from ...lazy.graph.graph import constant, leaf
from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF, fit, holds, promote
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays, with_numpys_options
from ..core.array_object import Array, node_of, operand
from .statistical_functions import Axis, axes_of

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]


def _position(monoid: Monoid, x: Array, axis: int | None, keepdims: bool) -> Array:
    if x.dtype in COMPLEX_FLOATING:
        raise TypeError(f"{monoid.name}: got {x.dtype}; allowed: real dtypes, complex numbers have no order")
    axes = axes_of(None, x.ndim, monoid.name) if axis is None else (normalize_axis(axis, x.ndim, monoid.name),)
    if not axes:
        return handle(Array, constant(0, INT64, (), x.device))
    return handle(Array, reduction(monoid, x._node, axes, keepdims, INT64))


@with_numpys_options
def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """int64 position of the first largest element, of the first NaN if there is one; in C order of all axes by default.

    ValueError over nothing. Source: standard, ``argmax``.
    """
    return _position(ARGMAX, x, axis, keepdims)


@with_numpys_options
def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """int64 position of the first smallest element, of the first NaN if there is one; in C order of all axes by
    default.

    ValueError over nothing. Source: standard, ``argmin``.
    """
    return _position(ARGMIN, x, axis, keepdims)


@of_arrays
def count_nonzero(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """int64 number of elements that are not zero, along axes (all by default). Source: standard, ``count_nonzero``."""
    node = build.astype(build.astype(x._node, BOOL), INT64)
    return handle(Array, reduction(SUM, node, axes_of(axis, x.ndim, "count_nonzero"), keepdims, INT64))


@of_arrays
def nonzero(x: Array, /) -> tuple[Array, ...]:
    """int64 coordinates of the elements that are not zero, in C order, an array an axis. ValueError for 0 dimensions.

    Source: standard, ``nonzero``.
    """
    if x.ndim == 0:
        raise ValueError("nonzero: the array has 0 dimensions; allowed: 1 or more; use reshape(x, (1,))")
    return tuple(handle(Array, leaf(a)) for a in compaction.nonzero(build.astype(x._node, BOOL)))


@of_arrays
def searchsorted(
    x1: Array, x2: Array | float, /, *, side: Literal["left", "right"] = "left", sorter: Array | None = None
) -> Array:
    """int64 positions in the sorted array x1 where the elements of x2 belong, before equal ones ("left") or after
    ("right").

    ``sorter`` lists the positions that sort x1. A Python number that x1's dtype does not hold is compared as in NumPy,
    in the dtype to which both promote. ValueError for another side or an x1 of other than one dimension; OverflowError
    for integers that no dtype holds. Source: standard, ``searchsorted``.
    """
    if x1.ndim != 1:
        raise ValueError(f"searchsorted: x1 has shape {x1.shape}; allowed: 1 dimension")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side={side!r}; allowed: 'left', 'right'")
    if not isinstance(x2, Array) and not hasattr(x2, "dtype") and holds(x2, x1.dtype):
        values, dtype = constant(fit(x2, x1.dtype), x1.dtype, (), x1.device), x1.dtype
    else:
        other = operand(x1.device, x2, "searchsorted")
        values = other if isinstance(x2, Array) else node_of(x2, x1.device, "searchsorted")
        dtype = promote(x1.dtype, values.dtype)
    if dtype in COMPLEX_FLOATING:
        raise TypeError(f"searchsorted: got {dtype}; allowed: real dtypes, complex numbers have no order")
    source = x1 if sorter is None else x1[sorter]
    found = search_kernel(build.read(build.astype(source._node, dtype)), build.read(build.astype(values, dtype)), side)
    return handle(Array, leaf(found))


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...
@overload
def where(condition: Array, x1: Array | complex, x2: Array | complex, /) -> Array: ...
@of_arrays
def where(
    condition: Array, x1: Array | complex | None = None, x2: Array | complex | None = None, /
) -> Array | tuple[Array, ...]:
    """Elements of x1 where the condition holds, else of x2, after broadcasting; `nonzero` of a condition alone, as in
    NumPy.

    TypeError unless the condition is boolean, or alone. Source: standard, ``where``.
    """
    if x1 is None and x2 is None:
        return nonzero(condition)
    if type(x1) is Array and type(x2) is Array:
        return handle(Array, build.where(condition._node, x1._node, x2._node))
    device = condition.device
    a, b = operand(device, x1, "where"), operand(device, x2, "where")
    if a is NotImplemented or b is NotImplemented:
        came = type(x1 if a is NotImplemented else x2).__name__
        raise TypeError(f"where: got {came}; allowed: arrays, Python and NumPy scalars; use asarray")
    if not hasattr(a, "dtype") and not hasattr(b, "dtype"):
        a = node_of(a, device)
    return handle(Array, build.where(condition._node, a, b))
