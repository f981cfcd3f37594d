"""Iteration: the elements of a vector one by one, as values, which the host reads many at a time.

An element is a pending copy of one place (`build.element`). The host also keeps the values of its neighbours until the
memory is written to. It does not keep them if other code may write there at any time. Before a write the neighbours are
copied together, and the elements that users hold are settled in that copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...kernels.core.operation import Kind, Operation
from ...kernels.core.ops import COMPARISONS
from ...memory.dtypes import COMPLEX_FLOATING
from ...memory.gpuarray import GpuArray
from ..build.build import element
from ..graph.graph import POSITIVE, Handle, Node, leaf, settle
from ..graph.host_operands import streaming
from ..out_of_core.blocks import Parts
from ..run.evaluate import contiguous, copy, exclusively, memory

NEIGHBOURS = 4096  # elements that are read at once


class _Block(Operation):
    """Neighbours, which are read when the value of one of them is needed, and again after a write. This is the
    operation of their places, each a node in memory."""

    __slots__ = ("array", "copied", "first", "read", "step")

    name = "element"
    kind = Kind.ELEMENTWISE

    def __init__(self, array: GpuArray):
        self.array = array
        self.first, self.step = array.offset, array.strides[0]  # of the memory before it is copied
        self.copied = False  # then the memory belongs to the elements
        self.read: tuple[int, list[Any]] = (-1, [])  # the number of writes to the memory before, and the values

    def number(self, place: Node) -> int:
        """The number of a place among the neighbours."""
        element, own = place.array, self.array
        assert element is not None
        if self.copied and element.storage is own.storage:
            return element.offset - own.offset
        return (element.offset - self.first) // self.step if self.step else 0

    def value(self, node: Node, args: tuple[Any, ...]) -> Any:
        """The value of one element; None where other code may write at any time."""
        storage = self.array.storage
        if storage.buffer.exposed:
            return None
        writes, values = self.read
        if writes != storage.writes:
            writes = storage.writes
            own = self.array if storage.device.host_shared else contiguous(leaf(self.array))
            values = own.download().tolist()
            self.read = writes, values
        return values[self.number(node)]

    def detach(self) -> None:
        """Copy the neighbours, because the memory is about to be written to."""
        if not self.copied:
            before, array = self.array.storage, copy(leaf(self.array))
            writes, values = self.read
            self.read = array.storage.writes if writes == before.writes else -1, values
            self.array, self.copied = array, True


def elements(holder: Handle) -> Iterator[Node]:
    """The elements of a vector. Each is that of the vector at the moment when it is asked for."""
    (n,) = holder._node.shape
    node, first, block = None, 0, None
    for i in range(n):
        if holder._node is not node or i - first == NEIGHBOURS or block is None or block.copied:
            node, first = holder._node, i
            array, begin = _memory_from(node, i)
            block = _Block(array.rows(slice(i - begin, i - begin + NEIGHBOURS)))
        place = leaf(array.row(i - begin))
        place.op = block
        yield element(place)


def _memory_from(node: Node, i: int) -> tuple[GpuArray, int]:
    """The memory of a vector, and the number of the first element in it. Of a host operand, the memory has neighbours
    from ``i`` on."""
    if node.streamed and node.array is None:
        streaming.settle(node)
        if node.array is None:
            return memory(Parts(node).part(node, ((i, min(i + NEIGHBOURS, node.shape[0])),))), i
    return memory(node), 0


def settle_elements(pending: Sequence[Node]) -> None:
    """Settle the elements of iteration among some pending values, because their memory is about to be written to."""
    for node in pending:
        op, args = node.op, node.args  # another thread may compute the value meanwhile
        block = args[0].op if op is POSITIVE and args else None
        if isinstance(block, _Block):
            with exclusively():
                block.detach()
                if node.array is None:
                    settle(node, block.array.row(block.number(args[0])))
                    node.op = block


def known(node: Node) -> Any:
    """The value of one element as a Python scalar, if the host can give it; otherwise None.

    The host gives constants, elements of iteration, and comparisons of these in one dtype.
    """
    op, args, rule = node.op, node.args, node.rule  # another thread may compute the value meanwhile
    if rule is None:
        return op.value(node, args)
    if op is POSITIVE and args:
        value = args[0].op.value(args[0], args[0].args)
    elif not node.shape and args and op.name in COMPARISONS:
        first, second = (_operand(x, dtype) for x, dtype in zip(args, rule.args, strict=False))
        value = None if first is None or second is None else COMPARISONS[op.name](first, second)
    else:
        return None
    return value if node.array is None and node.op is op else None  # otherwise a thread may have written there


def _operand(x: Any, dtype: np.dtype[Any]) -> Any:
    """The value of an operand of a comparison, if it is compared in its dtype; otherwise None."""
    if type(x) is Node:
        return known(x) if x.dtype == dtype and not x.shape and dtype not in COMPLEX_FLOATING else None
    with np.errstate(over="ignore"):
        return dtype.type(x).item()
