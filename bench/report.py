"""Turn measurements into a table, a JSON file and a plot.

Results are those of `measure.merged`, by library.
"""

from __future__ import annotations

import json
import platform
import statistics
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from typing import Any

from bench.case import Case
from bench.libraries import PEERS

RESULTS = Path(__file__).parent / "results"

Results = Mapping[str, Mapping[str, Any]]
Curve = list[tuple[float, float]]

LEAST_OF_THE_BEST = 0.6  # the part of the best other library's speed below which a case is named
COLUMNS, MANY_COLUMNS = 6, 8  # of a picture, and of one with more parts than columns
PLACES = 3  # of a family that is drawn, at least


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


def behind(cases: Sequence[Case], size: int, results: Results, name: str) -> list[str]:
    """The cases in which this library's device has less than `LEAST_OF_THE_BEST` of the fastest peer's speed."""
    lines = []
    for case in cases:
        times = {
            library: seconds
            for library, result in results.items()
            if isinstance(seconds := result["seconds"].get(case.name, {}).get(str(min(case.size, size))), float)
        }
        others = {library: times[library] for library in times if library in PEERS}
        if name in times and others:
            best = min(others, key=others.__getitem__)
            if others[best] < LEAST_OF_THE_BEST * times[name]:
                lines.append(f"{others[best] / times[name]:.2f} of {best}: {case.name}")
    return lines


def _curves(cases: Sequence[Case], results: Results) -> dict[tuple[str, str], dict[str, Curve]]:
    """What is drawn, by its title and its axis, a curve a library: figures of swept cases against the size, and of
    families against what their cases differ in."""
    found: dict[tuple[str, str], dict[str, Curve]] = {}
    for case in cases:
        for name, result in results.items():
            times = {int(size): t for size, t in result["seconds"].get(case.name, {}).items() if not isinstance(t, str)}
            if case.family and case.traffic:
                axis = case.family, case.along
                points = [(case.against, case.figure(t, size)) for size, t in times.items()]
            elif case.swept and len(times) > 1:
                axis, points = (case.name, "log2 of the elements"), [(s, case.figure(t, s)) for s, t in times.items()]
            else:
                continue
            found.setdefault(axis, {}).setdefault(name, []).extend(points)
    return {
        axis: lines
        for axis, lines in found.items()
        if any(len({place for place, _ in points}) >= PLACES for points in lines.values())
    }


def plot(cases: Sequence[Case], results: Results, path: Path) -> Path | None:
    """Bandwidth against size of the swept cases, and of families; None where there are none, or without matplotlib."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    curves = _curves(cases, results)
    if not curves:
        return None
    many = len(curves) > COLUMNS
    wide = min(len(curves), MANY_COLUMNS if many else COLUMNS)
    high = -(-len(curves) // wide)
    size, text = ((2.2, 2.1), 7) if many else ((3.2, 3.6), 10)
    pyplot.rcParams["font.size"] = text
    figure, axes = pyplot.subplots(
        high, wide, figsize=(size[0] * wide, size[1] * high), sharey="row", squeeze=False, layout="constrained"
    )
    for axis in axes.flat[len(curves) :]:
        axis.set_visible(False)
    for axis, ((title, label), lines) in zip(axes.flat, curves.items(), strict=False):
        for name, points in lines.items():
            dots = axis.plot(*zip(*points, strict=True), linestyle="", marker=".", markersize=0.5 * text, label=name)
            axis.plot(*zip(*_line(points), strict=True), color=dots[0].get_color(), linewidth=0.15 * text)
        axis.set_yscale("log")
        axis.set_title(title)
        axis.set_xlabel(label)
        axis.grid(alpha=0.3)
    for row in axes:
        row[0].set_ylabel("GB/s of necessary traffic")
    axes[0, 0].legend(fontsize="small")
    figure.savefig(path, dpi=110 if high == 1 else 80)
    return path


def _line(points: Curve) -> Curve:
    """One point for each place: the median of those there."""
    places = sorted({place for place, _ in points})
    return [(place, statistics.median(figure for at, figure in points if at == place)) for place in places]
