"""Products, beside NumPy in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import blas
from arrayapi_gpu.pygpu.gpuarray import GpuContext

Host = np.ndarray[Any, Any]


def both(ctx: GpuContext, rng: np.random.Generator, shape: Any, dtype: str, order: str = "C", step: int = 1) -> Any:
    """A random host array and its twin on the device, which does not lie in one piece where ``step`` is not 1."""
    host = rng.random((shape[0] * abs(step), *shape[1:])).astype(dtype)[::step]
    x = pygpu.array(host, order=order, context=ctx)
    if step != 1:
        x = pygpu.array(np.repeat(host[::-1], 2, axis=0), context=ctx)[::-2]
    np.testing.assert_array_equal(np.asarray(x), host)
    return host.astype("complex128" if host.dtype.kind == "c" else "float64"), x


def close(x: Any, expected: Host, dtype: str) -> None:
    assert x.dtype == dtype and x.shape == expected.shape
    small = 2e-6 if dtype in ("float32", "complex64") else 1e-14
    np.testing.assert_allclose(np.asarray(x), expected, rtol=0, atol=small * np.max(np.abs(expected), initial=1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("n, step", [(1, 1), (257, 1), (33, 2), (33, -1)])
def test_dot_is_the_sum_of_products(ctx: GpuContext, rng: Any, n: int, step: int, dtype: str) -> None:
    (a, x), (b, y) = (both(ctx, rng, (n,), dtype, step=step) for _ in range(2))
    close(blas.dot(x, y), np.sum(a * b), dtype)
    z = pygpu.zeros((), dtype, context=ctx)
    close(blas.dot(x, y, z), np.sum(a * b), dtype)
    assert not bool(z)
    assert blas.dot(x, y, z, overwrite_z=True) is z
    close(z, np.sum(a * b), dtype)


@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("alpha, beta", [(1.0, 0.0), (0.5, 1.0), (-1.0, 0.25), (0.0, 2.0)])
def test_gemv(ctx: GpuContext, rng: Any, trans: bool, order: str, alpha: float, beta: float) -> None:
    a, A = both(ctx, rng, (12, 7), "float32", order)
    b, x = both(ctx, rng, (12 if trans else 7,), "float32", step=-1)
    c, y = both(ctx, rng, (7 if trans else 12,), "float32")
    expected = alpha * ((a.T if trans else a) @ b) + beta * c
    close(blas.gemv(alpha, A, x, beta, y, trans), expected, "float32")
    np.testing.assert_array_equal(np.asarray(y), c.astype("float32"))
    assert blas.gemv(alpha, A, x, beta, y, trans, overwrite_y=True) is y
    close(y, expected, "float32")
    close(blas.gemv(alpha, A, x, trans_a=trans), alpha * ((a.T if trans else a) @ b), "float32")


@pytest.mark.parametrize("name", ["gemm", "gemmBatch_3d"])
@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("order, step", [("C", 1), ("F", 1), ("C", -1)])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_gemm(
    ctx: GpuContext, rng: Any, name: str, trans_a: bool, trans_b: bool, order: str, step: int, dtype: str
) -> None:
    lead = (3,) if name == "gemmBatch_3d" else ()
    a, A = both(ctx, rng, (*lead, *((5, 6) if trans_a else (6, 5))), dtype, order, step)
    b, B = both(ctx, rng, (*lead, *((7, 5) if trans_b else (5, 7))), dtype, order, step)
    c, C = both(ctx, rng, (*lead, 6, 7), dtype, order)
    product = (a.swapaxes(-1, -2) if trans_a else a) @ (b.swapaxes(-1, -2) if trans_b else b)
    function = getattr(blas, name)
    close(function(2.0, A, B, 0.0, trans_a=trans_a, trans_b=trans_b), 2 * product, dtype)
    close(function(0.5, A, B, -1.0, C, trans_a, trans_b), 0.5 * product - c, dtype)
    np.testing.assert_array_equal(np.asarray(C), c.astype(dtype))
    strides = C.strides
    assert function(1.0, A, B, 1.0, C, trans_a, trans_b, overwrite_c=True) is C
    assert C.strides == strides
    close(C, product + c, dtype)


@pytest.mark.parametrize("step", [1, 2, -1])
def test_ger(ctx: GpuContext, rng: Any, step: int) -> None:
    (a, x), (b, y) = both(ctx, rng, (4,), "float32", step=step), both(ctx, rng, (5,), "float32", step=step)
    c, A = both(ctx, rng, (4, 5), "float32", "F")
    close(blas.ger(2.0, x, y), 2 * np.outer(a, b), "float32")
    close(blas.ger(2.0, x, y, A), c + 2 * np.outer(a, b), "float32")
    assert blas.ger(2.0, x, y, A, overwrite_a=True) is A
    close(A, c + 2 * np.outer(a, b), "float32")


def test_nan_in_what_beta_takes_away_is_not_read(ctx: GpuContext) -> None:
    """beta = 0 means that C is written and not read, as BLAS has it."""
    a = pygpu.array([[1.0]], context=ctx)
    c = pygpu.array([[np.nan]], context=ctx)
    assert float(np.asarray(blas.gemm(1.0, a, a, 0.0, c, overwrite_c=True))[0, 0]) == 1.0


def test_operands_that_do_not_fit_are_refused(ctx: GpuContext) -> None:
    m, v, wide = (pygpu.zeros(shape, "float32", context=ctx) for shape in ((2, 3), (2,), (2, 2, 2)))
    host: Any = np.zeros(2)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: blas.gemm(1, m, v, 0), TypeError, "B is not a matrix: it has 1 axes; allowed: 2"),
        (lambda: blas.gemv(1, v, v), TypeError, "A is not a matrix"),
        (lambda: blas.gemmBatch_3d(1, m, m, 0), TypeError, "A is not a batch of matrices"),
        (lambda: blas.dot(v, host), TypeError, "Y is ndarray; allowed: a GpuArray"),
        (lambda: blas.gemm(1, m, m, 0), ValueError, "do not fit: 3 is not 2"),
        (lambda: blas.gemv(1, m, v), ValueError, "do not fit: 3 is not 2"),
        (lambda: blas.dot(v, m[0]), ValueError, "has shape"),
        (lambda: blas.gemmBatch_3d(1, wide, wide[:1], 0), ValueError, "has shape"),
        (lambda: blas.gemm(1, m, m.T, 1), ValueError, r"not provided and beta != 0"),
        (lambda: blas.gemm(1, m, m.T, 1, m), ValueError, "has shape"),
        (lambda: blas.ger(1, v, v.astype("float64")), ValueError, "one floating-point dtype"),
        (lambda: blas.dot(v.astype("int32"), v.astype("int32")), ValueError, "one floating-point dtype"),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()
