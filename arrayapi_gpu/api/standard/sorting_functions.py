"""Sorting functions (standard, chapter "Sorting functions")."""

from __future__ import annotations

from ...lazy import handle, sorted_along
from ...memory.dtypes import COMPLEX_FLOATING
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays
from ..core.array_object import Array

__all__ = ["argsort", "sort"]


def _axis(name: str, x: Array, axis: int) -> int:
    node = x._node
    if node.dtype in COMPLEX_FLOATING:
        raise TypeError(
            f"{name}: got {x.dtype}; allowed: real dtypes, complex numbers have no order; use abs(x) or real(x)"
        )
    return normalize_axis(axis, len(node.shape), name)


@of_arrays
def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The indices (int64) that sort ``x`` along an axis; NaN comes last.

    ``descending``: whether the largest element comes first. The sort is always stable. TypeError for complex numbers.
    Source: standard, ``argsort``.
    """
    place = _axis("argsort", x, axis)
    return handle(Array, sorted_along(x._node, place, descending, positions=True))


@of_arrays
def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """A sorted copy of ``x`` along an axis; NaN comes last.

    ``descending``: whether the largest element comes first. The sort is always stable. TypeError for complex numbers.
    Source: standard, ``sort``.
    """
    place = _axis("sort", x, axis)
    return handle(Array, sorted_along(x._node, place, descending))
