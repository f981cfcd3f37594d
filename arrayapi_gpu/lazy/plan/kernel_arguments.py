"""The limit on a kernel's arguments: which part of a group that needs too many is computed first.

The part is the one with the most operands that still fit. So a long loop is cut from its beginning, at places that do
not depend on how often it ran, and its kernels are few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...kernels.core.body import STEP
from ..graph.graph import Node
from .pushdown import Need

if TYPE_CHECKING:
    from .fuse import Group

FEW_ARGUMENTS, FEW_AXES = 16, 5  # a kernel with less than these has fewer arguments than any device takes
FEW_OPERANDS = 2  # a value with so many is computed again where it is needed again


def is_rolled(item: Any) -> bool:
    """Whether an operand is a rolled array, in memory or promised."""
    return getattr(item, "shifts", None) is not None


def part_first(group: Group) -> list[Need] | None:
    """The values to compute before the group, if its kernel would need more arguments than the device takes; None if
    it would not, or if there is no smaller part.

    If the group computes rolls, the value is a rolled one, because the expression of a roll is made again for each
    group, so asking for it would not end.
    """
    top = group.top
    if len(group.leaves) + len(group.scalars) < FEW_ARGUMENTS and len(top.shape) < FEW_AXES:
        return None
    device, rank = top.device, len(top.shape)
    arrays = len(group.leaves) + len(group.memory) + len(group.kept) + 1
    scalars = sum([16 if type(value) is complex else 8 for value in group.scalars])
    rolls = sum(map(is_rolled, group.leaves))
    fixed = 8 * rank + 64
    needed = arrays * 8 * (2 + rank) + scalars + 8 * rolls * rank + fixed
    if needed <= device.parameter_bytes:
        return None
    reason = f"the kernel needs {needed} bytes of arguments, the device takes {device.parameter_bytes}"
    most = (device.parameter_bytes - fixed) // (8 * (2 + rank))
    if group.rolled or not (found := _largest(group, most)):
        inner = group.rolled or [node for node in group.nodes if node is not top and 2 * node.weight < top.weight + 2]
        found = [max(inner, key=lambda node: node.weight)] if inner else []
    return [(node, reason) for node in found] or None


def _largest(group: Group, most: int) -> list[Node]:
    """The node to compute first, and the nodes below it that the rest of the group needs, too: one launch of at most so
    many operands and results, after which the rest needs the fewest operands."""
    below, operands, parents = _reached(group)
    best: tuple[int, int, list[Node]] = 0, 0, []
    for number, node in enumerate(group.nodes):
        count = operands[number].bit_count()
        if node is group.top or node.shape != group.top.shape or not best[0] <= count < most:  # it saves no more
            continue
        cone = below[number] | 1 << number
        shared = [
            child for child in _bits(below[number])
            if parents[child] & ~cone and operands[child].bit_count() > FEW_OPERANDS
        ]  # fmt: skip
        saved = count - 1 - len(shared)
        if count + 1 + len(shared) <= most and (saved, node.weight) > best[:2]:
            nodes = [group.nodes[child] for child in shared]
            best = saved, node.weight, [node, *[child for child in nodes if child.shape == node.shape]]
    return best[2]


def _reached(group: Group) -> tuple[list[int], list[int], list[int]]:
    """For each node of a group: the nodes below it, the operands that they need, and the nodes that use it; their
    numbers, as bits."""
    numbers: dict[Any, int] = {}  # of operands
    below: list[int | None] = [None] * len(group.nodes)
    operands, parents = [0] * len(group.nodes), [0] * len(group.nodes)
    stack = [0]
    while stack:
        number = stack[-1]
        if below[number] is not None:
            stack.pop()
            continue
        needs, children = 0, []
        for place, argument in enumerate(group.nodes[number].args):
            reference = group.references.get(argument) if type(argument) is Node else None
            if reference is not None and reference.kind == STEP:
                children.append(reference.number)
            else:
                name = reference or (number, place)
                needs |= 1 << numbers.setdefault(name, len(numbers))
        missing = [child for child in children if below[child] is None]
        if missing:
            stack += missing
            continue
        reached = 0
        for child in children:
            reached |= (below[child] or 0) | 1 << child
            needs |= operands[child]
            parents[child] |= 1 << number
        below[number], operands[number] = reached, needs
        stack.pop()
    return [reached or 0 for reached in below], operands, parents


def _bits(number: int) -> list[int]:
    """The places of the ones."""
    return [place for place in range(number.bit_length()) if number >> place & 1]
