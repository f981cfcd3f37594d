"""Concatenations of values in memory, which few launches copy together."""

from __future__ import annotations

from collections.abc import Sequence

from ...kernels.core import tuning
from ...kernels.maps.join import join
from ...memory.gpuarray import signature_of
from ...memory.layout import Layout, contiguous_strides, size
from ..graph.graph import Node, leaf
from ..graph.views import root_of
from ..run.evaluate import contiguous, copy, evaluate


def can_be_joined(parts: Sequence[Node]) -> bool:
    """Whether values are in memory, or views of such, at least half of them contiguous: others have to be copied twice."""
    if not all([part.array is not None or root_of(part).array is not None for part in parts]):
        return False
    return sum([evaluate(part).contiguous for part in parts]) >= len(parts) / 2


def joined(parts: Sequence[Node], axis: int, shape: tuple[int, ...]) -> Node:
    """The concatenation of values in memory, of one dtype. Where equal parts have short rows, they are joined one after
    the other, and a copy exchanges the axes."""
    arrays, first = [contiguous(part) for part in parts], parts[0]
    device, dtype, own = first.device, first.dtype, first.shape
    rows, row = size(own[:axis]), size(own[axis:])
    if rows == 1 or row * dtype.itemsize >= tuning.JOINED_ROW or any([array.shape != own for array in arrays]):
        out = signature_of(device, dtype, shape).fresh()
        join(out, arrays, axis)
        return leaf(out)
    stacked = signature_of(device, dtype, (len(arrays), rows, row)).fresh()
    join(stacked, [array.view(Layout((1, rows, row), (0, row, 1), array.offset)) for array in arrays], 0)
    out = copy(leaf(stacked.view(Layout((rows, len(arrays), row), (row, rows * row, 1), stacked.offset))))
    return leaf(out.view(Layout(shape, contiguous_strides(shape), out.offset)))
