"""Ufuncs of NumPy that are expressions of this package's functions (`composed`): operands have NumPy's dtypes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...memory.dtypes import REAL_FLOATING
from ..core.array_object import Array


def _scaled(factor: float) -> Callable[..., Any]:
    return lambda xp, x: (_wide(x) * factor).astype(x.dtype)


def _wide(x: Any) -> Any:
    """The array, float16 as float32, in which NumPy computes it."""
    return x.astype("float32") if x.dtype.itemsize == 2 else x


def _other_than_nan(name: str) -> Callable[..., Any]:
    """`fmax` and `fmin`: the function ``name``, except that NaN counts as missing."""

    def function(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
        found = xp[name](x1, x2)
        if found.dtype not in REAL_FLOATING:
            return found
        return xp["where"](xp["isnan"](x1), x2, xp["where"](xp["isnan"](x2), x1, found))

    return function


def _fmod(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
    """The remainder with the sign of ``x1``."""
    rest = xp["remainder"](abs(x1), abs(x2))
    return xp["copysign"](rest, x1) if rest.dtype in REAL_FLOATING else xp["where"](x1 < 0, -rest, rest)


def _heaviside(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
    step = xp["where"](x1 < 0, 0, xp["where"](x1 > 0, 1, x2))
    return xp["where"](xp["isnan"](x1), x1, step)


def _logaddexp2(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
    found = xp["logaddexp"](_wide(x1) * math.log(2), _wide(x2) * math.log(2)) / math.log(2)
    return found.astype(x1.dtype)


def _matvec(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
    return xp["matmul"](x1, x2[..., None])[..., 0]


def _vecmat(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
    return xp["matmul"](xp["conj"](x1)[..., None, :], x2)[..., 0, :]


_COMPOSED: dict[str, Callable[..., Any]] = {
    "deg2rad": _scaled(math.pi / 180),
    "degrees": _scaled(180 / math.pi),
    "exp2": lambda xp, x: xp["pow"](xp["asarray"](2, dtype=x.dtype, device=x.device), x),
    "fabs": lambda xp, x: abs(x),
    "float_power": lambda xp, x1, x2: xp["pow"](x1, x2),
    "fmax": _other_than_nan("maximum"),
    "fmin": _other_than_nan("minimum"),
    "fmod": _fmod,
    "heaviside": _heaviside,
    "logaddexp2": _logaddexp2,
    "matvec": _matvec,
    "rad2deg": _scaled(180 / math.pi),
    "radians": _scaled(math.pi / 180),
    "vecmat": _vecmat,
}


def composed(xp: dict[str, Any], name: str) -> Callable[..., Any] | None:
    """The function of arrays for a ufunc of NumPy, by the namespace ``xp``; None if there is none."""
    if name not in _COMPOSED:
        return None
    function = _COMPOSED[name]

    def of_arrays(*operands: Any) -> Any:
        like = next(x for x in operands if isinstance(x, Array))
        given = [
            x if isinstance(x, Array) else xp["asarray"](x, dtype=like.dtype, device=like.device) for x in operands
        ]
        return function(xp, *given)

    return of_arrays
