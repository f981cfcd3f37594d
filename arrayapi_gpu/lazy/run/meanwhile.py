"""The computation of a value while its kernel is compiled.

A program should not wait for a compiler. So a group of operations that has no kernel yet is computed at once in another
way, with the same bits, and a thread in the background compiles its kernel, which later launches use:

* On a CPU the loops that were compiled ahead of time compute the group, in the memory of its operands.
* On a GPU the kernels of its single operations do, which all programs share, if they are all compiled. Otherwise loops
  compute a small group on copies in the host's memory.

Where neither is possible, or where intermediate values or copies would take too much memory or time (`tuning.MEANWHILE`
and what follows it), the program waits, as it does with ``config.wait_for_compiler``. Rounded sums on a GPU have
another order than those of loops, so there the loops compute their operands only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...backends.base import Buffer
from ...kernels.core import tuning
from ...kernels.core.body import MEMORY, OPERAND, STEP, Reference, T
from ...kernels.core.borrowing import Borrowed, loops_for, submitted, waits
from ...kernels.core.launch import BoundLaunch, KernelMissing, without_compiler
from ...kernels.core.operation import Kind
from ...kernels.core.ops import UserRule
from ...kernels.core.specialise import Job
from ...kernels.core.store import Recent
from ...memory.gpuarray import GpuArray, empty, signature_of
from ...memory.layout import Layout, size
from ..graph.graph import Node, Source, constant, iota, leaf, new_node
from ..plan.fuse import Group, copy_of, fuse, steps_in_order
from ..plan.merged_launches import separated
from ..plan.pushdown import Planned
from .launchers import Launcher, by_loops, facts_of, launcher_of

AWAITED = 2048  # launches that are remembered

_jobs: Recent[tuple[Any, ...], Job] = Recent(AWAITED)  # that compile, by the facts of a launch


def kernel_or_meanwhile(
    group: Group, node: Node, results: Sequence[GpuArray], launcher: Launcher, buffers: list[Buffer]
) -> BoundLaunch | None:
    """Launch the kernel of a group, or compute the group in another way while its kernel is compiled. Return the launch
    if it may run again."""
    facts, make = launcher
    if waits(node.device):
        return make(buffers)
    key = (node.device, *facts)
    job = _jobs.get(key)
    if job is None or (job.done and not job.failed):
        try:
            with without_compiler():
                return make(buffers)
        except KernelMissing as missing:
            job = submitted(missing)
            if job is not None:
                _jobs[key] = job
    if group.first is not None:
        _one_by_one(group, node, results)
        return None
    if _computed(group, node, results):
        return None
    if job is not None:
        job.take_back()
    return make(buffers)


def _one_by_one(group: Group, node: Node, results: Sequence[GpuArray]) -> None:
    """Compute a product or a reduction and then its epilogue, by separate launches."""
    own, after = separated(group)
    first = group.first
    assert first is not None
    signature, op = signature_of(node.device, first.node.dtype, first.node.shape), first.node.op
    if own.kind is Kind.REDUCTION:
        value = signature.fresh()
        _kernel_or_meanwhile(own, first.node, [value])
    else:
        value = op.run(own.leaves, signature)
    after.leaves[first.place] = value
    _kernel_or_meanwhile(after, node, results)


def _kernel_or_meanwhile(group: Group, node: Node, results: Sequence[GpuArray]) -> None:
    """Compute one of several launches that stand in for a single one."""
    arrays = [item for item in (*results, *group.leaves, *group.memory) if isinstance(item, GpuArray)]
    buffers = [one.storage.buffer for one in arrays]
    kernel_or_meanwhile(group, node, results, launcher_of(group, node, results), buffers)


def is_awaited(group: Group, node: Node) -> bool:
    """Whether the kernel of a group is being compiled."""
    job = _jobs.get((node.device, *facts_of(group, node)))
    return job is not None and not job.done


def _computed(group: Group, node: Node, results: Sequence[GpuArray]) -> bool:
    """Compute a group without its kernel; return False where that is not possible."""
    if any([isinstance(one.rule, UserRule) for one in group.nodes]):
        return False
    nbytes = sum([size(one.shape) * one.dtype.itemsize for one in group.nodes])
    ways: list[Callable[[Group, Node, Sequence[GpuArray]], bool]] = [_by_steps, _by_loops]
    if not node.device.is_gpu:
        ways.reverse()
    return nbytes <= tuning.MEANWHILE and any(way(group, node, results) for way in ways)


def _operations(group: Group) -> int:
    """The operations on elements that a group takes."""
    return sum([size(one.shape) for one in group.nodes]) or size(group.top.shape)


# Step by step


def _by_steps(group: Group, node: Node, results: Sequence[GpuArray]) -> bool:
    """Compute a group by one launch for each of its operations; return False where one cannot be launched."""
    reduced = node is not group.top and node.op.kind is Kind.REDUCTION
    if len(group.nodes) + reduced < 2:
        return False
    try:
        _run_steps(group, node, results, reduced)
    except KernelMissing:
        return False
    return True


def _run_steps(group: Group, node: Node, results: Sequence[GpuArray], reduced: bool) -> None:
    """Launch the operations of a group. ``reduced``: the node is a reduction of the value of the group."""
    operands, order = steps_in_order(group)
    wanted = {} if reduced else {group.reference: results[0]}
    wanted.update(zip(group.places, results[1:], strict=True))
    last = {reference: number for number in order for reference in operands[number]}
    values: dict[Reference, Node] = {}
    for number in order:
        one, reference = group.nodes[number], T[number]
        args = tuple([_operand(group, values, one, *pair) for pair in enumerate(operands[number])])
        made = new_node(one.op, args, one.rule, one.dtype, one.shape, one.device, 1)
        values[reference] = leaf(_into(made, wanted.get(reference)))
        for other in set(operands[number]):
            if other.kind == STEP and last[other] == number and other != group.reference and other not in wanted:
                del values[other]
        del args, made
    if reduced:
        value = _value(group, values, group.reference, group.top)
        over = replace(copy_of(value, value.array), kind=Kind.REDUCTION)
        _launch_one(over, node, results[:1])
        return
    for reference, out in ((group.reference, results[0]), *zip(group.places, results[1:], strict=True)):
        value = _value(group, values, reference, group.top)
        if value.array is not out:
            _launch_one(_fused(value), value, [out])


def _into(made: Node, out: GpuArray | None) -> GpuArray:
    """Compute an operation on arrays, into ``out`` if that is an array of its dtype and shape."""
    if out is None or (out.dtype, out.shape) != (made.dtype, made.shape):
        out = empty(made.device, made.dtype, made.shape)
    if out.size:
        _launch_one(_fused(made), made, [out])
    return out


def _operand(group: Group, values: dict[Reference, Node], one: Node, place: int, reference: Reference) -> Any:
    """The operand of an operation at a place: an array, a constant, or a scalar."""
    argument = one.args[place]
    if isinstance(argument, Node) or reference.kind == MEMORY:
        return _value(group, values, reference, argument)
    return group.scalars[reference.number]


def _value(group: Group, values: dict[Reference, Node], reference: Reference, argument: Any) -> Any:
    """The value of a reference of a group, as an operand."""
    kind, number = reference.kind, reference.number
    if kind == STEP:
        return values[reference]
    if kind == MEMORY:
        return Source(leaf(group.memory[number]))
    if kind == OPERAND:
        item = group.leaves[number]
        return iota(item, argument.device) if isinstance(item, Layout) else leaf(item)
    return constant(group.scalars[number], argument.dtype, argument.shape, argument.device)


def _fused(node: Node) -> Group:
    """The group of one operation on arrays, or of a copy."""
    found = fuse(node, Planned(), True)
    assert isinstance(found, Group), "all operands are in memory"
    return found


def _launch_one(group: Group, node: Node, results: Sequence[GpuArray]) -> None:
    """Launch one operation by its kernel, or on a CPU by loops; KernelMissing where it has neither."""
    _, make = launcher_of(group, node, results)
    arrays = [item for item in (*results, *group.leaves, *group.memory) if isinstance(item, GpuArray)]
    try:
        with without_compiler():
            make([item.storage.buffer for item in arrays])
    except KernelMissing:
        if node.device.is_gpu or not _by_loops(group, node, results):
            raise


# By loops


def _by_loops(group: Group, node: Node, results: Sequence[GpuArray]) -> bool:
    """Compute a group by loops in the host's memory; return False where that is not possible."""
    if group.kind is Kind.ROWS:
        return False
    device = node.device
    if not device.host_shared and _operations(group) > tuning.MEANWHILE_OPERATIONS:
        return False
    op: Any = node.op
    exact = group.kind is not Kind.REDUCTION or not op.monoid.rounds(op.accumulator(group.top.dtype))
    items = [*results, *group.leaves, *group.memory]
    loops = loops_for(device, [item for item in items if isinstance(item, GpuArray)], exact)
    if loops is None:
        return False
    borrowed = Borrowed(device, loops)
    outs, leaves, memory = (borrowed.all(each) for each in (results, group.leaves, group.memory))
    launched = by_loops(loops, group, node, outs, leaves, memory)
    if launched is None:
        return False
    arrays = [item for item in (*outs, *leaves, *memory) if isinstance(item, GpuArray)]
    launched.run([item.storage.buffer for item in arrays], group.scalars)
    borrowed.give_back(results)
    return True
