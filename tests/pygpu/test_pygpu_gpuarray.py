"""Functions that make arrays, beside NumPy's, and arrays in memory of the driver."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from support import masked

import arrayapi_gpu as xp
from arrayapi_gpu import pygpu
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.pygpu import gpuarray
from arrayapi_gpu.pygpu.errors import GpuArrayException, UnsupportedException
from arrayapi_gpu.pygpu.gpuarray import GpuArray, GpuContext

SHAPES: list[Any] = [(), 3, (0,), (5,), (1, 0), (6, 7), (0, 1, 0), (4, 8, 9)]


class Mine(GpuArray):
    def __init__(self) -> None:
        raise AssertionError


@pytest.mark.parametrize("order", ["C", "F", "A", "c", None])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "complex64", "bool", 23])
def test_new_arrays_are_as_numpys(ctx: GpuContext, shape: Any, dtype: Any, order: Any) -> None:
    kind = "float16" if dtype == 23 else dtype
    x, expected = pygpu.zeros(shape, dtype, order, ctx), np.zeros(shape, kind, "F" if order == "F" else "C")
    assert (x.shape, x.dtype) == (expected.shape, expected.dtype)
    if expected.size:
        assert x.strides == expected.strides
    np.testing.assert_array_equal(np.asarray(x), expected)
    y = pygpu.empty(shape, dtype, order, ctx)
    assert (y.shape, y.dtype, y.strides) == (x.shape, x.dtype, x.strides)


def test_float64_is_the_default(ctx: GpuContext) -> None:
    assert pygpu.zeros((2,), context=ctx).dtype == pygpu.empty(2, context=ctx).dtype == np.float64


def test_arrays_are_made_of_a_class(ctx: GpuContext) -> None:
    made = [
        pygpu.zeros((2,), context=ctx, cls=Mine),
        pygpu.empty((2,), context=ctx, cls=Mine),
        pygpu.array([1, 2], context=ctx, cls=Mine),
        gpuarray.array(pygpu.zeros((2,), context=ctx, cls=Mine)),
    ]
    assert {type(x) for x in made} == {Mine}
    assert type(pygpu.asarray(made[0])) is GpuArray
    with pytest.raises(TypeError, match="derived from it"):
        pygpu.zeros((2,), context=ctx, cls=dict)


@pytest.mark.parametrize("make", [pygpu.zeros, pygpu.empty], ids=["zeros", "empty"])
def test_bad_arguments_are_refused(ctx: GpuContext, make: Any) -> None:
    for arguments, error, text in [
        (((-1,),), ValueError, "negative"),
        (((2,), "U4"), ValueError, "don't know how to convert"),
        (((2,), 99), NotImplementedError, "typecode 99"),
        (((2,), "f4", "Z"), ValueError, "Valid orders"),
        ((1.5,), TypeError, "shape"),
    ]:
        with pytest.raises(error, match=text):
            make(*arguments, context=ctx)
    with pytest.raises(TypeError):
        make()


def test_what_does_not_fit_into_memory_is_refused(ctx: GpuContext) -> None:
    with pytest.raises(GpuArrayException, match="bytes"):
        pygpu.empty((ctx.total_gmem,), "float64", context=ctx).sync()
    assert np.asarray(pygpu.zeros((2,), context=ctx)).tolist() == [0, 0]


def test_a_device_without_float64_says_so(device: Device) -> None:
    if not str(device).startswith("opencl"):
        pytest.skip("every device of this driver has float64")
    narrow = GpuContext._of(masked(device, ("float64",)))
    for make in (pygpu.zeros, pygpu.empty):
        with pytest.raises(UnsupportedException, match="does not support double precision"):
            make((2,), context=narrow)
    with pytest.raises(UnsupportedException):
        pygpu.array([1.5], context=narrow)
    with pytest.raises(UnsupportedException):
        pygpu.array([1.5], "float32", context=narrow).astype("float64")


PROTOTYPES: dict[str, Any] = {
    "list": [[1, 2, 3], [4, 5, 6]], "number": 3.5, "bools": [True, False], "empty": [],
    "C": np.arange(6.0).reshape(2, 3), "F": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": np.arange(24).reshape(4, 6)[::-2, ::3],
    "complex": [1j, 2], "swapped": np.arange(4, dtype=">i4"), "half": np.asarray([1, 2], "float16"),
    "scalar": np.int8(3),
}  # fmt: skip


@pytest.mark.parametrize("order", ["C", "F", None])
@pytest.mark.parametrize("ndmin", [0, 1, 3])
@pytest.mark.parametrize("proto", PROTOTYPES.values(), ids=PROTOTYPES)
def test_values_are_taken_as_numpy_takes_them(ctx: GpuContext, proto: Any, order: Any, ndmin: int) -> None:
    x, expected = pygpu.array(proto, order=order, ndmin=ndmin, context=ctx), np.array(proto, order="C", ndmin=ndmin)
    assert x.shape == expected.shape and x.dtype == expected.dtype.newbyteorder("=")
    assert (x.flags.f_contiguous if order == "F" else x.flags.c_contiguous) or not x.size
    np.testing.assert_array_equal(np.asarray(x), expected)


def test_values_that_a_dtype_does_not_hold_are_refused(ctx: GpuContext) -> None:
    with pytest.raises(OverflowError):
        pygpu.array([300], "int8", context=ctx)
    with pytest.raises(ValueError, match="don't know how to convert"):
        pygpu.array(["a"], context=ctx)


def test_what_fits_is_not_copied_unless_a_copy_is_asked_for(ctx: GpuContext) -> None:
    x = pygpu.array([[1.0, 2], [3, 4]], "float32", context=ctx)
    assert gpuarray.array(x, copy=False) is x is pygpu.asarray(x, "float32") is pygpu.ascontiguousarray(x)
    assert gpuarray.array(x) is not x and not gpuarray.may_share_memory(gpuarray.array(x), x)
    assert pygpu.asfortranarray(x) is not x and pygpu.asfortranarray(x).strides == (4, 8)
    assert pygpu.asarray(x, "float64").dtype == np.float64
    wide = gpuarray.array(x, copy=False, ndmin=4)
    assert wide.shape == (1, 1, 2, 2) and gpuarray.may_share_memory(wide, x)
    assert gpuarray.array(x, ndmin=3).shape == (1, 2, 2)
    fortran = pygpu.asfortranarray(x)
    assert pygpu.asfortranarray(fortran) is fortran and gpuarray.array(fortran).strides == (4, 8)
    assert pygpu.ascontiguousarray(pygpu.array(1.0, context=ctx)).shape == (1,)


def test_an_array_stays_in_its_context(ctx: GpuContext) -> None:
    x = pygpu.zeros((2,), "float32", context=ctx)
    for other in devices():
        if other is ctx._device:
            assert pygpu.asarray(x, context=GpuContext._of(other)) is x
        else:
            with pytest.raises(ValueError, match="cannot copy an array to a different context"):
                pygpu.asarray(x, context=GpuContext._of(other))


def test_an_array_of_the_namespace_brings_its_context(ctx: GpuContext) -> None:
    y = xp.arange(4, device=ctx._device)
    x = pygpu.array(y)
    assert x.context._device is ctx._device
    x[0] = 9
    assert int(y[0]) == 0


def test_arrays_may_share_memory(ctx: GpuContext) -> None:
    x = pygpu.zeros((10,), "int32", context=ctx)
    assert gpuarray.may_share_memory(x[:6], x[5:]) and not gpuarray.may_share_memory(x[:5], x[5:])
    assert not gpuarray.may_share_memory(x, pygpu.zeros((10,), "int32", context=ctx))
    wrong: Any = np.zeros(3)
    with pytest.raises(TypeError, match="allowed: a GpuArray"):
        gpuarray.may_share_memory(x, wrong)


# --- memory of the driver


def test_the_drivers_handle_leads_to_the_same_memory(ctx: GpuContext) -> None:
    x = pygpu.array(np.arange(12, dtype="int32").reshape(3, 4), context=ctx)
    y = gpuarray.from_gpudata(x.base_data, 4, "int32", (2, 3), ctx, strides=(16, 4), cls=Mine)
    assert type(y) is Mine and np.asarray(y).tolist() == [[1, 2, 3], [5, 6, 7]]
    y[0] = -1
    assert np.asarray(x)[0].tolist() == [0, -1, -1, -1]
    del x
    gc.collect()
    assert np.asarray(y).tolist() == [[-1] * 3, [5, 6, 7]]
    last = gpuarray.from_gpudata(y.base_data, 44, "int32", 3, ctx, strides=(-16,))
    assert np.asarray(last).tolist() == [11, 7, -1]


def test_memory_may_be_made_read_only(ctx: GpuContext) -> None:
    x = pygpu.array([1.0, 2.0], context=ctx)
    y = gpuarray.from_gpudata(x.base_data, 0, "float64", (2,), ctx, writable=False)
    assert not y.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 3
    x[0] = 5
    assert np.asarray(y).tolist() == [5, 2]


def test_places_outside_of_the_memory_are_refused(ctx: GpuContext) -> None:
    x = pygpu.zeros((64,), "int32", context=ctx)
    cases: list[tuple[Any, str]] = [
        ((0, "int32", (65,)), "allowed: 256 bytes"),
        ((256, "int32", (1,)), "allowed: 256 bytes"),
        ((0, "int32", (2,), ctx, (-4,)), "elements -1 to 0"),
        ((2, "int32", (1,)), "multiples of 4"),
        ((0, "int32", (2,), ctx, (6,)), "multiples of 4"),
        ((0, "int32", (2, 2), ctx, (4,)), "same length as shape"),
    ]
    for arguments, text in cases:
        options = arguments if len(arguments) > 3 else (*arguments, ctx)
        with pytest.raises(ValueError, match=text):
            gpuarray.from_gpudata(x.base_data, *options)
    assert gpuarray.from_gpudata(x.base_data, 0, "int32", (0,), ctx).size == 0


def test_a_programs_own_memory_is_seen(ctx: GpuContext, device: Any) -> None:
    if ctx.kind == b"native":
        pytest.skip("native has no driver")
    host = np.arange(6, dtype="float32")
    if ctx.kind == b"cuda":
        cupy = pytest.importorskip("cupy")
        own = cupy.asarray(host)
        handle = own.data.ptr
        with pytest.raises(GpuArrayException, match="is not memory of"):
            gpuarray.from_gpudata(host.ctypes.data, 0, "float32", (6,), ctx)
    else:
        cl = pytest.importorskip("pyopencl")
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        own = cl.Buffer(device._open()[0], flags, hostbuf=host)
        handle = own.int_ptr
    x = gpuarray.from_gpudata(handle, 8, "float32", (4,), ctx, base=own)
    assert x.base is own and np.asarray(x).tolist() == [2, 3, 4, 5]
    assert x[1:].base is own
