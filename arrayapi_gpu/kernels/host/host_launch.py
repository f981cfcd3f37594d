"""Launches that NumPy makes: a body of few elements, computed in the host's memory while the device rests.

A launch on a CPU takes 10 to 60 us however few elements it has, and each new kernel a compiler; NumPy takes a few us.
So where a device has its memory on the host, and NumPy has the bits of a body's device functions (`on_host`), the bound
launch of a small body is a `HostLaunch`. It is planned and kept as any other. Each time it is made it
looks whether the device rests. If so, NumPy computes the values. If not, to wait would cost more than a launch: the
kernel computes them, in its turn, which is compiled when it is needed first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device, Target
from ...memory.dtypes import BOOLEAN
from ...memory.gpuarray import GpuArray, Rolled
from ...memory.layout import Layout, size
from ..core import tuning
from ..core.body import MEMORY, Body, M, Reference, S, T, X
from ..core.launch import BoundLaunch, Launch, is_listening, note
from ..core.monoid import Monoid
from ..core.store import stored
from ..reductions.rows import Fold
from .on_host import Function, HostArray, OrderShows, addresses, casts, functions, may_compute, quiet, reduction

_array = np.ndarray


class KernelNeeded(Exception):
    """NumPy does not make this launch, and there is no kernel for it yet."""


class Step(NamedTuple):
    """A function of NumPy's, and the places of its operands in a list of values, to which its result is appended."""

    function: Function
    operands: tuple[int, ...]


class HostProgram(NamedTuple):
    """A body as NumPy computes it.

    The list of values begins with operands, memory and scalars. ``results``: the places of the results. ``last``: the
    function that writes the only result, if one does. ``warns``: whether NumPy might, of what IEEE 754 calls
    exceptions.
    """

    name: str
    scalars: tuple[np.dtype[Any], ...]
    steps: tuple[Step, ...]
    last: Step | None
    results: tuple[int, ...]
    warns: bool

    def run(self, values: list[Any], targets: Sequence[HostArray]) -> None:
        """Write the results. ``values``: operands, memory and scalars."""
        for function, places in self.steps:
            values.append(function(*[values[place] for place in places]))
        if self.last is not None:
            function, places = self.last
            function(*[values[place] for place in places], *targets)
            return
        for place, target in zip(self.results, targets, strict=True):
            value = values[place]
            if value.shape != target.shape and value.size == target.size:
                value = value.reshape(target.shape)  # of rows, whose reduced axes may be left out
            target[...] = value


class Reduced(NamedTuple):
    """A reduction: of a body's first value, or of steps of a body over rows."""

    axes: tuple[int, ...]
    monoid: Monoid | None = None  # of the first value
    dtype: np.dtype[Any] | None = None  # of its result


class _Compiler:
    """From a body to a program."""

    def __init__(self, body: Body, shape: tuple[int, ...], target: Target, reduced: Reduced | None):
        self.body, self.shape, self.target, self.reduced = body, shape, target, reduced
        self.steps: list[Step] = []
        self.places: dict[Any, int] = {}  # of references, and of these in other dtypes
        for kind, count in ((X, len(body.operands)), (M, len(body.memory)), (S, len(body.scalars))):
            for number in range(count):
                self.places[kind[number]] = len(self.places)
        self.first = len(self.places)

    def program(self) -> HostProgram | None:
        """None where NumPy lacks the bits of something."""
        body, reduced = self.body, self.reduced
        warns = False
        for number, (rule, references) in enumerate(body.steps):
            function = self.of_rows(rule) if isinstance(rule, Fold) else functions[rule]
            operands = [self.as_dtype(own, dtype) for own, dtype in zip(references, rule.args, strict=True)]
            if function is None or None in operands:
                return None
            self.places[T[number]] = self.add(function, *operands)  # type: ignore[arg-type]
            warns |= rule.args[-1] not in BOOLEAN and rule.result not in BOOLEAN
        if reduced is None or reduced.monoid is None:
            found = [self.as_dtype(own, dtype) for own, dtype in zip(body.results, body.dtypes, strict=True)]
        else:
            assert reduced.dtype is not None
            function = self.over(reduced.monoid, body.dtypes[0], reduced.dtype, reduced.axes)
            value = self.as_dtype(body.results[0], body.dtypes[0])
            if function is None or value is None:
                return None
            found, warns = [self.add(function, value)], True
        if None in found:
            return None
        last = None
        if len(found) == 1 and self.steps and found[0] == self.first + len(self.steps) - 1:
            last = self.steps.pop() if isinstance(self.steps[-1].function, np.ufunc) else None
        kind = f"numpy_{reduced.monoid.name}" if reduced is not None and reduced.monoid is not None else "numpy"
        name = body.kernel_name(kind, len(self.shape))
        return HostProgram(name, body.scalars, tuple(self.steps), last, tuple(found), warns)  # type: ignore[arg-type]

    def add(self, function: Function, *operands: int) -> int:
        """One more step; the place of its result."""
        self.steps.append(Step(function, operands))
        return self.first + len(self.steps) - 1

    def as_dtype(self, reference: Reference, dtype: np.dtype[Any]) -> int | None:
        """The place of a value in a dtype; None where NumPy has no such cast."""
        if reference.kind == MEMORY or self.body.dtype_of(reference) == dtype:
            return self.places[reference]
        key = reference, dtype
        if key not in self.places:
            function = casts[self.body.dtype_of(reference), dtype]
            if function is None:
                return None
            self.places[key] = self.add(function, self.places[reference])
        return self.places[key]

    def of_rows(self, rule: Fold) -> Function | None:
        """The reduction of rows, which keeps its axes."""
        assert self.reduced is not None
        return self.over(rule.monoid, rule.args[0], rule.result, self.reduced.axes)

    def over(
        self, monoid: Monoid, dtype: np.dtype[Any], result: np.dtype[Any], axes: tuple[int, ...]
    ) -> Function | None:
        """The reduction of values of a dtype."""
        return reduction(monoid, dtype, result, self.shape, axes, self.target)


def host_launch(
    device: Device,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    shape: tuple[int, ...],
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    reduced: Reduced | None = None,
) -> HostLaunch | None:
    """The launch of a body over ``shape`` that NumPy can make; None where it cannot.

    ``key`` identifies the body.
    """
    if not device.computes_on_host or size(shape) > tuning.ON_HOST:
        return None

    def make() -> tuple[HostProgram | None]:
        return (_Compiler(body(), shape, device.target, reduced).program(),)

    (program,) = stored((HostProgram, device.target, shape if reduced else len(shape), reduced, *key), make)
    return None if program is None else HostLaunch(program, device, results, operands, memory)


class HostLaunch:
    """A `BoundLaunch` of a program. ``kernel``: what launches a kernel for the same values, once there is one."""

    __slots__ = (
        "_device", "_memory", "_offsets", "_operands", "_others", "_program", "_results", "_rolled", "_values",
        "kernel",
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
        items = [*results, *operands, *memory]
        self._offsets = [item.offset for item in items]
        self._values: list[Any] = []  # that are always the same
        self._results: list[_Seen] = []
        self._operands: list[tuple[int, _Seen]] = []
        self._memory: list[tuple[int, int, int, np.dtype[Any]]] = []
        self._rolled: list[tuple[int, tuple[int, ...]]] = []
        buffers = 0
        for number, item in enumerate(items):
            place = number - len(results)
            if place >= 0:
                self._values.append(_constant(item) if place < len(operands) else None)
            if isinstance(item, Layout):
                continue
            if place >= len(operands):
                self._memory.append((place, buffers, number, item.dtype))
            elif place < 0:
                self._results.append(_seen(item, buffers, number))
            elif item.size:
                self._operands.append((place, _seen(item, buffers, number)))
                if isinstance(item, Rolled):
                    self._rolled.append((place, item.shifts))
            buffers += 1
        self._others = bool(self._rolled or self._memory)

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Compute, or launch; `KernelNeeded`."""
        if may_compute(self._device):
            try:
                self._compute(buffers, scalars, self._offsets if offsets is None else offsets)
                return
            except OrderShows:
                pass
        if self.kernel is None:
            raise KernelNeeded
        self.kernel.run(buffers, scalars, offsets)

    def _compute(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int]) -> None:
        program, device = self._program, self._device
        if device.exposed:
            for buffer in buffers:
                if buffer.exposed:  # others may have queued something, too
                    device.host_view(buffer)
        values = self._values.copy()
        for place, (number, item, dtype, shape, strides, itemsize) in self._operands:
            values[place] = _array(shape, dtype, buffers[number].block.host, offsets[item] * itemsize, strides)
        if self._others:
            for place, shifts in self._rolled:
                values[place] = np.roll(values[place], shifts, tuple(range(len(shifts))))
            for place, number, item, dtype in self._memory:
                host = buffers[number].block.host
                assert host is not None, "NumPy computes in the host's memory"
                values[place] = host[: host.size // dtype.itemsize * dtype.itemsize].view(dtype), offsets[item]
        if scalars:
            values += [dtype.type(scalar) for dtype, scalar in zip(program.scalars, scalars, strict=True)]
        targets = [
            _array(shape, dtype, buffers[number].block.host, offsets[item] * itemsize, strides)
            for number, item, dtype, shape, strides, itemsize in self._results
        ]
        if program.warns:
            quiet.copy().run(program.run, values, targets)
        else:
            program.run(values, targets)
        if is_listening():
            nbytes = sum([buffer.nbytes for buffer in buffers])
            note(Launch(program.name, device.name, targets[0].size, nbytes, "NumPy"))


# What the host sees of an array: the numbers of its buffer and of its offset, dtype, shape, strides in bytes if it is
# not contiguous, and bytes of an element.
_Seen = tuple[int, int, np.dtype[Any], tuple[int, ...], tuple[int, ...] | None, int]


def _seen(array: GpuArray, buffer: int, number: int) -> _Seen:
    itemsize = array.dtype.itemsize
    strides = None if array.contiguous else tuple([step * itemsize for step in array.strides])
    return buffer, number, array.dtype, array.shape, strides, itemsize


def _constant(item: GpuArray | Layout) -> HostArray | None:
    """The elements of an operand that are always the same: those of an index variable, and none."""
    if isinstance(item, Layout):
        return addresses(item)
    return None if item.size else np.empty(item.shape, item.dtype)
