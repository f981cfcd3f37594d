"""docs/larger-than-memory.md is true: its examples run, each as a program of its own."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest
from support import run_on

from arrayapi_gpu.backends.base import Device

PAGE = (Path(__file__).parents[1] / "docs/larger-than-memory.md").read_text("utf-8")
START = "import numpy as np\nimport arrayapi_gpu as xp\n"
EXAMPLES = dict(re.findall(r"^## ([^\n]*)\n(?:(?!^## ).)*?^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_every_example_is_read() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") > 5


@pytest.mark.parametrize("title", EXAMPLES)
def test_examples_run(title: str, device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for node in ast.walk(ast.parse(EXAMPLES[title])):
        for name in [alias.name for alias in node.names] if isinstance(node, ast.Import) else []:
            if importlib.util.find_spec(name.partition(".")[0]) is None:
                pytest.skip(f"{name} is not installed")
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "program.py"
    program.write_text(START + EXAMPLES[title])
    done = run_on(device, program)
    assert done.returncode == 0, done.stderr


def test_lines_are_short() -> None:
    assert max(map(len, PAGE.splitlines())) <= 140
