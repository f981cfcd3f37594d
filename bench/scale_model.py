"""How long a graph of equal chunks takes on so many workers of Dask, simulated from measured parts.

The scheduler is one process that does one thing at a time: it takes in the graph, then it gives tasks to workers and
hears of those that are done. A worker has a task for each of its threads, and one more to begin with next, as Dask has
it. Its device computes one task after the other, and a task ends when the device has done it, so with two threads a
device need not wait for the scheduler. Partial results are summed in a tree: a sum is a task of the worker that had the
last of its parts, begins before chunks that wait there, and takes the place of one.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

AHEAD = 1  # tasks that a worker has beside those of its threads (distributed.scheduler.worker-saturation of 1.1)
SPLIT = 4  # partial results that one task of the tree sums


@dataclass(frozen=True)
class Parts:
    """Measured seconds, and bytes a second."""

    intake: float  # of the scheduler and the client, a task of the graph, before the first one starts
    task: float  # of the scheduler, to give a task to a worker and to hear that it is done
    worker: float  # of a worker's thread, from the end of a task to the beginning of one that waits there
    message: float  # from a worker to the scheduler, or back
    latency: float  # from the client's call to the result, of a graph with one task
    link: float  # bytes a second from worker to worker

    def of(self, facts: Mapping[str, float]) -> Parts:
        """These parts, some of them changed."""
        return Parts(**{**asdict(self), **facts})


def tasks_of(chunks: int) -> int:
    """The tasks of a graph of so many chunks with the tree that sums them."""
    return chunks + sum(levels(chunks))


def levels(chunks: int) -> list[int]:
    """The tasks of each level of the tree."""
    found = []
    while chunks > 1:
        chunks = math.ceil(chunks / SPLIT)
        found.append(chunks)
    return found


class _Tree:
    """Chunks 0, 1 ... and the sums after them, level by level."""

    def __init__(self, chunks: int):
        self.chunks = chunks
        self.sum_of: list[int] = []  # the task that sums the result of each task; the last one's is none
        self.missing = [0] * tasks_of(chunks)  # the parts that a sum waits for
        begin, extent = 0, chunks
        for following in levels(chunks):
            for k in range(extent):
                self.sum_of.append(begin + extent + k // SPLIT)
                self.missing[self.sum_of[-1]] += 1
            begin, extent = begin + extent, following

    def ready_after(self, task: int) -> int | None:
        """The sum that can begin when this task is done, as the last of its parts."""
        if task >= len(self.sum_of):
            return None
        following = self.sum_of[task]
        self.missing[following] -= 1
        return None if self.missing[following] else following


def seconds(parts: Parts, workers: int, each: int, chunk: float, nbytes: int = 0, threads: int = 2) -> float:
    """The time of a graph with ``each`` chunks a worker, of ``chunk`` seconds on a device each.

    ``nbytes``: of a partial result. ``threads``: of a worker. A sum takes a device no time, and its parts come from
    other workers.
    """
    tree = _Tree(workers * each)
    begin = parts.latency + parts.intake * len(tree.missing)
    free = begin  # when the scheduler has time
    device = [begin] * workers  # when each worker's device has time
    idle = [threads] * workers
    waiting: list[list[tuple[bool, int]]] = [[] for _ in range(workers)]  # tasks there, sums first
    given = [0] * workers  # tasks that a worker has, as the scheduler knows
    left = iter(range(tree.chunks))
    # What happens and when: a task arrives at a worker, its thread is done, the scheduler hears of it. The number in
    # the middle keeps the order of what happens at one time.
    events: list[tuple[float, int, str, int, int]] = []
    numbers = itertools.count()

    def later(time: float, what: str, worker: int, task: int) -> None:
        heapq.heappush(events, (time, next(numbers), what, worker, task))

    def give(worker: int, task: int) -> None:
        nonlocal free
        free += parts.task / 2
        given[worker] += 1
        fetched = 0.0 if task < tree.chunks or workers == 1 else 2 * parts.message + (SPLIT - 1) * nbytes / parts.link
        later(free + parts.message + fetched, "arrives", worker, task)

    def fill(worker: int) -> None:
        if given[worker] < threads + AHEAD and (task := next(left, None)) is not None:
            give(worker, task)

    for worker in itertools.islice(itertools.cycle(range(workers)), (threads + AHEAD) * workers):
        fill(worker)
    while events:
        now, _, what, worker, task = heapq.heappop(events)
        if what == "heard":
            free = max(free, now) + parts.task / 2
            given[worker] -= 1
            if (following := tree.ready_after(task)) is not None:
                give(worker, following)
            fill(worker)
            continue
        if what == "arrives":
            heapq.heappush(waiting[worker], (task < tree.chunks, task))
        else:
            idle[worker] += 1
            later(now + parts.message, "heard", worker, task)
        if idle[worker] and waiting[worker]:
            idle[worker] -= 1
            is_chunk, task = heapq.heappop(waiting[worker])
            device[worker] = max(device[worker], now + parts.worker) + (chunk if is_chunk else 0.0)
            later(device[worker], "ends", worker, task)
    return free


def efficiency(parts: Parts, workers: int, each: int, chunk: float, nbytes: int = 0) -> float:
    """The share of linear speed at so many workers: what the devices compute, beside the whole time."""
    return each * chunk / seconds(parts, workers, each, chunk, nbytes)


def most_workers(parts: Parts, each: int, chunk: float, nbytes: int = 0, least: float = 0.9, up_to: int = 1024) -> int:
    """The most workers, a power of two, that have at least this share of linear speed; 0 if one has less."""
    found = 0
    for workers in powers(up_to):
        if efficiency(parts, workers, each, chunk, nbytes) < least:
            break
        found = workers
    return found


def limits(parts: Parts, workers: int, each: int, chunk: float, nbytes: int = 0) -> dict[str, float]:
    """What each part alone would take: devices, the intake of the graph, the scheduler's tasks, the link, workers."""
    tasks, hops = tasks_of(workers * each), len(levels(workers * each))
    return {
        "devices": each * chunk,
        "intake": parts.intake * tasks,
        "scheduler": parts.task * tasks,
        "link": hops * (SPLIT - 1) * nbytes / parts.link,
        "messages": hops * 4 * parts.message,
        "workers": parts.worker * tasks / workers,
    }


def powers(up_to: int) -> Iterable[int]:
    """1, 2, 4 and so on."""
    return (1 << k for k in range(up_to.bit_length()))
