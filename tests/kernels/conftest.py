"""`walk`: each device as it is and, where it has explicit vectors, once more without them."""

from __future__ import annotations

from functools import cache

import pytest

from arrayapi_gpu.backends.base import Device


@cache
def scalar_twin(device: Device) -> Device:
    """The same device with registers of one lane, as on a GPU: kernels must be right for both."""
    device.alloc(1)  # open it: both share its context and its queue
    twin: Device = object.__new__(type(device))
    twin.__dict__.update(device.__dict__)
    twin.name = f"{device.name}:scalar"
    twin.lanes = 1
    twin.prelude = device.prelude.replace(f"#define LANES {device.lanes}", "#define LANES 1", 1)
    return twin


@pytest.fixture(params=["vectors", "scalars"])
def walk(device: Device, request: pytest.FixtureRequest) -> Device:
    """A device; "scalars" stands for GPUs, on which the same kernels run with one lane."""
    return device if request.param == "vectors" else scalar_twin(device)
