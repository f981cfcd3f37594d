"""Building reductions: nodes whose producer is fused into their kernel."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ...kernels.core.monoid import Monoid
from ...kernels.core.ops import OPS
from ..graph.graph import Node, constant
from ..graph.reduction import Reduce
from .build import astype, step, unary


def reduction(monoid: Monoid, x: Node, axes: tuple[int, ...], keepdims: bool, dtype: np.dtype[Any]) -> Node:
    """The node of ``x`` reduced along ``axes`` (not negative), with results of ``dtype``.

    ValueError if an axis has no elements and the monoid has no identity.
    """
    if not axes:
        return unary(OPS["positive"], astype(x, dtype))
    operation, shape, empty = _reduced(monoid, x.shape, axes, keepdims)
    if empty:
        value = monoid.of_nothing
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
    """The operation, the shape of its result, and whether there are no elements to reduce."""
    if keepdims:
        left = tuple(1 if axis in axes else n for axis, n in enumerate(shape))
    else:
        left = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    return _operation(monoid, axes), left, any(shape[axis] == 0 for axis in axes)
