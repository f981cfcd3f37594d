"""Who has collective operations; their use is tested in test_cuda_collectives.py and test_pygpu_collectives.py."""

from __future__ import annotations

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.collectives import Collectives
from arrayapi_gpu.backends.recording import RecordingDevice


def test_a_driver_that_has_none_says_so(device: Device) -> None:
    assert RecordingDevice().collectives is None
    assert isinstance(device.collectives, Collectives) == str(device).startswith("cuda")
