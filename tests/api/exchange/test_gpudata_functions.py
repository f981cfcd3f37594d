"""Memory shared with PyOpenCL, both ways: values, layouts, order between queues, lifetimes, and what is refused."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import masked, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends import register
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config

pytestmark = [pytest.mark.usefixtures("queue"), pytest.mark.filterwarnings("ignore:Non-empty compiler output")]

DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "complex64", "complex128",
]  # fmt: skip
HOST = np.arange(24.0).reshape(4, 6)


def context_of() -> Any:
    """The context of our arrays, in which PyOpenCL's have to be made."""
    if not str(xp.empty(1).device).startswith("opencl"):
        pytest.skip("the memory is none of OpenCL's")
    return xp.empty(1).gpudata.handle.context


@pytest.fixture
def queue(device: Device) -> Any:
    cl = pytest.importorskip("pyopencl")
    pytest.importorskip("mako")  # PyOpenCL makes its kernels with it
    return cl.CommandQueue(context_of())


@pytest.fixture
def cl(queue: Any) -> Any:
    return pytest.importorskip("pyopencl")


@pytest.fixture
def cla(queue: Any) -> Any:
    return pytest.importorskip("pyopencl.array")


def buffer_of(host: np.ndarray[Any, Any], flags: int | None = None) -> Any:
    """A buffer of PyOpenCL's with these bytes."""
    cl = pytest.importorskip("pyopencl")
    wanted = cl.mem_flags.READ_WRITE if flags is None else flags
    return cl.Buffer(context_of(), wanted | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(host))


def bytes_of(queue: Any, buffer: Any, dtype: Any, n: int) -> np.ndarray[Any, Any]:
    """The first elements of a buffer, as PyOpenCL sees them."""
    cl = pytest.importorskip("pyopencl")
    host = np.empty(n, dtype)
    cl.enqueue_copy(queue, host, buffer)
    return host


# --- values on both sides


@pytest.mark.parametrize("dtype", DTYPES)
def test_memory_is_seen_on_both_sides(device: Device, dtype: str) -> None:
    cl = pytest.importorskip("pyopencl")
    if np.dtype(dtype) not in xp.__array_namespace_info__().dtypes().values() and dtype != "float16":
        pytest.skip(f"{device} has no {dtype}")
    queue = cl.CommandQueue(context_of())
    old, new = sample(dtype, (3, 4)), sample(dtype, (3, 4), seed=1)
    buffer = buffer_of(old)
    x = xp.from_gpudata(buffer, (3, 4), dtype)
    assert x.device is device and x.dtype == dtype and x.strides == old.strides and x.offset == 0
    np.testing.assert_array_equal(x.to_numpy(), old, strict=True)
    x[1:, ::2] = xp.asarray(new)[1:, ::2]
    old[1:, ::2] = new[1:, ::2]
    np.testing.assert_array_equal(bytes_of(queue, buffer, dtype, 12).reshape(3, 4), old)
    cl.enqueue_copy(queue, buffer, new)
    queue.finish()
    np.testing.assert_array_equal(x.to_numpy(), new)
    np.testing.assert_array_equal(np.asarray(x), new)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda a: a,
    "rows": lambda a: a[1:3],
    "columns": lambda a: a[:, 2:5],
    "steps": lambda a: a[::2, 1::3],
    "backwards": lambda a: a[::-1],
    "transposed": lambda a: a.T,
    "reshaped": lambda a: a.reshape(2, 12),
    "a row": lambda a: a[2],
    "one element": lambda a: a[2:3, 3:4],
    "zero dimensions": lambda a: a[2, 3:4].reshape(()),
    "reinterpreted": lambda a: a.view(np.int32),
    "nothing": lambda a: a[:0],
    "no columns": lambda a: a[1:, 3:3],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_pyopencl_are_views(name: str, queue: Any, cla: Any) -> None:
    host, a = HOST.copy(), cla.to_device(queue, HOST)
    expected, x = VIEWS[name](host), xp.asarray(VIEWS[name](a))
    assert x.shape == expected.shape and x.dtype == expected.dtype
    if expected.size:
        assert x.strides == expected.strides
    np.testing.assert_array_equal(x.to_numpy(), expected)
    x[...] = 7
    expected[...] = 7
    np.testing.assert_array_equal(a.get(), host)
    a.fill(3.0)
    host[...] = 3.0
    np.testing.assert_array_equal((x + 0).to_numpy(), expected + 0)


OUTWARD: dict[str, Callable[[Any], Any]] = {
    **{name: view for name, view in VIEWS.items() if name not in ("reinterpreted", "nothing", "no columns")},
    "pending": lambda x: x * 1,
}


@pytest.mark.parametrize("name", OUTWARD)
def test_a_round_trip(name: str, cl: Any, queue: Any, cla: Any) -> None:
    x = OUTWARD[name](xp.asarray(HOST))
    shared = cla.Array(queue, x.shape, x.dtype, data=x.gpudata.handle, offset=x.offset, strides=x.strides)
    y = xp.asarray(shared)
    assert (y.shape, y.strides, y.offset, y.device) == (x.shape, x.strides, x.offset, x.device)
    np.testing.assert_array_equal(y.to_numpy(), OUTWARD[name](HOST))
    y += 1
    np.testing.assert_array_equal(x.to_numpy(), OUTWARD[name](HOST) + 1)
    cl.enqueue_fill_buffer(queue, shared.base_data, np.float64(5), 0, shared.base_data.size // 8 * 8)
    np.testing.assert_array_equal(y.to_numpy(), np.full(y.shape, 5.0))
    queue.finish()
    np.testing.assert_array_equal(x.to_numpy(), np.full(y.shape, 5.0))


def test_parts_of_buffers(queue: Any) -> None:
    host = np.arange(4096, dtype=np.float32)
    buffer = buffer_of(host)
    part = buffer[4096:8192]  # a sub-buffer
    x = xp.from_gpudata(part, (20, 10), xp.float32, strides=(160, 8), offset=12)
    expected = np.lib.stride_tricks.as_strided(host[1024 + 3 :], (20, 10), (160, 8))
    np.testing.assert_array_equal(x.to_numpy(), expected)
    x *= -1
    expected *= -1
    np.testing.assert_array_equal(bytes_of(queue, buffer, np.float32, 4096), host)


def test_two_arrays_in_one_memory(queue: Any) -> None:
    """A write that overlaps with what it reads, through buffers that know nothing of each other."""
    host = np.arange(2048, dtype=np.float32)
    buffer = buffer_of(host)
    x = xp.from_gpudata(buffer, (2048,), xp.float32)
    y = xp.from_gpudata(buffer[1024:], (1792,), xp.float32)
    x[300:] = y[:1748]
    host[300:] = host[256 : 256 + 1748].copy()
    np.testing.assert_array_equal(x.to_numpy(), host)
    y[0] = -1
    assert float(x[256]) == -1


def test_negative_strides(queue: Any) -> None:
    x = xp.from_gpudata(buffer_of(HOST), (6,), xp.float64, strides=(-16,), offset=12 * 8)
    np.testing.assert_array_equal(x.to_numpy(), HOST.reshape(-1)[12:0:-2])


def test_the_host_sees_the_memory_too(device: Device, queue: Any, cla: Any) -> None:
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory")
    a = cla.to_device(queue, HOST)
    host = np.asarray(xp.asarray(a))
    host[0, 0] = -1
    assert a.get()[0, 0] == -1


# --- order


def test_what_is_queued_elsewhere_is_done_first(queue: Any, cla: Any) -> None:
    n = 1 << 18
    a = cla.zeros(queue, n, np.float32)
    x = xp.asarray(a)
    for turn in range(1, 4):
        for _ in range(50):
            a += 1
        assert float(xp.sum(x, dtype=xp.float32)) == n * 50 * turn
    for _ in range(50):
        a += 1
    x += 1
    a += 1
    np.testing.assert_array_equal(a.get(), np.full(n, 202, np.float32))
    for _ in range(50):
        a += 1
    assert x.to_numpy()[-1] == 252


def test_events_of_other_queues_are_waited_for(cl: Any, queue: Any, cla: Any) -> None:
    a = cla.zeros(queue, 1 << 16, np.float32)
    other = cl.CommandQueue(queue.context)
    for _ in range(20):
        a.add_event(cl.enqueue_fill_buffer(other, a.base_data, np.float32(3), 0, a.nbytes))
    np.testing.assert_array_equal(xp.asarray(a).to_numpy(), np.full(1 << 16, 3, np.float32))


def test_queues_out_of_order_are_waited_for(cl: Any, queue: Any, cla: Any) -> None:
    try:
        wild = cl.CommandQueue(queue.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    except cl.Error:
        pytest.skip("the driver has no such queues")
    a = cla.to_device(wild, HOST)
    x = xp.asarray(a)
    a *= 2
    np.testing.assert_array_equal(x.to_numpy(), HOST * 2)


def test_results_are_those_of_the_call(queue: Any, cla: Any) -> None:
    """A value that reads the memory is computed before others write to it."""
    a = cla.to_device(queue, HOST)
    x = xp.asarray(a)
    y, z = x * 2 + 1, xp.sum(x, axis=0)
    a.fill(-1.0)
    np.testing.assert_array_equal(y.to_numpy(), HOST * 2 + 1)
    np.testing.assert_array_equal(z.to_numpy(), HOST.sum(axis=0))


# --- lifetimes


def test_the_owner_is_kept(queue: Any, cla: Any) -> None:
    x = xp.asarray(cla.to_device(queue, HOST))
    y = xp.from_gpudata(buffer_of(HOST), (24,), xp.float64)
    gc.collect()
    others = [cla.zeros(queue, HOST.shape, np.float64) for _ in range(20)]
    np.testing.assert_array_equal(x.to_numpy(), HOST)
    np.testing.assert_array_equal(y.to_numpy(), HOST.reshape(-1))
    assert len(others) == 20


def test_memory_that_was_handed_out_is_not_used_again(device: Device, queue: Any, cla: Any) -> None:
    gc.collect()
    device.trim()
    live = device.live_bytes
    x = xp.asarray(HOST)
    handle = x.gpudata.handle
    shared = cla.Array(queue, x.shape, x.dtype, data=handle)
    del x
    gc.collect()
    for _ in range(5):
        others = [xp.full(HOST.shape, -1.0) + k for k in range(10)]
        xp.compute(*others)
    device.trim()
    np.testing.assert_array_equal(shared.get(), HOST)
    del others, shared, handle
    gc.collect()
    device.trim()
    assert device.live_bytes <= live


# --- what is refused


def test_read_only_memory(cl: Any, queue: Any) -> None:
    x = xp.from_gpudata(buffer_of(HOST, cl.mem_flags.READ_ONLY), HOST.shape, xp.float64)
    np.testing.assert_array_equal((x + x).to_numpy(), HOST * 2)
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert not np.asarray(x).flags.writeable


FROM: Any = xp.from_gpudata
REFUSED: dict[str, tuple[Callable[[Any], Any], type[Exception], str]] = {
    "too long": (lambda b: xp.from_gpudata(b, (25,), xp.float64), ValueError, "24 elements"),
    "too far": (lambda b: xp.from_gpudata(b, (24,), xp.float64, offset=8), ValueError, "24 elements"),
    "before": (lambda b: xp.from_gpudata(b, (2,), xp.float64, strides=(-8,)), ValueError, "from element -1"),
    "between": (lambda b: xp.from_gpudata(b, (2,), xp.float64, offset=4), ValueError, "multiples of 8"),
    "odd strides": (lambda b: xp.from_gpudata(b, (2,), xp.float64, strides=(12,)), ValueError, "multiples of 8"),
    "strides": (lambda b: xp.from_gpudata(b, (2, 2), xp.float64, strides=(8,)), ValueError, "2 strides"),
    "negative shape": (lambda b: xp.from_gpudata(b, (-1,), xp.float64), ValueError, "negative"),
    "dtype": (lambda b: xp.from_gpudata(b, (2,), "U4"), TypeError, "U4"),
    "no memory": (lambda b: xp.from_gpudata(HOST, (2,), xp.float64), ValueError, "ndarray is not memory"),
    "None": (lambda b: xp.from_gpudata(None, (2,), xp.float64), ValueError, "NoneType is not memory"),
    "by position": (lambda b: FROM(b, (2,), xp.float64, (8,)), TypeError, r"strides=\(8,\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    function, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words):
        function(buffer_of(HOST))


def test_another_context_is_refused(cl: Any, queue: Any, cla: Any) -> None:
    context = cl.Context(queue.context.devices)
    a = cla.to_device(cl.CommandQueue(context), HOST)
    with pytest.raises(ValueError, match="not memory in the context of a device"):
        xp.asarray(a)


def test_an_array_without_a_queue_is_refused(queue: Any, cla: Any) -> None:
    a = cla.to_device(queue, HOST)
    with pytest.raises(ValueError, match=r"has no queue.*with_queue"):
        xp.asarray(a.with_queue(None))
    np.testing.assert_array_equal(xp.asarray(a.with_queue(None).with_queue(queue)).to_numpy(), HOST)


@pytest.mark.parametrize("flag", ["HOST_NO_ACCESS", "HOST_READ_ONLY", "HOST_WRITE_ONLY"])
def test_memory_that_the_host_may_not_use_is_refused(flag: str, cl: Any, queue: Any) -> None:
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | getattr(cl.mem_flags, flag), 64)
    with pytest.raises(ValueError, match="flag HOST_"):
        xp.from_gpudata(buffer, (2,), xp.float64)


def test_vectors_are_no_dtype(queue: Any, cla: Any) -> None:
    vec = pytest.importorskip("pyopencl.cltypes").float4
    with pytest.raises(TypeError):
        xp.asarray(cla.zeros(queue, 3, vec))


def test_a_dtype_that_the_device_lacks_is_refused(device: Device) -> None:
    lacking = masked(device, ("float64",))
    with config.set(device=str(lacking)):
        buffer = buffer_of(HOST)
        with pytest.raises(TypeError, match="has no float64"):
            xp.from_gpudata(buffer, (4, 6), "float64")
        assert xp.from_gpudata(buffer, (4, 6), xp.float32).device is lacking


# --- arguments of asarray


def test_asarray_takes_its_other_arguments(device: Device, queue: Any, cla: Any) -> None:
    a = cla.to_device(queue, HOST)
    shared, own = xp.asarray(a, copy=False), xp.asarray(a, copy=True)
    narrow = xp.asarray(a, dtype=xp.float32)
    a.fill(0.0)
    np.testing.assert_array_equal(shared.to_numpy(), HOST * 0)
    np.testing.assert_array_equal(own.to_numpy(), HOST)
    np.testing.assert_array_equal(narrow.to_numpy(), HOST.astype(np.float32), strict=True)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(a, copy=False, dtype=xp.float32)
    assert xp.asarray(a, device=device).device is device


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0)])
def test_nothing_is_an_array(shape: tuple[int, ...], queue: Any, cla: Any) -> None:
    for x in (
        xp.asarray(cla.zeros(queue, shape, np.float32)),
        xp.from_gpudata(buffer_of(HOST), shape, xp.float32),
        xp.from_gpudata(None, shape, xp.float32),
    ):
        assert x.shape == shape and x.dtype == xp.float32 and x.to_numpy().size == 0


# --- devices with memory of their own, for which one on the CPU stands that does not use that it shares the host's

ALIKE = [
    test_parts_of_buffers, test_two_arrays_in_one_memory, test_negative_strides, test_results_are_those_of_the_call,
    test_what_is_queued_elsewhere_is_done_first, test_events_of_other_queues_are_waited_for, test_the_owner_is_kept,
    test_memory_that_was_handed_out_is_not_used_again, test_asarray_takes_its_other_arguments,
]  # fmt: skip


@pytest.fixture(scope="module")
def separate(device: Any) -> Any:
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    twin = type(device)(f"{device.name}:separate", device._device, device.dlpack[1], device._cache)
    twin.host_shared = False
    register(twin)
    return twin


@pytest.mark.parametrize("test", ALIKE)
def test_memory_that_the_host_does_not_see(test: Callable[..., None], separate: Any, cl: Any, cla: Any) -> None:
    with config.set(device=str(separate)):
        fixtures = {"cl": cl, "cla": cla, "queue": cl.CommandQueue(context_of()), "device": separate}
        test(**{name: fixtures[name] for name in inspect.signature(test).parameters})


def test_read_only_memory_that_the_host_does_not_see(separate: Any, cl: Any) -> None:
    with config.set(device=str(separate)):
        x = xp.from_gpudata(buffer_of(HOST, cl.mem_flags.READ_ONLY), HOST.shape, xp.float64)
        np.testing.assert_array_equal((x + x).to_numpy(), HOST * 2)
        with pytest.raises(ValueError, match="read-only"):
            x[0, 0] = 1


def test_what_is_gone_is_let_go(device: Any, queue: Any, cla: Any) -> None:
    a = cla.to_device(queue, HOST)
    for _ in range(100):
        xp.asarray(a)
    assert len(device._limbo) < 50
