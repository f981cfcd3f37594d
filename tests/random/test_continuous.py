"""Continuous distributions: mean and spread, SciPy's distribution functions, and 10 samples before 20."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from conformance.randomness.rows import CONTINUOUS, distribution, draw

SAMPLES = 20_000
ROWS = [(name, arguments) for name, rows in CONTINUOUS.items() for arguments in rows]

# Mean and variance by formula (Johnson, Kotz and Balakrishnan, "Continuous univariate distributions").
MOMENTS: dict[str, Any] = {
    "random": lambda: (0.5, 1 / 12),
    "uniform": lambda low, high: ((low + high) / 2, (high - low) ** 2 / 12),
    "normal": lambda loc, scale: (loc, scale**2),
    "standard_normal": lambda: (0, 1),
    "lognormal": lambda m, s: (math.exp(m + s * s / 2), (math.exp(s * s) - 1) * math.exp(2 * m + s * s)),
    "exponential": lambda scale: (scale, scale**2),
    "standard_exponential": lambda: (1, 1),
    "standard_gamma": lambda shape: (shape, shape),
    "gamma": lambda shape, scale: (shape * scale, shape * scale**2),
    "beta": lambda a, b: (a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))),
    "chisquare": lambda df: (df, 2 * df),
    "noncentral_chisquare": lambda df, nonc: (df + nonc, 2 * (df + 2 * nonc)),
    "laplace": lambda loc, scale: (loc, 2 * scale**2),
    "logistic": lambda loc, scale: (loc, scale**2 * math.pi**2 / 3),
    "gumbel": lambda loc, scale: (loc + scale * np.euler_gamma, scale**2 * math.pi**2 / 6),
    "rayleigh": lambda scale: (scale * math.sqrt(math.pi / 2), (2 - math.pi / 2) * scale**2),
    "weibull": lambda a: (math.gamma(1 + 1 / a), math.gamma(1 + 2 / a) - math.gamma(1 + 1 / a) ** 2),
    "power": lambda a: (a / (a + 1), a / ((a + 2) * (a + 1) ** 2)),
    "triangular": lambda a, c, b: ((a + b + c) / 3, (a * a + b * b + c * c - a * b - a * c - b * c) / 18),
    "wald": lambda mean, scale: (mean, mean**3 / scale),
}


def narrow(device: Device) -> list[str]:
    """The dtypes of samples that a device has."""
    return ["float64", "float32"] if "f64" in device.dtypes else ["float32"]


@pytest.mark.parametrize(("name", "arguments"), [row for row in ROWS if row[0] in MOMENTS])
def test_mean_and_variance(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    mean, variance = MOMENTS[name](*arguments)
    for dtype in narrow(device):
        x = to_host(draw(xp.random.default_rng(11), name, arguments, SAMPLES, dtype=dtype)).astype(np.float64)
        assert abs(x.mean() - mean) < 5 * math.sqrt(variance / SAMPLES)
        spread = np.std((x - mean) ** 2) / math.sqrt(SAMPLES)
        assert abs(np.mean((x - mean) ** 2) - variance) < 5 * spread


@pytest.mark.parametrize(("name", "arguments"), ROWS)
def test_samples_are_of_scipys_distribution(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    """By Kolmogorov and Smirnov's test; of fixed seeds, so none fails by chance."""
    stats = pytest.importorskip("scipy.stats")
    expected = distribution(name, arguments)
    for seed, dtype in enumerate(narrow(device)):
        x = to_host(draw(xp.random.default_rng(seed), name, arguments, SAMPLES, dtype=dtype)).astype(np.float64)
        assert stats.kstest(x, expected.cdf).pvalue > 1e-3, dtype


@pytest.mark.parametrize(("name", "arguments"), ROWS)
def test_10_and_20_samples_are_30(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    for dtype in [*narrow(device), "float16"]:
        parts, whole = xp.random.default_rng(5), xp.random.default_rng(5)
        first, second = (to_host(draw(parts, name, arguments, n, dtype=dtype)) for n in (10, 20))
        all_of_them = to_host(draw(whole, name, arguments, 30, dtype=dtype))
        assert np.concatenate([first, second]).tobytes() == all_of_them.tobytes()
        assert all_of_them.dtype == dtype
        assert parts.bit_generator.place == whole.bit_generator.place


def test_small_shapes_do_not_underflow_a_beta_sample(device: Device) -> None:
    x = to_host(xp.random.default_rng(1).beta(1e-4, 1e-4, 1000))
    assert np.isfinite(x).all() and 0.4 < x.mean() < 0.6


def test_angles_lie_around_their_mean(device: Device) -> None:
    x = to_host(xp.random.default_rng(1).vonmises(3.0, 4.0, 10_000))
    assert np.abs(x).max() <= np.pi + 1e-6
    assert abs(np.angle(np.exp(1j * x).mean()) - 3) < 0.02


def test_limits_of_parameters(device: Device) -> None:
    rng = xp.random.default_rng(1)
    assert (to_host(rng.standard_gamma(0.0, 3)) == 0).all()
    assert (to_host(rng.normal(2.0, 0.0, 3)) == 2).all()
    assert (to_host(rng.weibull(0.0, 100)) >= 0).all()
    with pytest.raises(OverflowError, match="uniform"):
        rng.uniform(-1e308, 1e308)


def test_parameters_may_be_arrays(device: Device) -> None:
    """A number, a NumPy array and an array of ours are the same parameter."""
    given: list[Any] = [2.0, np.float64(2.0), [2.0], np.array([2.0]), xp.asarray([2.0])]
    for name in ("normal", "gamma", "laplace", "f", "wald"):
        found = {to_host(getattr(xp.random.default_rng(1), name)(p, 3.0, 7)).tobytes() for p in given}
        assert len(found) == 1
