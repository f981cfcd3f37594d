"""Memory of OpenCL that the program makes itself, and memory that it is given."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Block, Buffer, Device


@pytest.fixture
def cl(device: Device) -> Any:
    """PyOpenCL, where the device is one of OpenCL's."""
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    return pytest.importorskip("pyopencl")


@pytest.fixture
def queue(cl: Any, device: Any) -> Any:
    return cl.CommandQueue(device._open()[0])


def test_buffers_of_others_are_told_apart_by_where_they_are(cl: Any, queue: Any, device: Any) -> None:
    """Parts of one buffer by the bytes between them, where the host sees none of it."""
    one, other = (cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4096) for _ in range(2))

    def place(handle: Any) -> int:
        address = device.address_of_bytes(Buffer(handle.size, Block(handle, None, [])))
        assert address is not None
        return int(address)

    assert place(one[1024:2048]) - place(one[0:]) == 1024 == place(one[1024:]) - place(one)
    assert abs(place(one) - place(other)) > 4096


def test_borrowed_memory_is_an_aligned_buffer(cl: Any, queue: Any, device: Any) -> None:
    host = np.arange(1024, dtype=np.uint8)
    handle = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=host)
    buffer, readonly = device.borrow(handle, queue)
    assert buffer.nbytes == 1024 and buffer.handle is handle and not readonly
    got = np.empty(10, np.uint8)
    device.download(buffer, 5, got)
    np.testing.assert_array_equal(got, host[5:15])
    device.upload(buffer, 0, got)
    device.wait()  # the program's queue does not wait for the device's
    cl.enqueue_copy(queue, host, handle)
    np.testing.assert_array_equal(host[:10], got)
    if device.host_shared:
        assert buffer.aligned == (device.host_view(buffer).ctypes.data % 128 == 0)
    assert device.borrow(host, None) is None


def test_what_was_handed_out_leaves_the_pool(cl: Any, device: Device) -> None:
    gc.collect()
    device.trim()
    live = device.live_bytes
    buffer = device.alloc(1 << 16)
    assert device.live_bytes > live
    device.hand_out(buffer)
    device.hand_out(buffer)
    assert device.live_bytes == live
    del buffer
    gc.collect()
    device.wait()
    assert device.live_bytes == live and device.cached_bytes == 0
