"""Padding: an extension with NumPy's name and arguments."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...memory.dtypes import cast
from ...memory.layout import normalize_axis
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..standard.creation_functions import asarray, full
from ..standard.indexing_functions import take
from ..standard.manipulation_functions import concat

__all__ = ["pad"]

MODES = ("constant", "edge", "reflect", "symmetric", "wrap")
NUMPYS = ("empty", "linear_ramp", "maximum", "mean", "median", "minimum")


@of_arrays
def pad(array: Array, pad_width: Any, /, mode: str = "constant", *, constant_values: Any = 0) -> Array:
    """Add elements before and after an array along its axes.

    Parameters
    ----------
    array : Array
        The array.
    pad_width : int, sequence or dict
        The numbers of elements to add: one number, (before, after), such a pair for each axis, or a dict of axes and
        numbers or pairs.
    mode : {'constant', 'edge', 'reflect', 'symmetric', 'wrap'}, default: 'constant'
        The new elements: a constant, the edge, the elements mirrored without the edge ("reflect") or with it
        ("symmetric"), or those of the other end ("wrap").
    constant_values : scalar or sequence, default: 0
        The constants: one number, (before, after), or such a pair for each axis.

    Returns
    -------
    Array
        A new array of the dtype of ``array``.

    Raises
    ------
    ValueError
        For another mode, for negative widths, and for an empty axis if ``mode`` is not "constant".
    TypeError
        For widths that are not integers.

    References
    ----------
    NumPy, ``pad``.

    Examples
    --------
    >>> print(xp.pad(xp.asarray([1, 2]), (1, 2), constant_values=(7, 8)))
    [7 1 2 8 8]
    >>> print(xp.pad(xp.asarray([1, 2, 3]), 2, mode="reflect"))
    [3 2 1 2 3 2 1]
    """
    widths = _widths(pad_width, array.ndim)
    if mode not in MODES:
        more = f"; numpy.pad computes mode={mode!r} on the host" if mode in NUMPYS or callable(mode) else ""
        raise ValueError(f"pad: got mode={mode!r}; allowed: {', '.join(map(repr, MODES))}{more}")
    if isinstance(constant_values, (Array, np.ndarray)):  # elements of arrays are cast without OverflowError
        constant_values = cast(np.asarray(constant_values), array.dtype)
    values = _pairs("constant_values", constant_values, array.ndim)
    found = array
    for axis, (before, after) in enumerate(widths):
        n = found.shape[axis]
        if not before and not after:
            continue
        if mode == "constant":
            ends = [
                full((*found.shape[:axis], k, *found.shape[axis + 1 :]), value, dtype=array.dtype, device=array.device)
                for k, value in zip((before, after), values[axis], strict=True)
            ]
            found = concat([ends[0], found, ends[1]], axis=axis)
            continue
        if not n:
            raise ValueError(f"pad: axis {axis} is empty; allowed for mode={mode!r}: 1 element or more; use 'constant'")
        places = _padded(np.arange(-before, n + after), n, mode)
        found = take(found, asarray(places, device=array.device), axis=axis)
    return found.copy() if found is array else found


def _widths(given: Any, ndim: int) -> list[list[int]]:
    """The numbers of elements before and after each axis. ValueError for negative ones, TypeError for non-integers."""
    if isinstance(given, Mapping):
        pairs: Any = [(0, 0)] * ndim
        for axis, width in given.items():
            pairs[normalize_axis(axis, ndim, "pad")] = width if isinstance(width, (tuple, list)) else (width, width)
    else:
        pairs = _pairs("pad_width", given, ndim)
    try:
        widths = [[operator.index(width) for width in pair] for pair in pairs]
    except TypeError:
        raise TypeError(f"pad: got pad_width={given!r}; allowed: integers; convert with int()") from None
    if builtins.min((width for pair in widths for width in pair), default=0) < 0:
        raise ValueError(f"pad: got pad_width={given!r}; allowed: integers >= 0; use slices to cut")
    return widths


def _pairs(argument: str, given: Any, ndim: int) -> Any:
    """Pairs of a value before and a value after each axis, from one value, a pair, or a pair for each axis."""
    host = np.asarray(given)
    try:
        return np.broadcast_to(host, (ndim, 2)).tolist()
    except ValueError:
        raise ValueError(
            f"pad: got {argument} of shape {host.shape}; allowed: a number, (before, after), or {ndim} such pairs"
        ) from None


def _padded(places: np.ndarray[Any, Any], n: int, mode: str) -> np.ndarray[Any, Any]:
    """The indices of the elements of a padded axis in the axis of ``n`` elements."""
    if mode == "edge":
        return places.clip(0, n - 1)
    if mode == "wrap":
        return places % n
    if mode == "symmetric":
        folded = places % (2 * n)
        return np.asarray(np.where(folded < n, folded, 2 * n - 1 - folded))
    period = builtins.max(2 * n - 2, 1)
    folded = places % period
    return np.asarray(np.where(folded < n, folded, period - folded))
