"""A device as if it lacked something."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from arrayapi_gpu.backends import register
from arrayapi_gpu.backends.base import Device

# What a device may lack, with the extensions of OpenCL behind it.
LACKS = {"float64": ("cl_khr_fp64",), "int64-atomics": ("cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics")}


@cache
def masked(device: Any, lacks: Sequence[str]) -> Device:
    """The device without what `LACKS` names, as `get_device` finds it by its new name; of OpenCL only.

    It has a queue and memory of its own, and only this process knows it.
    """
    extensions = [extension for lack in lacks for extension in LACKS[lack]]
    name = f"{device.name}:without:{':'.join(lacks)}"
    found: Device = type(device)(name, device._device, device.dlpack[1], device._cache, extensions)
    register(found)
    return found
