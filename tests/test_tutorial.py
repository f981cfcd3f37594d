"""A tutorial for beginners in NumPy: its 26 lines run on our arrays, with NumPy's functions and in our own spelling."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from support.consumers import compare
from support.lines import run_line

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

# What is done, with NumPy's functions, and in our spelling. `a` has 3 rows and 4 columns, `v` is a vector.
LINES = {
    "a range": ("np.arange(6.0, like=a)", "xp.arange(6.0)"),
    "even steps": ("np.linspace(v[0], v[1], 5)", "xp.linspace(v[0], v[1], 5)"),
    "zeros": ("np.zeros_like(a)", "xp.zeros_like(a)"),
    "a shape": ("np.reshape(a, (2, 6))", "xp.reshape(a, (2, 6))"),
    "a row": ("a[-1]", "a[-1]"),
    "slices": ("a[1:, ::2]", "a[1:, ::2]"),
    "a mask": ("a[a > 5]", "a[a > 5]"),
    "integers as indices": ("a[[0, 2], [1, 3]]", "a[[0, 2], [1, 3]]"),
    "assignment": ("b = np.copy(a); b[b > 5] = 0; b[0] += 1; b", "b = a.copy(); b[b > 5] = 0; b[0] += 1; b"),
    "broadcasting": ("np.add(a, a[0])", "xp.add(a, a[0])"),
    "rows without their means": (
        "a - np.mean(a, axis=1, keepdims=True)", "a - xp.mean(a, axis=1, keepdims=True)",
    ),
    "functions of elements": ("np.exp(-a) + np.sin(a)", "xp.exp(-a) + xp.sin(a)"),
    "sums by axis": ("np.sum(a, axis=0)", "xp.sum(a, axis=0)"),
    "statistics": ("np.std(a), np.max(a, axis=1)", "xp.std(a), xp.max(a, axis=1)"),
    "running sums": ("np.cumsum(a, axis=1)", "xp.cumulative_sum(a, axis=1)"),
    "places": ("np.argmax(a, axis=1), np.nonzero(v > 2)", "xp.argmax(a, axis=1), xp.nonzero(v > 2)"),
    "products": ("np.dot(a, a.T)", "a @ a.T"),
    "transposition": ("np.transpose(a)", "a.T"),
    "sort": ("np.sort(v), np.argsort(v)", "xp.sort(v), xp.argsort(v)"),
    "unique": ("np.unique(v, return_counts=True)", "xp.unique_counts(v)"),
    "concatenate": ("np.concatenate([a, a], axis=1)", "xp.concat([a, a], axis=1)"),
    "stack": ("np.vstack([a, a]), np.stack([v, v], axis=1)", "xp.concat([a, a]), xp.stack([v, v], axis=1)"),
    "where": ("np.where(a > 5, a, 0.0)", "xp.where(a > 5, a, 0.0)"),
    "tests": ("np.any(a > 5), np.all(a > 5, axis=1)", "xp.any(a > 5), xp.all(a > 5, axis=1)"),
    "rounding": ("np.round(a / 3, 2), np.clip(a, 1, 5)", "(a / 3).round(2), xp.clip(a, 1, 5)"),
    "save and load": (
        "np.save(file, a); file.seek(0); np.load(file)",
        "xp.save(file, a); file.seek(0); xp.load(file)",
    ),
}  # fmt: skip
ON_HOST = {"save and load"}  # NumPy's load makes NumPy's arrays


def names(of: Any) -> dict[str, Any]:
    """What the lines begin with."""
    a, v = of(np.arange(12.0).reshape(3, 4)), of(np.array([3.0, 1.0, 2.0, 3.0]))
    return {"np": np, "xp": xp, "file": io.BytesIO(), "a": a, "v": v}


def test_the_tutorial_has_26_lines() -> None:
    assert len(LINES) == 26


@pytest.mark.parametrize("name", LINES)
def test_numpys_functions(name: str) -> None:
    line = LINES[name][0]
    expected, got = run_line(line, names(np.array)), run_line(line, names(xp.asarray))
    compare(got, expected, rtol=1e-12, atol=1e-12, on_device=name not in ON_HOST)


@pytest.mark.parametrize("name", LINES)
def test_our_spelling(name: str) -> None:
    numpys, ours = LINES[name]
    expected, got = run_line(numpys, names(np.array)), run_line(ours, names(xp.asarray))
    compare(got, expected, rtol=1e-12, atol=1e-12, on_device=True)
