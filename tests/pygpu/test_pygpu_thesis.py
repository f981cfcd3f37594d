"""Chapter 4 and Annexe II of A. Bergeron's thesis of 2013, which introduced pygpu: programs run as they stand there."""

from __future__ import annotations

from typing import Any

import numpy
import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import gpuarray
from arrayapi_gpu.pygpu.elemwise import ElemwiseKernel
from arrayapi_gpu.pygpu.gpuarray import GpuContext, GpuKernel

ROWS = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]


def test_4_1_a_context_by_its_name(ctx: GpuContext) -> None:
    assert isinstance(ctx.devname, str)
    with pytest.raises(AttributeError):
        ctx.devname = "another"  # type: ignore[misc]
    pygpu.set_default_context(ctx)
    try:
        assert pygpu.zeros((2,)).context is ctx
    finally:
        pygpu.set_default_context(None)


def test_4_2_arrays_with_and_without_operators(ctx: GpuContext) -> None:
    made: Any = pygpu
    tab1 = made.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], dtype='int32', context=ctx)  # fmt: skip
    tab2 = made.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]],
                      dtype='int32', context=ctx,
                      cls=made.array.gparray)  # fmt: skip
    assert not hasattr(tab1, "__add__")
    assert numpy.asarray(tab1).tolist() == ROWS
    assert numpy.asarray(tab2 + tab2).tolist() == (2 * numpy.asarray(ROWS)).tolist()


def test_4_3_indexing_copies_views_and_casts(ctx: GpuContext) -> None:
    tab1 = pygpu.array(ROWS, dtype="int32", context=ctx)
    assert numpy.asarray(tab1[::-1, 0]).tolist() == [7, 4, 1]
    tab_copy = tab1.copy()
    view = tab1.view()
    tab_float = tab1.astype("float32")
    view[0, 0] = 100
    assert numpy.asarray(tab1)[0, 0] == 100 and numpy.asarray(tab_copy)[0, 0] == 1
    assert tab_float.dtype == numpy.float32
    assert gpuarray.asfortranarray(tab1).flags["F_CONTIGUOUS"] and gpuarray.ascontiguousarray(tab1.T).flags["C"]


A_P_B = """
KERNEL void calcul(const unsigned int n,
                  const unsigned int dim1,
                  GLOBAL_MEM char *a_data,
                  const unsigned int a_offset,
                  const int a_str_0, const int a_str_1,
                  GLOBAL_MEM char *b_data,
                  const unsigned int b_offset,
                  const int b_str_0, const int b_str_1)
{
const unsigned int idx = LDIM_0 * GID_0 + LID_0;
const unsigned int numThreads = LDIM_0 * GDIM_0;
unsigned int i;

a_data += a_offset;
b_data += b_offset;

for (i = idx; i < n; i += numThreads) {
    unsigned int pos;
    GLOBAL_MEM char *a_p = a_data;
    GLOBAL_MEM char *b_p = b_data;
    pos = i % dim1;
    a_p += pos * a_str_1;
    b_p += pos * b_str_1;
    pos = i / dim1;
    a_p += pos * a_str_0;
    b_p += pos * b_str_0;
    GLOBAL_MEM float *a = (GLOBAL_MEM float *)a_p;
    GLOBAL_MEM float *b = (GLOBAL_MEM float *)b_p;
    a[0] += b[0];
}
}
"""


def operands(ctx: GpuContext, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    first, second = rng.random((9, 12)).astype("float32"), rng.random((7, 9)).astype("float32")
    a, b = pygpu.array(first, context=ctx)[1:8, 1::2], pygpu.array(second, context=ctx)[:, 3:]
    return a, b, first[1:8, 1::2] + second[:, 3:]


def test_4_4_a_kernel_with_its_own_addressing(ctx: GpuContext, rng: np.random.Generator) -> None:
    a, b, expected = operands(ctx, rng)
    noyau = GpuKernel(A_P_B, 'calcul', context=ctx)  # fmt: skip
    noyau(numpy.asarray(a.size, dtype='uint32'),
          numpy.asarray(a.shape[1], dtype='uint32'),
          a, numpy.asarray(a.offset, dtype='uint32'),
          numpy.asarray(a.strides[0], dtype='int32'),
          numpy.asarray(a.strides[1], dtype='int32'),
          b, numpy.asarray(b.offset, dtype='uint32'),
          numpy.asarray(b.strides[0], dtype='int32'),
          numpy.asarray(b.strides[1], dtype='int32'),
          n=a.size)  # fmt: skip
    np.testing.assert_array_equal(numpy.asarray(a), expected)


def test_4_4_the_same_without_addressing(ctx: GpuContext, rng: np.random.Generator) -> None:
    a, b, expected = operands(ctx, rng)
    noyau = ElemwiseKernel(ctx, "float *a, float *b",
                           "a[i] += b[i]")  # fmt: skip
    noyau(a, b)
    np.testing.assert_array_equal(numpy.asarray(a), expected)


def test_4_4_numbers_are_arguments_too(ctx: GpuContext) -> None:
    x, c = (pygpu.array([1, 2], dtype="float32", context=ctx) for _ in range(2))
    ElemwiseKernel(ctx, "float *c, float a, float *x, float b", "c[i] = a * x[i] + b")(c, 3, x, 0.5)
    assert numpy.asarray(c).tolist() == [3.5, 6.5]


def test_4_5_reading(ctx: GpuContext) -> None:
    a = pygpu.array(ROWS, dtype="int32", context=ctx)
    a_cpu = numpy.asarray(a[:, ::2])
    a_cpu[...] = 0
    assert numpy.asarray(a).tolist() == ROWS


def test_annexe_ii_calls_a_kernel_by_n_and_by_groups(ctx: GpuContext) -> None:
    source = "KERNEL void k(GLOBAL_MEM float *param1, float param2) { param1[GID_0 * LDIM_0 + LID_0] = param2; }"
    k = GpuKernel(source, "k", context=ctx, cluda=True)
    param1, param2 = pygpu.zeros((1024,), "float32", context=ctx), numpy.asarray(1.0, dtype='float32')  # fmt: skip
    k(param1, param2, ls=8, gs=2)
    assert numpy.asarray(param1)[:17].tolist() == [1.0] * 16 + [0.0]
    k(param1, param2, n=600)
    assert numpy.asarray(param1)[:600].tolist() == [1.0] * 600


def test_annexe_ii_wraps_memory_by_its_handle(ctx: GpuContext) -> None:
    a = pygpu.array(ROWS, dtype="int32", context=ctx)
    b = gpuarray.from_gpudata(a.gpudata, 0, "int32", (9,), context=ctx, base=a)
    assert numpy.asarray(b).tolist() == list(range(1, 10)) and gpuarray.may_share_memory(a, b)
