"""Exposed memory, which the host, or another library, may read and write without a call."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .locks import module_lock

if TYPE_CHECKING:
    from .base import Buffer, Device, HostArray


class Exposure:
    """While it lives, the host, or another library, may read and write a buffer at any time.

    Laziness must not be observed through such memory. Two rules, each in one place, are enough: users hold no pending
    value that reads it (`lazy.build.build.handle` and `rebind`), and every verb of a device that uses it returns
    after its work is done or, where the device has an `Exchange`, in the order of streams (`Device`).
    """

    __slots__ = ("__del__", "__weakref__", "_bytes", "buffer")

    __del__: Callable[[], None]  # as that of `Buffer`

    def __init__(self, device: Device, buffer: Buffer):
        self.buffer: Buffer = buffer
        self._bytes: weakref.ref[HostArray] | None = None
        self.__del__ = partial(device.exposed.discard, id(self))
        device.exposed.add(id(self))
        buffer.exposure = weakref.ref(self)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The array interface of the buffer; an array made from it keeps the exposure alive."""
        return self.buffer.__array_interface__

    def host_bytes(self) -> HostArray:
        """Return the buffer's bytes as a uint8 array that keeps the exposure alive. As long as the array lives, it is
        returned again, unless it was made read-only."""
        found = None if self._bytes is None else self._bytes()
        if found is None or not found.flags.writeable:
            found = np.asarray(self)
            self._bytes = weakref.ref(found)
        return found


_exposing = module_lock(globals(), "_exposing")


def expose(device: Device, buffer: Buffer) -> Exposure:
    """Return the buffer's exposure, which begins now unless there is one."""
    with _exposing:
        exposure = None if buffer.exposure is None else buffer.exposure()
        if exposure is None:
            exposure = Exposure(device, buffer)
    return exposure
