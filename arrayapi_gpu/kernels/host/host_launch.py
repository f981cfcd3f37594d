"""Launches that NumPy makes: bodies of few elements, computed in the host's memory while the device rests.

The bound launch of a small body is a `HostLaunch` if the device has its memory on the host and NumPy has the bits of
all steps (`on_host`). It is planned and kept as any other launch. Each time it runs, it asks whether the device rests.
If so, NumPy computes the results. Otherwise a kernel computes them behind the queued work, because a wait would take
longer than a launch. The kernel is compiled when it is needed first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device, Target
from ...memory.gpuarray import GpuArray, Rolled
from ...memory.layout import Layout, size
from ..core import tuning
from ..core.body import MEMORY, Body, M, Reference, S, T, X
from ..core.launch import BoundLaunch, Launch, is_listening, note
from ..core.store import stored
from ..reductions.rows import Fold
from .on_host import (
    Function,
    HostArray,
    KernelNeeded,
    Memory,
    addresses,
    cast,
    conversion,
    function_of,
    may_compute,
    quiet,
    reduction,
)

_array = np.ndarray


class Step(NamedTuple):
    """One value of a program: a function of other values, the ``operands``, which are cast to ``dtypes``."""

    value: Reference
    function: Function
    dtypes: tuple[np.dtype[Any], ...]
    operands: tuple[Reference, ...]


class HostProgram(NamedTuple):
    """A body with its steps as NumPy's functions."""

    name: str
    body: Body
    steps: tuple[Step, ...]

    def run(self, values: dict[Reference, Any], targets: Sequence[HostArray]) -> None:
        """Write the results to ``targets``. ``values``: operands, memory and scalars."""
        body = self.body
        for place, function, dtypes, operands in self.steps:
            values[place] = function(*[cast(values[own], dtype) for own, dtype in zip(operands, dtypes, strict=True)])
        for place, target in zip(body.results, targets, strict=True):
            value = cast(values[place], target.dtype)
            if value.shape != target.shape and value.size == target.size:
                value = value.reshape(target.shape)  # a reduction keeps its axes, the target may not
            target[...] = value


def _program(body: Body, shape: tuple[int, ...], axes: tuple[int, ...] | None, target: Target) -> HostProgram | None:
    """The program of a body; None if NumPy lacks the bits of an operation or a cast."""
    steps = []
    wanted = [*zip(body.results, body.dtypes, strict=True)]
    for number, (rule, operands) in enumerate(body.steps):
        function = function_of(rule)
        if isinstance(rule, Fold):
            assert axes is not None
            left = tuple([1 if axis in axes else n for axis, n in enumerate(shape)])
            function = reduction(rule.monoid, rule.args[0], rule.result, shape, axes, left, target)
        if function is None:
            return None
        steps.append(Step(T[number], function, rule.args, operands))
        wanted += zip(operands, rule.args, strict=True)
    if any([own.kind != MEMORY and conversion(body.dtype_of(own), dtype) is None for own, dtype in wanted]):
        return None
    return HostProgram(body.kernel_name("numpy", len(shape)), body, tuple(steps))


def host_launch(
    device: Device,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    shape: tuple[int, ...],
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    axes: tuple[int, ...] | None = None,
) -> HostLaunch | None:
    """The launch of a body by NumPy; None if the body has many elements, or NumPy lacks bits of it.

    ``key``: identifies the body. ``shape``: of its elements. ``axes``: the reduced ones, if there are reductions in it.
    """
    if not device.computes_on_host or size(shape) > tuning.ON_HOST:
        return None

    def make() -> tuple[HostProgram | None]:
        return (_program(body(), shape, axes, device.target),)

    (program,) = stored((HostProgram, device.target, len(shape) if axes is None else shape, axes, *key), make)
    return None if program is None else HostLaunch(program, device, results, operands, memory)


# An array as NumPy views it: the numbers of its buffer and of its offset, its dtype and the bytes of an element, its
# shape, and its strides in bytes if it is not contiguous.
_View = tuple[int, int, np.dtype[Any], int, tuple[int, ...], tuple[int, ...] | None]


def _view_of(array: GpuArray, buffer: int, number: int) -> _View:
    itemsize = array.dtype.itemsize if array.size else 0  # an empty array may begin behind its memory
    strides = None if array.contiguous or not array.size else tuple([step * itemsize for step in array.strides])
    return buffer, number, array.dtype, itemsize, array.shape, strides


class HostLaunch:
    """A `BoundLaunch` of a program. ``kernel``: that of a kernel for the same results, once there is one."""

    __slots__ = ("_constants", "_device", "_memory", "_offsets", "_places", "_program", "_views", "kernel")

    def __init__(
        self,
        program: HostProgram,
        device: Device,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
    ):
        self.kernel: BoundLaunch | None = None
        self._device = device
        self._offsets = [item.offset for item in (*results, *operands, *memory)]
        self._views = [_view_of(array, number, number) for number, array in enumerate(results)]
        self._places: list[Reference] = []  # of the operands among the views, which follow the results
        self._constants: dict[Reference, HostArray] = {}  # index variables
        rolls = []
        buffer = len(results)
        for number, item in enumerate(operands):
            if isinstance(item, Layout):
                self._constants[X[number]] = addresses(item)
                continue
            self._places.append(X[number])
            self._views.append(_view_of(item, buffer, len(results) + number))
            if isinstance(item, Rolled):
                roll = partial(np.roll, shift=item.shifts, axis=tuple(range(len(item.shape))))
                rolls.append(Step(X[number], roll, (item.dtype,), (X[number],)))
            buffer += 1
        first = len(results) + len(operands)
        self._memory = [(M[k], buffer + k, first + k, array.dtype) for k, array in enumerate(memory)]
        self._program = program._replace(steps=(*rolls, *program.steps))

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Compute the results, or launch the kernel; `KernelNeeded` if there is none yet."""
        try:
            if not may_compute(self._device):
                raise KernelNeeded
            self._compute(buffers, scalars, self._offsets if offsets is None else offsets)
        except KernelNeeded:
            if self.kernel is None:
                raise
            self.kernel.run(buffers, scalars, offsets)

    def _compute(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int]) -> None:
        program, device = self._program, self._device
        if device.exposed:
            for exposed in [buffer for buffer in buffers if buffer.exposed]:
                device.host_view(exposed)  # because other libraries may have queued work on it
        views = [
            _array(shape, dtype, buffers[buffer].block.host, offsets[number] * itemsize, strides)
            for buffer, number, dtype, itemsize, shape, strides in self._views
        ]
        first = len(program.body.results)
        values: dict[Reference, Any] = {**self._constants, **dict(zip(self._places, views[first:], strict=True))}
        for place, place_of_buffer, number, dtype in self._memory:
            host = buffers[place_of_buffer].block.host
            assert host is not None, "NumPy computes in the host's memory"
            values[place] = Memory(_array((host.size // dtype.itemsize,), dtype, host), offsets[number], dtype)
        for number, dtype in enumerate(program.body.scalars):
            values[S[number]] = dtype.type(scalars[number])
        quiet.copy().run(program.run, values, views[:first])
        if is_listening():
            nbytes = sum([buffer.nbytes for buffer in buffers])
            note(Launch(program.name, device.name, views[0].size, nbytes, "NumPy"))
