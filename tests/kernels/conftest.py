"""No generic kernels, and the processor only with loops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config


@pytest.fixture(autouse=True)
def own_kernels() -> Iterator[None]:
    """Every form of operands gets the kernel that is made for it, since the tests here are of those kernels."""
    with config.set(specialise="always"):
        yield


@pytest.fixture
def native(native: Device) -> Device:
    """The host's processor, with loops that were compiled ahead of time."""
    if native.loops is None:
        pytest.skip("the package was built without loops")
    return native
