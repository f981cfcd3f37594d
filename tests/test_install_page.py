"""docs/install.md: each message in the tables of troubleshooting is one of the package's."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/install.md").read_text("utf-8").partition("## Troubleshooting")[2]
MESSAGES = re.findall(r"^\| `(.*?)` \|", PAGE, re.MULTILINE)


def texts() -> Iterator[str]:
    """The strings of the package, with `...` in place of values."""
    for path in sorted((ROOT / "arrayapi_gpu").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant) else "..." for part in node.values)  # type: ignore[misc]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


TEXTS = sorted(set(texts()))


def test_there_is_a_table_for_each_situation() -> None:
    assert len(MESSAGES) == len(re.findall(r"^\| `", PAGE, re.MULTILINE)) > 15


@pytest.mark.parametrize("message", MESSAGES)
def test_each_message_is_one_of_the_package(message: str) -> None:
    for part in message.split("..."):
        assert any(part.strip() in text for text in TEXTS), part
