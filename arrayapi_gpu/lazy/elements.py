"""The elements of a vector one by one, as iteration wants them: views, whose values the host reads many at a time.

An element is a view of one place, and whatever is written is seen through it. The host keeps the values of its
neighbours, too, while nobody has written to the memory, and while nobody else can.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..kernels.ops import COMPARISONS, Op
from ..memory.gpuarray import GpuArray
from .blocks import Parts
from .evaluate import contiguous, memory
from .graph import CONSTANT, Handle, Node, leaf
from .host_operands import HOST, streaming

NEIGHBOURS = 4096  # elements that are read at once


class _Block:
    """Neighbours, which are read when the value of one of them is asked for, and again after a write."""

    __slots__ = ("array", "read")

    def __init__(self, array: GpuArray):
        self.array = array
        self.read: tuple[int, list[Any]] = (-1, [])  # how often the memory had been written, and what was there

    def value(self, place: int) -> Any:
        """One element; None where others may write at any time."""
        storage = self.array.storage
        if storage.buffer.exposed:
            return None
        writes, values = self.read
        if writes != storage.writes:
            writes = storage.writes
            own = self.array if storage.device.host_shared else contiguous(leaf(self.array))
            values = own.download().tolist()
            self.read = writes, values
        return values[place]


def elements(holder: Handle) -> Iterator[Node]:
    """The elements of a vector, as it is when each is asked for."""
    (n,) = holder._node.shape
    node, first = None, 0
    for i in range(n):
        if holder._node is not node or i - first == NEIGHBOURS:
            node, first = holder._node, i
            array, begin = _memory_from(node, i)
            block = _Block(array.rows(slice(i - begin, i - begin + NEIGHBOURS)))
        element = leaf(array.row(i - begin))
        element.args = block, i - first
        yield element


def _memory_from(node: Node, i: int) -> tuple[GpuArray, int]:
    """The memory of a vector, and the number of its first element; of a host operand that of some from ``i`` on."""
    if node.weight >= HOST and node.array is None:
        streaming.settle(node)
        if node.array is None:
            return memory(Parts(node).part(node, ((i, min(i + NEIGHBOURS, node.shape[0])),))), i
    return memory(node), 0


def known(node: Node) -> Any:
    """The value of one element as a Python scalar, if no device has to be asked for it; else None.

    That is a constant, an element of iteration, or a comparison of those of one dtype.
    """
    op, args, rule = node.op, node.args, node.rule  # another thread may compute the value meanwhile
    if op is CONSTANT:
        return args[0]
    if args and type(args[0]) is _Block:
        return args[0].value(args[1])
    compare = COMPARISONS.get(op.name) if type(op) is Op else None
    if compare is None or rule is None or node.shape or not args:
        return None
    first, second = (_operand(x, dtype) for x, dtype in zip(args, rule.args, strict=True))
    return None if first is None or second is None else compare(first, second)


def _operand(x: Any, dtype: np.dtype[Any]) -> Any:
    """The value of an operand that is compared in a dtype, which is its own; else None."""
    if type(x) is Node:
        return known(x) if x.dtype == dtype and not x.shape and dtype.kind != "c" else None
    with np.errstate(over="ignore"):
        return dtype.type(x).item()
