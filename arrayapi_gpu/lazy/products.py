"""Matrix products as nodes."""

from __future__ import annotations

from ..kernels.matmul import matmul
from ..memory.gpuarray import GpuArray
from ..memory.layout import Layout, broadcast, broadcast_shapes, contiguous_strides
from .build import step
from .evaluate import evaluate, fresh
from .expressions import call
from .graph import Node


class Product:
    """The matrix product of two operands of one dtype. A vector on the left is a row, one on the right a column, and
    the result has no axis for it; other axes than the last two are broadcast."""

    name = "matmul"

    def run(self, node: Node) -> GpuArray:
        a, b = (evaluate(operand) for operand in node.args)
        out = fresh(node.device, node.dtype, node.shape)
        if out.size:
            row, column = len(a.shape) == 1, len(b.shape) == 1
            batch = node.shape[: len(node.shape) - (not row) - (not column)]
            (k,) = a.shape[-1:]
            left = Layout((1, k), (0, *a.strides), a.offset) if row else a.layout
            right = Layout((k, 1), (*b.strides, 0), b.offset) if column else b.layout
            whole = (*batch, left.shape[-2], right.shape[-1])
            if batch:
                left, right = (broadcast(one, (*batch, *one.shape[-2:])) for one in (left, right))
            matmul(a.through(left), b.through(right), out.through(Layout(whole, contiguous_strides(whole), out.offset)))
        return out

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands)


def product(a: Node, b: Node) -> Node:
    """``a @ b``, for operands of one dtype whose axes match; ValueError where those before the last two do not."""
    batch = a.shape[:-2]
    if batch != b.shape[:-2]:
        batch = broadcast_shapes(batch, b.shape[:-2])
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    return step(Product(), (a, b), a.dtype, (*batch, *a.shape[-2:-1], *columns))
