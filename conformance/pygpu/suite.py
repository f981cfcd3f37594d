"""The copy of libgpuarray's tests that runs here: what is repaired in it, and which cases cannot run, and why."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

REPOSITORY = "https://github.com/Theano/libgpuarray"
PACKAGE = "pygpu_tests"  # the copy's name
MIN_SHARE = 0.9  # of the cases that have to run


class Repair(NamedTuple):
    """A change of the copy: in the file of this name, a text that a pattern finds becomes another."""

    file: str
    pattern: str
    text: str
    reason: str


REPAIRS = (
    Repair(
        "*.py", r'\by\.flags\["UPDATEIFCOPY"\]', "False", "NumPy 1.25 took the flag UPDATEIFCOPY away; it was never set"
    ),
    Repair(
        "test_gpu_ndarray.py",
        r"bool\(numpy\.asarray\(data\)\)",
        "bool(numpy.asarray(data).any())",
        "NumPy 2.2 gives an empty array no truth value; it was False",
    ),
    Repair(
        "test_collectives.py",
        r"int\(devname\[-1\]\)",
        'int(devname[-1]) if devname.startswith("cuda") else -1',
        "names of devices without a number were not known; -1 means no collectives",
    ),
)

# The beginning of a case's name, and why it cannot run.
IMPOSSIBLE = {
    "test_flags[flag_dict-U]": "NumPy has no flag UPDATEIFCOPY to compare with",
    "test_flags[flag_dict-UPDATEIFCOPY]": "NumPy has no flag UPDATEIFCOPY to compare with",
    "test_flags[flag_prop-updateifcopy]": "NumPy has no flag UPDATEIFCOPY to compare with",
}


def tests_of(folder: Path) -> Path | None:
    """Return where libgpuarray's Python tests lie in its repository, or in this folder; None where they do not."""
    for place in (folder / "pygpu" / "tests", folder):
        if (place / "support.py").is_file() and (place / "test_gpu_ndarray.py").is_file():
            return place
    return None


def why_not(folder: Path | None) -> str | None:
    """Return what to do before the suite can run, or None when all is there."""
    if folder is not None and tests_of(folder) is not None:
        return None
    where = "no --suite was named" if folder is None else f"{folder} has no pygpu/tests/support.py"
    return f"{where}: git clone {REPOSITORY} DIR, and name it by --suite DIR."


def copy(folder: Path, target: Path) -> None:
    """Write the repaired tests of a repository into ``target``/PACKAGE."""
    source = tests_of(folder)
    assert source is not None, "`why_not` has been asked"
    package = target / PACKAGE
    package.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.glob("*.py")):
        text = file.read_text("utf-8-sig")
        for repair in REPAIRS:
            if file.match(repair.file):
                text = re.sub(repair.pattern, repair.text, text)
        (package / file.name).write_text(text, encoding="utf-8")


def commit_of(folder: Path) -> str:
    """Return the suite's commit, or "unknown"."""
    try:
        words = ["git", "-C", str(folder), "rev-parse", "HEAD"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
