"""T10: whoever meets the end of the memory gets MemoryError, and can go on.

The device is given a small limit, so that its end is met a thousand times in little time. Finding D1: an
in-place operation on an array of more than half of the memory needs no second array, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .row import Budget, HostArray, Outcome

LIMIT = 4 << 20  # bytes
LARGE = LIMIT * 5 // 8 // 4  # elements of float32 that take more than half of them

MAKE: tuple[Callable[[Any, Any], Any], ...] = (
    lambda np_, x: x + 1,
    lambda np_, x: np_.concat([x, x]),
    lambda np_, x: np_.sort(x),
    lambda np_, x: np_.cumulative_sum(x),
    lambda np_, x: x[x > 3],
    lambda np_, x: np_.take(x, np_.asarray(np.arange(0, x.shape[0], 2)), axis=0),
    lambda np_, x: np_.asarray(x, copy=True),
    lambda np_, x: np_.reshape(x, (1, -1)) * np_.asarray([[1], [2]], dtype=x.dtype),
)
IN_PLACE: tuple[Callable[[Any], Any], ...] = (
    lambda z: z.__iadd__(1),
    lambda z: z.__imul__(2),
    lambda z: z.__isub__(z),
    lambda z: z.__setitem__(slice(None), 5),
    lambda z: z.__setitem__(slice(None, None, 2), 5),
)


@contextmanager
def limited(device: Device, limit: int) -> Iterator[None]:
    """Let a device have no more than ``limit`` bytes, and let nothing move to the host."""
    device.trim()
    with xp.config.set(memory_limit=device.live_bytes + limit, spill_limit=0, spill_folder=None):
        yield


def fill(rng: np.random.Generator) -> list[tuple[Any, HostArray]]:
    """Make arrays until there is no room, and return ours and NumPy's; AssertionError where there is always room."""
    host = rng.integers(0, 8, int(rng.integers(1 << 13, 1 << 17))).astype(np.int32)
    kept: list[tuple[Any, HostArray]] = []
    try:
        kept.append((xp.asarray(host), host))
        for _ in range(500):
            ours, theirs = kept[int(rng.integers(len(kept)))]
            make = MAKE[int(rng.integers(len(MAKE)))]
            if theirs.ndim > 1 or not 0 < theirs.size < 1 << 18:
                ours, theirs = kept[0]
            made = make(xp, ours)
            xp.compute(made)
            kept.append((made, make(np, theirs)))
    except MemoryError:
        return kept
    raise AssertionError("500 arrays, and no MemoryError")


def recover(rng: np.random.Generator) -> str | None:
    """Meet the end of the memory, let go of half of it, and compute. Return what is wrong."""
    kept = fill(rng)
    del kept[int(rng.integers(len(kept))) :: 2]
    for ours, theirs in kept[:3]:
        if not np.array_equal(ours.to_numpy(), theirs):
            return f"an array of shape {theirs.shape} has changed"
    del ours, theirs
    kept.clear()
    host = rng.integers(0, 9, LARGE).astype(np.float32)
    if not np.array_equal((xp.asarray(host) * 2).sum().to_numpy(), np.float32((host * 2).sum())):
        return "a sum after it is wrong"
    return None


def in_place(rng: np.random.Generator) -> str | None:
    """Change an array of more than half of the memory in place. Return what is wrong."""
    host = rng.integers(0, 9, LARGE).astype(np.float32)
    z = xp.asarray(host)
    for _ in range(4):
        operate = IN_PLACE[int(rng.integers(len(IN_PLACE)))]
        operate(z)
        operate(host)
        if rng.random() < 0.5 and not np.array_equal(z.to_numpy(), host):
            return "an in-place operation on more than half of the memory gives wrong values"
    return None if np.array_equal(z.to_numpy(), host) else "in-place operations on more than half of the memory differ"


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Meet the end of the memory, and in every eighth case change a large array in place."""
    outcome = Outcome()
    with xp.config.set(device=str(device)):
        xp.compute(xp.asarray([1]) + 1)
        with limited(device, LIMIT):
            for number in budget:
                rng = np.random.default_rng([seed, number])
                try:
                    wrong = in_place(rng) if number % 8 == 0 else recover(rng)
                except Exception as error:
                    wrong = f"{type(error).__name__}: {error}"
                if wrong:
                    what = "in place (finding D1)" if number % 8 == 0 else "recovery"
                    outcome.fault(f"case {number}, {what}: {wrong}")
                outcome.done += 1
    return outcome
