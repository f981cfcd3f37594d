"""CUDA's side queues: their events. What all side queues have in common is in test_opencl_side_queue.py."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

import pytest

from arrayapi_gpu.backends.base import Device

if importlib.util.find_spec("cupy_backends") is None:
    pytest.skip("CuPy is not installed", allow_module_level=True)


@pytest.fixture
def cuda(device: Device) -> Any:
    if not str(device).startswith("cuda:"):
        pytest.skip("of CUDA alone")
    return device


def test_events_are_used_again(cuda: Any) -> None:
    buffer, (_, host) = cuda.alloc(1 << 20), cuda.host_alloc(1 << 20)
    for _ in range(10):
        cuda.begin_upload(buffer, 0, host).wait()
    assert len(cuda._inwards._free) <= 2
