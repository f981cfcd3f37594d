"""Hints: each cause of slowness is found by its events, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arrayapi_gpu.backends.events import Event, EventKind
from arrayapi_gpu.slowness import hints_of


def events(count: int, make: Callable[[int], Event]) -> list[Event]:
    found = [make(number) for number in range(count)]
    for event in found:
        event.line = "/home/a/program.py:7"
    return found


def kernel(_: int) -> Event:
    return Event("add", "d", 100, 400, 400)


CAUSES: dict[str, tuple[list[Event], str]] = {
    "reads in a loop": (
        events(40, lambda _: Event("float", "d", 1, 8, kind=EventKind.READ)),
        "reads values 40 times (float)",
    ),
    "a function through NumPy": (
        events(2, lambda _: Event("numpy.ldexp", "d", 1, 8, 8, "NumPy", True, EventKind.FUNCTION)),
        "calls numpy.ldexp by NumPy, on host copies, 2 times, 32 B",
    ),
    "small launches": (events(200, kernel), "makes 200 small launches, of 800 B on average"),
    "compilations": (
        events(5, lambda number: Event(f"k{number}", "d", 0, kind=EventKind.COMPILATION)),
        "needs 5 kernels",
    ),
    "shapes": (
        events(40, lambda number: Event("add", "d", 1, 10**6 + number, 10**6)),
        "computes add for 40 shapes in 40 launches",
    ),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_is_found(cause: str) -> None:
    found, text = CAUSES[cause]
    (hint,) = hints_of(found)
    assert hint.startswith(f"program.py:7 {text}")


@pytest.mark.parametrize("cause", CAUSES)
def test_a_few_events_are_no_cause(cause: str) -> None:
    assert hints_of(CAUSES[cause][0][:3]) == [] or "function" in cause


def test_large_launches_are_no_cause() -> None:
    assert hints_of(events(200, lambda _: Event("add", "d", 1, 10**6, 10**6))) == []
