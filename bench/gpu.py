"""`python -m bench.gpu`: the work of a large GPU, side by side with CuPy, PyTorch, torch.compile and JAX.

Every library computes in a process of its own, one after the other, so that none holds memory that another wants; all
take the same inputs. Two processes of one library differ, by the memory they get and the state of the machine: with
several rounds the libraries take turns, and the table says how far the rounds are apart. Prints a table, writes JSON,
and draws bandwidth against size.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.elementwise import expression
from bench.libraries import PEERS, Compute, Library, library
from bench.report import RESULTS, columns, saved

LEAST = 0.02  # seconds of a sample
SAMPLES = 7
SMALL = 1000

PEERS_OF_GPUS = ("CuPy", "PyTorch", "torch.compile", "JAX")


@dataclass(frozen=True)
class Row:
    """One computation over named inputs (see `inputs`).

    ``traffic``: bytes that have to be moved for each of the 2^``size`` elements, 0 where a time is what counts;
    ``flops``: operations in all, for a given edge of a matrix. ``reach``: the target in GB/s, ms, TFLOP/s, or, of small
    arrays, us. ``many``: several operations that a compiler may fuse. ``instead``: how libraries spell it whose
    functions differ from the standard's.
    """

    name: str
    compute: Compute
    takes: str
    traffic: float = 0
    reach: float | None = None
    size: int = 28
    small: bool = False
    flops: float = 0
    swept: bool = False
    many: bool = False
    instead: Mapping[str, Compute] = field(default_factory=dict)

    def figure(self, seconds: float, size: int) -> float:
        """What is compared with the target."""
        if self.small:
            return seconds * 1e6
        if self.flops:
            return self.flops / seconds / 1e12
        return self.traffic * 2**size / seconds / 1e9 if self.traffic else seconds * 1e3

    @property
    def unit(self) -> str:
        return "us" if self.small else "TFLOP/s" if self.flops else "GB/s" if self.traffic else "ms"


def _softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def _standardise(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, axis=1, keepdims=True)) / xp.std(x, axis=1, keepdims=True)


def _torch_softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.amax(x, 1, keepdim=True))
    return e / xp.sum(e, 1, keepdim=True)


def _torch_standardise(xp: Any, x: Any) -> Any:
    return (x - xp.mean(x, 1, keepdim=True)) / xp.std(x, 1, correction=0, keepdim=True)


def _torch_var(axis: int | None) -> Mapping[str, Compute]:
    return {"torch": lambda xp, x: xp.var(x, axis, correction=0)}


ROWS = (
    Row("x + y", lambda xp, x, y: x + y, "xy", 12, 4300, swept=True),
    Row("x + y, float16", lambda xp, x, y: x + y, "uv", 6),
    Row("exp(x)", lambda xp, x: xp.exp(x), "x", 8, 4200, swept=True),
    Row("exp(x), float16", lambda xp, x: xp.exp(x), "u", 4),
    Row("x[::2] + y[::2]", lambda xp, x, y: x[::2] + y[::2], "xy", 10, 4100),
    Row("X + Y[0]", lambda xp, x: x + x[0], "X", 8, 4200),
    Row(
        "copy of X.T",
        lambda xp, x: xp.reshape(x.T, (-1,)),
        "X",
        8,
        3600,
        instead={"torch": lambda xp, x: x.T.contiguous(), "cupy": lambda xp, x: xp.ascontiguousarray(x.T)},
    ),
    Row("X + X.T", lambda xp, x: x + x.T, "X", 8, 2900),
    Row("expression", expression, "xy", 12, 4200, 26, swept=True, many=True),
    Row("sum(x)", lambda xp, x: xp.sum(x), "x", 4, 4400, swept=True),
    Row("sum(X, axis=0)", lambda xp, x: xp.sum(x, axis=0), "X", 4, 4300),
    Row("sum(X, axis=1)", lambda xp, x: xp.sum(x, axis=1), "X", 4, 4500),
    Row("sum(X3, axis=1)", lambda xp, x: xp.sum(x, axis=1), "Z", 4, 4350),
    Row("argmax(x)", lambda xp, x: xp.argmax(x), "x", 4, 4300),
    Row("var(x)", lambda xp, x: xp.var(x), "x", 4, many=True, instead=_torch_var(None)),
    Row("var(X, axis=0)", lambda xp, x: xp.var(x, axis=0), "X", 4, many=True, instead=_torch_var(0)),
    Row("var(X, axis=1)", lambda xp, x: xp.var(x, axis=1), "X", 4, many=True, instead=_torch_var(1)),
    Row("softmax of rows", _softmax, "X", 8, many=True, instead={"torch": _torch_softmax}),
    Row("softmax of rows, half masked", _softmax, "L", 8, many=True, instead={"torch": _torch_softmax}),
    Row("softmax of rows, float16", _softmax, "U", 4, many=True, instead={"torch": _torch_softmax}),
    Row("standardised rows", _standardise, "X", 8, many=True, instead={"torch": _torch_standardise}),
    Row(
        "cumulative_sum(x)",
        lambda xp, x: xp.cumulative_sum(x),
        "x",
        8,
        3800,
        swept=True,
        instead={"torch": lambda xp, x: xp.cumsum(x, 0), "cupy": lambda xp, x: xp.cumsum(x)},
    ),
    Row("sort", lambda xp, x: xp.sort(x), "x", 0, 1.8, 26),
    Row("argsort", lambda xp, x: xp.argsort(x), "x", 0, 3.0, 26),
    Row(
        "unique values of int32",
        lambda xp, k: xp.unique_values(k),
        "k",
        0,
        1.3,
        26,
        instead={"torch": lambda xp, k: xp.unique(k), "cupy": lambda xp, k: xp.unique(k)},
    ),
    Row("x[index], random int64", lambda xp, x, i: xp.take(x, i), "xi", 0, 1.7, 26),
    Row("x[mask], half true", lambda xp, x, m: x[m], "xm", 0, 0.30, 26),
    Row("matrix product 8192, float32", lambda xp, a: a @ a, "a", reach=51, flops=2 * 8192**3),
    Row("matrix product 8192, float64", lambda xp, d: d @ d, "d", reach=58, flops=2 * 8192**3),
    Row("matrix product 8192, float16", lambda xp, h: h @ h, "h", reach=794, flops=2 * 8192**3),
    Row("fft, 2^26 complex64", lambda xp, c: xp.fft.fft(c), "c", 0, 1.01, 26),
    Row("expression, 1,000 elements", expression, "st", reach=30, small=True, many=True),
    Row("x + y, 1,000 elements", lambda xp, x, y: x + y, "st", reach=10, small=True),
    Row("sum(x), 1,000 elements", lambda xp, x: xp.sum(x), "s", reach=9, small=True),
    Row("x[10:500]", lambda xp, x: x[10:500], "s", reach=1.4, small=True),
)


@cache
def _random(name: str, kind: str) -> Any:
    """The longest input of a name, of which all are parts: the same in every process."""
    source = np.random.default_rng(ord(name))
    if kind == "i":
        return source.integers(0, 1 << 26, 1 << 26)
    if kind == "k":
        return source.integers(0, 1 << 26, 1 << 26, dtype=np.int32)
    return source.random(1 << 28, dtype=np.float32)


def inputs(names: str, size: int) -> list[Any]:
    """The inputs of these names, for 2^size elements."""
    n, edge = 1 << size, 1 << size // 2
    makers: dict[str, Callable[[], Any]] = {
        "x": lambda: _random("x", "f")[:n],
        "y": lambda: _random("y", "f")[:n],
        "X": lambda: _random("x", "f")[: edge * edge].reshape(edge, edge),
        "L": lambda: np.where(np.tri(edge, dtype=bool), makers["X"](), -np.float32(np.inf)),
        "Z": lambda: _random("x", "f")[: (n >> 18) << 18].reshape(-1, 256, 1024),
        "i": lambda: _random("i", "i")[:n] % n,
        "m": lambda: _random("y", "f")[:n] < 0.5,
        "k": lambda: _random("k", "k")[:n],
        "u": lambda: _random("x", "f")[:n].astype(np.float16),
        "U": lambda: makers["X"]().astype(np.float16),
        "v": lambda: _random("y", "f")[:n].astype(np.float16),
        "a": lambda: _random("x", "f")[: 8192 * 8192].reshape(8192, 8192),
        "d": lambda: makers["a"]().astype(np.float64),
        "h": lambda: makers["a"]().astype(np.float16),
        "c": lambda: _random("x", "f")[: 2 * n].view(np.complex64),
        "s": lambda: _random("x", "f")[:SMALL],
        "t": lambda: _random("y", "f")[:SMALL],
    }
    return [makers[name]() for name in names]


# --- measuring ---


def measure(lib: Library, run: Callable[[], Any]) -> float:
    """Seconds of one call, of which many are started before the last is waited for: the median of the samples."""

    def sample(calls: int) -> float:
        began = perf_counter()
        for _ in range(calls):
            lib.start(run())
        lib.wait()
        return (perf_counter() - began) / calls

    sample(1)
    if (seconds := sample(1)) > 0.5:
        return seconds
    calls = max(2, round(LEAST / sample(2)))
    sample(calls)
    return statistics.median(sample(calls) for _ in range(SAMPLES))


def one(name: str, rows: list[Row], sweep: bool) -> dict[str, Any]:
    """Everything one library computes: its version, and seconds by row and size, or why it does not."""
    lib = library(name)
    compiles = name in ("torch.compile", "JAX")
    seconds: dict[str, dict[str, float | str]] = {}
    for row in rows:
        if name == "torch.compile" and not row.many:
            continue  # it takes seconds for each, and single operations are PyTorch's own
        sizes = sorted({*range(10, 29, 2), row.size}) if sweep and row.swept and not compiles else [row.size]
        compute = lib.compiled(row.instead.get(lib.spelling, row.compute))
        found = seconds[row.name] = {}
        for size in sizes:
            try:
                arrays = [lib.take(array) for array in inputs(row.takes, size)]
                found[str(size)] = measure(lib, lambda c=compute, a=arrays: c(lib.namespace, *a))  # type: ignore[misc]
            except Exception as error:  # a library without the function, or without the memory, is left out of a row
                found[str(size)] = f"{type(error).__name__}: {error}"[:200]
            arrays = []
        print(f"{name}: {row.name}: {found[str(row.size)]}", file=sys.stderr, flush=True)
    return {"version": lib.version, "seconds": seconds}


def merged(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """What one library took in several rounds, not all of which had all rows: ``seconds`` are the medians of those in
    ``rounds``. A row that failed once has failed."""
    each: dict[str, dict[str, list[float | str]]] = {}
    for found in rounds:
        for name, times in found["seconds"].items():
            for size, time in times.items():
                each.setdefault(name, {}).setdefault(size, []).append(time)
    seconds = {
        name: {
            size: next((time for time in times if isinstance(time, str)), None) or statistics.median(times)  # type: ignore[type-var]
            for size, times in sizes.items()
        }
        for name, sizes in each.items()
    }
    return {"version": rounds[0]["version"], "seconds": seconds, "rounds": each}


def cell(row: Row, result: Mapping[str, Any]) -> str:
    """A library's figure of a row; after it half the distance between the least and the largest of several rounds."""
    size = str(row.size)
    found = result["seconds"].get(row.name, {}).get(size, "")
    if isinstance(found, str):
        return "-"
    times = result["rounds"][row.name][size]
    spread = f" ±{50 * (max(times) - min(times)) / found:.1f} %" if len(times) > 1 else ""
    return f"{row.figure(found, row.size):.4g}{spread}"


def table(rows: list[Row], results: Mapping[str, Any]) -> str:
    """The figures of all libraries, a row each, with the target."""
    head = ["", "unit", *results, "to reach"]
    body = []
    for row in rows:
        cells = [cell(row, result) for result in results.values()]
        body.append([row.name, row.unit, *cells, "" if row.reach is None else f"{row.reach:g}"])
    return columns(head, body)


def plot(rows: list[Row], results: Mapping[str, Any], path: Path) -> Path | None:
    """Bandwidth against size of the swept rows; None where nothing was swept or matplotlib is not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    found = [result["seconds"] for result in results.values()]
    swept = [row for row in rows if row.swept and any(len(seconds.get(row.name, {})) > 1 for seconds in found)]
    if not swept:
        return None
    figure, axes = pyplot.subplots(
        1, len(swept), figsize=(3.2 * len(swept), 3.6), sharey=True, squeeze=False, layout="constrained"
    )
    for axis, row in zip(axes[0], swept, strict=True):
        for name, result in results.items():
            times = result["seconds"].get(row.name, {})
            points = [(int(size), row.figure(t, int(size))) for size, t in times.items() if not isinstance(t, str)]
            if points:
                axis.plot(*zip(*points, strict=True), marker=".", label=name)
        axis.set_yscale("log")
        axis.set_title(row.name)
        axis.set_xlabel("log2 of the elements")
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("GB/s of necessary traffic")
    axes[0, 0].legend(fontsize="small")
    figure.savefig(path, dpi=110)
    return path


def main() -> None:
    """Parse the command line, measure each library in its own process, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu", description=__doc__)
    parser.add_argument("libraries", nargs="*", help=f"{', '.join(PEERS)}, or devices of ours such as cuda:0")
    parser.add_argument("--rows", default="", metavar="TEXT", help="only rows whose name contains TEXT (several: A|B)")
    parser.add_argument("--sweep", action="store_true", help="in the first round, sizes 2^10 to 2^28 of what is drawn")
    parser.add_argument("--rounds", type=int, default=1, help="how often the libraries take turns")
    parser.add_argument("--size", type=int, help="2^SIZE elements for every row (to try it on a small machine)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder of gpu.json and gpu.png")
    parser.add_argument("--one", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    words = options.rows.split("|")
    rows = [row for row in ROWS if any(word in row.name for word in words)]
    if options.size:
        rows = [replace(row, size=options.size) for row in rows]
    if options.one:
        Path(options.one).write_text(json.dumps(one(options.libraries[0], rows, options.sweep)))
        return

    names = options.libraries or [*PEERS_OF_GPUS, *_devices()]
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    results: dict[str, Any] = {}
    file = options.output / "gpu.json"
    for turn in range(options.rounds):
        for name in reversed(names) if turn % 2 else names:
            found = _apart(name, options.rows, options.sweep and not turn, options.size)
            if found is None:
                print(f"{name}: left out", file=sys.stderr)
            else:
                rounds[name].append(found)
            results = {name: merged(found) for name, found in rounds.items() if found}
            saved(file, {"results": results})  # what is measured stays, should the next library not end
    print(table(rows, results))
    print(f"\nfigures: {file}")
    if picture := plot(rows, results, options.output / "gpu.png"):
        print(f"plot:    {picture}")


def _apart(name: str, rows: str, sweep: bool, size: int | None) -> dict[str, Any] | None:
    """What `one` gives in a process of its own; None where that fails."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "one.json"
        command = [sys.executable, "-m", "bench.gpu", name, "--rows", rows, "--one", str(own)]
        command += ["--sweep"] * sweep + ([] if size is None else ["--size", str(size)])
        if subprocess.run(command, env=os.environ).returncode:
            return None
        found: dict[str, Any] = json.loads(own.read_text())
        return found


def _devices() -> list[str]:
    """Our devices that are GPUs."""
    from arrayapi_gpu.backends import devices

    return [str(device) for device in devices() if not device.host_shared]


if __name__ == "__main__":
    main()
