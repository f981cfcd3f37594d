"""The recording device: what it was asked for, in order, and memory that holds what was written to it."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from arrayapi_gpu.backends.base import DeviceError
from arrayapi_gpu.backends.recording import RecordingDevice

ADD = "KERNEL void add(GLOBAL M_f32* x) { x[GID] += 1; }"


def test_launch_is_recorded() -> None:
    """The recording device remembers verbs and arguments."""
    device = RecordingDevice()
    kernel = device.compile(ADD, "add")
    buffer = device.alloc(64)
    device.launch(kernel, 2, 64, [buffer], b"1234")
    assert device.calls[-1] == ("launch", (kernel, 2, 64, (weakref.ref(buffer),), b"1234"))
    assert [verb for verb, _ in device.calls] == ["compile", "alloc", "launch"]
    assert (kernel.name, kernel.handle) == ("add", ADD)


def test_no_kernel_runs() -> None:
    device = RecordingDevice()
    buffer, host = device.alloc(16), np.arange(4, dtype="f4")
    device.upload(buffer, 0, host)
    device.launch(device.compile(ADD, "add"), 1, 4, [buffer], b"")
    got = np.zeros(4, "f4")
    device.download(buffer, 0, got)
    assert got.tolist() == [0, 1, 2, 3]


def test_bytes_go_to_the_offset_that_was_asked_for() -> None:
    device = RecordingDevice()
    buffer = device.alloc(64)
    device.upload(buffer, 0, np.zeros(64, "u1"))
    device.upload(buffer, 8, np.array([7], "i4"))
    got = np.empty(3, "i4")
    device.download(buffer, 4, got)
    assert got.tolist() == [0, 7, 0]
    assert [verb for verb, _ in device.calls] == ["alloc", "upload", "upload", "download"]


def test_buffers_in_the_record_do_not_live_for_it() -> None:
    device = RecordingDevice()
    buffer = device.alloc(64)
    device.upload(buffer, 0, np.zeros(64, "u1"))
    reference = device.calls[-1][1][0]
    assert isinstance(reference, weakref.ref) and reference() is buffer
    del buffer
    gc.collect()
    assert reference() is None and device.live_bytes == 0


def test_adopted_memory_is_the_hosts() -> None:
    device, host = RecordingDevice(), np.zeros(4, "i4")
    device.upload(device.adopt(host), 4, np.array([5], "i4"))
    assert host.tolist() == [0, 5, 0, 0]


def test_as_a_gpu_it_has_one_lane_and_shares_no_memory() -> None:
    device = RecordingDevice(host_shared=False)
    assert (device.lanes, device.is_gpu) == (1, True)
    for verb in (lambda: device.adopt(np.zeros(4)), lambda: device.host_view(device.alloc(4))):
        with pytest.raises(DeviceError, match="its memory is not host memory"):
            verb()
