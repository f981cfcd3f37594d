"""The graph: nodes, and the handles that users hold.

A node is one of

* a *leaf*: computed, ``array`` holds the memory;
* a *constant*: one value for a whole shape;
* an *iota*: the index variable, a leaf whose elements are their own (virtual) addresses, so that arange, eye and
  linspace are plain expressions that cost no memory;
* an *operation*: an element-wise `Op` over other nodes, which may be fused with its neighbours;
* a *step*: a kernel of its own (a reduction, a sort), whose operands are computed, or fused into it, first;
* a *view* of a pending value (`lazy.plan.pushdown`);
* a *roll* of an array;
* a *concat* of several operands.

Shape, dtype and device are settled when a node is made; only arithmetic is deferred. A handle may change its node (that
is what ``x += y`` does); a node never changes its value.
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
from ...memory.layout import Layout, contiguous_strides, extent
from .expressions import addresses, full


class Leaf(Operation):
    """The operation of nodes that are computed: nothing."""

    __slots__ = ("name",)

    kind = Kind.ELEMENTWISE

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def key(self, node: Node) -> tuple[Any, ...]:
        return self, node.dtype


class ConstantLeaf(Leaf):
    """One value for a whole shape: the node's only argument, a Python scalar."""

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
    """The addresses of the elements of a layout, the node's only argument."""

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


HOST = 1 << 40  # the weight of what lies in host memory: more than any launch may have
SKETCH = 1021  # bits in which the parts of an expression are counted: a prime, many times the weight that is allowed
PROBED = 24  # values that are looked at for one that is shared
POSITIVE = OPS["positive"]
_numbers = itertools.count()
_BITS = [1 << number for number in range(SKETCH)]

COMPUTED = Leaf("array")
MOVED = Leaf("moved array")  # which reads memory through a layout of its own, see `lazy.plan.pushdown`
CONSTANT = ConstantLeaf("constant")
IOTA = IotaLeaf("iota")


class Node:
    """A value: what it is, and how to compute it unless ``array`` has it already."""

    __slots__ = (
        "__weakref__", "args", "array", "device", "dtype", "handle", "made_of", "op", "readers", "rule", "shape",
        "views", "weight",
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
    made_of: int | None  # see `made_of`
    views: Views | None  # of a pending value

    @property
    def streamed(self) -> bool:
        """Whether the value is made of host operands, so it is computed block by block."""
        return self.weight >= HOST

    @property
    def held(self) -> bool:
        """Whether a user still holds this very value, which was pending when the user got it."""
        holder = None if self.handle is None else self.handle()
        return holder is not None and holder._node is self


class Source:
    """An operand of a gather: memory to read from, not values to compute with."""

    __slots__ = ("node",)

    def __init__(self, node: Node):
        self.node = node

    @property
    def first(self) -> int:
        """The place of the array's first element in its memory, counted from the lowest one that the array has."""
        array = self.node.array
        touched = None if array is None else extent(array.layout)
        return 0 if array is None or touched is None else array.offset - touched[0]


class Views:
    """The views of a pending value, how often some of its elements were computed for one, and whether there had
    better be none (`lazy.plan.pushdown.too_deep`)."""

    __slots__ = ("nodes", "times", "too_deep")

    def __init__(self) -> None:
        self.nodes: list[weakref.ref[Node]] = []
        self.times = 0
        self.too_deep: bool | None = None  # not asked

    def alive(self) -> list[Node]:
        """Those that somebody still refers to."""
        return [node for view in self.nodes if (node := view()) is not None]


class Handle:
    """What the user holds: the public array class derives from it."""

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
    """A node that nobody holds and that is not computed."""
    node = Node()
    node.op = op
    node.args = args
    node.rule = rule
    node.dtype = dtype
    node.shape = shape
    node.device = device
    node.weight = weight
    node.array = node.handle = node.readers = node.made_of = node.views = None
    return node


def made_of(operands: Iterable[Node]) -> int:
    """What an operation over these is made of, as bits: one for an operation, and as many for memory as it weighs.

    Their number is the weight of the operation: whatever several operands share counts once. A node's own ``weight``
    may be more, since it is the sum of its operands' as long as that is little.
    """
    return _new_bit() | _union(operands)


def halving(operands: Iterable[Node], parts: Iterable[Node]) -> list[Node]:
    """The first of some parts of the operands by which, with those before it, at most half of `MAX_WEIGHT` is left of
    the operands' weight; none where there is none."""
    left = _union(operands)
    for node in parts:
        left &= ~_made_of(node)
        if 2 * left.bit_count() <= MAX_WEIGHT:
            return [node]
    return []


def share(operands: Iterable[Node]) -> bool:
    """Whether something is soon found that values have in common, or that one of them has twice, or that has been
    weighed because of such a value."""
    queue = [*operands]
    seen = set(queue)
    for node in queue:
        for child in node.args:
            if type(child) is Node and child.array is None and child.weight:
                if child.made_of is not None or child in seen:
                    return True
                seen.add(child)
                queue.append(child)
        if len(queue) > PROBED:
            return False
    return False


def last_held(operands: Iterable[Node], whole: int) -> list[Node]:
    """Where nothing is shared: `halving`, among the held values on the heaviest way down. ``whole``: the weight of the
    operands."""
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
        bits = node.made_of
        union |= _made_of(node) if bits is None else bits
    return union


def _new_bit() -> int:
    """Of an operation: two operations of one expression have the same bit if very many were asked for in between."""
    return _BITS[next(_numbers) % SKETCH]


class Sketches:
    """``stale``: whether values that others are made of were computed since these were last weighed anew."""

    stale = False


sketches = Sketches()


def _made_of(top: Node) -> int:
    """See `made_of`. Every node keeps its bits, so that a chain of operations costs time by its length."""
    if top.made_of is not None:
        return top.made_of
    if top.array is not None:
        return _memory_bits(top.array.storage)
    stack = [top]
    while stack:
        node = stack[-1]
        bits = 0
        for child in node.args:
            if type(child) is Source:
                child = child.node
            elif type(child) is not Node:
                continue
            if child.made_of is not None:
                bits |= child.made_of
            elif child.array is None:
                stack.append(child)
                break
            elif child.weight:
                bits |= _memory_bits(child.array.storage)
        else:
            stack.pop()
            node.made_of = bits | _new_bit() if node.weight else 0
    assert top.made_of is not None
    return top.made_of


def _memory_bits(storage: Storage) -> int:
    return ((1 << min(storage.weight, SKETCH)) - 1) << id(storage) % SKETCH


def of_one_kernel(one: Node, other: Node) -> bool:
    """Whether two values are results of one call of a user's kernel, so that one launch had better compute both."""
    a, b = one.rule, other.rule
    return isinstance(a, UserRule) and isinstance(b, UserRule) and a.family is b.family and one.args == other.args


def settle(node: Node, array: GpuArray) -> GpuArray:
    """Make a node a leaf: it lets go of its operands. Its launch has been handed to the driver.

    After each of these steps the node is whole, in case an exception from a signal handler is raised here.
    """
    if node.readers is not None:
        storage = array.storage
        storage.readers = [*(storage.readers or ()), *node.readers]
    if node.op.fixed:
        array.fixed = True
    node.array = array
    node.rule = None
    node.op = COMPUTED
    node.args = ()
    node.weight = array.storage.weight
    if node.made_of is not None:
        node.made_of = None
        sketches.stale = True
    if node.views is not None:
        settle_views(node, node.views)
    return array


def become_copy(node: Node, place: Node) -> None:
    """Make a pending value, which has been written to ``place``, a copy of what is there."""
    rule = POSITIVE.rules[node.dtype]
    node.op, node.args, node.rule = POSITIVE, (place,), rule
    node.weight = place.weight + 1
    if node.made_of is not None:
        node.made_of = None
        sketches.stale = True


def settle_views(root: Node, views: Views) -> None:
    """Make the views of a value that has been computed views of its memory, where somebody may write through them."""
    assert root.array is not None
    for view in views.alive():
        op: Any = view.op
        if op.layout is not None and (op.own is not None or view.held):
            if op.own is not None:  # whoever reads its own elements reads the memory from now on
                view.readers = [*(view.readers or ()), *(op.own.storage.readers or ())]
            settle(view, op.shown_by(root.array, view.dtype))
    root.views = None


def show_own(view: Node, array: GpuArray) -> GpuArray:
    """Give a view elements of its own, since its root stays pending."""
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
    node = Node()  # as `new_node`: slices are made by the thousand
    node.op = COMPUTED
    node.args = ()
    node.rule = node.handle = node.readers = node.made_of = node.views = None
    node.dtype = array.dtype
    node.shape = array.shape
    node.device = storage.device
    node.weight = storage.weight
    node.array = array
    return node


def constant(value: Any, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """One value for a whole shape. ``value`` is a Python scalar, exact in ``dtype``."""
    if "f64" not in device.dtypes and dtype in NARROWER:
        dtype = NARROWER[dtype]
        with np.errstate(over="ignore"):
            value = dtype.type(value).item()
    return new_node(CONSTANT, (value,), None, dtype, shape, device, 0)


def available(dtype: np.dtype[Any], device: Device) -> np.dtype[Any]:
    """The dtype that a device has where one is wanted: without float64, float32 in its place."""
    return dtype if "f64" in device.dtypes else NARROWER.get(dtype, dtype)


def iota(layout: Layout, device: Device) -> Node:
    """int64 elements that are their own addresses in a layout: offset + sum(index * stride)."""
    return new_node(IOTA, (layout,), None, np.dtype("int64"), layout.shape, device, 0)


def index_along(axis: int, shape: tuple[int, ...], device: Device) -> Node:
    """The coordinate along one axis, for every element of a shape (int64)."""
    strides = tuple(int(i == axis) for i in range(len(shape)))
    return iota(Layout(shape, strides, 0), device)


def flat_index(shape: tuple[int, ...], device: Device) -> Node:
    """The position of every element of a shape in C order (int64)."""
    return iota(Layout(shape, contiguous_strides(shape), 0), device)
