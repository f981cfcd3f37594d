"""A line of progress on standard error, where ``config.progress`` asks for one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import Any, TypeVar

from ...config import config

Item = TypeVar("Item")

AFTER, EVERY = 1.0, 0.25  # seconds before the first line, and between two


def progress(items: Iterable[Item], count: int, what: str) -> Iterable[Item]:
    """The items, with a line that says how many of ``count`` are done. It is tqdm's where the program has that."""
    if not config.progress or count < 2:
        return items
    tqdm: Any = sys.modules.get("tqdm")
    if tqdm is not None:
        shown: Iterable[Item] = tqdm.tqdm(items, total=count, desc=what, unit="block", delay=AFTER, leave=False)
        return shown
    return _lines(items, count, what)


def _lines(items: Iterable[Item], count: int, what: str) -> Iterator[Item]:
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
