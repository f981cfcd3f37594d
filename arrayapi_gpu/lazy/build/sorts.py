"""Sorts as nodes: steps over an operand in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...backends.base import Target
from ...kernels.ordering.sort import argsort, sort
from ...memory.boxes import Box
from ...memory.gpuarray import GpuArray, Signature
from ..graph.expressions import call
from ..graph.graph import Node
from .build import step

INT64 = np.dtype("int64")


class Sort:
    """The elements along an axis in order, or the ``positions`` that put them in order."""

    reusable = True

    __slots__ = ("axis", "descending", "name", "positions")

    def __init__(self, axis: int, descending: bool, positions: bool):
        self.axis, self.descending, self.positions = axis, descending, positions
        self.name = "argsort" if positions else "sort"

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        (source,) = operands
        if not self.positions:
            return sort(source, self.axis, self.descending)
        order = argsort(source, self.axis, self.descending)
        order.storage.indices = source.shape[self.axis]
        return order

    def value_range(self, args: tuple[Any, ...]) -> tuple[int, int] | None:
        """The least and the greatest result, of positions."""
        return (0, args[0].shape[self.axis] - 1) if self.positions else None

    def boxes(self, node: Node, box: Box) -> list[Box] | None:
        """The axis is sorted as a whole."""
        return [box] if box[self.axis] == (0, node.shape[self.axis]) else None

    def part_of(self, shape: tuple[int, ...], part: tuple[int, ...], target: Target) -> Sort:
        """The sort of a part of an operand, whose other parts do not matter."""
        return self

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands, axis=self.axis, descending=self.descending)


_operation = lru_cache(maxsize=4096)(Sort)


def sorted_along(x: Node, axis: int, descending: bool, positions: bool = False) -> Node:
    """The elements in order, or the positions that put them in order."""
    return step(_operation(axis, descending, positions), (x,), INT64 if positions else x.dtype, x.shape)
