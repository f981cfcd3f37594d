"""Kernels of large matrices on GPUs: what a factorisation promises, for sizes around those of panels and blocks.

Residuals are computed in double precision and bounded by a small multiple of size * eps * norm, as LAPACK's are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import scalar_twin

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.routines import factorisations
from arrayapi_gpu.kernels.routines.factorisations import LARGE_ROUTINES
from arrayapi_gpu.memory.gpuarray import GpuArray, upload
from arrayapi_gpu.memory.layout import Layout, turned

HostArray = np.ndarray[Any, Any]
DTYPES = ("float32", "float64", "complex64", "complex128")
SIZES = (1, 7, 31, 32, 33, 64, 65, 100, 130)
dtypes = pytest.mark.parametrize("dtype", DTYPES)
sizes = pytest.mark.parametrize("n", SIZES)


@pytest.fixture
def gpu(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device as if it were a GPU, whose kernels compute matrices of every size."""
    monkeypatch.setattr(factorisations, "_pays", lambda device, name, shape: 0 not in shape)
    return scalar_twin(device)


@pytest.fixture(params=["groups that wait", "groups that may not wait"])
def panels(gpu: Device, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    """The same device, which has a launch for a panel, or for each column of it."""
    if request.param == "groups that may not wait":
        monkeypatch.setattr(gpu, "concurrent_groups", 0)
    return gpu


def made(dtype: str, *shape: int) -> HostArray:
    rng = np.random.default_rng(shape)
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return np.asarray(a.astype(dtype))


def positive(dtype: str, *shape: int) -> HostArray:
    a = wide(made(dtype, *shape))
    return np.asarray((a @ adjoint(a) + shape[-1] / 10 * np.eye(shape[-1])).astype(dtype))


def wide(x: HostArray) -> HostArray:
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def adjoint(x: HostArray) -> HostArray:
    return np.conj(np.swapaxes(x, -1, -2))


def run(device: Device, name: str, *hosts: HostArray, **options: Any) -> list[HostArray]:
    return of_arrays(name, [upload(device, host) for host in hosts], **options)


def of_arrays(name: str, operands: list[GpuArray], **options: Any) -> list[HostArray]:
    found = LARGE_ROUTINES[name](operands, options)
    assert found is not None
    return [array.download() for array in found]


def assert_small(residual: HostArray, scale: Any, dtype: str, times: float = 3) -> None:
    """The norm of each residual is at most a multiple of size * eps * scale."""
    norms = np.linalg.norm(residual, axis=(-2, -1))
    allowed = times * max(residual.shape[-2:]) * float(np.finfo(dtype).eps) * scale
    assert np.all(norms <= allowed), (norms, allowed)


def norm(x: HostArray) -> Any:
    return np.linalg.norm(x, axis=(-2, -1))


# --- residuals -----------------------------------------------------------------------------------


@dtypes
@sizes
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(gpu: Device, dtype: str, n: int, upper: bool) -> None:
    """Only one triangle is read, and the other is zero."""
    a = positive(dtype, n, n)
    wanted = np.tri(n, dtype=bool).T if upper else np.tri(n, dtype=bool)
    (factor,) = run(gpu, "cholesky", np.where(wanted, a, np.nan).astype(dtype), upper=upper)
    assert factor.dtype == dtype and np.all(factor[~wanted] == 0) and np.all(np.diagonal(factor).real > 0)
    product = adjoint(wide(factor)) @ wide(factor) if upper else wide(factor) @ adjoint(wide(factor))
    assert_small(product - a, norm(a), dtype)


def exchanged(a: HostArray, pivots: HostArray) -> HostArray:
    a = a.copy()
    for k, row in enumerate(pivots):
        a[[k, row]] = a[[row, k]]
    return a


@dtypes
@pytest.mark.parametrize(
    "shape", [*[(n, n) for n in SIZES], (100, 40), (40, 100), (33, 1), (1, 40), (300, 5), (4200, 3)]
)
def test_lu(panels: Device, dtype: str, shape: tuple[int, int]) -> None:
    """Factors are at most 1 in size, as sizes are measured where pivots are looked for."""
    a, least = made(dtype, *shape), min(shape)
    packed, pivots = run(panels, "lu", a)
    lower, upper = np.tril(wide(packed)[:, :least], -1) + np.eye(shape[0], least), np.triu(wide(packed)[:least])
    assert pivots.dtype == np.int32 and np.all(pivots >= np.arange(least)) and np.all(pivots < shape[0])
    assert np.max(abs(lower)) <= 1.5
    assert_small(lower @ upper - exchanged(a, pivots), norm(lower) * norm(upper), dtype)


@dtypes
@sizes
@pytest.mark.parametrize("columns", [1, 5, 40])
def test_solve(gpu: Device, dtype: str, n: int, columns: int) -> None:
    a, b = made(dtype, n, n), made(dtype, n, columns)
    (x,) = run(gpu, "solve", a, b)
    assert_small(wide(a) @ wide(x) - b, norm(a) * norm(x), dtype)


@dtypes
@sizes
def test_inv(gpu: Device, dtype: str, n: int) -> None:
    a = made(dtype, n, n)
    (x,) = run(gpu, "inv", a)
    assert_small(wide(a) @ wide(x) - np.eye(n), norm(a) * norm(x), dtype)


@dtypes
@sizes
@pytest.mark.parametrize("scale", [1.0, 2.0**60, 2.0**-60])
def test_determinants(gpu: Device, dtype: str, n: int, scale: float) -> None:
    a = made(dtype, n, n) * np.asarray(scale, dtype)
    sign, logarithm = np.linalg.slogdet(wide(a))
    got_sign, got_logarithm = (part[()] for part in run(gpu, "slogdet", a))
    allowed = 3 * n * float(np.finfo(dtype).eps) * np.linalg.cond(wide(a))
    assert abs(got_sign - sign) <= allowed
    assert abs(got_logarithm - logarithm) <= allowed + 2 * float(np.finfo(dtype).eps) * abs(logarithm)
    got = run(gpu, "det", a)[0][()]
    largest, smallest = (np.log(float(x)) for x in (np.finfo(dtype).max, np.finfo(dtype).tiny))
    if smallest < logarithm < largest:
        with np.errstate(over="ignore", under="ignore"):
            exact = sign * np.exp(logarithm)
        assert abs(got - exact) <= (allowed + 1e-13 * abs(logarithm)) * abs(exact)
    elif logarithm > largest + 1:
        assert not np.isfinite(got)


SHAPES = [*[(n, n) for n in SIZES], (100, 40), (40, 100), (65, 1), (1, 40), (300, 3), (33, 70)]


@dtypes
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(panels: Device, dtype: str, shape: tuple[int, int], mode: str) -> None:
    a = made(dtype, *shape)
    q, r = run(panels, "qr", a, mode=mode)
    exact = np.linalg.qr(a, mode=mode)  # type: ignore[call-overload]
    assert [q.shape, r.shape] == [part.shape for part in exact]
    assert_small(wide(q) @ wide(r) - a, norm(a), dtype)
    assert_small(adjoint(wide(q)) @ wide(q) - np.eye(q.shape[1]), 1 + 0 * norm(a), dtype, 12)
    assert np.all(np.triu(r) == r)
    heads, theirs = np.diagonal(r), np.diagonal(exact[1])
    assert np.all(heads.imag == 0) and np.all(np.sign(heads.real) == np.sign(theirs.real)), "signs are LAPACK's"


@dtypes
@sizes
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_solve_triangular(gpu: Device, dtype: str, n: int, lower: bool, unit_diagonal: bool) -> None:
    """Only one triangle is read, without its diagonal if that is taken to be 1."""
    a = made(dtype, n, n) / np.asarray(n, dtype) + 2 * np.eye(n, dtype=dtype)
    b = made(dtype, n, 20)
    wanted = np.tri(n, k=-unit_diagonal, dtype=bool)
    wanted = wanted if lower else wanted.T
    options = {"lower": lower, "unit_diagonal": unit_diagonal}
    (x,) = run(gpu, "solve_triangular", np.where(wanted, a, np.nan).astype(dtype), b, **options)
    triangle = np.where(wanted, a, np.eye(n) if unit_diagonal else 0)
    assert_small(wide(triangle) @ wide(x) - b, norm(triangle) * norm(x), dtype)


# --- special matrices ----------------------------------------------------------------------------


def of_rank_three(a: HostArray) -> HostArray:
    return np.asarray(a[:, :3] @ a[:3])


def huge(a: HostArray) -> HostArray:
    return np.asarray(a * np.asarray(2.0**120, a.dtype))


def tiny(a: HostArray) -> HostArray:
    return np.asarray(a * np.asarray(2.0**-120, a.dtype))


def graded(a: HostArray) -> HostArray:
    return (a * 2.0 ** -(np.arange(a.shape[1]) % 60)).astype(a.dtype)


def with_short_columns(a: HostArray) -> HostArray:
    a = a.copy()
    a[:, ::3] *= np.asarray(2.0**-110, a.dtype)
    return a


def zeros(a: HostArray) -> HostArray:
    return np.zeros_like(a)


def diagonal(a: HostArray) -> HostArray:
    return np.asarray(np.eye(*a.shape) * np.arange(a.shape[1])).astype(a.dtype)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("kind", [of_rank_three, huge, tiny, graded, with_short_columns, zeros, diagonal])
def test_qr_of_special_matrices(panels: Device, dtype: str, kind: Callable[[HostArray], HostArray]) -> None:
    a = kind(made(dtype, 70, 50))
    q, r = run(panels, "qr", a, mode="complete")
    assert_small(wide(q) @ wide(r) - a, norm(wide(a)), dtype)
    assert_small(adjoint(wide(q)) @ wide(q) - np.eye(70), 1.0, dtype, 12)
    assert np.all(np.diagonal(r).imag == 0)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("kind", [of_rank_three, huge, tiny, graded, with_short_columns, zeros, diagonal])
def test_lu_of_special_matrices(panels: Device, dtype: str, kind: Callable[[HostArray], HostArray]) -> None:
    a = kind(made(dtype, 70, 50))
    packed, pivots = run(panels, "lu", a)
    lower, upper = np.tril(wide(packed), -1) + np.eye(70, 50), np.triu(wide(packed)[:50])
    assert_small(lower @ upper - exchanged(a, pivots), norm(lower) * norm(upper), dtype)


@pytest.mark.parametrize("name", ["solve", "inv", "solve_triangular"])
@pytest.mark.parametrize("place", [0, 40, 69])
def test_singular_matrices_are_refused(gpu: Device, name: str, place: int) -> None:
    a = np.triu(made("float64", 70, 70))
    a[place, place] = 0
    operands = [a] if name == "inv" else [a, a[:, :2].copy()]
    options = {"lower": False, "unit_diagonal": False} if name == "solve_triangular" else {}
    with pytest.raises(np.linalg.LinAlgError, match=f"{name}: a (matrix is singular|triangle has a zero)"):
        run(gpu, name, *operands, **options)


def test_determinants_of_singular_matrices_are_zero(panels: Device) -> None:
    a = made("float64", 70, 70)
    a[:, 40] = 0
    assert run(panels, "det", a)[0] == 0
    assert [part[()] for part in run(panels, "slogdet", a)] == [0, -np.inf]


@pytest.mark.parametrize("place", [0, 40, 69])
def test_indefinite_matrices_are_refused(gpu: Device, place: int) -> None:
    a = positive("float64", 70, 70)
    a[place, place] = -1
    with pytest.raises(np.linalg.LinAlgError, match="cholesky: a matrix is not positive definite"):
        run(gpu, "cholesky", a)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["cholesky", "det", "inv", "lu", "qr", "slogdet", "solve", "solve_triangular"])
def test_what_is_no_number_ends(panels: Device, name: str, bad: float) -> None:
    """Nobody waits for ever, and pivots are rows that there are."""
    a = positive("float64", 70, 70)
    a[50, 3] = a[3, 50] = bad
    operands = [a, a[:, :2].copy()] if name.startswith("solve") else [a]
    options = {"lower": True, "unit_diagonal": False} if name == "solve_triangular" else {}
    try:
        found = run(panels, name, *operands, **options)
    except np.linalg.LinAlgError:
        assert name == "cholesky"
        return
    assert np.isinf(bad) or not all(np.all(np.isfinite(part)) for part in found)
    if name == "lu":
        assert sorted(set(found[1])) and np.all(found[1] < 70) and np.all(found[1] >= np.arange(70))


# --- stacks, views, bits -------------------------------------------------------------------------

OPERANDS = {"solve": 2, "solve_triangular": 2}
OPTIONS = {"solve_triangular": {"lower": True, "unit_diagonal": False}}
routines = pytest.mark.parametrize("name", sorted(LARGE_ROUTINES))


def given(name: str, a: HostArray) -> list[HostArray]:
    return [a, a[..., :3].copy()] if name in OPERANDS else [a]


@routines
def test_stacks_have_the_bits_of_their_matrices(gpu: Device, name: str) -> None:
    a, options = positive("float64", 2, 2, 40, 40), OPTIONS.get(name, {})
    found = run(gpu, name, *given(name, a), **options)
    for number in np.ndindex(2, 2):
        alone = run(gpu, name, *given(name, a[number].copy()), **options)
        for one, two in zip(found, alone, strict=True):
            assert np.asarray(one[number]).tobytes() == np.asarray(two).tobytes()


@routines
def test_views(gpu: Device, name: str) -> None:
    """Transposed, spread and reversed matrices have the bits of copies of them."""
    n, options = 40, OPTIONS.get(name, {})
    a = positive("float64", n, n)
    spread = np.zeros((2 * n, n + 3))
    spread[::2, 1 : n + 1] = a
    backwards = np.ascontiguousarray(a[::-1, ::-1])
    columns, wide_array, last = (upload(gpu, x) for x in (np.ascontiguousarray(a.T), spread, backwards))
    forms = [
        columns.through(turned(columns.layout)),
        wide_array.through(Layout((n, n), (2 * (n + 3), 1), 1)),
        last.through(Layout((n, n), (-n, -1), n * n - 1)),
    ]
    exact = run(gpu, name, *given(name, a), **options)
    for form in forms:
        operands = [form, *[upload(gpu, b) for b in given(name, a)[1:]]]
        for one, two in zip(of_arrays(name, operands, **options), exact, strict=True):
            np.testing.assert_array_equal(one, two)


def test_operands_broadcast(gpu: Device) -> None:
    a, b = positive("float64", 3, 1, 40, 40), made("float64", 2, 40, 4)
    (x,) = run(gpu, "solve", a, b)
    assert_small(a @ x - b, norm(a) * norm(x), "float64")
    (y,) = run(gpu, "solve", a[0, 0], b[0, :, 0].copy())
    np.testing.assert_allclose(a[0, 0] @ y, b[0, :, 0], rtol=0, atol=1e-12)


@routines
def test_devices_with_memory_of_their_own_use_these_kernels(device: Device, name: str) -> None:
    """Others leave large matrices to LAPACK."""
    if device.is_gpu and not device.host_shared:
        pytest.skip("these compute them, small triangles too, or by the L U of their library")
    a = positive("float64", 4, 4)
    operands = [upload(device, x) for x in given(name, a)]
    assert LARGE_ROUTINES[name](operands, OPTIONS.get(name, {})) is None
