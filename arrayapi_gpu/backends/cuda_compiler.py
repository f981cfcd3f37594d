"""Compiling for CUDA: NVRTC, a compiler of the program, and the modules that the driver makes of binaries."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cupy_backends.cuda.api import driver, runtime
from cupy_backends.cuda.api.driver import CUDADriverError
from cupy_backends.cuda.libs import nvrtc

from ..config import config, log
from . import binaries
from .base import DeviceError, KernelBuildError, dialect
from .install import INSTALL

if TYPE_CHECKING:
    from .cuda import CudaDevice

UNNEEDED = 64  # modules that wait for being unloaded together, since that takes waiting for the stream

# Exact arithmetic: nothing is contracted, / and sqrt are rounded correctly, subnormals are kept.
OPTIONS = ("--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false")


class BuildError(Exception):
    """The text does not compile; the message is the compiler's log."""


class Function:
    """A kernel of the driver, and, from its first launch on, the place of its arguments.

    The arguments lie one after the other: the addresses of ``buffers`` buffers, then a struct of ``nbytes`` bytes.
    ``pack_into`` writes them to memory, ``extra`` is the address of the structure that passes this place to the driver.
    """

    __slots__ = ("__del__", "address", "buffers", "extra", "nbytes", "pack_into")

    __del__: Callable[[], None]  # as that of `Buffer`

    def __init__(self, address: int, unload: Callable[[], None]):
        self.address = address
        self.__del__ = unload  # puts the kernel's module into the list of those to unload
        self.buffers = self.nbytes = -1
        self.pack_into: Any = None
        self.extra = 0


class CudaCompiler:
    """The compiler of a device; ``own`` is that of the program, None where NVRTC compiles."""

    def __init__(self, device: CudaDevice, capability: int):
        self._device = device
        self._capability = capability
        self.own: Callable[[bytes], bytes] | None = None
        self._unneeded: list[int] = []  # modules whose kernels are gone

    def build(self, device: CudaDevice, source: str, name: str) -> Function:
        """Return the driver's kernel of a text that follows the prelude; KernelBuildError, DeviceError."""
        if device.rank == 3:
            raise DeviceError(
                f"{device}: compilation of {name}: NVRTC, CUDA's compiler, is not installed; "
                f"install CuPy with it: {INSTALL['cuda12']}, or {INSTALL['cuda13']}"
            )
        with device._current(f"compilation of {name}"):
            try:
                module = self._module(device.prelude + source)
            except BuildError as error:
                raise KernelBuildError(device, name, source, str(error)) from None
            function = Function(driver.moduleGetFunction(module, name), partial(self._unneeded.append, module))
            self._unload()
        return function

    def has_binary(self, text: str) -> bool:
        """Return whether the binary of a text is on disk. The program's own compiler is always asked at once."""
        if self.own is not None or self._device.rank == 3:
            return True
        return binaries.is_kept(_key_of(text, architecture(self._capability)))

    def _unload(self) -> None:
        """Unload modules of kernels that are gone, after the work of these kernels, once there are many."""
        if len(self._unneeded) >= UNNEEDED:
            with self._device._settling:
                unneeded = self._unneeded[:]
                runtime.streamSynchronize(self._device._stream)
                del self._unneeded[: len(unneeded)]
                for module in unneeded:
                    driver.moduleUnload(module)

    def _module(self, text: str) -> int:
        """Load the binary of a text into the context; BuildError, CUDADriverError."""
        if self.own is not None:
            try:
                image = bytes(self.own(text.encode()))
            except Exception as error:
                raise BuildError(f"the program's compiler: {error!r}") from error
            return int(driver.moduleLoadData(image))
        target = architecture(self._capability)
        with contextlib.suppress(CUDADriverError):  # a driver may refuse a binary that another one took
            return int(driver.moduleLoadData(compiled(text, target)))
        return int(driver.moduleLoadData(compiled(text, target, again=True)))


def compiler_version() -> tuple[int, int] | None:
    """Return the version of NVRTC; None where it is not installed."""
    try:
        found: tuple[int, int] = nvrtc.getVersion()
    except (RuntimeError, OSError, ImportError):  # CuPy loads the library at the first call
        return None
    return found


def prelude() -> str:
    """Return the dialect's text before each kernel."""
    return f"#define LANES 1\n{dialect('cuda_prelude.h')}"


def ahead(target: str) -> tuple[str, Callable[[str, str], bytes]]:
    """Return the prelude, and a function that compiles the text of a kernel and its name for an architecture such as
    sm_90, whether there is such a device or not; DeviceError."""
    if compiler_version() is None:
        raise DeviceError(f"NVRTC, CUDA's compiler, is not installed; {INSTALL['cuda13']}")
    first = prelude()

    def compile_one(source: str, name: str) -> bytes:
        try:
            return compiled(first + source, target)
        except BuildError as error:
            raise DeviceError(f"{target}: {name}: {error}") from None

    return first, compile_one


def architecture(capability: int) -> str:
    """Return the target for a compute capability such as 90: itself, or an older one that the driver translates."""
    known = nvrtc.getSupportedArchs()
    return f"sm_{capability}" if capability in known else f"compute_{max(n for n in known if n < capability)}"


def compiled(text: str, target: str, again: bool = False) -> bytes:
    """Return the binary of a text, from disk unless ``again``; BuildError."""
    key = _key_of(text, target)
    image = None if again else binaries.load(key)
    if image is None:
        image = _compile(text, _options_for(target), nvrtc.getCUBIN if target.startswith("sm_") else nvrtc.getPTX)
        binaries.keep(key, image)
    return image


def _options_for(target: str) -> tuple[str, ...]:
    return (*OPTIONS, f"--gpu-architecture={target}")


def _key_of(text: str, target: str) -> bytes:
    return binaries.key_of("NVRTC", nvrtc.getVersion(), _options_for(target), text)


def _compile(text: str, options: tuple[str, ...], result: Callable[[int], bytes]) -> bytes:
    shown = options if config.debug > 4 else (*options, "--disable-warnings")
    program = nvrtc.createProgram(text, "kernel", (), ())
    try:
        nvrtc.compileProgram(program, shown)
        if config.debug > 4:
            log(nvrtc.getProgramLog(program))
        return result(program)
    except nvrtc.NVRTCError as error:
        raise BuildError(f"{error}\n{nvrtc.getProgramLog(program)}") from None
    finally:
        nvrtc.destroyProgram(program)
