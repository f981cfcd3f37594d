"""Movement: views of values that are not computed yet.

A view of memory is another layout of it. A view of a pending value, its *root*, is a node of its own. What it shows is
computed in one of two ways:

* The movement is handed down to the leaves of the root's expression, whose layouts it changes like any other layout.
  So only the elements that are seen are computed, and the view costs no launch (`resolve`).
* The root is computed, and then the view is one of memory.

A view and its root are one memory in the eyes of users: who writes through one changes the other. That holds because
whoever writes asks for this memory (`evaluate.memory`), and because with the root all its views are settled. As long as
nobody writes, a view may have elements of its own (``own``).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from ...backends.base import Device
from ...kernels.core import tuning
from ...kernels.core.operation import Kind
from ...memory.gpuarray import MAX_WEIGHT
from ...memory.layout import Layout, broadcast, composed, contiguous_strides, size
from ..graph.graph import CONSTANT, IOTA, MOVED, Node, Source, Views, new_node
from ..graph.reduction import longer_than_one, moves_only_ones
from ..graph.views import View, alone, root_of

Need = tuple[Node, str]  # a node to compute first, and why

IS_STEP = "it is a kernel of its own"


class Planned(dict[Node, Any]):
    """The arrays of values that count as computed while a plan is made. And what was found out for it: ``expressed``,
    the expressions of views, and ``unrolled``, those of short reductions."""

    __slots__ = ("expressed", "unrolled")

    def __init__(self) -> None:
        self.expressed: dict[Node, Node] = {}
        self.unrolled: dict[Node, Node | None] = {}


def of_root(view: Node) -> bool:
    """Whether a pending view is better seen in its computed root than computed on its own."""
    root = view.args[0]
    if root.op in (CONSTANT, IOTA):  # which cost nothing, wherever they are seen
        return False
    if root.rule is None and root.op.kind is not Kind.PARTS:
        return True
    views = root.views
    if not alone(view):
        return not root.held or 4 * size(view.shape) > size(root.shape) or views.times >= tuning.FEW_TIMES
    seen = [size(other.shape) for other in views.alive()]
    again = repays(root.shape, view.shape) or sum(seen) > max(*seen, size(root.shape))
    return again and is_expensive(root)


def is_expensive(root: Node) -> bool:
    """Whether to compute a pending value twice costs more than to store it."""
    rule = root.rule
    if rule is not None and (root.weight <= 1 or rule.cost > tuning.CHEAP):  # as below, sooner known
        return rule.cost > tuning.CHEAP
    return _costs_more(root, tuning.CHEAP, False)


def repays_memory(node: Node) -> bool:
    """Whether to compute a pending value twice, each time for a whole launch, costs more than to store and read it."""
    gpu = node.device.is_gpu
    return _costs_more(node, tuning.STORED_COST[gpu], False, tuning.LOAD_COST[gpu])


def _costs_more(root: Node, most: int, over_views: bool, load: int = 0) -> bool:
    """Whether the operations below a pending value cost more than ``most`` together, and views of pending values are
    among them, where that is asked; what several views show counts for each. ``load``: the cost of an array."""
    cost, views, stack, seen = 0, not over_views, [root], {root}
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
                if child.array is not None:
                    cost += load
                elif again or child not in seen:
                    seen.add(child)
                    stack.append(child)
    return views and cost > most


def too_deep(x: Node) -> bool:
    """Whether a pending value is made of views of others, and of so many operations that its own views, and views of
    what is made of these, would compute far too much again. A view of a view is one of the same value."""
    root = root_of(x)
    if root.views is None:
        root.views = Views()
    if root.views.too_deep is None:
        root.views.too_deep = _costs_more(root, tuning.DEEP[root.device.is_gpu], True)
    return root.views.too_deep


def resolve(view: Node, planned: Planned) -> Node | list[Need]:
    """A view, or a roll, as an expression of the leaves below it, or what has to be computed before there is one."""
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
        return [(root, "its elements are seen elsewhere, too" if root.rule is not None else IS_STEP)]
    mover = Mover(view, planned)
    expressed = mover.move(root, op.layout)
    if mover.needs:
        return mover.needs
    assert expressed is not None
    planned.expressed[view] = found = op.of(expressed)
    return found


def rolled(node: Node, planned: Planned) -> Node | list[Need]:
    """A roll as an expression of rolled leaves, if that is cheap; else its operand is needed first."""
    op: Any = node.op
    x = node.args[0]
    cheap = computed(x, planned) is not None or not (x.held or is_expensive(x))
    found = _with_rolled_leaves(x, op.shifts, planned, {}) if cheap else None
    return [(x, "it is rolled")] if found is None else found


_Done = dict[tuple[Node, tuple[int, ...]], Node | None]  # values that were rolled already


def _with_rolled_leaves(node: Node, shifts: tuple[int, ...], planned: Planned, done: _Done) -> Node | None:
    """A value further along its axes; None where that is no expression of arrays. The last of the shifts count."""
    shifts = shifts[len(shifts) - len(node.shape) :]
    key = node, shifts
    if key not in done:
        done[key] = _rolled_anew(node, shifts, planned, done)
    return done[key]


def _rolled_anew(node: Node, shifts: tuple[int, ...], planned: Planned, done: _Done) -> Node | None:
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
    """What is in memory of a node, or counts as if it were; None for a pending one."""
    if node.array is not None:
        return node.array
    own = node.op.own
    return planned.get(node) if own is None else own


def leaf_of(node: Node, array: Any) -> Node:
    """A leaf with a node's dtype that reads an array which shows the node's memory in another way.

    It is no view in the eyes of users, so the memory counts as shared no more than before.
    """
    moved = new_node(MOVED, (), None, node.dtype, array.shape, node.device, 1)
    moved.array = array
    return moved


class Mover:
    """Writes the expression of a view: the operations of its root, over leaves that are seen through the view.

    ``cost``: of the operations and leaves that were written; past ``most`` the root is needed instead.
    """

    def __init__(self, view: Node, planned: Planned, most: float = math.inf):
        self.view, self.planned, self.most, self.cost = view, planned, most, 0
        self.seen = size(view.shape)
        self.needs: list[Need] = []
        self._moved: dict[tuple[Node, Layout], Node | None] = {}
        self._apart: dict[Node, bool] = {}  # views whose roots are computed first
        self._transposed = 0

    def move(self, node: Node, layout: Layout) -> Node | None:
        """The elements of a node that a layout shows where the node is in C order; None where something is needed
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
        args = [self._operand(node, argument, layout) for argument in node.args]
        if None in args:
            return None
        return new_node(node.op, tuple(args), node.rule, node.dtype, layout.shape, node.device, node.weight)

    def is_full(self, node: Node) -> bool:
        """Whether a value must be computed first instead of being written once more, which is noted."""
        root = self.view.args[0]
        if len(self._moved) > MAX_WEIGHT or self.cost > self.most:
            self.needs_first(root, "the expression has become large")
            return True
        if node.held and node is not root and 4 * self.seen > size(node.shape):
            self.needs_first(node, "a user holds it")
            return True
        return False

    def step(self, node: Node) -> None:
        """Note that a kernel of its own must be computed first."""
        if not self.is_full(node):
            self.needs_first(node, IS_STEP)

    def read(self, before: Layout, view: Layout, device: Device) -> Layout | None:
        """The layout of a view of a leaf; None if the root must be computed first."""
        layout = composed(before, view)
        transposed, apart = (False, False) if layout is None else _accesses(before, layout)
        self._transposed += transposed
        if layout is None or self._transposed > tuning.TRANSPOSED_LEAVES:
            self.needs_first(self.view.args[0], "its elements lie apart")
            return None
        self.cost += tuning.APART_COST[device.is_gpu] if apart else 1
        return layout

    def through(self, node: Node, outer: Layout, layout: Layout) -> Node | None:
        """`move` of an operand that lies in what is moved as a layout ``outer`` says, over the operand in C order."""
        below = composed(outer, layout)
        if below is None:
            return self.needs_first(self.view.args[0], "its elements lie apart")
        return self.move(node, below)

    def through_root(self, node: Node, op: View, layout: Layout) -> Node | None:
        """`move` of a pending view, through its root."""
        root = node.args[0]
        apart = self._apart.get(node)
        if apart is None:
            pending = computed(root, self.planned) is None
            apart = self._apart[node] = pending and (of_root(node) or is_expensive(root))
        if apart:
            return self.needs_first(root, "its elements are seen elsewhere, too")
        moved = self.through(root, op.layout, layout)
        return moved if moved is None else op.of(moved)

    def _operand(self, node: Node, argument: Any, layout: Layout) -> Any:
        if type(argument) is not Node:
            return argument
        own = argument.shape
        if own == node.shape:
            return self.move(argument, layout)
        if (
            argument.rule is not None
            and computed(argument, self.planned) is None
            and repays(own, self.view.shape)
            and (argument.held or is_expensive(argument))
        ):
            return self.needs_first(argument, f"it is held or expensive, and smaller than {self.view.shape}")
        return self.through(argument, broadcast(Layout(own, contiguous_strides(own), 0), node.shape), layout)

    def needs_first(self, node: Node, reason: str) -> Node | None:
        """Note a value that must be computed first; None, as in place of an expression."""
        if all(node is not other for other, _ in self.needs):
            self.needs.append((node, reason))
        return None


def repays(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a held or expensive node of shape ``own`` is broadcast to so large a ``shape`` that it is better computed
    on its own."""
    return size(own) * 4 <= size(shape)


@lru_cache(maxsize=4096)
def _accesses(before: Layout, after: Layout) -> tuple[bool, bool]:
    """Whether a movement lets accesses lie apart that were contiguous, and whether those of neighbours lie apart."""
    transposed = (
        bool(after.shape)
        and after.shape[-1] > 1
        and abs(after.strides[-1]) > 1
        and any(abs(step) == 1 and n > 1 for n, step in zip(after.shape[:-1], after.strides[:-1], strict=True))
        and abs(before.strides[-1]) == 1
    )
    return transposed, (longer_than_one(after) or [(1, 1)])[-1][1] not in (0, 1)
