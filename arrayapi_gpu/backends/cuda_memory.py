"""Memory of CUDA: blocks for the pool, page-locked memory of the host, and the exchange with other libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cupy_backends.cuda.api import runtime
from cupy_backends.cuda.api.runtime import CUDARuntimeError

from .base import Block, Buffer, Exchange, HostArray, nothing
from .cuda_side_queue import WITHOUT_TIMING
from .host_memory import fresh_memory

if TYPE_CHECKING:
    from .cuda import CudaDevice

OUT_OF_MEMORY = 2  # cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY
PORTABLE = 1  # cudaHostRegisterPortable: for all contexts
OF_THE_HOST, DEVICE, MANAGED = 1, 2, 3  # cudaMemoryType
LIMBO = 16  # buffers of others that may outlive their owners before a verb waits for the stream


class Foreign(int):
    """The address of memory that belongs to ``owner``, which is kept alive."""

    owner: Any


def created(device: CudaDevice, size: int) -> tuple[int, None]:
    """Return the address of a block; MemoryError, DeviceError."""
    with device._current("alloc"):
        try:
            return runtime.malloc(size), None
        except CUDARuntimeError as error:
            if error.status == OUT_OF_MEMORY:
                device.library.release()
                raise MemoryError(str(error)) from None
            raise


def page_locked(device: CudaDevice, size: int) -> tuple[int, HostArray]:
    """Return page-locked memory of the host, and its address, which keeps it alive; MemoryError."""
    host = fresh_memory(size)  # the driver's own way takes ten times as long
    lock = device.page_lock(host)
    if lock is None:
        raise MemoryError(f"{size} bytes of the host's memory cannot be page-locked")
    handle = Foreign(host.ctypes.data)
    handle.owner = lock
    return handle, host


class PageLock:
    """Memory of the host that stays where it is as long as this object lives, which keeps its owner alive."""

    __slots__ = ("__del__", "__weakref__", "owner")

    __del__: Callable[[], None]  # as that of `Buffer`; it comes before the owner is released

    def __init__(self, owner: HostArray):
        self.owner = owner
        self.__del__ = nothing


def page_lock(host: HostArray) -> PageLock | None:
    """Return a lock of the memory of a contiguous array; None where the driver refuses."""
    lock = PageLock(host)
    address = int(host.__array_interface__["data"][0])
    ends = address, address + host.nbytes - 1
    if all([runtime.pointerGetAttributes(end).type == OF_THE_HOST for end in ends]):
        return lock  # another library has locked it
    lock.__del__ = partial(runtime.hostUnregister, address)
    try:
        runtime.hostRegister(address, host.nbytes, PORTABLE)
    except CUDARuntimeError:  # a part is locked already, or cannot be locked
        lock.__del__ = nothing
        return None
    return lock


class CudaExchange(Exchange):
    """Memory that a device shares with CuPy, PyTorch, JAX and others, by the rules of CUDA's streams."""

    def __init__(self, device: CudaDevice):
        self._device = device

    @property
    def stream(self) -> int:
        if not self._device._stream:
            self._device._open()
        return self._device._stream

    def lend(self, buffer: Buffer, stream: Any) -> None:
        if self._foreign(stream):
            self.order(self.stream, stream)
            buffer.give = partial(self._device._returned.append, buffer.block)

    def follow(self, stream: Any) -> None:
        if self._foreign(stream):
            self.order(stream, self.stream)

    def _foreign(self, stream: Any) -> bool:
        """Return whether the driver does not keep the order of a stream automatically."""
        if stream is not None and (not isinstance(stream, int) or stream < -1 or stream == 0):
            raise ValueError(
                f"{self._device}: stream={stream!r}; allowed: None, -1 (no order is needed), 1 (the default stream), "
                f"2 (that of the thread), or the handle of a stream"
            )
        return stream not in (None, -1, 1)

    def order(self, first: int, second: int) -> None:
        """Let later work on the second stream wait for work queued on the first, a stream of this device."""
        with self._device._current("stream"):
            event = runtime.eventCreateWithFlags(WITHOUT_TIMING)
            runtime.eventRecord(event, first)
            runtime.streamWaitEvent(second, event)
            runtime.eventDestroy(event)

    def holds(self, address: int) -> bool:
        found = runtime.pointerGetAttributes(address)
        return found.type in (DEVICE, MANAGED) and found.device == self._device._ordinal

    def attach(self, address: int, nbytes: int, owner: Any) -> Buffer:
        device = self._device
        if len(device._limbo) > LIMBO:
            device.wait()
        handle = Foreign(address)
        handle.owner = owner
        return Buffer(nbytes, Block(handle, None, device._limbo), aligned=address % 64 == 0)
