"""OpenCL: which device comes first, and what only this back end has; its contract is in test_base.py."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

from arrayapi_gpu.backends.base import Device


def test_order_of_drivers_on_the_cpu() -> None:
    """GPUs keep the loader's order; Intel's runtime is the first on the CPU, and the newer version of each."""
    order = importlib.import_module("arrayapi_gpu.backends.opencl")._preference
    pocl, intel = "Portable Computing Language", "Intel(R) OpenCL"
    found = [
        SimpleNamespace(kind=kind, platform=platform, driver_version=version)
        for kind, platform, version in [
            ("cpu", pocl, "3.0-rc2"), ("cpu", pocl, "3.1+debian"), ("gpu", "NVIDIA CUDA", "535.1"),
            ("cpu", pocl, "7.0"), ("cpu", "Another", ""), ("cpu", intel, "2024.1.0.3"), ("gpu", "NVIDIA CUDA", "580.2"),
            ("cpu", intel, "2026.22.10.0.01"), ("cpu", pocl, "10.1"),
        ]
    ]  # fmt: skip
    assert [device.driver_version for device in sorted(found, key=order)] == [
        "535.1", "580.2", "2026.22.10.0.01", "2024.1.0.3", "", "10.1", "7.0", "3.1+debian", "3.0-rc2",
    ]  # fmt: skip


def test_every_device_here_can_compile(device: Device) -> None:
    """No device is left with a compiler that refuses the CPU."""
    assert device.rank < 2 and device.problem is None
