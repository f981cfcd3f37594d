"""Small graphs: expressions of few elements on devices in the host's memory, which NumPy computes.

What is computed is the same as elsewhere, with the same bits (`kernels.on_host`), but nothing is planned, compiled or
launched. `computed` looks whether all of a graph is of that kind, and else leaves it to the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Device
from ..config import config
from ..kernels import tuning
from ..kernels.on_host import HostArray, casts, functions, noted, placed, reducer, seen, whole
from ..memory.gpuarray import GpuArray
from ..memory.layout import Layout, contiguous_strides, size
from .graph import CONSTANT, IOTA, Concat, Leaf, Node, Reduce, Roll, Source, View, settle
from .launches import unknown
from .movement import Plan, alone

_UINT64 = np.dtype("uint64")


class _Order(Exception):
    """The order in which kernels combine elements shows after all."""


def computed(top: Node, evaluate: Callable[[Node], GpuArray]) -> GpuArray | None:
    """The array of a pending node, if NumPy computes it; None where kernels have to.

    ``evaluate`` computes what is a kernel of its own.
    """
    value = value_of(top, evaluate)
    if value is None or top.array is not None:
        return top.array
    try:
        out = placed(top.device, top.dtype, top.shape, value)
    except MemoryError:  # the other way knows what to do
        return None
    noted(top.op.name, out)
    unknown()
    return settle(top, out)


def written(node: Node, out: GpuArray, evaluate: Callable[[Node], GpuArray]) -> bool:
    """Compute a node into memory that is there already, if NumPy computes it."""
    value = value_of(node, evaluate)
    if value is None:
        return False
    node.device.wait()
    if out.size:
        seen(out)[...] = value
    noted("copy", out)
    unknown()
    return True


def taken(source: GpuArray, key: Sequence[Any]) -> GpuArray | None:
    """The few elements that a key with arrays selects (`selects_few`), whose nodes are computed; None where NumPy
    refuses."""
    device = source.storage.device
    device.wait()
    try:
        value = seen(source)[_items(key)]
    except (IndexError, ValueError):
        return None
    out = placed(device, source.dtype, value.shape, value)
    noted("gather", out)
    unknown()
    return out


def put(target: GpuArray, key: Sequence[Any], values: Node, evaluate: Callable[[Node], GpuArray]) -> bool:
    """Write values to the elements that a key with arrays selects, as `taken`; False where nothing was done.

    Who reads the old elements has done so.
    """
    value = value_of(values, evaluate)
    if value is None:
        value = seen(evaluate(values))
    target.storage.device.wait()
    memory = seen(target)
    if np.may_share_memory(memory, value):
        value = value.copy()
    try:
        memory[_items(key)] = value
    except (IndexError, ValueError):
        return False
    noted("scatter", target)
    unknown()
    return True


def selects_few(node: Node, key: Sequence[Any]) -> bool:
    """Whether a key with arrays selects so few elements of a node that NumPy looks for them.

    ``key``: arrays in it are nodes, or NumPy's.
    """
    if not _may_compute(node.device):
        return False
    arrays = [item for item in key if hasattr(item, "shape")]
    elements, most = size(node.shape), max([size(item.shape) for item in arrays])
    if node.array is None and elements > tuning.ON_HOST:
        return False
    # NumPy takes uint64 for int64, and looks at no index where nothing is selected: it would refuse too little.
    if not elements or any([item.dtype == _UINT64 for item in arrays]):
        return False
    return most <= tuning.ON_HOST and most * elements <= tuning.SELECTED


def _items(key: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([seen(item.array) if type(item) is Node else item for item in key])  # type: ignore[arg-type]


def _may_compute(device: Device) -> bool:
    """Whether NumPy may compute on a device. It holds no buffers, so it does not where memory may move."""
    spilling = device.pool.spilling
    return config.small_on_host and device.computes_on_host and (spilling is None or not spilling.moves)


def value_of(top: Node, evaluate: Callable[[Node], GpuArray]) -> Any:
    """What NumPy makes of a node; None where kernels have to compute it, maybe of what is computed here."""
    found = parts_of(top, None)
    if found is None:
        return None
    for needed in found.first:
        evaluate(needed)
    if found.kernel:
        return None
    top.device.wait()
    with np.errstate(all="ignore"):
        try:
            return _Values(top, evaluate).of(top)
        except _Order:
            return None


class Parts(NamedTuple):
    """How a small graph is computed: what is needed ``first``, and whether its top is one ``kernel`` for that."""

    first: list[Node]
    kernel: bool


def parts_of(top: Node, planned: Plan | None) -> Parts | None:
    """The parts of a graph; None where it is not small, and where several operations have bits of their own, which
    one kernel computes. ``planned``: as `fuse.fuse` has it.

    One such operation has a kernel for itself alone, so that the next expression with it finds it compiled.
    """
    most, shape = tuning.ON_HOST, top.shape
    if size(shape) > most or not _may_compute(top.device):
        return None
    steps: list[Node] = []
    own: Node | None = None
    stack, met = [top], {top}
    while stack:
        node = stack.pop()
        if node.array is not None or (planned is not None and node in planned):
            continue
        if node.shape is not shape and size(node.shape) > most:
            return None
        rule, op = node.rule, node.op
        if rule is not None:
            if functions[rule] is None:
                if own is not None:
                    return None
                own = node
        elif type(op) is Reduce:
            producer: Node = node.args[0]
            if reducer(op.monoid, producer.dtype) is None or size(producer.shape) > most:
                return None
        elif type(op) is View:
            if op.own is not None:
                continue
        elif type(op) not in _KNOWN:
            if node is top:
                return None
            steps.append(node)
            continue
        for child in node.args:
            if type(child) is Source:
                child = child.node
                if child.array is None and child not in met:
                    met.add(child)
                    steps.append(child)
            elif type(child) is Node and child.array is None and child not in met:
                met.add(child)
                stack.append(child)
    if own is top:
        steps += [child for child in top.args if type(child) is Node and type(child.op) is not Leaf]
    elif own is not None:
        steps.append(own)
    return Parts(steps, own is top)


_KNOWN = frozenset((Leaf, Roll, Concat))


class _Values:
    """The values of a graph."""

    def __init__(self, top: Node, evaluate: Callable[[Node], GpuArray]):
        self._top, self._evaluate = top, evaluate
        self._done: dict[Node, Any] = {}

    def of(self, node: Node) -> Any:
        """The value of a node: an array of its shape, or a scalar."""
        if node.array is not None:
            return seen(node.array)
        done = self._done
        value = done.get(node)
        if value is None:
            value = done[node] = self._new(node)
            if node.handle is not None and node is not self._top and node.array is None and node.held:
                settle(node, placed(node.device, node.dtype, node.shape, value))
        return value

    def full(self, node: Node) -> HostArray:
        """The value of a node with all its elements."""
        value = self.of(node)
        if np.shape(value) == node.shape:
            return np.asarray(value)
        return np.broadcast_to(value, node.shape)

    def _new(self, node: Node) -> Any:
        rule, op = node.rule, node.op
        if rule is not None:
            function = functions[rule]
            assert function is not None
            values = []
            for argument, dtype in zip(node.args, rule.args, strict=True):
                if type(argument) is Node:
                    value = self.of(argument)
                    if argument.dtype is not dtype and argument.dtype != dtype:
                        value = casts[argument.dtype, dtype](value)  # type: ignore[misc]
                    values.append(value)
                elif type(argument) is Source:
                    memory = argument.node.array
                    assert memory is not None, "it was computed before"
                    values.append(whole(memory))
                else:
                    values.append(dtype.type(argument))
            return function(*values)
        if type(op) is View:
            return self._viewed(node, op)
        if type(op) is Reduce:
            return self._reduced(node, op)
        if type(op) is Roll:
            return np.roll(self.full(node.args[0]), op.shifts, tuple(range(len(op.shifts))))
        if type(op) is Concat:
            return np.concatenate([self.full(part) for part in node.args], op.axis)
        if op is CONSTANT:
            return node.dtype.type(node.args[0])
        assert op is IOTA
        return addresses(node.args[0])

    def _viewed(self, node: Node, op: View) -> HostArray:
        if op.own is not None:
            return seen(op.own)
        root: Node = node.args[0]
        if root.array is None and not alone(node):
            self._evaluate(root)
        if root.array is not None:
            return seen(node.array if node.array is not None else op.run(node))
        value = np.ascontiguousarray(self.full(root))
        layout = op.change(Layout(root.shape, contiguous_strides(root.shape), 0))
        assert layout is not None, "a view was made of it"
        if 0 in layout.shape:
            return np.empty(layout.shape, node.dtype)
        step = node.dtype.itemsize
        strides = tuple([s * step for s in layout.strides])
        return np.ndarray(layout.shape, node.dtype, value, layout.offset * step, strides)

    def _reduced(self, node: Node, op: Reduce) -> Any:
        producer: Node = node.args[0]
        function = reducer(op.monoid, producer.dtype)
        assert function is not None
        value = function(self.full(producer), op.axes, node.device.target)
        if value is None:
            raise _Order
        if value.dtype != node.dtype:
            value = casts[value.dtype, node.dtype](value)  # type: ignore[misc]
        return value.reshape(node.shape)


def addresses(layout: Layout) -> HostArray:
    """The elements of an index variable."""
    shape, strides, offset = layout
    found = np.asarray(offset)
    for axis, (n, step) in enumerate(zip(shape, strides, strict=True)):
        if step:
            found = found + (np.arange(n) * step).reshape(-1, *[1] * (len(shape) - 1 - axis))
    return np.broadcast_to(found, shape)
