"""`python -m conformance.spilled`: programs over ten times the memory that a device may use are right, by spilling.

The programs are those of bench/, with ``--consumers`` those of scikit-learn and SciPy. Of each, so many instances are
on the device at once that their inputs and results take ten times the limit. All inputs come first, then all are
computed, then all results are compared with those of the same program without a limit, the last ones first. Instances
have one of three sets of inputs, so that memory which came back to the wrong array would be seen.

Sizes are tried in turn: a launch's arrays must fit within the limit, and arrays of less than 64 KiB stay where they
are.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import spilling
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import limit_of
from bench.programs.cases import PROGRAMS
from bench.programs.consumers import CONSUMERS
from bench.programs.program import Program

SETS = 3  # of inputs
SPARE = 3  # of a program's arrays that must fit within the limit, for the launch of one
COMPARED_THERE = 1 << 20  # bytes from which on the device compares arrays


class Found(NamedTuple):
    """What became of a program: how many instances, their bytes, the bytes that moved, whether all is right."""

    instances: int
    nbytes: int
    moved: int
    back: int
    wrong: list[str]
    seconds: float


@contextmanager
def counted(device: Device) -> Iterator[dict[str, int]]:
    """The bytes that move from a device's memory, "spill", and back, "return"."""
    counts = {"spill": 0, "return": 0}

    def count(where: Device, what: str, nbytes: int) -> None:
        if where is device:
            counts[what] += nbytes

    spilling.listeners.append(count)
    try:
        yield counts
    finally:
        spilling.listeners.remove(count)


def several(results: Any) -> tuple[Any, ...]:
    """The results of a program."""
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def computed(program: Program, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The results of a program, which are computed."""
    results = several(program.compute(xp, *arrays))
    xp.compute(*[one for one in results if isinstance(one, xp.Array)])
    return results


def same(one: Any, other: Any) -> bool:
    """Whether an array has the bits of another one; where both are large and on a device, that compares them."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.nbytes < COMPARED_THERE or one.dtype.kind not in "biuf":
        return np.asarray(one).tobytes() == np.asarray(other).tobytes()
    words = f"uint{8 * one.dtype.itemsize}"
    return bool(xp.all(xp.equal(one.view(words), other.view(words))))


def checked(device: Device, program: Program, n: int, limit: int, times: float, most: int) -> Found | None:
    """Run a program of size n; None where its arrays are too large for the limit."""
    hosts = [program.inputs(np.random.default_rng(seed), n) for seed in range(SETS)]
    expected = []
    results: Any = None
    for own in hosts:
        results = computed(program, [xp.asarray(host, device=device, copy=True) for host in own])
        expected.append([np.asarray(one).copy() for one in results])
    del results
    gc.collect()
    device.trim()
    arrays = [*hosts[0], *expected[0]]
    if max(array.nbytes for array in arrays) * SPARE > limit:
        return None
    one = max(1, sum(array.nbytes for array in arrays))
    instances = min(most, max(2, -(-int(times * limit) // one)))
    began, wrong = perf_counter(), []
    room = int(instances * one * 1.3) + limit
    held = device.live_bytes  # by others, which the limit is not for
    with xp.config.set(memory_limit=held + limit, spill_limit=room), counted(device) as counts:
        inputs: list[Any] = []
        found: list[Any] = []
        given: list[Any] = []
        wanted: list[Any] = []
        try:
            given, wanted = ([[xp.asarray(host, device=device, copy=True) for host in own] for own in sets]
                             for sets in (hosts, expected))  # fmt: skip
            for k in range(instances):
                inputs.append([xp.asarray(array, copy=True) for array in given[k % SETS]])
            found = [computed(program, arrays) for arrays in inputs]
            for k in reversed(range(instances)):
                if not all(map(same, map(xp.asarray, found[k]), wanted[k % SETS])):
                    wrong.append(f"instance {k}")
                if not program.in_place and not all(map(same, inputs[k], given[k % SETS])):
                    wrong.append(f"inputs of instance {k}")
        except MemoryError:
            return None
        finally:
            inputs = found = given = wanted = arrays = []
            gc.collect()
            left = xp.memory(device).spilled
            assert device.pool.spilling is not None
            device.pool.spilling.end()
            device.trim()
        if left:
            wrong.append(f"{left} bytes are left on the host")
    return Found(instances, instances * one, counts["spill"], counts["return"], wrong, perf_counter() - began)


def main() -> int:
    """Parse the command line, run the programs, print."""
    parser = argparse.ArgumentParser(prog="python -m conformance.spilled", description=__doc__)
    add = parser.add_argument
    add("--device", default=None, help="device (default: the default device)")
    add("--limit", default="256 MiB", help="what its arrays may take (default: 256 MiB)")
    add("--times", type=float, default=10, help="so many times the limit are used (default: 10)")
    add(
        "--sizes",
        nargs="+",
        default=["large", "medium", "small"],
        choices=["large", "medium", "small"],
        help="to be tried",
    )
    add("--most", type=int, default=1024, help="instances of a program, at most (default: 1024)")
    add("--programs", default="", metavar="TEXT", help="only programs whose name contains TEXT")
    add("--consumers", action="store_true", help="programs of scikit-learn and SciPy")
    options = parser.parse_args()
    device = xp.asarray(0, device=options.device).device
    with xp.config.set(memory_limit=options.limit):
        limit = limit_of(xp.config.memory_limit, device.name, device.memory)
    xp.config.set(device=str(device))
    wrong = few = done = left_out = 0
    for program in CONSUMERS if options.consumers else PROGRAMS:
        if options.programs not in program.name:
            continue
        for size in options.sizes:
            found = checked(device, program, getattr(program, size), limit, options.times, options.most)
            if found is not None:
                break
        if found is None:
            print(f"{program.name}: left out, its arrays are too large or too small for the limit", flush=True)
            left_out += 1
            continue
        share = found.nbytes / limit
        done, wrong, few = done + 1, wrong + bool(found.wrong), few + (share < 0.99 * options.times)
        print(
            f"{program.name}: {size}, {found.instances} instances, {share:.1f} times the limit, "
            f"{found.moved >> 20} MiB moved, {found.back >> 20} came back, {found.seconds:.1f} s: "
            f"{'; '.join(found.wrong[:3]) or 'right'}",
            flush=True,
        )
    print(
        f"{device.description}, limit {limit >> 20} MiB: {done} programs, {wrong} wrong, {few} of fewer bytes, "
        f"{left_out} left out"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
