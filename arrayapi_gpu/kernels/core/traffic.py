"""The bytes that a launch reads and writes, by the extents of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout, Shape, Strides


class Traffic(NamedTuple):
    """Bytes that a launch reads and writes."""

    read: int
    written: int


def traffic_of(
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray] = (),
    gathered: int = 0,
) -> Traffic:
    """Return the bytes of all elements: those of an operand that is broadcast count once, index variables have none,
    and ``gathered`` elements of ``memory`` are read."""
    read = sum([_bytes(item) for item in operands if isinstance(item, GpuArray)])
    read += sum([min(gathered, item.size) * item.dtype.itemsize for item in memory])
    return Traffic(read, sum([_bytes(item) for item in results]))


def elements(shape: Shape, strides: Strides) -> int:
    """Return the number of elements, where those that are broadcast count once."""
    count = 1
    for n, step in zip(shape, strides, strict=True):
        if step or not n:
            count *= n
    return count


def _bytes(array: GpuArray) -> int:
    count = array.size if array.contiguous else elements(array.shape, array.strides)
    return count * array.dtype.itemsize
