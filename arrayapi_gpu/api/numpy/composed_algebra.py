"""Functions of NumPy on signals, matrices and numbers that may be complex, as expressions (`ALGEBRA`).

As in `composed_functions`, each takes the namespace first and refuses what it does not compute as NumPy does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
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
    """The values without jumps between neighbours: of each step, a whole number of periods is taken away."""
    if p.dtype in COMPLEX_FLOATING | BOOLEAN:
        raise TypeError(f"unwrap: got {p.dtype}; allowed: real numbers")
    whole = isinstance(period, int) and p.dtype in INTEGRAL
    p = p if whole else floating(p)
    steps = xp["diff"](p, axis=axis)
    half = period // 2 if whole else period / 2
    near = xp["remainder"](steps + half, period) - half
    if not (whole and period % 2):
        near = xp["where"]((near == -half) & (steps > 0), half, near)
    jumps = xp["where"](abs(steps) < (period / 2 if discont is None else discont), 0, near - steps)
    first = xp["take"](p, xp["asarray"]([0], device=p.device), axis=axis) if p.shape[axis] else p
    return p + xp["concat"]([first * 0, xp["cumulative_sum"](jumps, axis=axis, dtype=jumps.dtype)], axis=axis)


# --- matrices --------------------------------------------------------------------------------------------------------


def _cond(xp: dict[str, Any], x: Any, p: Any = None) -> Any:
    (x,) = arrays_of(xp, x)
    if x.ndim < 2 or not x.size:
        raise ValueError(f"cond: got shape {x.shape}; allowed: matrices with elements")
    if p in (None, 2, -2):
        values = xp["linalg"].svdvals(x)
        found = values[..., -1] / values[..., 0] if p == -2 else values[..., 0] / values[..., -1]
    else:
        norm = partial(xp["linalg"].matrix_norm, ord=p)
        found = norm(x) * norm(xp["linalg"].inv(x))
    return xp["where"](xp["isnan"](found) & ~xp["any"](xp["isnan"](x), axis=(-2, -1)), math.inf, found)


def _multi_dot(xp: dict[str, Any], arrays: Sequence[Any]) -> Any:
    """The product in the order of the fewest multiplications. The first and the last array may be vectors."""
    matrices = arrays_of(xp, *arrays)
    if len(matrices) < 2:
        raise ValueError(f"multi_dot: got {len(matrices)} arrays; allowed: 2 or more")
    first, last = matrices[0].ndim == 1, matrices[-1].ndim == 1
    matrices[0] = matrices[0][None, :] if first else matrices[0]
    matrices[-1] = matrices[-1][:, None] if last else matrices[-1]
    if any([x.ndim != 2 for x in matrices]) or any([x.shape[1] != y.shape[0] for x, y in pairwise(matrices)]):
        raise ValueError(f"multi_dot: got shapes {[x.shape for x in matrices]}; allowed: matrices that fit")
    found = _product(xp, matrices)
    found = found[0] if first else found
    return found[..., 0] if last else found


def _product(xp: dict[str, Any], matrices: list[Any]) -> Any:
    extents = [matrices[0].shape[0], *[x.shape[1] for x in matrices]]
    count = len(matrices)
    best: dict[tuple[int, int], tuple[int, int]] = {(k, k + 1): (0, k) for k in range(count)}  # cost, and the last cut
    for length in range(2, count + 1):
        for k in range(count - length + 1):
            best[k, k + length] = min(
                (best[k, m][0] + best[m, k + length][0] + extents[k] * extents[m] * extents[k + length], m)
                for m in range(k + 1, k + length)
            )

    def product(begin: int, end: int) -> Any:
        if end - begin == 1:
            return matrices[begin]
        cut = best[begin, end][1]
        return xp["matmul"](product(begin, cut), product(cut, end))

    return product(0, count)


def _tensorinv(xp: dict[str, Any], a: Any, ind: int = 2) -> Any:
    (a,) = arrays_of(xp, a)
    rows = math.prod(a.shape[:ind])
    if ind <= 0 or rows * rows != a.size:
        raise ValueError(f"tensorinv: got shape {a.shape} and ind={ind}; allowed: equal products of extents")
    return xp["linalg"].inv(a.reshape((rows, rows))).reshape(a.shape[ind:] + a.shape[:ind])


def _tensorsolve(xp: dict[str, Any], a: Any, b: Any, axes: Any = None) -> Any:
    a, b = arrays_of(xp, a, b)
    if axes is not None:
        last = [axis % a.ndim for axis in axes]
        a = xp["permute_dims"](a, (*[axis for axis in range(a.ndim) if axis not in last], *last))
    shape = a.shape[b.ndim :]
    if math.prod(shape) != b.size or b.size * b.size != a.size:
        raise ValueError(f"tensorsolve: got shapes {a.shape} and {b.shape}; allowed: as many unknowns as equations")
    return xp["linalg"].solve(a.reshape((b.size, b.size)), b.ravel()).reshape(shape)


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
    "linalg.cond": _cond,
    "linalg.multi_dot": _multi_dot,
    "linalg.tensorinv": _tensorinv,
    "linalg.tensorsolve": _tensorsolve,
    "unwrap": _unwrap,
}
