"""The same values with other strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import arrayapi_gpu as xp

HostArray = np.ndarray[Any, Any]


def _contiguous(a: HostArray) -> xp.Array:
    return xp.asarray(a)


def _backwards(a: HostArray) -> xp.Array:
    """Negative strides along every axis."""
    return xp.flip(xp.asarray(np.flip(a)))


def _transposed(a: HostArray) -> xp.Array:
    """The first axis is the one with unit stride."""
    return xp.asarray(a.T.copy("C")).transpose()


def _spread(a: HostArray) -> xp.Array:
    """Every other element of a larger array, from its second element on, so that there is an offset as well."""
    wide = np.zeros(tuple(2 * n + 1 for n in a.shape), a.dtype)
    key = (slice(1, None, 2),) * a.ndim
    wide[key] = a
    return xp.asarray(wide)[key]


def _rows(a: HostArray) -> xp.Array:
    """Rows with a gap between them: unit stride inside, not contiguous as a whole."""
    if not a.ndim:
        return xp.asarray(a)
    wide = np.zeros((*a.shape[:-1], a.shape[-1] + 3), a.dtype)
    wide[..., 2:-1] = a
    return xp.asarray(wide)[..., 2:-1]


LAYOUTS: dict[str, Callable[[HostArray], xp.Array]] = {
    "contiguous": _contiguous,
    "backwards": _backwards,
    "transposed": _transposed,
    "spread": _spread,
    "rows": _rows,
}


def lay_out(a: HostArray, name: str) -> xp.Array:
    """The values of a host array in the layout of that name."""
    return LAYOUTS[name](a)
