"""Functions of NumPy on places in arrays, as expressions (`OF_PLACES`): indices, choices, ends, bins.

As in `composed_functions`, each takes the namespace first and refuses what it does not compute as NumPy does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...memory.dtypes import BOOLEAN, INTEGRAL
from ..core.array_object import Array
from .composed_functions import arrays_of, in_common_dtype
from .histogram_functions import edges_of


def _integers(xp: dict[str, Any], name: str, *values: Any) -> list[Any]:
    """The values as int64 arrays. TypeError for other dtypes than integers."""
    found = arrays_of(xp, *values)
    if any([x.dtype not in INTEGRAL for x in found]):
        raise TypeError(f"{name}: got {[str(x.dtype) for x in found]}; allowed: integers; use astype")
    return [x.astype("int64") for x in found]


def _extents(shape: Any) -> tuple[int, ...]:
    return tuple([operator.index(n) for n in (shape if isinstance(shape, Sequence) else [shape])])


def _within(xp: dict[str, Any], name: str, index: Any, count: int, mode: str) -> Any:
    """The index in [0, count), by NumPy's mode. ValueError for one outside, which the host waits for, by "raise"."""
    if mode == "wrap" and count:
        return xp["remainder"](index, count)
    if mode == "clip" and count:
        return xp["clip"](index, 0, count - 1)
    if mode != "raise" or xp["any"]((index < 0) | (index >= count)):
        raise ValueError(f"{name}: an index is outside of {count} places, or mode={mode!r} is unknown")
    return index


def _unravel_index(xp: dict[str, Any], indices: Any, shape: Any, order: str = "C") -> Any:
    extents = _extents(shape)
    (rest,) = _integers(xp, "unravel_index", indices)
    if order not in ("C", "F") or not extents:
        raise ValueError(f"unravel_index: got order={order!r} and shape {extents}; allowed: 'C', 'F', and some axes")
    rest = _within(xp, "unravel_index", rest, math.prod(extents), "raise")
    found = []
    for count in extents if order == "F" else extents[::-1]:
        found.append(rest % count)
        rest = rest // count
    return tuple(found if order == "F" else found[::-1])


def _ravel_multi_index(xp: dict[str, Any], multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    extents = _extents(dims)
    indices = _integers(xp, "ravel_multi_index", *multi_index)
    modes = [mode] * len(extents) if isinstance(mode, str) else list(mode)
    if order not in ("C", "F") or not len(indices) == len(extents) == len(modes):
        raise ValueError(f"ravel_multi_index: got order={order!r} and {len(indices)} indices for shape {extents}")
    triples = list(zip(indices, extents, modes, strict=True))
    flat: Any = 0
    for index, count, one in triples if order == "C" else triples[::-1]:
        flat = flat * count + _within(xp, "ravel_multi_index", index, count, one)
    return flat


def _choose(xp: dict[str, Any], a: Any, choices: Any, *, mode: str = "raise") -> Any:
    a = arrays_of(xp, a, *choices)[0]
    if a.dtype not in INTEGRAL | BOOLEAN or not len(choices):
        raise TypeError(f"choose: got {a.dtype} and {len(choices)} choices; allowed: integers, one or more")
    place = _within(xp, "choose", a.astype("int64"), len(choices), mode)
    found, *options = in_common_dtype(xp, a, [*choices])
    for k, option in enumerate(options, 1):
        found = xp["where"](place == k, option, found)
    return found if options else xp["broadcast_arrays"](found, place)[0].copy()


def _trim_zeros(xp: dict[str, Any], filt: Any, trim: str = "fb") -> Any:
    ends = trim.lower()
    if not isinstance(filt, Array) or filt.ndim != 1 or ends not in ("f", "b", "fb", "bf"):
        raise TypeError(f"trim_zeros: got trim={trim!r}; allowed: vectors on a device, and 'f', 'b', 'fb'")
    places = xp["nonzero"](filt)[0]
    if not places.size:
        return filt[:0]
    return filt[int(places[0]) if "f" in ends else 0 : int(places[-1]) + 1 if "b" in ends else filt.size]


# --- bins ------------------------------------------------------------------------------------------------------------


def _histogram_bin_edges(xp: dict[str, Any], a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    (a,) = arrays_of(xp, a)
    return edges_of(a.ravel(), bins, range)


def _histogramdd(
    xp: dict[str, Any], sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> Any:
    """The counts in bins of several axes, as float64. A point outside of the bins of an axis is counted nowhere."""
    if isinstance(sample, (list, tuple)):
        columns = arrays_of(xp, *sample)
        columns = [x.ravel().astype(xp["result_type"](*columns)) for x in columns]
    else:
        (sample,) = arrays_of(xp, sample)
        columns = list(xp["unstack"](sample if sample.ndim == 2 else sample[:, None], axis=1))
    bins = list(bins) if isinstance(bins, (list, tuple)) else [bins] * len(columns)
    ranges = [None] * len(columns) if range is None else list(range)
    if len({len(columns), len(bins), len(ranges)}) != 1 or len({x.shape for x in columns}) != 1:
        raise ValueError(f"histogramdd: got {len(columns)} axes, {len(bins)} bins and {len(ranges)} ranges")
    edges = [edges_of(*one) for one in zip(columns, bins, ranges, strict=True)]
    flat: Any = 0
    for column, limits in zip(columns, edges, strict=True):
        dtype = xp["result_type"](column, limits)
        values, ends = column.astype(dtype), limits.astype(dtype)
        place = xp["searchsorted"](ends, values, side="right")  # 0 and the number of edges: outside
        place = xp["where"](values == ends[-1:], limits.size - 1, place)
        flat = flat * (limits.size + 1) + xp["where"](values == values, place, limits.size)
    given = None if weights is None else arrays_of(xp, columns[0], weights)[1].astype("float64")
    counts = xp["bincount"](flat, given, minlength=math.prod([one.size + 1 for one in edges])).astype("float64")
    found = counts.reshape([one.size + 1 for one in edges])[(slice(1, -1),) * len(edges)]
    if density:
        total = xp["sum"](found)
        for axis, limits in enumerate(edges):
            shape = [-1 if k == axis else 1 for k, _ in enumerate(edges)]
            found = found / xp["diff"](limits).reshape(shape)
        found = found / total
    return found, edges


def _histogram2d(
    xp: dict[str, Any], x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: Any = None,
) -> Any:  # fmt: skip
    x, y = arrays_of(xp, x, y)
    if not isinstance(bins, int) and len(bins) not in (1, 2):
        bins = [bins, bins]
    counts, edges = _histogramdd(xp, [x, y], bins, range, density, weights)
    return counts, *edges


OF_PLACES: Final[dict[str, Callable[..., Any]]] = {
    "choose": _choose,
    "histogram2d": _histogram2d,
    "histogram_bin_edges": _histogram_bin_edges,
    "histogramdd": _histogramdd,
    "ravel_multi_index": _ravel_multi_index,
    "trim_zeros": _trim_zeros,
    "unravel_index": _unravel_index,
}
