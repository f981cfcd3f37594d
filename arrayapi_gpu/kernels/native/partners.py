"""Kernels of an OpenCL driver that take the place of loops.

The partner of the native device is an OpenCL driver for the processor, where one is installed. Loops compute each
launch at once. A launch that has computed `config.background` elements gets a fused kernel: the partner compiles it in
the background, and runs it in the native device's memory from then on, if it takes less time. It has the bits of the
loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from ...backends import partner
from ...backends.base import Buffer, Device, DeviceError
from ...backends.host_memory import aligned_memory
from ...config import config
from ...memory.gpuarray import GpuArray, Rolled, Storage
from ...memory.layout import Layout, size
from ..core import tuning
from ..core.launch import BoundLaunch
from ..core.specialise import background
from ..core.store import stored

# The launch of a kernel on a device, given results, operands, memory and scalars. It may run again.
Make = Callable[[Device, Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]], BoundLaunch | None]

_Fact = tuple[int, int, bool]  # of a buffer: a number of its own, its bytes, and whether it is aligned

UNALIGNED = 32  # bytes behind a place that is aligned
_TRIALS = 3  # launches after which the slower way is given up


def with_partner(
    key: tuple[Any, ...],
    loops: BoundLaunch,
    shape: tuple[int, ...],
    make: Make,
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
) -> BoundLaunch:
    """Return a launch by loops that may get a kernel. ``key``: of the launches that count together; ``shape``: of the
    elements that it computes."""
    if size(shape) < tuning.NATIVE_PARTNERED or not config.background:
        return loops
    use = stored((_Use, *key), _Use)
    return PartneredLaunch(loops, use, size(shape), make, results, operands, memory)


class _Use:
    """The elements that launches of one body have computed."""

    __slots__ = ("elements",)

    def __init__(self) -> None:
        self.elements = 0


class PartneredLaunch:
    """A `BoundLaunch` of loops, and of a kernel once there is one."""

    __slots__ = (
        "_counts", "_elements", "_items", "_kernel", "_loops", "_make", "_partner", "_times", "_trials", "_use"
    )  # fmt: skip

    def __init__(
        self,
        loops: BoundLaunch,
        use: _Use,
        elements: int,
        make: Make,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
    ):
        self._loops, self._elements = loops, elements
        self._make: Make | None = make  # None: no kernel will be made
        self._use = use
        self._kernel: BoundLaunch | None = None
        self._partner: Device | None = None
        self._times, self._trials = [np.inf, np.inf], 0  # the shortest of the loops and of the kernel
        self._items = [item if isinstance(item, Layout) else _Item(item) for item in (*results, *operands, *memory)]
        self._counts = len(results), len(operands)

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Compute the results."""
        began = perf_counter()
        if self._kernel is not None:
            try:
                self._launch(self._kernel, buffers, scalars, offsets)
            except DeviceError:  # in the child of a fork, say: nothing was launched
                self._kernel = None
            else:
                self._learn(1, perf_counter() - began)
                return
        self._loops.run(buffers, scalars, offsets)
        if self._make is None:
            return
        first = self._times[0] == np.inf  # a launch that is not kept runs once
        self._learn(0, perf_counter() - began)
        self._use.elements += self._elements
        if self._use.elements >= config.background and not first:
            given, make, self._make = self._own_offsets() if offsets is None else offsets, self._make, None
            facts = [(id(buffer), buffer.nbytes, buffer.aligned) for buffer in buffers]
            background.submit(partial(self._compile, make, facts, list(scalars), given))

    def _own_offsets(self) -> list[int]:
        return [item.offset for item in self._items]

    def _learn(self, way: int, seconds: float) -> None:
        """Give the kernel up after some launches if the loops take less time."""
        self._times[way] = min(self._times[way], seconds)
        if way and self._trials < _TRIALS:
            self._trials += 1
            if self._trials == _TRIALS and self._times[1] > self._times[0]:
                self._kernel = None

    def _launch(
        self, kernel: BoundLaunch, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None
    ) -> None:
        device = self._partner
        assert device is not None
        kernel.run(_adopted(device, buffers), scalars, self._own_offsets() if offsets is None else offsets)
        device.wait()

    def _compile(self, make: Make, facts: list[_Fact], scalars: Sequence[Any], offsets: list[int]) -> None:
        """Make the kernel, in the background: it computes results of zeros, because the memory of the launch may be
        freed, or written to, meanwhile."""
        device = partner()
        if device is None:
            return
        results, operands = self._counts
        theirs = iter([*_zeros(device, facts[:results]), *_zeros(device, facts[results:])])
        arrays = [
            item._replace(offset=offset) if isinstance(item, Layout) else item.on(Storage(device, next(theirs)), offset)
            for item, offset in zip(self._items, offsets, strict=True)
        ]
        read = results + operands
        with config.set(specialise="always"):
            kernel = make(device, arrays[:results], arrays[results:read], arrays[read:], scalars)
        device.wait()
        self._partner, self._kernel = device, kernel


class _Item:
    """An array without its memory."""

    __slots__ = ("dtype", "offset", "shape", "shifts", "strides")

    def __init__(self, array: GpuArray):
        self.dtype, self.shape, self.strides, self.offset = array.dtype, array.shape, array.strides, array.offset
        self.shifts = array.shifts if isinstance(array, Rolled) else None

    def on(self, storage: Storage, offset: int) -> GpuArray:
        """Return the array in other memory."""
        array = GpuArray(storage, self.dtype, self.shape, self.strides, offset)
        return array if self.shifts is None else array.rolled(self.shifts)


def _zeros(device: Device, facts: Sequence[_Fact]) -> list[Buffer]:
    """Return buffers of a device with zeros, one for each fact, and one for equal numbers."""
    found: dict[int, Buffer] = {}
    for number, nbytes, aligned in facts:
        if number not in found:
            shift = 0 if aligned else UNALIGNED
            found[number] = device.adopt(aligned_memory(nbytes + shift, np.zeros)[shift:])
    return [found[number] for number, _, _ in facts]


def _adopted(device: Device, buffers: Sequence[Buffer]) -> list[Buffer]:
    """Return the same memory as buffers of another device, one for each buffer."""
    found: dict[int, Buffer] = {}
    for buffer in buffers:
        if id(buffer) not in found:
            host = buffer.block.host
            assert host is not None, "all memory is the host's"
            found[id(buffer)] = device.adopt(host)
    return [found[id(buffer)] for buffer in buffers]
