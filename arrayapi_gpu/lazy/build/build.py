"""Building nodes: each call of a function or operator of the namespace makes its node here.

Dtypes, shapes and devices are decided here, and every error that depends on them is raised here. This is the hot path
of a program on small arrays, so the common cases come first: one dictionary look-up serves the dtypes of arrays and
Python scalars alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, TypeVar

import numpy as np

from ...backends.base import Device
from ...config import config, unusual
from ...kernels.core import tuning
from ...kernels.core.ops import CAST, COMPARISONS, GATHER, WHERE, WRAP_INDEX, Op, Rule, UserRule, weak_dtype
from ...kernels.maps import join
from ...memory import layout as layouts
from ...memory.boxes import Box
from ...memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, NoValueError, fit, promote, result_type
from ...memory.gpuarray import MAX_WEIGHT, GpuArray, signature_of
from ...memory.layout import broadcast_shapes, broadcast_strides
from ..graph import dependencies as pending
from ..graph.concat import Concat
from ..graph.dependencies import note
from ..graph.graph import (
    CONSTANT,
    HOST,
    IOTA,
    POSITIVE,
    Handle,
    Node,
    Source,
    available,
    constant,
    iota,
    leaf,
    new_node,
    sketch_of,
)
from ..graph.movements import Movement, keyed
from ..graph.roll import Roll, rolled_by
from ..run.evaluate import evaluate, through, write
from ..run.nonfinite import check
from .heavy import heavy
from .joining import arrays_of, has_short_rows, joined

H = TypeVar("H", bound=Handle)
_BOOL = DTYPE_OF["b8"]
_most = MAX_WEIGHT  # a number in C in the compiled form


def handle(cls: type[H], node: Node) -> H:
    """A new handle on a node.

    A value that reads memory which other libraries can reach is computed at once, because they may write to it.
    """
    new = cls.__new__(cls)
    new._node = node
    if node.array is None:
        if unusual and config.nan:
            check(node)
        if node.device.exposed and pending.reads_exposed(node):
            evaluate(node)
            return new
        node.handle = note(new)
    return new


def rebind(holder: Handle, node: Node) -> None:
    """Give a handle another value."""
    if node.array is None and node.device.exposed and pending.reads_exposed(node):
        evaluate(node)
    pending.rebind(holder, node)


def unary(op: Op, x: Node) -> Node:
    """The node of an operation on one operand. TypeError if the operation does not accept its dtype."""
    rule = op.rules.get(x.dtype)
    if rule is None:
        raise _refused(op, x.dtype)
    if rule.narrower is not None and "f64" not in x.device.dtypes:
        rule = rule.narrower
    weight = x.weight + 1
    if weight > 1 and x.op is POSITIVE:
        x = original(x)
        weight = x.weight + 1
    if weight > _most or (unusual and not config.fusion):
        return heavy(op, rule, (x,), x.shape)
    node = Node.__new__(Node)  # as `new_node`, here and below, because a call takes a tenth of the time of an operator
    node.op = op
    node.args = (x,)
    node.rule = rule
    node.dtype = rule.result
    node.shape = x.shape
    node.device = x.device
    node.weight = weight
    node.array = node.handle = node.readers = node.sketch = node.sums = node.views = None
    node.met = 0
    return node


def binary(op: Op, x: Any, y: Any) -> Node:
    """The node of an operation on two operands, one of them possibly a Python scalar. TypeError if it refuses their
    dtypes."""
    if type(x) is not Node:
        return scalar_first(op, x, y)
    return of_two(op, x, y) if type(y) is Node else with_scalar(op, x, y)


def of_two(op: Op, x: Node, y: Node) -> Node:
    """The result of `binary` for two nodes."""
    table = op.tables.get(y.dtype)
    rule = None if table is None else table.get(x.dtype)
    if rule is None:
        raise _refused(op, x.dtype, y.dtype)
    if x.device is not y.device:
        return of_two(op, *brought_together(op.name, (x, y)))
    if rule.narrower is not None and "f64" not in x.device.dtypes:
        rule = rule.narrower
    shape = x.shape
    if shape != y.shape:
        shape = broadcast_shapes(shape, y.shape)
    weight = x.weight + y.weight + 1
    if weight > 1 and (x.op is POSITIVE or y.op is POSITIVE):
        x, y = original(x), original(y)
        weight = x.weight + y.weight + 1
    if weight > _most or (unusual and not config.fusion):
        return heavy(op, rule, (x, y), shape)
    node = Node.__new__(Node)
    node.op = op
    node.args = (x, y)
    node.rule = rule
    node.dtype = rule.result
    node.shape = shape
    node.device = x.device
    node.weight = weight
    node.array = node.handle = node.readers = node.sketch = node.sums = node.views = None
    node.met = 0
    return node


def with_scalar(op: Op, x: Node, y: Any) -> Node:
    """The result of `binary` for a node and a Python scalar."""
    table = op.tables.get(type(y))
    rule = None if table is None else table.get(x.dtype)
    if rule is None:
        raise _refused(op, x.dtype, type(y))
    if rule.narrower is not None and "f64" not in x.device.dtypes:
        rule = rule.narrower
    if type(y) is not rule.exact:
        try:
            y = float(y) if rule.exact is float else fit(y, rule.args[1])
        except OverflowError:
            if (answer := _outside(op, x.dtype, 0, y)) is None:
                raise
            return constant(answer, _BOOL, x.shape, x.device)
    weight = x.weight + 1
    if weight > 1 and x.op is POSITIVE:
        x = original(x)
        weight = x.weight + 1
    if weight > _most or (unusual and not config.fusion):
        return heavy(op, rule, (x, y), x.shape)
    node = Node.__new__(Node)
    node.op = op
    node.args = (x, y)
    node.rule = rule
    node.dtype = rule.result
    node.shape = x.shape
    node.device = x.device
    node.weight = weight
    node.array = node.handle = node.readers = node.sketch = node.sums = node.views = None
    node.met = 0
    return node


def scalar_first(op: Op, x: Any, y: Node) -> Node:
    """The result of `binary` for a Python scalar and a node."""
    table = op.tables.get(y.dtype)
    rule = None if table is None else table.get(type(x))
    if rule is None:
        raise _refused(op, type(x), y.dtype)
    if rule.narrower is not None and "f64" not in y.device.dtypes:
        rule = rule.narrower
    if type(x) is not rule.exact:
        try:
            x = float(x) if rule.exact is float else fit(x, rule.args[0])
        except OverflowError:
            if (answer := _outside(op, y.dtype, x, 0)) is None:
                raise
            return constant(answer, _BOOL, y.shape, y.device)
    weight = y.weight + 1
    if weight > 1 and y.op is POSITIVE:
        y = original(y)
        weight = y.weight + 1
    if weight > _most or (unusual and not config.fusion):
        return heavy(op, rule, (x, y), y.shape)
    return new_node(op, (x, y), rule, rule.result, y.shape, y.device, weight)


def _outside(op: Op, dtype: np.dtype[Any], x: int, y: int) -> bool | None:
    """The result, for all elements, of comparing an integer dtype with a Python integer outside its range; None for
    other operations and dtypes. ``x``, ``y``: the integer, and 0 in place of the elements."""
    compare = COMPARISONS.get(op.name)
    return None if compare is None or dtype not in BOOLEAN | INTEGRAL else compare(x, y)


def of_many(op: Op, operands: Sequence[Any]) -> Node:
    """The node of an operation on three or more nodes and Python scalars, at least one of them a node.

    TypeError if the operation does not accept their dtypes.
    """
    nodes = [operand for operand in operands if type(operand) is Node]
    dtype = reduce(promote, [node.dtype for node in nodes])
    dtype = reduce(weak_dtype, [type(operand) for operand in operands if type(operand) is not Node], dtype)
    rule = op.rules.get(available(dtype, nodes[0].device))
    if rule is None:
        raise _refused(op, *[operand.dtype if type(operand) is Node else type(operand) for operand in operands])
    if any([node.device is not nodes[0].device for node in nodes]):
        return of_many(op, brought_together(op.name, operands))
    device = nodes[0].device
    if rule.narrower is not None and "f64" not in device.dtypes:
        rule = rule.narrower
    shape = reduce(broadcast_shapes, [node.shape for node in nodes])
    args = [x if type(x) is Node else fit(x, dtype) for x, dtype in zip(operands, rule.args, strict=True)]
    return apply(op, rule, tuple(args), shape, device)


def apply(op: Op, rule: Rule, args: tuple[Any, ...], shape: tuple[int, ...], device: Device) -> Node:
    """The node of an operation with a known rule on any number of nodes, scalars and sources."""
    weight = 1
    for argument in args:
        if type(argument) is Node:
            if argument.op is POSITIVE and original(argument) is not argument:
                places = tuple([original(one) if type(one) is Node else one for one in args])
                return apply(op, rule, places, shape, device)
            weight += argument.weight
    if weight > _most or (unusual and not config.fusion):
        return heavy(op, rule, args, shape)
    return new_node(op, args, rule, rule.result, shape, device, weight)


def step(operation: Any, args: tuple[Node, ...], dtype: np.dtype[Any], shape: tuple[int, ...]) -> Node:
    """The node of a reduction, a step or a concatenation over nodes."""
    args = tuple([uncopied(argument) for argument in args])
    weight = 1
    for argument in args:
        weight += argument.weight
    if weight >= HOST:
        return new_node(operation, args, None, dtype, shape, args[0].device, HOST)
    if weight > MAX_WEIGHT:
        weight = sketch_of(args).bit_count()
    node = new_node(operation, args, None, dtype, shape, args[0].device, weight)
    if weight > _most or (unusual and not (config.fusion or config.nan)):
        evaluate(node)
    return node


def element(place: Node) -> Node:
    """The value of one place, as a copy that is made no later than the next write to the place.

    An expression reads the place itself (`original`), so the copy is rarely made.
    """
    weight = place.weight + 1
    if weight > _most or (unusual and not config.fusion):
        return unary(POSITIVE, place)
    node = Node.__new__(Node)
    node.op = POSITIVE
    node.args = (place,)
    node.rule = POSITIVE.rules[place.dtype]
    node.dtype = place.dtype
    node.shape = place.shape
    node.device = place.device
    node.weight = weight
    node.array = node.handle = node.readers = node.sketch = node.sums = node.views = None
    node.met = 0
    return node


def original(x: Node) -> Node:
    """The place that a pending value without dimensions copies; any other value itself.

    Expressions read the place instead of the copy, because both are computed before a write to the place.
    """
    op, args = x.op, x.args  # another thread may compute the value meanwhile
    return args[0] if op is POSITIVE and args and not x.shape else x


def uncopied(x: Node) -> Node:
    """The source of a pending copy, also below a view; any other value itself. Code that only reads needs no copy.

    Copies and views may alternate in a long chain, so this is a loop.
    """
    views: tuple[Any, ...] | None = None  # above copies: a linked list, which costs nothing where there are none
    while True:
        op, args = x.op, x.args  # another thread may compute the value meanwhile
        if x.array is not None or not args:
            break
        if op is not POSITIVE:
            if op.layout is None or args[0].op is not POSITIVE or op.own is not None or op.part is not None:
                break
            views = x, op.layout, args[0], views
        x = args[0]
    while views is not None:
        view, own, root, views = views
        array = None if x is root else x.array
        layout = None if array is None else layouts.composed(array.layout, own)
        x = view if array is None or layout is None else leaf(array.through(layout))
    return x


def read(x: Node) -> GpuArray:
    """The array of a value that is only read, or the array that it copies."""
    return evaluate(uncopied(x))


def roll(x: Node, op: Roll) -> Node:
    """The node of a roll; see `Roll`. One by no places is a copy."""
    x = uncopied(x)
    inner, args = x.op, x.args  # another thread may compute the value meanwhile
    if args and type(inner) is Roll:
        x = args[0]
        op = _joined(op, inner, x.shape)
    if not op.moves:
        return unary(POSITIVE, x)
    node = new_node(op, (x,), None, x.dtype, x.shape, x.device, x.weight)
    node.sketch = x.sketch  # a roll has no weight
    if not config.fusion and not x.streamed:
        evaluate(node)
    return node


@lru_cache(maxsize=4096)
def _joined(outer: Roll, inner: Roll, shape: tuple[int, ...]) -> Roll:
    """The roll of a value of a shape that does the same as two."""
    return rolled_by(
        tuple([(a + b) % n if n else 0 for a, b, n in zip(outer.shifts, inner.shifts, shape, strict=True)])
    )


def concat(parts: Sequence[Node], axis: int) -> Node:
    """The concatenation of nodes along an axis, in their common dtype. A small one is computed at once.

    ValueError if the nodes are on different devices, or if their shapes differ along another axis.
    """
    first = parts[0]
    own, device, dtype = first.shape, first.device, first.dtype
    length, streamed = 0, False
    for part in parts:
        if part.dtype is not dtype and part.dtype != dtype:
            dtype = available(result_type(*[one.dtype for one in parts]), device)
            return concat([astype(one, dtype) for one in parts], axis)
    for part in parts:
        shape = part.shape
        if part.device is not device:
            raise different_devices("concat", device, part.device)
        if shape != own and (*shape[:axis], 0, *shape[axis + 1 :]) != (*own[:axis], 0, *own[axis + 1 :]):
            raise ValueError(
                f"concat: shapes {[p.shape for p in parts]} differ outside axis {axis}; allowed: equal extents "
                "there; reshape or slice them"
            )
        length += shape[axis]
        streamed = streamed or part.weight >= HOST
    shape = (*own[:axis], length, *own[axis + 1 :])
    if not streamed and (node := _together(parts, axis, shape)) is not None:
        return node
    if streamed or layouts.size(shape) >= tuning.PARTS_FROM[device.is_gpu]:
        return step(concatenation(axis), tuple(parts), dtype, shape)
    out = signature_of(device, dtype, shape).fresh()
    offset, apart = out.offset, out.strides[axis]
    for part in parts:
        if part.shape[axis]:
            target = GpuArray(out.storage, dtype, part.shape, out.strides, offset, axis == 0)
            if target.size:
                write(part, target)
            offset += part.shape[axis] * apart
    return leaf(out)


concatenation = lru_cache(maxsize=None)(Concat)


def stacked(parts: Sequence[Node], axis: int) -> Node | None:
    """Nodes of one shape side by side along a new axis, if they can be joined at once."""
    first = parts[0]
    for part in parts:
        if part.dtype is not first.dtype or part.device is not first.device or part.weight >= HOST:
            return None
    return _together(parts, axis, (*first.shape[:axis], len(parts), *first.shape[axis:]))


def _together(parts: Sequence[Node], axis: int, shape: tuple[int, ...]) -> Node | None:
    """Nodes side by side along an axis, if they can be joined at once and that takes less time."""
    first, count = parts[0], len(parts)
    own, device, dtype = first.shape, first.device, first.dtype
    n = layouts.size(shape)
    paired = (
        count <= tuning.JOINED_BY_UNITS
        and device.is_gpu
        and has_short_rows(layouts.size(own[:axis]), layouts.size(own[axis:]) * dtype.itemsize)
        and all([part.shape == own for part in parts])
    )
    if not paired and not join.pays(device, count, n * dtype.itemsize, n >= tuning.PARTS_FROM[device.is_gpu]):
        return None
    arrays = arrays_of(parts)
    return None if arrays is None else joined(arrays, axis, shape)


def where(condition: Node, x: Any, y: Any) -> Node:
    """The node of ``x`` where the condition is true and ``y`` elsewhere; at most one of the two is a Python scalar.

    TypeError if the condition is not boolean, or if the dtypes cannot be combined.
    """
    types = x.dtype if type(x) is Node else type(x), y.dtype if type(y) is Node else type(y)
    if condition.dtype not in BOOLEAN:
        raise TypeError(f"where: condition has dtype {condition.dtype}; allowed: bool; compare, or use astype(bool)")
    rule = WHERE.rules.get(types)
    if rule is None:
        raise _refused(WHERE, *types)
    shape, device = condition.shape, condition.device
    if rule.narrower is not None and "f64" not in device.dtypes:
        rule = rule.narrower
    for value in (x, y):
        if type(value) is Node:
            if value.device is not device:
                return where(*brought_together("where", (condition, x, y)))
            if value.shape != shape:
                shape = broadcast_shapes(shape, value.shape)
    if type(x) is not Node and type(x) is not rule.exact:
        x = fit(x, rule.args[1])
    if type(y) is not Node and type(y) is not rule.exact:
        y = fit(y, rule.args[2])
    return apply(WHERE, rule, (condition, x, y), shape, device)


def astype(x: Node, dtype: np.dtype[Any]) -> Node:
    """The same values in another dtype, or in the one that the device has for it; the node itself if it has that
    dtype."""
    if x.dtype is not dtype:
        dtype = available(dtype, x.device)
        if x.dtype != dtype:
            return unary(CAST[dtype], x)
    return x


def gather(source: Node, offsets: Node) -> Node:
    """The elements of an array in memory at int64 offsets, in elements. The caller keeps them inside the array."""
    rule = GATHER.rules[source.dtype]
    return apply(GATHER, rule, (Source(source), offsets), offsets.shape, offsets.device)


def wrap_index(index: Node, extent: int) -> Node:
    """Python's indices, which count from the end if negative, as indices from 0 to extent - 1, so that no kernel leaves
    its array."""
    rule = next(iter(WRAP_INDEX.rules.values()))
    return apply(WRAP_INDEX, rule, (index, extent), index.shape, index.device)


def broadcast(x: Node, shape: tuple[int, ...]) -> Node:
    """The node broadcast to a larger shape. ValueError if that is not possible."""
    if x.shape == shape:
        return x
    if x.array is None and x.op is CONSTANT:
        broadcast_strides(x.shape, x.shape, shape)  # for its error
        return constant(x.args[0], x.dtype, shape, x.device)
    if x.array is None and x.op is IOTA:
        return iota(layouts.broadcast(x.args[0], shape), x.device)
    return viewed(x, Movement("broadcast_to", {"shape": shape}))


def viewed(x: Node, movement: Movement) -> Node:
    """A value through another layout, for use within an expression. Programs cannot write through it, unlike a
    `view`."""
    return through(x, movement, False)


def view(x: Node, movement: Movement, fixed: bool = False) -> Node:
    """A view of the memory of a node, or of a pending node. ``fixed``: whether the view refuses writes."""
    return through(x, movement, True, fixed)


def reshaped(x: Node, shape: tuple[int, ...]) -> Node:
    """The elements in C order with another shape, for use within an expression. The node must have such a view."""
    return viewed(x, Movement("reshape", {"shape": shape}))


def repeated(x: Node, ones: tuple[int, ...], block: tuple[int, ...], shape: tuple[int, ...]) -> Node:
    """A copy in which elements stand several times.

    ``ones``: the shape of the value with new axes of extent 1. ``block``: the shape to which these axes are broadcast.
    ``shape``: the shape of the result, in which each of them and its neighbour are one axis.
    """
    return view(unary(POSITIVE, broadcast(reshaped(x, ones), block)), Movement("reshape", {"shape": shape}))


def cut_out(node: Node, box: Box) -> Node:
    """The elements of a box, for use within an expression."""
    return viewed(node, keyed([slice(*ends) for ends in box]))


def part_of(op: Op, x: Node) -> Node:
    """The real or the imaginary parts of complex numbers, as a view; for host operands as a value, because programs do
    not write to these."""
    if x.streamed and x.array is None:
        return unary(op, x)
    return through(x, Movement(op.name, {}), True, part=op)


def brought_together(name: str, operands: Sequence[Any]) -> list[Any]:
    """The operands on one device. Values of constants alone, which have no memory, join the others (`of_constants`).

    ValueError if other operands are on different devices.
    """
    nodes = [operand for operand in operands if type(operand) is Node]
    if not any([node.device is not nodes[0].device for node in nodes]):
        return [*operands]
    device = next((node.device for node in nodes if of_constants(node, node.device) is None), nodes[0].device)
    return [on_device(name, operand, device) if type(operand) is Node else operand for operand in operands]


def on_device(name: str, node: Node, device: Device) -> Node:
    """The node on a device, or the same value of constants alone. ValueError if any other value is on another
    device."""
    moved = node if node.device is device else of_constants(node, device)
    if moved is None:
        raise different_devices(name, device, node.device)
    return moved


def of_constants(node: Node, device: Device, done: dict[Node, Node | None] | None = None) -> Node | None:
    """A pending expression over constants alone, without dimensions, made again on a device; None for other values.

    A broadcast of such a value counts, too. ``done``: the results for values below it.
    """
    done = {} if done is None else done
    if node not in done:
        done[node] = _copy_of_constants(node, device, done)
    return done[node]


def _copy_of_constants(node: Node, device: Device, done: dict[Node, Node | None]) -> Node | None:
    op: Any = node.op
    rule, args = node.rule, node.args  # in this order, while other threads compute it
    if op.layout is not None and args and not args[0].shape:
        origin = of_constants(args[0], device, done)
        return None if origin is None else broadcast(origin, node.shape)
    if node.shape:
        return None
    if op is CONSTANT:
        return constant(args[0], node.dtype, (), device)
    if rule is None or isinstance(rule, UserRule) or not args or any([type(x) is Source for x in args]):
        return None
    moved: list[Any] = [of_constants(x, device, done) if type(x) is Node else x for x in args]
    if any([x is None for x in moved]):
        return None
    if op is WHERE:
        return where(*moved)
    return unary(op, *moved) if len(moved) == 1 else binary(op, *moved) if len(moved) == 2 else of_many(op, moved)


def different_devices(name: str, a: Device, b: Device) -> NoValueError:
    """The error of a function ``name`` whose operands are on two devices."""
    return NoValueError(
        f"{name}: operands are on different devices, {a} and {b}; copy them to one device with to_device "
        f"or asarray(device=)"
    )


def _refused(op: Op, *types: Any) -> TypeError:
    came = " and ".join(t.__name__ if isinstance(t, type) else str(t) for t in types)
    return TypeError(f"{op.name}: got {came}; allowed: {op.accepts} dtypes; convert with astype first")
