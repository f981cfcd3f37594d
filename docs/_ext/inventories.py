"""The names of other projects' pages, so that links are made without a network: docs/_inventories.

python docs/_ext/inventories.py            # downloads all
python docs/_ext/inventories.py --names    # makes NumPy's and SciPy's from the names of the installed packages
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import urllib.request
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "_inventories"
ADDRESSES = {
    "standard": "https://data-apis.org/array-api/2025.12/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
}
MODULES = {
    "numpy": ["numpy", "numpy.linalg", "numpy.fft", "numpy.lib.stride_tricks"],
    "scipy": ["scipy.special", "scipy.fft", "scipy.linalg", "scipy.signal", "scipy.stats", "scipy.ndimage"],
}
HEAD = (
    "# Sphinx inventory version 2\n# Project: {}\n# Version: \n# The remainder of this file is compressed using zlib.\n"
)


class Inventories:
    """Links to the objects of other projects."""

    @cache  # noqa: B019  # one object for a build
    def names(self, project: str) -> dict[str, str]:
        """The names that a project documents, each with its word of Sphinx's Python domain."""
        data = (FOLDER / f"{project}.inv").read_bytes().split(b"\n", 4)[4]
        lines = [line.split(" ", 4) for line in zlib.decompress(data).decode("utf-8").splitlines()]
        return {name: kind.partition(":")[2] for name, kind, *_ in lines if kind.startswith("py:")}

    def link(self, project: str, name: str) -> str:
        """A link in reStructuredText, or nothing if the project has no such page."""
        if name not in self.names(project):
            return ""
        return f":external+{project}:py:obj:`{name}`"


def generated(project: str) -> Iterator[str]:
    """The lines of an inventory from the public functions and classes of the installed package."""
    for module in MODULES[project]:
        found = importlib.import_module(module)
        for name in sorted(getattr(found, "__all__", dir(found))):
            value = getattr(found, name)
            whole = f"{module}.{name}"
            if name.startswith("_") or inspect.ismodule(value) or not callable(value):
                continue
            # Of several names for one object, the first surely has a page.
            first = getattr(value, "__name__", name)
            named = f"{module}.{first if getattr(found, first, None) is value else name}"
            scalar = inspect.isclass(value) and issubclass(value, importlib.import_module("numpy").generic)
            page = f"reference/arrays.scalars.html#{named}" if scalar else f"reference/generated/{named}.html#{named}"
            kind = "class" if inspect.isclass(value) else "function"
            yield f"{whole} py:{kind} 1 {page} -"


def main() -> None:
    """Write the inventories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", action="store_true", help="from the installed NumPy and SciPy, without a network")
    if parser.parse_args().names:
        for project in MODULES:
            text = "".join(f"{line}\n" for line in generated(project))
            (FOLDER / f"{project}.inv").write_bytes(HEAD.format(project).encode() + zlib.compress(text.encode(), 9))
        return
    for project, address in ADDRESSES.items():
        with urllib.request.urlopen(f"{address}objects.inv", timeout=60) as answer:
            (FOLDER / f"{project}.inv").write_bytes(answer.read())


if __name__ == "__main__":
    main()
