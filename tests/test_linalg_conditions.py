"""Every function of `linalg` over shapes, dtypes, layouts and conditions of matrices.

Results are judged by residuals in extended precision, whose bounds hold for every matrix: for eigenvalues and singular
values these bound the errors, too (Weyl), and for determinants (Ipsen and Rehman). Where NumPy raises for a matrix,
this library does; what is no number stays in its matrix.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from support import lay_out, posing_as_gpu, to_host
from support.conditioned import CONDITIONS, conditioned
from support.residuals import adjoint, assert_orthonormal, assert_small, eliminated, norm, wide, within

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.routines.matrices import MATRIX_ROUTINES

HostArray = np.ndarray[Any, Any]
linalg = xp.linalg
LinAlgError = np.linalg.LinAlgError

DTYPES = ("float16", "float32", "float64", "complex64", "complex128")
# Stacks: empty, one for LAPACK, and as many as own kernels compute where they pay.
SQUARE = [(0, 3, 3), (2, 0, 0), (1, 1, 1), (1, 2, 2), (1000, 2, 2), (3, 8, 8), (35, 1, 1), (35, 5, 5), (33, 8, 8)]
SQUARE += [(33, 17, 17), (1, 32, 32), (33, 32, 32)]
OBLONG = [(0, 2, 3), (2, 0, 3), (2, 3, 0), (1, 3, 5), (1, 5, 3), (1000, 3, 2), (35, 3, 5), (35, 5, 3), (33, 17, 4)]
FEW = [
    (0, 2, 3),
    (2, 0, 0),
    (2, 3, 0),
    (35, 5, 5),
    (33, 17, 4),
]  # for functions that are expressions: kernels elsewhere
ON_GPUS = [(35, 3, 3), (33, 13, 13), (35, 7, 3)]  # each size has kernels of its own there
ROUTINES = ("cholesky", "det", "eig", "inv", "pinv", "qr", "rank", "slogdet", "solve", "svd")
LAYOUTS = ("contiguous", "backwards", "transposed", "spread", "rows", "broadcast")


class Given(NamedTuple):
    """The operands of a call, in the dtype by whose precision its results are judged."""

    condition: str
    a: HostArray
    b: HostArray

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.a.dtype)

    @property
    def singular(self) -> bool:
        return CONDITIONS[self.condition].singular and bool(self.a.size)

    @property
    def n(self) -> int:
        return int(max(1, *self.a.shape[-2:]))

    @property
    def eps(self) -> Any:
        return wide(np.finfo(self.dtype).eps)

    @property
    def smallest(self) -> Any:
        return wide(np.finfo(self.dtype).smallest_subnormal)

    def size(self, x: HostArray) -> HostArray:
        """Norms, as the sizes of errors by rounding need them: subnormal numbers have errors of normal ones."""
        return np.asarray(norm(x) + self.n * self.smallest / self.eps)

    def finite(self, x: HostArray, largest: HostArray) -> HostArray:
        """Which matrices are finite: all in which no number exceeds ``largest``, if that is not near the greatest."""
        found = np.all(np.isfinite(x), axis=tuple(range(1, x.ndim)))
        limit = np.ldexp(np.longdouble(1), int(np.finfo(self.dtype).maxexp) - 3)
        assert np.all(found | ~(largest < limit)), "not finite"
        return np.asarray(found)

    @property
    def inverses(self) -> HostArray:
        """The largest norms that inverses of matrices near the given ones have."""
        least = singular_values(self.a)[:, -1:].min(axis=-1, initial=np.inf) - self.n * self.eps * norm(self.a)
        return np.where(least > 0, 1 / np.where(least > 0, least, 1), np.inf)


def unscaled(a: HostArray) -> tuple[HostArray, HostArray]:
    """Matrices with elements up to 1, in double precision, and the exponents of what they were divided by."""
    size = np.max(abs(wide(a)), axis=(-2, -1), initial=0)
    exponent = np.frexp(size)[1]
    scaled = wide(a) * np.ldexp(np.longdouble(1), -exponent)[:, None, None]
    return scaled.astype("complex128" if a.dtype.kind == "c" else "float64"), exponent


def singular_values(a: HostArray) -> HostArray:
    x, exponent = unscaled(a)
    return np.asarray(np.ldexp(np.linalg.svdvals(x).astype(np.longdouble), exponent[:, None]))


# --- what is judged of the results: functions of the operands and of all results ------------------------------------


def check_solve(given: Given, x: HostArray) -> None:
    keep = given.finite(x, given.inverses * norm(given.b) * np.maximum(norm(given.a), 1))
    a, b, x = given.a[keep], given.b[keep], x[keep]
    assert_small(wide(a) @ wide(x) - wide(b), norm(a) * given.size(x), given.dtype, given.n)


def check_inv(given: Given, x: HostArray) -> None:
    keep = given.finite(x, given.inverses)
    a, x = given.a[keep], x[keep]
    scale, one = norm(a) * given.size(x), np.eye(a.shape[-1])
    right, left = (within(residual, scale, given.dtype, given.n) for residual in (a @ wide(x) - one, x @ wide(a) - one))
    assert np.all(right | left), "neither residual is small"


def check_cholesky(given: Given, factor: HostArray, upper: bool = False) -> None:
    assert np.all((np.triu if upper else np.tril)(factor) == factor)
    lower = adjoint(factor) if upper else factor
    assert_small(wide(lower) @ wide(adjoint(lower)) - wide(given.a), norm(given.a), given.dtype, given.n)


def _determinant(given: Given) -> tuple[HostArray, HostArray, HostArray, HostArray]:
    """Signs, sizes, and bounds of errors of determinants of matrices that are divided by powers of two, and the
    exponents of these. A change E of a matrix changes its determinant by at most prod(s + norm(E)) - prod(s)."""
    x, exponent = unscaled(given.a)
    sign, logarithm = eliminated(x)
    values = np.linalg.svdvals(x).astype(np.longdouble)
    change = 12 * given.n * (given.eps * norm(x) + np.ldexp(given.n * given.smallest, -exponent))
    bound = np.prod(values + change[:, None], axis=-1) - np.prod(values, axis=-1)
    return sign, np.exp(logarithm), bound, exponent * x.shape[-1]


def check_det(given: Given, found: HostArray) -> None:
    sign, size, bound, exponent = _determinant(given)
    exponent = np.clip(exponent, -12000, 12000)  # of numbers in extended precision; others are zero or infinite
    with np.errstate(over="ignore"):
        keep = given.finite(found, np.ldexp(size + bound, exponent))
    least = np.where(size > bound, log2(size - np.where(size > bound, bound, 0)) + exponent, -np.inf)
    assert not np.any(keep & (least > np.finfo(given.dtype).maxexp + 1)), "finite, not infinite"
    sign, size, bound, exponent, found = (x[keep] for x in (sign, size, bound, exponent, found))
    rounding = 4 * given.eps * size * (1 + abs(log2(size) + exponent))
    error = abs(wide(found) * np.ldexp(np.longdouble(1), -exponent) - sign * size)
    allowed = bound + np.where(size > 0, rounding, 0) + np.ldexp(4 * given.smallest, -exponent)
    assert np.all(error <= allowed), float(np.max(error - allowed))
    assert not given.singular or np.all(found == 0)


def check_slogdet(given: Given, found_sign: HostArray, logarithm: HostArray) -> None:
    sign, size, bound, exponent = _determinant(given)
    assert not np.any(np.isnan(found_sign)) and not np.any(np.isnan(logarithm))
    known = size > 2 * bound
    error = (bound / np.where(known, size - bound, 1))[known]
    exact = (log2(size) + exponent)[known] * np.log(np.longdouble(2))
    assert np.all(abs(found_sign[known] - sign[known]) <= 2 * error + 8 * given.eps)
    assert np.all(abs(logarithm[known] - exact) <= error + 8 * given.eps * (1 + abs(exact)))
    zero = found_sign == 0
    assert np.all((logarithm == -np.inf) == zero)
    assert not given.singular or np.all(zero)


def check_qr(given: Given, q: HostArray, r: HostArray, mode: str = "reduced") -> None:
    rows, columns = given.a.shape[-2:]
    assert q.shape[-1] == (rows if mode == "complete" else min(rows, columns))
    assert_orthonormal(q, given.dtype)
    assert_small(wide(q) @ wide(r) - wide(given.a), norm(given.a), given.dtype, given.n)
    assert np.all(np.triu(r) == r) and np.all(np.diagonal(r, axis1=-2, axis2=-1).imag == 0)


def check_eigh(given: Given, values: HostArray, vectors: HostArray) -> None:
    assert np.all(np.diff(values) >= 0)
    assert_orthonormal(vectors, given.dtype)
    residual = wide(given.a) @ wide(vectors) - wide(vectors) * values[:, None, :]
    assert_small(residual, norm(given.a), given.dtype, given.n)


def check_eigvalsh(given: Given, values: HostArray) -> None:
    x, exponent = unscaled(given.a)
    exact = np.ldexp(np.linalg.eigvalsh(x).astype(np.longdouble), exponent[:, None])
    assert np.all(np.diff(values) >= 0)
    assert_small((wide(values) - exact)[:, None, :], norm(given.a), given.dtype, given.n)


def check_svd(given: Given, u: HostArray, values: HostArray, vh: HostArray, full_matrices: bool = True) -> None:
    rows, columns = given.a.shape[-2:]
    least = min(rows, columns)
    assert u.shape[-1] == (rows if full_matrices else least) and vh.shape[-2] == (columns if full_matrices else least)
    assert np.all(np.diff(values) <= 0) and np.all(values >= 0)
    assert_orthonormal(u, given.dtype)
    assert_orthonormal(adjoint(vh), given.dtype)
    residual = wide(u)[..., :least] * values[:, None, :] @ wide(vh)[:, :least] - wide(given.a)
    assert_small(residual, norm(given.a), given.dtype, given.n)


def check_svdvals(given: Given, values: HostArray) -> None:
    assert np.all(np.diff(values) <= 0) and np.all(values >= 0)
    assert_small((wide(values) - singular_values(given.a))[:, None, :], norm(given.a), given.dtype, given.n)


def check_eig(given: Given, values: HostArray, vectors: HostArray) -> None:
    residual = wide(given.a) @ wide(vectors) - wide(vectors) * values[:, None, :]
    assert_small(residual, norm(given.a), given.dtype, given.n)
    lengths = np.sum(abs(wide(vectors)) ** 2, axis=-2)
    assert np.all(abs(lengths - 1) <= 12 * given.n * given.eps)


def check_eigvals(given: Given, values: HostArray) -> None:
    """A - v is singular, but for a small change."""
    x, exponent = unscaled(given.a)
    shifts = (wide(values) * np.ldexp(np.longdouble(1), -exponent)[:, None]).astype("complex128")
    for k in range(x.shape[-1]):
        least = np.linalg.svdvals(x - shifts[:, k, None, None] * np.eye(x.shape[-1]))[:, -1:]
        assert_small(least[:, None, :], norm(x), given.dtype, given.n)


def check_pinv(given: Given, x: HostArray) -> None:
    largest = singular_values(given.a)[:, :1].max(axis=-1, initial=0)
    keep = given.finite(x, 1 / np.where(largest > 0, given.eps * largest, 1))
    a, x = given.a[keep], x[keep]
    assert_small(wide(a) @ wide(x) @ wide(a) - wide(a), norm(a) * (1 + norm(a) * given.size(x)), given.dtype, given.n)
    residual, scale = wide(x) @ wide(a) @ wide(x) - wide(x), given.size(x) * (1 + norm(a) * given.size(x))
    assert_small(residual, scale, given.dtype, given.n)


def check_matrix_rank(given: Given, rank: HostArray) -> None:
    values = singular_values(given.a)
    cut = given.n * given.eps * values[:, :1]
    error = 12 * cut + given.n * given.smallest
    assert np.all(np.sum(values > cut + error, axis=-1) <= rank)
    assert np.all(np.sum(values > cut - error, axis=-1) >= rank)
    if given.condition == "deficient":
        np.testing.assert_array_equal(rank, np.sum(values > np.sqrt(given.eps), axis=-1))


def log2(x: HostArray) -> HostArray:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log2(x.astype(np.longdouble)))


# --- norms and products: errors of sums, of numbers that rounding has left of the smallest -------------------------


def assert_near(given: Given, found: HostArray, exact: HostArray, size: HostArray, terms: int) -> None:
    """Each element has the error of a sum of ``terms`` products, whose absolute values add up to ``size``."""
    found = wide(found)
    with np.errstate(over="ignore", invalid="ignore"):
        keep = np.isfinite(found)
        limit = np.ldexp(np.longdouble(1), int(np.finfo(given.dtype).maxexp) - 1)
        assert np.all(keep | ~(size < limit)), "not finite"
        error = abs(found - exact)
        allowed = (terms + 4) * (given.eps * size + given.smallest)
        assert np.all((error <= allowed)[keep]), f"error {np.max((error / allowed)[keep])} of what is allowed"


def check_matmul(given: Given, found: HostArray) -> None:
    a, b = wide(given.a), wide(given.b)
    assert_near(given, found, a @ b, abs(a) @ abs(b), 2 * a.shape[-1])


def check_vecdot(given: Given, found: HostArray) -> None:
    a, b = np.conj(wide(given.a)), wide(given.a[..., ::-1, :])
    assert_near(given, found, np.sum(a * b, axis=-1), np.sum(abs(a * b), axis=-1), 2 * a.shape[-1])


def check_tensordot(given: Given, found: HostArray) -> None:
    a = wide(given.a)
    exact, size = (np.tensordot(x, x, axes=((1, 2), (1, 2))) for x in (a, abs(a)))
    assert_near(given, found, exact, size, 2 * given.n**2)


def check_outer(given: Given, found: HostArray) -> None:
    a = wide(given.a).reshape(-1)
    exact = np.outer(a[:50], a)
    assert_near(given, found, exact, abs(exact), 2)


def check_cross(given: Given, found: HostArray) -> None:
    a, b = wide(given.a)[..., :3, 0], wide(given.a)[..., :3, -1]
    turned = [(1, 2), (2, 0), (0, 1)]
    exact = np.stack([a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in turned], axis=-1)
    sizes = np.stack([abs(a[..., i] * b[..., j]) + abs(a[..., j] * b[..., i]) for i, j in turned], axis=-1)
    assert_near(given, found, exact, sizes, 4)


def check_trace(given: Given, found: HostArray) -> None:
    line = np.diagonal(wide(given.a), axis1=-2, axis2=-1)
    assert_near(given, found, np.sum(line, axis=-1), np.sum(abs(line), axis=-1), given.n)


def check_same(view: Callable[[HostArray], HostArray]) -> Callable[..., None]:
    def check(given: Given, found: HostArray) -> None:
        np.testing.assert_array_equal(found, view(given.a))

    return check


def check_matrix_power(given: Given, found: HostArray, n: int) -> None:
    if n < 0:
        keep = given.finite(found, (given.inverses * given.n) ** 2)
        a, found = wide(given.a)[keep], wide(found)[keep]
        # found = (A^-1)^2, so A found A = 1, up to the condition
        scale = norm(a) ** 2 * given.size(found) * (norm(a) * given.inverses[keep])
        keep = np.isfinite(scale)
        assert_small((a @ found @ a - np.eye(a.shape[-1]))[keep], scale[keep], given.dtype, given.n)
        return
    exact = size = np.broadcast_to(np.eye(given.a.shape[-1]), given.a.shape)
    for _ in range(n):
        exact, size = exact @ wide(given.a), size @ abs(wide(given.a))
    assert_near(given, found, exact, size, 2 * n * given.n if n > 1 else 0)


def _vector_norm(x: HostArray, order: float) -> HostArray:
    size = abs(x)
    if order in (np.inf, -np.inf):
        return np.asarray(np.max(size, axis=-1, initial=0))
    if order == 0:
        return np.asarray(np.sum(size != 0, axis=-1).astype(np.longdouble))
    return np.asarray(np.sum(size**order, axis=-1) ** (1 / np.longdouble(order)))


def check_vector_norm(given: Given, found: HostArray, order: float) -> None:
    x = wide(given.a)
    exact = _vector_norm(x, order)
    power = order if 1 < order < np.inf else 1
    info = np.finfo(given.dtype if given.dtype.itemsize > 2 else "float32")
    overflows = (given.n * exact) ** power > np.ldexp(np.longdouble(1), int(info.maxexp) - 2)
    lost = (given.n * 4 * wide(info.tiny)) ** (1 / np.longdouble(power)) if power > 1 else 0
    error = abs(np.where(np.isfinite(found), wide(found), 0) - exact)
    allowed = 12 * given.n * (given.eps * exact + given.smallest) + lost
    assert np.all(np.where(np.isfinite(found), error <= allowed, overflows)), order


def check_matrix_norm(given: Given, found: HostArray, order: Any) -> None:
    size, values = abs(wide(given.a)), singular_values(given.a)
    if order == "fro":
        check_vector_norm(
            given._replace(a=size.astype(real(given)).reshape(len(size), -1 if size.size else 0)), found, 2
        )
        return
    columns, rows = np.sum(size, axis=-2), np.sum(size, axis=-1)
    exact = {"nuc": values.sum(axis=-1), 2: largest(values), 1: largest(columns), np.inf: largest(rows)}
    if size.shape[-1] and size.shape[-2]:
        exact |= {-2: values[:, -1], -1: columns.min(axis=-1), -np.inf: rows.min(axis=-1)}
    keep = given.finite(found, exact[order] + norm(given.a) * given.n * given.eps)
    assert_small((wide(found) - exact[order])[keep, None, None], norm(given.a)[keep], given.dtype, given.n)


def real(given: Given) -> np.dtype[Any]:
    return np.zeros(1, given.dtype).real.dtype


def largest(x: HostArray) -> HostArray:
    return np.asarray(np.max(x, axis=-1, initial=0))


class Call(NamedTuple):
    """A function over two operands, the check of its results, the form of matrices, and whether singular ones raise."""

    compute: Callable[[xp.Array, xp.Array], Any]
    check: Callable[..., None]
    form: str = "any"
    raises: bool = False


def of_a(function: Callable[..., Any], **options: Any) -> Callable[[xp.Array, xp.Array], Any]:
    return lambda a, b: function(a, **options)


def power(n: int) -> Call:
    return Call(lambda a, b: linalg.matrix_power(a, n), partial(check_matrix_power, n=n), "square", n < 0)


def matrix_norm(function: Callable[..., Any], order: Any, **options: Any) -> Call:
    form = "any" if order in ("fro", "nuc", 2, 1, np.inf) else "nonempty"
    return Call(of_a(function, ord=order, **options), partial(check_matrix_norm, order=order), form)


CALLS: dict[str, Call] = {
    "cholesky": Call(of_a(linalg.cholesky), check_cholesky, "positive", True),
    "cholesky upper": Call(of_a(linalg.cholesky, upper=True), partial(check_cholesky, upper=True), "positive", True),
    "cross": Call(lambda a, b: linalg.cross(a[..., :3, 0], a[..., :3, -1]), check_cross, "threes"),
    "det": Call(of_a(linalg.det), check_det, "square"),
    "diagonal": Call(of_a(linalg.diagonal), check_same(partial(np.diagonal, axis1=-2, axis2=-1))),
    "eig": Call(of_a(linalg.eig), check_eig, "square"),
    "eigh": Call(of_a(linalg.eigh), check_eigh, "hermitian"),
    "eigvals": Call(of_a(linalg.eigvals), check_eigvals, "square"),
    "eigvalsh": Call(of_a(linalg.eigvalsh), check_eigvalsh, "hermitian"),
    "inv": Call(of_a(linalg.inv), check_inv, "square", True),
    "matmul": Call(linalg.matmul, check_matmul, "square"),
    "matrix_rank": Call(of_a(linalg.matrix_rank), check_matrix_rank),
    "matrix_transpose": Call(of_a(linalg.matrix_transpose), check_same(lambda a: np.swapaxes(a, -1, -2))),
    "outer": Call(lambda a, b: linalg.outer(xp.reshape(a, (-1,))[:50], xp.reshape(a, (-1,))), check_outer),
    "pinv": Call(of_a(linalg.pinv), check_pinv),
    "qr": Call(of_a(linalg.qr), check_qr),
    "qr complete": Call(of_a(linalg.qr, mode="complete"), partial(check_qr, mode="complete")),
    "slogdet": Call(of_a(linalg.slogdet), check_slogdet, "square"),
    "solve": Call(linalg.solve, check_solve, "square", True),
    "svd": Call(of_a(linalg.svd), check_svd),
    "svd reduced": Call(of_a(linalg.svd, full_matrices=False), partial(check_svd, full_matrices=False)),
    "svdvals": Call(of_a(linalg.svdvals), check_svdvals),
    "tensordot": Call(lambda a, b: linalg.tensordot(a, a, axes=((1, 2), (1, 2))), check_tensordot),
    "trace": Call(of_a(linalg.trace), check_trace),
    "vecdot": Call(lambda a, b: linalg.vecdot(a, a[..., ::-1, :]), check_vecdot),
    **{f"matrix_power {n}": power(n) for n in (0, 3, -2)},
    **{
        f"vector_norm {order}": Call(
            of_a(linalg.vector_norm, axis=-1, ord=order), partial(check_vector_norm, order=order)
        )
        for order in (0, 1, 2, 3, np.inf)
    },
    **{
        f"matrix_norm {order}": matrix_norm(linalg.matrix_norm, order)
        for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    },
    **{f"norm {order}": matrix_norm(linalg.norm, order, axis=(-2, -1)) for order in ("fro", "nuc", -1, 2)},
}


def shapes_of(name: str, on_gpu: bool) -> list[tuple[int, ...]]:
    form, computed = CALLS[name].form, any(part in name for part in ROUTINES)
    shapes = ON_GPUS if on_gpu else SQUARE + OBLONG if computed else FEW
    if form in ("square", "hermitian", "positive"):
        return [shape for shape in shapes if shape[-1] == shape[-2]]
    if form == "threes":
        return [shape for shape in shapes if shape[-2] >= 3 and shape[-1]]
    return [shape for shape in shapes if form != "nonempty" or shape[-1] * shape[-2]]


def laid_out(x: HostArray, layout: str) -> tuple[xp.Array, HostArray]:
    """An array in a layout, and its values; "broadcast" repeats the first matrix."""
    if layout == "broadcast":
        if len(x):
            x = np.broadcast_to(x[:1], x.shape)
        return xp.broadcast_to(lay_out(np.ascontiguousarray(x[:1]), "contiguous"), x.shape), x
    return lay_out(x, layout), x


def hosts(found: Any) -> list[HostArray]:
    return [to_host(x) for x in (found if isinstance(found, tuple) else (found,))]


def judge(call: Call, condition: str, dtype: str, shape: tuple[int, ...], layout: str) -> str | None:
    """The fault of a call, or None."""
    form = call.form if call.form in ("hermitian", "positive") else "any"
    x, a = laid_out(conditioned(condition, dtype, shape, form), layout)
    scaled = condition if CONDITIONS[condition].make is CONDITIONS["well"].make else "well"
    b = conditioned(scaled, dtype, (*shape[:-2], shape[-1], 2))
    given, row = Given(condition, a, b), CONDITIONS[condition]
    try:
        found = hosts(call.compute(x, lay_out(b, "contiguous")))
    except LinAlgError as error:
        may = call.raises and not row.regular
        return None if may else f"raised {error}"
    if call.raises and a.size and (condition == "zero" or (row.singular and call.form == "square")):
        return "did not raise"
    try:
        with np.errstate(all="ignore"):
            call.check(given, *found)
    except AssertionError as error:
        return str(error).partition("\n")[0] or repr(error)
    again = hosts(call.compute(x, lay_out(b, "contiguous")))
    return None if all(y.tobytes() == z.tobytes() for y, z in zip(found, again, strict=True)) else "other bits"


def faults(name: str, dtype: str, conditions: list[str], on_gpu: bool = False) -> list[str]:
    layouts, call, found = itertools.cycle(LAYOUTS), CALLS[name], []
    for condition in conditions:
        for shape in shapes_of(name, on_gpu):
            layout = next(layouts)
            if fault := judge(call, condition, dtype, shape, layout):
                found.append(f"{condition} {shape} {layout}: {fault}")
    return found


def share(device: Device, name: str) -> list[str]:
    """All conditions on the device that compiles nothing, a third elsewhere."""
    every = list(CONDITIONS)
    return every if device.loops is not None else every[sum(map(ord, name)) % 3 :: 3]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_conditions(device: Device, name: str, dtype: str) -> None:
    found = faults(name, dtype, share(device, name))
    assert not found, "\n".join([f"{len(found)} faults", *found[:20]])


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("name", [name for name in CALLS if name.split()[0] in MATRIX_ROUTINES])
def test_conditions_on_gpus(device: Device, name: str, dtype: str) -> None:
    """As on a GPU without a library, whose own kernels compute matrices of all of these sizes."""
    if device.is_gpu:
        pytest.skip("the test before")
    gpu = posing_as_gpu(device)
    with xp.config.set(device=str(gpu)):
        found = faults(name, dtype, share(device, name), on_gpu=True)
    assert not found, "\n".join([f"{len(found)} faults", *found[:20]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (3, 5), (8, 8), (17, 4), (6, 0), (0, 4)])
def test_least_squares(device: Device, shape: tuple[int, int], dtype: str) -> None:
    """What is left is orthogonal to the columns, and the solution has no part that they do not need."""
    for condition in share(device, f"lstsq {shape}"):
        a, b = conditioned(condition, dtype, (1, *shape)), conditioned("well", dtype, (1, shape[0], 2))
        given = Given(condition, a, b)
        x, _, rank, values = (y[None] for y in hosts(linalg.lstsq(xp.asarray(a[0]), xp.asarray(b[0]))))
        check_matrix_rank(given, rank)
        check_svdvals(given, values)
        if not np.all(np.isfinite(x)) or not 0 < norm(x)[0] < np.ldexp(1.0, int(np.finfo(dtype).maxexp) - 20):
            continue  # inverses of subnormal singular values
        scale = norm(a) * (norm(a) * given.size(x) + norm(b))
        assert_small(adjoint(wide(a)) @ (wide(b) - wide(a) @ wide(x)), scale, dtype, given.n)


# --- what is no number -----------------------------------------------------------------------------------------------

# NaN and infinities raise LinAlgError, as in NumPy's `eig`; in other functions they stay in their matrix.
RAISES: tuple[str, ...] = ("eig", "eigh", "eigvals", "eigvalsh", "matrix_rank", "pinv", "svd", "svd reduced", "svdvals")
RAISES += tuple(f"{name} {order}" for name in ("matrix_norm", "norm") for order in ("nuc", 2, -2))
MAY_RAISE = ("cholesky", "cholesky upper")  # NumPy does so for some infinities
NONE = ("matrix_power 0", "vector_norm 0")  # results without NaN
PLACES = [(1, np.nan, 0), (4, np.nan, 0), (4, np.nan, 3), (4, np.inf, 0), (4, -np.inf, 2), (9, np.nan, 8)]


@pytest.mark.parametrize("count", [3, 40])  # LAPACK's and own kernels on CPUs
@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("outer", "tensordot")])
def test_what_is_no_number_stays_in_its_matrix(device: Device, name: str, count: int) -> None:
    call, others = CALLS[name], np.arange(count) != 1
    dtypes = ("float32", "complex128") if device.loops is not None else ("float32",)
    for dtype, (n, bad, place) in itertools.product(dtypes, PLACES):
        form = call.form if call.form in ("hermitian", "positive") else "any"
        a = conditioned("well", dtype, (count, max(n, 3) if call.form == "threes" else n, n), form)
        b = np.ones((*a.shape[:2], 2), dtype)
        exact = hosts(call.compute(xp.asarray(a), xp.asarray(b)))
        a[1, place, 0] = bad
        if name not in ("trace", "diagonal"):
            a[1, 0, place] = bad
        if name in RAISES:
            with pytest.raises(LinAlgError):
                call.compute(xp.asarray(a), xp.asarray(b))
            continue
        try:
            found = hosts(call.compute(xp.asarray(a), xp.asarray(b)))
        except LinAlgError:
            assert name in MAY_RAISE, (dtype, n, bad, place)
            continue
        for one, two in zip(found, exact, strict=True):
            np.testing.assert_array_equal(one[others], two[others], err_msg=f"{dtype} {n} {bad} {place}")
        if np.isnan(bad) and name not in NONE and not (place and name in ("trace", "diagonal")):
            assert any(np.isnan(one[1]).any() for one in found), (dtype, n, bad, place)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("name", [name for name in CALLS if name.split()[0] in MATRIX_ROUTINES])
def test_no_number_comes_of_what_is_none_in_large_matrices(device: Device, name: str, dtype: str) -> None:
    """Of sizes that libraries compute: they raise, or the results have NaN."""
    call = CALLS[name]
    form = call.form if call.form in ("hermitian", "positive") else "any"
    for n, row, column in [(70, 0, 0), (70, 50, 3), (70, 69, 69), (300, 200, 7)]:
        a = conditioned("well", dtype, (1, n, n), form)[0]
        a[row, column] = a[column, row] = np.nan
        try:
            found = hosts(call.compute(xp.asarray(a), xp.asarray(a[:, :2])))
        except LinAlgError:
            assert name in RAISES + MAY_RAISE, (n, row, column)
            continue
        assert name not in RAISES and any(np.isnan(x).any() for x in found), (n, row, column)


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
@pytest.mark.parametrize("name", [name for name in CALLS if CALLS[name].form in ("any", "square", "hermitian")])
def test_integers_are_computed_as_the_default_dtype(device: Device, name: str, dtype: str) -> None:
    """Bits are those of the same floats; those of products and others that keep integers are exact."""
    del device
    a = np.random.default_rng(5).integers(0, 9, (40, 4, 4)).astype(dtype)
    a = a + np.swapaxes(a, -1, -2) + 9 * np.eye(4, dtype=dtype)
    one, two = (hosts(CALLS[name].compute(xp.asarray(x), xp.asarray(x[..., :2]))) for x in (a, a.astype("float64")))
    for found, exact in zip(one, two, strict=True):
        if found.dtype.kind in "iu":
            exact = exact.astype("int64").astype(found.dtype)
        np.testing.assert_array_equal(found, exact)
