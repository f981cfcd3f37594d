"""Further queues of a device, which carry copies between its memory and that of the host or of other devices.

Objects that a copy uses are referred to before it is queued, and released after it is done. So memory is used again
only where no copy uses it any more, and the pool needs not know of these queues. A copy waits for all work that the
device's own queue had when it was queued, because the memory may have been another array's before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from .base import Buffer, Device, HostArray, Transfer


class SideTransfer(Transfer):
    """A copy in a side queue. ``event``: the driver's, None until the copy is queued. ``used``: the objects it uses."""

    __slots__ = ("_queue", "event", "used")

    def __init__(self, queue: SideQueue, used: tuple[Any, ...]):
        self._queue = queue
        self.used = used
        self.event: Any = None

    def join(self, device: Device | None = None) -> None:
        self._queue.join(self.event, device)

    def wait(self) -> None:
        self._queue.wait(self.event)
        self._queue.release()


class SideQueue(ABC):
    """A queue for copies in one direction. Threads may share it: ``lock`` is the device's, because its pool
    releases memory that copies used, and copies bring back memory that has moved."""

    def __init__(self, lock: AbstractContextManager[object]) -> None:
        self._lock = lock
        self._held: list[SideTransfer] = []  # in the order of the queue

    def carry(self, target: Buffer | HostArray, source: Buffer | HostArray, offset: int, *others: Any) -> SideTransfer:
        """Return a queued copy between a buffer, from byte ``offset`` on, and memory of the host."""
        return self.copy(partial(self.begin, target, source, offset), (target, source, *others))

    def copy(self, begin: Callable[[], Any], used: tuple[Any, ...]) -> SideTransfer:
        """Return a copy that ``begin`` has queued; ``begin`` gives the event behind it."""
        self.release()
        transfer = SideTransfer(self, used)
        with self._lock:
            self._held.append(transfer)
            transfer.event = begin()
            if transfer.used is not used:  # a destructor that ran meanwhile released it, since it had no event
                transfer.used = used
                self._held.append(transfer)
        return transfer

    def release(self) -> bool:
        """Release the objects that finished copies used; return whether there were any."""
        if not self._held:
            return False
        gone = []
        with self._lock:
            while self._held and self._is_done(self._held[0].event):
                gone.append(self._held[0])
                del self._held[0]
        for transfer in gone:  # outside of the lock, since the destructors of others run here
            transfer.used = ()
        return bool(gone)

    def _is_done(self, event: Any) -> bool:
        if event is None:  # an exception came between the copy and its event
            self.finish()
            return True
        return self.happened(event)

    @abstractmethod
    def begin(self, target: Buffer | HostArray, source: Buffer | HostArray, offset: int) -> Any:
        """Put a copy into the queue, behind all work of the device, and return the event behind it; DeviceError."""

    @abstractmethod
    def happened(self, event: Any) -> bool:
        """Return whether all work before an event is done."""

    @abstractmethod
    def join(self, event: Any, device: Device | None) -> None:
        """Let later work of a device, by default the one that this queue belongs to, wait for an event."""

    @abstractmethod
    def wait(self, event: Any) -> None:
        """Return when all work before an event is done; DeviceError."""

    @abstractmethod
    def finish(self) -> None:
        """Return when all queued work is done; DeviceError."""
