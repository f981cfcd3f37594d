"""Streaming: values made of host operands, computed block by block.

Blocks are boxes of the result along its leading axes, so long that what they read and write takes at most
`host_operands.room_of_block` bytes. What each block would need whole, such as the mean of columns, is computed first.
Results that do not fit on the device are written to host memory, and are host operands from then on.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Container, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device, HostArray, Transfer
from ...backends.host_memory import host_copy
from ...kernels.core import tuning
from ...kernels.core.launch import Launch, note
from ...kernels.core.ops import OPS
from ...kernels.ordering.scan import ScanKernels
from ...kernels.ordering.scan_passes import SegmentedScan, scan_of_row
from ...memory.boxes import Box, boxes_along, chosen, cut, first_box, like_it, longest, shape_of, whole
from ...memory.dtypes import COMPUTES_IN
from ...memory.gpuarray import GpuArray, signature_of, upload
from ...memory.layout import size
from ...memory.page_locks import page_lock
from ..build.build import astype, binary, where
from ..build.compaction import compress as select
from ..build.products import Product, product
from ..build.scans import Scan
from ..build.sorts import Sort, sorted_along
from ..graph.graph import Node, constant, leaf, settle as settled, show_own
from ..graph.host_operands import (
    HOST,
    Block,
    OnHost,
    fits,
    host_operand,
    host_values_of,
    is_of_source,
    is_reading,
    page_locked,
    room_of_block,
    settle_on_host,
    streaming,
)
from ..graph.reduction import Reduce
from ..graph.views import View, alone
from ..plan.fuse import ALONE
from ..run.evaluate import contiguous, evaluate, fresh, is_computing, write
from .blocks import Parts, ahead, bytes_of
from .progress import progress
from .shared_reads import Job, Places, Segments, box_of_segments, order_of_reduction, sweep, together

SEGMENT_SHARE = 8  # one part in so many of a device's memory may be taken by what one segment of all columns needs
# What public functions are wrapped in, see `api.core.arguments`, and by what NumPy and methods come to them.
WRAPPERS = ("checked", "named", "method", "handler", "__array_function__", "__array_ufunc__")


class Blocks(NamedTuple):
    """How a value is computed: ``needs`` first, then box by box, or, where a number of ``segments`` is said, so many
    segments at a time for each box of a reduction's results, or each row of a scan's."""

    needs: list[Node]
    boxes: list[Box]  # of the result, or, where blocks are ``merged``, of the operand
    nbytes: int  # of the first block, as measured
    entire: bool = False  # whether there is one block
    segments: int = 0
    merged: bool = False  # whether blocks are sorted, and then merged

    def count(self, node: Node) -> int:
        """The number of blocks."""
        if not self.segments:
            return len(self.boxes)
        segments = _row(node, node.op).segments if isinstance(node.op, Scan) else order_of_reduction(node).segments
        return len(self.boxes) * -(-segments // self.segments)

    def parts(self, node: Node) -> Iterator[tuple[Box, Node]]:
        """The boxes, and the expression of each."""
        parts = ahead(Parts(node, entire=self.entire), [(box, [(node, box)]) for box in self.boxes])
        return ((box, found.pop()) for box, found in parts)


def blocks_of(node: Node, known: Container[Node] = ()) -> Blocks:
    """The blocks in which a value is computed. ``known``: nodes that count as computed."""

    def measured(box: Box, entire: bool = False) -> tuple[int, Parts]:
        parts = Parts(node, known=known, entire=entire, dry=True)
        read = max([bytes_of(parts.part(node, one)) for one in like_it(box, shape)])
        return read + size(shape_of(box)) * node.dtype.itemsize, parts

    shape, room = node.shape, room_of_block(node.device)
    everything = whole(shape)
    if isinstance(node.op, Product):
        boxes = [box for box, _ in node.op.chunks(node)]
        needs = [needed for operand in node.args for needed in _needs_of_boxes(operand, known)]
        return Blocks(needs, boxes, max([size(shape_of(box)) for box in boxes], default=0) * node.dtype.itemsize)
    nbytes, parts = measured(everything, True)
    if parts.needs:
        return Blocks(parts.needs, [], 0)
    if nbytes <= room:
        return Blocks([], [everything], nbytes, True)
    if type(node.op) is Reduce and (found := segments_of(node, known)) is not None:
        return found
    if isinstance(node.op, Scan) and (found := _segments_of_scan(node, node.op, known)) is not None:
        return found
    axes = [axis for axis in range(len(shape)) if shape[axis] > 1 and _is_cut(node, axis)]
    for k in range(max(len(axes), 1)):
        single, parts = measured(first_box(shape, axes[: k + 1], 1))
        needs = parts.needs or [met for met in parts.met if met is not node and single > room]
        if needs:
            return Blocks(needs, [], 0)
        if single <= room:
            break
    if not axes and not fits(node.device, 2 * single) and _is_merged(node):
        return blocks_of(node.args[0], known)._replace(merged=True)
    if not axes and not isinstance(node.op, Reduce) and single > room and not fits(node.device, single):
        raise too_large(node.op.name, node, single)
    boxes, nbytes = chosen(shape, axes, room, lambda box: measured(box)[0])
    return Blocks([], boxes, nbytes)


def _is_cut(node: Node, axis: int) -> bool:
    """Whether boxes of a value may end along an axis: steps may need it whole."""
    single = tuple([(0, 1) if k == axis else (0, n) for k, n in enumerate(node.shape)])
    return node.op.kind not in ALONE or node.op.boxes(node, single) is not None


# Reductions along the leading axis.


def segments_of(node: Node, known: Container[Node]) -> Blocks | None:
    """The blocks of a reduction whose segments are reduced on their own: where the first axis is reduced, or else where
    what one output needs is too much for a block. None where blocks of the results do."""
    op, x = node.op, node.args[0]
    assert isinstance(op, Reduce)
    order, room = order_of_reduction(node), room_of_block(node.device)

    def measured(box: Box, count: int) -> int:
        parts = Parts(node, known=known, dry=True)
        nbytes = bytes_of(parts.part(x, box_of_segments(node, box, 0, count)))
        needs.extend(parts.needs)
        return nbytes

    needs: list[Node] = []
    shape, everything = node.shape, whole(node.shape)
    first = next((axis for axis, n in enumerate(x.shape) if n > 1), 0)
    ones = tuple([(0, min(n, 1)) for n in shape])
    if order.segments == 1 or (first not in op.axes and measured(ones, order.segments) <= room):
        return None
    nbytes = measured(everything, 1)
    if needs:
        return Blocks(list(dict.fromkeys(needs)), [], 0)
    boxes = [everything]
    if nbytes > max(room, node.device.pool.limit // SEGMENT_SHARE):  # rows lie side by side on the host, parts do not
        boxes, nbytes = chosen(shape, range(len(shape)), room, lambda box: measured(box, 1))
    count = longest(room, order.segments, lambda count: measured(boxes[0], count))
    return Blocks([], boxes, measured(boxes[0], count), segments=count)


# Scans of a long axis.


def _row(node: Node, op: Scan) -> ScanKernels:
    """How a row of a scan is cut."""
    x = node.args[0]
    return scan_of_row(node.device, op.monoid, x.dtype, x.shape, op.axis, node.dtype)


def _segments_of_scan(node: Node, op: Scan, known: Container[Node]) -> Blocks | None:
    """The blocks of a scan: some segments of a row. None where whole rows do, and where one segment of all that lies
    behind the axis takes too much: then blocks are some of these columns."""
    x, axis, room = node.args[0], op.axis, room_of_block(node.device)
    itemsize = node.dtype.itemsize

    def measured(count: int) -> int:
        parts = Parts(node, known=known, dry=True)
        box = _part_of_row(x.shape, axis, rows[0], 0, count * row.length)
        nbytes = bytes_of(parts.part(x, box)) + size(shape_of(box)) * itemsize
        needs.extend(parts.needs)
        return nbytes

    needs: list[Node] = []
    rows = boxes_along(x.shape, range(axis), 1)
    if len(node.args) > 1 or not size(x.shape):
        return None
    row = _row(node, op)
    if row.segments == 1 or (len(rows) > 1 and measured(row.segments) <= room):
        return None
    nbytes = measured(1)
    if needs:
        return Blocks(list(dict.fromkeys(needs)), [], 0)
    if size(x.shape[axis + 1 :]) > 1 and nbytes > max(room, node.device.pool.limit // SEGMENT_SHARE):
        return None
    count = longest(room, row.segments, measured)
    return Blocks([], rows, max(nbytes, measured(count)), segments=count)


def _part_of_row(shape: tuple[int, ...], axis: int, row: Box, start: int, stop: int) -> Box:
    """The places from ``start`` to ``stop`` along an axis of one row."""
    return (*row[:axis], (min(start, shape[axis]), min(stop, shape[axis])), *whole(shape[axis + 1 :]))


def _put_scan(node: Node, op: Scan, found: Blocks, result: _Result) -> None:
    """Scan row by row, and some segments of each at a time."""
    x, axis = node.args[0], op.axis
    for row in found.boxes:
        scanning = SegmentedScan(node.device, op.monoid, x.dtype, x.shape, axis, node.dtype)
        if op.initial:
            box = _part_of_row(node.shape, axis, row, 0, 1)
            one = node.dtype.type(op.monoid.of_nothing).item()
            result.put(box, constant(one, node.dtype, shape_of(box), node.device))
        starts = range(0, scanning.segments, found.segments)
        items = []
        for first in starts:
            ends = first * scanning.length, (first + found.segments) * scanning.length
            items.append(((first, ends), [(x, _part_of_row(x.shape, axis, row, *ends))]))
        if scanning.twice:
            for (first, _), parts in progress(ahead(Parts(node), items), len(items), op.name):
                scanning.look(evaluate(parts.pop()), first)
        for (first, (start, stop)), parts in progress(ahead(Parts(node), items), len(items), op.name):
            box = _part_of_row(node.shape, axis, row, start + op.initial, stop + op.initial)
            result.put(box, leaf(scanning.scan(evaluate(parts.pop()), first)))


# Matrix products.


def _needs_of_boxes(node: Node, known: Container[Node]) -> list[Node]:
    """What is to be computed before boxes of a value are."""
    parts = Parts(node, known=known, dry=True)
    parts.part(node, first_box(node.shape, range(len(node.shape)), 1))
    return parts.needs or [met for met in parts.met if met.array is None]


def _put_products(node: Node, result: _Result) -> None:
    """Multiply two matrices in parts, whose products are added up one after the other."""
    op, dtype = node.op, COMPUTES_IN[node.dtype]
    assert isinstance(op, Product)
    items = []
    for box, pairs in op.chunks(node):
        for number, boxes in enumerate(pairs, 1):
            items.append(((box, number, len(pairs)), list(zip(node.args, boxes, strict=True))))
    total: Node | None = None
    for (box, number, count), (a, b) in progress(ahead(Parts(node), items), len(items), op.name):
        one = product(a, b) if count == 1 else product(astype(a, dtype), astype(b, dtype))
        total = leaf(evaluate(one if total is None else binary(OPS["add"], total, one)))
        del a, b, one
        if number == count:
            result.put(box, astype(total, node.dtype))
            total = None


# Sorts of one long axis.


def _is_merged(node: Node) -> bool:
    return isinstance(node.op, Sort) and not node.op.positions and len(node.shape) == 1


def _merged(node: Node, found: Blocks) -> HostArray:
    """The elements of all blocks in order: each block is sorted on the device, and the host merges them.

    NumPy's stable sort merges runs that are in order. The last elements are NaNs, whichever the order; in descending
    order the rest is merged backwards, so that of equal elements the first stays the first.
    """
    op, x = node.op, node.args[0]
    assert isinstance(op, Sort)
    runs = [contiguous(sorted_along(one, 0, op.descending)).download() for _, one in found.parts(x)]
    if not op.descending:
        whole_run = np.concatenate(runs)
        whole_run.sort(kind="stable")
        return whole_run
    counts = [run.size - int(np.count_nonzero(run != run)) for run in runs]
    backwards = np.concatenate([run[:n][::-1] for run, n in zip(runs[::-1], counts[::-1], strict=True)])
    backwards.sort(kind="stable")
    return np.concatenate([backwards[::-1], *[run[n:] for run, n in zip(runs, counts, strict=True)]])


class _Result:
    """Where a value is written: memory of the device, or of the host. What goes to the host does so beside the queue;
    `finish` returns when all is there."""

    def __init__(self, out: GpuArray | HostArray):
        self.out = out
        self._lock: Any = None
        self._under_way: list[tuple[Transfer, HostArray, HostArray | None]] = []

    def put(self, box: Box, expression: Node) -> None:
        """Compute the elements of a box."""
        out = self.out
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
        device, out = array.storage.device, self.out
        if self._lock is None and isinstance(out, np.ndarray):
            self._lock = page_lock(device, out, out.nbytes) or False
        staged = None
        if not target.flags.c_contiguous or target.dtype != array.dtype or (device.overlaps and not self._lock):
            staged = page_locked(device, array.dtype, array.shape)
            staged = np.empty(array.shape, array.dtype) if staged is None else staged
        host, offset = target if staged is None else staged, array.offset * array.dtype.itemsize
        transfer = device.begin_download(array.storage.buffer, offset, host, self._lock)
        self._under_way.append((transfer, target, staged))
        note(Launch("download", device.name, array.size, array.nbytes))
        while len(self._under_way) > 1:
            self._wait()

    def _wait(self) -> None:
        transfer, target, staged = self._under_way[0]
        transfer.wait()
        if staged is not None:
            host_copy(target, staged)
        del self._under_way[0]

    def finish(self) -> None:
        """Return when all elements are there."""
        while self._under_way:
            self._wait()


def needed_first(node: Node) -> Blocks:
    """The blocks of a value, after what they need first was computed."""
    while (found := blocks_of(node)).needs:
        ready: dict[Node, Blocks] = {}
        _add_ready(ready, found.needs)
        jobs = [_job(needed, blocks) for needed, blocks in ready.items()]
        for group in together([job for job in jobs if job is not None]):
            sweep(group)
            for job in group:
                settled(job.node, job.out)
        for needed in ready:
            settle(needed)
    return found


def _add_ready(ready: dict[Node, Blocks], needs: Iterable[Node]) -> None:
    """Add the values that need nothing first, of some and of what these need."""
    for needed in needs:
        if needed.array is None and needed.weight < HOST:
            settle(needed)
        elif needed.array is None and type(needed.op) is not OnHost and needed not in ready:
            blocks = blocks_of(needed)
            if blocks.needs:
                _add_ready(ready, blocks.needs)
            else:
                ready[needed] = blocks


def _job(node: Node, blocks: Blocks) -> Job | None:
    """A small value as a job of a sweep; None where it is computed in another way."""
    nbytes, everything = size(node.shape) * node.dtype.itemsize, whole(node.shape)
    if isinstance(node.op, (Product, Scan)) or blocks.merged or not fits(node.device, nbytes):
        return None
    if blocks.segments:
        return Segments(node, everything, blocks.segments) if blocks.boxes == [everything] else None
    if len(blocks.boxes) < 2 or nbytes > room_of_block(node.device):
        return None
    first, *_ = blocks.boxes
    return Places(node, first[0][1]) if all([box[1:] == everything[1:] for box in blocks.boxes]) else None


def _fill(node: Node, out: GpuArray | HostArray) -> None:
    """Compute a value into memory."""
    result = _Result(out)
    try:
        _compute_into(node, result)
    finally:
        result.finish()


def _compute_into(node: Node, result: _Result) -> None:
    """Compute a value into its result, which is to be finished."""
    found = needed_first(node)
    if isinstance(node.op, Product):
        return _put_products(node, result)
    if found.merged:
        result.put(whole(node.shape), host_operand(_merged(node, found), node.dtype, node.device))
        return
    if isinstance(node.op, Scan) and found.segments:
        _put_scan(node, node.op, found, result)
        return
    if found.segments:
        for box in found.boxes:
            sweep([job := Segments(node, box, found.segments)])
            result.put(box, leaf(job.out))
        return
    for box, expression in progress(found.parts(node), len(found.boxes), node.op.name):
        result.put(box, expression)


_turns: dict[Device, AbstractContextManager[object]] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_turns.clear)  # threads that held them are not there


def turn(device: Device) -> AbstractContextManager[object]:
    """A thread's turn to compute values made of host operands on a device: what two threads want is computed once.

    A thread that others wait for, in `evaluate` or since it reads, does not wait here: each might wait for the other.
    """
    return nullcontext() if is_computing() or is_reading() else _turns.setdefault(device, threading.RLock())


def settle(node: Node) -> None:
    """Compute a value: on the device if it fits there, else in host memory, where it is a host operand from then on."""
    if node.array is not None or type(node.op) is OnHost:
        return
    if node.weight < HOST:
        evaluate(node)
        return
    with turn(node.device):
        if node.array is None and type(node.op) is not OnHost:
            try:
                if type(node.op) is View and _stays_a_view(node):
                    _settle_view(node, node.op)
                else:
                    _settle_now(node)
            except MemoryError as error:
                raise _in_blocks(error) from error


def _room_for(node: Node) -> GpuArray | None:
    """Memory of the device for a value; None where it is too large, or other arrays leave no room."""
    if not fits(node.device, size(node.shape) * node.dtype.itemsize):
        return None
    try:
        return fresh(node.device, node.dtype, node.shape)
    except MemoryError:
        return None


def _stays_a_view(view: Node) -> bool:
    """Whether a view is one memory with what somebody else sees: a source, which is only read, or a pending value."""
    root: Node = view.args[0]
    return is_of_source(root) or (type(root.op) is not OnHost and view.held and not alone(view))


def _settle_view(node: Node, op: View) -> None:
    """Compute a view that stays one: elements of its own, while its root is pending, where there is room, else with the
    root. Those of a source are read when they are wanted then."""
    root: Node = node.args[0]
    if root.array is not None:
        settled(node, op.shown_by(root.array, node.dtype))
    elif op.own is None and (room := _room_for(node)) is not None:
        _fill(node, room)
        if node.op is op:  # else its root was computed on the way, and with it the view
            room.storage.readonly = is_of_source(root)
            show_own(node, room)
    elif op.own is None and not is_of_source(root):
        settle(root)


def _settle_now(node: Node) -> None:
    op = node.op
    if (room := _room_for(node)) is not None:
        _fill(node, room)
        if node.op is op:  # see `_settle_view`
            settled(node, room)
        return
    locked_memory = page_locked(node.device, node.dtype, node.shape)
    out = np.empty(node.shape, node.dtype) if locked_memory is None else locked_memory
    _fill(node, out)
    if node.op is op:
        settle_on_host(node, out)


def compressed(mask: Node, x: Node) -> Node:
    """The elements of ``x`` where a mask of its shape is true, in C order, block by block."""
    both = where(mask, x, x)  # its boxes are boxes of both
    with turn(x.device):
        found = needed_first(both)
        parts, pieces = Parts(both, entire=found.entire), []
        for box in progress(found.boxes, len(found.boxes), "a mask"):
            one = select(*parts.parts([(mask, box), (x, box)]))
            pieces.append(one.download())
            parts.forget()
    return from_host(np.concatenate([np.empty(0, x.dtype), *pieces]), x.device)


def pieces_of(node: Node) -> Iterator[Node]:
    """The elements of a value made of host operands, block by block in C order."""
    found = needed_first(node)
    for _, expression in found.parts(node):
        yield expression


def from_host(host: HostArray, device: Device) -> Node:
    """The value of a host array that nobody else has: on the device if it fits there, else a result in host memory."""
    with suppress(MemoryError):  # other arrays leave no room
        if fits(device, host.nbytes):
            return leaf(upload(device, host))
    settle_on_host(node := host_operand(host, host.dtype, device), np.ascontiguousarray(host))
    return node


def on_device(node: Node) -> GpuArray:
    """The array of a value made of host operands. MemoryError where it is too large for the device."""
    settle(node)
    if node.array is not None:
        return node.array
    if type(node.op) is View and node.op.own is not None:
        return node.op.own
    nbytes = size(node.shape) * node.dtype.itemsize
    if not fits(node.device, nbytes):
        raise too_large(_called(), node, nbytes)
    if type(node.op) is OnHost:
        array = Block(node.op.memory).run((), signature_of(node.device, node.dtype, node.shape))
    else:
        array = fresh(node.device, node.dtype, node.shape)
        _fill(node, array)
    array.storage.readonly = True  # what is written to a copy would be lost
    return array


def on_host(node: Node) -> HostArray | None:
    """The elements of a value made of host operands, computed now, if they are in host memory, which is only read."""
    if node.weight < HOST or node.array is not None:
        return None
    settle(node)
    if type(node.op) is View and node.array is None and node.op.own is None:  # of a source
        write_to_host(node, out := np.empty(node.shape, node.dtype))
        out.flags.writeable = False
        return out
    return host_values_of(node)


def write_into(node: Node, out: GpuArray) -> None:
    """Compute a value made of host operands into memory that is there."""
    with turn(node.device):
        if node.array is None:
            _fill(node, out)
            return
    write(node, out)


def write_to_host(node: Node, out: HostArray) -> None:
    """Compute a value into host memory of its shape and dtype, block by block where it is made of host operands."""
    with turn(node.device):
        if (host := host_values_of(node)) is not None:
            np.copyto(out, host)
        elif node.array is None and node.weight >= HOST:
            _fill(node, out)
        else:
            result = _Result(out)
            result.put(whole(node.shape), node)
            result.finish()


def too_large(name: str, node: Node, nbytes: int) -> MemoryError:
    """The error of what cannot be done in blocks."""
    return MemoryError(
        f"{name}: needs an array of shape {node.shape}, {nbytes} bytes in host memory, on {node.device} as a whole; "
        f"allowed: {node.device.pool.limit // tuning.HOST_RESULTS} bytes, or functions that work block by block; slice "
        "or reduce it first, or use NumPy on numpy.asarray(x)"
    )


def _in_blocks(error: MemoryError) -> MemoryError:
    """The error of what is done in blocks, where one block does not fit: it names the function."""
    name, says = _called(), str(error)
    if says.startswith(f"{name}: "):
        return error
    return MemoryError(
        f"{name}: {says}. It is computed in blocks from host memory (from_host), and one of them needs more than there "
        "is: slice or reduce the array first, raise config.memory_limit, or use NumPy on numpy.asarray(x)"
    )


def _called() -> str:
    """The name of the function of this package that the program has called."""
    frame, package, name = sys._getframe(1), __name__.partition(".")[0], ""
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        name = name if frame.f_code.co_name in WRAPPERS else frame.f_code.co_name
        frame = frame.f_back  # type: ignore[assignment]
    return "an in-place operator" if name == "in_place" else name


streaming.evaluate, streaming.write, streaming.settle = on_device, write_into, settle
