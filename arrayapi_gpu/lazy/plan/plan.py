"""A plan: the launches that compute a value, as data.

A plan refers to memory, nodes and scalars by number. The memory that a graph reads has the first slots, and each result
has one more. So a plan is made for one graph (`lazy.plan.planner`) and runs for each graph with the same key
(`lazy.plan.graph_key`, `lazy.run.run`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ...backends.base import Device
from ...kernels.core.launch import BoundLaunch
from ...kernels.core.operation import Kind
from ...memory.gpuarray import Signature
from ...memory.layout import Layout
from ..graph.graph import Node

if TYPE_CHECKING:
    from .fuse import Group

NO_MEMORY = -1  # the slot of an index variable


@dataclass(frozen=True, slots=True)
class Promised:
    """An array that a launch of the plan will make: a layout of the memory in a slot. ``shifts``: the places along each
    axis by which its elements are rolled."""

    slot: int
    dtype: np.dtype[Any]
    layout: Layout
    shifts: tuple[int, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        return self.layout.strides

    def rolled(self, shifts: tuple[int, ...]) -> Promised:
        """The same memory, with its elements moved ``shifts`` places along each axis."""
        return replace(self, shifts=shifts)

    def through(self, layout: Layout) -> Promised:
        """The same memory through another layout."""
        return replace(self, layout=layout)


class Bound:
    """A launch whose kernel is compiled: ``kernel`` with its parameters, the ``signature`` of its first result, and
    whether the offsets of its operands differ from run to run (``moved``). ``run``: that of the kernel. ``order``: of a
    launch that takes the arrays of its graph in another order or repeatedly, the number of each."""

    __slots__ = ("kernel", "moved", "order", "run", "signature")

    def __init__(self, kernel: BoundLaunch, signature: Signature, moved: bool, order: tuple[int, ...] | None = None):
        self.kernel, self.signature, self.moved, self.order = kernel, signature, moved, order
        self.run = kernel.run


class Operand(NamedTuple):
    """The memory in a slot, and the offset of the operand in it, in elements. An index variable has no memory; its
    offset is that of its layout."""

    slot: int
    offset: int


class Launch:
    """One launch: of a kernel that computes a group of nodes, or of a step.

    ``key``: the key of the body of its kernel. ``fresh``: the memory that it allocates. ``work``: the input of the
    compilation at its first run. ``reason``: why the launch that uses its value does not compute it. ``operands``: its
    results, then the operands that it reads. ``slots``: the slots of those with memory. ``scalars``: the numbers of its
    scalars. ``settles``: the number and the slot of each value that it computes. ``frees``: the slots that no later
    launch uses. ``bound``: the compiled launch, which later runs use.
    """

    __slots__ = (
        "bound", "device", "frees", "fresh", "key", "kind", "operands", "reason", "scalars", "settles", "slots", "work",
    )  # fmt: skip

    def __init__(
        self,
        kind: Kind,
        key: tuple[Any, ...],
        device: Device,
        fresh: list[Signature],
        work: Work | None,
        reason: str = "",
    ):
        self.kind, self.key, self.device, self.fresh, self.work, self.reason = kind, key, device, fresh, work, reason
        self.operands: list[Operand] = []
        self.slots: list[int] = []
        self.scalars: list[int] = []
        self.settles: list[tuple[int, int]] = []
        self.frees: list[int] = []
        self.bound: Bound | None = None

    @property
    def merged(self) -> bool:
        """Whether another launch computes the value, too, so that its slot stays empty."""
        return self.kind is Kind.STEP and self.work is None


@dataclass(slots=True)
class Work:
    """A launch before it is compiled.

    ``group``: the group of the value ``node``, or None for a step. ``nodes``: all nodes that the launch computes.
    ``results``, ``operands``: arrays, promised arrays and layouts. ``whole``: the value, if the launch computes a part
    of it. A step keeps its operands for later runs.
    """

    group: Group | None
    node: Node
    nodes: list[Node]
    results: list[Any]
    operands: list[Any]
    whole: Node | None = None


class Graph(Protocol):
    """The operands on which a plan runs. A run empties the lists, so that memory is freed as soon as no launch needs
    it."""

    nodes: list[Node]
    arrays: list[Any]
    scalars: list[Any]


class Plan:
    """The launches that compute a value, in order.

    ``nodes``: the numbers, in the list of the graph, of the nodes that are settled. ``literals``: the scalars that
    follow those of the graph. ``kept``: whether the plan serves other graphs with the same key. ``times``: counters of
    its runs.
    """

    __slots__ = ("kept", "launches", "literals", "nodes", "times")

    def __init__(
        self, launches: list[Launch], nodes: list[int], literals: list[Any], kept: bool, times: list[list[int]]
    ):
        self.launches, self.nodes, self.literals, self.kept, self.times = launches, nodes, literals, kept, times

    def only(self, arrays: int, scalars: int) -> Bound | None:
        """The only launch, if it takes whole arrays, takes all scalars in order, and computes the first node alone;
        otherwise None.

        ``arrays``, ``scalars``: how many the graph has.
        """
        working = [launch for launch in self.launches if not launch.merged]
        first, merged = working[0], len(self.launches) - len(working)  # each has the slot of a result
        bound = first.bound
        simple = (
            (len(working), self.nodes, len(first.fresh)) == (1, [0], 1)
            and first.operands[0] == Operand(arrays + merged, 0)
            and all([0 <= slot < arrays and not offset for slot, offset in first.operands[1:]])
            and (first.scalars, self.literals) == ([*range(scalars)], [])
        )
        if not simple or bound is None:
            return None
        order = tuple([slot for slot, _ in first.operands[1:]])
        return bound if order == (*range(arrays),) else Bound(bound.kernel, bound.signature, bound.moved, order)
