"""Ours against NumPy's: the same function over both namespaces, compared bit by bit or within a number of ulps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp

HostArray = np.ndarray[Any, Any]


def to_host(x: Any) -> HostArray:
    """One of our arrays, by the way that is always allowed."""
    assert isinstance(x, xp.Array), f"an array was expected, got {type(x).__name__}"
    return x.to_numpy()


def check_same(function: Callable[..., Any], *arrays: Any, ulps: float = 0, check_dtype: bool = True) -> None:
    """``function(namespace, *arrays)`` gives on our arrays what it gives on NumPy's.

    Values, shapes and dtypes; signs of zeros too; a NaN equals a NaN. Results are arrays, Python scalars, or sequences
    of them. ``ulps`` allows rounding errors. Arguments that are no NumPy arrays are passed as they are.
    """
    with np.errstate(all="ignore"):
        expected = function(np, *[a.copy() if isinstance(a, np.ndarray) else a for a in arrays])
    got = function(xp, *[xp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays])
    _compare(got, expected, ulps, check_dtype)


def check_refused(function: Callable[..., Any], *arrays: Any) -> None:
    """NumPy raises, and we raise an exception of the same class, or one derived from it."""
    with pytest.raises(Exception) as theirs, np.errstate(all="ignore"):
        function(np, *[a.copy() if isinstance(a, np.ndarray) else a for a in arrays])
    with pytest.raises(theirs.type.__mro__[-3] if theirs.type.__module__ != "builtins" else theirs.type):
        result = function(xp, *[xp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays])
        if isinstance(result, xp.Array):
            to_host(result)


def _compare(got: Any, expected: Any, ulps: float, check_dtype: bool) -> None:
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, (tuple, list)), f"a sequence was expected, got {type(got).__name__}"
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            _compare(one, other, ulps, check_dtype)
    elif isinstance(expected, (np.ndarray, np.generic)):
        host = got if isinstance(got, np.ndarray) else to_host(got)
        assert_same(host, np.asarray(expected), ulps=ulps, check_dtype=check_dtype)
    else:
        assert type(got) is type(expected), f"got {got!r}, expected {expected!r}"
        assert got == expected or (got != got and expected != expected)


def assert_same(got: HostArray, expected: HostArray, ulps: float = 0, check_dtype: bool = True) -> None:
    """Two host arrays are equal: shape, dtype, values, signs of zeros; NaN where NaN."""
    assert got.shape == expected.shape, f"shape {got.shape}, expected {expected.shape}"
    if check_dtype:
        assert got.dtype == expected.dtype, f"dtype {got.dtype}, expected {expected.dtype}"
    if got.dtype.kind == "c":
        if ulps:
            _close_complex(got, expected, ulps)
        else:
            assert_same(got.real, expected.real, check_dtype=False)
            assert_same(got.imag, expected.imag, check_dtype=False)
        return
    if got.dtype.kind != "f":
        _fail_where(got != expected, got, expected, "differ")
        return
    _fail_where(np.isnan(got) != np.isnan(expected), got, expected, "differ in NaN")
    number = ~np.isnan(expected)
    if ulps:
        with np.errstate(invalid="ignore", over="ignore"):
            far = number & (ulps_apart(got, expected) > ulps)
        _fail_where(far, got, expected, f"are more than {ulps} ulp apart")
    else:
        _fail_where(number & (got != expected), got, expected, "differ")
        _fail_where(number & (np.signbit(got) != np.signbit(expected)), got, expected, "differ in sign")


def ulps_apart(got: HostArray, exact: HostArray) -> HostArray:
    """How far numbers are from exact ones (of a wider dtype, or the same), in ulps of ``got``'s dtype.

    An infinity that stands for a number beyond the largest one is 0 away where rounding leads there.
    """
    dtype = got.dtype
    info = np.finfo(dtype)
    wide: Any = np.longdouble if dtype == np.float64 else np.float64
    got_wide, exact_wide = got.astype(wide), exact.astype(wide)
    exponent = np.maximum(np.frexp(np.abs(exact_wide))[1] - 1, info.minexp)
    ulp = np.ldexp(wide(1), exponent - info.nmant)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(got_wide - exact_wide) / ulp
        # Beyond the largest number the next one would be 2**maxexp; that is what an infinity stands for.
        beyond = np.ldexp(wide(1), info.maxexp)
        stands = np.where(np.isinf(got_wide), np.copysign(beyond, got_wide), got_wide)
        meant = np.where(np.abs(exact_wide) > beyond, np.copysign(beyond, exact_wide), exact_wide)
        top = wide(2) ** (info.maxexp - 1 - info.nmant)
        near = np.abs(stands - meant) / np.minimum(ulp, top)
    both: HostArray = np.where(np.isinf(got_wide) | np.isinf(exact_wide), near, apart)
    return np.where(got_wide == exact_wide, 0, both)


def _close_complex(got: HostArray, expected: HostArray, ulps: float) -> None:
    """Complex numbers as points of the plane: their distance in units of the last place of the larger component."""
    eps = np.finfo(got.dtype).eps
    wide: Any = np.clongdouble if got.dtype == np.complex128 else np.complex128
    one, other = got.astype(wide), expected.astype(wide)
    for part in ("real", "imag"):
        a, b = getattr(one, part), getattr(other, part)
        _fail_where(np.isnan(a) != np.isnan(b), got, expected, f"differ in NaN of {part}")
        _fail_where(np.isinf(a) & (a != b), got, expected, f"differ in {part}")
    finite = np.isfinite(one) & np.isfinite(other)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(one - other)
        room = ulps * eps * np.maximum(np.abs(other), np.finfo(got.dtype).smallest_normal)
    _fail_where(finite & ~(distance <= room), got, expected, f"are more than {ulps} ulp apart")


def _fail_where(wrong: Any, got: HostArray, expected: HostArray, what: str) -> None:
    if not np.any(wrong):
        return
    places: Sequence[Any] = np.argwhere(wrong)[:5].tolist()
    shown = [f"{place}: got {got[tuple(place)]!r}, expected {expected[tuple(place)]!r}" for place in places]
    pytest.fail(f"{int(np.sum(wrong))} of {got.size} elements {what}; " + "; ".join(shown), pytrace=False)
