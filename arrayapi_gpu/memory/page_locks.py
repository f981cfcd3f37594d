"""Host memory that is page-locked where it lies, so that copies to and from devices are fast.

The memory of an array is locked as a whole, because drivers refuse copies of memory that is locked in part, whichever
library has locked it. It stays locked as long as the lock is referred to, and views of an array have one lock. Memory
of files is not locked, because a file may be larger than the memory.
"""

from __future__ import annotations

import mmap
import weakref
from typing import Any

import numpy as np

from ..backends.base import Device, HostArray
from ..backends.host_memory import host_memory
from ..backends.locks import module_lock
from ..backends.state import after_fork

LEAST = 1 << 22  # bytes of an array whose memory is worth a lock
WORTH = 4  # a quarter of an array's memory must be read, at least

_lock = module_lock(globals(), "_lock")
_known: weakref.WeakValueDictionary[tuple[int, int], Any] = weakref.WeakValueDictionary()  # by address and bytes
_of_the_parent: list[Any] = []


@after_fork
def _keep() -> None:
    """Keep the locks in the child, where the driver must not be called to undo them."""
    _of_the_parent.extend(_known.values())


def owner_of(host: HostArray) -> HostArray | None:
    """Return the array that owns the memory of a host array; None where the memory is a file's, or has gaps."""
    owner, below = host, host.base
    while below is not None:
        if isinstance(below, mmap.mmap):
            return None
        if isinstance(below, np.ndarray):
            owner = below
        below = below.obj if isinstance(below, memoryview) else getattr(below, "base", None)
    return np.asarray(owner) if owner.flags.c_contiguous or owner.flags.f_contiguous else None


def page_lock(device: Device, host: HostArray, wanted: int) -> Any:
    """Return a lock of the memory of a host array, from which ``wanted`` bytes will be copied; None where the memory
    cannot be locked, or is not worth a lock."""
    owner = owner_of(host) if device.overlaps else None
    if owner is None or owner.nbytes < LEAST or wanted * WORTH < owner.nbytes:
        return None
    key = int(owner.ctypes.data), owner.nbytes
    with _lock:
        found = _known.get(key)
        if found is None and sum([nbytes for _, nbytes in list(_known)]) + owner.nbytes <= host_memory() * 3 // 4:
            found = device.page_lock(owner.reshape(-1, order="A").view(np.uint8))
            if found is not None:
                _known[key] = found
    return found
