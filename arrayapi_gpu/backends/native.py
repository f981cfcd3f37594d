"""The native back end: the host's processor, without a driver. Kernels are compiled by the system's C compiler.

A launch returns when it is done, so nothing is ever queued, and the host reads memory at any time.
"""

from __future__ import annotations

import ctypes
import platform
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..config import config
from . import native_compiler, native_library
from .base import DOUBLE, INT32_MAX, KDL_CPU, Block, Buffer, Device, DeviceError, Facts, HostArray, Kernel, let_go
from .binaries import processor
from .exposures import Exposure
from .host_memory import HOST_ALIGNMENT, aligned_memory, host_copy, host_memory, processors
from .native_products import NumPyLibrary
from .pool import Pool
from .spilling import Spilling
from .state import after_fork

LANES_16 = 16  # of registers
LOCAL_BYTES = 1 << 15  # of local memory, which is that of the first-level cache
CONTEXT = 1  # the handle, since there is one alone
ONE_THREAD = 1 << 16  # bytes of all operands up to which waking another thread takes longer than the launch


def discover() -> list[Device]:
    """Return the device, where there are loops that were compiled ahead of time, or a C compiler."""
    return [] if native_library.loops() is None and native_compiler.compiler() is None else [NativeDevice()]


class NativeDevice(Device):
    """The host's processor. In the child of a fork it works on, with threads of its own."""

    extension = "c"

    def __init__(self, name: str = "native"):
        self.name = name
        self.kind = "cpu"
        self.compute_units = processors()
        model = next((line.partition(":")[2].strip() for line in processor().splitlines() if "model name" in line), "")
        self.description = f"{model or platform.machine()}, {self.compute_units} threads"
        self.lanes, self.is_gpu = LANES_16, False
        self.vector_bytes = 64 if "avx512f" in processor() else 32 if "avx2" in processor() else 16
        self.register_bytes = kept_in_registers(self.vector_bytes)
        self.forward_progress = True  # groups begin in their order
        self.host_shared = self.computes_on_host = True
        self.prelude = native_library.prelude(self.lanes)
        self.dtypes = DOUBLE
        self.memory = self.max_alloc = host_memory()
        self.local_memory, self.max_group, self.parameter_bytes = LOCAL_BYTES, 1024, 1 << 15
        self.dlpack = (KDL_CPU, 0)
        self.loops = native_library.loops()
        self.rank = 2
        self.library = NumPyLibrary()
        self._adopted: list[Any] = []
        self.exposed = set()
        self.pool = Pool(name, self.memory, self.max_alloc, _created, lambda: None)
        Spilling(self, self.pool)
        _made.add(self)

    def adopt(self, host: HostArray) -> Buffer:
        self._check_contiguous("adopt", host)
        memory = host.reshape(-1).view(np.uint8)
        let_go(self._adopted)  # no buffer uses them any more, and nothing is queued
        aligned = memory.ctypes.data % HOST_ALIGNMENT == 0
        return Buffer(memory.nbytes, Block(_address_of(memory), memory, self._adopted), aligned)

    def address(self, buffer: Buffer) -> int:
        return int(self.fix(buffer).handle)

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("upload", host)
        if host.nbytes:
            host_copy(_bytes_of(buffer)[offset : offset + host.nbytes], host.reshape(-1).view(np.uint8))

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("download", host)
        if host.nbytes:
            host_copy(host.reshape(-1).view(np.uint8), _bytes_of(buffer)[offset : offset + host.nbytes])

    def host_view(self, buffer: Buffer, exposure: Exposure | None = None) -> HostArray:
        return np.asarray(buffer) if exposure is None else exposure.host_bytes()

    def build(self, source: str, name: str) -> Any:
        return native_compiler.build(self, source, name)

    def has_binary(self, source: str, name: str) -> bool:
        return native_compiler.has_binary(self, source, name)

    def launch(self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> None:
        self.bind(kernel, groups, group, len(buffers), parameters)(buffers)

    def bind(
        self, kernel: Kernel, groups: int, group: int, buffers: int, parameters: bytes
    ) -> Callable[[Sequence[Buffer]], None]:
        address, waits, expected, nbytes, _ = kernel.handle
        if (buffers, len(parameters)) != (expected, nbytes) or group > self.max_group:
            raise DeviceError(
                f"{self}: launch of {kernel.name}: got {buffers} buffers, {len(parameters)} bytes, groups of {group}; "
                f"the kernel takes {expected} buffers, {nbytes} bytes of parameters, groups of at most {self.max_group}"
            )
        run, pointers = native_compiler.runtime(self), ctypes.c_void_p * buffers

        def repeat(others: Sequence[Buffer]) -> None:
            threads, nbytes = config.threads or self.compute_units, 0
            for buffer in others:
                nbytes += buffer.nbytes
            own = pointers(*[buffer.handle for buffer in others])
            if run(address, own, parameters, groups, group, waits, threads if nbytes > ONE_THREAD else 1):
                raise MemoryError(f"{self}: no memory for the stacks of {group} work-items; use smaller groups")

        return repeat

    def wait(self) -> None:
        """Return at once, because a launch returns when it is done. Memory that was adopted is released."""
        if self._adopted:
            let_go(self._adopted)

    def take_context(self, handle: int) -> bool:
        return handle == CONTEXT

    def facts(self) -> Facts:
        free = max(0, self.memory - self.live_bytes - self.cached_bytes)
        grid = (INT32_MAX,) * 3
        return Facts(CONTEXT, native_library.levels()[0], "", (self.max_group,) * 3, grid, free)


def kept_in_registers(vector_bytes: int) -> int:
    """Return `Device.register_bytes` for a processor. gcc keeps wider vectors than the processor's in memory. With
    vectors of 16 bytes kernels of 2 lanes take no less time than those of 16."""
    return vector_bytes if vector_bytes > 16 else 0


_made: weakref.WeakSet[NativeDevice] = weakref.WeakSet()


@after_fork
def _renew() -> None:
    """Give devices locks that no thread holds."""
    for device in _made:
        device.pool.renew_lock()


def _created(size: int) -> tuple[int, HostArray]:
    """Return the address and the bytes of a new block."""
    host = aligned_memory(size)
    return _address_of(host), host


def _address_of(host: HostArray) -> int:
    return int(host.ctypes.data)


def _bytes_of(buffer: Buffer) -> HostArray:
    _ = buffer.handle  # which brings it back if it has moved
    host = buffer.host
    assert host is not None, "all memory is the host's"
    return host
