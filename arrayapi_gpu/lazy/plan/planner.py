"""The planner: from a pending value to the plan that computes it. It launches and allocates nothing.

`fuse` gives the group of nodes that one launch computes, or the nodes to compute first. The planner calls it for one
value after the other, treats planned values as computed (`Promised`), and collects the launches.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...config import config
from ...kernels.core.operation import Kind
from ...kernels.core.ops import UserRule
from ...memory.gpuarray import GpuArray, Signature, signature_of
from ...memory.layout import Layout, c_order, composed
from ..graph.dependencies import recent, unfused
from ..graph.graph import Handle, Node
from ..graph.views import root_of
from .fuse import Group, claim, copy_of, fuse, is_fused, with_siblings
from .merged_launches import with_epilogues
from .plan import NO_MEMORY, Bound, Graph, Launch, Operand, Plan, Promised, Work
from .pushdown import Need, Planned, computed


@dataclass(slots=True)
class _Task:
    """A value to plan.

    ``into``: the array into which it is written, if it gets no new memory. ``whole``: the value that it is a part of.
    ``claims``: handles on its needs. ``ends``: the memory of the value, if its parts are planned already.
    """

    node: Node
    reason: str = ""
    into: Any = None
    whole: Node | None = None
    claims: Sequence[Handle] = ()
    begun: bool = False
    ends: Any = None


@dataclass(slots=True)
class Operands:
    """A `Graph` whose lists the planner fills."""

    nodes: list[Node] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)
    scalars: list[Any] = field(default_factory=list)


class Planner:
    """Plans the launches of a graph.

    ``graph``: the nodes, arrays and scalars of a graph with a key. The plan serves every graph with this key, unless it
    needs other nodes or arrays. Without a ``graph``, the plan serves only the values that are planned. ``siblings``:
    pending values that the same launches may compute; None for those that users hold. ``first``: a function that gives
    the values to compute before a group, and how often such groups were planned so (`host_execution.interpreted`).
    ``related``: whether the key has the relative offsets of arrays in one memory.
    """

    def __init__(
        self,
        graph: Graph | None = None,
        related: bool = False,
        siblings: Sequence[Node] | None = None,
        first: Callable[[Group, Node, Planned], tuple[list[Need], list[int]]] | None = None,
    ):
        self.planned = Planned()
        self.launches: list[Launch] = []
        graph = Operands() if graph is None else graph
        self.nodes, self.scalars, self.memory = [*graph.nodes], [*graph.scalars], _Memory(graph.arrays, related)
        self._own = len(self.nodes), len(self.scalars)
        self._numbers = {node: number for number, node in enumerate(self.nodes)}
        self._values = {id(value): number for number, value in enumerate(self.scalars)}
        self._siblings, self._first = siblings, first
        self._promised = 0  # slots of results
        self._unmade: list[Signature] = []  # the memory that the next launch allocates
        self._kept = bool(self.nodes)
        self._times: list[list[int]] = []

    def compute(self, node: Node, out: GpuArray | None = None) -> None:
        """Plan a value, into new memory or into ``out``."""
        tasks = [_Task(node, into=out)]
        while tasks:
            task = tasks[-1]
            if task.ends is not None:
                tasks.pop()
                self._end(task)
            elif task.into is None and computed(task.node, self.planned) is not None:
                tasks.pop()
            elif not task.begun:
                task.begun = True
                tasks += [_Task(needed, reason) for needed, reason in reversed(self._needs_of_all(task))]
            else:
                task.claims = ()
                found = self._ask(task.node, False)
                if isinstance(found, Group) and task.into is None and found.top is task.node:
                    found = self._widened(found)
                if isinstance(found, Group):
                    tasks.pop()
                    tasks += self._launch(found, task)
                else:
                    task.claims = claim(found)
                    tasks += [_Task(needed, reason) for needed, reason in reversed(found)]

    def group(self, node: Node, one_launch: bool = False) -> Group:
        """The group of a node, after planning the launches that it needs first. ``one_launch``: see `fuse`."""
        while not isinstance(found := self._ask(node, one_launch), Group):
            claims = claim(found)
            for needed, _ in found:
                self.compute(needed)
            del claims
        return found

    def write(self, group: Group, node: Node, out: GpuArray) -> None:
        """Plan the launch of a known group, into ``out``."""
        tasks = self._launch(group, _Task(node, into=out))
        for task in reversed(tasks):
            self.compute(task.node, task.into)

    def _needs_of_all(self, task: _Task) -> list[Need]:
        """The values to compute before a value, for any group of it."""
        node = task.node
        needs = [] if config.fusion else unfused(node)
        return needs if task.into is None or is_fused(node) else [*needs, (node, "")]

    def _ask(self, node: Node, one_launch: bool) -> Group | list[Need]:
        array = computed(node, self.planned)
        if array is not None:
            return copy_of(node, array)
        found = fuse(node, self.planned, one_launch)
        if isinstance(found, Group) and self._first is not None:
            needs, times = self._first(found, node, self.planned)
            if needs:
                self._kept, found = False, needs
                self._times.append(times)
        assert found, "a node that has no group yet has needs, or this would not end"
        return found

    def _widened(self, group: Group) -> Group | list[Need]:
        """The group extended by its siblings, or the needs of that."""
        if group.kind not in (Kind.ELEMENTWISE, Kind.ROWS) or (
            len(group.nodes) < 2 and not isinstance(group.top.rule, UserRule)
        ):
            return group
        if self._siblings is None:
            self._siblings = recent(0)
        return with_siblings(group, self._siblings, self.planned)

    def _launch(self, group: Group, task: _Task) -> list[_Task]:
        """The tasks of the parts of a group, if it has parts. The launch of any other group is noted."""
        node, into = task.node, task.into
        root = root_of(node)
        array = None if root is node else computed(root, self.planned)
        if group.kind is Kind.STEP:
            self._step(node, task.reason)
        elif group.kind is Kind.PARTS:
            whole = self._promise(node) if into is None else into
            top = node if task.whole is None else task.whole
            parts = [_Task(part, "", _part(whole, layout), top) for layout, part in reversed(group.parts)]
            return parts if into is not None else [_Task(node, ends=whole), *parts]
        elif into is None and array is not None:
            op: Any = node.op
            self.planned[node] = _shown(array, op.in_root(array.layout), node.dtype)
        else:
            first = self._promise(node) if into is None else into
            kept = {one: self._promise(one) for one in group.kept}
            made = kept if into is not None else {**kept, node: first}
            results, operands = [first, *kept.values()], [*group.leaves, *group.memory]
            work = Work(group, node, [*made], results, operands, task.whole)
            self._note(group.kind, tuple(group.key), work, task.reason)
            self.planned.update(made)
        return []

    def _step(self, node: Node, reason: str) -> None:
        """Note the launch of a step, which allocates its result."""
        operands = [computed(argument, self.planned) for argument in node.args]
        signature = signature_of(node.device, node.dtype, node.shape)
        launch = self._note(Kind.STEP, (node.op,), Work(None, node, [node], [], operands), reason)
        launch.bound = Bound(node.op, signature, False)  # type: ignore[arg-type]
        self.planned[node] = Promised(self._promised, node.dtype, c_order(node.shape))
        self._promised += 1

    def _note(self, kind: Kind, key: tuple[Any, ...], work: Work, reason: str) -> Launch:
        launch = Launch(kind, key, work.node.device, self._unmade, work, reason)
        self._unmade = []
        self.launches.append(launch)
        return launch

    def _end(self, task: _Task) -> None:
        """Let the launch of the last part of a value settle the value."""
        if self._unmade:  # a value without elements has no launched part
            self._note(Kind.PARTS, (), Work(None, task.node, [], [], []), "")
        work = self.launches[-1].work
        assert work is not None
        work.nodes.append(task.node)
        self.planned[task.node] = task.ends

    def _promise(self, node: Node) -> Promised:
        """The promised array of a value, which the next launch allocates."""
        self._unmade.append(signature_of(node.device, node.dtype, node.shape))
        self._promised += 1
        return Promised(self._promised - 1, node.dtype, c_order(node.shape))

    def promise(self, node: Node) -> None:
        """Count a value as computed, because other code launches it."""
        self.planned[node] = self._promise(node)

    def merge(self, inner: Container[Node], first: int = 0) -> list[Node]:
        """Merge the launches from number ``first`` on (`with_epilogues`). ``inner``: the values that only these
        launches read."""
        return with_epilogues(self.launches[first:], inner, self.planned)

    def plan(self, used: Iterable[Any] = ()) -> tuple[Plan, Graph]:
        """The plan of all values so far, and the graph on which it runs. ``used``: operands that are needed after the
        run."""
        for launch in self.launches:
            self._number(launch)
        given = len(self.memory.arrays)
        settled: dict[int, int] = {}
        last: dict[int, int] = dict.fromkeys(range(given), 0)  # a product in another launch has no memory
        for place, launch in enumerate(self.launches):
            launch.operands = [_counted(one, given) for one in launch.operands]
            if launch.kind is Kind.STEP and launch.work is not None:
                launch.work.operands = [
                    _relative(item, operand, given)
                    for item, operand in zip(launch.work.operands, launch.operands, strict=True)
                ]
            launch.slots = [slot for slot, _ in launch.operands if slot != NO_MEMORY]
            launch.settles = [
                (settled.setdefault(number, len(settled)), slot + given) for number, slot in launch.settles
            ]
            last.update(dict.fromkeys([*launch.slots, *[slot for _, slot in launch.settles]], place))
        last.update({given + item.slot: len(self.launches) for item in used if type(item) is Promised})
        for slot, place in last.items():
            if place < len(self.launches) - 1:  # the rest is freed with the list of memory
                self.launches[place].frees.append(slot)
        own = self._own[1]
        plan = Plan(self.launches, [*settled], self.scalars[own:], self._kept and self.memory.kept, self._times)
        return plan, Operands(self.nodes, self.memory.arrays, self.scalars[:own])

    def _number(self, launch: Launch) -> None:
        """Give a launch the numbers of its operands, scalars and nodes."""
        work = launch.work
        if work is None:  # another launch does it
            return
        launch.operands = [self.memory.operand(item) for item in (*work.results, *work.operands)]
        group = work.group
        for value in () if group is None else group.scalars:
            number = self._values.setdefault(id(value), len(self.scalars))
            if number == len(self.scalars):
                self.scalars.append(value)
            launch.scalars.append(number)
        for node in work.nodes:
            found = self._numbers.get(node)
            if found is None and (not self._own[0] or node.held):
                self._kept, found = False, len(self.nodes)
                self._numbers[node] = found
                self.nodes.append(node)
            if found is not None:
                launch.settles.append((found, self.planned[node].slot))


class _Memory:
    """The slots of the arrays that a graph reads."""

    def __init__(self, arrays: Sequence[GpuArray], related: bool):
        self.arrays: list[GpuArray] = []
        self.kept = True  # whether all arrays that are read were given
        self._exact: dict[tuple[Any, ...], int] = {}
        self._first: dict[int, int] = {}  # array in each memory
        for array in arrays:
            self._add(array)
        # Another view of a given memory has the slot of the first array there, unless the key lacks their relative
        # offsets.
        memories = [id(array.storage) for array in arrays]
        self._unrelated = set() if related else {memory for memory in memories if memories.count(memory) > 1}

    def _add(self, array: GpuArray) -> int:
        slot = len(self.arrays)
        self.arrays.append(array)
        self._exact[_place_of(array)] = slot
        self._first.setdefault(id(array.storage), slot)
        return slot

    def operand(self, item: GpuArray | Promised | Layout) -> Operand:
        """The operand of an array or a layout. Until all arrays are known, slots of results count from -2 down."""
        if isinstance(item, Layout):
            return Operand(NO_MEMORY, item.offset)
        if isinstance(item, Promised):
            return Operand(-2 - item.slot, item.layout.offset)
        slot = self._exact.get(_place_of(item))
        if slot is not None:
            return Operand(slot, 0)
        memory = id(item.storage)
        slot = None if memory in self._unrelated else self._first.get(memory)
        if slot is None:
            self.kept = False
            return Operand(self._add(item), 0)
        return Operand(slot, item.offset - self.arrays[slot].offset)


def _place_of(array: GpuArray) -> tuple[Any, ...]:
    return id(array.storage), array.offset, array.dtype, array.shape, array.strides


def _counted(operand: Operand, given: int) -> Operand:
    """The operand with its final slot."""
    slot, offset = operand
    return operand if slot >= NO_MEMORY else Operand(given - 2 - slot, offset)


def _relative(item: GpuArray | Promised, operand: Operand, given: int) -> Promised:
    """An operand of a step without its memory, because a kept plan must not keep memory."""
    return Promised(operand.slot - given, item.dtype, Layout(item.shape, item.strides, operand.offset))


def _shown(array: Any, layout: Layout, dtype: np.dtype[Any]) -> Any:
    """The array of a dtype and a layout in the memory of another array."""
    if isinstance(array, Promised):
        return Promised(array.slot, dtype, layout)
    return GpuArray(array.storage, dtype, layout.shape, layout.strides, layout.offset)


def _part(whole: Any, slice_of_it: Layout) -> Any:
    layout = composed(whole.layout, slice_of_it)
    assert layout is not None, "a slice of a view is a view"
    return whole.through(layout)
