"""Reductions of NumPy with ``where=`` and ``initial=``: the neutral element stands in place of the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DISCRETE
from ..core.array_object import Array

MASKS: Final = frozenset(("where", "initial", "mean"))  # the arguments


def _mask(xp: dict[str, Any], a: Array, where: Any) -> Any:
    """The mask as an array with the shape of ``a``."""
    mask = where if isinstance(where, Array) else xp["asarray"](where, dtype="bool", device=a.device)
    if mask.dtype not in BOOLEAN:
        raise TypeError(f"where: got {mask.dtype}; allowed: bool; compare the array first")
    return xp["broadcast_to"](mask, a.shape)


def _kept(xp: dict[str, Any], a: Array, where: Any, otherwise: Any) -> Any:
    return a if where is True else xp["where"](_mask(xp, a, where), a, otherwise)


def _total(name: str, neutral: int, combined: str) -> Callable[..., Any]:
    def function(
        xp: dict[str, Any], a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None,
        where: Any = True,
    ) -> Any:  # fmt: skip
        found = xp[name](_kept(xp, a, where, neutral), axis=axis, dtype=dtype, keepdims=keepdims)
        return found if initial is None else xp[combined](found, _one(xp, initial, found))

    return function


def _one(xp: dict[str, Any], initial: Any, found: Array) -> Any:
    return xp["asarray"](initial, dtype=found.dtype, device=found.device)


def _extreme(name: str, combined: str) -> Callable[..., Any]:
    def function(
        xp: dict[str, Any], a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Any:
        if initial is None:
            raise ValueError(f"{name}: got where= without initial=; allowed: both, because there may be no element")
        first = _one(xp, initial, a)
        if a.size == 0:
            raise ValueError(f"{name}: the array has no elements")  # NumPy knows the result
        return xp[combined](xp[name](_kept(xp, a, where, first), axis=axis, keepdims=keepdims), first)

    return function


def _truth(name: str, neutral: bool) -> Callable[..., Any]:
    def function(xp: dict[str, Any], a: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
        return xp[name](_kept(xp, a.astype("bool"), where, neutral), axis=axis, keepdims=keepdims)

    return function


def _mean(
    xp: dict[str, Any], a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, where: Any = True
) -> Any:
    if where is True:
        return xp["mean"](a, axis=axis, dtype=dtype, keepdims=keepdims)
    wide, narrow = _dtypes(a, dtype)
    total = xp["sum"](_kept(xp, a.astype(wide), where, 0), axis=axis, keepdims=keepdims)
    return (total / xp["sum"](_mask(xp, a, where), axis=axis, keepdims=keepdims).astype(_real(wide))).astype(narrow)


def _dtypes(a: Array, dtype: Any) -> tuple[Any, Any]:
    """The dtype in which a mean is computed, and that of the result."""
    given = dtype or ("float64" if a.dtype in DISCRETE else a.dtype)
    if np.dtype(given) in DISCRETE:
        raise TypeError(f"got where= and dtype={given}; allowed: floating-point dtypes; convert the result by astype")
    return ("float32" if str(given) == "float16" else given), given


def _real(dtype: Any) -> Any:
    return {"complex64": "float32", "complex128": "float64"}.get(str(dtype), dtype)


def _variance(root: bool) -> Callable[..., Any]:
    def function(
        xp: dict[str, Any], a: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: bool = False,
        where: Any = True, mean: Any = None, correction: Any = None,
    ) -> Any:  # fmt: skip
        wide, narrow = _dtypes(a, dtype)
        x = a.astype(wide)
        away = x - (_mean(xp, x, axis, None, True, where) if mean is None else mean)
        squares = away.real**2 + away.imag**2 if away.dtype in COMPLEX_FLOATING else away * away
        count = xp["sum"](_mask(xp, a, where), axis=axis, keepdims=keepdims).astype(squares.dtype)
        freedom = xp["maximum"](count - (ddof if correction is None else correction), 0)
        found = xp["sum"](_kept(xp, squares, where, 0), axis=axis, keepdims=keepdims) / freedom
        return (xp["sqrt"](found) if root else found).astype(_real(narrow))

    return function


MASKED: Final[dict[str, Callable[..., Any]]] = {
    "all": _truth("all", True),
    "amax": _extreme("max", "maximum"),
    "amin": _extreme("min", "minimum"),
    "any": _truth("any", False),
    "max": _extreme("max", "maximum"),
    "mean": _mean,
    "min": _extreme("min", "minimum"),
    "prod": _total("prod", 1, "multiply"),
    "std": _variance(True),
    "sum": _total("sum", 0, "add"),
    "var": _variance(False),
}
