"""Permutations, choices, and vectors."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from support import to_host
from support.fits import chance, moments_off

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

default_rng = xp.random.default_rng


def uniform_counts(found: Counter[Any], kinds: int) -> None:
    """Each of so many kinds about as often as the others: within 5 standard errors."""
    expected = found.total() / kinds
    assert len(found) == kinds
    assert max(abs(count - expected) for count in found.values()) < 5 * expected**0.5


def test_a_permutation_has_each_number_once(device: Device) -> None:
    x = to_host(default_rng(1).permutation(1000))
    assert sorted(x.tolist()) == list(range(1000))
    assert x.tolist() != list(range(1000))
    assert x.tolist() == np.argsort(np.random.Philox(1).random_raw(1000), kind="stable").tolist()


def test_permutations_are_equally_likely(device: Device) -> None:
    rows = default_rng(1).permuted(xp.broadcast_to(xp.arange(4), (6000, 4)), axis=1)
    uniform_counts(Counter(map(tuple, to_host(rows).tolist())), 24)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_permutation_keeps_what_lies_across_the_axis(device: Device, axis: int) -> None:
    host = np.arange(12).reshape(3, 4)
    x = to_host(default_rng(1).permutation(xp.asarray(host), axis=axis))
    order = np.argsort(np.random.Philox(1).random_raw(host.shape[axis]))
    assert x.tolist() == np.take(host, order, axis=axis).tolist()


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_permuted_keeps_the_elements(device: Device, axis: int | None) -> None:
    host = np.arange(60).reshape(6, 10)
    x, out = xp.asarray(host), xp.zeros((6, 10), dtype=xp.int64)
    result = to_host(default_rng(1).permuted(x, axis=axis))
    assert np.sort(result, axis=axis).tolist() == np.sort(host, axis=axis).tolist()
    assert result.tolist() != host.tolist()
    assert default_rng(1).permuted(x, axis=axis, out=out) is out
    assert to_host(out).tolist() == result.tolist()


def test_shuffle_is_permutation_in_place(device: Device) -> None:
    x = xp.reshape(xp.arange(40), (10, 4))
    expected = to_host(default_rng(1).permutation(x)).tolist()
    default_rng(1).shuffle(x)
    assert to_host(x).tolist() == expected
    other: Any = [1, 2]
    with pytest.raises(TypeError, match=r"shuffle: .*allowed"):
        default_rng(1).shuffle(other)


def test_choices_are_integers_as_indices(device: Device) -> None:
    pool = np.arange(10, 70, 10)
    got = to_host(default_rng(1).choice(xp.asarray(pool), (3, 5)))
    assert got.tolist() == pool[to_host(default_rng(1).integers(0, 6, (3, 5)))].tolist()
    rows = to_host(default_rng(1).choice(np.arange(12).reshape(3, 4), 5, axis=1))
    assert rows.shape == (3, 5)


def test_choices_without_replacement_differ(device: Device) -> None:
    x = to_host(default_rng(1).choice(100, 60, replace=False)).tolist()
    assert len(set(x)) == 60
    assert set(x) <= set(range(100))
    y = to_host(default_rng(1).choice(5, 3, replace=False, p=[0.2, 0, 0.3, 0.5, 0])).tolist()
    assert set(y) == {0, 2, 3}


def test_choices_have_their_probabilities(device: Device) -> None:
    chances = np.array([0.1, 0.0, 0.6, 0.3])
    counts = np.bincount(to_host(default_rng(1).choice(4, 20_000, p=chances.tolist())), minlength=4)
    assert counts[1] == 0
    assert (np.abs(counts - 20_000 * chances) <= 5 * np.sqrt(20_000 * chances * (1 - chances))).all()


@pytest.mark.parametrize(
    ("a", "size", "options"),
    [
        (0, 1, {}),
        (3, 4, {"replace": False}),
        (3, 1, {"p": [0.5, 0.5]}),
        (2, 1, {"p": [0.5, 0.6]}),
        (2, 1, {"p": [1.5, -0.5]}),
        (3, 2, {"p": [1, 0, 0], "replace": False}),
    ],
)
def test_choices_that_cannot_be_made_are_refused(device: Device, a: int, size: int, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"choice: .*allowed"):
        default_rng(1).choice(a, size, **options)


def test_dirichlet_has_beta_margins(device: Device) -> None:
    alpha = np.array([0.5, 2.0, 3.5])
    x = to_host(default_rng(1).dirichlet(alpha.tolist(), 20_000))
    assert x.shape == (20_000, 3)
    np.testing.assert_allclose(x.sum(axis=1), 1, rtol=1e-5)
    for k, a in enumerate(alpha):
        mean = a / 6
        assert moments_off(x[:, k], mean, mean * (1 - mean) / 7) < 5
    with pytest.raises(ValueError, match=r"dirichlet: .*allowed"):
        default_rng(1).dirichlet(1.0)


@pytest.mark.parametrize("method", ["eigh", "svd", "cholesky"])
def test_multivariate_normal_has_its_covariance(device: Device, method: str) -> None:
    cov = np.array([[2.0, 1.0], [1.0, 3.0]])
    x = to_host(default_rng(1).multivariate_normal([1.0, -2.0], cov.tolist(), 20_000, method=method)).astype(np.float64)
    assert x.shape == (20_000, 2)
    for k, mean in enumerate((1.0, -2.0)):
        assert moments_off(x[:, k], mean, cov[k, k]) < 5
    assert np.cov(x.T)[0, 1] == pytest.approx(1, abs=5 * (7 / 20_000) ** 0.5)


def test_multivariate_normal_refuses_what_is_no_covariance(device: Device) -> None:
    rng = default_rng(1)
    with pytest.raises(ValueError, match=r"multivariate_normal: .*allowed"):
        rng.multivariate_normal([0.0], [[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"multivariate_normal: .*allowed"):
        rng.multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], check_valid="raise")
    with pytest.raises(ValueError, match=r"multivariate_normal: .*allowed"):
        rng.multivariate_normal([0.0], [[1.0]], method="qr")


def test_keys_of_permutations_are_uniform(device: Device) -> None:
    """The place of the first element is uniform."""
    rows = default_rng(1).permuted(xp.broadcast_to(xp.arange(50), (8000, 50)), axis=1)
    assert chance(to_host(rows)[:, 0], lambda x: (x + 1) / 50) > 1e-4
