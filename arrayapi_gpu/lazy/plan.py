"""From pending nodes to launches: what is fused, what is cut, and the only plan cache.

`evaluate` computes a node. It walks the element-wise operations above the node's leaves, makes of them one `Body`, and
looks the body's key up among the plans. Where all arrays begin where their memory does, the launch itself is
remembered, by their forms: on the hot path it is repeated with new buffers, and for a single operation that is all.

A fused group is cut, which means that a node below is computed on its own first, where

* the node is a step (a reduction, a sort: a kernel of its own);
* the node is smaller than the result (it is broadcast) and a user still holds it, or it is costly to compute again for
  every element;
* the group would need more kernel arguments than the device takes.

A node of the result's shape that a user still holds is written by the same launch.

A reduction of rows of the result's shape that is broadcast back to it is no cut but a step of the group, and so are the
operations on what it gives. Such a group is *over rows* and has a kernel of another kind, `kernels.rows`: a softmax is
one launch.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..backends.base import Buffer, Device, DeviceError
from ..backends.locks import module_lock
from ..config import config
from ..kernels import rows
from ..kernels.dialect import ARRAY, MEMORY, RESULT, SCALAR, Body
from ..kernels.elementwise import Elementwise
from ..kernels.geometry import INT32, flat, geometry
from ..kernels.launch import STORED, Again
from ..kernels.ops import Op
from ..kernels.recent import Recent
from ..memory.gpuarray import NEAR, Form, GpuArray, empty
from ..memory.layout import Layout, contiguous_strides, size
from .graph import COMPUTED, CONSTANT, Handle, Leaf, Node, Reducing, Source, leaf, new_node
from .pending import only_reader

KNOWN = 2048  # launches that are remembered
CHEAP = 8  # the cost up to which a small node is computed again for every element it is broadcast to
INT64 = np.dtype("int64")

_lock = module_lock(globals(), "_lock")
# Launches, the forms of their results, and whether they are to be told offsets.
_known: Recent[tuple[Any, ...], tuple[Again, Form, bool]] = Recent(KNOWN)
_young = _known.young
_plans: Recent[tuple[Any, ...], Elementwise] = Recent(STORED)
_row_plans: Recent[tuple[Any, ...], rows.Rows] = Recent(STORED)
_fits: Recent[tuple[Any, ...], bool] = Recent(STORED)  # whether a row fits into what its kernel holds

if hasattr(os, "register_at_fork"):  # in the child devices refuse to launch, but these would not ask them
    os.register_at_fork(after_in_child=_known.clear)


@dataclass(slots=True)
class Group:
    """One launch to come: nodes to compute, and what they read.

    ``key``: the reference to the root, then to the operands of each node, in the order of ``nodes``; in front of the
    first reference to something stands what is to be known of it.
    """

    key: list[Any]
    leaves: list[GpuArray | Layout]  # arrays, and the layouts of index variables
    memory: list[GpuArray]
    scalars: list[Any]
    nodes: list[Node]  # from the root down
    kept: list[Node]  # results beside the root
    root: int  # reference
    axes: tuple[int, ...] | None  # of the rows that steps reduce, in a group over rows


def evaluate(node: Node) -> GpuArray:
    """The node's array, computed if it is not there yet."""
    array = node.array
    if array is None:
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


def write(node: Node, out: GpuArray) -> None:
    """Compute a node into memory that is there already (same shape, any strides)."""
    with _lock:
        _launch(cut(collect(node), node), node, out)


def settle(node: Node, array: GpuArray) -> GpuArray:
    """Make a node a leaf: it lets go of its operands. Its launch has been handed to the driver.

    After each of these steps the node is whole, in case an exception from a signal handler is raised here.
    """
    if node.readers is not None:
        storage = array.storage
        storage.readers = [*(storage.readers or ()), *node.readers]
    node.array = array
    node.rule = None
    node.op = COMPUTED
    node.args = ()
    node.weight = array.storage.weight
    return array


class Lost:
    """The operation of a value that cannot be computed any more: to ask for the value raises ``error``."""

    name = "lost"

    def __init__(self, error: Exception):
        self.error = error

    def run(self, node: Node) -> GpuArray:
        raise type(self.error)(*self.error.args)


def lost(error: Exception, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """A value that there is not: to ask for it raises an error."""
    return new_node(Lost(error), (), None, dtype, shape, device, 1)


def lose(node: Node, error: Exception) -> None:
    """Let everybody who asks for a pending value get an error."""
    node.op = Lost(error)
    node.rule = None
    node.args = ()


def _compute(node: Node) -> GpuArray:
    op = node.op
    single: list[Any]
    if node.rule is not None:
        single = [node.rule]
    elif isinstance(op, Reducing):
        single = [op, node.dtype, node.shape]
    elif isinstance(op, (Op, Leaf)):
        single = [None]
    else:
        return settle(node, op.run(node))
    simple = single[0] is not None
    # Most often it is one operation on arrays in memory and scalars, and most often one that was launched before. So
    # its launch is remembered under a key of its own, for which nothing has to be collected.
    buffers: list[Any] = [None]  # the first is to be the result's
    scalars: list[Any] = []
    last = None
    for argument in node.args:
        if argument is last:
            single.append(ARRAY)
        elif type(argument) is Node:
            array = argument.array
            if array is None:
                if argument.rule is not None or type(argument.op) is Leaf or argument.shape != node.shape:
                    simple = False
                    break
                report_cut(argument, "it is a kernel of its own")
                array = evaluate(argument)
            form = array.form or array.find_form()
            if form is None:
                simple = False
                break
            single.append(form)
            buffers.append(array.storage.buffer)
            last = argument
        else:
            single.append(SCALAR)
            scalars.append(argument)
    key = None
    if simple and not config.check:
        key = tuple(single)
        known = _young.get(key) or _known.get(key)
        if known is not None:
            again, form, moved = known
            try:
                out = form.empty()
                buffers[0] = out.storage.buffer
                again.run(buffers, scalars, _offsets(node) if moved else None)
            except MemoryError:  # the other way knows what to do
                pass
            else:
                return settle(node, out)
    launched: Again | None
    if isinstance(op, Reducing):
        out, group, launched = op.reduce(node)
    else:
        group = cut(collect(node), node)
        try:
            out = fresh(node.device, node.dtype, node.shape)
        except MemoryError:
            replaced = _operand_to_replace(node, group)
            if replaced is None:
                raise
            return _computed_in_place(node, group, replaced)
        launched = _launch(group, node, out)
    own = [item.storage.buffer for item in group.leaves if isinstance(item, GpuArray)]
    if key is not None and (buffers[1:], scalars) == (own, group.scalars):
        remember(key, launched, out)
    return settle(node, out)


def _computed_in_place(node: Node, group: Group, out: GpuArray) -> GpuArray:
    """Compute an element-wise node into the memory of an operand that nobody else will read, as there is after
    ``x += 1``."""
    try:
        _launch(group, node, out)
        return settle(node, out)
    except (DeviceError, MemoryError):  # refused: the memory is as it was
        raise
    except BaseException:
        lose(
            node,
            DeviceError(
                f"{node.device}: an array of shape {node.shape} was being computed in its own memory, for want of "
                "more, when the program was interrupted; its values are lost, make it again"
            ),
        )
        raise


def _operand_to_replace(node: Node, group: Group) -> GpuArray | None:
    """An operand of the group with the dtype and shape of its result, which only this group reads and no user holds."""
    if group.kept or group.axes is not None or not node.held:
        return None
    arrays = [item for item in group.leaves if isinstance(item, GpuArray)]
    operands = {argument for inner in group.nodes for argument in inner.args if type(argument) is Node}
    for array in arrays:
        storage = array.storage
        if (
            (array.dtype, array.shape) == (node.dtype, node.shape)
            and array.contiguous
            and sum(item.storage is storage for item in (*arrays, *group.memory)) == 1
            and not any(operand.array is array and _has_holder(operand) for operand in operands)
            and only_reader(storage, node)
        ):
            return array
    return None


def _has_holder(node: Node) -> bool:
    """Whether a user holds a node, computed ones included, which do not know: the garbage collector does."""
    return any(isinstance(other, Handle) and other._node is node for other in gc.get_referrers(node))


def _offsets(node: Node) -> list[int]:
    """The offsets of an operation's result, in fresh memory, and of its operands, which are arrays and scalars."""
    offsets = [0]
    last = None
    for argument in node.args:
        if type(argument) is Node and argument is not last:
            assert argument.array is not None
            offsets.append(argument.array.offset)
            last = argument
    return offsets


def repeat(
    facts: Sequence[Any], items: Sequence[GpuArray | Layout], scalars: Sequence[Any]
) -> tuple[tuple[Any, ...] | None, list[Buffer], Again | None]:
    """Launch for results, operands and gathered memory what was launched before, if it was.

    Gives the key by which it is remembered, of ``facts`` and forms, the buffers, and what was launched. The key is None
    where an array has no form.
    """
    buffers = []
    forms: list[Form | Layout | None] = []
    for item in items:
        if isinstance(item, GpuArray):
            forms.append(item.form or item.find_form())
            buffers.append(item.storage.buffer)
        else:
            forms.append(item)
    if None in forms:
        return None, buffers, None
    key = (*facts, *forms)
    known = _young.get(key) or _known.get(key)
    if known is None:
        return key, buffers, None
    launched, _, moved = known
    launched.run(buffers, scalars, [item.offset for item in items] if moved else None)
    return key, buffers, launched


def remember(key: tuple[Any, ...] | None, launched: Again | None, out: GpuArray) -> Again | None:
    """Remember a launch, and give it, unless it has no key, may not be made again, or is the first with a result of
    this form, since many forms are met once."""
    form = out.form
    if key is None or launched is None or form is None:
        return None
    if not form.met:
        form.met = True
        return None
    _known[key] = launched, form, any([type(item) is Form and item.moved for item in key])
    return launched


def collect(
    root: Node, compute: Any = evaluate, axes: tuple[int, ...] | None = None, over_rows: bool = True
) -> Group:
    """The group under a node. ``compute`` is called for nodes that need a launch of their own first.

    ``axes``: those along which the root is reduced next; ``over_rows``: whether a group over rows is allowed.
    """
    if root.array is not None:  # sum(x), say, where there is nothing to look for
        return Group([root.dtype, ARRAY], [root.array], [], [], [], [], ARRAY, None)
    shape = root.shape
    joined = False
    key: list[Any] = []
    leaves: list[GpuArray | Layout] = []
    memory: list[GpuArray] = []
    scalars: list[Any] = []
    nodes: list[Node] = []
    kept: list[Node] = []
    seen: dict[Node, int] = {}
    # The operands to look at; what is found below them is added while the loop runs. This is the hot path, so a node is
    # visited once, without a call.
    queue: list[tuple[Any, ...]] = []
    if root.rule is not None:
        seen[root] = RESULT
        nodes.append(root)
        queue.append(root.args)
        key += (root.rule, RESULT)
    else:
        queue.append((root,))
    for arguments in queue:
        for argument in arguments:
            if type(argument) is Node:
                reference = seen.get(argument)
                if reference is None:
                    rule, array = argument.rule, argument.array
                    if rule is not None:
                        own = argument.shape
                        inside = own is shape or own == shape
                        holder = None if argument.handle is None else argument.handle()
                        held = holder is not None and holder._node is argument
                        of_rows = False
                        if inside or not (
                            (held or argument.weight > CHEAP or rule.cost > CHEAP)
                            and repays(own, shape)
                            and not (of_rows := over_rows and is_over_rows(argument, shape, axes))
                        ):
                            seen[argument] = reference = len(nodes) * 4 + RESULT
                            nodes.append(argument)
                            queue.append(argument.args)
                            key.append(rule)
                            if held and (inside or of_rows):
                                kept.append(argument)
                                key.append("kept")
                            key.append(reference)
                            continue
                        report_cut(argument, f"it is held or dear, and smaller than {shape}")
                        array = compute(argument)
                    elif array is None and type(argument.op) is not Leaf:
                        operation = argument.op
                        if over_rows and isinstance(operation, Reducing) and is_over_rows(argument, shape, axes):
                            axes, joined = operation.axes, True
                            seen[argument] = reference = len(nodes) * 4 + RESULT
                            nodes.append(argument)
                            queue.append(argument.args)
                            key.append(operation.fold(argument))
                            if argument.held:
                                kept.append(argument)
                                key.append("kept")
                            key.append(reference)
                            continue
                        report_cut(argument, "it is a kernel of its own")
                        array = compute(argument)
                    if array is not None:
                        reference = len(leaves) * 4 + ARRAY
                        leaves.append(array)
                        key.append(array.dtype)
                    elif argument.op is CONSTANT:
                        reference = len(scalars) * 4 + SCALAR
                        scalars.append(argument.args[0])
                        key.append("constant")
                        key.append(argument.dtype)
                    else:
                        reference = len(leaves) * 4 + ARRAY
                        leaves.append(argument.args[0])
                        key.append("iota")
                    seen[argument] = reference
            elif type(argument) is Source:
                reference = len(memory) * 4 + MEMORY
                memory.append(compute(argument.node))
                key.append(argument.node.dtype)
            else:
                reference = len(scalars) * 4 + SCALAR
                scalars.append(argument)
            key.append(reference)
    for node in nodes:
        if node.array is not None:  # computing one node on the way computed another that was already taken in
            return collect(root, compute, axes, over_rows)
    group = Group(key, leaves, memory, scalars, nodes, kept, seen[root], axes if joined else None)
    if joined and not _rows_fit(group, root):
        return collect(root, compute, axes, over_rows=False)
    return group


def is_over_rows(node: Node, shape: tuple[int, ...], axes: tuple[int, ...] | None) -> bool:
    """Whether a node, smaller than ``shape``, is a reduction of rows of it, or made of such ones.

    ``axes``: the only ones that may be reduced, if some are already.
    """
    stack, seen = [node], set()
    while stack:
        node = stack.pop()
        op = node.op
        if node.array is not None or node in seen:
            continue
        seen.add(node)
        if isinstance(op, Reducing):
            kept = tuple(1 if axis in op.axes else n for axis, n in enumerate(shape))
            if (
                op.joins
                and node.args[0].shape == shape
                and op.axes == (axes or op.axes)
                and kept == (1,) * (len(shape) - len(node.shape)) + node.shape
                and rows.possible(shape, op.axes, node.device.lanes)
            ):
                return True
        elif node.rule is not None and node.shape != shape:
            stack += [argument for argument in node.args if type(argument) is Node]
    return False


def _rows_fit(group: Group, root: Node) -> bool:
    """Whether the kernel over rows can take a group, with results in fresh memory."""
    assert group.axes is not None
    device, shape = root.device, root.shape
    results = [(node.shape, contiguous_strides(node.shape)) for node in (root, *group.kept)]
    extents = tuple(node.shape == shape for node in (root, *group.kept))
    layouts = (*results, *_layouts(group.leaves))
    walk = rows.walk_over(shape, group.axes, layouts, extents, device.lanes, device.max_group)
    if walk is None:
        return False
    lookup = (device.name, walk.form, *group.key)
    fits = _fits.get(lookup)
    if fits is None:
        fits = _fits[lookup] = rows.fits(device, body_of(group, root, root.dtype), walk.form)
    return fits


def report_cut(node: Node, reason: str) -> None:
    """Say why a node is computed apart from those above it (``config.debug`` of 3 and more)."""
    if config.debug > 2:
        print(f"[arrayapi_gpu] cut at {node.op!r} {node.dtype}{list(node.shape)}: {reason}")


def repays(own: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a held or dear node of shape ``own`` is broadcast to so large a ``shape`` that it is better computed on
    its own."""
    return size(own) * 4 <= size(shape)


def cut(group: Group, root: Node, axes: tuple[int, ...] | None = None, over_rows: bool = True) -> Group:
    """The group within the device's limit on kernel arguments: while it is too large, a part of it is computed
    first. ``axes`` and ``over_rows`` are those of `collect`."""
    if len(group.leaves) + len(group.scalars) < 16 and len(root.shape) < 5:
        return group
    device = root.device
    while True:
        arrays = len(group.leaves) + len(group.memory) + len(group.kept) + 1
        scalars = sum([16 if type(value) is complex else 8 for value in group.scalars])
        needed = arrays * 8 * (2 + len(root.shape)) + scalars + 8 * len(root.shape) + 64
        if needed <= device.parameter_bytes:
            return group
        inner = [node for node in group.nodes if node is not root and 2 * node.weight < root.weight + 2]
        if not inner:
            return group
        heaviest = max(inner, key=lambda node: node.weight)
        report_cut(heaviest, f"the kernel needs {needed} bytes of arguments, the device takes {device.parameter_bytes}")
        evaluate(heaviest)
        group = collect(root, axes=axes, over_rows=over_rows)


def _launch(group: Group, root: Node, out: GpuArray) -> Again | None:
    """Compute the root into ``out``, and the group's kept nodes into fresh memory. What was launched is returned if it
    is remembered."""
    if not out.size:
        for node in group.kept:
            settle(node, fresh(node.device, node.dtype, node.shape))
        return None
    if group.axes is not None:
        launch_rows(group, root, root, out)
        return None
    device = root.device
    leaves, kept, shape = group.leaves, group.kept, root.shape
    results = [out, *[fresh(device, node.dtype, shape) for node in kept]] if kept else [out]
    operands = [*results, *leaves]
    items = [*operands, *group.memory]
    key, buffers, launched = repeat(group.key, items, group.scalars)
    if launched is None:
        offsets = [item.offset for item in items]
        side_by_side = all(isinstance(item, GpuArray) and item.contiguous and item.shape == shape for item in operands)
        walk = flat(out.size, len(operands)) if side_by_side else geometry(shape, tuple(_layouts(operands)))
        wide = walk.reach + max(map(abs, offsets)) > INT32
        lookup = (device.name, walk.kind, wide, out.dtype, *group.key)
        plan = _plans.get(lookup)
        if plan is None:
            plan = _plans[lookup] = Elementwise(device, body_of(group, root, out.dtype), walk, wide)
        launched = plan.run(walk, buffers, offsets, group.scalars)
        launched = None if walk.reach >= NEAR and any(offsets) else remember(key, launched, out)
    if kept:
        for node, array in zip(kept, results[1:], strict=True):
            settle(node, array)
    return launched


def launch_rows(group: Group, root: Node, node: Node, out: GpuArray) -> None:
    """Compute a group over rows of the root's shape: ``node``, which is the root or a reduction of it, into ``out``,
    and the kept nodes into fresh memory."""
    assert group.axes is not None
    device, shape, axes = root.device, root.shape, group.axes
    leaves, kept = group.leaves, group.kept
    layouts: list[Any] = [(out.shape, out.strides)]
    if node is not root:
        assert isinstance(node.op, Reducing)
        reduced = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
        layouts = [(reduced, contiguous_strides(reduced))]
        group = replace(
            group,
            key=[*group.key, node.op.fold(node), group.root],
            nodes=[*group.nodes, node],
            root=len(group.nodes) * 4 + RESULT,
        )
    results = [out]
    for other in kept:
        results.append(fresh(device, other.dtype, other.shape))
        layouts.append((other.shape, results[-1].strides))
    extents = (node is root, *[other.shape == shape for other in kept])
    walk = rows.walk_over(shape, axes, (*layouts, *_layouts(leaves)), extents, device.lanes, device.max_group)
    if walk is None:  # for the layout of ``out``, in which the elements of a row are not evenly spaced
        whole = fresh(device, out.dtype, out.shape)
        launch_rows(group, root, node, whole)
        write(leaf(whole), out)
        return
    lookup = (device.name, walk.form, out.dtype, *group.key)
    plan = _row_plans.get(lookup)
    if plan is None:
        plan = _row_plans[lookup] = rows.Rows(device, body_of(group, node, out.dtype), walk.form)
    plan.run(walk, results, leaves, group.memory, group.scalars)
    for other, array in zip(kept, results[1:], strict=True):
        settle(other, array)


def _layouts(leaves: list[GpuArray | Layout]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(item.shape, item.strides) for item in leaves]


def body_of(group: Group, root: Node, dtype: np.dtype[Any]) -> Body:
    """The group as the kernels take it, every step after those that it needs."""
    references = iter([item for item in group.key if type(item) is int][1:])
    operands = [[next(references) for _ in node.args] for node in group.nodes]
    order: dict[int, int] = {}
    if group.root & 3 == RESULT:
        _order(group.root >> 2, operands, order)

    def ordered(reference: int) -> int:
        return order[reference >> 2] * 4 + RESULT if reference & 3 == RESULT else reference

    scalars: list[np.dtype[Any]] = [root.dtype] * len(group.scalars)
    steps = []
    for number in order:
        node = group.nodes[number]
        rule = node.rule
        if rule is None:
            assert isinstance(node.op, Reducing)
            rule = node.op.fold(node)
        for argument, wanted, reference in zip(node.args, rule.args, operands[number], strict=True):
            if reference & 3 == SCALAR:
                scalars[reference >> 2] = argument.dtype if type(argument) is Node else wanted
        steps.append((rule, tuple(map(ordered, operands[number]))))
    kept = [order[group.nodes.index(node)] * 4 + RESULT for node in group.kept]
    return Body(
        tuple((INT64, True) if isinstance(item, Layout) else (item.dtype, False) for item in group.leaves),
        tuple(array.dtype for array in group.memory),
        tuple(scalars),
        tuple(steps),
        (ordered(group.root), *kept),
        (dtype, *[node.dtype for node in group.kept]),
    )


def _order(number: int, operands: list[list[int]], order: dict[int, int]) -> None:
    """Give a node its place, after the nodes that it needs: one branch after the other, so that few values wait."""
    for reference in operands[number]:
        if reference & 3 == RESULT and reference >> 2 not in order:
            _order(reference >> 2, operands, order)
    order[number] = len(order)
