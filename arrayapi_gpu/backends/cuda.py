"""The CUDA back end, on the driver layer of CuPy: NVIDIA GPUs.

Of CuPy only `cupy_backends` is used, its thin wrappers of the driver, the runtime and NVRTC, which load in a fraction
of the time that CuPy takes. A device works in its primary context, as other libraries do, and in one stream of its own.
The stream is a blocking one: the driver keeps its work and that of the default stream in the order in which both were
queued.
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any

from cupy_backends.cuda.api import driver, runtime
from cupy_backends.cuda.api.driver import CUDADriverError
from cupy_backends.cuda.api.runtime import CUDARuntimeError

from .base import DOUBLE, KDL_CUDA, Block, Buffer, Device, DeviceError, Facts, HostArray, Kernel, Transfer, let_go
from .cuda_collectives import CudaCollectives
from .cuda_compiler import CudaCompiler, compiler_version, prelude
from .cuda_functions import driver_addresses, driver_function
from .cuda_library import CudaLibrary
from .cuda_memory import OUT_OF_MEMORY, CudaExchange, created, page_lock, page_locked
from .cuda_side_queue import DEVICE_TO_HOST, HOST_TO_DEVICE, CudaSideQueue
from .cuda_timer import CudaTimer
from .matrix_units import nvidia_fragments
from .pool import Pool
from .spilling import Spilling

try:
    from .launching import CudaQueue, DirectLaunch
except ImportError:  # in the Python form
    CudaQueue = DirectLaunch = None  # type: ignore[assignment,misc]

_DIRECT = "cuLaunchKernel", "cuCtxGetCurrent", "cuStreamSynchronize"
LEFT_TO_DRIVER = 16  # a sixteenth of a device's memory is left to the driver
PARAMETER_BYTES = 4096  # every device takes so many

PAGEABLE = 0  # cudaMemoryType
BUFFER_POINTER, BUFFER_SIZE = 1, 2  # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE

_context = driver.ctxGetCurrent
_launch = driver.launchKernel


def discover() -> list[Device]:
    """Return every CUDA device, in the driver's order; no context is made."""
    try:
        number = runtime.getDeviceCount()
    except CUDARuntimeError:  # there is no driver, it is too old, or there is no device
        return []
    return [CudaDevice(ordinal) for ordinal in range(number)]


class CudaDevice(Device):
    """A device of the CUDA driver."""

    extension = "cu"
    exchange: CudaExchange
    library: CudaLibrary
    collectives: CudaCollectives

    def __init__(self, ordinal: int):
        facts = runtime.getDeviceProperties(ordinal)
        version = runtime.driverGetVersion()
        compiler = compiler_version()
        self.name = f"cuda:{ordinal}"
        self.description = (
            f"{facts['name'].decode()}, driver for CUDA {version // 1000}.{version % 1000 // 10}, "
            f"NVRTC {'.'.join(map(str, compiler)) if compiler else 'is not installed'}"
        )
        self.lanes, self.is_gpu = 1, True
        self.vector_bytes = 16
        self.forward_progress = True
        self.host_shared = False
        self.overlaps = True
        self.prelude = prelude()
        self.dtypes = DOUBLE
        self.memory = facts["totalGlobalMem"]
        self.max_alloc = self.memory - self.memory // LEFT_TO_DRIVER
        self.local_memory = facts["sharedMemPerBlock"]
        self.max_group = facts["maxThreadsPerBlock"]
        self.parameter_bytes = PARAMETER_BYTES
        self.compute_units = self.concurrent_groups = facts["multiProcessorCount"]
        self.dlpack = (KDL_CUDA, ordinal)
        self.rank = 0 if compiler else 3
        self._capability = 10 * facts["major"] + facts["minor"]
        self.fragments = nvidia_fragments(self._capability)
        self._compiler = CudaCompiler(self, self._capability)
        self.exchange = CudaExchange(self)
        self.library = CudaLibrary(self, ordinal)
        self.collectives = CudaCollectives(self)
        self._limits = facts["maxThreadsDim"], facts["maxGridSize"]
        self._ordinal = ordinal
        self._context = 0
        self.direct: CudaQueue | None = None  # launches and waits without Python code, where that is possible
        self._stream = 0
        self._lock = threading.RLock()  # of opening, and of the memory from which the driver takes arguments
        self._arguments = ctypes.create_string_buffer(PARAMETER_BYTES)
        self._layouts: dict[int, Any] = {}  # by bytes of arguments: the structure that passes their size to the driver
        self._settling = threading.RLock()  # of memory and modules that become free after waiting for the device
        self._reached: set[Device] = set()
        self._inwards, self._outwards, self._from_peers = CudaSideQueue(self), CudaSideQueue(self), CudaSideQueue(self)
        self._limbo: list[Any] = []  # memory of others that the stream may still use
        self._returned: list[Block] = []  # memory of this device that other streams may still use
        self.exposed = set()
        sizes, create = (self.memory, self.max_alloc), partial(created, self)
        self.pool = Pool(self.name, *sizes, create, self.wait, self._destroy, self._take_back, self._lock)
        Spilling(self, self.pool)

    def _open(self) -> None:
        """Make the context and the stream, at first use because they cost time and memory."""
        with self._lock:
            if not self._context:
                previous = _context()
                runtime.setDevice(self._ordinal)
                runtime.free(0)  # so that the runtime makes the context
                self._stream = runtime.streamCreate()
                self._context = _context()
                if CudaQueue is not None and (functions := driver_addresses(*_DIRECT)) is not None:
                    self.direct = CudaQueue(functions[0], functions[1], functions[2], self._context, self._stream)
                if previous:
                    driver.ctxSetCurrent(previous)

    @contextmanager
    def _current(self, verb: str) -> Iterator[None]:
        """Work in this device's context: a thread begins with none, and other libraries may use other devices."""
        try:
            if not self._context:
                self._open()
            previous = _context()
            if previous == self._context:
                yield
                return
            try:
                driver.ctxSetCurrent(self._context)
                yield
            finally:
                if previous:
                    driver.ctxSetCurrent(previous)
        except (CUDARuntimeError, CUDADriverError) as error:
            raise DeviceError(f"{self}: {verb}: {error}") from None

    def facts(self) -> Facts:
        with self._current("facts"):
            free, _ = runtime.memGetInfo()
            bus = str(runtime.deviceGetPCIBusId(self._ordinal)).lower()
        group, grid = (tuple(map(int, limit[:3])) for limit in self._limits)
        return Facts(int(self._context), f"sm_{self._capability}", bus, group, grid, int(free))  # type: ignore[arg-type]

    @property
    def place(self) -> str:
        """The bus and the slot of the device: its number depends on the devices that a process may use."""
        return str(runtime.deviceGetPCIBusId(self._ordinal)).lower()

    def take_context(self, handle: int) -> bool:
        """Return whether this is the primary context, in which NVIDIA's libraries work, too."""
        with self._current("take_context"):
            return handle == self._context

    def _destroy(self, handle: int) -> None:
        with self._current("trim"):
            runtime.free(handle)

    def _take_back(self) -> bool:
        """Also let the pool have blocks that were lent, after all work of all streams."""
        copied = super()._take_back(), self._from_peers.release()
        returned = self._returned
        if not returned:
            return any(copied)
        with self._settling:
            number = len(returned)
            with self._current("alloc"):
                runtime.deviceSynchronize()
            for _ in range(number):
                block = returned[0]
                del returned[0]
                block.give()
        return True

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("upload", host)
        if host.nbytes:
            address = host.__array_interface__["data"][0]
            with self._current("upload"):
                runtime.memcpyAsync(buffer.handle + offset, address, host.nbytes, HOST_TO_DEVICE, self._stream)
                # Pageable memory is copied aside before the call returns, page-locked memory is not.
                if runtime.pointerGetAttributes(address).type != PAGEABLE:
                    runtime.streamSynchronize(self._stream)

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("download", host)
        if host.nbytes:
            address = host.__array_interface__["data"][0]
            with self._current("download"):
                runtime.memcpyAsync(address, buffer.handle + offset, host.nbytes, DEVICE_TO_HOST, self._stream)
                runtime.streamSynchronize(self._stream)

    def page_lock(self, host: HostArray) -> Any:
        with self._current("page lock"):
            return page_lock(host)

    def host_alloc(self, size: int) -> tuple[int, HostArray]:
        return page_locked(self, size)

    def to_host(self, buffer: Buffer, copy: Buffer) -> None:
        with self._current("spill"):
            runtime.memcpyAsync(copy.handle, buffer.handle, buffer.nbytes, DEVICE_TO_HOST, self._stream)

    def from_host(self, buffer: Buffer, copy: Buffer) -> None:
        with self._current("return"):
            runtime.memcpyAsync(buffer.handle, copy.handle, buffer.nbytes, HOST_TO_DEVICE, self._stream)

    def begin_fetch(self, source: Device, buffer: Buffer, offset: int, target: Buffer, nbytes: int) -> Transfer | None:
        if not isinstance(source, CudaDevice):
            return None
        self._reach(source)
        ends = (
            target.handle,
            self._ordinal,
            buffer.handle + offset,
            source._ordinal,
        )  # `handle` brings back memory that has moved
        copy = partial(runtime.memcpyPeerAsync, *ends, nbytes)
        return self._from_peers.copy(partial(self._from_peers.run, copy, source), (buffer, target))

    def _reach(self, other: CudaDevice) -> None:
        """Let copies from another device take the direct way, where there is one."""
        if other not in self._reached:
            self._reached.add(other)
            with self._current("fetch"), contextlib.suppress(CUDARuntimeError):  # another library has done it
                if runtime.deviceCanAccessPeer(self._ordinal, other._ordinal):
                    runtime.deviceEnablePeerAccess(other._ordinal)

    def use_compiler(self, function: Callable[[bytes], bytes] | None) -> bool:
        self._compiler.own = function
        return True

    def build(self, source: str, name: str) -> Any:
        return self._compiler.build(self, source, name)

    def has_binary(self, source: str, name: str) -> bool:
        return self._compiler.has_binary(self.prelude + source)

    def launch(self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> None:
        if not groups:
            return
        function = kernel.handle
        if function.buffers != len(buffers) or function.nbytes != len(parameters):
            self._prepare(kernel, len(buffers), len(parameters))
        if self.direct is not None and self.direct.launch(function.address, groups, group, buffers, parameters):
            return
        if _context() != self._context:
            with self._current(f"launch of {kernel.name}"):
                self.launch(kernel, groups, group, buffers, parameters)
            return
        try:
            with self._lock:
                function.pack_into(self._arguments, 0, *[buffer.handle for buffer in buffers], parameters)
                _launch(function.address, groups, 1, 1, group, 1, 1, 0, self._stream, 0, function.extra)
        except CUDADriverError as error:
            if error.status != OUT_OF_MEMORY:
                raise DeviceError(f"{self}: launch of {kernel.name}: {error}") from None
            if not self.cached_bytes:  # there is no memory for private arrays of kernels
                raise self._no_room(kernel, error) from None
            self.trim()
            self.launch(kernel, groups, group, buffers, parameters)

    def bind(
        self, kernel: Kernel, groups: int, group: int, buffers: int, parameters: bytes
    ) -> Callable[[Sequence[Buffer]], None]:
        """Return a function whose launches have separate arguments, in which only addresses change."""
        if not groups:
            return super().bind(kernel, groups, group, buffers, parameters)
        with self._current(f"launch of {kernel.name}"):
            self._prepare(kernel, buffers, len(parameters))
        if self.direct is not None:
            repeat = super().bind(kernel, groups, group, buffers, parameters)
            function = kernel.handle
            return DirectLaunch(self.direct, function, function.address, groups, group, buffers, parameters, repeat)
        memory = (ctypes.c_char * (8 * buffers + len(parameters))).from_buffer(bytearray(8 * buffers) + parameters)
        addresses = (ctypes.c_uint64 * buffers).from_buffer(memory)
        extra = _extra(memory, len(memory))
        own = self._context
        arguments = kernel.handle.address, groups, 1, 1, group, 1, 1, 0, self._stream, 0, ctypes.addressof(extra[0])

        def launch(others: Sequence[Buffer], extra: Any = extra) -> None:  # which must stay where it is
            if _context() == own:
                addresses[:] = [buffer.handle for buffer in others]
                try:
                    _launch(*arguments)
                except CUDADriverError:  # `launch` handles it
                    pass
                else:
                    return
            self.launch(kernel, groups, group, others, parameters)

        return launch

    def _prepare(self, kernel: Kernel, buffers: int, nbytes: int) -> None:
        """Make a kernel ready for this many arguments. The driver would accept too few or too many."""
        function = kernel.handle
        layout = struct.Struct(f"{buffers}Q{nbytes}s")
        wanted = _argument_bytes(function.address)
        if layout.size != wanted and wanted is not None:
            raise DeviceError(
                f"{self}: launch of {kernel.name}: {layout.size} bytes of arguments; the kernel takes {wanted}"
            )
        extra = self._layouts.get(layout.size)
        if extra is None:
            extra = self._layouts[layout.size] = _extra(self._arguments, layout.size)
        function.pack_into = layout.pack_into
        function.extra = ctypes.addressof(extra[0])
        function.buffers, function.nbytes = buffers, nbytes

    def wait(self) -> None:
        if self._context:
            if not self._limbo:
                if self.direct is not None and self.direct.wait():
                    return
                with self._current("wait"):
                    runtime.streamSynchronize(self._stream)
                return
            with self._settling:
                held = len(self._limbo)
                with self._current("wait"):
                    runtime.streamSynchronize(self._stream)
                gone = self._limbo[:held]
                del self._limbo[:held]
            let_go(gone)  # outside of the lock, since the destructors of others run here

    def timer(self) -> CudaTimer:
        return CudaTimer(self)

    def address(self, buffer: Buffer) -> int:
        return int(self.fix(buffer).handle)


def _extra(arguments: ctypes.Array[ctypes.c_char], nbytes: int) -> tuple[Any, Any]:
    """Return the structure that passes a kernel's arguments to the driver, and the objects that it refers to."""
    size = ctypes.c_size_t(nbytes)
    parts = BUFFER_POINTER, ctypes.addressof(arguments), BUFFER_SIZE, ctypes.addressof(size), 0
    return (ctypes.c_void_p * len(parts))(*parts), size


def _argument_bytes(function: int) -> int | None:
    """Return the bytes of a kernel's arguments; None where the driver, older than CUDA 12.4, cannot report them."""
    information = driver_function("cuFuncGetParamInfo")
    if information is None:
        return None
    offset, size = ctypes.c_size_t(), ctypes.c_size_t()
    end = 0
    for number in count():
        if information(
            ctypes.c_void_p(function), ctypes.c_size_t(number), ctypes.byref(offset), ctypes.byref(size)
        ):  # there is no such argument
            break
        end = offset.value + size.value
    return end
