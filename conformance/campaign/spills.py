"""T24: random programs give what NumPy gives where memory is so full that all arrays move again and again.

Before each allocation, and before an array comes back, everything moves that may: to the host's memory, or in every
third case into a file. In every fourth case a thread beside the program lets arrays move at any moment. When the
program is over, nothing of it is left on the host.
"""

from __future__ import annotations

import gc
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import spilling
from arrayapi_gpu.backends.base import Device

from .programs import case
from .row import Budget, Fault, Outcome

COPIES = 1 << 30  # bytes


@contextmanager
def all_moves(device: Device, folder: str | None = None, threads: int = 0) -> Iterator[dict[str, int]]:
    """Let everything move that may, to the host or into files in a folder; gives how often something has.

    ``threads``: so many let arrays move at any moment.
    """
    own = device.pool.spilling
    assert own is not None
    counts = {"spill": 0, "return": 0}
    over = threading.Event()

    def count(where: Device, what: str, nbytes: int) -> None:
        if where is device:
            counts[what] += 1

    def push() -> None:
        while not over.is_set():
            own.make_room(device.memory)

    others = [threading.Thread(target=push, daemon=True) for _ in range(threads)]
    before = own.smallest
    spilling.listeners.append(count)
    try:
        own.smallest, own.always = 0, True
        with xp.config.set(spill_limit=0 if folder else COPIES, spill_folder=folder):
            own.begin()
            for other in others:
                other.start()
            try:
                yield counts
            finally:
                over.set()
                for other in others:
                    other.join()
    finally:
        own.smallest, own.always = before, False
        own.end()
        spilling.listeners.remove(count)


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run each program fused and unfused."""
    outcome = Outcome()
    moves = {"spill": 0, "return": 0}
    with tempfile.TemporaryDirectory() as folder:
        for number in budget:
            for fusion in (True, False):
                where = folder if number % 3 == 0 else None
                with (
                    xp.config.set(device=str(device), fusion=fusion, specialise="never"),
                    all_moves(device, where, threads=int(number % 4 == 0)) as counts,
                ):
                    try:
                        case(device, np.random.default_rng([seed, number]))
                    except Fault as fault:
                        outcome.fault(f"case {number}, fusion={fusion}, folder={where!r}: {fault}")
                for what, times in counts.items():
                    moves[what] += times
            outcome.done += 1
            if number % 100 == 0:
                gc.collect()
                left = xp.memory(device).spilled
                if left:
                    outcome.fault(f"case {number}: {left} bytes are left on the host")
    outcome.notes.append(f"{moves['spill']} moves to the host, {moves['return']} back")
    return outcome
