"""`explain` shows the launches that computing an array would take, and makes none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import launches, no_launch, sample

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "one operation": lambda x, y: x + y,
    "a chain": lambda x, y: xp.sqrt(xp.abs(x * y)) + 1,
    "a reduction": lambda x, y: xp.sum(x * y),
    "a reduction and what follows": lambda x, y: x / xp.sum(y),
    "two reductions": lambda x, y: (x - xp.mean(x)) / xp.std(x),
    "a gather": lambda x, y: y[x > 0] * 2,
    "indices": lambda x, y: xp.tril(x) + xp.arange(20),
    "a constant": lambda x, y: xp.full((3,), 2.5),
    "a held part": lambda x, y: (y * 2) + x,
    "a dear part that is broadcast": lambda x, y: x * xp.exp(xp.sin(y[:1])),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_explain_launches_nothing_and_counts_the_launches(name: str) -> None:
    x, y = xp.asarray(sample("float32", (20, 20), 1)), xp.asarray(sample("float32", (20, 20), 2))
    result = PROGRAMS[name](x, y)
    with no_launch():
        text = xp.explain(result)
    with launches() as made:
        xp.compute(result)
    assert text.count("launch ") == len(made), text


def test_an_array_in_memory_needs_no_launch() -> None:
    assert xp.explain(xp.asarray(np.ones(3, "float32"))) == "f32[3]: in memory, no launch"


def test_an_explanation_reads_as_a_program() -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    text = xp.explain(x * 2 + x)
    assert "multiply" in text
    assert "add" in text
    assert "f32[2, 3]" in text
    assert "= array" in text
    assert "2.0" in text


def test_an_explanation_says_what_a_launch_is() -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    assert "element-wise" in xp.explain(x + 1)
    assert "reduction" in xp.explain(xp.sum(x + 1))


def test_explaining_twice_gives_the_same_text_and_changes_nothing() -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    result = xp.sum(xp.exp(x) * 2, axis=0)
    assert xp.explain(result) == xp.explain(result)
    assert result.tolist() == pytest.approx([4 * np.e] * 3)
