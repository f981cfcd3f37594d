"""Compiled kernels, and the one place from which they start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from marshal import dumps
from typing import Any, Protocol

from ...backends import spilling
from ...backends.base import Buffer, Device, Kernel
from ...backends.events import Event, EventKind, Report, is_listening, listeners, note
from ...config import config, unusual
from ...memory.gpuarray import GpuArray
from . import tuning
from .dialect import Parameters, assemble
from .store import Recent, begin_generation, stored
from .texts import defines
from .traffic import Traffic, traffic_of

REMEMBERED_LAUNCHES = 1 << 11  # of fixed kernels, with other numbers each

_made = 0  # kernels in this generation
_launches: Recent[tuple[Kernel, str, int, int, bytes], FixedLaunch] = Recent(REMEMBERED_LAUNCHES)


class KernelMissing(Exception):
    """A kernel would have to be compiled first, where there is no time for that. ``job``: a function that compiles it;
    ``key``: identifies the kernel."""

    def __init__(self, job: Callable[[], object], key: tuple[Device, str]):
        super().__init__("a kernel is not compiled yet")
        self.job, self.key = job, key


_without_compiler: ContextVar[bool] = ContextVar("without_compiler", default=False)


@contextmanager
def without_compiler() -> Iterator[None]:
    """Inside the ``with`` block, a kernel that has to be compiled raises `KernelMissing`."""
    token = _without_compiler.set(True)
    try:
        yield
    finally:
        _without_compiler.reset(token)


def compiled(device: Device, text: str, name: str) -> Kernel:
    """Return the kernel of a text in the dialect; the same text is compiled once for a device while it is used now and
    then. KernelMissing: see `without_compiler`."""

    def make() -> Kernel:
        global _made
        source = assemble(text)
        if _without_compiler.get() and not device.has_binary(source, name):
            raise KernelMissing(partial(compiled, device, text, name), (device, text))
        kernel = device.compile(source, name)
        if _made >= tuning.GENERATION[device.is_gpu]:
            _made = 0
            begin_generation()
        _made += 1
        return kernel

    return stored((Kernel, device, text), make)


def launch_kernel(
    device: Device,
    kernel: Kernel,
    name: str,
    items: int,
    buffers: Sequence[Buffer],
    parameters: bytes,
    moved: Traffic,
    group: int | None = None,
) -> None:
    """Run ``items`` work-items, rounded up to whole groups, because kernels check their own bounds. ``moved``: the
    bytes that they read and write; ``group``: the work-items of a group, if these are not DEFAULT_GROUP."""
    if items <= 0:
        return
    group = group or tuning.DEFAULT_GROUP
    report = Report(name, device, items, moved)
    started = report.start()
    device.launch(kernel, -(-items // group), group, buffers, parameters)
    if started is not None:
        report.note(started)


class FixedKernel:
    """A kernel whose text is in a C file, with the parameters that it takes and the constants defined before it."""

    def __init__(
        self,
        device: Device,
        name: str,
        parameters: Parameters,
        text: str,
        constants: Mapping[str, object] | None = None,
    ):
        self.device, self.parameters = device, parameters
        self.kernel = compiled(device, f"{defines(constants or {})}{parameters.text()}\n{text}", name)

    def run(
        self,
        name: str,
        items: int,
        arrays: Sequence[GpuArray],
        values: Sequence[Any],
        group: int | None = None,
        moved: Traffic | None = None,
    ) -> None:
        """Launch, given the values of the parameters. The first array has the results. ``moved``: the bytes that are
        read and written, if these are not all elements."""
        self.launch(name, items, values, group).run(arrays, moved)

    def launch(self, name: str, items: int, values: Sequence[Any], group: int | None = None) -> FixedLaunch:
        """Return the launch with these values."""
        key = self.kernel, name, items, group or tuning.DEFAULT_GROUP, self.parameters.pack(values)
        launch = _launches.get(key)
        if launch is None:
            launch = _launches[key] = FixedLaunch(self.device, *key)
        return launch


class FixedLaunch:
    """A launch of a `FixedKernel` with the same numbers, on any arrays and in any thread. When it comes again, it is
    bound to the device: most of many launches with different numbers do not come again."""

    __slots__ = ("_begun", "_device", "_group", "_idle", "_items", "_kernel", "_name", "_parameters")

    def __init__(self, device: Device, kernel: Kernel, name: str, items: int, group: int, parameters: bytes):
        self._device, self._kernel, self._name, self._items = device, kernel, name, items
        self._group, self._parameters = group, parameters
        self._begun = 0
        self._idle: list[Callable[[list[Buffer]], None]] = []  # the calls that repeat it, unless they run

    def run(self, arrays: Sequence[GpuArray], moved: Traffic | None) -> None:
        """Launch; see `FixedKernel.run`."""
        buffers = []
        for array in arrays:
            buffers.append(array.storage.buffer)
        if is_listening():
            moved = moved or traffic_of(arrays[:1], arrays[1:])
            described = self._name, self._items, buffers, self._parameters, moved, self._group
            launch_kernel(self._device, self._kernel, *described)
        elif self._items > 0:  # nobody asks for the bytes
            self._start(buffers)

    def _start(self, buffers: list[Buffer]) -> None:
        groups = -(-self._items // self._group)
        bound: Callable[[list[Buffer]], None]
        self._begun += 1
        if self._begun == 2:
            bound = self._device.bind(self._kernel, groups, self._group, len(buffers), self._parameters)
        else:
            try:
                bound = self._idle.pop()  # no other thread gets it, nor a destructor that runs meanwhile
            except IndexError:
                self._device.launch(self._kernel, groups, self._group, buffers, self._parameters)
                return
        bound(buffers)
        self._idle.append(bound)


class BoundLaunch(Protocol):
    """A launch that can be repeated on other buffers, and with other scalars if it has some.

    ``offsets``: of results, operands and memory, where they differ, too.
    """

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None: ...


class BoundKernel:
    """One launch, `BoundLaunch`. ``head``, ``tail``: the parameters before the offsets, and those before the
    scalars."""

    __slots__ = (
        "_bound", "_device", "_group", "_groups", "_head", "_kernel", "_offsets", "_parameters", "_report", "_scalars",
        "_tail",
    )  # fmt: skip

    def __init__(
        self,
        device: Device,
        kernel: Kernel,
        name: str,
        items: int,
        group: int,
        parameters: Parameters,
        head: Sequence[int],
        offsets: Sequence[int],
        tail: Sequence[int],
        moved: Traffic,
    ):
        self._device = device
        self._kernel = kernel
        self._report = Report(name, device, items, moved)
        self._groups = -(-items // group)
        self._group = group
        self._parameters = parameters
        self._head, self._offsets, self._tail = head, offsets, tail
        self._scalars: bytes | None = None  # of the last launch
        self._bound: Callable[[list[Buffer]], None] | None = None  # the call that repeats it on other buffers

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        packed_scalars = dumps(list(scalars), 2) if scalars else b""  # as bits, since 0.0 equals -0.0
        started = self._report.start() if listeners or (unusual and config.debug > 1) else None
        if offsets is None and packed_scalars == self._scalars and started is None:
            if self._bound is None:
                packed = self._packed(scalars, self._offsets)
                self._bound = self._device.bind(self._kernel, self._groups, self._group, len(buffers), packed)
            self._bound(buffers)
        else:
            self._scalars, self._bound = packed_scalars if offsets is None else None, None
            packed = self._packed(scalars, self._offsets if offsets is None else offsets)
            self._device.launch(self._kernel, self._groups, self._group, buffers, packed)
        if started is not None:
            self._report.note(started)

    def _packed(self, scalars: Sequence[Any], offsets: Sequence[int]) -> bytes:
        return self._parameters.pack([*self._head, *offsets, *self._tail, *scalars])


spilling.listeners.append(
    lambda device, what, nbytes: note(Event(what, device.name, nbytes, nbytes, kind=EventKind.BLOCK))
)
