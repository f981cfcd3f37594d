"""Replays: the launches that computed a graph are made again for another graph of the same structure.

Nothing is planned for it: which launches there are, what each reads and writes, and which nodes are computed then is
known from the first time. New are memory, the offsets of views, and scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from typing import Any, NamedTuple
from weakref import ref

from ...kernels.core.store import Recent
from ...kernels.host.host_launch import KernelNeeded
from ...memory.gpuarray import GpuArray, Signature
from ..graph.graph import Node
from ..plan.graph_key import Structure
from .launches import Computed, Launched, Made, Part, Recording, computed, recording

REPLAYS = 2048  # graphs that are remembered

# What computes graphs: for many it is one launch that takes arrays and scalars in their order.
replays: Recent[tuple[Any, ...], Replay | Launched] = Recent(REPLAYS)


class Step(NamedTuple):
    """One launch. Nodes, memory and scalars are told by their places in lists."""

    launched: Launched
    fresh: list[Signature]  # memory that comes to what there is: that of results
    results: int
    buffers: list[int]
    offsets: list[tuple[int, int]]  # what is added to that of memory; for index variables -1 and the offset
    scalars: list[int]
    computed: list[tuple[int, int, bool]]  # nodes, where their values are, and whether these are the node's own
    unused: list[int]  # memory that no launch reads any more


class Replay(NamedTuple):
    """The launches that compute a graph.

    ``nodes``: those of the graph that they compute. ``literals``: scalars beside those of the graph.
    """

    steps: list[Step]
    nodes: list[int]
    literals: list[Any]

    def alone(self, arrays: int, scalars: int) -> Launched | None:
        """The only launch, if it takes so many arrays and scalars in their order and computes the graph's first node
        alone."""
        step = self.steps[0]
        simple = (
            len(self.steps) == len(self.nodes) == len(step.fresh) == 1
            and step.offsets == [(place, 0) for place in (arrays, *range(arrays))]
            and (step.scalars, self.literals) == ([*range(scalars)], [])
        )
        return step.launched if simple else None

    def run(self, structure: Structure) -> bool:
        """Compute a graph of this structure, whose lists are emptied, so that memory goes as soon as it is not used.

        False where there is no memory for all of it, or no kernel; the nodes that were computed until then stay so.
        """
        nodes: list[Any] = [structure.nodes[k] for k in self.nodes]
        structure.nodes.clear()
        memory: list[Any] = structure.arrays
        scalars = structure.scalars + self.literals
        record = recording.get()
        try:
            for step in self.steps:
                (launch, _, moved), fresh, _, buffers, offsets, numbers, done, unused = step
                for signature in fresh:
                    memory.append(signature.empty())
                launch.run(
                    [memory[place].storage.buffer for place in buffers],
                    [scalars[number] for number in numbers],
                    [add if place < 0 else memory[place].offset + add for place, add in offsets] if moved else None,
                )
                if record is not None:
                    _record(step, memory, scalars, record)
                for number, place, own in done:
                    computed(nodes[number], memory[place], own)
                    nodes[number] = None
                for place in unused:
                    memory[place] = None
        except (MemoryError, KernelNeeded):
            return False
        return True


def _record(step: Step, memory: list[GpuArray], scalars: Sequence[Any], record: Recording) -> None:
    """Record a launch that is made again."""
    items: list[Part | int] = []
    for place, add in step.offsets:
        part = record.part(memory[place]) if place >= 0 else add
        items.append(Part(part.memory, part.offset + add, None) if type(part) is Part and add else part)
    record.events.append(Made(step.launched, step.results, items, [scalars[number] for number in step.scalars]))
    for array in memory[len(memory) - len(step.fresh) :]:
        record.events.append(Computed(None, record.part(array), False))


def recorded(structure: Structure, key: tuple[Any, ...], compute: Callable[[], GpuArray]) -> GpuArray:
    """Compute a value, and remember the launches under the key of its structure, whose lists are emptied."""
    if recording.get() is not None:
        return _recorded(structure, key, compute)
    return copy_context().run(_begin, structure, key, compute)


def _begin(structure: Structure, key: tuple[Any, ...], compute: Callable[[], GpuArray]) -> GpuArray:
    recording.set(Recording())
    return _recorded(structure, key, compute)


def _recorded(structure: Structure, key: tuple[Any, ...], compute: Callable[[], GpuArray]) -> GpuArray:
    record = recording.get()
    assert record is not None
    first = len(record.events)
    nodes = {ref(node): number for number, node in enumerate(structure.nodes)}
    arrays = [record.part(array) for array in structure.arrays]
    structure.nodes.clear()
    structure.arrays.clear()
    result = compute()
    found = _replay(record.events[first:], nodes, _Places(arrays, structure.told), structure.scalars)
    if found is not None:
        replays[key] = found.alone(len(arrays), len(structure.scalars)) or found
    return result


class _Places:
    """The places of memory in the list that a replay works on."""

    def __init__(self, arrays: Sequence[Part], told: bool):
        self.begins: list[Part] = []
        self.exact: dict[Part, int] = {}
        self.of: dict[int, int] = {}  # that of the first array in some memory
        for part in arrays:
            self.add(part)
        self.given = len(arrays)
        # What may be found by its memory alone: where several lie in one, the key tells how they lie to the first.
        memories = [part.memory for part in arrays]
        self._apart = set() if told else {memory for memory in memories if memories.count(memory) > 1}

    def add(self, part: Part) -> None:
        """One more array, or fresh memory."""
        place = len(self.begins)
        self.begins.append(part)
        self.exact[part] = place
        self.of.setdefault(part.memory, place)

    def find(self, item: Part | int) -> tuple[int, int] | None:
        """The place of what a launch reads or writes, and how far behind it begins; None where it is not known."""
        if isinstance(item, int):
            return -1, item
        place = self.exact.get(item)
        if place is not None:
            return place, 0
        place = None if item.memory in self._apart else self.of.get(item.memory)
        return None if place is None else (place, item.offset - self.begins[place].offset)


def _replay(
    events: Sequence[Made | Computed | None], nodes: dict[ref[Node], int], places: _Places, scalars: list[Any]
) -> Replay | None:
    """What was launched, for any graph of this structure; None where it cannot be made again."""
    whole = {event.part.memory: event.part for event in events if type(event) is Computed}
    values = {id(value): number for number, value in enumerate(scalars)}  # what is not among them is always the same
    literals: list[Any] = []
    computes: list[int] = []
    steps: list[Step] = []
    for event in events:
        if type(event) is Made:
            fresh = _fresh(event, places, whole)
            offsets = [places.find(item) for item in event.items]
            if fresh is None or None in offsets:
                return None
            found = [place for place in offsets if place is not None]
            numbers = []
            for value in event.scalars:
                number = values.setdefault(id(value), len(values))
                if number == len(scalars) + len(literals):
                    literals.append(value)
                numbers.append(number)
            buffers = [place for place, _ in found if place >= 0]
            steps.append(Step(event.launched, fresh, event.results, buffers, found, numbers, [], []))
        elif type(event) is Computed:
            node = None if event.node is None else event.node()
            number = -1 if event.node is None else nodes.get(event.node, -1)
            if number >= 0 and steps and event.part in places.exact:
                steps[-1].computed.append((len(computes), places.exact[event.part], event.own))
                computes.append(number)
            elif number >= 0 or (node is not None and node.held):  # a value beside the graph
                return None
        else:
            return None
    if 0 not in computes:
        return None
    last = dict.fromkeys(range(len(places.begins)), 0)
    for number, step in enumerate(steps):
        last.update(dict.fromkeys([*step.buffers, *[place for _, place, _ in step.computed]], number))
    for place, number in last.items():
        if number < len(steps) - 1:  # the list goes after the last
            steps[number].unused.append(place)
    return Replay(steps, computes, literals)


def _fresh(event: Made, places: _Places, whole: dict[int, Part]) -> list[Signature] | None:
    """The fresh memory that a launch writes, which is known by the values that it is for: a launch may write a part of
    one. None where it writes other memory."""
    fresh = []
    for part in event.items[: event.results]:
        assert type(part) is Part
        place = places.of.get(part.memory)
        if place is None:
            begin = whole.get(part.memory)
            if begin is None or begin.offset or begin.signature is None:
                return None
            places.add(begin)
            fresh.append(begin.signature)
        elif place < places.given:
            return None
    return fresh
