"""`interp` beside every combination of special values, against NumPy's, bit by bit."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import inf, nan

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

AT = np.array([-inf, -3.0, -1.0, -0.5, 0.0, 0.25, 1.0, 1.5, 2.0, 3.0, inf, nan])
POINTS = (
    [0.0, 1.0, 2.0], [-inf, 0.0, 1.0], [0.0, 1.0, inf], [-inf, 1.0, inf], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0],
)  # fmt: skip
VALUES = (0.0, -1.5, inf, -inf, nan)
STEPS = np.arange(5.0)
Z = np.array([1 + 2j, complex(inf, 1), complex(0, inf), complex(nan, 3), 3 + 3j])


@pytest.mark.parametrize("points", POINTS, ids=str)
def test_values_beside_infinities_and_nan(points: list[float]) -> None:
    places = xp.asarray(points)
    at = xp.asarray(AT)
    for values in itertools.product(VALUES, repeat=3):
        with np.errstate(all="ignore"):
            expected = np.interp(AT, points, values)
        got = xp.interp(at, places, xp.asarray(values)).to_numpy()
        np.testing.assert_array_equal(got, expected, err_msg=f"of {values}")


LINE = np.linspace(-1, 5, 25)
FAR = np.array([0, 2**25], "float32")
ANGLES, AROUND = np.array([190.0, -190, 350, -350]), np.array([-180.0, -170, -185, 185, -10, 0, 365, inf, nan])
CASES: dict[str, Callable[[Any, Any], Any]] = {
    "complex": lambda n, of: n.interp(of(LINE), of(STEPS), of(Z)),
    "complex, uneven points": lambda n, of: n.interp(of(LINE), of(STEPS * 1.1), of(Z - 0.37)),
    "complex ends": lambda n, of: n.interp(of(LINE), of(STEPS), of(Z), left=1j, right=2.0),
    "one point": lambda n, of: n.interp(of(AT), of(np.ones(1)), of(np.array([7.0]))),
    "one point, ends given": lambda n, of: n.interp(of(AT), of(np.ones(1)), of(np.array([inf])), left=nan, right=-inf),
    "a period": lambda n, of: n.interp(of(AROUND), of(ANGLES), of(STEPS[:4]), period=360),
    "a negative period": lambda n, of: n.interp(of(AROUND), of(ANGLES), of(STEPS[:4]), period=-36.5),
    "a period and ends": lambda n, of: n.interp(of(AROUND), of(ANGLES), of(STEPS[:4]), left=9.0, right=9.0, period=360),
    "a period of complex values": lambda n, of: n.interp(of(AROUND), of(ANGLES), of(Z[:4]), period=360),
    "integers": lambda n, of: n.interp(of(np.array([1, 2, 5])), of(np.array([0, 2, 4])), of(np.array([0, 3, 9]))),
    "integers that float32 does not hold": lambda n, of: n.interp(of(np.array([2**24 + 1])), of(FAR), of(FAR)),
    "nowhere": lambda n, of: n.interp(of(np.zeros(0)), of(STEPS), of(STEPS)),
    "at one place": lambda n, of: n.interp(of(np.array(0.5)), of(STEPS), of(STEPS[::-1])),
    "at a matrix of places": lambda n, of: n.interp(of(LINE.reshape(5, 5)), of(STEPS), of(STEPS**2)),
    "RELIABILITY A2, NaN": lambda n, of: n.interp(of(np.ones(1)), of(STEPS[:3]), of(np.array([0.0, 1.0, nan]))),
    "RELIABILITY A2, infinities": lambda n, of: n.interp(of(np.ones(1)), of(STEPS[:3]), of(np.array([-inf, 0.0, inf]))),
}


@pytest.mark.parametrize("call", CASES.values(), ids=CASES.keys())
def test_numpys_values(call: Callable[[Any, Any], Any]) -> None:
    with np.errstate(all="ignore"):
        expected = call(np, np.asarray)
    for namespace in (xp, np):
        got = call(namespace, xp.asarray)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.to_numpy(), expected)


def test_float32_stays() -> None:
    at, values = (np.array(v, "float32") for v in ([-1, 0.5, 1, 9], [1, inf, -3]))
    got = xp.interp(xp.asarray(at), xp.arange(3, dtype=xp.float32), xp.asarray(values))
    assert got.dtype == xp.float32
    np.testing.assert_array_equal(got.to_numpy(), np.interp(at, np.arange(3), values))


def test_errors() -> None:
    x = xp.ones(2)
    with pytest.raises(ValueError, match="interp: got period=0"):
        xp.interp(x, x, x, period=0)
    with pytest.raises(TypeError, match="interp: got left=1j for real fp"):
        xp.interp(x, x, x, left=1j)
    with pytest.raises(ValueError, match="interp: points of shapes"):
        xp.interp(x, x[:0], x[:0])
    with pytest.raises(TypeError, match="interp: got str for right"):
        xp.interp(x, x, x, right="a")  # type: ignore[arg-type]
