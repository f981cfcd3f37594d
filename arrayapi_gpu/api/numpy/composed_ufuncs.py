"""Ufuncs of NumPy that are expressions of this package's functions (`composed`): operands have NumPy's dtypes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ...memory.dtypes import COMPLEX_FLOATING, REAL_FLOATING
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
    """The remainder with the sign of ``x1``. Integers need no magnitude, because that of the least one does not fit."""
    if x1.dtype in REAL_FLOATING:
        return xp["copysign"](xp["remainder"](abs(x1), abs(x2)), x1)
    rest = xp["remainder"](x1, x2)
    return xp["where"]((rest != 0) & ((x1 < 0) != (x2 < 0)), rest - x2, rest)


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


def _cbrt(xp: dict[str, Any], x: Any) -> Any:
    """The cube root: a power, and a step of Newton's method, which makes roots of cubes exact. Numbers whose cube root
    would be cubed with an error are scaled by a power of 8."""
    wide = abs(_wide(x))
    limits = xp["finfo"](wide.dtype)
    small, large = float(limits.smallest_normal) ** 0.5, float(limits.max) ** 0.5
    up = 2.0 ** (math.frexp(small)[1] // -3)
    scale = xp["where"](wide < small, up, xp["where"](wide > large, 1 / up, 1.0)).astype(wide.dtype)
    cube = wide * scale * scale * scale
    root = xp["pow"](cube, 1 / 3)
    better = root - (root * root * root - cube) / (3 * root * root)
    return xp["copysign"](xp["where"]((cube > 0) & (cube < math.inf), better / scale, wide), x).astype(x.dtype)


def _bitwise_count(xp: dict[str, Any], x: Any) -> Any:
    """The number of ones in ``abs(x)``: of pairs of bits, of four, and so on, in one word."""
    word = x if x.dtype.name == "uint64" else abs(x.astype("int64")).astype("uint64")
    for shift, mask in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        word = (word & mask) + ((word >> shift) & mask)
    for shift in (8, 16, 32):
        word = word + (word >> shift)
    return (word & 0x7F).astype("uint8")


def _spacing(xp: dict[str, Any], x: Any) -> Any:
    """The distance to the next number away from zero, with the sign of ``x``; NaN for infinity."""
    size = abs(x)
    step = xp["nextafter"](size, xp["full_like"](size, math.inf)) - size
    return xp["where"](x < 0, -step, step)


def _quotient(xp: dict[str, Any], x1: Any, x2: Any) -> Any:
    """The quotient of `divmod`, as NumPy and Python have it. `floor_divide` follows the standard: it gives infinity for
    infinity by a number, which is NaN here, and -0 for a number by an infinity of the other sign, which is -1 here."""
    found = xp["floor_divide"](x1, x2)
    if found.dtype not in REAL_FLOATING:
        return found
    beyond = xp["isinf"](x2) & (((x1 < 0) & (x2 > 0)) | ((x1 > 0) & (x2 < 0)))
    return xp["where"](xp["isinf"](x1) & (x2 != 0), math.nan, xp["where"](beyond, -1, found))


def _exp2(xp: dict[str, Any], x: Any) -> Any:
    """The power of 2. If the real part is not finite it is that of e, because complex powers give NaN there."""
    found = xp["pow"](xp["asarray"](2, dtype=x.dtype, device=x.device), x)
    if x.dtype not in COMPLEX_FLOATING:
        return found
    turned = xp["exp"](xp["stack"]([x.real, x.imag * math.log(2)], axis=-1).view(x.dtype)[..., 0])
    return xp["where"](xp["isfinite"](x.real), found, turned)


def _fraction(xp: dict[str, Any], x: Any) -> Any:
    """The part after the point, with the sign of ``x``; 0 for infinity."""
    return xp["copysign"](xp["where"](xp["isinf"](x), 0, x - xp["trunc"](x)), x)


_COMPOSED: dict[str, Callable[..., Any]] = {
    "bitwise_count": _bitwise_count,
    "cbrt": _cbrt,
    "deg2rad": _scaled(math.pi / 180),
    "degrees": _scaled(180 / math.pi),
    "exp2": _exp2,
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
    "spacing": _spacing,
    "vecmat": _vecmat,
}

# Ufuncs of several results: for each result a ufunc whose dtypes it has, and the function.
TWO_RESULTS: Final[dict[str, tuple[tuple[np.ufunc, Callable[..., Any]], ...]]] = {
    "divmod": ((np.floor_divide, _quotient), (np.remainder, lambda xp, x1, x2: xp["remainder"](x1, x2))),
    "modf": ((np.fabs, _fraction), (np.fabs, lambda xp, x: xp["trunc"](x))),
}


def composed(xp: dict[str, Any], name: str) -> Callable[..., Any] | None:
    """The function of arrays for a ufunc of NumPy, by the namespace ``xp``; None if there is none."""
    return of_arrays(xp, _COMPOSED[name]) if name in _COMPOSED else None


def of_arrays(xp: dict[str, Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the namespace and arrays, for arrays and numbers."""

    def called(*operands: Any) -> Any:
        like = next(x for x in operands if isinstance(x, Array))
        given = [
            x if isinstance(x, Array) else xp["asarray"](x, dtype=like.dtype, device=like.device) for x in operands
        ]
        return function(xp, *given)

    return called
