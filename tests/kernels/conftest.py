"""`walk`: each device as it is and, where it has explicit vectors, once more without them; and no generic kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import scalar_twin

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config


@pytest.fixture(params=["vectors", "scalars"])
def walk(device: Device, request: pytest.FixtureRequest) -> Device:
    """A device; "scalars" stands for GPUs, on which the same kernels run with one lane."""
    return device if request.param == "vectors" else scalar_twin(device)


@pytest.fixture(params=["vectors", "scalars", "scalars that may not wait"])
def waiting_walk(device: Device, request: pytest.FixtureRequest) -> Device:
    """As `walk`, for kernels whose groups wait for each other: on some GPUs they must not."""
    return device if request.param == "vectors" else scalar_twin(device, request.param == "scalars")


@pytest.fixture(autouse=True)
def own_kernels() -> Iterator[None]:
    """Every form of operands gets the kernel that is made for it, since the tests here are of those kernels."""
    with config.set(specialise="always"):
        yield
