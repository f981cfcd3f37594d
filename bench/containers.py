"""The measurements of CL_ARRAY's thesis: many dimensions, resizing, ways to the device and back, a kernel over parts.

Its Table 6.I has arrays of rank 9 to 16, of structures of a double, an int and 16 floats, here three arrays; Figures
6.4 and 6.5 have arrays of three dimensions that grow along the last; Table 6.II has ten portions of 100 MB.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.run.evaluate import contiguous
from bench.thesis import Curves, timed

HostArray = np.ndarray[Any, Any]
Container = tuple[Any, Any, Any]

RANKS = range(9, 17)
PARTS = 10
PORTION = 100_000_000  # bytes
LENGTHS = {False: (25, 50, 100), True: (50, 100, 200, 400, 800)}  # of the last axis, on CPUs and GPUs
BYTES = "bytes allocated for a byte of the result"
LANES = 16  # of the structure's last attribute


def extents(rank: int) -> tuple[int, ...]:
    """Table 6.I."""
    return (2,) * (rank - 5) + (20, 20, 19, 2, 3)


def build(space: Any, shape: tuple[int, ...]) -> Container:
    """Arrays of the three attributes."""
    kinds = ((space.float64, ()), (space.int32, ()), (space.float32, (LANES,)))
    first, second, third = (space.zeros((*shape, *more), dtype=dtype) for dtype, more in kinds)
    return first, second, third


def fill(space: Any, container: Container) -> None:
    """Write each attribute of each element: its number, half of it, and a third to an eighteenth of it."""
    first, second, third = container
    count = space.reshape(space.arange(first.size, dtype=space.float64), first.shape)
    first[...] = count
    second[...] = space.astype(count / 2, space.int32)
    third[...] = space.astype(count, space.float32)[..., None] / space.arange(3, 3 + LANES, dtype=space.float32)


def element(container: Container) -> float:
    """One element of the first attribute, by an index after the other, as in ``a[1][1]...[1]``."""
    found = container[0]
    while found.ndim:
        found = found[1]
    return float(found)


def ranks(device: Device) -> Curves:
    """Figures 6.2 and 6.3, by rank: building, filling, one element, letting go; NumPy's beside ours."""
    work = ("build", "fill", "one element", "free")
    curves: Curves = {name: {} for name in work}
    room = device.memory // 8
    for rank in RANKS:
        shape = extents(rank)
        nbytes = math.prod(shape) * (8 + 4 + 4 * LANES)
        for line, space, wait in (("ours", xp, device.wait), ("NumPy", np, _nothing)):
            if nbytes > (room if space is xp else min(room, 1 << 30)):
                continue
            for name, seconds in zip(work, _life(space, shape, wait), strict=True):
                curves[name].setdefault(line, {})[str(rank)] = seconds
    return curves


def _life(space: Any, shape: tuple[int, ...], wait: Callable[[], None]) -> tuple[float, ...]:
    """Seconds of each step of a container's life; once before, for compilers."""
    for _ in range(2):
        start = perf_counter()
        container = build(space, shape)
        if space is xp:
            xp.compute(*container)
        wait()
        built = perf_counter()
        fill(space, container)
        wait()
        filled = perf_counter()
        element(container)
        read = perf_counter()
        del container
        freed = perf_counter()
    return built - start, filled - built, read - filled, freed - read


def _nothing() -> None:
    """NumPy's work is done when a call returns."""


# --- resizing ---------------------------------------------------------------------------------------------------------


def resized(x: Any, shape: tuple[int, ...]) -> Any:
    """CL_ARRAY's resizing: elements stay at their indices, new ones are zero, those beyond an extent go."""
    kept = x[tuple(slice(n) for n in shape)]
    more = [(0, n - own) for n, own in zip(shape, kept.shape, strict=True)]
    return xp.pad(kept, more) if kept.shape != shape else kept.copy()


CHANGES: dict[str, Callable[[Any], Any]] = {
    "grow the last axis": lambda x: resized(x, (*x.shape[:2], 2 * x.shape[2])),
    "shrink the last axis": lambda x: resized(x, (*x.shape[:2], x.shape[2] // 2)),
    "grow all axes": lambda x: resized(x, tuple(n + n // 4 for n in x.shape)),
    "insert a plane": lambda x: xp.insert(x, x.shape[1] // 2, 1.0, axis=1),
    "delete a plane": lambda x: xp.delete(x, x.shape[1] // 2, axis=1),
}
NUMPYS: dict[str, Callable[[HostArray], HostArray]] = {
    "grow the last axis": lambda x: np.pad(x, [(0, 0), (0, 0), (0, x.shape[2])]),
    "shrink the last axis": lambda x: x[..., : x.shape[2] // 2].copy(),
    "grow all axes": lambda x: np.pad(x, [(0, n // 4) for n in x.shape]),
    "insert a plane": lambda x: np.insert(x, x.shape[1] // 2, 1.0, axis=1),
    "delete a plane": lambda x: np.delete(x, x.shape[1] // 2, axis=1),
}


def resizing(device: Device) -> Curves:
    """Figures 6.4 to 6.7, by millions of doubles: seconds, and what was allocated for each byte of the result."""
    curves: Curves = {name: {"ours": {}, "NumPy": {}} for name in CHANGES}
    memory = curves[BYTES] = {name: {} for name in CHANGES}
    for length in LENGTHS[device.is_gpu]:
        host = np.ones((2000, 100, length))
        x = xp.asarray(host, copy=True)
        for name, change in CHANGES.items():
            at, lines = f"{x.size / 1e6:g}", curves[name]
            lines["ours"][at] = timed(partial(_changed, change, x), device.wait)
            memory[name][at] = allocated(device, change, x)
            if length <= 100:
                lines["NumPy"][at] = timed(partial(NUMPYS[name], host), _nothing)
    return curves


def _changed(change: Callable[[Any], Any], x: Any) -> None:
    xp.compute(change(x))


def allocated(device: Device, change: Callable[[Any], Any], x: Any) -> float:
    """The bytes that a change allocates, the result's included, for each byte of the result."""
    device.pool.trim()
    before = device.pool.live + device.pool.cached
    result = change(x)
    xp.sync(result)
    return (device.pool.live + device.pool.cached - before) / float(result.nbytes)


# --- ways to the device and back --------------------------------------------------------------------------------------


def strategies(device: Device) -> dict[str, Callable[[int], HostArray]]:
    """How host memory of so many doubles is made for each of CL_ARRAY's strategies that the device knows."""
    found: dict[str, Callable[[int], HostArray]] = {"copy": lambda n: np.ones(n)}
    if device.name.startswith("cuda"):
        cupyx: Any = importlib.import_module("cupyx")
        found["pinned"] = lambda n: cupyx.zeros_pinned(n, "float64")
    if device.host_shared:
        found["mapped"] = lambda n: np.ones(n)
    return found


def read_into(x: xp.Array, host: HostArray) -> None:
    """Copy an array to host memory that is there, which may be pinned."""
    array = contiguous(x._node)
    array.storage.device.download(array.storage.buffer, array.offset * array.dtype.itemsize, host)


def transfers(device: Device) -> Curves:
    """Table 6.II, by portion: ten writes and ten reads, in seconds."""
    n = PORTION // 8
    curves: Curves = {"to the device": {}, "to the host": {}}
    for strategy, make in strategies(device).items():
        host, back = make(n), make(n)
        for portion in range(1, PARTS + 1):
            start = perf_counter()
            x = xp.asarray(host, copy=strategy != "mapped")
            device.wait()
            there = perf_counter()
            if strategy == "mapped":
                np.asarray(x)
            else:
                read_into(x, back)
            done = perf_counter()
            curves["to the device"].setdefault(strategy, {})[str(portion)] = there - start
            curves["to the host"].setdefault(strategy, {})[str(portion)] = done - there
    return curves


# --- a kernel over the parts of a container ---------------------------------------------------------------------------


def mapped(inputs: HostArray, outputs: HostArray, strategy: str, ahead: int) -> None:
    """``outputs += inputs`` on the device, part after part.

    ``ahead``: so many parts have been started before the results of one are read.
    """
    share = strategy == "mapped"
    started: list[tuple[HostArray, xp.Array]] = []

    def finish() -> None:
        target, result = started.pop(0)
        if not share:
            read_into(result, target)

    for source, target in zip(inputs, outputs, strict=True):
        x, y = (xp.asarray(part, copy=not share) for part in (source, target))
        y += x
        xp.compute(y)
        started.append((target, y))
        if len(started) > ahead:
            finish()
    while started:
        finish()


def _ways(device: Device) -> Iterator[tuple[str, str, int]]:
    for strategy in strategies(device):
        if strategy == "mapped":
            yield "mapped", strategy, 0
        else:
            yield f"{strategy}, one part at a time", strategy, 0
            yield f"{strategy}, a part ahead", strategy, 1


def map_over_parts(device: Device) -> Curves:
    """The pattern of section 6.6, by millions of doubles in ten parts."""
    curves: Curves = {"output += input": {}}
    lines = curves["output += input"]
    for n in (10_000, 100_000, 1_000_000):
        for line, strategy, ahead in _ways(device):
            make = strategies(device)[strategy]
            inputs, outputs = (make(PARTS * n).reshape(PARTS, n // 100, 100) for _ in range(2))
            found = timed(partial(mapped, inputs, outputs, strategy, ahead), device.wait)
            lines.setdefault(line, {})[f"{PARTS * n / 1e6:g}"] = found
        inputs, outputs = np.ones((PARTS, n)), np.ones((PARTS, n))
        add = partial(np.add, outputs, inputs, out=outputs)
        lines.setdefault("NumPy", {})[f"{PARTS * n / 1e6:g}"] = timed(add, _nothing)
    return curves
