"""The OpenCL back end, on pyopencl: GPUs, and CPUs through PoCL or Intel's runtime.

On a CPU a buffer is a NumPy array that the driver is told to use (CL_MEM_USE_HOST_PTR), and the
host reads it as it is when the queue is empty. OpenCL promises this only for mapped buffers; the
tests hold every driver to it.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl
from pyopencl.tools import ImmediateAllocator

from ..config import config
from . import binaries
from .base import (
    DOUBLE,
    KDL_CPU,
    KDL_OPENCL,
    SINGLE,
    Buffer,
    Device,
    DeviceError,
    HostArray,
    Kernel,
    KernelBuildError,
    dialect,
)
from .opencl_icd import platforms
from .opencl_pocl import is_generic, repair
from .pool import Block, Pool

ALIGNMENT = 128  # bytes, of host memory: a long16
STAGED = 1 << 16  # bytes up to which copying an upload aside is cheaper than waiting
LIMBO = 16  # objects that may outlive their owners before somebody waits for the queue
DEPTH = 1024  # launches that the queue may hold; drivers keep some memory for each
# On a CPU, waking the driver's threads costs more than a small kernel. So launches of so few groups
# wait here for each other, and go to the driver so many at a time, or when somebody waits.
FEW_GROUPS = 4
BATCH = 16
# For so many seconds the host looks whether they are done before it sleeps: waking it costs as much again.
LOOK = 1e-4
COMPLETE = cl.command_execution_status.COMPLETE
POCL_TRIES = 3

CORRECTLY_ROUNDED = 1 << 7  # CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, a bit of single_fp_config

_Launch = tuple[Kernel, int, int, Sequence[Buffer], bytes]

_enqueue = cl.enqueue_nd_range_kernel

_compiling = threading.Lock()  # of warnings.catch_warnings, which threads may not enter together


def discover() -> list[Device]:
    """Return every OpenCL device, platform by platform, in the loader's order."""
    found: list[Device] = []
    for number, platform in enumerate(platforms()):
        try:
            devices = platform.get_devices()
        except cl.Error:  # a platform without devices
            continue
        for index, device in enumerate(devices):
            found.append(OpenCLDevice(f"opencl:{number}:{index}", device, len(found)))
    return found


class OpenCLDevice(Device):
    """A device of an OpenCL platform; ``number`` counts them over all platforms."""

    def __init__(self, name: str, device: Any, number: int):
        cpu = bool(device.type & cl.device_type.CPU) and not device.type & cl.device_type.GPU
        double = bool(device.double_fp_config) and "cl_khr_fp64" in device.extensions.split()
        usable = bool(device.available and device.compiler_available)
        driver = f"{device.platform.name.strip()} {device.driver_version.strip()}"
        self.name = name
        self.description = f"{device.name.strip()}, {driver}"
        self.lanes, self.unroll = (16, 1) if cpu else (1, 4)
        self.vector_bytes = 4 * max(1, device.native_vector_width_float)
        # OpenCL promises none; NVIDIA's GPUs do whatever the driver, and so do an operating system's threads.
        self.forward_progress = cpu or "NVIDIA" in device.vendor
        self.host_shared = cpu
        self.prelude = _prelude(self.lanes, double)
        self.dtypes = DOUBLE if double else SINGLE
        self.memory = device.global_mem_size
        self.max_alloc = device.max_mem_alloc_size
        self.local_memory = device.local_mem_size
        self.max_group = min(device.max_work_group_size, device.max_work_item_sizes[0])
        self.parameter_bytes = device.max_parameter_size
        self.compute_units = device.max_compute_units
        self.dlpack = (KDL_CPU, 0) if cpu else (KDL_OPENCL, number)
        self._options = ["-cl-std=CL1.2"]
        if device.single_fp_config & CORRECTLY_ROUNDED:
            self._options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        if "cl_nv_device_attribute_query" in device.extensions:
            capability = 10 * device.compute_capability_major_nv + device.compute_capability_minor_nv
            self._options.append(f"-DCUDA_ARCH={10 * capability}")
        if is_generic(device):
            cpu_name = repair(device)
            usable = usable and cpu_name is not None
            self.description += f" (its CPU name repaired: {cpu_name})"
            # Drivers' caches on disk know the device as "generic" still. They tell options apart,
            # so machines that share a home directory do not get each other's code.
            self._options.append(f"-DCPU_{str(cpu_name).replace('-', '_')}")
        self._is_pocl = device.platform.name == "Portable Computing Language"
        # What binaries depend on.
        self._identity = driver, device.platform.version, device.name, device.version, cpu and processor()
        self.rank = int(cpu) if usable else 2
        self._device = device
        self._context: Any = None
        self._queue: Any = None
        # OpenCL asks for a lock around a kernel's arguments and its launch. All use of the queue
        # takes it, since NVIDIA's driver crashes where threads wait for one queue at a time.
        self._lock = threading.RLock()
        self._queued = 0  # how many things were queued, and how many of them are known to be done
        self._done = 0
        self._limbo: list[Any] = []  # what the queue may still use though its owner is gone
        self._batch: list[_Launch] = []
        self._few = True  # nothing larger than a batch was queued since somebody waited,
        self._last: Any = None  # and this is the event of the last launch
        self.pool = Pool(name, self.memory, self.max_alloc, self._create, self.wait)

    def _open(self) -> tuple[Any, Any]:
        """Return context and queue, made at first use because they cost time and memory."""
        with self._lock:
            if self._queue is None:
                self._context = cl.Context([self._device])
                self._queue = cl.CommandQueue(self._context)
        return self._context, self._queue

    def _create(self, size: int) -> Block:
        """Make a block for the pool."""
        if self.host_shared:
            room = np.empty(size + ALIGNMENT, np.uint8)
            first = -room.ctypes.data % ALIGNMENT
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
        """Make a driver's buffer of host memory."""
        flags = cl.mem_flags.READ_WRITE if host.flags.writeable else cl.mem_flags.READ_ONLY
        try:
            return cl.Buffer(self._open()[0], flags | cl.mem_flags.USE_HOST_PTR, hostbuf=host)
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
        aligned = memory.ctypes.data % ALIGNMENT == 0
        return Buffer(memory.nbytes, self._wrap(memory), memory, self._limbo, aligned)

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("upload", host)
        if not host.nbytes:
            return
        if host.nbytes <= STAGED and self._queued != self._done:
            if len(self._limbo) > LIMBO:
                self.wait()
            event = self._transfer(buffer, host.copy(), dst_offset=offset, is_blocking=False)
            self._limbo.append(event)  # it keeps the copy alive
        elif buffer.host is not None:
            self.wait()
            buffer.host[offset : offset + host.nbytes] = host.reshape(-1).view(np.uint8)
        else:
            self._transfer(buffer, host, dst_offset=offset, is_blocking=True)

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("download", host)
        if not host.nbytes:
            return
        if buffer.host is not None:
            self.wait()
            host.reshape(-1).view(np.uint8)[:] = buffer.host[offset : offset + host.nbytes]
        else:
            self._transfer(host, buffer, src_offset=offset, is_blocking=True)

    def copy(
        self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int
    ) -> None:
        if nbytes:
            self._transfer(
                target,
                source,
                src_offset=source_offset,
                dst_offset=target_offset,
                byte_count=nbytes,
            )

    def _transfer(self, target: Any, source: Any, **options: Any) -> Any:
        """Queue a copy from or to a buffer, and return its event."""
        ends = [end.handle if isinstance(end, Buffer) else end for end in (target, source)]
        try:
            with self._lock:
                self._submit()
                event = cl.enqueue_copy(self._queue, *ends, **options)
                self._queued += 1
                self._few = False
        except cl.Error as error:
            raise DeviceError(f"{self}: copy: {error}") from None
        return event

    def host_view(self, buffer: Buffer) -> HostArray:
        if not self.host_shared:
            raise self._not_shared("host_view")
        self.wait()
        return np.asarray(buffer)

    def address(self, buffer: Buffer) -> int:
        return int(buffer.handle.int_ptr)

    def compile(self, source: str, name: str) -> Kernel:
        text = self.prelude + source
        self._show(source, name, "cl")
        self._open()
        started = time.perf_counter()
        try:
            program = self._program_of_pocl(text) if self._is_pocl else self._program(text)
            handle = cl.Kernel(program, name)
        except cl.Error as error:
            raise KernelBuildError(self, name, source, str(error)) from None
        self.compile_seconds += time.perf_counter() - started
        self.kernels_compiled += 1
        if config.debug > 4:
            log = program.get_build_info(self._device, cl.program_build_info.LOG)
            print(f"{self}: {name}: {log}", file=sys.stderr)
        return Kernel(name, handle)

    def _program(self, text: str) -> Any:
        """Load a program from disk or else compile it, and keep it there."""
        key = binaries.key_of("OpenCL", self._identity, self._options, text)
        image = binaries.load(key)
        if image is not None:
            with contextlib.suppress(cl.Error):  # a driver may refuse what it made
                return self._built(cl.Program(self._context, [self._device], [image]))
        program = self._built(cl.Program(self._context, text))
        (image,) = program.get_info(cl.program_info.BINARIES)
        binaries.keep(key, image)
        return program

    def _program_of_pocl(self, text: str) -> Any:
        """Leave the cache to PoCL's own: to hand out a binary, it compiles once more, for groups of any size.

        There, the second of two processes that made the same program at once deletes the first's file before it writes
        its own; the third then fails, without an error in the log, because it has none to delete.
        """
        for _ in range(POCL_TRIES - 1):
            with contextlib.suppress(cl.Error):
                return self._built(cl.Program(self._context, text))
        return self._built(cl.Program(self._context, text))

    def _built(self, program: Any) -> Any:
        with _compiling, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pyopencl warns if a compiler says anything
            # Without pyopencl's cache, which unpickles what it finds.
            return program.build(self._options, cache_dir=False)

    def launch(
        self,
        kernel: Kernel,
        groups: int,
        group: int,
        buffers: Sequence[Buffer],
        parameters: bytes,
    ) -> None:
        if not groups:
            return
        with self._lock:
            self._batch.append((kernel, groups * group, group, buffers, parameters))
            self._queued += 1
            if groups > FEW_GROUPS or not self.host_shared:
                self._few = False
                self._submit()
            elif len(self._batch) >= BATCH:
                self._submit()
        if self._queued - self._done > DEPTH:
            self.wait()

    def prepare(self, kernel: Kernel, group: int, buffers: int, parameters: bytes) -> None:
        if not self._is_pocl:
            return
        # PoCL makes machine code at the first launch with a size of groups. The launch is of a handle of its own:
        # arguments belong to a handle, and others may launch the kernel meanwhile.
        try:
            queue, nowhere = cl.CommandQueue(self._open()[0]), self.alloc(ALIGNMENT)
            own = Kernel(kernel.name, cl.Kernel(kernel.handle.program, kernel.name))
            self._enqueue(queue, own, group, group, [nowhere] * buffers, parameters)
            queue.finish()
        except cl.Error as error:
            raise DeviceError(f"{self}: preparation of {kernel.name}: {error}") from None

    def _submit(self) -> None:
        """Hand the launches that wait over to the driver; the lock is held."""
        while self._batch:
            launch = self._batch.pop(0)
            try:
                self._last = self._enqueue(self._queue, *launch)
            except cl.MemoryError:  # some drivers provide memory no earlier than now
                self.pool.trim()
                try:
                    self._last = self._enqueue(self._queue, *launch)
                except cl.MemoryError as error:
                    raise self._no_room(launch[0], error) from None
            except cl.Error as error:
                raise DeviceError(f"{self}: launch of {launch[0].name}: {error}") from None

    @staticmethod
    def _enqueue(
        queue: Any, kernel: Kernel, items: int, group: int, buffers: Sequence[Buffer], parameters: bytes
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
        return _enqueue(queue, handle, (items,), (group,))

    def wait(self) -> None:
        if self._queued == self._done and not self._limbo:
            return
        with self._lock:
            gone = self._limbo[:]
            del self._limbo[: len(gone)]
            try:
                if self._queue is not None:
                    self._submit()
                    if self._few and self._last is not None:
                        self._look()
                    self._queue.finish()
            except cl.Error as error:
                raise DeviceError(f"{self}: {error}") from None
            self._done = self._queued
            self._few, self._last = True, None
        gone.clear()

    def _look(self) -> None:
        """Return when the last launch is done, or has taken long."""
        self._queue.flush()
        end = time.perf_counter() + LOOK
        while self._last.command_execution_status > COMPLETE and time.perf_counter() < end:
            pass


def processor() -> str:
    """What the processor can do, which a driver's name for it leaves open; empty where the system does not tell."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        return ""


def _prelude(lanes: int, double: bool) -> str:
    """Return the dialect's text for a device."""
    extension = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if double else ""
    return f"#define LANES {lanes}\n{extension}{dialect('opencl_prelude.h')}"
