"""T11: memory stays flat over many operations, and over many distinct expressions (finding D2).

Every hundredth case is an expression that was never computed before, so it needs a kernel of its own.
"""

from __future__ import annotations

import gc
import os
import sys

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels import tuning

from .row import Budget, Outcome

DISTINCT = 100  # one of so many cases is a distinct expression
LENGTH = 8  # operations of an expression
ROOM = 24 << 20  # bytes by which the second half of the cases may grow the process
SHORT = 300.0  # seconds of a run that is too short to make as many kernels as are kept
FEW = 12, 12  # kernels that are kept there, on CPUs and on GPUs, see `tuning.GENERATION`
STEPS = ("{} + y", "{} * y", "{} - y", "xp.abs({})", "xp.maximum({}, y)", "xp.square({})", "-{}", "xp.minimum({}, y)")


def resident() -> int:
    """The bytes of this process that are in memory; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def distinct(number: int) -> str:
    """The text of expression ``number``; no two numbers below 8**8 have the same."""
    text = "x"
    for _ in range(LENGTH):
        number, digit = divmod(number, len(STEPS))
        text = "(" + STEPS[digit].format(text) + ")"
    return text


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run operations on small arrays, and look at the memory in the middle and at the end."""
    outcome = Outcome()
    if budget.seconds < SHORT:
        vars(tuning)["GENERATION"] = FEW  # the process is this row's own
    rng = np.random.default_rng(seed)
    hosts = [rng.normal(size=1000).astype(np.float32) for _ in range(2)]
    sizes = []
    with xp.config.set(device=str(device), cache=False):  # so that the compiler is in memory from the beginning
        x, y = (xp.asarray(host) for host in hosts)
        z = x
        for number in budget:
            if number % DISTINCT == 0:
                xp.sync(eval(distinct(number // DISTINCT + seed * 1000), {"xp": xp, "x": x, "y": y}))
                gc.collect()
                sizes.append(resident())
            elif number % 4 == 0:
                z[number % 500 :: 3] = x[number % 500 :: 3]
            elif number % 4 == 1:
                z = xp.minimum(z + 0.5 * y, x)
            else:
                z = z[::-1] if number % 4 == 2 else xp.where(z > y, z, x)
            outcome.done += 1
        xp.sync(z)
    gc.collect()
    sizes.append(resident())
    middle = sizes[len(sizes) // 2]
    growth = sizes[-1] - middle
    mib = " to ".join(f"{size / 2**20:.0f}" for size in (sizes[0], middle, sizes[-1]))
    outcome.notes.append(f"{len(sizes) - 1} distinct expressions; MiB in memory: {mib} (begin, middle, end)")
    if growth > ROOM:
        outcome.fault(f"the second half of {outcome.done} cases took {growth / 2**20:.0f} MiB more")
    return outcome
