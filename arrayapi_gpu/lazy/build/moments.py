"""Means and sums of squared deviations: expressions over reductions.

A deviation is the distance of an element from the mean. The deviations are squared and summed after the mean is known,
so no digits cancel. For rows that the row kernel takes (`kernels.reductions.rows`) that is one pass over memory. Longer
axes are cut into chunks that are such rows, and the expression is over views of these. With n the length of a chunk and
d the distance of its mean from the mean of all elements, the result is the sum of the results of the chunks and of
n d^2 (T. Chan, G. Golub, R. LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979).

If the axes are not adjacent, such as 0, 2 and 3 of images, the last ones are such rows without chunks. Then means are
sums of the sums of rows, which a mean and a variance of one array share, so both take one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any
from weakref import ref

import numpy as np

from ...backends.base import Target
from ...kernels.core import tuning
from ...kernels.core.monoid import SUM
from ...kernels.core.operation import Operation
from ...kernels.core.ops import OPS
from ...kernels.core.store import cached
from ...kernels.reductions import rows
from ...memory.boxes import whole
from ...memory.dtypes import COMPLEX_FLOATING, COMPUTES_IN, DTYPE_OF, FLOATING
from ...memory.gpuarray import GpuArray, Signature
from ...memory.layout import Layout, size
from ..graph.expressions import call
from ..graph.graph import Node, leaf
from ..graph.host_operands import computed_first
from ..graph.movements import keyed
from ..run.evaluate import contiguous
from .build import astype, binary, concatenation, cut_out, reshaped, step, unary, viewed
from .reductions import reduction

FLOAT64 = DTYPE_OF["f64"]

GRAIN = 64  # divides the length of chunks, so that they begin at aligned addresses


def total(x: Node, axes: tuple[int, ...], keepdims: bool) -> Node:
    """The sum along ``axes`` for a mean, in the dtype of accumulators.

    A mean and a variance of one array share a sum that keeps its dimensions or has none: an earlier one, if it still
    exists and no write followed.
    """
    array = x.array
    if (not keepdims and len(axes) < len(x.shape)) or (array is not None and array.storage.buffer.exposed):
        return _total(x, axes, keepdims)
    if x.sums is None:
        x.sums = {}
    key, now = (axes, keepdims), 0 if array is None else array.storage.writes
    reference, then = x.sums.get(key, (None, 0))
    sums = None if reference is None or then != now else reference()
    if sums is None:
        sums = _total(x, axes, keepdims)
        x.sums[key] = ref(sums), now
    return sums


def _total(x: Node, axes: tuple[int, ...], keepdims: bool) -> Node:
    inner = _way(x, axes)[0]
    x = astype(x, accumulator(x.dtype)) if inner is None else total(x, inner, True)
    return reduction(SUM, x, axes, keepdims, x.dtype)


Chunk = tuple[tuple[int, ...], int, int]  # the shape whose axis is cut, the axis, and the length of a chunk


def _way(x: Node, axes: tuple[int, ...]) -> tuple[tuple[int, ...] | None, Chunk | None]:
    """The last of some axes that are not adjacent, if the array is large and the row kernel takes them; and the chunks
    of a variance, if they are faster. None where there are none."""
    shape: tuple[int, ...] = x.shape
    if size(shape) < tuning.LARGE[x.device.is_gpu]:
        return _NO_WAY
    return rows_of(shape, axes, x.device.target), chunk_of(shape, axes, x.dtype.itemsize, x.device.target)


_NO_WAY = None, None


@cached
def rows_of(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> tuple[int, ...] | None:
    """The last of some axes of a large array that are not adjacent, if the row kernel takes them; otherwise None."""
    long = [axis for axis in range(len(shape)) if shape[axis] > 1]
    inner = tuple(reversed(list(takewhile(lambda axis: axis in axes, reversed(long)))))
    side_by_side = all(axis in inner for axis in axes if axis in long)
    if side_by_side or size(tuple(shape[axis] for axis in inner)) < GRAIN:
        return None
    return inner if rows.possible(shape, inner, target) else None


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of sums: float32 for small floats, which lack range and precision, and float64 for integers."""
    return COMPUTES_IN[dtype] if dtype in FLOATING else FLOAT64


def over(total: Node, count: float) -> Node:
    """The quotient of sums and a count; NaN for a count of 0."""
    return binary(OPS["divide"], total, float(count))


def squared_deviations(x: Node, axes: tuple[int, ...], keepdims: bool) -> Node:
    """The sum along ``axes`` of squared distances from the mean. It is real for complex numbers, too."""
    inner, found = _way(x, axes)
    if inner is None and found is None:
        return _squared_deviations(x, axes, keepdims, total(x, axes, len(axes) < len(x.shape)))
    left = tuple(1 if k in axes else n for k, n in enumerate(x.shape) if keepdims or k not in axes)
    if inner is not None:
        shared = total(x, inner, True)  # with a mean
        sums, deviations = _read_once(x, shared, _squared_deviations(x, inner, True, shared), inner[0])
        of_all = total(x, axes, True) if sums is shared else reduction(SUM, sums, axes, True, sums.dtype)
        centre = over(of_all, size(tuple(x.shape[k] for k in axes)))
        part = sums, deviations, size(tuple(x.shape[k] for k in inner))
        return reshaped(_joined(*part, centre, axes), left)
    assert found is not None
    shape, axis, length = found
    if shape != x.shape:
        x, axes = _flat(x, shape), (0,)
    count = size(tuple(shape[k] for k in axes))
    outer = tuple(k + (k > axis) for k in axes)

    parts = []  # sums, squared deviations and length, of the chunks and of the rest
    cut, along = _cut_shape(shape, axis, length)
    chunks, rest = _cut(x, axis, cut, 0), shape[axis] - cut[axis] * length
    sums = total(chunks, along, True)
    sums, deviations = _read_once(x, sums, _squared_deviations(chunks, along, True, sums), axis + 1)
    parts.append((sums, deviations, length))
    if rest:
        tail = _cut(x, axis, (*shape[:axis], rest, 1, *shape[axis + 1 :]), shape[axis] - rest)
        sums = total(tail, (axis,), True)
        parts.append((sums, _squared_deviations(tail, (axis,), True, sums), rest))

    everything = [reduction(SUM, sums, outer, True, sums.dtype) for sums, *_ in parts]
    centre = over(_sum(everything), count)
    joined = _sum([_joined(*part, centre, outer) for part in parts])
    return reshaped(joined, left)


def _read_once(x: Node, sums: Node, deviations: Node, axis: int) -> tuple[Node, Node]:
    """The same two values. For host operands they become parts of one concatenation along an axis of one element, which
    is computed first, so that the operands are read once for both."""
    if not x.streamed or deviations.dtype != sums.dtype:
        return sums, deviations
    shape = (*sums.shape[:axis], 2, *sums.shape[axis + 1 :])
    both = step(concatenation(axis), (sums, deviations), sums.dtype, shape)
    computed_first.add(both)
    everything = whole(shape)
    one, other = (cut_out(both, (*everything[:axis], (k, k + 1), *everything[axis + 1 :])) for k in range(2))
    return one, other


def _squared_deviations(x: Node, axes: tuple[int, ...], keepdims: bool, summed: Node) -> Node:
    """The result of `squared_deviations`, given the sums along the axes."""
    count = size(x.shape) if len(axes) == len(x.shape) else size(tuple([x.shape[axis] for axis in axes]))
    squares = _squares(binary(OPS["subtract"], astype(x, summed.dtype), over(summed, count)))
    return reduction(SUM, squares, axes, keepdims, squares.dtype)


def _squares(distance: Node) -> Node:
    if distance.dtype not in COMPLEX_FLOATING:
        return unary(OPS["square"], distance)
    return binary(OPS["add"], *[unary(OPS["square"], unary(OPS[part], distance)) for part in ("real", "imag")])


@cached
def chunk_of(shape: tuple[int, ...], axes: tuple[int, ...], itemsize: int, target: Target) -> Chunk | None:
    """The chunks of a large array; None if they are not faster.

    The result depends on the logical shape, the dtype and the lanes of the device. If all axes are reduced and the last
    one is short, they become one axis.
    """
    if rows.possible(shape, axes, target):
        return None
    if len(axes) == len(shape) and shape[-1] < tuning.MIN_AXIS:
        shape = (size(shape),)
    last = len(shape) - 1
    if len(shape) == 1 or last in axes:
        axis, most = last, tuning.CHUNK if itemsize <= 8 else tuning.CHUNK_WIDE
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


def _cut(x: Node, axis: int, shape: tuple[int, ...], first: int) -> Node:
    """A view of ``shape`` that shows the elements from ``first`` on along an axis as two axes."""
    chunks = slice(first, first + shape[axis] * shape[axis + 1])
    return reshaped(viewed(x, keyed([slice(None)] * axis + [chunks])), shape)


def _flat(x: Node, shape: tuple[int, ...]) -> Node:
    """The node of the elements in C order, in one dimension."""
    if x.array is None or x.array.contiguous:
        return reshaped(x, shape)
    return step(_FLATTENING, (x,), x.dtype, shape)


class _Flattened(Operation):
    """The elements of an array in C order, in one dimension: a copy."""

    name = "flat"

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        array = contiguous(leaf(*operands))
        return array.view(Layout(result.shape, (1,), array.offset))

    def expression(self, node: Node, *operands: str) -> str:
        return call("reshape", *operands, "(-1,)")


_FLATTENING = _Flattened()


def _joined(sums: Node, deviations: Node, count: int, centre: Node, axes: tuple[int, ...]) -> Node:
    """The contribution of chunks of ``count`` elements to the sum of squared deviations from a common centre."""
    distance = _squares(binary(OPS["subtract"], over(sums, count), centre))
    joined = binary(OPS["add"], deviations, binary(OPS["multiply"], distance, float(count)))
    return reduction(SUM, joined, axes, True, joined.dtype)


def _sum(nodes: list[Node]) -> Node:
    first, *rest = nodes
    for node in rest:
        first = binary(OPS["add"], first, node)
    return first
