"""The matrix products of the main namespace, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import INTEGERS, LAYOUTS, NUMERIC, assert_same, check_refused, check_same, lay_out, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import SHORT

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]


def small(dtype: str, shape: tuple[int, ...], seed: int = 0) -> HostArray:
    """Small whole numbers, whose products every dtype adds up exactly."""
    values = sample("int8", shape, seed) % 4
    return (values + 1j * (values // 2)).astype(dtype) if np.dtype(dtype).kind == "c" else values.astype(dtype)


SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3, 4), (4, 5)),
    ((1, 1), (1, 1)),
    ((17, 33), (33, 15)),
    ((70, 130), (130, 90)),
    ((4,), (4,)),
    ((4,), (4, 3)),
    ((3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 1, 3, 4), (5, 4, 2)),
    ((4,), (2, 4, 5)),
    ((2, 5, 4), (4,)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((0,), (0,)),
    ((0, 3, 4), (4, 5)),
]


@pytest.mark.parametrize(("one", "two"), SHAPES)
def test_matmul_of_every_pair_of_shapes(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    check_same(lambda np_, a, b: np_.matmul(a, b), small("float32", one, 1), small("float32", two, 2))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_matmul_of_every_dtype(dtype: str) -> None:
    a, b = small(dtype, (20, 30), 1), small(dtype, (30, 10), 2)
    check_same(lambda _, x, y: x @ y, a, b)
    check_same(lambda np_, x, y: np_.matmul(x, y), a, b)
    check_same(lambda _, x, y: y.__rmatmul__(x), a, b)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_products_wrap(dtype: str) -> None:
    check_same(lambda _, a, b: a @ b, sample(dtype, (5, 40), 1), sample(dtype, (40, 6), 2))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_matrices_lie_in_any_layout(layout: str) -> None:
    a, b = small("float32", (33, 40), 1), small("float32", (40, 21), 2)
    assert_same(to_host(lay_out(a, layout) @ xp.asarray(b)), a @ b)
    assert_same(to_host(xp.asarray(a) @ lay_out(b, layout)), a @ b)


def test_matmul_is_accurate() -> None:
    a, b = sample("float32", (50, 2000), 1), sample("float32", (2000, 40), 2)
    exact = a.astype("float64") @ b.astype("float64")
    room = np.abs(a).astype("float64") @ np.abs(b)
    assert np.max(np.abs(to_host(xp.asarray(a) @ xp.asarray(b)) - exact) / room) < 32 * np.finfo("float32").eps


def test_dtypes_promote_in_products() -> None:
    check_same(lambda _, a, b: a @ b, small("int8", (3, 4), 1), small("float32", (4, 2), 2))


def test_products_take_numpy_arrays_and_write_in_place() -> None:
    a, b = small("float32", (3, 3), 1), small("float32", (3, 3), 2)
    x = xp.asarray(a)
    assert_same(to_host(x @ b), a @ b)
    assert_same(to_host(b @ x), b @ a)
    same = x
    x @= xp.asarray(b)
    assert x is same
    assert_same(to_host(x), a @ b)


@pytest.mark.parametrize(("one", "two"), [((3, 4), (5, 6)), ((3,), (4,)), ((), (3,)), ((2, 3, 4), (3, 4, 5))])
def test_shapes_that_do_not_match_are_refused(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    check_refused(lambda np_, a, b: np_.matmul(a, b), np.ones(one), np.ones(two))


AXES: list[Any] = [0, 1, 2, ([1, 2], [0, 1]), ([2], [1]), ([-1, 0], [1, -1]), ([], [])]


@pytest.mark.parametrize("axes", AXES, ids=str)
def test_tensordot_over_every_kind_of_axes(axes: Any) -> None:
    a = small("float32", (4, 3, 5), 1)
    b = small("float32", {1: (5, 2), 2: (3, 5, 2)}.get(axes, (2, 3)) if isinstance(axes, int) else (3, 5, 4), 2)
    check_same(lambda np_, x, y: np_.tensordot(x, y, axes=axes), a, b)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_tensordot_of_every_dtype(dtype: str) -> None:
    """No operand is conjugated."""
    a, b = small(dtype, (4, 3, 5), 1), small(dtype, (5, 4, 2), 2)
    check_same(lambda np_, x, y: np_.tensordot(x, y, axes=((0, 2), (1, 0))), a, b)


def test_tensordot_refuses_axes_that_do_not_match() -> None:
    check_refused(lambda np_, x, y: np_.tensordot(x, y, axes=1), np.ones((2, 3)), np.ones((2, 3)))
    check_refused(lambda np_, x, y: np_.tensordot(x, y, axes=([0], [0, 1])), np.ones((2, 3)), np.ones((2, 3)))


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize(
    ("one", "two", "axis"), [((4,), (4,), -1), ((3, 4), (4,), -1), ((4, 3), (4, 1), -2), ((2, 3, 4), (3, 4), -1)]
)
def test_vecdot_conjugates_its_first_operand(one: tuple[int, ...], two: tuple[int, ...], axis: int, dtype: str) -> None:
    check_same(lambda np_, a, b: np_.vecdot(a, b, axis=axis), small(dtype, one, 1), small(dtype, two, 2))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_vecdot_multiplies_half_floats_in_float32(device: Device, name: str) -> None:
    """As products of matrices do: products that overflow may cancel, and sums are rounded once."""
    dtype = getattr(xp, name)
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"a device without {name}")
    random = np.random.default_rng(5)
    x = xp.full((64,), 300.0, dtype=dtype)
    y = xp.asarray(np.resize([300.0, -300.0], 64), dtype=dtype)
    assert float(xp.vecdot(x, y)) == 0
    a, b = (xp.astype(xp.asarray(random.normal(size=(5, 64))), dtype) for _ in range(2))
    exact = np.sum(to_host(xp.astype(a, xp.float64)) * to_host(xp.astype(b, xp.float64)), axis=-1)
    found = to_host(xp.astype(xp.vecdot(a, b), xp.float64))
    spacing = {"float16": 2.0**-11, "bfloat16": 2.0**-8}[name]
    assert (abs(found - exact) <= spacing * abs(exact) + 1e-5).all()


def test_vecdot_refuses_extents_that_differ_and_axes_from_the_front() -> None:
    with pytest.raises(ValueError, match="differ along axis -1"):
        xp.vecdot(xp.ones((2, 3)), xp.ones((2, 4)))
    with pytest.raises(ValueError, match="axis=0; allowed"):
        xp.vecdot(xp.ones((2, 3)), xp.ones((2, 3)), axis=0)


@pytest.mark.parametrize("other", ["bool", "int8", "float32"])
def test_products_of_booleans_are_numpys(other: str) -> None:
    """Among themselves they say whether any two hold; beside numbers they are numbers."""
    a = small("int8", (6, 300), 1) > 2
    b = (small("int8", (300, 6), 2) > 2).astype(other)
    check_same(lambda np_, x, y: np_.matmul(x, y), a, b)
    check_same(lambda np_, x, y: np_.tensordot(y, x, axes=1), a, b)
    check_same(lambda np_, x, y: np_.vecdot(x, y.mT), a, b)
    check_same(lambda np_, x, y: np_.matmul(x, y), np.ones((2, 512), bool), np.ones((512, 2), other))
