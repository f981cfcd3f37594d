"""Factorisations on CUDA: of each the fastest form that cuSOLVER has, through CuPy.

Every routine takes CuPy, then the operands and options of the NumPy function of its name; `CudaLibrary` calls it with
the device's stream and memory. cuSOLVER reads memory by columns. So it gets a copy of the transposed matrix, or takes
the matrix itself for its transpose.

An H200 took for 4,096 x 4,096 float64, in ms: Cholesky of the lower triangle 1.87 and of the upper one 4.80 (both
interfaces, of 32 and of 64 bits); elimination 13.5 (both); inverses 22.9, and 27.7 by triangles; Q R 29.7 (both);
eigenvectors 109.6 (all forms). Singular vectors for 1,024 x 1,024: 129 by gesvd, 87 by gesvdj, whose residual was 25
times as large, and 30 by Xgesvdp.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from .cuda_functions import solver_function

_CUBLAS, _CUSOLVER = "cupy_backends.cuda.libs.cublas", "cupy_backends.cuda.libs.cusolver"
_LOWER = 0  # CUBLAS_FILL_MODE_LOWER
_AS_IT_LIES, _TRANSPOSED = 0, 1  # CUBLAS_OP_N, CUBLAS_OP_T
_KINDS = {"f": 0, "d": 1, "F": 4, "D": 5}  # cudaDataType
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
_TALL = 32  # rows for each column of a matrix that is factored before its singular values are asked for
_ORTHONORMAL = 0.1  # products of columns differ from the identity by less: one more round makes them orthonormal
# Elimination takes NaN for zeros, and decompositions give NaN where LAPACK raises.
_SILENT = frozenset({"eigh", "eigvalsh", "inv", "lu", "slogdet", "solve", "svd", "svdvals"})
_WAITING = frozenset({"inv", "solve"})
_ROUNDING = 16  # times the dtype's precision by which a product of factors, or a singular value, may differ


def _routine(name: str, x: Any) -> tuple[Callable[..., int], Callable[..., None]]:
    """Return a routine of cuSOLVER's interface of 32 bits for the dtype of a matrix: of the size of its room, and
    itself."""
    cusolver, name = importlib.import_module(_CUSOLVER), _LETTERS[x.dtype.char] + name
    return getattr(cusolver, f"{name}_bufferSize"), getattr(cusolver, name)


def results_of(
    cupy: Any, name: str, routine: Callable[..., Any], arrays: Sequence[Any], options: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """Return what a routine gives for a matrix and other operands; None where it would say nothing of NaN and
    infinities of the matrix.

    Elimination ends for any numbers. Where it waits for its status, it begins before these are looked for.
    """
    finite: Any = _all_finite(cupy)(arrays[0]) if name in _SILENT else True
    if name not in _WAITING and not finite:
        return None
    try:
        results = routine(cupy, *arrays, **options)
    except Exception:
        if finite:
            raise
        return None
    if name in _WAITING and not finite:
        return None
    return results if isinstance(results, tuple) else (results,)


@lru_cache(1)
def _all_finite(cupy: Any) -> Any:
    """Return the reduction of CuPy that says whether all numbers are finite. It takes 50 us to make."""
    return cupy.ReductionKernel("T x", "bool y", "isfinite(x)", "a && b", "y = a", "true", "arrayapi_gpu_is_finite")


def _by_columns(cupy: Any, x: Any) -> Any:
    """Return a copy of the transpose of a matrix, by rows: by cuBLAS, because CuPy's copy of it is slower."""
    if not x.flags.c_contiguous:
        return cupy.array(x.T, order="C", copy=True)
    (rows, columns), out = x.shape, cupy.empty(x.shape[::-1], x.dtype)
    one, zero = np.ones(1, x.dtype), np.zeros(1, x.dtype)
    add = getattr(importlib.import_module(_CUBLAS), _LETTERS[x.dtype.char] + "geam")
    add(
        cupy.cuda.device.get_cublas_handle(), _TRANSPOSED, _AS_IT_LIES, rows, columns, one.ctypes.data, x.data.ptr,
        columns, zero.ctypes.data, out.data.ptr, rows, out.data.ptr, rows,
    )  # fmt: skip
    return out


def _cholesky(cupy: Any, x: Any, *, upper: bool) -> Any:
    """The lower factor by columns is the transpose of what lies in memory: U of a matrix by rows, as U.T is the lower
    factor of the transpose."""
    if x.ndim > 2:  # CuPy reads the lower triangles of stacks
        turned = x.conj().swapaxes(-1, -2) if upper else x
        factor = cupy.linalg.cholesky(turned)
        return factor.conj().swapaxes(-1, -2) if upper else factor
    a, n = cupy.array(x, order="C", copy=True) if upper else _by_columns(cupy, x), len(x)
    sizes, run = _routine("potrf", a)
    problem = (cupy.cuda.device.get_cusolver_handle(), _LOWER, n, a.data.ptr, n)
    size, status = sizes(*problem), cupy.empty(1, np.int32)
    room = cupy.empty(size, a.dtype)
    run(*problem, room.data.ptr, size, status.data.ptr)
    if int(status[0]):
        raise np.linalg.LinAlgError("potrf of cuSOLVER failed")
    clear = cupy.ElementwiseKernel(
        "", "T x", "if (_ind.get()[0] > _ind.get()[1]) x = 0", "arrayapi_gpu_upper_triangle", reduce_dims=False
    )
    clear(a)
    return a if upper else a.T


def _lu(cupy: Any, x: Any) -> tuple[Any, Any]:
    """Zero pivots are reported by the status, which nobody reads: they make no error here."""
    a, (rows, columns) = _by_columns(cupy, x), x.shape
    sizes, run = _routine("getrf", a)
    problem = (cupy.cuda.device.get_cusolver_handle(), rows, columns, a.data.ptr, rows)
    room, status = cupy.empty(sizes(*problem), a.dtype), cupy.empty(1, np.int32)
    pivots = cupy.empty(min(x.shape), np.int32)
    run(*problem, room.data.ptr, pivots.data.ptr, status.data.ptr)
    return a.T, pivots - 1


def _solve_triangular(cupy: Any, a: Any, b: Any, *, lower: bool, unit_diagonal: bool) -> Any:
    if not unit_diagonal and not bool(cupy.diagonal(a, axis1=-2, axis2=-1).all()):
        raise np.linalg.LinAlgError("a triangle has a zero on its diagonal")
    solve = importlib.import_module("cupyx.scipy.linalg").solve_triangular
    return solve(a, b, lower=lower, unit_diagonal=unit_diagonal)


def _svd(cupy: Any, x: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """A tall matrix is decomposed through its triangular factor, if it has one, because cuSOLVER takes longer for the
    whole."""
    rows, columns = x.shape
    full_matrices = full_matrices and rows != columns
    if rows < columns and not full_matrices:
        found = _svd(cupy, x.T, False, compute_uv)
        return (found[2].T, found[1], found[0].T) if compute_uv else found
    if rows >= _TALL * columns and not full_matrices and (factors := _tall_factors(cupy, x)) is not None:
        q, r = factors
        found = _svd(cupy, r, False, compute_uv)
        return (q @ found[0], *found[1:]) if compute_uv else found
    found = _polar_svd(cupy, x) if compute_uv and not full_matrices else None
    return cupy.linalg.svd(x, full_matrices, compute_uv) if found is None else found


def _polar_svd(cupy: Any, x: Any) -> tuple[Any, Any, Any] | None:
    """The singular value decomposition through the polar one, which CuPy does not wrap. None where cuSOLVER has it not,
    where it changed the matrix by more than rounding, as it does if singular values are near 0."""
    cusolver = importlib.import_module(_CUSOLVER)
    sizes, run = (
        solver_function(cusolver._getVersion()[0], f"cusolverDnXgesvdp{part}") for part in ("_bufferSize", "")
    )
    if sizes is None or run is None:
        return None
    rows, columns = x.shape
    a, kind, real = _by_columns(cupy, x), _KINDS[x.dtype.char], _KINDS[x.dtype.char.lower()]
    values = cupy.empty(columns, x.real.dtype)
    left, right = cupy.empty((columns, rows), x.dtype), cupy.empty((columns, columns), x.dtype)
    handle, parameters = cupy.cuda.device.get_cusolver_handle(), cusolver.createParams()
    cusolver.setStream(handle, cupy.cuda.get_current_stream().ptr)
    address, length = ctypes.c_void_p, ctypes.c_int64
    problem = (
        address(handle), address(parameters), 1, 1, length(rows), length(columns),
        kind, address(a.data.ptr), length(rows), real, address(values.data.ptr),
        kind, address(left.data.ptr), length(rows), kind, address(right.data.ptr), length(columns), kind,
    )  # fmt: skip
    here, there, error = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_double()
    try:
        if sizes(*problem, ctypes.byref(here), ctypes.byref(there)):
            return None
        room, own, status = cupy.empty(here.value, np.uint8), np.empty(there.value, np.uint8), cupy.empty(1, np.int32)
        failed = run(
            *problem, address(room.data.ptr), here, address(own.ctypes.data), there, address(status.data.ptr),
            ctypes.byref(error),
        )  # fmt: skip
        if failed or int(status[0]) or error.value > _ROUNDING * np.finfo(x.dtype).eps * float(values[0]):
            return None
    finally:
        cusolver.destroyParams(parameters)
    return left.T, values, right.conj()


def _tall_factors(cupy: Any, x: Any) -> tuple[Any, Any] | None:
    """Return the factors of a tall matrix, orthonormal columns and a triangle, by products of matrices. Return None
    where their product is not the matrix, except for rounding, because its columns are too unlike or dependent.

    Source: Y. Yamamoto, Y. Nakatsukasa, Y. Yanagisawa, T. Fukaya, "Roundoff error analysis of the CholeskyQR2
    algorithm", Electronic Transactions on Numerical Analysis 44, 2015.
    """
    solve = importlib.import_module("cupyx.scipy.linalg").solve_triangular
    norm, one = cupy.linalg.norm, cupy.eye(x.shape[1], dtype=x.dtype)
    q, r = x, one
    with contextlib.suppress(np.linalg.LinAlgError, MemoryError):
        for last in (False, True):
            products = q.conj().T @ q
            if last and not bool(norm(products - one) < _ORTHONORMAL):  # NaN is not, either
                return None
            factor = cupy.linalg.cholesky(products).conj().T
            q, r = q @ solve(factor, one), factor @ r
        if bool(norm(q @ r - x) <= _ROUNDING * np.finfo(x.dtype).eps * norm(x)):
            return q, r
    return None


SOLVERS: dict[str, Callable[..., Any]] = {
    "cholesky": _cholesky,
    "eigh": lambda cupy, x: cupy.linalg.eigh(x),
    "eigvalsh": lambda cupy, x: cupy.linalg.eigvalsh(x),
    "inv": lambda cupy, x: cupy.linalg.inv(x),
    "lu": _lu,
    "qr": lambda cupy, x, *, mode: cupy.linalg.qr(x, mode),
    "slogdet": lambda cupy, x: cupy.linalg.slogdet(x),
    "solve": lambda cupy, a, b: cupy.linalg.solve(a, b),
    "solve_triangular": _solve_triangular,
    "svd": _svd,
    "svdvals": partial(_svd, compute_uv=False),
}
# For whose status CuPy would wait, though it speaks of wrong arguments alone.
UNCHECKED = frozenset({"qr"})
