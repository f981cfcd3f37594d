"""The search kernel: the places of values in a sorted array.

Each lane bisects for a value of its own; all take the same number of steps.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import BOOLEAN, DTYPE_OF, REAL_FLOATING, SHORT
from ...memory.gpuarray import GpuArray, empty, upload
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, arguments, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import section
from ..maps.copy import contiguous
from . import by_numpy

INT64 = DTYPE_OF["i64"]


@kept
def _searching(device: Device, short: str, side: str, by_sorter: bool) -> FixedKernel:
    fields = int64s("count", "length", "step", "stride", "values_0", "sorted_0")
    pointers = [("i64", "out"), (short, "values"), (short, "sorted")]
    if by_sorter:
        fields += int64s("sorter_0")
        pointers.append(("i64", "sorter"))
    constants = {"LEFT": side == "left", "FLOATING": DTYPE_OF[short] in REAL_FLOATING, "BY_SORTER": by_sorter}
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
    length = sorted1d.size
    if not length:
        return upload(device, np.zeros(values.shape, np.int64))
    if device.loops is not None:
        return by_numpy.searchsorted(sorted1d, values, side, sorter)
    out = empty(device, INT64, values.shape)
    values = contiguous(values)
    arrays = [out, values, sorted1d]
    step = 1 << length.bit_length() - 1
    numbers = [values.size, length, step, sorted1d.strides[0], values.offset, sorted1d.offset]
    if sorter is not None:
        sorter = contiguous(sorter, INT64)
        arrays.append(sorter)
        numbers.append(sorter.offset)
    short = "u8" if values.dtype in BOOLEAN else SHORT[values.dtype]  # false and true compare as 0 and 1
    kernel = _searching(device, short, side, sorter is not None)
    kernel.run("searchsorted", -(-values.size // device.lanes), arrays, numbers)
    return out
