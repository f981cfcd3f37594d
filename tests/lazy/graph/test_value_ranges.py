"""Intervals of integers: no element lies outside, and an index that is known to be inside is not looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.graph.value_ranges import LEVELS, interval
from arrayapi_gpu.memory.gpuarray import GpuArray

pytestmark = pytest.mark.usefixtures("device")

I64 = np.iinfo("int64").min, np.iinfo("int64").max
I8 = -128, 127
BYTES = np.asarray([3, -128, 127, 0, -1], "int8")
MATRIX = sample("float32", (7, 5))

# Of a namespace and an array of int8 and one of float32.
EXPRESSIONS: dict[str, tuple[Callable[..., Any], tuple[int, int]]] = {
    "memory": (lambda m, i, x: i, I8),
    "a range": (lambda m, i, x: m.arange(3, 20, 4), (3, 19)),
    "a range downwards": (lambda m, i, x: m.arange(5, -5, -3), (-4, 5)),
    "a constant": (lambda m, i, x: m.full((3,), 9), (9, 9)),
    "a place": (lambda m, i, x: m.argmax(x, axis=1), (0, 4)),
    "a place among all": (lambda m, i, x: m.argmin(x), (0, 34)),
    "a place in each row": (lambda m, i, x: m.argmax(x, axis=1) + m.arange(7) * 5, (0, 34)),
    "a sum that wraps": (lambda m, i, x: i + m.asarray(1, dtype=m.int8), I8),
    "a wider sum": (lambda m, i, x: m.astype(i, m.int64) + 1, (-127, 128)),
    "a difference": (lambda m, i, x: 10 - m.arange(4), (7, 10)),
    "a product of both signs": (lambda m, i, x: m.astype(i, m.int64) * m.astype(i, m.int64), (-16256, 16384)),
    "a negative": (lambda m, i, x: -m.astype(i, m.int64), (-127, 128)),
    "the least number, negative": (lambda m, i, x: -i, I8),
    "limits": (lambda m, i, x: m.clip(i, 0, 6), (0, 6)),
    "a quotient": (lambda m, i, x: m.arange(12) // 5, (0, 2)),
    "a quotient of both signs": (lambda m, i, x: m.astype(i, m.int64) // 10, (-13, 12)),
    "a quotient by what may be 0": (lambda m, i, x: m.arange(5) // (m.arange(5) + 0), I64),
    "a remainder": (lambda m, i, x: i % 6, (0, 5)),
    "a remainder of few": (lambda m, i, x: m.arange(3) % 10, (0, 2)),
    "a remainder of a negative divisor": (lambda m, i, x: m.astype(i, m.int64) % -6, I64),
    "some bits": (lambda m, i, x: i & 15, (0, 15)),
    "a choice": (lambda m, i, x: m.where(x[0] > 0, m.arange(5), -2), (-2, 4)),
    "booleans": (lambda m, i, x: m.astype(i > 0, m.int64) + 4, (4, 5)),
    "a cast that wraps": (lambda m, i, x: m.astype(m.arange(300), m.int8), I8),
    "a cast of floats": (lambda m, i, x: m.astype(x, m.int8), I8),
    "the largest": (lambda m, i, x: m.max(m.arange(4) + 3), (3, 6)),
    "a sum of all": (lambda m, i, x: m.sum(m.arange(4)), I64),
    "a view": (lambda m, i, x: (m.arange(9) + 1)[2:5], (1, 9)),
    "rolled": (lambda m, i, x: m.roll(m.arange(9) % 4, 2), (0, 3)),
    "joined": (lambda m, i, x: m.concat([m.arange(4), m.arange(2) - 7]), I64),
    "taken": (lambda m, i, x: m.take(m.astype(i, m.int64), m.arange(3)), I8),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_no_element_lies_outside(name: str) -> None:
    expression, wanted = EXPRESSIONS[name]
    value = expression(xp, xp.asarray(BYTES), xp.asarray(MATRIX))
    pending, found = value._node.array is None, interval(value._node)
    host = to_host(value)
    # GPUs compute a costly operand of a view at once.
    assert found == (wanted if pending else (np.iinfo(host.dtype).min, np.iinfo(host.dtype).max))
    if host.size and "may be 0" not in name:
        assert wanted[0] <= int(host.min()) and int(host.max()) <= wanted[1]


def test_floats_have_none() -> None:
    assert interval((xp.asarray(MATRIX) + 1)._node) is None
    assert interval((xp.asarray(MATRIX) > 1)._node) == (0, 1)


def test_far_below_nothing_is_known() -> None:
    value = xp.arange(4)
    for _ in range(LEVELS - 1):
        value = value + 1
    assert interval(value._node) == (LEVELS - 1, LEVELS + 2)
    assert interval((value + 1)._node) == I64


def _rows(x: Any, m: Any) -> Any:
    return m.take(m.reshape(x, (-1,)), m.argmax(x, axis=1) + m.arange(7) * 5)


INSIDE: dict[str, Callable[[Any, Any], Any]] = {
    "the largest of each row": _rows,
    "every other": lambda x, m: x[m.arange(0, 7, 2)],
    "from the end": lambda x, m: x[-1 - m.arange(7)],
    "wrapped": lambda x, m: x[(m.arange(20) * 3) % 7],
    "in two axes": lambda x, m: x[m.arange(5), m.arange(5)],
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_is_known_to_be_inside_is_not_looked_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.asarray(MATRIX)

    def of_computed(node: Node) -> GpuArray:
        assert node.array is not None, "an index is computed, to be looked at"
        return node.array

    with monkeypatch.context() as patched:
        patched.setattr("arrayapi_gpu.api.core.indexing.evaluate", of_computed)
        got = INSIDE[name](x, xp)
    assert_same(to_host(got), INSIDE[name](MATRIX, np))


@pytest.mark.parametrize("index", [lambda m: m.arange(8), lambda m: -m.arange(9), lambda m: m.arange(3) + 5])
def test_what_may_be_outside_is_looked_at(index: Callable[[Any], Any]) -> None:
    x = xp.asarray(MATRIX)
    with pytest.raises(IndexError, match="out of bounds for axis 0 with size 7"):
        x[index(xp)]


def test_a_range_as_index_costs_no_launch_of_its_own() -> None:
    x = xp.asarray(MATRIX)
    with launches() as made:
        xp.compute(x[xp.arange(7) // 2] + 1)
    assert len(made) == 1
