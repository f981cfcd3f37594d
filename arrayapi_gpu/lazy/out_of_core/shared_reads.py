"""The loop that runs jobs, and which jobs are run together because they read the same host operand.

A mean and a standard deviation of columns are two such values, which the scores of these columns need first. In each
step the job whose units are largest takes a block of them. The others take the units that lie before the same place of
the operand. A unit that is cut by that place waits for the next step, and its first part is read once more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .blocks import Parts, ahead
from .jobs import Job
from .progress import progress

Step = list[tuple[Job, int, int, int]]  # jobs, each with the number of the pass, and units from one to another


def run(jobs: Sequence[Job], entire: bool = False, name: str = "") -> Iterator[Step]:
    """Run the jobs of one value one after the other, or one job of each of several values together. Yield what has been
    done, step by step. ``entire``: see `Parts`. ``name``: the name on the line of progress, if not the operations'."""
    tops = list(dict.fromkeys([job.node for job in jobs]))
    together = len(tops) > 1
    groups = [(_slowest(jobs), jobs)] if together else [(job, [job]) for job in jobs]
    steps = (step for lead, group in groups for step in _steps(lead, group))
    # The units of a step are found while the step before it is read.
    items = ((step, [one for job, *units in step for one in job.reads(*units)]) for step in steps)
    parts = ahead(Parts(*tops, entire=entire, flat=together), items)
    count = sum([lead.passes * lead.blocks for lead, _ in groups])
    for step, found in progress(parts, count, name or " and ".join(dict.fromkeys([top.op.name for top in tops]))):
        for job, *units in step:
            job.take(*units, [found.pop(0) for _ in job.reads(*units)])
        yield step


def _slowest(jobs: Sequence[Job]) -> Job:
    """The job with the largest units."""
    return max(jobs, key=lambda job: _reach(job, 0).length)


def _steps(lead: Job, jobs: Sequence[Job]) -> Iterator[Step]:
    """The steps in which jobs are run together: ``lead`` takes its blocks."""
    done = dict.fromkeys(jobs, 0)
    for number in range(lead.passes):
        for first in range(0, lead.units, lead.step):
            last, step = min(first + lead.step, lead.units), Step()
            for job, start in done.items():
                stop = job.units if last == lead.units else last if job is lead else _before(job, start, lead, last)
                if start < stop:
                    step.append((job, number, start, stop))
                done[job] = stop
            yield step
        done[lead] = 0


class Reach(NamedTuple):
    """The elements of a host operand that a unit reads: the identity of its memory, and their ends there. It is empty
    where a unit does not read one piece of one operand."""

    memory: int = 0
    begin: int = 0
    end: int = 0

    @property
    def length(self) -> int:
        """The number of elements."""
        return self.end - self.begin


def _reach(job: Job, unit: int) -> Reach:
    """The elements that a unit reads."""
    found = Parts(job.node, flat=True).read(job.reads(0, unit, unit + 1))
    for memory, boxes in found.items():
        if len(found) == len(boxes) == len(boxes[0]) == 1:
            return Reach(memory, *boxes[0][0])
    return Reach()


def _before(job: Job, first: int, lead: Job, last: int) -> int:
    """The number of a job's units that read nothing behind the units of another one; the ``first`` ones do not."""
    end = _reach(lead, last - 1).end
    return bisect_right(range(job.units), end, first, key=lambda unit: _reach(job, unit).end or end + 1)


def together(jobs: Iterable[Job]) -> list[list[Job]]:
    """The jobs that are worth to be run together: they go along the same memory, from the same begin to the same end
    except for a unit."""
    groups: list[tuple[Reach, Reach, list[Job]]] = []
    for job in jobs:
        first, last = _reach(job, 0), _reach(job, job.units - 1)
        for begin, end, others in groups:
            unit = max(first.length, begin.length)
            near = abs(first.begin - begin.begin) < unit and abs(last.end - end.end) < unit
            if near and first.memory == begin.memory and begin.begin < end.begin and first.begin < last.begin:
                others.append(job)
                break
        else:
            groups.append((first, last, [job]))
    return [others for _, _, others in groups]
