"""`take` and `take_along_axis` against NumPy, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, assert_same, lay_out, sample, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(3 * 4 * 5, dtype="int32").reshape(3, 4, 5)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_take_is_numpys(axis: int) -> None:
    places = np.array([1, 0, 2, -1])
    assert_same(to_host(xp.take(xp.asarray(A), xp.asarray(places), axis=axis)), np.take(A, places, axis=axis))


def test_take_without_axis_needs_one_dimension() -> None:
    assert xp.take(xp.asarray([5, 6, 7]), xp.asarray([2, 0])).tolist() == [7, 5]
    with pytest.raises(ValueError, match="take: the array has 3 axes; allowed without axis: 1"):
        xp.take(xp.asarray(A), xp.asarray([0]))


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_take_along_axis_is_numpys(axis: int) -> None:
    order = np.argsort(sample("float32", A.shape), axis=axis)
    got = xp.take_along_axis(xp.asarray(A), xp.asarray(order), axis=axis)
    assert_same(to_host(got), np.take_along_axis(A, order, axis=axis))


def test_take_along_axis_broadcasts_the_other_axes() -> None:
    places = np.array([[[1], [0], [2], [1]]])
    got = xp.take_along_axis(xp.asarray(A), xp.asarray(places), axis=2)
    assert_same(to_host(got), np.take_along_axis(A, places, axis=2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_take_reads_every_dtype_from_every_layout(layout: str, dtype: str) -> None:
    a, places = sample(dtype, (4, 5)), np.array([3, 0, 3])
    assert_same(to_host(xp.take(lay_out(a, layout), xp.asarray(places), axis=0)), np.take(a, places, axis=0))


@pytest.mark.parametrize("place", [3, -4])
def test_a_place_outside_the_axis_is_refused(place: int) -> None:
    x, places = xp.asarray(A), xp.asarray([0, place])
    with pytest.raises(IndexError, match=f"index {place} is out of bounds for axis 0 with size 3"):
        xp.take(x, places, axis=0)


def test_take_along_axis_wants_indices_of_its_rank() -> None:
    with pytest.raises(ValueError, match="got indices with 1 axes; allowed: 3, as many"):
        xp.take_along_axis(xp.asarray(A), xp.asarray([0]))


def test_take_along_axis_takes_indices_of_numpys_and_no_lists() -> None:
    x, places = xp.asarray(A), np.zeros((3, 1, 1), int)
    assert_same(to_host(xp.take_along_axis(x, places, axis=1)), np.take_along_axis(A, places, axis=1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="take_along_axis: got list"):
        xp.take_along_axis(x, [[[0]]])  # type: ignore[arg-type]
