"""Values of what the official suite checks only loosely, on random shapes, dtypes and views, against NumPy.

Each check draws its arrays: stacks of any size, also 0; contiguous, backwards, transposed, spread out or broadcast.
Integers are compared exactly. Floats are compared with NumPy's result in a wider dtype, computed from the same numbers;
what they may be off by is a number of eps times a size that the arithmetic passes through, see `near`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import (
    COMPLEX,
    DTYPES,
    FLOATING,
    LAYOUTS,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    assert_same,
    few,
    lay_out,
    sample,
    to_host,
)

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
Shape = tuple[int, ...]
Both = tuple[HostArray, xp.Array]
linalg, fft = xp.linalg, xp.fft


class Draw:
    """A source of shapes and arrays, repeatable."""

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)

    def one(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def extent(self, most: int = 9) -> int:
        return int(self.rng.integers(1, most + 1))

    def stack(self) -> Shape:
        """What stands before the axes of a matrix; some have no elements."""
        stack: Shape = self.one((), (), (self.extent(4),), (self.extent(3), self.extent(3)), (0,), (2, 1))
        return stack

    def shape(self, least: int = 0) -> Shape:
        """Any shape of ``least`` axes or more; one in four has no elements."""
        shape = tuple(self.extent(12) for _ in range(int(self.rng.integers(least, 4))))
        return (*shape[:-1], 0) if shape and self.rng.integers(4) == 0 else shape

    def array(self, dtype: str, shape: Shape, make: Callable[..., HostArray] = sample) -> Both:
        """The same values on the host and here, in any layout."""
        a = make(dtype, shape, int(self.rng.integers(1000)))
        layout = self.one(*LAYOUTS, "broadcast")
        if layout != "broadcast":
            return a, lay_out(a, layout)
        key = tuple(slice(0, self.one(1, None)) for _ in shape)
        some = a[key].copy()
        return np.broadcast_to(some, shape), xp.broadcast_to(xp.asarray(some), shape)

    def square(self, dtype: str) -> Both:
        """A stack of matrices far from singular."""
        n = self.extent(6)
        a = sample(dtype, (*self.stack(), n, n), int(self.rng.integers(1000)))
        a = (a + 4 * n * np.eye(n)).astype(dtype)
        return a, lay_out(a, self.one(*LAYOUTS))

    def axis(self, x: HostArray) -> int:
        return int(self.rng.integers(-x.ndim, x.ndim))


def wide(x: Any) -> HostArray:
    """A host array, or one of ours, in extended precision; integers as they are."""
    host = x if isinstance(x, np.ndarray) else to_host(x)
    return host.astype({"f": np.longdouble, "c": np.clongdouble}.get(host.dtype.kind, host.dtype))


def near(got: xp.Array, exact: Any, size: Any, times: float) -> None:
    """Integers and truth values are exact; floats are off by at most ``times`` * eps * ``size``.

    The dtype of ``got`` decides about eps; two of its subnormal numbers are always allowed.
    """
    host = to_host(got)
    if host.dtype.kind in "biu":
        assert_same(host, exact.astype(host.dtype))
        return
    assert host.shape == exact.shape, f"shape {host.shape}, expected {exact.shape}"
    limits = np.finfo(host.dtype)
    with np.errstate(invalid="ignore"):
        error = np.abs(host - exact)
        error = np.where(np.isinf(exact) & (host == exact), 0, error)
    room = times * float(limits.eps) * np.asarray(size) + 2 * float(limits.smallest_subnormal)
    assert np.all(error <= room), f"off by {np.max(error / room) * times} eps of the size, allowed {times}"


def adjoint(x: HostArray) -> HostArray:
    return np.conj(np.swapaxes(x, -1, -2))


def norm(x: HostArray) -> Any:
    """The Frobenius norm of each matrix, to be broadcast against a stack of matrices."""
    return np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1), keepdims=True))


Check = Callable[[Draw, str], None]
CHECKS: dict[str, tuple[Check, tuple[str, ...]]] = {}


def check(*dtypes: str) -> Callable[[Check], Check]:
    """A check of the functions that its name holds, for these dtypes."""

    def register(function: Check) -> Check:
        CHECKS[function.__name__] = function, dtypes
        return function

    return register


# --- products ------------------------------------------------------------------------------------


@check(*NUMERIC)
def matmul(draw: Draw, dtype: str) -> None:
    stack, m, k, n = draw.stack(), draw.extent(20), draw.one(0, draw.extent(40)), draw.extent(20)
    a, x = draw.array(dtype, (*stack, m, k))
    b, y = draw.array(dtype, (*draw.one((), stack), k, n))
    near(x @ y, wide(a) @ wide(b), np.abs(wide(a)) @ np.abs(wide(b)), k + 1)


@check(*NUMERIC)
def tensordot(draw: Draw, dtype: str) -> None:
    k, m = draw.extent(5), draw.extent(5)
    a, x = draw.array(dtype, (k, draw.extent(4), m))
    b, y = draw.array(dtype, (m, k, draw.extent(4)))
    axes = ((0, 2), (1, 0))
    size = np.tensordot(np.abs(wide(a)), np.abs(wide(b)), axes)
    near(xp.tensordot(x, y, axes=axes), np.tensordot(wide(a), wide(b), axes), size, k * m + 1)


@check(*NUMERIC)
def vecdot(draw: Draw, dtype: str) -> None:
    shape = (*draw.stack(), draw.extent(30))
    (a, x), (b, y) = draw.array(dtype, shape), draw.array(dtype, draw.one(shape, shape[-1:]))
    with np.errstate(over="ignore"):
        exact = np.sum(np.conj(wide(a)) * wide(b), axis=-1, dtype=wide(a).dtype)
    near(xp.vecdot(x, y), exact, np.sum(np.abs(wide(a) * wide(b)), axis=-1), shape[-1] + 1)


@check(*NUMERIC)
def cross(draw: Draw, dtype: str) -> None:
    shape = (*draw.stack(), 3)
    (a, x), (b, y) = draw.array(dtype, shape), draw.array(dtype, draw.one(shape, (3,)))
    size = np.sum(np.abs(wide(a)), -1, keepdims=True) * np.sum(np.abs(wide(b)), -1, keepdims=True)
    near(linalg.cross(x, y), np.cross(wide(a), wide(b)), size, 4)


@check(*NUMERIC)
def outer(draw: Draw, dtype: str) -> None:
    (a, x), (b, y) = draw.array(dtype, (draw.extent(),)), draw.array(dtype, (draw.one(0, draw.extent()),))
    near(linalg.outer(x, y), np.outer(wide(a), wide(b)), np.outer(np.abs(wide(a)), np.abs(wide(b))), 2)


@check(*NUMERIC)
def trace_and_diagonal(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, (*draw.stack(), draw.extent(), draw.extent()))
    offset = int(draw.rng.integers(-3, 4))
    terms = np.diagonal(a, offset, -2, -1)
    assert_same(to_host(linalg.diagonal(x, offset=offset)), terms)
    total = linalg.trace(x, offset=offset)
    exact = np.sum(wide(terms), axis=-1) if dtype in FLOATING else np.sum(terms, axis=-1)
    near(total, exact, np.sum(np.abs(wide(terms)), axis=-1), 10)


# --- factorisations: their promise holds ---------------------------------------------------------


@check(*FLOATING)
def inv_and_solve(draw: Draw, dtype: str) -> None:
    a, x = draw.square(dtype)
    n = a.shape[-1]
    inverse = linalg.inv(x)
    near(xp.asarray(to_host(inverse)), np.linalg.inv(a.astype("complex128")), norm(wide(inverse)), 10 * n)
    b, y = draw.array(dtype, (*a.shape[:-1], 2))
    solution = linalg.solve(x, y)
    residual = wide(a) @ wide(solution) - wide(b)
    assert np.all(np.abs(residual) <= 10 * n * np.finfo(dtype).eps * norm(wide(a)) * norm(wide(solution)))


@check(*FLOATING)
def det_and_slogdet(draw: Draw, dtype: str) -> None:
    a, x = draw.square(dtype)
    n = a.shape[-1]
    sign, logarithm = (to_host(part) for part in linalg.slogdet(x))
    exact_sign, exact = np.linalg.slogdet(a.astype("complex128"))
    eps = np.finfo(dtype).eps
    assert np.all(np.abs(logarithm - exact) <= 10 * n * eps * (1 + exact))
    assert np.all(np.abs(sign - exact_sign) <= 10 * n * eps)
    if dtype != "float16":  # whose range determinants of this size leave
        near(linalg.det(x), np.linalg.det(a.astype("complex128")), np.exp(exact), 10 * n)


@check(*FLOATING)
def qr_and_svd(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, (*draw.stack(), draw.extent(6), draw.extent(6)))
    eps, k = np.finfo(dtype).eps, min(a.shape[-2:])
    room = 40 * max(a.shape[-2:]) * eps * (norm(wide(a)) + 1)
    q, r = (wide(part) for part in linalg.qr(x))
    assert np.all(np.abs(q @ r - wide(a)) <= room)
    assert np.all(np.abs(adjoint(q) @ q - np.eye(k)) <= 40 * k * eps)
    u, s, vh = (wide(part) for part in linalg.svd(x, full_matrices=False))
    assert np.all(np.abs(u * s[..., None, :] @ vh - wide(a)) <= room)
    assert np.all(np.abs(vh @ adjoint(vh) - np.eye(k)) <= 40 * k * eps)
    exact = np.linalg.svdvals(a.astype("complex128"))
    near(linalg.svdvals(x), exact, norm(wide(a))[..., 0] + 0 * exact, 40)


@check(*FLOATING)
def eigh_eigvalsh_and_cholesky(draw: Draw, dtype: str) -> None:
    n = draw.extent(6)
    a = sample(dtype, (*draw.stack(), n, n), int(draw.rng.integers(1000)))
    a = (a + adjoint(a)).astype(dtype)
    x = lay_out(a, draw.one(*LAYOUTS))
    values, vectors = (wide(part) for part in linalg.eigh(x))
    room = 40 * n * np.finfo(dtype).eps * (norm(wide(a)) + 1)
    assert np.all(np.abs(wide(a) @ vectors - vectors * values[..., None, :]) <= room)
    assert np.all(np.abs(adjoint(vectors) @ vectors - np.eye(n)) <= 40 * n * np.finfo(dtype).eps)
    near(linalg.eigvalsh(x), np.linalg.eigvalsh(a.astype("complex128")), norm(wide(a))[..., 0], 40 * n)
    b = (a + 8 * n * np.eye(n)).astype(dtype)
    factor = wide(linalg.cholesky(lay_out(b, draw.one(*LAYOUTS))))
    assert np.all(np.abs(factor @ adjoint(factor) - wide(b)) <= 10 * n * np.finfo(dtype).eps * norm(wide(b)))


@check(*FLOATING)
def eig_and_eigvals(draw: Draw, dtype: str) -> None:
    a, x = draw.square(dtype)
    values, vectors = linalg.eig(x)
    residual = wide(a) @ wide(vectors) - wide(vectors) * wide(values)[..., None, :]
    eps = np.finfo(to_host(values).dtype).eps
    assert np.all(np.abs(residual) <= 40 * a.shape[-1] * eps * norm(wide(a)))
    # Their sum is the trace, and that of their squares the trace of the square.
    got, w = wide(linalg.eigvals(x)), wide(a)
    for power, product in ((1, w), (2, w @ w)):
        total = np.trace(product, axis1=-2, axis2=-1)
        room = 40 * a.shape[-1] * eps * np.sum(np.abs(product), axis=(-2, -1))
        assert np.all(np.abs(np.sum(got**power, axis=-1) - total) <= room)


@check(*FLOATING)
def pinv_and_matrix_rank(draw: Draw, dtype: str) -> None:
    a, x = draw.square(dtype)
    n = a.shape[-1]
    near(linalg.pinv(x), np.linalg.inv(a.astype("complex128")), norm(np.linalg.inv(a.astype("complex128"))), 40 * n)
    assert np.all(to_host(linalg.matrix_rank(x)) == n)
    assert np.all(to_host(linalg.matrix_rank(x - x)) == 0)


@check(*FLOATING)
def matrix_power(draw: Draw, dtype: str) -> None:
    n = draw.extent(5)
    a = (sample(dtype, (*draw.stack(), n, n), int(draw.rng.integers(1000))) / 4).astype(dtype)
    power = int(draw.rng.integers(5))
    got = linalg.matrix_power(lay_out(a, draw.one(*LAYOUTS)), power)
    size = np.linalg.matrix_power(np.abs(a).astype("float64"), power)
    near(got, np.linalg.matrix_power(a.astype("complex128"), power), size, 10 * n)


@check(*FLOATING)
def matrix_and_vector_norms(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, (*draw.stack(), draw.extent(6), draw.extent(6)))
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        exact = np.linalg.matrix_norm(a.astype("complex128"), ord=order)
        near(linalg.matrix_norm(x, ord=order), exact, norm(wide(a))[..., 0, 0], 60)
    axis = draw.axis(a)
    for power in (0, 1, 2, 3, np.inf, -np.inf):
        if a.shape[axis]:
            exact = np.linalg.vector_norm(a.astype("complex128"), axis=axis, ord=power)
            near(linalg.vector_norm(x, axis=axis, ord=power), exact, exact, 8)


# --- transforms ----------------------------------------------------------------------------------


@check(*FLOATING)
def fft_and_its_kin(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, (*draw.stack(), draw.extent(30) + 1))
    n, scale = draw.one(None, draw.extent(40) + 1), draw.one("backward", "ortho", "forward")
    names = ["fft", "ifft", "irfft", "hfft", *(["rfft", "ihfft"] if dtype in REAL_FLOATING else [])]
    for name in names:
        exact = getattr(np.fft, name)(wide(a), n=n, norm=scale)
        size = np.sqrt(np.mean(np.abs(exact) ** 2, axis=-1, keepdims=True)) + np.max(np.abs(exact), initial=0)
        near(getattr(fft, name)(x, n=n, norm=scale), exact, size, 10)


@check(*FLOATING)
def fftn_and_its_kin(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, (*draw.stack(), draw.extent(8) + 1, draw.extent(8) + 1))
    axes, scale = draw.one((-1,), (-2, -1), (-1, -2)), draw.one("backward", "ortho", "forward")
    for name in ["fftn", "ifftn", "irfftn", *(["rfftn"] if dtype in REAL_FLOATING else [])]:
        exact = getattr(np.fft, name)(wide(a), axes=axes, norm=scale)
        near(getattr(fft, name)(x, axes=axes, norm=scale), exact, np.max(np.abs(exact), initial=0), 20)


@check(*DTYPES)
def shifts(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape(1))
    axis = draw.one(None, draw.axis(a))
    if dtype != "bool":
        assert_same(to_host(fft.fftshift(x, axes=axis)), np.fft.fftshift(a, axes=axis))
        assert_same(to_host(fft.ifftshift(x, axes=axis)), np.fft.ifftshift(a, axes=axis))
    by = int(draw.rng.integers(-20, 20))
    assert_same(to_host(xp.roll(x, by, axis=axis)), np.roll(a, by, axis=axis))


# --- statistics ----------------------------------------------------------------------------------


@check(*NUMERIC)
def sums_and_products(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape())
    axis, keep = draw.one(None, *range(-a.ndim, a.ndim)), draw.one(False, True)
    terms = wide(a).astype(to_host(xp.sum(x)).dtype) if dtype not in FLOATING else wide(a)
    with np.errstate(over="ignore"):
        count = a.size + 1
        near(xp.sum(x, axis=axis, keepdims=keep), np.sum(terms, axis=axis, keepdims=keep),
             np.sum(np.abs(wide(a)), axis=axis, keepdims=keep), 20)  # fmt: skip
        if dtype != "float16":  # whose range products leave
            near(xp.prod(x, axis=axis, keepdims=keep), np.prod(terms, axis=axis, keepdims=keep),
                 np.prod(np.abs(wide(a)), axis=axis, keepdims=keep), 2 * count)  # fmt: skip


@check(*REAL_FLOATING)
def means_and_spreads(draw: Draw, dtype: str) -> None:
    shape = draw.shape(1)
    a, x = draw.array(dtype, (*shape[:-1], shape[-1] + 3, 4))
    axis, keep, correction = draw.one(None, *range(-a.ndim, a.ndim)), draw.one(False, True), draw.one(0, 1, 0.5, 2)
    count = a.size if axis is None else a.shape[axis]
    if count <= correction:
        return
    options: dict[str, Any] = {"axis": axis, "keepdims": keep}
    size = np.max(np.abs(wide(a)), initial=0)
    near(xp.mean(x, **options), np.mean(wide(a), **options), size, 10)
    near(xp.var(x, correction=correction, **options), np.var(wide(a), ddof=correction, **options), size**2 * 2, 20)
    near(xp.std(x, correction=correction, **options), np.std(wide(a), ddof=correction, **options), size * 2, 20)


@check("bool", *REAL)
def extremes_and_their_places(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, tuple(n + 1 for n in draw.shape(1)), draw.one(sample, few))
    axis, keep = draw.one(None, draw.axis(a)), draw.one(False, True)
    for name in ("max", "min", "argmax", "argmin"):
        got = getattr(xp, name)(x, axis=axis, keepdims=keep)
        assert_same(to_host(got), np.asarray(getattr(np, name)(a, axis=axis, keepdims=keep)))


@check(*NUMERIC)
def cumulative_sums_and_products(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape(1))
    axis, initial = draw.axis(a), draw.one(False, True)
    for name in ("cumulative_sum", "cumulative_prod"):
        if name == "cumulative_prod" and dtype == "float16":  # whose range products leave
            continue
        got = getattr(xp, name)(x, axis=axis, include_initial=initial)
        terms, same = (wide(a), np.abs(wide(a))) if dtype in FLOATING else (a.astype(got.dtype), a)
        function = getattr(np, name)
        with np.errstate(over="ignore"):
            exact = function(terms, axis=axis, include_initial=initial)
            size = function(same, axis=axis, include_initial=initial)
        near(got, exact, size, 2 * (a.shape[axis] + 1))


# --- searching, sorting, sets --------------------------------------------------------------------


@check(*REAL)
def searchsorted(draw: Draw, dtype: str) -> None:
    side, make = draw.one("left", "right"), draw.one(few, sample)
    (a, x), (b, y) = draw.array(dtype, (draw.one(0, draw.extent(60)),), make), draw.array(dtype, draw.shape(), make)
    order = np.argsort(a, kind="stable")
    places = np.searchsorted(a[order], b, side=side).astype("int64")
    assert_same(to_host(xp.searchsorted(xp.sort(x), y, side=side)), np.asarray(places))
    assert_same(to_host(xp.searchsorted(x, y, side=side, sorter=xp.asarray(order))), np.asarray(places))


@check(*DTYPES)
def isin(draw: Draw, dtype: str) -> None:
    make = draw.one(few, sample)
    (a, x), (b, y) = draw.array(dtype, draw.shape(), make), draw.array(dtype, draw.shape(), make)
    invert = draw.one(False, True)
    assert_same(to_host(xp.isin(x, y, invert=invert)), np.asarray(np.isin(a, b, invert=invert)))


@check("bool", *REAL)
def sort_and_argsort(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape(1), draw.one(few, sample))
    axis = draw.axis(a)
    assert_same(to_host(xp.sort(x, axis=axis)), np.sort(a, axis=axis))
    assert_same(to_host(xp.argsort(x, axis=axis)), np.argsort(a, axis=axis, kind="stable"))
    # Downwards and stable: from the last element back, upwards.
    down = np.flip(a.shape[axis] - 1 - np.argsort(np.flip(a, axis), axis=axis, kind="stable"), axis)
    assert_same(to_host(xp.argsort(x, axis=axis, descending=True)), down)
    assert_same(to_host(xp.sort(x, axis=axis, descending=True)), np.take_along_axis(a, down, axis))


@check(*DTYPES)
def unique_all(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape(), draw.one(few, sample))
    for got, exact in zip(xp.unique_all(x), np.unique_all(a), strict=True):
        assert_same(to_host(got), exact)


@check(*DTYPES)
def nonzero_and_count_nonzero(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape(1), few)
    for got, exact in zip(xp.nonzero(x), np.nonzero(a), strict=True):
        assert_same(to_host(got), exact)
    axis = draw.one(None, draw.axis(a))
    assert_same(to_host(xp.count_nonzero(x, axis=axis)), np.asarray(np.count_nonzero(a, axis=axis)))


# --- moving, converting --------------------------------------------------------------------------


@check(*DTYPES)
def astype(draw: Draw, dtype: str) -> None:
    """Small whole numbers, which every dtype holds."""
    a, x = draw.array(dtype, draw.shape(), lambda *of: np.abs(few(*of)))
    wanted = draw.one(*(COMPLEX if dtype in COMPLEX else DTYPES))
    assert_same(to_host(xp.astype(x, getattr(xp, wanted))), a.astype(wanted))


@check(*NUMERIC)
def diff(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, draw.shape(1))
    axis, order = draw.axis(a), draw.one(0, 1, 2)
    assert_same(to_host(xp.diff(x, axis=axis, n=order)), np.diff(a, axis=axis, n=order))


@check(*DTYPES)
def take_and_repeat(draw: Draw, dtype: str) -> None:
    a, x = draw.array(dtype, tuple(n + 1 for n in draw.shape(1)))
    axis = draw.axis(a)
    index = draw.rng.integers(-a.shape[axis], a.shape[axis], draw.one(0, 5))
    assert_same(to_host(xp.take(x, xp.asarray(index), axis=axis)), np.take(a, index, axis=axis))
    order = np.argsort(np.abs(a), axis=axis, kind="stable")
    got = xp.take_along_axis(x, xp.asarray(order), axis=axis)
    assert_same(to_host(got), np.take_along_axis(a, order, axis=axis))
    counts = draw.rng.integers(0, 3, a.shape[axis])
    assert_same(to_host(xp.repeat(x, xp.asarray(counts), axis=axis)), np.repeat(a, counts, axis=axis))
    assert_same(to_host(xp.tile(x, (2, 1, 3))), np.tile(a, (2, 1, 3)))


@check(*REAL_FLOATING)
def pow_hypot_and_logaddexp(draw: Draw, dtype: str) -> None:
    shape = draw.shape()
    (a, x), (b, y) = draw.array(dtype, shape), draw.array(dtype, draw.one(shape, shape[-1:], ()))
    w, v = wide(a), wide(b)
    near(xp.hypot(x, y), np.hypot(w, v), np.hypot(w, v), 4)
    near(xp.pow(xp.abs(x), y), np.abs(w) ** v, np.abs(w) ** v, 4)
    near(xp.logaddexp(x, y), np.logaddexp(w, v), 1 + np.maximum(np.abs(w), np.abs(v)), 4)


@check(*DTYPES)
def numpy_and_back(draw: Draw, dtype: str) -> None:
    """DLPack both ways, and the copy that NumPy makes."""
    a, x = draw.array(dtype, draw.shape())
    back = np.from_dlpack(x, device="cpu", copy=True)
    assert_same(back, a)
    assert_same(to_host(xp.from_dlpack(back)), a)
    assert_same(np.asarray(x), a)


DRAWS = 2


@pytest.mark.parametrize("seed", range(DRAWS))
@pytest.mark.parametrize("name", CHECKS)
def test_random_arrays(name: str, seed: int) -> None:
    function, dtypes = CHECKS[name]
    draw = Draw(seed + DRAWS * list(CHECKS).index(name))
    # The dtypes in turn, from a different one each time.
    dtype = dtypes[(seed * len(dtypes) // DRAWS + int(draw.rng.integers(len(dtypes)))) % len(dtypes)]
    function(draw, dtype)
