"""Reductions by expressions, and the maximum with its place, beside NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import reduction
from arrayapi_gpu.pygpu.errors import GpuArrayException
from arrayapi_gpu.pygpu.gpuarray import GpuContext
from arrayapi_gpu.pygpu.reduction import ReductionKernel, maxandargmax, reduce1
from arrayapi_gpu.pygpu.tools import ArrayArg, ScalarArg, as_argument

AXES = [((10,), (0,)), ((20, 30), (0, 1)), ((20, 30), (0,)), ((20, 30), (1,)), ((8, 5, 10), (0, 2)), ((8, 5, 10), (1,)),
        ((0, 4), (0,)), ((3, 0), (0,)), ((7, 1), (1,))]  # fmt: skip


def redux(shape: Any, axes: Any) -> list[bool]:
    return [axis in axes for axis in range(len(shape))]


@pytest.mark.parametrize("shape, axes", AXES)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_sums_along_axes(ctx: GpuContext, rng: Any, shape: Any, axes: Any, dtype: str) -> None:
    host = rng.integers(-9, 9, shape).astype(dtype)
    made = ReductionKernel(ctx, dtype, "0", "a + b", redux(shape, axes))(pygpu.array(host, context=ctx))
    assert made.dtype == dtype and made.shape == host.sum(axes).shape
    np.testing.assert_array_equal(np.asarray(made), host.sum(axes))


def test_views_and_numbers_are_mapped_first(ctx: GpuContext, rng: Any) -> None:
    a, b = rng.random((6, 8)).astype("float32"), rng.random((1, 4)).astype("float32")
    x, y = pygpu.array(a, context=ctx), pygpu.array(b, context=ctx)
    kernel = ReductionKernel(
        ctx, "float64", "0", "a + b", [True, False], "f(u[i]) * v[i] - c", "float *u, const float *v, ga_double c",
        preamble="WITHIN_KERNEL ga_float f(ga_float x) { return x * x; }",
    )  # fmt: skip
    made = kernel(x[::-1, ::2], y, 0.5, broadcast=True)
    np.testing.assert_allclose(np.asarray(made), (a[::-1, ::2] ** 2 * b - 0.5).sum(0), rtol=1e-5)
    args = [as_argument(x, "u"), as_argument(y, "v")]
    product = ReductionKernel(ctx, "float32", "-1", "a > b ? a : b", [True, True], "u[i] * v[i]", args)
    assert float(np.asarray(product(x[:, :4], y, broadcast=True))) == np.max(a[:, :4] * b)


def test_the_result_goes_where_it_is_wanted(ctx: GpuContext) -> None:
    x, out = pygpu.array(np.ones((2, 3)), context=ctx), pygpu.zeros((3,), context=ctx)
    kernel = ReductionKernel(ctx, "float64", "0", "a + b", [True, False])
    assert kernel(x, out=out) is out and np.asarray(out).tolist() == [2, 2, 2]
    for wrong in (pygpu.zeros((2,), context=ctx), pygpu.zeros((3,), "float32", context=ctx)):
        with pytest.raises(TypeError, match=r"Out array is not of expected type \(expected \(3,\) float64"):
            kernel(x, out=wrong)


def test_what_makes_no_reduction_is_refused(ctx: GpuContext) -> None:
    x = pygpu.zeros((2, 3), "float32", context=ctx)
    sums = ReductionKernel(ctx, "float32", "0", "a + b", [True, False])
    two = ReductionKernel(ctx, "float32", "0", "a + b", [True, True], "u[i] * v[i]", "float *u, float *v")
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: ReductionKernel(ctx, "float32", "0", "a + b", [False]), ValueError, "along no axes"),
        (lambda: ReductionKernel(ctx, "float16", "0", "a + b", [True]), NotImplementedError, "float16"),
        (
            lambda: ReductionKernel(ctx, "float32", "0", "a + b", [True], None, "float *u, float *v"),
            ValueError,
            "map_expr",
        ),
        (lambda: ReductionKernel(ctx, "float32", "0", "a + b", [True], "c", "float c"), ValueError, "one vector"),
        (lambda: ReductionKernel(ctx, "float32", "0", "a + b", [True], "c", "quad *c"), ValueError, "unknown type"),
        (lambda: sums(x, x), TypeError, "got 2 arguments; allowed: 1"),
        (lambda: sums(x[0]), ValueError, "Array order differs"),
        (lambda: sums(x.astype("int8")), TypeError, "allowed: float32"),
        (lambda: two(x, x[:1]), ValueError, "Array shape differs"),
        (lambda: ReductionKernel(ctx, "float32", "0", "nowhere(a, b)", [True, True])(x), GpuArrayException, "nowhere"),
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            np.asarray(call())


def test_arguments_are_parsed() -> None:
    assert reduction.parse_c_args("float *x, int n") == (ArrayArg("float32", "x"), ScalarArg("int32", "n"))
    assert reduction.massage_op("x[i] * y[i] + i") == "x[0] * y[0] + i"


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)], ids=str)
def test_one_array_is_reduced_by_an_operator(ctx: GpuContext, rng: Any, axis: Any) -> None:
    host = rng.integers(0, 9, (4, 5))
    x = pygpu.array(host, context=ctx)
    for op, neutral, expected in (("|", "0", np.bitwise_or), ("+", "0", np.add), ("*", "1", np.multiply)):
        np.testing.assert_array_equal(np.asarray(reduce1(x, op, neutral, "int64", axis)), expected.reduce(host, axis))


# --- the maximum


@pytest.mark.parametrize("axes", [0, (1,), (0, 2), (2, 0), (3, 1, 0), None, -1], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64"])
def test_maxima_and_their_places_count_in_the_order_of_the_axes(
    ctx: GpuContext, rng: Any, axes: Any, dtype: str
) -> None:
    host = rng.integers(0, 50, (3, 4, 2, 5)).astype(dtype)
    maxima, places = maxandargmax(pygpu.array(host, context=ctx), axes)
    listed = list(range(4)) if axes is None else [axes % 4] if isinstance(axes, int) else list(axes)
    kept = [axis for axis in range(4) if axis not in listed]
    flat = host.transpose(*kept, *listed).reshape(*[host.shape[axis] for axis in kept], -1)
    np.testing.assert_array_equal(np.asarray(maxima), flat.max(-1))
    np.testing.assert_array_equal(np.asarray(places), flat.argmax(-1))
    assert maxima.dtype == dtype and places.dtype == np.uint64


def test_a_maximum_needs_elements_and_axes(ctx: GpuContext) -> None:
    x = pygpu.zeros((2, 0), context=ctx)
    for axes, text in ((1, "no element along"), ((0, 0), "each once"), ((), "one or more"), (2, "out of bounds")):
        with pytest.raises(ValueError, match=text):
            maxandargmax(x, axes)
