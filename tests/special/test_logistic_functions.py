"""Logistic functions and entropies: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import math

import pytest

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


def test_nothing_times_a_logarithm_is_nothing() -> None:
    got = xp.special.xlogy(xp.zeros(4, dtype=xp.float32), xp.asarray([0.0, math.inf, -1.0, math.nan])).tolist()
    assert got[:3] == [0, 0, 0] and math.isnan(got[3])
