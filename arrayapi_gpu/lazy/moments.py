"""Means and sums of squared deviations: expressions over reductions.

A deviation is the distance of an element from the mean. The deviations are squared and summed after the mean is known,
so nothing cancels. Of rows that the row kernel takes (`kernels.rows`) that is one pass over memory as it is. Of more
elements it is a step, which cuts them into chunks that are such rows. With n the length of a chunk and d the distance
of its mean from the mean of all, the result is the sum of the chunks' results and of n d^2 (T. Chan, G. Golub,
R. LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import rows, tuning
from ..kernels.monoid import SUM
from ..kernels.ops import OPS
from ..memory.dtypes import COMPLEX_FLOATING, COMPONENT, COMPUTES_IN, DTYPE_OF, FLOATING
from ..memory.gpuarray import GpuArray
from ..memory.layout import contiguous_strides, size
from .build import astype, binary, handle, step, unary
from .evaluate import contiguous, evaluate
from .expressions import call, literal
from .graph import Handle, Node, available, leaf
from .reductions import reduction

FLOAT64 = DTYPE_OF["f64"]

GRAIN = 64  # divides the length of chunks, so that they begin at aligned places


def total(x: Node, axes: tuple[int, ...], keepdims: bool) -> Node:
    """The sum along ``axes`` that a mean is made of."""
    x = astype(x, accumulator(x.dtype))
    return reduction(SUM, x, axes, keepdims, x.dtype)


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of sums: small floats have neither the range nor the precision for them, integers no fractions."""
    return COMPUTES_IN[dtype] if dtype in FLOATING else FLOAT64


def over(total: Node, count: float) -> Node:
    """The quotient of sums and a count; NaN of nothing."""
    return binary(OPS["divide"], total, float(count))


def squared_deviations(x: Node, axes: tuple[int, ...], keepdims: bool) -> Node:
    """The sum along ``axes`` of squared distances from the mean; of complex numbers it is real."""
    if chunk_of(x, axes) is None:
        return _squared_deviations(x, axes, keepdims, total(x, axes, True))
    dtype = available(accumulator(x.dtype), x.device)
    shape = tuple(1 if axis in axes else n for axis, n in enumerate(x.shape) if keepdims or axis not in axes)
    return step(SquaredDeviations(axes), (x,), COMPONENT.get(dtype, dtype), shape)


def _squared_deviations(x: Node, axes: tuple[int, ...], keepdims: bool, summed: Node) -> Node:
    """The same, given the sums."""
    count = size(tuple(x.shape[axis] for axis in axes))
    squares = _squares(binary(OPS["subtract"], astype(x, summed.dtype), over(summed, count)))
    return reduction(SUM, squares, axes, keepdims, squares.dtype)


def _squares(distance: Node) -> Node:
    if distance.dtype not in COMPLEX_FLOATING:
        return unary(OPS["square"], distance)
    return binary(OPS["add"], *[unary(OPS["square"], unary(OPS[part], distance)) for part in ("real", "imag")])


def chunk_of(x: Node, axes: tuple[int, ...]) -> tuple[tuple[int, ...], int, int] | None:
    """The shape whose axis is cut, the axis, and the length of a chunk; None where the expression does as well.

    A function of the logical shape, the dtype and the device's lanes. All axes of an array are one if the last is
    short.
    """
    shape, target = x.shape, x.device.target
    if size(shape) < tuning.LARGE or rows.possible(shape, axes, target):
        return None
    if len(axes) == len(shape) and shape[-1] < tuning.MIN_AXIS:
        shape = (size(shape),)
    last = len(shape) - 1
    if len(shape) == 1 or last in axes:
        axis, most = last, tuning.CHUNK if x.dtype.itemsize <= 8 else tuning.CHUNK_WIDE
        length = shape[axis] // -(-shape[axis] // most)
        length -= length % GRAIN if length < shape[axis] else 0
    else:
        axis, length = max(axes, key=lambda axis: shape[axis]), tuning.CHUNK_ACROSS
    if shape[axis] < tuning.MIN_AXIS or not rows.possible(*_cut_shape(shape, axis, length), target):
        return None
    return shape, axis, length


def _cut_shape(shape: tuple[int, ...], axis: int, length: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of the whole chunks along an axis, and the axes of a chunk."""
    return (*shape[:axis], shape[axis] // length, length, *shape[axis + 1 :]), (axis + 1,)


class SquaredDeviations:
    """`squared_deviations` by chunks: a pass over memory, and a few small launches."""

    name = "squared_deviations"

    def __init__(self, axes: tuple[int, ...]):
        self.axes = axes

    def run(self, node: Node) -> GpuArray:
        x = node.args[0]
        found = chunk_of(x, self.axes)
        assert found is not None
        shape, axis, length = found
        axes, array = self.axes, evaluate(x)
        if shape != x.shape:
            array, axes = contiguous(x), (0,)
            array = GpuArray(array.storage, array.dtype, shape, (1,), array.offset)
        shape, along = _cut_shape(array.shape, axis, length)
        stride, whole = array.strides[axis], shape[axis]
        strides = (*array.strides[:axis], stride * length, *array.strides[axis:])
        chunks = leaf(GpuArray(array.storage, array.dtype, shape, strides, array.offset))

        sums = total(chunks, along, True)
        holder = handle(Handle, sums)  # so that the launch that makes the deviations writes the sums
        deviations = _squared_deviations(chunks, along, True, sums)
        evaluate(deviations)
        outer = tuple(a + (a > axis) for a in axes)
        everything = reduction(SUM, holder._node, outer, True, sums.dtype)
        rest = array.shape[axis] - whole * length
        if rest:
            left = (*array.shape[:axis], rest, 1, *array.shape[axis + 1 :])
            steps = (*array.strides[:axis], stride, stride, *array.strides[axis + 1 :])
            tail = leaf(GpuArray(array.storage, array.dtype, left, steps, array.offset + whole * length * stride))
            tail_sums = total(tail, (axis,), True)
            everything = binary(OPS["add"], everything, reduction(SUM, tail_sums, outer, True, sums.dtype))
        count = size(tuple(array.shape[a] for a in axes))
        centre = over(everything, count)
        result = self._joined(deviations, holder._node, length, centre, outer)
        if rest:
            tail_deviations = _squared_deviations(tail, (axis,), True, tail_sums)
            result = binary(OPS["add"], result, self._joined(tail_deviations, tail_sums, rest, centre, outer))
        out = evaluate(result)
        return GpuArray(out.storage, out.dtype, node.shape, contiguous_strides(node.shape), out.offset)

    def expression(self, node: Node, *operands: str) -> str:
        """The variance with a correction by which its denominator is 1."""
        x = node.args[0]
        count = size(tuple(x.shape[axis] for axis in self.axes))
        dtype = available(accumulator(x.dtype), x.device)
        if x.dtype in FLOATING and x.dtype != dtype:  # in which `var` would round
            operands = (call("astype", *operands, literal(dtype)),)
        return call("var", *operands, axis=self.axes, correction=count - 1, keepdims=len(node.shape) == len(x.shape))

    def _joined(self, deviations: Node, sums: Node, count: int, centre: Node, axes: tuple[int, ...]) -> Node:
        """The sum of what chunks of ``count`` elements add to the sum of squared deviations from a common centre."""
        apart = _squares(binary(OPS["subtract"], over(sums, count), centre))
        joined = binary(OPS["add"], deviations, binary(OPS["multiply"], apart, float(count)))
        return reduction(SUM, joined, axes, True, joined.dtype)
