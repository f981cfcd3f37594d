"""The compaction kernels: the positions at which a mask is true, and the elements there.

The mask is cut into segments. One launch counts the true elements of each; the running counts give the host the size of
the result, and in a last launch each segment writes its own part.

With explicit vectors a work-item takes a segment. Without, 32 work-items count in a segment, and a group writes: each
work-item finds the places of a few elements among the others, and the group writes its results next to each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends.base import WARP, Device
from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, empty
from ..core import tuning
from ..core.borrowing import on_loops_meanwhile
from ..core.dialect import Parameters, arguments, int64s
from ..core.launch import FixedKernel
from ..core.monoid import SUM
from ..core.store import kept
from ..core.texts import section
from ..maps.copy import contiguous
from . import by_numpy
from .scan import scan

BOOL, INT64 = DTYPE_OF["b8"], DTYPE_OF["i64"]


@kept
def _counting(device: Device, whole: bool) -> FixedKernel:
    name = "count_together" if device.is_gpu else "count"
    text = _begin(device) + section("compact", name)
    return FixedKernel(device, name, Parameters(int64s("n", "mask_0")), text, _constants(device, whole))


@kept
def _placing(device: Device, short: str, positions: bool, whole: bool) -> FixedKernel:
    """The kernel that writes the elements of a source, or positions of a dtype, counted from ``first``."""
    pointers = [(short, "out"), ("i64", "ends"), ("u8", "mask")]
    if not positions:
        pointers.append((short, "source"))
    parameters = Parameters([*int64s("n", "mask_0"), ("first", "u64") if positions else ("source_0", "i64")])
    name = "place_together" if device.is_gpu else "place"
    text = _begin(device) + section("compact", "value", T=short)
    text += section("compact", name, arguments=arguments(pointers))
    return FixedKernel(device, name, parameters, text, {"POSITIONS": positions, **_constants(device, whole)})


def _constants(device: Device, whole: bool) -> dict[str, int]:
    """The constants before the sections. ``whole``: masks begin at multiples of a work-item's access."""
    segment, group = _plan(device)
    return {"SEGMENT": segment, "SIZE": group, "OWN": segment // group, "WHOLE": int(whole)}


def _begin(device: Device) -> str:
    """The beginning of kernels whose groups count together."""
    return "VECTORS(u64, 2, W_16)\n" + section("groups", "sum_before", W="u32") if device.is_gpu else ""


def _whole(mask: GpuArray) -> bool:
    return mask.storage.device.is_gpu and mask.begins_at(16)


def _plan(device: Device) -> tuple[int, int]:
    return tuning.SCALARS if device.is_gpu else tuning.VECTORS


def _ends(mask: GpuArray) -> tuple[GpuArray, int]:
    """The numbers of true elements of a contiguous mask up to the end of each segment, and in all."""
    device = mask.storage.device
    segment, group = _plan(device)
    counts = empty(device, INT64, (-(-mask.size // segment),))
    kernel = _counting(device, _whole(mask))
    kernel.run("count", counts.size * min(group, WARP), (counts, mask), (mask.size, mask.offset), group)
    ends = counts
    if counts.size > 1:
        ends = empty(device, INT64, counts.shape)
        scan(SUM, counts, 0, ends)
    last = GpuArray(ends.storage, INT64, (), (), ends.size - 1)
    return ends, int(last.download())


@on_loops_meanwhile
def nonzero(mask: GpuArray, first: int = 0, dtype: np.dtype[Any] = INT64) -> GpuArray:
    """Return the positions, in C order, of the true elements of a boolean array of any shape: numbers of an integer
    dtype or boolean that begin with ``first`` at the first element, and wrap."""
    if mask.storage.device.loops is not None:
        return by_numpy.nonzero(mask, first % 2**64, dtype)
    return _select(mask, None, dtype, first % 2**64)


@on_loops_meanwhile
def compress(mask: GpuArray, source: GpuArray) -> GpuArray:
    """Return the elements of ``source`` where ``mask``, boolean and of the same shape, is true: one dimension, in C
    order."""
    if mask.storage.device.loops is not None:
        return by_numpy.compress(mask, source)
    source = contiguous(source)
    return _select(mask, source, source.dtype, source.offset)


def _select(mask: GpuArray, source: GpuArray | None, dtype: np.dtype[Any], first: int) -> GpuArray:
    """Positions or elements. ``first``: of the positions, or of the elements in the source's memory."""
    device = mask.storage.device
    if not mask.size:
        return empty(device, dtype, (0,))
    mask = contiguous(mask)
    ends, total = _ends(mask)
    out = empty(device, dtype, (total,))
    if out.size:
        arrays, (_, group) = [out, ends, mask, *([] if source is None else [source])], _plan(device)
        kernel = _placing(device, SHORT[dtype], source is None, _whole(mask))
        kernel.run("compress", ends.size * group, arrays, (mask.size, mask.offset, first), group)
    return out
