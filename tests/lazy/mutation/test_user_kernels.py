"""Users' kernels over elements are nodes like any other: they are fused, viewed and recorded."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, launches, needs_rows, sample, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

X, Y = (sample("float32", (6, 40), seed) for seed in range(2))
SQUARES = xp.ElementwiseKernel("T x, T y", "T z", "z = x * x + y * y", "squares")
BOTH = xp.ElementwiseKernel("T x, T y", "T s, T p", "s = x + y; p = x * y", "sum_and_product")


def test_a_kernel_is_fused_with_what_surrounds_it() -> None:
    x, y = xp.asarray(X), xp.asarray(Y)
    with launches() as made:
        result = to_host(xp.sum(SQUARES(x + 1, y[::-1]) * 2, axis=1))
    assert len(made) == 1
    expected = np.sum(((X + 1) * (X + 1) + Y[::-1] * Y[::-1]) * 2, axis=1, dtype=np.float64)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_its_bits_are_those_of_the_expression() -> None:
    x, y = xp.asarray(X), xp.asarray(Y)
    assert_same(to_host(SQUARES(x, y)), X * X + Y * Y)


def test_a_view_of_it_is_computed_alone() -> None:
    x, y = xp.asarray(X), xp.asarray(Y)
    with launches() as made:
        assert_same(to_host(SQUARES(x, y)[::2, 3]), (X * X + Y * Y)[::2, 3])
    assert len(made) == 1


def test_several_results_are_one_launch() -> None:
    x, y = xp.asarray(X), xp.asarray(Y)
    for _ in range(2):
        with launches() as made:
            total, product = BOTH(x, y)
            assert_same(to_host(total), X + Y)
            assert_same(to_host(product), X * Y)
        assert len(made) == 1


def test_several_results_that_meet_again_are_one_launch() -> None:
    x, y = xp.asarray(X), xp.asarray(Y)
    for _ in range(2):
        with launches() as made:
            total, product = BOTH(x * 2, y)
            assert_same(to_host(total - product), (X * 2 + Y) - X * 2 * Y)
        assert len(made) == 1


def test_explain_says_which_kernel_it_is() -> None:
    z = SQUARES(xp.asarray(X), 2.0) + 1
    explained = xp.explain(z)
    assert "xp.ElementwiseKernel('T x, T y', 'T z', 'z = x * x + y * y')(" in explained
    bound = {"xp": xp, **explained.arrays}
    exec(explained, bound)
    name = explained.splitlines()[-1].split()[0]
    assert_same(to_host(bound[name]), to_host(z))


def test_rows_with_a_kernel_are_one_launch() -> None:
    needs_rows()
    x = xp.asarray(X)
    kernel = xp.ElementwiseKernel("T x, T m", "T y", "y = exp(x - m)", "shifted_exp")
    with launches() as made:
        e = kernel(x, xp.max(x, axis=1, keepdims=True))
        result = to_host(e / xp.sum(e, axis=1, keepdims=True))
    assert len(made) == 1
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    assert_same(result, to_host(e / xp.sum(e, axis=1, keepdims=True)))


def test_views_of_a_kernel_with_a_raw_array() -> None:
    kernel = xp.ElementwiseKernel("T w, raw T x", "T y", "y = w + x[i]")
    x = xp.asarray(X)
    assert_same(to_host(kernel(x, x)[::2, ::-3]), (X + X)[::2, ::-3])
    assert_same(to_host(kernel(x, x).T), (X + X).T)


def test_a_long_chain_is_cut() -> None:
    kernel = xp.ElementwiseKernel("T x", "T y", "y = x + 1")
    value, expected = xp.asarray(X), X.copy()
    for _ in range(400):
        value, expected = kernel(value), expected + np.float32(1)
    assert_same(to_host(value), expected)


def test_indices_in_branches_that_are_not_taken_are_not_used() -> None:
    kernel = xp.ElementwiseKernel("int64 k, raw float32 t", "float32 y", "if (k >= 0 && k < 4) y = t[k]; else y = -1")
    indices = xp.asarray(np.asarray([-5, 0, 3, 10**15]))
    assert_same(to_host(kernel(indices, xp.asarray(X[0, :4]))), np.asarray([-1, X[0, 0], X[0, 3], -1], np.float32))


def test_without_fusion_it_is_computed_at_once() -> None:
    with xp.config.set(fusion=False), launches() as made:
        value = SQUARES(xp.asarray(X), xp.asarray(Y)) + 1
        assert_same(to_host(value), X * X + Y * Y + 1)
    assert len(made) == 2


def test_memory_that_the_host_writes() -> None:
    host = X.copy()
    x = xp.from_dlpack(host) if xp.zeros(1).device.host_shared else xp.asarray(host)
    value = SQUARES(x, 1.0)
    host[...] = 0
    assert_same(to_host(value), X * X + np.float32(1))
