"""Rounding to decimals, by every door, against NumPy's and against exact integers."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
numpy: Any = np


def doors(x: xp.Array, decimals: int) -> list[xp.Array]:
    array: Any = x
    return [numpy.round(x, decimals), numpy.around(x, decimals=decimals), array.round(decimals)]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_exact(dtype: str) -> None:
    """RELIABILITY A12: they stay integers, and no digit is lost beyond 2**53."""
    info = np.iinfo(dtype)
    some = [
        0,
        1,
        4,
        5,
        6,
        15,
        25,
        35,
        44,
        50,
        55,
        99,
        115,
        125,
        2**53 + 1,
        2**53 + 15,
        2**62 + 5,
        info.max,
        info.max // 3,
    ]
    values = [v for n in some for v in (n, -n) if info.min <= v <= info.max] + [info.min]
    host = np.array(values, dtype)
    x = xp.asarray(host)
    for decimals in (3, 1, 0, -1, -2, -5, -18, -19, -20, -400):
        unit = Decimal(1).scaleb(-min(decimals, 0))
        exact = [int((Decimal(v) / unit).to_integral_value(ROUND_HALF_EVEN) * unit) for v in values]
        expected = np.array([n % 2**info.bits for n in exact], "uint64").astype(dtype)
        for got in doors(x, decimals):
            assert got.dtype == dtype
            np.testing.assert_array_equal(got.to_numpy(), expected, err_msg=f"{decimals} decimals")
        if decimals >= -2 and info.bits < 64:  # elsewhere NumPy loses digits
            fits = np.array([info.min <= n <= info.max for n in exact])
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(expected[fits], np.round(host, decimals)[fits])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_floats_are_numpys(dtype: str) -> None:
    rng = np.random.default_rng(1)
    host = np.array([0.5, 1.5, 2.5, -0.25, 1.25, 155.0, 1234.5678, np.inf, -np.inf, np.nan, *rng.normal(0, 99, 40)])
    if dtype.startswith("complex"):
        host = host.astype(complex)
        host.imag[-3:] = [np.nan, np.inf, 2.26]
    host = host.astype(dtype)
    for decimals in (0, 1, 3, -1, -2):
        with np.errstate(all="ignore"):
            expected = np.round(host, decimals)
        for got in doors(xp.asarray(host), decimals):
            assert got.dtype == dtype
            np.testing.assert_array_equal(got.to_numpy(), expected, err_msg=f"{decimals} decimals")


def test_the_builtin() -> None:
    """RELIABILITY, issue 38, 8: of one number, as of NumPy's scalars."""
    array: Any = xp.asarray
    x = array([2.5, -1.26, 3.0])
    assert round(x[0]) == 2
    assert type(round(x[0])) is int
    assert float(round(x[1], 1)) == -1.3
    assert round(x[1], 1).dtype == np.float64
    assert int(round(array(155), -1)) == 160
    assert round(array(2**62 + 1)) == 2**62 + 1
    assert round(array(True)) == 1
    with pytest.raises(TypeError, match=r"round\(\): the array has shape \(3,\); allowed: 0 dimensions; use xp.round"):
        round(x)
    with pytest.raises(ValueError, match="NaN"):
        round(array(float("nan")))
    with pytest.raises(TypeError, match="round: got bool"):
        round(array(True), 1)
    with pytest.raises(TypeError, match="integer"):
        round(x[0], array)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int32"])
def test_decimals_beyond_the_powers_of_ten(dtype: str) -> None:
    """A scale that is infinite gives NaN, as in NumPy; integers are 0 or do not change."""
    host = np.array([1.5, 0, -2.5, 12345.678]).astype(dtype)
    for decimals in (308, 309, 400, 10**6, -308, -309, -400):
        with np.errstate(all="ignore"):
            expected = np.round(host, decimals)
        if dtype == "int32" and decimals < -300:
            expected = np.zeros_like(host)  # NumPy casts NaN
        np.testing.assert_array_equal(numpy.around(xp.asarray(host), decimals), expected, str(decimals))
