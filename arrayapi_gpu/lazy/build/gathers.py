"""Elements of pending values at places that arrays give, for functions such as `take`.

If few elements are wanted, or if an element costs little, only these are computed: the same expression over elements
that are gathered from its arrays. Otherwise the whole value is computed first.
"""

from __future__ import annotations

from ...memory.layout import broadcast, size
from ..graph.graph import CONSTANT, Node, Source, constant, leaf, new_node
from ..plan.pushdown import is_expensive
from .build import gather


def strides_below(node: Node) -> tuple[int, ...] | None:
    """The strides that all arrays of a pending expression have after broadcasting to its shape; None if they differ,
    or if it is not an expression over arrays."""
    shape = node.shape
    found: set[tuple[int, ...]] = set()
    stack, visited = [node], {node}
    while stack:
        value = stack.pop()
        rule, args, array = value.rule, value.args, value.array  # in this order, while other threads compute it
        if array is not None:
            found.add(broadcast(array.layout, shape).strides)
        elif rule is not None:
            for argument in args:
                if type(argument) is Source:
                    return None
                if type(argument) is Node and argument not in visited:
                    visited.add(argument)
                    stack.append(argument)
        elif value.op is not CONSTANT:
            return None
        if len(found) > 1:
            return None
    return found.pop() if found else None


def gathered(node: Node, strides: tuple[int, ...], offsets: Node) -> Node | None:
    """The elements of a pending expression at ``offsets`` of arrays with the given strides.

    None if the whole value should be computed first, or if an array has other strides because another thread computed
    it meanwhile.
    """
    shape, count = node.shape, size(offsets.shape)
    done: dict[Node, Node | None] = {}
    leaves = 0

    def at(value: Node) -> Node | None:
        nonlocal leaves
        if value not in done:
            rule, args, array = value.rule, value.args, value.array
            if array is not None:
                leaves += 1
                own_strides = broadcast(array.layout, shape).strides
                done[value] = gather(leaf(array), offsets) if own_strides == strides else None
            elif rule is None:
                done[value] = constant(args[0], value.dtype, offsets.shape, value.device)
            else:
                own = tuple([at(argument) if type(argument) is Node else argument for argument in args])
                weight = value.weight + offsets.weight
                node = new_node(value.op, own, rule, value.dtype, offsets.shape, value.device, weight)
                done[value] = None if None in own else node
        return done[value]

    expression = at(node)
    few = leaves * count <= size(shape) or (leaves == 1 and not is_expensive(node))
    return expression if few else None
