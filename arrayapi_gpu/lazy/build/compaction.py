"""Compaction: the elements where a mask is true, and their coordinates. Their number is read on the host."""

from __future__ import annotations

from ...kernels.core.ops import OPS
from ...kernels.ordering import compact
from ...memory.gpuarray import GpuArray, note_indices
from ..graph.graph import Node, leaf
from ..run.evaluate import evaluate
from .build import binary, read


def nonzero(mask: Node) -> tuple[GpuArray, ...]:
    """The coordinates of the true elements in C order, one int64 array for each axis. ``mask`` has at least one
    axis."""
    flat = compact.nonzero(evaluate(mask))
    coordinates: list[GpuArray] = []
    rest = leaf(flat)
    for n in reversed(mask.shape[1:]):
        coordinates.append(evaluate(binary(OPS["remainder"], rest, n)))
        rest = binary(OPS["floor_divide"], rest, n)
    coordinates.append(evaluate(rest))
    for array, n in zip(coordinates, reversed(mask.shape), strict=True):
        note_indices(array, n)
        if len(mask.shape) == 1:
            array.storage.repeats = 0, False
    return tuple(reversed(coordinates))


def compress(mask: Node, x: Node) -> GpuArray:
    """The elements of ``x`` for which the mask, of the same shape, is true: one dimension, in C order."""
    return compact.compress(evaluate(mask), read(x))
