"""Tables of README and of pages are those of the code. `test_examples.py` runs their examples."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from arrayapi_gpu.config import Config
from conformance.campaign.rows import ROWS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
MEASURED = ["bench/README.md", "conformance/README.md"]
LINES = 110


def test_the_page_of_the_configuration_has_every_row() -> None:
    page = (ROOT / "docs/configuration.md").read_text("utf-8")
    fields = dataclasses.fields(Config)
    expected = [f"| `{f.name}` | `{f.default!r}` | {f.metadata['scope']} | {f.metadata['doc']} |" for f in fields]
    assert re.findall(r"^\| `\w+` \| `.*", page, re.MULTILINE) == expected


def test_the_page_of_conformance_has_every_row_of_the_campaign() -> None:
    page = (ROOT / "conformance/README.md").read_text("utf-8")
    expected = []
    for row in ROWS.values():
        figure = f"{row.figure:,} {row.unit}" if row.figure > 1 else f"{row.full.seconds} seconds"
        expected.append(f"| {row.name} | {row.what} | {figure} |")
    assert re.findall(r"^\| T\d+ \| .*", page, re.MULTILINE) == expected


def test_readme_is_short() -> None:
    assert len(README.splitlines()) <= LINES


def numbers(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])\d[\d,.]*\d(?![\w.])", text))


def test_the_tables_of_readme_are_parts_of_the_pages() -> None:
    """A new measurement changes both."""
    section = README.partition("## Conformance and speed")[2].partition("\n## ")[0]
    rows = [row.split("|") for row in section.splitlines() if row.startswith("|")]
    pages = numbers("".join((ROOT / page).read_text("utf-8") for page in MEASURED))
    assert {number for row in rows for cell in row[2:] for number in numbers(cell)} - pages == set()
