"""NumPy's ``round`` with ``decimals``, also for the method of arrays and for Python's ``round`` of one number."""

from __future__ import annotations

import math
import sys
from typing import Any

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPE_OF, INTEGRAL
from ..core.arguments import integer
from ..core.array_object import Array, copied
from ..standard.creation_functions import zeros
from ..standard.data_type_functions import astype
from ..standard.elementwise_functions import divide, multiply, round as nearest
from ..standard.manipulation_functions import stack
from ..standard.searching_functions import where

UINT64 = DTYPE_OF["u64"]
MOST = 19  # 10 ** MOST is the largest power of ten that fits an integer dtype
LARGEST_POWER = sys.float_info.max_10_exp


def rounded(x: Array, decimals: int = 0) -> Array:
    """The elements of ``x`` rounded to multiples of ``10**-decimals``, halves to even, in the dtype of ``x``.

    Integers are rounded exactly. They do not change for decimals >= 0, and wrap if a multiple does not fit the dtype.
    Floats are scaled, rounded and scaled back, which gives NaN if the scale is infinite; complex numbers in each
    component. TypeError for booleans.
    """
    decimals = integer("round", "decimals", decimals)
    if x.dtype in BOOLEAN:
        raise TypeError("round: got bool; allowed: numeric dtypes; convert with astype")
    if x.dtype in INTEGRAL:
        return copied(x) if decimals >= 0 else _multiples(x, -decimals)
    if decimals == 0:
        return nearest(x)
    if x.dtype in COMPLEX_FLOATING:
        return stack([rounded(part, decimals) for part in (x.real, x.imag)], axis=-1).view(x.dtype)[..., 0]
    scale = 10.0 ** abs(decimals) if abs(decimals) <= LARGEST_POWER else math.inf  # then the results are NaN
    return divide(nearest(multiply(x, scale)), scale) if decimals > 0 else multiply(nearest(divide(x, scale)), scale)


def _multiples(x: Array, digits: int) -> Array:
    """Integers rounded to multiples of ``10**digits``, computed from their magnitudes, which fit uint64."""
    if digits > MOST:
        return zeros(x.shape, dtype=x.dtype, device=x.device)
    step = 10**digits
    wide = astype(x, UINT64)
    below = x < 0
    magnitude = where(below, 0 - wide, wide)
    count, rest = magnitude // step, magnitude % step
    up = (rest > step // 2) | ((rest == step // 2) & (count % 2 == 1))
    found = (count + astype(up, UINT64)) * step
    return astype(where(below, 0 - found, found), x.dtype)


def built_in(x: Array, decimals: Any = None) -> Any:
    """The result of ``round(x)``, the nearest int, halves to even, or of ``round(x, decimals)``, that of `Array.round`.

    TypeError for ``round(x)`` unless the array is 0-dimensional.
    """
    if x.ndim:
        raise TypeError(
            f"round(): the array has shape {x.shape}; allowed: 0 dimensions; use xp.round(x) or x.round(decimals)"
        )
    return int(x if x.dtype in BOOLEAN else rounded(x)) if decimals is None else rounded(x, decimals)
