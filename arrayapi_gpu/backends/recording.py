"""Devices that compute nothing: `RecordingDevice` records its calls, for tests of the rooms above, and `ReadingDevice`
keeps the texts of kernels, which are compiled ahead of time."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from .base import DOUBLE, KDL_CPU, KDL_OPENCL, Block, Buffer, Device, HostArray, Kernel, let_go
from .exposures import Exposure
from .pool import Pool
from .spilling import Spilling


class _RecordedPool(Pool):
    """The memory of a device that records allocations."""

    def __init__(self, device: RecordingDevice):
        super().__init__(device.name, device.memory, device.max_alloc, device._create, lambda: None)
        self._device = device
        self.alloc = self._recorded

    def _recorded(self, nbytes: int) -> Buffer:
        self._device._record("alloc", nbytes)
        return self.usual(nbytes)


class RecordingDevice(Device):
    """Verbs go into ``calls`` as (verb, arguments); memory is NumPy arrays; kernels do not run.

    Buffers are recorded as weak references, so that they die as on other devices.

    With ``host_shared=False`` it stands for a GPU: lanes 1, and no view of the memory.
    """

    def __init__(self, name: str = "recording:0:0", host_shared: bool = True, memory: int = 1 << 30):
        self.name = name
        self.description = "records its calls"
        self.lanes, self.is_gpu = (16, False) if host_shared else (1, True)
        self.vector_bytes = 64 if host_shared else 4
        self.forward_progress = True
        self.host_shared = host_shared
        self.prelude = f"#define LANES {self.lanes}\n"
        self.dtypes = DOUBLE
        self.memory, self.max_alloc, self.local_memory = memory, memory // 2, 1 << 15
        self.max_group, self.parameter_bytes, self.compute_units = 1024, 1024, 2
        self.dlpack = (KDL_CPU, 0) if host_shared else (KDL_OPENCL, 0)
        self.rank = 2
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._adopted: list[Any] = []
        self.exposed = set()
        self.pool = _RecordedPool(self)
        Spilling(self, self.pool)

    def _record(self, verb: str, *arguments: Any) -> None:
        held = [weakref.ref(item) if isinstance(item, Buffer) else item for item in arguments]
        self.calls.append((verb, tuple(held)))

    @staticmethod
    def _create(size: int) -> tuple[HostArray, HostArray]:
        host = np.empty(size, np.uint8)
        return host, host

    @staticmethod
    def _bytes(host: HostArray) -> HostArray:
        if not host.flags.c_contiguous:
            raise ValueError(f"got strides {host.strides}; pass a C-contiguous array")
        return host.reshape(-1).view(np.uint8)

    def adopt(self, host: HostArray) -> Buffer:
        if not self.host_shared:
            return super().adopt(host)
        memory = self._bytes(host)
        let_go(self._adopted)  # no buffer uses them any more, and nothing is queued here
        self._record("adopt", memory.nbytes)
        return Buffer(memory.nbytes, Block(memory, memory, self._adopted))

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._record("upload", buffer, offset, host.nbytes)
        buffer.handle[offset : offset + host.nbytes] = self._bytes(host)

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._record("download", buffer, offset, host.nbytes)
        self._bytes(host)[:] = buffer.handle[offset : offset + host.nbytes]

    def build(self, source: str, name: str) -> Any:
        self._record("compile", source, name)
        return source

    def launch(self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> None:
        references = tuple(weakref.ref(buffer) for buffer in buffers)
        self._record("launch", kernel, groups, group, references, parameters)

    def prepare(self, kernel: Kernel, group: int, buffers: int, parameters: bytes) -> None:
        self._record("prepare", kernel, group, buffers, parameters)

    def wait(self) -> None:
        self._record("wait")

    def host_view(self, buffer: Buffer, exposure: Exposure | None = None) -> HostArray:
        if not self.host_shared:
            return super().host_view(buffer)
        self._record("host_view", buffer)
        return np.asarray(buffer) if exposure is None else exposure.host_bytes()

    def address(self, buffer: Buffer) -> int:
        self._record("address", buffer)
        return int(buffer.handle.ctypes.data)

    def trim(self) -> None:
        self._record("trim")
        super().trim()


# The facts of a device on which the texts of kernels depend.
_FACTS = (
    "lanes", "is_gpu", "vector_bytes", "register_bytes", "forward_progress", "prelude", "dtypes", "local_memory",
    "max_group", "parameter_bytes", "compute_units",
)  # fmt: skip
_readers = itertools.count()


class ReadingDevice(RecordingDevice):
    """A device with the facts of another one, which keeps the texts and the names of kernels in ``texts``.

    Its memory is zeros. Its name is new, so it shares no kernels and no scratch memory with others. ``facts``: by name,
    those that differ from the ``other`` device's, which may be None.
    """

    def __init__(self, other: Device | None, host_shared: bool, **facts: Any):
        super().__init__(f"recording:{next(_readers)}", host_shared)
        self.texts: dict[tuple[str, str], None] = {}
        given = {} if other is None else {name: getattr(other, name) for name in _FACTS}
        for name, value in {**given, **facts}.items():
            setattr(self, name, value)

    @staticmethod
    def _create(size: int) -> tuple[HostArray, HostArray]:
        host = np.zeros(size, np.uint8)  # counts that the host reads are 0
        return host, host

    def build(self, source: str, name: str) -> Any:
        self.texts[source, name] = None
