"""Matrix products as nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kernels.core import tuning
from ...kernels.core.operation import Operation
from ...kernels.reductions.matmul import matmul
from ...memory.boxes import Box, boxes_along
from ...memory.dtypes import COMPUTES_IN
from ...memory.gpuarray import GpuArray, Signature
from ...memory.layout import Layout, broadcast, broadcast_shapes, contiguous_strides
from ..graph.expressions import call
from ..graph.graph import Node
from ..run.evaluate import fresh
from .build import step


class Product(Operation):
    """The matrix product of two operands of one dtype. A vector on the left is a row, one on the right a column, and
    the result has no axis for it; other axes than the last two are broadcast."""

    name = "matmul"

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        (a, b), shape = operands, result.shape
        out = fresh(result.device, result.dtype, shape)
        if len(a.shape) == len(b.shape) == 2:
            matmul(a, b, out)
        elif out.size:
            row, column = len(a.shape) == 1, len(b.shape) == 1
            batch = shape[: len(shape) - (not row) - (not column)]
            (k,) = a.shape[-1:]
            left = Layout((1, k), (0, *a.strides), a.offset) if row else a.layout
            right = Layout((k, 1), (*b.strides, 0), b.offset) if column else b.layout
            whole = (*batch, left.shape[-2], right.shape[-1])
            if batch:
                left, right = (broadcast(one, (*batch, *one.shape[-2:])) for one in (left, right))
            matmul(a.through(left), b.through(right), out.through(Layout(whole, contiguous_strides(whole), out.offset)))
        return out

    def chunks(self, node: Node) -> Iterator[tuple[Box, list[tuple[Box, Box]]]]:
        """The products in which matrices on the host are multiplied: boxes of the result, and the boxes of both
        operands whose products are added up in this order. It depends on the shapes alone where there is room.

        Matrices are cut into parts of `tuning.PRODUCT_PART` rows and columns, or of as many as there is room for; of
        small ones, some are taken together.
        """
        a, b = (operand.shape for operand in node.args)
        row, column = len(a) == 1, len(b) == 1
        m, k, n = (1 if row else a[-2]), a[-1], (1 if column else b[-1])
        room = node.device.pool.limit // 2 // COMPUTES_IN[node.dtype].itemsize
        most = _part_with_room(m, k, n, room)
        batch = node.shape[: len(node.shape) - (not row) - (not column)]
        rows, sums, columns = (list(parts(extent, most)) for extent in (m, k, n))
        taken = 2 * k * (m + n) + 3 * m * n  # as for a part
        together = max(min(most * most // max(m * k, k * n, m * n, 1), room // max(taken, 1)), 1)
        inner = next((axis for axis in reversed(range(len(batch))) if batch[axis] > 1), 0)
        for outer in boxes_along(batch, range(inner + 1), together) if batch else [()]:
            for down in rows:
                for right in columns:
                    box = (*outer, *((down,) if not row else ()), *((right,) if not column else ()))
                    pairs = []
                    for along in sums:
                        left = (*_own(outer, a[:-2]), *((down,) if not row else ()), along)
                        pairs.append((left, (*_own(outer, b[:-2]), along, *((right,) if not column else ()))))
                    yield box, pairs

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands)


def _part_with_room(m: int, k: int, n: int, room: int) -> int:
    """The rows, columns and summed places of a part of a product, so that a room of so many elements holds both
    operands' parts, those of the next product, and three results."""
    most = tuning.PRODUCT_PART
    while most > 1:
        rows, sums, columns = (min(extent, most) for extent in (m, k, n))
        if 2 * sums * (rows + columns) + 3 * rows * columns <= room:
            break
        most //= 2
    return most


def parts(n: int, most: int) -> Iterator[tuple[int, int]]:
    """Parts of an extent, of at most so many places; one of nothing."""
    for start in range(0, max(n, 1), most):
        yield start, min(start + most, n)


def _own(box: Box, shape: tuple[int, ...]) -> Box:
    """The box of an operand that is broadcast."""
    return tuple([(0, 1) if n == 1 else ends for n, ends in zip(shape, box[len(box) - len(shape) :], strict=True)])


_MATMUL = Product()


def product(a: Node, b: Node) -> Node:
    """``a @ b``, for operands of one dtype whose axes match; ValueError where those before the last two do not."""
    batch = a.shape[:-2]
    if batch != b.shape[:-2]:
        batch = broadcast_shapes(batch, b.shape[:-2])
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    return step(_MATMUL, (a, b), a.dtype, (*batch, *a.shape[-2:-1], *columns))
