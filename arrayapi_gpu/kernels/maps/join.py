"""Many arrays joined along an axis in few launches: a group copies a piece of one of them.

One launch takes as many arrays as its parameters hold. It copies units of up to 16 bytes, so all dtypes share
the kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd
from typing import Any

import numpy as np

from ...backends.base import Device
from ...backends.events import Event, note, start
from ...memory.gpuarray import GpuArray, numpy_views
from ..core import tuning
from ..core.dialect import Parameters, arguments, int64s
from ..core.launch import FixedKernel, FixedLaunch
from ..core.store import Recent, kept
from ..core.texts import section
from ..core.traffic import Traffic

COPIED_AS = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "c128"}  # memory of so many bytes, which is only copied
_FIELDS = {"x": "x_0", "first": "first", "n": "n", "all": "all", "base": "base"}  # of a source, and their variables
REMEMBERED_JOINS = 1 << 8
# By device, bytes of an element, rows, elements of a row of the result, its offset, sizes and offsets.
_remembered: Recent[tuple[Any, ...], list[tuple[FixedLaunch, slice, int, Traffic]]] = Recent(REMEMBERED_JOINS)


def pays(device: Device, parts: int, nbytes: int, large: bool) -> bool:
    """Return whether so many arrays are joined together faster than one after the other. ``nbytes``: of the result;
    ``large``: whether it may be used without being stored, which is then worth more launches.

    Drivers of CPUs copy by registers faster than by work-items, and launch faster than GPUs. On native NumPy joins many
    pieces, if threads would not do so faster.
    """
    if device.loops is not None:
        return parts >= tuning.JOINED_FROM[True] and nbytes <= tuning.JOINED_BYTES
    return device.is_gpu and parts >= tuning.JOINED_FROM[large]


def join(out: GpuArray, arrays: Sequence[GpuArray], rows: int) -> None:
    """Write contiguous arrays of so many rows each, of the dtype of ``out``, side by side into its rows.

    ``out`` is contiguous and has no memory in common with them.
    """
    device, itemsize = out.storage.device, out.dtype.itemsize
    joined, sizes, offsets = [], [], []
    for array in arrays:
        if array.size:
            joined.append(array)
            sizes.append(array.size)
            offsets.append(array.offset)
    if not joined:
        return
    if device.loops is not None:
        started = start(device, on_host=True)
        target, *sources = [host.reshape(rows, -1) for host in numpy_views(out, *joined)]
        np.concatenate(sources, 1, out=target)
        if started is not None:
            note(Event("join", device.name, out.size, out.nbytes, out.nbytes, "NumPy"), started)
        return
    lie = out.size // rows, out.offset, tuple(sizes), tuple(offsets)
    key = device, itemsize, rows, *lie
    launches = _remembered.get(key)
    if launches is None:
        launches = _remembered[key] = _launches(*key)
    for launch, some, empty, moved in launches:
        operands = joined[some]
        launch.run([out, *operands, *[operands[0]] * empty], moved)


def _launches(
    device: Device, itemsize: int, rows: int, row: int, offset: int, sizes: tuple[int, ...], offsets: tuple[int, ...]
) -> list[tuple[FixedLaunch, slice, int, Traffic]]:
    """The launches of a join: for each the arrays that it takes, how often it takes the first of them besides, and the
    bytes that it moves."""
    equal = min(sizes) == max(sizes)
    unit = _unit(itemsize, row, offset, *[n // rows for n in set(sizes)], *set(offsets))
    starts = [start * itemsize // unit for start in offsets]
    each = tuning.JOINED_ITEMS * tuning.JOINED_EACH[equal]  # units that a group copies
    most, base, step = _most(device, equal), offset * itemsize // unit, row * itemsize // unit
    launches = []
    for begin in range(0, len(sizes), most):
        some = slice(begin, min(begin + most, len(sizes)))
        taken = some.stop - begin
        count = min(most, 1 << (taken - 1).bit_length())  # few kernels serve all numbers of arrays
        empty = count - taken
        if equal:
            whole = sizes[0] * itemsize // unit
            groups = -(-whole // each)
            values = [step, groups, whole // rows, whole, base, *starts[some], *[0] * empty]
            base += taken * (whole // rows)
            groups *= taken
        else:
            values, groups = [step], 0
            for n, at in zip(sizes[some], starts[some], strict=True):
                whole = n * itemsize // unit
                values += [at, groups, whole // rows, whole, base]
                base += whole // rows
                groups += -(-whole // each)
            values += [0, groups, 1, 0, 0] * empty
        kernel, nbytes = _kernel(device, unit, count, equal), sum(sizes[some]) * itemsize
        launch = kernel.launch("join", groups * tuning.JOINED_ITEMS, values, tuning.JOINED_ITEMS)
        launches.append((launch, some, empty, Traffic(nbytes, nbytes)))
    return launches


def interleave(out: GpuArray, arrays: Sequence[GpuArray], rows: int) -> None:
    """As `join`, for a few arrays of one shape with short rows, on devices without explicit vectors."""
    if not out.size:
        return
    device, itemsize, row = out.storage.device, out.dtype.itemsize, arrays[0].size // rows
    unit = _unit(itemsize, row, out.offset, *[array.offset for array in arrays])
    places = [array.offset * itemsize // unit for array in arrays]
    kernel = _interleaving(device, unit, len(arrays), row * itemsize // unit)
    whole = out.size * itemsize // unit
    items = -(-whole // tuning.JOINED_EACH[False])
    kernel.run(
        "interleave", items, (out, *arrays), [whole, out.offset * itemsize // unit, *places], tuning.JOINED_ITEMS
    )


def _unit(itemsize: int, *numbers: int) -> int:
    """Return the bytes of the largest unit that divides all numbers of elements."""
    return gcd(16, *[number * itemsize for number in numbers])


def _most(device: Device, equal: bool) -> int:
    """Return the number of arrays of a launch, a power of two."""
    each = 16 if equal else 8 * (1 + len(_FIELDS))  # bytes: a pointer, and the fields
    return 1 << ((device.parameter_bytes - 128) // each).bit_length() - 1


@kept
def _kernel(device: Device, unit: int, count: int, equal: bool) -> FixedKernel:
    """``equal``: whether all arrays have as many elements, so that they differ in their places alone."""
    short = COPIED_AS[unit]
    pointers = arguments([(short, "o"), *[(short, f"x{k}") for k in range(count)]])
    if equal:
        names = ["groups", "n", "all", "base", *[f"x_{k}" for k in range(count)]]
        fields = {"x_0": "x"}
        lines = [
            "const int part = (int)((M_u32)GROUP / (M_u32)p.groups);",
            "const S_i64 first = part * p.groups, n = p.n, all = p.all, base = p.base + part * n;",
        ]
    else:
        names = [f"{field}_{k}" for k in range(count) for field in _FIELDS]
        fields = {name: field for field, name in _FIELDS.items()}
        lines = ["int part = 0;", *[f"part += GROUP >= (int)p.first_{k};" for k in range(1, count)]]
    text = section("join", "join", T=short, arguments=pointers, selection=[*lines, *_selected(short, count, fields)])
    constants = {"SIZE": tuning.JOINED_ITEMS, "EACH": tuning.JOINED_EACH[equal]}
    return FixedKernel(device, "join", Parameters(int64s("row", *names)), text, constants)


@kept
def _interleaving(device: Device, unit: int, count: int, row: int) -> FixedKernel:
    short = COPIED_AS[unit]
    pointers = arguments([(short, "o"), *[(short, f"x{k}") for k in range(count)]])
    lines = [*_chosen(short, count), "x += x_0;"]
    text = section("join", "interleave", T=short, arguments=pointers, choice=lines)
    constants = {"SIZE": tuning.JOINED_ITEMS, "EACH": tuning.JOINED_EACH[False], "COUNT": count, "ROW": row}
    names = ["all", "base", *[f"x_{k}" for k in range(count)]]
    return FixedKernel(device, "interleave", Parameters(int64s(*names)), text, constants)


def _selected(short: str, count: int, fields: Mapping[str, str]) -> list[str]:
    """Statements for the array `x` of number `part`, which all work-items of a group have in common, and for variables.
    ``fields``: the names of the parameters that have their values."""
    lines = [f"GLOBAL M_{short}* x = x0;", *[f"S_i64 {name} = p.{field}_0;" for name, field in fields.items()]]
    lines.append("switch (part) {")
    for k in range(1, count):
        values = " ".join([f"{name} = p.{field}_{k};" for name, field in fields.items()])
        lines.append(f"case {k}: x = x{k}; {values} break;")
    return [*lines, "}"]


def _chosen(short: str, count: int) -> list[str]:
    """Statements for the array `x` of number `part`, and its place `x_0`."""
    lines = [f"GLOBAL M_{short}* x = x0; S_i64 x_0 = p.x_0;"]
    return lines + [f"if (part == {k}) {{ x = x{k}; x_0 = p.x_{k}; }}" for k in range(1, count)]
