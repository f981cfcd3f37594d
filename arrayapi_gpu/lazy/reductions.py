"""Reductions as nodes: a step whose producer is fused into its kernel."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..kernels.launch import Again
from ..kernels.ops import OPS
from ..kernels.reduce import Monoid, identity_value, reduce
from ..kernels.rows import Fold, fold
from ..memory.dtypes import DTYPE_OF
from ..memory.gpuarray import GpuArray
from .build import astype, step, unary
from .graph import Node, Reducing, constant
from .plan import Group, body_of, collect, cut, evaluate, fresh, launch_rows, remember, repeat

INT64 = DTYPE_OF["i64"]
FLOAT32, HALF = DTYPE_OF["f32"], DTYPE_OF["f16"]


class Reduce(Reducing):
    """Reduce ``axes`` by a monoid; the node's operand is the producer."""

    def __init__(self, monoid: Monoid, axes: tuple[int, ...]):
        self.monoid = monoid
        self.axes = axes
        self.name = monoid.name

    @property
    def joins(self) -> bool:
        """Whether it may be a step of a group over rows: positions may not."""
        return not self.monoid.indexed

    def accumulator(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """The dtype of the accumulators: the producer's, but sums of float16 need the range and precision of
        float32, in which halves are compared, too."""
        return FLOAT32 if dtype == HALF else dtype

    def fold(self, node: Node) -> Fold:
        return fold(self.monoid, self.accumulator(node.args[0].dtype), node.dtype)

    def reduce(self, node: Node) -> tuple[GpuArray, Group, Again | None]:
        producer = node.args[0]
        if producer.array is None and producer.held:
            evaluate(producer)
        out = fresh(node.device, node.dtype, node.shape)
        joins = self.joins
        while True:
            group = cut(collect(producer, evaluate, self.axes, joins), producer, self.axes, joins)
            if group.axes is not None:
                launch_rows(group, producer, node, out)
                return out, group, None
            if not group.kept:
                break
            for kept in group.kept:
                evaluate(kept)
        if not out.size:
            return out, group, None
        dtype = producer.dtype
        facts = (self, producer.shape, *group.key)
        key, _, launched = repeat(facts, [out, *group.leaves, *group.memory], group.scalars)
        if launched is None:
            launched = reduce(
                node.device, self.monoid, tuple(group.key), partial(body_of, group, producer, dtype),
                producer.shape, self.axes,
                group.leaves, group.memory, group.scalars, self.accumulator(dtype), out,
            )  # fmt: skip
            launched = remember(key, launched, out)
        return out, group, launched


def reduction(monoid: Monoid, x: Node, axes: tuple[int, ...], keepdims: bool, dtype: np.dtype[Any]) -> Node:
    """``x`` reduced along ``axes`` (normalised), with results of ``dtype``."""
    if not axes:
        return unary(OPS["positive"], astype(x, dtype))
    operation, shape, empty = _reduced(monoid, x.shape, axes, keepdims)
    if empty:
        value = identity_value(monoid)
        if value != value:
            raise ValueError(
                f"{monoid.name}: axes {axes} of an array of shape {x.shape} hold no element, and {monoid.name} of "
                "nothing has no value; check the shape first"
            )
        return constant(dtype.type(value).item(), dtype, shape, x.device)
    return step(operation, (x,), dtype, shape)


_operation = lru_cache(maxsize=4096)(Reduce)


@lru_cache(maxsize=4096)
def _reduced(
    monoid: Monoid, shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool
) -> tuple[Reduce, tuple[int, ...], bool]:
    """The operation, the shape of what is left, and whether there is nothing to reduce."""
    if keepdims:
        left = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    else:
        left = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    return _operation(monoid, axes), left, any(shape[axis] == 0 for axis in axes)
