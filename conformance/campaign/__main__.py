"""`python -m conformance.campaign`: see `--help`. Exit status: 0 without a fault, 1 with one, 2 without a device."""

from __future__ import annotations

import argparse
import dataclasses
import faulthandler
import json
import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from arrayapi_gpu import backends

from .. import VARIABLES
from ..where import BACKENDS
from .row import SHOWN, Budget, Outcome
from .rows import ROWS

NO_DRIVER = 2  # the rank of a device without one, after which come those that cannot compile
PATIENCE = 240.0  # seconds beyond its budget after which a row counts as hanging


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.campaign",
        description="Try what must never happen: one line a row and device, and each fault with its reproducer.",
        epilog="Exit status: 0 without a fault, 1 with one, 2 without a device.",
    )
    add = parser.add_argument
    add("--row", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="T", help="these rows (default: all)")
    add("--device", nargs="+", metavar="D", help="these devices (default: all)")
    add("--full", action="store_true", help="run until the figures of the table are reached, which takes hours")
    add("--count", type=int, metavar="N", help="cases a row")
    add("--seconds", type=float, metavar="S", help="time a row")
    add("--seed", type=int, default=0, metavar="N", help="from which the cases are made (%(default)s)")
    add("--first", type=int, default=0, metavar="N", help="number of the first case (%(default)s)")
    add("--json", type=Path, metavar="FILE", help="write the figures to a file")
    add("--add", type=Path, metavar="FILE", help="add the figures to a file's, those of one driver together")
    add("--here", action="store_true", help="run in this process; else each row has its own")
    return parser.parse_args(arguments)


def run_here(name: str, device: str, budget: Budget, seed: int) -> Outcome:
    """Run a row in this process."""
    faulthandler.dump_traceback_later(budget.seconds + PATIENCE, exit=True)
    try:
        return ROWS[name].run(backends.get_device(device), budget, seed)
    finally:
        faulthandler.cancel_dump_traceback_later()


def run_apart(name: str, device: str, budget: Budget, seed: int) -> Outcome:
    """Run a row in a process of its own. That the process dies, or hangs, is a fault."""
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        file = Path(folder, "outcome.json")
        options = [
            "--row", name, "--device", device, "--seed", str(seed), "--first", str(budget.first),
            "--count", str(budget.count), "--seconds", str(budget.seconds), "--json", str(file),
        ]  # fmt: skip
        command = [sys.executable, "-m", __package__, "--here", *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=budget.seconds + PATIENCE + 60)
            said, status = done.stderr, f"ended with status {done.returncode}"
        except subprocess.TimeoutExpired as error:
            said, status = str(error.stderr), "hangs"
        try:
            (record,) = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Outcome(0, [f"the process {status}: {said[-2000:]}"])
    return Outcome(record["done"], record["faults"], record["notes"])


def line(name: str, device: str, outcome: Outcome, before: int = 0) -> str:
    """What is printed of a row: what was done, how many, faults, the figure to reach, and whether it is."""
    row = ROWS[name]
    done = outcome.done + before
    reached = "reached" if done >= row.figure and not outcome.faults else "not reached"
    notes = "".join(f"; {note}" for note in outcome.notes)
    return (
        f"{name} {device}: {row.what}: {done:,} {row.unit}, {len(outcome.faults)} faults; "
        f"figure {row.figure:,}: {reached}{notes}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the rows on the devices, print their lines, return the exit status."""
    options = parse(arguments)
    for name, value in VARIABLES.items():  # of the rows' processes, too
        os.environ.setdefault(name, value)
    names = options.device or [str(device) for device in backends.devices() if device.rank <= NO_DRIVER]
    if not names:
        print("No device is present: python -m arrayapi_gpu says what to install", file=sys.stderr)
        return 2
    known: list[dict[str, Any]] = []
    if options.add is not None and options.add.exists():
        known = json.loads(options.add.read_text(encoding="utf-8"))
    records, faults = [], 0
    for device in names:
        found = backends.get_device(device)
        driver = getattr(found, "platform", BACKENDS.get(found.name.partition(":")[0], found.name))
        for name in options.row:
            budget = ROWS[name].full if options.full else ROWS[name].short
            budget = Budget(
                budget.count if options.count is None else options.count,
                budget.seconds if options.seconds is None else options.seconds,
                options.first,
            )
            outcome = (run_here if options.here else run_apart)(name, device, budget, options.seed)
            before = sum(record["done"] for record in known if (record["row"], record["driver"]) == (name, driver))
            print(line(name, device, outcome, before), flush=True)
            for fault in outcome.faults[:SHOWN]:
                print("  " + fault.replace("\n", "\n  "))
            if outcome.faults:
                again = f"--row {name} --device {device} --seed {options.seed} --first CASE --count 1"
                print(f"  reproduce: python -m conformance.campaign {again}")
            faults += len(outcome.faults)
            what = {"row": name, "driver": driver, "device": found.description, "date": f"{date.today()}"}
            records.append({**what, "seed": options.seed, "first": options.first, **dataclasses.asdict(outcome)})
    for path, content in ((options.json, records), (options.add, known + records)):
        if path is not None:
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
