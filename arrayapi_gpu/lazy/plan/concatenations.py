"""Values in parts: expressions over concatenations.

A concatenation is computed operand by operand, each into its own part of the memory. So is an expression over one:
where the operand's elements lie, the concatenation is that operand, and everything else is seen through a slice, which
is movement (`lazy.plan.pushdown`). The concatenation itself is never stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

from ...memory.layout import Layout, size
from ..graph.expressions import subscript
from ..graph.graph import Change, Concat, Node, View, new_node
from ..graph.views import layout_of
from .pushdown import Mover, Planned


def in_parts(node: Node, concats: Sequence[Node], planned: Planned) -> list[tuple[Change, Node]] | None:
    """The parts of a value over concatenations of its shape: where each lies, and the expression of its elements.

    A part ends wherever an operand of one ends. None where a part had to be computed as a whole first.
    """
    (axis,) = {concat.op.axis for concat in concats if isinstance(concat.op, Concat)}
    ends = {end for concat in concats for end in accumulate([operand.shape[axis] for operand in concat.args])}
    parts: list[tuple[Change, Node]] = []
    start = 0
    for end in sorted(ends - {0}) if size(node.shape) else ():
        change = partial(_slice, axis, start, end - start)
        expression = _seen(node, change, axis, start, end, planned)
        if expression is None:
            return None
        parts.append((change, expression))
        start = end
    return parts


def operands_of(concat: Node) -> list[tuple[Change, Node]]:
    """The parts of a concatenation, which are its operands; those without elements are left out."""
    assert isinstance(concat.op, Concat)
    axis, start = concat.op.axis, 0
    parts: list[tuple[Change, Node]] = []
    for operand in concat.args:
        n = operand.shape[axis]
        if size(operand.shape):
            parts.append((partial(_slice, axis, start, n), operand))
        start += n
    return parts


def _slice(axis: int, start: int, n: int, layout: Layout) -> Layout:
    shape, strides, offset = layout
    return Layout((*shape[:axis], n, *shape[axis + 1 :]), strides, offset + start * strides[axis])


def _seen(node: Node, change: Change, axis: int, start: int, end: int, planned: Planned) -> Node | None:
    key = [slice(None)] * axis + [slice(start, end)]
    layout = change(layout_of(node))
    assert layout is not None, "a slice has a layout"
    view = View(change, layout, lambda operand: subscript(operand, key))
    mover = Mover(new_node(view, (node,), None, node.dtype, layout.shape, node.device, node.weight), planned)
    expression = mover.move(node, change)
    return None if mover.needs else expression
