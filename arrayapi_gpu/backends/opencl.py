"""The OpenCL back end, on pyopencl: GPUs, and CPUs through PoCL or Intel's runtime.

On a CPU the memory of a buffer is a NumPy array that the driver is told to use, so the host sees it without a copy. That
is stricter than what OpenCL promises (it wants the buffer mapped); the tests hold each driver to it.
"""

from __future__ import annotations

import importlib.resources
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

from ..config import config
from .base import DTYPES, KDL_CPU, KDL_OPENCL, Buffer, Device, DeviceError, HostArray, Kernel, KernelBuildError
from .opencl_icd import platforms
from .opencl_pocl import is_generic, repair
from .pool import Block, Pool

PAGE = 4096
STAGED = 1 << 16  # bytes of an upload up to which copying it aside is cheaper than waiting for the queue
LIMBO = 64  # how many things may wait for the queue to be done with them

_CORRECTLY_ROUNDED = 1 << 7  # CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, a bit of single_fp_config

_enqueue = cl.enqueue_nd_range_kernel


def discover() -> list[Device]:
    """Every OpenCL device, in the order of the driver's loader: platform by platform."""
    found: list[Device] = []
    for number, platform in enumerate(platforms()):
        try:
            devices = platform.get_devices()
        except cl.Error:  # a platform without devices
            continue
        found += [OpenCLDevice(f"opencl:{number}:{index}", device) for index, device in enumerate(devices)]
    return found


class OpenCLDevice(Device):
    """A device of an OpenCL platform."""

    def __init__(self, name: str, device: Any):
        cpu = bool(device.type & cl.device_type.CPU) and not device.type & cl.device_type.GPU
        self.name = name
        self.description = f"{device.name.strip()}, {device.platform.name.strip()}, {device.driver_version}"
        self.lanes, self.unroll = (16, 1) if cpu else (1, 4)
        self.host_shared = cpu
        doubles = bool(device.double_fp_config) and "cl_khr_fp64" in device.extensions.split()
        self.dtypes = DTYPES if doubles else DTYPES - {"f64", "c128"}
        self.memory = device.global_mem_size
        self.max_alloc = device.max_mem_alloc_size
        self.local_memory = device.local_mem_size
        self.max_group = min(device.max_work_group_size, device.max_work_item_sizes[0])
        self.parameter_bytes = device.max_parameter_size
        self.compute_units = device.max_compute_units
        self.dlpack = (KDL_CPU, 0) if cpu else (KDL_OPENCL, int(name.rpartition(":")[2]))
        options = ["-cl-std=CL1.2"]
        if device.single_fp_config & _CORRECTLY_ROUNDED:
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        usable = bool(device.available and device.compiler_available)
        if is_generic(device):
            cpu_name = repair(device)
            usable = usable and cpu_name is not None
            # Both disk caches key by the options; the CPU's name keeps machines that share a home directory apart.
            options.append(f"-DREPAIRED_FOR_{str(cpu_name).upper().replace('-', '_')}")
            self.description += f" (repaired: {cpu_name})"
        self.rank = int(cpu) if usable else 2
        self._options = options
        self._context = cl.Context([device])
        self._queue = cl.CommandQueue(self._context)
        self._lock = threading.Lock()
        self._launched = 0  # how much was queued, and how much of it is known to be done
        self._finished = 0
        self._limbo: list[Any] = []  # what the queue may still use, though its owner is gone
        self._pool = Pool(name, self.memory, self.max_alloc, self._create, self.wait)
        text = importlib.resources.files(__package__).joinpath("opencl_prelude.h").read_text("utf-8")
        pragma = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" if doubles else ""
        self.prelude = f"#define LANES {self.lanes}\n{pragma}{text}\n"

    # Memory

    def _create(self, size: int) -> Block:
        if self.host_shared:
            raw = np.empty(size + PAGE, np.uint8)
            start = -raw.ctypes.data % PAGE
            host = raw[start : start + size]
            return self._wrap(host, cl.mem_flags.READ_WRITE), host
        try:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size), None
        except cl.MemoryError as error:
            raise MemoryError(str(error)) from None
        except cl.Error as error:
            raise DeviceError(f"{self.name}: {error}") from None

    def _wrap(self, host: HostArray, access: int) -> Any:
        try:
            return cl.Buffer(self._context, access | cl.mem_flags.USE_HOST_PTR, hostbuf=host)
        except cl.MemoryError as error:
            raise MemoryError(str(error)) from None
        except cl.Error as error:
            raise DeviceError(f"{self.name}: {error}") from None

    def alloc(self, nbytes: int) -> Buffer:
        return self._pool.alloc(nbytes)

    def adopt(self, host: HostArray) -> Buffer:
        self._check_shared("adopt")
        if not host.flags.c_contiguous:
            raise ValueError(f"{self.name}: adopt takes a C-contiguous array; strides are {host.strides}")
        if not host.nbytes:
            return self.alloc(0)
        if host.nbytes > self.max_alloc:
            raise MemoryError(f"{self.name}: {host.nbytes} bytes to adopt; {self.max_alloc} are allowed in one array")
        if len(self._limbo) > LIMBO:
            self.wait()
        host = host.reshape(-1).view(np.uint8)
        access = cl.mem_flags.READ_WRITE if host.flags.writeable else cl.mem_flags.READ_ONLY
        return Buffer(host.nbytes, self._wrap(host, access), host, self._limbo)

    def upload(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        if not host.nbytes:
            return
        done = self._launched == self._finished
        if host.nbytes <= STAGED and not done:
            if len(self._limbo) > LIMBO:
                self.wait()
            with self._lock:
                event = self._transfer(buffer, host.copy(), dst_offset=offset, is_blocking=False)
                self._launched += 1
                self._limbo.append(event)  # it holds the copy
        elif buffer.host is not None:
            self.wait()
            buffer.host[offset : offset + host.nbytes] = host.reshape(-1).view(np.uint8)
        else:
            self._transfer(buffer, host, dst_offset=offset, is_blocking=True)

    def download(self, buffer: Buffer, offset: int, host: HostArray) -> None:
        if not host.flags.c_contiguous:
            raise ValueError(f"{self.name}: download takes a C-contiguous array; strides are {host.strides}")
        if not host.nbytes:
            return
        if buffer.host is not None:
            self.wait()
            host.reshape(-1).view(np.uint8)[:] = buffer.host[offset : offset + host.nbytes]
        else:
            self._transfer(host, buffer, src_offset=offset, is_blocking=True)

    def copy(self, source: Buffer, source_offset: int, target: Buffer, target_offset: int, nbytes: int) -> None:
        if not nbytes:
            return
        with self._lock:
            self._transfer(
                target, source, src_offset=source_offset, dst_offset=target_offset, byte_count=nbytes
            )
            self._launched += 1

    def _transfer(self, target: Buffer | HostArray, source: Buffer | HostArray, **options: Any) -> Any:
        ends = [end.handle if isinstance(end, Buffer) else end for end in (target, source)]
        try:
            return cl.enqueue_copy(self._queue, *ends, **options)
        except cl.Error as error:
            raise DeviceError(f"{self.name}: copy: {error}") from None

    def host_view(self, buffer: Buffer) -> HostArray:
        self._check_shared("host_view")
        self.wait()
        return np.asarray(buffer)

    def _check_shared(self, verb: str) -> None:
        if not self.host_shared:
            raise DeviceError(f"{self.name}: {verb}: the memory of this device is not host memory; use upload, download")

    def trim(self) -> None:
        self._pool.trim()

    @property
    def live_bytes(self) -> int:
        return self._pool.live

    @property
    def cached_bytes(self) -> int:
        return self._pool.cached

    # Kernels

    def compile(self, source: str, name: str) -> Kernel:
        text = self.prelude + source
        if config.debug > 3:
            print(text, file=sys.stderr)
        if config.dump is not None:
            folder = Path(config.dump)
            folder.mkdir(parents=True, exist_ok=True)
            stem = f"{self.kernels_compiled:04}-{name}-{self.name.replace(':', '-')}"
            (folder / f"{stem}.cl").write_text(text, encoding="utf-8")
        started = time.perf_counter()
        program = cl.Program(self._context, text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # pyopencl warns when a compiler says anything at all
                program = program.build(self._options, cache_dir=config.cache_dir)
            kernel = cl.Kernel(program, name)
        except cl.Error as error:
            raise KernelBuildError(self, name, text, str(error)) from None
        self.compile_seconds += time.perf_counter() - started
        self.kernels_compiled += 1
        if config.debug > 4:
            for device in self._context.devices:
                print(program.get_build_info(device, cl.program_build_info.LOG), file=sys.stderr)
        return Kernel(name, kernel)

    def launch(
        self, kernel: Kernel, groups: int, group: int, buffers: Sequence[Buffer], parameters: bytes
    ) -> None:
        handle = kernel.handle
        set_argument = handle.set_arg
        number = 0
        try:
            with self._lock:  # the arguments of a kernel are its state
                for buffer in buffers:
                    set_argument(number, buffer.handle)
                    number += 1
                if parameters:
                    handle._set_arg_buf(number, parameters)
                _enqueue(self._queue, handle, (groups * group,), (group,))
                self._launched += 1
        except cl.Error as error:
            raise self._refused(kernel, error) from None

    def _refused(self, kernel: Kernel, error: Exception) -> Exception:
        if isinstance(error, cl.MemoryError):
            return MemoryError(f"{self.name}: launch of {kernel.name}: {error}; {self.live_bytes} bytes in live arrays")
        return DeviceError(f"{self.name}: launch of {kernel.name}: {error}")

    def wait(self) -> None:
        launched = self._launched
        if launched == self._finished and not self._limbo:
            return
        with self._lock:
            gone = self._limbo[:]
            del self._limbo[: len(gone)]
        try:
            self._queue.finish()
        except cl.Error as error:
            raise DeviceError(f"{self.name}: {error}") from None
        self._finished = launched
        gone.clear()
