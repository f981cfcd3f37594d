"""T12: threads that share arrays, and have their own, get NumPy's values."""

from __future__ import annotations

import sys
import sysconfig
import time
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .row import Budget, HostArray, Outcome, in_context

THREADS = 16
PATIENCE = 60.0  # seconds after the end in which each thread must have ended
SIZE = 500

EXPRESSIONS = (
    "a + b", "a - b * 2", "xp.where(a > b, a, b)", "xp.sort(a)", "a[::-1] + b", "xp.cumulative_sum(a, dtype=xp.int32)",
    "a[a > b]", "xp.take(a, xp.asarray(np.arange(0, 500, 7)))", "xp.concat([a, b])", "a[10:90] * b[20:100]",
)  # fmt: skip


class Shared:
    """What all threads see: two arrays, expressions that nobody has computed yet, and one row to write for each."""

    def __init__(self, rng: np.random.Generator):
        self.hosts = [rng.integers(0, 1000, SIZE).astype(np.int32) for _ in range(2)]
        self.arrays = [xp.asarray(host) for host in self.hosts]
        self.pending: list[tuple[Any, HostArray]] = []
        self.rows = xp.zeros((THREADS, SIZE), dtype=xp.int32)
        self.renew(rng)

    def renew(self, rng: np.random.Generator) -> None:
        """Make new pending expressions, which many threads will want at once."""
        self.pending = [
            (evaluate(text, xp, *self.arrays), evaluate(text, np, *self.hosts)) for text in rng.choice(EXPRESSIONS, 4)
        ]


def evaluate(text: str, namespace: Any, a: Any, b: Any) -> Any:
    """The value of an expression over NumPy or over this library."""
    return eval(text, {"xp": namespace, "np": np, "a": a, "b": b})


def work(number: int, seed: int, shared: Shared, end: float, counts: list[int], outcome: Outcome) -> None:
    """What a thread does until ``end``."""
    rng = np.random.default_rng([seed, number])
    host = rng.integers(0, 1000, SIZE).astype(np.int32)
    own = xp.asarray(host)

    def check(what: str, got: Any, expected: HostArray) -> None:
        counts[number] += 1
        if not np.array_equal(got.to_numpy(), expected):
            outcome.fault(f"thread {number} after {counts[number]} operations: {what} is wrong")

    try:
        while time.monotonic() < end and len(outcome.faults) < 100:
            text = str(rng.choice(EXPRESSIONS))
            ours, theirs = evaluate(text, xp, own, shared.arrays[1]), evaluate(text, np, host, shared.hosts[1])
            check(f"{text} of an own array", ours, theirs)
            check("a shared pending expression", *shared.pending[int(rng.integers(len(shared.pending)))])
            value, start = int(rng.integers(1000)), int(rng.integers(SIZE))
            own[start:] = value
            host[start:] = value
            own += 1
            host += 1
            check("an own array after writes", own, host)
            shared.rows[number, :] = own
            check("the own row of a shared array", shared.rows[number, :], host)
            if number == 0:
                shared.renew(rng)
    except Exception as error:
        outcome.fault(f"thread {number} after {counts[number]} operations: {type(error).__name__}: {error}")


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run the threads for the time of the budget."""
    outcome = Outcome()
    counts = [0] * THREADS
    with xp.config.set(device=str(device)):
        shared = Shared(np.random.default_rng(seed))
        end = time.monotonic() + budget.seconds
        threads = [in_context(work, number, seed, shared, end, counts, outcome) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(max(0.0, end + PATIENCE - time.monotonic()))
    stuck = sum(thread.is_alive() for thread in threads)
    if stuck:
        outcome.fault(f"{stuck} of {THREADS} threads have not ended {PATIENCE:.0f} s after the end")
    outcome.done = sum(counts)
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    version = ".".join(map(str, sys.version_info[:2]))
    build = "the free-threaded build" if free else "with the lock of the interpreter; no free-threaded build was tried"
    outcome.notes.append(f"{THREADS} threads, {budget.seconds:.0f} s, Python {version} {build}")
    return outcome
