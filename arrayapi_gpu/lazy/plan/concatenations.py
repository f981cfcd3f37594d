"""Values in parts: expressions over concatenations.

A concatenation is computed operand by operand, each into its own part of the memory. An expression over a concatenation
is computed in the same parts. Within a part, the concatenation is one of its operands, and every other operand is read
through a slice (`lazy.plan.pushdown`). The concatenation itself is never stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from ...memory.layout import Layout, contiguous_strides, size
from ..graph.graph import Node, new_node
from ..graph.movements import keyed
from ..graph.views import View
from .pushdown import Mover, Planned


def in_parts(node: Node, concats: Sequence[Node], planned: Planned) -> list[tuple[Layout, Node]] | None:
    """The parts of a value over concatenations of its shape: the layout of each and the expression of its elements.

    A part ends where an operand of a concatenation ends. None if the expression of a part needs a value first.
    """
    axis = _axis(concats[0])
    ends = {end for concat in concats for end in accumulate([operand.shape[axis] for operand in concat.args])}
    parts: list[tuple[Layout, Node]] = []
    start = 0
    for end in sorted(ends - {0}) if size(node.shape) else ():
        layout = _slice(node.shape, axis, start, end)
        view = View(layout, keyed([slice(None)] * axis + [slice(start, end)]))
        mover = Mover(new_node(view, (node,), None, node.dtype, layout.shape, node.device, node.weight), planned)
        expression = mover.move(node, layout)
        if expression is None or mover.needs:
            return None
        parts.append((layout, expression))
        start = end
    return parts


def operands_of(concat: Node) -> list[tuple[Layout, Node]]:
    """The parts of a concatenation, which are its operands, without empty ones."""
    axis, start = _axis(concat), 0
    parts: list[tuple[Layout, Node]] = []
    for operand in concat.args:
        n = operand.shape[axis]
        if size(operand.shape):
            parts.append((_slice(concat.shape, axis, start, start + n), operand))
        start += n
    return parts


def _axis(concat: Node) -> int:
    op: Any = concat.op
    return op.axis  # type: ignore[no-any-return]


def _slice(shape: tuple[int, ...], axis: int, start: int, stop: int) -> Layout:
    """The layout of a slice along an axis of a value in C order."""
    strides = contiguous_strides(shape)
    return Layout((*shape[:axis], stop - start, *shape[axis + 1 :]), strides, start * strides[axis])
