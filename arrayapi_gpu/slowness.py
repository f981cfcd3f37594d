"""Causes of slowness that the events of a recording show, each as a sentence that says what to do."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator

from .backends.events import Event, EventKind
from .tables import amount, duration

IN_A_LOOP = 8  # reads by one line
MANY_LAUNCHES = 100  # launches by one line that are few work each
SMALL_BYTES = 1 << 16  # bytes of a small launch
FORMS = 4  # kernels that are compiled for one line
SHAPES = 16  # numbers of work-items with which one line launches one kernel


def hints_of(events: Iterable[Event]) -> list[str]:
    """Return a sentence for each cause, for lines with the most seconds first."""
    lines: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        lines[event.line].append(event)
    found: list[tuple[float, str]] = []
    for line, own in lines.items():
        for cause in (_reads, _functions, _small, _compilations, _shapes):
            for seconds, text in cause(own):
                found.append((seconds, f"{os.path.basename(line)} {text}"))
    return [text for _, text in sorted(found, key=lambda one: -one[0])]


def _of(events: Iterable[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def _seconds(events: Iterable[Event]) -> float:
    return sum([event.seconds for event in events])


def _reads(events: list[Event]) -> Iterator[tuple[float, str]]:
    reads = _of(events, EventKind.READ)
    if len(reads) >= IN_A_LOOP:
        seconds, names = _seconds(reads), ", ".join(dict.fromkeys(event.kernel for event in reads))
        yield (
            seconds,
            f"reads values {len(reads)} times ({names}), for which the host waits {duration(seconds)}: keep them in an "
            "array (xp.where instead of if, xp.stack of results), and read it once behind the loop",
        )


def _functions(events: list[Event]) -> Iterator[tuple[float, str]]:
    by_name: dict[str, list[Event]] = defaultdict(list)
    for event in _of(events, EventKind.FUNCTION):
        by_name[event.label].append(event)
    for name, calls in by_name.items():
        seconds, nbytes = _seconds(calls), amount(sum(event.bytes for event in calls))
        times = "once" if len(calls) == 1 else f"{len(calls)} times"
        yield (
            seconds,
            f"calls {name}, {times}, {nbytes} in {duration(seconds)}: write it with functions of arrayapi_gpu, which "
            'run on the device; config.host_transfers = "error" finds all such calls',
        )


def _small(events: list[Event]) -> Iterator[tuple[float, str]]:
    small = [event for event in _of(events, EventKind.KERNEL) if event.bytes < SMALL_BYTES]
    if len(small) >= MANY_LAUNCHES:
        mean = amount(sum(event.bytes for event in small) / len(small))
        yield (
            _seconds(small),
            f"makes {len(small)} small launches, of {mean} on average: a launch costs the same for much larger arrays, "
            "so compute many elements at once (another axis instead of a loop)",
        )


def _compilations(events: list[Event]) -> Iterator[tuple[float, str]]:
    compiled = _of(events, EventKind.COMPILATION)
    if len(compiled) >= FORMS:
        seconds = _seconds(compiled)
        yield (
            seconds,
            f"needs {len(compiled)} kernels, compiled in {duration(seconds)}: operands of few dtypes and ranks need "
            "fewer; they are kept on disk for the next run (config.cache)",
        )


def _shapes(events: list[Event]) -> Iterator[tuple[float, str]]:
    by_name: dict[str, list[Event]] = defaultdict(list)
    for event in _of(events, EventKind.KERNEL):
        by_name[event.label].append(event)
    for name, launches in by_name.items():
        sizes = {(event.read, event.written) for event in launches}
        if len(sizes) >= SHAPES and 3 * len(sizes) > len(launches):
            yield (
                sum([event.host[1] - event.host[0] for event in launches]),
                f"computes {name} for {len(sizes)} shapes in {len(launches)} launches: each new shape is planned, and "
                "perhaps compiled, anew; pad arrays to a few shapes",
            )
