"""Streaming: values made of host operands, computed block by block.

`blocks_of` says how, and computes nothing; `settle` does it. Blocks are as long as their reads and writes take at most
`host_operands.room_of_block` bytes. Steps that each block would need whole, such as the mean of columns, are computed
first. Results that do not fit on the device are written to host memory, and are host operands from then on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, NamedTuple, cast

import numpy as np

from ...backends.base import Device, HostArray
from ...backends.state import after_fork
from ...memory.boxes import Box, boxes_along, first_box, like_it, longest, shape_of, whole
from ...memory.gpuarray import GpuArray, upload
from ...memory.layout import size
from ..build.build import where
from ..build.compaction import compress as select
from ..build.products import Product
from ..build.scans import Scan
from ..build.sorts import Sort
from ..graph.graph import Node, leaf, settle as settled, show_own
from ..graph.host_operands import (
    called,
    fits,
    host_operand,
    host_values_of,
    is_of_source,
    is_reading,
    page_locked,
    room_of_block,
    settle_on_host,
    streaming,
    too_large,
)
from ..graph.reduction import Reduce
from ..graph.views import alone
from ..plan.pushdown import ALONE
from ..run.evaluate import evaluate, fresh, is_computing
from .blocks import Parts
from .jobs import Job, Merge, Output, Products, Row, Segments
from .shared_reads import run, together

SEGMENT_SHARE = 8  # one segment of all columns may take one part in so many of a device's memory


class Blocks(NamedTuple):
    """How a value is computed: ``needs`` first; then ``jobs``, one after the other, the first block of ``nbytes``.
    ``entire``: whether there is one block, which is the whole value."""

    needs: list[Node]
    jobs: Sequence[Job] = ()
    nbytes: int = 0
    entire: bool = False

    @property
    def number(self) -> int:
        """The number of blocks."""
        return sum([job.blocks for job in self.jobs])


Known = Container[Node]  # nodes that count as computed


def blocks_of(node: Node, known: Known = ()) -> Blocks:
    """The blocks in which a value is computed, in the first of the ways that its operation allows."""
    ways = WAYS.get(type(node.op), (_entire, _boxes))
    return next(found for way in ways if (found := way(node, known)) is not None)


def _entire(node: Node, known: Known) -> Blocks | None:
    """One block, if that does not take too much."""
    parts, everything = Parts(node, known=known, entire=True), whole(node.shape)
    nbytes = parts.bytes([(node, everything)]) + size(node.shape) * node.dtype.itemsize
    if parts.needs or nbytes > room_of_block(node.device):
        return Blocks(parts.needs) if parts.needs else None
    return Blocks([], [Job(node, everything)], nbytes, True)


def _boxes(node: Node, known: Known) -> Blocks:
    """Boxes of the result along as few leading axes as leave room. MemoryError where the smallest ones do not."""
    shape, room, parts = node.shape, room_of_block(node.device), Parts(node, known=known)

    def measured(axes: Sequence[int], length: int) -> int:
        box = first_box(shape, axes, length)
        read = max([parts.bytes([(node, one)]) for one in like_it(box, shape)])
        return read + size(shape_of(box)) * node.dtype.itemsize

    cuts = [axis for axis in range(len(shape)) if shape[axis] > 1 and _is_cut(node, axis)]
    for k in range(max(len(cuts), 1)):
        axes = cuts[: k + 1]
        single = measured(axes, 1)
        if needs := parts.needs or (parts.steps() if single > room else []):
            return Blocks(needs)
        if single <= room:
            break
    if axes:
        length = longest(room, shape[axes[-1]], lambda length: measured(axes, length))
        jobs = [Job(node, box, axes[-1], length) for box in boxes_along(shape, axes[:-1], 1)]
        return Blocks([], jobs, measured(axes, length))
    if size(shape) > 1 and single > room and not fits(node.device, single):
        raise too_large(node.op.name, node, single)
    return Blocks([], [Job(node, whole(shape))], single)


def _is_cut(node: Node, axis: int) -> bool:
    """Whether boxes of a value may end along an axis: steps may need it whole."""
    single = tuple([(0, 1) if k == axis else (0, n) for k, n in enumerate(node.shape)])
    return node.op.kind not in ALONE or node.op.boxes(node, single) is not None


def _segments(node: Node, known: Known) -> Blocks | None:
    """Segments of a reduced or scanned axis: where that is the first long one, and otherwise where it is too long for a
    block. None where boxes of the result are better."""
    kind, x, room = SEGMENTED[type(node.op)], node.args[0], room_of_block(node.device)
    if len(node.args) > 1 or not size(x.shape):
        return None
    parts, (smallest, boxes) = Parts(node, known=known), kind.cut(node)

    def measured(box: Box, count: int) -> int:
        ((_, read),) = reads = kind(node, box).reads(0, 0, count)
        return parts.bytes(reads) + kind.writes * size(shape_of(read)) * node.dtype.itemsize

    one = kind(node, smallest)
    ((_, box),) = one.reads(0, 0, one.units)
    first = next((stop - start for (start, stop), n in zip(box, x.shape, strict=True) if n > 1), 1)
    if one.units == 1 or (first == 1 and measured(smallest, one.units) <= room):
        return None
    nbytes = measured(boxes[0], 1)
    if parts.needs:
        return Blocks(parts.needs)
    if nbytes > max(room, node.device.pool.limit // SEGMENT_SHARE):  # rows are contiguous on the host, parts are not
        boxes = kind.narrower(node, boxes, room, lambda box: measured(box, 1))
    if not boxes:
        return None
    step = longest(room, one.units, lambda count: measured(boxes[0], count))
    return Blocks([], [kind(node, box, step) for box in boxes], measured(boxes[0], step))


def _products(node: Node, known: Known) -> Blocks:
    """Parts of a matrix product, after the steps that its operands contain."""
    needs: list[Node] = []
    for operand in node.args:
        parts = Parts(node, known=known)
        parts.bytes([(operand, first_box(operand.shape, range(len(operand.shape)), 1))])
        needs += parts.needs or parts.steps()
    boxes, sums = cast(Product, node.op).cut(node)
    nbytes = max([size(shape_of(box)) for box in boxes], default=0) * node.dtype.itemsize
    return Blocks(needs, [Products(node, box, sums) for box in boxes], nbytes)


def _merge(node: Node, known: Known) -> Blocks | None:
    """Blocks of one long axis, which are sorted and then merged. None where the device sorts all of it, or where steps
    have to be computed first."""
    parts = Parts(node, known=known)
    nbytes = parts.bytes([(node, whole(node.shape))]) + size(node.shape) * node.dtype.itemsize
    few = len(node.shape) > 1 or cast(Sort, node.op).positions or fits(node.device, 2 * nbytes)
    if few or parts.needs or parts.steps():
        return None
    found = _boxes(node.args[0], known)
    return found if found.needs else found._replace(jobs=[Merge(node, found.jobs[0].step)])


# The kinds of jobs that take segments, and the ways to compute an operation. The first possible way is taken. Other
# operations are computed at once, or in boxes.
SEGMENTED: dict[type, type[Segments] | type[Row]] = {Reduce: Segments, Scan: Row}
WAYS: dict[type, tuple[Callable[[Node, Known], Blocks | None], ...]] = {
    Product: (_products,),
    Reduce: (_entire, _segments, _boxes),
    Scan: (_entire, _segments, _boxes),
    Sort: (_entire, _merge, _boxes),
}


def needed_first(node: Node) -> Blocks:
    """The blocks of a value, after the values that it needs, and those that they need, were computed.

    In each round those are computed that need nothing first, and then the values that wait for them are asked again.
    """
    waiting: dict[Node, list[Node]] = {}  # the values that wait for a needed value
    asked = [node]
    while True:
        ready: dict[Node, Blocks] = {}
        there = []
        for one in asked:
            if one is not node and (not one.streamed or one.op.on_host):  # some are computed with others
                settle(one)
                there.append(one)
            elif one not in ready:
                found = blocks_of(one)
                if not found.needs:
                    ready[one] = found
                for needed in found.needs:
                    if needed not in waiting:
                        asked.append(needed)
                    waiting.setdefault(needed, []).append(one)
        if node in ready:
            return ready[node]
        _compute(ready)
        asked = [*dict.fromkeys(user for one in (*there, *ready) for user in waiting.pop(one, ()))]


def _compute(ready: Mapping[Node, Blocks]) -> None:
    """Compute values that need nothing first. Those that read the same blocks are computed together."""
    single = [blocks.jobs[0] for blocks in ready.values() if len(blocks.jobs) == 1]
    for group in together([job for job in single if job.shares and _fits(job.node)]):
        for job in group:
            job.output = Output(fresh(job.node.device, job.node.dtype, job.node.shape))
        for _ in run(group):
            pass
        for job in group:
            settled(job.node, cast(GpuArray, job.output.out))
    for needed in ready:
        settle(needed)


_turns: dict[Device, AbstractContextManager[object]] = {}
after_fork(_turns.clear)  # threads that held them are not there


def turn(device: Device) -> AbstractContextManager[object]:
    """A thread's turn to compute values made of host operands on a device: a value that two threads need is
    computed once.

    A thread that others wait for, in `evaluate` or since it reads, does not wait here: each might wait for the other.
    """
    return nullcontext() if is_computing() or is_reading() else _turns.setdefault(device, threading.RLock())


def _fits(node: Node) -> bool:
    return fits(node.device, size(node.shape) * node.dtype.itemsize)


def settle(node: Node, out: GpuArray | HostArray | None = None) -> None:
    """Compute a value into ``out``, memory of its shape and dtype. Without that, compute it on the device if it fits
    there, otherwise in host memory, where it is a host operand from then on."""
    if out is None and not node.streamed:
        evaluate(node)
        return
    if out is None and (node.array is not None or node.op.on_host):
        return
    with turn(node.device):
        if out is not None:
            _fill(node, out)
        elif node.array is None and not node.op.on_host:
            try:
                _settle_now(node)
            except MemoryError as error:
                raise _in_blocks(error) from error


def _fill(node: Node, out: GpuArray | HostArray) -> None:
    """Compute a value into memory."""
    output = Output(out)
    try:
        if node.array is not None or not node.streamed or (node.op.on_host and isinstance(out, np.ndarray)):
            output.put(whole(node.shape), node)
            return
        found = needed_first(node)
        for job in found.jobs:
            job.output = output
        for _ in run(found.jobs, found.entire):
            pass
    finally:
        output.finish()


def _settle_now(node: Node) -> None:
    """Compute a value where it fits. A view of a source, or of a pending value that is visible elsewhere, stays a view:
    it gets elements of its own on the device. Where there is no room for them, those of a source are read when they are
    wanted, and others are computed with the root."""
    op: Any = node.op
    room = None
    root: Any = node.args[0] if node.args else None
    view = op if op.layout is not None and _stays_a_view(node) else None
    if view is not None and root.array is not None:
        settled(node, view.shown_by(root.array, node.dtype))
        return
    if view is not None and view.own is not None:
        return
    with suppress(MemoryError):  # other arrays leave no room
        room = fresh(node.device, node.dtype, node.shape) if _fits(node) else None
    if room is not None:
        _fill(node, room)
        if node.op is op and view is not None:  # otherwise its root was computed on the way, and with it the view
            room.storage.readonly = is_of_source(root)
            show_own(node, room)
        elif node.op is op:
            settled(node, room)
    elif view is None:
        locked = page_locked(node.device, node.dtype, node.shape)
        out = np.empty(node.shape, node.dtype) if locked is None else locked
        _fill(node, out)
        if node.op is op:
            settle_on_host(node, out)
    elif not is_of_source(root):
        settle(root)


def _stays_a_view(view: Node) -> bool:
    root: Node = view.args[0]
    return is_of_source(root) or (not root.op.on_host and view.held and not alone(view))


class Pieces(Output):
    """The parts that jobs compute, instead of memory."""

    def __init__(self) -> None:
        super().__init__(np.empty(0))
        self.found: list[tuple[Node, ...]] = []

    def put(self, box: Box, *parts: Node) -> None:
        """Keep the parts."""
        self.found.append(parts)


def pieces_of(node: Node, values: Sequence[Node] = (), name: str = "") -> Iterator[tuple[Node, ...]]:
    """The elements of a value made of host operands, block by block in C order, or those of some ``values`` of its
    shape. ``name``: see `run`."""
    found, output = needed_first(node), Pieces()
    for job in found.jobs:
        job.output, job.values = output, values or job.values
    for _ in run(found.jobs, found.entire, name):
        while output.found:
            yield output.found.pop(0)


def compressed(mask: Node, x: Node) -> Node:
    """The elements of ``x`` where a mask of its shape is true, in C order, block by block."""
    with turn(x.device):  # boxes of the first value are boxes of both
        pieces = [select(*parts).download() for parts in pieces_of(where(mask, x, x), (mask, x), "a mask")]
    return from_host(np.concatenate([np.empty(0, x.dtype), *pieces]), x.device)


def from_host(host: HostArray, device: Device) -> Node:
    """The value of a host array to which no other code refers: on the device if it fits there, otherwise a result in
    host memory."""
    with suppress(MemoryError):  # other arrays leave no room
        if fits(device, host.nbytes):
            return leaf(upload(device, host))
    settle_on_host(node := host_operand(host, host.dtype, device), np.ascontiguousarray(host))
    return node


def on_host(node: Node) -> HostArray | None:
    """The elements of a value made of host operands, computed now, if they are in host memory, which is only read."""
    if not node.streamed or node.array is not None:
        return None
    settle(node)
    if node.op.layout is not None and node.array is None and node.op.own is None:  # of a source
        settle(node, out := np.empty(node.shape, node.dtype))
        out.flags.writeable = False
        return out
    return host_values_of(node)


def _in_blocks(error: MemoryError) -> MemoryError:
    """The error of a function that works in blocks, where one block does not fit: it names the function."""
    name, says = called(), str(error)
    if says.startswith(f"{name}: "):
        return error
    return MemoryError(
        f"{name}: {says}. It is computed in blocks from host memory (from_host), and one of them needs more than there "
        "is: slice or reduce the array first, raise config.memory_limit, or use NumPy on numpy.asarray(x)"
    )


streaming.settle = settle
