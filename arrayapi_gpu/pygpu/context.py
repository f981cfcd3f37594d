"""Contexts, which represent devices in pygpu."""

from __future__ import annotations

import re
import sys
from typing import Any

from ..backends import devices, get_device, present
from ..backends.base import Device
from .errors import GpuArrayException, translated

# The prefix of device names of each driver, and pygpu's name of the driver.
_KINDS = {"cuda": b"cuda", "opencl": b"opencl", "native": b"native"}
_SCHEDULES = "default", "single", "multi"

_default: GpuContext | None = None


def _limits(which: str, text: str) -> tuple[property, property, property]:
    """Properties for the limits along three dimensions."""

    def one(axis: int) -> property:
        return property(lambda self: getattr(self._device.facts(), which)[axis], doc=f"{text} along dimension {axis}.")

    return one(0), one(1), one(2)


class GpuContext:
    """A device as an argument of pygpu's functions; `init` creates one. Its properties are read-only.

    ``GpuContext("opencl", devno)`` is the context of device number ``devno`` of a driver, as in the first pygpu.
    RuntimeError without arguments, as in pygpu 0.7. Source: pygpu, ``gpuarray.GpuContext``.
    """

    def __init__(self, kind: str | bytes | None = None, devno: int = 0, flags: int = 0):
        if kind is None:
            raise RuntimeError("Called raw GpuContext.__init__; use init('cuda0') or init('opencl0:0')")
        name = _driver(kind)
        own = [device for device in devices() if str(device).partition(":")[0] == name]
        if not 0 <= devno < len(own):
            raise GpuArrayException(f"GpuContext: {name} has no device {devno}; allowed: numbers below {len(own)}")
        self._device = own[devno]

    @classmethod
    def _of(cls, device: Device) -> GpuContext:
        context = cls.__new__(cls)
        context._device = device
        return context

    def __reduce__(self) -> Any:
        raise RuntimeError("Cannot pickle GpuContext object; pickle its name, and call init there")

    def __repr__(self) -> str:
        return f"<GpuContext {self._device.name}: {self.devname}>"

    def __enter__(self) -> GpuContext:
        """This context; it has no other effect, because arrays know their device. ValueError unless the driver is
        CUDA."""
        if self.kind != b"cuda":
            raise ValueError(f"Context manager only works for cuda, not {self.kind.decode()}")
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    @property
    def kind(self) -> bytes:
        """The driver: b"cuda" or b"opencl"; b"native" without one."""
        return _KINDS[self._device.name.partition(":")[0]]

    @property
    def ptr(self) -> int:
        """The driver's handle of the context."""
        return self._device.facts().context

    @property
    def devname(self) -> str:
        """The device's name."""
        return self._device.description.partition(",")[0]

    @property
    def unique_id(self) -> str:
        """The bus address of the device, as the driver writes it; empty if the driver does not report it."""
        return self._device.facts().bus

    @property
    def bin_id(self) -> bytes:
        """An id of the device type: compiled kernels run on devices with the same id."""
        return self._device.facts().architecture.encode()

    @property
    def lmemsize(self) -> int:
        """The bytes of local memory of a work-group."""
        return self._device.local_memory

    @property
    def numprocs(self) -> int:
        """Compute units."""
        return self._device.compute_units

    @property
    def maxlsize(self) -> int:
        """The number of work-items of the largest work-group."""
        return self._device.max_group

    @property
    def total_gmem(self) -> int:
        """The bytes of the device's memory."""
        return self._device.memory

    @property
    def free_gmem(self) -> int:
        """The bytes of free device memory, as far as the driver reports them."""
        return self._device.facts().free

    @property
    def largest_memblock(self) -> int:
        """The bytes of the largest possible array."""
        return self._device.max_alloc

    maxlsize0, maxlsize1, maxlsize2 = _limits("group", "The number of work-items of the largest work-group")
    maxgsize0, maxgsize1, maxgsize2 = _limits("grid", "The number of groups of the largest launch")


def _driver(kind: str | bytes) -> str:
    name = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    if name not in _KINDS:
        raise ValueError(f"kind: got {kind!r}; allowed: {', '.join(_KINDS)}")
    return name


def context_of(device: Device) -> GpuContext:
    """The default context if it is of this device, otherwise a new one."""
    return _default if _default is not None and _default._device is device else GpuContext._of(device)


def ensure_context(context: GpuContext | None) -> GpuContext:
    """The context, or the default one if it is None. TypeError if there is no default, or for another class."""
    if context is None:
        if _default is None:
            raise TypeError("No context specified; pass context=, or call set_default_context(init('...')) first")
        return _default
    if not isinstance(context, GpuContext):
        raise TypeError(f"context: got {type(context).__name__}; allowed: a GpuContext; use init")
    return context


def set_default_context(ctx: GpuContext | None) -> None:
    """Set the context of functions that are called without ``context``; None removes it.

    TypeError unless ``ctx`` is a GpuContext or None. Source: pygpu, ``gpuarray.set_default_context``.
    """
    global _default
    _default = None if ctx is None else ensure_context(ctx)


def get_default_context() -> GpuContext | None:
    """The default context, or None. Source: pygpu, ``gpuarray.get_default_context``."""
    return _default


@translated
def init(
    dev: str,
    sched: str = "default",
    single_stream: bool = False,
    kernel_cache_path: str | None = None,
    max_cache_size: int = sys.maxsize,
    initial_cache_size: int = 0,
) -> GpuContext:
    """The context of a device; ``dev``: "cuda0", "cuda" (the first), "opencl0:1" (platform and device).

    The other arguments have no effect, because a device has one queue and one memory pool, and ``config.cache_dir``
    sets the directory of compiled kernels. ValueError for an invalid name, TypeError for an unknown ``sched``,
    GpuArrayException if there is no such device. Source: pygpu, ``gpuarray.init``.

    >>> ctx = init("opencl0:0")
    >>> ctx.kind
    b'opencl'
    """
    if sched not in _SCHEDULES:
        raise TypeError(f"unexpected value for parameter sched: {sched}; allowed: {', '.join(_SCHEDULES)}")
    if dev.startswith("opencl"):
        if not re.fullmatch("opencl[0-9]+:[0-9]+", dev):
            raise ValueError(f"OpenCL name incorrect. Should be opencl<int>:<int> instead got: {dev}")
    elif dev != "native" and not re.fullmatch("cuda[0-9]*", dev):
        raise ValueError(f"Unknown device format: {dev}; allowed: names such as 'cuda', 'cuda0', 'opencl0:1'")
    return GpuContext._of(get_device(dev))


def count_platforms(kind: str | bytes) -> int:
    """The number of platforms of a driver; one for CUDA, if there is a device.

    ``kind``: "cuda" or "opencl" (ValueError otherwise). Source: pygpu, ``gpuarray.count_platforms``.
    """
    return len(_platforms(kind))


def count_devices(kind: str | bytes, platform: int) -> int:
    """The number of devices of a platform of a driver.

    ``kind``: "cuda" or "opencl" (ValueError otherwise). GpuArrayException for an unknown platform.
    Source: pygpu, ``gpuarray.count_devices``.
    """
    platforms = _platforms(kind)
    if not 0 <= platform < len(platforms):
        raise GpuArrayException(f"count_devices: no platform {platform}; allowed: numbers below {len(platforms)}")
    return len(platforms[sorted(platforms)[platform]])


def _platforms(kind: str | bytes) -> dict[str, list[Device]]:
    """The devices of a driver by platform."""
    name, found = _driver(kind), dict[str, list[Device]]()
    for device in present():
        driver, *rest = device.name.split(":")
        if driver == name:
            found.setdefault(rest[0] if len(rest) > 1 else "", []).append(device)
    return found


def cl_wrap_ctx(ptr: int) -> GpuContext:
    """The context of an OpenCL handle: a ``cl_context`` of one device that the program or another library created.

    Arrays are created in this context; so it must be wrapped before the first array of the device is created, or be the
    context of the existing arrays; GpuArrayException otherwise. The handle must be valid, because the driver does not
    check it. Source: pygpu, ``gpuarray.cl_wrap_ctx``.
    """
    return _wrapped("opencl", ptr)


def cuda_wrap_ctx(ptr: int) -> GpuContext:
    """The context of a CUDA handle: the ``CUcontext`` of a device's primary context.

    The CUDA runtime, CuPy and PyTorch use the primary context. GpuArrayException for another context.
    Source: pygpu, ``gpuarray.cuda_wrap_ctx``.
    """
    return _wrapped("cuda", ptr)


@translated
def _wrapped(kind: str, ptr: int) -> GpuContext:
    if not ptr:
        raise ValueError(f"{kind}: got {ptr}; allowed: the address of a context")
    for device in devices():
        if device.name.startswith(kind) and device.take_context(ptr):
            return GpuContext._of(device)
    raise GpuArrayException(f"{kind}: {ptr:#x} is the context of no device; allowed: the context of a single device")
