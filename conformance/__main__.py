"""`python -m conformance`: see `--help`. Exit status: 0 as expected, 1 not so, 2 could not run.

`python -m conformance consumers ...` is `conformance.consumers`, the suites of libraries that take our arrays;
`python -m conformance pygpu ...` is `conformance.pygpu`, libgpuarray's own tests.
"""

from __future__ import annotations

import argparse
import importlib
import random
import subprocess
import sys
import time
from pathlib import Path

from conformance import report, suite
from conformance.consumers.__main__ import main as consumers
from conformance.pygpu.__main__ import main as pygpu


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance",
        description=f"Run the official suite of the standard {suite.VERSION} on each device.",
        epilog="Exit status: 0 when each test of ours passed, or failed as expected_failures.txt "
        "says; 1 when not; 2 when the suite could not run. Other modules are only reported. "
        "`python -m conformance consumers --help`: the suites of libraries that take our arrays; "
        "`python -m conformance pygpu --help`: libgpuarray's tests.",
    )
    add = parser.add_argument
    add("--device", nargs="+", metavar="D", help="these devices (default: all; none: no device)")
    add("--module", nargs="+", metavar="M", default=[], help="other namespaces to run beside ours")
    add("--suite", type=Path, metavar="DIR", default=suite.default_folder(), help="(%(default)s)")
    add("--fetch", action="store_true", help="get the suite first, at the pinned commit, by git")
    add("--output", type=Path, metavar="DIR", default=Path("build/conformance"), help="(%(default)s)")
    add("--max-examples", type=int, metavar="N", default=100, help="examples a test (%(default)s)")
    add("--workers", type=int, metavar="N", default=1, help="processes a run (%(default)s)")
    add("--seed", type=int, metavar="S", help="of hypothesis (default: a new one)")
    add("-k", dest="keyword", metavar="EXPR", help="only these tests, as pytest's -k")
    add("--half", action="store_true", help="run with float16 among the real floating-point dtypes")
    return parser.parse_args(arguments)


def present_devices() -> list[str]:
    """Return the names of all devices of arrayapi_gpu."""
    backends = importlib.import_module(f"{suite.OURS}.backends")
    return [str(device) for device in backends.devices()]


def main(arguments: list[str] | None = None) -> int:
    """Run everything, write the reports, return the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["consumers"]:
        return consumers(words[1:])
    if words[:1] == ["pygpu"]:
        return pygpu(words[1:])
    options = parse(words)
    folder, output = options.suite.expanduser().resolve(), options.output.resolve()
    if options.fetch:
        try:
            suite.fetch(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"The suite cannot be fetched: {error}", file=sys.stderr)
            return 2
    if reason := suite.why_not(folder, options.workers):
        print(reason, file=sys.stderr)
        return 2
    devices: list[str] = options.device or present_devices()
    if devices == ["none"]:
        devices = []
    runs = [suite.Run(suite.OURS, device, options.half) for device in devices]
    runs += [suite.Run(module, None, options.half) for module in options.module]
    if not runs:
        print("No device is present: pip install 'arrayapi_gpu[cpu]'", file=sys.stderr)
        return 2
    output.mkdir(parents=True, exist_ok=True)
    seed = random.randrange(2**32) if options.seed is None else options.seed
    print(f"seed {seed}, {options.max_examples} examples, suite in {folder}", file=sys.stderr)
    for run in runs:
        suite.start(
            run,
            folder,
            output,
            seed=seed,
            max_examples=options.max_examples,
            workers=options.workers,
            keyword=options.keyword,
            progress=suite.progress,
        )
        if sys.stderr.isatty():
            print(file=sys.stderr)
    facts = {
        "standard": suite.VERSION,
        "suite": suite.commit_of(folder, suite.COMMIT),
        "specification": suite.commit_of(folder / "array-api", suite.SPEC_COMMIT),
        "seed": seed,
        "max_examples": options.max_examples,
        "keyword": options.keyword,
        "date": time.strftime("%Y-%m-%d"),
    }
    expected = report.read_expected(Path(__file__).with_name("expected_failures.txt"))
    result = report.Report(facts, runs, suite.chapters(folder), expected)
    result.write(output)
    print(result.summary())
    print(f"Report: {output / 'report.html'}")
    for line in result.complaints():
        print(line, file=sys.stderr)
    broken = [run for run in runs if not run.finished]
    for run in broken:
        print(f"{run.label}: pytest ended with code {run.code}, see its log", file=sys.stderr)
    if result.complaints():
        return 1
    return 2 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
