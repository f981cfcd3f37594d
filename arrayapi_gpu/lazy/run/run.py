"""The loop that runs plans: it allocates, launches, settles the values that are computed, and frees memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...config import config, log, unusual
from ...kernels.core.operation import Kind
from ...memory.gpuarray import GpuArray, Signature, signature_of
from ...memory.layout import Layout
from ..graph.device_transfers import depart
from ..graph.failures import LostIfInterrupted
from ..graph.graph import Node, leaf, settle, show_own
from ..graph.views import alone, root_of
from ..plan.fuse import Group, copy_of
from ..plan.plan import Bound, Graph, Launch, Plan, Promised
from .compile import launch_group
from .launches import known as launches
from .ownership import operand_to_replace

_NOBODY = Node()  # in place of the node of a step whose plan is kept


def run(plan: Plan, graph: Graph) -> None:
    """Compute the nodes of a graph that a plan settles. MemoryError, KernelNeeded: the values that were computed
    before stay computed."""
    nodes: list[Any] = [graph.nodes[number] for number in plan.nodes]
    for node in graph.nodes:
        node.met += 1
    graph.nodes.clear()
    memory = graph.arrays
    given = len(memory)
    scalars = graph.scalars + plan.literals
    for times in plan.times:
        times[0] += 1
    for launch in plan.launches:
        bound = launch.bound
        try:
            for one in launch.fresh:
                memory.append(one.fresh())
        except MemoryError:
            if not _run_in_place(launch, memory, given):
                raise
            continue
        if launch.kind is Kind.STEP:
            memory.append(_run_step(launch, memory, given))
        elif bound is not None:
            offsets = None
            if bound.moved:
                offsets = [add if slot < 0 else memory[slot].offset + add for slot, add in launch.operands]
            bound.run(  # no variable may keep the buffers
                [memory[slot].storage.buffer for slot in launch.slots],
                [scalars[number] for number in launch.scalars],
                offsets,
            )
        else:
            launch.bound = _run_first(launch, memory, given)
        for number, slot in launch.settles:
            _settle(nodes[number], memory[slot])
            nodes[number] = None
        for slot in launch.frees:
            memory[slot] = None


def _settle(node: Node, array: GpuArray) -> None:
    """Make a computed node a leaf. A view that shares a pending value with others gets separate elements. A node that
    the code of a source has computed meanwhile keeps its memory."""
    if node.array is not None:
        return
    if node.op.layout is not None and not alone(node):
        if node.held:
            show_own(node, array)
            return
        views = root_of(node).views
        if views is not None:
            views.times += 1
    settle(node, array)


def _run_step(launch: Launch, memory: list[Any], given: int) -> GpuArray | None:
    """The result of a step; None of one that another launch computes, too."""
    work, bound = launch.work, launch.bound
    if work is None:
        return None
    assert bound is not None
    if work.nodes:
        report_separate(work.node, launch.reason)
        launch.work = replace(work, node=_NOBODY, nodes=[])
    return run_step(bound.kernel, [made(item, memory, given) for item in work.operands], bound.signature)


def run_step(step: Any, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
    """Run a step over arrays. The result is in C order, because views of it rely on that."""
    array: GpuArray = (_launched_again(step, operands, result) if step.launched else None) or step.run(operands, result)
    if array.contiguous:
        return array
    value, out = leaf(array), signature_of(result.device, array.dtype, array.shape).fresh()
    launch_group(copy_of(value, array), value, [out])
    return out


def _launched_again(step: Any, operands: Sequence[GpuArray], result: Signature) -> GpuArray | None:
    """The result of a step whose launch was made before; None of any other."""
    key: list[Any] = [step, result]
    for operand in operands:
        signature = operand.signature or operand.find_signature()
        if signature is None:
            return None
        key.append(signature)
    own = tuple(key)
    known = launches.young.get(own) or launches.get(own)
    if known is None or (unusual and config.check):
        return None
    array = result.empty()
    buffers, offsets = [array.storage.buffer], [0]
    for operand in operands:
        buffers.append(operand.storage.buffer)
        offsets.append(operand.offset)
    known.run(buffers, (), offsets if known.moved else None)
    return array


def _run_first(launch: Launch, memory: list[Any], given: int) -> Bound | None:
    """Compile a launch and run it."""
    work, launch.work = launch.work, None
    if work is None or work.group is None:  # the value has no elements
        return None
    report_separate(work.node, launch.reason)
    results = [made(item, memory, given) for item in work.results]
    return launch_group(in_memory(work.group, memory, given), work.node, results)


def _run_in_place(launch: Launch, memory: list[Any], given: int) -> bool:
    """Compute a value into the memory of an operand that no other value reads, as ``x += 1`` leaves it. Return whether
    there is such an operand."""
    work = launch.work
    if work is None or work.group is None or work.whole is not None or len(launch.fresh) > 1:
        return False  # memory is missing for more than this value
    node, group = work.node, in_memory(work.group, memory, given)
    replaced = operand_to_replace(node, group)
    if replaced is None:
        return False
    depart(replaced.storage)
    replaced.storage.changes()
    doing = (
        f"an array of shape {node.shape} was being computed in its own memory, because memory is full, when the "
        "program was interrupted; its values are lost: compute it again"
    )
    with LostIfInterrupted(node, doing):
        launch_group(group, node, [replaced])
        settle(node, replaced)
    memory.append(replaced)
    return True


def report_separate(node: Node, reason: str) -> None:
    """Log why a value is computed before the launch that uses it (``config.debug`` of 3 and more)."""
    if config.debug > 2 and reason:
        log(f"{node.op!r} {node.dtype}{list(node.shape)} is computed separately: {reason}")


def in_memory(group: Group, memory: list[Any], given: int) -> Group:
    """A group with arrays in place of promised ones."""
    leaves, gathered = ([made(item, memory, given) for item in items] for items in (group.leaves, group.memory))
    return replace(group, leaves=leaves, memory=gathered)


def made(item: GpuArray | Promised | Layout, memory: list[Any], given: int) -> Any:
    """An operand of a plan, in memory. ``given``: the number of arrays that the graph reads, whose slots come first."""
    if type(item) is not Promised:
        return item
    array = memory[given + item.slot]
    shape, strides, offset = item.layout
    whole = not offset and shape == array.shape and strides == array.strides
    if whole and item.dtype is array.dtype and item.shifts is None:
        return array
    shown = GpuArray(array.storage, item.dtype, shape, strides, array.offset + offset)
    return shown if item.shifts is None else shown.rolled(item.shifts)
