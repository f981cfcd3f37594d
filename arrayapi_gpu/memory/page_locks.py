"""Host memory that is page-locked where it lies, piece by piece, so that copies to and from devices are fast.

A piece is what an array's memory has in common with one cell of a grid of addresses. So views of an array have the same
pieces, what is not read is not locked, and each piece is locked once. Pieces stay locked as long as somebody refers to
them. Memory of files is not locked: it may be more than there is.
"""

from __future__ import annotations

import mmap
import weakref
from typing import Any

import numpy as np

from ..backends.base import Device, HostArray
from ..backends.host_memory import host_memory
from ..backends.locks import module_lock

PIECE = 1 << 26  # bytes of a cell
LEAST = 1 << 22  # bytes of an array whose memory is worth to be locked

_lock = module_lock(globals(), "_lock")
_known: weakref.WeakValueDictionary[tuple[int, int], Any] = weakref.WeakValueDictionary()  # by their ends


def owner_of(host: HostArray) -> HostArray | None:
    """The array whose memory a host array shows; None where the memory is a file's, or has gaps."""
    owner: Any = host
    while True:
        base = owner.base
        if not isinstance(base, np.ndarray) and isinstance(inner := getattr(base, "base", None), np.ndarray):
            base = inner  # NumPy's as_strided puts an object in between
        if not isinstance(base, np.ndarray):
            break
        owner = base
    of_file = isinstance(getattr(base, "obj", base), mmap.mmap)
    if of_file or not (owner.flags.c_contiguous or owner.flags.f_contiguous):
        return None
    return np.asarray(owner)


def pieces_of(host: HostArray, owner: HostArray) -> list[tuple[int, int]]:
    """The ends of the pieces of ``owner`` in which the bytes of a contiguous array lie that shows its memory."""
    low, first = owner.ctypes.data, host.ctypes.data
    cells = range(first // PIECE, -(-(first + host.nbytes) // PIECE))
    return [(max(low, cell * PIECE), min(low + owner.nbytes, (cell + 1) * PIECE)) for cell in cells]


def locked(device: Device, host: HostArray, locks: dict[tuple[int, int], Any]) -> list[HostArray] | None:
    """The bytes of a contiguous array in parts whose memory is page-locked, each at once; None where that cannot be.

    ``locks``: what keeps pieces locked, which are added.
    """
    owner = owner_of(host)
    if not device.overlaps or owner is None or owner.nbytes < LEAST:
        return None
    raw, memory = host.reshape(-1).view(np.uint8), owner.reshape(-1, order="A").view(np.uint8)
    low, first, parts = memory.ctypes.data, raw.ctypes.data, []
    if first < low or first + raw.nbytes > low + memory.nbytes:  # strides that leave the owner's memory
        return None
    for start, stop in pieces_of(raw, memory):
        key = start, stop
        if key not in locks:
            with _lock:
                found = _known.get(key)
                if found is None:
                    if sum([end - begin for begin, end in list(_known)]) + stop - start > host_memory() * 3 // 4:
                        return None
                    found = device.page_lock(memory[start - low : stop - low])
                    if found is None:
                        return None
                    _known[key] = found
            locks[key] = found
        parts.append(raw[max(start - first, 0) : stop - first])
    return parts
