"""Views of pending values: a view is a node whose only operand is its *root*, and the two are one memory to users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from ...kernels.core.ops import Op
from ...memory.layout import Layout, contiguous_strides, size, unravelled
from .graph import Change, Node, View, Views, new_node


def layout_of(node: Node) -> Layout:
    """The layout of a node's memory, whose offset says nothing: that of a pending value will be in C order, and that of
    a pending view is what it shows of this."""
    if node.array is not None:
        return node.array.layout
    if type(node.op) is not View:
        return Layout(node.shape, contiguous_strides(node.shape), 0)
    root: Node = node.args[0]
    layout = node.op.layout if root.array is None else node.op.change(root.array.layout)
    assert layout is not None, "a view was made of it"
    return layout


def view_of(x: Node, change: Change, text: Callable[[str], str], fixed: bool = False, part: Op | None = None) -> Node:
    """The node of a view of a pending value."""
    of, dtype = x.op, x.dtype if part is None else part.rules[x.dtype].result
    if type(of) is View:
        fixed, part = fixed or of.fixed, part or of.part
        layout = change(of.layout)
        change, text, (x,) = Both(of.change, change), Both(of.text, text), x.args
    else:
        layout = change(layout_of(x))
    assert layout is not None, "who makes a view looks whether there is one"
    if type(of) is View and size(layout.shape) == 1:
        change = _to_element(unravelled(layout.offset, x.shape), layout.shape)
    node = new_node(View(change, layout, text, fixed, part), (x,), None, dtype, layout.shape, x.device, x.weight)
    views = x.views
    if views is None:
        views = x.views = Views()
    elif views.nodes and not len(views.nodes) & (len(views.nodes) - 1):  # a power of two
        views.nodes = [ref(view) for view in views.alive()]
    views.nodes.append(ref(node))
    return node


class Both:
    """Two changes of layouts, one after the other. Each may be a `Both` again. None if one of them returns None.

    A program may take a view of a view as often as it likes, so what was put together is called without recursion. The
    texts of views are put together so, too.
    """

    __slots__ = ("first", "second")

    def __init__(self, first: Callable[[Any], Any], second: Callable[[Any], Any]):
        self.first, self.second = first, second

    def __call__(self, layout: Any) -> Any:
        rest: list[Callable[[Any], Any]] = [self]
        while rest:
            change = rest.pop()
            if type(change) is Both:
                rest += (change.second, change.first)
                continue
            layout = change(layout)
            if layout is None:
                return None
        return layout


def _to_element(place: tuple[int, ...], shape: tuple[int, ...]) -> Change:
    """From a value to one of its elements. That is a view of it in any layout, also where a reshape is none."""

    def change(layout: Layout) -> Layout:
        steps = zip(place, layout.strides, strict=True)
        return Layout(shape, contiguous_strides(shape), layout.offset + sum([i * step for i, step in steps]))

    return change


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
