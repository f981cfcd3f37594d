"""The constants of the standard."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.api.standard import constants


def test_constants_are_python_floats() -> None:
    assert (xp.e, xp.pi, xp.inf) == (np.e, np.pi, np.inf)
    assert xp.nan != xp.nan
    assert xp.newaxis is None
    assert all(type(value) is float for value in (xp.e, xp.pi, xp.inf, xp.nan))


def test_constants_are_the_nearest_doubles() -> None:
    """Of the exact sums of series: pi / 4 is 4 atan(1/5) - atan(1/239), and e the sum of 1 / n!."""

    def atan(x: Fraction) -> Fraction:
        return sum(((-1) ** k * x ** (2 * k + 1) / (2 * k + 1) for k in range(30)), Fraction(0))

    assert xp.pi == float(4 * (4 * atan(Fraction(1, 5)) - atan(Fraction(1, 239))))
    assert xp.e == float(sum((Fraction(1, math.factorial(n)) for n in range(25)), Fraction(0)))


def test_newaxis_adds_an_axis() -> None:
    assert xp.zeros((2, 3))[:, xp.newaxis].shape == (2, 1, 3)


def test_the_namespace_shows_each_constant() -> None:
    names = [name for name in vars(constants) if not name.startswith("_") and name != "math"]
    assert sorted(names) == ["e", "inf", "nan", "newaxis", "pi"]
    assert all(getattr(xp, name) is getattr(constants, name) for name in names)
