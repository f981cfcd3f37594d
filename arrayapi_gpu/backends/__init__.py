"""The devices of this machine, by name. Drivers are loaded at first use, not by the import."""

from __future__ import annotations

import atexit
import importlib
import os
import re
import sys
import threading

from ..config import config
from .base import Device, ForkedDevice, NoDeviceError

# The back ends, preferred ones first: the module, its driver library (the names of its packages), how to get that.
_BACKENDS = (
    (
        "cuda",
        ("cupy", "cupy-cuda12x", "cupy-cuda13x"),
        "an NVIDIA GPU takes its driver and 'arrayapi_gpu[cuda12]' or 'arrayapi_gpu[cuda13]'",
    ),
    (
        "opencl",
        ("pyopencl",),
        "pip install 'arrayapi_gpu[pocl]' or 'arrayapi_gpu[intel]' brings a device on the CPU; "
        "a GPU takes 'arrayapi_gpu[opencl]' and its vendor's driver",
    ),
)

_NAME = re.compile(r"([a-z]+)(?::?([0-9]+)(?::([0-9]+))?)?")

_lock = threading.RLock()
_devices: tuple[Device, ...] | None = None
_found: dict[str, Device] = {}  # by each spelling that was asked for
_default: tuple[str | None, Device] | None = None  # with the value of config.device it is for
_failures: list[str] = []  # what went wrong with back ends that have no device


def devices() -> tuple[Device, ...]:
    """Return every device, the default first.

    GPUs come before CPUs, and last what cannot compile kernels; among equals the order is the
    drivers' own.
    """
    global _devices
    if _devices is None:
        with _lock:
            if _devices is None:
                _devices = _discover()
    return _devices


def _discover() -> tuple[Device, ...]:
    found: list[Device] = []
    for module, (driver, *_), _ in _BACKENDS:
        try:
            own = importlib.import_module(f".{module}", __package__).discover()
        except ImportError as error:
            _failures.append(f"{driver} cannot be imported ({error})")
            continue
        if not own:
            _failures.append(f"{driver} finds no device")
        found += own
    found.sort(key=lambda device: device.rank)
    if config.debug:
        for device in found:
            print(f"[arrayapi_gpu] {device!r}", file=sys.stderr)
    return tuple(found)


def default_device() -> Device:
    """Return the device that ``config.device`` names, else the first of `devices`.

    NoDeviceError says what to install.
    """
    global _default
    name = config.device
    if _default is None or _default[0] != name:
        _default = name, get_device(name) if name else _first("")
    return _default[1]


def get_device(spec: Device | str | None) -> Device:
    """Return the device that is meant; None means the default.

    A name is "cuda:0" or "opencl:0:1" (platform, device), in the older spelling "cuda0" or "opencl0:1"; a
    shorter one, "opencl:0" or "opencl", means the first device whose name begins so. NoDeviceError: there is no
    such device; ValueError: a string that cannot be a name; TypeError: anything else.
    """
    if spec is None:
        return default_device()
    if isinstance(spec, Device):
        return spec
    if not isinstance(spec, str):
        raise TypeError(f"device: got {type(spec).__name__}; a device, a name, None is allowed")
    device = _found.get(spec)
    if device is None:
        match = _NAME.fullmatch(spec)
        if match is None:
            raise ValueError(f"device: got {spec!r}; a name such as 'cuda:0' or 'opencl:0:0' is allowed")
        device = _found[spec] = _first(":".join(part for part in match.groups() if part))
    return device


def _first(beginning: str) -> Device:
    """Return the first device whose name is or begins with these parts."""
    present = devices()
    for device in present:
        if not beginning or f"{device.name}:".startswith(f"{beginning}:"):
            return device
    problem = "; ".join([*_failures, *[f"there are {', '.join(map(str, present))}"] * bool(present)])
    advice = "; ".join(how for _, _, how in _BACKENDS)
    raise NoDeviceError(f"no device {beginning}: {problem}. {advice}")


def register(device: Device) -> None:
    """Let `get_device` find one more device, which `devices` does not list; for tests."""
    _found[device.name] = device


def drivers() -> dict[str, str]:
    """Return the version of each driver's package that is installed."""
    import importlib.metadata  # not at the top: it takes a fifth of the time of the whole import

    present = {}
    for package in [name for _, names, _ in _BACKENDS for name in names]:
        try:
            present[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return present


def _after_fork() -> None:
    """In the child: make devices refuse, and replace the lock, which a thread may have held."""
    global _lock
    _lock = threading.RLock()
    for device in {*(_devices or ()), *_found.values()}:
        device.__class__ = ForkedDevice


def _at_exit() -> None:
    """Let queued work end before the memory that it uses goes."""
    for device in _devices or ():
        if not isinstance(device, ForkedDevice):
            device.wait()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)
