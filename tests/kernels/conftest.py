"""`walk`: each device as it is and, where it has explicit vectors, once more without them."""

from __future__ import annotations

import pytest
from support import scalar_twin

from arrayapi_gpu.backends.base import Device


@pytest.fixture(params=["vectors", "scalars"])
def walk(device: Device, request: pytest.FixtureRequest) -> Device:
    """A device; "scalars" stands for GPUs, on which the same kernels run with one lane."""
    return device if request.param == "vectors" else scalar_twin(device)
