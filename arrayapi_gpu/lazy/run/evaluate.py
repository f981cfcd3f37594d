"""Evaluation: from pending nodes to launches.

`evaluate` computes a node. `fuse` says which nodes one launch computes. What the launch cache (`launches`) knows is
launched again with new buffers. Of a graph whose `structure` is known all launches are made again (`replay`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...backends.base import Buffer, Device
from ...backends.locks import module_lock
from ...config import config, log
from ...kernels.core.body import S, T, X
from ...kernels.core.launch import BoundLaunch
from ...kernels.core.ops import Op, UserRule
from ...kernels.core.schedule import INDEX32_LIMIT, elementwise_schedule, flat, side_by_side
from ...kernels.core.store import stored
from ...kernels.host.host_launch import HostLaunch, KernelNeeded, Reduced, host_launch
from ...kernels.maps.elementwise import Elementwise
from ...kernels.reductions import rows
from ...kernels.reductions.reduce_passes import reduce
from ...kernels.reductions.rows_text import Rows
from ...memory.gpuarray import NEAR, GpuArray, empty
from ...memory.layout import Layout, component, contiguous_strides
from ..graph.dependencies import all_below, noted, recent, unfused
from ..graph.device_transfers import depart
from ..graph.failures import LostIfInterrupted
from ..graph.graph import (
    COMPONENTS,
    Change,
    Concat,
    Leaf,
    Node,
    Reduce,
    Roll,
    Source,
    View,
    become_copy,
    leaf,
    settle,
    settle_views,
)
from ..graph.host_operands import HOST, streaming, view_on_host
from ..graph.views import alone, is_seen, view_of
from ..plan.fuse import Group, Kind, body_of, claim, fuse, layouts_of, missing, with_siblings
from ..plan.graph_key import complete, structure_of
from ..plan.pushdown import Need, too_deep
from ..plan.unroll import may_be_unrolled
from . import host_execution as small
from .launches import Launched, computed, known as _known, launch, recording, remember, unknown
from .ownership import is_ours_again, operand_to_replace
from .replay import Replay, recorded, replays

_lock = module_lock(globals(), "_lock")
_young = _known.young
FUSED = (Leaf, View, Roll, Concat)  # pending values without a rule that are computed within a group


def evaluate(node: Node) -> GpuArray:
    """The node's array, computed if it is not there yet."""
    array = node.array
    if array is None:
        if node.weight >= HOST:  # takes long: other threads shall compute on other devices meanwhile
            return streaming.evaluate(node)
        with _lock:
            array = node.array
            if array is None:
                array = _compute(node)
    return array


def contiguous(node: Node) -> GpuArray:
    """The node's array in C order: itself, or a copy."""
    array = evaluate(node)
    return array if array.contiguous else copy(node)


def copy(node: Node) -> GpuArray:
    """The node's value in fresh memory of its own, in C order."""
    out = fresh(node.device, node.dtype, node.shape)
    write(node, out)
    return out


def fresh(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...]) -> GpuArray:
    """New memory."""
    return empty(device, dtype, shape, 3 if config.check else 0)


def write(node: Node, out: GpuArray, group: Group | None = None) -> None:
    """Compute a node into memory that is there already (same shape, any strides). ``group``: its `fused_elements`, if
    they are known."""
    if node.weight >= HOST and node.array is None:
        streaming.write(node, out)
        return
    with _lock:
        if group is not None or not small.written(node, out):
            _launch(group or fused_elements(node, False), out)


def write_over(node: Node, place: Node, write: Callable[[], None]) -> None:
    """Let ``write`` compute a pending value, which a user holds, into memory that it reads. From then on the value is a
    copy of what is there, at ``place``, so it is computed once. The readers of the memory are settled without it."""
    with _lock:
        reference, node.handle = node.handle, None
        assert reference is not None
        doing = (
            "an element was being written into memory that it is made of when the program was interrupted; its value "
            "is lost: compute it again"
        )
        try:
            with LostIfInterrupted(node, doing):
                write()
                if node.array is None:
                    become_copy(node, place)
        finally:
            node.handle = reference
            noted.append(reference)


def exclusively() -> AbstractContextManager[object]:
    """The lock under which values are computed."""
    return _lock


def is_computing() -> bool:
    """Whether this thread is inside one of the functions here that others wait for."""
    return bool(_lock._is_owned())  # type: ignore[attr-defined]  # of every lock that may be taken again


def write_on_host(node: Node, out: GpuArray) -> bool:
    """The same, if NumPy does it (`small.written`)."""
    with _lock:
        return small.written(node, out)


def put_on_host(target: GpuArray, key: Sequence[Any], values: Node) -> bool:
    """Assign to the elements that a key with arrays selects, if NumPy does it (`small.put`)."""
    with _lock:
        return small.put(target, key, values, evaluate)


def fused_elements(node: Node, one_launch: bool = True) -> Group:
    """The group whose kernel gives a node's elements wherever they are wanted; what it needs first is computed.

    ``one_launch``: see `fuse`.
    """
    if node.array is None and node.rule is None and type(node.op) not in FUSED:
        evaluate(node)
    return fused(node, one_launch)


def fused(node: Node, one_launch: bool = False) -> Group:
    """The group of a node; what it needs first is computed."""
    while True:
        found = fuse(node, None, one_launch)
        if isinstance(found, Group):
            needs = small.interpreted(found, node)
            if not needs:
                return found
            unknown()
            found = needs
        assert found, "what is needed first is named, or this would not end"
        _compute_first(found)


def _compute_first(needs: list[Need]) -> None:
    """Compute what is needed before a launch."""
    claims = claim(needs)
    for needed, reason in needs:
        if needed.array is None:
            report_apart(needed, reason)
            evaluate(needed)
    del claims


def through(
    x: Node, change: Change, text: Callable[[str], str], shared: bool, fixed: bool = False, part: Op | None = None
) -> Node:
    """A value through another layout: a view to come, or one of memory.

    ``shared``: a user gets it, so that it is one memory with the value. ``text``: it in Python, given the operand.
    ``fixed``: nobody may write to it. ``part``: the operation, real or imag, whose results are seen.
    """
    if x.array is None:
        with _lock:
            if x.array is None and x.weight >= HOST:
                return view_on_host(x, change, text, shared) or view_of(x, change, text, fixed)
            if x.array is None and config.fusion and not (shared and too_deep(x)):
                return view_of(x, change, text, fixed, part)
    array = memory(x) if shared else evaluate(x)
    layout = change(array.layout)
    assert layout is not None, "who makes a view looks whether there is one"
    if not shared:
        return leaf(array.through(layout))
    if part is None:
        found = array.view(layout)
    else:
        found = array.view(component(layout, COMPONENTS.index(part)), part.rules[array.dtype].result)
    found.fixed = found.fixed or fixed
    return leaf(found)


def memory(node: Node) -> GpuArray:
    """The memory in which a value lies, for who writes to it or gives it away. That of a view is its root's, if
    somebody else sees it."""
    if node.array is None and type(node.op) is View:
        with _lock:
            if node.array is None and not alone(node):
                root: Node = node.args[0]
                (evaluate if root.weight < HOST else streaming.settle)(root)
            return evaluate(node)
    return evaluate(node)


def strides_of(node: Node) -> tuple[int, ...]:
    """Those of the memory in which a value lies; of one that is computed in blocks, and may have none, in C order."""
    return contiguous_strides(node.shape) if node.array is None and node.weight >= HOST else memory(node).strides


def memory_if_seen(node: Node) -> GpuArray | None:
    """The memory of a value, if somebody else sees it; else the value may change its memory."""
    array = node.array
    if array is None or node.views is not None:
        with _lock:
            if is_seen(node):
                array = memory(node)
                if node.views is not None:  # computing the array was interrupted before they were settled
                    settle_views(node, node.views)
    if array is None or not array.storage.shared:
        return None
    del array  # it would be counted
    if not is_ours_again(node):
        return node.array
    return None


def _compute(node: Node) -> GpuArray:
    op = node.op
    key: list[Any]
    if (array := small.computed(node)) is not None:
        return array
    if node.rule is not None:
        key = [node.rule]
    elif isinstance(op, Reduce):
        key = [op, node.dtype, node.shape]
    elif isinstance(op, (Op, Leaf, Roll, Concat)):
        return _compute_graph(node)
    elif type(op) is View:
        return _compute_view(node, op)
    else:
        _compute_first(missing(node))
        made = op.run(node)
        unknown()
        return settle(node, made if made.contiguous else copy(leaf(made)))  # its views take it to be in C order
    # Most often it is one operation on arrays in memory and scalars, and most often one that was launched before. So
    # its launch is remembered under a key of its own, for which nothing has to be collected.
    arrays: list[GpuArray] = []
    buffers: list[Any] = [None]  # the first is to be the result's
    scalars: list[Any] = []
    last = None
    for argument in node.args:
        if argument is last:
            key.append(X[0])
        elif type(argument) is Node:
            array = argument.array
            if array is None:
                if argument.rule is not None or argument.shape != node.shape or _takes_part(argument):
                    return _compute_graph(node)
                report_apart(argument, "it is a kernel of its own")
                array = evaluate(argument)
            signature = array.signature or array.find_signature()
            if signature is None:
                return _compute_anew(node)
            key.append(signature)
            arrays.append(array)
            buffers.append(array.storage.buffer)
            last = argument
        elif type(argument) is Source:
            return _compute_graph(node)
        else:
            key.append(S[0])
            scalars.append(argument)
    known = _young.get(tuple(key)) or _known.get(tuple(key))
    if known is not None and not config.check and _launch_again(node, known, buffers, arrays, scalars):
        return node.array  # type: ignore[return-value]  # it is there now
    return _compute_anew(node, tuple(key), arrays, scalars)


def _launch_again(
    node: Node, known: Launched, buffers: list[Any], arrays: Sequence[GpuArray], scalars: Sequence[Any]
) -> bool:
    """Compute a node by a launch that was made before; False where there is no memory, or no kernel: the other way
    knows what to do.

    ``buffers``: those of ``arrays``, after a place for that of the result.
    """
    bound, signature, moved = known
    try:
        out = signature.empty()
        buffers[0] = out.storage.buffer
        bound.run(buffers, scalars, [item.offset for item in (out, *arrays)] if moved else None)
    except (MemoryError, KernelNeeded):
        return False
    record = recording.get()
    if record is None:
        settle(node, out)
    else:
        record.made(known, 1, [out, *arrays], scalars)
        computed(node, out)
    return True


def _compute_graph(node: Node) -> GpuArray:
    """Compute a node whose operands are pending: by the launches that computed such a graph before, if any did."""
    if config.check or config.debug > 2:
        return _compute_anew(node)
    if not config.fusion:
        _compute_first(unfused(node))
    structure = structure_of(node)
    while structure is not None and structure.needs:
        needs = structure.needs[::-1]  # what lies further below first: others may depend on it
        if any([type(other.op) is Reduce for other in structure.nodes]):
            below = all_below(needed for needed, _ in needs)
            if any([other in below for other in structure.nodes]):  # what is computed first matters to the reductions
                found = fuse(node)
                needs = found if isinstance(found, list) else needs
        _compute_first(needs)
        if node.array is not None:
            return node.array
        structure = complete(structure) or structure_of(node)
    if structure is None:
        return _compute_anew(node)
    key = tuple(structure.key)
    replay = replays.young.get(key) or replays.get(key)
    if replay is None:
        return recorded(structure, key, partial(_compute_anew, node, siblings=[*structure.siblings]))
    if isinstance(replay, Replay):
        done = replay.run(structure)
    else:
        arrays = structure.arrays
        done = _launch_again(node, replay, [None, *[item.storage.buffer for item in arrays]], arrays, structure.scalars)
    return node.array if done and node.array is not None else _compute_anew(node)


def _takes_part(node: Node) -> bool:
    """Whether a pending value without a rule may be computed within the group that uses it."""
    return type(node.op) in FUSED or may_be_unrolled(node)


def _compute_view(node: Node, op: View) -> GpuArray:
    """Compute a view: that of its root's memory, or elements of its own."""
    root: Node = node.args[0]
    if op.own is not None and root.array is None:
        return settle(node, op.own) if alone(node) else op.own
    group = fused(node)
    if node.array is not None:  # with the root
        return node.array
    if root.array is not None:
        return settle(node, op.run(node))
    out = fresh(node.device, node.dtype, node.shape)
    _launch(group, out)
    seen = not alone(node)
    if seen and not node.held and root.views is not None:  # for an element, which is a copy of it
        root.views.times += 1
    return computed(node, out, own=seen and node.held)


def _compute_anew(
    node: Node,
    key: tuple[Any, ...] | None = None,
    arrays: list[GpuArray] | None = None,
    scalars: list[Any] | None = None,
    siblings: Sequence[Node] | None = None,
) -> GpuArray:
    """Compute an element-wise node or a reduction by the launch of its group.

    The launch is remembered under ``key``, unless that is None, where the group reads ``arrays`` and ``scalars`` and
    computes nothing else. ``siblings``: pending values that may be computed with it, if the caller has asked.
    """
    group = fused(node)
    launched: BoundLaunch | None = None
    if isinstance(node.op, Reduce):
        out = fresh(node.device, node.dtype, node.shape)
        launched = _launch_reduction(group, node, node.op, out)
    else:
        try:
            out = fresh(node.device, node.dtype, node.shape)
        except MemoryError:
            replaced = operand_to_replace(node, group)
            if replaced is None:
                raise
            return _computed_in_place(node, group, replaced)
        wider = group
        several = len(group.nodes) > 1 or isinstance(node.rule, UserRule)
        if several and (found := recent(len(group.nodes)) if siblings is None else siblings):
            wider = with_siblings(group, found)
        try:
            launched = _launch(wider, out)
            group = wider
        except MemoryError:
            if wider is group:
                raise
            launched = _launch(group, out)
    if key is not None and (group.leaves, group.scalars, group.kept) == (arrays, scalars, []):
        remember(key, launched, out)
    return computed(node, out)


def _computed_in_place(node: Node, group: Group, out: GpuArray) -> GpuArray:
    """Compute an element-wise node into the memory of an operand that nobody else will read, as there is after
    ``x += 1``."""
    depart(out.storage)
    doing = (
        f"an array of shape {node.shape} was being computed in its own memory, for want of more, when the program was "
        "interrupted; its values are lost, make it bound"
    )
    with LostIfInterrupted(node, doing):
        _launch(group, out)
        return settle(node, out)


def report_apart(node: Node, reason: str) -> None:
    """Say why a node is computed apart from those above it (``config.debug`` of 3 and more)."""
    if config.debug > 2:
        log(f"{node.op!r} {node.dtype}{list(node.shape)} is computed apart: {reason}")


def _launch(group: Group, out: GpuArray) -> BoundLaunch | None:
    """Compute the top of a group into ``out``, and its kept nodes into fresh memory.

    What was launched is returned if it is remembered.
    """
    if not out.size:
        for node in group.kept:
            computed(node, fresh(node.device, node.dtype, node.shape))
        return None
    if group.kind is Kind.ROWS:
        return _launch_rows(group, group.top, out)
    if group.kind is Kind.PARTS:
        for change, expression in group.parts:
            layout = change(Layout(out.shape, out.strides, out.offset))
            assert layout is not None, "a slice has a layout"
            write(expression, out.through(layout))
        return None
    device, shape = group.top.device, group.top.shape
    kept = group.kept
    results = [out, *[fresh(device, node.dtype, shape) for node in kept]]
    operands = [*results, *group.leaves]

    def make(buffers: list[Buffer]) -> BoundLaunch | None:
        offsets = [item.offset for item in (*operands, *group.memory)]
        if side_by_side(operands, shape):
            schedule = flat(out.size, len(operands))
        else:
            schedule = elementwise_schedule(shape, tuple(layouts_of(operands)), len(results), device.lanes)
        wide = schedule.reach + max(map(abs, offsets)) > INDEX32_LIMIT
        kernels = stored(
            (Elementwise, device, schedule.kind, wide, out.dtype, *group.key),
            lambda: Elementwise(device, body_of(group, out.dtype), schedule, wide),
        )
        launched = kernels.run(schedule, buffers, offsets, group.scalars)
        return None if schedule.reach >= NEAR and any(offsets) else launched

    def on_host() -> HostLaunch | None:
        key, body = (out.dtype, *group.key), partial(body_of, group, out.dtype)
        return host_launch(device, key, body, shape, results, group.leaves, group.memory)

    launched = launch(group.key, results, [*group.leaves, *group.memory], group.scalars, make, on_host)
    for node, array in zip(kept, results[1:], strict=True):
        computed(node, array)
    return launched


def _launch_reduction(group: Group, node: Node, operation: Reduce, out: GpuArray) -> BoundLaunch | None:
    """Reduce a group into ``out``. What was launched is returned if it is remembered."""
    if group.kind is Kind.ROWS:
        return _launch_rows(group, node, out)
    if not out.size:
        return None
    producer = group.top

    def make(buffers: list[Buffer]) -> BoundLaunch | None:
        return reduce(
            node.device, operation.monoid, tuple(group.key), partial(body_of, group, producer.dtype),
            producer.shape, operation.axes,
            group.leaves, group.memory, group.scalars, operation.accumulator(producer.dtype), out, operation.whole,
        )  # fmt: skip

    def on_host() -> HostLaunch | None:
        body = partial(body_of, group, producer.dtype)
        reduced = Reduced(operation.axes, operation.monoid, out.dtype)
        if operation.whole is not None:
            return None
        return host_launch(
            node.device, tuple(group.key), body, producer.shape, [out], group.leaves, group.memory, reduced
        )

    facts = (operation, producer.shape, *group.key)
    return launch(facts, [out], [*group.leaves, *group.memory], group.scalars, make, on_host)


def _launch_rows(group: Group, node: Node, out: GpuArray) -> BoundLaunch | None:
    """Compute a group over rows into ``out``, and its kept nodes into fresh memory.

    ``node`` is what is computed: the top of the group, or a reduction of it. What was launched is returned if it is
    remembered.
    """
    device, top, kept = group.top.device, group.top, group.kept
    results = [out, *[fresh(device, other.dtype, other.shape) for other in kept]]
    facts = (Rows, None if node is top else node.op, top.shape, group.axes, *group.key)
    operands = [*group.leaves, *group.memory]

    def on_host() -> HostLaunch | None:
        assert group.axes is not None
        whole = group if node is top else _with_reduction(group, node)
        key, body = (out.dtype, *whole.key), partial(body_of, whole, out.dtype)
        return host_launch(device, key, body, top.shape, results, group.leaves, group.memory, Reduced(group.axes))

    launched = launch(
        facts, results, operands, group.scalars, lambda _: _launch_rows_anew(group, node, results), on_host
    )
    for other, array in zip(kept, results[1:], strict=True):
        computed(other, array)
    return launched


def _with_reduction(group: Group, node: Node) -> Group:
    """A group over rows with a reduction of them as its last step."""
    assert isinstance(node.op, Reduce)
    return replace(
        group,
        key=[*group.key, node.op.fold(node), group.reference],
        nodes=[*group.nodes, node],
        reference=T[len(group.nodes)],
    )


def _launch_rows_anew(group: Group, node: Node, results: list[GpuArray]) -> BoundLaunch | None:
    assert group.axes is not None
    out, top, axes, leaves = results[0], group.top, group.axes, group.leaves
    device, shape = top.device, top.shape
    layouts: list[Any] = [(out.shape, out.strides)]
    if node is not top:
        assert isinstance(node.op, Reduce)
        reduced = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
        layouts = [(reduced, contiguous_strides(reduced))]
        group = _with_reduction(group, node)
    layouts += [(other.shape, other.strides) for other in results[1:]]
    extents = (node is top, *[other.shape == shape for other in group.kept])
    schedule = rows.row_schedule(shape, axes, (*layouts, *layouts_of(leaves)), extents, device.target)
    if schedule is None:  # for the layout of ``out``, in which the elements of a row are not evenly spaced
        whole = fresh(device, out.dtype, out.shape)
        _launch_rows_anew(group, node, [whole, *results[1:]])
        write(leaf(whole), out)
        return None
    spec = schedule.spec
    kernels = stored((Rows, device, spec, out.dtype, *group.key), lambda: Rows(device, body_of(group, out.dtype), spec))
    return kernels.run(schedule, results, leaves, group.memory, group.scalars)
