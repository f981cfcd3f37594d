"""Matrix products as nodes."""

from __future__ import annotations

from ..kernels.matmul import matmul
from ..memory.gpuarray import GpuArray
from .build import step
from .evaluate import evaluate, fresh
from .expressions import call
from .graph import Node


class Product:
    """The matrix product of two stacks of matrices of one dtype and one batch shape."""

    name = "matmul"

    def run(self, node: Node) -> GpuArray:
        a, b = (evaluate(operand) for operand in node.args)
        out = fresh(node.device, node.dtype, node.shape)
        if out.size:
            matmul(a, b, out)
        return out

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands)


def product(a: Node, b: Node) -> Node:
    """``a @ b`` for shapes (..., m, k) and (..., k, n)."""
    return step(Product(), (a, b), a.dtype, (*a.shape[:-1], b.shape[-1]))
