"""Compiling for CUDA: NVRTC."""

from __future__ import annotations

from collections.abc import Callable

from cupy_backends.cuda.libs import nvrtc

from ..config import config, log
from . import binaries

# Exact arithmetic: nothing is contracted, / and sqrt are rounded correctly, subnormals are kept.
OPTIONS = ("--std=c++17", "--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false")


class BuildError(Exception):
    """The text does not compile; the message is the compiler's log."""


def version() -> tuple[int, int] | None:
    """Return NVRTC's version; None where it is not installed."""
    try:
        found: tuple[int, int] = nvrtc.getVersion()
    except (RuntimeError, OSError, ImportError):  # CuPy loads the library at the first call
        return None
    return found


def architecture(capability: int) -> str:
    """Return the target for a compute capability such as 90: itself, or what a newer device can translate."""
    known = nvrtc.getSupportedArchs()
    return f"sm_{capability}" if capability in known else f"compute_{max(n for n in known if n < capability)}"


def compiled(text: str, target: str, again: bool = False) -> bytes:
    """Return the binary of a text, from disk unless ``again``; BuildError."""
    options = (*OPTIONS, f"--gpu-architecture={target}")
    key = binaries.key_of("NVRTC", nvrtc.getVersion(), options, text)
    image = None if again else binaries.load(key)
    if image is None:
        image = _compile(text, options, nvrtc.getCUBIN if target.startswith("sm_") else nvrtc.getPTX)
        binaries.keep(key, image)
    return image


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
