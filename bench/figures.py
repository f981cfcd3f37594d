"""`python -m bench thesis`: what the ancestors measured, measured here, on every device; see docs/ancestors.

Writes a JSON file. ``--draw`` draws the files of bench/results/ instead, for docs/.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from arrayapi_gpu.backends import devices, get_device
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from bench import containers, multilinear, thesis
from bench.report import RESULTS, saved

PICTURES = Path(__file__).parents[1] / "docs" / "ancestors" / "figures"


class Figure(NamedTuple):
    """What is measured, and how it is drawn."""

    measure: Callable[[Device], thesis.Curves]
    title: str
    across: str


FIGURES: dict[str, Figure] = {
    "order": Figure(thesis.order_reduction, "3.1: order reduction", "rank of the operands"),
    "specialisation": Figure(thesis.specialisation, "3.2: specialisation", "rank of the operands"),
    "asynchronous": Figure(thesis.asynchronous, "3.3: asynchronous launches", "log2 of the elements"),
    "geometry": Figure(thesis.geometry, "3.4: groups and grids", "work-items of a group"),
    "paper": Figure(thesis.paper, "A common n-dimensional array", "log2 of the elements"),
    "ranks": Figure(containers.ranks, "6.2: high ranks", "rank"),
    "resizing": Figure(containers.resizing, "6.4: resizing", "millions of doubles"),
    "transfers": Figure(containers.transfers, "Table 6.II: transfers of 100 MB", "portion"),
    "map": Figure(containers.map_over_parts, "6.6: a kernel over ten parts", "millions of doubles"),
    "multilinear": Figure(multilinear.compare, "6.8 to 6.11: multilinear algebra", "extent"),
}


def measured(device: Device, name: str) -> thesis.Curves:
    """The curves of a figure; none where it cannot be measured, which shall not cost the others."""
    start = perf_counter()
    try:
        with config.set(device=device.name, specialise="always", wait_for_compiler=True):
            return FIGURES[name].measure(device)
    except Exception:
        traceback.print_exc()
        return {}
    finally:
        print(f"{device.name} {name}: {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> None:
    """Parse the command line; measure and save, or draw."""
    parser = argparse.ArgumentParser(prog="python -m bench thesis", description=__doc__)
    add = parser.add_argument
    add("figures", nargs="*", metavar="FIGURE", help=f"of {', '.join(FIGURES)} (default: all)")
    add("--devices", nargs="+", metavar="D", help="such as cuda:0 (default: all)")
    add("--output", type=Path, help=f"the JSON file (default: thesis_cpu.json or thesis_gpu.json in {RESULTS.name}/)")
    add("--draw", nargs="*", type=Path, metavar="FILE", help="measure nothing: draw these files, or those there are")
    options = parser.parse_args(arguments)
    if unknown := set(options.figures) - FIGURES.keys():
        parser.error(f"no such figure: {', '.join(unknown)}; there are {', '.join(FIGURES)}")
    names = options.figures or list(FIGURES)
    if options.draw is not None:
        files = options.draw or sorted(RESULTS.glob("thesis_*.json"))
        for name in names:
            print(draw(name, [json.loads(file.read_text(encoding="utf-8"))["results"] for file in files], PICTURES))
        return
    chosen = [get_device(name) for name in options.devices] if options.devices else devices()
    kind = "gpu" if any(device.is_gpu for device in chosen) else "cpu"
    file = options.output or RESULTS / f"thesis_{kind}.json"
    results: dict[str, Any] = {device.name: {"version": device.description, "figures": {}} for device in chosen}
    for device in chosen:
        for name in names:
            if curves := measured(device, name):
                results[device.name]["figures"][name] = curves
            saved(file, {"results": results})  # after each, so that what is measured stays
    print(file)


def draw(name: str, files: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """A figure as a PNG file: a row of panels for each device."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = FIGURES[name]
    rows = [
        (result["version"], result["figures"][name])
        for results in files
        for result in results.values()
        if name in result["figures"]
    ]
    width = max(len(panels) for _, panels in rows)
    canvas, axes = pyplot.subplots(
        len(rows), width, figsize=(max(3.6 * width, 7), 3.0 * len(rows)), squeeze=False, layout="constrained"
    )
    for (version, panels), line in zip(rows, axes, strict=True):
        for axis, (panel, lines) in zip(line, panels.items(), strict=False):
            for label, points in lines.items():
                factor = 1 if panel == containers.BYTES else 1e3
                axis.plot(list(points), [factor * value for value in points.values()], marker=".", label=label)
            axis.set_yscale("linear" if panel == containers.BYTES else "log")
            axis.set_title(panel, fontsize="medium")
            axis.set_xlabel(figure.across)
            axis.grid(alpha=0.3)
        for axis in line[len(panels) :]:
            axis.remove()
        names = [re.sub(r" [\d.].*", "", part) for part in version.split(", ")[:2]]  # device and driver
        line[0].set_ylabel("\n".join([*names, "milliseconds"]), fontsize="small")
        shown = [(axis, list(lines)) for axis, lines in zip(line, panels.values(), strict=False)]
        for (axis, labels), (_, following) in zip(shown, [*shown[1:], (None, [])], strict=True):
            if labels != following:  # one legend for neighbours with the same lines
                axis.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.01, 1))
    canvas.suptitle(figure.title)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.png"
    canvas.savefig(path, dpi=80)
    pyplot.close(canvas)
    return path
