"""T23: memory stays flat while whole programs are run again and again.

A case is one round of all programs of ``bench.programs``, each on its smallest inputs. Half of the programs give up
their results at once, the others keep them until the next round.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench.programs.cases import PROGRAMS

from .growth import ROOM, resident
from .row import Budget, Outcome

MEASURED = 64  # how often the memory is looked at, at most
FIRST = 20  # rounds in which caches fill


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run all programs, and compare the memory in the middle with that at the end."""
    outcome = Outcome()
    rng = np.random.default_rng(seed)
    hosts = {program.name: program.inputs(rng, program.small) for program in PROGRAMS}
    sizes: list[tuple[int, int]] = []
    kept: dict[str, Any] = {}
    every = max(budget.count // MEASURED, 1)
    with xp.config.set(device=str(device)):
        arrays = {name: [xp.asarray(host) for host in own] for name, own in hosts.items()}
        for number in budget:
            for k, program in enumerate(PROGRAMS):
                own = arrays[program.name]
                result = program.compute(xp, *([x.copy() for x in own] if program.in_place else own))
                results = result if isinstance(result, tuple) else (result,)
                xp.compute(*[one for one in results if isinstance(one, xp.Array)])
                kept[program.name] = result if k % 2 else None
                del result, results
            outcome.done += 1
            if outcome.done >= FIRST and number % every == 0:
                gc.collect()
                xp.sync()
                sizes.append((resident(), device.pool.live + device.pool.cached))
    if len(sizes) < 3:
        return outcome
    middle = len(sizes) // 2
    for what, series in zip(("process", "device"), zip(*sizes, strict=True), strict=True):
        begin, half, end = (series[k] / 2**20 for k in (0, middle, -1))
        outcome.notes.append(f"MiB of the {what}: {begin:.0f} to {half:.0f} to {end:.0f} (begin, middle, end)")
        if series[-1] - series[middle] > ROOM:
            outcome.fault(f"the {what} took {end - half:.0f} MiB more in the second half of {outcome.done} rounds")
    return outcome
