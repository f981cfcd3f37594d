"""Results of loops beside those of kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .compare import to_host

Expression = Callable[..., Any]


def same_bits(device: Device, native: Device, f: Expression, *hosts: np.ndarray[Any, Any]) -> None:
    """Assert that a function has the same bits on a device and on ``native``."""
    if device is native:
        pytest.skip("it is compared with other devices")
    found, wanted = (to_host(f(*[xp.asarray(host, device=one) for host in hosts])) for one in (native, device))
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if found.dtype.kind in "fc":  # no operation promises which NaN it gives
        found, wanted = (np.where(one == one, one, np.array(np.nan, one.dtype)) for one in (found, wanted))
    assert found.tobytes() == wanted.tobytes()
