"""Launchers: how a kernel, loops that were compiled ahead of time, or NumPy compute a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...backends.base import Buffer, Device
from ...config import config
from ...kernels.core.body import Body, T
from ...kernels.core.launch import BoundLaunch
from ...kernels.core.operation import Kind
from ...kernels.core.schedule import INDEX32_LIMIT, elementwise_schedule, flat, side_by_side
from ...kernels.core.store import stored
from ...kernels.host.host_launch import host_launch
from ...kernels.loops.block_programs import block_launch
from ...kernels.maps.elementwise import Elementwise
from ...kernels.maps.elementwise_tiling import ACCESS
from ...kernels.native.fold_programs import fold_launch
from ...kernels.native.partners import Make, with_partner
from ...kernels.reductions import rows
from ...kernels.reductions.epilogues import Epilogue, Following
from ...kernels.reductions.reduce_passes import reduce
from ...kernels.reductions.rows_text import Rows
from ...memory.gpuarray import NEAR, GpuArray, empty
from ...memory.layout import Layout, contiguous_strides
from ..graph.graph import Node, leaf
from ..plan.fuse import Group, body_of, copy_of, layouts_of
from ..plan.merged_launches import separated

# A launch before it runs: the facts on which it depends in addition to signatures, and the function that compiles its
# kernel and launches it.
Launcher = tuple[Sequence[Any], Callable[[list[Buffer]], BoundLaunch | None]]


def launcher_of(group: Group, node: Node, results: Sequence[GpuArray]) -> Launcher:
    """The launcher of a group, which computes a node and the other values of the group into ``results``."""
    kind = group.kind
    if kind is Kind.ROWS:
        return facts_of(group, node), lambda buffers: _make_rows(group, node, results)
    if group.first is not None:
        return facts_of(group, node), lambda buffers: _make_followed(group, results)
    return facts_of(group, node), (_reduction if kind is Kind.REDUCTION else _elementwise)(group, node, results)


def facts_of(group: Group, node: Node) -> Sequence[Any]:
    """The facts on which the kernel of a group depends."""
    if group.kind is Kind.ROWS:
        return Rows, node.op if _reduced(group, node) else None, group.top.shape, group.axes, *group.key
    return (node.op, group.top.shape, *group.key) if group.kind is Kind.REDUCTION else group.key


def _elementwise(group: Group, node: Node, results: Sequence[GpuArray]) -> Callable[[list[Buffer]], BoundLaunch | None]:
    make = partial(_launch_elementwise, tuple(group.key), partial(body_of, group, results[0].dtype), group.top.shape)
    device, leaves, memory, scalars = group.top.device, group.leaves, group.memory, group.scalars
    return lambda buffers: make(device, results, leaves, memory, scalars)


def _launch_elementwise(
    key: tuple[Any, ...],
    body: Callable[[], Body],
    shape: tuple[int, ...],
    device: Device,
    results: Sequence[GpuArray],
    leaves: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    scalars: Sequence[Any],
) -> BoundLaunch | None:
    """Launch a body's kernel. Return the launch if it may run again."""
    operands, out = [*results, *leaves], results[0]
    offsets = [item.offset for item in (*operands, *memory)]
    if side_by_side(operands, shape):
        schedule = flat(out.size, len(operands))
    else:
        widest = max([item.dtype.itemsize for item in operands if isinstance(item, GpuArray)])
        lanes = ACCESS // widest if device.is_gpu else device.lanes
        schedule = elementwise_schedule(shape, tuple(layouts_of(operands)), len(results), lanes)
    wide = schedule.reach + max(map(abs, offsets)) > INDEX32_LIMIT
    kernels = stored(
        (Elementwise, device, schedule.kind, wide, out.dtype, *key), lambda: Elementwise(device, body(), schedule, wide)
    )
    buffers = [item.storage.buffer for item in (*operands, *memory) if isinstance(item, GpuArray)]
    launched = kernels.run(schedule, buffers, offsets, scalars)
    return None if schedule.reach >= NEAR and any(offsets) else launched


def _reduction(
    group: Group, node: Node, results: Sequence[GpuArray], then: Following | None = None
) -> Callable[[list[Buffer]], BoundLaunch | None]:
    operation: Any = node.op
    producer, (out,) = group.top, results
    device, shape, key, body = node.device, producer.shape, tuple(group.key), partial(body_of, group, producer.dtype)
    make = partial(_launch_reduction, operation, key, body, shape, operation.accumulator(producer.dtype))
    leaves, memory, scalars = group.leaves, group.memory, group.scalars
    return lambda buffers: make(device, [out], leaves, memory, scalars, then)


def _launch_reduction(
    operation: Any,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    device: Device,
    results: Sequence[GpuArray],
    leaves: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    scalars: Sequence[Any],
    then: Following | None = None,
) -> BoundLaunch:
    """Launch a reduction's kernels. ``dtype``: of the accumulators."""
    (out,), monoid, axes = results, operation.monoid, operation.axes
    whole = operation.whole
    return reduce(device, monoid, key, body, shape, axes, leaves, memory, scalars, dtype, out, whole, then=then)


def _reduced(group: Group, node: Node) -> bool:
    """Whether a node is a reduction of the elements of a group. Otherwise it has these elements: it is the top of the
    group, or a view whose elements the top computes."""
    return node is not group.top and node.op.kind is Kind.REDUCTION


def on_host(group: Group, node: Node, results: Sequence[GpuArray]) -> BoundLaunch | None:
    """The launch in which loops or NumPy compute a group; None where they cannot."""
    if group.first is not None:
        return None
    top, axes, dtype = group.top, group.axes, results[0].dtype
    op: Any = node.op
    if top.device.loops is not None and group.kind is not Kind.ROWS:
        launched = by_loops(top.device, group, node, results, group.leaves, group.memory)
        if launched is not None:
            return launched
    if _reduced(group, node):
        if op.whole is not None:
            return None
        group, axes = _with_reduction(group, node), op.axes
    key, body = (dtype, *group.key), partial(body_of, group, dtype)
    return host_launch(top.device, key, body, top.shape, results, group.leaves, group.memory, axes)


def by_loops(
    device: Device,
    group: Group,
    node: Node,
    results: Sequence[GpuArray],
    leaves: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
) -> BoundLaunch | None:
    """The launch of a group, not over rows, by the loops of a device, in whose memory the arrays are; None where a loop
    is missing."""
    top, out, key = group.top, results[0], tuple(group.key)
    launched: BoundLaunch | None
    make: Make
    if group.kind is Kind.REDUCTION:
        op: Any = node.op
        body, dtype = body_of(group, top.dtype), op.accumulator(top.dtype)
        launched = fold_launch(device, op.monoid, body, top.shape, op.axes, leaves, memory, dtype, out, op.whole)
        make = partial(_launch_reduction, op, key, lambda: body, top.shape, dtype)
    else:
        body = body_of(group, out.dtype)
        launched = block_launch(device, body, top.shape, results, leaves, memory)
        make = partial(_launch_elementwise, key, lambda: body, top.shape)
    if launched is None:
        return None
    return with_partner((out.dtype, *key), launched, top.shape, make, results, leaves, memory)


def _with_reduction(group: Group, node: Node) -> Group:
    """A group with a reduction of its value as its last step."""
    operation: Any = node.op
    return replace(
        group,
        key=[*group.key, operation.fold(node), group.reference],
        nodes=[*group.nodes, node],
        reference=T[len(group.nodes)],
    )


def _make_rows(group: Group, node: Node, results: Sequence[GpuArray]) -> BoundLaunch | None:
    assert group.axes is not None
    out, top, axes, leaves = results[0], group.top, group.axes, group.leaves
    device, shape, reduced = top.device, top.shape, _reduced(group, node)
    layouts: list[Any] = [(out.shape, out.strides)]
    if reduced:
        kept = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
        layouts = [(kept, contiguous_strides(kept))]
        group = _with_reduction(group, node)
    layouts += [(other.shape, other.strides) for other in results[1:]]
    extents = (not reduced, *[other.shape == shape for other in group.kept])
    schedule = rows.row_schedule(shape, axes, (*layouts, *layouts_of(leaves)), extents, device.target)
    if schedule is None:  # for the layout of ``out``, in which the elements of a row are not evenly spaced
        whole = fresh(device, out.dtype, out.shape)
        _make_rows(group, node, [whole, *results[1:]])
        value = leaf(whole)
        _elementwise(copy_of(value, whole), value, [out])([out.storage.buffer, whole.storage.buffer])
        return None
    spec = schedule.spec
    kernels = stored((Rows, device, spec, out.dtype, *group.key), lambda: Rows(device, body_of(group, out.dtype), spec))
    return kernels.run(schedule, results, leaves, group.memory, group.scalars)


def _make_followed(group: Group, results: Sequence[GpuArray]) -> BoundLaunch | None:
    own, after = separated(group)
    first, (out,) = group.first, results
    assert first is not None
    others: list[Any] = [item for number, item in enumerate(after.leaves) if number != first.place]
    then = Following(Epilogue(body_of(after, out.dtype), first.place), others, after.scalars)
    if own.kind is Kind.REDUCTION:
        return _reduction(own, first.node, results, then)([])
    op: Any = first.node.op
    launched: BoundLaunch | None = op.run_then(own.leaves, out, then)
    return launched


def fresh(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...]) -> GpuArray:
    """An array in new memory, in C order."""
    return empty(device, dtype, shape, 3 if config.check else 0)
