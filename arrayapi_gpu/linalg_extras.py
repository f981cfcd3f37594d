"""Triangles and factors of matrices, with SciPy's names and arguments: a part of `linalg`.

Results are computed at once, as those of the factorisations of `linalg`: by own kernels, by the device's library or on
the host. Every function raises TypeError for a dtype, and ValueError for a shape, that it does not support.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

from .api.core.arguments import by_name, of_arrays
from .api.core.array_object import Array
from .api.standard.creation_functions import arange, eye, on_device_of, tril, triu
from .api.standard.elementwise_functions import conj
from .api.standard.indexing_functions import take_along_axis
from .api.standard.manipulation_functions import broadcast_to, expand_dims
from .api.standard.sorting_functions import argsort
from .lazy import available
from .linalg_arguments import cast, computed, floating_array, matrices_of, numeric_pair, real_dtype, square_matrices
from .memory import layout as layouts
from .memory.dtypes import COMPLEX_FLOATING, promote

__all__ = ["cho_factor", "cho_solve", "lu", "lu_factor", "lu_solve", "solve_triangular"]

_TRANSPOSED: dict[Any, int] = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


def _pair(name: str, maker: str, value: Any) -> tuple[Any, Any]:
    """The two results of ``maker``; TypeError for anything that is no pair."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{name}: got {type(value).__name__}; allowed: the two results of {maker}; call {maker} first")
    return value[0], value[1]


class LUResult(NamedTuple):
    """The factors of matrices: ``P @ L @ U``."""

    P: Array
    L: Array
    U: Array


class LUFactors(NamedTuple):
    """Both triangles of factors in one array, and the rows of the pivots."""

    lu: Array
    piv: Array


class CholeskyFactor(NamedTuple):
    """A triangular factor, and whether it is the lower one."""

    c: Array
    lower: bool


def _transposition(name: str, trans: Any) -> int:
    if not isinstance(trans, (int, str)) or trans not in _TRANSPOSED:
        raise ValueError(f'{name}: trans is {trans!r}; allowed: 0, 1, 2, "N", "T", "C"')
    return _TRANSPOSED[trans]


def _system(name: str, a: Array, b: Array) -> tuple[Array, Array]:
    """Matrices and right sides that fit, in one floating-point dtype."""
    one, two = square_matrices(name, a), floating_array(name, on_device_of(a, b, name))
    numeric_pair(name, one, two)
    rows = two.shape[-1 if two.ndim == 1 else -2] if two.ndim else None
    if rows != one.shape[-1]:
        raise ValueError(f"{name}: shapes {one.shape} and {two.shape}; allowed: (..., M, M) with (M,) or (..., M, K)")
    if two.ndim > 1:
        layouts.broadcast_shapes(one.shape[:-2], two.shape[:-2])
    dtype = available(promote(one.dtype, two.dtype), one.device)
    return cast(one, dtype), cast(two, dtype)


def _triangular(a: Array, b: Array, lower: bool, unit_diagonal: bool = False, transposed: int = 0) -> Array:
    """The solutions, where ``b`` has matrices."""
    if transposed:
        a, lower = a.mT, not lower
    if transposed == 2 and a.dtype in COMPLEX_FLOATING:
        a = conj(a)
    return computed("solve_triangular", a, b, lower=bool(lower), unit_diagonal=bool(unit_diagonal))[0]


@of_arrays
def solve_triangular(
    a: Array,
    b: Array,
    /,
    *,
    trans: Literal[0, 1, 2, "N", "T", "C"] = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solve systems of linear equations with triangular matrices.

    Parameters
    ----------
    a : Array
        Square matrices (..., M, M) of a numeric dtype. Only one triangle is read.
    b : Array
        The right sides: a vector (M,), or matrices (..., M, K); the other axes of both broadcast.
    trans : {0, 1, 2, "N", "T", "C"}
        The matrices of the equations: 0 or "N", `a`; 1 or "T", its transpose; 2 or "C", its conjugate transpose.
    lower : bool
        Whether to read the lower triangle of `a`, instead of the upper one.
    unit_diagonal : bool
        Whether the diagonal of `a` is taken to be 1, and not read.

    Returns
    -------
    Array
        The X with ``a @ X`` equal to `b`, of the floating-point dtype to which both promote. Integers are computed in
        the default floating-point dtype.

    Raises
    ------
    LinAlgError
        If a triangle has a zero on its diagonal.
    TypeError
        For booleans.
    ValueError
        If the shapes do not match, if matrices are not square, or for another `trans`.

    See Also
    --------
    solve, lu_solve, cho_solve

    References
    ----------
    SciPy, ``scipy.linalg.solve_triangular``.

    Examples
    --------
    >>> a = xp.asarray([[2.0, 0.0], [1.0, 4.0]])
    >>> print(xp.linalg.solve_triangular(a, xp.asarray([2.0, 9.0]), lower=True))
    [1. 2.]
    """
    transposed = _transposition("solve_triangular", trans)
    a, b = _system("solve_triangular", a, b)
    if b.ndim == 1:
        return _triangular(a, expand_dims(b, axis=1), lower, unit_diagonal, transposed)[..., 0]
    return _triangular(a, b, lower, unit_diagonal, transposed)


def _row_order(pivots: Array, rows: int) -> Array:
    """The order into which elimination has brought rows."""
    return computed("row_order", pivots, rows=rows)[0]


def _in_order(b: Array, order: Array) -> Array:
    """The rows of matrices in an order."""
    stack = layouts.broadcast_shapes(b.shape[:-2], order.shape[:-1])
    b = broadcast_to(b, (*stack, *b.shape[-2:]))
    places = broadcast_to(expand_dims(order, axis=-1), (*stack, order.shape[-1], b.shape[-1]))
    return take_along_axis(b, places, axis=-2)


@overload
def lu(a: Array, /, *, permute_l: Literal[True], p_indices: bool = ...) -> tuple[Array, Array]: ...


@overload
def lu(a: Array, /, *, permute_l: Literal[False] = ..., p_indices: bool = ...) -> LUResult: ...


@of_arrays
def lu(a: Array, /, *, permute_l: bool = False, p_indices: bool = False) -> LUResult | tuple[Array, Array]:
    """Return the LU decomposition of matrices, by elimination with partial pivoting.

    Parameters
    ----------
    a : Array
        Matrices (..., M, N) of a numeric dtype.
    permute_l : bool
        Whether to return the product of the first two factors instead of them.
    p_indices : bool
        Whether to return the permutation as the indices of rows, with which ``L[P] @ U`` is equal to a matrix.

    Returns
    -------
    LUResult or tuple of two Array
        A named tuple of three arrays with ``P @ L @ U`` equal to `a`: `P`, permutation matrices (..., M, M) of a real
        dtype, or indices (..., M) of int64; `L`, (..., M, K) with K = min(M, N), lower triangular with ones on its
        diagonal; `U`, (..., K, N), upper triangular. With `permute_l`, ``P @ L`` and `U`. Integers are computed in the
        default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `a` has fewer than 2 dimensions.

    See Also
    --------
    lu_factor, solve, det

    References
    ----------
    SciPy, ``scipy.linalg.lu``.

    Examples
    --------
    >>> p, l, u = xp.linalg.lu(xp.asarray([[1.0, 2.0], [2.0, 6.0]]))
    >>> print(p @ l)
    [[0.5 1. ]
     [1.  0. ]]
    >>> print(u)
    [[ 2.  6.]
     [ 0. -1.]]
    """
    a = matrices_of("lu", a)
    rows, columns = a.shape[-2:]
    least = rows if rows < columns else columns
    packed, pivots = computed("lu", a)
    lower = tril(packed[..., :least], k=-1) + eye(rows, least, dtype=a.dtype, device=a.device)
    upper = triu(packed[..., :least, :])
    places = argsort(_row_order(pivots, rows), axis=-1)
    if permute_l:
        return _in_order(lower, places), upper
    if p_indices:
        return LUResult(places, lower, upper)
    ones = expand_dims(places, axis=-1) == arange(rows, dtype=places.dtype, device=a.device)
    return LUResult(cast(ones, real_dtype(a)), lower, upper)


@of_arrays
def lu_factor(a: Array, /) -> LUFactors:
    """Return the LU decomposition of matrices in one array, for `lu_solve`.

    Parameters
    ----------
    a : Array
        Matrices (..., M, N) of a numeric dtype.

    Returns
    -------
    LUFactors
        A named tuple of two arrays: `lu` (..., M, N), with U in its upper triangle and L below the diagonal, without
        the ones on the diagonal of L; `piv` (..., min(M, N)), of int32: row k was exchanged with row ``piv[k]``.
        Integers are computed in the default floating-point dtype.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If `a` has fewer than 2 dimensions.

    See Also
    --------
    lu, lu_solve

    References
    ----------
    SciPy, ``scipy.linalg.lu_factor``.

    Examples
    --------
    >>> factors, pivots = xp.linalg.lu_factor(xp.asarray([[1.0, 2.0], [2.0, 6.0]]))
    >>> print(factors)
    [[ 2.   6. ]
     [ 0.5 -1. ]]
    >>> print(pivots)
    [1 1]
    """
    return LUFactors(*computed("lu", matrices_of("lu_factor", a)))


@by_name
def lu_solve(lu_and_piv: tuple[Array, Array], b: Array, /, *, trans: Literal[0, 1, 2, "N", "T", "C"] = 0) -> Array:
    """Solve systems of linear equations with the factors of `lu_factor`.

    Parameters
    ----------
    lu_and_piv : tuple of two Array
        The result of `lu_factor` of square matrices (..., M, M).
    b : Array
        The right sides: a vector (M,), or matrices (..., M, K); the other axes of both broadcast.
    trans : {0, 1, 2, "N", "T", "C"}
        The matrices of the equations: 0 or "N", those that were factored; 1 or "T", their transposes; 2 or "C", their
        conjugate transposes.

    Returns
    -------
    Array
        The X with ``a @ X`` equal to `b`, of the floating-point dtype to which both promote.

    Raises
    ------
    LinAlgError
        If a matrix is singular.
    TypeError
        For booleans.
    ValueError
        If the shapes do not match, if matrices are not square, or for another `trans`.

    See Also
    --------
    lu_factor, solve, solve_triangular

    References
    ----------
    SciPy, ``scipy.linalg.lu_solve``.

    Examples
    --------
    >>> factors = xp.linalg.lu_factor(xp.asarray([[2.0, 0.0], [0.0, 4.0]]))
    >>> print(xp.linalg.lu_solve(factors, xp.asarray([2.0, 2.0])))
    [1.  0.5]
    """
    transposed = _transposition("lu_solve", trans)
    factors, pivots = _pair("lu_solve", "lu_factor", lu_and_piv)
    factors, b = _system("lu_solve", factors, b)
    right = expand_dims(b, axis=1) if b.ndim == 1 else b
    order = _row_order(pivots, factors.shape[-1])
    if transposed:
        x = _triangular(factors, right, lower=False, transposed=transposed)
        x = _triangular(factors, x, lower=True, unit_diagonal=True, transposed=transposed)
        x = _in_order(x, argsort(order, axis=-1))
    else:
        x = _triangular(factors, _in_order(right, order), lower=True, unit_diagonal=True)
        x = _triangular(factors, x, lower=False)
    return x[..., 0] if b.ndim == 1 else x


@of_arrays
def cho_factor(a: Array, /, *, lower: bool = False) -> CholeskyFactor:
    """Return the Cholesky decomposition of Hermitian matrices, for `cho_solve`.

    Parameters
    ----------
    a : Array
        Square matrices (..., M, M) of a numeric dtype. Only one triangle is read: the upper one,
        or the lower one if `lower` is True.
    lower : bool
        Whether to compute lower triangular factors.

    Returns
    -------
    CholeskyFactor
        A named tuple: `c`, the factors as `cholesky` returns them, and `lower`.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite.
    TypeError
        For booleans.
    ValueError
        If `a` has fewer than 2 dimensions, or if its matrices are not square.

    See Also
    --------
    cholesky, cho_solve

    References
    ----------
    SciPy, ``scipy.linalg.cho_factor``. The other triangle has zeros here.

    Examples
    --------
    >>> c, lower = xp.linalg.cho_factor(xp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    >>> print(c)
    [[2. 1.]
     [0. 2.]]
    """
    factor = computed("cholesky", square_matrices("cho_factor", a), upper=not lower)[0]
    return CholeskyFactor(factor, bool(lower))


@by_name
def cho_solve(c_and_lower: tuple[Array, bool], b: Array, /) -> Array:
    """Solve systems of linear equations with the factors of `cho_factor`.

    Parameters
    ----------
    c_and_lower : tuple of Array and bool
        The result of `cho_factor`: triangular factors (..., M, M), and whether these are the lower ones.
    b : Array
        The right sides: a vector (M,), or matrices (..., M, K); the other axes of both broadcast.

    Returns
    -------
    Array
        The X with ``a @ X`` equal to `b`, of the floating-point dtype to which both promote.

    Raises
    ------
    LinAlgError
        If a factor has a zero on its diagonal.
    TypeError
        For booleans.
    ValueError
        If the shapes do not match, or if matrices are not square.

    See Also
    --------
    cho_factor, solve, solve_triangular

    References
    ----------
    SciPy, ``scipy.linalg.cho_solve``.

    Examples
    --------
    >>> factor = xp.linalg.cho_factor(xp.asarray([[4.0, 2.0], [2.0, 5.0]]))
    >>> print(xp.linalg.cho_solve(factor, xp.asarray([6.0, 7.0])))
    [1. 1.]
    """
    factor, lower = _pair("cho_solve", "cho_factor", c_and_lower)
    factor, b = _system("cho_solve", factor, b)
    x = expand_dims(b, axis=1) if b.ndim == 1 else b
    for transposed in (0, 2) if lower else (2, 0):
        x = _triangular(factor, x, lower, transposed=transposed)
    return x[..., 0] if b.ndim == 1 else x
