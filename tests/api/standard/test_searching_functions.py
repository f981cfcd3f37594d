"""Searching functions against NumPy: every dtype, every layout, NaN, scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, REAL, assert_same, check_same, few, lay_out, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero_of_every_dtype(dtype: str) -> None:
    check_same(lambda np_, x: np_.nonzero(x), few(dtype, 50))


@pytest.mark.parametrize("shape", [(1,), (1000,), (7, 9), (3, 4, 5), (0,), (3, 0)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_nonzero_of_every_shape_and_layout(shape: tuple[int, ...], layout: str) -> None:
    a = few("int32", shape)
    got = xp.nonzero(lay_out(a, layout))
    for one, other in zip(got, np.nonzero(a), strict=True):
        assert_same(to_host(one), other)


def test_nonzero_of_no_dimensions_is_refused() -> None:
    with pytest.raises(ValueError, match="nonzero: the array has 0 dimensions"):
        xp.nonzero(xp.asarray(1))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_count_nonzero(axis: Any, keepdims: bool) -> None:
    check_same(lambda np_, x: np_.count_nonzero(x, axis=axis, keepdims=keepdims), few("float32", (9, 20)))


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_finds_places_in_every_dtype(side: Any, dtype: str) -> None:
    a, b = np.sort(few(dtype, 40)), few(dtype, (5, 6), 1)
    check_same(lambda np_, x, y: np_.searchsorted(x, y, side=side), a, b)


def test_searchsorted_knows_infinities_and_nan() -> None:
    a = np.array([-np.inf, -1.0, 0.0, 0.0, 2.0, np.inf, np.nan])
    b = np.array([-np.inf, -0.0, 1.0, np.inf, np.nan])
    for side in ("left", "right"):
        check_same(lambda np_, x, y, side=side: np_.searchsorted(x, y, side=side), a, b)


def test_searchsorted_takes_scalars_sorters_and_nothing() -> None:
    a = few("float32", 30)
    check_same(lambda np_, x: np_.searchsorted(x, 2.5), np.sort(a))
    order = np.argsort(a, kind="stable")
    got = xp.searchsorted(xp.asarray(a), xp.asarray(a), sorter=xp.asarray(order))
    assert_same(to_host(got), np.searchsorted(a, a, sorter=order))
    check_same(lambda np_, x, y: np_.searchsorted(x, y), np.zeros(0), a.astype("float64"))
    check_same(lambda np_, x, y: np_.searchsorted(x, y), np.sort(a), np.zeros((0, 3), "float32"))


def test_searchsorted_refuses_other_sides_ranks_and_dtypes() -> None:
    x = xp.ones(3)
    with pytest.raises(ValueError, match="side='up'; allowed: 'left', 'right'"):
        xp.searchsorted(x, x, side="up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="1 dimension"):
        xp.searchsorted(xp.ones((2, 2)), x)
    with pytest.raises(TypeError, match="complex"):
        xp.searchsorted(x, xp.ones(3, dtype=xp.complex64))


def test_where_of_a_condition_alone_is_nonzero() -> None:
    for host in (np.array([[0, 3], [2, 0]]), np.array([True, False, True])):
        for got, expected in zip(xp.where(xp.asarray(host)), np.where(host), strict=True):
            assert_same(to_host(got), expected)
    one: Any = xp.where
    with pytest.raises(TypeError, match="where: got NoneType"):
        one(xp.asarray([True]), 1)
