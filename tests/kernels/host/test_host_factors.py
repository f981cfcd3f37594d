"""Factors on the host: residuals in extended precision, for sizes around those of panels and blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.kernels.core.tuning import HOST_PANEL, HOST_TRIANGLE
from arrayapi_gpu.kernels.host.host_factors import lu, row_order, solve_triangular

HostArray = np.ndarray[Any, Any]
dtypes = pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])


def made(dtype: str, *shape: int) -> HostArray:
    rng = np.random.default_rng(shape)
    a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype[0] == "c" else 0)
    return np.asarray(a.astype(dtype))


def wide(x: HostArray) -> HostArray:
    return x.astype("clongdouble" if x.dtype.kind == "c" else "longdouble")


def assert_small(residual: HostArray, scale: Any, dtype: str) -> None:
    norms, size = np.sqrt(np.sum(abs(residual) ** 2, axis=(-2, -1))), max(1, *residual.shape[-2:])
    assert np.all(norms <= 3 * size * np.finfo(dtype).eps * scale), norms


def norm(x: HostArray) -> HostArray:
    return np.asarray(np.sqrt(np.sum(abs(wide(x)) ** 2, axis=(-2, -1))))


SHAPES = [
    (1, 1), (HOST_PANEL, HOST_PANEL), (HOST_PANEL + 1, HOST_PANEL + 1), (70, 30), (30, 70), (1, 40), (40, 1),
    (3, 33, 33), (2, 2, 7, 9), (0, 3, 3), (2, 0, 4), (2, 4, 0),
]  # fmt: skip


@dtypes
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_lu(shape: tuple[int, ...], dtype: str) -> None:
    a = made(dtype, *shape)
    packed, pivots = lu(a)
    least = min(shape[-2:])
    assert packed.dtype == a.dtype and pivots.dtype == np.int32 and pivots.shape == (*shape[:-2], least)
    order = row_order(pivots, rows=shape[-2])
    assert order.dtype == np.int64 and np.array_equal(
        np.sort(order), np.broadcast_to(np.arange(shape[-2]), order.shape)
    )
    lower = np.tril(wide(packed)[..., :least], -1) + np.eye(shape[-2], least)
    upper = np.triu(wide(packed)[..., :least, :])
    assert_small(lower @ upper - np.take_along_axis(a, order[..., None], -2), norm(lower) * norm(upper), dtype)


@dtypes
@pytest.mark.parametrize("n", [1, 5, HOST_TRIANGLE, HOST_TRIANGLE + 1, 200])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_solve_triangular(n: int, lower: bool, unit_diagonal: bool, dtype: str) -> None:
    """Only one triangle is read. The operands broadcast."""
    a = (made(dtype, 2, n, n) / n + 2 * np.eye(n)).astype(dtype)
    wanted = np.tri(n, k=-unit_diagonal, dtype=bool)
    wanted = wanted if lower else wanted.T
    b = made(dtype, 3, 1, n, 4)
    x = solve_triangular(np.where(wanted, a, np.nan).astype(dtype), b, lower=lower, unit_diagonal=unit_diagonal)
    triangle = np.where(wanted, a, np.eye(n) if unit_diagonal else 0)
    assert x.dtype == dtype and x.shape == (3, 2, n, 4)
    assert_small(wide(triangle) @ wide(x) - b, norm(triangle) * norm(x), dtype)


def test_pivots_are_the_largest_elements_and_no_nan() -> None:
    a = np.asarray([[np.nan, 1.0], [2.0, 3.0], [-5.0, 4.0]])
    assert lu(a)[1][0] == 2
    assert lu(np.full((2, 2), np.nan))[1].tolist() == [0, 1]
    packed, pivots = lu(np.asarray([[0.0, 1.0], [0.0, 2.0]]))
    assert packed.tolist() == [[0, 1], [0, 2]] and pivots.tolist() == [0, 1]


def test_a_zero_on_the_diagonal_raises() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        solve_triangular(np.diag([1.0, 0.0]), np.ones((2, 1)), lower=True, unit_diagonal=False)
