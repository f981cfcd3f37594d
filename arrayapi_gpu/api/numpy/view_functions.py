"""Views beside the standard's: extras with NumPy's names and arguments.

Each gives views of its argument, as NumPy's function does: who writes to one changes the other.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...lazy.build.build import handle
from ...memory.layout import normalize_axes, normalize_axis
from ..core import indexing
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..standard.manipulation_functions import flip

__all__ = [
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "dsplit", "fliplr", "flipud", "hsplit", "rollaxis",
    "rot90", "split", "vsplit",
]  # fmt: skip

MOST_SECTIONS = 1 << 16  # of an axis that has fewer elements
Sections = int | Sequence[int] | Array | np.ndarray[Any, Any]


@of_arrays
def array_split(x: Array, /, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Parts of x along an axis, as views: so many, the first of which may be longer by one, or cut before each index.

    ValueError for fewer than one part. Source: NumPy, ``array_split``.
    """
    return _parts("array_split", x, indices_or_sections, axis)


@of_arrays
def split(x: Array, /, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Parts of x along an axis, as views: so many of one length, or cut before each index.

    ValueError where there are no such parts. Source: NumPy, ``split``.
    """
    return _split("split", x, indices_or_sections, axis)


@of_arrays
def hsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """`split` along the second axis, or the only one. ValueError for no axes. Source: NumPy, ``hsplit``."""
    return _split("hsplit", _with("hsplit", x, 1), indices_or_sections, 1 if x.ndim > 1 else 0)


@of_arrays
def vsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """`split` along the first axis. ValueError below two axes. Source: NumPy, ``vsplit``."""
    return _split("vsplit", _with("vsplit", x, 2), indices_or_sections, 0)


@of_arrays
def dsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """`split` along the third axis. ValueError below three axes. Source: NumPy, ``dsplit``."""
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
    """An axis moved in front of another one, as a view; `moveaxis` is clearer. Source: NumPy, ``rollaxis``."""
    place = normalize_axis(axis, x.ndim, "rollaxis")
    before = normalize_axis(start, x.ndim + 1, "rollaxis") if start >= 0 else normalize_axis(start, x.ndim, "rollaxis")
    order = [k for k in range(x.ndim) if k != place]
    order.insert(before - (place < before), place)
    return indexing.permuted(x, order)


@of_arrays
def fliplr(x: Array, /) -> Array:
    """The columns in reverse order, as a view. ValueError below two axes. Source: NumPy, ``fliplr``."""
    return flip(_with("fliplr", x, 2), axis=1)


@of_arrays
def flipud(x: Array, /) -> Array:
    """The rows in reverse order, as a view. ValueError for no axes. Source: NumPy, ``flipud``."""
    return flip(_with("flipud", x, 1), axis=0)


@of_arrays
def rot90(x: Array, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """x turned ``k`` times by 90 degrees, from the first of two axes towards the second, as a view.

    ValueError unless there are two different axes. Source: NumPy, ``rot90``.
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
    """The arrays with one axis or more, as views; of one array the view alone. Source: NumPy, ``atleast_1d``."""
    return _each([_seen(x, (None,)) if x.ndim < 1 else x for x in arrays])


@of_arrays
def atleast_2d(*arrays: Array) -> Array | tuple[Array, ...]:
    """The arrays with two axes or more, new ones in front, as views; of one array the view alone.

    Source: NumPy, ``atleast_2d``.
    """
    return _each([_seen(x, ((None,) * (2 - x.ndim) + (...,))) if x.ndim < 2 else x for x in arrays])


@of_arrays
def atleast_3d(*arrays: Array) -> Array | tuple[Array, ...]:
    """The arrays with three axes or more, as views; of one array the view alone. A vector is (1, n, 1), a matrix
    (m, n, 1).

    Source: NumPy, ``atleast_3d``.
    """
    keys: list[tuple[Any, ...]] = [(None, None, None), (None, slice(None), None), (..., None)]
    return _each([_seen(x, keys[x.ndim]) if x.ndim < 3 else x for x in arrays])


def _seen(x: Array, key: tuple[Any, ...]) -> Array:
    return handle(Array, indexing.indexed(x._node, key))


def _each(views: list[Array]) -> Array | tuple[Array, ...]:
    return views[0] if len(views) == 1 else tuple(views)
