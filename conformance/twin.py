"""A device as if it were a GPU, for tests and measurements where there is none."""

from __future__ import annotations

from functools import cache

from arrayapi_gpu.backends import register
from arrayapi_gpu.backends.base import Device


@cache
def scalar_twin(device: Device, forward_progress: bool = True) -> Device:
    """The same device with registers of one lane, as on a GPU: kernels must be right for both."""
    device.alloc(1)  # open it: both share its context and its queue
    twin: Device = object.__new__(type(device))
    twin.__dict__.update(device.__dict__)
    for verb in ("adopt", "upload", "download", "launch", "bind", "wait", "rests", "host_view", "address", "trim"):
        setattr(twin, verb, getattr(device, verb))  # only one of them can know what the queue still has to do
    twin.name = f"{device.name}:scalar" + ":apart" * (not forward_progress)
    twin.lanes, twin.is_gpu, twin.computes_on_host, twin.loops = 1, True, False, None
    twin.forward_progress = forward_progress
    twin.prelude = device.prelude.replace(f"#define LANES {device.lanes}", "#define LANES 1", 1)
    return twin


def posing_as_gpu(device: Device) -> Device:
    """A GPU whose vendor has no library and which has memory of its own, for the functions of the namespace."""
    twin = scalar_twin(device)
    twin.host_shared, twin.library = False, None
    register(twin)
    return twin
