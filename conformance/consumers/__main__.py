"""`python -m conformance consumers`: see `--help`. Exit status: 0 as expected, 1 not so, 2 could not run."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from conformance.consumers.report import Outcome, Report
from conformance.consumers.suites import CHECKOUTS, EVERYTHING, SUITES, WITHOUT, Suite
from conformance.report import read_expected
from conformance.suite import OURS, Run, follow, progress

_STOPPED = (2, 3, 4, 5)  # pytest's codes where it could not run: a file cannot be imported, no test is left, ...
_ROOT = Path(__file__).resolve().parents[2]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance consumers",
        description="Run what installed libraries test with any namespace on our arrays, too, beside NumPy or "
        f"array_api_strict. The libraries: {', '.join(SUITES)}; a part is named as in scipy.stats.",
        epilog="Exit status: 0 when each test of ours passed or was skipped, or failed as expected_failures.txt says, "
        "or fails with the other namespace, too; 1 when not; 2 when a suite could not run.",
    )
    add = parser.add_argument
    add("suite", nargs="*", metavar="LIBRARY[.PART]", help="these (default: all that are installed)")
    add("--device", metavar="D", help="the device (default: the default device)")
    add("--output", type=Path, metavar="DIR", default=Path("build/consumers"), help="(%(default)s)")
    add("--workers", type=int, metavar="N", default=1, help="processes a run (%(default)s)")
    add("--everything", action="store_true", help="with SciPy's tests that are marked for NumPy alone")
    add("--forbid-transfers", action="store_true", help="none to the host that nobody asked for, as on a GPU with CuPy")
    add("--twice", action="store_true", help="each suite twice: cold, in an empty folder of kernels, then warm")
    add("-k", dest="keyword", metavar="EXPR", help="only these tests, as pytest's -k")
    return parser.parse_args(arguments)


def why_not(suite: Suite, part: str) -> str | None:
    """Return what keeps a suite from running, None when all is there."""
    if suite.root() is None and suite.in_sources and importlib.util.find_spec(suite.package):
        return (
            f"The wheel of {suite.name} has no tests: unpack its sources (pip download --no-deps --no-binary :all: "
            f"{suite.distribution}) as sources/{suite.name}, and set {CHECKOUTS}=sources"
        )
    if suite.root() is None:
        return f"{suite.name} is not installed: pip install {suite.distribution}"
    if not suite.files(part):
        return f"{suite.name} has no tests for any namespace{f' in {part}' if part else ''}, or none are installed"
    needed = {"pytest": "pytest", **({} if suite.beside == "numpy" else {suite.beside: "array-api-strict"})}
    needed.update(dict.fromkeys(suite.needs, f"'{suite.distribution}[test]'"))
    absent = dict.fromkeys(pip for name, pip in needed.items() if importlib.util.find_spec(name) is None)
    return f"The suite of {suite.name} needs more packages: pip install {' '.join(absent)}" if absent else None


def start(suite: Suite, part: str, namespace: str, options: argparse.Namespace, turn: str = "") -> Run:
    """Run the tests of a suite in a process of its own; `namespace` is empty where they are about both."""
    label = "-".join(filter(None, (suite.name, part, namespace, turn)))
    output: Path = options.output.resolve()
    settings = output / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="utf-8")  # no settings of a project around the packages
    root = suite.root()
    assert root is not None
    log = output / f"{label}.jsonl"
    environment = {**os.environ, **suite.environment, **(suite.ours if namespace == OURS else {})}
    environment["PYTHONPATH"] = os.pathsep.join([str(_ROOT), *filter(None, [os.getenv("PYTHONPATH")])])
    if options.everything:
        environment[EVERYTHING] = "1"
    if options.device:
        environment["ARRAYAPI_GPU_DEVICE"] = options.device
    if turn:
        environment["ARRAYAPI_GPU_CACHE_DIR"] = str(output / "kernels")
    if options.forbid_transfers:
        environment["ARRAYAPI_GPU_HOST_TRANSFERS"] = "error"
    command = [sys.executable, "-m", "pytest", *map(str, suite.files(part)), "-q", "--tb=short"]
    command += ["-c", str(settings), "--rootdir", str(root.parent), "-W", "ignore::pytest.PytestUnknownMarkWarning"]
    command += ["-p", "no:cacheprovider", "-p", "conformance.consumers.plugin"]
    command += ["--consumers-log", str(log), "--consumers-suite", suite.name]
    command += ["--consumers-alone", namespace] if namespace else []
    command += ["-n", str(options.workers)] if options.workers > 1 else []
    command += ["-k", options.keyword] if options.keyword else []
    run = Run(namespace or label, label)
    follow(run, command, output, environment, log, output / f"{label}.log", progress)
    return run


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suites, write the reports, return the exit status."""
    options = parse(arguments)
    chosen = [word.partition(".")[::2] for word in options.suite]
    if unknown := [name for name, _ in chosen if name not in SUITES]:
        why = [f"{name}: {WITHOUT[name]}" for name in unknown if name in WITHOUT]
        print(f"Got {', '.join(unknown)}; allowed: {', '.join(SUITES)}", *why, sep="\n", file=sys.stderr)
        return 2
    chosen = chosen or [(name, "") for name, suite in SUITES.items() if suite.root()]
    if reasons := [text for name, part in chosen if (text := why_not(SUITES[name], part))]:
        print(*reasons, sep="\n", file=sys.stderr)
        return 2
    options.output.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for name, part in chosen:
        suite = SUITES[name]
        namespaces = ("",) if suite.together else suite.namespaces()
        for turn in ("cold", "warm") if options.twice else ("",):
            if turn == "cold":
                shutil.rmtree(options.output / "kernels", ignore_errors=True)
            runs = [start(suite, part, namespace, options, turn) for namespace in namespaces]
            outcomes.append(Outcome(suite, part, runs, turn))
    facts = {"date": time.strftime("%Y-%m-%d"), "keyword": options.keyword}
    facts["transfers"] = "forbidden" if options.forbid_transfers else None
    result = Report(facts, outcomes, read_expected(Path(__file__).with_name("expected_failures.txt")))
    result.write(options.output)
    return conclude(result, options.output)


def conclude(result: Report, output: Path) -> int:
    """Print the table and what is unexpected; return the exit status."""
    print(result.table())
    print(f"Report: {output / 'CONSUMERS.md'}")
    runs = [(outcome, run) for outcome in result.outcomes for run in outcome.runs]
    stopped = [outcome for outcome, run in runs if run.code in _STOPPED]
    unexpected = [test["nodeid"] for one in result.outcomes if one not in stopped for test in result.unexpected(one)]
    for nodeid in unexpected:
        print(f"{nodeid} failed", file=sys.stderr)
    for outcome, run in runs:
        if not run.finished:
            print(f"{outcome.label}: pytest ended with code {run.code}, see its log in {output}", file=sys.stderr)
    if unexpected:
        return 1
    return 0 if all(run.finished for _, run in runs) else 2


if __name__ == "__main__":
    sys.exit(main())
