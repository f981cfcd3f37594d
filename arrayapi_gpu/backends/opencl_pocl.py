"""Repair of PoCL 3: make it compile on a CPU that is newer than its LLVM.

PoCL asks its LLVM for the name of the CPU. The LLVM 14 in pip's PoCL 3.0 answers "generic" to a CPU that it does not
know, PoCL passes `-target-cpu generic` on, and clang refuses it, so no kernel compiles on such a machine. The name is a
field of PoCL's device structure, to which cl_device_id points; `repair` puts another in its place.

Nothing relies on the structure's layout: the field is found as a pointer to "generic" right after a pointer to a target
triplet. Memory is read through /proc/self/mem, where a wild pointer is an error, not a crash; what is not found is not
changed.
"""

from __future__ import annotations

import ctypes
import os
import platform
import re
import struct
import sys
from pathlib import Path
from typing import Any

_EXTENT = 1024  # bytes of the structure that are searched; the field was seen at 640

# Which names a CPU deserves. PoCL links each kernel with one of its built-in libraries, which it picks by features;
# LLVM fails ("Do not know how to scalarize") where the name means narrower registers than the library has.
_NAMES = (
    ("skylake-avx512", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("haswell", {"avx2", "fma"}),
    ("sandybridge", {"avx"}),
    ("x86-64", set[str]()),
)

_kept: list[Any] = []  # the strings that PoCL now points to


def cpu_name(flags: set[str]) -> str:
    """LLVM's name for a CPU with the flags of /proc/cpuinfo."""
    return next(name for name, needed in _NAMES if needed <= flags)


def is_generic(device: Any) -> bool:
    """Tell whether a cl.Device is one of PoCL 3 whose CPU its LLVM does not know: unrepaired it compiles nothing."""
    return (
        device.platform.name == "Portable Computing Language"
        and re.search(r"\bPoCL 3\.", device.platform.version) is not None
        and re.search(r"pthread-x86_64\S*-generic$|basic-x86_64\S*-generic$", device.version) is not None
    )


def repair(device: Any) -> str | None:
    """Give a cl.Device for which `is_generic` holds a CPU name, and return that; None where that is not possible."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return None
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return None
    try:
        field = _find(memory, device.int_ptr)
    finally:
        os.close(memory)
    if field is None:
        return None
    address, present = field
    if present == b"generic":
        name = cpu_name(set(flags[1].split()) if flags else set())
        text = ctypes.create_string_buffer(name.encode())
        _kept.append(text)
        ctypes.c_void_p.from_address(address).value = ctypes.addressof(text)
        return name
    return present.decode()  # repaired before, through another object for the same device


def _find(memory: int, base: int) -> tuple[int, bytes] | None:
    """Return the address of the field, and the name in it."""
    names = {b"generic", *(name.encode() for name, _ in _NAMES)}
    try:
        words = struct.unpack(f"<{_EXTENT // 8}Q", os.pread(memory, _EXTENT, base))
    except (OSError, struct.error):
        return None
    texts = [_text(memory, word) for word in words]
    for index in range(1, len(texts)):
        if texts[index] in names and texts[index - 1].startswith(b"x86_64-"):
            return base + 8 * index, texts[index]
    return None


def _text(memory: int, address: int) -> bytes:
    """The start of what an address points to, up to a zero byte; nothing where it points nowhere."""
    try:
        return os.pread(memory, 64, address).split(b"\0")[0] if address > 4096 else b""
    except (OSError, OverflowError):
        return b""
