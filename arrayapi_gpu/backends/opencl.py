"""The OpenCL back end, on pyopencl: GPUs, and CPUs through PoCL or Intel's runtime.

On a CPU a buffer is a NumPy array that the driver has to use (CL_MEM_USE_HOST_PTR), and the
host reads it as it is when the queue is empty. OpenCL promises this only for mapped buffers; the
tests hold every driver to it.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import re
import threading
import time
import warnings
from collections.abc import Collection, Sequence
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator

from ..config import config, log
from . import binaries, opencl_pocl, opencl_trial
from .base import (
    DOUBLE,
    INT32_MAX,
    KDL_CPU,
    KDL_OPENCL,
    SINGLE,
    Block,
    Buffer,
    Device,
    DeviceError,
    Facts,
    HostArray,
    Kernel,
    KernelBuildError,
    Transfer,
    dialect,
    let_go,
    processor,
)
from .exposures import Exposure
from .locks import module_lock
from .opencl_icd import library_of, platforms, pocl_folder
from .opencl_side_queue import OpenCLSideQueue, page_locked
from .pool import Pool
from .refusing import refuse_from_now_on
from .spilling import Spilling

HOST_ALIGNMENT = 128  # bytes, of host memory: a long16
STAGED = 1 << 16  # bytes up to which copying an upload aside is cheaper than waiting
LIMBO = 16  # objects that may outlive their owners before somebody waits for the queue
QUEUE_DEPTH = 1024  # launches that the queue may hold; drivers keep some memory for each
# Where nothing but launches of so few groups is queued, the host looks for so many seconds whether they are done before
# it sleeps: waking it costs as much as a small kernel. Who waits for Intel's runtime computes with its threads, and to
# look would only keep a core from these.
FEW_GROUPS = 4
LOOK = 1e-4
LIGHT = 1 << 18  # bytes with which queued launches are small, which take about as long as a launch itself
COMPLETE = cl.command_execution_status.COMPLETE
POCL_TRIES = 3

NO_HOST = cl.mem_flags.HOST_NO_ACCESS | cl.mem_flags.HOST_READ_ONLY | cl.mem_flags.HOST_WRITE_ONLY

CORRECTLY_ROUNDED = 1 << 7  # CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, a bit of single_fp_config

# What a driver says that cannot find again what it compiled.
_LOST = re.compile("INVALID_(KERNEL_NAME|BINARY|PROGRAM|PROGRAM_EXECUTABLE)$")

_enqueue = cl.enqueue_nd_range_kernel
_map: Any = cl.enqueue_map_buffer  # whose types know no flags that are put together

_compiling = module_lock(globals(), "_compiling")  # of warnings.catch_warnings, which threads may not enter together


def discover() -> list[Device]:
    """Return every OpenCL device, preferred ones first; names count in the loader's order."""
    found: list[OpenCLDevice] = []
    cache = pocl_folder() if config.cache else None
    for number, (_, devices) in enumerate(platforms()):
        for index, device in enumerate(devices):
            found.append(OpenCLDevice(f"opencl:{number}:{index}", device, len(found), cache))
    found.sort(key=_preference)
    return [*found]


class _Invokers(dict[Any, Any]):
    """The code by which pyopencl calls kernels with Python arguments; it makes some for every kernel."""

    def __getitem__(self, key: Any) -> Any:
        try:
            return super().__getitem__(key)
        except TypeError as error:  # a key that cannot be hashed
            raise KeyError(key) from error

    def store_if_not_present(self, key: Any, value: Any) -> None:
        """Keep the code for kernels with the same name and arguments."""
        with contextlib.suppress(TypeError):
            self.setdefault(key, value)


@cache
def _keep_invokers_in_memory() -> None:
    """Let pyopencl keep that code in memory.

    Its own place for it is a database in the user's cache folder, which is opened with the first kernel. Then no kernel
    could be made where the folder cannot be written to, on a full disk, or where the database was damaged.
    """
    before = cl._PYOPENCL_NO_CACHE
    cl._PYOPENCL_NO_CACHE = True  # so that the import does not open the database
    try:
        invoker = importlib.import_module("pyopencl.invoker")
    finally:
        cl._PYOPENCL_NO_CACHE = before
    invoker.invoker_cache = _Invokers()  # type: ignore[attr-defined]


def _kernel(program: Any, name: str) -> Any:
    """Return the kernel of a program.

    pyopencl asks a program for its source, and looks for a kernel of that name where there is none. That runs Python
    code, and what is raised there is lost, interrupts too. So a program from a binary gets a source.

    It is not taken from ``all_kernels``, whose kernels are never freed.
    """
    if "_source" not in vars(program):
        program._source = ""
    return cl.Kernel(program, name)


def _preference(device: OpenCLDevice) -> tuple[Any, ...]:
    """Of drivers on the CPU, Intel's comes first, since it compiles soonest, and of two versions the newer one.

    Everything else stays in the loader's order.
    """
    if device.kind != "cpu":
        return (0,)
    number = re.match(r"[0-9.]*", device.driver_version)
    version = [int(part) for part in number[0].split(".") if part] if number else []
    return 1, "Intel" not in device.platform, device.platform, [-part for part in version]


class _Borrowed(Block):
    """Memory that the program made itself, which it uses in a queue of its own, or None."""

    __slots__ = ("queue",)

    queue: Any


class OpenCLDevice(Device):
    """A device of an OpenCL platform; ``number`` counts them over all platforms.

    ``cache``: the folder of this library in which PoCL keeps its binaries. The device is used as if it lacked the
    extensions ``without``, for tests.
    """

    def __init__(self, name: str, device: Any, number: int, cache: Path | None = None, without: Collection[str] = ()):
        cpu = bool(device.type & cl.device_type.CPU) and not device.type & cl.device_type.GPU
        extensions = set(device.extensions.split()).difference(without)
        double = bool(device.double_fp_config) and "cl_khr_fp64" in extensions
        self.platform, self.driver_version = device.platform.name.strip(), device.driver_version.strip()
        driver = f"{self.platform} {self.driver_version}"
        self.name = name
        self.kind = "cpu" if cpu else "gpu"
        self.description = f"{device.name.strip()}, {driver}"
        self.lanes, self.is_gpu = (16, False) if cpu else (1, True)
        self.vector_bytes = 4 * max(1, device.native_vector_width_float)
        # OpenCL promises none; NVIDIA's GPUs do whatever the driver, and so do an operating system's threads. Groups
        # that wait for each other read 64 bits at once, which a device without atomics of 64 bits need not do.
        self.forward_progress = "cl_khr_int64_base_atomics" in extensions and (cpu or "NVIDIA" in device.vendor)
        self.host_shared, self.computes_on_host, self.overlaps = cpu, cpu, not cpu
        self.prelude = _prelude(self.lanes, double)
        self.dtypes = DOUBLE if double else SINGLE
        self.memory = device.global_mem_size
        self.max_alloc = device.max_mem_alloc_size
        self.local_memory = device.local_mem_size
        self.max_group = min(device.max_work_group_size, device.max_work_item_sizes[0])
        self.parameter_bytes = device.max_parameter_size
        self.compute_units = device.max_compute_units
        self.dlpack = (KDL_CPU, 0) if cpu else (KDL_OPENCL, number)
        self.rank = int(cpu) if device.available and device.compiler_available else 2
        self._options = ["-cl-std=CL1.2", "-w"]  # PoCL prints warnings, such as of vectors that a processor lacks
        if not double:
            self._options.append("-cl-single-precision-constant")
        if device.single_fp_config & CORRECTLY_ROUNDED:
            self._options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        if "cl_nv_device_attribute_query" in extensions:
            capability = 10 * device.compute_capability_major_nv + device.compute_capability_minor_nv
            self._options.append(f"-DCUDA_ARCH={10 * capability}")
        llvm_name = opencl_pocl.llvm_name(device)
        better = llvm_name and opencl_pocl.repair(device, llvm_name)
        if better:
            self.description += f" (the processor's name, {llvm_name}, repaired: {better})"
            # Drivers' caches on disk know the device by its former name, but keep options separate, as in shared homes.
            self._options.append(f"-DCPU_{better.replace('-', '_')}")
        self._is_pocl = self.platform == opencl_pocl.PLATFORM
        self._sleeps = self._is_pocl or not cpu  # who waits; on the CPU, others' hosts compute meanwhile, see `wait`
        self._cache = cache
        # What binaries depend on.
        self._identity = driver, device.platform.version, device.name, device.version, cpu and processor()
        self._device = device
        self._context: Any = None
        self._queue: Any = None
        # OpenCL asks for a lock around a kernel's arguments and its launch. All use of the queue
        # takes it, since NVIDIA's driver crashes where threads wait for one queue at a time.
        self._lock = threading.RLock()
        self._queued = self._done = 0  # how many things were queued, and how many of them are known to be done
        self._used = 0  # bytes of what was queued since somebody waited; counted where the host computes, too
        self._limbo: list[Any] = []  # what the queue may still use though its owner is gone
        self._few = True  # nothing but small launches was queued since then,
        self._last: Any = None  # and this is the event of the last launch
        self._inwards, self._outwards = OpenCLSideQueue(self), OpenCLSideQueue(self)
        self.exposed = set()
        sizes = self.memory, self.max_alloc
        self.pool = Pool(name, *sizes, self._create, self.wait, reclaim=self._take_back, lock=self._lock)
        Spilling(self, self.pool)

    @cached_property
    def problem(self) -> str | None:  # type: ignore[override]
        """Why the device must not be used: a driver on the CPU has a trial, except Oclgrind, which is too slow."""
        if self.kind != "cpu" or self.rank == 2 or self.platform == "Oclgrind":
            return None
        return opencl_trial.problem(self, library_of(self._device.platform), (self._identity, self._options))

    def _open(self) -> tuple[Any, Any]:
        """Return context and queue, made at first use because they cost time and memory."""
        with self._lock:
            if self._queue is None:
                self._context = cl.Context([self._device])
                self._queue = cl.CommandQueue(self._context)
        return self._context, self._queue

    def facts(self) -> Facts:
        context, device = self._open()[0], self._device
        bus = ""
        if "NVIDIA" in device.vendor:
            with contextlib.suppress(cl.Error, AttributeError):
                bus = f"0000:{device.pci_bus_id_nv:02x}:{device.pci_slot_id_nv >> 3:02x}.0"
        first, second, third = [min(n, self.max_group) for n in device.max_work_item_sizes[:3]]
        free = max(0, self.memory - self.live_bytes - self.cached_bytes)  # OpenCL knows of no other programs
        name = f"{device.name.strip()} {self.driver_version}"
        return Facts(int(context.int_ptr), name, bus, (first, second, third), (INT32_MAX,) * 3, free)

    def take_context(self, handle: int) -> bool:
        with self._lock:
            if self._context is not None and self._context.int_ptr == handle:
                return True
            context = cl.Context.from_int_ptr(handle)
            if [self._device] != context.devices:
                return False
            if self._context is not None:
                raise DeviceError(f"{self}: got another context; arrays are in one already; wrap it before they are")
            self._context, self._queue = context, cl.CommandQueue(context)
        return True

    def _create(self, size: int) -> tuple[Any, HostArray | None]:
        """Make memory for the pool."""
        if self.host_shared:
            room = np.empty(size + HOST_ALIGNMENT, np.uint8)
            first = -room.ctypes.data % HOST_ALIGNMENT
            host = room[first : first + size]
            return self._wrap(host), host
        try:
            # This allocator has the driver provide the memory now, not at the first launch.
            _, queue = self._open()
            with self._lock:
                return ImmediateAllocator(queue)(size), None
        except cl.MemoryError as error:
            raise MemoryError(str(error)) from None
        except cl.Error as error:
            raise DeviceError(f"{self}: alloc: {error}") from None

    def _wrap(self, host: HostArray) -> Any:
        """Make a driver's buffer of host memory.

        Memory that is only read is declared as written, too, because Intel's runtime copies a buffer that is only
        read. No kernel writes to it, so it may be a map of a file for reading.
        """
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        memory: Any = host
        if not host.flags.writeable:
            memory = (ctypes.c_uint8 * host.nbytes).from_address(host.ctypes.data)
        try:
            return cl.Buffer(self._open()[0], flags, hostbuf=memory)
        except cl.MemoryError as error:
            raise MemoryError(str(error)) from None
        except cl.Error as error:
            raise DeviceError(f"{self}: alloc: {error}") from None

    def adopt(self, host: HostArray) -> Buffer:
        if not self.host_shared:
            raise self._not_shared("adopt")
        self._check_contiguous("adopt", host)
        if not host.nbytes:
            return self.alloc(0)
        if host.nbytes > self.max_alloc:
            raise MemoryError(
                f"{self}: an array of {host.nbytes} bytes to adopt; at most {self.max_alloc} bytes "
                f"are possible; adopt smaller parts"
            )
        if len(self._limbo) > LIMBO:
            self.wait()
        memory = host.reshape(-1).view(np.uint8)
        aligned = memory.ctypes.data % HOST_ALIGNMENT == 0
        return Buffer(memory.nbytes, Block(self._wrap(memory), memory, self._limbo), aligned)

    def borrow(self, handle: Any, queue: Any) -> tuple[Buffer, bool] | None:
        if isinstance(handle, int):
            handle = cl.Buffer.from_int_ptr(handle)
        if not isinstance(handle, cl.MemoryObjectHolder) or handle.context != self._context:
            return None
        if handle.flags & NO_HOST:
            raise ValueError("the buffer was made with a flag HOST_...; allowed: memory that the host may use")
        if len(self._limbo) > LIMBO:
            self.wait()
        readonly = bool(handle.flags & cl.mem_flags.READ_ONLY)
        block = _Borrowed(handle, None, self._limbo)
        block.queue = queue
        self._follow(block)
        if self.host_shared:
            block.host = self._mapped(handle)
            if readonly:
                block.host.flags.writeable = False
        return Buffer(handle.size, block, block.host is None or block.host.ctypes.data % HOST_ALIGNMENT == 0), readonly

    def _mapped(self, handle: Any) -> HostArray:
        """Return the memory of a buffer that the driver has made: its address stays what it is while it is mapped."""
        flags, kind = cl.map_flags.READ | cl.map_flags.WRITE, np.dtype(np.uint8)
        mapped: Any
        try:
            with self._lock:
                mapped, _ = _map(self._queue, handle, flags, 0, (handle.size,), kind)
                mapped.base.release(self._queue)
                self._queued += 1
        except cl.Error as error:
            raise DeviceError(f"{self}: map: {error}") from None
        host: HostArray = mapped
        return host

    def _follow(self, block: Block) -> None:
        """Wait for what others have queued, where the memory is theirs."""
        if isinstance(block, _Borrowed) and block.queue is not None:
            try:
                with self._lock:
                    block.queue.finish()
            except cl.Error as error:
                raise DeviceError(f"{self}: the queue of a borrowed buffer: {error}") from None

    def hand_out(self, buffer: Buffer) -> None:
        block = self.fix(buffer).block
        self.pool.forget(block, self._limbo)  # else the next array has it when this one is gone
        buffer.__del__ = block.give

    def address_of_bytes(self, buffer: Buffer) -> int | None:
        if buffer.host is not None:
            return super().address_of_bytes(buffer)
        handle = buffer.handle  # two may be parts of one
        return (int((handle.associated_memobject or handle).int_ptr) << 64) + int(handle.offset)

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("upload", host)
        if not host.nbytes:
            return
        self._follow(buffer.block)
        if host.nbytes <= STAGED and self._queued != self._done:
            if len(self._limbo) > LIMBO:
                self.wait()
            event = self._transfer(buffer, host.copy(), dst_offset=offset, is_blocking=False)
            self._limbo.append(event)  # it keeps the copy alive
            self._settle_exposed((buffer,))
        elif buffer.host is not None:
            self.wait()
            buffer.host[offset : offset + host.nbytes] = host.reshape(-1).view(np.uint8)
        else:
            self._transfer(buffer, host, dst_offset=offset, is_blocking=True)

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("download", host)
        if not host.nbytes:
            return
        self._follow(buffer.block)
        if buffer.host is not None:
            self.wait()
            host.reshape(-1).view(np.uint8)[:] = buffer.host[offset : offset + host.nbytes]
        else:
            self._transfer(host, buffer, src_offset=offset, is_blocking=True)

    def begin_upload(self, buffer: Buffer, offset: int, host: HostArray, *others: Any) -> Transfer:
        self._check_contiguous("upload", host)
        begin = partial(self._inwards.begin, buffer, host, dst_offset=offset)
        return self._inwards.copy(begin, (buffer, host, *others))

    def begin_download(self, buffer: Buffer, offset: int, host: HostArray, *others: Any) -> Transfer:
        self._check_contiguous("download", host)
        begin = partial(self._outwards.begin, host, buffer, src_offset=offset)
        return self._outwards.copy(begin, (buffer, host, *others))

    def _take_back(self) -> bool:
        """Let the pool have blocks of copies that are done; False if there are none."""
        return any([queue.release() for queue in (self._inwards, self._outwards)])

    def host_alloc(self, size: int) -> tuple[Any, HostArray]:
        return page_locked(self, size) if self.overlaps else super().host_alloc(size)

    def _transfer(self, target: Any, source: Any, **options: Any) -> Any:
        """Queue a copy from or to a buffer, and return its event."""
        ends = [end.handle if isinstance(end, Buffer) else end for end in (target, source)]
        try:
            with self._lock:
                self._queued += 1
                self._few = False
                self._used += target.nbytes
                event = cl.enqueue_copy(self._queue, *ends, **options)
        except cl.Error as error:
            raise DeviceError(f"{self}: copy: {error}") from None
        return event

    def host_view(self, buffer: Buffer, exposure: Exposure | None = None) -> HostArray:
        if not self.host_shared:
            raise self._not_shared("host_view")
        self._follow(buffer.block)
        view = np.asarray(buffer) if exposure is None else exposure.host_bytes()  # which may queue a copy first
        self.wait()
        return view

    def address(self, buffer: Buffer) -> int:
        return int(self.fix(buffer).handle.int_ptr)

    def compile(self, source: str, name: str) -> Kernel:
        text = self.prelude + source
        self._show(source, name, "cl")
        self._open()
        started = time.perf_counter()
        try:
            program, handle = self._of_pocl(text, name) if self._is_pocl else self._of(text, name)
        except cl.Error as error:
            if _LOST.search(str(error)):
                raise DeviceError(
                    f"{self}: kernel {name}: {error}. This is an error of the driver, {self.description}, "
                    f"or of what it keeps on disk: delete {self._cache or 'its cache'}"
                ) from None
            raise KernelBuildError(self, name, source, str(error)) from None
        self.compile_seconds += time.perf_counter() - started
        self.kernels_compiled += 1
        if config.debug > 4:
            said = program.get_build_info(self._device, cl.program_build_info.LOG)
            log(f"{self}: {name}: {said}")
        return Kernel(name, handle)

    def _of(self, text: str, name: str) -> tuple[Any, Any]:
        """Return program and kernel, loaded from disk or else compiled, and keep the program there."""
        key = binaries.key_of("OpenCL", self._identity, self._options, text)
        image = binaries.load(key)
        if image is not None:
            with contextlib.suppress(cl.Error):  # a driver may refuse what it made
                return self._built(cl.Program(self._context, [self._device], [image]), name)
        program, handle = self._built(cl.Program(self._context, text), name)
        (image,) = program.get_info(cl.program_info.BINARIES)
        binaries.keep(key, image)
        return program, handle

    def _of_pocl(self, text: str, name: str) -> tuple[Any, Any]:
        """Leave the cache to PoCL's own: to hand out a binary, it compiles once more, for groups of any size.

        There, the second of two processes that made the same program at once deletes the first's file before it writes
        its own; the third then fails, without an error in the log, because it has none to delete. And what a process
        left half-written when it was ended is taken for whole.
        """
        if self._cache is not None:
            opencl_pocl.enter(self._cache)
        for _ in range(POCL_TRIES - 1):
            with contextlib.suppress(cl.Error):
                return self._built(cl.Program(self._context, text), name)
            if self._cache is not None:
                opencl_pocl.clean(self._cache)
        return self._built(cl.Program(self._context, text), name)

    def _built(self, program: Any, name: str) -> tuple[Any, Any]:
        """Build a program; return it and its kernel."""
        with _compiling, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyopencl warns if a compiler says anything
            _keep_invokers_in_memory()
            # Without pyopencl's cache, which unpickles what it finds.
            program.build(self._options, cache_dir=False)
        return program, _kernel(program, name)

    def launch(self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> None:
        if not groups:
            return
        if self.exposed:
            for buffer in buffers:
                self._follow(buffer.block)
        try:
            with self._lock:
                if groups > FEW_GROUPS:
                    self._few = False
                if self.computes_on_host:
                    for buffer in buffers:
                        self._used += buffer.nbytes
                try:
                    self._last = self._enqueue(self._queue, kernel, groups * group, group, buffers, parameters)
                except cl.MemoryError:  # some drivers provide memory no earlier than now
                    self.pool.trim()
                    self._last = self._enqueue(self._queue, kernel, groups * group, group, buffers, parameters)
        except cl.MemoryError as error:
            raise self._no_room(kernel, error) from None
        except cl.Error as error:
            raise DeviceError(f"{self}: launch of {kernel.name}: {error}") from None
        if self.exposed:
            self._settle_exposed(buffers)
        if self._queued - self._done > QUEUE_DEPTH:
            self.wait()

    def _settle_exposed(self, buffers: Sequence[Buffer]) -> None:
        """Wait if somebody else can see one of the buffers that were used, see `Exposure`."""
        if any(buffer.exposed for buffer in buffers):
            self.wait()

    def prepare(self, kernel: Kernel, group: int, buffers: int, parameters: bytes) -> None:
        if not self._is_pocl:
            return
        # PoCL makes machine code at the first launch with a size of groups. The launch is of a handle of its own:
        # arguments belong to a handle, and others may launch the kernel meanwhile.
        try:
            queue, nowhere = cl.CommandQueue(self._open()[0]), self.alloc(HOST_ALIGNMENT)
            own = Kernel(kernel.name, _kernel(kernel.handle.program, kernel.name))
            self._enqueue(queue, own, group, group, [nowhere] * buffers, parameters)
            queue.finish()
        except cl.Error as error:
            raise DeviceError(f"{self}: preparation of {kernel.name}: {error}") from None

    def _enqueue(
        self, queue: Any, kernel: Kernel, items: int, group: int, buffers: Sequence[Buffer], parameters: bytes
    ) -> Any:
        """Queue a launch, and return its event."""
        handle = kernel.handle
        set_argument = handle.set_arg
        number = 0
        for buffer in buffers:
            set_argument(number, buffer.handle)
            number += 1
        if parameters:
            handle._set_arg_buf(number, parameters)  # set_arg takes ten times as long for bytes
        self._queued += 1  # after the handles, which may wait for the queue
        return _enqueue(queue, handle, (items,), (group,))

    def wait(self) -> None:
        if self._queued == self._done and not self._limbo:
            return
        with self._lock:
            queued, held = self._queued, len(self._limbo)
            try:
                if self._queue is not None:
                    if self._sleeps and self._few and self._last is not None:
                        self._look()
                    self._queue.finish()
            except cl.Error as error:
                raise self._failed(error) from None
            self._done = queued
            self._few, self._last, self._used = True, None, 0
            gone = self._limbo[:held]
            del self._limbo[:held]
        let_go(gone)  # outside of the lock, since the destructors of others run here

    def rests(self) -> bool:
        if self._queued == self._done and not self._limbo:
            return True
        last = self._last
        if self._used <= LIGHT or (last is not None and last.command_execution_status == COMPLETE):
            self.wait()
            return True
        return False

    def _failed(self, error: cl.Error) -> DeviceError:
        """The error of a queue that did not come to its end."""
        text = f"a kernel failed while it ran ({error}); its results are lost, others may be: restart the program"
        with contextlib.suppress(cl.Error):
            if self._last is None or self._last.command_execution_status >= COMPLETE:
                return DeviceError(f"{self}: {error}")  # nothing but the wait failed, which can be asked for again
        refuse_from_now_on(self, text)
        return DeviceError(f"{self}: {text}")

    def _look(self) -> None:
        """Return when the last launch is done, or has taken long."""
        self._queue.flush()
        end = time.perf_counter() + LOOK
        while self._last.command_execution_status > COMPLETE and time.perf_counter() < end:
            pass


def _prelude(lanes: int, double: bool) -> str:
    """Return the dialect's text for a device."""
    extension = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if double else "#undef cl_khr_fp64\n"
    return f"#define LANES {lanes}\n{extension}{dialect('opencl_prelude.h')}"
