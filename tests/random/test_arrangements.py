"""Choices, permutations, and distributions of vectors."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.random.philox import Philox

pytestmark = pytest.mark.usefixtures("device")


def rng(seed: int = 1) -> xp.random.Generator:
    return xp.random.default_rng(seed)


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
def test_a_permutation_sorts_words(n: int) -> None:
    x = to_host(rng().permutation(n))
    assert (x == np.argsort(Philox(1).random_raw(n), kind="stable")).all()


def test_all_permutations_are_as_likely() -> None:
    """By a chi-square test: 24 orders of 4, of which 4,800 make a statistic below 50 but for one time in 1,000."""
    orders = to_host(rng().permuted(xp.broadcast_to(xp.arange(4), (4800, 4)), axis=1))
    found = {order: 0 for order in permutations(range(4))}
    for order in orders.tolist():
        found[tuple(order)] += 1
    assert sum((count - 200) ** 2 / 200 for count in found.values()) < 50


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_rows_are_permuted_together(axis: int) -> None:
    x = np.arange(30).reshape(5, 6)
    got = to_host(rng().permutation(xp.asarray(x), axis))
    order = to_host(rng().permutation(x.shape[axis]))
    assert (got == np.take(x, order, axis)).all()
    y = xp.asarray(x)
    assert rng().shuffle(y, axis) is None  # type: ignore[func-returns-value]
    assert (to_host(y) == got).all()


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_each_row_has_an_order_of_its_own(axis: int | None) -> None:
    x = np.arange(600).reshape(20, 30)
    got = to_host(rng().permuted(xp.asarray(x), axis=axis))
    assert (np.sort(got, axis) == np.sort(x, axis)).all() if axis is not None else sorted(got.flat) == sorted(x.flat)
    out = xp.zeros((20, 30), dtype=xp.int64)
    assert rng().permuted(xp.asarray(x), axis=axis, out=out) is out
    assert (to_host(out) == got).all()
    if axis is not None:
        orders = np.argsort(np.moveaxis(got, axis, -1), axis=-1)
        assert len({tuple(order) for order in orders.tolist()}) == orders.shape[0]


def test_only_arrays_of_ours_are_shuffled() -> None:
    with pytest.raises(TypeError, match=r"shuffle: .*allowed"):
        rng().shuffle([1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [None, 4, (2, 3), (0,)])
@pytest.mark.parametrize("axis", [0, 1])
def test_choices_have_numpys_shapes(size: Any, axis: int) -> None:
    x = np.arange(60).reshape(10, 6)
    expected = np.random.default_rng(1).choice(x, size, axis=axis).shape
    assert rng().choice(xp.asarray(x), size, axis=axis).shape == expected
    assert rng().choice(7, size).shape == np.shape(np.random.default_rng(1).choice(7, size))


def test_choices_without_replacement_differ() -> None:
    assert sorted(to_host(rng().choice(50, 50, replace=False)).tolist()) == list(range(50))
    p = [0.0, 0.2, 0.3, 0.5]
    assert sorted(to_host(rng().choice(4, 3, replace=False, p=p)).tolist()) == [1, 2, 3]


def test_choices_have_their_probabilities() -> None:
    p = np.array([0.0, 0.1, 0.2, 0.7])
    x = np.bincount(to_host(rng().choice(4, 20_000, p=p)), minlength=4)
    assert x[0] == 0 and np.abs(x / 20_000 - p).max() < 5 * np.sqrt(0.25 / 20_000)
    first = [int(rng(seed).choice(4, 2, replace=False, p=p)[0]) for seed in range(400)]
    assert np.abs(np.bincount(first, minlength=4) / 400 - p).max() < 5 * np.sqrt(0.25 / 400)


@pytest.mark.parametrize("options", [
    {"a": 0}, {"a": 3, "size": 4, "replace": False}, {"a": 3, "p": [0.5, 0.5]}, {"a": 2, "p": [0.5, 0.6]},
    {"a": 2, "p": [-0.5, 1.5]}, {"a": 3, "size": 2, "replace": False, "p": [0.0, 1.0, 0.0]},
])  # fmt: skip
def test_what_cannot_be_chosen_is_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"choice: .*allowed"):
        rng().choice(**{"size": 1, **options})


def test_dirichlet_samples_are_fractions() -> None:
    alpha = np.array([1e-3, 1.0, 3.0])
    x = to_host(rng().dirichlet(alpha, 20_000))
    assert x.shape == (20_000, 3) and np.allclose(x.sum(-1), 1)
    assert np.abs(x.mean(0) - alpha / alpha.sum()).max() < 0.01
    assert to_host(rng().dirichlet([1e-8, 1e-8], 100)).max() == 1
    assert not to_host(rng().dirichlet([0, 0, 0], 3)).any()
    assert rng().dirichlet([]).shape == (0,) and rng().dirichlet(xp.zeros(0), (2, 3)).shape == (2, 3, 0)
    np.testing.assert_array_equal(to_host(rng().dirichlet([[0, 2, 0], [0, 0, 0]])), [[0, 1, 0], [0, 0, 0]])
    with pytest.raises(ValueError, match=r"dirichlet: .*allowed"):
        rng().dirichlet(1.0)


@pytest.mark.parametrize("method", ["eigh", "svd", "cholesky"])
def test_normal_vectors_have_their_covariances(method: str) -> None:
    mean, cov = [1.0, -2.0, 0.5], np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 0.5]])
    x = to_host(rng().multivariate_normal(mean, cov, 20_000, method=method))
    assert np.abs(x.mean(0) - mean).max() < 0.06 and np.abs(np.cov(x.T) - cov).max() < 0.1
    assert rng().multivariate_normal(mean, cov).shape == (3,)


def test_covariances_are_checked() -> None:
    with pytest.raises(ValueError, match=r"multivariate_normal: .*allowed"):
        rng().multivariate_normal([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], check_valid="raise")
    with pytest.raises(ValueError, match=r"multivariate_normal: .*allowed"):
        rng().multivariate_normal([0.0], [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match=r"multivariate_normal: .*allowed"):
        rng().multivariate_normal([0.0], [[1.0]], method="qr")


@pytest.mark.parametrize(("n", "count"), [(10**6, 1000), (10**12, 50), (64, 2), (2000, 0)])
def test_few_of_many_differ_and_are_in_random_order(n: int, count: int) -> None:
    drawn = np.concatenate([to_host(rng(seed).choice(n, count, replace=False)) for seed in range(20)])
    assert drawn.dtype == np.int64 and drawn.size == 20 * count
    for row in drawn.reshape(20, count):
        assert len(set(row.tolist())) == count
    if count:
        assert ((drawn >= 0) & (drawn < n)).all()
        assert abs(drawn.mean() / n - 0.5) < 5 * (12 * drawn.size) ** -0.5
        first = drawn.reshape(20, count)[:, : count // 2].mean()
        assert abs(first / n - 0.5) < 5 * (12 * 20 * (count // 2)) ** -0.5


def test_each_pair_of_few_is_as_likely() -> None:
    """Two of 64, in order: 4,032 pairs, by their differences modulo 64, of which each has 64 pairs."""
    pairs = np.array([to_host(rng(seed).choice(64, 2, replace=False)) for seed in range(1260)])
    counts = np.bincount((pairs[:, 0] - pairs[:, 1]) % 64, minlength=64)
    assert counts[0] == 0
    assert ((counts[1:] - 20) ** 2 / 20).sum() < 130  # 62 degrees of freedom: 6 standard deviations


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 40])
@pytest.mark.parametrize("method", ["eigh", "cholesky"])
def test_normal_vectors_are_a_factor_times_normal_samples(method: str, n: int) -> None:
    host = np.random.default_rng(n).normal(size=(n, n))
    cov = host @ host.T + np.eye(n)
    x = to_host(rng().multivariate_normal(np.zeros(n), cov, (4, 3), method=method))
    z = to_host(rng().standard_normal((4, 3, n), dtype=x.dtype))
    if method == "cholesky":
        factor = np.linalg.cholesky(cov)
    else:
        values, vectors = map(to_host, xp.linalg.eigh(xp.asarray(cov.astype(x.dtype))))
        factor = vectors * np.sqrt(values)
    bound = 200 * np.finfo(x.dtype).eps * np.abs(factor).sum()
    assert np.abs(x - z @ factor.T).max() < bound


def test_normal_vectors_take_no_memory_for_products() -> None:
    n, count = 64, 2000
    xp.compute(rng().multivariate_normal(np.zeros(n), np.eye(n), count))
    with xp.record() as launches:
        xp.compute(rng().multivariate_normal(np.zeros(n), np.eye(n), count))
    assert max(launch.bytes for launch in launches) < 4 * n * n * count  # the products would be 8 bytes each, or 4


@pytest.mark.parametrize("cov", [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.5], [0.0, 1.0]]], ids=["negative", "asymmetric"])
def test_what_is_no_covariance_is_warned_of_as_in_numpy(cov: Any) -> None:
    for generator in (np.random.default_rng(1), rng()):
        with pytest.warns(RuntimeWarning, match="cov"):
            generator.multivariate_normal([0, 0], cov)
        with pytest.raises(ValueError, match="cov"):
            generator.multivariate_normal([0, 0], cov, check_valid="raise")
        generator.multivariate_normal([0, 0], cov, check_valid="ignore")


def test_a_covariance_that_is_nan_gives_nan_or_is_refused() -> None:
    """As the library of the eigenvalues does: NumPy refuses it, too."""
    cov = xp.asarray([[1.0, np.nan], [np.nan, 1.0]])
    try:
        samples = to_host(rng().multivariate_normal([0.0, 0.0], cov, 3))
    except np.linalg.LinAlgError:
        return
    assert np.isnan(samples).all()


@pytest.mark.parametrize("out", [np.zeros(3), "shape", "dtype"], ids=["NumPy's", "shape", "dtype"])
def test_out_of_permuted_is_an_array_like_the_result(out: Any) -> None:
    given = {"shape": xp.zeros((2, 3)), "dtype": xp.zeros(3, dtype=xp.int64)}.get(out) if isinstance(out, str) else out
    with pytest.raises((TypeError, ValueError), match=r"permuted: out .*allowed"):
        rng().permuted(xp.asarray([1.0, 2.0, 3.0]), out=given)
