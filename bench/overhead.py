"""What an operation costs before any element is computed: arrays of 1,000 elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.case import Case
from bench.elementwise import EXPRESSION, expression


def cases(size: int) -> list[Case]:
    """Return the cases; `size` does not matter, arrays are small. Targets are times."""
    source = np.random.default_rng(0)
    x, y = (source.random(1000, dtype=np.float32) for _ in range(2))
    us = 1e-6
    return [
        Case("building one node", _add, (x, y), seconds=1 * us, waits=False),
        Case("x + y, launched", _launch, (x, y), seconds=10 * us, waits=False),
        Case("x + y, waited for", _add, (x, y), numexpr="a + b"),
        Case("x[10:500]", lambda xp, x: x[10:500], (x,), seconds=1.4 * us, waits=False),
        Case("sum(x)", lambda xp, x: xp.sum(x), (x,), seconds=9 * us, numexpr="sum(a)"),
        Case("expression", expression, (x, y), seconds=30 * us, numexpr=EXPRESSION),
    ]


def _add(xp: Any, x: Any, y: Any) -> Any:
    return x + y


def _launch(xp: Any, x: Any, y: Any) -> Any:
    """Launch the sum without waiting for it; other libraries than ours launch anyway."""
    z = x + y
    if hasattr(xp, "compute"):
        xp.compute(z)
    return z
