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
from ..core.arguments import integer, of_arrays
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
    """Split an array into parts of nearly equal length along an axis.

    Parameters
    ----------
    x : Array
        The array, of one axis or more.
    indices_or_sections : int or sequence of int
        The number of parts, whose first ones are longer by one element where the axis cannot be divided evenly; or the
        indices before which to cut. An array of integers is read on the host.
    axis : int, default: 0
        The axis to cut.

    Returns
    -------
    list of Array
        The parts, as views of ``x``.

    Raises
    ------
    ValueError
        For fewer than one part.

    See Also
    --------
    split : The same for parts of equal length.

    References
    ----------
    NumPy, ``array_split``.

    Examples
    --------
    >>> [part.tolist() for part in xp.array_split(xp.arange(5), 3)]
    [[0, 1], [2, 3], [4]]
    """
    return _parts("array_split", x, indices_or_sections, axis)


@of_arrays
def split(x: Array, /, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Split an array into parts of equal length along an axis, or at given indices.

    Parameters
    ----------
    x : Array
        The array, of one axis or more.
    indices_or_sections : int or sequence of int
        The number of parts, or the indices before which to cut. An array of integers is read on the host.
    axis : int, default: 0
        The axis to cut.

    Returns
    -------
    list of Array
        The parts, as views of ``x``.

    Raises
    ------
    ValueError
        If the number of parts does not divide the length of the axis.

    See Also
    --------
    array_split : Parts whose lengths may differ by one.
    unstack : Parts without the axis.

    References
    ----------
    NumPy, ``split``.

    Examples
    --------
    >>> [part.tolist() for part in xp.split(xp.arange(6), [1, 4])]
    [[0], [1, 2, 3], [4, 5]]
    """
    return _split("split", x, indices_or_sections, axis)


@of_arrays
def hsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """Split an array along its second axis, or along the only one.

    Parameters
    ----------
    x : Array
        The array, of one axis or more.
    indices_or_sections : int or sequence of int
        The number of parts of equal length, or the indices before which to cut.

    Returns
    -------
    list of Array
        The parts, as views of ``x``.

    Raises
    ------
    ValueError
        For a 0-dimensional array, and if the number of parts does not divide the length of the axis.

    See Also
    --------
    split : The same along any axis.

    References
    ----------
    NumPy, ``hsplit``.

    Examples
    --------
    >>> [part.tolist() for part in xp.hsplit(xp.asarray([[1, 2, 3, 4], [5, 6, 7, 8]]), 2)]
    [[[1, 2], [5, 6]], [[3, 4], [7, 8]]]
    """
    return _split("hsplit", _with("hsplit", x, 1), indices_or_sections, 1 if x.ndim > 1 else 0)


@of_arrays
def vsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """Split an array along its first axis.

    Parameters
    ----------
    x : Array
        The array, of two axes or more.
    indices_or_sections : int or sequence of int
        The number of parts of equal length, or the indices before which to cut.

    Returns
    -------
    list of Array
        The parts, as views of ``x``.

    Raises
    ------
    ValueError
        For fewer than two axes, and if the number of parts does not divide the length of the axis.

    See Also
    --------
    split : The same along any axis.

    References
    ----------
    NumPy, ``vsplit``.

    Examples
    --------
    >>> [part.tolist() for part in xp.vsplit(xp.asarray([[1, 2], [3, 4]]), 2)]
    [[[1, 2]], [[3, 4]]]
    """
    return _split("vsplit", _with("vsplit", x, 2), indices_or_sections, 0)


@of_arrays
def dsplit(x: Array, /, indices_or_sections: Sections) -> list[Array]:
    """Split an array along its third axis.

    Parameters
    ----------
    x : Array
        The array, of three axes or more.
    indices_or_sections : int or sequence of int
        The number of parts of equal length, or the indices before which to cut.

    Returns
    -------
    list of Array
        The parts, as views of ``x``.

    Raises
    ------
    ValueError
        For fewer than three axes, and if the number of parts does not divide the length of the axis.

    See Also
    --------
    split : The same along any axis.

    References
    ----------
    NumPy, ``dsplit``.

    Examples
    --------
    >>> [part.shape for part in xp.dsplit(xp.ones((2, 3, 6)), 3)]
    [(2, 3, 2), (2, 3, 2), (2, 3, 2)]
    """
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
    """Move an axis in front of another one.

    `moveaxis` does the same with arguments that are easier to read.

    Parameters
    ----------
    x : Array
        The array.
    axis : int
        The axis to move.
    start : int, default: 0
        The axis before which it is put; ``x.ndim`` puts it last.

    Returns
    -------
    Array
        A view of ``x``.

    See Also
    --------
    moveaxis : Move axes to given positions.

    References
    ----------
    NumPy, ``rollaxis``.

    Examples
    --------
    >>> xp.rollaxis(xp.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    place = normalize_axis(axis, x.ndim, "rollaxis")
    before = normalize_axis(start, x.ndim + 1, "rollaxis") if start >= 0 else normalize_axis(start, x.ndim, "rollaxis")
    order = [k for k in range(x.ndim) if k != place]
    order.insert(before - (place < before), place)
    return indexing.permuted(x, order)


@of_arrays
def fliplr(x: Array, /) -> Array:
    """Reverse an array along its second axis.

    Parameters
    ----------
    x : Array
        The array, of two axes or more.

    Returns
    -------
    Array
        A view of ``x``.

    Raises
    ------
    ValueError
        For fewer than two axes.

    See Also
    --------
    flip : Reverse along any axes.
    flipud : Reverse along the first axis.

    References
    ----------
    NumPy, ``fliplr``.

    Examples
    --------
    >>> xp.fliplr(xp.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 1], [4, 3]]
    """
    return flip(_with("fliplr", x, 2), axis=1)


@of_arrays
def flipud(x: Array, /) -> Array:
    """Reverse an array along its first axis.

    Parameters
    ----------
    x : Array
        The array, of one axis or more.

    Returns
    -------
    Array
        A view of ``x``.

    Raises
    ------
    ValueError
        For a 0-dimensional array.

    See Also
    --------
    flip : Reverse along any axes.
    fliplr : Reverse along the second axis.

    References
    ----------
    NumPy, ``flipud``.

    Examples
    --------
    >>> xp.flipud(xp.asarray([[1, 2], [3, 4]])).tolist()
    [[3, 4], [1, 2]]
    """
    return flip(_with("flipud", x, 1), axis=0)


@of_arrays
def rot90(x: Array, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array:
    """Rotate an array by quarter turns in the plane of two axes.

    Parameters
    ----------
    x : Array
        The array, of two axes or more.
    k : int, default: 1
        The number of turns by 90 degrees, from the first of ``axes`` towards the second; negative numbers turn back.
    axes : tuple of two int, default: (0, 1)
        The plane: two different axes.

    Returns
    -------
    Array
        A view of ``x``.

    Raises
    ------
    ValueError
        Unless ``axes`` are two different axes.

    See Also
    --------
    flip : Reverse along axes.

    References
    ----------
    NumPy, ``rot90``.

    Examples
    --------
    >>> xp.rot90(xp.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    plane = normalize_axes(tuple(axes), x.ndim, "rot90")
    if len(plane) != 2:
        raise ValueError(f"rot90: axes={tuple(axes)}; allowed: two different axes")
    first, second = plane
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    times = integer("rot90", "k", k) % 4
    if times == 1:
        return indexing.permuted(flip(x, axis=second), order)
    if times == 3:
        return flip(indexing.permuted(x, order), axis=second)
    return flip(x, axis=plane if times else ())


@of_arrays
def atleast_1d(*arrays: Array) -> Array | tuple[Array, ...]:
    """View arrays with at least one axis.

    Parameters
    ----------
    *arrays : Array
        The arrays.

    Returns
    -------
    Array or tuple of Array
        One array for one argument, otherwise a tuple. Arrays that have an axis are returned unchanged.

    See Also
    --------
    atleast_2d, atleast_3d : The same for more axes.

    References
    ----------
    NumPy, ``atleast_1d``.

    Examples
    --------
    >>> xp.atleast_1d(xp.asarray(3)).tolist()
    [3]
    """
    return _each([_viewed(x, (None,)) if x.ndim < 1 else x for x in arrays])


@of_arrays
def atleast_2d(*arrays: Array) -> Array | tuple[Array, ...]:
    """View arrays with at least two axes.

    Parameters
    ----------
    *arrays : Array
        The arrays. New axes come first: a vector of shape (n,) becomes (1, n).

    Returns
    -------
    Array or tuple of Array
        One array for one argument, otherwise a tuple. Arrays that have two axes are returned unchanged.

    See Also
    --------
    atleast_1d, atleast_3d : The same for other numbers of axes.

    References
    ----------
    NumPy, ``atleast_2d``.

    Examples
    --------
    >>> xp.atleast_2d(xp.asarray([1, 2])).tolist()
    [[1, 2]]
    """
    return _each([_viewed(x, ((None,) * (2 - x.ndim) + (...,))) if x.ndim < 2 else x for x in arrays])


@of_arrays
def atleast_3d(*arrays: Array) -> Array | tuple[Array, ...]:
    """View arrays with at least three axes.

    Parameters
    ----------
    *arrays : Array
        The arrays. A vector of shape (n,) becomes (1, n, 1), and a matrix (m, n) becomes (m, n, 1).

    Returns
    -------
    Array or tuple of Array
        One array for one argument, otherwise a tuple. Arrays that have three axes are returned unchanged.

    See Also
    --------
    atleast_1d, atleast_2d : The same for fewer axes.

    References
    ----------
    NumPy, ``atleast_3d``.

    Examples
    --------
    >>> xp.atleast_3d(xp.ones((2, 5))).shape
    (2, 5, 1)
    """
    keys: list[tuple[Any, ...]] = [(None, None, None), (None, slice(None), None), (..., None)]
    return _each([_viewed(x, keys[x.ndim]) if x.ndim < 3 else x for x in arrays])


def _viewed(x: Array, key: tuple[Any, ...]) -> Array:
    return handle(Array, indexing.indexed(x._node, key))


def _each(views: list[Array]) -> Array | tuple[Array, ...]:
    return views[0] if len(views) == 1 else tuple(views)
