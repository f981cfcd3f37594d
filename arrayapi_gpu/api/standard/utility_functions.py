"""Utility functions (standard, chapter "Utility functions")."""

from __future__ import annotations

from ... import lazy
from ...kernels.core.monoid import ALL, ANY, Monoid
from ...lazy import handle, reduction
from ...memory.dtypes import DTYPE_OF
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays, with_numpys_options
from ..core.array_object import Array
from .creation_functions import on_device_of
from .elementwise_functions import not_equal, subtract
from .manipulation_functions import broadcast_to, concat
from .statistical_functions import Axis, axes_of

__all__ = ["all", "any", "diff"]

BOOL = DTYPE_OF["b8"]


def _truth(monoid: Monoid, x: Array, axis: Axis, keepdims: bool) -> Array:
    node = lazy.astype(x._node, BOOL)
    return handle(Array, reduction(monoid, node, axes_of(axis, x.ndim, monoid.name), keepdims, BOOL))


@with_numpys_options
def all(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether all elements along axes (all by default) are nonzero; true if there are none.
    Source: standard, ``all``."""
    return _truth(ALL, x, axis, keepdims)


@with_numpys_options
def any(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """Whether any element along axes (all by default) is nonzero; false if there are none.
    Source: standard, ``any``."""
    return _truth(ANY, x, axis, keepdims)


@of_arrays
def diff(
    x: Array,
    /,
    n: int = 1,
    *,
    axis: int = -1,
    prepend: Array | float | None = None,
    append: Array | float | None = None,
) -> Array:
    """The ``n``-th differences of neighbours along an axis; for booleans, whether neighbours differ.

    ``prepend``, ``append``: arrays to join with ``x`` first; a number or 0-dimensional array is joined once for each
    row. Numbers promote as arrays of the default dtype, as in NumPy: differences of uint8 joined with an int are int64.
    ValueError for negative ``n`` and for 0-dimensional ``x``. Source: standard, ``diff``.
    """
    if n < 0:
        raise ValueError(f"diff: n is {n}; allowed: 0 or more")
    place = normalize_axis(axis, x.ndim, "diff")
    if n == 0:
        return x.copy()
    parts = [_end(part, x, place) for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis=place) if len(parts) > 1 else x
    key = (slice(None),) * place
    for _ in range(min(n, max(x.shape[place], 1))):  # once even without elements: the result must not be a view
        later, earlier = x[(*key, slice(1, None))], x[(*key, slice(None, -1))]
        x = not_equal(later, earlier) if x.dtype == BOOL else subtract(later, earlier)
    return x


def _end(part: Array | float, x: Array, axis: int) -> Array:
    """The array to join to ``x`` along an axis; a number is repeated once for each row."""
    part = on_device_of(x, part, "diff")
    return part if part.ndim else broadcast_to(part, (*x.shape[:axis], 1, *x.shape[axis + 1 :]))
