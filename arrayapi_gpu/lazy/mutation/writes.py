"""Writes: the one place that changes memory to which several values may refer.

A pending expression reads its operands when it is computed, so the pending expressions over memory that is about to
change are computed first. Then the memory is written in place, because views must show the new elements. Where no other
value refers to the memory, ``x += y`` changes no memory: the handle gets the new expression and stays lazy.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import Any

import numpy as np

from ...backends.exposures import Exposure
from ...config import config, unusual
from ...kernels.core.operation import Kind
from ...kernels.core.ops import Op
from ...memory.boxes import Box, placed_box, shape_of, whole
from ...memory.gpuarray import GpuArray, Rolled, Storage
from ...memory.layout import BasicKey, Layout, basic_index, may_overlap, same_elements, self_overlaps, size
from ..build.build import astype, binary, broadcast, cut_out, rebind, reshaped, view
from ..graph.dependencies import readers
from ..graph.device_transfers import depart
from ..graph.graph import Handle, Node, leaf
from ..graph.host_operands import Strided, fits, host_operand_in, in_blocks, is_of_source, streaming
from ..graph.views import is_visible, layout_of, root_of
from ..out_of_core.blocks import operands_between
from ..plan.fuse import Group
from ..run import host_execution as small
from ..run.evaluate import (
    copy,
    copy_few,
    evaluate,
    fused_elements,
    memory,
    memory_if_seen,
    write,
    write_on_host,
    write_over,
)
from ..run.nonfinite import check
from .iteration import settle_elements

FIXED = (
    "the array is read-only: it is a broadcast view, a diagonal, a view of windows, or the imaginary part of real "
    "numbers, or setflags(write=False) made it so; copy it first, or write to the array that it is a view of"
)
READER_FAILS = (
    "It is the error of an array that was not computed yet. That reads the memory which this line changes, so it is "
    "computed before. Delete that array (del y), or mend the line that made it."
)
MOST_TIMES = 16  # writes to parts of a pending value of host operands, before it is computed
MOST_PARTS = 512  # parts of such a value, one after the other


def operate(op: Op, target: Handle, other: Any) -> None:
    """``target op= other``, keeping the target's dtype and shape (standard, "Array object": in-place operators)."""
    node = target._node
    refuse_host_operand(node)
    result = binary(op, node, other)
    if result.shape != node.shape:
        raise ValueError(
            f"in-place {op.name}: the result has shape {result.shape}, the array {node.shape}; an "
            f"array cannot grow in place"
        )
    if result.dtype != node.dtype and not np.can_cast(result.dtype, node.dtype, "same_kind"):
        raise TypeError(
            f"in-place {op.name}: the result has dtype {result.dtype}, which cannot be cast to {node.dtype}; "
            "write x = x op y, or convert the other operand with astype"
        )
    result = astype(result, node.dtype)
    if unusual and config.nan:
        check(result)
    replace(target, result)


def replace(target: Handle, value: Node) -> None:
    """Give all elements of an array new values, of its dtype and shape. They are written to its memory where others
    share that; otherwise the array becomes another expression."""
    refuse_fixed(target._node)
    if not size(target._node.shape):  # no element changes
        return
    if _lies_on_host(target._node):
        _replace_on_host(target, value)
        return
    array = memory_if_seen(target._node)
    if array is None:
        rebind(target, value)
    else:
        assign(array, value)


def _lies_on_host(node: Node) -> bool:
    """Whether a value is a result in host memory. A pending value made of host operands may become one, so it is
    computed if other arrays share it."""
    if not node.streamed:
        return False
    if is_visible(node):
        streaming.settle(root_of(node))
    return node.op.on_host


def _replace_on_host(target: Handle, value: Node) -> None:
    """`replace`, where the array is a result in host memory. That memory does not change, because pending values may
    still read it. The array, and all arrays that show the same memory, become another expression, or views of that."""
    node = target._node
    op: Any = node.op
    others = [one for one in op.result.held() if one is not node]
    if not others:
        rebind(target, value)
        return
    changed = value if op.view is None else _with_part(node, op.memory, op.result.shape, value)
    for one in [node, *others]:
        shown = one.op.view
        holder = target if one is node or one.handle is None else one.handle()
        if holder is not None:
            rebind(holder, changed if shown is None else reduce(view, shown.movement.chain(), changed))


def _with_part(node: Node, memory: Strided, shape: tuple[int, ...], value: Node) -> Node:
    """A whole result in which the elements of a view have other values."""
    if (place := placed_box(memory.layout, memory.span.size)) is None:
        raise ValueError(
            f"the array, of shape {node.shape}, is a view of a result in host memory that takes steps or turns axes; "
            "allowed: to write to the array that it is a view of, or to a copy"
        )
    inner, box = place
    everything = host_operand_in(memory.of_all(inner), node.dtype, inner, node.device)
    return reshaped(_with_box(everything, box, reshaped(value, shape_of(box))), shape)


def shows(value: Node, node: Node, key: BasicKey) -> bool:
    """Whether a pending value is the view of another value by a key."""
    if root_of(value) is not root_of(node):
        return False
    return same_elements(layout_of(value), Layout(*basic_index(layout_of(node), key)))


def with_elements(node: Node, key: BasicKey, values: Node) -> Node | None:
    """A value with other elements where a key shows them, as an expression: the parts before them, the new elements,
    and the parts after them. None where the key takes steps. ``values``: the new elements, in the shape of the view."""
    if _is_deep(node):
        streaming.settle(node)
    box = []
    axes = range(len(node.shape))
    for axis in axes:
        units = tuple([int(k == axis) for k in axes])
        shape, steps, start = basic_index(Layout(node.shape, units, 0), key)
        length = next((extent for extent, step in zip(shape, steps, strict=True) if step), 1)
        if length > 1 and 1 not in steps:
            return None
        box.append((start, start + length))
        if not length:
            return node
    shown = tuple(box)
    values = astype(reshaped(values, shape_of(shown)), node.dtype)
    if shown != whole(node.shape):
        return _with_box(node, shown, values)
    shape = node.shape or (1,)  # a new value, because two arrays must not share one
    return reshaped(in_blocks([reshaped(values, shape)], 0, shape), node.shape)


def _with_box(node: Node, box: Box, values: Node) -> Node:
    everything = whole(node.shape)
    axis = next((axis for axis, ends in enumerate(box) if ends != everything[axis]), None)
    if axis is None:
        return values
    start, stop = box[axis]
    here = cut_out(node, (*everything[:axis], box[axis], *everything[axis + 1 :]))
    here = _with_box(here, (*box[:axis], (0, stop - start), *box[axis + 1 :]), values)
    parts = [*_parts(node, axis, 0, start), here, *_parts(node, axis, stop, node.shape[axis])]
    return in_blocks(parts, axis, node.shape)


def _parts(node: Node, axis: int, start: int, stop: int) -> list[Node]:
    """Some places of a value along an axis, as values one after the other. These are the parts of a concatenation where
    possible, because a value whose rows are written one by one would otherwise become a deep expression."""
    root = root_of(node)
    if layout_of(node) == layout_of(root):
        node = root
    op: Any = node.op
    known = node.array is None and op.kind is Kind.PARTS and op.axis == axis
    found = []
    for part, first, last in operands_between(node.args if known else (node,), axis, start, stop):
        everything = whole(part.shape)
        box = (*everything[:axis], (first, last), *everything[axis + 1 :])
        found.append(part if known and box == everything else cut_out(part, box))
    return found


def _is_deep(node: Node) -> bool:
    """Whether a value was written to so often that it should be computed before the next write."""
    times = 0
    while node.array is None and node.streamed and not node.op.on_host:
        if node.op.kind is Kind.PARTS:
            times += 1
            if times > MOST_TIMES or len(node.args) > MOST_PARTS:
                return True
        heavy = [operand for operand in node.args if type(operand) is Node and operand.streamed]
        if not heavy:
            break
        node = heavy[0]
    return False


def assign(target: GpuArray, value: Node) -> None:
    """Write a value into memory, after all pending values that read the old elements were computed."""
    check_writable(target)
    value = astype(broadcast(value, target.shape), target.dtype)
    if value.array is not None and is_there(value.array, target):
        return  # the second half of ``x[key] += y``, where ``x[key]`` is a view
    if value.handle is not None and not value.shape and _reads(value, target.storage):
        write_over(value, leaf(target), partial(_write, value, target))
    else:
        _write(value, target)


def _reads(value: Node, storage: Storage) -> bool:
    """Whether a pending value is one operation on elements in a storage, as in ``x[i] += y``."""
    if value.rule is None or value.views is not None:
        return False
    arrays = [argument.array for argument in value.args if type(argument) is Node]
    return any([array is not None and array.storage is storage for array in arrays])


def _write(value: Node, target: GpuArray) -> None:
    if small.is_copied(value):
        counted = small.counts_alone(value)
        array = evaluate(value)
        settle_readers(target.storage)
        copy_few(array, target, counted)
        return
    if small.is_few(value):
        settle_readers(target.storage)
        if write_on_host(value, target):
            return
    group = _in_one_launch(value, target)  # this computes many readers of the memory, too
    if settle_readers(target.storage):
        group = _in_one_launch(value, target)
    if value.array is not None and disturbs(target, value.array):
        value = leaf(copy(value))
    write(value, target, group)


def _in_one_launch(value: Node, target: GpuArray) -> Group | None:
    """The group by which one launch writes a value into the target; the values that it needs first are computed. None
    where that launch would disturb its operands: then the value is computed now.

    Several launches would leave half of the value there if the program is interrupted between them.
    """
    if value.array is None and not value.streamed:
        group = fused_elements(value, False)
        if value.array is None and not _disturbed(group, target):
            return group
    evaluate(value)
    return None


def check_writable(target: GpuArray) -> None:
    """Raise ValueError for read-only memory and views, and for elements that share memory, because a write to one would
    change others."""
    if target.fixed:
        raise ValueError(FIXED)
    if target.storage.readonly:
        raise ValueError("the array is read-only: it shares memory in which its owner allows no writes; copy it first")
    if not target.contiguous and self_overlaps(target.layout):
        raise ValueError(
            f"the destination, of shape {target.shape}, is a broadcast view whose elements share memory; copy it first"
        )


def is_fixed(node: Node) -> bool:
    """Whether a value is a view that refuses writes, such as one of `broadcast_to`."""
    return node.op.fixed if node.array is None else node.array.fixed


def refuse_fixed(node: Node) -> None:
    """Raise ValueError for a view that refuses writes."""
    if is_fixed(node):
        raise ValueError(FIXED)


def settle_readers(storage: Storage) -> bool:
    """Compute every pending value that reads a storage, because it is about to change. Return whether there was any."""
    pending = readers(storage)
    if pending:
        settle_elements(pending)
    storage.changes()
    depart(storage)
    try:
        for node in pending:
            if node.streamed:  # with the root of views, because later views of that read it, too
                streaming.settle(root_of(node) if is_visible(node) else node)
            else:
                evaluate(node)
    except Exception as error:
        error.add_note(READER_FAILS)
        raise
    return bool(pending)


def refuse_host_operand(node: Node) -> None:
    """Raise ValueError for an array that `from_host` made of a source, and for views of it, because these are
    read-only."""
    if node.streamed and is_of_source(root_of(node)):
        raise ValueError(
            "the array is read-only: from_host only reads the memory of the host. Write to the host's array before, "
            "make a new array, as in x = x + y or where(mask, value, x), or copy the host's array to the device with "
            "asarray"
        )


def writable(node: Node) -> GpuArray:
    """The memory of a value, for a write. ValueError where that is not allowed."""
    refuse_host_operand(node)
    if is_too_large(node):
        raise ValueError(
            "the array is a result in host memory, since it does not fit the device; allowed: in-place operators, keys "
            "of slices without steps, of integers and of masks; make a new array, as in where(mask, value, x)"
        )
    array = memory(node)
    check_writable(array)
    return array


def is_too_large(node: Node) -> bool:
    """Whether a value is a result in host memory, will become one, or is a view of one. A value that fits the device is
    computed now, because other arrays may leave no room for it."""
    if not node.streamed:
        return False
    root = root_of(node)
    if not fits(node.device, size(root.shape) * root.dtype.itemsize):
        return True
    streaming.settle(root if is_visible(node) else node)
    return node.op.on_host


def expose(node: Node) -> tuple[GpuArray, Exposure]:
    """A node's memory, for code that may read and write it while the exposure lives, and the exposure."""
    array = memory(node)
    exposure = array.storage.expose()
    settle_readers(array.storage)
    return array, exposure


def _disturbed(group: Group, target: GpuArray) -> bool:
    """Whether the launch of a group that writes the target would change elements before it has read them."""
    if group.kind is Kind.PARTS or any([meet(array, target) for array in group.memory]):
        return True
    for item in group.leaves:
        moved = isinstance(item, Rolled)  # an element is read at another index than the one that is written
        if isinstance(item, GpuArray) and (meet(item, target) if moved else disturbs(target, item)):
            return True
    return False


def disturbs(target: GpuArray, source: GpuArray) -> bool:
    """Whether writing the target changes elements of the source other than those that are written at their index."""
    same = source.dtype.itemsize == target.dtype.itemsize and _lie_alike(source, target)
    return not same and meet(source, target)


def is_there(source: GpuArray, target: GpuArray) -> bool:
    """Whether each element of the source is the element of the target at its index."""
    return source.dtype == target.dtype and _lie_alike(source, target)


def _lie_alike(a: GpuArray, b: GpuArray) -> bool:
    return a.storage is b.storage and same_elements(a.layout, b.layout)


def meet(a: GpuArray, b: GpuArray) -> bool:
    """Whether two arrays have a byte in common. Exposed memory may belong to two buffers, so addresses are compared."""
    if a.storage is b.storage:
        return may_overlap(a.layout, a.dtype.itemsize, b.layout, b.dtype.itemsize)
    one, two = a.storage, b.storage
    if one.device is not two.device or not (one.buffer.exposed and two.buffer.exposed):
        return False
    first, second = one.device.address_of_bytes(one.buffer), two.device.address_of_bytes(two.buffer)
    if first is None or second is None:
        return False
    return first < second + two.buffer.nbytes and second < first + one.buffer.nbytes
