"""Numbers are the same everywhere: fused and unfused, in every layout, in every tail, held or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from support import COMPLEX, FLOATING, LAYOUTS, REAL_FLOATING, assert_same, lay_out, sample, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

Expression = Callable[[xp.Array, xp.Array], Any]

EXPRESSIONS: dict[str, Expression] = {
    "a*b+a": lambda x, y: x * y + x,
    "polynomial": lambda x, y: ((x * 0.1 + y) * x - 0.3) * y + 1.7,
    "quotient": lambda x, y: x / (y + 0.1) - y * 0.7,
    "transcendental": lambda x, y: xp.exp(xp.sin(x) * 0.5) + xp.tanh(y) * x,
    "logarithm": lambda x, y: xp.log(x * x + 0.1) * y + xp.sqrt(xp.abs(x * y)),
}
REAL_EXPRESSIONS: dict[str, Expression] = {
    "where": lambda x, y: xp.where(x > y, x * y + 0.5, xp.maximum(x, y) / 3),
    "sum": lambda x, y: xp.sum(x * y + 0.1),
    "sum of rows": lambda x, y: xp.sum(x * y + 0.1, axis=1) * 0.3 + 1,
    "sum of columns": lambda x, y: xp.sum(x * y + 0.1, axis=0) / 7,
    "mean and spread": lambda x, y: (x - xp.mean(x, axis=1, keepdims=True)) / (xp.std(y) + 0.1),
    "power": lambda x, y: xp.pow(xp.abs(x) + 0.1, y) - xp.atan2(x, y),
}
SHAPE = (17, 33)


def rows() -> list[tuple[str, str]]:
    return [(name, dtype) for name in EXPRESSIONS for dtype in FLOATING] + [
        (name, dtype) for name in REAL_EXPRESSIONS for dtype in REAL_FLOATING
    ]


def run(name: str, x: xp.Array, y: xp.Array) -> Any:
    return to_host((EXPRESSIONS | REAL_EXPRESSIONS)[name](x, y))


@pytest.mark.parametrize(("name", "dtype"), rows())
def test_fused_and_unfused_have_the_same_bits(name: str, dtype: str) -> None:
    a, b = sample(dtype, SHAPE, 1), sample(dtype, SHAPE, 2)
    with xp.config.set(fusion=False):
        expected = run(name, xp.asarray(a), xp.asarray(b))
    assert_same(run(name, xp.asarray(a), xp.asarray(b)), expected)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "contiguous"])
@pytest.mark.parametrize(("name", "dtype"), [row for row in rows() if row[1] in ("float32", "float64", "complex64")])
def test_layout_never_changes_a_result(name: str, dtype: str, layout: str) -> None:
    a, b = sample(dtype, SHAPE, 1), sample(dtype, SHAPE, 2)
    expected = run(name, xp.asarray(a), xp.asarray(b))
    assert_same(run(name, lay_out(a, layout), xp.asarray(b)), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_tail_has_the_bits_of_a_whole_register(dtype: str) -> None:
    a, b = sample(dtype, 64, 1), sample(dtype, 64, 2)
    whole = run("transcendental", xp.asarray(a), xp.asarray(b))
    for n in (1, 2, 7, 15, 16, 17, 31, 33, 63):
        assert_same(run("transcendental", xp.asarray(a[:n]), xp.asarray(b[:n])), whole[:n])
        assert_same(run("transcendental", xp.asarray(a)[64 - n :], xp.asarray(b)[64 - n :]), whole[64 - n :])


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, *COMPLEX])
def test_holding_an_intermediate_changes_nothing(dtype: str) -> None:
    a, b = xp.asarray(sample(dtype, SHAPE, 1)), xp.asarray(sample(dtype, SHAPE, 2))
    expected = run("polynomial", a, b)
    one = a * 0.1 + b
    two = one * a - 0.3
    root = two * b + 1.7
    assert_same(to_host(root), expected)
    assert_same(to_host(one), to_host(a * 0.1 + b))
    assert_same(to_host(two), to_host((a * 0.1 + b) * a - 0.3))


def test_a_broadcast_operand_counts_as_the_whole_array_would() -> None:
    a, row = sample("float32", SHAPE, 1), sample("float32", SHAPE[1:], 2)
    full = np.ascontiguousarray(np.broadcast_to(row, SHAPE))
    for name in EXPRESSIONS:
        assert_same(run(name, xp.asarray(a), xp.asarray(row)), run(name, xp.asarray(a), xp.asarray(full)))


def test_float16_rounds_after_every_step_as_numpy_does() -> None:
    a, b = sample("float16", 1000, 1), sample("float16", 1000, 2)
    expected = ((a * np.float16(0.1) + b) * a - np.float16(0.3)) * b + np.float16(1.7)
    assert_same(run("polynomial", xp.asarray(a), xp.asarray(b)), expected)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nothing_is_contracted(dtype: str) -> None:
    a, b = sample(dtype, 5000, 1), sample(dtype, 5000, 2)
    assert_same(run("a*b+a", xp.asarray(a), xp.asarray(b)), a * b + a)


# Small grammar, few kernels: what is random is how operations are nested, cut, held and laid out.
_LEAVES = st.sampled_from(["x", "y", "x.T", "flip", "row"])
_TREES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["add", "multiply", "subtract"]), inner, inner),
        st.tuples(st.sampled_from(["sin", "sum0", "square", "hold"]), inner),
    ),
    max_leaves=6,
)


def _grow(tree: Any, leaves: dict[str, xp.Array], held: list[xp.Array]) -> xp.Array:
    if isinstance(tree, str):
        return leaves[tree]
    name, *operands = tree
    values = [_grow(operand, leaves, held) for operand in operands]
    if name == "sum0":
        return xp.sum(values[0], axis=0, keepdims=True)
    if name == "hold":
        held.append(values[0] * 0.5)
        return held[-1]
    result: xp.Array = getattr(xp, name)(*values)
    return result


@settings(max_examples=15, deadline=None)
@given(tree=_TREES, dtype=st.sampled_from(["float32", "float16"]))
def test_random_expressions_have_the_same_bits_fused_and_unfused(tree: Any, dtype: str) -> None:
    a, b = sample(dtype, (20, 20), 1), sample(dtype, (20, 20), 2)
    x, y = xp.asarray(a), xp.asarray(b)
    leaves = {"x": x, "y": y, "x.T": x.T, "flip": xp.flip(y), "row": x[3]}
    held: list[xp.Array] = []
    fused = _grow(tree, leaves, held)
    results = [to_host(value) for value in (fused, *held)]
    with xp.config.set(fusion=False):
        again: list[xp.Array] = []
        expected = [to_host(value) for value in (_grow(tree, leaves, again), *again)]
    for one, other in zip(results, expected, strict=True):
        assert_same(one, other)
