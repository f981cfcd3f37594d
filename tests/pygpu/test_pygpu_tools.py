"""How arrays among arguments lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import tools
from arrayapi_gpu.pygpu.gpuarray import GpuArray, GpuContext


def f4(ctx: GpuContext, *shape: int) -> Any:
    return pygpu.zeros(shape, "float32", context=ctx)


def test_arguments_are_declared(ctx: GpuContext) -> None:
    array, scalar = tools.as_argument(f4(ctx, 2), "a"), tools.as_argument(np.int16(1), "b")
    assert (array.ctype(), array.decltype(), array.expr()) == ("ga_float", "GLOBAL_MEM ga_float *", "a[i]")
    assert (scalar.ctype(), scalar.decltype(), scalar.expr()) == ("ga_short", "ga_short", "b")
    assert array.isarray() and array.spec() is GpuArray
    assert not scalar.isarray() and scalar.spec() == np.int16
    assert array == tools.ArrayArg("float32", "a") != tools.ScalarArg("float32", "a")
    assert hash(array) == hash(tools.ArrayArg("float32", "a")) and array != 1


def test_arrays_of_one_shape(ctx: GpuContext) -> None:
    x, y = f4(ctx, 50, 1, 20), f4(ctx, 50, 1, 21)[:, :, 1:]
    n, nd, dims, strides, offsets = tools.check_args((x, 3, y))
    assert (n, nd, dims, offsets) == (1000, 3, (50, 1, 20), (0, None, 4))
    assert strides == (x.strides, None, y.strides)


def test_axes_that_go_on_become_one(ctx: GpuContext) -> None:
    x, part = f4(ctx, 4, 1, 5), f4(ctx, 8, 1, 6)[::2, :, 1:]
    assert tools.check_args((x, x), collapse=True)[:4] == (20, 1, (20,), ((4,), (4,)))
    assert tools.check_args((x, part), collapse=True)[:4] == (20, 2, (4, 5), ((20, 4), (48, 4)))
    assert tools.check_args((f4(ctx, 1, 1),), collapse=True)[:4] == (1, 1, (1,), ((4,),))
    assert tools.check_args((x,), collapse=None)[1] == 1


def test_repeated_axes_have_strides_of_zero(ctx: GpuContext) -> None:
    x, y = f4(ctx, 3, 1), f4(ctx, 1, 5)
    assert tools.check_args((x, y), broadcast=True)[:4] == (15, 2, (3, 5), ((4, 0), (0, 4)))
    assert tools.check_args((f4(ctx, 0, 1), f4(ctx, 1, 2)), broadcast=True)[:3] == (0, 2, (0, 2))


def test_what_does_not_go_together_is_refused(ctx: GpuContext) -> None:
    with pytest.raises(TypeError, match="No arrays"):
        tools.check_args((1, 2))
    with pytest.raises(ValueError, match="order differs"):
        tools.check_args((f4(ctx, 2), f4(ctx, 2, 2)))
    with pytest.raises(ValueError, match="shape differs"):
        tools.check_args((f4(ctx, 2), f4(ctx, 1)))
    with pytest.raises(ValueError, match="shape differs"):
        tools.check_args((f4(ctx, 2), f4(ctx, 3)), broadcast=True)


def test_results_are_kept() -> None:
    calls: list[int] = []

    @tools.lru_cache(2)
    def square(x: int) -> int:
        calls.append(x)
        return x * x

    assert [square(2), square(2), square(3)] == [4, 4, 9] and calls == [2, 3]
    assert tools.prod([2, 3, 4]) == 24 and tools.prod([]) == 1
