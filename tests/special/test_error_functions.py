"""Error functions: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


def test_erf_is_odd_and_ends_at_one() -> None:
    x = xp.asarray(np.linspace(0, 7, 1000, dtype=np.float32))
    erf = to_host(xp.special.erf(x))
    assert np.array_equal(to_host(xp.special.erf(-x)), -erf)
    assert np.all(np.diff(erf) >= 0) and erf[-1] == 1
