"""How long a graph of equal chunks takes on so many workers of Dask, simulated from measured parts.

The scheduler is one process that does one thing at a time: it takes in the graph, then it gives tasks to workers and
hears of those that are done. A worker has a task for each of its threads, and one more to begin with next, as Dask has
it. Its device computes one chunk after the other, and a task ends with its chunk, so with two threads a device need not
wait for the scheduler. Then partial results are summed in a tree, each level a message and a task later.
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
    worker: float  # of a worker, a task, beside what the task computes
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


def seconds(parts: Parts, workers: int, each: int, chunk: float, nbytes: int = 0, threads: int = 2) -> float:
    """The time of a graph with ``each`` chunks a worker, of ``chunk`` seconds on a device each.

    ``nbytes``: of a partial result. ``threads``: of a worker.
    """
    chunks = workers * each
    begin = parts.latency + parts.intake * tasks_of(chunks)
    free = begin  # when the scheduler has time
    idle = [[begin] * threads for _ in range(workers)]  # when each worker's threads have time, heaps
    device = [begin] * workers  # when each worker's device has time
    left = chunks
    events: list[tuple[float, int]] = []  # when the scheduler hears that a worker has done a task

    def give(worker: int) -> None:
        nonlocal free, left
        left -= 1
        free += parts.task / 2
        launched = max(free, idle[worker][0]) + parts.worker
        device[worker] = max(device[worker], launched) + chunk
        heapq.heapreplace(idle[worker], device[worker])
        heapq.heappush(events, (device[worker], worker))

    for worker in itertools.islice(itertools.cycle(range(workers)), min(chunks, (threads + AHEAD) * workers)):
        give(worker)
    while events:
        heard, worker = heapq.heappop(events)
        free = max(free, heard) + parts.task / 2
        if left:
            give(worker)
    tree = levels(chunks)
    free += parts.task * sum(tree) / max(len(tree), 1)  # most of the tree is summed while chunks are computed
    hops = len(tree) * (parts.worker + parts.task + nbytes / parts.link)
    return max(free, *device) + hops


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
    tasks = tasks_of(workers * each)
    return {
        "devices": each * chunk,
        "intake": parts.intake * tasks,
        "scheduler": parts.task * tasks,
        "link": len(levels(workers * each)) * nbytes / parts.link,
        "workers": parts.worker * each,
    }


def powers(up_to: int) -> Iterable[int]:
    """1, 2, 4 and so on."""
    return (1 << k for k in range(up_to.bit_length()))
