"""Histograms: an extension with NumPy's name and arguments.

A binary search finds the bin of each element. On devices with loops, the bins of one width are computed instead.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...lazy import available
from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPE_OF, NoValueError
from ..core.arguments import of_arrays
from ..core.array_object import Array
from ..core.host_values import real_number
from ..standard.creation_functions import linspace, on_device_of
from ..standard.data_type_functions import astype, floating, result_type
from ..standard.elementwise_functions import clip
from ..standard.indexing_functions import take
from ..standard.manipulation_functions import concat, reshape
from ..standard.searching_functions import searchsorted, where
from ..standard.sorting_functions import sort
from ..standard.statistical_functions import max, min, sum
from ..standard.utility_functions import any, diff
from .scatter_functions import bincount

__all__ = ["histogram"]

INT32, INT64, FLOAT64 = DTYPE_OF["i32"], DTYPE_OF["i64"], DTYPE_OF["f64"]
MOST_EVEN = 1 << 16  # bins whose numbers float32 can compute to within one
LEAST_WIDTH = 8  # of a bin, in distances between neighbouring floats


@of_arrays
def histogram(
    a: Array, /, bins: int | Sequence[float] | Array = 10, range: tuple[float, float] | None = None,
    density: bool | None = False, weights: Array | Sequence[float] | None = None,
) -> tuple[Array, Array]:  # fmt: skip
    """Count the elements of an array in bins.

    All bins are half open, except for the last, which has both edges. Elements outside are not counted.

    Parameters
    ----------
    a : Array
        The numbers, real, of any shape.
    bins : int or sequence or Array, default: 10
        The number of bins of equal width, or an increasing sequence of edges.
    range : tuple of two float, optional
        The first and last edge for a number of bins; by default the smallest and largest element.
    density : bool, default: False
        Whether to divide the counts so that the area of the histogram is 1.
    weights : Array or sequence, optional
        An array of the shape of ``a``, whose sums replace the counts.

    Returns
    -------
    counts : Array
        The counts, int64; with ``weights`` in their dtype, with ``density`` in the default floating-point dtype.
    edges : Array
        The edges of the bins, one more than there are bins.

    Raises
    ------
    ValueError
        For a range that is not finite or decreases, for fewer than one bin, for decreasing edges, and for weights of
        another shape.
    TypeError
        For complex numbers, and for names of rules such as "auto", which `numpy.histogram` supports.

    See Also
    --------
    bincount : Count integers.

    References
    ----------
    NumPy, ``histogram``.

    Examples
    --------
    >>> counts, edges = xp.histogram(xp.asarray([1, 2, 1]), bins=[0, 1, 2, 3])
    >>> print(counts, edges)
    [0 2 1] [0 1 2 3]
    """
    if a.dtype in COMPLEX_FLOATING:
        raise TypeError(f"histogram: got {a.dtype}; allowed: real dtypes, complex numbers have no order; use abs(x)")
    x = reshape(astype(a, DTYPE_OF["u8"]) if a.dtype in BOOLEAN else a, (-1,))
    edges = edges_of(x, bins, range)
    counts = _counted(x, edges, np.ndim(bins) == 0) if weights is None else _weighed(a, x, edges, weights)
    if density:
        exact = available(FLOAT64, x.device)
        return astype(counts, result_type(counts.dtype, exact)) / astype(diff(edges), exact) / sum(counts), edges
    return counts, edges


def edges_of(x: Array, bins: Any, range: Any) -> Array:
    """The edges of the bins."""
    if isinstance(bins, str):
        raise TypeError(
            f"histogram: got bins={bins!r}; allowed: a number of bins, or their edges; numpy.histogram(x, {bins!r}) "
            "computes it on the host"
        )
    if np.ndim(bins) == 0:
        try:
            count = operator.index(bins)
        except TypeError:
            raise TypeError(f"histogram: got bins={bins!r}; allowed: an integer, or the edges of the bins") from None
        if count < 1:
            raise ValueError(f"histogram: got bins={count}; allowed: 1 or more")
        low, high = _ends(x, range)
        dtype = floating(x).dtype
        own = np.linspace(low, high, count + 1).astype(dtype)
        if (own[1:] <= own[:-1]).any():
            raise NoValueError(
                f"histogram: {count} bins from {low} to {high} have no width; allowed: bins of positive width; use "
                "fewer bins or a wider range"
            )
        return linspace(low, high, count + 1, dtype=dtype, device=x.device)
    edges = on_device_of(x, bins, "histogram")
    if edges.ndim != 1 or bool(any(edges[1:] < edges[:-1])):
        raise ValueError(f"histogram: got edges of shape {edges.shape}; allowed: one dimension of increasing numbers")
    return edges


def _ends(x: Array, range: Any) -> tuple[float, float]:
    """The first and the last edge. ValueError unless they are finite and increasing."""
    if range is not None:
        low, high = (real_number("histogram", "range", end) for end in _pair(range))
    else:
        low, high = (float(min(x)), float(max(x))) if x.size else (0.0, 1.0)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"histogram: the range is ({low}, {high}); allowed: finite and increasing")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _pair(ends: Any) -> tuple[Any, Any]:
    """The two ends of a range. TypeError unless it is a pair of numbers."""
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise TypeError(f"histogram: got range={ends!r}; allowed: None, or a pair of numbers (low, high)") from None
    return low, high


def _counted(x: Array, edges: Array, even: bool) -> Array:
    """The number of elements in each bin: the elements are sorted, and the edges are located by binary search.

    ``even``: whether all bins have one width. Loops then take a seventh of the time for 2^20 elements.
    """
    places = _even_places(x, edges) if even and x.device.loops is not None else None
    if places is not None:
        return bincount(places, minlength=edges.size)[:-1]
    dtype = result_type(x.dtype, edges.dtype)
    ordered, limits = astype(sort(x), dtype), astype(edges, dtype)
    below = concat([searchsorted(ordered, limits[:-1]), searchsorted(ordered, limits[-1:], side="right")])
    return diff(below)


def _even_places(x: Array, edges: Array) -> Array | None:
    """The bin of each element, and the number of bins for elements outside; None where bins are so narrow that a
    rounded quotient may miss by more than one."""
    own, count, dtype = edges.to_numpy().astype(np.float64), edges.size - 1, result_type(x.dtype, edges.dtype)
    wide = result_type(dtype, DTYPE_OF["f32"])
    with np.errstate(all="ignore"):
        width = float(own[-1] - own[0])
        scale = count / width
    least, limit = LEAST_WIDTH * float(np.spacing(np.abs(own).max().astype(dtype))), np.finfo(wide)
    if count > MOST_EVEN or not (np.diff(own) >= least).all():
        return None
    if not (width < float(limit.max) and float(limit.tiny) < scale < float(limit.max)):
        return None
    elements, limits = astype(x, dtype), astype(edges, dtype)
    inside = (elements >= limits[0]) & (elements <= limits[-1])
    guess = astype(where(inside, (astype(elements, wide) - float(own[0])) * scale, 0), INT32)
    guess = clip(guess, 0, count - 1)
    guess = clip(guess - astype(elements < take(limits, guess), INT32), 0, count - 1)
    guess = guess + astype((elements >= take(limits[1:], guess)) & (guess != count - 1), INT32)
    return where(inside, guess, count)


def _weighed(a: Array, x: Array, edges: Array, weights: Any) -> Array:
    """The sums of the weights of the elements in each bin: each element is located among the edges by binary search."""
    w = on_device_of(a, weights, "histogram")
    if w.shape != a.shape:
        raise ValueError(f"histogram: got weights of shape {w.shape}; allowed: {a.shape}, the shape of the array")
    if w.dtype in COMPLEX_FLOATING | BOOLEAN:
        raise TypeError(f"histogram: got weights of {w.dtype}; allowed: real numbers; use numpy.histogram")
    count = edges.size - 1
    dtype = result_type(x.dtype, edges.dtype)
    elements, limits = astype(x, dtype), astype(edges, dtype)
    place = searchsorted(limits, elements, side="right")  # 0: before the first edge; count + 1: at or after the last
    place = where(elements == limits[-1:], count, place)
    place = where(elements == elements, place, count + 1)
    return astype(bincount(place, reshape(w, (-1,)), minlength=count + 2)[1 : count + 1], w.dtype)
