"""The graph: nodes, and the handles that users hold.

A node is one of

* a *leaf*: it is computed, and ``array`` holds its memory;
* a *constant*: one value for a whole shape;
* an *iota*: the index variable, whose elements are their own (virtual) addresses, so that arange, eye and linspace are
  plain expressions that cost no memory;
* an *operation*: an element-wise `Op` over other nodes, which may be fused with the nodes around it;
* a *step*: an operation with a kernel of its own (a reduction, a sort), whose operands are fused into that kernel or
  computed before it;
* a *view* of a pending value (`lazy.plan.pushdown`);
* a *roll* of an array;
* a *concat* of several operands.

Shape, dtype and device are known when a node is made; only arithmetic is deferred. A handle may change its node, as
``x += y`` does. A node never changes its value.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...backends.base import Device
from ...kernels.core.operation import Interval, Kind, Operation
from ...kernels.core.ops import OPS, Rule, UserRule
from ...memory.dtypes import NARROWER
from ...memory.gpuarray import MAX_WEIGHT, GpuArray, Storage
from ...memory.layout import Layout, c_order, extent
from .expressions import addresses, full


class Leaf(Operation):
    """The operation of nodes that have nothing to compute."""

    __slots__ = ("name",)

    kind = Kind.ELEMENTWISE

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name


class ConstantLeaf(Leaf):
    """One value for a whole shape: the only argument of the node, a Python scalar."""

    __slots__ = ()

    def key(self, node: Node) -> tuple[Any, ...]:
        return (node.dtype,)

    def moved(self, node: Node, layout: Layout, mover: Any) -> Node:
        return constant(node.args[0], node.dtype, layout.shape, node.device)

    def rolled(self, node: Node, shifts: tuple[int, ...], roll: Callable[[Node, tuple[int, ...]], Node | None]) -> Node:
        return node

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval:
        return args[0], args[0]

    def value(self, node: Node, args: tuple[Any, ...]) -> Any:
        return args[0]

    def expression(self, node: Node, *operands: str) -> str:
        return full(node.shape, node.args[0], node.dtype, node.device)


class IotaLeaf(Leaf):
    """The addresses of the elements of a layout, which is the only argument of the node."""

    __slots__ = ()

    def key(self, node: Node) -> tuple[Any, ...]:
        return node.args

    def moved(self, node: Node, layout: Layout, mover: Any) -> Node | None:
        own = mover.read(node.args[0], layout, node.device)
        return None if own is None else iota(own, node.device)

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        return extent(args[0])

    def expression(self, node: Node, *operands: str) -> str:
        return addresses(node.args[0], node.device)


HOST = 1 << 40  # the weight of values in host memory: more than any launch may have
SKETCH_BITS = 1021  # bits that count the parts of an expression: a prime, many times the largest weight
PROBED = 24  # values that are searched for one that is shared
POSITIVE = OPS["positive"]
_numbers = itertools.count()
_BITS = [1 << number for number in range(SKETCH_BITS)]

COMPUTED = Leaf("array")
MOVED = Leaf("moved array")  # reads memory through a layout of its own, see `lazy.plan.pushdown`
CONSTANT = ConstantLeaf("constant")
IOTA = IotaLeaf("iota")


class Node:
    """A value: its dtype, shape and device, and either its ``array`` or the operation that computes it."""

    __slots__ = (
        "__weakref__", "args", "array", "device", "dtype", "handle", "met", "op", "readers", "rule", "shape", "sketch",
        "sums", "views", "weight",
    )  # fmt: skip

    op: Operation
    args: tuple[Any, ...]
    rule: Rule | None  # of operations
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    device: Device
    weight: int
    array: GpuArray | None
    handle: weakref.ref[Handle] | None
    readers: list[weakref.ref[Node]] | None  # pending values that depend on this one, see `lazy.graph.dependencies`
    sketch: int | None  # see `sketch_of`
    sums: dict[Any, tuple[weakref.ref[Node], int]] | None  # that means and variances share, see `lazy.build.moments`
    views: Views | None  # of a pending value
    met: int  # how many plans computed the value for others, without storing it

    @property
    def streamed(self) -> bool:
        """Whether the value depends on host operands, so it is computed block by block."""
        return self.weight >= HOST

    @property
    def held(self) -> bool:
        """Whether a user still holds this value, which was pending when the user got it."""
        holder = None if self.handle is None else self.handle()
        return holder is not None and holder._node is self


class Source:
    """An operand of a gather: memory that is read at computed places."""

    __slots__ = ("node",)

    def __init__(self, node: Node):
        self.node = node

    @property
    def first(self) -> int:
        """The address of the first element of the array, counted from its element with the lowest address."""
        array = self.node.array
        touched = None if array is None else extent(array.layout)
        return 0 if array is None or touched is None else array.offset - touched[0]


class Views:
    """The views of a pending value.

    ``times``: how often elements of the value were computed for one view. ``too_deep``: whether the value should have
    no views, because they would compute too much again (`lazy.plan.pushdown.too_deep`).
    """

    __slots__ = ("nodes", "times", "too_deep")

    def __init__(self) -> None:
        self.nodes: list[weakref.ref[Node]] = []
        self.times = 0
        self.too_deep: bool | None = None  # not known yet

    def alive(self) -> list[Node]:
        """The views that still exist."""
        return [node for view in self.nodes if (node := view()) is not None]


class Handle:
    """The object that a user holds. The public array class derives from it."""

    __slots__ = ("__weakref__", "_node")

    _node: Node


def new_node(
    op: Operation,
    args: tuple[Any, ...],
    rule: Rule | None,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    device: Device,
    weight: int,
) -> Node:
    """A pending node without a handle."""
    node = Node.__new__(Node)
    node.op = op
    node.args = args
    node.rule = rule
    node.dtype = dtype
    node.shape = shape
    node.device = device
    node.weight = weight
    node.array = node.handle = node.readers = node.sketch = node.sums = node.views = None
    node.met = 0
    return node


def sketch_of(operands: Iterable[Node]) -> int:
    """The set of the parts of an operation over some operands, as bits: one for each operation, and for each piece of
    memory as many as its weight.

    The number of bits is the weight of the operation, in which a part that several operands share counts once. The
    ``weight`` of a node may be larger, because it is the sum of the weights of the operands while that is small.
    """
    return _new_bit() | _union(operands)


def halving(operands: Iterable[Node], parts: Iterable[Node]) -> list[Node]:
    """The first part after which computing it and the parts before it leaves at most half of `MAX_WEIGHT`, as a list;
    an empty list if there is no such part. ``parts``: values below the operands, from the oldest to the newest."""
    left = _union(operands)
    for node in parts:
        left &= ~_sketch(node)
        if 2 * left.bit_count() <= MAX_WEIGHT:
            return [node]
    return []


def share(operands: Iterable[Node]) -> bool:
    """Whether a short search finds a value that is reached twice from some operands, or one that has a sketch because
    of such a value."""
    queue = [*operands]
    visited = set(queue)
    for node in queue:
        for argument in node.args:
            if type(argument) is Node:
                child = argument  # another name, because the compiled form knows its type
                if child.array is None and child.weight:
                    if child.sketch is not None or child in visited:
                        return True
                    visited.add(child)
                    queue.append(child)
        if len(queue) > PROBED:
            return False
    return False


def last_held(operands: Iterable[Node], whole: int) -> list[Node]:
    """The result of `halving` for operands that share nothing, where the parts are the held values on the heaviest
    path. ``whole``: the weight of the operands."""
    found: Node | None = None
    least = whole - MAX_WEIGHT // 2
    values = operands
    while True:
        heaviest, weight = None, least - 1
        for value in values:
            if type(value) is Node and value.weight > weight:
                heaviest, weight = value, value.weight
        if heaviest is None or heaviest.array is not None:
            return [] if found is None else [found]
        if heaviest.held:
            found = heaviest
        values = heaviest.args


def _union(nodes: Iterable[Node]) -> int:
    union = 0
    for node in nodes:
        bits = node.sketch
        union |= _sketch(node) if bits is None else bits
    return union


def _new_bit() -> int:
    """A bit for an operation. Bits come again after `SKETCH_BITS` operations, so two in one expression rarely share
    one."""
    return _BITS[next(_numbers) % SKETCH_BITS]


class SketchState:
    """``stale``: whether values with sketches were computed since the sketches above them were last made."""

    stale = False


sketches = SketchState()


def _sketch(top: Node) -> int:
    """The sketch of a node, which keeps it, so that the time for a chain of operations is linear in its length."""
    if top.sketch is not None:
        return top.sketch
    if top.array is not None:
        return _memory_bits(top.array.storage)
    stack = [top]
    while stack:
        node = stack[-1]
        bits = 0
        for argument in node.args:
            if type(argument) is Node:
                child = argument  # another name, because the compiled form knows its type
            elif type(argument) is Source:
                child = argument.node
            else:
                continue
            if child.sketch is not None:
                bits |= child.sketch
            elif child.array is None:
                stack.append(child)
                break
            elif child.weight:
                bits |= _memory_bits(child.array.storage)
        else:
            stack.pop()
            node.sketch = bits | _new_bit() if node.weight else 0
    assert top.sketch is not None
    return top.sketch


def _memory_bits(storage: Storage) -> int:
    return ((1 << min(storage.weight, SKETCH_BITS)) - 1) << id(storage) % SKETCH_BITS


def of_one_kernel(one: Node, other: Node) -> bool:
    """Whether two values are results of one call of a user's kernel, so that one launch should compute both."""
    a, b = one.rule, other.rule
    return isinstance(a, UserRule) and isinstance(b, UserRule) and a.family is b.family and one.args == other.args


def settle(node: Node, array: GpuArray) -> GpuArray:
    """Return the array of a node whose launch is queued, after making the node a leaf, which drops its operands.

    The node is valid after each statement, because a signal handler may raise an exception between two of them.
    """
    storage = array.storage
    if node.readers is not None:
        storage.readers = [*(storage.readers or ()), *node.readers]
    if node.rule is None and node.op.fixed:
        array.fixed = True
    node.array = array
    node.rule = None
    node.op = COMPUTED
    node.args = ()
    node.weight = storage.weight
    if node.sketch is not None:
        node.sketch = None
        sketches.stale = True
    if node.views is not None:
        settle_views(node, node.views)
    return array


def become_copy(node: Node, place: Node) -> None:
    """Make a pending value, which has been written to ``place``, a copy of that place."""
    rule = POSITIVE.rules[node.dtype]
    node.op, node.args, node.rule = POSITIVE, (place,), rule
    node.weight = place.weight + 1
    if node.sketch is not None:
        node.sketch = None
        sketches.stale = True


def settle_views(root: Node, views: Views) -> None:
    """Make the views of a computed value views of its memory, where a program may write through them."""
    assert root.array is not None
    for view in views.alive():
        op: Any = view.op
        if op.layout is not None and (op.own is not None or view.held):
            if op.own is not None:  # values that read its own elements read the memory from now on
                view.readers = [*(view.readers or ()), *(op.own.storage.readers or ())]
            settle(view, op.shown_by(root.array, view.dtype))
    root.views = None


def show_own(view: Node, array: GpuArray) -> GpuArray:
    """Return the array of a view that keeps it as elements of its own, because its root stays pending."""
    op: Any = view.op
    root: Node = view.args[0]
    op.keeper = root.handle() if root.handle is not None else None
    op.own = array
    if root.views is not None:
        root.views.times += 1
    return array


def leaf(array: GpuArray) -> Node:
    """The node of an array that is in memory."""
    storage = array.storage
    node = Node.__new__(Node)  # as `new_node`, without its call: programs make slices by the thousand
    node.op = COMPUTED
    node.args = ()
    node.rule = node.handle = node.readers = node.sketch = node.sums = node.views = None
    node.met = 0
    node.dtype = array.dtype
    node.shape = array.shape
    node.device = storage.device
    node.weight = storage.weight
    node.array = array
    return node


def constant(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """A node with one value for a whole shape. ``value``: a Python scalar, exact in ``dtype``."""
    if "f64" not in device.dtypes and dtype in NARROWER:
        dtype = NARROWER[dtype]
        with np.errstate(over="ignore"):
            value = dtype.type(value).item()
    return new_node(CONSTANT, (value,), None, dtype, shape, device, 0)


def available(dtype: np.dtype[Any], device: Device) -> np.dtype[Any]:
    """The dtype that a device has for a wanted one: float32 for float64 on a device without float64."""
    return dtype if "f64" in device.dtypes else NARROWER.get(dtype, dtype)


def iota(layout: Layout, device: Device) -> Node:
    """A node whose int64 elements are their own addresses in a layout: offset + sum(index * stride)."""
    return new_node(IOTA, (layout,), None, np.dtype("int64"), layout.shape, device, 0)


def index_along(axis: int, shape: tuple[int, ...], device: Device) -> Node:
    """The int64 coordinate along one axis of each element of a shape."""
    strides = tuple(int(i == axis) for i in range(len(shape)))
    return iota(Layout(shape, strides, 0), device)


def flat_index(shape: tuple[int, ...], device: Device) -> Node:
    """The int64 position in C order of each element of a shape."""
    return iota(c_order(shape), device)
