"""T11: memory stays flat over many operations, and over many distinct expressions (finding D2).

Every hundredth case is an expression that was never computed before, so it needs a kernel of its own. Some drivers keep
a few KiB of every program that was ever built, whoever builds it. That is measured in a process of its own, which uses
the driver without this package, and it is not counted.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import get_device
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

from .row import Budget, Outcome

DISTINCT = 100  # one of so many cases is a distinct expression
LENGTH = 8  # operations of an expression
ROOM = 24 << 20  # bytes by which the second half of the cases may grow the process
SHORT = 300.0  # seconds of a run that is too short to make as many kernels as are kept
FEW = 12, 12  # kernels that are kept there, on CPUs and on GPUs, see `tuning.GENERATION`
ALONE = 1000  # programs that are built without this package, to see what the driver keeps of each
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


def kept_by_driver(name: str) -> float:
    """The bytes that the OpenCL driver of a device keeps of a program after its release."""
    import pyopencl as cl

    from arrayapi_gpu.backends.opencl import OpenCLDevice

    device = get_device(name)
    assert isinstance(device, OpenCLDevice)
    context, queue = device._open()
    memory = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    half = 0
    for number in range(ALONE):
        if number == ALONE // 2:
            gc.collect()
            half = resident()
        program = cl.Program(
            context,
            f"kernel void k{number}(global float16 *x, float y) {{"
            f"float16 t = x[get_global_id(0)]; x[get_global_id(0)] = fabs(fmax(t * t - y, t + {number}.0f)) * y; }}",
        ).build()
        kernel = cl.Kernel(program, f"k{number}")
        kernel(queue, (16,), (16,), memory, np.float32(1))
        queue.finish()
        del kernel, program
    gc.collect()
    return (resident() - half) / (ALONE - ALONE // 2)


def apart(device: Device) -> float:
    """`kept_by_driver`, measured in a process of its own; 0 for CUDA."""
    if not str(device).startswith("opencl"):
        return 0.0
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return max(pool.apply(kept_by_driver, (str(device),)), 0.0)


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
        each = apart(device)
        own = growth - each * (len(sizes) - len(sizes) // 2)
        outcome.notes.append(f"the driver alone keeps {each / 2**10:.1f} KiB of each kernel")
        if own > ROOM:
            outcome.fault(f"the second half of {outcome.done} cases took {own / 2**20:.0f} MiB of our own")
    return outcome
