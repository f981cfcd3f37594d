"""What all rows of the campaign have in common: how long a row runs, what it found, and how values are compared."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from arrayapi_gpu.backends.base import Device

HostArray = np.ndarray[Any, Any]

SHOWN = 3  # faults of a row that are printed in full


class Fault(Exception):
    """Something happened that must never happen. The message is the reproducer."""


@dataclass(frozen=True)
class Budget:
    """How long a row runs: the cases ``first``, ``first + 1``, ..., at most ``count`` of them, for about ``seconds``.

    Iterating gives the numbers of the cases.
    """

    count: int
    seconds: float
    first: int = 0

    def __iter__(self) -> Iterator[int]:
        end = time.monotonic() + self.seconds
        for number in range(self.first, self.first + self.count):
            yield number
            if time.monotonic() > end:
                return


@dataclass
class Outcome:
    """What a row found: how many cases it tried, the faults with their reproducers, and other figures."""

    done: int = 0
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fault(self, text: object) -> None:
        """Count a fault."""
        self.faults.append(str(text))


class Row(NamedTuple):
    """A row of the campaign. ``run(device, budget, seed)`` tries the cases."""

    name: str
    what: str  # is done
    unit: str  # of the figure
    figure: int  # cases to try without a fault
    short: Budget  # what is run without --full
    full: Budget
    run: Callable[[Device, Budget, int], Outcome]


def in_context(function: Callable[..., object], *args: Any) -> threading.Thread:
    """A thread, not started yet, that calls a function inside of the configuration blocks around this call."""
    return threading.Thread(target=copy_context().run, args=(function, *args), daemon=True)


def same(got: Any, expected: Any) -> bool:
    """Whether two host arrays have equal shapes, dtypes and values. A NaN equals a NaN."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return False
    return bool(np.array_equal(got, expected, equal_nan=expected.dtype.kind in "fc"))


def difference(name: str, got: Any, expected: Any) -> str:
    """What is said of two host arrays that differ."""
    got, expected = np.asarray(got), np.asarray(expected)
    if got.shape != expected.shape or got.dtype != expected.dtype:
        return f"{name} is {got.dtype} {got.shape}; right is {expected.dtype} {expected.shape}"
    places = np.argwhere(~((got == expected) | ((got != got) & (expected != expected))))
    if not len(places):
        return f"{name} differs in its bits alone: those of zeros, or of NaNs"
    place = tuple(int(i) for i in places[0])
    return f"{name}{list(place)} is {got[place]!r}; right is {expected[place]!r}; {len(places)} elements differ"
