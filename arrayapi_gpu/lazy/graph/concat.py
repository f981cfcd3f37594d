"""Concatenations as operations of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kernels.core.operation import Interval, Kind, Operation, any_of
from ...memory.layout import Layout, composed, contiguous_strides, extent
from .expressions import call
from .graph import Node


class Concat(Operation):
    """The operands, joined along ``axis`` (standard, ``concat``). All have the dtype of the node.

    Each launch computes one part of the result (`lazy.plan.concatenations`).
    """

    __slots__ = ("axis",)

    name = "concat"
    kind = Kind.PARTS
    cost = 1

    def __init__(self, axis: int):
        self.axis = axis

    def key(self, node: Node) -> tuple[Any, ...]:
        return Concat, self.axis, len(node.args)

    def moved(self, node: Node, layout: Layout, mover: Any) -> Node | None:
        """The elements, if a single operand has all of them; otherwise None."""
        if mover.is_full(node):
            return None
        axis, shape = self.axis, node.shape
        along = composed(Layout(shape, tuple([int(k == axis) for k in range(len(shape))]), 0), layout)
        low, high = (0, -1) if along is None else extent(along) or (0, -1)  # coordinates as addresses
        start = 0
        for operand in node.args:
            end = start + operand.shape[axis]
            if start <= low <= high < end:
                strides = contiguous_strides(operand.shape)
                return mover.through(operand, Layout(shape, strides, -start * strides[axis]), layout)  # type: ignore[no-any-return]
            start = end
        return mover.needs_first(node, "its elements lie in several operands")  # type: ignore[no-any-return]

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        return any_of([of(operand) for operand in args])

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, f"[{', '.join(operands)}]", axis=self.axis)
