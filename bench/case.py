"""What is measured: one computation, its inputs, and what TARGETS.md's sort of target it has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Case:
    """One computation.

    `compute(xp, *arrays)` does it in any namespace; `numexpr` is the same for numexpr, over the
    names a, b. `traffic` counts the bytes that have to be read and written, each once; 0 where
    memory is not the limit. `faster` is the target as (PoCL, Intel's runtime) times NumPy's speed,
    `seconds` the target as a time. With `waits=False` a call ends before the result is there.
    """

    name: str
    compute: Callable[..., Any]
    arrays: tuple[NDArray[Any], ...] = ()
    traffic: int = 0
    faster: tuple[float, float] | None = None
    seconds: float | None = None
    numexpr: str | None = None
    waits: bool = True
