"""Sums of exponentials and softmax, beside mpmath's sums of the same numbers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import needs_rows, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
A = np.random.default_rng(5).normal(scale=20, size=(4, 7)).astype(np.float32)
A[1, 2] = 500
A[2, :] = -1000 - np.arange(7)
B = np.random.default_rng(6).uniform(0.1, 2, (4, 7)).astype(np.float32)
AXES: list[Any] = [None, 0, 1, (0, 1), -1]
DTYPES = ["float16", "float32"]


def groups(a: HostArray, axis: Any) -> list[HostArray]:
    """The elements that are combined, group by group."""
    if axis is None or axis == (0, 1):
        return [a.ravel()]
    return list(a.T) if axis == 0 else list(a)


def total(a: HostArray, b: HostArray) -> Any:
    """sum(b exp(a)) of one group."""
    return mpmath.fsum(mpmath.mpf(float(y)) * mpmath.exp(mpmath.mpf(float(x))) for x, y in zip(a, b, strict=True))


def near(got: HostArray, expected: list[Any]) -> None:
    eps = float(np.finfo(got.dtype).eps)
    for value, exact in zip(got.ravel().tolist(), expected, strict=True):
        assert abs(value - float(exact)) <= 6 * eps * max(abs(float(exact)), 2**-14), (value, exact)


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_logsumexp(axis: Any, keepdims: bool, weighted: bool) -> None:
    b = B if weighted else np.ones_like(A)
    factors = xp.asarray(B) if weighted else None
    got = to_host(xp.special.logsumexp(xp.asarray(A), axis=axis, b=factors, keepdims=keepdims))
    assert got.dtype == np.float32
    assert got.shape == np.sum(A, axis=axis, keepdims=keepdims).shape
    near(got, [mpmath.log(total(x, y)) for x, y in zip(groups(A, axis), groups(b, axis), strict=True)])


def test_logsumexp_near_zero_keeps_its_digits() -> None:
    got = xp.special.logsumexp(xp.asarray([0.0, -50.0], dtype=xp.float32))
    assert math.isclose(float(got), math.exp(-50), rel_tol=1e-6)


def test_logsumexp_gives_the_sign_of_a_sum() -> None:
    a, b = np.array([1.0, 2.0, 0.5], np.float32), np.array([1.0, -2.0, 0.0], np.float32)
    size, sign = xp.special.logsumexp(xp.asarray(a), b=xp.asarray(b), return_sign=True)
    near(to_host(size), [mpmath.log(abs(total(a, b)))])
    assert float(sign) == -1
    assert math.isnan(float(xp.special.logsumexp(xp.asarray(a), b=xp.asarray(b))))


@pytest.mark.parametrize(
    ("a", "expected"),
    [
        ([math.inf, 1], math.inf),
        ([-math.inf, -math.inf], -math.inf),
        ([-math.inf, 2], 2),
        ([math.nan, 1], math.nan),
        ([math.inf, -math.inf], math.inf),
        ([], -math.inf),
    ],
    ids=str,
)
def test_logsumexp_of_what_is_not_finite(a: list[float], expected: float) -> None:
    got = float(xp.special.logsumexp(xp.asarray(a, dtype=xp.float32)))
    assert got == expected or (math.isnan(got) and math.isnan(expected))


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_softmax(axis: Any) -> None:
    got = to_host(xp.special.softmax(xp.asarray(A), axis=axis))
    exact = [
        [mpmath.exp(mpmath.mpf(float(v))) / total(x, np.ones_like(x)) for v in x] for x in groups(A, axis)
    ]  # fmt: skip
    flat = got.T.ravel() if axis == 0 else got
    near(flat, list(itertools.chain(*exact)))


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_log_softmax(axis: Any) -> None:
    got = to_host(xp.special.log_softmax(xp.asarray(A), axis=axis))
    exact = [[mpmath.mpf(float(v)) - mpmath.log(total(x, np.ones_like(x))) for v in x] for x in groups(A, axis)]
    flat = got.T.ravel() if axis == 0 else got
    scale = np.abs(A).max()
    for value, right in zip(flat.ravel().tolist(), itertools.chain(*exact), strict=True):
        assert abs(value - float(right)) <= 2 * np.finfo(np.float32).eps * scale


def test_softmax_of_a_row_is_one_launch() -> None:
    needs_rows()
    x = xp.asarray(np.random.default_rng(1).normal(size=(64, 100)).astype(np.float32))
    for function in (xp.special.softmax, xp.special.log_softmax):
        with xp.record() as made:
            xp.compute(function(x, axis=1))
        assert len(made) == 1


@pytest.mark.parametrize("d", [1, 2, 5])
def test_multigammaln(d: int) -> None:
    a = np.array([2.25, 3.0, 10.5, 100.0], np.float32)
    got = to_host(xp.special.multigammaln(xp.asarray(a), d))
    exact = [
        mpmath.mpf(d * (d - 1)) / 4 * mpmath.log(mpmath.pi)
        + mpmath.fsum(mpmath.loggamma(mpmath.mpf(float(x)) - mpmath.mpf(k) / 2) for k in range(d))
        for x in a
    ]
    for value, right in zip(got.tolist(), exact, strict=True):
        assert abs(value - float(right)) <= 8 * np.finfo(np.float32).eps * max(abs(float(right)), d * d)
    assert math.isnan(float(xp.special.multigammaln(xp.asarray([0.4]), 2)[0]))
    with pytest.raises(ValueError, match="multigammaln: got d=0"):
        xp.special.multigammaln(xp.asarray(a), 0)


@pytest.mark.parametrize("name", ["logsumexp", "softmax", "log_softmax"])
def test_dtypes(name: str) -> None:
    function = getattr(xp.special, name)
    for dtype in DTYPES:
        assert function(xp.ones(3, dtype=dtype)).dtype == dtype
    assert function(xp.asarray([1, 2])).dtype == xp.asarray(1.0).dtype


@pytest.mark.parametrize("shapes", [((2,), (3, 2)), ((), (2,)), ((3, 1), (2,)), ((3, 2), (4, 3, 2)), ((0, 3), (0, 3))])
def test_factors_of_more_dimensions_are_broadcast_first(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=shapes[0]), rng.uniform(0.5, 2, shapes[1])
    ndim = len(np.broadcast_shapes(*shapes))
    for axis in [None, *range(-ndim, ndim), tuple(range(ndim))]:
        for keepdims in (False, True):
            with np.errstate(divide="ignore"):
                expected = np.log(np.sum(b * np.exp(a), axis=axis, keepdims=keepdims))
            ours = (xp.asarray(x, dtype=xp.float64) for x in (a, b))
            got = to_host(xp.special.logsumexp(next(ours), axis=axis, b=next(ours), keepdims=keepdims))
            assert got.shape == expected.shape
            np.testing.assert_allclose(got, expected, rtol=1e-14, atol=1e-14)
