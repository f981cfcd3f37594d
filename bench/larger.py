"""`python -m bench.larger`: arrays in host memory that the device computes with, block by block.

Operands and result take ``--gib`` GiB of host memory together, and the device may use ``--limit-gib`` GiB. Each row is
computed by this library from `from_host`, by CuPy and PyTorch by hand (chunks on three streams, page-locked memory),
and by NumPy on a smaller part. Beside them stands a bare pipeline of page-locked copies with the same mix of ways,
which is what the link gives. GB/s are those of what has to go over the link, operands in and results out, each
as often as the row cannot do without. What page-locking costs is told apart: by the first use of the operands.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import arrayapi_gpu as xp
from bench.report import RESULTS

WIDTH = 1024  # columns
CHUNK = 1 << 26  # bytes of an operand's chunk, by hand
STREAMS = 3
NUMPY_BYTES = 1 << 30  # of an operand, for NumPy
THREADS = 16  # that fill memory


class Row(NamedTuple):
    """What is computed of x and y. ``reads``: operands that go in, each time; ``writes``: whether a result of the shape
    of x comes out. ``chunk``: by hand, a part of the result of parts of x and y, or what ``combine`` makes it of."""

    compute: Callable[..., Any]
    reads: int
    writes: bool
    chunk: Callable[..., Any]
    first: Callable[..., Any] | None = None  # by hand: of chunks of x, before the others
    combine: Callable[..., Any] | None = None


def _fused(xp: Any, x: Any, y: Any) -> Any:
    d = x - y
    return xp.sqrt(d * d + 1) * xp.exp(-x) + xp.where(x > y, 2 * x, y / 2)


def _moments(xp: Any, x: Any) -> Any:
    return xp.stack([xp.sum(x, 0), xp.sum(x * x, 0)])


def _standardise(xp: Any, x: Any, moments: Any, n: int) -> Any:
    mean = moments[0] / n
    return (x - mean) / xp.sqrt(moments[1] / n - mean * mean)


def _total(xp: Any, parts: Any) -> Any:
    return xp.sum(parts, 0)


ROWS = {
    "x + y": Row(lambda xp, x, y, w: x + y, 2, True, lambda xp, x, y, w: x + y),
    "fused": Row(lambda xp, x, y, w: _fused(xp, x, y), 2, True, lambda xp, x, y, w: _fused(xp, x, y)),
    "sum(x)": Row(lambda xp, x, y, w: xp.sum(x), 1, False, lambda xp, x, y, w: xp.sum(x), combine=_total),
    "sum(x, axis=0)": Row(
        lambda xp, x, y, w: xp.sum(x, axis=0), 1, False, lambda xp, x, y, w: xp.sum(x, 0), combine=_total
    ),
    "standardise": Row(
        lambda xp, x, y, w: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0), 2, True, _standardise, _moments, _total
    ),
    "x @ w": Row(lambda xp, x, y, w: x @ w, 1, True, lambda xp, x, y, w: x @ w),
}  # fmt: skip


def filled(n: int, seed: int) -> Any:
    """A matrix of n rows, made of one random part again and again, by threads: memory is given as it is touched."""
    part = np.random.default_rng(seed).random((min(n, 1 << 14), WIDTH), np.float32)
    out = np.empty((n, WIDTH), np.float32)

    def fill(start: int) -> None:
        stop = min(start + len(part), n)
        np.add(part[: stop - start], np.float32(start % 7), out=out[start:stop])

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(fill, range(0, n, len(part))))
    return out


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and its result."""
    began = perf_counter()
    result = run()
    return perf_counter() - began, result


class Ours:
    """This library on a device."""

    def __init__(self, a: Any, b: Any, w: Any, device: Any):
        self.x, self.y = (xp.from_host(one, device=device) for one in (a, b))
        self.w = xp.asarray(w, device=device)
        self.device = device

    def run(self, row: Row) -> Any:
        """Compute a row; the result as a host array."""
        result = row.compute(xp, self.x, self.y, self.w)
        xp.compute(result)
        xp.sync()
        return result


class ByHand(ABC):
    """CuPy or PyTorch with chunks on streams; all host memory is page-locked."""

    namespace: Any

    def __init__(self, a: Any, b: Any, w: Any, out: Any):
        self.a, self.b, self.out = a, b, out
        self.w = self.take(w)
        self.rows = max(1, CHUNK // (WIDTH * 4))

    def run(self, row: Row) -> Any:
        """Compute a row."""
        moments = None
        if row.first is not None:
            parts = [row.first(self.namespace, x) for _, x, _ in self.chunks(1)]
            moments = self.combined(_total, parts)
        found = []
        for part, x, y in self.chunks(1 if row.first or not row.writes or row.reads == 1 else row.reads):
            if moments is not None:
                result = row.chunk(self.namespace, x, moments, len(self.a))
            else:
                result = row.chunk(self.namespace, x, y, self.w)
            if row.writes:
                self.put(result, self.out[part])
            else:
                found.append(result)
            del result, x, y
        self.wait()
        return self.combined(row.combine, found) if found else self.out

    def chunks(self, reads: int) -> Iterator[tuple[slice, Any, Any]]:
        """The chunks on the device, each in the next stream, which is the current one meanwhile."""
        n = len(self.a)
        for number, start in enumerate(range(0, n, self.rows)):
            part = slice(start, min(start + self.rows, n))
            with self.stream(number % STREAMS):
                yield part, self.take(self.a[part]), self.take(self.b[part]) if reads == 2 else None

    @abstractmethod
    def stream(self, number: int) -> Any:
        """One of the streams, as a context manager in which it is the current one."""

    @abstractmethod
    def take(self, host: Any) -> Any:
        """Copy a host array to the device, in the current stream."""

    @abstractmethod
    def put(self, array: Any, out: Any) -> None:
        """Copy an array of the device into a host array, in the current stream."""

    @abstractmethod
    def wait(self) -> None:
        """Return when all is done."""

    def combined(self, combine: Any, parts: list[Any]) -> Any:
        """What parts of a result make together."""
        self.wait()
        result = combine(self.namespace, self.namespace.stack(parts))
        self.wait()
        return result


class CuPy(ByHand):
    """CuPy by hand."""

    def __init__(self, *arguments: Any):
        self.namespace = importlib.import_module("cupy")
        self._streams = [self.namespace.cuda.Stream(non_blocking=True) for _ in range(STREAMS)]
        super().__init__(*arguments)

    def stream(self, number: int) -> Any:
        return self._streams[number]

    def take(self, host: Any) -> Any:
        array = self.namespace.empty(host.shape, host.dtype)
        array.set(host, self.namespace.cuda.get_current_stream())
        return array

    def put(self, array: Any, out: Any) -> None:
        array.get(out=out, blocking=False)

    def wait(self) -> None:
        self.namespace.cuda.Device().synchronize()


class PyTorch(ByHand):
    """PyTorch by hand."""

    def __init__(self, *arguments: Any):
        self.namespace = importlib.import_module("torch")
        self.namespace.backends.cuda.matmul.allow_tf32 = False
        self._streams = [self.namespace.cuda.Stream() for _ in range(STREAMS)]
        super().__init__(*arguments)

    def stream(self, number: int) -> Any:
        return self.namespace.cuda.stream(self._streams[number])

    def take(self, host: Any) -> Any:
        return self.namespace.from_numpy(host).to("cuda", non_blocking=True)

    def put(self, array: Any, out: Any) -> None:
        self.namespace.from_numpy(out).copy_(array, non_blocking=True)

    def wait(self) -> None:
        self.namespace.cuda.synchronize()


class Copies:
    """A bare pipeline of copies: blocks go in on one stream and out on another, and wait for each other."""

    def __init__(self, a: Any, b: Any, out: Any):
        self._runtime: Any = importlib.import_module("cupy_backends.cuda.api.runtime")
        self._hosts = [one.reshape(-1).view(np.uint8) for one in (a, b, out)]
        self._in, self._out = (self._runtime.streamCreateWithFlags(1) for _ in range(2))
        self._memory = self._runtime.malloc(STREAMS * 3 * CHUNK)
        self._events = [[self._runtime.eventCreateWithFlags(2) for _ in range(STREAMS)] for _ in range(2)]

    def run(self, reads: int, writes: bool) -> None:
        """Copy: so many arrays in, and one out if there is a result."""
        runtime, (into, out) = self._runtime, self._events
        for number, start in enumerate(range(0, self._hosts[0].size, CHUNK)):
            turn = number % STREAMS
            nbytes = min(CHUNK, self._hosts[0].size - start)
            memory = [self._memory + (3 * turn + k) * CHUNK for k in range(3)]
            runtime.streamWaitEvent(self._in, out[turn])
            for k in range(reads):
                runtime.memcpyAsync(memory[k], self._hosts[k].ctypes.data + start, nbytes, 1, self._in)
            runtime.eventRecord(into[turn], self._in)
            if writes:
                runtime.streamWaitEvent(self._out, into[turn])
                runtime.memcpyAsync(self._hosts[2].ctypes.data + start, memory[2], nbytes, 2, self._out)
                runtime.eventRecord(out[turn], self._out)
        runtime.deviceSynchronize()

    def free(self) -> None:
        """Free the device's memory."""
        self._runtime.free(self._memory)


def figure(seconds: float, row: Row, nbytes: int) -> dict[str, float]:
    """A row's seconds, and GB/s over the link."""
    return {"seconds": round(seconds, 4), "GB/s": round((row.reads + row.writes) * nbytes / seconds / 1e9, 2)}


def ours(options: Any, a: Any, b: Any, w: Any, found: dict[str, Any]) -> dict[str, Any]:
    """This library's figures, and the results of reductions."""
    device = xp.from_host(np.zeros(1, np.float32), device=options.device).device
    results: dict[str, Any] = {}
    with xp.config.set(memory_limit=int(options.limit_gib * 2**30) if options.limit_gib else None):
        library: Ours | None = Ours(a, b, w, device)
        assert library is not None
        for name, row in ROWS.items():
            if name not in options.rows:
                continue
            runs = []
            result: Any = None
            for _ in range(3):
                result = None  # its memory is used again
                seconds, result = timed(partial(library.run, row))
                runs.append(seconds)
            if row.writes:
                check(name, row, result, a, b, w)
            else:
                results[name] = result.to_numpy()
            own = figure(min(runs[1:]), row, a.nbytes)
            own["first"] = round(runs[0], 4)
            found["rows"].setdefault(name, {})["arrayapi_gpu"] = own
            print(f"{name}: arrayapi_gpu {own}", file=sys.stderr, flush=True)
            del result
        found["peak bytes"], found["limit"] = xp.memory(device).peak, xp.memory(device).limit
        found["page-locked"] = bool(device.overlaps)
    library = None
    gc.collect()
    device.trim()
    return results


def check(name: str, row: Row, result: Any, a: Any, b: Any, w: Any) -> None:
    """Compare some rows of a result with NumPy."""
    host = np.asarray(result)
    for start in np.linspace(0, len(a) - 64, 7).astype(int):
        part = slice(start, start + 64)
        if name == "standardise":
            continue
        np.testing.assert_allclose(host[part], row.compute(np, a[part], b[part], w), rtol=2e-5, atol=1e-3, err_msg=name)
    if name == "standardise":
        assert abs(float(host[:: max(1, len(a) // 4096)].mean())) < 0.1


def same_bits(options: Any, a: Any, results: dict[str, Any]) -> bool | str:
    """Whether reductions have the bits of the same array in memory; a reason where it does not fit."""
    device = xp.from_host(np.zeros(1, np.float32), device=options.device).device
    if a.nbytes > device.memory // 2:
        return "the device has no room for the operand"
    x = xp.asarray(a, device=device, copy=True)
    return all(
        ROWS[name].compute(xp, x, None, None).to_numpy().tobytes() == value.tobytes() for name, value in results.items()
    )


def by_hand(options: Any, a: Any, b: Any, w: Any, found: dict[str, Any]) -> None:
    """The figures of bare copies, CuPy and PyTorch."""
    runtime: Any = importlib.import_module("cupy_backends.cuda.api.runtime")
    out = filled(len(a), 3)
    seconds = 0.0
    for host in (a, b, out):
        seconds += timed(partial(runtime.hostRegister, host.ctypes.data, host.nbytes, 1))[0]
    found["page-locking GB/s"] = round(3 * a.nbytes / seconds / 1e9, 1)
    copies = Copies(a, b, out)
    for name, row in ROWS.items():
        passes = [(1, False), (1, True)] if name == "standardise" else [(row.reads, row.writes)]
        seconds = min(sum(timed(partial(copies.run, *mix))[0] for mix in passes) for _ in range(2))
        found["rows"].setdefault(name, {})["copies"] = figure(seconds, row, a.nbytes)
    copies.free()
    library: ByHand | None
    for make in (CuPy, PyTorch):
        try:
            library = make(a, b, w, out)
        except ImportError:
            continue
        for name, row in ROWS.items():
            if name in options.rows:
                seconds = min(timed(partial(library.run, row))[0] for _ in range(2))
                found["rows"][name][make.__name__] = figure(seconds, row, a.nbytes)
        library = None
        gc.collect()
    for host in (a, b, out):
        runtime.hostUnregister(host.ctypes.data)


def main() -> None:
    """Parse the command line, measure, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.larger", description=__doc__)
    add = parser.add_argument
    add("--device", default=None, help="of ours (default: the default device)")
    add("--gib", type=float, default=0.75, help="GiB of x, y and a result of their shape together")
    add("--limit-gib", type=float, default=0, help="GiB of the device's memory that may be used (default: all)")
    add("--rows", nargs="+", default=[*ROWS], choices=[*ROWS], metavar="ROW", help=f"of {', '.join(ROWS)}")
    add("--output", type=Path, default=RESULTS / "larger.json", help="the JSON file")
    options = parser.parse_args()
    n = max(64, int(options.gib * 2**30 / 3) // (WIDTH * 4))
    seconds, (a, b) = timed(lambda: (filled(n, 1), filled(n, 2)))
    print(f"{2 * a.nbytes / 2**30:.1f} GiB filled in {seconds:.1f} s", file=sys.stderr, flush=True)
    w = np.random.default_rng(5).random((WIDTH, WIDTH), np.float32) / WIDTH
    device = xp.asarray(0, device=options.device).device
    found: dict[str, Any] = {"device": device.description, "GiB": 3 * a.nbytes / 2**30, "rows": {}}
    results = ours(options, a, b, w, found)
    found["bits equal to those in memory"] = same_bits(options, a, results)
    few = slice(0, max(1, NUMPY_BYTES // (WIDTH * 4)))
    for name in options.rows:
        row, (x, y) = ROWS[name], (a[few], b[few])
        best = min(timed(partial(row.compute, np, x, y, w))[0] for _ in range(2))
        found["rows"][name]["NumPy"] = figure(best, row, x.nbytes)
    if str(device).startswith("cuda"):
        by_hand(options, a, b, w, found)
    options.output.write_text(json.dumps(found, indent=1) + "\n")
    show(found)


def show(found: dict[str, Any]) -> None:
    """Print the table."""
    names = [name for name in ("arrayapi_gpu", "copies", "CuPy", "PyTorch", "NumPy")
             if any(name in row for row in found["rows"].values())]  # fmt: skip
    print({key: value for key, value in found.items() if key != "rows"})
    print("| GB/s over the link | " + " | ".join(names) + " | share of copies | first |")
    print("|---" * (len(names) + 3) + "|")
    for name, row in found["rows"].items():
        cells = [str(row[one]["GB/s"]) if one in row else "" for one in names]
        own = row.get("arrayapi_gpu", {})
        share = f"{own['GB/s'] / row['copies']['GB/s']:.2f}" if own and "copies" in row else ""
        print(f"| `{name}` | " + " | ".join(cells) + f" | {share} | {own.get('first', '')} s |")


if __name__ == "__main__":
    main()
