"""docs/upstream.md has every expected failure: of the suites of other libraries, and of tests/consumers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.report import read_expected

ROOT = Path(__file__).parents[1]
PAGE = " ".join((ROOT / "docs/upstream.md").read_text("utf-8").split())
EXPECTED = read_expected(ROOT / "conformance/consumers/expected_failures.txt")
CONSUMERS = sorted((ROOT / "tests/consumers").glob("test_*.py"))
LIBRARIES = [
    "array-api-compat", "array-api-extra", "SciPy", "marray", "xarray", "scikit-learn", "cubed", "dask", "einops",
]  # fmt: skip


def reasons(tree: ast.AST) -> Iterator[str]:
    """The reasons of expected failures: the texts in dictionaries that `FAILURES` and `rows` are given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("FAILURES"):
            given: ast.AST = node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "rows":
            given = node.args[1]
        else:
            continue
        values: list[ast.expr] = []
        if isinstance(given, ast.Dict):
            values = given.values
        elif isinstance(given, ast.Call):  # dict.fromkeys(names, reason)
            values = given.args[1:]
        yield from (value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str))


REASONS = [(path.stem, text) for path in CONSUMERS for text in reasons(ast.parse(path.read_text("utf-8")))]


@pytest.mark.parametrize("nodeid", EXPECTED)
def test_a_failure_in_a_suite_has_its_place_on_the_page(nodeid: str) -> None:
    places = re.findall(r"[\w./]+\.pyx?:\d+", EXPECTED[nodeid])
    assert places, "the reason names a file and a line"
    name = re.sub(r"\[.*|\*$", "", nodeid.rpartition("::")[2])
    assert all(f"`{place}`" in PAGE for place in places)
    assert name in PAGE


@pytest.mark.parametrize(("file", "reason"), REASONS)
def test_a_failure_of_a_program_has_its_reason_on_the_page(file: str, reason: str) -> None:
    assert reason in PAGE


def test_reasons_are_found() -> None:
    text = 'A_FAILURES = {"one": "why"}\nB_FAILURES = dict.fromkeys(("a", "b"), "so")\nrows(PROGRAMS, {"c": "thus"})'
    assert list(reasons(ast.parse(text))) == ["why", "so", "thus"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_library_has_a_chapter_that_says_how_it_would_know_us(library: str) -> None:
    chapter = re.search(rf"## {re.escape(library)} (.*?)(?= ## |$)", PAGE)
    assert chapter and "**To know us as a namespace.**" in chapter[1]
