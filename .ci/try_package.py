"""Try built packages as a user would get them: in a new environment, from a folder, without the repository.

    python .ci/try_package.py dist                     # the wheel for this Python
    python .ci/try_package.py dist --sdist             # built from the sdist
    python .ci/try_package.py dist --before old/dist   # installed first, then upgraded
    python .ci/try_package.py dist --examples 5        # also the official suite (it is fetched by git)

It installs, prints the report of the devices, runs README's Python and the smoke tests, and uninstalls. README and the
tests are those of the sdist in the folder. Nothing of it needs the checkout in which this file lies.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

NAME = "arrayapi_gpu"
NEEDED = ("tests", "conformance", "README.md")  # of the sdist; not the package, which would hide the installed one


def sdist_of(folder: Path) -> Path:
    """The one sdist of a folder."""
    (found,) = folder.glob(f"{NAME}-*.tar.gz")
    return found


def version_of(folder: Path) -> str:
    """The version of the packages in a folder."""
    return sdist_of(folder).name.removeprefix(f"{NAME}-").removesuffix(".tar.gz")


class Trial:
    """A new environment and a folder with the tests."""

    def __init__(self, place: Path, dist: Path) -> None:
        self.dist, self.work = dist, place / "work"
        subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
        self.python = place / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        with tarfile.open(sdist_of(dist)) as packed:
            packed.extractall(place, filter="data")
        self.work.mkdir()
        for name in NEEDED:
            (place / f"{NAME}-{version_of(dist)}" / name).rename(self.work / name)

    def run(self, *words: str) -> str:
        """Run Python in the environment and print what it prints; an error ends the trial."""
        print("$ python", *words, flush=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        environment["ARRAYAPI_GPU_CACHE_DIR"] = str(self.work / "cache")  # nothing is compiled yet
        command = [str(self.python), *words]
        done = subprocess.run(command, cwd=self.work, env=environment, stdout=subprocess.PIPE, encoding="utf-8")
        print(done.stdout, end="", flush=True)
        if done.returncode:
            sys.exit(f"exit status {done.returncode}")
        return done.stdout

    def install(self, dist: Path, extra: str, form: str) -> None:
        """Install from a folder. Other packages come from the index."""
        words = ["--find-links", str(dist), "--only-binary" if form == "wheel" else "--no-binary", NAME]
        self.run("-m", "pip", "install", "--quiet", "--upgrade", *words, f"{NAME}{extra}=={version_of(dist)}")
        found = self.run("-c", f"import {NAME}; print({NAME}.__version__, {NAME}.__file__)").split()
        if found[0] != version_of(dist) or str(self.work) in found[1]:
            sys.exit(f"the installed package is {found}, not {version_of(dist)}")

    def ten_lines(self) -> None:
        """README's Python prints what README shows; tests/test_readme.py compares all of it."""
        text = (self.work / "README.md").read_text("utf-8")
        program = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
        printed = self.run("-c", program)
        for value in re.findall(r"^print\(.*\)  # (.*)$", program, re.MULTILINE):
            if value not in printed.splitlines():
                sys.exit(f"README shows {value!r}, which was not printed")


def main() -> None:
    """Try the packages of a folder."""
    parser = argparse.ArgumentParser(description="Try built packages in a new environment.")
    parser.add_argument("dist", type=Path, help="a folder with an sdist and wheels")
    parser.add_argument("--sdist", action="store_true", help="install from the sdist")
    parser.add_argument("--before", type=Path, help="a folder with the release before, to upgrade from")
    parser.add_argument("--extra", default="", help="such as [cpu]")
    parser.add_argument("--examples", type=int, default=0, help="run the official suite with so many examples a test")
    options = parser.parse_args()
    form = "sdist" if options.sdist else "wheel"
    with tempfile.TemporaryDirectory(prefix=f"{NAME}-try-") as place:
        trial = Trial(Path(place), options.dist.resolve())
        if options.before:
            trial.install(options.before.resolve(), options.extra, form)
        trial.install(trial.dist, options.extra, form)
        trial.run("-m", NAME)
        trial.ten_lines()
        tested = f"{NAME}[test,conformance]=={version_of(trial.dist)}"
        trial.run("-m", "pip", "install", "--quiet", "--find-links", str(trial.dist), tested)
        trial.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_smoke.py")
        if options.examples:
            words = ["--fetch", "--device", "native", "--workers", "4", "--max-examples", str(options.examples)]
            trial.run("-m", "conformance", *words)
        trial.run("-m", "pip", "uninstall", "--quiet", "--yes", NAME)
        left = [path for path in trial.python.parents[1].rglob(f"{NAME}*") if "cache" not in path.name]
        if left:
            sys.exit(f"uninstalling left {left}")
    print(f"{NAME} {version_of(options.dist)} from the {form} works on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
