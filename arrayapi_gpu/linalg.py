"""The linear algebra extension (standard, chapter "Linear algebra extension").

Matrices are the last two axes; other axes are a stack of matrices. Factorisations are computed at once, stacks of small
matrices by own kernels (`kernels.routines.matrices`), others by the device's library or LAPACK on the host
(`kernels.host.host_library`), and raise `LinAlgError`. All other functions are lazy expressions of functions of
the namespace. Integers are computed in the default floating-point dtype; float16 is computed in float32 and rounded at
the end. Every function raises TypeError for a dtype, and ValueError for a shape, that it does not support.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numpy.linalg import LinAlgError as LinAlgError

from . import lazy
from .api.core.arguments import of_arrays, refused
from .api.core.array_object import Array
from .api.core.names import attributes
from .api.numpy.extra_functions import cross_products
from .api.standard.creation_functions import empty, eye, on_device_of
from .api.standard.data_type_functions import finfo
from .api.standard.elementwise_functions import abs, conj, imag, multiply, pow, real, reciprocal, sqrt, square
from .api.standard.linear_algebra_functions import matmul, matrix_transpose, tensordot, vecdot
from .api.standard.manipulation_functions import broadcast_to, expand_dims, moveaxis, reshape
from .api.standard.searching_functions import where
from .api.standard.statistical_functions import axes_of, max, min, sum
from .lazy import Movement, available, handle, routine, view
from .memory import layout as layouts
from .memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPONENT,
    COMPUTES_IN,
    DTYPE_OF,
    INTEGRAL,
    NUMERIC,
    DType,
    defaults,
    promote,
)

__all__ = [
    "LinAlgError",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
if not TYPE_CHECKING:  # with ``__getattr__`` mypy would accept every name
    __getattr__, __dir__ = attributes(__name__, __all__)

INT64 = DTYPE_OF["i64"]


class EigenResult(NamedTuple):
    """Eigenvalues of shape (..., M), and eigenvectors in the columns of an array (..., M, M)."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """The factors of a QR decomposition: ``Q`` with orthonormal columns, and the upper triangular ``R``."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the natural logarithm of its absolute value."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors in the columns of ``U``, singular values ``S``, right singular vectors in the rows of
    ``Vh``."""

    U: Array
    S: Array
    Vh: Array


# --- checks of arguments -------------------------------------------------------------------------


def _floating(name: str, x: Array) -> Array:
    """``x`` in a floating-point dtype. TypeError for booleans, and unless ``x`` is an array."""
    if not isinstance(x, Array):
        raise refused(name, x)
    if x.dtype in BOOLEAN:
        raise TypeError(f"{name}: got bool; allowed: numeric dtypes; convert with astype")
    if x.dtype in INTEGRAL:
        return _cast(x, defaults("f64" in x.device.dtypes)["real floating"])
    return x


def _matrices(name: str, x: Array) -> Array:
    x = _floating(name, x)
    if x.ndim < 2:
        raise ValueError(f"{name}: the array has shape {x.shape}; allowed: 2 axes or more; use reshape or expand_dims")
    return x


def _square(name: str, x: Array) -> Array:
    x = _matrices(name, x)
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}: the matrices have shape {x.shape[-2:]}; allowed: square matrices; use pinv or lstsq")
    return x


def _numeric_pair(name: str, x1: Array, x2: Array) -> None:
    for x in (x1, x2):
        if not isinstance(x, Array):
            raise TypeError(f"{name}: got {type(x).__name__}; allowed: arrayapi_gpu arrays; use asarray")
        if x.dtype not in NUMERIC:
            raise TypeError(f"{name}: got {x.dtype}; allowed: numeric dtypes; convert with astype")
    if x1.device is not x2.device:
        raise lazy.different_devices(name, x1.device, x2.device)


def _cast(x: Array, dtype: DType) -> Array:
    """``x`` in another dtype; the same expression if it has that dtype already."""
    return handle(Array, lazy.astype(x._node, dtype))


def _wide(x: Array) -> Array:
    """``x`` in the dtype of the computation; the caller rounds once, at the end."""
    return _cast(x, COMPUTES_IN[x.dtype])


def _real_dtype(x: Array) -> DType:
    return COMPONENT.get(x.dtype, x.dtype)


def _routine(name: str, *operands: Array, **options: Any) -> list[Array]:
    return [handle(Array, node) for node in routine(name, *[x._node for x in operands], **options)]


# --- factorisations ------------------------------------------------------------------------------


@of_arrays
def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The lower triangular L with L @ L.mH = ``x``, or, if ``upper``, the upper triangular U with U.mH @ U = ``x``.

    ``x``: Hermitian matrices (..., M, M); only the lower (upper) triangle is read. LinAlgError if a matrix is
    not positive definite. Source: standard, ``linalg.cholesky``.
    """
    return _routine("cholesky", _square("cholesky", x), upper=bool(upper))[0]


@of_arrays
def det(x: Array, /) -> Array:
    """The determinants (...) of matrices ``x`` (..., M, M); 1 for M = 0. Source: standard, ``linalg.det``."""
    return _routine("det", _square("det", x))[0]


@of_arrays
def eig(x: Array, /) -> EigenResult:
    """The eigenvalues and eigenvectors of matrices ``x`` (..., M, M), complex for every dtype, in no particular order.

    LinAlgError if the iteration does not converge, or if ``x`` contains NaN or infinity.
    Source: standard, ``linalg.eig``.
    """
    return EigenResult(*_routine("eig", _square("eig", x)))


@of_arrays
def eigh(x: Array, /) -> EigenResult:
    """The eigenvalues, real and ascending, and the orthonormal eigenvectors of Hermitian matrices ``x`` (..., M, M).

    Only the lower triangle of ``x`` is read. LinAlgError if the iteration does not converge.
    Source: standard, ``linalg.eigh``.
    """
    return EigenResult(*_routine("eigh", _square("eigh", x)))


@of_arrays
def eigvals(x: Array, /) -> Array:
    """The eigenvalues (..., M) of matrices ``x`` (..., M, M), as in `eig`. Source: standard, ``linalg.eigvals``."""
    return _routine("eigvals", _square("eigvals", x))[0]


@of_arrays
def eigvalsh(x: Array, /) -> Array:
    """The eigenvalues (..., M) of Hermitian matrices ``x`` (..., M, M), as in `eigh`.

    Source: standard, ``linalg.eigvalsh``.
    """
    return _routine("eigvalsh", _square("eigvalsh", x))[0]


@of_arrays
def inv(x: Array, /) -> Array:
    """The inverses of matrices ``x`` (..., M, M). LinAlgError if a matrix is singular.

    Source: standard, ``linalg.inv``.
    """
    return _routine("inv", _square("inv", x))[0]


@of_arrays
def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """The QR decomposition ``x`` = Q @ R of matrices ``x`` (..., M, N): Q with orthonormal columns, and R upper
    triangular with a real diagonal.

    ``mode``: "reduced", Q is (..., M, K) and R (..., K, N) with K = min(M, N); "complete", Q is (..., M, M) and R
    (..., M, N). ValueError for another mode. Source: standard, ``linalg.qr``.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f'qr: mode is {mode!r}; allowed: "reduced", "complete"')
    return QRResult(*_routine("qr", _matrices("qr", x), mode=mode))


@of_arrays
def slogdet(x: Array, /) -> SlogdetResult:
    """The signs of the determinants of matrices ``x`` (..., M, M), and the natural logarithms of their absolute values,
    which are real.

    The sign of a singular matrix is 0, the logarithm -inf. Source: standard, ``linalg.slogdet``.
    """
    return SlogdetResult(*_routine("slogdet", _square("slogdet", x)))


@of_arrays
def solve(x1: Array, x2: Array, /) -> Array:
    """The solutions X of x1 @ X = x2 for matrices ``x1`` (..., M, M) and ``x2`` (..., M, K) or (M,); stacks broadcast.

    LinAlgError if a matrix is singular, ValueError if shapes do not match. Source: standard, ``linalg.solve``.
    """
    a, b = _square("solve", x1), _floating("solve", x2)
    _numeric_pair("solve", a, b)
    rows = b.shape[-1 if b.ndim == 1 else -2] if b.ndim else None
    if rows != a.shape[-1]:
        raise ValueError(f"solve: shapes {a.shape} and {b.shape}; allowed: (..., M, M) with (M,) or (..., M, K)")
    if b.ndim > 1:
        layouts.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    dtype = available(promote(a.dtype, b.dtype), a.device)
    return _routine("solve", _cast(a, dtype), _cast(b, dtype))[0]


@of_arrays
def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular value decomposition ``x`` = U @ diag(S) @ Vh of matrices ``x`` (..., M, N); the singular values S
    are real and descending.

    ``full_matrices``: True, U is (..., M, M) and Vh (..., N, N); False, U is (..., M, K) and Vh (..., K, N) with
    K = min(M, N). LinAlgError if the iteration does not converge. Source: standard, ``linalg.svd``.
    """
    return SVDResult(*_routine("svd", _matrices("svd", x), full_matrices=bool(full_matrices)))


@of_arrays
def svdvals(x: Array, /) -> Array:
    """The singular values (..., K), K = min(M, N), of matrices ``x`` (..., M, N), real and descending.

    Source: standard, ``linalg.svdvals``.
    """
    return _routine("svdvals", _matrices("svdvals", x))[0]


# --- expressions ---------------------------------------------------------------------------------


@of_arrays
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross products of the 3-vectors along ``axis``, a negative number; other axes broadcast.

    ValueError for another extent or axis. Source: standard, ``linalg.cross``.
    """
    _numeric_pair("cross", x1, x2)
    least = x1.ndim if x1.ndim < x2.ndim else x2.ndim
    if not -least <= operator.index(axis) < 0:
        raise ValueError(f"cross: axis={axis}; allowed: {-least} to -1")
    return cross_products(x1, x2, axis)


@of_arrays
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The diagonals of matrices ``x`` (..., M, N) along a new last axis, as a read-only view.

    ``offset``: the number of columns to the right of the main diagonal. ValueError for fewer than two axes.
    Source: standard, ``linalg.diagonal``.
    """
    if x.ndim < 2:
        raise ValueError(f"diagonal: the array has shape {x.shape}; allowed: 2 axes or more; use reshape first")
    shift = operator.index(offset)
    return handle(Array, view(x._node, Movement("linalg.diagonal", {"offset": shift}), fixed=True))


@of_arrays
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array:
    """The norms (...) of matrices ``x`` (..., M, N), real.

    ``ord``: "fro", the Frobenius norm; "nuc", the sum of the singular values; 2 or -2, the largest or smallest singular
    value; 1 or -1, the largest or smallest sum of abs(x) over a column; inf or -inf, over a row. Norms of empty
    matrices are 0. ValueError for another ``ord``, and for a smallest value of an empty matrix.
    Source: standard, ``linalg.matrix_norm``.
    """
    x = _matrices("matrix_norm", x)
    dtype = _real_dtype(x)
    wide = _wide(x)
    if ord in ("fro", None):
        result = sqrt(sum(_squares(wide), axis=(-2, -1)))
    elif ord == "nuc":
        result = sum(svdvals(wide), axis=-1)
    elif ord in (2, -2):
        result = _extreme(svdvals(wide), -1, ord)
    elif ord in (1, -1):
        result = _extreme(sum(abs(wide), axis=-2), -1, ord)
    elif ord in (math.inf, -math.inf):
        result = _extreme(sum(abs(wide), axis=-1), -1, ord)
    else:
        raise ValueError(f'matrix_norm: ord is {ord!r}; allowed: "fro", "nuc", 1, -1, 2, -2, inf, -inf')
    result = _cast(result, dtype)
    return expand_dims(result, axis=(-2, -1)) if keepdims else result


@of_arrays
def matrix_power(x: Array, n: int, /) -> Array:
    """The powers of matrices ``x`` (..., M, M) with integer exponent ``n``, by repeated squaring; if n < 0, of the
    inverses.

    The dtype of integers does not change if n >= 0. LinAlgError if n < 0 and a matrix is singular.
    Source: standard, ``linalg.matrix_power``.
    """
    n = operator.index(n)
    floating = _square("matrix_power", x)
    x = x if n >= 0 else floating
    dtype = x.dtype
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=dtype, device=x.device), x.shape).copy()
    factor = _wide(x)
    if n < 0:
        factor, n = inv(factor), -n
    result: Array | None = None
    while n:
        if n & 1:
            result = factor if result is None else matmul(result, factor)
        n >>= 1
        if n:
            factor = matmul(factor, factor)
    assert result is not None
    return _cast(result, dtype)


@of_arrays
def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """The ranks (int64) of matrices ``x`` (..., M, N): the number of singular values above ``rtol`` times the largest.

    ``rtol``: a number or an array (...); by default max(M, N) * eps. Source: standard, ``linalg.matrix_rank``.
    """
    x = _matrices("matrix_rank", x)
    singular = svdvals(_wide(x))
    return sum(singular > _cutoff("matrix_rank", x, singular, rtol), axis=-1, dtype=INT64)


@of_arrays
def outer(x1: Array, x2: Array, /) -> Array:
    """The products of each element of ``x1`` (N,) with each element of ``x2`` (M,), as a matrix (N, M).

    ValueError unless both are one-dimensional. Source: standard, ``linalg.outer``.
    """
    _numeric_pair("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: shapes {x1.shape} and {x2.shape}; allowed: 1 axis each; use reshape(x, (-1,))")
    return multiply(expand_dims(x1, axis=1), x2)


@of_arrays
def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """The pseudo-inverses (..., N, M) of matrices ``x`` (..., M, N).

    ``rtol``: a number or an array (...); singular values up to ``rtol`` times the largest are treated as 0; by default
    max(M, N) * eps. Source: standard, ``linalg.pinv``.
    """
    x = _matrices("pinv", x)
    u, singular, vh = svd(_wide(x), full_matrices=False)
    inverse = where(singular > _cutoff("pinv", x, singular, rtol), reciprocal(singular), 0.0)
    scaled = conj(vh).mT * expand_dims(inverse, axis=-2)
    return _cast(matmul(scaled, conj(u).mT), x.dtype)


@of_arrays
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of the diagonals of matrices ``x`` (..., M, N); 0 for an empty diagonal.

    ``offset`` as in `diagonal`; ``dtype`` as in `sum`. Source: standard, ``linalg.trace``.
    """
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


@of_arrays
def vector_norm(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """The norms of vectors along axes (all by default), real: sum(abs(x)**ord)**(1/ord).

    ``ord``: a number; inf or -inf, the largest or smallest abs(x); 0, the number of nonzero elements. TypeError unless
    ``ord`` is a number. Source: standard, ``linalg.vector_norm``.
    """
    x = _floating("vector_norm", x)
    if not isinstance(ord, (int, float)):
        raise TypeError(f"vector_norm: ord is {ord!r}; allowed: a number, inf, -inf")
    axes = axes_of(axis, x.ndim, "vector_norm")
    dtype = _real_dtype(x)
    wide = _wide(x)
    if ord in (math.inf, -math.inf):
        result = _extreme(abs(wide), axes, ord, keepdims)
    elif ord == 0:
        result = sum(_cast(wide != 0, _real_dtype(wide)), axis=axes, keepdims=keepdims)
    elif ord == 1:
        result = sum(abs(wide), axis=axes, keepdims=keepdims)
    elif ord == 2:
        result = sqrt(sum(_squares(wide), axis=axes, keepdims=keepdims))
    else:
        powers = sum(pow(abs(wide), float(ord)), axis=axes, keepdims=keepdims)
        result = pow(powers, 1 / ord)
    return _cast(result, dtype)


def _squares(x: Array) -> Array:
    """``abs(x)**2``, without the square root that abs computes for complex numbers."""
    return square(real(x)) + square(imag(x)) if x.dtype in COMPLEX_FLOATING else square(x)


def _extreme(x: Array, axes: int | tuple[int, ...], ord: float, keepdims: bool = False) -> Array:
    """The largest (for a positive order) or smallest element; the largest of no elements is 0."""
    if ord < 0:
        return min(x, axis=axes, keepdims=keepdims)
    if x.size == 0:
        return sum(x, axis=axes, keepdims=keepdims)
    return max(x, axis=axes, keepdims=keepdims)


def _cutoff(name: str, x: Array, singular: Array, rtol: float | Array | None) -> Array:
    """The limit up to which singular values of ``x`` are treated as 0, in a shape that broadcasts with them."""
    if rtol is None:
        rows, columns = x.shape[-2:]
        rtol = finfo(x.dtype).eps * (rows if rows > columns else columns)
    elif not isinstance(rtol, (int, float)):
        rtol = expand_dims(on_device_of(x, rtol, name), axis=-1)
    return multiply(singular[..., :1], rtol)


# --- extensions: NumPy's names and arguments --------------------------------------------------------


@of_arrays
def norm(
    x: Array,
    /,
    ord: float | Literal["fro", "nuc"] | None = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> Array:
    """The norms of vectors along one axis, as `vector_norm`, or of matrices along two axes, as `matrix_norm`.

    ``axis``: one axis, two axes, or None for all axes: the 2-norm of all elements if ``ord`` is None, otherwise the
    norm of the array, which must have one or two axes. ValueError for other axes. Source: NumPy, ``linalg.norm``.
    """
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    axes = layouts.normalize_axes(axis, x.ndim, "norm")
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"norm: ord is {ord!r} along one axis; allowed: a number, inf, -inf, None")
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"norm: got {len(axes)} axes, of shape {x.shape}; allowed: 1 or 2; pass axis=")
    found = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    return reshape(found, tuple(1 if k in axes else n for k, n in enumerate(x.shape))) if keepdims else found


@of_arrays
def lstsq(a: Array, b: Array, /, rcond: float | None = None) -> tuple[Array, Array, Array, Array]:
    """A tuple (x, residuals, rank, singular values): the x of least norm that minimizes the norm of b - a @ x, the sums
    of squared residuals, the rank of ``a`` and its singular values.

    ``a``: a matrix (M, N); ``b``: an array (M,) or (M, K); ``rcond``: singular values up to ``rcond`` times the largest
    are treated as 0; by default max(M, N) * eps. The residuals are an empty array if the rank is below N or M <= N.
    ValueError for other shapes. Source: NumPy, ``linalg.lstsq``.
    """
    one, two = _matrices("lstsq", a), _floating("lstsq", on_device_of(a, b, "lstsq"))
    _numeric_pair("lstsq", one, two)
    if one.ndim != 2 or two.ndim not in (1, 2) or one.shape[0] != two.shape[0]:
        raise ValueError(f"lstsq: shapes {one.shape} and {two.shape}; allowed: (M, N) with (M,) or (M, K)")
    dtype = available(promote(one.dtype, two.dtype), one.device)
    columns = _wide(_cast(two, dtype))
    matrix = _wide(_cast(one, dtype))
    right = expand_dims(columns, axis=1) if columns.ndim == 1 else columns
    u, singular, vh = svd(matrix, full_matrices=False)
    used = singular > _cutoff("lstsq", _cast(one, dtype), singular, rcond)
    inverse = where(used, reciprocal(singular), 0.0)
    solution = matmul(conj(vh).mT, expand_dims(inverse, axis=-1) * matmul(conj(u).mT, right))
    rank = sum(used, dtype=INT64)
    rows, count = one.shape
    if rows > count and int(rank) == count:
        residuals = sum(_squares(right - matmul(matrix, solution)), axis=0)
    else:
        residuals = empty((0,), dtype=_real_dtype(columns), device=one.device)
    found = reshape(solution, (count,)) if columns.ndim == 1 else solution
    real_dtype = COMPONENT.get(dtype, dtype)
    return _cast(found, dtype), _cast(residuals, real_dtype), rank, _cast(singular, real_dtype)
