"""The linear algebra extension (standard, chapter "Linear algebra extension").

Matrices are the last two axes; the others are a stack. Factorisations are LAPACK's
(`kernels.host.host_library`): they are computed when they are called, and raise `LinAlgError` for matrices
that they cannot factor. All other functions are expressions of the namespace's own functions, and as lazy. Integers
are computed in the default floating-point dtype, float16 in float32 and rounded at the end. Every
function raises TypeError for a dtype and ValueError for a shape that it does not take.
"""

from __future__ import annotations

import math
import operator
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numpy.linalg import LinAlgError as LinAlgError

from .api.core.arguments import of_arrays, refused
from .api.core.array_object import Array
from .api.core.names import attributes
from .api.numpy.extra_functions import cross_products
from .api.standard.creation_functions import beside, empty, eye
from .api.standard.data_type_functions import finfo
from .api.standard.elementwise_functions import abs, conj, imag, multiply, pow, real, reciprocal, sqrt, square
from .api.standard.linear_algebra_functions import matmul, matrix_transpose, tensordot, vecdot
from .api.standard.manipulation_functions import broadcast_to, expand_dims, moveaxis, reshape
from .api.standard.searching_functions import where
from .api.standard.statistical_functions import axes_of, max, min, sum
from .lazy.build import build
from .lazy.build.build import handle, view
from .lazy.build.routines import routine
from .lazy.graph.expressions import call
from .lazy.graph.graph import available
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
if not TYPE_CHECKING:  # mypy would take it that every name exists
    __getattr__, __dir__ = attributes(__name__, __all__)

INT64 = DTYPE_OF["i64"]


class EigenResult(NamedTuple):
    """Eigenvalues (..., M), and eigenvectors (..., M, M) in the columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Orthonormal columns Q, and the upper triangular R."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors in columns of U, singular values S, right vectors in rows of Vh."""

    U: Array
    S: Array
    Vh: Array


# --- what goes in --------------------------------------------------------------------------------


def _floating(name: str, x: Array) -> Array:
    """x in a floating-point dtype."""
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
        raise ValueError(f"{name}: the array has shape {x.shape}; allowed: 2 axes or more")
    return x


def _square(name: str, x: Array) -> Array:
    x = _matrices(name, x)
    if x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name}: the matrices have shape {x.shape[-2:]}; allowed: square matrices")
    return x


def _numeric_pair(name: str, x1: Array, x2: Array) -> None:
    for x in (x1, x2):
        if not isinstance(x, Array):
            raise TypeError(f"{name}: got {type(x).__name__}; allowed: arrays; use asarray")
        if x.dtype not in NUMERIC:
            raise TypeError(f"{name}: got {x.dtype}; allowed: numeric dtypes; convert with astype")
    if x1.device is not x2.device:
        raise build.different_devices(name, x1.device, x2.device)


def _cast(x: Array, dtype: DType) -> Array:
    """x in another dtype; the same expression where it has it already."""
    return handle(Array, build.astype(x._node, dtype))


def _wide(x: Array) -> Array:
    """x in the dtype in which it is computed; the caller rounds once, at the end."""
    return _cast(x, COMPUTES_IN[x.dtype])


def _real_dtype(x: Array) -> DType:
    return COMPONENT.get(x.dtype, x.dtype)


def _routine(name: str, *operands: Array, **options: Any) -> list[Array]:
    return [handle(Array, node) for node in routine(name, *[x._node for x in operands], **options)]


# --- factorisations ------------------------------------------------------------------------------


@of_arrays
def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The lower triangular L with L @ L.mH = x, or with ``upper`` the U with U.mH @ U = x.

    x (..., M, M) is Hermitian; only that triangle of it is read. LinAlgError where x is not
    positive definite. Source: standard, ``linalg.cholesky``.
    """
    return _routine("cholesky", _square("cholesky", x), upper=bool(upper))[0]


@of_arrays
def det(x: Array, /) -> Array:
    """Determinants of x (..., M, M), 1 for M = 0. Source: standard, ``linalg.det``."""
    return _routine("det", _square("det", x))[0]


@of_arrays
def eig(x: Array, /) -> EigenResult:
    """Eigenvalues and eigenvectors of x (..., M, M), complex for every dtype, in no order.

    LinAlgError where the iteration does not converge or x is not finite.
    Source: standard, ``linalg.eig``.
    """
    return EigenResult(*_routine("eig", _square("eig", x)))


@of_arrays
def eigh(x: Array, /) -> EigenResult:
    """Eigenvalues, real and ascending, and orthonormal eigenvectors of Hermitian x (..., M, M).

    Only the lower triangle of x is read. LinAlgError where the iteration does not converge.
    Source: standard, ``linalg.eigh``.
    """
    return EigenResult(*_routine("eigh", _square("eigh", x)))


@of_arrays
def eigvals(x: Array, /) -> Array:
    """Eigenvalues of x (..., M, M) as in `eig`. Source: standard, ``linalg.eigvals``."""
    return _routine("eigvals", _square("eigvals", x))[0]


@of_arrays
def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues of x (..., M, M) as in `eigh`. Source: standard, ``linalg.eigvalsh``."""
    return _routine("eigvalsh", _square("eigvalsh", x))[0]


@of_arrays
def inv(x: Array, /) -> Array:
    """Inverses of x (..., M, M). LinAlgError where a matrix is singular.

    Source: standard, ``linalg.inv``.
    """
    return _routine("inv", _square("inv", x))[0]


@of_arrays
def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """x = Q @ R for x (..., M, N): orthonormal columns Q, upper triangular R with a real diagonal.

    Q has K = min(M, N) columns and R as many rows, or M if ``mode`` is "complete". ValueError for
    another mode. Source: standard, ``linalg.qr``.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f'qr: mode is {mode!r}; allowed: "reduced", "complete"')
    return QRResult(*_routine("qr", _matrices("qr", x), mode=mode))


@of_arrays
def slogdet(x: Array, /) -> SlogdetResult:
    """Sign of determinants of x (..., M, M) and logarithm of their absolute value, which is real.

    0 and -inf where a matrix is singular. Source: standard, ``linalg.slogdet``.
    """
    return SlogdetResult(*_routine("slogdet", _square("slogdet", x)))


@of_arrays
def solve(x1: Array, x2: Array, /) -> Array:
    """The X with x1 @ X = x2 for x1 (..., M, M) and x2 (..., M, K) or (M,); stacks broadcast.

    LinAlgError where x1 is singular, ValueError where shapes do not match.
    Source: standard, ``linalg.solve``.
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
    """x = U @ diag(S) @ Vh for x (..., M, N), singular values S descending and real.

    U is (..., M, M) and Vh (..., N, N); without ``full_matrices`` (..., M, K) and (..., K, N) with
    K = min(M, N). LinAlgError where the iteration does not converge.
    Source: standard, ``linalg.svd``.
    """
    return SVDResult(*_routine("svd", _matrices("svd", x), full_matrices=bool(full_matrices)))


@of_arrays
def svdvals(x: Array, /) -> Array:
    """Singular values of x (..., M, N), descending, real. Source: standard, ``linalg.svdvals``."""
    return _routine("svdvals", _matrices("svdvals", x))[0]


# --- expressions ---------------------------------------------------------------------------------


@of_arrays
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Cross products of the vectors of 3 along ``axis``, a negative one; other axes broadcast.

    ValueError for another extent or axis. Source: standard, ``linalg.cross``.
    """
    _numeric_pair("cross", x1, x2)
    least = x1.ndim if x1.ndim < x2.ndim else x2.ndim
    if not -least <= operator.index(axis) < 0:
        raise ValueError(f"cross: axis={axis}; allowed: {-least} ... -1")
    return cross_products(x1, x2, axis)


@of_arrays
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The diagonals of x (..., M, N) along a last axis, as a view that refuses writes.

    ``offset`` counts columns to the right. ValueError below two axes. Source: standard,
    ``linalg.diagonal``.
    """
    if x.ndim < 2:
        raise ValueError(f"diagonal: the array has shape {x.shape}; allowed: 2 axes or more")
    shift = operator.index(offset)
    text = partial(call, "linalg.diagonal", offset=shift)
    return handle(Array, view(x._node, lambda own: layouts.diagonal(own, shift), text, fixed=True))


@of_arrays
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array:
    """Norms of the matrices of x (..., M, N), real.

    ``ord`` is "fro": Frobenius; "nuc": the sum of singular values; 2, -2: their extremes; 1, -1:
    the extremes of the columns' sums of abs(x); inf, -inf: of the rows'. Norms of no elements are
    0. ValueError for another ``ord``, and for the smallest of nothing. Source: standard,
    ``linalg.matrix_norm``.
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
    """x (..., M, M) to the power ``n``, by repeated squaring; of the inverse for negative n.

    Integers stay integers for n of 0 and more. LinAlgError for a singular matrix and negative n.
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
    """How many singular values of x (..., M, N) are above ``rtol`` times the largest, as int64.

    ``rtol``, a number or an array (...), is max(M, N) * eps by default.
    Source: standard, ``linalg.matrix_rank``.
    """
    x = _matrices("matrix_rank", x)
    singular = svdvals(_wide(x))
    return sum(singular > _cutoff("matrix_rank", x, singular, rtol), axis=-1, dtype=INT64)


@of_arrays
def outer(x1: Array, x2: Array, /) -> Array:
    """All products of an element of x1 (N,) and one of x2 (M,), as (N, M).

    Source: standard, ``linalg.outer``.
    """
    _numeric_pair("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: shapes {x1.shape} and {x2.shape}; allowed: 1 axis each")
    return multiply(expand_dims(x1, axis=1), x2)


@of_arrays
def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Pseudo-inverses (..., N, M) of x (..., M, N).

    Singular values up to ``rtol`` times the largest count as 0; ``rtol``, a number or an array
    (...), is max(M, N) * eps by default. Source: standard, ``linalg.pinv``.
    """
    x = _matrices("pinv", x)
    u, singular, vh = svd(_wide(x), full_matrices=False)
    inverse = where(singular > _cutoff("pinv", x, singular, rtol), reciprocal(singular), 0.0)
    scaled = conj(vh).mT * expand_dims(inverse, axis=-2)
    return _cast(matmul(scaled, conj(u).mT), x.dtype)


@of_arrays
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Sums of diagonals of x (..., M, N), 0 over nothing; dtypes as in `sum`.

    Source: standard, ``linalg.trace``.
    """
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


@of_arrays
def vector_norm(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """Norms along axes (all by default), real: sum(abs(x)**ord)**(1/ord).

    inf and -inf give the largest and the smallest abs(x), 0 the number of elements that are not 0.
    TypeError for an ``ord`` that is no number. Source: standard, ``linalg.vector_norm``.
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
    """abs(x)**2, without the root that abs takes of complex numbers."""
    return square(real(x)) + square(imag(x)) if x.dtype in COMPLEX_FLOATING else square(x)


def _extreme(x: Array, axes: int | tuple[int, ...], ord: float, keepdims: bool = False) -> Array:
    """The largest (for a positive order) or smallest absolute value; 0 is the largest of none."""
    if ord < 0:
        return min(x, axis=axes, keepdims=keepdims)
    if x.size == 0:
        return sum(x, axis=axes, keepdims=keepdims)
    return max(x, axis=axes, keepdims=keepdims)


def _cutoff(name: str, x: Array, singular: Array, rtol: float | Array | None) -> Array:
    """Up to where singular values of x count as 0, to be compared with them."""
    if rtol is None:
        rows, columns = x.shape[-2:]
        rtol = finfo(x.dtype).eps * (rows if rows > columns else columns)
    elif not isinstance(rtol, (int, float)):
        rtol = expand_dims(beside(x, rtol, name), axis=-1)
    return multiply(singular[..., :1], rtol)


# --- extras: NumPy's names and arguments ------------------------------------------------------------


@of_arrays
def norm(
    x: Array,
    /,
    ord: float | Literal["fro", "nuc"] | None = None,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
) -> Array:
    """The norm of a vector along one axis, as `vector_norm`, or of matrices along two, as `matrix_norm`.

    Without ``axis`` that of the whole array: with an ``ord`` of one or two axes, otherwise the 2-norm of all elements.
    ValueError for other axes. Source: NumPy, ``linalg.norm``.
    """
    if axis is None and ord is None:
        return vector_norm(x, keepdims=keepdims)
    axes = layouts.normalize_axes(axis, x.ndim, "norm")
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"norm: ord is {ord!r} along one axis; allowed: a number, inf, -inf, None")
        return vector_norm(x, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"norm: got {len(axes)} axes, of shape {x.shape}; allowed: 1 or 2")
    found = matrix_norm(moveaxis(x, axes, (-2, -1)), ord=ord)
    return reshape(found, tuple(1 if k in axes else n for k, n in enumerate(x.shape))) if keepdims else found


@of_arrays
def lstsq(a: Array, b: Array, /, rcond: float | None = None) -> tuple[Array, Array, Array, Array]:
    """The x of least norm for which a @ x is nearest to b, the sums of squared distances, the rank of a, and its
    singular values.

    a is (M, N), b (M,) or (M, K). Singular values up to ``rcond`` times the largest count as 0; ``rcond`` is
    max(M, N) * eps by default. The distances are an empty array where the rank is below N or M <= N.
    ValueError for other shapes. Source: NumPy, ``linalg.lstsq``.
    """
    one, two = _matrices("lstsq", a), _floating("lstsq", beside(a, b, "lstsq"))
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
