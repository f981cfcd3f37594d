"""Host operands: values that stay in host memory, and are read block by block when other values need them.

A host operand is a node without operands whose operation, `OnHost`, refers to its memory. It weighs `HOST`, more than
any other expression may, so its weight marks every value that is made of one (`Node.streamed`). The fast ways of
building and computing exclude heavy values anyway, so they need no further test. `streaming` computes such a value from
blocks (`lazy.out_of_core.blocks`): each is a `Block`, an ordinary step, whose memory is freed when the launches that
read it are queued.
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
from ...backends.host_memory import host_copy
from ...backends.locks import module_lock
from ...kernels.core import tuning
from ...kernels.core.launch import Launch, note
from ...kernels.core.operation import Operation
from ...memory.boxes import Box, box_of, cut, moved, shape_of, whole
from ...memory.gpuarray import GpuArray, Signature, adopt, empty, signature_of, span_of, upload
from ...memory.layout import Layout, composed, contiguous_strides, size
from ...memory.page_locks import page_lock
from .concat import Concat
from .graph import HOST, Node, new_node
from .movements import Movement
from .views import View, shown, view_of

BESIDE = 1 << 20  # bytes from which a thread reads a block
# Functions that wrap public ones (`api.core.arguments`), or by which NumPy and methods call them.
WRAPPERS = ("checked", "named", "method", "handler", "__array_function__", "__array_ufunc__")
# Values made of host operands that are computed before the values that use them, because these would read the operands
# several times.
computed_first: WeakSet[Node] = WeakSet()


class Result:
    """A value that was computed into host memory: its shape, and the nodes that show it or a view of it."""

    __slots__ = ("_nodes", "shape")

    def __init__(self, shape: tuple[int, ...]):
        self.shape = shape
        self._nodes: list[ref[Node]] = []

    def shown_by(self, node: Node) -> None:
        """Note that a node shows it."""
        if not len(self._nodes) & (len(self._nodes) - 1):  # a power of two
            self._nodes = [one for one in self._nodes if one() is not None]
        self._nodes.append(ref(node))

    def held(self) -> list[Node]:
        """The nodes that show this result and that users hold."""
        return [node for one in self._nodes if (node := one()) is not None and node.held]


class Strided:
    """The memory of a NumPy array: from the lowest element to the highest, and the layout in it.

    ``whole``: the host operand that contains this part. Its ``lock`` keeps the memory page-locked after the first call
    of `page_lock`. ``frame``: another host operand that contains this one as a box, and that box. ``result``: the nodes
    that show this memory, if a value was computed into it; None for memory of other code.
    """

    __slots__ = ("frame", "layout", "lock", "result", "span", "whole")

    def __init__(self, span: HostArray, layout: Layout, whole: Strided | None = None):
        self.span, self.layout = span, layout
        self.frame: tuple[Strided, Box] | None = None
        self.whole = whole  # None: itself; a reference to itself would keep the memory until garbage is collected
        self.lock: Any = None
        self.result: Result | None = None

    def view(self, layout: Layout) -> Strided | None:
        """The elements of a view; None where the memory has no such view. ``layout``: that of the view in a value in C
        order."""
        own = composed(self.layout, layout)
        if own is None:
            return None
        seen, frame = Strided(self.span, own), self if self.frame is None else self.frame[0]
        box = box_of(own, frame.layout)
        seen.frame = None if box is None else (frame, box)
        seen.result = self.result
        return seen

    def of_all(self, shape: tuple[int, ...]) -> Strided:
        """The whole memory, in C order, with a shape."""
        return Strided(self.span, Layout(shape, contiguous_strides(shape), 0), self.whole or self)

    def part(self, box: Box) -> Strided:
        """The elements of a box."""
        return Strided(self.span, cut(box, self.layout), self.whole or self)

    def page_lock(self, device: Device) -> Any:
        """The object that keeps the memory page-locked; None where it is not."""
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
    ``dtype``: that of its elements, in native byte order."""

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
        """The elements. ValueError if the source gives anything except an array of the box's shape and the source's
        dtype."""
        try:
            found = self.source[tuple([slice(*ends) for ends in self.box])]
            host = np.asarray(found)
        except Exception as error:
            error.add_note(f"from_host: this error came from {self._asked()}")
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
        """The request for the box, with the type of the source, for errors."""
        kind, box = type(self.source), ", ".join([f"{start}:{stop}" for start, stop in self.box])
        return f"source[{box or '()'}], where the source is a {kind.__module__}.{kind.__qualname__}"


HostMemory = Strided | Indexed  # where the elements of a host operand lie


def _is_plain(block: Any) -> bool:
    """Whether the elements of an array, as an array of NumPy, are all that it has: no masked elements, no units."""
    if isinstance(block, np.ma.MaskedArray):
        return not np.any(block.mask)
    return not isinstance(block, np.ndarray) or type(block) in (np.ndarray, np.memmap)


_reading = module_lock(globals(), "_reading")


class Reading(threading.Thread):
    """A thread that reads a box while the program goes on, because reading may include decompression. Boxes are read
    one at a time, because sources may not support threads. No thread that holds a lock that computing needs waits for
    this one, because a source may compute with this library (`Block.ready`, `is_reading`). The thread has the
    configuration of the program. ``found``: the elements, or the error that reading raised."""

    def __init__(self, memory: HostMemory, dtype: np.dtype[Any], device: Device):
        super().__init__(name="arrayapi_gpu reading", daemon=True)
        self.found: Future[HostArray] = Future()
        self._read = partial(copy_context().run, partial(_read, memory, dtype, device))
        self.start()

    def run(self) -> None:
        """Read the box, and keep the elements or the error in ``found``."""
        try:
            with _reading:
                self.found.set_result(self._read())
        except BaseException as error:
            self.found.set_exception(error)


def is_reading() -> bool:
    """Whether this thread reads a box for which another one waits."""
    return isinstance(threading.current_thread(), Reading)


def _read(memory: HostMemory, dtype: np.dtype[Any], device: Device) -> HostArray:
    """The elements as an array of a dtype, in page-locked memory where copies from there are fast."""
    found = memory.read()
    if device.overlaps and (staged := page_locked(device, dtype, found.shape)) is not None:
        host_copy(staged, found)
        return staged
    return found.astype(dtype, copy=False)


def page_locked(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...]) -> HostArray | None:
    """An array in page-locked memory of the host; None where there is no room, or copies from there are not faster."""
    spilling = device.pool.spilling if device.overlaps and size(shape) else None
    buffer = None if spilling is None else spilling.on_host(size(shape) * dtype.itemsize)
    if spilling is None or buffer is None:
        return None
    if spilling.began:
        device.wait()  # a copy back to the device from this memory may be under way
    return np.asarray(buffer).view(dtype).reshape(shape)


class OnHost(Operation):
    """The operation of a host operand. ``seen``: the view of a whole result that a host operand is; None for others."""

    __slots__ = ("memory", "seen")

    name = "from_host"
    reusable = False
    on_host = True

    def __init__(self, memory: HostMemory, seen: View | None = None):
        self.memory, self.seen = memory, seen

    @property
    def result(self) -> Result | None:
        """The result that it shows, or shows a view of; None for memory that is only read (see `Strided`)."""
        return self.memory.result if isinstance(self.memory, Strided) else None

    def boxes(self, node: Node, box: Box) -> list[Box]:
        return []  # it has no operands

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        """The array on the device with all elements."""
        return Block(self.memory).run(operands, result)

    def expression(self, node: Node, *operands: str) -> str:
        return "xp.from_host(...)"


class Block(Operation):
    """The step that copies a block of a host operand to the device. A device that computes in host memory adopts the
    block."""

    __slots__ = ("array", "memory", "reading", "transfer")

    name = "block of a host operand"
    reusable = False

    def __init__(self, memory: HostMemory):
        self.memory = memory
        self.reading: Reading | None = None
        self.array: GpuArray | None = None  # on the device, the target of the copy
        self.transfer = Transfer()

    def begin(self, node: Node) -> None:
        """Begin to read the block or to copy it to the device, while the program goes on."""
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
            if host.nbytes < BESIDE:
                return
        self.reading = Reading(memory, node.dtype, device)

    def _copy(self, result: Node | Signature, host: HostArray, lock: object = None) -> None:
        """Begin to copy page-locked memory."""
        device, array = result.device, empty(result.device, result.dtype, result.shape)
        self.transfer = device.begin_upload(array.storage.buffer, array.offset * array.dtype.itemsize, host, lock)
        self.array = array
        note(Launch("upload", device.name, array.size, array.nbytes))

    def ready(self) -> None:
        """Return when the block is read, if a thread reads it."""
        if self.reading is not None:
            self.reading.join()

    def wait(self) -> None:
        """Return when a copy in a side queue is done."""
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
                    array = upload(device, host)
                    note(Launch("upload", device.name, array.size, array.nbytes))
                return array
            self._copy(result, np.ascontiguousarray(host))
        self.transfer.join()
        array, self.array = self.array, None
        assert array is not None
        return array

    def expression(self, node: Node, *operands: str) -> str:
        return "xp.from_host(...)"


class Streaming:
    """The one function of `lazy.out_of_core` that rooms below it call, and that it sets. ``settle(node, out)`` computes
    a value made of host operands into ``out``, memory of its shape and dtype. Without that, the value is computed on
    the device if it fits there, otherwise in host memory."""

    settle: Callable[..., None]


streaming = Streaming()

SMALLEST_BLOCK = 1024  # bytes; the pool's rounding would be most of the memory of smaller ones


def host_operand(source: Any, dtype: np.dtype[Any], device: Device) -> Node:
    """The host operand of a NumPy array, or of an object that gives boxes by slices. ``dtype``: that of its elements,
    in native byte order."""
    if isinstance(source, np.ndarray) and (spanned := span_of(np.asarray(source))) is not None:
        return host_operand_in(Strided(*spanned), dtype, source.shape, device)
    shape = tuple(map(int, source.shape))
    return host_operand_in(Indexed(source, dtype, whole(shape)), dtype, shape, device)


def host_operand_in(memory: HostMemory, dtype: np.dtype[Any], shape: tuple[int, ...], device: Device) -> Node:
    """The host operand of some memory."""
    return new_node(OnHost(memory), (), None, dtype, shape, device, HOST)


def fits(device: Device, nbytes: int) -> bool:
    """Whether a result, or an operand that is needed whole, may take a number of bytes of a device's memory."""
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
    """Whether a value is a source of `from_host`, or memory with elements of one. These are read-only."""
    op: Any = node.op
    return op.on_host and op.result is None


def in_blocks(parts: Sequence[Node], axis: int, shape: tuple[int, ...]) -> Node:
    """A concatenation of values along an axis that is computed block by block. So it may lie in host memory, even if
    its parts are not made of host operands."""
    first = parts[0]
    return new_node(Concat(axis), tuple(parts), None, first.dtype, shape, first.device, HOST)


def view_on_host(node: Node, movement: Movement, shared: bool) -> Node | None:
    """A view of a host operand as a host operand; None for other values, and for sources that give boxes. Where its
    memory has no such view, the result is a view of a copy, if writes to the copy are allowed.

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
        found.op = OnHost(memory, shown(movement, op.seen or op, node.shape))
        memory.result.shown_by(found)
    return found


def host_values_of(node: Node) -> HostArray | None:
    """The elements of a host operand, read-only, as a view of its memory where possible; None for other nodes."""
    op: Any = node.op
    if not op.on_host:
        return None
    values: HostArray = op.memory.read().astype(node.dtype, copy=False).view()
    values.flags.writeable = False
    return values


def settle_on_host(node: Node, host: HostArray) -> None:
    """Make a value that was computed into host memory a host operand, and its views, too."""
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
    """The array of a value made of host operands, on the device. MemoryError where it is too large for that."""
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
    array.storage.readonly = True  # writes to a copy would be lost
    return array


def too_large(name: str, node: Node, nbytes: int) -> MemoryError:
    """The error of a function that cannot work in blocks."""
    return MemoryError(
        f"{name}: needs an array of shape {node.shape}, {nbytes} bytes in host memory, on {node.device} as a whole; "
        f"allowed: {node.device.pool.limit // tuning.HOST_RESULTS} bytes, or functions that work block by block; slice "
        "or reduce it first, or use NumPy on numpy.asarray(x)"
    )


def called() -> str:
    """The name of the function of this package that the program has called."""
    frame, package, name = sys._getframe(1), __name__.partition(".")[0], ""
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        name = name if frame.f_code.co_name in WRAPPERS else frame.f_code.co_name
        frame = frame.f_back  # type: ignore[assignment]
    return "an in-place operator" if name == "in_place" else name
