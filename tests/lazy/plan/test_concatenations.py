"""Expressions over concatenations: as many launches as there are parts, and NumPy's values and aliasing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, needs_rows, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

pytestmark = pytest.mark.usefixtures("device", "small_parts")

# Whole numbers, whose sums are exact in any order, without negative zeros.
A, B, C = (np.round(sample("float32", (4, 6), seed)) + 0 for seed in range(3))
Program = Callable[[Any, Any, Any, Any], Any]

# A program of NumPy's or our namespace and three arrays, and the launches that it takes.
PROGRAMS: dict[str, tuple[Program, int]] = {
    "two arrays": (lambda m, a, b, c: m.concat([a, b]), 2),
    "three columns": (lambda m, a, b, c: m.concat([a, b, c], axis=1), 3),
    "one array": (lambda m, a, b, c: m.concat([a]), 1),
    "pending values": (lambda m, a, b, c: m.concat([a * 2, b + c]), 2),
    "an empty one among them": (lambda m, a, b, c: m.concat([a, b[:0], c]), 2),
    "flattened": (lambda m, a, b, c: m.concat([a, b.T], axis=None), 3),
    "of several dtypes": (lambda m, a, b, c: m.concat([m.astype(a, m.int8), b > 0, c]), 3),
    "a stack": (lambda m, a, b, c: m.stack([a, b, c + 1]), 3),
    "a stack of columns": (lambda m, a, b, c: m.stack([a, b], axis=-1), 2),
    "an expression over one": (lambda m, a, b, c: m.sqrt(m.abs(m.concat([a, b]))) * 2, 2),
    "with another operand": (lambda m, a, b, c: m.concat([a[:1], a, a[3:]]) - m.concat([b[:1], b, b[3:]]), 3),
    "with an array": (lambda m, a, b, c: m.concat([a[:3], b[:1]]) * c, 2),
    "with a row and a column": (lambda m, a, b, c: m.concat([a[:3], b[:1]]) * c[0] + c[:, :1], 2),
    "twice": (lambda m, a, b, c: (lambda x: x * x + x)(m.concat([a, b])), 2),
    "one within the other": (lambda m, a, b, c: m.concat([m.concat([a, b]) * 2, c]), 3),
    "with other boundaries": (lambda m, a, b, c: m.concat([a[:1], a[1:]]) + m.concat([b[:2], b[2:]]), 3),
    "along two axes": (lambda m, a, b, c: m.concat([a[:1], a[1:]]) + m.concat([b[:, :2], b[:, 2:]], axis=1), 5),
    "a slice of it": (lambda m, a, b, c: m.concat([a, b])[1:3], 1),
    "a slice of an expression over it": (lambda m, a, b, c: (m.concat([a, b]) * 2)[5:, ::2], 1),
    "a slice across": (lambda m, a, b, c: m.concat([a, b])[3:5], 3),
    "transposed and sliced": (lambda m, a, b, c: m.concat([a, b]).T[:, 4:], 1),
    "the greatest of a stack": (lambda m, a, b, c: m.max(m.stack([a, b, c]), axis=0), 4),
    "the sum of one": (lambda m, a, b, c: m.sum(m.concat([a, b]) * 2, axis=0), 3),
    "rows of one": (lambda m, a, b, c: (lambda x: x - m.max(x, axis=1, keepdims=True))(m.concat([a, b])), 3),
    "repeated ends": (lambda m, a, b, c: m.diff(m.concat([a[:, :1], a, a[:, -1:]], axis=1), axis=1), 4),
    "of what is sorted": (lambda m, a, b, c: m.concat([m.sort(a, axis=0), b]) + 1, 6),  # three of them sort
    "taken": (lambda m, a, b, c: m.take(m.concat([a, b]), m.asarray([7, 0, 4]), axis=0) + 1, 3),
    "rolled": (lambda m, a, b, c: m.roll(m.concat([a, b]), 3, axis=0) + 1, 3),
    "nothing": (lambda m, a, b, c: m.concat([a[:0], b[:0]]) + 1, 0),
}  # fmt: skip


def arrays() -> list[xp.Array]:
    """Fresh ones."""
    return [xp.asarray(host) for host in (A, B, C)]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Concatenations of few elements wait, too."""
    monkeypatch.setattr(tuning, "PARTS_FROM", (0, 0))


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_launches(name: str) -> None:
    if name == "rows of one":
        needs_rows()
    program, count = PROGRAMS[name]
    x = arrays()
    result = program(xp, *x)
    planned = xp.explain(result).count("# launch")
    with launches() as made:
        xp.compute(result)
    assert_same(to_host(result), program(np, A, B, C))
    assert len(made) <= count, made
    assert planned <= max(len(made), 1)


@pytest.mark.parametrize("name", PROGRAMS)
def test_operands_that_change_afterwards(name: str) -> None:
    program, _ = PROGRAMS[name]
    x = arrays()
    result = program(xp, *x)
    for one in x:
        one[...] = 0
    assert_same(to_host(result), program(np, A, B, C))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_result_is_memory_of_its_own(name: str) -> None:
    program, _ = PROGRAMS[name]
    x = arrays()
    result = program(xp, *x)
    result[...] = 0
    for one, host in zip(x, (A, B, C), strict=True):
        assert_same(to_host(one), host)


def test_concatenating_launches_nothing_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for rows so short that GPUs put them side by side at once."""
    monkeypatch.setattr(tuning, "JOINED_ROW", 0)
    x = arrays()
    with no_launch():
        xp.stack(x)
        xp.concat(x, axis=1)


@pytest.mark.parametrize(
    "statement",
    [
        "x[...] = m.concat([x[2:], x[:2]])",
        "x[...] = m.concat([x[2:], x[:2]]) * 2 + x",
        "x[1:] = m.concat([x[:1], x[:2]])",
        "x[:, :4] = m.stack([x[:, 0], x[:, 2], x[:, 1], x[:, 5]], axis=1)",
        "x += m.concat([x[3:], x[:3]])",
        "v = x[::2]; v += m.concat([v[1:], v[:1]]); x[0] = 5",
    ],
)
def test_writes_into_what_is_concatenated(statement: str) -> None:
    host: dict[str, Any] = {"m": np, "x": A.copy()}
    ours: dict[str, Any] = {"m": xp, "x": xp.asarray(A)}
    for variables in (host, ours):
        exec(statement, variables)
    assert_same(to_host(ours["x"]), host["x"])


def test_memory_of_others_is_written_by_one_launch() -> None:
    """An interrupt between two would leave half of the value there."""
    a, b, c = arrays()
    whole = xp.concat([a, b])
    view = whole[...]
    with launches() as made:
        view[...] = xp.concat([b, c]) * 2
    assert [entry.bytes for entry in made[-1:]] == [2 * whole.nbytes] and len(made) == 5, made
    assert_same(to_host(whole), np.concat([B, C]) * 2)


def test_a_concatenation_that_a_user_holds_is_computed_once() -> None:
    a, b, _ = arrays()
    both = xp.concat([a, b])
    doubled = both * 2
    with launches() as made:
        xp.compute(doubled, both)
    assert len(made) == 3
    assert_same(to_host(doubled), np.concat([A, B]) * 2)


def test_many_operands() -> None:
    hosts = [sample("int32", (3,), seed) for seed in range(300)]
    assert_same(to_host(xp.concat([xp.asarray(host) for host in hosts]) + 1), np.concat(hosts) + 1)


def test_explain_counts_a_launch_for_each_part(device: Device) -> None:
    a, b, c = arrays()
    text = xp.explain(xp.concat([a, xp.sum(b, axis=0, keepdims=True), c]) * 2)
    assert "# launches 1, 3 and 4 (in parts" in text, text
    names = {"xp": xp, **text.arrays}
    exec(text, names)
    assert_same(
        to_host(names[text.splitlines()[-1].split(" = ")[0]]), np.concat([A, np.sum(B, axis=0, keepdims=True), C]) * 2
    )


def test_few_elements_are_computed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python takes longer for an expression in parts than a launch takes."""
    monkeypatch.undo()
    a, b, _ = arrays()
    with launches() as made:
        both = xp.concat([a, b])
    assert len(made) == (1 if a.device.is_gpu else 2)  # one joins both, or each copies one
    assert_same(to_host(both), np.concat([A, B]))
