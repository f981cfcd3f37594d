"""Turn measurements into a table, a JSON file and a plot."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import cpu_count
from pathlib import Path
from typing import Any

from bench.case import Case
from bench.libraries import Library
from bench.measure import Timing

RESULTS = Path(__file__).parent / "results"
OURS = "arrayapi_gpu"


@dataclass(frozen=True)
class Row:
    """One case with everybody's time."""

    case: Case
    times: dict[str, Timing]

    def faster(self, name: str) -> float:
        """Return how many times NumPy's speed a library has."""
        return self.times["NumPy"].median / self.times[name].median


def table(group: str, rows: Sequence[Row], intel: bool) -> str:
    """Return the rows as text: median (least) times, speed beside NumPy's, target, bandwidth."""
    others = [name for name in _names(rows) if name not in {"NumPy", OURS}]
    head = [group, "NumPy", OURS, "x NumPy", "to reach", "GB/s", *others]
    body = []
    for row in rows:
        ours = row.times[OURS]
        bandwidth = f"{row.case.traffic / ours.median / 1e9:.1f}" if row.case.traffic else ""
        body.append(
            [
                row.case.name,
                _both(row.times["NumPy"]),
                _both(ours),
                f"{row.faster(OURS):.2f}",
                target_text(row.case, intel),
                bandwidth,
                *(f"{row.faster(n):.2f} x" if n in row.times else "" for n in others),
            ]
        )
    return columns(head, body)


def columns(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table as text, the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, ["-" * width for width in widths], *body]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines)


def target_text(case: Case, intel: bool) -> str:
    """Return what TARGETS.md asks for, on this device where it tells two apart."""
    if case.seconds is not None:
        return _duration(case.seconds)
    return f"{case.faster[intel]:g}" if case.faster else ""


def save(groups: dict[str, list[Row]], libraries: Sequence[Library]) -> Path:
    """Write everything measured as JSON; return the file's path."""
    facts = {
        "versions": {library.name: library.version for library in libraries},
        "seconds": {
            group: {row.case.name: {name: time._asdict() for name, time in row.times.items()} for row in rows}
            for group, rows in groups.items()
        },
    }
    return saved(RESULTS / "bench.json", facts)


def saved(path: Path, facts: Mapping[str, Any]) -> Path:
    """Write facts as JSON, with the date and the machine; return the file's path."""
    system = f"{platform.system()} {platform.machine()}"
    machine = {"system": system, "cores": cpu_count(), "python": platform.python_version()}
    path.parent.mkdir(parents=True, exist_ok=True)
    everything = {"date": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine, **facts}
    path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    return path


def plot(groups: dict[str, list[Row]], device: str, intel: bool) -> Path | None:
    """Draw speed beside NumPy's, with the targets; None where matplotlib is not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    figure, axes = pyplot.subplots(
        len(groups),
        figsize=(9, 1.2 + 0.55 * sum(map(len, groups.values()))),
        height_ratios=[len(rows) for rows in groups.values()],
        squeeze=False,
        sharex=True,
        layout="constrained",
    )
    for axis, (group, rows) in zip(axes[:, 0], groups.items(), strict=True):
        names = [name for name in _names(rows) if name != "NumPy"]
        height = 0.8 / len(names)
        for place, name in enumerate(names):
            timed = [(i, row.faster(name)) for i, row in enumerate(rows) if name in row.times]
            at = [i + (place - (len(names) - 1) / 2) * height for i, _ in timed]
            # From 1, NumPy's speed, to the right or to the left.
            axis.barh(at, [speed - 1 for _, speed in timed], height, left=1, label=name)
        goals = [(i, row.case.faster[intel]) for i, row in enumerate(rows) if row.case.faster]
        if goals:
            places, speeds = zip(*goals, strict=True)
            axis.plot(speeds, places, "k|", ms=18, label="to reach")
        axis.axvline(1, color="grey", linewidth=0.8)
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter("{x:g}")
        axis.set_yticks(range(len(rows)), [row.case.name for row in rows])
        axis.invert_yaxis()
        axis.set_title(group, loc="left")
        axis.legend(fontsize="small")
    axes[-1, 0].set_xlabel(f"times NumPy's speed, on {device}")
    path = RESULTS / "bench.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    return path


def _names(rows: Sequence[Row]) -> list[str]:
    """Return the libraries that computed any of the rows, in their order."""
    return list(dict.fromkeys(name for row in rows for name in row.times))


def _both(time: Timing) -> str:
    return f"{_duration(time.median)} ({_duration(time.best).split()[0]})"


def _duration(seconds: float) -> str:
    """Return a time with three figures, in us, ms or s."""
    for unit, factor in (("us", 1e6), ("ms", 1e3)):
        if seconds * factor < 1000:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"
