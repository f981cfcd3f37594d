"""Fourier transforms as nodes: steps that call a routine of a library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...kernels.core.operation import Operation
from ...kernels.core.ops import OPS
from ...kernels.routines.routine_table import compute
from ...memory.boxes import Box
from ...memory.dtypes import COMPONENT, COMPUTES_IN, DTYPE_OF, promote
from ...memory.gpuarray import GpuArray, Signature
from ..graph.expressions import call
from ..graph.graph import Node
from .build import astype, step, unary


class FourierTransform(Operation):
    """A routine of the library table: "fftn", "ifftn", "rfftn" or "irfftn".

    ``sizes``: the lengths of the transforms along ``axes``. ``norm``: as in the functions of the standard.
    """

    __slots__ = ("axes", "name", "norm", "sizes")

    def __init__(self, name: str, sizes: tuple[int, ...], axes: tuple[int, ...], norm: str):
        self.name, self.sizes, self.axes, self.norm = name, sizes, axes, norm

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        (array,) = compute(self.name, *operands, s=self.sizes, axes=self.axes, norm=self.norm)
        return array

    def boxes(self, node: Node, box: Box) -> list[Box] | None:
        """The box of the operand; None if the box does not have the whole transformed axes."""
        own = [*box]
        for axis in self.axes:
            if box[axis] != (0, node.shape[axis]):
                return None
            own[axis] = (0, node.args[0].shape[axis])
        return [tuple(own)]

    def expression(self, node: Node, *operands: str) -> str:
        return call(f"fft.{self.name}", *operands, s=self.sizes, axes=self.axes, norm=self.norm)


_operation = lru_cache(maxsize=4096)(FourierTransform)


def transform(name: str, x: Node, sizes: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Node:
    """The node of a transform of a floating-point operand along one axis or more.

    float16 and bfloat16 are computed in float32. Real results are rounded to the dtype of the operand, and complex ones
    are complex64.
    """
    dtype = x.dtype
    x = astype(x, COMPUTES_IN[dtype])
    pair = promote(x.dtype, DTYPE_OF["c64"])
    if not axes:
        return unary(OPS["positive"], astype(x, pair))
    shape = [*x.shape]
    for axis, n in zip(axes, sizes, strict=True):
        shape[axis] = n
    if name == "rfftn":
        shape[axes[-1]] = sizes[-1] // 2 + 1
    real = name == "irfftn"
    node = step(_operation(name, sizes, axes, norm), (x,), COMPONENT[pair] if real else pair, tuple(shape))
    return astype(node, dtype) if real and COMPUTES_IN[dtype] == node.dtype else node
