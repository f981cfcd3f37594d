"""Launches that NumPy makes: bodies of few elements, computed in the host's memory while the device rests.

The bound launch of a small body is a `HostLaunch` if the device has its memory on the host and NumPy has the bits of
all steps (`on_host`). It is planned and kept as any other launch. Each time it runs, it asks whether the device rests.
If so, NumPy computes the results. Otherwise a kernel computes them behind the queued work, because a wait would take
longer than a launch. The kernel is compiled when it is needed first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device, Target
from ...backends.events import Event, listeners, note, start
from ...backends.host_memory import quiet
from ...config import config, unusual
from ...memory.gpuarray import GpuArray, Rolled
from ...memory.layout import Layout, size
from ..core import tuning
from ..core.body import MEMORY, Body, M, Reference, S, T, X
from ..core.launch import BoundLaunch
from ..core.store import stored
from ..core.traffic import elements
from ..reductions.rows import Fold
from .on_host import Function, HostArray, KernelNeeded, addresses, conversion, function_of, may_compute, reduction

_array = np.ndarray


class Step(NamedTuple):
    """A function of NumPy, and the places of its operands in a list of values, to which its result is appended."""

    function: Function
    operands: tuple[int, ...]


class HostProgram(NamedTuple):
    """A body as NumPy computes it. ``last``: the last step, if it is a ufunc that computes the only result.
    ``results``: the places of the results in the list of values."""

    name: str
    scalars: tuple[np.dtype[Any], ...]
    steps: tuple[Step, ...]
    last: Step | None
    results: tuple[int, ...]

    def run(self, values: list[Any], targets: Sequence[HostArray]) -> None:
        """Write the results to ``targets``. ``values``: operands, memory and scalars."""
        for function, operands in self.steps:
            values.append(function(*[values[place] for place in operands]))
        if self.last is not None:
            function, operands = self.last
            (target,) = targets
            if target.flags.c_contiguous:
                function(*[values[place] for place in operands], out=target)
            else:  # NumPy 2.4 writes or reads wrong elements there: negative and isfinite with AVX-512
                target[...] = function(*[values[place] for place in operands])
            return
        for place, target in zip(self.results, targets, strict=True):
            value = values[place]
            if value.shape != target.shape and value.size == target.size:
                value = value.reshape(target.shape)  # a reduction keeps its axes, the target may not
            target[...] = value


def _program(body: Body, shape: tuple[int, ...], axes: tuple[int, ...] | None, target: Target) -> HostProgram:
    """The program of a body over a shape; `KernelNeeded` if NumPy lacks the bits of an operation or a cast. ``axes``:
    those that the body's reductions reduce."""
    counts = (X, len(body.operands)), (M, len(body.memory)), (S, len(body.scalars))
    inputs = [kind[number] for kind, count in counts for number in range(count)]
    places: dict[Any, int] = {reference: place for place, reference in enumerate(inputs)}
    steps: list[Step] = []

    def add(function: Function | None, *operands: int) -> int:
        """The place of the result of one more step."""
        if function is None:
            raise KernelNeeded
        steps.append(Step(function, operands))
        return len(inputs) + len(steps) - 1

    def in_dtype(own: Reference, dtype: np.dtype[Any]) -> int:
        """The place of a value in a dtype; its cast is one more step."""
        source = dtype if own.kind == MEMORY else body.dtype_of(own)
        if source == dtype:
            return places[own]
        if (own, dtype) not in places:
            places[own, dtype] = add(conversion(source, dtype), places[own])
        return places[own, dtype]

    for number, (rule, references) in enumerate(body.steps):
        if isinstance(rule, Fold):
            assert axes is not None
            left = tuple([1 if axis in axes else n for axis, n in enumerate(shape)])
            function = reduction(rule.monoid, rule.args[0], rule.result, shape, axes, left, target)
        else:
            function = function_of(rule)
        places[T[number]] = add(function, *map(in_dtype, references, rule.args))
    results = tuple(map(in_dtype, body.results, body.dtypes))
    last = None
    if steps and results == (len(inputs) + len(steps) - 1,) and isinstance(steps[-1].function, np.ufunc):
        last = steps.pop()
    return HostProgram(body.kernel_name("numpy", len(shape)), body.scalars, tuple(steps), last, results)


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
        try:
            return (_program(body(), shape, axes, device.target),)
        except KernelNeeded:
            return (None,)

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

    __slots__ = (
        "_device", "_memory", "_offsets", "_operands", "_program", "_results", "_rolled", "_values", "kernel",
    )  # fmt: skip

    def __init__(
        self,
        program: HostProgram,
        device: Device,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
    ):
        self.kernel: BoundLaunch | None = None
        self._program, self._device = program, device
        self._offsets = [item.offset for item in (*results, *operands, *memory)]
        self._results = [_view_of(array, number, number) for number, array in enumerate(results)]
        # Values that are always the same, and the places of others among them.
        self._values: list[Any] = [
            addresses(item) if isinstance(item, Layout) else None for item in (*operands, *memory)
        ]
        self._operands: list[tuple[int, _View]] = []
        self._memory: list[tuple[int, int, np.dtype[Any]]] = []
        self._rolled: list[tuple[int, tuple[int, ...]]] = []
        buffer = len(results)
        for place, item in enumerate((*operands, *memory)):
            if isinstance(item, Layout):
                continue
            if place < len(operands):
                self._operands.append((place, _view_of(item, buffer, len(results) + place)))
            else:
                self._memory.append((place, buffer, item.dtype))
            if isinstance(item, Rolled):
                self._rolled.append((place, item.shifts))
            buffer += 1

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Compute the results, or launch the kernel; `KernelNeeded` if there is none yet."""
        if may_compute(self._device):
            try:
                self._compute(buffers, scalars, self._offsets if offsets is None else offsets)
                return
            except KernelNeeded:
                pass
        if self.kernel is None:
            raise KernelNeeded
        self.kernel.run(buffers, scalars, offsets)

    def _compute(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int]) -> None:
        program, device = self._program, self._device
        if device.exposed:
            for exposed in [buffer for buffer in buffers if buffer.exposed]:
                device.host_view(exposed)  # because other libraries may have queued work on it
        values = self._values.copy()
        for place, (number, item, dtype, itemsize, shape, strides) in self._operands:
            values[place] = _array(shape, dtype, buffers[number].block.host, offsets[item] * itemsize, strides)
        for place, shifts in self._rolled:
            values[place] = np.roll(values[place], shifts, tuple(range(len(shifts))))
        for place, number, dtype in self._memory:
            host = buffers[number].block.host
            assert host is not None, "NumPy computes in the host's memory"
            values[place] = _array((host.size // dtype.itemsize,), dtype, host), offsets[len(self._results) + place]
        if scalars:
            values += [dtype.type(scalar) for dtype, scalar in zip(program.scalars, scalars, strict=True)]
        targets = [
            _array(shape, dtype, buffers[number].block.host, offsets[item] * itemsize, strides)
            for number, item, dtype, itemsize, shape, strides in self._results
        ]
        started = start(device, program.name, True) if listeners or (unusual and config.debug > 1) else None
        quiet.copy().run(program.run, values, targets)
        if started is not None:
            views = [view for _, view in self._operands]
            read = sum([nbytes * elements(shape, steps or shape) for _, _, _, nbytes, shape, steps in views])
            read += sum([targets[0].size * dtype.itemsize for _, _, dtype in self._memory])
            written = sum([target.nbytes for target in targets])
            note(Event(program.name, device.name, targets[0].size, read, written, "NumPy"), started)
