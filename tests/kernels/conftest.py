"""No generic kernels; the processor with loops; and kernels of GPUs where they are compiled fast."""

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


@pytest.fixture(autouse=True)
def kernels_of_gpus(request: pytest.FixtureRequest) -> None:
    """Where a device poses as a GPU: the drivers compile such kernels fast; native, a second each, does so at night."""
    for name in ("gpu", "twin", "waiting_twin"):
        posing = name in request.fixturenames and request.getfixturevalue(name).name.startswith("native:")
        if posing and not request.config.getoption("--nightly"):
            pytest.skip("kernels of GPUs: on the drivers, and here at night")
