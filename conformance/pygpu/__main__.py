"""`python -m conformance pygpu`: see `--help`. Exit status: 0 as it should be, 1 not so, 2 could not run."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from conformance.pygpu import suite
from conformance.suite import OURS, Run, follow, progress

_ROOT = Path(__file__).resolve().parents[2]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance pygpu",
        description="Run libgpuarray's own Python tests, of 2019, on arrayapi_gpu.pygpu, on each device.",
        epilog=f"Exit status: 0 when no case failed and at least {suite.MIN_SHARE:.0%} of them ran; 1 when not; 2 when "
        "the suite could not run.",
    )
    add = parser.add_argument
    add("--suite", type=Path, metavar="DIR", help=f"a clone of {suite.REPOSITORY}")
    add("--device", nargs="+", metavar="D", help="these devices (default: all)")
    add("--output", type=Path, metavar="DIR", default=Path("build/pygpu"), help="(%(default)s)")
    add("--workers", type=int, metavar="N", default=1, help="processes a run (%(default)s)")
    add("-k", dest="keyword", metavar="EXPR", help="only these tests, as pytest's -k")
    return parser.parse_args(arguments)


def pygpus_name(device: str) -> str:
    """Return a device's name as pygpu spells it: "opencl0:1", "cuda0"."""
    return re.sub("^([a-z]+):", r"\1", device)


def start(device: str, output: Path, workers: int, keyword: str | None) -> Run:
    """Run the copied suite on a device, in a process of its own."""
    run = Run(OURS, device)
    name = device.replace(":", "-")
    settings = output / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": OURS, "ARRAYAPI_GPU_DEVICE": device}
    environment["DEVICE"] = pygpus_name(device)
    environment["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *filter(None, [os.getenv("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", str(output / suite.PACKAGE), "-q", "--tb=short", "-c", str(settings)]
    command += ["--rootdir", str(output), "-p", "no:cacheprovider", "-p", "conformance.pygpu.plugin"]
    log = output / f"{name}.jsonl"
    command += ["--pygpu-log", str(log), *(["-n", str(workers)] if workers > 1 else [])]
    command += ["-k", keyword] if keyword else []
    follow(run, command, output, environment, log, output / f"{name}.log", progress)
    return run


def summary(run: Run) -> str:
    """Return what came out: how many cases, and the reasons of those that did not run."""
    counts = ", ".join(f"{run.count(outcome)} {outcome}" for outcome in ("passed", "failed", "skipped"))
    texts = [str(test.get("text", "")) for test in run.tests if test["outcome"] == "skipped"]
    reasons = Counter(text.removeprefix("Skipped: ").strip() for text in texts)
    lines = [f"{run.label}: {len(run.tests)} cases, {counts}, {run.seconds} s"]
    lines += [f"  {count} not run: {reason}" for reason, count in reasons.most_common()]
    lines += [f"  failed: {test['nodeid']}" for test in run.tests if test["outcome"] == "failed"]
    return "\n".join(lines)


def as_it_should_be(run: Run) -> bool:
    """Tell whether no case failed and enough of them ran."""
    return not run.count("failed") and run.count("passed") >= suite.MIN_SHARE * len(run.tests)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite on each device, say what came out, return the exit status."""
    options = parse(arguments)
    if reason := suite.why_not(options.suite):
        print(reason, file=sys.stderr)
        return 2
    output = options.output.resolve()
    suite.copy(options.suite, output)
    found = importlib.import_module(f"{OURS}.backends").devices()
    devices: list[str] = options.device or [str(device) for device in found]
    print(f"libgpuarray at {suite.commit_of(options.suite)[:7]}, {len(suite.REPAIRS)} repairs", file=sys.stderr)
    runs = [start(device, output, options.workers, options.keyword) for device in devices]
    for run in runs:
        print(summary(run))
    if not runs or not all(run.finished for run in runs):
        print(f"pytest did not get through: see the logs in {output}", file=sys.stderr)
        return 2
    return 0 if all(map(as_it_should_be, runs)) else 1


if __name__ == "__main__":
    sys.exit(main())
