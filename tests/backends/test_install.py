"""The commands that errors name install what the extras of this package bring."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from arrayapi_gpu.backends.install import INSTALL

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


@pytest.mark.parametrize("extra", INSTALL)
def test_a_command_brings_the_packages_of_its_extra(extra: str) -> None:
    packages = {re.split(r"[>=;]", one)[0] for one in EXTRAS[extra]}
    packages -= {one.partition("[")[0] for one in packages if "[" in one}
    assert INSTALL[extra].split() == ["pip", "install", *INSTALL[extra].split()[2:]]
    assert {one.strip('"') for one in INSTALL[extra].split()[2:]} == packages


def test_no_error_names_this_package_on_an_index() -> None:
    """It may have been installed from a checkout."""
    sources = [path.read_text("utf-8") for path in (ROOT / "arrayapi_gpu").rglob("*.py")]
    assert not [text for text in sources if "arrayapi_gpu[" in text]
