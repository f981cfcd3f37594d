"""Functions of NumPy on coefficients of polynomials, highest degree first, as expressions (`POLYNOMIALS`).

As in `composed_functions`, each takes the namespace first and refuses what it does not compute as NumPy does. Objects
of `numpy.poly1d` stay NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ...memory.dtypes import COMPLEX_FLOATING, REAL_FLOATING, as_dtype
from ..standard.data_type_functions import floating
from .composed_functions import arrays_of

MOST_COEFFICIENTS: Final = 64  # coefficients and columns that are computed one after another


def _vectors(xp: dict[str, Any], name: str, *values: Any) -> list[Any]:
    """The values as vectors. TypeError for NumPy's polynomials, ValueError for arrays of more axes."""
    if any([isinstance(value, np.poly1d) for value in values]):
        raise TypeError(f"{name}: got a poly1d; allowed: arrays of coefficients; use its coeffs")
    found = [xp["atleast_1d"](x) for x in arrays_of(xp, *values)]
    if any([x.ndim != 1 for x in found]):
        raise ValueError(f"{name}: got {max(x.ndim for x in found)} axes; allowed: 1")
    return found


def _sum_of(name: str, combine: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def function(xp: dict[str, Any], a1: Any, a2: Any) -> Any:
        one, other = _vectors(xp, name, a1, a2)
        count = max(one.size, other.size)
        padded = [xp["concat"]([xp["zeros"](count - x.size, dtype=x.dtype, device=x.device), x]) for x in (one, other)]
        return combine(*padded)

    return function


def _without_zeros(xp: dict[str, Any], p: Any) -> Any:
    """The coefficients from the first that is not zero, which the host waits for; at least one."""
    places = xp["nonzero"](p)[0]
    return p[int(places[0]) if places.size else max(p.size - 1, 0) :]


def _polymul(xp: dict[str, Any], a1: Any, a2: Any) -> Any:
    return xp["convolve"](*[_without_zeros(xp, x) for x in _vectors(xp, "polymul", a1, a2)])


def _polyder(xp: dict[str, Any], p: Any, m: int = 1) -> Any:
    (found,) = _vectors(xp, "polyder", p)
    if m < 0:
        raise ValueError(f"polyder: got m={m}; allowed: 0 or more")
    for _ in range(m):
        found = found[:-1] * xp["arange"](max(found.size - 1, 0), 0, -1, device=found.device)
    return found


def _polyint(xp: dict[str, Any], p: Any, m: int = 1, k: Any = None) -> Any:
    found, constants = _vectors(xp, "polyint", p, [0.0] * m if k is None else k)
    if m < 0 or 1 < constants.size < m:
        raise ValueError(f"polyint: got m={m} and {constants.size} constants; allowed: 0 or more, one for each")
    for n in range(m):
        powers = xp["arange"](found.size, 0, -1, device=found.device)
        found = xp["concat"]([found / powers, constants[n : n + 1] if constants.size > 1 else constants])
    return found


def _poly(xp: dict[str, Any], seq_of_zeros: Any) -> Any:
    (zeros,) = arrays_of(xp, seq_of_zeros)
    if zeros.ndim != 1 or not 0 < zeros.size <= MOST_COEFFICIENTS or zeros.dtype in COMPLEX_FLOATING:
        raise ValueError("poly: got a matrix, complex zeros, or too many; allowed: a vector of real zeros")
    zeros = floating(zeros)
    found = xp["ones"](1, dtype=zeros.dtype, device=zeros.device)
    for zero in zeros:
        found = xp["concat"]([found, found[:1] * 0]) - xp["concat"]([found[:1] * 0, found * zero])
    return found


def _vander(xp: dict[str, Any], x: Any, N: int | None = None, increasing: bool = False) -> Any:
    (x,) = arrays_of(xp, x)
    count = x.size if N is None else N
    if x.ndim != 1 or not 0 < count <= MOST_COEFFICIENTS:
        raise ValueError(f"vander: got {x.ndim} axes and N={count}; allowed: 1, and 1 to {MOST_COEFFICIENTS}")
    x = x.astype(np.promote_types(x.dtype, int))
    columns = [xp["ones_like"](x)]
    while len(columns) < count:
        columns.append(columns[-1] * x)
    return xp["stack"](columns if increasing else columns[::-1], axis=1)


def _polyfit(xp: dict[str, Any], x: Any, y: Any, deg: Any, rcond: float | None = None, *, w: Any = None) -> Any:
    """The least-squares fit. ValueError for points of too low a rank, about which NumPy warns."""
    x, y = (floating(value) for value in arrays_of(xp, x, y))
    order = int(deg) + 1
    if x.ndim != 1 or y.ndim not in (1, 2) or not x.size or x.size != y.shape[0] or not isinstance(deg, int):
        raise ValueError(f"polyfit: got shapes {x.shape} and {y.shape}, degree {deg!r}; allowed: vectors, an integer")
    if any([value.dtype not in REAL_FLOATING or value.dtype.itemsize < 4 for value in (x, y)]):
        raise TypeError(f"polyfit: got {x.dtype} and {y.dtype}; allowed: float32 and float64")
    left, right = _vander(xp, x, order), y
    if w is not None:
        (weights,) = (floating(value) for value in arrays_of(xp, x, w)[1:])
        if weights.shape != x.shape:
            raise TypeError(f"polyfit: got weights of shape {weights.shape}; allowed: {x.shape}")
        left, right = left * weights[:, None], right * (weights if y.ndim == 1 else weights[:, None])
    scale = xp["sqrt"](xp["sum"](left * left, axis=0))
    room = x.size * float(xp["finfo"](x.dtype).eps) if rcond is None else rcond
    dtype = as_dtype(xp["result_type"](left, right))
    found, _, rank, _ = xp["linalg"].lstsq((left / scale).astype(dtype), right.astype(dtype), rcond=room)
    if int(rank) != order:
        raise ValueError(f"polyfit: the points have rank {int(rank)}; allowed: {order}")
    return found / (scale if y.ndim == 1 else scale[:, None])


POLYNOMIALS: Final[dict[str, Callable[..., Any]]] = {
    "poly": _poly,
    "polyadd": _sum_of("polyadd", lambda one, other: one + other),
    "polyder": _polyder,
    "polyfit": _polyfit,
    "polyint": _polyint,
    "polymul": _polymul,
    "polysub": _sum_of("polysub", lambda one, other: one - other),
    "vander": _vander,
}
