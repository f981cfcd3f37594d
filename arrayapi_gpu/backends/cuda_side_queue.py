"""Side queues of CUDA: streams of their own, and memory of the host that is page-locked where it lies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cupy_backends.cuda.api import runtime
from cupy_backends.cuda.api.runtime import CUDARuntimeError

from .base import Device, HostArray
from .side_queue import SideQueue

if TYPE_CHECKING:
    from .cuda import CudaDevice

NON_BLOCKING = 1  # cudaStreamNonBlocking: no order with the default stream
WITHOUT_TIMING = 2  # cudaEventDisableTiming
PORTABLE = 1  # cudaHostRegisterPortable: for all contexts
OF_THE_HOST = 1  # cudaMemoryTypeHost


class Event:
    """An event of the driver's. Events are used again: ``free`` is where they lie."""

    __slots__ = ("__del__", "handle")

    __del__: Callable[[], None]  # as that of `Buffer`

    def __init__(self, handle: int, free: list[int]):
        self.handle = handle
        self.__del__ = partial(free.append, handle)


class CudaSideQueue(SideQueue):
    """A stream for copies in one direction."""

    def __init__(self, device: CudaDevice):
        super().__init__(device._lock)
        self._device = device
        self._stream = 0
        self._free: list[int] = []  # events

    def begin(self, copy: Callable[[int], None], other: CudaDevice | None = None) -> Event:
        """Queue what ``copy`` puts into a stream, behind all that the device, and another one, have queued now. Returns
        the event behind it."""
        main = self._device.exchange.stream
        with self._device._current("copy"):
            if not self._stream:
                self._stream = runtime.streamCreateWithFlags(NON_BLOCKING)
            event = Event(self._free.pop() if self._free else runtime.eventCreateWithFlags(WITHOUT_TIMING), self._free)
            runtime.eventRecord(event.handle, main)
            runtime.streamWaitEvent(self._stream, event.handle)
            if other is not None:
                other.exchange.order(other.exchange.stream, self._stream)
            copy(self._stream)
            runtime.eventRecord(event.handle, self._stream)
        return event

    def happened(self, event: Event) -> bool:
        with self._device._current("copy"):
            return not runtime.eventQuery(event.handle)

    def join(self, event: Event, device: Device | None) -> None:
        other: Any = device or self._device
        with other._current("copy"):
            runtime.streamWaitEvent(other.exchange.stream, event.handle)

    def wait(self, event: Event) -> None:
        with self._device._current("copy"):
            runtime.eventSynchronize(event.handle)

    def finish(self) -> None:
        with self._device._current("copy"):
            runtime.streamSynchronize(self._stream)


class PageLock:
    """Memory of the host that stays where it is as long as this lives, which keeps its owner alive."""

    __slots__ = ("__del__", "__weakref__", "owner")

    __del__: Callable[[], None]  # as that of `Buffer`; it comes before the owner is let go

    def __init__(self, owner: HostArray):
        self.owner = owner
        self.__del__ = _nothing


_nothing: Any = bool  # a destructor without effect, in C as all of them


def page_lock(host: HostArray) -> PageLock | None:
    """Page-lock the memory of a contiguous array; None where the driver does not."""
    lock = PageLock(host)
    address = int(host.__array_interface__["data"][0])
    ends = address, address + host.nbytes - 1
    if all([runtime.pointerGetAttributes(end).type == OF_THE_HOST for end in ends]):
        return lock  # by somebody else
    lock.__del__ = partial(runtime.hostUnregister, address)
    try:
        runtime.hostRegister(address, host.nbytes, PORTABLE)
    except CUDARuntimeError:  # a part is locked, or must not be
        lock.__del__ = _nothing
        return None
    return lock
