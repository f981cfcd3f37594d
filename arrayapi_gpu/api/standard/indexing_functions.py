"""Indexing functions (standard, chapter "Indexing functions")."""

from __future__ import annotations

from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays, refused
from ..core.array_object import Array
from .creation_functions import arange
from .manipulation_functions import reshape

__all__ = ["take", "take_along_axis"]


@of_arrays
def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """The sub-arrays along ``axis`` at ``indices`` (one dimension); axis may be left out for one-dimensional x.

    IndexError for indices outside the axis. Source: standard, ``take``.
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: the array has {x.ndim} axes; allowed without axis: 1; give axis=")
        axis = 0
    place = normalize_axis(axis, x.ndim, "take")
    return x[(*(slice(None),) * place, indices)]


@of_arrays
def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Elements along ``axis`` at ``indices``, whose other axes broadcast with those of x.

    ValueError where ranks differ, IndexError for indices outside the axis. Source: standard, ``take_along_axis``.
    """
    return x[along("take_along_axis", x, indices, axis)]


def along(name: str, x: Array, indices: Array, axis: int) -> tuple[Array, ...]:
    """The key of the elements of x along an axis at ``indices``, whose other axes broadcast with those of x."""
    place = normalize_axis(axis, x.ndim, name)
    if not isinstance(indices, Array):
        raise refused(name, indices)
    if indices.ndim != x.ndim:
        raise ValueError(f"{name}: indices have {indices.ndim} axes, x {x.ndim}; allowed: as many")
    key = []
    for k, n in enumerate(x.shape):
        if k == place:
            key.append(indices)
        else:
            shape = tuple(n if axis_ == k else 1 for axis_ in range(x.ndim))
            key.append(reshape(arange(n, device=x.device), shape))
    return tuple(key)
