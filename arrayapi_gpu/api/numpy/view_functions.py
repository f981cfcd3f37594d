"""Views in addition to the standard's: extensions with NumPy's names and arguments.

Each returns views of its argument, as NumPy's function does: a write to a view changes the argument, and vice versa.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...lazy import handle
from ...memory.layout import normalize_axes, normalize_axis
from ..core import indexing
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..standard.manipulation_functions import flip

__all__ = [
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "dsplit", "fliplr", "flipud", "hsplit", "rollaxis",
    "rot90", "split", "vsplit",
]  # fmt: skip

MOST_SECTIONS = 1 << 16  # the limit on parts of an axis with fewer elements
Sections = int | Sequence[int] | Array | np.ndarray[Any, Any]


@of_arrays
def array_split(x: Array, /, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """A list of parts of ``x`` along an axis, as views.

    ``indices_or_sections``: the number of parts, where the first ones may be longer by one, or the indices before which
    to cut. ValueError for fewer than one part. Source: NumPy, ``array_split``.
    """
    return _parts("array_split", x, indices_or_sections, axis)


@of_arrays
def split(x: Array, /, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """A list of parts of ``x`` along an axis, as views.

    ``indices_or_sections``: the number of parts of equal length, or the indices before which to cut. ValueError if the
    number does not divide the length of the axis. Source: NumPy, ``split``.
    """
    return _split("split", x, indices_or_sections, axis)


@of_arrays
def hsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """The `split` along the second axis, or the only one. ValueError for 0 dimensions. Source: NumPy, ``hsplit``."""
    return _split("hsplit", _with("hsplit", x, 1), indices_or_sections, 1 if x.ndim > 1 else 0)


@of_arrays
def vsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """The `split` along the first axis. ValueError for fewer than two axes. Source: NumPy, ``vsplit``."""
    return _split("vsplit", _with("vsplit", x, 2), indices_or_sections, 0)


@of_arrays
def dsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """The `split` along the third axis. ValueError for fewer than three axes. Source: NumPy, ``dsplit``."""
    return _split("dsplit", _with("dsplit", x, 3), indices_or_sections, 2)


def _with(name: str, x: Array, least: int) -> Array:
    if x.ndim < least:
        raise ValueError(f"{name}: the array has {x.ndim} axes; allowed: {least} or more; use split with an axis")
    return x


def _sections(name: str, value: Sections) -> int | list[int]:
    """A number of parts, or the indices before which to cut."""
    if isinstance(value, (Array, np.ndarray)):
        value = value.tolist()
    try:
        return list(map(operator.index, value)) if isinstance(value, Sequence) else operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}: got {value!r} for indices_or_sections; allowed: an integer, or a list of integers"
        ) from None


def _split(name: str, x: Array, given: Sections, axis: int) -> list[Array]:
    sections, place = _sections(name, given), normalize_axis(axis, x.ndim, name)
    if isinstance(sections, int) and sections > 0 and x.shape[place] % sections:
        raise ValueError(
            f"{name}: {sections} parts of an axis of {x.shape[place]} elements; allowed: a divisor; use array_split"
        )
    return _parts(name, x, sections, place)


def _parts(name: str, x: Array, given: Sections, axis: int) -> list[Array]:
    sections, place = _sections(name, given), normalize_axis(axis, x.ndim, name)
    n = x.shape[place]
    if isinstance(sections, int):
        if not 1 <= sections <= max(n, MOST_SECTIONS):
            raise ValueError(f"{name}: got {sections} parts; allowed: 1 to {max(n, MOST_SECTIONS)}")
        length, longer = divmod(n, sections)
        ends = [k * length + min(k, longer) for k in range(sections + 1)]
    else:
        ends = [0, *sections, n]
    before = (slice(None),) * place
    keys = [(*before, slice(start, stop)) for start, stop in pairwise(ends)]
    return [handle(Array, indexing.indexed(x._node, key)) for key in keys]


@of_arrays
def rollaxis(x: Array, /, axis: int, start: int = 0) -> Array:
    """The array with ``axis`` moved before the axis ``start``, as a view; `moveaxis` is clearer.
    Source: NumPy, ``rollaxis``."""
    place = normalize_axis(axis, x.ndim, "rollaxis")
    before = normalize_axis(start, x.ndim + 1, "rollaxis") if start >= 0 else normalize_axis(start, x.ndim, "rollaxis")
    order = [k for k in range(x.ndim) if k != place]
    order.insert(before - (place < before), place)
    return indexing.permuted(x, order)


@of_arrays
def fliplr(x: Array, /) -> Array:
    """The array with its second axis reversed, as a view. ValueError for fewer than two axes.
    Source: NumPy, ``fliplr``."""
    return flip(_with("fliplr", x, 2), axis=1)


@of_arrays
def flipud(x: Array, /) -> Array:
    """The array with its first axis reversed, as a view. ValueError for 0 dimensions. Source: NumPy, ``flipud``."""
    return flip(_with("flipud", x, 1), axis=0)


@of_arrays
def rot90(x: Array, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """The array rotated ``k`` times by 90 degrees in the plane of two axes, from the first towards the second, as a
    view.

    ValueError unless ``axes`` are two different axes. Source: NumPy, ``rot90``.
    """
    plane = normalize_axes(tuple(axes), x.ndim, "rot90")
    if len(plane) != 2:
        raise ValueError(f"rot90: axes={tuple(axes)}; allowed: two different axes")
    first, second = plane
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    times = operator.index(k) % 4
    if times == 1:
        return indexing.permuted(flip(x, axis=second), order)
    if times == 3:
        return flip(indexing.permuted(x, order), axis=second)
    return flip(x, axis=plane if times else ())


@of_arrays
def atleast_1d(*arrays: Array) -> Array | tuple[Array, ...]:
    """A tuple of the arrays with at least one axis, as views; a single view for one array.
    Source: NumPy, ``atleast_1d``."""
    return _each([_viewed(x, (None,)) if x.ndim < 1 else x for x in arrays])


@of_arrays
def atleast_2d(*arrays: Array) -> Array | tuple[Array, ...]:
    """A tuple of the arrays with at least two axes, as views; a single view for one array. New axes come first.

    Source: NumPy, ``atleast_2d``.
    """
    return _each([_viewed(x, ((None,) * (2 - x.ndim) + (...,))) if x.ndim < 2 else x for x in arrays])


@of_arrays
def atleast_3d(*arrays: Array) -> Array | tuple[Array, ...]:
    """A tuple of the arrays with at least three axes, as views; a single view for one array. A vector (n,) becomes
    (1, n, 1), a matrix (m, n) becomes (m, n, 1).

    Source: NumPy, ``atleast_3d``.
    """
    keys: list[tuple[Any, ...]] = [(None, None, None), (None, slice(None), None), (..., None)]
    return _each([_viewed(x, keys[x.ndim]) if x.ndim < 3 else x for x in arrays])


def _viewed(x: Array, key: tuple[Any, ...]) -> Array:
    return handle(Array, indexing.indexed(x._node, key))


def _each(views: list[Array]) -> Array | tuple[Array, ...]:
    return views[0] if len(views) == 1 else tuple(views)
