"""Arrays on their way from one device to another, while both devices compute.

The array at the destination is a pending value. A launch that reads it lets the device wait for the copy. The source
may be read during the copy. A write to its memory lets its device wait first (`depart`).
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence

from ...backends.base import Device, Transfer
from ...kernels.core.operation import Operation
from ...memory.gpuarray import GpuArray, Signature, Storage, begin_transfer, weight_of
from .graph import Node, new_node

_departures: weakref.WeakKeyDictionary[Storage, dict[Device, Transfer]] = weakref.WeakKeyDictionary()


class Arrival(Operation):
    """The operation of an array that another device sends. Its step waits for the copy."""

    __slots__ = ("_array", "_transfer")

    name = "to_device"
    reusable = False

    def __init__(self, array: GpuArray, transfer: Transfer):
        self._array, self._transfer = array, transfer

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        """The array, after the queue of the device waits for the copy."""
        self._transfer.join()
        return self._array

    def expression(self, node: Node, *operands: str) -> str:
        return "x.to_device(...)"


def arriving(device: Device, array: GpuArray) -> Node | None:
    """A copy of a C-contiguous array on another device; None if there is no direct copy outside the queues.

    Memory that other libraries write to is copied in the order of streams, so the result is None for it, too.
    """
    if array.storage.buffer.exposed or (begun := begin_transfer(device, array)) is None:
        return None
    target, transfer = begun
    _departures.setdefault(array.storage, {})[device] = transfer  # copies to one device keep their order
    weight = 1 + weight_of(device, target.nbytes)
    return new_node(Arrival(target, transfer), (), None, array.dtype, array.shape, device, weight)


def depart(storage: Storage) -> None:
    """Let the device of a storage wait for the copies of it, before the storage changes."""
    if _departures:
        for transfer in _departures.pop(storage, {}).values():
            transfer.join(storage.device)
