"""Routines of linear algebra over nodes. They run at once, because their errors depend on values."""

from __future__ import annotations

from typing import Any

from ...kernels.routines.routine_table import compute
from ...memory.dtypes import COMPUTES_IN
from ..graph.graph import Node, leaf
from .build import astype, read


def routine(name: str, *operands: Node, **options: Any) -> list[Node]:
    """The nodes of the results of a routine of the library table, for floating-point operands of one dtype.

    float16 and bfloat16 are computed in float32. Real results are rounded to the dtype, and complex ones are complex64.
    """
    dtype = operands[0].dtype
    wide = [astype(operand, COMPUTES_IN[dtype]) for operand in operands]
    results = [leaf(array) for array in compute(name, *map(read, wide), **options)]
    return [astype(node, dtype) if node.dtype == COMPUTES_IN[dtype] else node for node in results]
