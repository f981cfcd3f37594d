"""Scans as nodes: steps over an operand in memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...backends.base import Target
from ...kernels.core.monoid import Monoid, UserMonoid
from ...kernels.core.operation import Operation
from ...kernels.ordering.scan import scan
from ...memory.boxes import Box
from ...memory.dtypes import ACCUMULATOR
from ...memory.gpuarray import GpuArray, Signature
from ..graph.expressions import call, full
from ..graph.graph import Node, constant, leaf
from ..run.evaluate import fresh, write
from .build import step


class Scan(Operation):
    """The combination, by a monoid, of all elements up to each one along an axis.

    ``initial``: whether the identity is the first element. ``whole``: the shape of the array that the operand is a part
    of, with whole rows or columns (`kernels.ordering.scan.scan`). A second operand has the elements at which the scan
    begins again.
    """

    def __init__(self, monoid: Monoid, axis: int, initial: bool, whole: tuple[int, ...] | None = None):
        self.monoid = monoid
        self.whole = whole
        self.axis = axis
        self.initial = initial
        self.name = f"cumulative_{monoid.name}"

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        source, *starts = operands
        segments = starts[0] if starts else None
        out = fresh(result.device, result.dtype, result.shape)
        rest = out
        if self.initial:
            first = _part(out, self.axis, 0, 1)
            one = result.dtype.type(self.monoid.of_nothing).item()
            write(constant(one, result.dtype, first.shape, result.device), first)
            rest = _part(out, self.axis, 1, out.shape[self.axis])
        if rest.size:
            if not rest.contiguous:
                whole = fresh(result.device, result.dtype, rest.shape)
                scan(self.monoid, source, self.axis, whole, whole=self.whole, starts=segments)
                write(leaf(whole), rest)
            else:
                scan(self.monoid, source, self.axis, rest, whole=self.whole, starts=segments)
        return out

    def part_of(self, shape: tuple[int, ...], part: tuple[int, ...], target: Target) -> Scan:
        """The scan of a part of an operand, with the order of combination for the ``shape`` of that operand."""
        return _operation(self.monoid, self.axis, self.initial, shape)

    def boxes(self, node: Node, box: Box) -> list[Box] | None:
        """The boxes of the operands; None if the box does not have the whole scanned axis."""
        n = node.args[0].shape[self.axis]
        if box[self.axis] != (0, node.shape[self.axis]):
            return None
        return [(*box[: self.axis], (0, n), *box[self.axis + 1 :])] * len(node.args)

    def expression(self, node: Node, *operands: str) -> str:
        if isinstance(self.monoid, UserMonoid):
            made = f"{self.monoid.shown}({', '.join(operands)}, axis={self.axis})"
            front = (*node.shape[: self.axis], 1, *node.shape[self.axis + 1 :])
            first = full(front, self.monoid.value, node.dtype, node.device)
            return f"xp.concat([{first}, {made}], axis={self.axis})" if self.initial else made
        dtype = node.dtype if node.dtype != ACCUMULATOR[node.args[0].dtype] else None
        return call(self.name, *operands, axis=self.axis, dtype=dtype, include_initial=self.initial)


def _part(array: GpuArray, axis: int, start: int, stop: int) -> GpuArray:
    """The array of the elements from ``start`` to ``stop`` along an axis, in the same memory."""
    shape = (*array.shape[:axis], stop - start, *array.shape[axis + 1 :])
    return GpuArray(array.storage, array.dtype, shape, array.strides, array.offset + start * array.strides[axis])


def cumulative(
    monoid: Monoid, x: Node, axis: int, dtype: np.dtype[Any], initial: bool, starts: Node | None = None
) -> Node:
    """The node of a scan along an axis, with results of ``dtype``.

    ``initial``: whether the identity is the first element. ``starts``: booleans of the shape of ``x``, true at the
    elements at which the scan begins again.
    """
    operands = (x,) if starts is None else (x, starts)
    shape = (*x.shape[:axis], x.shape[axis] + initial, *x.shape[axis + 1 :])
    return step(_operation(monoid, axis, initial), operands, dtype, shape)


_operation = lru_cache(maxsize=4096)(Scan)
