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
    """The sub-arrays of ``x`` at ``indices`` along ``axis``.

    ``indices``: a one-dimensional array of integers; ``axis``: may be omitted if ``x`` is one-dimensional (ValueError
    otherwise). IndexError for indices out of bounds. Source: standard, ``take``.
    """
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: the array has {x.ndim} axes; allowed without axis: 1; give axis=")
        axis = 0
    place = normalize_axis(axis, x.ndim, "take")
    return x[(*(slice(None),) * place, indices)]


@of_arrays
def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """The elements of ``x`` at ``indices`` along ``axis``.

    ``indices``: an array of integers with as many axes as ``x``; the axes other than ``axis`` broadcast. ValueError if
    the numbers of axes differ, IndexError for indices out of bounds. Source: standard, ``take_along_axis``.
    """
    return x[along("take_along_axis", x, indices, axis)]


def along(name: str, x: Array, indices: Array, axis: int) -> tuple[Array, ...]:
    """The key that selects the elements of ``x`` at ``indices`` along an axis; their other axes broadcast."""
    place = normalize_axis(axis, x.ndim, name)
    if not isinstance(indices, Array):
        raise refused(name, indices)
    if indices.ndim != x.ndim:
        raise ValueError(
            f"{name}: got indices with {indices.ndim} axes; allowed: {x.ndim}, as many as the array has; use "
            "expand_dims"
        )
    key = []
    for k, n in enumerate(x.shape):
        if k == place:
            key.append(indices)
        else:
            shape = tuple(n if axis_ == k else 1 for axis_ in range(x.ndim))
            key.append(reshape(arange(n, device=x.device), shape))
    return tuple(key)
