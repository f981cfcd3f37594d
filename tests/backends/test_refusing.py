"""Devices that work no longer."""

from __future__ import annotations

import inspect

import pytest

from arrayapi_gpu.backends.base import Device, DeviceError
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.backends.refusing import RefusingDevice, refuse_from_now_on

# What needs no driver, or comes to a verb that does.
HARMLESS = {"alloc", "trim", "address_of_bytes", "has_binary"}


def test_every_verb_refuses_and_says_why() -> None:
    device = RecordingDevice()
    refuse_from_now_on(device, "it is broken")
    verbs = [name for name, item in vars(Device).items() if inspect.isfunction(item) and not name.startswith("_")]
    for verb in set(verbs) - HARMLESS:
        with pytest.raises(DeviceError, match="recording:0:0: it is broken"):
            getattr(device, verb)()
    assert len(verbs) > 15
    for fact in ("pool", "exchange", "library", "collectives"):
        with pytest.raises(DeviceError, match="it is broken"):
            getattr(device, fact)
    assert isinstance(device, RefusingDevice)
