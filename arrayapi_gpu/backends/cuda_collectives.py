"""Collective operations of several CUDA devices: NCCL, through CuPy, which is loaded at the first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .base import DeviceError, Operand
from .collectives import COLLECTIVE_ID, Collectives, Communicator

if TYPE_CHECKING:
    from .cuda import CudaDevice

_NCCL = "cupy_backends.cuda.libs.nccl"

# ncclDataType_t and ncclRedOp_t
_TYPES = {
    "int8": 0, "uint8": 1, "int32": 2, "uint32": 3, "int64": 4, "uint64": 5, "float16": 6, "float32": 7, "float64": 8,
}  # fmt: skip
_OPERATIONS = {"sum": 0, "prod": 1, "max": 2, "min": 3}


class CudaCollectives(Collectives):
    """NCCL on one device."""

    def __init__(self, device: CudaDevice):
        self._device = device

    def _library(self) -> Any:
        try:
            library = importlib.import_module(_NCCL)
        except ImportError as error:
            raise DeviceError(
                f"{self._device}: NCCL cannot be loaded ({error}); install it: pip install nvidia-nccl-cu13"
            ) from None
        if not getattr(library, "available", True):
            raise DeviceError(
                f"{self._device}: CuPy was built without NCCL; install both: pip install cupy-cuda13x nvidia-nccl-cu13"
            )
        return library

    def new_id(self) -> bytes:
        library = self._library()
        try:
            with self._device._current("collectives"):
                return bytes(number & 255 for number in library.get_unique_id())
        except library.NcclError as error:
            raise DeviceError(f"{self._device}: collectives: {error}") from None

    def join(self, identity: bytes, count: int, rank: int) -> Communicator:
        library = self._library()
        own = identity[:COLLECTIVE_ID]
        try:
            with self._device._current("collectives"):
                try:
                    handle = library.NcclCommunicator(count, own, rank)
                except TypeError:  # CuPy 13 takes numbers, C's char
                    numbers = tuple(number - 256 if number > 127 else number for number in own)
                    handle = library.NcclCommunicator(count, numbers, rank)
                return CudaCommunicator(self._device, library, handle)
        except library.NcclError as error:
            raise DeviceError(f"{self._device}: rank {rank} of {count} cannot join: {error}") from None


class CudaCommunicator(Communicator):
    """A rank of NCCL, whose work is queued on the device's stream."""

    def __init__(self, device: CudaDevice, library: Any, handle: Any):
        self._device, self._library, self._handle = device, library, handle
        self.count, self.rank = int(handle.size()), int(handle.rank_id())

    def run(self, name: str, source: Operand, target: Operand, elements: int, operation: str, root: int) -> None:
        kind = _TYPES.get(source.dtype.name)
        if kind is None:
            raise DeviceError(f"{self._device}: {name}: got {source.dtype}; allowed: {', '.join(_TYPES)}")
        ends = [operand.buffer.handle + operand.offset * operand.dtype.itemsize for operand in (source, target)]
        facts: tuple[int, ...] = (elements, kind)
        if operation:
            facts += (_OPERATIONS[operation],)
        if root >= 0:
            facts += (root,)
        methods = {"reduce": "reduce", "all_reduce": "allReduce", "reduce_scatter": "reduceScatter",
                   "broadcast": "broadcast", "all_gather": "allGather"}  # fmt: skip
        try:
            with self._device._current(name):
                getattr(self._handle, methods[name])(*ends, *facts, self._device._stream)
        except self._library.NcclError as error:
            raise DeviceError(f"{self._device}: {name}: {error}") from None
