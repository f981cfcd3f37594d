"""Repair of PoCL 3, which compiles nothing on a CPU that is newer than its LLVM.

PoCL asks LLVM for the name of the CPU and passes it to clang as `-target-cpu`. To a CPU that it
does not know, the LLVM 14 of pip's PoCL 3.0 answers "generic", which clang then refuses. The name
is a field of the structure to which cl_device_id points, and `repair` puts another in its place.

It does not rely on the structure's layout: the field is the pointer to "generic" right after a
pointer to a target triplet. Memory is read through /proc/self/mem, where a wild pointer gives an
error and no crash; where nothing is found, nothing is changed.
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

_EXTENT = 1024  # bytes of the structure that are searched; PoCL 3.0 has the field at 640

# Names for LLVM, with the CPU features that each takes. PoCL links a kernel with a built-in
# library that it chose by such features; LLVM fails ("Do not know how to scalarize") if the name
# means narrower registers than that library uses.
_NAMES: tuple[tuple[str, set[str]], ...] = (
    ("skylake-avx512", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("haswell", {"avx2", "fma"}),
    ("sandybridge", {"avx"}),
    ("x86-64", set()),
)

_kept: list[Any] = []  # the strings that PoCL points to from now on


def is_generic(device: Any) -> bool:
    """Tell whether a cl.Device belongs to a PoCL 3 that does not know the CPU."""
    return (
        device.platform.name == "Portable Computing Language"
        and re.search(r"\bPoCL 3\.", device.platform.version) is not None
        and re.search(r"-x86_64\S*-generic$", device.version) is not None
    )


def repair(device: Any) -> str | None:
    """Give a device for which `is_generic` holds a CPU name; None where that is not possible."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return None
    try:
        name = cpu_name(Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace"))
        memory = os.open("/proc/self/mem", os.O_RDONLY)
    except OSError:
        return None
    try:
        address = _find(memory, device.int_ptr, {"generic", name})
    finally:
        os.close(memory)
    if address is None:
        return None
    text = ctypes.create_string_buffer(name.encode())
    _kept.append(text)
    ctypes.c_void_p.from_address(address).value = ctypes.addressof(text)
    return name


def cpu_name(cpuinfo: str) -> str:
    """Return LLVM's name for the CPU that /proc/cpuinfo describes."""
    line = re.search(r"^flags\s*:(.*)$", cpuinfo, re.MULTILINE)
    flags = set(line[1].split()) if line else set()
    return next(name for name, needed in _NAMES if needed <= flags)


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
