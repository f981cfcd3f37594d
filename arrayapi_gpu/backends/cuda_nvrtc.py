"""Compiling for CUDA: NVRTC, and a cache of its binaries on disk.

A binary is found by a digest of all that it depends on, and its file begins with a digest of key and
binary: a file that was cut off, changed or put there under another name is compiled anew. Files appear
whole, by a rename, so processes may share the folder.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from cupy_backends.cuda.libs import nvrtc

from ..config import config

DIGEST = 32  # bytes of a SHA-256

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


def compiled(text: str, target: str) -> bytes:
    """Return the binary of a text; BuildError."""
    options = (*OPTIONS, f"--gpu-architecture={target}")
    key = hashlib.sha256(repr((nvrtc.getVersion(), options, text)).encode()).digest()
    file = _folder() / f"{key.hex()}.bin"
    image = _read(file, key)
    if image is None:
        image = _compile(text, options, nvrtc.getCUBIN if target.startswith("sm_") else nvrtc.getPTX)
        _write(file, key, image)
    return image


def _compile(text: str, options: tuple[str, ...], result: Callable[[int], bytes]) -> bytes:
    shown = options if config.debug > 4 else (*options, "--disable-warnings")
    program = nvrtc.createProgram(text, "kernel", (), ())
    try:
        nvrtc.compileProgram(program, shown)
        if config.debug > 4:
            print(nvrtc.getProgramLog(program), file=sys.stderr)
        return result(program)
    except nvrtc.NVRTCError as error:
        raise BuildError(f"{error}\n{nvrtc.getProgramLog(program)}") from None
    finally:
        nvrtc.destroyProgram(program)


def _folder() -> Path:
    if config.cache_dir is not None:
        return Path(config.cache_dir, "cuda")
    cache = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    return Path(cache or Path.home() / ".cache", "arrayapi_gpu", "cuda")


def _digest(key: bytes, image: bytes) -> bytes:
    return hashlib.sha256(key + image).digest()


def _read(file: Path, key: bytes) -> bytes | None:
    """Return the binary that a file holds; None where it is absent, not ours, or damaged."""
    try:
        with file.open("rb") as opened:
            if hasattr(os, "getuid") and os.fstat(opened.fileno()).st_uid != os.getuid():
                return None
            content = opened.read()
    except OSError:
        return None
    image = content[DIGEST:]
    return image if content[:DIGEST] == _digest(key, image) else None


def _write(file: Path, key: bytes, image: bytes) -> None:
    """Keep a binary; a folder that cannot be written to costs the cache, not the program."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent)  # readable by nobody else
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(_digest(key, image) + image)
            os.replace(name, file)
        except OSError:
            os.unlink(name)
            raise
    except OSError as error:
        if config.debug:
            print(f"[arrayapi_gpu] {file} cannot be written: {error}", file=sys.stderr)
