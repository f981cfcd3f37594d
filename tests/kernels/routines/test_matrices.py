"""Kernels of small matrices: what a factorisation promises holds for every matrix of a stack, whatever the others are.

Residuals are computed in extended precision and bounded by a small multiple of size * eps * norm, as LAPACK's are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.residuals import FACTOR, adjoint, assert_orthonormal, assert_small, eliminated, norm, wide

from arrayapi_gpu.backends import native_compiler
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.routines.matrices import MATRIX_ROUTINES
from arrayapi_gpu.memory.gpuarray import GpuArray, upload
from arrayapi_gpu.memory.layout import turned

HostArray = np.ndarray[Any, Any]

COUNT = 67  # of matrices: the last register of them is not full
DTYPES = ("float32", "float64", "complex64", "complex128")
SIZES = (1, 2, 3, 5, 8, 13, 16)
dtypes = pytest.mark.parametrize("dtype", DTYPES)
sizes = pytest.mark.parametrize("n", SIZES)


@pytest.fixture(autouse=True)
def own_kernels_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether they pay or not."""
    monkeypatch.setattr(tuning, "MATRICES_ON_CPU", dict.fromkeys(tuning.MATRICES_ON_CPU, (1, 128)))
    monkeypatch.setattr(tuning, "MATRICES_ON_GPU", ((1, 128),))


@pytest.fixture(autouse=True)
def few_kernels(request: pytest.FixtureRequest) -> None:
    """Without explicit vectors each size has a kernel, so only two forms and two dtypes are tried."""
    parameters = getattr(request.node, "callspec", None)
    if parameters is None or "twin" not in request.fixturenames:
        return
    scalar = parameters.params.get("twin") == "scalars"
    few = parameters.params.get("n", 3) in (3, 13) and parameters.params.get("dtype", "float64") in DTYPES[1:3]
    if scalar and not few:
        pytest.skip("one of the sizes and dtypes that are tried with vectors alone")


def ordinary(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    return rng.standard_normal(shape)


def of_rank_two(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    left, right = rng.standard_normal((*shape[:-1], 2)), rng.standard_normal((*shape[:-2], 2, shape[-1]))
    return np.asarray(left @ right)


def nearly_singular(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    return of_rank_two(rng, shape) + 1e-6 * rng.standard_normal(shape)


def huge(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    return rng.uniform(-1, 1, shape) * 2.0**110


def tiny(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    return rng.uniform(-1, 1, shape) * 2.0**-110


def graded(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    return rng.standard_normal(shape) * 2.0 ** (-5.0 * np.arange(shape[-1]))


def zeros(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    del rng
    return np.zeros(shape)


def diagonal(rng: np.random.Generator, shape: tuple[int, ...]) -> HostArray:
    return np.asarray(np.eye(shape[-2], shape[-1]) * rng.integers(-3, 4, (*shape[:-2], 1, shape[-1])))


REGULAR = [ordinary, nearly_singular, huge, tiny, graded]
ANY = [*REGULAR, of_rank_two, zeros, diagonal]
Kind = Callable[[np.random.Generator, tuple[int, ...]], HostArray]


def made(kind: Kind, dtype: str, rows: int, columns: int, count: int = COUNT) -> HostArray:
    rng = np.random.default_rng([rows, columns, count])
    a = kind(rng, (count, rows, columns))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * kind(rng, (count, rows, columns))
    return a.astype(dtype)


def ours(device: Device, name: str, *hosts: HostArray, **options: Any) -> list[HostArray]:
    """The results of own kernels."""
    found = MATRIX_ROUTINES[name]([upload(device, host) for host in hosts], options)
    assert found is not None
    return [array.download() for array in found]


# --- elimination ---------------------------------------------------------------------------------


@dtypes
@sizes
@pytest.mark.parametrize("kind", REGULAR)
def test_solutions(twin: Device, kind: Kind, dtype: str, n: int) -> None:
    a, b = made(kind, dtype, n, n), made(kind, dtype, n, 2)
    if kind is nearly_singular and n < 3:
        pytest.skip("matrices that are as other ones")
    (x,) = ours(twin, "solve", a, b)
    assert x.dtype == dtype
    assert_small(wide(a) @ wide(x) - wide(b), norm(a) * norm(x), dtype, n)


@dtypes
@sizes
@pytest.mark.parametrize("kind", [ordinary, nearly_singular, graded])
def test_inverses(twin: Device, kind: Kind, dtype: str, n: int) -> None:
    a = made(kind, dtype, n, n)
    (x,) = ours(twin, "inv", a)
    assert_small(wide(a) @ wide(x) - np.eye(n), norm(a) * norm(x), dtype, n)


@dtypes
@sizes
@pytest.mark.parametrize("kind", [ordinary, huge, tiny, zeros, diagonal])
def test_determinants(twin: Device, kind: Kind, dtype: str, n: int) -> None:
    """The error is that of a small change of the matrix. Zeros, infinities and subnormal numbers come by one rounding
    of the whole."""
    a = made(kind, dtype, n, n)
    sign, logarithm = eliminated(a)
    got_sign, got_logarithm = ours(twin, "slogdet", a)
    (got,) = ours(twin, "det", a)
    regular = sign != 0
    assert got.dtype == got_sign.dtype == dtype
    assert np.all(got[~regular] == 0) and np.all(got_sign[~regular] == 0) and np.all(got_logarithm[~regular] == -np.inf)
    eps = float(np.finfo(dtype).eps)
    allowed = FACTOR * n * eps * np.linalg.cond(a[regular].astype("complex128"))
    if n == 1:
        allowed = np.full(allowed.shape, 4 * eps)
    assert np.all(abs(got_sign[regular] - sign[regular]) <= allowed)
    assert np.all(abs(got_logarithm[regular] - logarithm[regular]) <= allowed + 4 * eps * abs(logarithm[regular]))
    with np.errstate(over="ignore", under="ignore"):
        exact = np.exp(logarithm)
        size = abs(got[regular].astype("clongdouble"))
        limit, smallest = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
        inside = exact[regular] < limit / 2
        assert np.all(abs(size - exact[regular])[inside] <= (allowed * exact[regular] + 2 * smallest)[inside])
        assert not np.any(np.isfinite(got[regular][exact[regular] > 2 * wide(limit)]))


# --- factors and triangles -----------------------------------------------------------------------


@dtypes
@pytest.mark.parametrize(("m", "n"), [(n, n) for n in SIZES] + [(7, 3), (3, 13), (9, 1), (1, 4)])
@pytest.mark.parametrize("kind", [ordinary, nearly_singular, huge, tiny, zeros, diagonal, of_rank_two])
def test_factors(twin: Device, kind: Kind, dtype: str, m: int, n: int) -> None:
    a, least = made(kind, dtype, m, n), min(m, n)
    packed, pivots = ours(twin, "lu", a)
    assert pivots.dtype == np.int32 and pivots.shape == (COUNT, least)
    exchanged, each = wide(a).copy(), np.arange(COUNT)
    for k in range(least):
        rows = pivots[:, k]
        exchanged[each, rows], exchanged[:, k] = exchanged[:, k].copy(), exchanged[each, rows].copy()
    lower = np.tril(wide(packed)[..., :least], -1) + np.eye(m, least)
    upper = np.triu(wide(packed)[:, :least])
    assert np.max(abs(lower)) <= 1.5
    assert_small(lower @ upper - exchanged, norm(lower) * norm(upper), dtype, max(m, n))


@dtypes
@sizes
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit_diagonal", [False, True])
def test_triangles(twin: Device, dtype: str, n: int, lower: bool, unit_diagonal: bool) -> None:
    """Only one triangle is read, without its diagonal if that is taken to be 1."""
    a, b = (made(ordinary, dtype, n, n) + 3 * np.eye(n)).astype(dtype), made(ordinary, dtype, n, 3)
    wanted = np.tri(n, k=-unit_diagonal, dtype=bool)
    wanted = wanted if lower else wanted.T
    given = np.where(wanted, a, np.nan).astype(dtype)
    (x,) = ours(twin, "solve_triangular", given, b, lower=lower, unit_diagonal=unit_diagonal)
    triangle = np.where(wanted, a, np.eye(n) if unit_diagonal else 0)
    assert x.dtype == dtype
    assert_small(wide(triangle) @ wide(x) - wide(b), norm(triangle) * norm(x), dtype, n)


# --- Cholesky and QR -----------------------------------------------------------------------------


@dtypes
@sizes
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(twin: Device, dtype: str, n: int, upper: bool) -> None:
    """Only one triangle is read, and the other is zero."""
    a = made(ordinary, dtype, n, n)
    a = (a @ adjoint(a) + 0.1 * np.eye(n)).astype(dtype)
    a = (a + adjoint(a)) / 2
    given = np.where(np.tri(n, dtype=bool).T if upper else np.tri(n, dtype=bool), a, np.nan).astype(dtype)
    (factor,) = ours(twin, "cholesky", given, upper=upper)
    assert np.all((np.tril if not upper else np.triu)(factor) == factor)
    product = adjoint(wide(factor)) @ wide(factor) if upper else wide(factor) @ adjoint(wide(factor))
    assert_small(product - wide(a), norm(a), dtype, n)
    assert np.all(np.diagonal(factor, axis1=-2, axis2=-1).real > 0)


SHAPES = [(n, n) for n in SIZES] + [(7, 3), (3, 13), (9, 1), (1, 4)]


@dtypes
@pytest.mark.parametrize(("m", "n"), SHAPES)
@pytest.mark.parametrize("kind", ANY)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(twin: Device, kind: Kind, dtype: str, m: int, n: int, mode: str) -> None:
    a = made(kind, dtype, m, n)
    q, r = ours(twin, "qr", a, mode=mode)
    exact = np.linalg.qr(a, mode=mode)  # type: ignore[call-overload]
    assert [q.shape, r.shape] == [part.shape for part in exact]
    assert_small(wide(q) @ wide(r) - wide(a), norm(a), dtype, max(m, n))
    assert_orthonormal(q, dtype)
    assert np.all(np.triu(r) == r)
    heads = np.diagonal(r, axis1=-2, axis2=-1)
    assert np.all(heads.imag == 0)
    if kind is ordinary:
        same = np.sign(heads.real) == np.sign(np.diagonal(exact[1], axis1=-2, axis2=-1).real)
        assert np.all(same), "signs are LAPACK's"


# --- eigenvalues and singular values -------------------------------------------------------------


@dtypes
@sizes
@pytest.mark.parametrize("kind", ANY)
def test_eigenvalues(twin: Device, kind: Kind, dtype: str, n: int) -> None:
    """The lower triangle alone is read."""
    a = made(kind, dtype, n, n)
    a = (a / 2 + adjoint(a) / 2).astype(dtype)
    values, vectors = ours(twin, "eigh", np.where(np.tri(n, dtype=bool), a, np.nan).astype(dtype))
    assert np.all(np.diff(values) >= 0)
    assert_small(wide(a) @ wide(vectors) - wide(vectors) * values[:, None, :], norm(a), dtype, n)
    assert_orthonormal(vectors, dtype)
    (alone,) = ours(twin, "eigvalsh", a)
    np.testing.assert_array_equal(alone, values)
    if kind is diagonal and np.dtype(dtype).kind == "f":
        np.testing.assert_array_equal(values, np.sort(np.diagonal(a, axis1=-2, axis2=-1)))


@dtypes
@pytest.mark.parametrize(("m", "n"), SHAPES)
@pytest.mark.parametrize("kind", ANY)
@pytest.mark.parametrize("full", [False, True])
def test_singular_values(twin: Device, kind: Kind, dtype: str, m: int, n: int, full: bool) -> None:
    a = made(kind, dtype, m, n)
    u, values, vh = ours(twin, "svd", a, full_matrices=full)
    k = min(m, n)
    assert [u.shape, vh.shape] == [(COUNT, m, m if full else k), (COUNT, n if full else k, n)]
    assert np.all(np.diff(values) <= 0) and np.all(values >= 0)
    assert_small(wide(u)[..., :k] * values[:, None, :] @ wide(vh)[:, :k] - wide(a), norm(a), dtype, max(m, n))
    assert_orthonormal(u, dtype)
    assert_orthonormal(adjoint(vh), dtype)
    (alone,) = ours(twin, "svdvals", a)
    assert_small((alone - values)[:, :, None], norm(a), dtype, max(m, n))


def test_columns_that_are_multiples_of_others_stay_orthonormal(twin: Device) -> None:
    """What rounding leaves of such a column is turned in many sweeps."""
    rng = np.random.default_rng(2)
    left, right = (rng.integers(-3, 4, (500, *shape, 2)) @ [1, 1j] for shape in ((2, 1), (1, 2)))
    u, _, vh = ours(twin, "svd", left @ right)
    for q in (u, adjoint(vh)):
        assert np.max(abs(adjoint(q) @ q - np.eye(2))) < 12 * np.finfo("float64").eps


# --- matrices among others -----------------------------------------------------------------------

ROUTINES: dict[str, tuple[int, dict[str, Any]]] = {  # operands, and options
    "cholesky": (1, {}),
    "det": (1, {}),
    "eigh": (1, {}),
    "eigvalsh": (1, {}),
    "inv": (1, {}),
    "lu": (1, {}),
    "qr": (1, {"mode": "reduced"}),
    "slogdet": (1, {}),
    "solve": (2, {}),
    "solve_triangular": (2, {"lower": False, "unit_diagonal": False}),
    "svd": (1, {"full_matrices": False}),
    "svdvals": (1, {}),
}
routines = pytest.mark.parametrize("name", sorted(ROUTINES))


def positive(dtype: str, n: int, count: int = COUNT) -> HostArray:
    a = made(ordinary, dtype, n, n, count)
    return np.asarray((a @ adjoint(a) + np.eye(n)).astype(dtype))


def operands(name: str, a: HostArray) -> list[HostArray]:
    return [a, a[..., :1].copy()] if ROUTINES[name][0] == 2 else [a]


REBUILT: dict[str, Callable[..., HostArray]] = {  # a matrix of few columns that is 0, from the operand and the results
    "cholesky": lambda a, lower: a - lower @ adjoint(lower),
    "eigh": lambda a, values, vectors: a @ vectors - vectors * values[:, None, :],
    "eigvalsh": lambda a, values: (values - np.linalg.eigvalsh(a))[..., None],
    "inv": lambda a, inverse: a @ inverse - np.eye(a.shape[-1]),
    "qr": lambda a, q, r: a - q @ r,
    "slogdet": lambda a, sign, logarithm: (np.linalg.slogdet(a)[1] - logarithm)[:, None, None],
    "solve": lambda a, x: a @ x - a[..., :1],
    "svdvals": lambda a, values: (values - np.linalg.svdvals(a))[..., None],
}


@pytest.mark.parametrize("name", sorted(REBUILT))
@pytest.mark.parametrize(("dtype", "n"), [("float32", 65), ("float64", 128), ("complex64", 100)])
def test_large_ones_of_a_stack(device: Device, name: str, dtype: str, n: int) -> None:
    """As large as own kernels compute them."""
    a = positive(dtype, n, 33)
    a = (a / norm(a)[:, None, None]).astype(dtype)
    _, options = ROUTINES[name]
    found = ours(device, name, *operands(name, a), **options)
    exact = a.astype("complex128" if a.dtype.kind == "c" else "float64")
    scale = np.linalg.cond(exact) if name in ("inv", "solve", "slogdet") else np.ones(len(a))
    assert_small(REBUILT[name](exact, *found), scale, dtype, n)


@routines
@pytest.mark.parametrize("dtype", DTYPES[1:3])
def test_a_matrix_has_the_same_bits_wherever_it_lies(twin: Device, name: str, dtype: str) -> None:
    """In another order, among copies of itself, and in a second run."""
    a, options = positive(dtype, 3), ROUTINES[name][1]
    first, again = (ours(twin, name, *operands(name, a), **options) for _ in range(2))
    turned_over = ours(twin, name, *operands(name, a[::-1].copy()), **options)
    alone = ours(twin, name, *operands(name, np.broadcast_to(a[5], a.shape).copy()), **options)
    for one, two, three, four in zip(first, again, turned_over, alone, strict=True):
        assert one.tobytes() == two.tobytes() == three[::-1].tobytes()
        assert four.tobytes() == np.broadcast_to(one[5], one.shape).tobytes()


@routines
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_stays_in_its_matrix(twin: Device, name: str, bad: float) -> None:
    """Others have their bits, except where it raises: where the computation iterates."""
    a, options = positive("float64", 3), ROUTINES[name][1]
    exact = ours(twin, name, *operands(name, a), **options)
    a[7, 1, 0] = a[7, 0, 1] = bad
    iterates = name in ("svd", "svdvals", "eigh", "eigvalsh")
    if iterates or (name == "cholesky" and np.isinf(bad)):
        with pytest.raises(np.linalg.LinAlgError, match=r"did not converge|not positive definite"):
            ours(twin, name, *operands(name, a), **options)
        return
    others = np.arange(COUNT) != 7
    for one, two in zip(ours(twin, name, *operands(name, a), **options), exact, strict=True):
        np.testing.assert_array_equal(one[others], two[others])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("solve", "matrix is singular"),
        ("inv", "matrix is singular"),
        ("cholesky", "matrix is not positive definite"),
        ("solve_triangular", "triangle has a zero on its diagonal"),
    ],
)
def test_one_bad_matrix_raises(twin: Device, name: str, message: str) -> None:
    a = positive("float64", 3)
    a[66] = 0 if name != "cholesky" else -np.eye(3)
    with pytest.raises(np.linalg.LinAlgError, match=f"{name}: a {message}"):
        ours(twin, name, *operands(name, a), **ROUTINES[name][1])


@routines
@pytest.mark.parametrize(("dtype", "n"), [("float64", 3), ("float64", 19), ("complex64", 9)])
def test_views(twin: Device, name: str, dtype: str, n: int) -> None:
    """Transposed, spread and broadcast matrices have the bits of copies of them."""
    options = ROUTINES[name][1]
    a = positive(dtype, n)
    columns = upload(twin, np.swapaxes(a, -1, -2).copy())
    spread = np.zeros((COUNT, 2, n, n + 2), dtype)
    spread[:, 1, :, :n] = a
    wide_array = upload(twin, spread)
    inner = wide_array.layout._replace(shape=a.shape, offset=n * (n + 2))
    step = (2 * n * (n + 2), n + 2, 1)
    forms: list[GpuArray] = [columns.through(turned(columns.layout)), wide_array.through(inner._replace(strides=step))]
    exact = ours(twin, name, *operands(name, a), **options)
    for form in forms:
        given = [form, *[upload(twin, b) for b in operands(name, a)[1:]]]
        found = MATRIX_ROUTINES[name](given, options)
        assert found is not None
        for one, two in zip(found, exact, strict=True):
            np.testing.assert_array_equal(one.download(), two)


@pytest.mark.parametrize(
    ("name", "dtype", "nbytes"),
    [("cholesky", "float64", 0), ("eigh", "float64", 0), ("slogdet", "float64", 0), ("qr", "complex64", 32)],
)
def test_registers_of_other_lanes_have_the_same_bits(
    native: Device, monkeypatch: pytest.MonkeyPatch, name: str, dtype: str, nbytes: int
) -> None:
    """Also matrices that are copied by whole registers, and those that are copied number by number."""
    if native_compiler.compiler() is None:
        pytest.skip("there is no C compiler")
    given = [operands(name, positive(dtype, n)) for n in (2, 9, 19)]
    exact = [ours(native, name, *each, **ROUTINES[name][1]) for each in given]
    monkeypatch.setattr(native, "register_bytes", nbytes)
    found = [ours(native, name, *each, **ROUTINES[name][1]) for each in given]
    for ones, others in zip(exact, found, strict=True):
        assert [one.tobytes() for one in ones] == [one.tobytes() for one in others]


def test_stacks_broadcast(twin: Device) -> None:
    a, b = positive("float64", 3), made(ordinary, "float64", 3, 2, 3)
    (x,) = ours(twin, "solve", a[:, None], b)
    assert x.shape == (COUNT, 3, 3, 2)
    assert_small((wide(a)[:, None] @ wide(x) - b).reshape(-1, 3, 2), np.max(norm(a)) * norm(x).ravel(), "float64", 3)
    (y,) = ours(twin, "solve", a, b[0, :, 0].copy())
    np.testing.assert_array_equal(
        y, ours(twin, "solve", a, np.broadcast_to(b[0, :, :1], (COUNT, 3, 1)).copy())[0][..., 0]
    )


@pytest.mark.parametrize(("name", "n"), [("solve", 40), ("qr", 40), ("eigvalsh", 66), ("svdvals", 66)])
def test_groups_of_more_than_a_warp(twin: Device, name: str, n: int) -> None:
    """Matrices whose columns, or pairs of them, take more work-items than a warp has."""
    a = made(ordinary, "float32", n, n, 3)
    a = a + adjoint(a)
    found = ours(twin, name, *operands(name, a), **ROUTINES[name][1])
    if name == "solve":
        assert_small(wide(a) @ wide(found[0]) - wide(a[..., :1]), norm(a) * norm(found[0]), "float32", n)
    elif name == "qr":
        assert_small(wide(found[0]) @ wide(found[1]) - wide(a), norm(a), "float32", n)
    else:
        exact = np.linalg.eigvalsh(a.astype("float64"))
        exact = exact if name == "eigvalsh" else -np.sort(-abs(exact))
        assert_small((found[0] - exact)[:, :, None], norm(a), "float32", n)


def in_global_memory(device: Device, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let no matrix fit local memory, and two groups compute one matrix after another."""
    if not device.is_gpu:
        pytest.skip("CPUs have no local memory")
    if "Portable Computing Language" in device.description and name == "svd":
        pytest.skip("PoCL 3.0 computes another V; on its CPU no matrix is in global memory")
    monkeypatch.setattr(device, "local_memory", 128)
    monkeypatch.setattr(device, "compute_units", 2)
    monkeypatch.setattr(tuning, "MATRIX_STORED_GROUPS", 1)


OTHER_SHAPES = {"lu": (13, 9), "qr": (13, 9), "svd": (9, 13), "svdvals": (17, 13)}


@routines
@dtypes
@pytest.mark.parametrize("square", [True, False])
def test_global_memory_gives_the_bits_of_local_memory(
    twin: Device, monkeypatch: pytest.MonkeyPatch, name: str, dtype: str, square: bool
) -> None:
    rows, columns = (13, 13) if square else OTHER_SHAPES.get(name, (20, 20))
    a = positive(dtype, 20, 7)[:, :rows, :columns]
    exact = ours(twin, name, *operands(name, a), **ROUTINES[name][1])
    in_global_memory(twin, monkeypatch, name)
    found = ours(twin, name, *operands(name, a), **ROUTINES[name][1])
    for one, two in zip(found, exact, strict=True):
        assert one.tobytes() == two.tobytes()


def test_more_right_hand_sides_than_columns_in_global_memory_are_left_to_a_library(
    twin: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_global_memory(twin, monkeypatch, "solve")
    a = positive("float64", 9)
    b = np.ones((COUNT, 9, tuning.MATRICES_ON_GPU[-1][1] + 1))
    assert MATRIX_ROUTINES["solve"]([upload(twin, a), upload(twin, b)], {}) is None
    (x,) = ours(twin, "solve", a, b[..., :-1])
    assert_small(wide(a) @ wide(x) - b[..., :-1], norm(a) * norm(x), "float64", 9)
