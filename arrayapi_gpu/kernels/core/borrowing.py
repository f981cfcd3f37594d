"""Arrays of a device in the memory of one that has loops, and functions that compute there while kernels are compiled.

Loops of the processor take the memory of a device that shares it with the host as it is. That of others is copied.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ...backends import loops_device
from ...backends.base import Buffer, Device
from ...config import config
from ...memory.gpuarray import GpuArray, Rolled, Storage, empty
from . import tuning
from .launch import KernelMissing, without_compiler
from .specialise import Job, background
from .store import Recent

JOBS_KEPT = 2048  # kernels whose jobs are remembered

_submitted: Recent[tuple[Device, str], Job] = Recent(JOBS_KEPT)

P = ParamSpec("P")
R = TypeVar("R", bound=GpuArray | None)


def waits(device: Device) -> bool:
    """Return whether a program waits for the kernels of a device: the settings say so, or it has loops instead."""
    return device.loops is not None or config.wait_for_compiler


def submitted(missing: KernelMissing) -> Job | None:
    """Return the job that compiles a kernel, which is submitted once; None where too many jobs wait."""
    job = _submitted.get(missing.key)
    if job is None or (job.done and not job.failed):
        job = background.submit(missing.job)
        if job is not None:
            _submitted[missing.key] = job
    return job


def loops_for(device: Device, arrays: Iterable[GpuArray], exact: bool) -> Device | None:
    """Return the device with loops that may compute in place of a device; None if there is none.

    ``arrays``: those that would be borrowed. ``exact``: whether the result does not depend on the order in which
    elements are combined. Otherwise the devices must have the same order.
    """
    loops = loops_device()
    if loops is None or not (exact or (device.lanes, device.is_gpu) == (loops.lanes, loops.is_gpu)):
        return None
    if not device.host_shared:
        nbytes = sum([buffer.nbytes for buffer in {array.storage.buffer for array in arrays}])
        if config.host_transfers != "allow" or nbytes > tuning.MEANWHILE_COPIED:
            return None
    return loops


class Borrowed:
    """The arrays of a device for one with ``loops``; several of one buffer share memory."""

    def __init__(self, device: Device, loops: Device):
        self.device, self.loops = device, loops
        self._copied = not device.host_shared
        self._buffers: dict[int, tuple[Buffer, Buffer]] = {}  # the owner's and the borrowed one, by the owner's id()

    def array(self, array: GpuArray) -> GpuArray:
        """Return an array in borrowed memory."""
        own = array.storage.buffer
        if id(own) not in self._buffers:
            self._buffers[id(own)] = own, self.loops.adopt(self._bytes_of(own))
        storage = Storage(self.loops, self._buffers[id(own)][1])
        moved = GpuArray(storage, array.dtype, array.shape, array.strides, array.offset)
        return moved.rolled(array.shifts) if isinstance(array, Rolled) else moved

    def _bytes_of(self, buffer: Buffer) -> np.ndarray[Any, Any]:
        if not self._copied:
            return self.device.host_view(buffer)
        host = np.empty(buffer.nbytes, np.uint8)
        self.device.download(buffer, 0, host)
        return host

    def all(self, items: Sequence[Any]) -> list[Any]:
        """Return arguments with borrowed arrays, also in lists and tuples among them."""
        return [
            self.array(item)
            if isinstance(item, GpuArray)
            else self.all(item)
            if type(item) in (list, tuple) and any([isinstance(one, GpuArray) for one in item])
            else item
            for item in items
        ]

    def give_back(self, arrays: Sequence[GpuArray]) -> None:
        """Let the owner have the values that were written into arrays of its memory."""
        if self._copied:
            for key in dict.fromkeys([id(array.storage.buffer) for array in arrays]):
                own, borrowed = self._buffers[key]
                host = borrowed.host
                assert host is not None, "all memory of loops is the host's"
                self.device.upload(own, 0, host[: own.nbytes])


def on_loops_meanwhile(function: Callable[P, R], exact: Callable[..., bool] = lambda *_, **__: True) -> Callable[P, R]:
    """Return a function that computes on a device with loops while a kernel is compiled that it needs.

    The function takes arrays, also in lists, and returns a new one, or writes into its parameter ``out`` or ``target``.
    A second call repeats all its work. ``exact``: see `loops_for`; it takes the same arguments.
    """
    names = [*inspect.signature(function).parameters]
    written = next((names.index(name) for name in ("out", "target") if name in names), None)
    anything: Callable[..., Any] = function

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        item: Any
        for item in args:  # a hot path on devices with loops
            if isinstance(item, GpuArray):
                break
        device = item.storage.device
        if device.loops is not None or waits(device):
            return function(*args, **options)
        try:
            with without_compiler():
                return function(*args, **options)
        except KernelMissing as missing:
            arrays = [*_arrays_in(args), *_arrays_in([*options.values()])]
            loops = loops_for(device, arrays, exact(*args, **options))
            if loops is None:
                return function(*args, **options)
            job = submitted(missing)
        borrowed = Borrowed(device, loops)
        try:
            with without_compiler():
                result = anything(
                    *borrowed.all(args), **dict(zip(options, borrowed.all([*options.values()]), strict=True))
                )
        except KernelMissing:
            if job is not None:
                job.take_back()
            return function(*args, **options)
        if isinstance(result, GpuArray):
            out = empty(device, result.dtype, result.shape)
            device.upload(out.storage.buffer, 0, np.ascontiguousarray(result.host_view()))
            result = out
        elif written is not None:
            borrowed.give_back([args[written]])  # type: ignore[list-item]
        return result  # type: ignore[no-any-return]

    return call


def _arrays_in(items: Sequence[Any]) -> list[GpuArray]:
    """Return the arrays among arguments, and in lists and tuples among them."""
    found: list[GpuArray] = []
    for item in items:
        if isinstance(item, GpuArray):
            found.append(item)
        elif type(item) in (list, tuple):
            found += _arrays_in(item)
    return found
