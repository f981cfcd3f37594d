"""Repair of PoCL 3, whose compiler does not know all that the processor can do; and of its cache.

PoCL links a kernel with one of several built-in libraries, which it chooses by the processor's features. It compiles
the kernel for the name that LLVM has for the processor. The two disagree where the processor is newer than LLVM. The
LLVM 14 of pip's PoCL 3.0 has the name "znver3" for AMD's Zen 4, which means a processor without AVX-512, and for Zen 5
the name "generic", which clang refuses. LLVM then ends the process ("Do not know how to scalarize this operator's
operand"), or never returns. So where the name means narrower registers than the features do, a name that the features
allow takes its place. Debian's PoCL 3.1 follows such a rule itself.

The name is a field of the structure to which cl_device_id points. `repair` does not rely on the structure's
layout: the field is the pointer to the name right after a pointer to a target triplet. Memory is read through
/proc/self/mem, where a wild pointer gives an error and no crash. Where nothing is found, nothing is changed.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import platform
import re
import shutil
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from .state import after_fork

if sys.platform != "win32":
    import fcntl

PLATFORM = "Portable Computing Language"

_EXTENT = 1024  # bytes of the structure that are searched; PoCL 3.0 has the field at 640

# The bits of the registers that PoCL's built-in libraries use, and the features, as /proc/cpuinfo has them, by which it
# chooses one; the first that fits.
_LIBRARIES: tuple[tuple[int, set[str]], ...] = (
    (512, {"avx512f"}),
    (256, {"avx", "avx2", "cx16", "popcnt", "abm", "f16c", "fma", "bmi1", "bmi2"}),
    (256, {"avx", "cx16", "popcnt"}),
    (128, set()),
)

# The bits of the registers of processors, by the names of LLVM 14 and 15 on x86-64. All others have 128.
_BITS = {
    **dict.fromkeys(
        ("knl", "knm", "skylake-avx512", "cascadelake", "cooperlake", "cannonlake", "icelake-client", "icelake-server",
         "tigerlake", "rocketlake", "sapphirerapids", "x86-64-v4"),
        512,
    ),
    **dict.fromkeys(
        ("sandybridge", "ivybridge", "haswell", "broadwell", "skylake", "alderlake", "btver2", "bdver1", "bdver2",
         "bdver3", "bdver4", "znver1", "znver2", "znver3", "x86-64-v3"),
        256,
    ),
}  # fmt: skip

# Names that may replace one that is too narrow, with the features that each needs; the first that fits.
_NAMES: tuple[tuple[str, set[str]], ...] = (
    ("skylake-avx512", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("haswell", {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "abm"}),
    ("sandybridge", {"avx"}),
    ("x86-64", set()),
)

_names: list[Any] = []  # the strings that PoCL points to from now on
_marks: list[Any] = []  # files that stay open, and locked, as long as this process runs


@after_fork
def _close() -> None:
    """Close the marks in the child, which does not use PoCL: otherwise they would look as if the process still ran."""
    while _marks:
        _marks.pop().close()


def llvm_name(device: Any) -> str | None:
    """Return LLVM's name for the processor of a cl.Device of PoCL 3 on x86-64; None for every other device."""
    if device.platform.name != PLATFORM or not re.search(r"\bPoCL 3\.", device.platform.version):
        return None
    match = re.search(r"-x86_64-[^-]+-[^-]+-[^-]+-(\S+)$", device.version)
    return match[1] if match else None


def features(cpuinfo: str) -> set[str]:
    """Return the features of the first processor that /proc/cpuinfo describes."""
    line = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    return set(line[1].split()) if line else set()


def replacement(name: str, present: set[str]) -> str | None:
    """Return a better name for a processor with these features; None where LLVM's name is right."""
    bits = next(bits for bits, needed in _LIBRARIES if needed <= present)
    if name != "generic" and _BITS.get(name, 128) >= bits:
        return None
    return next(name for name, needed in _NAMES if needed <= present)


def repair(device: Any, name: str, cpuinfo: Path = Path("/proc/cpuinfo")) -> str | None:
    """Return the better name that was given to the processor of a cl.Device, whose name was ``name``.

    None: the name was right. An empty string: it was wrong, and could not be replaced.
    """
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return None
    try:
        better = replacement(name, features(cpuinfo.read_text(encoding="ascii", errors="replace")))
        if better is None:
            return None
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return ""
    try:
        address = _find(memory, device.int_ptr, {name, better})
    finally:
        os.close(memory)
    if address is None:
        return ""
    text = ctypes.create_string_buffer(better.encode())
    _names.append(text)
    ctypes.c_void_p.from_address(address).value = ctypes.addressof(text)
    return better


def _find(memory: int, structure: int, names: set[str]) -> int | None:
    """Return the address of the field after a target triplet that points to one of the names."""
    try:
        words = struct.unpack(f"<{_EXTENT // 8}Q", os.pread(memory, _EXTENT, structure))
    except (OSError, OverflowError, struct.error):
        return None
    texts = [_text(memory, word) for word in words]
    for index in range(1, len(texts)):
        if texts[index] in names and texts[index - 1].startswith("x86_64-"):
            return structure + 8 * index
    return None


def _text(memory: int, address: int) -> str:
    """Return the short C string at an address, empty where there is no memory."""
    try:
        return os.pread(memory, 64, address).split(b"\0")[0].decode("latin-1")
    except (OSError, OverflowError):
        return ""


# The cache


@functools.cache
def enter(folder: Path) -> None:
    """Mark a cache as used by this process, and clean it if a process has left its mark behind.

    PoCL takes half a file for a whole one, and then ends the process or finds no kernels. A mark is a file with a lock,
    which the system releases when a process ends, however that happens. A process that ends normally deletes its mark.
    """
    if sys.platform == "win32":
        return
    marks = folder.with_name("pocl-processes")
    with contextlib.suppress(OSError):
        marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        for mark in [*marks.iterdir()]:
            with contextlib.suppress(OSError), open(mark, "rb") as left:
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                clean(folder)
                mark.unlink()
        own = tempfile.NamedTemporaryFile(dir=marks, prefix=f"{os.getpid()}-", delete=False)  # noqa: SIM115
        fcntl.flock(own, fcntl.LOCK_EX)
        _marks.append(own)
        atexit.register(_leave, own.name, os.getpid())


def _leave(mark: str, process: int) -> None:
    """Delete the mark of this process, and not that of its parent."""
    if process == os.getpid():
        with contextlib.suppress(OSError):
            os.unlink(mark)


def clean(folder: Path) -> int:
    """Return how many entries of PoCL's cache were removed, because a process had not written them completely.

    An entry is a folder of two levels, after a digest, with program.bc and the machine code of kernels below it.
    """
    removed = 0
    for entry in folder.glob("*/*/"):
        if not all(_is_whole(file) for file in entry.rglob("*") if file.suffix in _FORMATS):
            shutil.rmtree(entry, ignore_errors=True)
            removed += 1
    return removed


def _is_whole(file: Path) -> bool:
    """Return whether LLVM's bitcode, or a library, has the length that its header gives."""
    with contextlib.suppress(OSError, struct.error), open(file, "rb") as opened:
        return _FORMATS[file.suffix](opened, os.fstat(opened.fileno()).st_size)
    return False


def _is_whole_bitcode(opened: BinaryIO, size: int) -> bool:
    """LLVM Bitcode File Format: a magic number, then blocks with, at byte 4, their length in words after the header."""
    if opened.read(4) != b"BC\xc0\xde":
        return False
    place = 4
    while place < size or place == 4:
        opened.seek(place)
        place += 8 + 4 * struct.unpack("<II", opened.read(8))[1]
    return place == size


def _is_whole_library(opened: BinaryIO, size: int) -> bool:
    """ELF-64: linkers write the table of sections last; the header gives its place and size."""
    head = opened.read(64)
    (table,) = struct.unpack_from("<Q", head, 40)
    length, count = struct.unpack_from("<HH", head, 58)
    return head[:4] == b"\x7fELF" and table > 0 and table + length * count <= size


_FORMATS = {".bc": _is_whole_bitcode, ".so": _is_whole_library}
