"""Views of pending values: a view is a node whose only operand is its *root*, and the two are one memory to users."""

from __future__ import annotations

from weakref import ref

from ...kernels.core.ops import Op
from ...memory.layout import Layout, composed, contiguous_strides
from .graph import Node, View, Views, new_node
from .movements import Movement


def layout_of(node: Node) -> Layout:
    """The layout of a node's memory. That of a pending value will be in C order, in which a pending view shows some
    elements; the offset is that of the first one there."""
    if node.array is not None:
        return node.array.layout
    if type(node.op) is not View:
        return Layout(node.shape, contiguous_strides(node.shape), 0)
    root: Node = node.args[0]
    layout = node.op.layout if root.array is None else composed(root.array.layout, node.op.layout)
    assert layout is not None, "a view was made of it"
    return layout


def shown(movement: Movement, of: View | None, layout: Layout, fixed: bool = False, part: Op | None = None) -> View:
    """The operation of a view. ``of``: that of the view that is moved, or None; ``layout``: that of what is moved, in
    the root."""
    after = movement.layout(layout)
    assert after is not None, "a view is made only where there is one"
    if of is None:
        return View(after, movement, fixed, part)
    return View(after, movement._replace(before=of.movement), fixed or of.fixed, part or of.part)


def view_of(x: Node, movement: Movement, fixed: bool = False, part: Op | None = None) -> Node:
    """The node of a view of a pending value."""
    of = x.op if type(x.op) is View else None
    dtype = x.dtype if part is None else part.rules[x.dtype].result
    op = shown(movement, of, layout_of(x) if of is None else of.layout, fixed, part)
    x = root_of(x)
    node = new_node(op, (x,), None, dtype, op.layout.shape, x.device, x.weight)
    views = x.views
    if views is None:
        views = x.views = Views()
    elif views.nodes and not len(views.nodes) & (len(views.nodes) - 1):  # a power of two
        views.nodes = [ref(view) for view in views.alive()]
    views.nodes.append(ref(node))
    return node


def held_views(root: Node) -> list[Node]:
    """The views of a value that users hold."""
    return [] if root.views is None else [view for view in root.views.alive() if view.held]


def alone(view: Node) -> bool:
    """Whether nobody else sees the memory of a pending view: neither its root nor another view of it is held."""
    root = view.args[0]
    return not root.held and not any(other is not view for other in held_views(root))


def is_seen(node: Node) -> bool:
    """Whether somebody else than its holder will see the memory of a pending value."""
    if type(node.op) is View:
        return not alone(node)
    return node.views is not None and bool(held_views(node))


def root_of(node: Node) -> Node:
    """What a pending view is a view of; any other value itself."""
    root: Node = node.args[0] if type(node.op) is View else node
    return root
