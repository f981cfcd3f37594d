"""The rows of the campaign, the figures to reach, and how long each runs."""

from __future__ import annotations

from . import (
    aliasing,
    cache,
    configurations,
    doors,
    faults,
    graphs,
    growth,
    indices,
    interrupts,
    memory,
    numbers,
    processes,
    programs,
    rounds,
    shared,
    sources,
    spills,
    threads,
)
from .row import Budget, Row

LONG = 10**9  # more cases than a row can try, so that seconds decide

_ROWS = (
    Row("T3", "random graphs: fused, unfused, other devices", "graphs", 10**4,
        Budget(LONG, 20), Budget(10**4, 10**5), graphs.run),
    Row("T4", "random programs against NumPy, fused and unfused", "programs", 10**5,
        Budget(10**3, 20), Budget(10**5, 10**5), programs.run),
    Row("T5", "hostile indices", "indices", 10**5,
        Budget(10**5, 10), Budget(10**5, 10**4), indices.run),
    Row("T10", "the end of the memory met, and large arrays changed in place", "recoveries", 1000,
        Budget(1000, 15), Budget(1000, 10**4), memory.run),
    Row("T11", "operations, one of 100 a new expression, and the memory of the process", "operations", 10**6,
        Budget(10**6, 20), Budget(10**6, 10**5), growth.run),
    Row("T12", "threads on shared and own arrays", "operations", 1,
        Budget(LONG, 5), Budget(LONG, 600), threads.run),
    Row("T13", "forks of a process with busy threads, and the other ways to start a process", "processes", 200,
        Budget(16, 20), Budget(200, 10**4), processes.run),
    Row("T14", "damage to cached kernels, killed processes, full disks", "cases", 800,
        Budget(16, 20), Budget(800, 10**5), cache.run),
    Row("T18", "memory shared with the host, and hostile DLPack producers", "cases of shared memory", 3000,
        Budget(LONG, 20), Budget(LONG, 10**4), shared.run),
    Row("T19", "calls of the driver that fail", "faults", 1000,
        Budget(1000, 20), Budget(10**4, 10**4), faults.run),
    Row("T22", "interrupts at random moments", "interrupts", 10**5,
        Budget(10**5, 20), Budget(10**5, 10**4), interrupts.run),
    Row("T23", "whole programs again and again, and the memory of process and device", "rounds", 10**4,
        Budget(LONG, 60), Budget(10**4, 10**5), rounds.run),
    Row("T24", "random programs in full memory, where every array moves that may", "programs", 10**4,
        Budget(10**3, 20), Budget(10**4, 10**5), spills.run),
    Row("T25", "numbers with arrays, in every function that takes both, against NumPy", "calls", 10**5,
        Budget(LONG, 20), Budget(10**5, 10**5), numbers.run),
    Row("T26", "NumPy's functions in odd ways, against NumPy", "calls", 2 * 10**4,
        Budget(LONG, 20), Budget(2 * 10**4, 10**4), doors.run),
    Row("T27", "views and elements, and writes through either side, against NumPy", "cases", aliasing.COUNT,
        Budget(LONG, 20), Budget(LONG, 10**5), aliasing.run),
    Row("T28", "random programs over sources that are no memory", "programs", 3000,
        Budget(10**3, 20), Budget(3000, 10**5), sources.run),
    Row("T29", "threads and tasks with blocks of configuration", "blocks", 10**5,
        Budget(LONG, 20), Budget(10**4, 10**4), configurations.run),
)  # fmt: skip

ROWS: dict[str, Row] = {row.name: row for row in _ROWS}
