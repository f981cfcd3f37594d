"""The linear algebra extension: what a factorisation promises holds for its results.

Factorisations are judged by their residuals, computed in extended precision and bounded by a small
multiple of size * eps * norm: a number that LAPACK keeps for every matrix. What has one exact
answer (integers, determinants of small integer matrices, views) is compared with it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support import COMPLEX, FLOATING, INTEGERS, NUMERIC, assert_same, launches, lay_out, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.host.host_library import TABLE, Routine

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
linalg = xp.linalg

# (shape, layout) of stacks of square matrices, and of any.
SQUARE = [
    ((1, 1), "contiguous"),
    ((2, 2), "backwards"),
    ((5, 5), "transposed"),
    ((17, 17), "rows"),
    ((3, 4, 4), "spread"),
    ((2, 3, 3, 3), "contiguous"),
    ((2, 0, 3, 3), "contiguous"),
]
ANY = [*SQUARE, ((1, 4), "contiguous"), ((7, 2), "backwards"), ((3, 5, 2), "spread"), ((2, 2, 6), "transposed")]
square = pytest.mark.parametrize(("shape", "layout"), SQUARE, ids=str)
matrices = pytest.mark.parametrize(("shape", "layout"), ANY, ids=str)
floating = pytest.mark.parametrize("dtype", FLOATING)


def wide(x: Any) -> HostArray:
    """A host or device array in extended precision."""
    host = x if isinstance(x, np.ndarray) else to_host(x)
    return host.astype(np.clongdouble if host.dtype.kind == "c" else np.longdouble)


def adjoint(x: HostArray) -> HostArray:
    return np.conj(np.swapaxes(x, -1, -2))


def real_of(dtype: str) -> str:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def complex_of(dtype: str) -> str:
    return "complex128" if dtype in ("float64", "complex128") else "complex64"


def small(x: HostArray, scale: HostArray | float, dtype: str, times: float = 10) -> None:
    """Each matrix is at most ``times`` * size * eps * scale in the Frobenius norm."""
    norm = np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1)))
    bound = times * max(1, *x.shape[-2:]) * float(np.finfo(dtype).eps) * scale
    assert np.all(norm <= bound), f"residual {np.max(norm / bound) * times}, allowed {times}"


def frobenius(x: HostArray) -> HostArray:
    norm: HostArray = np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1)))
    return norm


def hermitian(a: HostArray) -> HostArray:
    return ((a + adjoint(a)) / 2).astype(a.dtype)


def positive(a: HostArray) -> HostArray:
    """Positive definite, and exactly Hermitian."""
    n = a.shape[-1]
    return hermitian((a @ adjoint(a) / 4 + n * np.eye(n)).astype(a.dtype))


def regular(dtype: str, shape: tuple[int, ...]) -> HostArray:
    """Matrices that are far from singular."""
    return (sample(dtype, shape) + 4 * shape[-1] * np.eye(shape[-1])).astype(dtype)


def of_rank(dtype: str, shape: tuple[int, ...], rank: int) -> HostArray:
    """Matrices of small integers whose rank is ``rank``."""
    rng = np.random.default_rng(rank)
    *stack, m, n = shape
    base = np.zeros((*stack, m, n))
    for k in range(rank):
        base[..., k, k] = 1 + k
    left = np.tril(rng.integers(-1, 2, (*stack, m, m)), -1) + np.eye(m)
    right = np.triu(rng.integers(-1, 2, (*stack, n, n)), 1) + np.eye(n)
    if dtype in COMPLEX:
        left, right = left * (1j ** np.arange(m)), right * (1j ** np.arange(n))
    return (left @ base @ right).astype(dtype)


# --- factorisations ------------------------------------------------------------------------------


@floating
@square
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(shape: tuple[int, ...], layout: str, dtype: str, upper: bool) -> None:
    a = positive(sample(dtype, shape))
    factor = linalg.cholesky(lay_out(a, layout), upper=upper)
    host = wide(factor)
    assert (factor.dtype, factor.shape) == (np.dtype(dtype), shape)
    assert not (np.tril(host, -1) if upper else np.triu(host, 1)).any()
    product = adjoint(host) @ host if upper else host @ adjoint(host)
    small(product - wide(a), frobenius(wide(a)), dtype)


@floating
@pytest.mark.parametrize("n", range(6))
def test_determinants_are_those_of_exact_arithmetic(n: int, dtype: str) -> None:
    a = np.random.default_rng(n).integers(-4, 5, (3, n, n))
    exact = np.array([float(determinant(matrix.tolist())) for matrix in a])
    got = linalg.det(xp.asarray(a.astype(dtype)))
    assert (got.dtype, got.shape) == (np.dtype(dtype), (3,))
    hadamard = np.prod(np.sqrt(np.sum(a.astype(float) ** 2, axis=-1)), axis=-1)
    assert np.all(np.abs(to_host(got) - exact) <= 10 * (n + 1) * np.finfo(dtype).eps * hadamard)


def determinant(rows: list[list[int]]) -> Fraction:
    """By Leibniz' formula."""
    n, total = len(rows), Fraction(0)
    for order in itertools.permutations(range(n)):
        inversions = sum(a > b for a, b in itertools.combinations(order, 2))
        total += (-1) ** inversions * math.prod(rows[i][order[i]] for i in range(n))
    return total


@floating
@square
def test_slogdet_is_the_logarithm_of_the_determinant(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    a = regular(dtype, shape)
    sign, logarithm = linalg.slogdet(lay_out(a, layout))
    assert (sign.dtype, sign.shape) == (np.dtype(dtype), shape[:-2])
    assert (logarithm.dtype, logarithm.shape) == (np.dtype(real_of(dtype)), shape[:-2])
    exact_sign, exact = np.linalg.slogdet(a.astype(complex_of("float64")))
    eps = np.finfo(dtype).eps
    assert np.all(np.abs(to_host(logarithm) - exact) <= 10 * eps * shape[-1] * (1 + exact))
    assert np.all(np.abs(to_host(sign) - exact_sign) <= 10 * eps * shape[-1])


@floating
def test_slogdet_of_singular_matrices(dtype: str) -> None:
    """Standard: sign 0 and -infinity."""
    sign, logarithm = linalg.slogdet(xp.zeros((2, 3, 3), dtype=getattr(xp, dtype)))
    assert not to_host(sign).any()
    assert np.all(to_host(logarithm) == -np.inf)


@floating
@square
def test_inv(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    a = regular(dtype, shape)
    inverse = linalg.inv(lay_out(a, layout))
    assert (inverse.dtype, inverse.shape) == (np.dtype(dtype), shape)
    scale = frobenius(wide(a)) * frobenius(wide(inverse))
    small(wide(a) @ wide(inverse) - np.eye(shape[-1]), scale, dtype)


@floating
@square
@pytest.mark.parametrize("columns", [1, 3])
def test_solve(shape: tuple[int, ...], layout: str, dtype: str, columns: int) -> None:
    a, b = regular(dtype, shape), sample(dtype, (*shape[:-1], columns), seed=1)
    x = linalg.solve(lay_out(a, layout), lay_out(b, layout))
    assert (x.dtype, x.shape) == (np.dtype(dtype), b.shape)
    small(wide(a) @ wide(x) - wide(b), frobenius(wide(a)) * frobenius(wide(x)), dtype)


@pytest.mark.parametrize(
    ("first", "second", "result"),
    [
        ((3, 3), (3,), (3,)),
        ((2, 3, 3), (3,), (2, 3)),
        ((2, 3, 3), (3, 4), (2, 3, 4)),
        ((3, 3), (2, 3, 4), (2, 3, 4)),
        ((2, 1, 3, 3), (5, 3, 1), (2, 5, 3, 1)),
        ((3, 3), (3, 3), (3, 3)),
    ],
)
def test_solve_broadcasts_stacks(first: tuple[int, ...], second: tuple[int, ...], result: tuple[int, ...]) -> None:
    """A second operand of one axis, and only that, is a vector."""
    a, b = regular("float64", first), sample("float64", second)
    x = to_host(linalg.solve(xp.asarray(a), xp.asarray(b)))
    assert x.shape == result
    if len(second) == 1:
        x, b = x[..., None], b[..., None]
    np.testing.assert_allclose(a @ x, np.broadcast_to(b, x.shape))


def test_solve_promotes() -> None:
    a, b = xp.asarray(np.eye(2, dtype="float32")), xp.asarray(np.ones(2, "complex64"))
    assert linalg.solve(a, b).dtype == xp.complex64


@floating
@matrices
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(shape: tuple[int, ...], layout: str, dtype: str, mode: Any) -> None:
    a = sample(dtype, shape)
    q, r = linalg.qr(lay_out(a, layout), mode=mode)
    *stack, m, n = shape
    k = min(m, n) if mode == "reduced" else m
    assert (q.shape, r.shape) == ((*stack, m, k), (*stack, k, n))
    assert q.dtype == r.dtype == np.dtype(dtype)
    small(wide(q) @ wide(r) - wide(a), frobenius(wide(a)), dtype)
    small(adjoint(wide(q)) @ wide(q) - np.eye(k), 1, dtype)
    assert not np.tril(to_host(r), -1).any()
    assert not np.diagonal(to_host(r), axis1=-2, axis2=-1).imag.any()


@floating
@matrices
@pytest.mark.parametrize("full", [False, True])
def test_svd(shape: tuple[int, ...], layout: str, dtype: str, full: bool) -> None:
    a = sample(dtype, shape)
    u, s, vh = linalg.svd(lay_out(a, layout), full_matrices=full)
    *stack, m, n = shape
    k = min(m, n)
    left, right = (m, n) if full else (k, k)
    assert (u.shape, s.shape, vh.shape) == ((*stack, m, left), (*stack, k), (*stack, right, n))
    assert u.dtype == vh.dtype == np.dtype(dtype)
    assert s.dtype == np.dtype(real_of(dtype))
    product = (wide(u)[..., :k] * wide(s)[..., None, :]) @ wide(vh)[..., :k, :]
    small(product - wide(a), frobenius(wide(a)), dtype)
    small(adjoint(wide(u)) @ wide(u) - np.eye(left), 1, dtype)
    small(wide(vh) @ adjoint(wide(vh)) - np.eye(right), 1, dtype)
    assert np.all(np.diff(to_host(s), axis=-1) <= 0)
    assert np.all(to_host(s) >= 0)


# Tall matrices, by what their columns are times: from alike to so unlike that they depend on each other.
TALL = {
    "alike": np.ones(9),
    "unlike": np.logspace(0, 2, 9),
    "almost dependent": np.logspace(0, 12, 9),
    "dependent": np.array([1.0, 0, 1, 1, 0, 1, 1, 1, 1]),
    "zero": np.zeros(9),
    "tiny": np.full(9, 1e-30),
    "huge": np.full(9, 1e25),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("kind", TALL)
@pytest.mark.parametrize("wide_one", [False, True])
def test_svd_of_tall_matrices(wide_one: bool, kind: str, dtype: str) -> None:
    rng = np.random.default_rng(7)
    columns = rng.standard_normal((2000, 9)) + (1j * rng.standard_normal((2000, 9)) if dtype[0] == "c" else 0)
    a = (columns * TALL[kind] @ np.linalg.qr(rng.standard_normal((9, 9)))[0]).astype(dtype)
    if wide_one:
        a = a.T
    u, s, vh = linalg.svd(xp.asarray(a), full_matrices=False)
    small((wide(u) * wide(s)) @ wide(vh) - wide(a), frobenius(wide(a)), dtype, 0.05)
    small(adjoint(wide(u)) @ wide(u) - np.eye(9), 1, dtype)
    small(wide(vh) @ adjoint(wide(vh)) - np.eye(9), 1, dtype)
    exact = np.linalg.svd(a.astype("complex128"), compute_uv=False)
    for found in (s, linalg.svdvals(xp.asarray(a))):
        assert np.all(np.abs(to_host(found) - exact) <= 100 * np.finfo(dtype).eps * exact[0])


@floating
@matrices
def test_svdvals(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    a = sample(dtype, shape)
    got = linalg.svdvals(lay_out(a, layout))
    exact = np.linalg.svd(a.astype("complex128"), compute_uv=False)
    assert (got.dtype, got.shape) == (np.dtype(real_of(dtype)), exact.shape)
    largest = exact[..., :1]
    bound = 10 * max(shape[-2:]) * np.finfo(dtype).eps * largest
    assert np.all(np.abs(to_host(got) - exact) <= bound)


@floating
@square
def test_eigh(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    a = hermitian(sample(dtype, shape))
    values, vectors = linalg.eigh(lay_out(a, layout))
    assert (values.dtype, values.shape) == (np.dtype(real_of(dtype)), shape[:-1])
    assert (vectors.dtype, vectors.shape) == (np.dtype(dtype), shape)
    assert np.all(np.diff(to_host(values), axis=-1) >= 0)
    v = wide(vectors)
    small(wide(a) @ v - v * wide(values)[..., None, :], frobenius(wide(a)), dtype)
    small(adjoint(v) @ v - np.eye(shape[-1]), 1, dtype)


@floating
@square
def test_eigvalsh(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    a = hermitian(sample(dtype, shape))
    got = linalg.eigvalsh(lay_out(a, layout))
    exact = np.linalg.eigvalsh(a.astype("complex128"))
    assert (got.dtype, got.shape) == (np.dtype(real_of(dtype)), shape[:-1])
    bound = 10 * shape[-1] * np.finfo(dtype).eps * frobenius(a.astype("complex128"))[..., None]
    assert np.all(np.abs(to_host(got) - exact) <= bound)


@floating
@square
def test_eig(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    a = sample(dtype, shape)
    values, vectors = linalg.eig(lay_out(a, layout))
    assert (values.dtype, values.shape) == (np.dtype(complex_of(dtype)), shape[:-1])
    assert (vectors.dtype, vectors.shape) == (np.dtype(complex_of(dtype)), shape)
    v = wide(vectors)
    small(wide(a) @ v - v * wide(values)[..., None, :], frobenius(wide(a)), complex_of(dtype))
    lengths = np.sqrt(np.sum(np.abs(v) ** 2, axis=-2))
    assert np.all(np.abs(lengths - 1) <= 1e-3)


@floating
@square
def test_eigvals(shape: tuple[int, ...], layout: str, dtype: str) -> None:
    """Of normal matrices, whose eigenvalues do not depend on the last bits of the elements."""
    a = hermitian(sample(dtype, shape))
    got = linalg.eigvals(lay_out(a, layout))
    assert (got.dtype, got.shape) == (np.dtype(complex_of(dtype)), shape[:-1])
    exact = np.linalg.eigvalsh(a.astype("complex128"))
    host = to_host(got).astype("complex128")
    ascending = np.sort(host.real, axis=-1)
    eps = np.finfo(complex_of(dtype)).eps
    bound = 20 * shape[-1] * eps * frobenius(a.astype("complex128"))[..., None]
    assert np.all(np.abs(ascending - exact) <= bound)
    assert np.all(np.abs(host.imag) <= bound)


def test_eigenvalues_of_a_rotation_are_complex() -> None:
    turn = xp.asarray([[0.0, -1.0], [1.0, 0.0]])
    assert sorted(to_host(linalg.eigvals(turn)).tolist(), key=lambda z: z.imag) == [-1j, 1j]


# --- expressions ---------------------------------------------------------------------------------


@floating
@pytest.mark.parametrize("shape", [(4, 4), (2, 5), (6, 3), (2, 3, 4)], ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("lost", [0, 1])
def test_pinv(shape: tuple[int, ...], dtype: str, lost: int) -> None:
    """Penrose's four conditions, for full rank and less."""
    a = of_rank(dtype, shape, min(shape[-2:]) - lost)
    got = linalg.pinv(xp.asarray(a))
    assert (got.dtype, got.shape) == (np.dtype(dtype), (*shape[:-2], shape[-1], shape[-2]))
    x, y = wide(a), wide(got)
    condition = frobenius(x) * frobenius(y)
    small(x @ y @ x - x, condition * frobenius(x), dtype)
    small(y @ x @ y - y, condition * frobenius(y), dtype)
    small(x @ y - adjoint(x @ y), condition, dtype)
    small(y @ x - adjoint(y @ x), condition, dtype)


def test_pinv_drops_what_is_below_rtol() -> None:
    a = np.diag([4.0, 2.0, 0.5])
    stack = xp.asarray(np.stack([a, a]))
    got = to_host(linalg.pinv(stack, rtol=xp.asarray([0.2, 0.6])))
    exact = [np.diag([0.25, 0.5, 0.0]), np.diag([0.25, 0.0, 0.0])]
    np.testing.assert_allclose(got, exact, atol=1e-15)
    np.testing.assert_allclose(to_host(linalg.pinv(xp.asarray(a), rtol=0.6)), exact[1], atol=1e-15)


@floating
@pytest.mark.parametrize("rank", range(4))
def test_matrix_rank(rank: int, dtype: str) -> None:
    got = linalg.matrix_rank(xp.asarray(of_rank(dtype, (2, 3, 5), rank)))
    assert_same(to_host(got), np.array([rank, rank], "int64"))


@pytest.mark.parametrize("shape", [(2, 100), (100, 2)])
@floating
def test_the_default_rtol_is_the_larger_extent_times_eps(shape: tuple[int, int], dtype: str) -> None:
    eps = float(np.finfo(dtype).eps)
    for factor, rank in ((50, 1), (200, 2)):
        a = np.zeros(shape, dtype)
        a[0, 0], a[1, 1] = 1, factor * eps
        assert int(linalg.matrix_rank(xp.asarray(a))) == rank
        kept = abs(complex(linalg.pinv(xp.asarray(a))[1, 1])) * eps * factor
        assert kept == pytest.approx(rank - 1, abs=1e-3)


def test_matrix_rank_counts_what_is_above_rtol() -> None:
    stack = xp.asarray(np.stack([np.diag([4.0, 2.0, 0.5])] * 2))
    assert to_host(linalg.matrix_rank(stack, rtol=xp.asarray([0.2, 0.6]))).tolist() == [2, 1]
    assert to_host(linalg.matrix_rank(stack, rtol=0.05)).tolist() == [3, 3]


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize(
    ("first", "second", "axis"),
    [((3,), (3,), -1), ((2, 3), (3,), -1), ((4, 3, 2), (3, 1), -2), ((3, 2, 1), (3, 1, 5), -3)],
)
def test_cross(first: tuple[int, ...], second: tuple[int, ...], axis: int, dtype: str) -> None:
    a, b = sample(dtype, first), sample(dtype, second, seed=1)
    got = to_host(linalg.cross(xp.asarray(a), xp.asarray(b), axis=axis))
    x, y = (np.moveaxis(v, axis, 0) for v in np.broadcast_arrays(a, b))
    with np.errstate(over="ignore"):
        parts = [x[i] * y[j] - x[j] * y[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    exact = np.stack(parts, axis)
    if dtype[0] == "c":  # NumPy's complex products contract, so differences may cancel differently
        np.testing.assert_allclose(got, exact, atol=100 * float(np.finfo(dtype).eps))
    else:
        assert_same(got, exact)


@pytest.mark.parametrize("offset", [-4, -1, 0, 2, 6])
@matrices
def test_diagonal_is_a_view(shape: tuple[int, ...], layout: str, offset: int) -> None:
    a = sample("float32", shape)
    x = lay_out(a, layout)
    got = linalg.diagonal(x, offset=offset)
    assert_same(to_host(got), np.diagonal(a, offset, -2, -1))
    x *= 2
    assert_same(to_host(got), np.diagonal(a * 2, offset, -2, -1))


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_trace(offset: int, dtype: str) -> None:
    a = sample(dtype, (2, 4, 3))
    got = linalg.trace(xp.asarray(a), offset=offset)
    assert got.dtype == {"i": "int64", "u": "uint64"}.get(np.dtype(dtype).kind, dtype)
    terms = np.diagonal(a, offset, -2, -1)
    exact = np.sum(wide(terms) if dtype in FLOATING else terms.astype(got.dtype), axis=-1)
    assert_same(to_host(got), exact.astype(got.dtype), ulps=4 if dtype in FLOATING else 0)


def test_trace_adds_up_in_the_dtype_asked_for() -> None:
    x = xp.asarray(np.full((2, 2), 100, "int8"))
    assert int(linalg.trace(x, dtype=xp.int32)) == 200
    assert linalg.trace(x, dtype=xp.float32).dtype == xp.float32


@pytest.mark.parametrize("dtype", NUMERIC)
def test_outer(dtype: str) -> None:
    a, b = sample(dtype, 5), sample(dtype, 3, seed=1)
    got = to_host(linalg.outer(lay_out(a, "backwards"), lay_out(b, "spread")))
    with np.errstate(over="ignore"):
        assert_same(got, np.outer(a, b), ulps=0 if dtype[0] != "c" else 4)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_powers_of_integers_are_exact(n: int, dtype: str) -> None:
    a = sample(dtype, (2, 3, 3))
    got = linalg.matrix_power(xp.asarray(a), n)
    exact = np.broadcast_to(np.eye(3, dtype=dtype), a.shape)
    with np.errstate(over="ignore"):
        for _ in range(n):
            exact = np.einsum("...ij,...jk->...ik", exact, a).astype(dtype)
    assert_same(to_host(got), exact)


@floating
@pytest.mark.parametrize("n", [-3, -1, 0, 1, 4, 7])
def test_matrix_power(n: int, dtype: str) -> None:
    a = (sample(dtype, (2, 4, 4)) / 4 + np.eye(4)).astype(dtype)
    got = linalg.matrix_power(xp.asarray(a), n)
    assert (got.dtype, got.shape) == (np.dtype(dtype), a.shape)
    exact = np.linalg.matrix_power(a.astype("complex128"), n)
    condition = frobenius(a) * frobenius(np.linalg.inv(a.astype("complex128")))
    size = frobenius(exact) * condition + frobenius(a) ** max(n, 0)
    small(to_host(got) - exact, size, dtype, 20)


@floating
@pytest.mark.parametrize(("shape", "layout"), [((17, 17), "rows"), ((7, 2), "backwards"), ((3, 5, 4), "spread")])
@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
def test_matrix_norm(shape: tuple[int, ...], layout: str, order: Any, dtype: str) -> None:
    a = sample(dtype, shape)
    got = linalg.matrix_norm(lay_out(a, layout), ord=order)
    exact = np.linalg.matrix_norm(a.astype("complex128"), ord=order)
    assert (got.dtype, got.shape) == (np.dtype(real_of(dtype)), shape[:-2])
    eps = np.finfo(dtype).eps
    bound = 10 * max(shape[-2:]) * eps * frobenius(a.astype("complex128"))
    assert np.all(np.abs(to_host(got) - exact) <= bound)


@pytest.mark.parametrize("order", ["fro", "nuc", 1, 2, math.inf])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 0)])
def test_matrix_norms_of_nothing_are_zero(shape: tuple[int, ...], order: Any) -> None:
    got = linalg.matrix_norm(xp.zeros(shape), ord=order)
    assert got.shape == shape[:-2]
    assert not to_host(got).any()


NORMS = [0, 1, 2, 3, 0.5, -1, -2, -2.5, math.inf, -math.inf]


@floating
@pytest.mark.parametrize(
    ("order", "axis", "keepdims"),
    [
        *[(order, None, False) for order in NORMS],
        *[(2, axis, keep) for axis in (None, 1, -1, (0, 2), ()) for keep in (False, True)],
    ],
)
def test_vector_norm(order: float, axis: Any, keepdims: bool, dtype: str) -> None:
    a = sample(dtype, (3, 4, 5))
    a[0, 0, 0] = 0
    got = linalg.vector_norm(xp.asarray(a), axis=axis, keepdims=keepdims, ord=order)
    with np.errstate(divide="ignore"):
        exact = np.linalg.vector_norm(a.astype("complex128"), axis=axis, keepdims=keepdims, ord=order)
    assert (got.dtype, got.shape) == (np.dtype(real_of(dtype)), exact.shape)
    ulps = 4 * (1 + abs(1 / order)) if order else 0
    assert_same(to_host(got), exact, ulps=ulps, check_dtype=False)


@pytest.mark.parametrize("order", [0, 1, 2, 3, math.inf])
def test_vector_norms_of_nothing_are_zero(order: float) -> None:
    assert float(linalg.vector_norm(xp.zeros((0, 2)), ord=order)) == 0


@pytest.mark.parametrize("name", ["matmul", "matrix_transpose", "tensordot", "vecdot"])
def test_functions_of_the_main_namespace_are_the_same(name: str) -> None:
    assert getattr(linalg, name) is getattr(xp, name)


# --- what holds for all --------------------------------------------------------------------------


def test_result_tuples_have_the_names_of_the_standard() -> None:
    x = xp.asarray(np.eye(2))
    for result, names in (
        (linalg.eig(x), ("eigenvalues", "eigenvectors")),
        (linalg.eigh(x), ("eigenvalues", "eigenvectors")),
        (linalg.qr(x), ("Q", "R")),
        (linalg.slogdet(x), ("sign", "logabsdet")),
        (linalg.svd(x), ("U", "S", "Vh")),
    ):
        assert result._fields == names
        assert all(getattr(result, name) is item for name, item in zip(names, result, strict=True))


FACTORISATIONS: dict[str, Callable[[Any], Any]] = {
    "cholesky": lambda x: linalg.cholesky(x),
    "det": lambda x: linalg.det(x),
    "eig": lambda x: linalg.eig(x).eigenvalues,
    "eigh": lambda x: linalg.eigh(x).eigenvectors,
    "eigvals": lambda x: linalg.eigvals(x),
    "eigvalsh": lambda x: linalg.eigvalsh(x),
    "inv": lambda x: linalg.inv(x),
    "pinv": lambda x: linalg.pinv(x),
    "qr": lambda x: linalg.qr(x).R,
    "slogdet": lambda x: linalg.slogdet(x).logabsdet,
    "solve": lambda x: linalg.solve(x, x[..., :1]),
    "svd": lambda x: linalg.svd(x).U,
    "svdvals": lambda x: linalg.svdvals(x),
}
each = pytest.mark.parametrize("name", FACTORISATIONS)


@each
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
def test_zero_sizes(shape: tuple[int, ...], name: str) -> None:
    x = xp.zeros(shape, dtype=xp.float32)
    if name == "solve" and shape[-1] == 0:
        got = linalg.solve(x, x)
    else:
        got = FACTORISATIONS[name](x)
    assert got.dtype in (np.dtype("float32"), np.dtype("complex64"))
    if name in ("det", "slogdet"):
        assert got.shape == shape[:-2]
        assert np.all(to_host(got) == (name == "det"))
    else:
        assert got.shape[:-2] == shape[: len(got.shape[:-2])]
        assert got.size == 0


@each
def test_views_of_nothing(name: str) -> None:
    """Their strides lead outside the memory, where nothing is to be read."""
    x = xp.ones((2, 0, 3, 3))[1, :, :2, 1:]
    assert FACTORISATIONS[name](x).shape[0] == 0


@each
def test_half_is_single_rounded_once(name: str) -> None:
    a = positive(sample("float16", (2, 4, 4)))
    half = FACTORISATIONS[name](xp.asarray(a))
    single = to_host(FACTORISATIONS[name](xp.asarray(a.astype("float32"))))
    if name == "pinv":  # the default rtol is another one
        np.testing.assert_allclose(to_host(half), single, rtol=1e-3)
    else:
        assert half.dtype == (np.dtype("float16") if single.dtype.kind == "f" else single.dtype)
        assert_same(to_host(half), single.astype(half.dtype))


@each
def test_integers_are_computed_in_the_default_dtype(name: str) -> None:
    a = np.array([[4, 1], [1, 3]], "int16")
    got = FACTORISATIONS[name](xp.asarray(a))
    assert_same(to_host(got), to_host(FACTORISATIONS[name](xp.asarray(a.astype("float64")))))


@each
def test_pending_operands_are_computed(name: str) -> None:
    a = positive(sample("float32", (3, 3)))
    x = xp.asarray(a)
    once = to_host(FACTORISATIONS[name](xp.asarray(a + a)))
    assert_same(to_host(FACTORISATIONS[name](x + x)), once)


EYE = np.eye(3)
unknown: Any = "fro"
REFUSED: dict[str, tuple[Callable[..., Any], Any, type[Exception]]] = {
    "cholesky of an indefinite matrix": (linalg.cholesky, -EYE, linalg.LinAlgError),
    "inv of a singular matrix": (linalg.inv, np.zeros((2, 3, 3)), linalg.LinAlgError),
    "solve with a singular matrix": (
        lambda x: linalg.solve(x, x), np.zeros((3, 3)), linalg.LinAlgError
    ),
    "negative power of a singular matrix": (
        lambda x: linalg.matrix_power(x, -2), np.zeros((3, 3)), linalg.LinAlgError
    ),
    "eig of NaN": (linalg.eig, EYE * np.nan, linalg.LinAlgError),
    "svd of NaN": (linalg.svd, EYE * np.nan, linalg.LinAlgError),
    "inv of a vector": (linalg.inv, EYE[0], ValueError),
    "inv of a wide matrix": (linalg.inv, EYE[:2], ValueError),
    "det of bool": (linalg.det, EYE.astype(bool), TypeError),
    "svd of a vector": (linalg.svd, EYE[0], ValueError),
    "unknown mode of qr": (lambda x: linalg.qr(x, mode=unknown), EYE, ValueError),
    "unknown matrix norm": (lambda x: linalg.matrix_norm(x, ord=3), EYE, ValueError),
    "matrix norm of a vector": (linalg.matrix_norm, EYE[0], ValueError),
    "smallest of nothing": (lambda x: linalg.matrix_norm(x, ord=-2), EYE[:0], ValueError),
    "unknown vector norm": (lambda x: linalg.vector_norm(x, ord=unknown), EYE, TypeError),
    "vector norm off the axes": (lambda x: linalg.vector_norm(x, axis=2), EYE, ValueError),
    "diagonal of a vector": (linalg.diagonal, EYE[0], ValueError),
    "cross of 2": (lambda x: linalg.cross(x, x), EYE[:, :2], ValueError),
    "cross along a positive axis": (lambda x: linalg.cross(x, x, axis=1), EYE, ValueError),
    "cross of bool": (lambda x: linalg.cross(x, x), EYE.astype(bool), TypeError),
    "outer of matrices": (lambda x: linalg.outer(x, x), EYE, ValueError),
    "solve with other rows": (lambda x: linalg.solve(x, x[:2]), EYE, ValueError),
    "solve with a number": (lambda x: linalg.solve(x, x[0, 0]), EYE, ValueError),
    "solve with other stacks": (
        lambda x: linalg.solve(xp.stack([x] * 2), xp.stack([x] * 3)), EYE, ValueError
    ),
    "fractional power": (lambda x: linalg.matrix_power(x, unknown), EYE, TypeError),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """Every refusal names the function and says what came."""
    function, a, error = REFUSED[case]
    with pytest.raises(error, match=r"\w+") as raised:
        function(xp.asarray(a))
    assert raised.type is error or issubclass(raised.type, error)


@each
def test_numpy_arrays_are_refused(name: str) -> None:
    """They are on no device; asarray says which."""
    with pytest.raises(TypeError, match="asarray"):
        FACTORISATIONS[name](np.eye(2))


def verbs(device: RecordingDevice) -> set[str]:
    return {verb for verb, _ in device.calls}


def test_nothing_is_copied_where_memory_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[HostArray] = []

    def routine(a: HostArray) -> HostArray:
        seen[:] = a, a + 1
        return seen[1]

    monkeypatch.setitem(TABLE, "inv", Routine(routine, "none"))
    shared = RecordingDevice()
    x = xp.asarray(regular("float64", (100, 100)), device=shared)
    shared.calls.clear()
    inverse = linalg.inv(x)
    assert not verbs(shared) & {"upload", "download", "copy"}
    assert np.shares_memory(seen[0], np.from_dlpack(x))
    assert np.shares_memory(seen[1], np.from_dlpack(inverse))


def test_other_devices_get_copies() -> None:
    apart = RecordingDevice(host_shared=False)
    a = regular("float64", (40, 40))
    inverse = linalg.inv(xp.asarray(a, device=apart))
    assert_same(to_host(inverse), np.linalg.inv(a))
    assert inverse.device is apart


def test_results_are_as_lazy_as_other_arrays(device: Device) -> None:
    """Large ones are NumPy's memory, but nobody else knows of it."""
    x = linalg.inv(xp.asarray(regular("float64", (40, 40)), device=device))
    with no_launch():
        x += 1


def test_results_can_be_changed_in_place(device: Device) -> None:
    """Large results are NumPy's memory, adopted; they behave like any other array."""
    x = linalg.inv(xp.asarray(regular("float64", (40, 40)), device=device))
    y = x[0]
    before = to_host(x)
    x += 1
    assert_same(to_host(y), before[0] + 1)


@pytest.mark.parametrize(
    ("order", "axis"),
    [
        *[(order, None) for order in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)],
        *[(order, axis) for order in (None, 0, 1, 3, math.inf) for axis in (0, -1)],
        *[(order, (1, 0)) for order in (None, "fro", 1, -2)],
    ],
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norm_is_numpys(order: Any, axis: Any, keepdims: bool) -> None:
    a = sample("float64", (5, 4))
    got = linalg.norm(xp.asarray(a), order, axis, keepdims)
    expected = np.linalg.norm(a, order, axis, keepdims)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(to_host(got), expected, rtol=1e-12)


def test_norms_of_stacks() -> None:
    a = sample("float32", (3, 5, 4))
    np.testing.assert_allclose(to_host(linalg.norm(xp.asarray(a))), np.linalg.norm(a), rtol=1e-5)
    np.testing.assert_allclose(
        to_host(linalg.norm(xp.asarray(a), 1, (2, 0), True)), np.linalg.norm(a, 1, (2, 0), True), rtol=1e-5
    )
    for order, axis in ((1, None), ("fro", 0), (2, (0, 1, 2))):
        with pytest.raises(ValueError, match="norm: "):
            linalg.norm(xp.asarray(a), order, axis)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
@pytest.mark.parametrize(("rows", "columns", "right"), [(6, 3, 2), (6, 3, None), (3, 5, 2), (4, 4, 1)])
def test_lstsq_is_numpys(dtype: str, rows: int, columns: int, right: int | None) -> None:
    a = sample(dtype, (rows, columns))
    b = sample(dtype, (rows,) if right is None else (rows, right), 1)
    got = linalg.lstsq(xp.asarray(a), xp.asarray(b))
    expected: Any = np.linalg.lstsq(a, b)
    tolerance = 1e-3 if dtype == "float32" else 1e-9
    for one, other in zip(got, expected, strict=True):
        assert one.shape == np.shape(other)
        scale = np.abs(other).max() if np.size(other) else 0.0
        np.testing.assert_allclose(to_host(one), np.asarray(other), rtol=tolerance, atol=tolerance * scale)


def test_lstsq_of_a_matrix_without_full_rank() -> None:
    a = np.outer([1.0, 2.0, 3.0], [1.0, 1.0])
    got = linalg.lstsq(xp.asarray(a), xp.asarray([1.0, 2.0, 3.5]))
    expected = np.linalg.lstsq(a, np.array([1.0, 2.0, 3.5]))
    np.testing.assert_allclose(to_host(got[0]), expected[0], rtol=1e-12)
    assert got[1].shape == (0,)
    assert int(got[2]) == 1
    with pytest.raises(ValueError, match="lstsq: shapes"):
        linalg.lstsq(xp.asarray(a), xp.ones(2))


# --- functions of matrices, condition numbers, products of several, tensors ----------------------------


def exponential(a: HostArray) -> HostArray:
    """The series of a small matrix, squared, in extended precision; of one matrix."""
    x = wide(a)
    halvings = max(0, int(np.ceil(np.log2(max(1.0, float(np.sum(abs(x), axis=-2).max()))))) + 6)
    x = x / np.longdouble(2.0**halvings)
    term = result = np.eye(len(x), dtype=x.dtype)
    for k in range(1, 30):
        term = term @ x / k
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return np.asarray(result)


@floating
@pytest.mark.parametrize("scale", [1e-8, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (7, 7), (3, 4, 4), (35, 3, 3)])
def test_expm(shape: tuple[int, ...], scale: float, dtype: str) -> None:
    """The error is that of a small change of the matrix."""
    a = (sample(dtype, shape) * scale / 4).astype(dtype)
    got = linalg.expm(xp.asarray(a))
    assert got.dtype == dtype and got.shape == shape
    for one, host in zip(a.reshape(-1, *shape[-2:]), to_host(got).reshape(-1, *shape[-2:]), strict=True):
        exact = exponential(one)
        size = float(frobenius(wide(one)))
        small(wide(host) - exact, (1 + size) * float(frobenius(exact)), dtype, 4)


def test_expm_of_known_matrices() -> None:
    angle = 0.75
    turn = linalg.expm(xp.asarray([[0.0, -angle], [angle, 0.0]]))
    exact = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    np.testing.assert_allclose(turn.to_numpy(), exact, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(linalg.expm(xp.zeros((2, 3, 3))).to_numpy(), np.stack([np.eye(3)] * 2))
    diagonal = linalg.expm(xp.asarray(np.diag([1.0, -2.0, 30.0])))
    np.testing.assert_allclose(diagonal.to_numpy(), np.diag(np.exp([1.0, -2.0, 30.0])), rtol=1e-13, atol=0)
    assert linalg.expm(xp.ones((0, 2, 2))).shape == (0, 2, 2) and linalg.expm(xp.ones((2, 0, 0))).shape == (2, 0, 0)
    assert linalg.expm(xp.asarray([[1, 0], [0, 1]])).dtype == xp.float64


def test_expm_of_a_matrix_does_not_depend_on_its_neighbours() -> None:
    """Neither on one that takes more squarings, nor on NaN."""
    a = np.random.default_rng(4).standard_normal((40, 3, 3))
    exact = linalg.expm(xp.asarray(a)).to_numpy()
    a[1] *= 50
    a[2, 0, 0], a[3, 1, 1] = np.nan, np.inf
    got = linalg.expm(xp.asarray(a)).to_numpy()
    others = [k for k in range(40) if k not in (1, 2, 3)]
    np.testing.assert_array_equal(got[others], exact[others])
    assert np.isnan(got[2]).any() and np.isfinite(got[1]).all() and not np.isfinite(got[3]).all()


@floating
@pytest.mark.parametrize("order", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (3, 5, 5)])
def test_cond(shape: tuple[int, ...], order: Any, dtype: str) -> None:
    a = (sample(dtype, shape) / 4 + 2 * np.eye(shape[-1])).astype(dtype)
    got = linalg.cond(xp.asarray(a), order)
    computes = "complex128" if np.dtype(dtype).kind == "c" else "float64"
    exact = np.linalg.cond(a.astype(computes), order)
    assert got.dtype == real_of(dtype) and got.shape == shape[:-2]
    np.testing.assert_allclose(to_host(got), exact, rtol=200 * float(np.finfo(dtype).eps) * np.max(exact))


def test_cond_of_special_matrices() -> None:
    """Tall ones, singular ones, and NaN where NumPy gives NaN."""
    tall = np.diag([3.0, 2.0, 1.0])[:, :2]
    assert abs(float(linalg.cond(xp.asarray(tall))) - 1.5) < 1e-14
    assert float(linalg.cond(xp.zeros((2, 2)))) == np.inf and float(linalg.cond(xp.zeros((2, 2)), -2)) == np.inf
    for shape, order in (((0, 0), None), ((2, 3), 1), ((3,), None), ((2, 2), 7)):
        with pytest.raises(ValueError, match="allowed"):
            linalg.cond(xp.ones(shape), order)


@floating
@pytest.mark.parametrize("order", [None, 2, -2, 1, -1, np.inf, -np.inf, "fro", "nuc"])
def test_cond_of_singular_matrices(order: Any, dtype: str) -> None:
    """Infinity for these, also in a stack with others, with NaN for NaN; NumPy refuses those with "nuc"."""
    a = np.stack([np.eye(3), np.zeros((3, 3)), np.diag([2.0, 0, 1]), np.diag([4.0, 2, 1])]).astype(dtype)
    got = to_host(linalg.cond(xp.asarray(a), order))
    np.testing.assert_array_equal(np.isinf(got), [False, True, order != -2, False])  # of singular values 2, 1, 0
    np.testing.assert_allclose(got[[0, 3]], np.linalg.cond(a[[0, 3]].astype("complex128"), order), rtol=2e-3)
    assert np.isinf(to_host(linalg.cond(xp.asarray(a[1]), order)))
    nothing = linalg.cond(xp.asarray(a[:0]), order)
    assert nothing.shape == (0,) and nothing.dtype == real_of(dtype)
    if order not in (None, 2, -2, "nuc"):
        a[0, 0, 0] = np.nan
        found = to_host(linalg.cond(xp.asarray(a), order))
        assert np.isnan(found[0]) and np.isinf(found[1]) and np.isfinite(found[3])


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4, 2)), ((4,), (4, 2), (2, 3)), ((3, 4), (4, 2), (2,)), ((4,), (4, 2), (2,))]
)
@pytest.mark.parametrize("dtype", ["int32", "float16", "float32", "complex128"])
def test_multi_dot(shapes: tuple[tuple[int, ...], ...], dtype: str) -> None:
    hosts = [sample("int8" if dtype == "int32" else dtype, shape).astype(dtype) for shape in shapes]
    got = linalg.multi_dot([xp.asarray(host) for host in hosts])
    exact = np.linalg.multi_dot([wide(host) if dtype != "int32" else host for host in hosts])
    assert got.dtype == dtype
    np.testing.assert_allclose(wide(got), exact, rtol=20 * (1e-3 if dtype == "float16" else 1e-6), atol=0.1)


def test_multi_dot_takes_the_cheapest_order() -> None:
    """Of 1000 x 2, 2 x 1000 and 1000 x 1: the vector first."""
    wide_ones = [xp.ones((300, 2)), xp.ones((2, 300)), xp.ones((300, 1))]
    with launches() as made:
        xp.sync(linalg.multi_dot(wide_ones))
    assert max(launch.written for launch in made) < 300 * 300 * 8
    for bad in ([xp.ones((2, 2))], [xp.ones((2, 2)), xp.ones((3, 2))], [xp.ones((2, 2)), xp.ones(2), xp.ones((2, 2))]):
        with pytest.raises(ValueError, match="multi_dot: got"):
            linalg.multi_dot(bad)
    with pytest.raises(TypeError, match="sequence"):
        linalg.multi_dot(3)  # type: ignore[arg-type]


@floating
def test_tensors(dtype: str) -> None:
    a = (sample(dtype, (6, 6)) / 4 + 4 * np.eye(6)).astype(dtype)
    b = sample(dtype, (2, 3))
    tensor = xp.reshape(xp.asarray(a), (2, 3, 6))
    x = linalg.tensorsolve(tensor, xp.asarray(b))
    assert x.dtype == dtype and x.shape == (6,)
    rest = wide(a) @ wide(x) - wide(b).ravel()
    small(rest[:, None], frobenius(wide(a)) * frobenius(wide(x)[:, None]), dtype)
    inverse = linalg.tensorinv(tensor, ind=2)
    assert inverse.shape == (6, 2, 3)
    again = xp.tensordot(inverse, xp.asarray(b), axes=2)
    np.testing.assert_allclose(wide(again), wide(x), rtol=0, atol=50 * float(np.finfo(dtype).eps))
    moved = linalg.tensorsolve(xp.moveaxis(tensor, 2, 0), xp.asarray(b), axes=(0,))
    np.testing.assert_array_equal(wide(moved), wide(x))


def test_tensors_that_do_not_fit() -> None:
    x = xp.ones((2, 3, 5))
    calls: list[Callable[[], Any]] = [
        lambda: linalg.tensorinv(x),
        lambda: linalg.tensorinv(xp.ones((4, 4)), ind=0),
        lambda: linalg.tensorsolve(x, xp.ones((2, 3))),
        lambda: linalg.tensorsolve(xp.ones((2, 2)), xp.ones(2), axes=(5,)),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"allowed|out of bounds"):
            call()
    with pytest.raises(linalg.LinAlgError, match="singular"):
        linalg.tensorsolve(xp.zeros((2, 2)), xp.ones(2))


@pytest.mark.parametrize("p", [1, -1, "fro", np.inf, -np.inf])
def test_the_condition_of_a_matrix_with_nan_is_nan(device: Device, p: Any) -> None:
    """Beside a singular matrix, whose condition is infinite, and another one."""
    host = np.array([[[np.nan, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]], [[2.0, 0.0], [0.0, 1.0]]])
    found = to_host(xp.linalg.cond(xp.asarray(host), p=p))
    assert np.isnan(found[0]) and found[1] == np.inf and np.isclose(found[2], np.linalg.cond(host[2], p))
