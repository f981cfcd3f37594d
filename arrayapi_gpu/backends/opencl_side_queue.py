"""Side queues of OpenCL: each is a command queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyopencl as cl

from .base import Buffer, Device, DeviceError, HostArray
from .side_queue import SideQueue

if TYPE_CHECKING:
    from .opencl import OpenCLDevice

COMPLETE = cl.command_execution_status.COMPLETE

_copy: Any = cl.enqueue_copy  # whose types know no ends that may be either


class OpenCLSideQueue(SideQueue):
    """A command queue for copies in one direction."""

    def __init__(self, device: OpenCLDevice):
        super().__init__(device._lock)
        self._device = device
        self._queue: Any = None

    def begin(self, target: Buffer | HostArray, source: Buffer | HostArray, offset: int) -> Any:
        ends = [end.handle if isinstance(end, Buffer) else end for end in (target, source)]
        place = {"dst_offset" if isinstance(target, Buffer) else "src_offset": offset}
        context, main = self._device._open()
        try:
            if self._queue is None:
                self._queue = cl.CommandQueue(context)
            with self._device._lock:
                before = cl.enqueue_marker(main)
                main.flush()
            event = _copy(self._queue, *ends, is_blocking=False, wait_for=[before], **place)
            self._queue.flush()
        except cl.Error as error:
            raise DeviceError(f"{self._device}: copy: {error}") from None
        return event

    def happened(self, event: Any) -> bool:
        return bool(event.command_execution_status <= COMPLETE)

    def join(self, event: Any, device: Device | None) -> None:
        device = self._device  # contexts have no others
        try:
            with device._lock:
                cl.enqueue_barrier(device._open()[1], wait_for=[event])
                device._queued += 1
        except cl.Error as error:
            raise DeviceError(f"{device}: copy: {error}") from None

    def wait(self, event: Any) -> None:
        try:
            event.wait()
        except cl.Error as error:
            raise DeviceError(f"{self._device}: copy: {error}") from None

    def finish(self) -> None:
        if self._queue is not None:
            self._queue.finish()
