"""Sorting functions against NumPy: every dtype, every layout, stable in both directions, NaN last."""

from __future__ import annotations

import numpy as np
import pytest
from support import LAYOUTS, REAL, assert_same, check_same, few, lay_out, sample, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", ["bool", *REAL])
@pytest.mark.parametrize("n", [1, 2, 17, 1000, 5003])
def test_sort_of_every_dtype(dtype: str, n: int) -> None:
    check_same(lambda np_, x: np_.sort(x), sample(dtype, n))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sort_along_every_axis_of_every_layout(axis: int, layout: str) -> None:
    a = sample("int16", (5, 40, 7))
    assert_same(to_host(xp.sort(lay_out(a, layout), axis=axis)), np.sort(a, axis=axis))
    assert_same(to_host(xp.argsort(lay_out(a, layout), axis=axis)), np.argsort(a, axis=axis, kind="stable"))


@pytest.mark.parametrize("dtype", ["bool", *REAL])
def test_equal_elements_keep_their_order(dtype: str) -> None:
    a = few(dtype, 3000)
    assert_same(to_host(xp.argsort(xp.asarray(a))), np.argsort(a, kind="stable"))
    down = to_host(xp.argsort(xp.asarray(a), descending=True))
    assert_same(a[down], np.sort(a)[::-1])
    for value in np.unique(a):
        assert np.all(np.diff(down[a[down] == value]) > 0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_comes_last_and_zeros_are_equal(dtype: str) -> None:
    a = np.array([np.nan, 1, -np.inf, -0.0, np.inf, 0.0, np.nan, -1], dtype)
    x = xp.asarray(a)
    assert to_host(xp.argsort(x)).tolist() == [2, 7, 3, 5, 1, 4, 0, 6]
    assert_same(to_host(xp.sort(x)), a[[2, 7, 3, 5, 1, 4, 0, 6]])


def test_sort_of_nothing_and_of_no_dimensions() -> None:
    for shape in ((0,), (3, 0), (0, 3)):
        check_same(lambda np_, x: np_.sort(x), np.zeros(shape))
        check_same(lambda np_, x: np_.argsort(x, axis=0), np.zeros(shape))


def test_a_sorted_array_has_its_own_memory() -> None:
    x = xp.asarray([3, 1, 2])
    y = xp.sort(x)
    y[0] = 99
    assert x.tolist() == [3, 1, 2]


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_complex_numbers_are_not_sorted(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}: got complex128; allowed: real dtypes"):
        getattr(xp, name)(xp.ones(3, dtype=xp.complex128))
