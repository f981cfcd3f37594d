"""Collective operations of several processes or threads with one device each."""

from __future__ import annotations

from functools import total_ordering
from typing import Any

from ..backends.collectives import COLLECTIVE_ID, Collectives
from ..lazy import check_writable, settle_readers
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
        raise UnsupportedException(f"{context}: the driver does not support collective operations; use CUDA with NCCL")
    return collectives


@total_ordering
class GpuCommCliqueId:
    """The id that all communicators of a clique share: 128 bytes, generated or passed as ``comm_id``.

    ValueError for another number of bytes, UnsupportedException if the driver does not support collective operations.
    Source: pygpu, ``collectives.GpuCommCliqueId``.
    """

    @translated
    def __init__(self, context: GpuContext | None = None, comm_id: Any = None):
        self.context: GpuContext = ensure_context(context)
        collectives = _collectives(self.context)
        self.comm_id = collectives.new_id() if comm_id is None else comm_id

    @property
    def comm_id(self) -> bytearray:
        """The bytes of the id; a change in place changes the id."""
        return self._id

    @comm_id.setter
    def comm_id(self, cid: Any) -> None:
        given = bytes(cid)
        if len(given) < COMM_ID_BYTES:
            raise ValueError(f"GpuComm clique id must have length {COMM_ID_BYTES} bytes: got {len(given)}")
        self._id = bytearray(given[:COMM_ID_BYTES])

    def _bytes_of(self, other: object) -> bytes:
        if not isinstance(other, GpuCommCliqueId):
            raise TypeError(f"Cannot compare {type(self)} with {type(other)}; allowed: a GpuCommCliqueId")
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
    """The communicator of rank ``rank`` in a clique of ``ndev`` devices. All ranks must create their communicators, and
    call the methods, together.

    GpuArrayException for an error of the driver. Source: pygpu, ``collectives.GpuComm``.
    """

    @translated
    def __init__(self, cid: GpuCommCliqueId, ndev: int, rank: int):
        if not isinstance(cid, GpuCommCliqueId):
            raise TypeError(f"cid: got {type(cid).__name__}; allowed: a GpuCommCliqueId")
        if not 0 <= rank < ndev:
            raise ValueError(f"rank: got {rank}; allowed: 0 to {ndev - 1}, of ndev={ndev} devices")
        self.context: GpuContext = cid.context
        self._communicator = _collectives(cid.context).join(bytes(cid.comm_id), ndev, rank)

    def __reduce__(self) -> Any:
        raise RuntimeError("Cannot pickle GpuComm object")

    @property
    def count(self) -> int:
        """The number of devices in the clique."""
        return self._communicator.count

    @property
    def rank(self) -> int:
        """The rank of this communicator."""
        return self._communicator.rank

    @translated
    def reduce(self, src: GpuArray, op: str, dest: GpuArray | None = None, root: int = -1) -> GpuArray | None:
        """The combination of the arrays of all ranks, in rank ``root`` (by default this one); None in other ranks, and
        if it was written to ``dest``.

        ``op``: "sum", "prod", "max" or "min". ValueError for another operation; TypeError for arrays of different
        dtypes or sizes.
        """
        collector = self.rank if root == -1 else root
        out = dest
        if out is None:
            out = src._empty_like_me(order="A") if collector == self.rank else src
        self._run("reduce", src, out, src.size, op, collector)
        return out if dest is None and collector == self.rank else None

    @translated
    def all_reduce(self, src: GpuArray, op: str, dest: GpuArray | None = None) -> GpuArray | None:
        """The combination of the arrays of all ranks, in each rank; None if it was written to ``dest``. Errors as in
        `reduce`."""
        out = src._empty_like_me(order="A") if dest is None else dest
        self._run("all_reduce", src, out, src.size, op)
        return out if dest is None else None

    @translated
    def reduce_scatter(self, src: GpuArray, op: str, dest: GpuArray | None = None) -> GpuArray | None:
        """A part of the combination of the arrays of all ranks, a different one in each rank; None if it was written to
        ``dest``.

        The parts are along the axis with the largest stride, which is dropped if a part has one element along it.
        TypeError if the parts would not be equal; otherwise errors as in `reduce`.
        """
        out = dest
        if out is None:
            axis = self._outer(src)
            if src.shape[axis] % self.count:
                raise TypeError(
                    f"reduce_scatter: {src.shape[axis]} elements along axis {axis} in {self.count} parts; allowed: "
                    "equal parts"
                )
            part = src.shape[axis] // self.count
            middle = () if part == 1 else (part,)
            out = self._made(src, (*src.shape[:axis], *middle, *src.shape[axis + 1 :]))
        if out.size * self.count != src.size:
            raise TypeError(f"reduce_scatter: dest has {out.size} elements; allowed: {src.size} / {self.count}")
        self._run("reduce_scatter", src, out, out.size, op)
        return out if dest is None else None

    @translated
    def broadcast(self, array: GpuArray, root: int = -1) -> None:
        """Copy the array of rank ``root`` (by default this one) to the arrays of all ranks. Errors as in `reduce`."""
        self._run("broadcast", array, array, array.size, root=self.rank if root == -1 else root)

    @translated
    def all_gather(self, src: GpuArray, dest: GpuArray | None = None, nd_up: int = 1) -> GpuArray | None:
        """The arrays of all ranks joined, in each rank; None if they were written to ``dest``.

        ``nd_up``: the number of axes that are added to the result, one of which is for the ranks; if it is 0, arrays
        are joined along the axis with the largest stride. ValueError for a negative ``nd_up``; otherwise errors as in
        `reduce`.
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
            raise TypeError("Source GpuArray must have number of dimensions >= 1; use reshape")
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
                raise ValueError(
                    f"{name}: got an array of {each.context}; allowed: arrays of {self.context}; use transfer"
                )
            if not each.flags.forc or each.dtype != src.dtype:
                raise TypeError(
                    f"{name}: strides {each.strides} of {each.dtype}; allowed: contiguous arrays of {src.dtype}"
                )
        if name in ("reduce", "all_reduce") and out.size != src.size:
            raise TypeError(f"{name}: dest has {out.size} elements; allowed: {src.size}")
        source, target = src._array._memory(), out._array._memory()
        if name != "reduce" or root == self.rank:
            check_writable(target)
            settle_readers(target.storage)
        self._communicator.run(name, operand_of(source), operand_of(target), elements, operation, root)
