"""Forms of CUDA's factorisations, with NumPy in the place of CuPy and cuSOLVER.

The results of the libraries themselves are tested in test_linalg.py, on every device.
"""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends import cuda_solver
from arrayapi_gpu.kernels.host import host_factors

HostArray = np.ndarray[Any, Any]
LETTERS = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}


def at(address: int, count: int, dtype: Any) -> HostArray:
    """The elements at an address."""
    memory: Any = (ctypes.c_byte * (count * np.dtype(dtype).itemsize)).from_address(address)
    return np.ctypeslib.as_array(memory).view(dtype)


def by_columns(address: int, letter: str, rows: int, columns: int) -> HostArray:
    """A matrix at an address, by columns."""
    return at(address, rows * columns, LETTERS[letter]).reshape(columns, rows).T


def of_ints(address: int, count: int) -> HostArray:
    return at(address, count, np.int32)


class HostBlas(ModuleType):
    """cuBLAS's geam: the sum of a transposed matrix and 0 times another one."""

    def __init__(self) -> None:
        super().__init__(cuda_solver._CUBLAS)
        for letter in LETTERS:
            setattr(self, f"{letter}geam", self._geam(letter))

    def _geam(self, letter: str) -> Any:
        def run(
            handle: int, turned: int, plain: int, m: int, n: int, one: int, a: int, lead: int, zero: int, b: int,
            b_lead: int, c: int, c_lead: int,
        ) -> None:  # fmt: skip
            assert (handle, turned, plain, lead, b_lead, c_lead, b) == (6, 1, 0, n, m, m, c)
            assert at(one, 1, LETTERS[letter])[0] == 1 and at(zero, 1, LETTERS[letter])[0] == 0
            by_columns(c, letter, m, n)[...] = by_columns(a, letter, n, m).T

        return run


class HostSolver(ModuleType):
    """cuSOLVER's elimination and Cholesky decomposition, on memory of the host."""

    def __init__(self) -> None:
        super().__init__(cuda_solver._CUSOLVER)
        for letter in LETTERS:
            setattr(self, f"{letter}potrf_bufferSize", lambda *problem: 7)
            setattr(self, f"{letter}getrf_bufferSize", lambda *problem: 9)
            setattr(self, f"{letter}potrf", self._potrf(letter))
            setattr(self, f"{letter}getrf", self._getrf(letter))

    def _potrf(self, letter: str) -> Any:
        def run(handle: int, uplo: int, n: int, a: int, lead: int, room: int, size: int, status: int) -> None:
            assert (handle, uplo, lead, size) == (5, 0, n, 7) and room
            matrix = by_columns(a, letter, n, n)
            lower = np.tril(matrix)
            of_ints(status, 1)[0] = 0
            try:
                matrix[...] = np.linalg.cholesky(lower) + np.triu(matrix, 1)
            except np.linalg.LinAlgError:
                of_ints(status, 1)[0] = 2

        return run

    def _getrf(self, letter: str) -> Any:
        def run(handle: int, m: int, n: int, a: int, lead: int, room: int, pivots: int, status: int) -> None:
            assert (handle, lead) == (5, m) and room and status
            matrix = by_columns(a, letter, m, n)
            matrix[...], rows = host_factors.lu(matrix)
            of_ints(pivots, min(m, n))[...] = rows + 1

        return run


class Arrays:
    """NumPy as CuPy: arrays know their addresses."""

    class Array(np.ndarray[Any, Any]):
        @property
        def data(self) -> Any:
            return SimpleNamespace(ptr=self.__array_interface__["data"][0])

    cuda = SimpleNamespace(device=SimpleNamespace(get_cusolver_handle=lambda: 5, get_cublas_handle=lambda: 6))
    linalg = np.linalg

    def array(self, x: HostArray, order: Any, copy: bool) -> HostArray:
        return np.array(x, order=order, copy=copy).view(Arrays.Array)

    def empty(self, shape: Any, dtype: Any) -> HostArray:
        return np.empty(shape, dtype).view(Arrays.Array)

    def ElementwiseKernel(self, inputs: str, outputs: str, text: str, name: str, reduce_dims: bool) -> Any:
        assert "_ind.get()[0] > _ind.get()[1]" in text and not reduce_dims

        def run(x: HostArray) -> None:
            x[...] = np.triu(x)

        return run

    def diagonal(self, x: HostArray, **axes: int) -> HostArray:
        found: HostArray = np.diagonal(x, **axes)
        return found


@pytest.fixture
def arrays(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(sys.modules, cuda_solver._CUSOLVER, HostSolver())
    monkeypatch.setitem(sys.modules, cuda_solver._CUBLAS, HostBlas())
    return Arrays()


def made(dtype: str, rows: int, columns: int) -> HostArray:
    rng = np.random.default_rng([rows, columns])
    x = rng.standard_normal((rows, columns)) + (1j * rng.standard_normal((rows, columns)) if dtype[0] == "c" else 0)
    return np.asarray(x.astype(dtype))


@pytest.mark.parametrize("dtype", LETTERS.values())
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_reads_one_triangle(arrays: Any, dtype: str, upper: bool) -> None:
    """cuSOLVER is asked for the lower factor of what it sees, which is faster."""
    x = made(dtype, 9, 9)
    a = (x @ x.conj().T + np.eye(9)).astype(dtype)
    wanted = np.tri(9, dtype=bool).T if upper else np.tri(9, dtype=bool)
    given = np.where(wanted, a, 7).astype(dtype)
    given = given.view(Arrays.Array)
    factor = np.asarray(cuda_solver.SOLVERS["cholesky"](arrays, given, upper=upper))
    turned = np.asfortranarray(given).view(Arrays.Array)
    np.testing.assert_array_equal(cuda_solver.SOLVERS["cholesky"](arrays, turned, upper=upper), factor)
    assert factor.dtype == dtype and not factor[~wanted].any()
    product = factor.conj().T @ factor if upper else factor @ factor.conj().T
    np.testing.assert_allclose(product, a, rtol=0, atol=1e-4)
    with pytest.raises(np.linalg.LinAlgError):
        cuda_solver.SOLVERS["cholesky"](arrays, -given, upper=upper)


@pytest.mark.parametrize("dtype", LETTERS.values())
@pytest.mark.parametrize("shape", [(5, 5), (7, 4), (3, 8)])
def test_elimination_counts_rows_from_0(arrays: Any, dtype: str, shape: tuple[int, int]) -> None:
    x = made(dtype, *shape).view(Arrays.Array)
    packed, pivots = cuda_solver.SOLVERS["lu"](arrays, x)
    exact = host_factors.lu(x)
    np.testing.assert_array_equal(np.asarray(pivots), exact[1])
    np.testing.assert_allclose(np.asarray(packed), exact[0], rtol=0, atol=1e-5)


def test_a_zero_on_the_diagonal_of_a_triangle_raises(arrays: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = ModuleType("cupyx.scipy.linalg")
    module.solve_triangular = lambda a, b, **options: (a, b, options)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.linalg", module)
    solve = cuda_solver.SOLVERS["solve_triangular"]
    a = np.diag([1.0, 0.0])
    with pytest.raises(np.linalg.LinAlgError, match="zero on its diagonal"):
        solve(arrays, a, a, lower=True, unit_diagonal=False)
    assert solve(arrays, a, a, lower=True, unit_diagonal=True) == (a, a, {"lower": True, "unit_diagonal": True})


# --- tall matrices, with NumPy in CuPy's place


@pytest.fixture
def triangles(monkeypatch: pytest.MonkeyPatch) -> None:
    solver: Any = ModuleType(cuda_solver._CUSOLVER)
    solver._getVersion = lambda: (0, 0, 0)  # there is no such library
    monkeypatch.setitem(sys.modules, cuda_solver._CUSOLVER, solver)
    module = ModuleType("cupyx.scipy.linalg")
    module.solve_triangular = np.linalg.solve  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cupyx.scipy.linalg", module)


def tall(kind: str, dtype: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(3)
    columns = rng.standard_normal((900, 12)) + (1j * rng.standard_normal((900, 12)) if dtype[0] == "c" else 0)
    mixed = np.linalg.qr(rng.standard_normal((12, 12)))[0]
    times = {"alike": np.ones(12), "unlike": np.logspace(0, 2, 12), "dependent": np.arange(12.0)}[kind]
    x: np.ndarray[Any, Any] = (columns * times @ mixed).astype(dtype)
    return x


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("kind", ["alike", "unlike"])
@pytest.mark.usefixtures("triangles")
def test_factors_of_a_tall_matrix(kind: str, dtype: str) -> None:
    x = tall(kind, dtype)
    factors = cuda_solver._tall_factors(np, x)
    assert factors is not None
    q, r = factors
    eps = np.finfo(dtype).eps
    assert q.dtype == r.dtype == x.dtype
    assert np.linalg.norm(q @ r - x) <= 16 * eps * np.linalg.norm(x)
    assert np.linalg.norm(q.conj().T @ q - np.eye(12)) <= 100 * eps
    assert not np.tril(r, -1).any()


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.usefixtures("triangles")
def test_columns_that_depend_on_each_other_have_no_factors(dtype: str) -> None:
    for x in (tall("dependent", dtype), np.zeros((900, 12), dtype), np.full((900, 12), np.nan, dtype)):
        assert cuda_solver._tall_factors(np, x) is None


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("kind", ["alike", "unlike", "dependent"])
@pytest.mark.usefixtures("triangles")
def test_svd_of_a_tall_matrix(kind: str, transposed: bool) -> None:
    x = tall(kind, "complex128")
    x = x.T if transposed else x
    u, s, vh = cuda_solver._svd(np, x)
    assert (u.shape, s.shape, vh.shape) == ((len(x), 12), (12,), (12, x.shape[1]))
    np.testing.assert_allclose((u * s) @ vh, x, rtol=0, atol=1e-13 * s[0])
    np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), rtol=0, atol=1e-13 * s[0])
    np.testing.assert_allclose(cuda_solver._svd(np, x, compute_uv=False), s, rtol=0, atol=1e-13 * s[0])


class Numbers(ModuleType):
    """CuPy's reductions, which note when somebody reads their results."""

    def __init__(self) -> None:
        super().__init__("cupy")
        self.done: list[str] = []

    def ReductionKernel(self, *_: str) -> Any:
        """The kernel that says whether all numbers are finite."""
        return lambda x: Answer(self.done, bool(np.isfinite(x).all()))


class Answer:
    """A result on the device."""

    def __init__(self, done: list[str], value: bool):
        self.done, self.value = done, value

    def __bool__(self) -> bool:
        self.done.append("read")
        return self.value


def results_of(numbers: Numbers, name: str, value: float, error: Exception | None = None) -> tuple[Any, ...] | None:
    """Those of a routine that gives its matrix, or fails."""

    def routine(cupy: Any, x: HostArray) -> HostArray:
        numbers.done.append("begun")
        if error is not None:
            raise error
        return x

    return cuda_solver.results_of(numbers, name, routine, [np.full((2, 2), value)], {})


@pytest.mark.parametrize("error", [None, np.linalg.LinAlgError("singular"), MemoryError()], ids=str)
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["inv", "solve", "slogdet", "svd"])
def test_a_matrix_with_nan_is_left_to_others(name: str, value: float, error: Exception | None) -> None:
    assert results_of(Numbers(), name, value, error) is None


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("inv", ["begun", "read"]),  # they wait for their status in any case
        ("solve", ["begun", "read"]),
        ("slogdet", ["read", "begun"]),
        ("svd", ["read", "begun"]),
        ("qr", ["begun"]),
        ("cholesky", ["begun"]),
    ],
)
def test_the_look_for_nan_delays_nothing_that_waits(name: str, order: list[str]) -> None:
    numbers = Numbers()
    assert results_of(numbers, name, 1.0) is not None
    assert numbers.done == order


@pytest.mark.parametrize("name", ["inv", "slogdet", "qr"])
def test_the_error_of_a_finite_matrix_stays(name: str) -> None:
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        results_of(Numbers(), name, 1.0, np.linalg.LinAlgError("singular"))
