"""Memory of kernels that outlives a launch, in which their groups publish their results."""

from __future__ import annotations

from ...backends.base import Device
from ...backends.locks import module_lock
from ...memory.dtypes import DTYPE_OF
from ...memory.gpuarray import GpuArray
from ..core import tuning
from .copy import zeros

UINT64 = DTYPE_OF["u64"]
USES = 1 << 29  # of one memory

_lock = module_lock(globals(), "_lock")  # new memory may let the garbage collector run destructors, which may launch
_memory: dict[tuple[Device, str], tuple[GpuArray, int]] = {}


def scratch(device: Device, purpose: str, words: int) -> tuple[GpuArray, int]:
    """Return at least so many words of 64 bits, and the number of this use since they were new, 1, 2, ... up to `USES`.

    New words are zeros; others are as the last launch for this purpose left them. One launch follows another on a
    device, so none disturbs those before. Either of two threads may be the first to launch, so numbers distinguish
    launches, but do not order them.
    """
    with _lock:
        array, uses = _memory.get((device, purpose), (None, 0))
        if array is None or array.size < words or uses == USES:
            grown = max(tuning.MIN_WORDS, 1 << (words - 1).bit_length())
            array, uses = zeros(device, UINT64, (grown,)), 0
        _memory[device, purpose] = array, uses + 1
    return array, uses + 1
