"""The choice of the kernels of an expression that are compiled, and of the time: a generic kernel spares waiting.

An expression meets operands of many layouts: ranks, strides, widths of indices, alignment. A kernel made for one layout
is faster than one for all of them, but its compilation takes as long as many launches. So ``config.specialise`` at
"by use" means:

* The first layout of an expression gets its own kernel at once, because the program has to wait anyway.
* The second layout makes the program wait once more, for the generic kernel, which takes any strides and from then on
  serves all layouts. Only a launch so large that its own kernel pays at once gets that kernel instead.
* The elements and launches of a layout that another kernel serves are counted. When the count reaches ``OFTEN``, a
  thread in the background compiles its own kernel, which is used from then on.

All kernels compute the same bits. (An expression that has no kernel at all need not wait either:
`lazy.run.meanwhile`.)

"always" compiles for every layout at once, "never" generic kernels only.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue

from ...backends.base import Device, DeviceError
from ...backends.kernel_reports import asked_by, users_line
from ...backends.state import after_fork
from ...config import config, log
from . import tuning

# The niceness of the thread, on Linux, where each thread has its own. A program may have to wait for a lock of the
# compiler, so the thread must proceed while other processes are busy, too.
NICE = 5


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


class Job:
    """Something to do in the background. ``failed``: it ended with an error, which was logged."""

    def __init__(self, function: Callable[[], object]):
        self.failed = False
        self._function = function
        self._begun = threading.Lock()  # taken by the thread that does the job
        self._done = threading.Event()

    @property
    def done(self) -> bool:
        """Whether the job has ended."""
        return self._done.is_set()

    def do(self) -> None:
        """Do the job, unless a thread has begun it; DeviceError and MemoryError cost only the speed that it would have
        brought."""
        if not self._begun.acquire(blocking=False):
            return
        try:
            self._function()
        except (DeviceError, MemoryError) as error:
            self.failed = True
            if config.debug:
                log(f"in the background: {error}")
        finally:
            self._done.set()
            del self._function  # it may keep memory

    def take_back(self) -> None:
        """Return when nobody does the job: it is done, or will not begin."""
        if self._begun.acquire(blocking=False):
            self._done.set()
        else:
            self._done.wait()


class Worker:
    """A thread that works through jobs in the background, one after the other, at a low priority.

    It starts with the first job, also in the child of a fork. The interpreter does not end during a job, because
    compilers do not survive that; jobs that have not begun are dropped.
    """

    def __init__(self) -> None:
        self.renew()
        atexit.register(self._end)

    def renew(self) -> None:
        """Forget all jobs and the thread, which a child of a fork does not have."""
        self._jobs: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._ending = False

    def submit(self, function: Callable[[], object]) -> Job | None:
        """Do a job later with the configuration of this context; return it, or None where too many wait already."""
        if self._jobs.qsize() >= tuning.JOBS:
            return None
        job = Job(function)
        context = config.alone()
        context.run(asked_by.set, users_line())
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="arrayapi_gpu compiler", daemon=True)
                self._thread.start()
        self._jobs.put(partial(context.run, job.do))
        return job

    def _work(self) -> None:
        jobs = self._jobs
        with suppress(AttributeError, OSError):  # of the system, or where it has no priorities of threads
            own = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, own, max(NICE, os.getpriority(os.PRIO_PROCESS, own)))
        while (do := jobs.get()) is not None:
            if not self._ending:
                do()
            del do  # it keeps the configuration of its submitter

    def _end(self) -> None:
        self._ending = True
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()


background = Worker()
after_fork(background.renew)
