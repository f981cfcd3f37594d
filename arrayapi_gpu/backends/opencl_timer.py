"""The clock of an OpenCL queue: the driver's own times of its commands, which it notes in a queue with profiling."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from .base import DeviceError
from .events import Timer

if TYPE_CHECKING:
    from .opencl import OpenCLDevice

PROFILED = cl.command_queue_properties.PROFILING_ENABLE
NANO = 1e-9


class OpenCLTimer(Timer):
    """A queue with profiling in place of a device's own, until it is closed.

    ``events``: of the commands since `start`, or None while nothing is timed.
    """

    def __init__(self, device: OpenCLDevice):
        self._device = device
        self.events: list[Any] | None = None
        context, self._own = device._open()
        with device._lock:
            device.wait()
            device._queue = cl.CommandQueue(context, properties=PROFILED)
            marker = cl.enqueue_marker(device._queue)
            marker.wait()
            self._zero = time.perf_counter() - marker.profile.end * NANO  # of the device's clock
            device._timer = self

    def start(self, label: str) -> list[Any]:
        found: list[Any] = []
        self.events = found
        return found

    def stop(self, mark: list[Any]) -> tuple[list[Any], float]:
        self.events = None
        return mark, time.perf_counter()

    def read(self, marks: tuple[list[Any], float]) -> tuple[float, float]:
        events, now = marks
        if not events:  # nothing was queued
            return now, 0.0
        try:
            self._device.wait()
            times = [(event.profile.start, event.profile.end) for event in events]
        except (cl.Error, DeviceError):
            return now, float("nan")
        begin = min(first for first, _ in times)
        return self._zero + begin * NANO, (max(last for _, last in times) - begin) * NANO

    def close(self) -> None:
        device = self._device
        with device._lock:
            if device._timer is self:
                try:
                    device.wait()
                finally:
                    profiled, device._queue, device._timer = device._queue, self._own, None
                    with contextlib.suppress(cl.Error):
                        profiled.finish()  # destructors, which run in `wait`, may launch
