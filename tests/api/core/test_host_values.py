"""What users give as numbers: which host arrays come of it, and in which words the rest is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support import assert_same

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.host_values import check_exponent, host_values, number
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import DTYPE_OF

INT8, UINT64, INT64, FLOAT32 = (DTYPE_OF[name] for name in ("i8", "u64", "i64", "f32"))


@pytest.mark.parametrize(
    "values",
    [True, 3, 2.5, 1j, [1, 2], [[1, 2], [3, 4]], [1, 2.5], (True, False), np.float32(1.5), np.arange(3, dtype="u1")],
    ids=repr,
)
def test_without_a_dtype_values_have_that_which_numpy_gives(values: Any) -> None:
    assert_same(host_values("f", values), np.asarray(values))


@pytest.mark.parametrize("dtype", ["i8", "u16", "i64", "f16", "f32", "f64", "c64", "b8"])
@pytest.mark.parametrize("values", [[0, 1, 100], [[1], [0]], 7, np.arange(5)], ids=repr)
def test_numbers_that_a_dtype_holds_are_numpys_in_it(values: Any, dtype: str) -> None:
    wanted = DTYPE_OF[dtype]
    assert_same(host_values("f", values, wanted), np.asarray(values).astype(wanted))


@pytest.mark.parametrize("value", [128, -129, [1, 300], [[0], [-1000]], 2**70])
def test_python_integers_that_a_dtype_does_not_hold_are_refused(value: Any) -> None:
    with pytest.raises(OverflowError):
        host_values("f", value, INT8)


@pytest.mark.parametrize(("value", "error"), [(1e9, OverflowError), (float("nan"), ValueError), (300, OverflowError)])
def test_numbers_in_lists_fit_or_raise(value: float, error: type[Exception]) -> None:
    assert host_values("f", [3.9, -3.9], INT8).tolist() == [3, -3]
    for values in ([3.9, value], (np.float64(value),), value, [[1], [np.float32(value)]]):
        with pytest.raises(error, match="int8"):
            host_values("f", values, INT8)


def test_arrays_in_lists_are_cast_as_arrays() -> None:
    array = np.asarray([1e9, float("nan")])
    assert host_values("f", [array, [1, 2]], INT8).tolist() == [[127, 0], [1, 2]]
    assert host_values("f", [np.asarray(1e9), 1], INT8).tolist() == [127, 1]


@pytest.mark.parametrize("exponent", [-1, np.int8(-2), -(2**70)])
def test_integers_have_no_negative_powers(exponent: int) -> None:
    for dtype in (INT8, INT64, np.dtype(bool)):
        with pytest.raises(ValueError, match=f"f: got {dtype} to the power {exponent}"):
            check_exponent("f", dtype, exponent)
    check_exponent("f", FLOAT32, exponent)
    check_exponent("f", INT8, -exponent)
    check_exponent("f", INT8, -1.5)


def test_integers_beside_floats_are_cast_as_they_are() -> None:
    """NumPy makes floats of such a list, which round integers above 2**53."""
    assert host_values("f", [2**53 + 1, 0.5], INT64).tolist() == [2**53 + 1, 0]
    assert host_values("f", [2**64 - 1, 1.0], UINT64).tolist() == [2**64 - 1, 1]


def test_integers_of_more_than_64_bits_become_floats_where_these_are_wanted() -> None:
    assert_same(host_values("f", [2**70, 1], FLOAT32), np.array([2.0**70, 1], "f4"))


def test_without_a_dtype_integers_of_more_than_64_bits_are_refused() -> None:
    with pytest.raises(OverflowError, match=r"f: got an integer of 71 bits; allowed: -2\*\*63 to 2\*\*64 - 1"):
        host_values("f", [1, 2**70])


def test_integers_beyond_every_float_are_refused() -> None:
    with pytest.raises(OverflowError, match="f: got an integer that is out of bounds for float32"):
        host_values("f", [10**400], FLOAT32)


@pytest.mark.parametrize(
    "values", ["text", None, object(), ["a"], [None], [Fraction(1, 2)], {1: 2}, iter([1])], ids=lambda v: str(type(v))
)
def test_what_is_no_number_is_refused_by_its_type(values: Any) -> None:
    inner = values[0] if isinstance(values, list) else values
    with pytest.raises(TypeError, match=f"^f: got {type(inner).__name__}; allowed: numbers, nested lists"):
        host_values("f", values, FLOAT32)


def test_lists_of_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        host_values("f", [[1, 2], [3]])


@pytest.mark.parametrize("value", [True, 3, 2.5, 1j])
def test_a_python_number_is_itself(value: Any) -> None:
    assert number("f", "x", value) is value


@pytest.mark.parametrize(("value", "one"), [(np.int8(3), 3), (np.float32(0.5), 0.5), (np.array(2 + 1j), 2 + 1j)])
def test_a_scalar_of_numpys_becomes_a_python_number(value: Any, one: Any) -> None:
    got = number("f", "x", value)
    assert (type(got), got) == (type(one), one)


@pytest.mark.parametrize("value", ["1", None, [1], np.ones(1), np.array("1")], ids=repr)
def test_what_is_not_one_number_is_refused_with_the_argument(value: Any) -> None:
    with pytest.raises(TypeError, match=f"^f: got {type(value).__name__} for step; allowed: a number"):
        number("f", "step", value)


MASKED = np.ma.masked_greater(np.arange(3.0), 1)


@pytest.mark.parametrize(
    "call",
    [
        xp.asarray,
        xp.from_host,
        lambda m: xp.ones(3) + m,
        lambda m: xp.where(xp.ones(3) > 0, m, 0.0),
        lambda m: xp.full(2, m[2:].reshape(())),
        lambda m: xp.arange(9)[m.astype(np.int64)],
    ],
    ids=["asarray", "from_host", "an operator", "where", "full", "an index"],
)
def test_masked_elements_are_refused(device: Device, call: Any) -> None:
    with pytest.raises(ValueError, match="got a MaskedArray with masked elements"):
        call(MASKED)


def test_an_array_that_masks_nothing_is_its_values_where_they_are_asked_for(device: Device) -> None:
    """Operators refuse it, since NumPy's result would be a masked array."""
    x = xp.zeros(2)
    x[:] = np.ma.array([3.0, 2.0])
    assert x.tolist() == xp.asarray(np.ma.array([3.0, 2.0])).tolist() == [3, 2]
    with pytest.raises(TypeError, match=r"operator: got MaskedArray, a subclass of numpy.ndarray"):
        x + np.ma.array([1.0, 1.0])
