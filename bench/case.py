"""What is measured: one computation, and its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

Compute = Callable[..., Any]
HostArray = np.ndarray[Any, Any]

SMALL = 1000  # elements of small arrays
LONGEST = 28  # log2 of the elements of the longest input


@dataclass(frozen=True)
class Case:
    """One computation, ``compute(xp, *inputs)`` in any namespace.

    ``takes``: the names of its inputs, a letter each (see `inputs`). ``traffic``: bytes that have to be moved, each
    once, for each of the 2^size elements. ``flops``: operations for each product of a row and a column; of neither, a
    time is what counts. ``reach``: the target on an H200 in GB/s, ms, TFLOP/s, or, of small arrays, us. ``size``: log2
    of the most elements. ``waits``: a call ends when the result is there. ``many``: several operations that a compiler
    may fuse. ``swept``: drawn against the size. ``numexpr``: the same in numexpr's words, over the inputs' names.
    ``instead``: how libraries spell it whose functions differ from the standard's. ``make(size)``: its inputs, where no
    letters name them; such cases are in the standard's words. ``family``, ``against`` and ``along``: the sweep that a
    case is a point of, its place there, and the name of such places.
    """

    name: str
    compute: Compute
    takes: str = ""
    traffic: float = 0
    reach: float | None = None
    size: int = LONGEST
    small: bool = False
    flops: float = 0
    waits: bool = True
    many: bool = False
    swept: bool = False
    numexpr: str = ""
    instead: Mapping[str, Compute] = field(default_factory=dict)
    make: Callable[[int], list[HostArray]] | None = None
    family: str = ""
    against: float = 0
    along: str = "bytes of an element"

    def figure(self, seconds: float, size: int) -> float:
        """A time of 2^size elements, in the case's unit."""
        if self.small:
            return seconds * 1e6
        if self.flops:
            return self.flops * 2 ** (1.5 * size) / seconds / 1e12
        return self.traffic * 2**size / seconds / 1e9 if self.traffic else seconds * 1e3

    @property
    def unit(self) -> str:
        return "us" if self.small else "TFLOP/s" if self.flops else "GB/s" if self.traffic else "ms"


@cache
def _random(name: str, kind: str) -> HostArray:
    """The longest input of a name, of which all are parts: the same in every process."""
    source = np.random.default_rng(ord(name))
    if kind != "f":
        return source.integers(0, 1 << 26, 1 << 26, dtype="int64" if kind == "i" else "int32")
    return source.random(1 << LONGEST, dtype=np.float32)


def _stack(x: HostArray, rows: int) -> HostArray:
    """Small square matrices, whose lower triangles are those of positive definite ones."""
    return x.astype(np.float64).reshape(-1, rows, rows) + rows * np.eye(rows)


def inputs(names: str, size: int) -> list[HostArray]:
    """The inputs of these names, for 2^size elements."""
    n, edge = 1 << size, 1 << size // 2
    makers: dict[str, Callable[[], HostArray]] = {
        "x": lambda: _random("x", "f")[:n],
        "y": lambda: _random("y", "f")[:n],
        "X": lambda: makers["x"]()[: edge * edge].reshape(edge, edge),
        "L": lambda: np.where(np.tri(edge, dtype=bool), makers["X"](), -np.float32(np.inf)),
        "Z": lambda: makers["x"]()[: (n >> 18) << 18].reshape(-1, 256, 1024),
        "i": lambda: _random("i", "i")[:n] % n,
        "k": lambda: _random("k", "k")[:n],
        "m": lambda: makers["y"]() < 0.5,
        "u": lambda: makers["x"]().astype(np.float16),
        "v": lambda: makers["y"]().astype(np.float16),
        "U": lambda: makers["X"]().astype(np.float16),
        "D": lambda: makers["X"]().astype(np.float64),
        "O": lambda: _stack(makers["x"](), 8),
        "P": lambda: _stack(makers["x"](), 32),
        "Q": lambda: _stack(makers["x"](), 16),
        "R": lambda: _stack(makers["x"](), 64),
        "V": lambda: _stack(makers["x"](), 16) + 0j,
        "c": lambda: _random("x", "f")[: 2 * n].view(np.complex64),
        "C": lambda: makers["c"]().astype(np.complex128),
        "T": lambda: makers["c"]()[: edge * edge].reshape(edge, edge),
        "s": lambda: _random("x", "f")[:SMALL],
        "t": lambda: _random("y", "f")[:SMALL],
        "w": lambda: _random("x", "f")[:SMALL].copy(),  # which is written to
        "A": lambda: _random("x", "f")[: 30 * 30].reshape(30, 30),
        "B": lambda: makers["t"]() < 0.5,
        "j": lambda: _random("i", "i")[:SMALL] % SMALL,
    }
    return [makers[name]() for name in names]
