"""Reductions as operations of nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ...backends.base import Target
from ...kernels.core import tuning
from ...kernels.core.monoid import MAX, MIN, PROD, SUM, Monoid, UserMonoid
from ...kernels.core.operation import Interval, Kind, Operation
from ...kernels.reductions.reduce_schedule import order_of
from ...kernels.reductions.rows import Fold, fold_of
from ...memory.boxes import Box
from ...memory.dtypes import ACCUMULATOR, COMPUTES_IN
from ...memory.layout import Layout, c_order, size
from .expressions import call, literal
from .graph import Node, new_node


class Reduce(Operation):
    """The reduction of ``axes`` by a monoid. The operand of the node is the producer.

    Equal reductions are one object, so it is a key of launches. ``whole``: if the operand is a part of a larger array,
    the shape of that array, whose order of combination is used.
    """

    __slots__ = ("axes", "monoid", "name", "whole")

    kind = Kind.REDUCTION

    def __init__(self, monoid: Monoid, axes: tuple[int, ...], whole: tuple[int, ...] | None = None):
        self.monoid = monoid
        self.axes = axes
        self.name = monoid.name
        self.whole = whole

    @property
    def joins(self) -> bool:
        """Whether it may be a step of a group over rows. Reductions to positions and reductions of parts may not."""
        return not self.monoid.indexed and self.whole is None

    def accumulator(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The dtype of the accumulators, for elements of a dtype. It is float32 for float16 and bfloat16, because these
        lack the range and the precision that sums need."""
        return COMPUTES_IN[dtype]

    def takes_epilogue(self, node: Node) -> bool:
        """On GPUs, where groups store results that are final. NumPy computes few elements in the host's memory."""
        device = node.device
        if not device.is_gpu or self.whole is not None:
            return False
        return not device.computes_on_host or size(node.args[0].shape) > tuning.ON_HOST

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        if self.monoid.indexed:
            return 0, size(tuple([args[0].shape[axis] for axis in self.axes])) - 1
        return of(args[0]) if self.monoid in (MIN, MAX) else None

    def moved(self, node: Node, layout: Layout, mover: Any) -> Node | None:
        """The reduction, if the layout only adds or removes axes of one element; otherwise None."""
        if mover.is_full(node):
            return None
        if not moves_only_ones(layout, node.shape):
            return mover.step(node)  # type: ignore[no-any-return]
        return new_node(self, node.args, None, node.dtype, layout.shape, node.device, node.weight)

    def fold(self, node: Node) -> Fold:
        """The reduction as a step of a group over rows."""
        return fold_of(self.monoid, self.accumulator(node.args[0].dtype), node.dtype)

    def part_of(self, shape: tuple[int, ...], part: tuple[int, ...], target: Target) -> Reduce:
        """The reduction of a part, of shape ``part``, of an operand; the same object if the order of combination
        agrees."""
        order, own = order_of(shape, self.axes, target), order_of(part, self.axes, target)
        return self if own._replace(outputs=order.outputs) == order else like(self, shape)

    def boxes(self, node: Node, box: Box) -> list[Box]:
        """The box of the operand that a box of the results needs, which is whole along the reduced axes."""
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
        return text if tuple(left) == node.shape else call("reshape", text, literal(node.shape))  # `moved` made it


@lru_cache(maxsize=4096)
def like(op: Reduce, shape: tuple[int, ...]) -> Reduce:
    """A reduction of a part of an array of some shape, in the order of combination of the whole array."""
    return Reduce(op.monoid, op.axes, shape)


def moves_only_ones(view: Layout, shape: tuple[int, ...]) -> bool:
    """Whether a view of a shape in C order only adds or removes axes of one element."""
    return view.offset == 0 and longer_than_one(view) == longer_than_one(c_order(shape))


def longer_than_one(layout: Layout) -> list[tuple[int, int]]:
    """The extents and strides of the axes of more than one element."""
    return [(n, step) for n, step in zip(layout.shape, layout.strides, strict=True) if n != 1]
