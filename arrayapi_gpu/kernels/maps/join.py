"""Many arrays joined along an axis in few launches: a group copies a piece of one of them.

One launch takes as many arrays as its parameters hold. It copies units of up to 16 bytes, so all dtypes share
the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from ...backends.base import Device
from ...backends.events import Event, note, start
from ...memory.gpuarray import GpuArray, numpy_views
from ...memory.layout import size
from ..core import tuning
from ..core.dialect import Parameters, arguments, int64s
from ..core.launch import FixedKernel
from ..core.store import kept
from ..core.texts import section

COPIED_AS = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}  # memory of so many bytes, which is only copied
_FIELDS = {"x": "x_0", "first": "first", "n": "n", "all": "all", "base": "base"}  # of a source, and their variables


def pays(device: Device, parts: int, nbytes: int, large: bool) -> bool:
    """Return whether so many arrays are joined together faster than one after the other. ``nbytes``: of the result;
    ``large``: whether it may be used without being stored, which is then worth more launches.

    Drivers of CPUs copy by registers faster than by work-items, and launch faster than GPUs. On native NumPy joins many
    pieces, if threads would not do so faster.
    """
    if device.loops is not None:
        return parts >= tuning.JOINED_FROM[True] and nbytes <= tuning.JOINED_BYTES
    return device.is_gpu and parts >= tuning.JOINED_FROM[large]


def join(out: GpuArray, arrays: Sequence[GpuArray], axis: int) -> None:
    """Write contiguous arrays, of the dtype of ``out``, side by side into it, from its first element along ``axis`` on.

    ``out`` is contiguous, has their other extents, and no memory in common with them.
    """
    device, itemsize = out.storage.device, out.dtype.itemsize
    arrays = [array for array in arrays if array.size]
    if not arrays:
        return
    if device.loops is not None:
        started = start(device, on_host=True)
        target, *sources = numpy_views(out, *arrays)
        np.concatenate(sources, axis, out=target)
        if started is not None:
            note(Event("join", device.name, out.size, out.nbytes, out.nbytes, "NumPy"), started)
        return
    rows = [size(array.shape[axis:]) * itemsize for array in arrays]
    step = size(out.shape[axis:]) * itemsize
    unit = gcd(16, step, out.offset * itemsize, *rows, *[array.offset * itemsize for array in arrays])
    most = _most(device)
    base = out.offset * itemsize // unit
    for begin in range(0, len(arrays), most):
        some = arrays[begin : begin + most]
        count = min(most, 1 << (len(some) - 1).bit_length())  # few kernels serve all numbers of arrays
        values, first = [step // unit], 0
        for array, row in zip(some, rows[begin:], strict=False):
            whole = array.nbytes // unit
            values += [array.offset * itemsize // unit, first, row // unit, whole, base]
            base += row // unit
            first += -(-whole // (tuning.JOINED_ITEMS * tuning.JOINED_EACH))
        values += [0, first, 1, 0, 0] * (count - len(some))
        operands = [*some, *[some[0]] * (count - len(some))]
        _kernel(device, unit, count).run(
            "join", first * tuning.JOINED_ITEMS, (out, *operands), values, tuning.JOINED_ITEMS
        )


def _most(device: Device) -> int:
    """Return the number of arrays of a launch, a power of two."""
    each = 8 * (1 + len(_FIELDS))  # bytes: a pointer, and the fields
    return 1 << ((device.parameter_bytes - 64) // each).bit_length() - 1


@kept
def _kernel(device: Device, unit: int, count: int) -> FixedKernel:
    short = COPIED_AS[unit]
    pointers = arguments([(short, "o"), *[(short, f"x{k}") for k in range(count)]])
    names = [f"{field}_{k}" for k in range(count) for field in _FIELDS]
    lines = [f"GLOBAL M_{short}* x = x0;", *[f"S_i64 {name} = p.{field}_0;" for field, name in _FIELDS.items()]]
    for k in range(1, count):
        values = " ".join([f"{name} = p.{field}_{k};" for field, name in _FIELDS.items()])
        lines.append(f"if (GROUP >= p.first_{k}) {{ x = x{k}; {values} }}")
    text = section("join", "join", arguments=pointers, selection=lines)
    constants = {"SIZE": tuning.JOINED_ITEMS, "EACH": tuning.JOINED_EACH}
    return FixedKernel(device, "join", Parameters(int64s("row", *names)), text, constants)
