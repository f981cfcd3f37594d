"""Reductions of few elements as expressions of these elements.

A sum over an axis of three is two additions. As an expression, it takes part in the launch that uses it, and its
operand is computed there, too, so neither goes through memory. The operand is read through one view for each place of
the reduced axes (`lazy.plan.pushdown`). The elements are combined in the order of the reduction's own kernel
(`kernels.reductions.reduce_schedule.combined`), so the bits are the same.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...kernels.core import tuning
from ...kernels.core.monoid import PROD, SUM
from ...kernels.core.operation import Kind
from ...kernels.core.ops import CAST, OPS, Op
from ...kernels.reductions.reduce_schedule import combined, order_of
from ...memory.dtypes import COMPLEX_FLOATING, FLOATING
from ...memory.layout import Layout, contiguous_strides, size
from ..graph.graph import Node, constant, new_node
from .pushdown import Mover, Planned, repays


def unrolled(node: Node, shape: tuple[int, ...], planned: Planned) -> Node | None:
    """A reduction as an expression for a launch over ``shape``; None if a separate launch is faster."""
    if not may_be_unrolled(node) or repays(node.shape, shape):
        return None
    most = tuning.UNROLLED_COST[node.device.is_gpu] * size(node.shape) // max(size(shape), 1)
    if node not in planned.unrolled:
        planned.unrolled[node] = _expanded(node, node.op, most, planned)
    return planned.unrolled[node]


def may_be_unrolled(node: Node) -> bool:
    """Whether a node is a reduction of few elements that may become an expression."""
    op: Any = node.op
    if op.kind is not Kind.REDUCTION or size(node.shape) < tuning.UNROLLED_FROM[node.device.is_gpu]:
        return False
    producer: Node = node.args[0]
    return (
        op.joins
        and not op.monoid.texts
        and size(tuple(producer.shape[axis] for axis in op.axes)) <= tuning.UNROLLED
        and not producer.held
        and not (op.monoid is PROD and producer.dtype in COMPLEX_FLOATING)  # z * 1 is not z if a part is infinite
    )


def _expanded(node: Node, op: Any, most: float, planned: Planned) -> Node | None:
    producer, shape, device = node.args[0], node.shape, node.device
    extents = [producer.shape[axis] for axis in op.axes]
    mover = Mover(node, planned, most)
    values = [mover.move(producer, _at(op.axes, place, shape, producer.shape)) for place in np.ndindex(*extents)]
    if mover.needs or mover.cost > most:
        return None
    accumulator = op.accumulator(producer.dtype)

    def apply(operation: Op, dtype: np.dtype[Any], *operands: Node) -> Node:
        types = operands[0].dtype if len(operands) == 1 else tuple([operand.dtype for operand in operands])
        return new_node(operation, operands, operation.rules[types], dtype, shape, device, node.weight)

    def cast(value: Node, dtype: np.dtype[Any]) -> Node:
        return value if value.dtype == dtype else apply(CAST[dtype], dtype, value)

    order = order_of(producer.shape, op.axes, device.target)
    ready = [cast(value, accumulator) for value in values if value is not None]
    whole = combined(ready, order, device.target, partial(apply, OPS[op.monoid.function], accumulator))
    if op.monoid is SUM and accumulator in FLOATING:  # sums begin with +0, so a sum of negative zeros is +0
        whole = apply(OPS["add"], accumulator, whole, constant(accumulator.type(0).item(), accumulator, shape, device))
    return cast(whole, node.dtype)


@lru_cache(maxsize=4096)
def _at(axes: tuple[int, ...], place: tuple[int, ...], shape: tuple[int, ...], whole: tuple[int, ...]) -> Layout:
    """The layout of the elements at one place of some axes of a C-contiguous array. ``whole``: its shape. ``shape``:
    the shape of the layout, which may have other axes of one element."""
    strides = contiguous_strides(whole)
    offset = sum([strides[axis] * index for axis, index in zip(axes, place, strict=True)])
    steps = iter([strides[axis] for axis, n in enumerate(whole) if axis not in axes and n != 1])
    return Layout(shape, tuple([next(steps) if n != 1 else 0 for n in shape]), offset)
