"""What libgpuarray had, row by row (docs/ancestors/features.md): each test is named after a row.

Details are tested beside each module. Here, too: that the page's tests exist, and that docs/how-to/from-pygpu.md is
true.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu import pygpu
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.pygpu import gpuarray
from arrayapi_gpu.pygpu.elemwise import ElemwiseKernel, GpuElemwise, arg
from arrayapi_gpu.pygpu.gpuarray import GpuArray, GpuContext, GpuKernel
from arrayapi_gpu.pygpu.reduction import maxandargmax

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/from-pygpu.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_two_back_ends_have_one_buffer_interface(device: Device) -> None:
    """Alloc, write, read, move and properties are verbs and facts of any device."""
    host, back = np.arange(5, dtype="int32"), np.zeros(5, "int32")
    buffer = device.alloc(host.nbytes)
    device.upload(buffer, 0, host)
    device.download(buffer, 0, back)
    assert back.tolist() == host.tolist() and device.address(buffer) > 0
    assert device.facts().context > 0 and device.memory > 0


def test_an_array_is_buffer_offset_shape_strides_dtype_and_flags(ctx: GpuContext) -> None:
    x = pygpu.array(np.arange(24, dtype="int16").reshape(4, 6), context=ctx)
    part: Any = x[::-1, 1::2]
    assert (part.offset, part.shape, part.strides, part.dtype) == (38, (4, 3), (-12, 4), np.int16)
    assert (part.itemsize, part.size, part.ndim) == (2, 12, 2) and part.base_data == x.base_data
    assert not part.flags.forc and part.flags.behaved


def test_any_rank(ctx: GpuContext) -> None:
    x = pygpu.zeros((2,) * 12 + (3,) * 3, "int8", context=ctx)
    x[(1,) * 12] = 5
    assert x.ndim == 15 and int(np.asarray(x).sum()) == 5 * 27


def test_the_operations_of_arrays(ctx: GpuContext) -> None:
    """Empty, zeros, fromdata, view, sync, index, take1, setarray, reshape, transpose, share, move, write, read, memset,
    copy, transfer, split, concatenate, maxandargmax."""
    host = np.arange(12, dtype="float32").reshape(3, 4)
    x, y = pygpu.empty((3, 4), "float32", context=ctx), pygpu.zeros((3, 4), "float32", context=ctx)
    x.write(host)
    y[...] = x[0]
    x.sync()
    again = gpuarray.from_gpudata(x.base_data, 0, "float32", (12,), ctx)
    assert gpuarray.may_share_memory(x.view(), again) and not gpuarray.may_share_memory(x, y)
    taken = x.take1(pygpu.array([2, 0], context=ctx))
    made: list[Any] = [
        taken,
        x.reshape((4, 3)),
        x.T,
        x.copy("F"),
        x.astype("int8"),
        x.transfer(ctx),
        *pygpu.split(x, 2, axis=1),
    ]
    expected: list[Any] = [host[[2, 0]], host.reshape(4, 3), host.T, host, host, host, host[:, :2], host[:, 2:]]
    made += [y, pygpu.concatenate([x, y]), *maxandargmax(x, (0, 1))]
    expected += [np.tile(host[0], (3, 1)), np.concatenate([host, np.tile(host[0], (3, 1))]), host.max(), host.argmax()]
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(one), other)


def test_dtypes_and_registered_types(ctx: GpuContext) -> None:
    for name in ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64", "complex128"):
        assert pygpu.zeros((2,), name, context=ctx).dtype == name
    pair = np.dtype([("weight", "f8"), ("count", "i4")], align=True)
    code = pygpu.register_dtype(pair, "weighted")
    assert gpuarray.dtype_to_typecode(pair) == code and gpuarray.dtype_to_ctype(pair) == "weighted"


def test_structures_are_dtypes_of_arrays(ctx: GpuContext) -> None:
    """Zeros, views, fields, a kernel that has the structure by its registered name, and back to NumPy."""
    item = np.dtype([("mass", "f4"), ("count", "i4"), ("weights", "f2", 8)])
    pygpu.register_dtype(item, "item_of_features")
    x = pygpu.zeros((2, 3), "item_of_features", context=ctx)
    x[::-1]["count"] = np.arange(6).reshape(2, 3)
    source = """#include "cluda.h"
    KERNEL void f(GLOBAL_MEM item_of_features *x, ga_size n) {
        ga_size i = GID_0 * LDIM_0 + LID_0;
        if (i < n) { x[i].mass = x[i].count / 2.0f; x[i].weights[1] = ga_float2half(x[i].mass); }
    }"""
    GpuKernel(source, "f", [GpuArray, "uint64"], context=ctx)(x, 6, n=6)
    host = np.asarray(x)
    assert host.dtype == item and host["mass"].tolist() == [[1.5, 2.0, 2.5], [0.0, 0.5, 1.0]]
    assert host["weights"][..., 1].tolist() == host["mass"].tolist()
    assert pygpu.array(host, context=ctx)[1, 2:]["count"].shape == (1,)


def test_the_dialect_is_the_same_for_both_drivers(ctx: GpuContext) -> None:
    source = """#include "cluda.h"
    KERNEL void mean(GLOBAL_MEM ga_float *x, ga_uint n) {
        LOCAL_MEM ga_float kept[64];
        kept[LID_0] = x[GID_0 * LDIM_0 + LID_0];
        local_barrier();
        ga_float sum = 0;
        for (ga_uint k = 0; k < n; k++) sum += kept[k];
        x[GID_0 * LDIM_0 + LID_0] = sum / n;
    }"""
    k = GpuKernel(source, "mean", [GpuArray, "uint32"], context=ctx)
    x = pygpu.array(np.arange(8, dtype="float32"), context=ctx)
    k(x, 4, gs=2, ls=4)
    assert np.asarray(x).tolist() == [1.5] * 4 + [5.5] * 4 and k.maxls >= 4 and k.prefls > 0 < k.maxgs


def test_element_wise_kernels_broadcast_and_take_numbers(ctx: GpuContext) -> None:
    x, row = pygpu.zeros((2, 3), "float32", context=ctx), pygpu.array([1, 2, 3], "float32", context=ctx)
    ElemwiseKernel(ctx, "float *a, float *b, float c", "a[i] += c * b[i]")(x, row, 2)
    assert np.asarray(x).tolist() == [[2, 4, 6]] * 2
    args = [arg("low", "float32", write=True), arg("high", "float32", write=True), arg("x", "float32", read=True)]
    low, high = x._empty_like_me(), x._empty_like_me()
    GpuElemwise(ctx, "low = x - 1; high = x + 1", args)(low, high, x)
    assert np.asarray(high).tolist() == (np.asarray(low) + 2).tolist()


def test_work_is_queued_in_order_and_sync_waits(ctx: GpuContext) -> None:
    x = pygpu.zeros((100_000,), "int32", context=ctx)
    add = ElemwiseKernel(ctx, "int *x", "x[i] += 1")
    for _ in range(50):
        add(x)
    x.sync()
    assert set(np.asarray(x).tolist()) == {50}


def test_several_contexts_in_one_program() -> None:
    contexts = [pygpu.init(re.sub("^([a-z]+):", r"\1", str(device))) for device in devices()]
    arrays = [pygpu.array([n], context=each) for n, each in enumerate(contexts)]
    assert [(int(np.asarray(x)[0]), x.context) for x in arrays] == [*enumerate(contexts)]
    assert {each.kind for each in contexts} <= {b"cuda", b"opencl", b"native"} and all(
        each.devname for each in contexts
    )


def test_the_drivers_handles_are_shared(ctx: GpuContext) -> None:
    if ctx.kind == b"native":
        pytest.skip("native has no driver")

    class Mine(GpuArray):
        pass

    x = pygpu.zeros((4,), context=ctx, cls=Mine)
    wrap = gpuarray.cuda_wrap_ctx if ctx.kind == b"cuda" else gpuarray.cl_wrap_ctx
    y = gpuarray.from_gpudata(x.gpudata, 0, "float64", (4,), wrap(ctx.ptr), cls=Mine)
    y[0] = 3
    assert type(y) is Mine and float(np.asarray(x)[0]) == 3.0 and gpuarray.may_share_memory(x, y)


def test_numpy_reads_back(ctx: GpuContext) -> None:
    assert np.asarray(pygpu.array([[1, 2], [3, 4]], context=ctx)[::-1]).tolist() == [[3, 4], [1, 2]]


def test_arrays_meet_without_the_host_where_hardware_can(ctx: GpuContext) -> None:
    x = xp.asarray(pygpu.array(np.arange(6.0), context=ctx))
    for other in devices():
        assert x.to_device(other).to_numpy().tolist() == list(range(6))


# --- the pages


def test_every_test_that_the_page_names_exists() -> None:
    page = (ROOT / "docs/ancestors/features.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    found = {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef)
    }
    assert len(named) > 30 and named - found == set()


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_of_the_page_run(ctx: GpuContext, example: str) -> None:
    names: dict[str, Any] = {"numpy": np, "pygpu": pygpu, "xp": xp, "ctx": ctx}
    exec(example, names)
