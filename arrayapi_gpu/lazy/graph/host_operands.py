"""Host operands: values that stay in host memory, and are read block by block when an expression uses them.

A host operand is a node without operands. Its operation, `OnHost`, has its memory. It weighs `HOST`, more than any
other expression may, so its weight alone identifies an expression over it, and the fast paths of building and computing
need no further check. `streaming` computes such a value from blocks (`lazy.out_of_core.blocks`). Each block is a
`Block`, an ordinary step, whose memory is freed when the launches that read it are queued.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from typing import Any
from weakref import WeakSet, ref

import numpy as np

from ...backends.base import Device, HostArray, Transfer
from ...backends.events import Event, EventKind, Started, note, start
from ...backends.host_memory import host_copy
from ...backends.locks import module_lock
from ...kernels.core import tuning
from ...kernels.core.operation import Operation
from ...memory.boxes import Box, box_of, cut, moved, shape_of, whole
from ...memory.gpuarray import GpuArray, Signature, adopt, empty, signature_of, span_of, upload
from ...memory.layout import Layout, c_order, composed, size
from ...memory.page_locks import page_lock
from .concat import Concat
from .graph import HOST, Node, new_node
from .movements import Movement
from .views import View, shown, view_of

READ_BY_THREAD = 1 << 20  # bytes from which on a thread reads a block
# Functions that wrap public ones (`api.core.arguments`), or through which NumPy and methods call them.
WRAPPERS = (
    "checked", "named", "method", "handler", "computed", "call", "_call", "__call__", "_into", "__array_function__",
    "__array_ufunc__", "function", "direct_function", "through_host",
)  # fmt: skip
# Values over host operands that are computed before the values that use them, because these would read them repeatedly.
computed_first: WeakSet[Node] = WeakSet()


class Result:
    """A value that was computed into host memory: its shape, and the nodes that show it or a view of it."""

    __slots__ = ("_nodes", "shape")

    def __init__(self, shape: tuple[int, ...]):
        self.shape = shape
        self._nodes: list[ref[Node]] = []

    def shown_by(self, node: Node) -> None:
        """Note that a node shows the value or a view of it."""
        if not len(self._nodes) & (len(self._nodes) - 1):  # a power of two
            self._nodes = [one for one in self._nodes if one() is not None]
        self._nodes.append(ref(node))

    def held(self) -> list[Node]:
        """The nodes among them that users hold."""
        return [node for one in self._nodes if (node := one()) is not None and node.held]


class Strided:
    """The memory of a NumPy array: the span from the lowest element to the highest, and the layout in it.

    ``whole``: the host operand that contains this part. Its ``lock`` keeps the memory page-locked after the first call
    of `page_lock`. ``frame``: another host operand that contains this one as a box, and that box. ``result``: the
    nodes that show this memory, if a value was computed into it; None for memory that the program gave.
    """

    __slots__ = ("frame", "layout", "lock", "result", "span", "whole")

    def __init__(self, span: HostArray, layout: Layout, whole: Strided | None = None):
        self.span, self.layout = span, layout
        self.frame: tuple[Strided, Box] | None = None
        self.whole = whole  # None: itself; a reference to itself would keep the memory until garbage is collected
        self.lock: Any = None
        self.result: Result | None = None

    def view(self, layout: Layout) -> Strided | None:
        """The memory of a view, for its layout over C-contiguous memory; None if there is no such view."""
        own = composed(self.layout, layout)
        if own is None:
            return None
        part, frame = Strided(self.span, own), self if self.frame is None else self.frame[0]
        box = box_of(own, frame.layout)
        part.frame = None if box is None else (frame, box)
        part.result = self.result
        return part

    def of_all(self, shape: tuple[int, ...]) -> Strided:
        """The whole memory, in C order with a given shape."""
        return Strided(self.span, c_order(shape), self.whole or self)

    def part(self, box: Box) -> Strided:
        """The elements of a box."""
        return Strided(self.span, cut(box, self.layout), self.whole or self)

    def page_lock(self, device: Device) -> Any:
        """The object that keeps the memory page-locked; None if it is not page-locked."""
        whole = self.whole or self
        if whole.lock is None:
            whole.lock = page_lock(device, self.span, size(whole.layout.shape) * self.span.dtype.itemsize) or False
        return whole.lock or None

    def read(self) -> HostArray:
        """The elements, as a view of the memory."""
        shape, strides, offset = self.layout
        if not size(shape):
            return np.empty(shape, self.span.dtype)
        steps = [step * self.span.dtype.itemsize for step in strides]
        return np.lib.stride_tricks.as_strided(self.span[offset : offset + 1], shape, steps, writeable=False)


class Indexed:
    """A source: an object that has ``shape`` and ``dtype`` and gives boxes by slices, such as an array of zarr.
    ``dtype``: the dtype of its elements, in native byte order."""

    __slots__ = ("box", "dtype", "source")

    def __init__(self, source: Any, dtype: np.dtype[Any], box: Box):
        self.source, self.dtype, self.box = source, dtype, box

    def view(self, layout: Layout) -> None:
        """None: a source has no views."""
        return None

    def part(self, box: Box) -> Indexed:
        """The elements of a box."""
        return Indexed(self.source, self.dtype, moved(box, self.box))

    def read(self) -> HostArray:
        """The elements. ValueError if the source gives anything except an array of the box's shape and of its dtype."""
        try:
            found = self.source[tuple([slice(*ends) for ends in self.box])]
            host = np.asarray(found)
        except Exception as error:
            error.add_note(f"from_host: this was raised by {self._asked()}")
            raise
        known = all([hasattr(found, name) for name in ("shape", "dtype")])
        native = host.dtype.newbyteorder("=")
        if not known or host.shape != shape_of(self.box) or native != self.dtype or not _is_plain(found):
            came = f"{type(found).__name__} of shape {host.shape} and dtype {host.dtype}"
            raise ValueError(
                f"from_host: got {came} from {self._asked()}; allowed: an array of shape {shape_of(self.box)} and "
                f"dtype {self.dtype}, without masked elements or units; correct the source, or wrap it in a class that "
                "does"
            )
        return host

    def _asked(self) -> str:
        """The text of the request for the box, for errors."""
        kind, box = type(self.source), ", ".join([f"{start}:{stop}" for start, stop in self.box])
        return f"source[{box or '()'}], where the source is a {kind.__module__}.{kind.__qualname__}"


HostMemory = Strided | Indexed  # where the elements of a host operand lie


def _is_plain(block: Any) -> bool:
    """Whether an array loses nothing, such as a mask or units, when it becomes a NumPy array."""
    if isinstance(block, np.ma.MaskedArray):
        return not np.any(block.mask)
    return not isinstance(block, np.ndarray) or type(block) in (np.ndarray, np.memmap)


_reading = module_lock(globals(), "_reading")


class Reading(threading.Thread):
    """A thread that reads a box while the program goes on, because reading may mean decompressing.

    Boxes are read one at a time, because sources may not support threads. A source may compute with this library, so a
    thread that waits for it must not hold a lock that computing needs (`Block.ready`, `is_reading`). The thread has the
    configuration of the program. ``found``: the elements, or the error that reading raised.
    """

    def __init__(self, memory: HostMemory, dtype: np.dtype[Any], device: Device):
        super().__init__(name="arrayapi_gpu reading", daemon=True)
        self.found: Future[HostArray] = Future()
        self._read = partial(copy_context().run, partial(_read, memory, dtype, device))
        self.start()

    def run(self) -> None:
        """Read the box."""
        try:
            with _reading:
                self.found.set_result(self._read())
        except BaseException as error:
            self.found.set_exception(error)


def is_reading() -> bool:
    """Whether the current thread reads a box, so another thread may wait for it."""
    return isinstance(threading.current_thread(), Reading)


def _read(memory: HostMemory, dtype: np.dtype[Any], device: Device) -> HostArray:
    """The elements as an array of a dtype, in page-locked memory if the device copies faster from there."""
    found = memory.read()
    if device.overlaps and (staged := page_locked(device, dtype, found.shape)) is not None:
        host_copy(staged, found)
        return staged
    return found.astype(dtype, copy=False)


def page_locked(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...]) -> HostArray | None:
    """An array in page-locked memory of the host; None if there is no room, or copies are not faster from there."""
    spilling = device.pool.spilling if device.overlaps and size(shape) else None
    buffer = None if spilling is None else spilling.on_host(size(shape) * dtype.itemsize)
    if spilling is None or buffer is None:
        return None
    if spilling.began:
        device.wait()  # a copy back to the device from this memory may be under way
    return np.asarray(buffer).view(dtype).reshape(shape)


class OnHost(Operation):
    """The operation of a host operand. ``view``: if it shows a view of a result, the operation of that view."""

    __slots__ = ("memory", "view")

    name = "from_host"
    reusable = False
    on_host = True

    def __init__(self, memory: HostMemory, view: View | None = None):
        self.memory, self.view = memory, view

    @property
    def result(self) -> Result | None:
        """The result whose memory it shows; None for memory that the program gave. See `Strided`."""
        return self.memory.result if isinstance(self.memory, Strided) else None

    def boxes(self, node: Node, box: Box) -> list[Box]:
        return []  # no operands

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        """All elements, on the device."""
        return Block(self.memory).run(operands, result)

    def expression(self, node: Node, *operands: str) -> str:
        return "xp.from_host(...)"


class Block(Operation):
    """The step that brings a block of a host operand to the device. A device that computes in host memory copies
    nothing."""

    __slots__ = ("array", "memory", "reading", "transfer")

    name = "block of a host operand"
    reusable = False

    def __init__(self, memory: HostMemory):
        self.memory = memory
        self.reading: Reading | None = None
        self.array: GpuArray | None = None  # the destination of the copy
        self.transfer = Transfer()

    def begin(self, node: Node) -> None:
        """Begin to bring the block to the device, while the program goes on."""
        if self.reading is not None or self.array is not None or is_reading():
            return
        memory, device = self.memory, node.device
        if isinstance(memory, Strided):
            if not device.overlaps:
                return
            host = memory.read()
            direct = host.dtype == node.dtype and host.flags.c_contiguous
            if direct and (lock := memory.page_lock(device)) is not None:
                self._copy(node, host, lock)
                return
            if host.nbytes < READ_BY_THREAD:
                return
        self.reading = Reading(memory, node.dtype, device)

    def _copy(self, result: Node | Signature, host: HostArray, lock: object = None) -> None:
        """Begin to copy page-locked memory."""
        device, array = result.device, empty(result.device, result.dtype, result.shape)
        started = start(device, "upload", on_host=True)
        self.transfer = device.begin_upload(array.storage.buffer, array.offset * array.dtype.itemsize, host, lock)
        self.array = array
        _noted(array, started)

    def ready(self) -> None:
        """Wait for the thread that reads the block, if there is one."""
        if self.reading is not None:
            self.reading.join()

    def wait(self) -> None:
        """Wait for the copy to the device, if it runs outside the queue."""
        self.transfer.wait()

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        """The block in the device's memory."""
        device = result.device
        if self.array is None:
            reading, self.reading = self.reading, None
            host = self.memory.read().astype(result.dtype, copy=False) if reading is None else reading.found.result()
            if reading is None or not device.overlaps:
                array = adopt(device, host, private=True)
                if array is None:
                    started = start(device, "upload", on_host=True)
                    array = upload(device, host)
                    _noted(array, started)
                return array
            self._copy(result, np.ascontiguousarray(host))
        self.transfer.join()
        array, self.array = self.array, None
        assert array is not None
        return array

    def expression(self, node: Node, *operands: str) -> str:
        return "xp.from_host(...)"


def _noted(array: GpuArray, started: Started | None) -> None:
    if started is not None:
        note(Event("upload", array.storage.device.name, array.size, array.nbytes, kind=EventKind.BLOCK), started)


class StreamingRoom:
    """The function of `lazy.out_of_core` that rooms below it call, and that it sets.

    ``settle(node, out)`` computes a value over host operands into ``out``, memory of its shape and dtype. Without
    ``out``, it computes the value into device memory, or into host memory if it does not fit there.
    """

    settle: Callable[..., None]


streaming = StreamingRoom()

SMALLEST_BLOCK = 1024  # bytes; smaller blocks take less memory than the pool adds by rounding


def host_operand(source: Any, dtype: np.dtype[Any], device: Device) -> Node:
    """The host operand of a NumPy array, or of an object that gives boxes by slices. ``dtype``: of the elements, in
    native byte order."""
    if isinstance(source, np.ndarray) and (spanned := span_of(np.asarray(source))) is not None:
        return host_operand_in(Strided(*spanned), dtype, source.shape, device)
    shape = tuple(map(int, source.shape))
    return host_operand_in(Indexed(source, dtype, whole(shape)), dtype, shape, device)


def host_operand_in(memory: HostMemory, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """The host operand of some memory."""
    return new_node(OnHost(memory), (), None, dtype, shape, device, HOST)


def fits(device: Device, nbytes: int) -> bool:
    """Whether a result, or an operand that is needed as a whole, may take ``nbytes`` of a device's memory."""
    return nbytes <= device.pool.limit // tuning.HOST_RESULTS


def room_of_block(device: Device) -> int:
    """The largest number of bytes for one block on a device, its operands and its result together.

    The number is halved until four blocks fit in free memory, because the next block is read while one is computed,
    and the pool rounds sizes up. Halving keeps the number of block sizes small, and so the number of kernels.
    """
    room, free = min(tuning.HOST_BLOCK, device.pool.limit // 16), device.pool.room
    while 4 * room > free and room > SMALLEST_BLOCK:
        room //= 2
    return room


def is_of_source(node: Node) -> bool:
    """Whether a value is a host operand that `from_host` made, so programs do not write to it."""
    op: Any = node.op
    return op.on_host and op.result is None


def in_blocks(parts: Sequence[Node], axis: int, shape: tuple[int, ...]) -> Node:
    """A concatenation that is computed block by block, even if no part is a host operand, so it may lie in host
    memory."""
    first = parts[0]
    return new_node(Concat(axis), tuple(parts), None, first.dtype, shape, first.device, HOST)


def view_on_host(node: Node, movement: Movement, shared: bool) -> Node | None:
    """A view of a host operand, as a host operand; None for other values, and for sources that give boxes.

    If its memory has no such view, the result is a view of a copy, provided that a program may write to the view.
    ``shared``: see `evaluate.through`.
    """
    op: Any = node.op
    if not op.on_host:
        return None
    memory = op.memory.view(shown(movement, op, node.shape).layout)
    if memory is None:
        is_copy = isinstance(op.memory, Strided) and (shared or op.result is not None)
        return view_of(in_blocks([node], 0, node.shape), movement) if is_copy else None
    found = host_operand_in(memory, node.dtype, memory.layout.shape, node.device)
    if memory.result is not None:
        found.op = OnHost(memory, shown(movement, op.view or op, node.shape))
        memory.result.shown_by(found)
    return found


def host_values_of(node: Node) -> HostArray | None:
    """The elements of a host operand, read-only, as a view of its memory if that is possible; None for other nodes."""
    op: Any = node.op
    if not op.on_host:
        return None
    values: HostArray = op.memory.read().astype(node.dtype, copy=False).view()
    values.flags.writeable = False
    return values


def settle_on_host(node: Node, host: HostArray) -> None:
    """Make a value that was computed into host memory a host operand, and its views as well."""
    spanned = span_of(host)
    assert spanned is not None, "fresh memory has no gaps"
    views, memory = node.views, Strided(*spanned)
    memory.result = Result(node.shape)
    memory.result.shown_by(node)
    node.op = OnHost(memory)
    node.rule = None
    node.args = ()
    node.views = None
    for view in [] if views is None else views.alive():
        op: Any = view.op
        if op.layout is not None and (part := memory.view(op.layout)) is not None:
            view.op, view.args = OnHost(part, op), ()
            memory.result.shown_by(view)


def on_device(node: Node) -> GpuArray:
    """The array of a value over host operands. MemoryError if it is too large for the device."""
    streaming.settle(node)
    op, nbytes = node.op, size(node.shape) * node.dtype.itemsize
    if (array := op.own if node.array is None else node.array) is not None:
        return array
    if not fits(node.device, nbytes):
        raise too_large(called(), node, nbytes)
    if op.on_host:
        array = op.run((), signature_of(node.device, node.dtype, node.shape))
    else:
        streaming.settle(node, array := empty(node.device, node.dtype, node.shape))
    array.storage.readonly = True  # writes to this copy would be lost
    return array


def too_large(name: str, node: Node, nbytes: int) -> MemoryError:
    """The MemoryError of a function that cannot work block by block."""
    return MemoryError(
        f"{name}: needs an array of shape {node.shape}, {nbytes} bytes in host memory, on {node.device} as a whole; "
        f"allowed: {node.device.pool.limit // tuning.HOST_RESULTS} bytes, or functions that work block by block; slice "
        "or reduce it first, or use NumPy on numpy.asarray(x)"
    )


def called() -> str:
    """The name of the function of this package that the program called; "" of an operator in the compiled form."""
    frame, package, name = sys._getframe(1), __name__.partition(".")[0], ""
    while frame is not None and (module := frame.f_globals.get("__name__", "")).partition(".")[0] == package:
        own = frame.f_code.co_name
        inner = own.startswith("<") or (module.startswith(f"{package}.lazy.") and own != "operate")
        name = name if inner or own in WRAPPERS else own
        frame = frame.f_back  # type: ignore[assignment]
    return "an in-place operator" if name == "operate" or name.startswith("__i") else name
