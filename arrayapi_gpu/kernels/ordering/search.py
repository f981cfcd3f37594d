"""The search kernel: the places of values in a sorted array, or whether they occur in it.

Each lane bisects for values of its own; all take the same number of steps. On GPUs, groups that look for many values
copy the sorted array into local memory first, or as many elements as it has room for, at even distances; they search
there, and in the array for the rest. Of values of one byte they find the places of all 256 first. Members of one
byte have a mark each, and are looked up; where they are few, each group of a GPU marks all of them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, REAL_FLOATING, SHORT
from ...memory.gpuarray import GpuArray, empty, upload
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, arguments, cast, int64s, vectors_of
from ..core.launch import FixedKernel
from ..core.staging import UNIT_BYTES
from ..core.store import kept
from ..core.texts import section
from ..maps.copy import contiguous
from . import by_numpy
from .distinct import marked
from .sort import sort

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]

LOCAL_RESERVE = 64  # bytes of local memory that are left to drivers
PLACED_BY_32 = 1 << 30  # from so many elements on, their places need 64 bits: a step may go beyond the last


class Search(NamedTuple):
    """The facts that a kernel is compiled for.

    ``unit``: whether the elements are neighbours in memory; ``tabled``: whether groups look for all values of one byte
    first; ``held``: the elements for which groups have local memory, if they search there first; ``ahead``: the values
    that each of the ``group`` work-items looks for at a time; ``wide``: whether places need 64 bits.
    """

    short: str
    left: bool
    by_sorter: bool
    members: bool
    unit: bool
    tabled: bool
    held: int
    group: int
    ahead: int
    wide: bool


@kept
def _searching(device: Device, search: Search) -> FixedKernel:
    short, index = search.short, "i64" if search.wide else "i32"
    fields = int64s("count", "length", "step", "stride", "span", "held", "every", "values_0", "sorted_0")
    pointers = [("b8" if search.members else "i64", "out"), (short, "values"), (short, "sorted")]
    if search.by_sorter:
        fields += int64s("sorter_0")
        pointers.append(("i64", "sorter"))
    constants = {
        "LEFT": int(search.left),
        "FLOATING": int(DTYPE_OF[short] in REAL_FLOATING),
        "BY_SORTER": int(search.by_sorter),
        "MEMBERS": int(search.members),
        "TABLE": int(search.tabled),
        "HELD": search.held,
        "SIZE": search.group,
        "AHEAD": search.ahead,
    }
    name = "searchsorted_together" if device.is_gpu else "searchsorted"
    at = "at" if search.unit else "at * p.stride"
    text = section("search", "less", T=short)
    text += section("search", name, arguments=arguments(pointers), T=short, N=index, at=at)
    return FixedKernel(device, name, Parameters(fields), text, constants)


def _search(out: GpuArray, values: GpuArray, sorted1d: GpuArray, *, left: bool, sorter: GpuArray | None = None) -> None:
    """Write the place of each value, or whether it occurs where ``out`` is boolean. Values are contiguous."""
    device, count, length = out.storage.device, values.size, sorted1d.size
    short = "u8" if values.dtype in BOOLEAN else SHORT[values.dtype]  # false and true compare as 0 and 1
    tabled = device.is_gpu and values.dtype.itemsize == 1 and count >= tuning.TABLED
    unit, wide = sorted1d.strides[0] == 1, length >= PLACED_BY_32
    group, ahead, groups, room = tuning.DEFAULT_GROUP, 1, 0, 0
    if device.is_gpu:
        group, ahead, groups = tuning.GPU_GROUP, tuning.SEARCH_AHEAD, tuning.SEARCH_GROUPS if tabled else 0
        if count >= tuning.HELD_FROM and not tabled and device.max_group >= tuning.HELD_GROUP:
            room = min(tuning.HELD_BYTES, device.local_memory - LOCAL_RESERVE) // max(4, values.dtype.itemsize)
            group, ahead = tuning.HELD_GROUP, tuning.HELD_AHEAD
            groups = tuning.HELD_GROUPS * device.compute_units
    every = 1
    while room and _spread(length // every) > room:
        every *= 2
    span = group * ahead * (-(-count // (group * ahead * groups)) if groups else 1)
    search = Search(short, left, sorter is not None, out.dtype in BOOLEAN, unit, tabled, room, group, ahead, wide)
    arrays, held, offsets = [out, values, sorted1d], length // every, [values.offset, sorted1d.offset]
    numbers = [count, length, 1 << held.bit_length() - 1, sorted1d.strides[0], span, held, every, *offsets]
    if sorter is not None:
        arrays.append(sorter)
        numbers.append(sorter.offset)
    name = "members" if search.members else "searchsorted"
    items = -(-count // span) * group if device.is_gpu else -(-count // device.lanes)
    _searching(device, search).run(name, items, arrays, numbers, group)


def _spread(count: int) -> int:
    """The places in local memory over which so many elements are spread; see search.c."""
    return count + (count >> 5) + (count >> 10)


@on_loops_meanwhile
def searchsorted(
    sorted1d: GpuArray, values: GpuArray, side: Literal["left", "right"], sorter: GpuArray | None = None
) -> GpuArray:
    """Return the int64 places in ``sorted1d``, of shape (n,), before which the values belong: before ("left") or after
    ("right") all equal elements.

    Both arrays have the same dtype, real or boolean. NaN belongs after all other values. With a ``sorter``, of shape
    (n,) and any integer dtype, ``sorted1d[sorter]`` is searched.
    """
    device = values.storage.device
    if not sorted1d.size:
        return upload(device, np.zeros(values.shape, np.int64))
    if device.loops is not None:
        return by_numpy.searchsorted(sorted1d, values, side, sorter)
    out = empty(device, INT64, values.shape)
    sorter = None if sorter is None else contiguous(sorter, INT64)
    _search(out, contiguous(values), sorted1d, left=side == "left", sorter=sorter)
    return out


@on_loops_meanwhile
def members(values: GpuArray, among: GpuArray) -> GpuArray:
    """Return whether each value occurs in a vector, a boolean array of the shape of ``values``.

    Both arrays have the same dtype, real or boolean, and ``among`` has elements. NaN equals nothing.
    """
    device, dtype = values.storage.device, values.dtype
    if device.loops is not None:
        return by_numpy.members(values, among)
    out, values = empty(device, BOOL, values.shape), contiguous(values)
    if not out.size:
        return out
    if dtype in BOOLEAN:
        values, among = (array.view(array.layout, DTYPE_OF["u8"]) for array in (values, among))
    short = SHORT[values.dtype]
    of_bytes = values.dtype in INTEGRAL and values.dtype.itemsize == 1
    if of_bytes and device.is_gpu and among.size <= tuning.MARKED_AGAIN:
        _look_up_bytes(out, values, contiguous(among))
    elif of_bytes:
        low = int(np.iinfo(values.dtype).min)
        marks = marked(among, low, 256)
        arrays, numbers = (out, values, marks), (values.size, values.offset, marks.offset, low)
        _looking(device, short).run("members", -(-values.size // device.lanes), arrays, numbers)
    else:
        _search(out, values, sort(among, 0, False), left=True)
    return out


def _look_up_bytes(out: GpuArray, values: GpuArray, among: GpuArray) -> None:
    """Write whether each value occurs, by one launch. All arrays are contiguous."""
    whole = values.storage.buffer.aligned and values.offset % UNIT_BYTES == 0
    count, group = UNIT_BYTES if whole else 1, tuning.GPU_GROUP
    span = group * count * -(-values.size // (group * count * tuning.SEARCH_GROUPS))
    numbers = (values.size, among.size, span, values.offset, among.offset)
    kernel = _looking_bytes(out.storage.device, SHORT[values.dtype], count, group)
    kernel.run("members", -(-values.size // span) * group, (out, values, among), numbers, group)


@kept
def _looking_bytes(device: Device, short: str, count: int, group: int) -> FixedKernel:
    parameters = Parameters(int64s("count", "length", "span", "values_0", "among_0"))
    text = vectors_of([(short, count), ("b8", count)]) if count > 1 else ""
    text += section("search", "look_up_bytes", T=short)
    return FixedKernel(device, "look_up_bytes", parameters, text, {"SIZE": group, "COUNT": count})


@kept
def _looking(device: Device, short: str) -> FixedKernel:
    fields = int64s("count", "values_0", "marks_0", "low")
    return FixedKernel(
        device,
        "look_up",
        Parameters(fields),
        section("search", "look_up", T=short, wide=cast("v", DTYPE_OF[short], INT64)),
    )
