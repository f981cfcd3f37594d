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
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from ...backends.base import Device, Target
from ...kernels.core.monoid import PROD, SUM, Monoid, UserMonoid
from ...kernels.core.ops import OPS, Op, Rule, UserRule
from ...kernels.reductions.reduce_schedule import order_of
from ...kernels.reductions.rows import Fold, fold_of
from ...memory.boxes import Box
from ...memory.dtypes import ACCUMULATOR, COMPUTES_IN, NARROWER
from ...memory.gpuarray import MAX_WEIGHT, GpuArray, Signature, Storage
from ...memory.layout import Layout, component, contiguous_strides, extent, size
from .expressions import addresses, call, full, literal


class Step(Protocol):
    """An operation that is a kernel of its own. ``run`` makes the array of a signature from operands in memory.
    ``reusable``: whether it depends on nothing else, so that a plan with it may be kept. ``expression`` is as
    `kernels.core.ops.Op` has it."""

    @property
    def name(self) -> str: ...

    @property
    def reusable(self) -> bool: ...

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray: ...

    def expression(self, node: Node, *operands: str) -> str: ...


class Reduce:
    """Reduce ``axes`` by a monoid; the node's operand is the producer.

    There is one object for each, so launches can be remembered by it. ``whole``: the shape of that of which the operand
    is a part with some of the outputs, where the order of combination is that of the whole.
    """

    __slots__ = ("axes", "monoid", "name", "whole")

    def __init__(self, monoid: Monoid, axes: tuple[int, ...], whole: tuple[int, ...] | None = None):
        self.monoid = monoid
        self.axes = axes
        self.name = monoid.name
        self.whole = whole

    @property
    def joins(self) -> bool:
        """Whether it may be a step of a group over rows: positions may not, nor parts of a whole."""
        return not self.monoid.indexed and self.whole is None

    def accumulator(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The dtype of the accumulators, for elements of a dtype: float16 and bfloat16 have neither the range nor the
        precision that sums need, and are compared as floats, too."""
        return COMPUTES_IN[dtype]

    def value_range(self, args: tuple[Any, ...]) -> tuple[int, int] | None:
        """The least and the greatest result of integers, if they follow from the shape of the operand."""
        return (0, size(tuple([args[0].shape[axis] for axis in self.axes])) - 1) if self.monoid.indexed else None

    def fold(self, node: Node) -> Fold:
        """The step of a group over rows."""
        return fold_of(self.monoid, self.accumulator(node.args[0].dtype), node.dtype)

    def part_of(self, shape: tuple[int, ...], part: tuple[int, ...], target: Target) -> Reduce:
        """The reduction of ``part`` of an operand of some shape: the same if the order of combination is."""
        order, own = order_of(shape, self.axes, target), order_of(part, self.axes, target)
        return self if own._replace(outputs=order.outputs) == order else like(self, shape)

    def boxes(self, node: Node, box: Box) -> list[Box]:
        """What a box of the results is made of: a box of the operand, whole along the reduced axes."""
        shape = node.args[0].shape
        kept, keeps = iter(box), len(node.shape) == len(shape)
        own = []
        for axis, n in enumerate(shape):
            ends = next(kept) if keeps or axis not in self.axes else (0, n)
            own.append((0, n) if axis in self.axes else ends)
        return [tuple(own)]

    def expression(self, node: Node, *operands: str) -> str:
        """The standard's function, such as ``xp.sum(v0, axis=(0,), keepdims=True)``."""
        x = node.args[0]
        if isinstance(self.monoid, UserMonoid):
            return f"{self.monoid.shown}({operands[0]}, axis={self.axes}, keepdims={len(node.shape) == len(x.shape)})"
        axes: Any = None if len(self.axes) == len(x.shape) else self.axes
        if axes and self.monoid.indexed:
            (axes,) = axes
        adds = self.monoid in (SUM, PROD)
        dtype = node.dtype if adds and node.dtype != ACCUMULATOR[x.dtype] else None
        keepdims = len(node.shape) == len(x.shape)
        text = call(self.name, *operands, axis=axes, dtype=dtype, keepdims=keepdims)
        left = [1 if axis in self.axes else n for axis, n in enumerate(x.shape) if keepdims or axis not in self.axes]
        return text if tuple(left) == node.shape else call("reshape", text, literal(node.shape))  # of a view of it


@lru_cache(maxsize=4096)
def like(op: Reduce, shape: tuple[int, ...]) -> Reduce:
    """The reduction of a part of something of a shape, in the order in which all of it is reduced."""
    return Reduce(op.monoid, op.axes, shape)


class Leaf:
    """The operation of constants, of iotas, and of nodes that are computed."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name

    def expression(self, node: Node, *operands: str) -> str:
        """A constant or an iota in Python; nodes that are computed are names."""
        if self is CONSTANT:
            return full(node.shape, node.args[0], node.dtype, node.device)
        return addresses(node.args[0], node.device)


SKETCH = 1021  # bits in which the parts of an expression are counted: a prime, many times the weight that is allowed
PROBED = 24  # values that are looked at for one that is shared
POSITIVE = OPS["positive"]
COMPONENTS = OPS["real"], OPS["imag"]
_numbers = itertools.count()
_BITS = [1 << number for number in range(SKETCH)]

COMPUTED = Leaf("array")
MOVED = Leaf("moved array")  # which reads memory through a layout of its own, see `lazy.plan.pushdown`
CONSTANT = Leaf("constant")
IOTA = Leaf("iota")


class Node:
    """A value: what it is, and how to compute it unless ``array`` has it already."""

    __slots__ = (
        "__weakref__", "args", "array", "device", "dtype", "handle", "made_of", "op", "readers", "rule", "shape",
        "views", "weight",
    )  # fmt: skip

    op: Op | Step | Reduce | Leaf | View | Roll | Concat
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


Change = Callable[[Layout], Layout | None]  # of a layout to that of a view; None where there is no such view


class View:
    """The operation of a view of a pending value, its node's only operand.

    ``layout``: that of the view where its operand lies in C order; it tells what is shown. ``text``: the same in
    Python, given the operand. ``own``: its elements, if they were computed without the root; ``keeper``: the user's
    handle on the root, which then may not be forgotten. ``fixed`` views refuse writes. ``part``: the operation, real or
    imag, of which the view shows the results, as parts of the root's elements.
    """

    __slots__ = ("change", "fixed", "keeper", "layout", "own", "part", "text")

    name = "view"

    def __init__(
        self, change: Change, layout: Layout, text: Callable[[str], str], fixed: bool = False, part: Op | None = None
    ):
        self.change = change
        self.layout = layout
        self.text = text
        self.fixed = fixed
        self.part = part
        self.own: GpuArray | None = None
        self.keeper: Handle | None = None

    def run(self, node: Node) -> GpuArray:
        """The view of a root that is in memory."""
        array: GpuArray = node.args[0].array
        return array.view(self.seen(array.layout), node.dtype)

    def seen(self, root: Layout) -> Layout:
        """The layout of the view of a root in memory."""
        layout = self.change(root)
        assert layout is not None, "a computed root is in C order"
        return layout if self.part is None else component(layout, COMPONENTS.index(self.part))

    def of(self, value: Node) -> Node:
        """The part that the view shows of a value; the value itself where it shows all."""
        if self.part is None:
            return value
        rule = self.part.rules[value.dtype]
        return new_node(self.part, (value,), rule, rule.result, value.shape, value.device, value.weight + 1)

    def expression(self, node: Node, *operands: str) -> str:
        return self.text(*operands)


class Roll:
    """The elements of an operand ``shifts`` places further along each axis; those that leave at one end come back at
    the other (standard, ``roll``). ``shifts``: from 0 to the extent of the axis.

    It is part of the kernels of expressions; others read it from memory.
    """

    __slots__ = ("shifts",)

    name = "roll"

    def __init__(self, shifts: tuple[int, ...]):
        self.shifts = shifts

    def expression(self, node: Node, *operands: str) -> str:
        axes = tuple(axis for axis, shift in enumerate(self.shifts) if shift)
        return call(self.name, *operands, shift=tuple(self.shifts[axis] for axis in axes), axis=axes)


class Concat:
    """The operands one after the other along ``axis`` (standard, ``concat``), all of the node's dtype.

    Kernels compute its parts, never all of it (`lazy.plan.concatenations`).
    """

    __slots__ = ("axis",)

    name = "concat"

    def __init__(self, axis: int):
        self.axis = axis

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, f"[{', '.join(operands)}]", axis=self.axis)


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
    op: Op | Step | Reduce | Leaf | View | Roll | Concat,
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
    if type(node.op) is View:
        array.fixed = array.fixed or node.op.fixed
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
    for view in views.alive():
        op = view.op
        if type(op) is View and (op.own is not None or view.held):
            if op.own is not None:  # whoever reads its own elements reads the memory from now on
                view.readers = [*(view.readers or ()), *(op.own.storage.readers or ())]
            settle(view, op.run(view))
    root.views = None


def show_own(view: Node, array: GpuArray) -> GpuArray:
    """Give a view elements of its own, since its root stays pending."""
    op, root = view.op, view.args[0]
    assert type(op) is View
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
