"""Functions of NumPy on signals and numbers that may be complex, as expressions (`ALGEBRA`).

As in `composed_functions`, each takes the namespace first and refuses what it does not compute as NumPy does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, INTEGRAL
from ..standard.data_type_functions import floating
from .composed_functions import arrays_of

# --- signals ---------------------------------------------------------------------------------------------------------


def _correlate(xp: dict[str, Any], a: Any, v: Any, mode: str = "valid") -> Any:
    """The sums of ``a[n + k] * conj(v[n])``: those of the swapped vectors backwards, if ``v`` is the longer one."""
    a, v = arrays_of(xp, a, v)
    if a.size < v.size:
        return xp["conj"](_correlate(xp, v, a, mode)[::-1])
    return xp["convolve"](a, xp["conj"](v[::-1]), mode=mode)


def _unwrap(
    xp: dict[str, Any], p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Any:
    """The values without jumps between neighbours: of each step, a whole number of periods is taken away. Steps between
    integers have their dtype, as in NumPy, so those of unsigned ones wrap."""
    if p.dtype in COMPLEX_FLOATING | BOOLEAN:
        raise TypeError(f"unwrap: got {p.dtype}; allowed: real numbers")
    whole = isinstance(period, (int, np.integer)) and p.dtype in INTEGRAL
    steps = xp["diff"](p, axis=axis)
    p, steps = (p, steps) if whole else (floating(p), floating(steps))
    half = period // 2 if whole else period / 2
    near = xp["remainder"](steps + half, period) - half
    if not (whole and period % 2):
        near = xp["where"]((near == -half) & (steps > 0), half, near)
    jumps = xp["where"](abs(steps) < (period / 2 if discont is None else discont), 0, near - steps)
    first = xp["take"](p, xp["asarray"]([0], device=p.device), axis=axis) if p.shape[axis] else p
    return p + xp["concat"]([first * 0, xp["cumulative_sum"](jumps, axis=axis, dtype=jumps.dtype)], axis=axis)


# --- numbers that may be complex -------------------------------------------------------------------------------------


def _complex_if(xp: dict[str, Any], x: Any, is_outside: Callable[[Any], Any]) -> Any:
    """The array, complex if an element is outside of the real function's domain, which the host waits for."""
    (x,) = arrays_of(xp, x)
    if x.dtype in COMPLEX_FLOATING or not xp["any"](is_outside(x)):
        return x
    return x.astype(np.complex64 if np.can_cast(x.dtype, np.float32) else np.complex128)


def _is_negative(x: Any) -> Any:
    return x < 0


def _is_beyond_one(x: Any) -> Any:
    return abs(x) > 1


def _extended(ufunc: Any, is_outside: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda xp, x: ufunc(_complex_if(xp, x, is_outside))


def _logn(xp: dict[str, Any], n: Any, x: Any) -> Any:
    n, x = (_complex_if(xp, value, _is_negative) for value in arrays_of(xp, n, x))
    return np.log(x) / np.log(n)


def _power(xp: dict[str, Any], x: Any, p: Any) -> Any:
    x, p = arrays_of(xp, x, p)
    exponent = p * 1.0 if p.dtype in INTEGRAL and xp["any"](p < 0) else p
    return np.power(_complex_if(xp, x, _is_negative), exponent)


ALGEBRA: Final[dict[str, Callable[..., Any]]] = {
    "correlate": _correlate,
    "isfortran": lambda xp, a: a.flags.fnc,
    "lib.scimath.arccos": _extended(np.arccos, _is_beyond_one),
    "lib.scimath.arcsin": _extended(np.arcsin, _is_beyond_one),
    "lib.scimath.arctanh": _extended(np.arctanh, _is_beyond_one),
    "lib.scimath.log": _extended(np.log, _is_negative),
    "lib.scimath.log10": _extended(np.log10, _is_negative),
    "lib.scimath.log2": _extended(np.log2, _is_negative),
    "lib.scimath.logn": _logn,
    "lib.scimath.power": _power,
    "lib.scimath.sqrt": _extended(np.sqrt, _is_negative),
    "unwrap": _unwrap,
}
