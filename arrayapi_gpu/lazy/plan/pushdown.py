"""Movement: views and rolls of values that are not computed yet.

A view of memory is another layout of it. A view of a pending value, its *root*, is a separate node. Its elements are
computed in one of two ways:

* The layout of the view is pushed down to the leaves of the root's expression and composed with their layouts. So only
  the elements of the view are computed, and the view costs no launch (`resolve`).
* The root is computed first, and then the view is a view of its memory.

For users, a view and its root share one memory: a write through one changes the other. That holds because each write
asks for this memory (`evaluate.memory`), and because all views of a root are settled with it. Until a program writes, a
view may have elements of its own (``own``).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from ...backends.base import Device
from ...kernels.core import tuning
from ...kernels.core.operation import Kind
from ...memory.gpuarray import MAX_WEIGHT
from ...memory.layout import Layout, broadcast, c_order, composed, size
from ..graph.graph import CONSTANT, IOTA, MOVED, Node, Source, Views, new_node
from ..graph.reduction import longer_than_one, moves_only_ones
from ..graph.views import View, alone, root_of

Need = tuple[Node, str]  # a node to compute first, and why

IS_STEP = "it is a kernel of its own"
ALONE = frozenset((Kind.STEP, Kind.REDUCTION))  # kinds that are not computed within the group of another value


class Planned(dict[Node, Any]):
    """The arrays of values that count as computed while a plan is made. ``expressed``: the expressions of views.
    ``unrolled``: the expressions of short reductions."""

    __slots__ = ("expressed", "unrolled")

    def __init__(self) -> None:
        self.expressed: dict[Node, Node] = {}
        self.unrolled: dict[Node, Node | None] = {}


def of_root(view: Node) -> bool:
    """Whether computing the root of a pending view first is better than computing the view separately."""
    root = view.args[0]
    if root.op in (CONSTANT, IOTA):  # these cost nothing in any view
        return False
    if root.rule is None and root.op.kind is not Kind.PARTS:
        return True
    views = root.views
    if not alone(view):
        return not root.held or 4 * size(view.shape) > size(root.shape) or views.times >= tuning.FEW_TIMES
    sizes = [size(other.shape) for other in views.alive()]
    again = repays(root.shape, view.shape) or sum(sizes) > max(*sizes, size(root.shape))
    return again and is_expensive(root)


def is_expensive(root: Node) -> bool:
    """Whether computing a pending value twice costs more than storing it."""
    return _is_above(root, tuning.CHEAP)


def is_expensive_for(root: Node, shape: tuple[int, ...]) -> bool:
    """Whether computing a pending value again for every element of a larger shape costs more than storing it."""
    most = tuning.BROADCAST_COST[root.device.is_gpu] // max(size(shape), 1)
    return _is_above(root, min(most, tuning.CHEAP))


def _is_above(root: Node, most: int) -> bool:
    rule = root.rule
    if rule is not None and (root.weight <= 1 or rule.cost > most):  # the same result as below, without a walk
        return rule.cost > most
    return _costs_more(root, most, False)


def repays_memory(node: Node) -> bool:
    """Whether computing a pending value twice, each time for a whole launch, costs more than storing and reading it."""
    gpu = node.device.is_gpu
    return _costs_more(node, tuning.STORED_COST[gpu], False, tuning.LOAD_COST[gpu])


def _costs_more(root: Node, most: int, over_views: bool, load: int = 0) -> bool:
    """Whether the operations below a pending value cost more than ``most`` together.

    ``over_views``: whether views of pending values must be among them, too, so that all operations count. Otherwise
    those below a kernel of its own do not, because they are computed once in any case. Elements that several views show
    count for each view. ``load``: the cost of reading an array.
    """
    cost, views, stack, visited = 0, not over_views, [root], {root}
    while stack:
        node = stack.pop()
        if node.rule is not None:
            cost += node.rule.cost
        elif over_views:
            cost += node.op.cost
        again = root_of(node) is not node
        views |= again
        if views and cost > most:
            return True
        for child in node.args:
            if type(child) is Node:
                if child.array is not None or (not over_views and child.op.kind in ALONE):
                    cost += load
                elif again or child not in visited:
                    visited.add(child)
                    stack.append(child)
    return views and cost > most


def too_deep(x: Node) -> bool:
    """Whether a pending value uses views of others and so many operations that its own views, and views of expressions
    over these, would compute far too much again. A view has the answer of its root."""
    root = root_of(x)
    if root.views is None:
        root.views = Views()
    if root.views.too_deep is None:
        root.views.too_deep = _costs_more(root, tuning.DEEP[root.device.is_gpu], True)
    return root.views.too_deep


def resolve(view: Node, planned: Planned) -> Node | list[Need]:
    """A view or a roll as an expression over leaves, or the nodes to compute before that is possible."""
    op: Any = view.op
    root = root_of(view)
    if root is view:
        return rolled(view, planned)
    if op.own is not None:
        return leaf_of(view, op.own)
    array = computed(root, planned)
    if array is not None:
        layout = composed(array.layout, op.layout)
        assert layout is not None, "a computed root is in C order"
        found: Node = op.of(leaf_of(root, array.through(layout)))
        return found
    known = planned.expressed.get(view)
    if known is not None:
        return known
    only_ones = root.op.kind is Kind.REDUCTION and not root.held and moves_only_ones(op.layout, root.shape)
    if not only_ones and of_root(view):
        return [(root, "its elements are visible elsewhere, too" if root.rule is not None else IS_STEP)]
    mover = Mover(view, planned)
    expressed = mover.move(root, op.layout)
    if mover.needs:
        return mover.needs
    assert expressed is not None
    planned.expressed[view] = found = op.of(expressed)
    return found


def rolled(node: Node, planned: Planned) -> Node | list[Need]:
    """A roll as an expression over rolled leaves, if that is cheap; otherwise its operand as a need."""
    op: Any = node.op
    x = node.args[0]
    cheap = computed(x, planned) is not None or not (x.held or is_expensive(x))
    found = _with_rolled_leaves(x, op.shifts, planned, {}) if cheap else None
    return [(x, "it is rolled")] if found is None else found


_Done = dict[tuple[Node, tuple[int, ...]], Node | None]  # rolled values by value and shifts


def _with_rolled_leaves(node: Node, shifts: tuple[int, ...], planned: Planned, done: _Done) -> Node | None:
    """A value rolled along its axes, as an expression over arrays; None if there is none. The last shifts count."""
    shifts = shifts[len(shifts) - len(node.shape) :]
    key = node, shifts
    if key not in done:
        done[key] = _rolled_below(node, shifts, planned, done)
    return done[key]


def _rolled_below(node: Node, shifts: tuple[int, ...], planned: Planned, done: _Done) -> Node | None:
    array = computed(node, planned)
    if array is not None:
        return leaf_of(node, array.rolled(shifts))
    if node.rule is None:
        return node.op.rolled(node, shifts, lambda x, shifts: _with_rolled_leaves(x, shifts, planned, done))  # type: ignore[no-any-return]
    args = []
    for argument in node.args:
        if type(argument) is Node:
            argument = _with_rolled_leaves(argument, shifts, planned, done)
        if argument is None or type(argument) is Source:
            return None
        args.append(argument)
    return new_node(node.op, tuple(args), node.rule, node.dtype, node.shape, node.device, node.weight)


def computed(node: Node, planned: Planned) -> Any:
    """The array of a node, or the array that counts as computed; None for a pending node."""
    if node.array is not None:
        return node.array
    own = node.op.own
    return planned.get(node) if own is None else own


def leaf_of(node: Node, array: Any) -> Node:
    """A leaf with the dtype of a node that reads an array, which has another layout of the node's memory.

    Users cannot reach the leaf, so the memory does not count as shared because of it.
    """
    moved = new_node(MOVED, (), None, node.dtype, array.shape, node.device, 1)
    moved.array = array
    return moved


class Mover:
    """Makes the expression of a view: the operations of its root, over leaves that are read through the view.

    ``cost``: the cost of the operations and leaves so far. ``most``: the cost above which the root is needed instead.
    ``size``: the number of elements of the view. ``needs``: the nodes to compute first.
    """

    def __init__(self, view: Node, planned: Planned, most: float = math.inf):
        self.view, self.planned, self.most, self.cost = view, planned, most, 0
        self.size = size(view.shape)
        self.needs: list[Need] = []
        self._moved: dict[tuple[Node, Layout], Node | None] = {}
        self._roots_first: dict[Node, bool] = {}  # views whose roots are computed first
        self._transposed = 0

    def move(self, node: Node, layout: Layout) -> Node | None:
        """The elements that a layout over the C-contiguous node shows, as an expression; None if a node is needed
        first."""
        key = node, layout
        if key not in self._moved:
            self._moved[key] = self._move(node, layout)
        return self._moved[key]

    def _move(self, node: Node, layout: Layout) -> Node | None:
        array = computed(node, self.planned)
        if array is not None:
            own = self.read(array.layout, layout, node.device)
            return None if own is None else leaf_of(node, array.through(own))
        if node.rule is None:
            return node.op.moved(node, layout, self)  # type: ignore[no-any-return]
        self.cost += node.rule.cost
        if self.is_full(node):
            return None
        args = []
        for argument in node.args:  # no comprehension or method, which would take a frame more for each operation
            if type(argument) is Node:
                same = argument.shape == node.shape
                argument = self.move(argument, layout) if same else self._broadcast(node, argument, layout)
            args.append(argument)
        if None in args:
            return None
        return new_node(node.op, tuple(args), node.rule, node.dtype, layout.shape, node.device, node.weight)

    def is_full(self, node: Node) -> bool:
        """Whether a value must be computed first instead of becoming part of the expression. The need is noted."""
        root = self.view.args[0]
        if len(self._moved) > MAX_WEIGHT or self.cost > self.most:
            self.needs_first(root, "the expression has become large")
            return True
        if node.held and node is not root and 4 * self.size > size(node.shape):
            self.needs_first(node, "a user holds it")
            return True
        return False

    def step(self, node: Node) -> None:
        """Note that a step must be computed first."""
        if not self.is_full(node):
            self.needs_first(node, IS_STEP)

    def read(self, before: Layout, view: Layout, device: Device) -> Layout | None:
        """The layout through which a view reads a leaf; None if the root must be computed first."""
        layout = composed(before, view)
        transposed, scattered = (False, False) if layout is None else _accesses(before, layout)
        self._transposed += transposed
        if layout is None or self._transposed > tuning.TRANSPOSED_LEAVES:
            self.needs_first(self.view.args[0], "its elements lie far from each other")
            return None
        self.cost += tuning.SCATTERED_COST[device.is_gpu] if scattered else 1
        return layout

    def through(self, node: Node, outer: Layout, layout: Layout) -> Node | None:
        """The result of `move` for an operand, which the moved node reads through a layout ``outer``."""
        below = composed(outer, layout)
        if below is None:
            return self.needs_first(self.view.args[0], "its elements lie far from each other")
        return self.move(node, below)

    def through_root(self, node: Node, op: View, layout: Layout) -> Node | None:
        """The result of `move` for a pending view, through its root."""
        root = node.args[0]
        first = self._roots_first.get(node)
        if first is None:
            pending = computed(root, self.planned) is None
            first = self._roots_first[node] = pending and (of_root(node) or is_expensive(root))
        if first:
            return self.needs_first(root, "its elements are visible elsewhere, too")
        moved = self.through(root, op.layout, layout)
        return moved if moved is None else op.of(moved)

    def _broadcast(self, node: Node, argument: Node, layout: Layout) -> Node | None:
        """The result of `move` for an operand that is broadcast."""
        own = argument.shape
        if (
            argument.rule is not None
            and computed(argument, self.planned) is None
            and repays(own, self.view.shape)
            and (argument.held or is_expensive_for(argument, self.view.shape))
        ):
            return self.needs_first(argument, f"it is held or expensive, and smaller than {self.view.shape}")
        return self.through(argument, broadcast(c_order(own), node.shape), layout)

    def needs_first(self, node: Node, reason: str) -> Node | None:
        """None, after noting a value that must be computed first."""
        if all(node is not other for other, _ in self.needs):
            self.needs.append((node, reason))
        return None


def repays(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a held or expensive node of shape ``own`` is broadcast to so large a ``shape`` that a separate launch for
    it is faster."""
    return size(own) * 4 <= size(shape)


@lru_cache(maxsize=4096)
def _accesses(before: Layout, after: Layout) -> tuple[bool, bool]:
    """Whether a movement makes contiguous accesses strided, and whether neighbours are strided in the result."""
    transposed = (
        bool(after.shape)
        and after.shape[-1] > 1
        and abs(after.strides[-1]) > 1
        and any(abs(step) == 1 and n > 1 for n, step in zip(after.shape[:-1], after.strides[:-1], strict=True))
        and abs(before.strides[-1]) == 1
    )
    return transposed, (longer_than_one(after) or [(1, 1)])[-1][1] not in (0, 1)
