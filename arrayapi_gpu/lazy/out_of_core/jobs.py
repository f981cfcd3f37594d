"""Jobs: how a value is computed while its host operands are read block by block.

A `Job` computes a box of a value from some units in order: places along an axis, segments of a reduction or of a scan,
or blocks of a sort. For each block of units it says which boxes of values are read, and takes their elements. It writes
the results to its `Output`, or adds the elements to an object that accumulates until all units are taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

import numpy as np

from ...backends.base import HostArray, Transfer
from ...backends.events import Event, EventKind, note, start
from ...backends.host_memory import host_copy
from ...config import config
from ...kernels.core.ops import OPS
from ...kernels.ordering.scan_passes import SegmentedScan, scan_of_row
from ...kernels.reductions.reduce_passes import SegmentedReduction
from ...kernels.reductions.reduce_schedule import order_of
from ...memory.boxes import Box, boxes_along, chosen, cut, leading, shape_of, whole
from ...memory.dtypes import COMPUTES_IN
from ...memory.gpuarray import MAX_WEIGHT, GpuArray
from ...memory.layout import Layout, broadcast, size
from ...memory.page_locks import page_lock
from ..build.build import astype, binary, uncopied
from ..build.products import Product, product
from ..build.scans import Scan
from ..build.sorts import Sort, sorted_along
from ..graph.graph import Node, constant, leaf, new_node
from ..graph.host_operands import host_operand, host_values_of, page_locked, room_of_block
from ..graph.reduction import Reduce, like
from ..plan.fuse import body_of
from ..run.evaluate import contiguous, evaluate, fresh, fused, write


class Output:
    """The memory into which a value is written, on the device or the host. Copies to the host run next to the queue;
    `finish` returns when all are done."""

    def __init__(self, out: GpuArray | HostArray):
        self.out = out
        self._lock: Any = None
        self._under_way: list[tuple[Transfer, HostArray, HostArray | None]] = []

    def room(self, node: Node, box: Box) -> GpuArray:
        """Memory in C order for a box of a value: this one where the box is all, because `put` then copies nothing."""
        if isinstance(self.out, GpuArray) and self.out.contiguous and self.out.shape == shape_of(box):
            return self.out
        return fresh(node.device, node.dtype, shape_of(box))

    def put(self, box: Box, *parts: Node) -> None:
        """Compute the elements of a box."""
        (expression,), out = parts, self.out
        if expression.array is out:
            return
        if isinstance(out, GpuArray):
            write(expression, out.through(cut(box, out.layout)))
            return
        key: Any = (*[slice(*ends) for ends in box], ...)  # an array for zero dimensions, too
        target = out[key]
        if (host := host_values_of(expression)) is not None:
            host_copy(target, host)
        elif expression.device.host_shared:
            np.copyto(target, evaluate(expression).host_view())
        else:
            self._download(target, contiguous(expression))

    def _download(self, target: HostArray, array: GpuArray) -> None:
        """Begin to copy an array, and wait for the ones before the last."""
        device = array.storage.device
        if self._lock is None:
            self._lock = page_lock(device, cast(HostArray, self.out), self.out.nbytes) or False
        staged = None
        if not target.flags.c_contiguous or target.dtype != array.dtype or (device.overlaps and not self._lock):
            staged = page_locked(device, array.dtype, array.shape)
            staged = np.empty(array.shape, array.dtype) if staged is None else staged
        host, offset = target if staged is None else staged, array.offset * array.dtype.itemsize
        started = start(device, "download", on_host=True)
        transfer = device.begin_download(array.storage.buffer, offset, host, self._lock)
        self._under_way.append((transfer, target, staged))
        if started is not None:
            note(Event("download", device.name, array.size, array.nbytes, kind=EventKind.BLOCK), started)
        self.finish(1)

    def finish(self, left: int = 0) -> None:
        """Return when all elements are there, except for those of the last copies."""
        while len(self._under_way) > left:
            transfer, target, staged = self._under_way[0]
            transfer.wait()
            if staged is not None:
                host_copy(target, staged)
            del self._under_way[0]


class Job:
    """A box of a value, computed from its ``units``: places along an axis, each block of them as an expression.
    Without an axis, the box is one unit.

    ``step``: the number of units in a block. ``passes``: how often all units are read. ``output``: where results are
    put. ``values``: those whose boxes are read, if it is not the value itself.
    """

    output: Output
    passes = 1

    def __init__(self, node: Node, box: Box, axis: int | None = None, step: int = 1):
        self.node, self.box, self.axis, self.step = node, box, axis, step
        self.units = 1 if axis is None else box[axis][1] - box[axis][0]
        self.values: Sequence[Node] = (node,)

    @property
    def blocks(self) -> int:
        """The number of blocks in a pass."""
        return -(-self.units // self.step)

    @property
    def shares(self) -> bool:
        """Whether its reads may be shared with other values: it is small, and cut along the first axis alone."""
        nbytes = size(self.node.shape) * self.node.dtype.itemsize
        return self.axis == 0 and self.blocks > 1 and nbytes <= room_of_block(self.node.device)

    def part(self, first: int, last: int) -> Box:
        """The box of the units from ``first`` to ``last``."""
        return self.box if self.axis is None else along(self.box, self.axis, first, last)

    def reads(self, number: int, first: int, last: int) -> list[tuple[Node, Box]]:
        """The boxes of values that these units read in the pass of a number."""
        return [(value, self.part(first, last)) for value in self.values]

    def take(self, number: int, first: int, last: int, parts: list[Node]) -> None:
        """Compute these units from the elements of the boxes that they read."""
        self.output.put(self.part(first, last), *parts)


class Segments(Job):
    """The segments of a reduction, for a box of its results."""

    shares = True
    writes = 0  # results for each element that is read
    _reduction: SegmentedReduction

    def __init__(self, node: Node, box: Box, step: int = 1):
        super().__init__(node, box, step=step)
        x, self._op = node.args[0], cast(Reduce, node.op)
        (self._own,) = self._op.boxes(node, box)
        self._order = order_of(x.shape, self._op.axes, node.device.target)
        self.units = self._order.segments

    @staticmethod
    def cut(node: Node) -> tuple[Box, list[Box]]:
        """The smallest box of the results, and the boxes that are computed one after the other."""
        return tuple([(0, min(n, 1)) for n in node.shape]), [whole(node.shape)]

    @staticmethod
    def narrower(node: Node, boxes: list[Box], room: int, nbytes: Callable[[Box], int]) -> list[Box]:
        """Boxes that are so small that one segment of them does not take too much."""
        return chosen(node.shape, range(len(node.shape)), room, nbytes)[0]

    def reads(self, number: int, first: int, last: int) -> list[tuple[Node, Box]]:
        (x,), op, order = self.node.args, self._op, self._order
        reduced = tuple([x.shape[axis] for axis in op.axes])
        ends = iter(leading(first * order.length, min(last * order.length, order.n), reduced))
        return [(x, tuple([next(ends) if axis in op.axes else one for axis, one in enumerate(self._own)]))]

    def take(self, number: int, first: int, last: int, parts: list[Node]) -> None:
        node, op, shape, ((x, place),) = self.node, self._op, shape_of(self._own), self.reads(0, first, last)
        (part,) = parts
        if first == 0:
            dtype, out = op.accumulator(x.dtype), self.output.room(node, self.box)
            self._reduction = SegmentedReduction(op.monoid, shape, op.axes, dtype, out, x.shape)
        out = self._reduction.out
        if part.array is None and (part.weight >= MAX_WEIGHT or not config.fusion):
            part = leaf(evaluate(part))
        # It is planned, and never computed: that would take these segments for all elements.
        reduced = new_node(like(op, x.shape), (uncopied(part),), None, node.dtype, out.shape, node.device, 1)
        group = fused(reduced)
        begins = [start if axis in op.axes else 0 for axis, (start, _) in enumerate(place)]
        leaves = [_placed(item, shape_of(place), shape, begins) for item in group.leaves]
        body = partial(body_of, group, group.top.dtype)
        self._reduction.add(tuple(group.key), body, leaves, group.memory, group.scalars, first, last - first)
        if last == self.units:
            self._reduction.finish()
            del self._reduction
            self.output.put(self.box, leaf(out))


class Row(Job):
    """The segments of a scan, for one row along its axis and all that lies behind the axis."""

    writes = 1
    _scan: SegmentedScan

    def __init__(self, node: Node, box: Box, step: int = 1):
        super().__init__(node, box, step=step)
        x, self._op = node.args[0], cast(Scan, node.op)
        self._facts = node.device, self._op.monoid, x.dtype, x.shape, self._op.axis, node.dtype
        row = scan_of_row(*self._facts)
        self.units, self._length, self.passes = row.segments, row.length, 1 if row.words else 2

    @staticmethod
    def cut(node: Node) -> tuple[Box, list[Box]]:
        rows = boxes_along(node.args[0].shape, range(cast(Scan, node.op).axis), 1)
        return rows[0], rows

    @staticmethod
    def narrower(node: Node, boxes: list[Box], room: int, nbytes: Callable[[Box], int]) -> list[Box]:
        # None where the row has columns, because blocks may be some of these.
        return [] if size(node.shape[cast(Scan, node.op).axis + 1 :]) > 1 else boxes

    def reads(self, number: int, first: int, last: int) -> list[tuple[Node, Box]]:
        x, axis = self.node.args[0], self._op.axis
        return [(x, along(self.box, axis, first * self._length, min(last * self._length, x.shape[axis])))]

    def take(self, number: int, first: int, last: int, parts: list[Node]) -> None:
        # Where all segments are read twice, the totals of segments are found first.
        node, op, ((_, read),) = self.node, self._op, self.reads(0, first, last)
        if number == first == 0:
            self._scan = SegmentedScan(*self._facts)
            if op.initial:
                box = along(self.box, op.axis, 0, 1)
                one = node.dtype.type(op.monoid.of_nothing).item()
                self.output.put(box, constant(one, node.dtype, shape_of(box), node.device))
        if number + 1 < self.passes:
            self._scan.look(evaluate(parts.pop()), first)
            return
        start, stop = read[op.axis]
        results = leaf(self._scan.scan(evaluate(parts.pop()), first))
        self.output.put(along(self.box, op.axis, start + op.initial, stop + op.initial), results)
        if last == self.units:
            del self._scan


class Products(Job):
    """A box of a matrix product. The products of its operands' parts are added, one in each pass."""

    _total: Node

    def __init__(self, node: Node, box: Box, sums: Sequence[tuple[int, int]]):
        super().__init__(node, box)
        self._sums, self.passes = sums, len(sums)

    def reads(self, number: int, first: int, last: int) -> list[tuple[Node, Box]]:
        boxes = cast(Product, self.node.op).boxes_of_part(self.node, self.box, self._sums[number])
        return list(zip(self.node.args, boxes, strict=True))

    def take(self, number: int, first: int, last: int, parts: list[Node]) -> None:
        wide = COMPUTES_IN[self.node.dtype] if self.passes > 1 else self.node.dtype
        one = product(*[astype(part, wide) for part in parts])
        parts.clear()
        self._total = leaf(evaluate(one if number == 0 else binary(OPS["add"], self._total, one)))
        del one  # it may be in memory
        if number + 1 == self.passes:
            self.output.put(self.box, astype(self._total, self.node.dtype))
            del self._total


class Merge(Job):
    """The blocks of a long axis. Each is sorted on the device, and the host merges them."""

    def __init__(self, node: Node, step: int):
        super().__init__(node, whole(node.shape), 0, step)
        self.values, self._runs = node.args, list[HostArray]()

    shares = False

    def take(self, number: int, first: int, last: int, parts: list[Node]) -> None:
        descending = cast(Sort, self.node.op).descending
        self._runs.append(contiguous(sorted_along(parts.pop(), 0, descending)).download())
        if last == self.units:
            found = _merged(self._runs, descending)
            self._runs.clear()
            self.output.put(self.box, host_operand(found, self.node.dtype, self.node.device))


def along(box: Box, axis: int, start: int, stop: int) -> Box:
    """A box with other ends along one axis."""
    return (*box[:axis], (start, stop), *box[axis + 1 :])


def _merged(runs: list[HostArray], descending: bool) -> HostArray:
    """The elements of runs that are in order, in order.

    NumPy's stable sort merges such runs. The last elements are NaNs, whichever the order. In descending order the rest
    is merged backwards, so that of equal elements the first stays the first.
    """
    if not descending:
        whole_run = np.concatenate(runs)
        whole_run.sort(kind="stable")
        return whole_run
    counts = [run.size - int(np.count_nonzero(run != run)) for run in runs]
    backwards = np.concatenate([run[:n][::-1] for run, n in zip(runs[::-1], counts[::-1], strict=True)])
    backwards.sort(kind="stable")
    return np.concatenate([backwards[::-1], *[run[n:] for run, n in zip(runs, counts, strict=True)]])


def _placed(item: Any, extents: tuple[int, ...], shape: tuple[int, ...], starts: list[int]) -> Any:
    """An operand of a part of an array as an operand of the whole: its elements have the coordinates that they have
    there, and there is nothing elsewhere."""
    layout = item if isinstance(item, Layout) else item.layout
    strides = broadcast(layout, extents).strides
    offset = layout.offset - sum([start * stride for start, stride in zip(starts, strides, strict=True)])
    placed = Layout(shape, strides, offset)
    return placed if item is layout else item.through(placed)
