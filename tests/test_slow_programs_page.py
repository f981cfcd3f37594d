"""docs/slow-programs.md is true: its examples run in their order, and print what the page says they print."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device

PAGE = (Path(__file__).parents[1] / "docs/slow-programs.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", PAGE, re.MULTILINE | re.DOTALL)


def masked(text: str) -> list[str]:
    """Lines in the order of the alphabet, because that of the page depends on times, without times and columns."""
    text = re.sub(r"\n  +", " ", text)  # a sentence is one line
    text = re.sub(r"[0-9.e+-]+ (s|ms|us|ns|GB/s)\b", "#", text)
    return sorted(re.sub(r"(# )*calls: .*|\s+", " ", line).strip() for line in text.splitlines() if line.strip())


def test_examples_run_and_print_what_the_page_says(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "slow"}
    for number, (text, printed) in enumerate(BLOCKS):
        with redirect_stdout(io.StringIO()) as found:
            exec(compile(text, "commands.py" if number else "slow.py", "exec"), names)
        if device.loops is None:
            continue
        if "benchmark" in text:  # the numbers of calls depend on times, too
            printed, shown = (re.sub(r"\d+$", "#", one, flags=re.MULTILINE) for one in (printed, found.getvalue()))
        else:
            shown = found.getvalue()
        assert masked(shown) == masked(printed)
    angles, sums = names["faster"](names["x"])
    np.testing.assert_allclose(angles.to_numpy(), names["angles"].to_numpy(), atol=1e-3)
    np.testing.assert_allclose(sums.to_numpy(), names["sums"].to_numpy(), rtol=1e-5)
    assert (tmp_path / "slow.json").stat().st_size > 10_000


def test_every_example_is_read() -> None:
    assert len(BLOCKS) == PAGE.count("```python") > 5 and sum(bool(printed) for _, printed in BLOCKS) == 5


def test_lines_are_short() -> None:
    assert max(map(len, PAGE.splitlines())) <= 140
