"""The waist between the library and the drivers: what every back end offers, and nothing else.

A back end is a subclass of `Device`: a few facts and about ten verbs. A device has one in-order queue; `launch`, `copy` and
`upload` return before the work is done, `wait`, `download` and `host_view` return after all of it.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

HostArray = np.ndarray[Any, Any]

# Short names of the dtypes, as kernels use them.
DTYPES = frozenset("b8 i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 c64 c128".split())

KDL_CPU, KDL_OPENCL = 1, 4  # DLDeviceType of the DLPack specification


class DeviceError(RuntimeError):
    """A device, or its driver, refused."""


class NoDeviceError(DeviceError):
    """No such device on this machine. The message says which extra to install."""


class KernelBuildError(DeviceError):
    """A kernel does not compile: an error of this library. The message has numbered source and the log."""

    def __init__(self, device: Device, name: str, source: str, log: str):
        numbered = "\n".join(f"{number:5} {line}" for number, line in enumerate(source.splitlines(), 1))
        super().__init__(
            f"{device}: the kernel {name} does not compile. This is an error of arrayapi_gpu, not of your program; "
            f"please report it with the output of `python -m arrayapi_gpu` and this text.\n"
            f"{device.description}\n{numbered}\n{log.strip()}"
        )
        self.source = source
        self.log = log


class Buffer:
    """A block of device memory. ``handle`` is the driver's object, ``host`` the block's bytes where the host sees them.

    When the last reference goes, ``home``, a list of the device, gets (handle, host) back: the device decides when the
    memory, which work in the queue may still use, is used again or freed.
    """

    __slots__ = ("__weakref__", "handle", "home", "host", "nbytes")

    def __init__(self, nbytes: int, handle: Any, host: HostArray | None, home: list[Any]):
        self.nbytes = nbytes
        self.handle = handle
        self.host = host
        self.home = home

    def __del__(self) -> None:
        self.home.append((self.handle, self.host))

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """NumPy's array interface, version 3: an array made from it keeps this buffer alive."""
        if self.host is None:
            raise AttributeError("the memory of this device is not host memory")
        data = (self.host.ctypes.data, not self.host.flags.writeable)
        return {"version": 3, "shape": (self.nbytes,), "typestr": "|u1", "data": data}


class Kernel:
    """A compiled kernel; ``handle`` is the back end's."""

    __slots__ = ("__weakref__", "handle", "name")

    def __init__(self, name: str, handle: Any):
        self.name = name
        self.handle = handle


class Device(ABC):
    """One device of one driver, and at once the standard's `device` object: hashable, comparable, picklable by name.

    Every verb raises `DeviceError` in a child process after a fork; it never blocks there.
    """

    name: str  # "opencl:0:1": back end, platform, device
    description: str  # for people: driver, device, version
    lanes: int  # elements of one register: 16 on CPUs (explicit vectors), 1 on GPUs
    unroll: int  # registers that one work-item handles in streaming kernels: 1 on CPUs, 4 on GPUs
    host_shared: bool  # device memory is host memory: `adopt` and `host_view` work
    prelude: str  # dialect text before every kernel; begins with "#define LANES n"
    dtypes: frozenset[str]  # short names supported; "f64" and "c128" are absent where the device lacks them
    memory: int  # bytes in all
    max_alloc: int  # bytes of the largest block
    local_memory: int  # bytes a work-group
    max_group: int  # work-items of the largest group
    parameter_bytes: int  # bytes of all arguments of a kernel together: 8 a buffer, and the parameter struct
    compute_units: int
    rank: int  # the default device is the first of the lowest rank: 0 GPU, 1 CPU, 2 what cannot compile kernels
    dlpack: tuple[int, int]  # (DLDeviceType, number)
    kernels_compiled: int = 0
    compile_seconds: float = 0.0

    @abstractmethod
    def alloc(self, nbytes: int) -> Buffer:
        """Uninitialised memory, 64-byte aligned; 0 bytes are allowed.

        MemoryError: requested, live and cached bytes, and what to do. The device stays usable.
        """

    @abstractmethod
    def adopt(self, host: HostArray) -> Buffer:
        """The memory of a C-contiguous host array as device memory, without a copy; keeps ``host`` alive.

        Only where ``host_shared``, else DeviceError. Kernels must not write to it if ``host`` is read-only.
        """

    @abstractmethod
    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        """Copy a C-contiguous host array to byte ``offset``. The caller may change ``host`` afterwards."""

    @abstractmethod
    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        """Copy from byte ``offset`` into a C-contiguous host array, after all work queued before."""

    @abstractmethod
    def copy(self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int) -> None:
        """Copy bytes on the device; source and target do not overlap."""

    @abstractmethod
    def compile(self, source: str, name: str) -> Kernel:
        """Compile ``source``, which lacks the prelude, and return its kernel ``name``; KernelBuildError."""

    @abstractmethod
    def launch(
        self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes
    ) -> None:
        """Run ``groups`` work-groups of ``group`` work-items.

        Kernel arguments are the buffers in order, then one struct, passed by value, whose bytes are ``parameters`` (no
        such argument where these are empty).
        """

    @abstractmethod
    def wait(self) -> None:
        """Return when all work queued before is done."""

    @abstractmethod
    def host_view(self, buffer: Buffer) -> HostArray:
        """The bytes of the buffer, after `wait`, as a uint8 array without a copy, which keeps the buffer alive.

        Only where ``host_shared``, else DeviceError.
        """

    @abstractmethod
    def trim(self) -> None:
        """Give cached memory back, after `wait`."""

    @property
    @abstractmethod
    def live_bytes(self) -> int:
        """Bytes of all buffers from `alloc` that are in use."""

    @property
    @abstractmethod
    def cached_bytes(self) -> int:
        """Bytes kept for the next `alloc`."""

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Device) and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<device {self.name}: {self.description}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return sys.modules[__package__].get_device, (self.name,)


class ForkedDevice(Device):
    """What each device becomes, by a change of its class, in a child process after a fork.

    No driver survives a fork. Changing the class makes every verb raise and costs the verbs of the parent nothing.
    """

    def _refuse(self) -> NoReturn:
        raise DeviceError(
            f"{self.name} was initialised before fork and cannot be used in the child process; "
            f"start processes with multiprocessing's 'spawn' or 'forkserver', or use no array before the fork"
        )

    def alloc(self, nbytes: int) -> Buffer:
        self._refuse()

    def adopt(self, host: HostArray) -> Buffer:
        self._refuse()

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._refuse()

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._refuse()

    def copy(self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int) -> None:
        self._refuse()

    def compile(self, source: str, name: str) -> Kernel:
        self._refuse()

    def launch(
        self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes
    ) -> None:
        self._refuse()

    def wait(self) -> None:
        self._refuse()

    def host_view(self, buffer: Buffer) -> HostArray:
        self._refuse()

    def trim(self) -> None:
        self._refuse()

    @property
    def live_bytes(self) -> int:
        self._refuse()

    @property
    def cached_bytes(self) -> int:
        self._refuse()
