"""Continuous distributions: counts by chi-square, mean and variance, against the distribution functions in mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import mpmath as mp  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import to_host
from support.fits import chance, moments_off

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

COUNT = 40_000
LEAST = 1e-4  # probability


class Law(NamedTuple):
    """A method's arguments, and what samples follow; no mean or variance where it is infinite."""

    arguments: tuple[float, ...]
    below: Callable[[float], Any]
    mean: float | None = None
    variance: float | None = None


def gamma(shape: float, scale: float = 1) -> Callable[[float], Any]:
    return lambda x: mp.gammainc(shape, 0, x / scale, regularized=True)


def beta(a: float, b: float) -> Callable[[float], Any]:
    return lambda x: mp.betainc(a, b, 0, x, regularized=True)


def f(m: float, n: float) -> Callable[[float], Any]:
    return lambda x: beta(m / 2, n / 2)(m * x / (m * x + n))


def poisson_mixture(rate: float, part: Callable[[int], Callable[[float], Any]]) -> Callable[[float], Any]:
    """Of Poisson's weights."""
    return lambda x: sum(math.exp(-rate) * rate**k / math.factorial(k) * part(k)(x) for k in range(30))


def student(df: float) -> Callable[[float], Any]:
    def below(x: float) -> Any:
        half = beta(df / 2, 0.5)(df / (df + x * x)) / 2
        return half if x < 0 else 1 - half

    return below


def mises(kappa: float) -> Callable[[float], Any]:
    whole = 2 * mp.pi * mp.besseli(0, kappa)
    return lambda x: mp.quad(lambda t: mp.exp(kappa * mp.cos(t)), [-mp.pi, 0, x]) / whole


def triangle(left: float, mode: float, right: float) -> Callable[[float], float]:
    width = right - left
    return lambda x: (
        (x - left) ** 2 / (width * (mode - left)) if x < mode else 1 - (right - x) ** 2 / (width * (right - mode))
    )


def wald(mean: float, scale: float) -> Callable[[float], Any]:
    def below(x: float) -> Any:
        root = math.sqrt(scale / x)
        return mp.ncdf(root * (x / mean - 1)) + mp.exp(2 * scale / mean) * mp.ncdf(-root * (x / mean + 1))

    return below


EULER = 0.5772156649015329
LAWS: dict[str, list[Law]] = {
    "random": [Law((), lambda x: x, 1 / 2, 1 / 12)],
    "uniform": [Law((-1, 3), lambda x: (x + 1) / 4, 1, 16 / 12)],
    "normal": [Law((1, 2), lambda x: mp.ncdf((x - 1) / 2), 1, 4)],
    "standard_normal": [Law((), mp.ncdf, 0, 1)],
    "lognormal": [
        Law(
            (0.5, 0.3), lambda x: mp.ncdf((math.log(x) - 0.5) / 0.3), math.exp(0.545), math.expm1(0.09) * math.exp(1.09)
        )
    ],
    "exponential": [Law((2,), lambda x: -math.expm1(-x / 2), 2, 4)],
    "standard_exponential": [Law((), lambda x: -math.expm1(-x), 1, 1)],
    "standard_gamma": [Law((k,), gamma(k), k, k) for k in (0.1, 1, 2.5, 40)],
    "gamma": [Law((0.7, 3), gamma(0.7, 3), 2.1, 6.3)],
    "beta": [Law((0.2, 0.3), beta(0.2, 0.3), 0.4, 0.16), Law((3, 5), beta(3, 5), 3 / 8, 15 / 576)],
    "chisquare": [Law((3,), gamma(1.5, 2), 3, 6)],
    "noncentral_chisquare": [Law((3, 2), poisson_mixture(1, lambda k: gamma(1.5 + k, 2)), 5, 14)],
    "f": [Law((3, 12), f(3, 12), 1.2, 2 * 144 * 13 / (3 * 100 * 8))],
    "noncentral_f": [
        Law((3, 7, 1.5), poisson_mixture(0.75, lambda k: lambda x: beta(1.5 + k, 3.5)(3 * x / (3 * x + 7))))
    ],
    "standard_t": [Law((8,), student(8), 0, 8 / 6)],
    "standard_cauchy": [Law((), lambda x: 0.5 + math.atan(x) / math.pi)],
    "laplace": [Law((1, 2), lambda x: math.exp((x - 1) / 2) / 2 if x < 1 else 1 - math.exp((1 - x) / 2) / 2, 1, 8)],
    "logistic": [Law((1, 2), lambda x: 1 / (1 + math.exp((1 - x) / 2)), 1, (2 * math.pi) ** 2 / 3)],
    "gumbel": [Law((1, 2), lambda x: math.exp(-math.exp((1 - x) / 2)), 1 + 2 * EULER, (2 * math.pi) ** 2 / 6)],
    "rayleigh": [Law((2,), lambda x: -math.expm1(-x * x / 8), 2 * math.sqrt(math.pi / 2), (2 - math.pi / 2) * 4)],
    "weibull": [
        Law((1.5,), lambda x: -math.expm1(-(x**1.5)), math.gamma(5 / 3), math.gamma(7 / 3) - math.gamma(5 / 3) ** 2)
    ],
    "pareto": [Law((9,), lambda x: 1 - (1 + x) ** -9, 1 / 8, 9 / (64 * 7))],
    "power": [Law((3,), lambda x: x**3, 3 / 4, 3 / 80)],
    "triangular": [Law((-1, 0, 3), triangle(-1, 0, 3), 2 / 3, 13 / 18)],
    "vonmises": [Law((0, 2), mises(2)), Law((0, 0.001), mises(0.001)), Law((0, 30), mises(30))],
    "wald": [Law((2, 3), wald(2, 3), 2, 8 / 3)],
}
CASES = [(name, law) for name, laws in LAWS.items() for law in laws]


@pytest.mark.parametrize("short", ["float32", "float64"])
@pytest.mark.parametrize(("name", "law"), CASES, ids=[f"{name}{law.arguments}" for name, law in CASES])
def test_samples_follow_the_law(device: Device, name: str, law: Law, short: str) -> None:
    if short == "float64" and "f64" not in device.dtypes:
        pytest.skip("needs float64")
    rng = xp.random.default_rng(2026)
    x = to_host(getattr(rng, name)(*law.arguments, size=COUNT, dtype=getattr(xp, short)))
    assert x.dtype == short
    assert np.isfinite(x).all()
    assert chance(x, law.below) > LEAST
    if law.mean is not None and law.variance is not None:
        assert moments_off(x, law.mean, law.variance) < 5


@pytest.mark.parametrize("name", LAWS)
def test_arrays_as_parameters_give_the_samples_of_numbers(device: Device, name: str) -> None:
    law = LAWS[name][0]
    if not law.arguments:
        pytest.skip("has no parameters")
    arrays = [xp.asarray([[value], [value]], dtype=xp.float32) for value in law.arguments]
    numbers = getattr(xp.random.default_rng(5), name)(*law.arguments, size=(2, 3), dtype=xp.float32)
    got = getattr(xp.random.default_rng(5), name)(*arrays, size=(2, 3), dtype=xp.float32)
    assert got.dtype == xp.float32
    np.testing.assert_allclose(to_host(got), to_host(numbers), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_ten_and_then_twenty_are_thirty(device: Device, name: str) -> None:
    arguments = LAWS[name][0].arguments
    one, other = xp.random.default_rng(5), xp.random.default_rng(5)
    whole = to_host(getattr(one, name)(*arguments, size=30, dtype=xp.float32))
    parts = [to_host(getattr(other, name)(*arguments, size=size, dtype=xp.float32)) for size in (10, 20)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


WRONG: list[tuple[str, tuple[Any, ...]]] = [
    ("normal", (0, -1)),
    ("lognormal", (0, -1)),
    ("exponential", (-1,)),
    ("standard_gamma", (-1,)),
    ("gamma", (1, -1)),
    ("beta", (0, 1)),
    ("chisquare", (0,)),
    ("noncentral_chisquare", (1, -1)),
    ("f", (0, 1)),
    ("noncentral_f", (1, 1, -1)),
    ("standard_t", (0,)),
    ("laplace", (0, -1)),
    ("logistic", (0, -1)),
    ("gumbel", (0, -1)),
    ("rayleigh", (-1,)),
    ("weibull", (-1,)),
    ("pareto", (0,)),
    ("power", (0,)),
    ("triangular", (0, 2, 1)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1)),
]


@pytest.mark.parametrize(("name", "arguments"), WRONG)
def test_numbers_outside_the_domain_are_refused(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=rf"{name}: .*allowed"):
        getattr(xp.random.default_rng(1), name)(*arguments, size=3)


def test_a_range_without_end_is_refused(device: Device) -> None:
    with pytest.raises(OverflowError, match=r"uniform: .*allowed"):
        xp.random.default_rng(1).uniform(0, math.inf)


def test_shapes_that_do_not_broadcast_are_refused(device: Device) -> None:
    with pytest.raises(ValueError, match=r"normal: size is .*allowed"):
        xp.random.default_rng(1).normal(xp.zeros(3, dtype=xp.float32), size=(4,))


@pytest.mark.parametrize("dtype", [xp.int32, xp.complex64, xp.bool])
def test_other_dtypes_are_refused(device: Device, dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"normal: dtype is .*allowed"):
        xp.random.default_rng(1).normal(size=3, dtype=dtype)


@pytest.mark.parametrize("shape", [0.0, math.inf, math.nan])
def test_shapes_at_the_ends(device: Device, shape: float) -> None:
    """A gamma sample of shape 0 is 0; an infinite one is infinite; where an array has no number, neither has it."""
    x = xp.full((5,), shape, dtype=xp.float32)
    got = to_host(xp.random.default_rng(1).standard_gamma(x, dtype=xp.float32))
    np.testing.assert_array_equal(got, np.full(5, shape, np.float32))


def test_tails_are_those_of_their_words(device: Device) -> None:
    """The quantile of the very fraction of which a sample is made, to a few ulps."""
    x = to_host(xp.random.default_rng(1).standard_normal(2000, dtype=xp.float32))
    halves = np.random.Generator(np.random.Philox(1)).integers(0, 2**32, 2000, dtype=np.uint32)
    fractions = (halves.astype(np.float64) + 0.5) * 2.0**-32
    below = np.array([float(mp.ncdf(value)) for value in x.tolist()])
    assert np.abs(below - fractions).max() < 1e-6
