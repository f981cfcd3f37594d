"""NumPy computes few elements without a launch on devices in the host's memory while the device rests.

`computed` computes a small expression; the interpreter is `kernels.host.on_host`. `taken` and `put` select elements by
a key with arrays and write to them. NumPy needs no launch for that, while kernels take three launches and a wait if the
key is a mask. The indices of the key are checked already, as all indices are (`api.core.indexing`). `interpreted`
says which values the planner computes before a group, and `lacking` which operations of a group NumPy lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...backends.events import Event, is_listening, listeners, note, start
from ...backends.host_memory import quiet
from ...config import config, unusual
from ...kernels.core import tuning
from ...kernels.core.operation import Kind
from ...kernels.core.store import stored
from ...kernels.host.on_host import (
    HostArray,
    KernelNeeded,
    addresses,
    cast,
    function_of,
    may_compute,
    noted,
    placed,
    reducer,
    reduction,
)
from ...kernels.maps.copy import copied_few
from ...memory.gpuarray import GpuArray, numpy_view, signature_of
from ...memory.layout import size
from ..graph.dependencies import all_below
from ..graph.graph import CONSTANT, IOTA, Node, Source, settle
from ..plan.fuse import Group
from ..plan.pushdown import Need, Planned, computed as in_memory


def selects_few(node: Node, key: Sequence[Any]) -> bool:
    """Whether NumPy may select elements of a node by a key: the node and the arrays in the key have few elements.
    ``key``: its arrays are nodes or NumPy's."""
    if size(node.shape) > tuning.ON_HOST:
        return False
    for item in key:
        if hasattr(item, "shape") and size(item.shape) > tuning.ON_HOST:
            return False
    return may_compute(node.device)


def taken(source: GpuArray, key: Sequence[Any]) -> GpuArray | None:
    """The elements that a key selects; None if the arrays in the key cannot be broadcast. ``key``: its arrays are in
    memory."""
    device = source.storage.device
    device.wait()
    started = start(device, "gather", on_host=True)
    try:
        value = numpy_view(source)[_items(key)]
    except IndexError:
        return None
    out = placed(device, source.dtype, value.shape, value)
    noted("gather", out, started, out)
    return out


def put(target: GpuArray, key: Sequence[Any], values: Node, evaluate: Callable[[Node], GpuArray]) -> bool:
    """Write values to the elements that a key selects; return False if the arrays in the key or the values cannot be
    broadcast. ``key``: its arrays are in memory. The caller has computed all that reads the old elements."""
    if values.op is CONSTANT:  # whose shape must fit the key, as that of other values
        value = np.broadcast_to(values.dtype.type(values.args[0]), values.shape)
    else:
        value = numpy_view(evaluate(values))
    target.storage.device.wait()
    started = start(target.storage.device, "scatter", on_host=True)
    try:
        _assign(target, _items(key), value)
    except (IndexError, TypeError, ValueError):
        return False
    noted("scatter", target, started)
    return True


def is_few(node: Node) -> bool:
    """Whether a value is so small that `computed` may compute it: operations, reductions, constants, and arrays in
    memory. Loops of the device take less time than NumPy, but have no constants."""
    if node.rule is not None:
        if node.device.loops is not None:
            return False
    elif (kind := node.op.kind) is not Kind.ELEMENTWISE and (
        kind is not Kind.REDUCTION or node.device.loops is not None
    ):
        return False
    on_host = config.small_on_host and node.device.computes_on_host
    return on_host and node.weight <= tuning.FEW and size(node.shape) <= tuning.ON_HOST


def is_copied(node: Node) -> bool:
    """Whether a value is written somewhere by computing it and copying its elements (`copy_few`), because it has few of
    these: its plan is kept, and a launch into any memory is not."""
    return node.device.loops is not None and size(node.shape) <= tuning.ON_HOST and node.op is not CONSTANT


def counts_alone(node: Node) -> bool:
    """Whether the copy of a value is listed as a launch of its own, if launches are listed: the value is in memory, or
    its own launches could not write to any memory. Otherwise the copy is part of the launch that computes the value."""
    if not is_listening():
        return False
    return (
        node.array is not None
        or node.op.kind is Kind.STEP
        or any([value.op.kind is Kind.PARTS for value in all_below([node])])
    )


def copy_few(source: GpuArray, target: GpuArray, counted: bool) -> None:
    """Copy few elements to another array of this shape and dtype, on a device with loops. ``counted``: whether this is
    listed (`counts_alone`)."""
    own, other = target.storage, source.storage
    exposed = own.device.exposed and own.buffer.exposed and other.buffer.exposed
    if own is other or exposed:  # they may have elements in common
        between = signature_of(own.device, source.dtype, source.shape).empty()
        copied_few(source, between)
        source = between
    started = start(own.device, "copy") if counted else None
    copied_few(source, target)
    if started is not None:
        note(Event("copy", own.device.name, target.size, source.nbytes, target.nbytes), started)


def computed(top: Node, out: GpuArray | None = None) -> GpuArray | None:
    """The memory of a value that NumPy computes now: ``out``, or fresh memory. None of a value that is more than a few
    operations on few elements in memory, or that needs a kernel.

    The look-up of its launch or its plan would take longer than the computation. A larger graph has a plan as a whole.
    """
    if not is_few(top) or not may_compute(top.device):
        return None
    values: dict[Node, Any] = {}
    started = start(top.device, "", True) if listeners or (unusual and config.debug > 1) else None
    try:
        if top.array is not None:
            value = numpy_view(top.array)
        elif top.op is CONSTANT:
            value = top.dtype.type(top.args[0])
        else:
            value = quiet.copy().run(_value, top, values)
        for node in values:
            if node.handle is not None and node is not top and node.held:
                settle(node, placed(node.device, node.dtype, node.shape, values[node]))
        if out is None:
            out = placed(top.device, top.dtype, top.shape, value)
        else:
            _assign(out, ..., value)
    except (KernelNeeded, MemoryError):
        return None
    if started is not None:
        noted(top.op.name, out, started, *_operands_of([*values] or [top]))
    return out


def _operands_of(nodes: Sequence[Node]) -> list[GpuArray]:
    """The arrays in memory that the operations of some nodes read."""
    found = [item.array for node in nodes for item in node.args if type(item) is Node and item not in nodes]
    return [array for array in dict.fromkeys(found) if array is not None]


def _value(node: Node, values: dict[Node, Any]) -> Any:
    """The value of a pending node; `KernelNeeded` if NumPy lacks an operation. ``values``: the values of the operations
    that are computed, to which this one is added."""
    rule = node.rule
    if rule is None:
        return _value_without_rule(node, values)
    function = function_of(rule)
    if function is None:
        raise KernelNeeded
    operands = []
    for argument, dtype in zip(node.args, rule.args, strict=True):  # a hot path: arrays and casts without a call
        if type(argument) is Node:
            array = argument.array
            if array is not None:
                value = numpy_view(array)
            else:
                value = values[argument] if argument in values else _value(argument, values)
            if argument.dtype is not dtype:
                value = cast(value, dtype)
        elif type(argument) is Source:
            raise KernelNeeded
        else:
            value = dtype.type(argument)
        operands.append(value)
    value = values[node] = function(*operands)
    return value


def _value_without_rule(node: Node, values: dict[Node, Any]) -> Any:
    op: Any = node.op
    args = node.args
    if op is CONSTANT:
        return node.dtype.type(args[0])
    if op is IOTA:
        return addresses(args[0])
    function = None
    if op.kind is Kind.REDUCTION and op.whole is None and size(shape := args[0].shape) <= tuning.ON_HOST:
        function = reduction(op.monoid, args[0].dtype, node.dtype, shape, op.axes, node.shape, node.device.target)
    if function is None:
        raise KernelNeeded
    array = args[0].array
    return function(numpy_view(array) if array is not None else _value(args[0], values))


def lacking(group: Group, node: Node) -> list[Node] | None:
    """The operations of a small group whose bits NumPy lacks; None of a group that NumPy must not compute. ``node``:
    the value that the group computes, which is its top or a reduction of its top."""
    top = group.top
    device = top.device
    by_numpy = config.small_on_host and device.computes_on_host and device.loops is None  # loops compute whole groups
    if not by_numpy or group.first is not None or size(top.shape) > tuning.ON_HOST:
        return None
    return [one for one in dict.fromkeys([*group.nodes, node]) if one.array is None and _lacks(one)]


def interpreted(group: Group, node: Node, planned: Planned) -> tuple[list[Need], list[int]]:
    """The values to compute before a small group with one operation that NumPy lacks, and the counter of such plans.

    NumPy computes the rest, so that the kernel of the operation serves other expressions as well. After
    `tuning.INTERPRETED` plans the group gets a separate kernel.
    """
    own = lacking(group, node)
    if own is None or len(own) != 1 or not may_compute(node.device):
        return [], []
    if own[0] is node:
        pending = [child for child in node.args if type(child) is Node and in_memory(child, planned) is None]
        own = [child for child in pending if child.op not in (CONSTANT, IOTA)]
    times: list[int] = stored((interpreted, node.device, *group.key), lambda: [0])
    return [(needed, "NumPy computes the rest") for needed in own if times[0] < tuning.INTERPRETED], times


def _lacks(node: Node) -> bool:
    if node.rule is not None:
        return function_of(node.rule) is None
    op: Any = node.op
    return op.kind is Kind.REDUCTION and reducer(op.monoid, node.args[0].dtype) is None


def _assign(target: GpuArray, key: Any, value: Any) -> None:
    """Write a value to the elements that a key selects. A value in the same memory is copied first, because NumPy does
    not handle all cases: ``x[::2] = x[:20]``."""
    memory = numpy_view(target)
    shared = type(value) is np.ndarray and np.may_share_memory(memory, value)
    memory[key] = value.copy() if shared else value


def _items(key: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([numpy_view(item) if type(item) is GpuArray else item for item in key])


def small_elements(node: Node) -> HostArray | None:
    """NumPy's view of a node in memory with few elements; None of any other, and while NumPy must not read memory."""
    array = node.array
    if array is None or array.size > tuning.ON_HOST or not may_compute(node.device):
        return None
    return numpy_view(array)
