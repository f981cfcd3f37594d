"""Side queues of CUDA: each is a stream."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cupy_backends.cuda.api import runtime

from .base import Buffer, Device
from .side_queue import SideQueue

if TYPE_CHECKING:
    from .cuda import CudaDevice

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2  # cudaMemcpyKind
NON_BLOCKING = 1  # cudaStreamNonBlocking: no order with the default stream
WITHOUT_TIMING = 2  # cudaEventDisableTiming


class CudaEvent:
    """An event of the driver. Events are used again: ``free`` is the list of those that are free."""

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

    def begin(self, target: Any, source: Any, offset: int) -> CudaEvent:
        if isinstance(target, Buffer):
            copy = target.handle + offset, source.__array_interface__["data"][0], source.nbytes, HOST_TO_DEVICE
        else:
            copy = target.__array_interface__["data"][0], source.handle + offset, target.nbytes, DEVICE_TO_HOST
        return self.run(partial(runtime.memcpyAsync, *copy))

    def run(self, copy: Callable[[int], None], other: CudaDevice | None = None) -> CudaEvent:
        """Call ``copy`` with the stream, behind all work that the device, and another one, have queued now. Return the
        event behind it."""
        main = self._device.exchange.stream
        with self._device._current("copy"):
            if not self._stream:
                self._stream = runtime.streamCreateWithFlags(NON_BLOCKING)
            event = CudaEvent(
                self._free.pop() if self._free else runtime.eventCreateWithFlags(WITHOUT_TIMING), self._free
            )
            runtime.eventRecord(event.handle, main)
            runtime.streamWaitEvent(self._stream, event.handle)
            if other is not None:
                other.exchange.order(other.exchange.stream, self._stream)
            copy(self._stream)
            runtime.eventRecord(event.handle, self._stream)
        return event

    def happened(self, event: CudaEvent) -> bool:
        with self._device._current("copy"):
            return not runtime.eventQuery(event.handle)

    def join(self, event: CudaEvent, device: Device | None) -> None:
        other: Any = device or self._device
        with other._current("copy"):
            runtime.streamWaitEvent(other.exchange.stream, event.handle)

    def wait(self, event: CudaEvent) -> None:
        with self._device._current("copy"):
            runtime.eventSynchronize(event.handle)

    def finish(self) -> None:
        with self._device._current("copy"):
            runtime.streamSynchronize(self._stream)
