"""Sorts, searches, compactions, marks and scans of integers by NumPy, which has the bits of the kernels.

They serve devices in the host's memory that have loops compiled ahead of time (`Device.loops`), so that no compiler is
needed. NumPy sorts with the vectors of the processor.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ...backends.base import HostArray
from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, REAL_FLOATING
from ...memory.gpuarray import GpuArray, empty
from ..core.launch import Launch, is_listening, note
from ..core.monoid import PROD, SUM, Monoid

BOOL, INT16, INT64 = DTYPE_OF["b8"], DTYPE_OF["i16"], DTYPE_OF["i64"]


def sort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """Return the elements in order along ``axis``, see `sort.sort`."""
    x, out = np.moveaxis(source.host_view(), axis, -1), empty(source.storage.device, source.dtype, source.shape)
    target = np.moveaxis(out.host_view(), axis, -1)
    keys, signs = _keys(x, descending)
    if keys.dtype != x.dtype:
        target[...] = np.take_along_axis(x, np.argsort(keys, axis=-1, kind="stable"), -1)
    else:
        target[...] = keys
        target.sort(axis=-1)
        if signs is not None:
            signs(target, out=target)
        if x.dtype in REAL_FLOATING:
            for chosen in (np.logical_not, np.isnan):  # equal elements of different bits keep their order
                these = x[chosen(x)]
                if these.size:
                    target[chosen(target)] = these
    _noted("sort", source, out)
    return out


def argsort(source: GpuArray, axis: int, descending: bool) -> GpuArray:
    """Return the positions of the elements in order along ``axis``, see `sort.argsort`."""
    out = empty(source.storage.device, INT64, source.shape)
    out.host_view()[...] = np.argsort(_keys(source.host_view(), descending)[0], axis=axis, kind="stable")
    _noted("argsort", source, out)
    return out


def searchsorted(
    sorted1d: GpuArray, values: GpuArray, side: Literal["left", "right"], sorter: GpuArray | None
) -> GpuArray:
    """Return the places before which values belong, see `search.searchsorted`."""
    out = empty(values.storage.device, INT64, values.shape)
    places = None
    if sorter is not None:  # places are kept inside the array, as in the kernel
        places = np.clip(sorter.host_view().astype(INT64, copy=False), 0, sorted1d.size - 1)
    own, given = (_keys(array.host_view(), False)[0] for array in (sorted1d, values))
    out.host_view()[...] = np.searchsorted(own, given, side, places)
    _noted("searchsorted", sorted1d, values, out)
    return out


def nonzero(mask: GpuArray, first: int, dtype: np.dtype[Any]) -> GpuArray:
    """Return the positions of true elements, see `compact.nonzero`."""
    found: HostArray = np.flatnonzero(mask.host_view())
    if first:
        found = found.view(np.uint64) + np.uint64(first)
    out = empty(mask.storage.device, dtype, found.shape)
    out.host_view()[...] = found.astype(dtype)
    _noted("nonzero", mask, out)
    return out


def compress(mask: GpuArray, source: GpuArray) -> GpuArray:
    """Return the elements where a mask is true, see `compact.compress`."""
    found = source.host_view()[mask.host_view()]
    out = empty(source.storage.device, source.dtype, found.shape)
    out.host_view()[...] = found
    _noted("compress", mask, source, out)
    return out


def marked(x: GpuArray, low: int, extent: int) -> GpuArray:
    """Return whether each number of a range occurs, see `distinct.marked`."""
    out = empty(x.storage.device, BOOL, (extent,))
    marks = out.host_view()
    marks[...] = False
    marks[(x.host_view().astype(np.uint64) - np.uint64(low % 2**64)).view(INT64)] = True
    _noted("mark", x, out)
    return out


def scans(monoid: Monoid, source: np.dtype[Any], out: np.dtype[Any]) -> bool:
    """Return whether `scan` has a monoid for these dtypes: the order of combination must not matter."""
    return monoid in (SUM, PROD) and out in INTEGRAL and source in INTEGRAL | BOOLEAN


def scan(monoid: Monoid, source: GpuArray, axis: int, out: GpuArray) -> None:
    """Combine the elements up to each one, itself included, see `scan.scan`."""
    function = np.add if monoid is SUM else np.multiply
    given = source.host_view().astype(out.dtype, copy=False)
    function.accumulate(given, axis, out.dtype, out.host_view())
    _noted(f"scan {monoid.name}", source, out)


def _keys(x: HostArray, descending: bool) -> tuple[HostArray, np.ufunc | None]:
    """Return numbers in whose order the elements are, and the function that gives the elements from them, if it is not
    the identity."""
    if x.dtype in BOOLEAN:
        return (~x, np.logical_not) if descending else (x, None)
    if x.dtype not in REAL_FLOATING:
        return (~x, np.invert) if descending else (x, None)
    if x.dtype.itemsize > 2:
        return (-x, np.negative) if descending else (x, None)
    # Of 16 bits: integers, because NumPy has no fast comparison of these. Both zeros are 0.
    bits = x.view(INT16)
    keys = np.where((bits < 0) != descending, -(bits & 0x7FFF), bits & 0x7FFF)
    return np.where(np.isnan(x), INT16.type(0x7FFF), keys), None


def _noted(name: str, *arrays: GpuArray) -> None:
    if is_listening():
        elements, nbytes = sum(array.size for array in arrays), sum(array.nbytes for array in arrays)
        note(Launch(name, arrays[0].storage.device.name, elements, nbytes, "NumPy"))
