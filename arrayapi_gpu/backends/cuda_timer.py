"""The clock of a CUDA stream: pairs of events. Each is also a range of NVTX, which Nsight Systems shows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cupy_backends.cuda.api import runtime

from .base import DeviceError
from .events import Timer

try:
    from cupy_backends.cuda.libs import nvtx
except ImportError:  # this CuPy was built without it
    nvtx = None

if TYPE_CHECKING:
    from .cuda import CudaDevice

MILLI = 1e-3


class CudaTimer(Timer):
    """Events in a device's stream. They are used again."""

    def __init__(self, device: CudaDevice):
        self._device = device
        self._free: list[int] = []
        with device._current("time"):
            runtime.streamSynchronize(device._stream)
            self._zero = self._event()
            runtime.eventSynchronize(self._zero)
            self._began = time.perf_counter()

    def _event(self) -> int:
        """Queue an event and return it."""
        event = self._free.pop() if self._free else runtime.eventCreate()
        runtime.eventRecord(event, self._device._stream)
        return int(event)

    def start(self, label: str) -> int:
        if nvtx is not None:
            nvtx.RangePush(label)
        with self._device._current("time"):
            return self._event()

    def stop(self, mark: int) -> tuple[int, int]:
        with self._device._current("time"):
            last = self._event()
        if nvtx is not None:
            nvtx.RangePop()
        return mark, last

    def read(self, marks: tuple[int, int]) -> tuple[float, float]:
        first, last = marks
        try:
            with self._device._current("time"):
                runtime.eventSynchronize(last)
                begin = runtime.eventElapsedTime(self._zero, first) * MILLI
                seconds = runtime.eventElapsedTime(first, last) * MILLI
        except DeviceError:
            return self._began, float("nan")
        self._free += marks
        return self._began + begin, seconds

    def close(self) -> None:
        with self._device._current("time"):
            for event in (self._zero, *self._free):
                runtime.eventDestroy(event)
        self._free.clear()
