"""The devices of this machine, by name; drivers are loaded at first use."""

from __future__ import annotations

import atexit
import importlib
import os
import re
import sys
import threading

from ..config import config
from .base import Device, ForkedDevice, NoDeviceError

# Back ends in order of preference: module of this package, driver library, and how to get one.
_BACKENDS = {"opencl": ("pyopencl", "pip install 'arrayapi_gpu[pocl]' or 'arrayapi_gpu[intel]' for the CPU")}

_SPEC = re.compile(r"([a-z_]+)(?::?(\d+)(?::(\d+))?)?")

_lock = threading.RLock()
_devices: tuple[Device, ...] | None = None
_reasons: list[str] = []  # why a back end has no device
_default: tuple[str | None, Device] | None = None  # config.device, and the device it named
_named: dict[str, Device] = {}


def devices() -> tuple[Device, ...]:
    """Every device, the default first: GPUs before CPUs, what can compile before what cannot, else the drivers' order."""
    global _devices
    if _devices is None:
        with _lock:
            if _devices is None:
                _devices = _discover()
    return _devices


def _discover() -> tuple[Device, ...]:
    found: list[Device] = []
    for name, (driver, _) in _BACKENDS.items():
        try:
            own = importlib.import_module(f".{name}", __package__).discover()
        except ImportError as error:
            _reasons.append(f"{driver} cannot be imported ({error})")
            continue
        if not own:
            _reasons.append(f"{driver} finds no device")
        found += own
    found.sort(key=lambda device: device.rank)
    if config.debug:
        for device in found:
            print(f"[arrayapi_gpu] {device!r}", file=sys.stderr)
    return tuple(found)


def default_device() -> Device:
    """The device that ``config.device`` names, else the first of `devices`; NoDeviceError."""
    global _default
    wanted = config.device
    if _default is None or _default[0] != wanted:
        _default = wanted, (_first("") if wanted is None else get_device(wanted))
    return _default[1]


def get_device(spec: Device | str | None) -> Device:
    """The device of a name: "opencl:0:1", "opencl0:1" (platform, device), "opencl:0", "opencl"; None means the default.

    NoDeviceError where there is no such device, ValueError for what is no name, TypeError for what is no string.
    """
    if spec is None:
        return default_device()
    if isinstance(spec, Device):
        return spec
    device = _named.get(spec) if isinstance(spec, str) else None
    if device is None:
        device = _named[spec] = _first(_normal(spec))
    return device


def _normal(spec: str) -> str:
    """The name, or the beginning of a name, that a spelling means."""
    if not isinstance(spec, str):
        raise TypeError(f"device: got {type(spec).__name__}; a device, its name, or None is allowed")
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"device: got {spec!r}; a name such as 'opencl:0:0' or 'opencl' is allowed")
    return ":".join(part for part in match.groups() if part is not None)


def _first(name: str) -> Device:
    """The first device whose name is or begins with ``name``."""
    for device in devices():
        if f"{device.name}:".startswith(f"{name}:" if name else ""):
            return device
    if devices():
        raise NoDeviceError(f"device {name!r}: there is none; there are {', '.join(map(str, devices()))}")
    advice = "; ".join(how for _, how in _BACKENDS.values())
    raise NoDeviceError(f"no device: {'; '.join(_reasons)}. {advice}")


def _after_fork() -> None:
    """In the child: no driver survives a fork. Locks that another thread held would stay locked, so make a new one."""
    global _lock
    _lock = threading.RLock()
    for device in _devices or ():
        device.__class__ = ForkedDevice


def _at_exit() -> None:
    """Let queued work end before the memory it uses goes."""
    for device in _devices or ():
        if not isinstance(device, ForkedDevice):
            device.wait()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
