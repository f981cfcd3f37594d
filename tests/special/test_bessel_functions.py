"""Bessel functions: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import math
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import SHORT

pytestmark = pytest.mark.usefixtures("device")

FLOATS = ["float16", "float32", "float64"]


def numbers(values: Any, dtype: str, device: Device) -> xp.Array:
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    return xp.asarray(np.asarray(values, dtype), device=device)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("i0", {0: 1, math.inf: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("i0e", {0: 1, math.inf: 0, -math.inf: 0, math.nan: math.nan}),
        ("i1", {0: 0, math.inf: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("i1e", {0: 0, math.inf: 0, -math.inf: 0, math.nan: math.nan}),
        ("j0", {0: 1, math.inf: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("j1", {0: 0, math.inf: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("y0", {0: -math.inf, math.inf: math.nan, -1: math.nan, math.nan: math.nan}),
        ("y1", {0: -math.inf, math.inf: math.nan, -1: math.nan, math.nan: math.nan}),
        ("k0", {0: math.inf, math.inf: 0, -1: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("k0e", {0: math.inf, math.inf: 0, -1: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("k1", {0: math.inf, math.inf: 0, -1: math.nan, -math.inf: math.nan, math.nan: math.nan}),
        ("k1e", {0: math.inf, math.inf: 0, -1: math.nan, -math.inf: math.nan, math.nan: math.nan}),
    ],
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_ends_are_scipys(name: str, at: dict[float, float], dtype: str, device: Device) -> None:
    got = to_host(getattr(xp.special, name)(numbers([*at], dtype, device)))
    np.testing.assert_array_equal(got, np.array([*at.values()], dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_minus_zero_is_zero(dtype: str, device: Device) -> None:
    zeros = numbers([0.0, -0.0], dtype, device)
    for name, at in (("i0", 1), ("j0", 1), ("y0", -math.inf), ("y1", -math.inf), ("k0", math.inf), ("k1", math.inf)):
        assert (to_host(getattr(xp.special, name)(zeros)) == at).all(), name


@pytest.mark.parametrize(("name", "sign"), [("i0", 1), ("i0e", 1), ("i1", -1), ("i1e", -1), ("j0", 1), ("j1", -1)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_they_are_even_or_odd(name: str, sign: int, dtype: str, device: Device) -> None:
    x = numbers(np.linspace(0, 40, 999), dtype, device)
    function = getattr(xp.special, name)
    assert to_host(function(-x)).tobytes() == to_host(sign * function(x)).tobytes()


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("kind", ["j", "y"])
def test_float32_is_right_next_to_zeros(kind: str, order: int, device: Device) -> None:
    """At the floats on both sides of each of the first hundred zeros, the error is at most 4 ulps of the result."""
    zero_of, exact = {"j": (mpmath.besseljzero, mpmath.besselj), "y": (mpmath.besselyzero, mpmath.bessely)}[kind]
    zeros = np.array([float(zero_of(order, k)) for k in range(1, 101)], np.float32)
    x = np.concatenate([np.nextafter(zeros, 0), zeros, np.nextafter(zeros, np.float32(1e3))])
    got = to_host(getattr(xp.special, f"{kind}{order}")(numbers(x, "float32", device)))
    right = np.array([float(exact(order, mpmath.mpf(float(v)))) for v in x])
    ulps = np.abs(got - right) / np.spacing(np.abs(right).astype(np.float32))
    assert ulps.max() <= 4, x[np.argmax(ulps)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_wronskian_holds_for_large_arguments(dtype: str, device: Device) -> None:
    """J1(x) Y0(x) - J0(x) Y1(x) = 2 / (pi x) (DLMF 10.5.2)."""
    x = np.exp2(np.linspace(-6, 60, 2000)).astype(dtype)
    j0, j1, y0, y1 = (
        to_host(getattr(xp.special, name)(numbers(x, dtype, device))).astype(np.float64)
        for name in ("j0", "j1", "y0", "y1")
    )
    bound = 32 * np.finfo(dtype).eps * (np.abs(j1 * y0) + np.abs(j0 * y1))
    assert np.all(np.abs(j1 * y0 - j0 * y1 - 2 / (np.pi * x.astype(np.float64))) <= bound)


def test_those_without_their_exponential_go_on_where_the_others_end(device: Device) -> None:
    x = numbers([1e3, 1e4, 1e30], "float32", device)
    for scaled, plain, limit in (("i0e", "i0", math.inf), ("i1e", "i1", math.inf), ("k0e", "k0", 0), ("k1e", "k1", 0)):
        assert (to_host(getattr(xp.special, plain)(x)) == limit).all()
        factor = math.sqrt(2 * math.pi) if limit else math.sqrt(2 / math.pi)
        np.testing.assert_allclose(
            to_host(getattr(xp.special, scaled)(x)) * factor * np.sqrt([1e3, 1e4, 1e30]), 1, rtol=1e-3
        )
