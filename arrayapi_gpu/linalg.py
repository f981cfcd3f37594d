"""The linear algebra extension (standard, chapter "Linear algebra extension").

Matrices are the last two axes; other axes are a stack of matrices. Factorisations are computed at once, stacks of small
matrices and large ones by own kernels (`kernels.routines`), others by the device's library or LAPACK on the host
(`kernels.host.host_library`), and raise `LinAlgError`. All other functions are lazy expressions of functions of
the namespace. Integers are computed in the default floating-point dtype; float16 is computed in float32 and rounded at
the end. Every function raises TypeError for a dtype, and ValueError for a shape, that it does not support.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError as LinAlgError

from .api.core.arguments import integer, negative_axis, of_arrays, refused
from .api.core.array_object import Array
from .api.core.names import attributes
from .api.numpy.extra_functions import cross_products
from .api.standard.creation_functions import asarray, empty, eye, on_device_of
from .api.standard.data_type_functions import finfo
from .api.standard.elementwise_functions import abs, conj, imag, isnan, multiply, pow, real, reciprocal, sqrt, square
from .api.standard.linear_algebra_functions import matmul, matrix_transpose, tensordot, vecdot
from .api.standard.manipulation_functions import broadcast_to, expand_dims, moveaxis, permute_dims, reshape
from .api.standard.searching_functions import where
from .api.standard.statistical_functions import axes_of, max, min, sum
from .api.standard.utility_functions import any
from .lazy import Movement, available, handle, view
from .linalg_arguments import (
    cast,
    computed,
    floating_array,
    matrices_of,
    numeric_pair,
    real_dtype,
    square_matrices,
    widened,
)
from .linalg_extras import cho_factor, cho_solve, lu, lu_factor, lu_solve, solve_triangular
from .memory import layout as layouts
from .memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, DTYPE_OF, SHORT, promote

__all__ = [
    "LinAlgError",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "expm",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_solve",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
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


# --- factorisations ------------------------------------------------------------------------------


@of_arrays
def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Return the Cholesky decomposition of Hermitian matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype. Only one triangle is read: the lower one,
        or the upper one if `upper` is True.
    upper : bool
        Whether to return upper triangular matrices.

    Returns
    -------
    Array
        Lower triangular matrices L with ``L @ L.mH`` equal to `x`, or upper triangular ones U with ``U.mH @ U`` equal
        to `x`. mH is the conjugate transpose. Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    eigh, solve

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.cholesky``.

    Examples
    --------
    >>> print(xp.linalg.cholesky(xp.asarray([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 0.]
     [1. 2.]]
    """
    return computed("cholesky", square_matrices("cholesky", x), upper=bool(upper))[0]


@of_arrays
def det(x: Array, /) -> Array:
    """Return the determinants of matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype.

    Returns
    -------
    Array
        Determinants (...); 1 for M = 0. Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    slogdet, inv

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.det``.

    Examples
    --------
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 5.0]])
    >>> print(xp.round(xp.linalg.det(x)))
    -1.0
    """
    return computed("det", square_matrices("det", x))[0]


@of_arrays
def eig(x: Array, /) -> EigenResult:
    """Return the eigenvalues and eigenvectors of matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype.

    Returns
    -------
    EigenResult
        A named tuple of two complex arrays: `eigenvalues` (..., M), in no particular order, and `eigenvectors` (..., M,
        M), normalized, in columns.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, or if `x` has NaN or infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    eigh, eigvals

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.eig``.

    Examples
    --------
    >>> values, vectors = xp.linalg.eig(xp.asarray([[2.0, 0.0], [0.0, 3.0]]))
    >>> print(values)
    [2.+0.j 3.+0.j]
    """
    return EigenResult(*computed("eig", square_matrices("eig", x)))


@of_arrays
def eigh(x: Array, /) -> EigenResult:
    """Return the eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype. Only the lower triangle is read.

    Returns
    -------
    EigenResult
        A named tuple of two arrays: `eigenvalues` (..., M), real and ascending, and `eigenvectors` (..., M, M),
        orthonormal, in columns. Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    eig, eigvalsh, cholesky

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.eigh``.

    Examples
    --------
    >>> values, vectors = xp.linalg.eigh(xp.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> print(values)
    [1. 3.]
    """
    return EigenResult(*computed("eigh", square_matrices("eigh", x)))


@of_arrays
def eigvals(x: Array, /) -> Array:
    """Return the eigenvalues of matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype.

    Returns
    -------
    Array
        Complex eigenvalues (..., M), in no particular order.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, or if `x` has NaN or infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    eig, eigvalsh

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.eigvals``.

    Examples
    --------
    >>> x = xp.asarray([[0.0, -1.0], [1.0, 0.0]])
    >>> print(xp.sort(xp.imag(xp.linalg.eigvals(x))))
    [-1.  1.]
    """
    return computed("eigvals", square_matrices("eigvals", x))[0]


@of_arrays
def eigvalsh(x: Array, /) -> Array:
    """Return the eigenvalues of Hermitian matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype. Only the lower triangle is read.

    Returns
    -------
    Array
        Real eigenvalues (..., M), ascending. Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    eigh, eigvals

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.eigvalsh``.

    Examples
    --------
    >>> print(xp.linalg.eigvalsh(xp.asarray([[2.0, 1.0], [1.0, 2.0]])))
    [1. 3.]
    """
    return computed("eigvalsh", square_matrices("eigvalsh", x))[0]


@of_arrays
def inv(x: Array, /) -> Array:
    """Return the inverses of matrices.

    To solve equations, `solve` is faster and more accurate.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype.

    Returns
    -------
    Array
        Inverses (..., M, M). Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    solve, pinv, det

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.inv``.

    Examples
    --------
    >>> print(xp.linalg.inv(xp.asarray([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    return computed("inv", square_matrices("inv", x))[0]


@of_arrays
def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Return the QR decomposition of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype.
    mode : {"reduced", "complete"}
        The shapes of the factors: with K = min(M, N), "reduced" gives (..., M, K) and (..., K, N), "complete" gives
        (..., M, M) and (..., M, N).

    Returns
    -------
    QRResult
        A named tuple of two arrays with ``Q @ R`` equal to `x`: `Q`, with orthonormal columns, and `R`, upper
        triangular with a real diagonal. Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or for another `mode`.

    See Also
    --------
    svd, lstsq

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.qr``.

    Examples
    --------
    >>> q, r = xp.linalg.qr(xp.asarray([[3.0, 1.0], [4.0, 2.0]]))
    >>> print(xp.abs(r))
    [[5.  2.2]
     [0.  0.4]]
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f'qr: mode is {mode!r}; allowed: "reduced", "complete"')
    return QRResult(*computed("qr", matrices_of("qr", x), mode=mode))


@of_arrays
def slogdet(x: Array, /) -> SlogdetResult:
    """Return the signs of determinants, and the logarithms of their absolute values.

    A determinant may overflow where its logarithm does not.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype.

    Returns
    -------
    SlogdetResult
        A named tuple of two arrays (...): `sign`, which is 0 for singular matrices, and `logabsdet`, which is real, and
        -inf for singular matrices. Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    det

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.slogdet``.

    Examples
    --------
    >>> sign, logarithm = xp.linalg.slogdet(xp.asarray([[1e200, 0.0], [0.0, -1e200]]))
    >>> print(sign, xp.round(logarithm))
    -1.0 921.0
    """
    return SlogdetResult(*computed("slogdet", square_matrices("slogdet", x)))


@of_arrays
def solve(x1: Array, x2: Array, /) -> Array:
    """Solve systems of linear equations.

    Parameters
    ----------
    x1 : Array
        Square matrices (..., M, M) of a numeric dtype.
    x2 : Array
        The right sides: a vector (M,), or matrices (..., M, K); the other axes of both broadcast.

    Returns
    -------
    Array
        The X with ``x1 @ X`` equal to `x2`, of the floating-point dtype to which both promote. Integers are computed in
        the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    TypeError
        For booleans.
    ValueError
        If the shapes do not match, or if matrices are not square.

    See Also
    --------
    lstsq, inv, cholesky

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.solve``.

    Examples
    --------
    >>> x = xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 2.0]))
    >>> print(x)
    [1.  0.5]
    """
    a, b = square_matrices("solve", x1), floating_array("solve", x2)
    numeric_pair("solve", a, b)
    rows = b.shape[-1 if b.ndim == 1 else -2] if b.ndim else None
    if rows != a.shape[-1]:
        raise ValueError(f"solve: shapes {a.shape} and {b.shape}; allowed: (..., M, M) with (M,) or (..., M, K)")
    if b.ndim > 1:
        layouts.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    dtype = available(promote(a.dtype, b.dtype), a.device)
    return computed("solve", cast(a, dtype), cast(b, dtype))[0]


@of_arrays
def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype.
    full_matrices : bool
        Whether `U` and `Vh` are square. Otherwise they have K = min(M, N) columns and rows.

    Returns
    -------
    SVDResult
        A named tuple of three arrays with ``U * S @ Vh`` equal to `x` if `full_matrices` is False: `U`, with
        orthonormal columns; `S`, the singular values (..., K), real and descending; `Vh`, with orthonormal rows.
        Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    svdvals, pinv, eigh

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.svd``.

    Examples
    --------
    >>> u, s, vh = xp.linalg.svd(xp.asarray([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]))
    >>> print(s)
    [4. 3.]
    >>> u.shape, vh.shape
    ((3, 3), (2, 2))
    """
    return SVDResult(*computed("svd", matrices_of("svd", x), full_matrices=bool(full_matrices)))


@of_arrays
def svdvals(x: Array, /) -> Array:
    """Return the singular values of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype.

    Returns
    -------
    Array
        Singular values (..., K), K = min(M, N), real and descending. Integers are computed in the default
        floating-point dtype.

    Raises
    ------
    LinAlgError
        If the iteration does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    svd, matrix_rank

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.svdvals``.

    Examples
    --------
    >>> print(xp.linalg.svdvals(xp.asarray([[3.0, 0.0], [0.0, 4.0]])))
    [4. 3.]
    """
    return computed("svdvals", matrices_of("svdvals", x))[0]


# --- expressions ---------------------------------------------------------------------------------


@of_arrays
def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Return the cross products of vectors with three elements.

    Parameters
    ----------
    x1, x2 : Array
        Arrays of numeric dtypes; axes other than `axis` broadcast.
    axis : int
        The axis of the vectors, a negative number, which counts from the end of both arrays.

    Returns
    -------
    Array
        An array of the shape to which both broadcast, and of the dtype to which they promote.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If the vectors do not have three elements, or if `axis` is out of bounds.

    See Also
    --------
    vecdot, outer

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.cross``.

    Examples
    --------
    >>> print(xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0])))
    [0 0 1]
    """
    numeric_pair("cross", x1, x2)
    return cross_products(x1, x2, negative_axis("cross", axis, x1.ndim, x2.ndim))


@of_arrays
def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Return the diagonals of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of any dtype.
    offset : int
        The diagonal: 0 is the main one, positive numbers count to the right of it, negative ones to the left.

    Returns
    -------
    Array
        A read-only view of the elements, along a new last axis.

    Raises
    ------
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    trace, eye, tril

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.diagonal``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2, 3], [4, 5, 6]])
    >>> print(xp.linalg.diagonal(x))
    [1 5]
    >>> print(xp.linalg.diagonal(x, offset=1))
    [2 6]
    """
    if x.ndim < 2:
        raise ValueError(f"diagonal: the array has shape {x.shape}; allowed: 2 axes or more; use reshape first")
    shift = integer("diagonal", "offset", offset)
    return handle(Array, view(x._node, Movement("linalg.diagonal", {"offset": shift}), fixed=True))


@of_arrays
def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Array:
    """Return the norms of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype.
    keepdims : bool
        Whether to keep the last two axes with extent 1.
    ord : {"fro", "nuc", 1, -1, 2, -2, inf, -inf}
        The norm: "fro", the square root of the sum of squares; "nuc", the sum of the singular values; 2 or -2, the
        largest or smallest singular value; 1 or -1, the largest or smallest sum of absolute values of a column; inf or
        -inf, that of a row. None means "fro".

    Returns
    -------
    Array
        Norms (...), real; 0 for empty matrices. Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, for another `ord`, or if there is no smallest value because a matrix is
        empty.

    See Also
    --------
    vector_norm, norm

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.matrix_norm``.

    Examples
    --------
    >>> x = xp.asarray([[3.0, 0.0], [4.0, 0.0]])
    >>> float(xp.linalg.matrix_norm(x))
    5.0
    >>> float(xp.linalg.matrix_norm(x, ord=xp.inf))
    4.0
    """
    x = matrices_of("matrix_norm", x)
    dtype = real_dtype(x)
    wide = widened(x)
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
    result = cast(result, dtype)
    return expand_dims(result, axis=(-2, -1)) if keepdims else result


@of_arrays
def matrix_power(x: Array, n: int, /) -> Array:
    """Return the powers of square matrices.

    Parameters
    ----------
    x : Array
        Square matrices (..., M, M) of a numeric dtype.
    n : int
        The exponent. A negative one takes the powers of the inverses.

    Returns
    -------
    Array
        Powers (..., M, M). Integers keep their dtype if `n` is not negative.

    Raises
    ------
    LinAlgError
        If `n` is negative and a matrix is singular.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    matmul, inv

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.matrix_power``.

    Examples
    --------
    >>> print(xp.linalg.matrix_power(xp.asarray([[1, 1], [1, 0]]), 10))
    [[89 55]
     [55 34]]
    """
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"matrix_power: n is {n!r}; allowed: an integer; use linalg.eigh for other powers") from None
    floating = square_matrices("matrix_power", x)
    x = x if n >= 0 else floating
    dtype = x.dtype
    if n == 0:
        return broadcast_to(eye(x.shape[-1], dtype=dtype, device=x.device), x.shape).copy()
    factor = widened(x)
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
    return cast(result, dtype)


@of_arrays
def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Return the ranks of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype.
    rtol : float, Array or None
        Singular values up to this multiple of the largest one count as 0; an array has one number for each matrix. None
        is max(M, N) times the difference between 1 and the next number of the dtype.

    Returns
    -------
    Array
        Ranks (...), of int64.

    Raises
    ------
    LinAlgError
        If the iteration for singular values does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    svdvals, pinv

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.matrix_rank``.

    Examples
    --------
    >>> int(xp.linalg.matrix_rank(xp.asarray([[1.0, 2.0], [2.0, 4.0]])))
    1
    """
    x = matrices_of("matrix_rank", x)
    singular = svdvals(widened(x))
    return sum(singular > _cutoff("matrix_rank", x, singular, rtol), axis=-1, dtype=INT64)


@of_arrays
def outer(x1: Array, x2: Array, /) -> Array:
    """Return the products of all pairs of elements of two vectors.

    Parameters
    ----------
    x1 : Array
        A vector (N,) of a numeric dtype.
    x2 : Array
        A vector (M,) of a numeric dtype.

    Returns
    -------
    Array
        A matrix (N, M), of the dtype to which both promote.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If an array does not have 1 dimension.

    See Also
    --------
    multiply, vecdot

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.outer``.

    Examples
    --------
    >>> print(xp.linalg.outer(xp.asarray([1, 2]), xp.asarray([3, 4, 5])))
    [[ 3  4  5]
     [ 6  8 10]]
    """
    numeric_pair("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: shapes {x1.shape} and {x2.shape}; allowed: 1 axis each; use reshape(x, (-1,))")
    return multiply(expand_dims(x1, axis=1), x2)


@of_arrays
def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Return the pseudo-inverses of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype.
    rtol : float, Array or None
        Singular values up to this multiple of the largest one count as 0; an array has one number for each matrix. None
        is max(M, N) times the difference between 1 and the next number of the dtype.

    Returns
    -------
    Array
        Pseudo-inverses (..., N, M). Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the iteration for singular values does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    inv, lstsq, svd

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.pinv``.

    Examples
    --------
    >>> print(xp.round(xp.linalg.pinv(xp.asarray([[2.0, 0.0], [0.0, 4.0], [0.0, 0.0]])) * 8))
    [[4. 0. 0.]
     [0. 2. 0.]]
    """
    x = matrices_of("pinv", x)
    u, singular, vh = svd(widened(x), full_matrices=False)
    inverse = where(singular > _cutoff("pinv", x, singular, rtol), reciprocal(singular), 0.0)
    scaled = conj(vh).mT * expand_dims(inverse, axis=-2)
    return cast(matmul(scaled, conj(u).mT), x.dtype)


@of_arrays
def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Return the sums of the diagonals of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of any dtype.
    offset : int
        The diagonal: 0 is the main one, positive numbers count to the right of it, negative ones to the left.
    dtype : dtype or None
        The dtype of the result. None is int64 or uint64 for integers and booleans, otherwise the dtype of `x`.

    Returns
    -------
    Array
        Sums (...); 0 for an empty diagonal.

    Raises
    ------
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    diagonal, sum

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.trace``.

    Examples
    --------
    >>> int(xp.linalg.trace(xp.asarray([[1, 2], [3, 4]])))
    5
    """
    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


@of_arrays
def vector_norm(
    x: Array, /, *, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, ord: float = 2
) -> Array:
    """Return the norms of vectors.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype.
    axis : int, tuple of int or None
        The axes that make up a vector. None takes all.
    keepdims : bool
        Whether to keep the axes with extent 1.
    ord : float
        The norm: inf or -inf, the largest or smallest absolute value; 0, the number of elements that are not 0; another
        number, ``sum(abs(x) ** ord) ** (1 / ord)``.

    Returns
    -------
    Array
        Norms, real. Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans, or if `ord` is not a number.
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    matrix_norm, norm

    References
    ----------
    Array API standard, chapter "Linear algebra extension": ``linalg.vector_norm``.

    Examples
    --------
    >>> float(xp.linalg.vector_norm(xp.asarray([3.0, 4.0])))
    5.0
    >>> print(xp.linalg.vector_norm(xp.asarray([[1.0, -2.0], [3.0, 4.0]]), axis=1, ord=1))
    [3. 7.]
    """
    x = floating_array("vector_norm", x)
    if not isinstance(ord, (int, float)):
        raise TypeError(f"vector_norm: ord is {ord!r}; allowed: a number, inf, -inf")
    axes = axes_of(axis, x.ndim, "vector_norm")
    dtype = real_dtype(x)
    wide = widened(x)
    if ord in (math.inf, -math.inf):
        result = _extreme(abs(wide), axes, ord, keepdims)
    elif ord == 0:
        result = sum(cast(wide != 0, real_dtype(wide)), axis=axes, keepdims=keepdims)
    elif ord == 1:
        result = sum(abs(wide), axis=axes, keepdims=keepdims)
    elif ord == 2:
        result = sqrt(sum(_squares(wide), axis=axes, keepdims=keepdims))
    else:
        powers = sum(pow(abs(wide), float(ord)), axis=axes, keepdims=keepdims)
        result = pow(powers, 1 / ord)
    return cast(result, dtype)


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
    """Return the norms of vectors or matrices.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype.
    ord : float, "fro", "nuc" or None
        The norm, as in `vector_norm` for one axis and in `matrix_norm` for two. None is 2 for vectors, "fro" for
        matrices.
    axis : int, tuple of int or None
        One axis for vectors, two for matrices. None takes all axes: if `ord` is None, as one vector, otherwise there
        must be one or two.
    keepdims : bool
        Whether to keep the axes with extent 1.

    Returns
    -------
    Array
        Norms, real. Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another number of axes, or if `ord` does not fit them.

    See Also
    --------
    vector_norm, matrix_norm

    References
    ----------
    NumPy, ``linalg.norm``.

    Examples
    --------
    >>> x = xp.asarray([[3.0, 0.0], [4.0, 0.0]])
    >>> float(xp.linalg.norm(x))
    5.0
    >>> print(xp.linalg.norm(x, axis=0))
    [5. 0.]
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
    """Solve linear equations by least squares.

    Parameters
    ----------
    a : Array
        A matrix (M, N) of a numeric dtype.
    b : Array
        The right sides: a vector (M,), or a matrix (M, K).
    rcond : float or None
        Singular values of `a` up to this multiple of the largest one count as 0. None is max(M, N) times the difference
        between 1 and the next number of the dtype.

    Returns
    -------
    tuple of four Array
        The x of least norm that minimizes the norm of ``b - a @ x``; the sums of squared residuals, which are empty if
        the rank is less than N or M <= N; the rank of `a`, of int64; and its singular values.

    Raises
    ------
    LinAlgError
        If the iteration for singular values does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If the shapes do not match.

    See Also
    --------
    solve, pinv, qr

    References
    ----------
    NumPy, ``linalg.lstsq``.

    Examples
    --------
    >>> a = xp.asarray([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> x, residuals, rank, singular = xp.linalg.lstsq(a, xp.asarray([1.0, 3.0, 5.0]))
    >>> print(xp.round(x))
    [1. 2.]
    >>> int(rank)
    2
    """
    one, two = matrices_of("lstsq", a), floating_array("lstsq", on_device_of(a, b, "lstsq"))
    numeric_pair("lstsq", one, two)
    if one.ndim != 2 or two.ndim not in (1, 2) or one.shape[0] != two.shape[0]:
        raise ValueError(f"lstsq: shapes {one.shape} and {two.shape}; allowed: (M, N) with (M,) or (M, K)")
    dtype = available(promote(one.dtype, two.dtype), one.device)
    columns = widened(cast(two, dtype))
    matrix = widened(cast(one, dtype))
    right = expand_dims(columns, axis=1) if columns.ndim == 1 else columns
    u, singular, vh = svd(matrix, full_matrices=False)
    used = singular > _cutoff("lstsq", cast(one, dtype), singular, rcond)
    inverse = where(used, reciprocal(singular), 0.0)
    solution = matmul(conj(vh).mT, expand_dims(inverse, axis=-1) * matmul(conj(u).mT, right))
    rank = sum(used, dtype=INT64)
    rows, count = one.shape
    if rows > count and int(rank) == count:
        residuals = sum(_squares(right - matmul(matrix, solution)), axis=0)
    else:
        residuals = empty((0,), dtype=real_dtype(columns), device=one.device)
    found = reshape(solution, (count,)) if columns.ndim == 1 else solution
    real_part = COMPONENT.get(dtype, dtype)
    return cast(found, dtype), cast(residuals, real_part), rank, cast(singular, real_part)


@of_arrays
def cond(x: Array, /, p: float | Literal["fro", "nuc"] | None = None) -> Array:
    """Return the condition numbers of matrices.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of a numeric dtype; square ones unless `p` is None, 2 or -2.
    p : {None, "fro", "nuc", 1, -1, 2, -2, inf, -inf}
        The norm, as in `matrix_norm`. None is 2: the ratio of the largest singular value to the smallest one; -2 is the
        inverse of it.

    Returns
    -------
    Array
        Condition numbers (...), real: the norm times that of the inverse; infinite for singular matrices. Integers are
        computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the iteration for singular values does not converge, as with NaN and infinities.
    TypeError
        For booleans.
    ValueError
        If `x` has fewer than 2 dimensions or no elements, or for another `p`.

    See Also
    --------
    matrix_norm, svdvals, matrix_rank

    References
    ----------
    NumPy, ``linalg.cond``.

    Examples
    --------
    >>> float(xp.linalg.cond(xp.asarray([[4.0, 0.0], [0.0, 1.0]]), 1))
    4.0
    """
    x = matrices_of("cond", x)
    if 0 in x.shape[-2:]:
        raise ValueError(f"cond: got shape {x.shape}; allowed: matrices with elements")
    if p in (None, 2, -2):
        values = svdvals(widened(x))
        first, last = (-1, 0) if p == -2 else (0, -1)
        found = values[..., first] / values[..., last]
    else:
        found = _with_inverses(square_matrices("cond", widened(x)), p)
    is_number = ~any(isnan(x), axis=(-2, -1))
    return cast(where(isnan(found) & is_number, math.inf, found), real_dtype(x))


def _with_inverses(x: Array, p: float | Literal["fro", "nuc"] | None) -> Array:
    """The norms of matrices times those of their inverses; infinity for singular matrices."""
    norms = matrix_norm(x, ord=p)
    try:
        return norms * matrix_norm(inv(x), ord=p)
    except LinAlgError:
        lost = any(isnan(x), axis=(-2, -1))
        singular = slogdet(x)[0] == 0
        identities = eye(x.shape[-1], dtype=x.dtype, device=x.device)
        inverses = inv(where(expand_dims(singular | lost, axis=(-2, -1)), identities, x))
        return where(singular & ~lost, math.inf, norms * matrix_norm(inverses, ord=p))


# Of each dtype of a part: the norm up to which the approximant is as exact as the dtype, and the coefficients of its
# numerator, from the lowest power.
_PADE = {
    "f32": (3.925724783138660, (17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1)),
    "f64": (
        5.371920351148152,
        (
            64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
            670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
        ),
    ),
}  # fmt: skip


@of_arrays
def expm(a: Array, /) -> Array:
    """Return the exponentials of matrices.

    Parameters
    ----------
    a : Array
        Square matrices (..., M, M) of a numeric dtype.

    Returns
    -------
    Array
        The sums (..., M, M) of ``matrix_power(a, k) / k!`` for all k. Integers are computed in the default
        floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `a` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    matrix_power, exp

    References
    ----------
    SciPy, ``scipy.linalg.expm``. N. J. Higham, "The scaling and squaring method for the matrix exponential revisited",
    SIAM Journal on Matrix Analysis and Applications 26, 2005.

    Examples
    --------
    >>> print(xp.linalg.expm(xp.asarray([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """
    a = square_matrices("expm", a)
    x = widened(a)
    if not a.size:
        return a.copy()
    most, coefficients = _PADE[SHORT[real_dtype(x)]]
    norms = matrix_norm(x, ord=1).to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        halvings = np.ceil(np.log2(norms / most))
    halvings = np.where(np.isfinite(norms) & (halvings > 0), halvings, 0).astype(np.int32)
    scale = np.ldexp(np.ones_like(norms), -halvings)[..., None, None]
    result = _pade(x * asarray(scale, device=x.device), coefficients)
    last = int(halvings.max())
    left = asarray(halvings[..., None, None], device=x.device)
    for step in range(last):
        again = matmul(result, result)
        result = again if step < halvings.min() else where(left > step, again, result)
    return cast(result, a.dtype)


def _pade(x: Array, coefficients: tuple[int, ...]) -> Array:
    """The approximant of the exponentials: a quotient of polynomials whose coefficients differ by signs. Powers above
    the sixth are products of those below."""
    powers = [eye(x.shape[-1], dtype=x.dtype, device=x.device), matmul(x, x)]
    while len(powers) < 4:
        powers.append(matmul(powers[-1], powers[1]))

    def combined(factors: list[Array], parts: tuple[int, ...]) -> Array:
        terms = [factor * (part / coefficients[0]) for factor, part in zip(factors, parts, strict=False)]
        return builtins.sum(terms[1:], terms[0])

    def polynomial(parts: tuple[int, ...]) -> Array:
        lower = combined(powers, parts[:4])
        return lower + matmul(powers[3], combined(powers[1:], parts[4:])) if parts[4:] else lower

    odd, even = matmul(x, polynomial(coefficients[1::2])), polynomial(coefficients[::2])
    return solve(even - odd, even + odd)


@of_arrays
def multi_dot(arrays: Sequence[Array], /) -> Array:
    """Return the product of matrices, in the order of the fewest multiplications.

    Parameters
    ----------
    arrays : sequence of Array
        Two matrices or more of numeric dtypes. The first one may be a row, the last one a column: vectors.

    Returns
    -------
    Array
        The product, of the dtype to which all promote; without an axis for each vector.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If the shapes do not match, or for fewer than two arrays.

    See Also
    --------
    matmul

    References
    ----------
    NumPy, ``linalg.multi_dot``.

    Examples
    --------
    >>> print(xp.linalg.multi_dot([xp.asarray([[1, 2]]), xp.asarray([[3], [4]]), xp.asarray([5])]))
    [55]
    """
    matrices = [*arrays]
    if len(matrices) < 2:
        raise ValueError(f"multi_dot: got {len(matrices)} arrays; allowed: 2 or more")
    if builtins.any([x.dtype in BOOLEAN for x in matrices]):
        raise TypeError("multi_dot: got bool; allowed: numeric dtypes; convert with astype")
    first, last = matrices[0].ndim == 1, matrices[-1].ndim == 1
    matrices[0] = matrices[0][None, :] if first else matrices[0]
    matrices[-1] = matrices[-1][:, None] if last else matrices[-1]
    fitting = [x.ndim == y.ndim == 2 and x.shape[1] == y.shape[0] for x, y in pairwise(matrices)]
    if not builtins.all(fitting):
        raise ValueError(f"multi_dot: got shapes {[x.shape for x in matrices]}; allowed: matrices that fit")
    found = _product(matrices)
    found = found[0] if first else found
    return found[..., 0] if last else found


def _product(matrices: list[Array]) -> Array:
    extents = [matrices[0].shape[0], *[x.shape[1] for x in matrices]]
    count = len(matrices)
    best: dict[tuple[int, int], tuple[int, int]] = {(k, k + 1): (0, k) for k in range(count)}  # cost, and the last cut
    for length in range(2, count + 1):
        for k in range(count - length + 1):
            best[k, k + length] = builtins.min(
                (best[k, m][0] + best[m, k + length][0] + extents[k] * extents[m] * extents[k + length], m)
                for m in range(k + 1, k + length)
            )

    def product(begin: int, end: int) -> Array:
        if end - begin == 1:
            return matrices[begin]
        cut = best[begin, end][1]
        return matmul(product(begin, cut), product(cut, end))

    return product(0, count)


@of_arrays
def tensorinv(a: Array, /, ind: int = 2) -> Array:
    """Return the inverse of a tensor.

    Parameters
    ----------
    a : Array
        An array of a numeric dtype, whose first `ind` axes have as many elements as the others.
    ind : int
        The number of axes of a column, 1 or more.

    Returns
    -------
    Array
        An array whose first axes are the last ones of `a`, with ``tensordot(tensorinv(a, ind), b, ind)`` equal to
        ``tensorsolve(a, b)``. Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the tensor is singular.
    TypeError
        For booleans.
    ValueError
        If the shape does not fit.

    See Also
    --------
    tensorsolve, inv, tensordot

    References
    ----------
    NumPy, ``linalg.tensorinv``.

    Examples
    --------
    >>> xp.linalg.tensorinv(xp.reshape(xp.eye(6), (2, 3, 6))).shape
    (6, 2, 3)
    """
    ind = integer("tensorinv", "ind", ind)
    rows = math.prod(a.shape[:ind])
    if ind <= 0 or rows * rows != a.size:
        raise ValueError(f"tensorinv: got shape {a.shape} and ind={ind}; allowed: equal products of extents")
    return reshape(inv(reshape(a, (rows, rows))), a.shape[ind:] + a.shape[:ind])


@of_arrays
def tensorsolve(a: Array, b: Array, /, axes: Sequence[int] | None = None) -> Array:
    """Solve a tensor equation.

    Parameters
    ----------
    a : Array
        An array of a numeric dtype, whose shape is that of `b` and then that of the result.
    b : Array
        The right side.
    axes : sequence of int or None
        Axes of `a` that are moved to its end first.

    Returns
    -------
    Array
        The x with ``tensordot(a, x, x.ndim)`` equal to `b`. Integers are computed in the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If the tensor is singular.
    TypeError
        For booleans.
    ValueError
        If the shapes do not fit, or if an axis is out of bounds.

    See Also
    --------
    tensorinv, solve, tensordot

    References
    ----------
    NumPy, ``linalg.tensorsolve``.

    Examples
    --------
    >>> print(xp.linalg.tensorsolve(xp.reshape(2 * xp.eye(4), (4, 2, 2)), xp.asarray([2.0, 4.0, 6.0, 8.0])))
    [[1. 2.]
     [3. 4.]]
    """
    for array in (a, b):
        if not isinstance(array, Array):
            raise refused("tensorsolve", array)
    if axes is not None:
        last = [layouts.normalize_axis(axis, a.ndim, "tensorsolve") for axis in axes]
        a = permute_dims(a, (*[axis for axis in range(a.ndim) if axis not in last], *last))
    shape = a.shape[b.ndim :]
    if math.prod(shape) != b.size or b.size * b.size != a.size:
        raise ValueError(f"tensorsolve: got shapes {a.shape} and {b.shape}; allowed: as many unknowns as equations")
    return reshape(solve(reshape(a, (b.size, b.size)), reshape(b, (b.size,))), shape)
