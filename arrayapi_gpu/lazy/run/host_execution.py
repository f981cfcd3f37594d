"""NumPy computes a few elements without a launch (see also `kernels.host.host_launch`), on devices in the host's
memory while the device rests.

It selects, and writes what is selected: by a mask, kernels take three launches and a wait for that. Indices were
checked before, where all are (`api.core.indexing`). And here is which operations of a group it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...config import config
from ...kernels.core import tuning
from ...kernels.core.store import stored
from ...kernels.host.on_host import (
    HostArray,
    OrderShows,
    addresses,
    casts,
    functions,
    may_compute,
    noted,
    placed,
    quiet,
    reducer,
    reduction,
    seen,
)
from ...memory.gpuarray import GpuArray
from ...memory.layout import size
from ..graph.graph import CONSTANT, IOTA, Leaf, Node, Reduce, Source, settle
from ..plan.fuse import Group
from ..plan.pushdown import Need, Planned, computed as in_memory


def selects_few(node: Node, key: Sequence[Any]) -> bool:
    """Whether a key with arrays selects so few elements of a node that NumPy may do it. ``key``: its arrays are nodes,
    or NumPy's."""
    device = node.device
    if not device.computes_on_host or size(node.shape) > tuning.ON_HOST:
        return False
    for item in key:
        if hasattr(item, "shape") and size(item.shape) > tuning.ON_HOST:
            return False
    return may_compute(device)


def taken(source: GpuArray, key: Sequence[Any]) -> GpuArray | None:
    """The elements that a key selects, with arrays in memory in it; None where these do not fit together."""
    device = source.storage.device
    device.wait()
    try:
        value = seen(source)[_items(key)]
    except IndexError:
        return None
    out = placed(device, source.dtype, value.shape, value)
    noted("gather", out)
    return out


def put(target: GpuArray, key: Sequence[Any], values: Node, evaluate: Callable[[Node], GpuArray]) -> bool:
    """Write values to the elements that a key selects, with arrays in memory in it; False where these, or the values,
    do not fit. Who reads the old elements has done so."""
    value = values.dtype.type(values.args[0]) if values.op is CONSTANT else seen(evaluate(values))
    target.storage.device.wait()
    memory = seen(target)
    try:
        memory[_items(key)] = _apart(value, memory)
    except (IndexError, TypeError, ValueError):
        return False
    noted("scatter", target)
    return True


class _NotComputed(Exception):
    """A value is planned as others are."""


def computed(top: Node) -> GpuArray | None:
    """The array of a pending value that is a few operations on few elements in memory; None of any other.

    Finding its launch or its plan takes longer than computing it. A larger graph has a plan as a whole.
    """
    value = _on_the_spot(top)
    if value is None:
        return None
    try:
        out = placed(top.device, top.dtype, top.shape, value)
    except MemoryError:
        return None
    noted(top.op.name, out)
    return settle(top, out)


def is_few(node: Node) -> bool:
    """Whether a value may be one that `computed` computes."""
    if not config.small_on_host or not node.device.computes_on_host:
        return False
    return node.weight <= tuning.FEW and size(node.shape) <= tuning.ON_HOST


def written(node: Node, out: GpuArray) -> bool:
    """Compute such a value, or copy one of few elements, into memory that is there; False of any other."""
    value = _on_the_spot(node)
    if value is None:
        return False
    if out.size:
        memory = seen(out)
        memory[...] = _apart(value, memory)
    noted("copy", out)
    return True


def _on_the_spot(top: Node) -> Any:
    if not is_few(top) or not may_compute(top.device):
        return None
    try:
        return seen(top.array) if top.array is not None else quiet.copy().run(_value, top, top, {})
    except (_NotComputed, OrderShows, MemoryError):
        return None


def _value(node: Node, top: Node, done: dict[Node, Any]) -> Any:
    """The value of an operation, `_NotComputed` of what is none. ``done``: those that are known."""
    rule = node.rule
    function = None if rule is None else functions[rule]
    if rule is None or function is None:
        if node.op is CONSTANT:
            return node.dtype.type(node.args[0])
        if node.op is IOTA:
            return addresses(node.args[0])
        if type(node.op) is Reduce:
            return _reduced(node, node.op, top, done)
        raise _NotComputed
    values = []
    for argument, dtype in zip(node.args, rule.args, strict=True):
        if type(argument) is not Node:
            if type(argument) is Source:
                raise _NotComputed
            values.append(dtype.type(argument))
            continue
        array = argument.array
        if array is not None:
            value = seen(array)
        else:
            known = done.get(argument)
            value = _value(argument, top, done) if known is None else known
        if argument.dtype is not dtype and argument.dtype != dtype:
            cast = casts[argument.dtype, dtype]
            if cast is None:
                raise _NotComputed
            value = cast(value)
        values.append(value)
    value = done[node] = function(*values)
    if node.handle is not None and node is not top and node.held:
        settle(node, placed(node.device, node.dtype, node.shape, value))
    return value


def _reduced(node: Node, op: Reduce, top: Node, done: dict[Node, Any]) -> Any:
    producer: Node = node.args[0]
    shape = producer.shape
    if size(shape) > tuning.ON_HOST or op.whole is not None:
        raise _NotComputed
    function = reduction(op.monoid, producer.dtype, node.dtype, shape, op.axes, node.device.target)
    if function is None:
        raise _NotComputed
    array = producer.array
    value = seen(array) if array is not None else _value(producer, top, done)
    return function(value).reshape(node.shape)


def lacking(group: Group, node: Node) -> list[Node] | None:
    """The operations of a small group whose bits NumPy lacks; None of one that NumPy does not compute. ``node``: what
    the group computes, its top or a reduction of that."""
    top = group.top
    if not top.device.computes_on_host or not config.small_on_host or size(top.shape) > tuning.ON_HOST:
        return None
    return [one for one in dict.fromkeys([*group.nodes, node]) if one.array is None and _lacks(one)]


def interpreted(group: Group, node: Node, planned: Planned) -> tuple[list[Need], list[int]]:
    """What to compute before a small group, so that NumPy makes all of it but one operation, whose kernel serves other
    expressions as well; and how often that was done for such a group, which after some times gets its own kernel."""
    own = lacking(group, node)
    if own is None or len(own) != 1 or not may_compute(node.device):
        return [], []
    if own[0] is node:
        pending = [child for child in node.args if type(child) is Node and in_memory(child, planned) is None]
        own = [child for child in pending if type(child.op) is not Leaf]
    times: list[int] = stored((interpreted, node.device, *group.key), lambda: [0])
    return [(needed, "NumPy makes the rest") for needed in own if times[0] < tuning.INTERPRETED], times


def _lacks(node: Node) -> bool:
    if node.rule is not None:
        return functions[node.rule] is None
    return isinstance(node.op, Reduce) and reducer(node.op.monoid, node.args[0].dtype) is None


def _apart(value: Any, memory: HostArray) -> Any:
    """A value whose elements stay what they are while memory is written: NumPy's ``x[::2] = x[:20]`` does not see to
    that."""
    shared = type(value) is np.ndarray and np.may_share_memory(memory, value)
    return value.copy() if shared else value


def _items(key: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([seen(item) if type(item) is GpuArray else item for item in key])


def on_host(node: Node) -> HostArray | None:
    """The elements of a small computed node as NumPy sees them; None where it may not, now."""
    array = node.array
    if array is None or not node.device.computes_on_host or array.size > tuning.ON_HOST:
        return None
    return seen(array) if may_compute(node.device) else None
