"""The search kernel: the places of values in a sorted array, or whether they occur in it.

Each lane bisects for a value of its own; all take the same number of steps. Short integers have a mark each, and are
looked up.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, REAL_FLOATING, SHORT
from ...memory.gpuarray import GpuArray, empty, upload
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, arguments, cast, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import section
from ..maps.copy import contiguous
from . import by_numpy
from .distinct import marked
from .sort import sort

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]


@kept
def _searching(device: Device, short: str, side: str, by_sorter: bool, members: bool = False) -> FixedKernel:
    fields = int64s("count", "length", "step", "stride", "values_0", "sorted_0")
    pointers = [("b8" if members else "i64", "out"), (short, "values"), (short, "sorted")]
    if by_sorter:
        fields += int64s("sorter_0")
        pointers.append(("i64", "sorter"))
    constants = {"LEFT": side == "left", "FLOATING": DTYPE_OF[short] in REAL_FLOATING, "BY_SORTER": by_sorter}
    constants["MEMBERS"] = members
    text = section("search", "searchsorted", arguments=arguments(pointers), T=short)
    return FixedKernel(device, "searchsorted", Parameters(fields), text, constants)


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
    values = contiguous(values)
    arrays, numbers = [out, values, sorted1d], _numbers(values, sorted1d)
    if sorter is not None:
        sorter = contiguous(sorter, INT64)
        arrays.append(sorter)
        numbers.append(sorter.offset)
    short = "u8" if values.dtype in BOOLEAN else SHORT[values.dtype]  # false and true compare as 0 and 1
    kernel = _searching(device, short, side, sorter is not None)
    kernel.run("searchsorted", -(-values.size // device.lanes), arrays, numbers)
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
    if dtype in BOOLEAN:
        values, among = (array.view(array.layout, DTYPE_OF["u8"]) for array in (values, among))
    short = SHORT[values.dtype]
    if values.dtype in INTEGRAL and values.dtype.itemsize == 1:
        low = int(np.iinfo(values.dtype).min)
        marks = marked(among, low, 256)
        arrays, numbers = (out, values, marks), (values.size, values.offset, marks.offset, low)
        _looking(device, short).run("members", -(-values.size // device.lanes), arrays, numbers)
    else:
        among = sort(among, 0, False)
        kernel = _searching(device, short, "left", False, members=True)
        kernel.run("members", -(-values.size // device.lanes), (out, values, among), _numbers(values, among))
    return out


@kept
def _looking(device: Device, short: str) -> FixedKernel:
    fields = int64s("count", "values_0", "marks_0", "low")
    return FixedKernel(
        device,
        "look_up",
        Parameters(fields),
        section("search", "look_up", T=short, wide=cast("v", DTYPE_OF[short], INT64)),
    )


def _numbers(values: GpuArray, sorted1d: GpuArray) -> list[int]:
    length = sorted1d.size
    step = 1 << length.bit_length() - 1
    return [values.size, length, step, sorted1d.strides[0], values.offset, sorted1d.offset]
