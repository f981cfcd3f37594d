"""Triangles and factors: residuals in extended precision, over shapes, dtypes and forms of equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import FLOATING, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
linalg = xp.linalg
floating = pytest.mark.parametrize("dtype", FLOATING)
SQUARE = [(1, 1), (5, 5), (17, 17), (3, 4, 4), (40, 3, 3), (2, 3, 3, 3)]
square = pytest.mark.parametrize("shape", SQUARE, ids=str)
TRANS = [(0, "N"), (1, "T"), (2, "C")]


def any_value(value: Any) -> Any:
    return value


def made(dtype: str, *shape: int) -> HostArray:
    rng = np.random.default_rng(shape)
    a = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.uniform(-1, 1, shape)
    return np.asarray(a.astype(dtype))


def wide(x: Any) -> HostArray:
    host = x if isinstance(x, np.ndarray) else to_host(x)
    return host.astype(np.clongdouble if host.dtype.kind == "c" else np.longdouble)


def adjoint(x: HostArray) -> HostArray:
    return np.conj(np.swapaxes(x, -1, -2))


def norm(x: HostArray) -> HostArray:
    return np.asarray(np.sqrt(np.sum(abs(x) ** 2, axis=(-2, -1))))


def small(residual: HostArray, scale: Any, dtype: str, times: float = 4) -> None:
    allowed = times * max(1, *residual.shape[-2:]) * float(np.finfo(dtype).eps) * scale
    assert np.all(norm(residual) <= allowed), (norm(residual), allowed)


def equations(a: HostArray, trans: int) -> HostArray:
    return [a, np.swapaxes(a, -1, -2), adjoint(a)][trans]


def regular(dtype: str, *shape: int) -> HostArray:
    return (made(dtype, *shape) + 3 * np.eye(shape[-1])).astype(dtype)


# --- triangles -----------------------------------------------------------------------------------


@floating
@square
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
@pytest.mark.parametrize("trans", TRANS)
def test_solve_triangular(
    shape: tuple[int, ...], dtype: str, lower: bool, unit_diagonal: bool, trans: tuple[Any, Any]
) -> None:
    a, b = regular(dtype, *shape), made(dtype, *shape[:-1], 3)
    wanted = np.tri(shape[-1], k=-unit_diagonal, dtype=bool)
    wanted = wanted if lower else wanted.T
    given = xp.asarray(np.where(wanted, a, np.nan).astype(dtype))
    found = [
        linalg.solve_triangular(given, xp.asarray(b), lower=lower, unit_diagonal=unit_diagonal, trans=word)
        for word in trans
    ]
    assert found[0].dtype == dtype and xp.all(found[0] == found[1])
    triangle = equations(wide(np.where(wanted, a, np.eye(shape[-1]) if unit_diagonal else 0)), trans[0])
    small(triangle @ wide(found[0]) - wide(b), norm(triangle) * norm(wide(found[0])), dtype)


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ((3, 3), (3,), (3,)),
        ((4, 3, 3), (3,), (4, 3)),
        ((3, 3), (5, 3, 2), (5, 3, 2)),
        ((4, 1, 3, 3), (5, 3, 2), (4, 5, 3, 2)),
        ((0, 3, 3), (3, 2), (0, 3, 2)),
        ((2, 0, 0), (2, 0, 3), (2, 0, 3)),
        ((3, 3), (3, 0), (3, 0)),
        ((100, 100), (100,), (100,)),
    ],
)
def test_shapes_of_right_sides(first: tuple[int, ...], second: tuple[int, ...], result: tuple[int, ...]) -> None:
    """Of triangles, and of factors."""
    a, b = regular("float64", *first), made("float64", *second)
    x, y = xp.asarray(a), xp.asarray(b)
    positive = xp.asarray(a @ adjoint(a))
    right = b[..., None] if b.ndim == 1 else b
    for left, found in (
        (np.triu(a), linalg.solve_triangular(x, y)),
        (a, linalg.lu_solve(linalg.lu_factor(x), y)),
        (a @ adjoint(a), linalg.cho_solve(linalg.cho_factor(positive), y)),
    ):
        host = found.to_numpy()
        assert host.shape == result
        np.testing.assert_allclose(
            left @ (host[..., None] if b.ndim == 1 else host),
            np.broadcast_to(right, (*result, 1)[: -1 if b.ndim > 1 else None]),
            rtol=0,
            atol=1e-9,
        )


# --- factors -------------------------------------------------------------------------------------


@floating
@pytest.mark.parametrize("shape", [*SQUARE, (7, 3), (3, 7), (35, 6, 2), (90, 40), (40, 90)], ids=str)
def test_lu(shape: tuple[int, ...], dtype: str) -> None:
    a = made(dtype, *shape)
    m, n = shape[-2:]
    least = min(m, n)
    p, left, right = linalg.lu(xp.asarray(a))
    assert p.shape == (*shape[:-2], m, m) and left.shape == (*shape[:-1], least)
    assert right.shape == (*shape[:-2], least, n)
    assert left.dtype == right.dtype == dtype and p.dtype == np.zeros(1, dtype).real.dtype
    lower, upper = wide(left), wide(right)
    assert np.all(np.tril(lower) == lower) and np.all(np.diagonal(lower, axis1=-2, axis2=-1) == 1)
    assert np.all(np.triu(upper) == upper)
    small(wide(p) @ lower @ upper - wide(a), norm(lower) * norm(upper), dtype)
    places, again, _ = linalg.lu(xp.asarray(a), p_indices=True)
    assert places.dtype == np.int64
    np.testing.assert_array_equal(
        np.take_along_axis(lower, places.to_numpy()[..., None], -2), wide(p) @ lower, err_msg="l[p] @ u"
    )
    permuted, _ = linalg.lu(xp.asarray(a), permute_l=True)
    np.testing.assert_array_equal(wide(permuted), wide(p) @ lower)
    assert xp.all(again == left)


@floating
@square
def test_lu_factor_has_both_triangles(shape: tuple[int, ...], dtype: str) -> None:
    a = xp.asarray(made(dtype, *shape))
    factors = linalg.lu_factor(a)
    _, lower, upper = linalg.lu(a)
    assert factors.piv.dtype == np.int32 and factors.piv.shape == shape[:-1]
    assert xp.all(xp.triu(factors.lu) == upper)
    assert xp.all(xp.tril(factors.lu, k=-1) == xp.tril(lower, k=-1))


@floating
@square
@pytest.mark.parametrize("trans", TRANS)
def test_lu_solve(shape: tuple[int, ...], dtype: str, trans: tuple[Any, Any]) -> None:
    a, b = regular(dtype, *shape), made(dtype, *shape[:-1], 2)
    a[..., [0, -1], :] = a[..., [-1, 0], :]
    factors = linalg.lu_factor(xp.asarray(a))
    x, y = (linalg.lu_solve(factors, xp.asarray(b), trans=word) for word in trans)
    assert x.dtype == dtype and xp.all(x == y)
    left = equations(wide(a), trans[0])
    small(left @ wide(x) - wide(b), 3 * norm(left) * norm(wide(x)), dtype)


@floating
@square
@pytest.mark.parametrize("lower", [False, True])
def test_cho_solve(shape: tuple[int, ...], dtype: str, lower: bool) -> None:
    a, b = made(dtype, *shape), made(dtype, *shape[:-1], 2)
    a = (a @ adjoint(a) + np.eye(shape[-1])).astype(dtype)
    factor = linalg.cho_factor(xp.asarray(a), lower=lower)
    assert factor.lower is lower
    assert xp.all(factor.c == linalg.cholesky(xp.asarray(a), upper=not lower))
    x = linalg.cho_solve(factor, xp.asarray(b))
    assert x.dtype == dtype
    small(wide(a) @ wide(x) - wide(b), 3 * norm(wide(a)) * norm(wide(x)), dtype)


# --- special values ------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 100])
@pytest.mark.parametrize("name", ["solve_triangular", "lu_solve", "cho_solve"])
def test_singular_matrices_are_refused(n: int, name: str) -> None:
    a = np.eye(n)
    a[n // 2, n // 2] = 0
    x, b = xp.asarray(a), xp.ones((n, 2))
    with pytest.raises(linalg.LinAlgError, match="solve_triangular: a triangle has a zero on its diagonal"):
        if name == "solve_triangular":
            linalg.solve_triangular(x, b)
        elif name == "lu_solve":
            linalg.lu_solve(linalg.lu_factor(x), b)
        else:
            linalg.cho_solve((x, True), b)


def test_factors_of_singular_matrices() -> None:
    _, lower, upper = linalg.lu(xp.zeros((3, 3)))
    assert lower.to_numpy().tolist() == np.eye(3).tolist() and not upper.to_numpy().any()


@pytest.mark.parametrize("count", [1, 50])
def test_nan_stays_in_its_matrix(count: int) -> None:
    a = np.stack([regular("float64", 4, 4)] * (count + 1))
    a[0, 2, 1] = a[0, 1, 2] = np.nan
    x, b = xp.asarray(a), xp.ones((4, 1))
    for found in (linalg.solve_triangular(x, b), linalg.lu_solve(linalg.lu_factor(x), b)):
        host = found.to_numpy()
        assert np.isnan(host[0]).any() and np.isfinite(host[1:]).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, v: linalg.solve_triangular(x, v, trans=any_value(3)),
        lambda x, v: linalg.solve_triangular(x, v, trans=any_value("n")),
        lambda x, v: linalg.lu_solve(linalg.lu_factor(x), v, trans=any_value(None)),
        lambda x, v: linalg.solve_triangular(x, v[:2]),
        lambda x, v: linalg.solve_triangular(x[:2], v),
        lambda x, v: linalg.lu_solve(linalg.lu_factor(x), v[:2]),
        lambda x, v: linalg.cho_solve((x, True), v[:2]),
        lambda x, v: linalg.cho_factor(x[:2]),
        lambda x, v: linalg.lu(v),
        lambda x, v: linalg.lu_factor(v),
    ],
)
def test_values_that_are_refused(call: Any) -> None:
    with pytest.raises(ValueError, match="allowed: "):
        call(xp.eye(3), xp.ones(3))


def test_booleans_are_refused() -> None:
    x = xp.eye(3) > 0
    for call in (
        lambda: linalg.lu(x),
        lambda: linalg.lu_factor(x),
        lambda: linalg.cho_factor(x),
        lambda: linalg.solve_triangular(x, xp.ones(3)),
        lambda: linalg.cho_solve((xp.eye(3), True), x),
    ):
        with pytest.raises(TypeError, match="got bool"):
            call()


def test_integers_and_mixed_dtypes_promote() -> None:
    a = xp.asarray([[2, 0], [1, 4]])
    assert linalg.lu(a).L.dtype == xp.float64
    found = linalg.solve_triangular(a, xp.asarray([2.0, 9.0], dtype=xp.float32), lower=True)
    assert found.dtype == xp.float64 and found.to_numpy().tolist() == [1, 2]
    pair = linalg.solve_triangular(xp.asarray([[2j]]), xp.asarray([4.0]))
    assert pair.to_numpy().tolist() == [-2j]
