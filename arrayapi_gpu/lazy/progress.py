"""A line of progress on standard error, where ``config.progress`` asks for one."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, TypeVar

from ..config import config

T = TypeVar("T")

AFTER, EVERY = 1.0, 0.25  # seconds before the first line, and between two


def progress(items: Iterable[T], count: int, what: str) -> Iterable[T]:
    """The items, with a line that says how many of ``count`` are done. It is tqdm's where that is installed."""
    if not config.progress or count < 2:
        return items
    if importlib.util.find_spec("tqdm") is not None:
        bar: Any = importlib.import_module("tqdm").tqdm
        shown: Iterable[T] = bar(items, total=count, desc=what, unit="block", delay=AFTER, leave=False)
        return shown
    return _lines(items, count, what)


def _lines(items: Iterable[T], count: int, what: str) -> Iterator[T]:
    due, width = monotonic() + AFTER, 0
    try:
        for done, item in enumerate(items):
            if monotonic() > due:
                line = f"{what}: {done} of {count} blocks"
                width = len(line)
                print(f"\r{line}", end="", file=sys.stderr, flush=True)
                due = monotonic() + EVERY
            yield item
    finally:
        if width:
            print(f"\r{' ' * width}\r", end="", file=sys.stderr, flush=True)
