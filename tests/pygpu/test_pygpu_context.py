"""Contexts: names, properties, the default one, and the driver's own."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.pygpu import context as contexts
from arrayapi_gpu.pygpu.errors import GpuArrayException
from arrayapi_gpu.pygpu.gpuarray import GpuContext


@pytest.fixture
def no_default() -> Iterator[None]:
    before = pygpu.get_default_context()
    pygpu.set_default_context(None)
    yield
    pygpu.set_default_context(before)


def test_properties_are_those_of_the_device(ctx: GpuContext, device: Device) -> None:
    assert ctx.kind.decode() == str(device).partition(":")[0]
    assert ctx.devname and ctx.devname in device.description
    assert ctx.lmemsize == device.local_memory and ctx.numprocs == device.compute_units
    assert ctx.maxlsize == device.max_group == max(ctx.maxlsize0, ctx.maxlsize1, ctx.maxlsize2)
    assert min(ctx.maxgsize0, ctx.maxgsize1, ctx.maxgsize2) > 2**15
    assert 0 < ctx.free_gmem <= ctx.total_gmem == device.memory
    assert 0 < ctx.largest_memblock <= ctx.total_gmem
    assert isinstance(ctx.bin_id, bytes) and ctx.bin_id
    assert isinstance(ctx.unique_id, str)


def test_ptr_is_the_drivers_handle(ctx: GpuContext) -> None:
    other = pygpu.init(re.sub("^([a-z]+):", r"\1", str(ctx._device)))
    assert isinstance(ctx.ptr, int) and ctx.ptr == other.ptr > 0


def test_properties_cannot_be_set(ctx: Any) -> None:
    with pytest.raises(AttributeError):
        ctx.devname = "another"


@pytest.mark.parametrize("name", ["opencl0", "opencl", "opencl0:x", "cuda-1", "cudax", "metal0", ""])
def test_a_name_of_no_device_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"instead got|allowed"):
        pygpu.init(name)


@pytest.mark.parametrize("name", ["opencl77:0", "cuda77"])
def test_a_device_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(GpuArrayException, match=r"no device"):
        pygpu.init(name)


def test_another_schedule_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected value for parameter sched: fast; allowed: default, single, multi"):
        pygpu.init("opencl0:0", sched="fast")


def test_the_class_makes_a_context_by_number(device: Device) -> None:
    kind = str(device).partition(":")[0]
    own = [other for other in devices() if str(other).startswith(kind)]
    assert GpuContext(kind, own.index(device))._device is device
    with pytest.raises(GpuArrayException, match=f"{kind} has no device 99"):
        GpuContext(kind, 99)
    with pytest.raises(ValueError, match="allowed: cuda, opencl, native"):
        GpuContext("metal", 0)
    with pytest.raises(RuntimeError, match=r"Called raw GpuContext\.__init__"):
        GpuContext()


@pytest.mark.usefixtures("no_default")
def test_a_context_is_needed_until_there_is_a_default(ctx: GpuContext) -> None:
    assert pygpu.get_default_context() is None
    with pytest.raises(TypeError, match="No context specified"):
        pygpu.zeros((2,), "float32")
    pygpu.set_default_context(ctx)
    assert pygpu.get_default_context() is ctx is pygpu.zeros((2,), "float32").context
    pygpu.set_default_context(None)
    with pytest.raises(TypeError, match="No context specified"):
        pygpu.zeros((2,), "float32")


@pytest.mark.usefixtures("no_default")
@pytest.mark.parametrize("what", ["opencl0:0", 1])
def test_what_is_no_context_is_refused(what: Any) -> None:
    with pytest.raises(TypeError, match="allowed: a GpuContext"):
        pygpu.set_default_context(what)
    with pytest.raises(TypeError, match="allowed: a GpuContext"):
        pygpu.zeros((2,), context=what)


@pytest.mark.parametrize("protocol", [0, 2, -1])
def test_a_context_is_not_pickled(ctx: GpuContext, protocol: int) -> None:
    with pytest.raises(RuntimeError, match="Cannot pickle"):
        pickle.dumps(ctx, protocol)


def test_with_is_for_one_driver(ctx: GpuContext) -> None:
    if ctx.kind == b"cuda":
        with ctx as inner:
            assert inner is ctx
        return
    with pytest.raises(ValueError, match="only works for cuda"), ctx:
        pass


def test_platforms_and_devices_are_counted(ctx: GpuContext) -> None:
    kind = ctx.kind.decode()
    count = contexts.count_platforms(kind)
    assert count >= 1
    each = [contexts.count_devices(kind, platform) for platform in range(count)]
    assert sum(each) >= len([d for d in devices() if str(d).startswith(kind)])
    with pytest.raises(GpuArrayException, match="no platform"):
        contexts.count_devices(kind, count)
    with pytest.raises(ValueError, match="allowed: cuda, opencl"):
        contexts.count_platforms("metal")


def test_the_drivers_context_is_wrapped(ctx: GpuContext) -> None:
    if ctx.kind == b"native":
        pytest.skip("native has no driver")
    wrap = contexts.cuda_wrap_ctx if ctx.kind == b"cuda" else contexts.cl_wrap_ctx
    wrapped = wrap(ctx.ptr)
    assert wrapped.ptr == ctx.ptr and wrapped._device is ctx._device
    x = pygpu.array(np.arange(3), context=wrapped)
    assert np.asarray(x).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="the address of a context"):
        wrap(0)


def test_a_second_context_of_a_device_is_refused(ctx: GpuContext, device: Any) -> None:
    """Arrays of one context cannot be used in another one."""
    if ctx.kind != b"opencl":
        pytest.skip(f"{device} is none of OpenCL's")
    cl = pytest.importorskip("pyopencl")
    assert ctx.ptr
    other = cl.Context([device._device])
    with pytest.raises(GpuArrayException, match="got another context; arrays are in one already"):
        contexts.cl_wrap_ctx(other.int_ptr)
