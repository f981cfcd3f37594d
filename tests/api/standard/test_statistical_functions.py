"""Reductions against NumPy: every dtype, all axes, keepdims, empty, NaN, signed zeros, ties."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from support import (
    COMPLEX,
    DTYPES,
    INTEGERS,
    LAYOUTS,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    assert_same,
    check_refused,
    check_same,
    few,
    lay_out,
    sample,
    to_host,
)

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
SHAPE = (3, 5, 37)
AXES: list[int | tuple[int, ...] | None] = [None, 0, 1, 2, -1, -3, (0, 1), (0, 2), (2, 1), (0, 1, 2), ()]


def whole(dtype: str, shape: int | tuple[int, ...] = SHAPE, seed: int = 0) -> HostArray:
    """Small whole numbers, whose sums every dtype holds exactly."""
    return np.asarray(sample("int8", shape, seed) % 4).astype(dtype)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("name", ["sum", "max", "any", "mean"])
def test_reductions_along_all_axes(name: str, axis: Any, keepdims: bool) -> None:
    a = whole("float32")
    check_same(lambda np_, x: getattr(np_, name)(x, axis=axis, keepdims=keepdims), a, ulps=2 if name == "mean" else 0)


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("axis", [None, 1, 2])
def test_sum_of_every_dtype(dtype: str, axis: int | None) -> None:
    check_same(lambda np_, x: np_.sum(x, axis=axis), whole(dtype))


@pytest.mark.parametrize("dtype", NUMERIC)
def test_prod_of_every_dtype(dtype: str) -> None:
    check_same(lambda np_, x: np_.prod(x, axis=-1), whole(dtype, (4, 5)))


@pytest.mark.parametrize("dtype", ["bool", *REAL])
@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_every_dtype(name: str, dtype: str) -> None:
    a = sample(dtype, SHAPE)
    check_same(lambda np_, x: getattr(np_, name)(x), a)
    check_same(lambda np_, x: getattr(np_, name)(x, axis=1), a)


@pytest.mark.parametrize("dtype", ["bool", *REAL])
@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_positions_of_extremes_of_every_dtype(name: str, dtype: str) -> None:
    a = sample(dtype, SHAPE)
    check_same(lambda np_, x: getattr(np_, name)(x), a)
    check_same(lambda np_, x: getattr(np_, name)(x, axis=1), a)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["any", "all", "count_nonzero"])
def test_truth_of_every_dtype(name: str, dtype: str) -> None:
    a = whole(dtype) * whole(dtype, SHAPE, 1)
    check_same(lambda np_, x: getattr(np_, name)(x, axis=-1), a)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_small_integers_add_up_in_64_bits_and_these_wrap(dtype: str) -> None:
    a = np.full(1000, np.iinfo(dtype).max, dtype)
    check_same(lambda np_, x: np_.sum(x), a)
    check_same(lambda np_, x: np_.prod(x), a[:9])


@pytest.mark.parametrize(
    ("dtype", "wanted"), [("int8", "int8"), ("float32", "float64"), ("int32", "float32"), ("bool", "int16")]
)
def test_sum_computes_in_the_dtype_that_is_asked_for(dtype: str, wanted: str) -> None:
    check_same(lambda np_, x: np_.sum(x, dtype=getattr(np_, wanted)), whole(dtype))


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 70_001])
def test_every_length_is_summed_whole(n: int) -> None:
    """Registers, blocks and segments have tails."""
    check_same(lambda np_, x: np_.sum(x), whole("int32", n))
    check_same(lambda np_, x: np_.max(x), sample("int32", n))


@pytest.mark.parametrize("shape", [(257, 3), (3, 4099), (4099, 3), (2, 300, 17), (17, 300, 2), (300, 1), (1, 300)])
@pytest.mark.parametrize("axis", [0, 1])
def test_long_axes_beside_short_ones(shape: tuple[int, ...], axis: int) -> None:
    check_same(lambda np_, x: np_.sum(x, axis=axis), whole("int32", shape))
    check_same(lambda np_, x: np_.argmax(x, axis=axis), whole("int32", shape))


@pytest.mark.parametrize("rank", [9, 12, 16])
def test_reductions_have_no_limit_on_rank(rank: int) -> None:
    a = whole("int32", (2,) * rank)
    check_same(lambda np_, x: np_.sum(x, axis=tuple(range(0, rank, 2))), a)
    check_same(lambda np_, x: np_.sum(x), a)


# --- accuracy ---


@pytest.mark.parametrize(("dtype", "wide"), [("float32", "float64"), ("float64", "longdouble")])
@pytest.mark.parametrize("axis", [0, 1])
def test_errors_of_sums_grow_slower_than_their_length(dtype: str, wide: str, axis: int) -> None:
    a = np.abs(sample(dtype, (4001, 4001) if dtype == "float32" else (1001, 1001)))
    exact = a.astype(wide).sum(axis=axis)
    got = to_host(xp.sum(xp.asarray(a), axis=axis))
    # Added up one after the other, 4,001 numbers are off by some 60 ulp.
    assert np.max(np.abs(got - exact) / (exact * np.finfo(dtype).eps)) < 8


def test_float16_accumulates_in_float32_and_rounds_once() -> None:
    a = np.full(40_000, 1.5, "float16")
    assert float(xp.sum(xp.asarray(a))) == 60_000
    assert float(xp.mean(xp.asarray(a))) == 1.5
    assert np.isinf(float(xp.sum(xp.asarray(np.concatenate([a, a])))))


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, *COMPLEX, "int16", "bool"])
@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("name", ["mean", "var", "std"])
def test_means_and_spreads_are_numpys_in_a_wider_dtype(name: str, axis: int | None, dtype: str) -> None:
    a = sample(dtype, (41, 19))
    wide = {"float16": "f8", "float32": "f8", "complex64": "c16", "complex128": "G"}.get(dtype, "g")
    if a.dtype.kind == "b" and name != "mean":
        wide = "f8"
    exact = getattr(np, name)(a.astype(wide), axis=axis)
    got = to_host(getattr(xp, name)(xp.asarray(a), axis=axis))
    assert got.dtype == getattr(np, name)(a, axis=axis).dtype
    room = 16 * np.finfo(got.dtype).eps * float(np.max(np.abs(a.astype(wide))))
    assert np.all(
        np.abs(got - exact) <= (room * room if name == "var" else room) + 16 * np.finfo(got.dtype).eps * np.abs(exact)
    )


@pytest.mark.parametrize("correction", [0, 1, 2.5, 0.5])
def test_correction_lowers_the_degrees_of_freedom(correction: float) -> None:
    a = whole("float64", (7, 5))
    check_same(lambda np_, x: np_.var(x, axis=0, correction=correction), a, ulps=4)
    check_same(lambda np_, x: np_.std(x, correction=correction, keepdims=True), a, ulps=4)


def test_a_variance_far_from_zero_does_not_cancel() -> None:
    a = np.array([1e8, 1e8 + 1, 1e8 + 2])
    check_same(lambda np_, x: np_.var(x), a, ulps=2)


@pytest.mark.parametrize("correction", [3, 4])
@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
def test_no_degrees_of_freedom_give_numpys_nan_or_infinity(correction: int) -> None:
    check_same(lambda np_, x: np_.var(x, correction=correction), np.array([1.0, 2.0, 4.0]))
    check_same(lambda np_, x: np_.var(x, correction=correction), np.array([1.0, 1.0, 1.0]))


# --- special values ---


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "var", "any", "all", "argmin", "argmax"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_nan_anywhere_decides(name: str, dtype: str) -> None:
    for place in (0, 5, 16, 39):
        a = whole(dtype, 40)
        a[place] = np.nan
        check_same(lambda np_, x: getattr(np_, name)(x), a)


def test_the_first_of_several_nans_is_found() -> None:
    a = np.array([1.0, np.nan, 3.0, np.nan, -np.inf, np.inf])
    check_same(lambda np_, x: (np_.argmax(x), np_.argmin(x)), a)


@pytest.mark.parametrize("n", [5, 40, 5000])
@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_the_first_of_equal_extremes_is_found(name: str, n: int) -> None:
    for a in (np.zeros(n, "int32"), np.arange(n) % 7, -(np.arange(n) % 7)):
        check_same(lambda np_, x: getattr(np_, name)(x), a.astype("int32"))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("dtype", REAL)
def test_extremes_equal_to_the_identity_are_found_too(name: str, dtype: str) -> None:
    """Infinities and the limits of integers are what reductions start from."""
    limits = np.array([-np.inf, np.inf]) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    low, high = limits if isinstance(limits, np.ndarray) else (limits.min, limits.max)
    for value in (low, high):
        check_same(lambda np_, x: getattr(np_, name)(x), np.full(20, value, dtype))


def test_infinities_add_up_to_infinity_or_nan() -> None:
    for a in ([np.inf, 1.0], [np.inf, -np.inf], [-np.inf, -1.0]):
        check_same(lambda np_, x: np_.sum(x), np.array(a))
        check_same(lambda np_, x: np_.mean(x), np.array(a))


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("a", [[0.0, -0.0], [-0.0, 0.0], [-0.0, -0.0]])
def test_extremes_of_zeros_are_zeros(name: str, a: list[float]) -> None:
    assert float(getattr(xp, name)(xp.asarray(a))) == 0


@pytest.mark.parametrize("n", [1, 3, 40])
def test_the_product_of_negative_zeros_has_their_sign(n: int) -> None:
    check_same(lambda np_, x: np_.prod(x), np.full(n, -0.0))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", ["sum", "prod", "any", "all", "mean", "var", "count_nonzero"])
@pytest.mark.filterwarnings("ignore:.*:RuntimeWarning")
def test_reductions_over_nothing_are_numpys(name: str, axis: int | None, shape: tuple[int, ...]) -> None:
    check_same(lambda np_, x: getattr(np_, name)(x, axis=axis), np.zeros(shape))


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float32"])
def test_extremes_of_nothing_are_refused(dtype: str, name: str) -> None:
    check_refused(lambda np_, x: getattr(np_, name)(x), np.zeros((0,), dtype))
    check_refused(lambda np_, x: getattr(np_, name)(x, axis=1), np.zeros((3, 0), dtype))
    check_refused(lambda np_, x: getattr(np_, name)(x, axis=1), np.zeros((0, 0), dtype))
    check_same(lambda np_, x: getattr(np_, name)(x, axis=0), np.zeros((3, 0), dtype))


@pytest.mark.parametrize("name", ["sum", "min", "mean", "var", "any", "argmax", "count_nonzero"])
def test_zero_dimensions_are_reduced_to_themselves(name: str) -> None:
    check_same(lambda np_, x: getattr(np_, name)(x), np.array(3.0))


@pytest.mark.parametrize("axis", [3, -4, (0, 3), (1, 1), (0, -3)])
def test_axes_that_are_not_there_or_repeated_are_refused(axis: Any) -> None:
    check_refused(lambda np_, x: np_.sum(x, axis=axis), np.zeros(SHAPE))


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_complex_numbers_have_no_order(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name}: got complex64; allowed: real dtypes"):
        getattr(xp, name)(xp.ones(3, dtype=xp.complex64))


# --- layouts ---


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "axis", [None, *itertools.chain.from_iterable(itertools.combinations([(0,), (1,), (2,)], 1)), (0, 2)]
)
def test_sums_of_floats_have_the_same_bits_in_every_layout(layout: str, axis: Any) -> None:
    a = sample("float32", SHAPE)
    expected = to_host(xp.sum(xp.asarray(a), axis=axis))
    assert_same(to_host(xp.sum(lay_out(a, layout), axis=axis)), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_of_extremes_do_not_depend_on_the_layout(layout: str) -> None:
    a = whole("int32")
    assert_same(to_host(xp.argmax(lay_out(a, layout))), np.asarray(np.argmax(a)))
    assert_same(to_host(xp.argmin(lay_out(a, layout), axis=2)), np.argmin(a, axis=2))


def test_broadcast_elements_count_as_often_as_they_are_seen() -> None:
    x = xp.broadcast_to(xp.asarray([1, 2, 3]), (4, 3))
    assert (int(xp.sum(x)), xp.sum(x, axis=0).tolist(), xp.sum(x, axis=1).tolist()) == (24, [4, 8, 12], [6] * 4)


# --- cumulative ---


@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative_results_of_every_dtype(name: str, dtype: str) -> None:
    a = (few(dtype, 20) * 0 + 1) if name == "cumulative_prod" else few(dtype, 100)
    if name == "cumulative_prod":
        a[::3] = 2
    check_same(lambda np_, x: getattr(np_, name)(x), a)


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("shape", [(3, 4097), (300, 5), (17, 17), (0, 3), (3, 0)])
def test_cumulative_sums_along_axes(shape: tuple[int, ...], axis: int, initial: bool) -> None:
    a = few("int32", shape)
    check_same(lambda np_, x: np_.cumulative_sum(x, axis=axis, include_initial=initial), a)


@pytest.mark.parametrize("initial", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int32", "uint8"])
def test_cumulative_products_of_any_numbers(dtype: str, axis: int, initial: bool) -> None:
    """Each step rounds once, so the relative error grows with the number of factors; integers wrap."""
    a = sample(dtype, (9, 23))
    x = xp.cumulative_prod(xp.asarray(a), axis=axis, include_initial=initial)
    if dtype in INTEGERS:
        assert_same(to_host(x), np.cumulative_prod(a, axis=axis, include_initial=initial))
        return
    wide = a.astype({"float32": "float64", "float64": "longdouble"}.get(dtype, "clongdouble"))
    exact = np.cumulative_prod(wide, axis=axis, include_initial=initial)
    assert x.dtype == dtype
    assert_same(to_host(x), exact, ulps=3 * 24, check_dtype=False)


def test_cumulative_sums_in_a_dtype_asked_for() -> None:
    check_same(lambda np_, x: np_.cumulative_sum(x, dtype=np_.float32), few("int8", 50))
    check_same(lambda np_, x: np_.cumulative_sum(x, dtype=np_.int8), sample("int64", 50))


def test_cumulative_sums_carry_nan_on() -> None:
    check_same(lambda np_, x: np_.cumulative_sum(x), np.array([1.0, np.nan, 2.0, np.inf]))


def test_a_cumulative_sum_needs_an_axis_where_there_are_several() -> None:
    with pytest.raises(ValueError, match="cumulative_sum: the array has 2 axes; allowed without axis: 1"):
        xp.cumulative_sum(xp.ones((2, 2)))
    check_refused(lambda np_, x: np_.cumulative_sum(x, axis=2), np.ones((2, 2)))


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_sums_and_products_of_booleans_as_booleans(name: str) -> None:
    host = np.array([[True, False, False], [True, True, True], [False, False, False]])
    for axis in (None, 0, 1):
        got = getattr(xp, name)(xp.asarray(host), axis=axis, dtype=xp.bool)
        assert got.dtype == xp.bool
        assert np.array_equal(got.to_numpy(), getattr(np, name)(host, axis=axis, dtype=bool))


NUMPYS_OPTIONS: dict[str, dict[str, Any]] = {
    "std": {"ddof": 1}, "var": {"ddof": 2, "keepdims": True}, "sum": {"initial": 3.0}, "max": {"initial": 9.0},
    "mean": {"where": np.array([True, False, True])}, "prod": {"out": None}, "any": {"out": None},
    "all": {"where": np.array([True, False, True])}, "argmax": {"out": None}, "min": {"where": True},
}  # fmt: skip


@pytest.mark.parametrize("name", NUMPYS_OPTIONS)
def test_numpys_options_are_taken(name: str) -> None:
    host, options = np.arange(12.0).reshape(4, 3) / 4 - 1, NUMPYS_OPTIONS[name]
    expected = getattr(np, name)(host, axis=1, **options)
    for function in (getattr(xp, name), getattr(xp.Array, name), getattr(np, name)):
        assert_same(to_host(function(xp.asarray(host), axis=1, **options)), expected, ulps=4)


def test_a_mean_that_is_known() -> None:
    host = np.arange(12.0).reshape(4, 3) / 4 - 1
    mean: Any = np.mean(host, axis=1, keepdims=True)
    assert_same(to_host(np.std(xp.asarray(host), axis=1, mean=mean)), np.std(host, axis=1, mean=mean), ulps=4)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
@pytest.mark.parametrize("include_initial", [False, True])
def test_running_sums_and_products_of_bool_are_any_and_all(dtype: str, include_initial: bool) -> None:
    host = (np.random.default_rng(3).random((40, 5)) * 4).astype(dtype)
    for name, function, first in (("cumulative_sum", np.cumsum, False), ("cumulative_prod", np.cumprod, True)):
        expected = function(host, axis=0, dtype=bool)
        if include_initial:
            expected = np.concatenate([np.full((1, 5), first), expected])
        given = getattr(xp, name)(xp.asarray(host), axis=0, dtype=xp.bool, include_initial=include_initial)
        assert given.dtype == xp.bool
        assert (to_host(given) == expected).all()
