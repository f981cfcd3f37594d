"""`GpuKernel`: arguments, extents, the dialect, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu.errors import GpuArrayException, UnsupportedException
from arrayapi_gpu.pygpu.gpuarray import SIZE, GpuArray, GpuContext, GpuKernel, set_cuda_compiler_fn

ADD = """#include "cluda.h"
WITHIN_KERNEL ga_float twice(ga_float x) { return 2 * x; }
KERNEL void add(GLOBAL_MEM ga_float *x, ga_size x_off, const ga_float a, ga_uint n) {
    GLOBAL_MEM ga_float *start = (GLOBAL_MEM ga_float *)((GLOBAL_MEM char *)x + x_off);
    for (ga_uint i = LDIM_0 * GID_0 + LID_0; i < n; i += LDIM_0 * GDIM_0) start[i] += twice(a);
}
"""
WHERE = """
KERNEL void where(GLOBAL_MEM ga_int *out) {
    int x = GID_0 * LDIM_0 + LID_0, y = GID_1 * LDIM_1 + LID_1;
    out[y * LDIM_0 * GDIM_0 + x] = 100 * x + y;
}
"""
LOCAL = """
KERNEL void turn(GLOBAL_MEM ga_int *x, LOCAL_MEM_ARG ga_int *kept) {
    kept[LID_0] = x[GID_0 * LDIM_0 + LID_0];
    local_barrier();
    x[GID_0 * LDIM_0 + LID_0] = kept[LDIM_0 - 1 - LID_0];
}
"""


@pytest.fixture
def add(ctx: GpuContext) -> GpuKernel:
    return GpuKernel(ADD, "add", [GpuArray, SIZE, "float32", "uint32"], context=ctx)


@pytest.mark.parametrize(
    "sizes", [{"n": 6}, {"n": 6, "ls": 2}, {"n": 6, "gs": 3}, {"gs": 2, "ls": 4}, {"gs": [1], "ls": (1,)}]
)
def test_a_kernel_gets_the_memory_and_adds_the_offset(ctx: GpuContext, add: GpuKernel, sizes: Any) -> None:
    x = pygpu.array(np.arange(8, dtype="float32"), context=ctx)
    later: Any = x._array
    later = later * 1  # of the old values
    add(x[2:], x[2:].offset, 0.5, 6, **sizes)
    assert np.asarray(x).tolist() == [0, 1, 3, 4, 5, 6, 7, 8]
    assert later.to_numpy().tolist() == list(range(8))


def test_groups_have_several_axes(ctx: GpuContext) -> None:
    out = pygpu.zeros((6, 4), "int32", context=ctx)
    GpuKernel(WHERE, "where", [GpuArray], context=ctx)(out, gs=(2, 3), ls=(2, 2))
    assert np.asarray(out).tolist() == [[100 * x + y for x in range(4)] for y in range(6)]


def test_local_memory_is_asked_for_in_bytes(ctx: GpuContext) -> None:
    x = pygpu.array(np.arange(8, dtype="int32"), context=ctx)
    GpuKernel(LOCAL, "turn", context=ctx)(x, gs=2, ls=4, shared=16)
    assert np.asarray(x).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_the_first_pygpus_calls_set_arguments_first(ctx: GpuContext, add: GpuKernel) -> None:
    x = pygpu.zeros((4,), "float32", context=ctx)
    with pytest.raises(TypeError, match="allowed: all 4"):
        add.call(4, 0, 0)
    add.setargs([x, np.asarray(0, "uint64"), np.asarray(1.0, "float32"), np.asarray(3, "uint32")])
    add.call(4, 0, 0)
    add.setarg(3, np.asarray(1, "uint32"))
    add.call(0, 2, 2)
    assert np.asarray(x).tolist() == [4, 2, 2, 0]
    with pytest.raises(IndexError, match="allowed: 0 to 3"):
        add.setarg(4, x)


def test_a_kernel_knows_its_limits(ctx: GpuContext, add: GpuKernel) -> None:
    assert add.numargs == 4
    assert add.maxlsize == add.maxls == ctx.maxlsize and 0 < add.preflsize == add.prefls <= add.maxls
    assert add.maxgs == ctx.maxgsize0


@pytest.mark.parametrize("protocol", [0, 2, -1])
def test_a_kernel_is_not_pickled(add: GpuKernel, protocol: int) -> None:
    with pytest.raises(RuntimeError, match="Cannot pickle GpuKernel"):
        pickle.dumps(add, protocol)


def test_calls_that_do_not_fit_are_refused(ctx: GpuContext, add: GpuKernel) -> None:
    x: Any = pygpu.zeros((4,), "float32", context=ctx)
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: add(x, 0, 1, 4), ValueError, "Must specify size"),
        (lambda: add(x, 0, 1, 4, gs=1), ValueError, "Must specify size"),
        (lambda: add(x, 0, 1, n=4), TypeError, "Expected 4 arguments, x, x_off, a, n; got 3"),
        (lambda: add(np.zeros(4), 0, 1, 4, n=4), TypeError, "expected a GpuArray for x: got ndarray"),
        (lambda: add(x, x, 1, 4, n=4), TypeError, "x_off: got GpuArray; allowed: a number"),
        (lambda: add(x, 0, "one", 4, n=4), TypeError, "a: got str; allowed: a number"),
        (lambda: add(x, 0, 1, 4, n=4, ls=(2, 2)), ValueError, "nd != 1"),
        (lambda: add(x, 0, 1, 4, n=-1), ValueError, "0 or more"),
        (lambda: add(x, 0, 1, 4, gs=(1, 1), ls=1), ValueError, "nd mismatch"),
        (lambda: add(x, 0, 1, 4, gs=(1,) * 4, ls=(1,) * 4), ValueError, "length 3 or less"),
        (lambda: add(x, 0, 1, 4, gs=1, ls=2**20), ValueError, "allowed"),
        (lambda: add(x, 0, 1, 4, n=4, ls="a"), TypeError, "ls is not int or list"),  # type: ignore[arg-type]
    ]
    for call, error, text in cases:
        with pytest.raises(error, match=text):
            call()
    assert np.asarray(x).tolist() == [0] * 4


def test_texts_that_are_no_kernel_are_refused(ctx: GpuContext) -> None:
    with pytest.raises(GpuArrayException, match="'sub' is not in the text, which has 'add'"):
        GpuKernel(ADD, "sub", [], context=ctx)
    with pytest.raises(GpuArrayException, match="unknown type 'quad'"):
        GpuKernel("KERNEL void k(quad a) {}", "k", [], context=ctx)
    wrong = GpuKernel("KERNEL void k(GLOBAL_MEM int *a) { a[0] = nowhere; }", "k", [GpuArray], context=ctx)
    with pytest.raises(GpuArrayException, match="nowhere"):
        wrong(pygpu.zeros((1,), "int32", context=ctx), n=1)


def test_another_drivers_language_is_refused(ctx: GpuContext) -> None:
    other = {"opencl": True} if ctx.kind == b"cuda" else {"cuda": True}
    with pytest.raises(UnsupportedException, match="language of another driver"):
        GpuKernel(ADD, "add", [], context=ctx, **other)


def test_a_compiler_is_set_for_one_driver(ctx: GpuContext) -> None:
    if ctx.kind == b"cuda":
        set_cuda_compiler_fn(None)
    else:
        try:
            set_cuda_compiler_fn(None)
        except RuntimeError as error:
            assert "no CUDA device" in str(error)
