"""Time what libraries do, each in a process of its own."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.case import Case, inputs
from bench.libraries import Library, library, standard_namespace
from bench.report import saved

Run = Callable[[], object]

LEAST = 0.02  # seconds of a sample
SAMPLES = 7
SWEEP = range(10, 29, 2)  # log2 of the elements of what is drawn


def once(run: Run) -> tuple[float, object]:
    """The seconds of a single call, and its result."""
    start = perf_counter()
    result = run()
    return perf_counter() - start, result


def measure(
    run: Run,
    wait: Callable[[], None],
    least: float = LEAST,
    samples: int = SAMPLES,
    choose: Callable[[Iterable[float]], float] = statistics.median,
) -> float:
    """Seconds of one call, of which many are started before the last is waited for: the median of the samples, of
    ``least`` seconds and more each, or what else is chosen.

    Two calls come before (compilers, caches).
    """

    def sample(calls: int) -> float:
        began = perf_counter()
        for _ in range(calls):
            run()
        wait()
        return (perf_counter() - began) / calls

    sample(1)
    if (seconds := sample(1)) > 0.5:
        return seconds
    calls = max(2, round(least / sample(2)))
    sample(calls)
    return choose(sample(calls) for _ in range(samples))


def work(lib: Library, case: Case, size: int) -> Run | None:
    """What a library does for a case of 2^size elements; None if it cannot."""
    hosts = inputs(case.takes, size) if case.make is None else case.make(size)
    arrays = [lib.take(array) for array in hosts]
    if lib.expressions:
        names = dict(zip(case.takes, arrays, strict=True))
        return (lambda: lib.namespace.evaluate(case.numexpr, local_dict=names)) if case.numexpr else None
    compute = lib.compiled(case.instead.get(lib.spelling, case.compute))
    namespace = lib.namespace if case.make is None else standard_namespace(lib)
    if not case.waits:
        return lambda: compute(namespace, *arrays)
    return lambda: lib.start(compute(namespace, *arrays))


def one(name: str, cases: Sequence[Case], size: int, sweep: bool) -> dict[str, Any]:
    """What one library takes: its version, and seconds by case and size, or why it does not compute it."""
    lib = library(name)
    lib.patient(True)
    seconds: dict[str, dict[str, float | str]] = {}
    for case in cases:
        if name == "torch.compile" and not case.many:
            continue  # it takes seconds for each, and single operations are PyTorch's own
        whole = min(case.size, size)
        swept = sweep and case.swept and name not in ("torch.compile", "JAX")
        found: dict[str, float | str] = {}
        for elements in sorted({whole, *(SWEEP if swept else ())}):
            try:
                if (run := work(lib, case, elements)) is not None:
                    found[str(elements)] = measure(run, lib.wait, *_sampling(case))
            except Exception as error:  # a library without the function, or without the memory, is left out of a row
                found[str(elements)] = f"{type(error).__name__}: {error}"[:200]
        if found:
            seconds[case.name] = found
            print(f"{name}: {case.name}: {found[str(whole)]}", file=sys.stderr, flush=True)
    return {"version": lib.version, "seconds": seconds}


def _sampling(case: Case) -> tuple[float, int, Callable[[Iterable[float]], float]]:
    """The seconds of a sample, how many there are, and which counts."""
    if case.small:  # many short ones, because other processes take the processor now and then
        return LEAST / 20, 20 * SAMPLES, min
    return (LEAST / 2, SAMPLES // 2, min) if case.family else (LEAST, SAMPLES, statistics.median)


def merged(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What one library took in several rounds, not all of which had all cases: ``seconds`` are the medians of those in
    ``rounds``. A case that failed once has failed."""
    each: dict[str, dict[str, list[float | str]]] = {}
    for found in rounds:
        for name, times in found["seconds"].items():
            for size, time in times.items():
                each.setdefault(name, {}).setdefault(size, []).append(time)
    seconds = {name: {size: _median(times) for size, times in sizes.items()} for name, sizes in each.items()}
    return {"version": rounds[0]["version"], "seconds": seconds, "rounds": each}


def _median(times: Sequence[float | str]) -> float | str:
    failed = [time for time in times if isinstance(time, str)]
    return failed[0] if failed else statistics.median(time for time in times if not isinstance(time, str))


def in_turns(
    names: Sequence[str], rounds: int, module: Callable[[int], Sequence[str]], file: Path
) -> dict[str, dict[str, Any]]:
    """The results of all libraries, which take turns.

    ``module(turn)``: the module to run and its options; it is given ``--libraries NAME --one FILE`` and writes what
    `merged` takes. All results are written after each, so that what is measured stays if one does not end.
    """
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    results: dict[str, dict[str, Any]] = {}
    for turn in range(rounds):
        for name in reversed(names) if turn % 2 else names:
            with tempfile.TemporaryDirectory() as folder:
                own = Path(folder) / "one.json"
                command = [sys.executable, "-m", *module(turn), "--libraries", name, "--one", str(own)]
                if subprocess.run(command).returncode:
                    print(f"{name}: left out", file=sys.stderr)
                    continue
                found[name].append(json.loads(own.read_text()))
            results = {name: merged(several) for name, several in found.items() if several}
            saved(file, {"results": results})
    return results
