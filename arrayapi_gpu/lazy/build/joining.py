"""Concatenations of values in memory, which few launches copy together."""

from __future__ import annotations

from collections.abc import Sequence

from ...kernels.core import tuning
from ...kernels.maps.join import interleave, join
from ...memory.gpuarray import GpuArray, signature_of
from ...memory.layout import Layout, Shape, contiguous_strides, size
from ..graph.graph import Node, leaf
from ..graph.views import root_of
from ..run.evaluate import copy, evaluate


def arrays_of(parts: Sequence[Node]) -> list[GpuArray] | None:
    """Contiguous arrays of values in memory, or of views of such. None if other values are among them, or if most of
    the arrays would have to be copied before they are joined."""
    arrays, apart = [], 0
    for part in parts:
        array = part.array
        if array is None:
            if root_of(part).array is None:
                return None
            array = evaluate(part)
        apart += not array.contiguous
        arrays.append(array)
    if 2 * apart > len(arrays):
        return None
    return [array if array.contiguous else copy(leaf(array)) for array in arrays] if apart else arrays


def joined(arrays: Sequence[GpuArray], axis: int, shape: Shape) -> Node:
    """Contiguous arrays of one dtype side by side along ``axis``, which may be new: in a result of this shape. Many
    equal arrays with short rows are joined one after the other, and a copy exchanges the axes."""
    first = arrays[0]
    own, device, dtype = first.shape, first.storage.device, first.dtype
    rows, row = size(own[:axis]), size(own[axis:])
    equal = True
    for array in arrays:
        if array.shape != own:
            equal = False
            break
    if equal and has_short_rows(rows, row * dtype.itemsize):
        if len(arrays) > tuning.JOINED_BY_UNITS or not device.is_gpu:
            stacked = signature_of(device, dtype, (len(arrays), rows, row)).fresh()
            join(stacked, arrays, 1)
            out = copy(leaf(stacked.view(Layout((rows, len(arrays), row), (row, rows * row, 1), stacked.offset))))
            return leaf(out.view(Layout(shape, contiguous_strides(shape), out.offset)))
        out = signature_of(device, dtype, shape).fresh()
        interleave(out, arrays, rows)
        return leaf(out)
    out = signature_of(device, dtype, shape).fresh()
    join(out, arrays, rows)
    return leaf(out)


def has_short_rows(rows: int, nbytes: int) -> bool:
    """Whether arrays have several rows, of so few bytes that each would be less than a line of memory."""
    return rows > 1 and nbytes < tuning.JOINED_ROW
