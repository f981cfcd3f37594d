"""Time several ways of doing the same work side by side, in one run."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import NamedTuple

Run = Callable[[], object]


class Timing(NamedTuple):
    """Seconds one call took."""

    median: float
    best: float


def once(run: Run) -> tuple[float, object]:
    """Return the seconds of a single call, and its result."""
    start = perf_counter()
    result = run()
    return perf_counter() - start, result


def interleaved(runs: Mapping[str, Run], repeats: int = 7, least: float = 0.03) -> dict[str, Timing]:
    """Time every run `repeats` times, taking turns, so that a slow moment of the machine hits all.

    A run is called twice beforehand (compilers, caches), and then as often within one sample as
    makes the sample `least` seconds long: a moment of another program shall not decide it.
    """
    calls = {}
    for name, run in runs.items():
        run()
        seconds = max(once(run)[0], 1e-7)
        calls[name] = max(1, round(least / seconds))
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            samples[name].append(_sample(run, calls[name]))
    return {name: Timing(statistics.median(s), min(s)) for name, s in samples.items()}


def _sample(run: Run, calls: int) -> float:
    """Return the mean seconds of a call over `calls` of them."""
    start = perf_counter()
    for _ in range(calls):
        run()
    return (perf_counter() - start) / calls
