"""Events: launches, calls of libraries, copies, reads by the host and compilations, with their times.

`listening` gives a listener the events of a context. Nothing else pays for it: a launch asks whether `listeners` is
empty. Then code that does something calls `start` before it and `note` behind it. The time between them is that of the
host, or that of the device's queue (`Timer`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..config import config, log, unusual
from .kernel_reports import users_line
from .locks import module_lock
from .state import after_fork

if TYPE_CHECKING:
    from .base import Device


class EventKind(StrEnum):
    """The kind of an event."""

    KERNEL = "kernel"
    LIBRARY = "library"  # a routine of a library
    FUNCTION = "function"  # one that NumPy, or another library of the host, computes on copies
    BLOCK = "block"  # a copy of a block of host operands, or of memory that moves
    COPY = "copy"  # of other arrays
    READ = "read"  # of values by the host, which waits for them
    COMPILATION = "compilation"


WORK = frozenset({EventKind.KERNEL, EventKind.LIBRARY, EventKind.FUNCTION, EventKind.BLOCK})  # what counts as launches
ON_COPIES = ", on host copies"
SETTLED = 4096  # events after which their times are read, because a driver keeps memory for each


class Timer:
    """The clock of a queue, here that of the host, whose work is done when its call returns."""

    def start(self, label: str) -> Any:
        """Return a mark in the queue before some work."""
        del label
        return time.perf_counter()

    def stop(self, mark: Any) -> Any:
        """Return the marks before and behind the work that was queued since ``mark``."""
        return mark, time.perf_counter()

    def read(self, marks: Any) -> tuple[float, float]:
        """Return when the work between two marks began, by `time.perf_counter`, and its seconds; waits. DeviceError."""
        return marks[0], marks[1] - marks[0]

    def close(self) -> None:
        """End: the queue needs no clock any more."""


HOST_TIMER = Timer()


@dataclass(slots=True, unsafe_hash=True)
class Event:
    """One launch of a kernel, or another event.

    Attributes
    ----------
    kernel : str
        The name of the kernel, the routine, the function, or the kind of the copy.
    device : str
        The name of the device.
    items : int
        Work-items of a kernel, elements of the operands of a routine.
    read, written : int
        Bytes of the operands and of the results.
    library : str
        The library that computed it, if that is not a kernel of this library.
    copied : bool
        Whether a library worked on copies in host memory.
    kind : EventKind
        "kernel", "library", "function", "block", "copy", "read" or "compilation".
    line : str
        File and line of the program that asked for it.
    allocated : int
        Bytes of the device's arrays behind the event.
    host : tuple of float
        Begin and end of the call on the host, by `time.perf_counter`.
    thread : str
        The name of the thread.
    on_host : bool
        Whether the host did the work.
    """

    kernel: str
    device: str
    items: int
    read: int = 0
    written: int = 0
    library: str = ""
    copied: bool = False
    kind: EventKind = EventKind.KERNEL
    # Facts of one time, by which events do not differ.
    line: str = field(default="", compare=False)
    allocated: int = field(default=0, compare=False)
    host: tuple[float, float] = field(default=(0.0, 0.0), compare=False)
    thread: str = field(default="", compare=False)
    on_host: bool = field(default=False, compare=False)
    timer: Timer = field(default=HOST_TIMER, repr=False, compare=False)
    _marks: Any = field(default=None, repr=False, compare=False)
    _times: tuple[float, float] | None = field(default=None, repr=False, compare=False)

    @property
    def bytes(self) -> int:
        """Bytes that are read and written."""
        return self.read + self.written

    @property
    def place(self) -> str:
        """The routine of a library and, if it works there, the host."""
        return f"{self.kernel} by {self.library}{ON_COPIES if self.copied else ''}"

    @property
    def label(self) -> str:
        """The kernel, with its library if there is one."""
        return self.place if self.library else self.kernel

    @property
    def start(self) -> float:
        """When the work began, by `time.perf_counter`."""
        return self.settle()[0]

    @property
    def seconds(self) -> float:
        """Seconds of the work by the device's own clock, or on the host; NaN where the device failed."""
        return self.settle()[1]

    @property
    def throughput(self) -> float:
        """Bytes a second that are read and written; 0 where no time or no bytes are known."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0

    def settle(self) -> tuple[float, float]:
        """Read the times, for which the device must have done the work."""
        if self._times is None:
            self._times = (self.host[0], 0.0) if self._marks is None else self.timer.read(self._marks)
            self._marks = None
        return self._times

    def stop(self, started: Started) -> None:
        """Note the end of the work."""
        self.timer, self._marks, self.on_host = started.timer, started.timer.stop(started.mark), started.on_host
        self.host = started.host, time.perf_counter()
        self.allocated = started.device.pool.live


class Started(NamedTuple):
    """The begin of an event."""

    device: Device
    timer: Timer
    mark: Any
    host: float
    on_host: bool


class Listener(Protocol):
    """An object that takes events."""

    def add(self, event: Event) -> None: ...


listeners: dict[int, Listener] = {}  # by their identity, those of all contexts whose blocks have not ended
_own_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())
_lock = module_lock(globals(), "_lock")
_timers: dict[str, Timer] = {}  # of devices, by their names, while something listens
after_fork(lambda: _timers.clear())


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Give a listener the events inside the ``with`` block.

    They are those of the thread or the task that is in the block, and of the tasks made there, until it ends.
    """
    listeners[id(listener)] = listener
    _own_listeners.set((*_own_listeners.get(), listener))
    try:
        yield
    finally:
        del listeners[id(listener)]
        _own_listeners.set(tuple([other for other in _own_listeners.get() if other is not listener]))


def release_timers() -> None:
    """Let devices have their usual queues again, if nothing listens."""
    with _lock:
        while _timers and not listeners:
            _timers.popitem()[1].close()


def is_listening() -> bool:
    """Return whether any context lists events."""
    return bool(listeners) or (bool(unusual) and config.debug > 1)


def start(device: Device, label: str = "", on_host: bool = False) -> Started | None:
    """Return the begin of an event; None where nothing listens. ``on_host``: the host does the work."""
    if not is_listening():
        return None
    timer, host = HOST_TIMER, time.perf_counter()
    if not on_host and listeners:
        with _lock:
            if device.name not in _timers:
                _timers[device.name] = device.timer()
            timer = _timers[device.name]
    return Started(device, timer, timer.start(label), host, on_host)


def note(event: Event, started: Started | None = None) -> None:
    """Give the listeners of this context an event, which ends now. Compilations are given to those of all contexts,
    because a thread in the background compiles."""
    if started is not None:
        event.stop(started)
    own = tuple(listeners.values()) if event.kind is EventKind.COMPILATION else _own_listeners.get()
    own = tuple([one for one in own if id(one) in listeners])
    if own:
        event.line, event.thread = users_line(), threading.current_thread().name
        for listener in own:
            listener.add(event)
    if config.debug > 1 and event.kind in WORK:
        log(f"{event.device} {event.label}: {event.items} items, {event.bytes} bytes")


class Report:
    """The facts of a launch that is made again and again, each time with `start` and `note`."""

    __slots__ = ("_device", "_items", "_library", "_name", "_traffic")

    def __init__(self, name: str, device: Device, items: int, traffic: tuple[int, int], library: str = ""):
        self._name, self._device, self._items, self._traffic, self._library = name, device, items, traffic, library

    def start(self) -> Started | None:
        """Return the begin of a launch; None where nothing listens."""
        return start(self._device, self._name)

    def note(self, started: Started) -> None:
        """Note the end of a launch."""
        read, written = self._traffic
        note(Event(self._name, self._device.name, self._items, read, written, self._library), started)
