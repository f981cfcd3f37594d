"""A CPU as if it were a GPU with memory of its own: copies are under way beside its queue."""

from __future__ import annotations

import random
import threading
from functools import cache
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends import register
from arrayapi_gpu.backends.base import Buffer, Device, HostArray, Transfer


class _Lock:
    """A page lock that keeps the memory."""

    def __init__(self, host: HostArray):
        self.host = host


class ApartDevice(Device):
    """What such a device has before its class: it copies from all memory of the host as if it were page-locked."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.host_shared = self.computes_on_host = False
        self.overlaps = True

    def page_lock(self, host: HostArray) -> Any:
        return _Lock(host)

    def begin_fetch(self, source: Device, buffer: Buffer, offset: int, target: Buffer, nbytes: int) -> Transfer | None:
        """As two devices of one driver: the bytes come by the host."""
        if not isinstance(source, ApartDevice):
            return None
        self._fetch(source, buffer, offset, target, nbytes)
        return Transfer()

    def _fetch(self, source: Device, buffer: Buffer, offset: int, target: Buffer, nbytes: int) -> None:
        host = np.empty(nbytes, np.uint8)
        source.download(buffer, offset, host)
        self.upload(target, 0, host)


class LateTransfer(Transfer):
    """A copy that is not made before somebody waits for it, or some chance makes it."""

    __slots__ = ("begin", "device")

    def __init__(self, device: LateDevice, begin: Any):
        self.device, self.begin = device, begin
        device.late.append(self)

    def join(self, device: Device | None = None) -> None:
        self.wait()

    def wait(self) -> None:
        with self.device.making:  # another thread may be about to make it
            while self in self.device.late:  # those before it first
                self.device.make_one()


def _verbs_of(above: Any) -> Any:
    """The class above, whose verbs are not abstract: that of the twin's device."""
    return above


class LateDevice(ApartDevice):
    """A device whose copies are made late. Until then their targets have other bytes."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.late: list[LateTransfer] = []
        self.making = threading.RLock()
        self._random = random.Random(1)

    def make_one(self) -> None:
        """Make the oldest copy that waits."""
        transfer = self.late.pop(0)
        transfer.begin()
        transfer.begin = None

    def begin_upload(self, buffer: Buffer, offset: int, host: HostArray, *others: Any) -> Transfer:
        self.upload(buffer, offset, np.full(host.nbytes, 0x5A, np.uint8))
        upload = _verbs_of(super()).upload
        return self._later(lambda: upload(buffer, offset, host) if others is not None else None)

    def begin_download(self, buffer: Buffer, offset: int, host: HostArray, *others: Any) -> Transfer:
        host.reshape(-1).view(np.uint8)[:] = 0xA5
        download = _verbs_of(super()).download
        return self._later(lambda: download(buffer, offset, host) if others is not None else None)

    def begin_fetch(self, source: Device, buffer: Buffer, offset: int, target: Buffer, nbytes: int) -> Transfer | None:
        if not isinstance(source, ApartDevice):
            return None
        self.upload(target, 0, np.full(nbytes, 0x5A, np.uint8))
        return self._later(lambda: self._fetch(source, buffer, offset, target, nbytes))

    def _later(self, begin: Any) -> Transfer:
        transfer = LateTransfer(self, begin)
        with self.making:
            while self.late and self._random.random() < 0.2:
                self.make_one()
        return transfer


def apart_twin(device: Device, late: bool = False) -> Device:
    """A device of OpenCL on the CPU that does not share the host's memory, as `get_device` finds it by its new name.

    ``late``: its copies are made as late as a driver may make them.
    """
    if not str(device).startswith("opencl"):
        pytest.skip("its memory cannot be taken for that of another device")
    return _twin(device, late)


@cache
def _twin(device: Any, late: bool) -> Device:
    name = f"{device.name}:apart{':late' * late}"
    first = LateDevice if late else ApartDevice
    kind: Any = type(first.__name__, (first, type(device)), {})  # made here, because tests run without a driver, too
    found: Device = kind(name, device._device, device.dlpack[1], device._cache)
    register(found)
    return found
