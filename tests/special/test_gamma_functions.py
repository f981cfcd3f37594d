"""Gamma functions: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(("dtype", "last"), [("float32", 13), ("float64", 22)])
def test_factorials_are_exact(dtype: str, last: int) -> None:
    n = np.arange(1, last + 1)
    got = to_host(xp.special.gamma(xp.asarray(n.astype(dtype))))
    assert got.tolist() == [float(np.dtype(dtype).type(math.factorial(int(k) - 1))) for k in n]


def test_digamma_is_psi() -> None:
    assert xp.special.digamma is xp.special.psi
