"""The figures of docs/install.md that a machine can measure again: `python -m conformance.readme_figures` prints them.

`installed` measures the extras that are installed, and `stated` reads the same figures from the page. A test compares
them. Other figures are those of the pages that pages link, which tests hold (tests/test_readme.py).
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Final

from arrayapi_gpu.backends.install import INSTALL

ROOT: Final = Path(__file__).parents[1]
MEGA: Final = 10**6


def closure(*names: str) -> dict[str, metadata.Distribution]:
    """The installed distributions that the named ones need, themselves included. PackageNotFoundError."""
    found: dict[str, metadata.Distribution] = {}
    queue = [*names]
    while queue:
        name, _, extra = queue.pop().partition("[")
        key, extra = re.sub(r"[-_.]+", "-", name).lower(), extra.rstrip("]")
        if key in found and not extra:
            continue
        found[key] = one = metadata.distribution(key)
        for requirement in one.requires or ():
            needed, _, marker = requirement.partition(";")
            wanted = re.findall(r"extra *== *['\"]([^'\"]+)['\"]", marker)
            name_of = re.match(r"[\w.-]+", needed.strip())
            if name_of and (not wanted or extra in wanted):
                try:
                    metadata.distribution(name_of[0])
                except metadata.PackageNotFoundError:
                    continue  # for another platform or Python
                inner = re.match(r"[\w.-]+ *(\[[^]]*\])", needed.strip())
                queue.append(name_of[0] + (inner[1] if inner else ""))
    return found


def installed(extra: str) -> float:
    """The megabytes on disk of an extra of this package, with all that it needs but NumPy."""
    names = [one.strip('"') for one in INSTALL[extra].split()[2:]]
    found = closure(*names)
    files = {file.locate() for name, one in found.items() if name != "numpy" for file in one.files or ()}
    return sum([Path(str(file)).stat().st_size for file in files if Path(str(file)).is_file()]) / MEGA


def stated(extra: str) -> float:
    """The megabytes that docs/install.md states for an extra."""
    page = (ROOT / "docs/install.md").read_text("utf-8")
    (figure,) = re.findall(rf'^\| [^|]*\| `"\.\[{extra}\]"`[^|]*\|[^|]*?([\d,]+) MB', page, re.MULTILINE)
    return float(figure.replace(",", ""))


def main() -> None:
    """Print what is stated and what is measured."""
    for extra in ("cpu", "pocl"):
        try:
            found = f"{installed(extra):.0f} MB"
        except metadata.PackageNotFoundError as missing:
            found = f"not installed here: {missing.name}"
        print(f'".[{extra}]" on disk: README {stated(extra):.0f} MB, here {found}')


if __name__ == "__main__":
    main()
