"""Sweeps: values made of the same host operand are computed together, while it is read once.

A mean and a standard deviation of columns are two such values, which the scores of these columns need first. Each is
a `Job` of units that are computed one after the other: segments of a reduction, or leading places of a value. In each
step of a sweep the job whose units are largest takes some of them. The others take what lies before the same place of
the operand. A unit that is cut by that place waits for the next step, and its first part is read once more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from ...config import config
from ...kernels.core.operation import Kind
from ...kernels.reductions.reduce_passes import SegmentedReduction
from ...kernels.reductions.reduce_schedule import Order, order_of
from ...memory.boxes import Box, cut, leading, shape_of, whole
from ...memory.gpuarray import MAX_WEIGHT, GpuArray
from ...memory.layout import Layout, broadcast
from ..build.build import uncopied
from ..graph.graph import Node, leaf, new_node
from ..graph.reduction import Reduce, like
from ..plan.fuse import body_of
from ..run.evaluate import evaluate, fresh, fused, write
from .blocks import Parts, ahead
from .progress import progress


class Job(Protocol):
    """A value, or a box of it, that is computed unit by unit into ``out``."""

    node: Node
    units: int
    step: int  # units at a time, where it has a sweep of its own
    out: GpuArray

    def box(self, first: int, last: int) -> tuple[Node, Box]:
        """What the units from ``first`` to ``last`` read: a value, and a box of it."""

    def take(self, first: int, last: int, part: Node) -> None:
        """Compute these units, given that box."""

    def finish(self) -> None:
        """Compute what is made of all units."""


class Segments:
    """The segments of a reduction, for a box of its results."""

    def __init__(self, node: Node, box: Box, step: int):
        op, x = node.op, node.args[0]
        assert isinstance(op, Reduce)
        self.node, self.step, self._op, self._box = node, step, op, box
        (own,) = op.boxes(node, box)
        self._shape = shape_of(own)  # of what these results are made of
        self.units = order_of_reduction(node).segments
        self.out = fresh(node.device, node.dtype, shape_of(box))
        self._reduction = SegmentedReduction(
            op.monoid, self._shape, op.axes, op.accumulator(x.dtype), self.out, x.shape
        )

    def box(self, first: int, last: int) -> tuple[Node, Box]:
        """See `Job`."""
        return self.node.args[0], box_of_segments(self.node, self._box, first, last - first)

    def take(self, first: int, last: int, part: Node) -> None:
        """See `Job`."""
        node, op, (x, place) = self.node, self._op, self.box(first, last)
        if part.array is None and (part.weight >= MAX_WEIGHT or not config.fusion):
            part = leaf(evaluate(part))
        # It is planned, and never computed: that would take these segments for all elements.
        reduced = new_node(like(op, x.shape), (uncopied(part),), None, node.dtype, self.out.shape, node.device, 1)
        group = fused(reduced)
        assert group.kind is Kind.REDUCTION
        begins = [start if axis in op.axes else 0 for axis, (start, _) in enumerate(place)]
        leaves = [_placed(item, shape_of(place), self._shape, begins) for item in group.leaves]
        body = partial(body_of, group, group.top.dtype)
        self._reduction.add(tuple(group.key), body, leaves, group.memory, group.scalars, first, last - first)

    def finish(self) -> None:
        """See `Job`."""
        self._reduction.finish()


class Places:
    """The places along the first axis of a value."""

    def __init__(self, node: Node, step: int):
        self.node, self.step, self.units = node, step, node.shape[0]
        self.out = fresh(node.device, node.dtype, node.shape)

    def box(self, first: int, last: int) -> tuple[Node, Box]:
        """See `Job`."""
        return self.node, ((first, last), *whole(self.node.shape[1:]))

    def take(self, first: int, last: int, part: Node) -> None:
        """See `Job`."""
        write(part, self.out.through(cut(self.box(first, last)[1], self.out.layout)))

    def finish(self) -> None:
        """See `Job`: all is there."""


def order_of_reduction(node: Node) -> Order:
    """In which order a reduction combines elements."""
    assert isinstance(node.op, Reduce)
    return order_of(node.args[0].shape, node.op.axes, node.device.target)


def box_of_segments(node: Node, box: Box, first: int, count: int) -> Box:
    """The box of a reduction's operand that has the elements of some segments, for a box of the results."""
    op, shape = node.op, node.args[0].shape
    assert isinstance(op, Reduce)
    order, (own,) = order_of_reduction(node), op.boxes(node, box)
    reduced = tuple([shape[axis] for axis in op.axes])
    ends = iter(leading(first * order.length, min((first + count) * order.length, order.n), reduced))
    return tuple([next(ends) if axis in op.axes else one for axis, one in enumerate(own)])


def _placed(item: Any, extents: tuple[int, ...], shape: tuple[int, ...], starts: list[int]) -> Any:
    """An operand of a part of something, as an operand of the whole: its elements have the coordinates that they have
    there, and elsewhere there is nothing."""
    layout = item if isinstance(item, Layout) else item.layout
    strides = broadcast(layout, extents).strides
    offset = layout.offset - sum([start * stride for start, stride in zip(starts, strides, strict=True)])
    placed = Layout(shape, strides, offset)
    return placed if item is layout else item.through(placed)


def sweep(jobs: Sequence[Job]) -> None:
    """Compute some jobs in one sweep."""
    slowest = jobs[0] if len(jobs) == 1 else max(jobs, key=lambda job: _length(_reach(job, 0)))
    steps = _own_steps(slowest) if len(jobs) == 1 else _steps(jobs, slowest)
    # What a step takes is found out while the step before is read.
    items = ((taken, [job.box(first, last) for job, first, last in taken]) for taken in steps)
    parts = Parts(*[job.node for job in jobs], flat=len(jobs) > 1)
    name = " and ".join(dict.fromkeys([job.node.op.name for job in jobs]))
    for taken, found in progress(ahead(parts, items), -(-slowest.units // slowest.step), name):
        for job, first, last in taken:
            job.take(first, last, found.pop(0))
    for job in jobs:
        job.finish()


Step = list[tuple[Job, int, int]]  # the units of each job


def _own_steps(job: Job) -> Iterator[Step]:
    for first in range(0, job.units, job.step):
        yield [(job, first, min(first + job.step, job.units))]


def _steps(jobs: Sequence[Job], slowest: Job) -> Iterator[Step]:
    """The steps of a sweep of several jobs, of which the one with the largest units goes first."""
    done = dict.fromkeys(jobs, 0)
    for ((_, _, last),) in _own_steps(slowest):
        reach, taken = _reach(slowest, last - 1), []
        for job in jobs:
            first = done[job]
            if job is slowest:
                done[job] = last
            elif last == slowest.units:
                done[job] = job.units
            elif reach is not None:
                done[job] = _before(job, first, reach.end)
            if first < done[job]:
                taken.append((job, first, done[job]))
        yield taken


class Reach(NamedTuple):
    """What a unit reads of a host operand: the identity of its memory, and elements of that."""

    memory: int
    begin: int
    end: int


def _reach(job: Job, unit: int) -> Reach | None:
    """What a unit reads; None if that is not one operand, or no piece of it in C order."""
    found = Parts(job.node, dry=True, flat=True).read([job.box(unit, unit + 1)])
    for memory, boxes in found.items():
        if len(found) == len(boxes) == len(boxes[0]) == 1:
            return Reach(memory, *boxes[0][0])
    return None


def _length(reach: Reach | None) -> int:
    return 0 if reach is None else reach.end - reach.begin


def _before(job: Job, first: int, end: int) -> int:
    """The number of units that read nothing from a place on; the first ones do not."""

    def reached(unit: int) -> int:
        reach = _reach(job, unit)
        return end + 1 if reach is None else reach.end

    return bisect_right(range(job.units), end, first, key=reached)


def together(jobs: Iterable[Job]) -> list[list[Job]]:
    """The jobs that are worth one sweep: they go along the same memory, from the same begin to the same end but for a
    unit."""
    groups: list[tuple[Reach | None, Reach | None, list[Job]]] = []
    for job in jobs:
        first, last = _reach(job, 0), _reach(job, job.units - 1)
        for begin, end, others in groups:
            if first is None or last is None or begin is None or end is None:
                continue
            unit = max(_length(first), _length(begin))
            near = abs(first.begin - begin.begin) < unit and abs(last.end - end.end) < unit
            forwards = begin.begin < end.begin and first.begin < last.begin
            if first.memory == begin.memory and near and forwards:
                others.append(job)
                break
        else:
            groups.append((first, last, [job]))
    return [others for _, _, others in groups]
