"""A device that computes nothing and records its calls: for tests of the rooms above."""

from __future__ import annotations

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

    def alloc(self, nbytes: int) -> Buffer:
        self._device._record("alloc", nbytes)
        return super().alloc(nbytes)


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
