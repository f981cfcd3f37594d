"""Contexts: pygpu's handles of devices."""

from __future__ import annotations

import re
import sys
from typing import Any

from ..backends import devices, get_device, present
from ..backends.base import Device
from .errors import GpuArrayException, translated

# pygpu's name of a driver, and the beginning of the names of its devices.
_KINDS = {"cuda": b"cuda", "opencl": b"opencl"}
_SCHEDULES = "default", "single", "multi"

_default: GpuContext | None = None


def _limits(which: str, text: str) -> tuple[property, property, property]:
    """Properties for the limit along each of three dimensions."""

    def one(axis: int) -> property:
        return property(lambda self: getattr(self._device.facts(), which)[axis], doc=f"{text} along dimension {axis}.")

    return one(0), one(1), one(2)


class GpuContext:
    """A device as pygpu's functions take it; `init` makes one. Its properties cannot be set.

    ``GpuContext("opencl", devno)`` is that of the device of this number among the driver's, as in the first pygpu.
    RuntimeError without arguments, as in pygpu 0.7. Source: pygpu, ``gpuarray.GpuContext``.
    """

    def __init__(self, kind: str | bytes | None = None, devno: int = 0, flags: int = 0):
        if kind is None:
            raise RuntimeError("Called raw GpuContext.__init__; use init('cuda0') or init('opencl0:0')")
        name = _driver(kind)
        own = [device for device in devices() if str(device).partition(":")[0] == name]
        if not 0 <= devno < len(own):
            raise GpuArrayException(f"GpuContext: {name} has no device {devno}; it has {len(own)}")
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
        """Do nothing: our arrays know their device. ValueError where the driver is not CUDA."""
        if self.kind != b"cuda":
            raise ValueError(f"Context manager only works for cuda, not {self.kind.decode()}")
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    @property
    def kind(self) -> bytes:
        """The driver: b"cuda" or b"opencl"."""
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
        """Where the device is plugged in, as the driver writes it; empty where it does not tell."""
        return self._device.facts().bus

    @property
    def bin_id(self) -> bytes:
        """Compiled kernels run where this is the same."""
        return self._device.facts().architecture.encode()

    @property
    def lmemsize(self) -> int:
        """Bytes of local memory of a work-group."""
        return self._device.local_memory

    @property
    def numprocs(self) -> int:
        """Compute units."""
        return self._device.compute_units

    @property
    def maxlsize(self) -> int:
        """Work-items of the largest work-group."""
        return self._device.max_group

    @property
    def total_gmem(self) -> int:
        """Bytes of the device's memory."""
        return self._device.memory

    @property
    def free_gmem(self) -> int:
        """Bytes of it that nobody uses, as far as the driver tells."""
        return self._device.facts().free

    @property
    def largest_memblock(self) -> int:
        """Bytes of the largest array."""
        return self._device.max_alloc

    maxlsize0, maxlsize1, maxlsize2 = _limits("group", "Work-items of the largest work-group")
    maxgsize0, maxgsize1, maxgsize2 = _limits("grid", "Groups of the largest launch")


def _driver(kind: str | bytes) -> str:
    name = kind.decode("ascii", "replace") if isinstance(kind, bytes) else kind
    if name not in _KINDS:
        raise ValueError(f"kind: got {kind!r}; allowed: {', '.join(_KINDS)}")
    return name


def context_of(device: Device) -> GpuContext:
    """The default context where it is of this device, else a new one."""
    return _default if _default is not None and _default._device is device else GpuContext._of(device)


def ensure_context(context: GpuContext | None) -> GpuContext:
    """The context, or the default one. TypeError where there is none, and for what is no context."""
    if context is None:
        if _default is None:
            raise TypeError("No context specified; pass context=, or call set_default_context(init('...')) first")
        return _default
    if not isinstance(context, GpuContext):
        raise TypeError(f"context: got {type(context).__name__}; allowed: a GpuContext, as init gives it")
    return context


def set_default_context(ctx: GpuContext | None) -> None:
    """Set the context of functions that get none; None takes it away. TypeError for what is no context.

    Source: pygpu, ``gpuarray.set_default_context``.
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
    """The context of a device: ``"cuda0"``, ``"cuda"`` (the first), ``"opencl0:1"`` (platform and device).

    The other arguments have no effect: a device has one queue, and one pool of memory, and kernels are kept in the
    folder that ``config.cache`` says. ValueError for another name, TypeError for another ``sched``, GpuArrayException
    where there is no such device. Source: pygpu, ``gpuarray.init``.

    >>> ctx = init("opencl0:0")
    >>> ctx.kind
    b'opencl'
    """
    if sched not in _SCHEDULES:
        raise TypeError(f"unexpected value for parameter sched: {sched}; allowed: {', '.join(_SCHEDULES)}")
    if dev.startswith("opencl"):
        if not re.fullmatch("opencl[0-9]+:[0-9]+", dev):
            raise ValueError(f"OpenCL name incorrect. Should be opencl<int>:<int> instead got: {dev}")
    elif not re.fullmatch("cuda[0-9]*", dev):
        raise ValueError(f"Unknown device format: {dev}; allowed: 'cuda', 'cuda0', 'opencl0:1' and the like")
    return GpuContext._of(get_device(dev))


def count_platforms(kind: str | bytes) -> int:
    """How many platforms a driver has: one for CUDA, if there is a device.

    ValueError for an unknown driver. Source: pygpu, ``gpuarray.count_platforms``.
    """
    return len(_platforms(kind))


def count_devices(kind: str | bytes, platform: int) -> int:
    """How many devices a platform of a driver has.

    ValueError for an unknown driver, GpuArrayException for a platform that it lacks.
    Source: pygpu, ``gpuarray.count_devices``.
    """
    platforms = _platforms(kind)
    if not 0 <= platform < len(platforms):
        raise GpuArrayException(f"count_devices: no platform {platform}; there are {len(platforms)}")
    return len(platforms[sorted(platforms)[platform]])


def _platforms(kind: str | bytes) -> dict[str, list[Device]]:
    """A driver's devices by platform."""
    name, found = _driver(kind), dict[str, list[Device]]()
    for device in present():
        driver, *rest = device.name.split(":")
        if driver == name:
            found.setdefault(rest[0] if len(rest) > 1 else "", []).append(device)
    return found


def cl_wrap_ctx(ptr: int) -> GpuContext:
    """The context of a driver's handle, a ``cl_context`` of one device, as a program or another library made it.

    Arrays are made in it; so it has to be wrapped before the device's first array, or be the context of our arrays.
    GpuArrayException otherwise. The handle must be one: the driver does not check it.
    Source: pygpu, ``gpuarray.cl_wrap_ctx``.
    """
    return _wrapped("opencl", ptr)


def cuda_wrap_ctx(ptr: int) -> GpuContext:
    """The context of a driver's handle, the ``CUcontext`` of a device's primary context.

    That is the one in which CUDA's runtime, CuPy and PyTorch work. GpuArrayException for another one.
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
    raise GpuArrayException(f"{kind}: {ptr:#x} is the context of no device here; allowed: that of one device")
