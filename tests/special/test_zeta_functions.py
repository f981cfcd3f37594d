"""Zeta functions: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


def test_one_argument_is_riemanns() -> None:
    x = np.array([-60.5, -7.25, -3.0, -1.0, 0.0, 0.5, 1.5, 2.0, 11.0, 40.0], np.float32)
    got = to_host(xp.special.zeta(xp.asarray(x)))
    np.testing.assert_allclose(got, [float(mpmath.zeta(v)) for v in x.tolist()], rtol=4e-7)
    assert to_host(xp.special.zeta(xp.asarray(x), None)).tobytes() == got.tobytes()


def test_negative_even_numbers_are_zeros() -> None:
    assert not to_host(xp.special.zeta(xp.asarray([-2.0, -4.0, -6.0, -50.0, -1e6], dtype=xp.float32))).any()


@pytest.mark.parametrize(
    ("x", "q", "expected"),
    [
        (1.0, 2.0, math.inf),  # the pole
        (1.0, math.nan, math.inf),
        (0.5, 2.0, math.nan),
        (-2.0, 2.0, math.nan),
        (2.0, 0.0, math.inf),
        (2.0, -3.0, math.inf),
        (2.0, math.inf, 0),
        (2.0, -math.inf, math.inf),
        (2.5, -3.5, math.nan),  # powers of negative numbers
        (math.inf, 0.5, math.inf),
        (math.inf, 1.0, 1),
        (math.inf, 2.0, math.nan),
        (math.nan, 2.0, math.nan),
        (2.0, math.nan, math.nan),
    ],
)
def test_hurwitzs_ends_as_scipys(x: float, q: float, expected: float) -> None:
    got = xp.special.zeta(xp.asarray(x, dtype=xp.float32), xp.asarray(q, dtype=xp.float32))
    np.testing.assert_array_equal(to_host(got), np.float32(expected))


@pytest.mark.parametrize("x", [2, 3, 8, 33])
@pytest.mark.parametrize("q", [-0.25, -0.5, -1.75, -20.25, -300.5])
def test_negative_arguments_of_whole_orders(x: int, q: float) -> None:
    """zeta(x, q) is the sum of the terms up to q + m > 0, and zeta(x, q + m)."""
    m = math.floor(-q) + 1
    with mpmath.workdps(80):
        exact = mpmath.fsum((mpmath.mpf(q) + k) ** -x for k in range(m)) + mpmath.zeta(x, mpmath.mpf(q) + m)
    got = float(to_host(xp.special.zeta(xp.asarray(float(x), dtype=xp.float32), xp.asarray(q, dtype=xp.float32))))
    assert abs(got - float(exact)) <= 1e-6 * abs(float(exact))


def test_broadcasting() -> None:
    x, q = xp.asarray([[2.0], [3.0]], dtype=xp.float32), xp.asarray([1.0, 2.0, 3.0], dtype=xp.float32)
    assert xp.special.zeta(x, q).shape == (2, 3)
    assert xp.special.zeta(x, 1.0).shape == (2, 1)


def test_polygamma() -> None:
    """Of orders in Python, in an array, and of no order: NaN."""
    x = np.array([0.25, 0.75, 1, 2.5, 12, -0.75], np.float32)
    n = np.arange(6, dtype=np.float32)
    with mpmath.workdps(30):
        exact = np.array([[float(mpmath.polygamma(int(k), mpmath.mpf(float(v)))) for v in x] for k in n])
    got = to_host(xp.special.polygamma(xp.asarray(n[:, None]), xp.asarray(x)))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, exact, rtol=1e-6)
    for k in range(6):
        assert to_host(xp.special.polygamma(k, xp.asarray(x))).tobytes() == got[k].tobytes()
    assert np.isnan(to_host(xp.special.polygamma(xp.asarray([-1, 1.5], dtype=xp.float32), xp.asarray(x[:2])))).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("n", [1, 5, 9, 29, 40])
def test_polygamma_has_the_digits_of_its_dtype(dtype: str, n: int) -> None:
    x = np.array([1, 3, 10, 81.5], dtype)
    exact = [float(mpmath.polygamma(n, mpmath.mpf(float(v)))) for v in x]
    got = to_host(xp.special.polygamma(n, xp.asarray(x)))
    assert got.dtype == dtype
    with np.errstate(over="ignore"):
        rounded = np.array(exact).astype(dtype)
    np.testing.assert_allclose(
        got, rounded, rtol=4 * float(np.finfo(dtype).eps), atol=float(np.finfo(dtype).smallest_subnormal)
    )


def test_polygamma_of_one_number_and_orders_in_an_array() -> None:
    got = to_host(xp.special.polygamma(xp.asarray([0.0, 1.0, 2.0], dtype=xp.float64), 2.0))
    np.testing.assert_allclose(got, [float(mpmath.polygamma(n, 2)) for n in range(3)], rtol=1e-14)
    with pytest.raises(TypeError):
        xp.special.polygamma(1, 2.0)
