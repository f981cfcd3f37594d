"""Views of pending values. A view is a node whose only operand is its *root*. For users, both share one memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from ...kernels.core import tuning
from ...kernels.core.operation import Interval, Kind, Operation
from ...kernels.core.ops import OPS, Op
from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout, c_order, component, composed, is_c_contiguous, size
from .graph import Handle, Node, Views, new_node
from .movements import Movement

COMPONENTS = OPS["real"], OPS["imag"]


class View(Operation):
    """The operation of a view of a pending value, which is the only operand of the node.

    ``layout``: the layout of the view over a C-contiguous root. ``movement``: the chain of functions that made the
    view. ``own``: its elements, if they were computed without the root. ``keeper``: the user's handle on the root,
    which must exist as long as ``own`` does. ``fixed``: whether the view refuses writes. ``part``: the operation, real
    or imag, if the view shows parts of complex numbers.
    """

    __slots__ = ("fixed", "keeper", "layout", "movement", "own", "part")

    name = "view"
    kind = Kind.MOVEMENT

    def __init__(self, layout: Layout, movement: Movement, fixed: bool = False, part: Op | None = None):
        self.layout = layout
        self.movement = movement
        self.fixed = fixed
        self.part = part
        self.own: GpuArray | None = None
        self.keeper: Handle | None = None

    def key(self, node: Node) -> tuple[Any, ...]:
        views = node.args[0].views
        often = views is not None and views.times >= tuning.FEW_TIMES
        return View, self.layout, self.part, often, alone(node)

    def moved(self, node: Node, layout: Layout, mover: Any) -> Node | None:
        return mover.through_root(node, self, layout)  # type: ignore[no-any-return]

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        return of(args[0])

    def shown_by(self, array: GpuArray, dtype: np.dtype[Any]) -> GpuArray:
        """The view of the array of the root."""
        return array.view(self.in_root(array.layout), dtype)

    def in_root(self, root: Layout) -> Layout:
        """The layout of the view of a root in memory."""
        layout = composed(root, self.layout)
        assert layout is not None, "a computed root is in C order"
        return layout if self.part is None else component(layout, COMPONENTS.index(self.part))

    def shows_all(self, root: tuple[int, ...]) -> bool:
        """Whether the view shows the elements of a root of a shape in their order, as a reshaped value does."""
        shape, strides, _ = self.layout
        return self.part is None and is_c_contiguous(shape, strides) and size(shape) == size(root)

    def of(self, value: Node) -> Node:
        """The part of a value that the view shows; the value itself if it shows whole elements."""
        if self.part is None:
            return value
        rule = self.part.rules[value.dtype]
        return new_node(self.part, (value,), rule, rule.result, value.shape, value.device, value.weight + 1)

    def expression(self, node: Node, *operands: str) -> str:
        movement: Movement = self.movement
        return movement.expression(*operands)


def layout_of(node: Node) -> Layout:
    """The layout of a node's memory. A pending value will be in C order; the layout of a pending view is relative to
    that memory."""
    if node.array is not None:
        return node.array.layout
    own = node.op.layout or c_order(node.shape)
    array = root_of(node).array
    layout = own if array is None else composed(array.layout, own)
    assert layout is not None, "a view was made of it"
    return layout


def shown(
    movement: Movement, of: Operation, shape: tuple[int, ...], fixed: bool = False, part: Op | None = None
) -> View:
    """The operation of a view of a pending value, or of a view of one. ``of``: the operation of that value."""
    own = of.layout or c_order(shape)
    layout = movement.layout(own)
    assert layout is not None, "a movement without a layout makes no view"
    if of.movement is not None:
        movement = Movement(movement.name, movement.options, of.movement)
    return View(layout, movement, fixed or of.fixed, part or of.part)


def view_of(x: Node, movement: Movement, fixed: bool = False, part: Op | None = None) -> Node:
    """The node of a view of a pending value."""
    dtype = x.dtype if part is None else part.rules[x.dtype].result
    op = shown(movement, x.op, x.shape, fixed, part)
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
    """Whether users hold neither the root of a pending view nor another view of that root. Other values are alone."""
    root = root_of(view)
    if root.handle is not None and root is not view and root.held:
        return False
    if root is not view and root.views is not None:
        for reference in root.views.nodes:  # a hot path: few views have a handle
            other = reference()
            if other is not None and other.handle is not None and other is not view and other.held:
                return False
    return True


def is_visible(node: Node) -> bool:
    """Whether the memory of a pending value will be visible to users through another handle as well."""
    if root_of(node) is not node:
        return not alone(node)
    return node.views is not None and bool(held_views(node))


def root_of(node: Node) -> Node:
    """The root of a pending view; any other value itself."""
    return node if node.op.layout is None else node.args[0]
