"""The device of these tests has loops that were compiled ahead of time."""

from __future__ import annotations

import pytest

from arrayapi_gpu.backends.base import Device


@pytest.fixture
def native(native: Device) -> Device:
    """The host's processor, with loops."""
    if native.loops is None:
        pytest.skip("the package was built without loops")
    return native
