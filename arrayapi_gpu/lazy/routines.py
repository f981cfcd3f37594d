"""Library routines over nodes; they run when called, since they raise what they find in values."""

from __future__ import annotations

from typing import Any

from ..kernels.host_library import compute
from ..memory.dtypes import DTYPE_OF
from .build import astype
from .evaluate import evaluate
from .graph import Node, leaf

HALF, FLOAT32 = DTYPE_OF["f16"], DTYPE_OF["f32"]


def routine(name: str, *operands: Node, **options: Any) -> list[Node]:
    """The results of a routine of the library table, for floating-point operands of one dtype.

    float16 is computed in float32; real results are rounded to float16, complex ones are complex64.
    """
    half = any(operand.dtype == HALF for operand in operands)
    wide = [astype(operand, FLOAT32) if operand.dtype == HALF else operand for operand in operands]
    results = [leaf(array) for array in compute(name, *[evaluate(node) for node in wide], **options)]
    return [astype(node, HALF) if half and node.dtype == FLOAT32 else node for node in results]
