"""Elements of pending values at places that arrays give: as NumPy's, and no others are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.lazy.build.gathers import strides_below

pytestmark = pytest.mark.usefixtures("device")

A, B = (np.round(sample("float32", (30, 8), seed)) + 0 for seed in range(2))
FEW = np.asarray([3, -1, 3, 0])
MANY = np.arange(90) * 7 % 30

VALUES: dict[str, Callable[..., Any]] = {
    "one operand": lambda m, a, b: a * 2 + 1,
    "two operands": lambda m, a, b: a * b - a,
    "a part that is shared": lambda m, a, b: (lambda s: s * s + s)(a + b),
    "a row": lambda m, a, b: a + b[0],
    "a row alone": lambda m, a, b: m.broadcast_to(b[0] + 1, (30, 8)) * 2,
    "a scalar array": lambda m, a, b: a * m.asarray(3.0, dtype=m.float32),
    "numbers in order": lambda m, a, b: m.reshape(m.arange(240, dtype=m.float32), (30, 8)) + a,
    "a constant": lambda m, a, b: m.full((30, 8), 2.5, dtype=m.float32) + 1,
    "transposed": lambda m, a, b: (a.T + 1).T,
    "reversed": lambda m, a, b: a[::-1, ::-1] * 3,
    "differently strided": lambda m, a, b: a + b[::-1],
    "rolled": lambda m, a, b: m.roll(a * 2, 3, axis=0),
    "a sum": lambda m, a, b: a - m.sum(b, axis=1, keepdims=True),
    "expensive": lambda m, a, b: m.sqrt(m.sqrt(m.sqrt(m.abs(a)))),
    "put together": lambda m, a, b: m.concat([a[:10] * 2, b[:20]]),
    "taken twice": lambda m, a, b: m.take(a * 2, m.asarray(np.arange(30)[::-1].copy()), axis=0) + 1,
}
PLACES: dict[str, Callable[..., Any]] = {
    "few": lambda m, v: m.take(v, m.asarray(FEW), axis=0),
    "many": lambda m, v: m.take(v, m.asarray(MANY), axis=0),
    "none": lambda m, v: m.take(v, m.asarray(FEW[:0]), axis=0),
    "along the last axis": lambda m, v: m.take(v, m.asarray([7, 0, 7]), axis=1),
    "two arrays": lambda m, v: v[m.asarray(FEW), m.asarray(FEW)],
    "an array beside a slice": lambda m, v: v[m.asarray(FEW), 1:7:2],
    "a mask of rows": lambda m, v: v[m.asarray(np.arange(30) % 5 == 0)],
    "an array of two dimensions": lambda m, v: v[m.asarray(FEW.reshape(2, 2))],
    "repeated": lambda m, v: m.repeat(v, m.asarray(np.arange(8) % 3), axis=1),
    "along": lambda m, v: m.take_along_axis(v, m.asarray(np.argsort(A, axis=1)), axis=1),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_values_are_numpy_s(value: str, place: str) -> None:
    got = PLACES[place](xp, VALUES[value](xp, xp.asarray(A), xp.asarray(B)))
    assert_same(to_host(got), PLACES[place](np, VALUES[value](np, A, B)))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", VALUES)
def test_what_changes_afterwards_is_not_seen(value: str, place: str) -> None:
    x, y = xp.asarray(A), xp.asarray(B)
    whole = VALUES[value](xp, x, y)
    got = PLACES[place](xp, whole)
    whole[...] = 0
    x[...] = 0
    y[...] = 0
    assert_same(to_host(got), PLACES[place](np, VALUES[value](np, A, B)))


def test_a_value_that_is_computed_for_its_own_index() -> None:
    """Where its mask is made of the value, the value may be in memory, in C order, once the places are known."""
    x = xp.asarray(A)
    held = x.T + 1
    assert_same(to_host(held[held[:, 0] > 0, 1:9]), (A.T + 1)[A.T[:, 0] + 1 > 0, 1:9])
    held = x.T + 2
    more = held * 3
    assert_same(to_host(held[xp.sum(more, axis=1) > 0]), (A.T + 2)[np.sum((A.T + 2) * 3, axis=1) > 0])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "complex64"])
def test_dtypes(dtype: str) -> None:
    a = sample(dtype, (50,))
    x = xp.asarray(a)
    assert_same(to_host(xp.where(x == x[3], x[1], x)[FEW]), np.where(a == a[3], a[1], a)[FEW])


@pytest.mark.parametrize("place", ["few", "along the last axis", "two arrays", "repeated"])
def test_an_expression_and_a_gather_are_one_launch(place: str) -> None:
    x = xp.asarray(A)
    to_host(PLACES[place](xp, x * 2 + 1))
    with launches() as made:
        to_host(PLACES[place](xp, x * 2 + 1))
    assert len([launch for launch in made if launch.kernel != "any"]) == 1, made  # that of checking indices apart


def test_elements_that_nobody_asks_for_are_not_computed() -> None:
    x = xp.ones((1_000_000,), dtype="float32")
    xp.compute(x)
    with launches() as made:
        to_host((x * 2 + x)[np.asarray([5, 999_999])])
    assert sum(launch.items for launch in made) < 1000, made


def test_expensive_values_are_computed_once_where_much_of_them_is_wanted() -> None:
    x = xp.asarray(A)
    with launches() as made:
        to_host(xp.exp(x)[MANY])
    assert [launch.kernel for launch in made] == ["exp", made[-1].kernel]


def test_indices_outside_are_refused() -> None:
    x = xp.asarray(A)
    for index in ([30], [-31], [0, 100]):
        with pytest.raises(IndexError, match="axis 0"):
            (x * 2)[np.asarray(index)]
        with pytest.raises(IndexError, match="axis 0"):
            xp.take(x * 2, xp.asarray(index), axis=0)


def test_strides_of_expressions() -> None:
    x, y = xp.asarray(A), xp.asarray(B)
    assert strides_below((x * y + 1)._node) == (8, 1)
    assert strides_below((x + y[0])._node) is None
    assert strides_below((x + y[:, ::-1])._node) is None
    assert strides_below(xp.cumulative_sum(x * 2, axis=0)._node) is None
