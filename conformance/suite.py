"""Where the official suite lies, at which commit, and how one run of it is started."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

VERSION = "2025.12"
REPOSITORY = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60179efa2680ddd6cd926ddf17b83530e2b"
SPEC_COMMIT = "5f847a3858875c682ae901aa22b0413bf24be9da"  # its submodule array-api, at that commit
OURS = "arrayapi_gpu"
NO_RESULT = "no result"  # begins the text of a test whose process died
# What differs from the pinned suite, as plugin.py changes it and the reports say it.
REPAIRS = (
    "test_remainder: the skip marked flaky is taken off (array-api-tests issue 300, open since 2023); it passes.",
    "test_dunder_dlpack: BufferError is right where copy=False and a device other than the array's own are asked "
    "for; the standard demands it, the pinned test does not know (fixed later: issue 456, pull request 457).",
)
_ROOT = Path(__file__).resolve().parent.parent
_NEEDED = {
    "pytest": "pytest",
    "pytest_jsonreport": "pytest-json-report",
    "hypothesis": "hypothesis",
    "ndindex": "ndindex",
}


def default_folder() -> Path:
    """Return where the suite is looked for without `--suite`: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / OURS / "array-api-tests"


def why_not(folder: Path, workers: int = 1) -> str | None:
    """Return what to do before the suite can run, or None when all is there."""
    if not (folder / "array_api_tests" / "dtype_helpers.py").exists():
        return (
            f"The official suite is not in {folder}: get it, at the pinned commit, by "
            "`python -m conformance --fetch`, or name another folder that has it by --suite DIR."
        )
    if not stubs_folder(folder).exists():
        return f"The suite's submodule is absent: git -C {folder} submodule update --init"
    needed = {**_NEEDED, **({"xdist": "pytest-xdist"} if workers > 1 else {})}
    absent = [pip for name, pip in needed.items() if importlib.util.find_spec(name) is None]
    return f"The suite needs more packages: pip install {' '.join(absent)}" if absent else None


def fetch(folder: Path) -> None:
    """Put the pinned suite with its submodule into `folder`. CalledProcessError: git has said why not."""
    folder.mkdir(parents=True, exist_ok=True)
    for words in (
        ("init", "--quiet"),
        ("fetch", "--quiet", "--depth=1", REPOSITORY, COMMIT),
        ("checkout", "--quiet", "--detach", COMMIT),
        ("submodule", "--quiet", "update", "--init", "--depth=1"),
    ):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


def commit_of(folder: Path, pin: str) -> str:
    """Return the short commit in `folder`, marked when it is not the clean pinned one."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if git("rev-parse", "--show-cdup"):  # a copy without its history, in somebody else's repository
            return "unknown"
        commit = git("rev-parse", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no", ".")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    marks = ["not the pinned commit"] * (commit != pin) + ["changed"] * bool(changed)
    return commit[:7] + (f" ({', '.join(marks)})" if marks else "")


def stubs_folder(folder: Path) -> Path:
    """Return the folder of the standard's stubs, a file a chapter."""
    stubs = folder / "array-api" / "src" / "array_api_stubs"
    return stubs / ("_" + VERSION.replace(".", "_"))


def chapters(folder: Path) -> dict[str, str]:
    """Return the chapter of each name in the standard; extensions' names read "linalg.qr"."""
    found: dict[str, str] = {}
    for path in sorted(stubs_folder(folder).glob("[a-z]*.py")):
        chapter = path.stem.removesuffix("_functions")
        prefix = f"{chapter}." if chapter in ("fft", "linalg") else ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                names = ast.literal_eval(node.value)
            elif isinstance(node, ast.ClassDef) and chapter == "array_object":
                names = [item.name for item in node.body if isinstance(item, ast.FunctionDef)]
            else:
                continue
            found.update({prefix + name: chapter for name in names if chapter != "data_types"})
    return found


@dataclass
class Run:
    """One run of the suite: a module on a device, and what came out (the records of plugin.py)."""

    module: str
    device: str | None = None
    half: bool = False
    tests: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    code: int = 0  # of pytest: 0 all passed, 1 some failed, others: it did not get through

    @property
    def label(self) -> str:
        """The heading of its column."""
        return (self.device or self.module) + (" float16" if self.half else "")

    @property
    def finished(self) -> bool:
        """Tell whether pytest got through: a plugin that raises ends it with 1, too, but before the versions."""
        return self.code in (0, 1) and bool(self.facts)

    def read(self, lines: list[str], collected: list[str]) -> None:
        """Take over records; `collected` gets the ids of the tests to come."""
        for line in lines:
            record = json.loads(line)
            collected.extend(record.get("collected", ()))
            self.facts.update(record.get("facts", {}))
            if "nodeid" in record:
                self.tests.append(record)

    def count(self, outcome: str) -> int:
        """Return how many tests had this outcome."""
        return sum(test["outcome"] == outcome for test in self.tests)


def progress(run: Run, total: int) -> None:
    """Say how far the run is: on a terminal all the time, else at each tenth and the end."""
    done, failed = len(run.tests), run.count("failed")
    line = f"{run.label}: {done} of {total}, {failed} failed, {run.count('skipped')} skipped"
    if sys.stderr.isatty():
        print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        return
    tenth = done * 10 // total if total else 0
    if tenth > _tenths.get(run.label, 0):
        _tenths[run.label] = tenth
        print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


_tenths: dict[str, int] = {}


def start(
    run: Run,
    folder: Path,
    output: Path,
    *,
    seed: int,
    max_examples: int,
    workers: int,
    keyword: str | None,
    progress: Callable[[Run, int], None],
) -> None:
    """Run the suite in a process of its own and fill `run`; `progress` gets the number of tests.

    A test without a result, because the process died, counts as failed.
    """
    name = run.label.replace(":", "-").replace(" ", "-")
    log, console = output / f"{name}.jsonl", output / f"{name}.log"
    environment = {
        **os.environ,
        "ARRAY_API_TESTS_MODULE": run.module,
        "ARRAY_API_TESTS_VERSION": VERSION,
        "HYPOTHESIS_STORAGE_DIRECTORY": str(output / "hypothesis"),
        "PYTHONPATH": os.pathsep.join([str(_ROOT), *filter(None, [os.getenv("PYTHONPATH")])]),
    }
    if run.device:
        environment["ARRAYAPI_GPU_DEVICE"] = run.device
        environment.pop("ARRAY_API_TESTS_SKIP_DTYPES", None)  # nothing is left out of our runs
    command = [sys.executable, "-m", "pytest", "array_api_tests", "-q", "--tb=short"]
    command += ["-p", "no:cacheprovider", "-p", "conformance.plugin"]
    command += ["--conformance-log", str(log), *["--conformance-half"] * run.half]
    command += ["--disable-deadline", f"--max-examples={max_examples}"]
    command += ["--skips-file", os.devnull, "--xfails-file", os.devnull]
    command += [f"--hypothesis-seed={seed}", *(["-n", str(workers)] if workers > 1 else [])]
    command += ["-k", keyword] if keyword else []
    follow(run, command, folder, environment, log, console, progress)


def follow(
    run: Run,
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    log: Path,
    console: Path,
    progress: Callable[[Run, int], None],
) -> None:
    """Run pytest in a process of its own and fill `run` with what its plugin writes into `log`."""
    log.write_text("")
    begin = time.monotonic()
    collected: list[str] = []
    with console.open("w") as out, log.open(encoding="utf-8") as records:
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            while child.poll() is None:
                time.sleep(0.2)
                run.read(_whole_lines(records), collected)
                progress(run, len(collected))
        finally:
            child.terminate()
            run.code = child.wait()
        run.read(_whole_lines(records), collected)
    run.seconds = round(time.monotonic() - begin, 1)
    done = {test["nodeid"] for test in run.tests}
    text = f"{NO_RESULT}: pytest ended with code {run.code}, see {console.name}"
    run.tests += [
        {"nodeid": nodeid, "outcome": "failed", "seconds": 0.0, "text": text}
        for nodeid in collected
        if nodeid not in done
    ]


def _whole_lines(file: TextIO) -> list[str]:
    """Return the lines that are complete by now; the rest stays for the next call."""
    lines = []
    while (line := file.readline()).endswith("\n"):
        lines.append(line)
    file.seek(file.tell() - len(line.encode()))
    return lines
