"""Integers: counts by chi-square, mean and variance, against probabilities in mpmath; ranges, dtypes and errors."""

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
default_rng = xp.random.default_rng


class Law(NamedTuple):
    """A method's arguments, and what samples follow."""

    arguments: tuple[float, ...]
    below: Callable[[float], Any]
    mean: float
    variance: float


def poisson(rate: float) -> Law:
    return Law((rate,), lambda x: mp.gammainc(x + 1, rate, regularized=True), rate, rate)


def binomial(n: int, p: float) -> Law:
    def below(x: float) -> Any:
        return 1 if x >= n else mp.betainc(n - x, x + 1, 0, 1 - p, regularized=True)

    return Law((n, p), below, n * p, n * p * (1 - p))


def negative_binomial(n: float, p: float) -> Law:
    mean = n * (1 - p) / p
    return Law((n, p), lambda x: mp.betainc(n, x + 1, 0, p, regularized=True), mean, mean / p)


LAWS: dict[str, list[Law]] = {
    "integers": [Law((-3, 10), lambda x: (x + 4) / 13, 3, 14)],
    "poisson": [poisson(rate) for rate in (0.3, 3, 9.9, 10, 30, 1000)],
    "binomial": [binomial(n, p) for n, p in ((1, 0.5), (20, 0.3), (20, 0.8), (40, 0.3), (1000, 0.4), (1000, 0.97))],
    "geometric": [Law((0.2,), lambda x: 1 - 0.8**x, 5, 20)],
    "negative_binomial": [negative_binomial(3.5, 0.3), negative_binomial(40, 0.5)],
}
CASES = [(name, law) for name, laws in LAWS.items() for law in laws]


@pytest.mark.parametrize(("name", "law"), CASES, ids=[f"{name}{law.arguments}" for name, law in CASES])
def test_samples_follow_the_law(device: Device, name: str, law: Law) -> None:
    x = to_host(getattr(default_rng(2026), name)(*law.arguments, size=COUNT))
    assert x.dtype == np.int64
    assert chance(x, law.below) > LEAST
    assert moments_off(x, law.mean, law.variance) < 5


@pytest.mark.parametrize("name", LAWS)
def test_ten_and_then_twenty_are_thirty(device: Device, name: str) -> None:
    arguments = LAWS[name][0].arguments
    one, other = default_rng(5), default_rng(5)
    whole = to_host(getattr(one, name)(*arguments, size=30))
    parts = [to_host(getattr(other, name)(*arguments, size=size)) for size in (10, 20)]
    assert np.concatenate(parts).tolist() == whole.tolist()


@pytest.mark.parametrize("name", LAWS)
def test_arrays_as_parameters_give_the_samples_of_numbers(device: Device, name: str) -> None:
    arguments = LAWS[name][-1].arguments
    kind = xp.int64 if name == "integers" else xp.float32
    arrays = [xp.asarray([[value], [value]], dtype=kind) for value in arguments]
    numbers = getattr(default_rng(5), name)(*[float(np.float32(v)) for v in arguments], size=(2, 3), dtype=xp.int32)
    got = getattr(default_rng(5), name)(*arrays, size=(2, 3), dtype=xp.int32)
    assert to_host(got).tolist() == to_host(numbers).tolist()


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_all_integers_of_a_dtype(device: Device, dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = to_host(default_rng(1).integers(limits.min, limits.max, 2000, dtype=dtype, endpoint=True))
    assert x.dtype == dtype
    assert x.astype(np.float64).min() < float(limits.min) + (float(limits.max) - float(limits.min)) / 50
    assert x.astype(np.float64).max() > float(limits.max) - (float(limits.max) - float(limits.min)) / 50


@pytest.mark.parametrize(("low", "high"), [(0, 6), (-5, 3), (10, 11), (0, 2**32), (-(2**31), 2**31)])
def test_integers_are_the_upper_half_of_a_product(device: Device, low: int, high: int) -> None:
    words = np.random.Philox(1).random_raw(50).tolist()
    assert to_host(default_rng(1).integers(low, high, 50)).tolist() == [low + (w * (high - low) >> 64) for w in words]


@pytest.mark.parametrize(("low", "high"), [(0, 2**32 + 1), (-(2**62), 2**62 + 12345), (-(2**63), 2**63 - 1)])
def test_wide_ranges_take_two_words(device: Device, low: int, high: int) -> None:
    words = np.random.Philox(1).random_raw(100).tolist()
    numbers = [words[2 * k] << 64 | words[2 * k + 1] for k in range(50)]
    expected = [low + (number * (high - low) >> 128) for number in numbers]
    assert to_host(default_rng(1).integers(low, high, 50)).tolist() == expected


def test_one_limit_is_the_upper_one(device: Device) -> None:
    x = to_host(default_rng(1).integers(3, size=100))
    assert set(x.tolist()) == {0, 1, 2}
    assert set(to_host(default_rng(1).integers(3, size=100, endpoint=True)).tolist()) == {0, 1, 2, 3}
    assert set(to_host(default_rng(1).integers(0, 2, size=100, dtype=bool)).tolist()) == {False, True}


@pytest.mark.parametrize(
    ("low", "high", "dtype"), [(3, 3, "int64"), (4, 3, "int64"), (0, 257, "uint8"), (-1, 5, "uint64")]
)
def test_ranges_without_values_are_refused(device: Device, low: int, high: int, dtype: str) -> None:
    with pytest.raises(ValueError, match=r"integers: .*allowed"):
        default_rng(1).integers(low, high, 3, dtype=dtype)


def test_integers_of_other_dtypes_are_refused(device: Device) -> None:
    with pytest.raises(TypeError, match=r"integers: .*allowed"):
        default_rng(1).integers(3, dtype=xp.float32)
    with pytest.raises(TypeError, match=r"integers: .*allowed"):
        default_rng(1).integers(xp.ones(3, dtype=xp.float32))


WRONG: list[tuple[str, tuple[Any, ...]]] = [
    ("poisson", (-1,)),
    ("binomial", (-1, 0.5)),
    ("binomial", (1, 1.5)),
    ("geometric", (0,)),
    ("geometric", (1.5,)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0)),
]


@pytest.mark.parametrize(("name", "arguments"), WRONG)
def test_numbers_outside_the_domain_are_refused(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=rf"{name}: .*allowed"):
        getattr(default_rng(1), name)(*arguments, size=3)


@pytest.mark.parametrize(("p", "expected"), [(0.0, 0), (1.0, 7)])
def test_sure_things(device: Device, p: float, expected: int) -> None:
    assert to_host(default_rng(1).binomial(7, p, 5)).tolist() == [expected] * 5
    assert to_host(default_rng(1).poisson(0.0, 5)).tolist() == [0] * 5
    assert to_host(default_rng(1).geometric(1.0, 5)).tolist() == [1] * 5


def test_multinomial_counts_all_trials(device: Device) -> None:
    chances = [0.2, 0.3, 0.0, 0.5]
    x = to_host(default_rng(1).multinomial(60, chances, size=4000))
    assert x.shape == (4000, 4)
    assert (x.sum(axis=1) == 60).all()
    assert (x[:, 2] == 0).all()
    for k, p in enumerate(chances):
        if p:
            assert moments_off(x[:, k], 60 * p, 60 * p * (1 - p)) < 5
    assert np.cov(x[:, 0], x[:, 1])[0, 1] == pytest.approx(-60 * 0.06, abs=5 * 60 * math.sqrt(0.16 * 0.21 / 4000))


def test_multinomial_of_ten_and_then_twenty(device: Device) -> None:
    one, other = default_rng(5), default_rng(5)
    parts = [to_host(other.multinomial(9, [0.2, 0.3, 0.5], size=size)) for size in (10, 20)]
    assert np.concatenate(parts).tolist() == to_host(one.multinomial(9, [0.2, 0.3, 0.5], size=30)).tolist()


def test_multinomial_without_chances_is_refused(device: Device) -> None:
    with pytest.raises(ValueError, match=r"multinomial: .*allowed"):
        default_rng(1).multinomial(3, [])
