"""`benchmark`: the seconds of a function on the host and on the device."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .api.core.array_object import Array
from .api.exchange.devices import compute, sync
from .config import config
from .recordings import record
from .tables import Table, amount, counted, duration, rate

WARM = 2  # calls before the first that counts; launches are kept from the second call on
FEWEST_CALLS, MOST_CALLS = 5, 1000  # calls that count
ENOUGH = 0.5  # seconds after which no further call begins
TIMED = 5  # further calls, in which the device notes times


class Benchmark:
    """The seconds of some calls of a function, as arrays with one number for each call.

    Attributes
    ----------
    name : str
        The name of the function.
    seconds : numpy.ndarray
        Seconds until the device had finished.
    host : numpy.ndarray
        Those until the host was free again: the call had returned, and all its launches were queued.
    device : numpy.ndarray
        Seconds of the launches by the device's own events, in further calls.
    launches : int
        Launches of one call.
    bytes : int
        Bytes that the launches of one call read and write.
    """

    def __init__(self, name: str, seconds: Any, host: Any, device: Any, launches: int, nbytes: int):
        self.name, self.launches, self.bytes = name, launches, nbytes
        self.seconds, self.host, self.device = (np.asarray(one, np.float64) for one in (seconds, host, device))

    @property
    def throughput(self) -> float:
        """Bytes a second of the median call; 0 where no bytes are known."""
        return self.bytes / float(np.median(self.seconds)) if self.bytes else 0.0

    def table(self) -> Table:
        """Return the median, the least and the greatest of the seconds, of the host and of the device."""
        rows = [
            (name, float(np.median(one)), float(one.min()), float(one.max()), len(one))
            for name, one in (("whole", self.seconds), ("host", self.host), ("device", self.device))
        ]
        return Table({"time": str, "median": duration, "least": duration, "most": duration, "calls": str}, rows)

    def __str__(self) -> str:
        return f"{self._summary()}\n{self.table()}"

    __repr__ = __str__

    def _summary(self) -> str:
        launches = counted(self.launches, "launch", "launches")
        found = f"{self.name}: {duration(float(np.median(self.seconds)))}, {launches}"
        return f"{found}, {amount(self.bytes)}, {rate(self.throughput)}" if self.bytes else found

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return f"<p>{self._summary()}</p>{self.table().html()}"


def benchmark(function: Callable[..., Any], /, *args: Any, repeats: int | None = None) -> Benchmark:
    """Measure the seconds of a function, on the host and on the device separately.

    The function is called some times before, until all its kernels are compiled. Arrays in its result are computed:
    directly, or in lists, tuples and dicts. Source: this library.

    Parameters
    ----------
    function : callable
        The function.
    *args : object
        Its arguments.
    repeats : int, optional
        The number of calls that count; by default as many as take half a second, at least 5 and at most 1,000.

    Returns
    -------
    Benchmark
        Arrays of seconds, which print as a table.

    Raises
    ------
    ValueError
        ``repeats`` is less than 1.

    Examples
    --------
    >>> x = xp.arange(10000)
    >>> measured = xp.benchmark(lambda: xp.sum(x * x), repeats=3)
    >>> len(measured.seconds), measured.launches
    (3, 1)
    """
    if repeats is not None and repeats < 1:
        raise ValueError(f"benchmark: got repeats={repeats}; allowed: integers >= 1")
    with config.set(wait_for_compiler=True):
        for _ in range(WARM):
            sync(*_arrays(function(*args)))
        seconds: list[float] = []
        host: list[float] = []
        while len(seconds) < (repeats or MOST_CALLS):
            sync()
            began = time.perf_counter()
            result = function(*args)
            compute(*_arrays(result))
            queued = time.perf_counter()
            sync(*_arrays(result))
            ended = time.perf_counter()
            seconds.append(ended - began)
            host.append(queued - began)
            if repeats is None and len(seconds) >= FEWEST_CALLS and sum(seconds) > ENOUGH:
                break
        device = []
        for _ in range(min(repeats or TIMED, TIMED)):
            with record() as made:
                sync(*_arrays(function(*args)))
            device.append(sum([event.seconds for event in made]))
    name = getattr(function, "__qualname__", None) or repr(function)
    return Benchmark(name, seconds, host, device, len(made), sum([event.bytes for event in made]))


def _arrays(value: Any) -> Iterator[Array]:
    """Each array in a result."""
    if isinstance(value, Array):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, dict):
        yield from _arrays([*value.values()])
