"""The choice of the kernels of an expression that are compiled, and of the time: a generic kernel spares waiting.

An expression meets operands of many layouts: ranks, strides, widths of indices, alignment. A kernel made for one layout
is faster than one for all of them, but its compilation takes as long as many launches. So ``config.specialise`` at
"by use" means:

* The first layout of an expression gets its own kernel at once, because the program has to wait anyway.
* The second layout makes the program wait once more, for the generic kernel, which takes any strides and from then on
  serves all layouts. Only a launch so large that its own kernel pays at once gets that kernel instead.
* The elements and launches of a layout that another kernel serves are counted. When the count reaches ``OFTEN``, a
  thread in the background compiles its own kernel, which is used from then on.

All kernels compute the same bits.

"always" compiles for every layout at once, "never" generic kernels only.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue

from ...backends.base import Device, DeviceError
from ...config import config, log
from . import tuning


class Uses:
    """The elements and launches of a layout while other kernels served it."""

    __slots__ = ("_elements", "_often")

    def __init__(self, often: int) -> None:
        self._elements = 0
        self._often = often

    def reach(self, elements: int) -> bool:
        """Return whether a launch, which is counted, makes the layout a frequent one: true once for a layout."""
        before = self._elements
        self._elements += elements + self._often // tuning.LAUNCHES
        return before < self._often <= self._elements


def uses_before(device: Device) -> int:
    """Return the number of elements after which a layout gets its own kernel."""
    return tuning.OFTEN[device.is_gpu]


class Worker:
    """A thread that works through jobs in the background, one after the other.

    It starts with the first job. The interpreter does not end during a job, because compilers do not survive that; jobs
    that have not begun are dropped.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._ending = False

    def submit(self, job: Callable[[], object]) -> None:
        """Run a job later with the configuration of this context; DeviceError and MemoryError cost only the speed that
        it would have brought."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="arrayapi_gpu compiler", daemon=True)
                self._thread.start()
                atexit.register(self._end)
        self._jobs.put(partial(config.alone().run, self._do, job))

    def _do(self, job: Callable[[], object]) -> None:
        try:
            job()
        except (DeviceError, MemoryError) as error:
            if config.debug:
                log(f"in the background: {error}")

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if self._ending:
                continue
            job()
            del job  # it keeps the configuration of its submitter

    def _end(self) -> None:
        self._ending = True
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()


background = Worker()
