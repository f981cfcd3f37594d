"""Kernels of users: declarations, arguments, types, hard cases; the same bodies on every device."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, KernelBuildError

pytestmark = pytest.mark.usefixtures("device")

X, Y = (sample("float32", (5, 37), seed) for seed in range(2))
N = np.arange(185, dtype=np.int32).reshape(5, 37) - 60

BODIES: dict[str, tuple[str, Any]] = {
    "an expression": ("z = x * y + x", lambda x, y: x * y + x),
    "local variables": ("float d = x - y; z = d * d;", lambda x, y: (x - y) * (x - y)),
    "a choice": ("z = x < y ? y : x", np.maximum),
    "if": ("if (x < 0) z = -x; else { z = x; z *= 2; }", lambda x, y: np.where(x < 0, -x, x * 2)),
    "a loop": ("z = x; for (int k = 0; k < 3; k++) z = z * y + 1;", lambda x, y: ((x * y + 1) * y + 1) * y + 1),
    "an array": ("float t[2] = {x, y}; z = t[0] - t[1];", lambda x, y: x - y),
    "return and continue": ("z = x; if (x < 0) continue; z = y;", lambda x, y: np.where(x < 0, x, y)),
    "integers": (
        "int k = (int)x; z = k / 2 + k % 3;",
        lambda x, y: np.trunc(np.trunc(x) / 2) + np.fmod(np.trunc(x), 3) + 0,
    ),
    "the index": ("z = i < n / 2 ? x : y", lambda x, y: np.where(np.arange(185).reshape(5, 37) < 92, x, y)),
    "coordinates": (
        "z = _ind.get()[0] * 100 + _ind.get()[1]",
        lambda x, y: np.arange(5)[:, None] * 100 + np.arange(37.0),
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(twin: Device, name: str) -> None:
    body, expected = BODIES[name]
    kernel = xp.ElementwiseKernel("float32 x, float32 y", "float32 z", body, "body")
    x, y = (xp.asarray(host, device=twin) for host in (X * 4, Y))
    assert_same(to_host(kernel(x, y)), expected(X * 4, Y).astype(np.float32))


@pytest.mark.parametrize("function", ["exp", "sqrt", "sin", "tanh", "floor", "abs"])
def test_functions_are_ours_in_both_ways(twin: Device, function: str) -> None:
    x = xp.asarray(np.abs(X), device=twin)
    expected = to_host(getattr(xp, function)(x))
    for body in (f"y = {function}(x)", f"while (true) {{ y = {function}(x); break; }}"):
        assert_same(to_host(xp.ElementwiseKernel("T x", "T y", body)(x)), expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "complex64"])
def test_every_dtype_in_both_ways(twin: Device, dtype: str) -> None:
    host = sample(dtype, (3, 21), 3)
    x = xp.asarray(host, device=twin)
    for body in ("y = x", "y = x; while (false) {}", "do { y = x; } while (0)"):
        assert_same(to_host(xp.ElementwiseKernel("T x", "T y", body)(x)), host)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda a: a.T,
    "negative strides": lambda a: a[::-1, ::-2],
    "a broadcast view": lambda a: a[:1, :],
    "nothing": lambda a: a[:0],
    "zero dimensions": lambda a: a[0, 0],
    "one axis more": lambda a: a[None, :, None, :],
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(twin: Device, name: str) -> None:
    change = LAYOUTS[name]
    x, y = change(xp.asarray(X, device=twin)), change(xp.asarray(Y, device=twin))
    for body in ("z = x - y", "z = x; for (int k = 0; k < 1; k++) z -= y;"):
        kernel = xp.ElementwiseKernel("T x, T y", "T z", body)
        assert_same(to_host(kernel(x, y)), change(X) - change(Y))


def test_operands_broadcast() -> None:
    kernel = xp.ElementwiseKernel("T x, T y, T c", "T z", "z = x - y * c")
    x, y = xp.asarray(X), xp.asarray(Y[:, :1])
    assert_same(to_host(kernel(x, y, 2)), X - Y[:, :1] * np.float32(2))
    assert_same(to_host(kernel(x, 3, np.float32(0.5))), X - np.float32(1.5))


def test_numbers_alone_give_an_array_without_dimensions() -> None:
    found = xp.ElementwiseKernel("T x", "T y", "y = x + 1")(2.0)
    assert found.shape == ()
    assert float(found) == 3.0


def test_results_may_be_given() -> None:
    x, z = xp.asarray(X), xp.zeros(X.shape, dtype=xp.float32)
    view = z[:, ::-1]
    found = xp.ElementwiseKernel("T x", "T z", "z = x * 2")(x, view)
    assert found is view
    assert_same(to_host(z), X[:, ::-1] * 2)


def test_given_results_have_their_old_values_in_the_body() -> None:
    x, z = xp.asarray(X), xp.asarray(Y)
    kernel = xp.ElementwiseKernel("T x", "T z", "z += x")
    kernel(x, z)
    assert_same(to_host(z), Y + X)
    assert_same(to_host(kernel(x)), X)  # zeros, where none are given


def test_writing_over_an_operand() -> None:
    x = xp.asarray(X)
    xp.ElementwiseKernel("T x", "T z", "z = x * 2")(x[:, :-1], x[:, 1:])
    expected = X.copy()
    expected[:, 1:] = X[:, :-1] * 2
    assert_same(to_host(x), expected)


def test_results_of_one_call_see_the_same_old_values() -> None:
    a, b = xp.asarray(X), xp.asarray(Y)
    xp.ElementwiseKernel("", "T a, T b", "T t = a; a = b; b = t;", "swap")(a, b)
    assert_same(to_host(a), Y)
    assert_same(to_host(b), X)


def test_raw_arrays_are_read_anywhere(twin: Device) -> None:
    x = xp.asarray(X, device=twin)
    kernel = xp.ElementwiseKernel("raw T x", "T y", "y = i > 0 ? x[i - 1] : x[x.size() - 1]")
    assert_same(to_host(kernel(x, size=185)), np.roll(X.ravel(), 1))
    loop = xp.ElementwiseKernel(
        "T a, raw T x", "T y", "y = a; for (int k = 0; k < x.shape()[1]; k++) y += x[i * 37 + k];"
    )
    expected = Y[:, 0].copy()
    for k in range(37):
        expected += X[:, k]
    assert_same(to_host(loop(xp.asarray(Y[:, 0], device=twin), x)), expected)


@pytest.mark.parametrize("dtype", ["bool", "float16", "int8", "complex64"])
def test_raw_arrays_of_any_dtype(twin: Device, dtype: str) -> None:
    host = sample(dtype, 30, 5)
    for body in ("y = x[29 - i]", "while (true) { y = x[29 - i]; break; }"):
        if dtype == "complex64" and "while" not in body:
            continue
        kernel = xp.ElementwiseKernel("raw T x", "T y", body)
        assert_same(to_host(kernel(xp.asarray(host, device=twin)[:], size=30)), host[::-1])


def test_raw_views_are_seen_in_c_order() -> None:
    kernel = xp.ElementwiseKernel("raw T x", "T y", "y = x[i]")
    assert_same(to_host(kernel(xp.asarray(X).T, size=185)), X.T.ravel())


def test_arguments_in_c() -> None:
    a, b = xp.asarray(X), xp.asarray(Y)
    assert xp.ElementwiseKernel("float *a, const float *b, float c", "a[i] += c * b[i]", "axpy")(a, b, 2) is None
    assert_same(to_host(a), X + np.float32(2) * Y)


def test_preamble_and_options_and_loops() -> None:
    kernel = xp.ElementwiseKernel(
        "T x", "T y", "y = twice(x) + STEP + k", "with_preamble",
        preamble="__device__ float twice(float x) { return x + x; }",
        options=("-DSTEP=3", "--use_fast_math"), loop_prep="int k = 1;", after_loop="y += 1;",
    )  # fmt: skip
    assert_same(to_host(kernel(xp.asarray(X))), X + X + 3 + 1 + 1)


def test_two_kernels_with_helpers_of_one_name_are_fused() -> None:
    kernels = [
        xp.ElementwiseKernel(
            "T x", "T y", "y = helper(x)", "f", preamble=f"float helper(float x) {{ return x + {k}; }}"
        )
        for k in (1, 2)
    ]
    x = xp.asarray(X)
    assert_same(to_host(kernels[0](x) * kernels[1](x)), (X + 1) * (X + 2))


def test_return_tuple_and_no_return() -> None:
    x = xp.asarray(X)
    (only,) = xp.ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(x)
    assert_same(to_host(only), X)
    assert xp.ElementwiseKernel("T x", "T y", "y = x", no_return=True)(x) is None


def test_division_by_zero_ends_no_process() -> None:
    x = xp.asarray(N)
    zero = xp.zeros(N.shape, dtype=xp.int32)
    assert_same(to_host(xp.ElementwiseKernel("T x, T y", "T z", "z = x / y + x % y")(x, zero)), N * 0)


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "too few": (TypeError, lambda k, x: k(x), "got 1 argument; allowed: 2 (x, y[)], or 3 with the results"),
    "a list": (TypeError, lambda k, x: k(x, [1.0]), "got list; allowed: an arrayapi_gpu array or a number"),
    "another dtype": (TypeError, lambda k, x: k(x, xp.astype(x, xp.int8)), "got int8 for 'y'; allowed: float32"),
    "a result's shape": (ValueError, lambda k, x: k(x, 1, x[:1]), "'z' has shape"),
    "shapes": (ValueError, lambda k, x: k(x, x[:, :2]), "broadcast"),
    "size": (ValueError, lambda k, x: k(x, 1, size=3), "size=3 and arrays"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_calls(name: str) -> None:
    error, call, words = REFUSED[name]
    kernel = xp.ElementwiseKernel("T x, T y", "T z", "z = x + y")
    with pytest.raises(error, match=words.replace("(", r"\(")):
        call(kernel, xp.asarray(X))


def test_a_dtype_that_nothing_tells_is_refused() -> None:
    with pytest.raises(TypeError, match="the dtype 'U' of 'y' is unknown"):
        xp.ElementwiseKernel("T x", "U y", "y = x")(xp.asarray(X))


def test_raw_arrays_alone_need_a_size() -> None:
    with pytest.raises(ValueError, match="size="):
        xp.ElementwiseKernel("raw T x", "T y", "y = x[i]")(xp.asarray(X))


def test_a_text_that_does_not_compile_is_shown_with_numbers() -> None:
    kernel = xp.ElementwiseKernel("T x", "T y", "while (x) { y = undeclared_name; }")
    with pytest.raises(KernelBuildError, match=r"\d+ .*undeclared_name"):
        to_host(kernel(xp.asarray(X)))


def test_errors_have_the_lines_of_the_text() -> None:
    preamble = "\n/* two\nlines */\nfloat own(float x)\n{\n    return x + unknown;\n}"
    body = "\n// a loop\nfor (int k = 0;\n     k < 3; k++) {\n    y +=\n        x;\n    y = own(y) + undeclared;\n}"
    kernel = xp.ElementwiseKernel("T x", "T y", body, "lines", preamble=preamble, options=("-DA=1",))
    with pytest.raises(KernelBuildError) as caught:
        to_host(kernel(xp.asarray(X)))
    for where, text, word in (("preamble of lines", preamble, "unknown"), ("lines", body, "undeclared")):
        (number,) = [number for number, line in enumerate(text.split("\n"), 1) if word in line]
        assert re.search(rf"\b{where}(?::{number}:\d+: |\({number}\): )[^\n]*{word}", str(caught.value)), word


def test_raw_results_are_written_anywhere(twin: Device) -> None:
    x, y = xp.asarray(X.ravel(), device=twin), xp.zeros(185, dtype=xp.float32, device=twin)
    kernel = xp.ElementwiseKernel("T x", "raw T y", "y[_ind.size() - 1 - i] = sqrt(fabs(x))")
    assert kernel(x, y) is y
    assert_same(to_host(y), np.sqrt(np.abs(X.ravel()))[::-1])


def test_raw_views_are_written_through() -> None:
    y = xp.zeros((185, 2), dtype=xp.float32)
    xp.ElementwiseKernel("T x", "raw T y", "y[i] = x")(xp.asarray(X.ravel()), y[:, 1])
    assert_same(to_host(y), np.stack([np.zeros(185, np.float32), X.ravel()], axis=1))


def test_raw_and_other_results_together(twin: Device) -> None:
    x = xp.asarray(X, device=twin)
    seen = xp.zeros(37, dtype=xp.int32, device=twin)
    half = xp.asarray(X[0].astype(np.float16), device=twin)
    kernel = xp.ElementwiseKernel(
        "T x, U h",
        "T z, raw int32 seen",
        "z = x + _ind.get()[0]; if (_ind.get()[0] == 2) seen[_ind.get()[1]] = h * 100;",
    )
    z, same = kernel(x, half, xp.zeros_like(x), seen)
    assert same is seen
    assert_same(to_host(z), X + np.arange(5, dtype=np.float32)[:, None])
    assert_same(to_host(seen), np.trunc(X[0].astype(np.float16).astype(np.float32) * 100).astype(np.int32))


def test_pending_values_keep_what_they_read_before_a_raw_write() -> None:
    y = xp.asarray(X.ravel())
    before = y + 1
    xp.ElementwiseKernel("raw T x", "raw T y", "y[i] = 2 * x[i]")(xp.asarray(Y.ravel()), y, size=185)
    assert_same(to_host(before), X.ravel() + 1)
    assert_same(to_host(y), 2 * Y.ravel())


RAW_WRITES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "an assignment": ("y[i] = x[i] / 3", lambda x, y: x / 3),
    "a comment": ("// y is a third /* of x */\ny[i] /* here */ = x[i] / 3", lambda x, y: x / 3),
    "elsewhere": ("y[n - 1 - i] = x[i]", lambda x, y: x[::-1]),
    "with an operation": ("y[i] += x[i]; y[i] *= 2;", lambda x, y: ((y + x).astype(y.dtype) * 2).astype(y.dtype)),
    "one more": ("if (i % 2) y[i]++; else y[i]--", lambda x, y: y + np.where(np.arange(len(y)) % 2, 1, -1)),
    "one after the other": (
        "float v = y[i] = x[i] / 3; if (v > 1) y[i] = v + 1, v = 0; y[i] += v == y[i] ? 0.5f : 0;",
        lambda x, y: np.where((v := (x / 3).astype(y.dtype).astype("f4")) > 1, (v + 1).astype(y.dtype), v + 0.5),
    ),
    "a loop": ("float s = 0; for (int k = 0; k <= 2; k++) { s += x[i]; y[i] = s; }", lambda x, y: x + x + x),
}


@pytest.mark.parametrize("name", RAW_WRITES)
def test_raw_halves_are_written(twin: Device, name: str) -> None:
    """Computed as floats, and rounded when they are stored, on devices with halves of their own and without."""
    text, expected = RAW_WRITES[name]
    random = np.random.default_rng(4)
    x, y = ((random.integers(0, 200, 185) / 16).astype(np.float16) for _ in range(2))
    found = xp.ElementwiseKernel("raw T x", "raw T y", text)(*[xp.asarray(v, device=twin) for v in (x, y)], size=185)
    assert_same(to_host(found), expected(x.astype(np.float32), y).astype(np.float16))


def test_raw_bfloat16_is_written(twin: Device) -> None:
    x = xp.asarray(X.ravel(), device=twin).astype(xp.bfloat16)
    y = xp.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[n - 1 - i] * 3")(x, +x, size=185)
    assert xp.all(y == (x[::-1].astype(xp.float32) * 3).astype(xp.bfloat16))


def test_raw_truths_are_zero_or_one(twin: Device) -> None:
    y = xp.zeros(3, dtype=xp.bool, device=twin)
    xp.ElementwiseKernel("raw T x", "raw bool y", "y[i] = x[i]")(xp.asarray([0, 2, 256], device=twin), y, size=3)
    assert to_host(y).view(np.uint8).tolist() == [0, 1, 1]


def test_pointers_to_halves_in_c(twin: Device) -> None:
    x, most = xp.asarray([1, 4, 2], dtype=xp.float16, device=twin), xp.zeros(1, dtype=xp.float16, device=twin)
    xp.ElementwiseKernel("const half *x, half *most", "if (i == 0) { *most = x[1]; *most += 0.5f; }")(x, most)
    assert float(most[0]) == 4.5
    with xp.config.set(check=True), pytest.raises(IndexError, match="index 3 of 'y', which has 3"):
        xp.ElementwiseKernel("raw T x", "raw T y", "y[i + 1] = x[i]", "shift")(x, +x, size=3)


@pytest.mark.parametrize("text", ["float *p = y; y[i] = x[i]", "int k = i; y[k++] += x[i]", "f(&y[i]); y[i] = x[i]"])
def test_what_halves_cannot_do_is_refused(text: str) -> None:
    x = xp.zeros(3, dtype=xp.float16)
    with pytest.raises(TypeError, match="allowed: "):
        xp.ElementwiseKernel("raw T x", "raw T y", text)(x, +x, size=3)


@pytest.mark.parametrize("index", [-1, 185, 1 << 40])
def test_checks_find_indices_outside(twin: Device, index: int) -> None:
    x = xp.asarray(X, device=twin)
    kernel = xp.ElementwiseKernel("raw T x, int64 k", "T y", "y = x[k]", "outside")
    with xp.config.set(check=True), pytest.raises(IndexError, match=f"outside: index {index} of 'x', which has 185"):
        kernel(x, index, size=3)
    with xp.config.set(check=True):
        assert_same(to_host(kernel(x, 7, size=3)), np.full(3, X.ravel()[7]))


def test_checks_find_writes_outside() -> None:
    y = xp.zeros(4, dtype=xp.float32)
    kernel = xp.ElementwiseKernel("T x", "raw T y", "y[i] = x", "writes")
    with xp.config.set(check=True), pytest.raises(IndexError, match=r"writes: index \d of 'y', which has 4"):
        kernel(xp.ones(6, dtype=xp.float32), y)


SUMS = xp.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "dot")
LARGEST = xp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "-INFINITY", "largest")


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_along_axes(twin: Device, axis: Any, keepdims: bool) -> None:
    x, y = (xp.asarray(host, device=twin) for host in (X, Y))
    found = SUMS(x, y, axis=axis, keepdims=keepdims)
    assert_same(to_host(found), to_host(xp.sum(x * y, axis=axis, keepdims=keepdims)))
    assert_same(to_host(LARGEST(x, axis=axis, keepdims=keepdims)), X.max(axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("dtype", ["float16", "int8", "uint64", "complex64", "float64"])
def test_reductions_of_any_dtype(twin: Device, dtype: str) -> None:
    if dtype == "float64" and "f64" not in twin.dtypes:
        return
    host = (np.arange(1000) % 5).astype(dtype)
    total = xp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(xp.asarray(host, device=twin))
    assert_same(to_host(total), np.sum(host, dtype=dtype))


def test_a_mean_with_a_type_of_its_own() -> None:
    mean = xp.ReductionKernel(
        "T x", "float64 y", "x", "a + b", "y = a * _out_ind.size() / _in_ind.size()", "0", reduce_type="double"
    )
    assert_same(to_host(mean(xp.asarray(X), axis=0)), X.mean(axis=0, dtype=np.float64), ulps=2)


def test_a_combination_with_a_loop_and_a_helper(twin: Device) -> None:
    kernel = xp.ReductionKernel(
        "T x", "T y", "x", "larger(a, b)", "y = a", "-100",
        preamble="float larger(float a, float b) { while (a < b) a = b; return a; }",
    )  # fmt: skip
    assert_same(to_host(kernel(xp.asarray(X, device=twin), axis=1)), X.max(axis=1))


def test_reductions_of_nothing_give_the_identity() -> None:
    assert_same(to_host(LARGEST(xp.asarray(X[:0]), axis=0)), np.full(37, -np.inf, np.float32))


def test_reductions_without_an_identity_are_refused() -> None:
    with pytest.raises(ValueError, match="a str as the identity"):
        xp.ReductionKernel("T x", "T y", "x", "a + b", "y = a")
    for given in ("", " ", None):
        with pytest.raises(ValueError, match=r"^ReductionKernel: got identity=.* required"):
            xp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", given)
        with pytest.raises(ValueError, match=r"^ScanKernel: got identity=.* required"):
            xp.ScanKernel("T x", "T y", "x", "a + b", given, "y = item")


def test_an_error_says_that_float_is_float64_in_cupys_form() -> None:
    x = xp.asarray(X)
    with pytest.raises(
        TypeError, match=r"convert with astype, or declare float32 x \(float is NumPy's float64 here\)$"
    ):
        xp.ElementwiseKernel("float x", "float y", "y = x")(x)
    with pytest.raises(TypeError, match=r"convert with astype, or declare float32 x$"):
        xp.ElementwiseKernel("double *x, double *y", "y[i] = x[i]")(x, x)
    with pytest.raises(TypeError, match=r"convert with astype$"):
        xp.ElementwiseKernel("T x, T y", "T z", "z = x + y")(x, xp.astype(x, xp.int8))
    xp.ElementwiseKernel("float *x, float *y", "y[i] = x[i]")(x, xp.zeros_like(x))


def test_a_reduction_writes_into_what_is_given() -> None:
    out = xp.zeros((2, 5), dtype=xp.float32)
    found = LARGEST(xp.asarray(X), axis=1, out=out[1, :])
    assert_same(to_host(found), X.max(axis=1))
    assert_same(to_host(out), np.stack([np.zeros(5, np.float32), X.max(axis=1)]))


def test_a_reduction_in_pyopencls_form() -> None:
    kernel = xp.ReductionKernel(np.float32, "0", "a + b", "x[i] * y[i]", "const float *x, const float *y")
    x, y = xp.asarray(X), xp.asarray(Y)
    assert_same(to_host(kernel(x, y)), to_host(xp.sum(x * y)))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_scans_along_axes(twin: Device, axis: int) -> None:
    kernel = xp.ScanKernel("T x", "T y", "x", "max(a, b)", "-INFINITY", "y = item", "running_max")
    assert_same(to_host(kernel(xp.asarray(X, device=twin), axis=axis)), np.maximum.accumulate(X, axis))


def test_items_before_and_the_last_one(twin: Device) -> None:
    kernel = xp.ScanKernel("T x", "T y, T z", "x", "a + b", "0", "y = prev_item; z = last_item - item")
    y, z = kernel(xp.asarray(N, device=twin))
    assert_same(to_host(y), np.cumsum(N, axis=1, dtype=np.int32) - N)
    assert_same(to_host(z), N.sum(axis=1, keepdims=True, dtype=np.int32) - np.cumsum(N, axis=1, dtype=np.int32))


def test_a_scan_in_pyopencls_form_compacts(twin: Device) -> None:
    kernel = xp.ScanKernel(
        np.int32, "const int *x, int *kept, int *count", "x[i] % 3 == 0 ? 1 : 0", "a + b", "0",
        "if (prev_item != item) kept[item - 1] = x[i]; if (i == n - 1) count[0] = item;",
    )  # fmt: skip
    x, kept, count = (xp.asarray(host, device=twin) for host in (N.ravel(), np.zeros_like(N.ravel()), N[0, :1]))
    assert kernel(x, kept, count) is None
    expected = N.ravel()[N.ravel() % 3 == 0]
    assert int(count[0]) == len(expected)
    assert_same(to_host(kept[: len(expected)]), expected)


STARTS = np.arange(N.size).reshape(N.shape) * 7919 % 11 == 0


def in_segments(host: Any, starts: Any, exclusive: bool = False) -> Any:
    """Sums along the last axis that begin anew where `starts` is true."""
    found, total = np.zeros_like(host), np.zeros_like(host[..., 0])
    for i in range(host.shape[-1]):
        before = np.where(starts[..., i], 0, total)
        total = before + host[..., i]
        found[..., i] = before if exclusive else total
    return found


@pytest.mark.parametrize("text", ["a + b", "across_seg_boundary ? b : a + b"])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_scan_in_segments(twin: Device, text: str, axis: int) -> None:
    kernel = xp.ScanKernel(
        "T x, bool new", "T y, T z, T w", "x", text, "0", "y = item; z = prev_item; w = last_item",
        is_segment_start_expr="new",
    )  # fmt: skip
    host, starts = (np.moveaxis(a, axis, -1) for a in (N, STARTS))
    with launches() as made:
        y, z, w = kernel(xp.asarray(N, device=twin), xp.asarray(STARTS, device=twin), axis=axis)
        xp.sync(y, z, w)
    assert len([entry for entry in made if "kernel_end" in entry.kernel]) == 1
    expected = in_segments(host, starts)
    assert_same(np.moveaxis(to_host(y), axis, -1), expected)
    assert_same(np.moveaxis(to_host(z), axis, -1), in_segments(host, starts, exclusive=True))
    assert_same(np.moveaxis(to_host(w), axis, -1), np.repeat(expected[..., -1:], host.shape[-1], -1))


def test_a_segment_may_begin_by_what_is_scanned_or_what_was_before(twin: Device) -> None:
    host = np.sort(N.ravel())
    x, y = xp.asarray(host, device=twin), xp.zeros(N.size, dtype=xp.int32, device=twin)
    kernel = xp.ScanKernel(
        np.int32, "const int *x, int *y", "now", "across_seg_boundary ? b : a + b", "0", "y[i] = prev_item",
        is_segment_start_expr="i == 0 || now != before",
        input_fetch_exprs=[("now", "x", 0), ("before", "x", -1)],
    )  # fmt: skip
    kernel(x, y)
    starts = np.append(True, host[1:] != host[:-1])
    assert_same(to_host(y), in_segments(host, starts, exclusive=True))
    kernel = xp.ScanKernel("T x", "T y", "x - 5", "a + b", "0", "y = item", is_segment_start_expr="a % 3 == 0")
    assert_same(to_host(kernel(x)), in_segments(host - 5, np.fmod(host - 5, 3) == 0))


def test_a_scan_combines_in_order(twin: Device) -> None:
    """The last value above zero: this is associative, and does not commute."""
    kernel = xp.ScanKernel("T x", "T y", "x > 0 ? x : 0", "b > 0 ? b : a", "0", "y = item", "last_positive")
    host = np.random.default_rng(21).integers(-50, 5, 30_000).astype(np.int32)
    places = np.maximum.accumulate(np.where(host > 0, np.arange(len(host)), -1))
    assert_same(to_host(kernel(xp.asarray(host, device=twin))), np.where(places >= 0, host[places], 0).astype(np.int32))


@pytest.mark.parametrize("segmented", [False, True])
def test_what_explain_says_of_a_scan_runs(device: Device, segmented: bool) -> None:
    kernel = xp.ScanKernel(
        "T x, bool new", "T y", "x", "more(a, b)", "-INFINITY", "y = item + prev_item * 0",
        preamble="float more(float x, float y) { return max(x, y); }",
        is_segment_start_expr="new" if segmented else None,
    )  # fmt: skip
    x, new = xp.asarray(X, device=device), xp.asarray(X > 0.9, device=device)
    text = xp.explain(kernel(xp.abs(x), new, axis=0) * 2)
    names = {"xp": xp, **text.arrays}
    exec(text, names)
    assert_same(to_host(names[text.splitlines()[-1].split(" = ")[0]]), to_host(kernel(xp.abs(x), new, axis=0) * 2))


def test_segments_that_are_declared_wrongly(device: Device) -> None:
    with pytest.raises(ValueError, match="got the offset 1 of 'next'; allowed: 0 and -1"):
        xp.ScanKernel("raw T x", "T y", "next", "a + b", "0", "y = item", input_fetch_exprs=[("next", "x", 1)])
    kernel = xp.ScanKernel("T x, bool s", "T y", "x", "a + b", "0", "y = item", is_segment_start_expr="s")
    with pytest.raises(TypeError, match=r"got 1 argument; allowed: 2 \(x, s\), or 3 with the results \(y\)"):
        kernel(xp.ones(3))
    with pytest.raises(TypeError, match="got float64 for 's'; allowed: bool"):
        kernel(xp.ones(3), xp.ones(3))
    for size in (0, 1):
        kernel = xp.ScanKernel("T x", "T y", "x", "a + b", "0", "y = item", is_segment_start_expr="true")
        assert kernel(xp.ones(size)).tolist() == [1.0] * size


def test_a_scan_of_no_dimensions_is_refused() -> None:
    with pytest.raises(ValueError, match="got no array of one dimension or more among its inputs"):
        xp.ScanKernel("T x", "T y", "x", "a + b", "0", "y = item")(xp.asarray(1.0))


def test_a_kernel_may_have_the_name_of_a_function() -> None:
    x, y = xp.asarray(X.ravel()), xp.zeros(185, dtype=xp.float32)
    xp.ElementwiseKernel("T x", "raw T y", "y[i] = x + 1", "add")(x, y)
    assert_same(to_host(y), X.ravel() + 1)


def test_a_kernel_that_was_called_before_takes_other_arguments(device: Device) -> None:
    kernel = xp.ElementwiseKernel("T x, S y", "T z", "z = x * 2 + y")
    x, y = xp.asarray([1.0, 2.0], dtype=xp.float32), xp.asarray([[3], [4]], dtype=xp.int32)
    for _ in range(2):
        assert kernel(x, y).tolist() == [[5.0, 7.0], [6.0, 8.0]]
        assert kernel(x, 1).tolist() == [3.0, 5.0]
        assert kernel(x, 0.5).tolist() == [2.5, 4.5]
        assert kernel(1, x).tolist() == [3, 4]
        assert kernel(y, y).dtype == xp.int32
        with pytest.raises(ValueError, match="broadcast"):
            kernel(x, xp.zeros(3, dtype=xp.int32))
        with pytest.raises(TypeError, match="got 1 argument;"):
            kernel(x)
