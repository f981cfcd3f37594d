"""Gamma functions: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(("dtype", "last"), [("float32", 13), ("float64", 22)])
def test_factorials_are_exact(dtype: str, last: int) -> None:
    n = np.arange(1, last + 1)
    got = to_host(xp.special.gamma(xp.asarray(n.astype(dtype))))
    assert got.tolist() == [float(np.dtype(dtype).type(math.factorial(int(k) - 1))) for k in n]


def test_digamma_is_psi() -> None:
    assert xp.special.digamma is xp.special.psi


def test_beta_functions_of_negative_numbers() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.uniform(-6, 6, (2, 60)).astype(np.float32)
    value = to_host(xp.special.beta(xp.asarray(a, dtype=xp.float64), xp.asarray(b, dtype=xp.float64)))
    logarithm = to_host(xp.special.betaln(xp.asarray(a, dtype=xp.float64), xp.asarray(b, dtype=xp.float64)))
    for x, y, got, log in zip(a.tolist(), b.tolist(), value.tolist(), logarithm.tolist(), strict=True):
        exact = mpmath.beta(mpmath.mpf(x), mpmath.mpf(y))
        assert abs(got - float(exact)) <= 1e-13 * abs(float(exact)), (x, y)
        assert abs(log - float(mpmath.log(abs(exact)))) <= 1e-13 * max(1, abs(log)), (x, y)


@pytest.mark.parametrize(("dtype", "most"), [("float32", 27), ("float64", 56)])
def test_binomial_coefficients_of_whole_numbers_are_exact(dtype: str, most: int) -> None:
    n, k = np.meshgrid(np.arange(most), np.arange(most))
    got = to_host(xp.special.binom(xp.asarray(n.astype(dtype)), xp.asarray(k.astype(dtype))))
    near = (np.minimum(k, n - k) <= (13 if dtype == "float32" else 20)) | (k > n)
    expected = np.array([math.comb(int(a), int(b)) for a, b in zip(n.flat, k.flat, strict=True)]).reshape(n.shape)
    assert got[near].tolist() == expected[near].astype(dtype).tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_binomial_coefficients_of_real_numbers(dtype: str) -> None:
    rng = np.random.default_rng(5)
    n, k = (rng.uniform(-12, 12, 400).astype(dtype) for _ in range(2))
    got = to_host(xp.special.binom(xp.asarray(n), xp.asarray(k)))
    for a, b, value in zip(n.tolist(), k.tolist(), got.tolist(), strict=True):
        exact = float(mpmath.binomial(mpmath.mpf(a), mpmath.mpf(b)))
        assert abs(value - exact) <= 32 * np.finfo(dtype).eps * abs(exact), (a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_binomial_coefficients_of_whole_numbers_that_do_not_fit_their_dtype_are_infinite(dtype: str) -> None:
    n = np.random.default_rng(3).integers(1 << 59, 1 << 62, 5000)
    for k in (n // 50, n // 12, n // 2, n - n // 20):
        got = to_host(xp.special.binom(xp.asarray(n.astype(dtype)), xp.asarray(k.astype(dtype))))
        assert np.all(got == np.inf)


INF = math.inf
WHOLE = [(-1, 1, -1), (-2, 2, 0.5), (-2, 1, -0.5), (-1, 2, INF), (0, 3, INF), (-1, -1, -INF), (-1, -2, INF)]


@pytest.mark.parametrize(("a", "b", "expected"), WHOLE)
def test_beta_of_whole_numbers_is_scipys(a: int, b: int, expected: float) -> None:
    x, y = (xp.asarray(float(v), dtype=xp.float32) for v in (a, b))
    assert float(xp.special.beta(x, y)) == pytest.approx(expected, rel=1e-6)


def test_beta_of_negative_float32_keeps_what_their_sum_loses() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.uniform(-30, 30, (2, 400)).astype(np.float32)
    a[:2], b[:2] = [-16.234615, -2.0838232], [-25.765398, 0.082111046]
    got = to_host(xp.special.beta(xp.asarray(a), xp.asarray(b)))
    for x, y, value in zip(a.tolist(), b.tolist(), got.tolist(), strict=True):
        exact = float(mpmath.beta(mpmath.mpf(x), mpmath.mpf(y)))
        assert abs(value - exact) <= 8 * 2.0**-24 * abs(exact), (x, y)


@pytest.mark.parametrize("b", [1e-200, 3e-155, 0.5, 1.0, 40.0, 1e200])
@pytest.mark.parametrize("a", [1e-155, -1e-155, 1e-170, -3e-300, 1e-311, -1e-311])
def test_beta_near_its_pole_at_0(a: float, b: float) -> None:
    """beta(a, b) = 1 / a + 1 / b, times 1 + O(a)."""
    exact = 1 / mpmath.mpf(a) + 1 / mpmath.mpf(b)
    operands = [xp.asarray(x, dtype=xp.float64) for x in (a, b)]
    got, log = (float(function(*operands)) for function in (xp.special.beta, xp.special.betaln))
    assert got == float(exact) or abs(got / float(exact) - 1) <= 4e-16
    assert abs(log - float(mpmath.log(abs(exact)))) <= 4e-16 * abs(log)
    assert float(xp.special.beta(*operands[::-1])) == got


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_limits_at_infinity(dtype: str) -> None:
    """The same for all sizes of the other operand: SciPy has NaN for beta from 1e20 or so, and for binom from 20 on."""
    sizes = xp.asarray(np.asarray([1, 2, 3, 20, 170, 1e5, 1e30], dtype))
    infinite = sizes * math.inf
    for operands in ((infinite, sizes), (sizes, infinite)):
        assert (to_host(xp.special.beta(*operands)) == 0).all()
        assert (to_host(xp.special.betaln(*operands)) == -math.inf).all()
    assert (to_host(xp.special.binom(infinite, sizes)) == math.inf).all()
    assert np.isnan(to_host(xp.special.binom(infinite, sizes - 0.5))[:4]).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gamma_functions_at_the_ends_of_the_range(dtype: str) -> None:
    def value(name: str, *operands: float) -> float:
        return float(getattr(xp.special, name)(*(xp.asarray(np.array(x, dtype)) for x in operands)))

    most, tiny = float(np.finfo(dtype).max), float(np.finfo(dtype).tiny)
    for x in (-most, -most / 30):
        assert value("gammaln", x) == math.inf  # all are whole numbers
    assert value("beta", most / 4, most * 0.9) == 0
    for x in (tiny, tiny / 2, -tiny, -tiny / 2):
        assert abs(value("gamma", x) * x - 1) < 1e-6
