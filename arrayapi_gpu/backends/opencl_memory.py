"""Memory of OpenCL: blocks for the pool, memory of the host, and memory that the program made with the driver."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator

from .base import Block, Buffer, DeviceError, HostArray
from .host_memory import HOST_ALIGNMENT, aligned_memory

if TYPE_CHECKING:
    from .opencl import OpenCLDevice

NO_HOST = cl.mem_flags.HOST_NO_ACCESS | cl.mem_flags.HOST_READ_ONLY | cl.mem_flags.HOST_WRITE_ONLY

_map: Any = cl.enqueue_map_buffer  # whose types know no flags that are put together
_READ_AND_WRITE = cl.map_flags.READ | cl.map_flags.WRITE


def created(device: OpenCLDevice, size: int) -> tuple[Any, HostArray | None]:
    """Return a block's handle, and its bytes where the host shares the memory; MemoryError, DeviceError."""
    if device.host_shared:
        host = aligned_memory(size)
        return wrapped(device, host), host
    try:
        # This allocator has the driver provide the memory now, not at the first launch.
        _, queue = device._open()
        with device._lock:
            return ImmediateAllocator(queue)(size), None
    except cl.MemoryError as error:
        raise MemoryError(str(error)) from None
    except cl.Error as error:
        raise DeviceError(f"{device}: alloc: {error}") from None


def wrapped(device: OpenCLDevice, host: HostArray) -> Any:
    """Return a driver's buffer of host memory; MemoryError, DeviceError.

    Memory that is only read is declared as written, too, because Intel's runtime copies a buffer that is only read. No
    kernel writes to it, so it may be a map of a file for reading.
    """
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    memory: Any = host
    if not host.flags.writeable:
        memory = (ctypes.c_uint8 * host.nbytes).from_address(host.ctypes.data)
    try:
        return cl.Buffer(device._open()[0], flags, hostbuf=memory)
    except cl.MemoryError as error:
        raise MemoryError(str(error)) from None
    except cl.Error as error:
        raise DeviceError(f"{device}: alloc: {error}") from None


def page_locked(device: OpenCLDevice, size: int) -> tuple[Any, HostArray]:
    """Return page-locked memory of the host, which the driver makes, with its buffer; MemoryError, DeviceError."""
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
    try:
        handle = cl.Buffer(device._open()[0], flags, size)
        return handle, _mapped(device, handle)
    except cl.MemoryError as error:
        raise MemoryError(str(error)) from None
    except cl.Error as error:
        raise DeviceError(f"{device}: memory of the host: {error}") from None


def _mapped(device: OpenCLDevice, handle: Any) -> Any:
    """Return the bytes of a driver's buffer, mapped for reading and writing."""
    with device._lock:
        device._queued += 1
        host, _ = _map(device._queue, handle, _READ_AND_WRITE, 0, (handle.size,), np.dtype(np.uint8))
    return host


class _Borrowed(Block):
    """Memory that the program made itself; ``queue`` is the program's, in which it uses the memory, or None."""

    __slots__ = ("queue",)

    queue: Any


def borrowed(device: OpenCLDevice, handle: Any, queue: Any) -> tuple[Buffer, bool]:
    """Return memory that the program made as a buffer, and whether kernels may only read it; ValueError, DeviceError.

    Where the host shares the memory, the buffer is mapped only for the call: its address remains the same.
    """
    if handle.flags & NO_HOST:
        raise ValueError("the buffer was made with a flag HOST_...; allowed: memory that the host may use")
    readonly = bool(handle.flags & cl.mem_flags.READ_ONLY)
    block = _Borrowed(handle, None, device._limbo)
    block.queue = queue
    follow(device, block)
    if device.host_shared:
        try:
            with device._lock:
                block.host = host = _mapped(device, handle)
                host.base.release(device._queue)
        except cl.Error as error:
            raise DeviceError(f"{device}: map: {error}") from None
        if readonly:
            host.flags.writeable = False
    return Buffer(handle.size, block, block.host is None or block.host.ctypes.data % HOST_ALIGNMENT == 0), readonly


def follow(device: OpenCLDevice, block: Any) -> None:
    """Wait for the program's own queue, if the block is memory that the program made; DeviceError."""
    if isinstance(block, _Borrowed) and block.queue is not None:
        try:
            with device._lock:
                block.queue.finish()
        except cl.Error as error:
            raise DeviceError(f"{device}: the queue of a borrowed buffer: {error}") from None
