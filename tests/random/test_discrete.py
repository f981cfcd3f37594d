"""Discrete distributions: exact probabilities, limits and dtypes of integers, and 10 samples before 20."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random.philox import Philox
from conformance.randomness.rows import DISCRETE, VECTORS, draw

SAMPLES = 20_000
ROWS = [(name, arguments) for name, rows in DISCRETE.items() for arguments in rows]
COUNTS = [(name, VECTORS[name][0]) for name in ("multinomial", "multivariate_hypergeometric")]

PROBABILITY: dict[str, Callable[..., Any]] = {
    "integers": lambda k, low, high: mpmath.mpf(1) / (high - low),
    "binomial": lambda k, n, p: mpmath.binomial(n, k) * mpmath.mpf(p) ** k * (1 - mpmath.mpf(p)) ** (n - k),
    "poisson": lambda k, lam: mpmath.exp(k * mpmath.log(lam) - lam - mpmath.loggamma(k + 1)),
    "geometric": lambda k, p: p * (1 - mpmath.mpf(p)) ** (k - 1),
    "negative_binomial": lambda k, n, p: mpmath.binomial(k + n - 1, k) * mpmath.mpf(p) ** n * (1 - mpmath.mpf(p)) ** k,
    "logseries": lambda k, p: -(mpmath.mpf(p) ** k) / (k * mpmath.log1p(-mpmath.mpf(p))),
    "zipf": lambda k, a: mpmath.mpf(k) ** -a / mpmath.zeta(a),
    "hypergeometric": lambda k, good, bad, sample: (
        mpmath.binomial(good, k) * mpmath.binomial(bad, sample - k) / mpmath.binomial(good + bad, sample)
    ),
}


@pytest.mark.parametrize(("name", "arguments"), [row for row in ROWS if row[1] != (2**40,)])
def test_samples_have_their_probabilities(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    """By a chi-square test over bins that 20 samples or more are expected in; of a fixed seed."""
    x = to_host(draw(xp.random.default_rng(2), name, arguments, SAMPLES))
    low, high = int(x.min()), int(x.max())
    step = max(1, (high - low) // 100)
    edges = np.arange(low, high + step + 1, step)
    counts, _ = np.histogram(x, edges)
    at = edges[:-1] + (step - 1) // 2
    chances = [float(PROBABILITY[name](int(k), *arguments)) * step for k in at]
    expected = SAMPLES * np.array(chances)
    wide = expected >= 20
    statistic, degrees = float(((counts - expected)[wide] ** 2 / expected[wide]).sum()), int(wide.sum()) - 1
    assert mpmath.gammainc(degrees / 2, statistic / 2, regularized=True) > 1e-3
    assert counts[wide].sum() > 0.9 * SAMPLES


@pytest.mark.parametrize(("name", "arguments"), ROWS + COUNTS)
def test_10_and_20_samples_are_30(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    parts, whole = xp.random.default_rng(5), xp.random.default_rng(5)
    first, second = (to_host(draw(parts, name, arguments, n)) for n in (10, 20))
    all_of_them = to_host(draw(whole, name, arguments, 30))
    assert (np.concatenate([first, second]) == all_of_them).all()
    assert parts.bit_generator.place == whole.bit_generator.place


INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_fill_their_dtype(device: Device, dtype: str) -> None:
    """All values, and none beyond: a range of all, of one, and the last two."""
    info = np.iinfo(dtype)
    rng = xp.random.default_rng(3)
    x = to_host(rng.integers(info.min, info.max, 10_000, dtype=dtype, endpoint=True))
    assert x.dtype == dtype
    middle, width = (int(info.max) + int(info.min)) / 2, int(info.max) - int(info.min)
    assert abs(x.astype(np.float64).mean() - middle) < 5 * width / math.sqrt(12 * 10_000)
    assert (to_host(rng.integers(info.max, info.max, 5, dtype=dtype, endpoint=True)) == info.max).all()
    assert set(to_host(rng.integers(int(info.max) - 1, int(info.max) + 1, 50, dtype=dtype)).tolist()) == {
        info.max - 1,
        info.max,
    }


@pytest.mark.parametrize("low", [0, -7])
@pytest.mark.parametrize("count", [1, 10, 2**32, 2**32 + 1, 3 * 2**61])
def test_integers_are_upper_halves_of_products(device: Device, low: int, count: int) -> None:
    rng, words = xp.random.default_rng(3), [int(word) for word in Philox(3).random_raw(40)]
    got = to_host(rng.integers(low, low + count, 20)).tolist()
    if count <= 2**32:
        assert got == [low + (word * count >> 64) for word in words[:20]]
    else:
        pairs = zip(words[::2], words[1::2], strict=True)
        assert got == [low + ((upper << 64 | lower) * count >> 128) for upper, lower in pairs]


def test_limits_of_integers_may_be_arrays(device: Device) -> None:
    rng = xp.random.default_rng(1)
    low, high = xp.asarray([0, 5, -(2**62)]), xp.asarray([1, 7, 2**62])
    x = to_host(rng.integers(low, high, (1000, 3)))
    assert (x[:, 0] == 0).all() and set(x[:, 1].tolist()) == {5, 6} and abs(x[:, 2].mean()) < 2**58
    whole = rng.integers(xp.asarray(0, dtype=xp.uint64), xp.asarray(2**64 - 1, dtype=xp.uint64), 100, xp.uint64, True)
    assert to_host(whole).max() > 2**63


@pytest.mark.parametrize(("arguments", "error"), [
    ((0,), ValueError), ((3, 3), ValueError), ((0, 2**63 + 1), ValueError), ((-1, 5, None, "uint8"), ValueError),
    ((0, 300, None, "int8"), ValueError), ((0, 3, None, "float32"), TypeError), ((0.5, 3), TypeError),
    (([0, 5], [3, 3]), ValueError), (([0, 1], [5, 300], None, "uint8"), ValueError), (([0, 5], 4, None), ValueError),
    ((0, np.asarray([3, -1]), None, "int64", True), ValueError),
])  # fmt: skip
def test_what_are_no_limits_is_refused(device: Device, arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"integers: .*allowed"):
        xp.random.default_rng(1).integers(*arguments)


def test_the_error_of_limits_shows_the_first_wrong_ones() -> None:
    generator = xp.random.default_rng(1)
    with pytest.raises(ValueError, match="integers: got low=5, high=1; allowed"):
        generator.integers(5, 1)
    with pytest.raises(ValueError, match="integers: got low=0, high=-1, endpoint=True; allowed"):
        generator.integers(0, [5, -1], endpoint=True)


def test_booleans(device: Device) -> None:
    x = to_host(xp.random.default_rng(1).integers(0, 2, 1000, dtype=bool))
    assert x.dtype == bool and 400 < x.sum() < 600


@pytest.mark.parametrize("p", [0.0, 1.0, 1e-12, 0.3, 1 - 1e-9])
@pytest.mark.parametrize("n", [0, 1, 5, 10**6])
def test_binomial_samples_are_possible(device: Device, n: int, p: float) -> None:
    x = to_host(xp.random.default_rng(1).binomial(n, p, 1000))
    assert ((x >= 0) & (x <= n)).all()
    assert abs(x.mean() - n * p) <= 5 * math.sqrt(n * p * (1 - p) / 1000) + 1e-3 * (n > 0)


def test_multinomial_counts_add_up(device: Device) -> None:
    rng = xp.random.default_rng(1)
    x = to_host(rng.multinomial(xp.asarray([3, 1000]), [0.1, 0.0, 0.6, 0.3], (50, 2)))
    assert x.shape == (50, 2, 4) and (x.sum(-1) == [3, 1000]).all() and (x >= 0).all() and (x[..., 1] == 0).all()
    assert np.abs(x[:, 1].mean(0) - [100, 0, 600, 300]).max() < 15
    with pytest.raises(ValueError, match=r"multinomial: .*allowed"):
        rng.multinomial(3, 0.5)


@pytest.mark.parametrize(
    ("good", "bad", "sample"),
    [
        (3, 4, 7),
        (0, 5, 3),
        (5, 0, 3),
        (10, 10, 0),
        (0, 0, 0),
        (12, 12, 12),
        (30, 1000, 1010),
        (2000, 10, 40),
        (1, 9, 5),
    ],
)
def test_hypergeometric_numbers_are_within_their_limits(device: Device, good: int, bad: int, sample: int) -> None:
    """And have their mean, within five standard errors."""
    x = to_host(xp.random.default_rng(4).hypergeometric(good, bad, sample, SAMPLES))
    total = max(good + bad, 1)
    assert x.min() >= max(0, sample - bad) and x.max() <= min(good, sample)
    variance = sample * good * bad * (good + bad - sample) / (total**2 * max(total - 1, 1))
    assert abs(x.mean() - sample * good / total) <= 5 * math.sqrt(variance / SAMPLES)


def test_colors_add_up_to_the_sample(device: Device) -> None:
    rng, colors = xp.random.default_rng(4), [10, 0, 20, 300]
    x = to_host(rng.multivariate_hypergeometric(colors, 40, (100, 50)))
    assert x.shape == (100, 50, 4) and (x.sum(axis=-1) == 40).all() and (x <= colors).all() and (x >= 0).all()
    expected = 40 * np.array(colors) / 330
    np.testing.assert_allclose(x.mean(axis=(0, 1)), expected, atol=0.15)
    assert to_host(rng.multivariate_hypergeometric([], 0, 3)).shape == (3, 0)
    assert to_host(rng.multivariate_hypergeometric([7], 3)).tolist() == [3]
    assert to_host(rng.multivariate_hypergeometric([7, 5], 12, method="count")).tolist() == [7, 5]


def test_zipf_numbers_of_small_exponents(device: Device) -> None:
    """Those of 1.1 lie below 2^63, which leaves out a hundredth of the distribution."""
    x = to_host(xp.random.default_rng(4).zipf([1.1, 1.7, 70.0, 5000.0], (SAMPLES, 4)))
    assert x.min() == 1 and (x[:, 2:] == 1).all()
    chances = [1 / (float(mpmath.zeta(1.1)) * (1 - 0.0127 * 10 / float(mpmath.zeta(1.1)))), 1 / float(mpmath.zeta(1.7))]
    for column, chance in enumerate(chances):
        assert abs((x[:, column] == 1).mean() - chance) < 5 * math.sqrt(chance * (1 - chance) / SAMPLES)


def test_parameters_may_be_arrays(device: Device) -> None:
    """What lies outside of a domain gives 0, as NaN as an integer does; the others are as with numbers."""
    rng = xp.random.default_rng(4)
    p = xp.asarray([0.0, 0.5, 0.999], dtype=xp.float32)
    assert to_host(rng.logseries(p, (100, 3)))[:, 0].tolist() == [1] * 100
    good = xp.asarray([[3], [500]])
    x = to_host(rng.hypergeometric(good, xp.asarray([4, 0]), 2, (1000, 2, 2)))
    assert (x[:, 0, 1] == 2).all() and (x[:, 1] == 2).mean() > 0.95 and x.max() == 2


REFUSED: dict[str, tuple[tuple[Any, ...], str]] = {
    "logseries": ((1.0,), "p is 1.0; allowed: 0 up to 1, except for 1"),
    "zipf": ((1,), "a is 1; allowed: more than 1"),
    "hypergeometric": ((3, 4, 8), "nsample is 8; allowed: at most 7"),
    "multivariate_hypergeometric": (([3, 4], 8), "nsample is 8; allowed: at most 7"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_parameters_outside_of_their_domain_are_refused(name: str) -> None:
    arguments, message = REFUSED[name]
    with pytest.raises(ValueError, match=f"{name}: {message}"):
        getattr(xp.random.default_rng(1), name)(*arguments)
    if name in ("hypergeometric", "multivariate_hypergeometric"):
        with pytest.raises(ValueError, match="-1"):
            getattr(xp.random.default_rng(1), name)(*arguments[:-1], -1)


@pytest.mark.parametrize(
    ("colors", "options", "message"),
    [([[1, 2]], {}, "one axis"), ([1.5], {}, "integers"), ([1, 2], {"method": "all"}, "'marginals', 'count'")],
)
def test_colors_that_are_none_are_refused(colors: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        xp.random.default_rng(1).multivariate_hypergeometric(colors, 1, **options)


@pytest.mark.parametrize("count", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["binomial", "hypergeometric", "multinomial"])
def test_counts_that_are_not_finite_are_refused(name: str, count: float) -> None:
    others: dict[str, tuple[Any, ...]] = {"binomial": (0.5,), "hypergeometric": (3, 2), "multinomial": ([0.5, 0.5],)}
    with pytest.raises(ValueError, match=f"{name}: n\\w* is {count}; allowed: 0 up to 2\\^53"):
        getattr(xp.random.default_rng(1), name)(count, *others[name])


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float32"])
def test_counts_have_any_real_dtype(device: Device, dtype: str) -> None:
    rng, count = xp.random.default_rng(1), xp.asarray([1, 0], dtype=dtype)
    assert to_host(rng.binomial(count, 1.0)).tolist() == [1, 0]
    assert to_host(rng.hypergeometric(count, 0, count)).tolist() == [1, 0]
    assert to_host(rng.multinomial(count, [1.0, 0.0])).tolist() == [[1, 0], [0, 0]]


def test_a_sample_of_half_a_thing_is_refused() -> None:
    with pytest.raises(TypeError, match="float"):
        xp.random.default_rng(1).multivariate_hypergeometric([3, 4], 2.5)


@pytest.mark.parametrize("a", [1.1, 1.01, 1.001, 1 + 1e-10])
def test_zipf_with_a_heavy_tail_has_its_probabilities_below_2_to_63(device: Device, a: float) -> None:
    """Of the numbers up to 2^63, whose probabilities mpmath adds up."""
    x = to_host(xp.random.default_rng(11).zipf(a, 100_000))
    with mpmath.workdps(40):
        total = mpmath.zeta(a) - mpmath.zeta(a, 2**63 + 1)
        for k in (1, 2, 3):
            p = float(mpmath.mpf(k) ** -a / total)
            assert abs((x == k).mean() - p) < 5 * math.sqrt(p / x.size), k
        p = float((mpmath.zeta(a, 2**20) - mpmath.zeta(a, 2**63 + 1)) / total)
        assert abs((x >= 2**20).mean() - p) < 5 * math.sqrt(p * (1 - p) / x.size)


def test_the_last_kind_has_the_rest_as_in_numpy(device: Device) -> None:
    pvals = [0.5, 0.2, 0.1]
    ours = to_host(xp.random.default_rng(1).multinomial(1000, pvals, 2000)).mean(axis=0)
    for pvals_of in (pvals, xp.asarray(pvals)):
        ours = to_host(xp.random.default_rng(1).multinomial(1000, pvals_of, 2000)).mean(axis=0)
        theirs = np.random.default_rng(1).multinomial(1000, pvals, 2000).mean(axis=0)
        assert np.abs(ours - theirs).max() < 5 * 16 * math.sqrt(2 / 2000)
    with pytest.raises(ValueError, match=r"multinomial: the sum of pvals without the last is 1\.1"):
        xp.random.default_rng(1).multinomial(3, [0.5, 0.6, 0.1])


@pytest.mark.parametrize(
    ("name", "arguments"), [("poisson", (1e6,)), ("binomial", (10**6, 0.5)), ("multinomial", (10**6, [0.5, 0.5]))]
)
def test_samples_beyond_their_dtype_are_its_largest_number(device: Device, name: str, arguments: Any) -> None:
    for dtype, largest in (("int8", 127), ("uint8", 255), ("int16", 32767)):
        assert (to_host(getattr(xp.random.default_rng(1), name)(*arguments, dtype=dtype)) == largest).all()


def test_bools_are_limits_as_in_numpy(device: Device) -> None:
    assert int(xp.random.default_rng(1).integers(True)) == 0
