"""Matrix products as nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product as product_of

from ...kernels.core import tuning
from ...kernels.core.launch import BoundLaunch
from ...kernels.core.operation import Operation
from ...kernels.reductions.epilogues import Following
from ...kernels.reductions.matmul import matmul, matmul_then, takes_epilogue
from ...memory.boxes import Box, boxes_along
from ...memory.dtypes import COMPUTES_IN
from ...memory.gpuarray import GpuArray, Signature
from ...memory.layout import Layout, Shape, broadcast, broadcast_shapes, size
from ..graph.expressions import call
from ..graph.graph import Node
from ..run.launches import launch
from .build import step


class Product(Operation):
    """The matrix product of two operands of one dtype.

    A vector on the left is a row, and one on the right is a column; the result has no axis for it. The axes before the
    last two are broadcast.
    """

    name = "matmul"
    launched = True

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        out = result.fresh()
        if out.size:
            a, b = operands
            launch((self,), [out], operands, (), lambda _: _product_of_arrays(a, b, out), _no_host_launch)
        return out

    def takes_epilogue(self, node: Node) -> bool:
        a, b = (operand.shape for operand in node.args)
        m, n, batch = (a[-2] if len(a) > 1 else 1), (b[-1] if len(b) > 1 else 1), size(node.shape)
        return takes_epilogue(node.device, node.dtype, batch // max(m * n, 1), m, n, a[-1])

    def run_then(self, operands: Sequence[GpuArray], out: GpuArray, then: Following) -> BoundLaunch | None:
        a, b = operands
        left, right, as_matrices = _as_matrices(a, b, out.shape)
        others = [one.through(as_matrices(broadcast(one.layout, out.shape))) for one in then.arrays]
        return matmul_then(left, right, out.through(as_matrices(out.layout)), then._replace(arrays=others))

    def cut(self, node: Node) -> tuple[list[Box], list[tuple[int, int]]]:
        """The parts of a product of matrices in host memory: boxes of the result, and ranges of the summed index, whose
        products are added in this order. The parts depend on the shapes alone if there is room for them.

        Parts have `tuning.PRODUCT_PART` rows and columns, or fewer if there is less room. One part may have several
        small matrices.
        """
        a, b = (operand.shape for operand in node.args)
        rows, columns, k = len(a) > 1, len(b) > 1, a[-1]
        m, n = (a[-2] if rows else 1), (b[-1] if columns else 1)
        pool = node.device.pool
        room = min(pool.limit // 2, pool.room) // COMPUTES_IN[node.dtype].itemsize  # other arrays may take the rest
        most = _part_with_room(m, k, n, room)
        batch = node.shape[: len(node.shape) - rows - columns]
        taken = 2 * k * (m + n) + 3 * m * n  # as in `_part_with_room`
        together = max(min(most * most // max(m * k, k * n, m * n, 1), room // max(taken, 1)), 1)
        inner = next((axis for axis in reversed(range(len(batch))) if batch[axis] > 1), 0)
        outer = boxes_along(batch, range(inner + 1), together) if batch else [()]
        ends = [list(parts(extent, most)) for extent in node.shape[len(batch) :]]
        return [(*own, *box) for own in outer for box in product_of(*ends)], list(parts(k, most))

    def boxes_of_part(self, node: Node, box: Box, along: tuple[int, int]) -> list[Box]:
        """The boxes of both operands whose product is a part of the sum for a box of the result."""
        a, b = (operand.shape for operand in node.args)
        right = len(box) - (len(b) > 1)
        left = right - (len(a) > 1)
        return [(*_own(box[:left], a[:-2]), *box[left:right], along), (*_own(box[:left], b[:-2]), along, *box[right:])]

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands)


def _product_of_arrays(a: GpuArray, b: GpuArray, out: GpuArray) -> BoundLaunch | None:
    """Write the product of matrices, stacks and vectors."""
    if len(a.shape) == len(b.shape) == 2:
        return matmul(a, b, out)
    left, right, as_matrices = _as_matrices(a, b, out.shape)
    return matmul(left, right, out.through(as_matrices(out.layout)))


def _as_matrices(a: GpuArray, b: GpuArray, shape: Shape) -> tuple[GpuArray, GpuArray, Callable[[Layout], Layout]]:
    """Both operands of a product as matrices, in stacks of the same shape, and the function that shows an array of the
    product's shape so."""
    row, column = len(a.shape) == 1, len(b.shape) == 1
    batch = shape[: len(shape) - (not row) - (not column)]
    (k,) = a.shape[-1:]
    left = Layout((1, k), (0, *a.strides), a.offset) if row else a.layout
    right = Layout((k, 1), (*b.strides, 0), b.offset) if column else b.layout
    whole = (*batch, left.shape[-2], right.shape[-1])
    if batch:
        left, right = (broadcast(one, (*batch, *one.shape[-2:])) for one in (left, right))

    def as_matrices(layout: Layout) -> Layout:
        steps = list(layout.strides)
        if row:
            steps.insert(len(batch), 0)
        if column:
            steps.append(0)
        return Layout(whole, tuple(steps), layout.offset)

    return a.through(left), b.through(right), as_matrices


def _no_host_launch() -> None:
    """Products of a library are not computed by NumPy's interpreter."""


def _part_with_room(m: int, k: int, n: int, room: int) -> int:
    """The largest number of rows, columns and summed places of a part of a product.

    A ``room`` of so many elements holds the parts of both operands, those of the next product, and three results.
    """
    most = tuning.PRODUCT_PART
    while most > 1:
        rows, sums, columns = (min(extent, most) for extent in (m, k, n))
        if 2 * sums * (rows + columns) + 3 * rows * columns <= room:
            break
        most //= 2
    return most


def parts(n: int, most: int) -> Iterator[tuple[int, int]]:
    """The ranges that divide an extent, each of at most ``most`` places; one empty range for an extent of 0."""
    for start in range(0, max(n, 1), most):
        yield start, min(start + most, n)


def _own(box: Box, shape: tuple[int, ...]) -> Box:
    """The box of an operand, for a box of the shape to which it is broadcast."""
    return tuple([(0, 1) if n == 1 else ends for n, ends in zip(shape, box[len(box) - len(shape) :], strict=True)])


_MATMUL = Product()


def product(a: Node, b: Node) -> Node:
    """The node of ``a @ b``, for operands of one dtype.

    ValueError for operands without an axis, for extents that do not match, and if the axes before the last two cannot
    be broadcast.
    """
    own, other = a.shape, b.shape
    if not own or not other:
        raise ValueError(f"matmul: shapes {own} and {other}; allowed: 1 dimension or more; use multiply")
    columns = len(other) > 1
    inner = other[-2] if columns else other[0]
    if own[-1] != inner:
        raise ValueError(
            f"matmul: shapes {own} and {other}: {own[-1]} columns meet {inner} rows; allowed: equal "
            "numbers; transpose or reshape an operand"
        )
    if len(own) <= 2 and len(other) <= 2:
        return step(_MATMUL, (a, b), a.dtype, own[:-1] + other[1:])
    batch = own[:-2]
    if batch != other[:-2]:
        batch = broadcast_shapes(batch, other[:-2])
    return step(_MATMUL, (a, b), a.dtype, (*batch, *own[-2:-1], *(other[-1:] if columns else ())))
