"""Shared fixtures: `device`, every device present, and hypothesis' profiles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from arrayapi_gpu.backends.base import Device

hypothesis.settings.register_profile("dev", deadline=None, max_examples=50)
hypothesis.settings.register_profile(
    "ci", deadline=None, max_examples=100, derandomize=True, print_blob=True
)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--device NAME`, which may stand several times, `--programs N` and `--update-golden`."""
    parser.addoption(
        "--device",
        action="append",
        metavar="NAME",
        help="test this device only, such as opencl:0:0 (default: every device present)",
    )
    parser.addoption(
        "--programs",
        type=int,
        default=8,
        metavar="N",
        help="random programs to run on each device, of 40 steps each (default: 8)",
    )
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the generated kernels of tests/kernels/golden anew",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that takes `device` once a device; no device at all is an error, not a skip."""
    if "device" not in metafunc.fixturenames:
        return
    # Imported here so that tests of pure arithmetic are collected on a machine without a driver.
    from arrayapi_gpu import backends

    names: list[str] | None = metafunc.config.getoption("--device")
    present = [backends.get_device(name) for name in names] if names else list(backends.devices())
    if not present:
        raise pytest.UsageError("no device to test on: pip install 'arrayapi_gpu[pocl]'")
    metafunc.parametrize("device", present, ids=str, indirect=True)


@pytest.fixture(scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Each device in turn; it is the default device meanwhile."""
    from arrayapi_gpu.config import config

    present: Device = request.param
    with config.set(device=str(present)):
        yield present
