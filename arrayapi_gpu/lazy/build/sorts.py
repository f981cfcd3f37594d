"""Sorts as nodes: steps over an operand in memory."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ...kernels.ordering.sort import argsort, sort
from ...memory.boxes import Box
from ...memory.gpuarray import GpuArray
from ..graph.expressions import call
from ..graph.graph import Node
from ..graph.host_operands import HOST
from ..run.evaluate import evaluate
from .build import step

INT64 = np.dtype("int64")


class Sort:
    """The elements along an axis in order, or the ``positions`` that put them in order."""

    __slots__ = ("axis", "descending", "name", "positions")

    def __init__(self, axis: int, descending: bool, positions: bool):
        self.axis, self.descending, self.positions = axis, descending, positions
        self.name = "argsort" if positions else "sort"

    def run(self, node: Node) -> GpuArray:
        source = evaluate(node.args[0])
        if not self.positions:
            return sort(source, self.axis, self.descending)
        order = argsort(source, self.axis, self.descending)
        order.storage.indices = source.shape[self.axis]
        return order

    def boxes(self, node: Node, box: Box) -> list[Box] | None:
        """The axis is sorted as a whole."""
        return [box] if box[self.axis] == (0, node.shape[self.axis]) else None

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands, axis=self.axis, descending=self.descending)


_operation = lru_cache(maxsize=4096)(Sort)


def sorted_along(x: Node, axis: int, descending: bool, positions: bool = False) -> Node:
    """The elements in order, or the positions that put them in order; computed at once, unless x is made of host
    operands."""
    node = step(_operation(axis, descending, positions), (x,), INT64 if positions else x.dtype, x.shape)
    if node.weight < HOST:
        evaluate(node)
    return node
