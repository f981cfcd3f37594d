"""Compiling for OpenCL: from text, from binaries on disk, or with the cache that PoCL keeps itself."""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Collection
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from ..config import config, log
from . import binaries, opencl_pocl
from .base import UNNAMED, DeviceError, KernelBuildError, numbered
from .locks import module_lock
from .matrix_units import nvidia_fragments

if TYPE_CHECKING:
    from .opencl import OpenCLDevice

POCL_TRIES = 3

CORRECTLY_ROUNDED = 1 << 7  # CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, a bit of single_fp_config

# The errors of a driver that does not find a kernel that it has compiled.
_LOST = re.compile("INVALID_(KERNEL_NAME|BINARY|PROGRAM|PROGRAM_EXECUTABLE)$")

_compiling = module_lock(globals(), "_compiling")  # of drivers, which build one program at a time
_building: ContextVar[bool] = ContextVar("_building", default=False)


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
def _keep_output_silent() -> None:
    """Let pyopencl not warn of a compiler's output while this library builds a program.

    Filters of warnings are the whole process's. So a thread that compiles in the background may set none.
    """
    warn = cl.compiler_output

    def compiler_output(text: str) -> None:
        if not _building.get():
            warn(text)

    cl.compiler_output = compiler_output


@cache
def _keep_invokers_in_memory() -> None:
    """Let pyopencl keep that code in memory.

    By default pyopencl keeps it in a database in the user's cache folder, which is opened with the first kernel. Then
    no kernel could be made where the folder cannot be written to, on a full disk, or where the database was damaged.
    """
    before = cl._PYOPENCL_NO_CACHE
    cl._PYOPENCL_NO_CACHE = True  # so that the import does not open the database
    try:
        invoker = importlib.import_module("pyopencl.invoker")
    finally:
        cl._PYOPENCL_NO_CACHE = before
    invoker.invoker_cache = _Invokers()  # type: ignore[attr-defined]


def renumbered(said: str, source: str, first: int) -> str:
    """Return a compiler's log with the places that ``#line`` gives to lines. NVIDIA's compiler counts the lines of the
    whole text instead, in which the source begins with a ``first`` one."""
    places = [f"{name}:{number}:" for name, number, _ in numbered(source, first)]

    def placed(match: re.Match[str]) -> str:
        line = int(match[1]) - first
        return places[line] if 0 <= line < len(places) else match[0]

    return re.sub(rf"{UNNAMED}:(\d+):", placed, said)


def kernel_of(program: Any, name: str) -> Any:
    """Return the kernel of a program.

    pyopencl asks a program for its source, and looks for a kernel of that name where there is none. That runs Python
    code, and exceptions that are raised there are lost, interrupts too. So a program from a binary gets a source.

    The kernel is not taken from ``all_kernels``, whose kernels are never freed.
    """
    if "_source" not in vars(program):
        program._source = ""
    return cl.Kernel(program, name)


class OpenCLCompiler:
    """The compiler of a device: its options, and where its binaries are kept.

    ``identity``: facts on which binaries depend, in addition to options and text. ``cache``: the folder of this library
    in which PoCL keeps its binaries.
    """

    def __init__(self, device: OpenCLDevice, extensions: Collection[str], cache: Path | None):
        facts = device._device
        self._device = device
        self._cache = cache
        self.is_pocl = device.platform == opencl_pocl.PLATFORM
        self.options = ["-cl-std=CL1.2", "-w"]  # PoCL prints warnings, such as of vectors that a processor lacks
        if "f64" not in device.dtypes:
            self.options.append("-cl-single-precision-constant")
        if facts.single_fp_config & CORRECTLY_ROUNDED:
            self.options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        if "cl_nv_device_attribute_query" in extensions:
            capability = 10 * facts.compute_capability_major_nv + facts.compute_capability_minor_nv
            self.options.append(f"-DCUDA_ARCH={10 * capability}")
            device.fragments = nvidia_fragments(capability)
        llvm_name = opencl_pocl.llvm_name(facts)
        better = llvm_name and opencl_pocl.repair(facts, llvm_name)
        if better:
            device.description += f" (the processor's name, {llvm_name}, repaired: {better})"
            # Drivers' caches on disk know the device by its former name, but keep options separate, as in shared homes.
            self.options.append(f"-DCPU_{better.replace('-', '_')}")
        driver = f"{device.platform} {device.driver_version}"
        self.identity = (
            driver,
            facts.platform.version,
            facts.name,
            facts.version,
            device.kind == "cpu" and binaries.processor(),
        )

    def build(self, device: OpenCLDevice, source: str, name: str) -> Any:
        """Return the driver's kernel of a text that follows the prelude; KernelBuildError, DeviceError."""
        text, context = device.prelude + source, device._open()[0]
        try:
            program, kernel = self._by_pocl(context, text, name) if self.is_pocl else self._by_disk(context, text, name)
        except cl.Error as error:
            if _LOST.search(str(error)):
                raise DeviceError(
                    f"{device}: kernel {name}: {error}. This is an error of the driver, {device.description}, "
                    f"or of the files that it keeps on disk: delete {self._cache or 'its cache'}"
                ) from None
            said = str(error)
            if "NVIDIA" in device._device.vendor:
                said = renumbered(said, source, device.prelude.count("\n") + 1)
            raise KernelBuildError(device, name, source, said) from None
        if config.debug > 4:
            said = program.get_build_info(device._device, cl.program_build_info.LOG)
            log(f"{device}: {name}: {said}")
        return kernel

    def has_binary(self, text: str) -> bool:
        """Return whether the binary of a text is on disk."""
        return binaries.is_kept(self._key_of(text))

    def _key_of(self, text: str) -> bytes:
        return binaries.key_of("OpenCL", self.identity, self.options, text)

    def _by_disk(self, context: Any, text: str, name: str) -> tuple[Any, Any]:
        """Return program and kernel, loaded from disk or otherwise compiled, and keep the program there."""
        key = self._key_of(text)
        image = binaries.load(key)
        if image is not None:
            with contextlib.suppress(cl.Error):  # a driver may refuse its own binary
                return self._built(cl.Program(context, [self._device._device], [image]), name)
        program, kernel = self._built(cl.Program(context, text), name)
        (image,) = program.get_info(cl.program_info.BINARIES)
        binaries.keep(key, image)
        return program, kernel

    def _by_pocl(self, context: Any, text: str, name: str) -> tuple[Any, Any]:
        """Return program and kernel, which PoCL keeps in its own cache.

        To hand out a binary, PoCL compiles once more, for groups of any size. In its cache the second of two processes
        that make the same program at once deletes the first's file before it writes its own. The third then fails,
        without an error in the log, because it has no file to delete. And PoCL takes a file that a process left
        half-written for a whole one.
        """
        if self._cache is not None:
            opencl_pocl.enter(self._cache)
        for _ in range(POCL_TRIES - 1):
            with contextlib.suppress(cl.Error):
                built = self._built(cl.Program(context, text), name)
                if self._cache is not None and not self.has_binary(text):
                    binaries.keep(self._key_of(text), b"")  # the binary itself is in PoCL's cache
                return built
            if self._cache is not None:
                opencl_pocl.clean(self._cache)
        return self._built(cl.Program(context, text), name)

    def _built(self, program: Any, name: str) -> tuple[Any, Any]:
        """Build a program; return it and its kernel."""
        with _compiling:
            _keep_invokers_in_memory()
            _keep_output_silent()
            building = _building.set(True)
            try:
                # Without pyopencl's cache, which unpickles the files that it finds.
                program.build(self.options, cache_dir=False)
            finally:
                _building.reset(building)
        return program, kernel_of(program, name)
