"""The kernels of scattered addition: values are added at places, those for one place in their order.

So floats have the same bits on every device. One work-item adds all values on a CPU, and few values on a GPU. For more
values on GPUs, a work-item adds each value where no places are equal. Otherwise places are sorted, which keeps the
order of equal ones, and one work-item adds each run of equal places.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import SHORT
from ...memory.gpuarray import GpuArray
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, arguments, cast, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import section


@kept
def _adding(
    device: Device, name: str, dtype: np.dtype[np.generic], wide: np.dtype[np.generic], vectors: Sequence[str]
) -> FixedKernel:
    pointers = [(SHORT[dtype], "target"), (SHORT[wide], "values"), *[("i64", vector) for vector in vectors]]
    words = {"wide": cast("total", dtype, wide), "narrow": cast("sum", wide, dtype)}
    text = section("scatter_add", name, T=SHORT[dtype], W=SHORT[wide], arguments=arguments(pointers), **words)
    return FixedKernel(device, name, Parameters(int64s("count", "target_0", "values_0", "places_0")), text)


def are_many(device: Device, n: int) -> bool:
    """Return whether many work-items should write or add so many values, and not one in order."""
    return device.is_gpu and n > tuning.MAX_IN_ORDER


@on_loops_meanwhile
def add_in_order(target: GpuArray, values: GpuArray, places: GpuArray) -> None:
    """Add values, one after the other, to a target at element offsets (int64) from its first element.

    Values and places are contiguous vectors of one length; values are added in their own dtype.
    """
    kernel = _adding(target.storage.device, "add_in_order", target.dtype, values.dtype, ("places",))
    numbers = (places.size, target.offset, values.offset, places.offset)
    kernel.run("add_in_order", 1, (target, values, places), numbers, 1)


def add_apart(target: GpuArray, values: GpuArray, places: GpuArray) -> None:
    """Add values as `add_in_order` does, by many work-items, where no two places are equal."""
    device = target.storage.device
    kernel = _adding(device, "add_apart", target.dtype, values.dtype, ("places",))
    numbers = (places.size, target.offset, values.offset, places.offset)
    kernel.run("add_apart", -(-places.size // device.lanes), (target, values, places), numbers)


def add_runs(target: GpuArray, values: GpuArray, places: GpuArray, order: GpuArray, starts: GpuArray) -> None:
    """Add values as `add_in_order` does, by many work-items.

    ``order`` (int64) sorts the places and keeps the order of equal ones; ``starts`` (int64) has the positions at which
    runs of equal places begin in that order, and that at which the last run ends. The memory of these two begins with
    their first element.
    """
    device = target.storage.device
    runs = starts.size - 1
    kernel = _adding(device, "add_runs", target.dtype, values.dtype, ("places", "order", "starts"))
    numbers = (runs, target.offset, values.offset, places.offset)
    kernel.run("add_runs", -(-runs // device.lanes), (target, values, places, order, starts), numbers)
