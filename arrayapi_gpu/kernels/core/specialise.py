"""Which kernels of an expression are compiled, and when: nobody waits for a compiler that a generic kernel can spare.

An expression meets operands of many layouts: ranks, strides, widths of indices, alignment. A kernel made for one is
faster than one for all of them, but takes a compiler as long as many launches take. So, with ``config.specialise`` at
"by use":

* The first layout of an expression gets a kernel of its own at once: somebody has to wait, and this is what they use.
* At the second layout somebody has to wait once more: for the generic kernel, which takes any strides, and from then on
  serves whatever comes without waiting. Only so large a work that its own kernel pays at once gets that instead.
* A layout that is served by another's kernel is counted, by elements and launches. When it comes to ``OFTEN``, a thread
  in the background compiles its own, which takes over when it is there.

Results are the same bits, whichever kernel computes them.

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
    """How much a layout was used while other kernels served it."""

    __slots__ = ("_elements", "_often")

    def __init__(self, often: int) -> None:
        self._elements = 0
        self._often = often

    def reach(self, elements: int) -> bool:
        """Count a launch, and return whether it makes the layout a frequent one, which is true once for a layout."""
        before = self._elements
        self._elements += elements + self._often // tuning.LAUNCHES
        return before < self._often <= self._elements


def often(device: Device) -> int:
    """The elements after which a layout gets a kernel of its own."""
    return tuning.OFTEN[device.is_gpu]


class Worker:
    """A thread that works through jobs in the background, one after the other.

    It starts with the first job. The interpreter does not end in the midst of a job, because compilers do not survive
    that; jobs that have not begun are dropped.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._ending = False

    def submit(self, job: Callable[[], object]) -> None:
        """Have a job done with the configuration of this context; DeviceError and MemoryError only cost the speed that
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
            del job  # it keeps the configuration of who wanted it

    def _end(self) -> None:
        self._ending = True
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()


worker = Worker()
