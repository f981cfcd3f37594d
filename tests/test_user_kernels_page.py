"""docs/user-kernels.md is true: its examples run, each on its own after the first lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs/user-kernels.md").read_text("utf-8")
START, *EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_run(number: int) -> None:
    exec(START + EXAMPLES[number], {})


def test_lines_are_short() -> None:
    assert max(map(len, PAGE.splitlines())) <= 140
