"""`python -m bench.devices`: several devices in one program, from one thread and from several.

* What goes directly from one device to the other, GB/s, beside copies of the driver's alone (CUDA).
* Pieces that one device computes, and the other computes further: the time of computing alone, of copies alone, and of
  both, which overlap where the time of both is less than the sum.
* The same work on one device, and on each of two at the same time: from one thread, and from one thread for each.
* Arrays in host memory that each device reads block by block, from a thread for each.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices, get_device
from arrayapi_gpu.backends.base import Device
from bench.report import RESULTS

PIECES = 16
ROUNDS = 3


def best(run: Callable[[], object]) -> float:
    """Seconds of the quickest of some calls, after one that compiles."""
    run()
    seconds = []
    for _ in range(ROUNDS):
        began = perf_counter()
        run()
        seconds.append(perf_counter() - began)
    return min(seconds)


def waited(*all_devices: Device) -> None:
    """Return when all work is done."""
    for device in all_devices:
        device.wait()


def work(x: Any, steps: int) -> Any:
    """Some computing with an array, a launch a step."""
    for _ in range(steps):
        x = xp.sin(x) * 1.25 + 0.5
        xp.compute(x)
    return x


def bare_copies(one: Device, other: Device, nbytes: int) -> float | None:
    """Seconds of a copy of the driver's from one device to the other; None where it is not CUDA's."""
    if not str(one).startswith("cuda"):
        return None
    runtime: Any = importlib.import_module("cupy_backends.cuda.api.runtime")
    ordinals = [int(str(device).split(":")[1]) for device in (one, other)]
    arrays = [xp.zeros(nbytes, dtype=xp.uint8, device=device) for device in (one, other)]
    xp.sync(*arrays)
    ends = [array.__cuda_array_interface__["data"][0] for array in arrays]

    def run() -> None:
        runtime.setDevice(ordinals[1])
        runtime.memcpyPeer(ends[1], ordinals[1], ends[0], ordinals[0], nbytes)
        runtime.deviceSynchronize()

    return best(run)


def peers(one: Device, other: Device, nbytes: int, steps: int) -> dict[str, Any]:
    """Figures of copies between two devices, beside computing."""
    pieces = [xp.asarray(np.full(nbytes // 4, k, np.float32), device=one, copy=True) for k in range(PIECES)]
    here = [xp.asarray(np.full(nbytes // 4, k, np.float32), device=other, copy=True) for k in range(2)]
    xp.sync(*pieces, *here)

    def copies() -> None:
        xp.sync(*[piece.to_device(other) for piece in pieces])

    def computing() -> None:
        for k in range(PIECES):
            work(pieces[k], steps)
            work(here[k % 2], steps)
        waited(one, other)

    def both() -> None:
        coming = work(pieces[0], steps).to_device(other)
        for k in range(1, PIECES):
            following = work(pieces[k], steps).to_device(other)
            work(coming, steps)
            coming = following
        work(coming, steps)
        waited(one, other)

    times = {"copies": best(copies), "computing": best(computing), "both": best(both)}
    found: dict[str, Any] = {f"{name}, s": round(seconds, 4) for name, seconds in times.items()}
    found["GB/s"] = round(PIECES * nbytes / times["copies"] / 1e9, 1)
    if (bare := bare_copies(one, other, nbytes)) is not None:
        found["GB/s of the driver's copies"] = round(nbytes / bare / 1e9, 1)
    hidden = times["copies"] + times["computing"] - times["both"]
    found["share of the shorter that is hidden"] = round(hidden / min(times["copies"], times["computing"]), 2)
    return found


def together(all_devices: list[Device], nbytes: int, steps: int) -> dict[str, Any]:
    """Seconds of work on one device, and on all at the same time."""
    arrays = {device: xp.asarray(np.ones(nbytes // 4, np.float32), device=device, copy=True) for device in all_devices}
    xp.sync(*arrays.values())
    threads = ThreadPoolExecutor(len(all_devices))

    def on(device: Device) -> None:
        work(arrays[device], steps)
        device.wait()

    def from_one_thread() -> None:
        for device in all_devices:
            work(arrays[device], steps)
        waited(*all_devices)

    def from_several() -> None:
        list(threads.map(on, all_devices))

    return {
        "one device, s": round(best(partial(on, all_devices[0])), 4),
        "all, from one thread, s": round(best(from_one_thread), 4),
        "all, a thread each, s": round(best(from_several), 4),
    }


def fed(all_devices: list[Device], nbytes: int) -> dict[str, Any]:
    """GB/s of a sum over host memory, on one device and on all at the same time."""
    hosts = [np.full(nbytes // 4, k, np.float32) for k in range(len(all_devices))]
    operands = [xp.from_host(host, device=device) for host, device in zip(hosts, all_devices, strict=True)]
    threads = ThreadPoolExecutor(len(all_devices))

    def total(x: Any) -> float:
        return float(xp.sum(x))

    one = best(lambda: total(operands[0]))
    every = best(lambda: list(threads.map(total, operands)))
    return {
        "one device, GB/s": round(nbytes / one / 1e9, 1),
        "all, a thread each, GB/s": round(len(all_devices) * nbytes / every / 1e9, 1),
    }


def main() -> None:
    """Parse the command line, measure, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.devices", description=__doc__)
    add = parser.add_argument
    add("--devices", nargs="+", metavar="NAME", help="of ours (default: all of the kind of the first)")
    add("--mib", type=int, default=256, help="MiB of a piece")
    add("--host-mib", type=int, default=4096, help="MiB of host memory for each device")
    add("--steps", type=int, default=24, help="launches for a piece")
    add("--output", type=Path, default=RESULTS / "devices.json", help="the JSON file")
    options = parser.parse_args()
    first = str(next(iter(devices()))).split(":")[0]
    names = options.devices or [str(device) for device in devices() if str(device).startswith(first)]
    chosen = [get_device(name) for name in names]
    found: dict[str, Any] = {"devices": [device.description for device in chosen]}
    if len(chosen) > 1:
        found["from one device to the other"] = peers(chosen[0], chosen[1], options.mib << 20, options.steps)
    found["the same work on each"] = together(chosen, options.mib << 20, 4 * options.steps)
    found["host memory, block by block"] = fed(chosen, options.host_mib << 20)
    options.output.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
