"""Sorts, searches, compactions, marks and scans of integers by NumPy, which has the bits of the kernels.

They serve devices in the host's memory that have loops compiled ahead of time (`Device.loops`), so that no compiler is
needed. NumPy sorts with the vectors of the processor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ...backends.base import HostArray
from ...backends.events import Event, Started, note, start
from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, REAL_FLOATING
from ...memory.gpuarray import GpuArray, empty, numpy_views, signature_of
from ..core import tuning
from ..core.monoid import PROD, SUM, Monoid
from ..maps.copy import copied_few

try:
    from ...backends.launching import all_differ
except ImportError:  # in the Python form
    all_differ = None  # type: ignore[assignment]

BOOL, INT16, INT32, INT64 = (DTYPE_OF[short] for short in ("b8", "i16", "i32", "i64"))


def sort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """Return the elements in order along ``axis``, see `sort.sort`."""
    started = _start(source)
    signature = source.signature
    if signature is None or signature.moved or not source.contiguous:
        signature = signature_of(source.storage.device, source.dtype, source.shape)
    out = signature.empty()
    x, target = numpy_views(source, out)
    if axis != x.ndim - 1:
        x, target = x.swapaxes(axis, -1), target.swapaxes(axis, -1)
    keys, signs = _keys(x, descending)
    if keys.dtype != x.dtype:
        target[...] = np.take_along_axis(x, np.argsort(keys, axis=-1, kind="stable"), -1)
    else:
        if keys is x and x.size <= tuning.ON_HOST:
            copied_few(source, out)
        else:
            target[...] = keys
        by_digits = target.shape[-1] >= tuning.DIGITS_LANE.get(target.itemsize, target.size + 1)
        target.sort(-1, "stable" if by_digits else "quicksort")
        ordered = x.dtype not in REAL_FLOATING or not x.size or (x.ndim == 1 and _differ(out, target))
        if signs is not None:
            signs(target, out=target)
        if not ordered:
            _keep_order(x, target)
    _noted("sort", started, source, out)
    return out


def _differ(out: GpuArray, target: HostArray) -> bool:
    """Return whether at most one element of a sorted lane is zero and none is NaN. ``target``: the view of ``out``."""
    if all_differ is not None:
        return all_differ(out.storage.buffer, target.size, target.itemsize)
    first, last = target.searchsorted(target.dtype.type(0)), target[-1]
    return bool(last == last) and not bool(first + 1 < target.size and target[first + 1] == 0)


def _keep_order(x: HostArray, target: HostArray) -> None:
    """Put equal elements of different bits, zeros and NaN, in the order that they have in ``x``."""
    zeros, last = target == 0, target[..., -1:]
    if np.count_nonzero(zeros) > 1:
        target[zeros] = x[x == 0]
    if np.count_nonzero(last != last):  # NaN come last
        target[np.isnan(target)] = x[np.isnan(x)]


def unique(source: GpuArray) -> GpuArray:
    """Return the different elements of a vector, see `sort.unique`."""
    ordered = sort(source, 0, False)
    started, host = _start(source), _view(ordered)
    begins = np.empty(host.shape, bool)
    begins[0] = True
    np.not_equal(host[1:], host[:-1], out=begins[1:])
    found = host[begins]
    out = empty(source.storage.device, source.dtype, found.shape)
    _view(out)[...] = found
    _noted("compress", started, ordered, out)
    return out


def argsort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """Return the positions of the elements in order along ``axis``, see `sort.argsort`."""
    started = _start(source)
    out = empty(source.storage.device, INT64, source.shape)
    x, target = (view.swapaxes(axis, -1) for view in numpy_views(source, out))
    keys = _keys(x, descending)[0]
    if x.size > tuning.ON_HOST and keys.shape[-1] <= tuning.PACKED_LANE[keys.itemsize]:
        target[...] = _positions(_whole_numbers(keys))
    else:
        target[...] = np.argsort(keys, axis=-1, kind="stable")
    _noted("argsort", started, source, out)
    return out


def selected(
    source: GpuArray, axis: int, descending: bool, positions: bool, places: tuple[int, ...] | range
) -> GpuArray:
    """Return the elements at ``places`` of the order along ``axis``, or the positions of the first ones.

    NumPy finds them without sorting the others. Where it sorts digits, or lanes are short, it sorts all of them.
    """
    n, by_digits = source.shape[axis], source.dtype.itemsize in tuning.DIGITS_LANE
    long = not by_digits and n >= tuning.SELECTED_LANE[source.dtype.itemsize]
    few = long and 0 < len(places) <= n // tuning.SELECTED_PART
    started = _start(source)
    (x,) = (view.swapaxes(axis, -1) for view in numpy_views(source))
    found = (_first(x, descending, len(places)) if positions else _elements(x, descending, places)) if few else None
    if found is None:
        ordered = argsort(source, axis, descending) if positions else sort(source, axis, descending)
        found = _view(ordered).swapaxes(axis, -1)[..., places]
    found = found.swapaxes(axis, -1)
    out = empty(source.storage.device, INT64 if positions else source.dtype, found.shape)
    _view(out)[...] = found
    _noted("selection", started, source, out)
    return out


def _elements(x: HostArray, descending: bool, places: Sequence[int]) -> HostArray | None:
    """Return the elements at places of the order along the last axis; None where many are zeros or NaN, whose bits
    depend on the order of equal elements."""
    keys, signs = _keys(x, descending)
    found: HostArray = np.partition(keys, places, axis=-1)[..., places]
    if signs is not None:
        found = signs(found)
    if x.dtype not in REAL_FLOATING:
        return found
    alike = np.argwhere((found == 0) | (found != found))
    if len(alike) > tuning.SELECTED_ALIKE:
        return None
    for *row, at in alike.tolist():
        own, zero = x[(*row,)], found[(*row, at)] == 0
        like = own[own == 0] if zero else own[own != own]
        before = np.count_nonzero(keys[(*row,)] < 0) if zero else own.size - like.size
        found[(*row, at)] = like[places[at] - before]
    return found


def _first(x: HostArray, descending: bool, count: int) -> HostArray:
    """Return the positions of the first elements of the order along the last axis."""
    keys = _whole_numbers(_keys(x, descending)[0])
    found = np.empty((*x.shape[:-1], count), INT64)
    for row in np.ndindex(x.shape[:-1]):
        own = keys[row]
        limit = np.partition(own, count - 1)[count - 1]
        below = np.flatnonzero(own < limit)
        chosen = np.concatenate([below, np.flatnonzero(own == limit)[: count - below.size]])
        found[row] = chosen[np.argsort(own[chosen], kind="stable")]
    return found


def _positions(keys: HostArray) -> HostArray:
    """Return the positions of integers in order along the last axis, equal ones in the order that they have. A key and
    its position are one number, because NumPy sorts numbers several times as fast as it sorts positions by their keys.
    """
    n = keys.shape[-1]
    shift = max(n - 1, 1).bit_length()
    packed: HostArray = keys.astype(INT32 if 8 * keys.itemsize + shift < 32 else INT64, order="C")
    packed <<= shift
    packed |= np.arange(n, dtype=packed.dtype)
    packed.sort(axis=-1)
    packed &= (1 << shift) - 1
    return packed


def _whole_numbers(keys: HostArray) -> HostArray:
    """Return integers in whose order keys are: both zeros are the same, and all NaN are the largest one."""
    if keys.dtype not in REAL_FLOATING:
        return keys
    integer = np.dtype(f"i{keys.itemsize}")
    bits: HostArray = (keys + keys.dtype.type(0)).view(integer)  # which makes -0 to 0
    bits ^= (bits >> (8 * keys.itemsize - 1)) & np.iinfo(integer).max
    bits[keys != keys] = np.iinfo(integer).max
    return bits


def searchsorted(
    sorted1d: GpuArray, values: GpuArray, side: Literal["left", "right"], sorter: GpuArray | None
) -> GpuArray:
    """Return the places before which values belong, see `search.searchsorted`."""
    started = _start(values)
    out = empty(values.storage.device, INT64, values.shape)
    places = None
    if sorter is not None:  # places are kept inside the array, as in the kernel
        places = np.clip(_view(sorter).astype(INT64, copy=False), 0, sorted1d.size - 1)
    own, given = (_keys(_view(array), False)[0] for array in (sorted1d, values))
    _view(out)[...] = np.searchsorted(own, given, side, places)
    _noted("searchsorted", started, sorted1d, values, out)
    return out


def members(values: GpuArray, among: GpuArray) -> GpuArray:
    """Return whether values occur in a vector, see `search.members`."""
    started = _start(values)
    out = empty(values.storage.device, BOOL, values.shape)
    own, given = _view(values), _view(among)
    if values.dtype in REAL_FLOATING and values.dtype.itemsize == 2:
        own, given = own.astype(np.float32), given.astype(np.float32)
    _view(out)[...] = np.isin(own, given)
    _noted("members", started, values, among, out)
    return out


def nonzero(mask: GpuArray, first: int, dtype: np.dtype[Any]) -> GpuArray:
    """Return the positions of true elements, see `compact.nonzero`."""
    started = _start(mask)
    found: HostArray = np.flatnonzero(_view(mask))
    if first:
        found = found.view(np.uint64) + np.uint64(first)
    out = empty(mask.storage.device, dtype, found.shape)
    _view(out)[...] = found.astype(dtype)
    _noted("nonzero", started, mask, out)
    return out


def compress(mask: GpuArray, source: GpuArray) -> GpuArray:
    """Return the elements where a mask is true, see `compact.compress`."""
    started = _start(mask)
    found = _view(source)[_view(mask)]
    out = empty(source.storage.device, source.dtype, found.shape)
    _view(out)[...] = found
    _noted("compress", started, mask, source, out)
    return out


def marked(x: GpuArray, low: int, extent: int) -> GpuArray:
    """Return whether each number of a range occurs, see `distinct.marked`."""
    started = _start(x)
    out = empty(x.storage.device, BOOL, (extent,))
    given, marks = _view(x), _view(out)
    marks[...] = False
    for first in range(0, x.size, tuning.MARKED_AT_ONCE):
        places = given[first : first + tuning.MARKED_AT_ONCE].astype(np.uint64)
        places -= np.uint64(low % 2**64)
        marks[places.view(INT64)] = True
    _noted("mark", started, x, out)
    return out


def counts(x: GpuArray, extent: int) -> GpuArray:
    """Return how often each of the integers 0, 1, ..., ``extent`` - 1 occurs in a vector of int64, which has no others:
    NumPy checks neither memory nor numbers that are too large."""
    started = _start(x)
    out = empty(x.storage.device, INT64, (extent,))
    _view(out)[...] = np.bincount(_view(x), minlength=extent)
    _noted("count", started, x, out)
    return out


def scans(monoid: Monoid, source: np.dtype[Any], out: np.dtype[Any]) -> bool:
    """Return whether `scan` has a monoid for these dtypes: the order of combination must not matter."""
    return monoid in (SUM, PROD) and out in INTEGRAL and source in INTEGRAL | BOOLEAN


def scan(monoid: Monoid, source: GpuArray, axis: int, out: GpuArray) -> None:
    """Combine the elements up to each one, itself included, see `scan.scan`."""
    started = _start(source)
    function = np.add if monoid is SUM else np.multiply
    given = _view(source).astype(out.dtype, copy=False)
    function.accumulate(given, axis, out.dtype, _view(out))
    _noted(f"scan {monoid.name}", started, source, out)


def _view(array: GpuArray) -> HostArray:
    """Return NumPy's view of an array that the caller keeps."""
    return numpy_views(array)[0]


def _keys(x: HostArray, descending: bool) -> tuple[HostArray, np.ufunc | None]:
    """Return numbers in whose order the elements are, and the function that gives the elements from them, if it is not
    the identity."""
    dtype = x.dtype
    if dtype in REAL_FLOATING:
        if dtype.itemsize > 2:
            return (-x, np.negative) if descending else (x, None)
    elif not descending:
        return x, None
    else:
        return ~x, np.logical_not if dtype in BOOLEAN else np.invert
    # Of 16 bits: integers, because NumPy has no fast comparison of these. Both zeros are 0.
    bits = x.view(INT16)
    keys = np.where((bits < 0) != descending, -(bits & 0x7FFF), bits & 0x7FFF)
    return np.where(np.isnan(x), INT16.type(0x7FFF), keys), None


def _start(array: GpuArray) -> Started | None:
    return start(array.storage.device, on_host=True)


def _noted(name: str, started: Started | None, *arrays: GpuArray) -> None:
    """Note a computation on arrays, whose result is the last one."""
    if started is not None:
        count, read = sum([array.size for array in arrays]), sum([array.nbytes for array in arrays[:-1]])
        device = arrays[0].storage.device.name
        note(Event(name, device, count, read, arrays[-1].nbytes, "NumPy"), started)
