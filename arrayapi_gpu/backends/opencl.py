"""The OpenCL back end, on pyopencl: GPUs, and CPUs through PoCL or Intel's runtime.

On a CPU a buffer is a NumPy array that the driver has to use (CL_MEM_USE_HOST_PTR), and the host reads it as it is when
the queue is empty. OpenCL promises this only for mapped buffers, so the tests check it for every driver.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections.abc import Callable, Collection, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from ..config import config
from . import opencl_library, opencl_trial
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
    dialect,
    let_go,
)
from .exposures import Exposure
from .host_memory import HOST_ALIGNMENT
from .opencl_compiler import OpenCLCompiler, kernel_of
from .opencl_icd import launch_functions, library_of, platforms, pocl_folder
from .opencl_library import OpenCLLibrary
from .opencl_memory import borrowed, created, follow, page_locked, wrapped
from .opencl_side_queue import OpenCLSideQueue
from .opencl_timer import OpenCLTimer
from .pool import Pool
from .refusing import refuse_from_now_on
from .spilling import Spilling

try:
    from .launching import DirectLaunch, OpenCLQueue
except ImportError:  # in the Python form
    DirectLaunch = OpenCLQueue = None  # type: ignore[assignment,misc]

STAGED = 1 << 16  # bytes up to which copying an upload aside is cheaper than waiting
LIMBO = 16  # objects that may outlive their owners before a verb waits for the queue
QUEUE_DEPTH = 1024  # launches that the queue may hold; drivers keep some memory for each
# Where only launches of so few groups are queued, the host asks for so many seconds whether they are done before
# it sleeps, because waking it costs as much as a small kernel. A thread that waits for Intel's runtime computes for it,
# so asking would only keep a core from the computation.
FEW_GROUPS = 4
LOOK = 1e-4
LIGHT = 1 << 18  # bytes with which queued launches are small, which take about as long as a launch itself
COMPLETE = cl.command_execution_status.COMPLETE

_enqueue = cl.enqueue_nd_range_kernel


def discover() -> list[Device]:
    """Return every OpenCL device, preferred ones first; names count in the loader's order."""
    found: list[OpenCLDevice] = []
    cache = pocl_folder() if config.cache else None
    for number, (_, devices) in enumerate(platforms()):
        for index, device in enumerate(devices):
            found.append(OpenCLDevice(f"opencl:{number}:{index}", device, len(found), cache))
    found.sort(key=_preference)
    return [*found]


def _preference(device: OpenCLDevice) -> tuple[Any, ...]:
    """Return a key for sorting: of drivers on the CPU, Intel's comes first, because it compiles fastest, and of two
    versions of a driver the newer one.

    Otherwise the loader's order holds.
    """
    if device.kind != "cpu":
        return (0,)
    number = re.match(r"[0-9.]*", device.driver_version)
    version = [int(part) for part in number[0].split(".") if part] if number else []
    return 1, "Intel" not in device.platform, device.platform, [-part for part in version]


class OpenCLDevice(Device):
    """A device of an OpenCL platform; ``number`` counts them over all platforms.

    ``cache``: the folder of this library in which PoCL keeps its binaries. The device is used as if it lacked the
    extensions ``without``, for tests.
    """

    extension = "cl"

    def __init__(self, name: str, device: Any, number: int, cache: Path | None = None, without: Collection[str] = ()):
        cpu = bool(device.type & cl.device_type.CPU) and not device.type & cl.device_type.GPU
        extensions = set(device.extensions.split()).difference(without)
        double = bool(device.double_fp_config) and "cl_khr_fp64" in extensions
        self.platform, self.driver_version = device.platform.name.strip(), device.driver_version.strip()
        self.name = name
        self.kind = "cpu" if cpu else "gpu"
        self.description = f"{device.name.strip()}, {self.platform} {self.driver_version}"
        self.lanes, self.is_gpu = (16, False) if cpu else (1, True)
        self.vector_bytes = 4 * max(1, device.native_vector_width_float)
        # OpenCL does not promise it. NVIDIA's GPUs have it with any driver, and so do an operating system's threads.
        # Groups that wait for each other read 64 bits at once, which needs atomics of 64 bits.
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
        self.concurrent_groups = 1 if cpu or not self.forward_progress else self.compute_units
        self.dlpack = (KDL_CPU, 0) if cpu else (KDL_OPENCL, number)
        self.library = OpenCLLibrary(self) if not cpu and opencl_library.installed() else None
        self.rank = int(cpu) if device.available and device.compiler_available else 3
        self._device, self._cache = device, cache
        self._compiler = OpenCLCompiler(self, extensions, cache)
        self._sleeps = self._compiler.is_pocl or not cpu  # the host while it waits, see `LOOK`
        self._context: Any = None
        self._queue: Any = None
        # OpenCL asks for a lock around a kernel's arguments and its launch. All uses of the queue take it, because
        # NVIDIA's driver crashes where threads wait for one queue at the same time.
        self._lock = threading.RLock()
        self._queued = self._done = 0  # how many things were queued, and how many of them are known to be done
        self._used = 0  # bytes that work queued since the last wait uses; counted where the host computes, too
        self._limbo: list[Any] = []  # objects that the queue may still use though their owners are gone
        self._few = True  # only small launches were queued since the last wait,
        self._last: Any = None  # and this is the event of the last launch, if it has one
        self._direct: OpenCLQueue | None = None  # launches without Python code, where that is possible
        self._timer: OpenCLTimer | None = None  # while something listens
        self._inwards, self._outwards = OpenCLSideQueue(self), OpenCLSideQueue(self)
        self.exposed = set()
        sizes = self.memory, self.max_alloc
        self.pool = Pool(name, *sizes, partial(created, self), self.wait, reclaim=self._take_back, lock=self._lock)
        Spilling(self, self.pool)

    @cached_property
    def problem(self) -> str | None:  # type: ignore[override]
        """Why the device must not be used: a driver on the CPU has a trial, except Oclgrind, which is too slow."""
        if self.kind != "cpu" or self.rank == 3 or self.platform == "Oclgrind":
            return None
        identity = self._compiler.identity, self._compiler.options
        return opencl_trial.problem(self, library_of(self._device.platform), identity)

    def _open(self) -> tuple[Any, Any]:
        """Return context and queue, made at first use because they cost time and memory."""
        with self._lock:
            if self._queue is None:
                self._work_in(cl.Context([self._device]))
        return self._context, self._queue

    def _work_in(self, context: Any) -> None:
        """Make the queue, in a context that is the device's from now on."""
        self._context, self._queue = context, cl.CommandQueue(context)
        self._direct = _queue_of(self)

    def facts(self) -> Facts:
        context, device = self._open()[0], self._device
        first, second, third = [min(n, self.max_group) for n in device.max_work_item_sizes[:3]]
        free = max(0, self.memory - self.live_bytes - self.cached_bytes)  # OpenCL knows of no other programs
        identity = int(context.int_ptr), f"{device.name.strip()} {self.driver_version}", _bus_of(device)
        return Facts(*identity, (first, second, third), (INT32_MAX,) * 3, free)

    def take_context(self, handle: int) -> bool:
        with self._lock:
            if self._context is not None and self._context.int_ptr == handle:
                return True
            context = cl.Context.from_int_ptr(handle)
            if [self._device] != context.devices:
                return False
            if self._context is not None:
                raise DeviceError(
                    f"{self}: got another context; arrays are in one already; wrap it before the first array is made"
                )
            self._work_in(context)
        return True

    def adopt(self, host: HostArray) -> Buffer:
        if not self.host_shared:
            return super().adopt(host)
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
        return Buffer(memory.nbytes, Block(wrapped(self, memory), memory, self._limbo), aligned)

    def borrow(self, handle: Any, queue: Any) -> tuple[Buffer, bool] | None:
        if isinstance(handle, int):
            handle = cl.Buffer.from_int_ptr(handle)
        if not isinstance(handle, cl.MemoryObjectHolder) or handle.context != self._context:
            return None
        if len(self._limbo) > LIMBO:
            self.wait()
        return borrowed(self, handle, queue)

    def hand_out(self, buffer: Buffer) -> None:
        block = self.fix(buffer).block
        self.pool.forget(block, self._limbo)  # otherwise the next array would use it when this one is gone
        buffer.give = block.give

    def address_of_bytes(self, buffer: Buffer) -> int | None:
        if buffer.host is not None:
            return super().address_of_bytes(buffer)
        handle = buffer.handle  # two may be parts of one
        return (int((handle.associated_memobject or handle).int_ptr) << 64) + int(handle.offset)

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("upload", host)
        if not host.nbytes:
            return
        follow(self, buffer.block)
        if host.nbytes <= STAGED and self._queued != self._done:
            if len(self._limbo) > LIMBO:
                self.wait()
            event = self._transfer(buffer, host.copy(), dst_offset=offset, is_blocking=False)
            self._limbo.append(event)  # it keeps the copy alive
            if buffer.exposed:
                self.wait()
        elif buffer.host is not None:
            self.wait()
            buffer.host[offset : offset + host.nbytes] = host.reshape(-1).view(np.uint8)
        else:
            self._transfer(buffer, host, dst_offset=offset, is_blocking=True)

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        self._check_contiguous("download", host)
        if not host.nbytes:
            return
        follow(self, buffer.block)
        if buffer.host is not None:
            self.wait()
            host.reshape(-1).view(np.uint8)[:] = buffer.host[offset : offset + host.nbytes]
        else:
            self._transfer(host, buffer, src_offset=offset, is_blocking=True)

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
            return super().host_view(buffer)
        follow(self, buffer.block)
        view = np.asarray(buffer) if exposure is None else exposure.host_bytes()  # which may queue a copy first
        self.wait()
        return view

    def address(self, buffer: Buffer) -> int:
        return int(self.fix(buffer).handle.int_ptr)

    def build(self, source: str, name: str) -> Any:
        return self._compiler.build(self, source, name)

    def has_binary(self, source: str, name: str) -> bool:
        return self._compiler.has_binary(self.prelude + source)

    def launch(self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes) -> None:
        if not groups:
            return
        if self._direct is not None and self._direct.launch(kernel.handle.int_ptr, groups, group, buffers, parameters):
            return
        if self.exposed:
            for buffer in buffers:
                follow(self, buffer.block)
        try:
            with self._lock:
                if groups > FEW_GROUPS:
                    self._few = False
                if self.computes_on_host:
                    for buffer in buffers:
                        self._used += buffer.nbytes
                try:
                    self._last = self._enqueue(self._queue, kernel, groups * group, group, buffers, parameters)
                except cl.MemoryError:  # some drivers provide memory only now
                    self.pool.trim()
                    self._last = self._enqueue(self._queue, kernel, groups * group, group, buffers, parameters)
                if self._timer is not None and self._timer.events is not None:
                    self._timer.events.append(self._last)
        except cl.MemoryError as error:
            raise self._no_room(kernel, error) from None
        except cl.Error as error:
            raise DeviceError(f"{self}: launch of {kernel.name}: {error}") from None
        if self.exposed and any([buffer.exposed for buffer in buffers]):  # other code sees it, see `Exposure`
            self.wait()
        if self._queued - self._done > QUEUE_DEPTH:
            self.wait()

    def bind(
        self, kernel: Kernel, groups: int, group: int, buffers: int, parameters: bytes
    ) -> Callable[[Sequence[Buffer]], None]:
        repeat = super().bind(kernel, groups, group, buffers, parameters)
        if self._direct is None or not groups:
            return repeat
        own = kernel.handle
        return DirectLaunch(self._direct, own, own.int_ptr, groups, group, buffers, parameters, repeat)

    def prepare(self, kernel: Kernel, group: int, buffers: int, parameters: bytes) -> None:
        if not self._compiler.is_pocl:
            return
        # PoCL makes machine code at the first launch with a size of groups. The launch has a separate handle, because
        # arguments belong to a handle, and other threads may launch the kernel meanwhile.
        try:
            queue, nowhere = cl.CommandQueue(self._open()[0]), self.alloc(HOST_ALIGNMENT)
            own = Kernel(kernel.name, kernel_of(kernel.handle.program, kernel.name))
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

    def queue_work(self, work: Callable[[Any], None]) -> None:
        """Let ``work`` of another library use the queue, which it takes. Its errors are the caller's."""
        queue = self._open()[1]
        with self._lock:
            self._few = False
            self._queued += 1
            work(queue)
            self._last = cl.enqueue_marker(queue)

    def wait(self) -> None:
        if self._queued == self._done and not self._limbo:
            return
        with self._lock:
            queued, held = self._queued, len(self._limbo)
            try:
                if self._queue is not None:
                    if self._last is None and not self.computes_on_host and queued != self._done:
                        self._last = cl.enqueue_marker(self._queue)  # says whether a launch without an event failed
                    if self._sleeps and self._few and self._last is not None:
                        self._look()
                    self._queue.finish()
            except cl.Error as error:
                raise _failure(self, error) from None
            self._done = queued
            self._few, self._last, self._used = True, None, 0
            gone = self._limbo[:held]
            del self._limbo[:held]
        let_go(gone)  # outside of the lock, since the destructors of others run here

    def timer(self) -> OpenCLTimer:
        return OpenCLTimer(self)

    def rests(self) -> bool:
        if self._queued == self._done and not self._limbo:
            return True
        last = self._last
        if self._used <= LIGHT or (last is not None and last.command_execution_status == COMPLETE):
            self.wait()
            return True
        return False

    def _look(self) -> None:
        """Return when the last launch is done, or after `LOOK` seconds."""
        self._queue.flush()
        end = time.perf_counter() + LOOK
        while self._last.command_execution_status > COMPLETE and time.perf_counter() < end:
            pass


def _queue_of(device: OpenCLDevice) -> OpenCLQueue | None:
    """Return the launches in the queue of a device without Python code; None where that is not possible."""
    if OpenCLQueue is None or (functions := launch_functions()) is None:
        return None
    # Where the host computes, `rests` asks the event of the last launch whether it is done.
    event = cl.Event.from_int_ptr if device.computes_on_host else None
    return OpenCLQueue(functions[0], functions[1], device, QUEUE_DEPTH, FEW_GROUPS, event)


def _failure(device: OpenCLDevice, error: cl.Error) -> DeviceError:
    """Return the error of a queue that did not come to its end."""
    text = f"a kernel failed while it ran ({error}); its results are lost, and perhaps others: restart the program"
    with contextlib.suppress(cl.Error):
        if device._last is None or device._last.command_execution_status >= COMPLETE:
            return DeviceError(f"{device}: {error}")  # only the wait failed, which can be repeated
    refuse_from_now_on(device, text)
    return DeviceError(f"{device}: {text}")


def _bus_of(device: Any) -> str:
    """Return where a device is plugged in; an empty text where the driver does not report it."""
    if "NVIDIA" in device.vendor:
        with contextlib.suppress(cl.Error, AttributeError):
            return f"0000:{device.pci_bus_id_nv:02x}:{device.pci_slot_id_nv >> 3:02x}.0"
    return ""


def _prelude(lanes: int, double: bool) -> str:
    """Return the dialect's text for a device."""
    extension = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if double else "#undef cl_khr_fp64\n"
    return f"#define LANES {lanes}\n{extension}{dialect('opencl_prelude.h')}"
