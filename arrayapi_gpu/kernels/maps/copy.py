"""Copies into contiguous memory: the element-wise kernel of the empty program, or its loops."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import STORED_AS
from ...memory.gpuarray import GpuArray, empty
from ..core import tuning
from ..core.body import Body, S, X
from ..core.borrowing import on_loops_meanwhile
from ..core.schedule import INDEX32_LIMIT, elementwise_schedule, flat
from ..core.store import stored
from ..loops.block_programs import BlockLaunch, block_launch
from .elementwise import Elementwise

try:
    from ...backends.launching import copy_elements
except ImportError:  # in the Python form
    copy_elements = None  # type: ignore[assignment]


@on_loops_meanwhile
def assign(out: GpuArray, source: GpuArray) -> None:
    """Write the elements of ``source``, cast, into ``out``: same shape, no memory in common."""
    if not out.size:
        return
    device: Device = out.storage.device
    if device.loops is not None:
        if source.dtype == out.dtype and out.size <= tuning.ON_HOST:
            copied_few(source, out)
            return
        key = (assign, device, out.dtype, source.dtype, out.shape, out.strides, source.strides)
        launch = stored(key, partial(_copy_by_loops, device, out, source))
        launch.run([out.storage.buffer, source.storage.buffer], (), [out.offset, source.offset])
    else:
        _assign_by_kernel(out, source)


def _copy_by_loops(device: Device, out: GpuArray, source: GpuArray) -> BlockLaunch:
    body = Body(((source.dtype, False),), (), (), (), (X[0],), (out.dtype,))
    launch = block_launch(device, body, out.shape, [out], [source], ())
    assert launch is not None, "there is a loop for each cast"
    return launch


def copied_few(source: GpuArray, out: GpuArray) -> None:
    """Copy few elements, on a device with loops: same shape and dtype, no memory in common."""
    if copy_elements is None:
        out.host_view()[...] = source.host_view()
        return
    copy_elements(
        out.storage.buffer, out.offset, out.strides, source.storage.buffer, source.offset, source.strides, out.shape,
        out.dtype.itemsize,
    )  # fmt: skip


def _assign_by_kernel(out: GpuArray, source: GpuArray) -> None:
    device: Device = out.storage.device
    dtypes = (source.dtype, out.dtype)
    if source.dtype == out.dtype in STORED_AS:
        dtypes = (STORED_AS[out.dtype],) * 2
    schedule = elementwise_schedule(out.shape, ((out.shape, out.strides), (source.shape, source.strides)))
    wide = schedule.reach + max(abs(out.offset), abs(source.offset)) > INDEX32_LIMIT

    def make() -> Elementwise:
        return Elementwise(device, Body(((dtypes[0], False),), (), (), (), (X[0],), dtypes[1:]), schedule, wide)

    kernel = stored((assign, device, schedule.kind, wide, dtypes), make)
    kernel.run(schedule, [out.storage.buffer, source.storage.buffer], (out.offset, source.offset), ())


def contiguous(source: GpuArray, dtype: np.dtype[Any] | None = None) -> GpuArray:
    """Return the array itself if it is C-contiguous and of ``dtype`` (by default its own), otherwise such a copy of
    it."""
    dtype = dtype or source.dtype
    if source.contiguous and source.dtype == dtype:
        return source
    out = empty(source.storage.device, dtype, source.shape)
    assign(out, source)
    return out


def zeros(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...]) -> GpuArray:
    """Return a fresh C-contiguous array of zeros."""
    out = empty(device, dtype, shape)
    if device.loops is not None:
        out.host_view()[...] = 0
    elif out.size:
        schedule = flat(out.size, 1)
        wide = out.size > INDEX32_LIMIT

        def make() -> Elementwise:
            return Elementwise(device, Body((), (), (dtype,), (), (S[0],), (dtype,)), schedule, wide)

        kernel = stored((zeros, device, dtype, wide), make)
        kernel.run(schedule, [out.storage.buffer], (0,), (0,))
    return out
