"""Turn measurements into a table, a JSON file and a plot.

Results are those of `measure.merged`, by library.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from typing import Any

from bench.case import Case

RESULTS = Path(__file__).parent / "results"

Results = Mapping[str, Mapping[str, Any]]


def columns(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table as text, the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)


def cell(case: Case, size: int, result: Mapping[str, Any], beside: float | None) -> str:
    """A library's figure of a case; how many times the speed of ``beside`` (seconds) that is; and half the distance
    between the least and the largest of several rounds."""
    found = result["seconds"].get(case.name, {}).get(str(size), "")
    if isinstance(found, str):
        return "-"
    times = result["rounds"][case.name][str(size)]
    faster = f" {beside / found:.2f}x" if beside else ""
    spread = f" ±{50 * (max(times) - min(times)) / found:.1f} %" if len(times) > 1 else ""
    return f"{case.figure(found, size):.4g}{faster}{spread}"


def table(cases: Sequence[Case], size: int, results: Results) -> str:
    """The figures of all libraries, a row each, beside NumPy's where it was measured, with the target on an H200."""
    body = []
    for case in cases:
        own = min(case.size, size)
        numpy = results.get("NumPy", {"seconds": {}})["seconds"].get(case.name, {}).get(str(own))
        beside = {name: numpy if name != "NumPy" and isinstance(numpy, float) else None for name in results}
        cells = [cell(case, own, result, beside[name]) for name, result in results.items()]
        body.append([case.name, case.unit, *cells, "" if case.reach is None else f"{case.reach:g}"])
    return columns(["", "unit", *results, "to reach (H200)"], body)


def saved(path: Path, facts: Mapping[str, Any]) -> Path:
    """Write facts as JSON, with the date and the machine; return the file's path."""
    system = f"{platform.system()} {platform.machine()}"
    machine = {"system": system, "cores": cpu_count(), "python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    everything = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine, **facts}
    path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    return path


def plot(cases: Sequence[Case], results: Results, path: Path) -> Path | None:
    """Bandwidth against size of the swept cases; None where nothing was swept or matplotlib is not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    found = [result["seconds"] for result in results.values()]
    swept = [case for case in cases if case.swept and any(len(seconds.get(case.name, {})) > 1 for seconds in found)]
    if not swept:
        return None
    figure, axes = pyplot.subplots(
        1, len(swept), figsize=(3.2 * len(swept), 3.6), sharey=True, squeeze=False, layout="constrained"
    )
    for axis, case in zip(axes[0], swept, strict=True):
        for name, result in results.items():
            times = result["seconds"].get(case.name, {})
            points = [(int(size), case.figure(t, int(size))) for size, t in times.items() if not isinstance(t, str)]
            if points:
                axis.plot(*zip(*points, strict=True), marker=".", label=name)
        axis.set_yscale("log")
        axis.set_title(case.name)
        axis.set_xlabel("log2 of the elements")
        axis.grid(alpha=0.3)
    axes[0, 0].set_ylabel("GB/s of necessary traffic")
    axes[0, 0].legend(fontsize="small")
    figure.savefig(path, dpi=110)
    return path
