"""Integrals: what holds beyond their values, which `test_wrappers` measures for each of `sici`'s results."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


def test_sici_is_both_of_its_integrals() -> None:
    x = np.array([0.25, 0.75, 1.5, 3, 5, 7.5, 9, 33], np.float32)
    found = xp.special.sici(xp.asarray(x))
    assert isinstance(found, tuple) and [y.dtype for y in found] == [xp.float32] * 2
    for got, exact in zip(found, (mpmath.si, mpmath.ci), strict=True):
        np.testing.assert_allclose(to_host(got), [float(exact(v)) for v in x.tolist()], rtol=4e-7)


def test_sici_ends_as_scipys() -> None:
    x = [0.0, -0.0, math.inf, -math.inf, math.nan, -3.0, 3.0]
    si, ci = (to_host(y) for y in xp.special.sici(xp.asarray(x, dtype=xp.float32)))
    half = np.float32(math.pi / 2)
    np.testing.assert_array_equal(si[:5], np.array([0, 0, half, -half, math.nan], np.float32))
    np.testing.assert_array_equal(ci[:5], np.array([-math.inf, -math.inf, 0, math.nan, math.nan], np.float32))
    assert si[5] == -si[6] and ci[5] == ci[6]


def test_exp1_ends_as_scipys() -> None:
    got = to_host(xp.special.exp1(xp.asarray([0.0, -0.0, math.inf, -1.0, -math.inf, math.nan], dtype=xp.float32)))
    np.testing.assert_array_equal(got, np.array([math.inf, math.inf, 0, math.nan, math.nan, math.nan], np.float32))
