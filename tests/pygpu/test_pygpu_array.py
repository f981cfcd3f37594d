"""`ndgpuarray`: operators beside NumPy's, where C and NumPy mean the same, and beside C's where they do not."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import config, pygpu
from arrayapi_gpu.pygpu import ndgpuarray
from arrayapi_gpu.pygpu.gpuarray import GpuContext

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
          operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]  # fmt: skip
OTHERS = [2, 0.5, np.int8(3), np.asarray(2.5, "float32")]


def both(ctx: GpuContext, rng: Any, dtype: str, shape: Any = (4, 3)) -> tuple[Any, Any]:
    host = rng.integers(1, 9, shape).astype(dtype)
    return host, pygpu.array(host, context=ctx, cls=ndgpuarray)


def same(x: Any, expected: Any) -> None:
    assert type(x) is ndgpuarray
    assert x.dtype == expected.dtype and x.shape == expected.shape
    np.testing.assert_allclose(np.asarray(x), expected, rtol=1e-6)


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
@pytest.mark.parametrize("pair", [("float32", "int16"), ("int8", "int8"), ("uint64", "int32"), ("float64", "float32")])
def test_two_arrays(ctx: GpuContext, rng: Any, op: Any, pair: Any) -> None:
    (a, x), (b, y) = both(ctx, rng, pair[0]), both(ctx, rng, pair[1], (3,))
    same(op(x, y), op(a, b))


@pytest.mark.parametrize("op", BINARY, ids=lambda op: op.__name__)
@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_an_array_and_a_number(ctx: GpuContext, rng: Any, op: Any, other: Any) -> None:
    for dtype in ("float32", "int16"):
        a, x = both(ctx, rng, dtype)
        same(op(x, other), op(a, other))
        same(op(other, x), op(other, a))


@pytest.mark.parametrize("name", ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod"])
@pytest.mark.parametrize("dtype, other", [("float32", 0.5), ("float64", 3), ("float32", "array")])
def test_in_place(ctx: GpuContext, rng: Any, name: str, dtype: str, other: Any) -> None:
    a, x = both(ctx, rng, dtype)
    b, y = both(ctx, rng, "int8", (3,)) if other == "array" else (other, other)
    op, before, memory = getattr(operator, name), x, x.base_data
    x = op(x, y)
    assert x is before and x.base_data == memory
    same(x, op(a, b))


@pytest.mark.parametrize("other", [2, 0.5, "array"], ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_divmod_gives_both_in_one_launch(ctx: GpuContext, rng: Any, dtype: str, other: Any) -> None:
    a, x = both(ctx, rng, dtype)
    b, y = both(ctx, rng, dtype, (3,)) if other == "array" else (other, other)
    for made, expected in [(divmod(x, y), divmod(a, b)), (divmod(y, x), divmod(b, a))]:
        for one, wanted in zip(made, expected, strict=True):
            same(one, wanted)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "float16"])
def test_one_array(ctx: GpuContext, rng: Any, dtype: str) -> None:
    a, x = both(ctx, rng, dtype)
    for op in (operator.neg, operator.pos, abs):
        same(op(x), op(a))
    if dtype != "uint64":
        same(abs(-x), a)


def test_quotients_are_cs(ctx: GpuContext) -> None:
    x: Any = pygpu.array([-7, 7], "int32", context=ctx, cls=ndgpuarray)
    assert np.asarray(x // 2).tolist() == [-3, 3] and np.asarray(x % 4).tolist() == [-3, 3]
    y: Any = x.astype("float64")
    assert np.asarray(y // 2).tolist() == [-4, 3] and np.asarray(y % 4).tolist() == [-3, 3]


def test_an_array_of_numpy_leaves_the_operator_to_ours(ctx: GpuContext) -> None:
    x = pygpu.array([1.0, 2.0], context=ctx, cls=ndgpuarray)
    same(np.asarray(2.0) * x, np.array([2.0, 4.0]))
    with pytest.raises(TypeError, match="got ndarray for a; allowed: a number"):
        _ = np.asarray([1.0, 2.0]) + x


def test_what_is_no_number_is_not_compared(ctx: GpuContext) -> None:
    x: Any = pygpu.array([1.0], context=ctx, cls=ndgpuarray)
    assert (x == None) is False and (x != "a") is True  # noqa: E711
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = x + "a"
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2)], ids=str)
@pytest.mark.parametrize("name", ["sum", "prod", "any", "all"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint16"])
def test_reductions(ctx: GpuContext, rng: Any, name: str, axis: Any, dtype: str) -> None:
    host = rng.integers(0, 3, (2, 3, 2)).astype(dtype)
    x = pygpu.array(host, context=ctx, cls=ndgpuarray)
    expected = getattr(host, name)(axis=axis)
    same(getattr(x, name)(axis=axis), expected)
    out = pygpu.empty(expected.shape, expected.dtype, context=ctx)
    assert getattr(x, name)(axis=axis, out=out) is out
    np.testing.assert_array_equal(np.asarray(out), expected)


def test_reductions_say_what_they_do_not_do(ctx: GpuContext) -> None:
    x: Any = pygpu.array([[1.0, 2.0]], context=ctx, cls=ndgpuarray)
    assert float(np.asarray(x.sum(dtype="float32"))) == 3.0 and x.sum(dtype="float32").dtype == np.float32
    with pytest.raises(ValueError, match="axis out of bounds: got \\(2,\\) for 2 axes"):
        x.sum(axis=2)
    with pytest.raises(TypeError, match="Out array is not of expected type"):
        x.sum(out=pygpu.empty((1,), context=ctx))
    with pytest.raises(NotImplementedError, match="float16 not supported"):
        x.astype("float16").sum()
    empty: Any = pygpu.array(True, context=ctx, cls=ndgpuarray)
    assert bool(empty.any()) and bool(empty.all())


def test_operators_are_computed_together(ctx: GpuContext, rng: Any) -> None:
    """An expression is one launch, as any other of the library."""
    a, x = both(ctx, rng, "float32", (64,))
    expected = (a + 1) * 2 - a
    np.asarray((x + 1) * 2 - x)
    compiled = ctx._device.kernels_compiled
    with config.set(debug=0):
        same((x + 1) * 2 - x, expected)
    assert ctx._device.kernels_compiled == compiled
