"""Exposed memory: an exposure lasts while somebody has an array over it."""

from __future__ import annotations

import gc

import numpy as np

import arrayapi_gpu.backends.exposures as exposures
from arrayapi_gpu.backends.recording import RecordingDevice


def test_an_exposure_lasts_while_an_array_over_it_lives() -> None:
    device = RecordingDevice()
    buffer = device.alloc(100)
    assert not buffer.exposed
    seen = exposures.expose(device, buffer).host_bytes()
    assert buffer.exposed and exposures.expose(device, buffer) is exposures.expose(device, buffer)
    part = seen[3:7]
    del seen
    gc.collect()
    assert buffer.exposed
    del part
    gc.collect()
    assert not buffer.exposed and not device.exposed


def test_there_is_one_array_of_the_bytes_while_somebody_has_it() -> None:
    device = RecordingDevice()
    buffer = device.alloc(100)
    exposure = exposures.expose(device, buffer)
    first = exposure.host_bytes()
    assert exposure.host_bytes() is first and first.nbytes == 100
    first[:] = 7
    del first
    again = exposure.host_bytes()
    assert np.all(again == 7) and exposure.host_bytes() is again


def test_bytes_that_somebody_made_read_only_are_made_again() -> None:
    device = RecordingDevice()
    buffer = device.alloc(100)
    exposure = exposures.expose(device, buffer)
    seen = exposure.host_bytes()
    seen.flags.writeable = False
    again = exposure.host_bytes()
    again[0] = 5
    assert seen[0] == again[0] == 5


def test_new_memory_at_the_place_of_a_block_has_its_own_address() -> None:
    device = RecordingDevice()
    for nbytes in (100, 1 << 16, 100):
        buffer = device.alloc(nbytes)
        host = buffer.host
        assert host is not None
        for _ in range(2):
            assert np.asarray(buffer).ctypes.data == host.ctypes.data
