"""Element-wise operations and kernels, beside NumPy on random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu._elemwise import in_dialect
from arrayapi_gpu.pygpu.elemwise import (
    ElemwiseKernel,
    GpuElemwise,
    arg,
    as_argument,
    compare,
    elemwise1,
    elemwise2,
    ielemwise2,
)
from arrayapi_gpu.pygpu.errors import GpuArrayException
from arrayapi_gpu.pygpu.gpuarray import GpuArray, GpuContext


def both(ctx: GpuContext, rng: Any, shape: tuple[int, ...], dtype: str = "float32") -> tuple[Any, GpuArray]:
    host = rng.integers(1, 9, shape).astype(dtype)
    return host, pygpu.array(host, context=ctx)


def test_an_argument_says_how_it_is_used() -> None:
    x: Any = arg(b"x", 11, read=True, scalar=True)
    assert (x.name, x.type, bool(x.read), bool(x.write), bool(x.scalar)) == ("x", np.float32, True, False, True)
    assert repr(x) == "arg('x', float32, True, False, True)"
    with pytest.raises(ValueError, match="no flags specified for arg x; allowed"):
        arg("x", "float32")
    with pytest.raises(ValueError, match="don't know how"):
        arg("x", "U4", read=True)


def test_an_argument_is_made_of_a_value(ctx: GpuContext) -> None:
    array, number = (
        as_argument(pygpu.zeros((2,), "int8", context=ctx), "a", read=True),
        as_argument(0.5, "b", read=True),
    )
    assert array.type == np.int8 and not array.scalar and number.type == np.float64 and number.scalar
    with pytest.raises(ValueError, match="neither read nor write"):
        as_argument(1, "a")


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "float16"])
def test_operators_of_c_compute_each_element(ctx: GpuContext, rng: Any, dtype: str) -> None:
    (a, x), (b, y) = both(ctx, rng, (5, 7), dtype), both(ctx, rng, (5, 7), dtype)
    for made, expected in [
        (elemwise1(x, "-"), -a),
        (elemwise1(x, None, oper="res = a * a"), a * a),
        (elemwise2(x, "+", y, x), a + b),
        (elemwise2(x, "-", 2, x), a - np.asarray(2, dtype)),
        (elemwise2(3, "*", y, y), 3 * b),
        (elemwise2(x, "", y, x, oper="res = a > b ? a : b"), np.maximum(a, b)),
        (compare(x, "<", y), a < b),
        (compare(x, "==", 3), a == 3),
    ]:
        assert made.dtype == expected.dtype and made.shape == expected.shape
        np.testing.assert_array_equal(np.asarray(made), expected)


def test_results_go_where_they_are_wanted(ctx: GpuContext, rng: Any) -> None:
    host, x = both(ctx, rng, (4, 6))
    out = pygpu.zeros((4, 6), "float64", "F", context=ctx)
    assert elemwise1(x, "-", out=out) is out and out.strides == (8, 32)
    np.testing.assert_array_equal(np.asarray(out), -host)
    assert ielemwise2(x[::2], "*", 2).base is None
    host[::2] *= 2
    assert ielemwise2(x, "+", x.T.T) is x
    np.testing.assert_array_equal(np.asarray(x), host + host)


@pytest.mark.parametrize(
    "shapes", [((3, 5), (1, 5)), ((1, 5), (3, 1)), ((3, 4, 5), (4, 5)), ((4,), ()), ((0, 3), (3,))]
)
def test_axes_of_one_element_are_repeated_where_that_is_asked_for(ctx: GpuContext, rng: Any, shapes: Any) -> None:
    (a, x), (b, y) = both(ctx, rng, shapes[0]), both(ctx, rng, shapes[1])
    np.testing.assert_array_equal(np.asarray(elemwise2(x, "+", y, x, broadcast=True)), a + b)
    with pytest.raises(ValueError, match="differ; pass broadcast=True"):
        elemwise2(x, "+", y, x)


@pytest.mark.parametrize("broadcast", [False, True])
def test_axes_of_what_is_written_are_never_repeated(ctx: GpuContext, rng: Any, broadcast: bool) -> None:
    (a, x), (_, y) = both(ctx, rng, (1, 4)), both(ctx, rng, (6, 4))
    with pytest.raises(ValueError, match=r"is written, and has shape|differ; pass broadcast"):
        ielemwise2(x, "+", y, broadcast=broadcast)
    np.testing.assert_array_equal(np.asarray(x), a)


# --- kernels

RES = arg("res", "float32", write=True)
A = arg("a", "float32", read=True)
B = arg("b", "float32", read=True, scalar=True)


def test_a_kernel_has_several_results_and_a_preamble(ctx: GpuContext, rng: Any) -> None:
    host, x = both(ctx, rng, (3, 4))
    total, product = (pygpu.empty((3, 4), "float32", context=ctx) for _ in range(2))
    kernel = GpuElemwise(
        ctx, b"total = twice(a) + b; product = a * b", [arg("total", "float32", write=True), A, B,
        arg("product", "float32", write=True)], preamble="WITHIN_KERNEL ga_float twice(ga_float x) { return 2 * x; }",
    )  # fmt: skip
    kernel(total, x, 0.5, product)
    np.testing.assert_array_equal(np.asarray(total), 2 * host + 0.5)
    np.testing.assert_array_equal(np.asarray(product), host * np.float32(0.5))


def test_a_kernel_without_operands_writes_all_elements(ctx: GpuContext) -> None:
    x = pygpu.zeros((3,), "float64", context=ctx)
    GpuElemwise(ctx, "res = -INFINITY", [arg("res", "float64", write=True)])(x)
    assert np.asarray(x).tolist() == [-np.inf] * 3


def test_what_a_kernel_does_not_take_is_refused(ctx: GpuContext) -> None:
    x, y = pygpu.zeros((2, 3), "float32", context=ctx), pygpu.zeros((3,), "float32", context=ctx)
    kernel = GpuElemwise(ctx, "res = a * b", [RES, A, B])
    wrong: Any = "a"
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: kernel(x, x), TypeError, "got 2 arguments; allowed: 3"),
        (lambda: kernel(x, np.zeros((2, 3)), 1), TypeError, "expected a GpuArray for a: got ndarray"),
        (lambda: kernel(x, x.astype("int32"), 1), TypeError, "got int32 for a; allowed: float32"),
        (lambda: kernel(x, x, x), TypeError, "got GpuArray for b; allowed: a number"),
        (lambda: kernel(x, x, np.zeros(2)), TypeError, "got ndarray for b; allowed: a number"),
        (lambda: kernel(x, y, 1, broadcast=False), ValueError, "differ; pass broadcast=True"),
        (lambda: kernel(x, y, 1, padshape=False), ValueError, "pass padshape=True"),
        (lambda: kernel(y, x, 1), ValueError, "res is written, and has shape"),
        (lambda: GpuElemwise(ctx, "", [wrong]), TypeError, "iterable of arg: got str"),
        (lambda: GpuElemwise(ctx, "res = nowhere(b)", [RES, B])(x, 1), GpuArrayException, "Could not call"),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()
    kernel(x, y, 1)


def test_the_first_pygpus_kernel_takes_what_c_declares(ctx: GpuContext, rng: Any) -> None:
    (a, x), (b, y) = both(ctx, rng, (4, 5)), both(ctx, rng, (5,))
    kernel = ElemwiseKernel(ctx, "float *a, const float *b, double c", "a[i] = c * a[i] + b[i]")
    kernel(x, y, 0.5)
    np.testing.assert_array_equal(np.asarray(x), 0.5 * a + b)
    kernel(x.T, x.T, np.asarray(1.0))
    np.testing.assert_array_equal(np.asarray(x), 2 * (0.5 * a + b))
    with pytest.raises(TypeError):
        kernel(x, y)
    with pytest.raises(TypeError, match="quad"):
        ElemwiseKernel(ctx, "quad *a", "a[i] = 0")


def test_an_integer_argument_takes_integers(ctx: GpuContext) -> None:
    x = pygpu.array(np.ones(3, np.float32), context=ctx)
    kernel = GpuElemwise(ctx, "a = a * b", [arg("a", "float32", read=True, write=True), arg("b", "int32", scalar=True)])
    kernel(x, np.asarray([[2]]))
    np.testing.assert_array_equal(np.asarray(x), 2)
    for value in (2.5, float("nan"), np.float32(2), np.ones(1)):
        with pytest.raises(TypeError, match=r"GpuElemwise, argument 'b': got the float .*use int\(x\)"):
            kernel(x, value)
    with pytest.raises(OverflowError, match="argument 'b'"):
        kernel(x, 2**40)


def test_words_of_cluda_are_words_of_the_dialect() -> None:
    text = in_dialect("WITHIN_KERNEL ga_float f(ga_double x, ga_long y) { return aga_int; }")
    assert text == " M_f32 f(M_f64 x, M_i64 y) { return aga_int; }"
