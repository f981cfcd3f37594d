"""Print pip constraints: each package of pyproject.toml at its lower bound, except for GPUs', tools' and consumers'.

    python .ci/lower_bounds.py > lower-bounds.txt
    PIP_CONSTRAINT=lower-bounds.txt make pytest

The test tests/test_project.py holds that every requirement has a bound, and a package one bound in all extras.
"""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

TABLES = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
NOT_TRIED = (
    "cuda12",
    "cuda13",
    "lint",
    "consumers",
    "coverage",
    "notebook",
    "release",
)  # they need a GPU, or are to be the newest
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,-]+\])?>=(?P<bound>[\d.]+)(?:\s*;.*)?")


def bounds() -> dict[str, set[str]]:
    """The lower bounds of each package; ValueError for a requirement without one."""
    project = TABLES["project"]
    lists = [TABLES["build-system"]["requires"], project["dependencies"]]
    lists += [extra for name, extra in project["optional-dependencies"].items() if name not in NOT_TRIED]
    found: dict[str, set[str]] = {}
    for requirement in chain(*lists):
        match = REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise ValueError(f"pyproject.toml: got {requirement!r}; allowed: NAME>=BOUND; add the lower bound")
        found.setdefault(match["name"], set()).add(match["bound"])
    return found


if __name__ == "__main__":
    for name, (bound,) in sorted(bounds().items()):
        print(f"{name}=={bound}")
