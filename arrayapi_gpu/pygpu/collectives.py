"""Collective operations: several processes, or threads, each with a device of its own, compute together."""

from __future__ import annotations

from functools import total_ordering
from typing import Any

from ..backends.collectives import COLLECTIVE_ID, Collectives
from ..lazy.mutation.writes import check_writable, settle_readers
from ..memory.gpuarray import operand_of
from .array_object import GpuArray
from .context import GpuContext, ensure_context
from .errors import UnsupportedException, translated
from .gpuarray import empty

COMM_ID_BYTES = COLLECTIVE_ID

_OPERATIONS = {
    "+": "sum", "sum": "sum", "add": "sum", "*": "prod", "prod": "prod", "product": "prod", "mul": "prod",
    "max": "max", "maximum": "max", "min": "min", "minimum": "min",
}  # fmt: skip


def _collectives(context: GpuContext) -> Collectives:
    collectives = context._device.collectives
    if collectives is None:
        raise UnsupportedException(f"{context}: its driver has no collective operations; CUDA's has, through NCCL")
    return collectives


@total_ordering
class GpuCommCliqueId:
    """What the communicators of a clique have in common: 128 bytes, made here or given as ``comm_id``.

    ValueError for fewer bytes, UnsupportedException where the driver has no collective operations.
    Source: pygpu, ``collectives.GpuCommCliqueId``.
    """

    @translated
    def __init__(self, context: GpuContext | None = None, comm_id: Any = None):
        self.context = ensure_context(context)
        collectives = _collectives(self.context)
        self.comm_id = collectives.new_id() if comm_id is None else comm_id

    @property
    def comm_id(self) -> bytearray:
        """The bytes. To change them in place changes the id."""
        return self._id

    @comm_id.setter
    def comm_id(self, cid: Any) -> None:
        given = bytes(cid)
        if len(given) < COMM_ID_BYTES:
            raise ValueError(f"GpuComm clique id must have length {COMM_ID_BYTES} bytes: got {len(given)}")
        self._id = bytearray(given[:COMM_ID_BYTES])

    def _bytes_of(self, other: object) -> bytes:
        if not isinstance(other, GpuCommCliqueId):
            raise TypeError(f"Cannot compare {type(self)} with {type(other)}")
        return bytes(other._id)

    def __eq__(self, other: object) -> bool:
        return bytes(self._id) == self._bytes_of(other)

    def __lt__(self, other: object) -> bool:
        return bytes(self._id) < self._bytes_of(other)

    def __hash__(self) -> int:
        return hash((type(self).__name__, bytes(self._id)))

    def __reduce__(self) -> Any:
        raise RuntimeError("Cannot pickle GpuCommCliqueId object; send its comm_id")


class GpuComm:
    """The communicator of a rank in a clique of ``ndev`` devices: all of them are made, and used, together.

    GpuArrayException where the driver refuses. Source: pygpu, ``collectives.GpuComm``.
    """

    @translated
    def __init__(self, cid: GpuCommCliqueId, ndev: int, rank: int):
        if not isinstance(cid, GpuCommCliqueId):
            raise TypeError(f"cid: got {type(cid).__name__}; allowed: a GpuCommCliqueId")
        if not 0 <= rank < ndev:
            raise ValueError(f"rank: got {rank}; allowed: 0 to {ndev - 1}, of ndev={ndev} devices")
        self.context = cid.context
        self._communicator = _collectives(cid.context).join(bytes(cid.comm_id), ndev, rank)

    def __reduce__(self) -> Any:
        raise RuntimeError("Cannot pickle GpuComm object")

    @property
    def count(self) -> int:
        """How many devices are in the clique."""
        return self._communicator.count

    @property
    def rank(self) -> int:
        """The number of this one."""
        return self._communicator.rank

    @translated
    def reduce(self, src: GpuArray, op: str, dest: GpuArray | None = None, root: int = -1) -> GpuArray | None:
        """Combine the arrays of all ranks by ``op`` ("sum", "prod", "max", "min"), in the rank ``root``.

        That is by default this one. There the result is in ``dest``, or returned; elsewhere nothing is.
        ValueError for another operation; TypeError for arrays that do not go together.
        """
        collector = self.rank if root == -1 else root
        out = dest
        if out is None:
            out = src._empty_like_me(order="A") if collector == self.rank else src
        self._run("reduce", src, out, src.size, op, collector)
        return out if dest is None and collector == self.rank else None

    @translated
    def all_reduce(self, src: GpuArray, op: str, dest: GpuArray | None = None) -> GpuArray | None:
        """Combine the arrays of all ranks, in each of them: in ``dest``, or returned. Errors as `reduce`."""
        out = src._empty_like_me(order="A") if dest is None else dest
        self._run("all_reduce", src, out, src.size, op)
        return out if dest is None else None

    @translated
    def reduce_scatter(self, src: GpuArray, op: str, dest: GpuArray | None = None) -> GpuArray | None:
        """Combine the arrays of all ranks; each rank gets a part, in ``dest``, or returned.

        Parts are along the axis with the largest stride, which goes where a part has one element along it.
        TypeError where parts would not be equal; else errors as `reduce`.
        """
        out = dest
        if out is None:
            axis = self._outer(src)
            if src.shape[axis] % self.count:
                raise TypeError(f"reduce_scatter: {src.shape[axis]} elements along axis {axis} in {self.count} parts")
            part = src.shape[axis] // self.count
            middle = () if part == 1 else (part,)
            out = self._made(src, (*src.shape[:axis], *middle, *src.shape[axis + 1 :]))
        if out.size * self.count != src.size:
            raise TypeError(f"reduce_scatter: dest has {out.size} elements; allowed: {src.size} / {self.count}")
        self._run("reduce_scatter", src, out, out.size, op)
        return out if dest is None else None

    @translated
    def broadcast(self, array: GpuArray, root: int = -1) -> None:
        """Give all ranks the values that the array of ``root``, by default this rank, has. Errors as `reduce`."""
        self._run("broadcast", array, array, array.size, root=self.rank if root == -1 else root)

    @translated
    def all_gather(self, src: GpuArray, dest: GpuArray | None = None, nd_up: int = 1) -> GpuArray | None:
        """Give all ranks the arrays of all, one after the other: in ``dest``, or returned.

        A new result has ``nd_up`` axes more, of which one counts ranks; with 0 the axis of the largest stride grows.
        ValueError for a negative ``nd_up``; else errors as `reduce`.
        """
        if nd_up < 0:
            raise ValueError(f"all_gather: nd_up={nd_up}; allowed: 0 or more axes")
        out = dest
        if out is None:
            axis, ranks = self._outer(src), (self.count, *(1,) * (nd_up - 1))
            if nd_up == 0:
                longer = (self.count * src.shape[axis],)
                out = self._made(src, (*src.shape[:axis], *longer, *src.shape[axis + 1 :]))
            else:
                shape = (*ranks, *src.shape) if axis == 0 else (*src.shape, *ranks[::-1])
                out = self._made(src, shape)
        if out.size != src.size * self.count:
            raise TypeError(f"all_gather: dest has {out.size} elements; allowed: {src.size} * {self.count}")
        self._run("all_gather", src, out, src.size)
        return out if dest is None else None

    def _outer(self, src: GpuArray) -> int:
        """The axis with the largest stride."""
        if not src.ndim:
            raise TypeError("Source GpuArray must have number of dimensions >= 1")
        return 0 if src.flags.c_contiguous else src.ndim - 1

    def _made(self, src: GpuArray, shape: tuple[int, ...]) -> GpuArray:
        order = "C" if src.flags.c_contiguous else "F"
        return empty(shape, src.dtype, order, src.context, type(src))

    def _run(self, name: str, src: GpuArray, out: GpuArray, elements: int, op: str = "", root: int = -1) -> None:
        operation = _OPERATIONS.get(str(op).lower(), "")
        if op and not operation:
            raise ValueError(f"Invalid reduce operation: {op}; allowed: {', '.join(_OPERATIONS)}")
        for each in (src, out):
            if not isinstance(each, GpuArray):
                raise TypeError(f"{name}: got {type(each).__name__}; allowed: a GpuArray")
            if each.context._device is not self.context._device:
                raise ValueError(f"{name}: an array of {each.context}; allowed: those of {self.context}")
            if not each.flags.forc or each.dtype != src.dtype:
                raise TypeError(f"{name}: strides {each.strides} of {each.dtype}; allowed: contiguous, {src.dtype}")
        if name in ("reduce", "all_reduce") and out.size != src.size:
            raise TypeError(f"{name}: dest has {out.size} elements; allowed: {src.size}")
        source, target = src._array._memory(), out._array._memory()
        if name != "reduce" or root == self.rank:
            check_writable(target)
            settle_readers(target.storage)
        self._communicator.run(name, operand_of(source), operand_of(target), elements, operation, root)
