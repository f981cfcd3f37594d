"""`record`: what a program made the devices do, with times, bytes and lines, as tables, as a trace, and as a plot."""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from textwrap import fill
from typing import Any

from .api.core.names import optional
from .backends.events import SETTLED, WORK, Event, EventKind, listening, release_timers
from .slowness import hints_of
from .tables import Table, amount, counted, duration, rate

MICRO = 1e6  # microseconds in a second, which are the unit of traces
SHOWN = 12  # rows of each table of a report
LONGEST_NAME = 8  # operations of a kernel whose name is shown as a whole
WIDTH = 118  # letters of a line of a report
COMPILER = "compiler"  # the row of a trace


class Recording(list[Event]):
    """The launches inside of a ``with`` block of `record`, in order, and the other events.

    As a list it has the launches of kernels, calls of libraries' routines, functions that went through NumPy, and
    copies of blocks of host operands. ``print`` shows where the time went.

    Attributes
    ----------
    events : list of Event
        All events, in the order in which they ended: also copies, reads by the host, and compilations.
    seconds : float
        Seconds from the begin of the block to its end.

    Examples
    --------
    >>> x = xp.arange(1000)
    >>> with xp.record() as made:
    ...     total = int(xp.sum(x * x))
    >>> [event.device for event in made] == [str(x.device)] * len(made)
    True
    >>> len(made.reads)
    1
    """

    def __init__(self) -> None:
        super().__init__()
        self.events: list[Event] = []
        self._settled = 0
        self._began, self._ended = time.perf_counter(), None

    _ended: float | None

    def add(self, event: Event) -> None:
        """Append an event."""
        self.events.append(event)
        if event.kind in WORK:
            self.append(event)
        if len(self.events) - self._settled >= SETTLED:
            self.settle()

    def settle(self) -> None:
        """Read the times of events, for which the devices must have finished."""
        for event in self.events[self._settled :]:
            event.settle()
        self._settled = len(self.events)

    def end(self) -> None:
        """Read all times: the block has ended."""
        self._ended = time.perf_counter()
        self.settle()

    @property
    def seconds(self) -> float:
        """Seconds from the begin of the block to its end."""
        return (self._ended or time.perf_counter()) - self._began

    @property
    def copies(self) -> list[Event]:
        """Copies between the host and devices."""
        return self._of(EventKind.COPY, EventKind.BLOCK)

    @property
    def reads(self) -> list[Event]:
        """Reads by the host, such as ``float(x)``, ``print(x)`` and ``np.asarray(x)``. Their seconds are those in which
        the host waited, for what had to be computed first, too."""
        return self._of(EventKind.READ)

    @property
    def functions(self) -> list[Event]:
        """Functions that NumPy, or another library of the host, computed on copies."""
        return self._of(EventKind.FUNCTION)

    @property
    def compilations(self) -> list[Event]:
        """Compilations of kernels, also those in the background."""
        return self._of(EventKind.COMPILATION)

    def _of(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]

    def by_kernel(self) -> Table:
        """Return a table of the launches of each kernel, routine and function, the longest first.

        Returns
        -------
        Table
            A row for each kernel on each device: kernel, device, launches, seconds, bytes, bytes a second.

        Examples
        --------
        >>> x = xp.arange(1000)
        >>> with xp.record() as made:
        ...     total = int(xp.sum(x * x))
        >>> sum(row.launches for row in made.by_kernel()) == len(made)
        True
        """
        rows = []
        for (kernel, device), events in _grouped(self, lambda event: (event.label, event.device)).items():
            seconds, nbytes = _seconds(events), sum(event.bytes for event in events)
            rows.append((kernel, device, len(events), seconds, nbytes, nbytes / seconds if seconds > 0 else 0.0))
        columns: dict[str, Callable[[Any], str]] = {
            "kernel": _abridged, "device": str, "launches": str, "seconds": duration, "bytes": amount,
            "throughput": rate,
        }  # fmt: skip
        return Table(columns, sorted(rows, key=lambda row: -row[3]))

    def by_line(self) -> Table:
        """Return a table of the events of each line of the program, the longest first.

        Returns
        -------
        Table
            A row for each line: line, launches and their seconds, bytes a second, reads and their seconds, compilations
            and their seconds. The seconds of a read have those of the launches that it waited for.

        Examples
        --------
        >>> x = xp.arange(1000)
        >>> with xp.record() as made:
        ...     total = int(xp.sum(x * x))
        >>> len(made.by_line())
        1
        """
        rows = []
        for line, events in _grouped(self.events, lambda event: event.line).items():
            kinds = WORK, {EventKind.READ}, {EventKind.COMPILATION}
            made, reads, compiled = ([one for one in events if one.kind in own] for own in kinds)
            seconds, nbytes = _seconds(made), sum(event.bytes for event in made)
            bandwidth = nbytes / seconds if seconds > 0 else 0.0
            counts = len(reads), _seconds(reads), len(compiled), _seconds(compiled)
            rows.append((_short(line), len(made), seconds, bandwidth, *counts))
        columns: dict[str, Callable[[Any], str]] = {
            "line": str, "launches": str, "seconds": duration, "throughput": rate, "reads": str, "waited": duration,
            "compilations": str, "compiled": duration,
        }  # fmt: skip
        return Table(columns, sorted(rows, key=lambda row: -max(row[2], row[5], row[7])))

    def memory(self, device: Any = None) -> list[tuple[float, int]]:
        """Return the memory of a device's arrays over time.

        Parameters
        ----------
        device : Device or str, optional
            The device; by default that of the first event.

        Returns
        -------
        list of (float, int)
            Seconds since the begin of the block, and bytes in use then, for each event.

        Examples
        --------
        >>> with xp.record() as made:
        ...     x = xp.asarray(np.ones(1000))
        ...     xp.sync(x + 1)
        >>> max(nbytes for _, nbytes in made.memory()) >= 8000
        True
        """
        name = str(device or (self.events[0].device if self.events else ""))
        return [(one.host[1] - self._began, one.allocated) for one in self.events if one.device == name and one.host[1]]

    def hints(self) -> list[str]:
        """Return what makes the program slow, as far as the events show it, and what to do about it.

        Returns
        -------
        list of str
            A sentence for each cause: reads of the host in a loop, functions through NumPy, many small launches, and
            compilations for many forms of operands.

        Examples
        --------
        >>> x = xp.arange(30)
        >>> with xp.record() as made:
        ...     total = sum(float(x[k]) for k in range(30))
        >>> "30 times" in made.hints()[0]
        True
        """
        return hints_of(self.events)

    def trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events in the trace-event format, which https://ui.perfetto.dev and chrome://tracing show.

        There is a row for each device, for each thread of the program, and for the compiler, and a curve of the memory
        of each device. Nothing is sent anywhere: the page reads the file.

        Parameters
        ----------
        path : str or path-like
            The file, whose name should end with ".json".

        Raises
        ------
        OSError
            The file cannot be written.

        Examples
        --------
        >>> with xp.record() as made:
        ...     xp.sync(xp.arange(1000) + 1)
        >>> made.trace("trace.json")
        """
        text = json.dumps({"traceEvents": [*_trace(self.events, self._began)], "displayTimeUnit": "ms"})
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def plot_memory(self, ax: Any = None) -> Any:
        """Plot the memory of devices' arrays over time.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes into which the plot goes; by default new ones.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, with one curve for each device.

        Raises
        ------
        ImportError
            Matplotlib is not installed.
        """
        if ax is None:
            ax = optional("matplotlib.pyplot", "plot_memory").subplots()[1]
        for device in dict.fromkeys(event.device for event in self.events):
            if points := self.memory(device):
                times, sizes = zip(*points, strict=True)
                ax.step([0.0, *times, self.seconds], [sizes[0], *sizes, sizes[-1]], where="post", label=device)
        ax.set_xlabel("seconds")
        ax.set_ylabel("bytes of arrays")
        ax.set_ylim(bottom=0)
        ax.legend()
        return ax

    def __str__(self) -> str:
        parts = [self._summary()]
        for table in (self.by_kernel(), self.by_line()):
            if table:
                parts.append(table.text(SHOWN))
        if found := self.hints():
            wrapped = [fill(hint, WIDTH, initial_indent="* ", subsequent_indent="  ") for hint in found]
            parts.append("\n".join(wrapped))
        return "\n\n".join(parts)

    def _summary(self) -> str:
        kinds = (self, "launch", "launches"), (self.reads, "read by the host", "reads by the host")
        found = [*kinds, (self.compilations, "compilation", "compilations")]
        said = [f"{counted(len(e), one, many)} took {duration(_seconds(e))}" for e, one, many in found if len(e)]
        copied = sum(event.bytes for event in self.copies)
        said += [f"{amount(copied)} were copied"] if copied else []
        return f"{duration(self.seconds)} in all" + "".join([f"; {one}" for one in said])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        tables = self.by_kernel(), self.by_line(), Table({"hint": str}, [(one,) for one in self.hints()])
        return f"<p>{self._summary()}</p>" + "".join([table.html(SHOWN) for table in tables])


@contextmanager
def record() -> Iterator[Recording]:
    """List the launches inside the ``with`` block, and the other events, with their times.

    They are those of the thread or the task that is in the block, and of the tasks made there, until it ends. Each has
    the line of the program that asked for it. Seconds are those of the device's own events; a launch of the native
    device takes as long as its call. While something is recorded, launches on CUDA are ranges of NVTX. The end of the
    block waits for the devices.

    Yields
    ------
    Recording
        A list of the launches.

    Examples
    --------
    >>> x = xp.asarray(np.ones(1000, dtype=np.float32))
    >>> with xp.record() as made:
    ...     xp.sync(xp.sqrt(x) + x)
    >>> made[0].written, made[0].seconds > 0
    (4000, True)
    """
    made = Recording()
    try:
        with listening(made):
            try:
                yield made
            finally:
                made.end()
    finally:
        release_timers()


def _grouped(events: Iterable[Event], key: Callable[[Event], Any]) -> dict[Any, list[Event]]:
    groups: dict[Any, list[Event]] = defaultdict(list)
    for event in events:
        groups[key(event)].append(event)
    return groups


def _seconds(events: Iterable[Event]) -> float:
    return sum([event.seconds for event in events])


def _abridged(kernel: str) -> str:
    """Return the name of a kernel, without most of its operations if there are many."""
    operations = kernel.split("+")
    if len(operations) <= LONGEST_NAME:
        return kernel
    return f"{'+'.join(operations[: LONGEST_NAME // 2])}+... ({len(operations)} operations)"


def _short(line: str) -> str:
    """A line with the name of its file alone."""
    return os.path.basename(line)


def _trace(events: list[Event], began: float) -> Iterator[dict[str, Any]]:
    """The events of a trace: names of the rows, then slices and counters in the order of time."""
    rows: dict[str, int] = {}

    def row(name: str) -> int:
        return rows.setdefault(name, len(rows) + 1)

    def slice_of(event: Event, name: str, begin: float, seconds: float) -> dict[str, Any]:
        times = {"ts": (begin - began) * MICRO, "dur": max(0.0, seconds) * MICRO if seconds == seconds else 0.0}
        facts = {"line": event.line, "read": event.read, "written": event.written, "items": event.items}
        if event.throughput:
            facts["throughput"] = rate(event.throughput)
        return {"name": event.label, "cat": event.kind, "ph": "X", "pid": 1, "tid": row(name), **times, "args": facts}

    slices = []
    for event in events:
        host, called = f"host, {event.thread}", (event.host[0], event.host[1] - event.host[0])
        if event.kind == EventKind.COMPILATION:
            slices.append(slice_of(event, COMPILER, *event.settle()))
        elif event.on_host:
            slices.append(slice_of(event, host, *event.settle()))
        else:
            slices.append(slice_of(event, event.device, *event.settle()))
            if event.host[1]:
                slices.append(slice_of(event, host, *called))
    for event in events:
        if event.host[1]:
            at = {"ts": (event.host[1] - began) * MICRO, "args": {"bytes": event.allocated}}
            slices.append({"name": f"memory of {event.device}", "ph": "C", "pid": 1, **at})
    yield {"name": "process_name", "ph": "M", "pid": 1, "args": {"name": "arrayapi_gpu"}}
    for name, number in rows.items():
        yield {"name": "thread_name", "ph": "M", "pid": 1, "tid": number, "args": {"name": name}}
    yield from sorted(slices, key=lambda one: one["ts"])
