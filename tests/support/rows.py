"""Devices of loops have no kernel over rows: they plan reductions and maps in its place."""

from __future__ import annotations

import pytest

from arrayapi_gpu.backends import default_device
from arrayapi_gpu.backends.base import Device


def needs_rows(device: Device | None = None) -> None:
    """Leave a test of the kernel over rows out where a device, by default the default one, has none."""
    if (device or default_device()).loops is not None:
        pytest.skip("a device of loops has no kernel over rows")
