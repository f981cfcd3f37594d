"""The interface between the library and the drivers: the verbs of every back end, and nothing else.

A back end is a subclass of `Device`: facts, a pool of memory, and verbs for memory, copies, kernels and interop. Five
verbs are abstract, the others have a default. A device has one in-order queue: `launch` and `upload` return before
their work is done; `wait`, `download` and `host_view` return after all work queued before. Copies may run
outside the queue (`Transfer`). Threads may share devices.

A verb either hands its work to the driver or raises: nothing waits here. So a value counts as computed when its launch
has returned, and a refused verb can be called again. An exception from a signal handler may be raised between any two
steps of Python code. So locks are taken by `with` only, whose two ends such an exception cannot separate. Objects that
the queue uses are noted before the work is queued, and released after it is done.
"""

from __future__ import annotations

import importlib.resources
import re
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .buffers import Block as Block, Buffer as Buffer, FixedBuffer as FixedBuffer, let_go as let_go, nothing as nothing
from .cuda_words import CUDA_ALONE
from .events import HOST_TIMER, Event, EventKind, Timer, note, start
from .kernel_reports import report_compilation, show_source
from .templates import expanded

if TYPE_CHECKING:
    from .collectives import Collectives
    from .exposures import Exposure
    from .native_library import NativeLoops
    from .pool import Pool
    from .side_queue import SideQueue

HostArray = np.ndarray[Any, Any]

# Short names of the dtypes, as kernels use them.
INTEGERS = frozenset({"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
SINGLE = INTEGERS | {"b8", "bf16", "f16", "f32", "c64"}
DOUBLE = SINGLE | {"f64", "c128"}

WARP = 32  # work-items of a warp, as dialect.h has it
INT32_MAX = 2**31 - 1  # the largest extent that libraries count
KDL_CPU, KDL_CUDA, KDL_OPENCL = 1, 2, 4  # DLDeviceType of the DLPack specification


def dialect(prelude: str) -> str:
    """Return the text of the dialect on a driver: its own prelude and the common part."""
    folder = importlib.resources.files(__package__)
    return expanded("".join(folder.joinpath(file).read_text("utf-8") + "\n" for file in (prelude, "dialect.h")))


USERS = "// A user's text:"  # begins the comment before a user's text


UNNAMED = "<kernel>"  # as OpenCL's compilers call a text without a name
_LINE = re.compile(r'\s*#\s*line\s+(\d+)(?:\s+"([^"]*)")?')


def numbered(source: str, first: int = 1) -> Iterator[tuple[str, int, str]]:
    """Yield the lines of a text after the name of their text and their number there, which a ``#line`` sets for the
    next line."""
    name, number = UNNAMED, first
    for line in source.split("\n"):
        yield name, number, line
        told = _LINE.match(line)
        if told is None:
            number += 1
        else:
            name, number = told[2] or name, int(told[1])


class DeviceError(RuntimeError):
    """A device, or its driver, refused."""


class NoDeviceError(DeviceError):
    """There is no such device on this machine. The message names the packages to install."""


class KernelBuildError(DeviceError):
    """A kernel does not compile, which is an error of this library, or of the user's text in the kernel.

    The message has the source, numbered as the compiler counts, and the compiler's log. Users' lines have the numbers
    that they have in the user's text.
    """

    def __init__(self, device: Device, name: str, source: str, log: str):
        first = device.prelude.count("\n") + 1
        text = "\n".join([f"{number:5}  {line}" for _, number, line in numbered(source, first)])
        blame = (
            f"This is an error of arrayapi_gpu, not of your program: please report it, with the output of "
            f"`python -m arrayapi_gpu` and this text.\n{device.description}"
        )
        if USERS in source:
            blame = f"Correct the user's kernel in it: the compiler's messages are at the end.\n{device}"
            users = source.partition(USERS)[2]
            alone = sorted(set(CUDA_ALONE.findall(users)))
            if alone and not str(device).startswith("cuda"):
                blame += f"\nOther languages than CUDA C lack: {', '.join(alone)}; replace them by words of the "
                blame += "documentation's page 'The language of kernels'"
            if "ATOMIC_ADD" in users and "atomic" in log:  # which atomicAdd has become
                blame += f"\nAtomic addition takes integers of 32 bits on {device}; xp.add_at adds floats there"
        super().__init__(
            f"{device}: kernel {name} does not compile. {blame}\n(lines up to {first - 1} are the prelude)\n{text}\n"
            f"{log.strip()}"
        )


class Kernel:
    """A compiled kernel; ``handle`` is the driver's object."""

    __slots__ = ("__weakref__", "handle", "name")

    name: str
    handle: Any

    def __init__(self, name: str, handle: Any):
        self.name = name
        self.handle = handle


class Exchange(ABC):
    """Memory that a device and other libraries use together, each in its own queue ("stream").

    Handles of streams are those of the standard's ``__dlpack__``: None and 1 mean the driver's default one, -1 that
    no wait is needed. Work queued here and work queued on the default stream are done in the order in which they
    were queued.
    """

    @property
    @abstractmethod
    def stream(self) -> int:
        """The handle of the device's own queue."""

    @abstractmethod
    def lend(self, buffer: Buffer, stream: Any) -> None:
        """Let another library use a buffer in its ``stream``: work queued there later waits for this device.

        ValueError for an invalid handle.
        """

    @abstractmethod
    def follow(self, stream: Any) -> None:
        """Let work queued here later wait for the work queued on ``stream``."""

    @abstractmethod
    def holds(self, address: int) -> bool:
        """Return whether this is an address in the device's memory."""

    @abstractmethod
    def attach(self, address: int, nbytes: int, owner: Any) -> Buffer:
        """Return memory of another library as a buffer, which keeps ``owner`` alive."""


class Operand(NamedTuple):
    """A strided array in a buffer; offset and strides count elements."""

    buffer: Buffer
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def c_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides, in elements, of an operand whose elements lie in C order without gaps."""
    return tuple([prod(shape[axis + 1 :]) for axis in range(len(shape))])


class Transfer:
    """A copy from or to the device, under way outside the queue. Until it is done, it keeps the objects that it uses
    alive. Devices that copy only in the queue return an instance of this class, which is done."""

    __slots__ = ()

    def join(self, device: Device | None = None) -> None:
        """Let work queued later wait for the copy, on the device that the copy belongs to or on another."""

    def wait(self) -> None:
        """Return when the copy is done; DeviceError."""


# A matrix product that is computed again, on the buffers of the result and of both operands, at the same offsets (None)
# or at others.
Product = Callable[[list[Buffer], Sequence[int] | None], None]


class Library(ABC):
    """Routines of a vendor's libraries, looked up by name; they are queued like kernels.

    ``names``: the library of each routine, which is "matmul" or one of `kernels.host.host_library`. ``by_rows``:
    routines that get C-contiguous operands. ``of_complex``: those that get C-contiguous operands of complex numbers.
    """

    names: Mapping[str, str]
    by_rows: frozenset[str] = frozenset()
    of_complex: frozenset[str] = frozenset()

    @property
    @abstractmethod
    def products(self) -> frozenset[str]:
        """The short names of the dtypes whose matrices it multiplies."""

    def is_fast(self, dtype: np.dtype[Any], matrices: int, m: int, n: int, k: int) -> bool:
        """Return whether `multiply` is to be used for matrices of this dtype and these extents, and not a kernel."""
        del dtype, matrices, m, n, k
        return True

    @abstractmethod
    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        """Write the products of stacks of matrices, (s, m, k) and (s, k, n), into ``out``. Return the function that
        repeats this on other buffers.

        Matrices are contiguous and lie one after the other at multiples of 16 bytes, except that an operand's first
        stride may be 0. Operands may be contiguous by columns. No extent exceeds INT32_MAX. Sums are at least as
        precise as the dtype, those of float16 as float32.
        """

    @abstractmethod
    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        """Return the results of a routine of `kernels.host.host_library`; None where this library has none for these
        operands. numpy.linalg.LinAlgError."""

    def release(self) -> None:  # noqa: B027  # most libraries keep none
        """Free the memory of plans."""


class Target(NamedTuple):
    """The facts of a device on which kernels depend: pure functions take it in place of a device."""

    lanes: int  # elements of a register: 16 on CPUs, where vectors are explicit, 1 on GPUs
    is_gpu: bool  # many work-items have few elements each; otherwise few of them loop over many
    max_group: int  # work-items of a group, at most


class Facts(NamedTuple):
    """A driver's facts about a device that programs may ask for and this library does not need."""

    context: int  # the driver's handle of the context
    architecture: str  # binaries run where this is the same
    bus: str  # where the device is plugged in; empty where the driver does not report it
    group: tuple[int, int, int]  # work-items of the largest work-group along each dimension
    grid: tuple[int, int, int]  # groups of the largest launch along each dimension
    free: int  # bytes of unused memory


_target = lru_cache(maxsize=64)(Target)  # one object for each, which other caches find faster


class Device(ABC):
    """A device of a driver, and at once the standard's `device` object.

    A back end implements the 5 abstract verbs, and overrides those of the 24 others for which its driver has something
    better: see docs/developer/back-ends.md. Devices are equal by name, hashable, pickled by name, and str() is the
    name. After a fork every verb raises `DeviceError` in the child.
    """

    # The device
    name: str  # back end, platform, device, as in "opencl:0:1"
    kind: str = "gpu"  # or "cpu"
    description: str  # for people: device, driver, version
    rank: int  # lower is preferred: 0 GPU, 1 CPU, 2 no driver, 3 cannot compile kernels
    problem: str | None = None  # why the device must not be used; finding out may take long the first time
    refusal: str  # why a `RefusingDevice` refuses

    # Facts on which kernels depend
    lanes: int  # see `Target`
    is_gpu: bool  # see `Target`
    vector_bytes: int  # bytes of one of the processor's vector registers
    register_bytes: int = 0  # of vectors that the compiler leaves in the processor's registers, at most; 0: of all
    compute_units: int
    max_group: int  # work-items of the largest work-group
    local_memory: int  # bytes of a work-group
    parameter_bytes: int  # bytes of all arguments of a kernel: 8 a buffer, and the struct
    fragments: frozenset[str] = frozenset()  # short names of dtypes whose matrices the processor multiplies itself
    forward_progress: bool  # groups that have started proceed, so other groups may wait for them
    concurrent_groups: int = 1  # groups of one launch that surely run at the same time, so all may wait for all
    prelude: str  # dialect text that precedes every kernel; begins with "#define LANES n"
    extension: str = "c"  # of files with kernel texts
    build: Callable[[str, str], Any]  # from a text and a kernel's name: the driver's kernel; KernelBuildError
    dtypes: frozenset[str]  # short names; without "f64", "c128" where the device lacks them

    # Memory
    memory: int  # bytes in all
    max_alloc: int  # bytes of the largest buffer
    pool: Pool  # of the device's memory
    exposed: set[int]  # the exposures that live, by id()
    host_shared: bool  # device memory is host memory: `adopt` and `host_view` work
    computes_on_host: bool = False  # small arrays are computed by NumPy where it gives the same bits
    loops: NativeLoops | None = None  # that were compiled ahead of time
    overlaps: bool = False  # `begin_upload` and `begin_download` return before their work is done
    _inwards: SideQueue | None = None  # of `begin_upload`
    _outwards: SideQueue | None = None  # of `begin_download`

    # Interop, as far as the driver has it
    dlpack: tuple[int, int]  # (DLDeviceType, number)
    exchange: Exchange | None = None  # with other libraries, where the driver has it
    library: Library | None = None  # of the device's vendor
    collectives: Collectives | None = None  # with other devices, where the driver has them

    # Counts
    kernels_compiled: int = 0
    compile_seconds: float = 0.0

    # Memory

    def alloc(self, nbytes: int) -> Buffer:
        """Return uninitialised memory, 64-byte aligned, which never moves; 0 bytes are allowed.

        MemoryError has requested, live and cached bytes, and advice; the device stays usable.
        """
        return self.fix(self.pool.alloc(nbytes))

    def fix(self, buffer: Buffer) -> Buffer:
        """Return the buffer, which stays where it is from now on."""
        with self.pool.lock:
            _ = buffer.handle  # which brings it back if it has moved
            buffer.__class__ = FixedBuffer
        return buffer

    def adopt(self, host: HostArray) -> Buffer:
        """Return the memory of a C-contiguous host array as a buffer that keeps ``host`` alive.

        No byte is copied. Kernels must not write to it if ``host`` is read-only. DeviceError unless ``host_shared``.
        """
        raise self._not_shared("adopt")

    def host_view(self, buffer: Buffer, exposure: Exposure | None = None) -> HostArray:
        """Return the buffer's bytes as a uint8 array that keeps the buffer, or its exposure, alive; waits.

        No byte is copied. DeviceError unless ``host_shared``.
        """
        raise self._not_shared("host_view")

    @abstractmethod
    def address(self, buffer: Buffer) -> int:
        """Return the driver's pointer, or handle, of the buffer, which is the field data of DLPack."""

    def address_of_bytes(self, buffer: Buffer) -> int | None:
        """Return the address of the buffer's first byte; None where memory of this device has none that means it."""
        if buffer.host is not None:
            return int(buffer.host.ctypes.data)
        return None if self.exchange is None else self.address(buffer)

    def host_alloc(self, size: int) -> tuple[Any, HostArray]:
        """Return memory of the host to and from which copies are fast, and a handle that keeps it; MemoryError."""
        host = np.empty(size, np.uint8)
        return host, host

    def page_lock(self, host: HostArray) -> Any:
        """Return a lock, which keeps ``host`` alive, or None. While the lock lives, the memory of the contiguous host
        array stays where it is, so that copies are fast."""
        del self, host

    def trim(self) -> None:
        """Give cached memory back; waits."""
        if self.library is not None:
            self.library.release()
        self.pool.trim()
        if self.pool.spilling is not None:
            self.pool.spilling.trim()

    # Copies. `begin_...` copies outside the queue: host memory must be page-locked, otherwise the host waits for them.

    @abstractmethod
    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        """Copy a C-contiguous host array, which may change afterwards, to byte ``offset``."""

    @abstractmethod
    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        """Copy from byte ``offset`` into a C-contiguous host array."""

    def begin_upload(self, buffer: Buffer, offset: int, host: HostArray, *others: Any) -> Transfer:
        """Begin `upload` after the work queued now. Work queued later does not wait for it before `Transfer.join`.

        ``host`` must not change until it is done, which keeps it and ``others`` alive.
        """
        if self._inwards is None:
            self.upload(buffer, offset, host)
            return Transfer()
        self._check_contiguous("upload", host)
        return self._inwards.carry(buffer, host, offset, *others)

    def begin_download(self, buffer: Buffer, offset: int, host: HostArray, *others: Any) -> Transfer:
        """Begin `download` after the work queued now; ``host`` has the values when it is done."""
        if self._outwards is None:
            self.download(buffer, offset, host)
            return Transfer()
        self._check_contiguous("download", host)
        return self._outwards.carry(host, buffer, offset, *others)

    def begin_fetch(self, source: Device, buffer: Buffer, offset: int, target: Buffer, nbytes: int) -> Transfer | None:
        """Begin to copy bytes from another device to the start of a buffer, behind all work that both have queued now.
        Either waits for the copy from `Transfer.join` on. None where there is no direct way."""
        return None

    # Copies of memory that moves out of the device, see `backends.spilling`

    def to_host(self, buffer: Buffer, copy: Buffer) -> None:
        """Copy a buffer to one of `host_alloc`; that may be read when all work queued before is done."""
        assert copy.host is not None
        self.download(buffer, 0, copy.host[: buffer.nbytes])

    def from_host(self, buffer: Buffer, copy: Buffer) -> None:
        """Copy a buffer back; the memory of the copy may be used for the next one at once."""
        assert copy.host is not None
        self.upload(buffer, 0, copy.host[: buffer.nbytes])

    # Kernels

    def compile(self, source: str, name: str) -> Kernel:
        """Return kernel ``name``, compiled from the prelude and ``source``; KernelBuildError."""
        show_source(self, source, name)
        started, begun = start(self, name, on_host=True), time.perf_counter()
        kernel = Kernel(name, self.build(source, name))
        seconds = time.perf_counter() - begun
        self.compile_seconds += seconds
        self.kernels_compiled += 1
        if started is not None:
            note(Event(name, self.name, 0, kind=EventKind.COMPILATION), started)
        report_compilation(self, name, seconds)
        return kernel

    def has_binary(self, source: str, name: str) -> bool:
        """Return whether `compile` takes no compiler's time: the binary is on disk, or nobody knows."""
        del self, source, name
        return True

    def use_compiler(self, function: Callable[[bytes], bytes] | None) -> bool:
        """Let a function of the program compile texts; return False where the driver itself must compile."""
        del self, function
        return False

    @abstractmethod
    def launch(self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> None:
        """Run ``groups`` work-groups of ``group`` work-items each, in one dimension.

        The kernel's arguments are the buffers in order and then, unless ``parameters`` is empty,
        one struct, passed by value, with these bytes: exactly its size, padding included, which
        not every driver checks. A kernel is always launched with the same ``group``, since some
        drivers compile it again for each. DeviceError, here or in the next verb that waits for the device.
        """

    def bind(
        self, kernel: Kernel, groups: int, group: int, buffers: int, parameters: bytes
    ) -> Callable[[Sequence[Buffer]], None]:
        """Return a function that repeats a launch on other buffers; two threads must not call it at once."""
        return lambda others: self.launch(kernel, groups, group, others, parameters)

    def prepare(self, kernel: Kernel, group: int, buffers: int, parameters: bytes) -> None:
        """Do the work now that the driver would put off until the first launch with groups of ``group`` work-items.

        The kernel may be run, outside the queue, on as many buffers and a struct with which it accesses at most their
        first elements.
        """
        del self, kernel, group, buffers, parameters  # most drivers put nothing off

    @abstractmethod
    def wait(self) -> None:
        """Return when all work queued before is done."""

    def timer(self) -> Timer:
        """Return a clock of the queue, until it is closed; there is one at a time. By default it is that of the
        host, for devices whose launches return when they are done."""
        return HOST_TIMER

    def rests(self) -> bool:
        """Return whether all work queued before is done. Small launches are waited for, larger ones are not."""
        self.wait()
        return True

    # Interop: memory, contexts and facts of the driver that the program sees

    def borrow(self, handle: Any, queue: Any) -> tuple[Buffer, bool] | None:
        """Return memory that the program made with the driver itself, as a buffer that keeps ``handle`` alive, and
        whether kernels may only read it; None for anything but memory of this device. An integer is taken as the
        driver's object, unchecked.

        Work of others in ``queue`` is done before the buffer is used, now and later; with None they wait themselves.
        ValueError for memory that the host may not use.
        """
        return None

    def hand_out(self, buffer: Buffer) -> None:
        """Let the program use the driver's object of a buffer: the memory stays as long as the object lives."""
        self.fix(buffer)  # where handles are addresses, the program must keep the array

    def take_context(self, handle: int) -> bool:
        """Work in the driver's context that the program made; return False where it is not one of this device.

        DeviceError where the device works in another context already.
        """
        del self, handle  # a device without a driver has no context
        return False

    def facts(self) -> Facts:
        """Return the driver's facts about the device; makes its context."""
        raise DeviceError(f"{self}: the driver reports no facts about the device")

    @property
    def place(self) -> str:
        """The identity of the device among all devices of the host, the same in every process."""
        return self.name

    @property
    def target(self) -> Target:
        """The facts on which kernels for this device depend."""
        return _target(self.lanes, self.is_gpu, self.max_group)

    @property
    def live_bytes(self) -> int:
        """Bytes of the buffers from `alloc` that are in use."""
        return self.pool.live

    @property
    def cached_bytes(self) -> int:
        """Bytes that are kept for the next `alloc`."""
        return self.pool.cached

    # Shared by back ends

    def _take_back(self) -> bool:
        """Let the pool have the blocks of copies that are done; return whether there were any."""
        return any([queue.release() for queue in (self._inwards, self._outwards) if queue is not None])

    def _no_room(self, kernel: Kernel, error: Exception) -> MemoryError:
        """The error of a launch for which the driver has no memory."""
        return MemoryError(
            f"{self}: launch of {kernel.name}: {error}; {self.live_bytes} bytes are live, of {self.pool.limit}; "
            f"delete arrays that are no longer needed"
        )

    def _not_shared(self, verb: str) -> DeviceError:
        return DeviceError(f"{self}: {verb}: its memory is not host memory; call upload or download")

    def _check_contiguous(self, verb: str, host: HostArray) -> None:
        if not host.flags.c_contiguous:
            raise ValueError(f"{self}: {verb}: got strides {host.strides}; pass a C-contiguous array")

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Device) and self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<device {self.name}: {self.description}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return sys.modules[__package__].unpickled, (self.name,)
