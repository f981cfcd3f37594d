"""The strided array in device memory: a storage, an offset, a shape, strides and a dtype.

`GpuArray` is an operand or a result of a kernel. It knows nothing of expressions; the public array
(``api.core.array_object``) is a handle to a node of the lazy graph, and a node that has been computed holds one
`GpuArray`.
"""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import numpy as np

from ..backends.base import Block, Buffer, Device, FixedBuffer, Operand, Transfer
from ..backends.events import Event, EventKind, listeners, note, start
from ..backends.exposures import Exposure, expose
from ..backends.host_memory import kept_view
from ..backends.state import after_fork, clears
from ..config import config, limit_of, unusual
from .layout import Layout, c_order, contiguous_strides, extents, index_outside, is_c_contiguous, row, rows, size

ALIGNMENT = 64  # bytes; see `Device.alloc`


SIGNATURES = 1024  # that are remembered
PHASE = 16  # elements; accesses of several elements begin at divisors of this
NEAR = 2**29  # bytes; the sum of two such offsets takes 32 bits

# The largest weight of one kernel: an operation weighs one, and an array as much as it keeps alive of device memory.
MAX_WEIGHT = 192

LISTED_ARRAYS = 5  # live arrays that an error lists where there is no memory for one more


class Storage:
    """A block of device memory to which one or more arrays refer.

    ``shared`` is set once others than the first array may read the memory (a view, an export, an adopted host array):
    from then on writes go to the memory itself. ``readonly`` refuses them. ``weight``: how much an operand in this
    memory adds to the weight of a pending expression.

    ``indices``: all elements of a dtype are known to be indices into so many elements, see `indices_of`; None where
    nothing is known. It is forgotten before a write.

    ``repeats``: whether two elements are the same index, or an array on the device that says so; before it the number
    of elements for which that holds, 0 for any number. None where nothing is known. It holds
    while the memory is not ``shared``, and is forgotten before a write.

    ``writes``: a count of the changes of the memory, each counted before it is made.

    ``origin``: the operation that has computed the elements, where an expression does not show it; forgotten before a
    write.

    ``readers``: weak references to pending values that read the memory, see `lazy.graph.dependencies`.

    ``exposure``: that of memory which is exposed as long as it is used here; exports keep their own.
    """

    __slots__ = (
        "__weakref__", "buffer", "device", "exposure", "indices", "origin", "readers", "readonly", "repeats",
        "shared", "weight", "writes",
    )  # fmt: skip

    readers: list[weakref.ref[Any]] | None
    origin: str | None
    indices: tuple[np.dtype[Any], int] | None
    repeats: tuple[int, bool | GpuArray] | None

    def __init__(
        self, device: Device, buffer: Buffer, shared: bool = False, readonly: bool = False, exposed: bool = False
    ):
        self.device = device
        self.buffer = buffer
        self.weight = weight_of(device, buffer.nbytes)
        self.shared = shared
        self.readonly = readonly
        self.writes = 0
        self.readers = self.origin = self.indices = self.repeats = None
        self.exposure = expose(device, buffer) if exposed else None

    def changes(self) -> None:
        """Count a change of the memory, before it is made, and forget all facts about the elements."""
        self.writes += 1
        self.indices = self.origin = self.repeats = None

    def expose(self) -> Exposure:
        """Return the memory's exposure: other code may read and write the memory while it lives."""
        self.shared = True
        return expose(self.device, self.buffer)


def note_indices(array: GpuArray, extent: int) -> None:
    """Note that all elements of an array are indices into ``extent`` elements, if they are all that its memory has, and
    if no other code may write to it."""
    storage = array.storage
    whole = array.contiguous and array.size * array.dtype.itemsize == storage.buffer.nbytes
    if not storage.shared or (whole and not is_written_by_others(storage)):
        storage.indices = array.dtype, extent


def indices_of(array: GpuArray) -> int:
    """Return the number of elements into which all elements of an array are known to be indices; 0 where nothing is
    known."""
    known = array.storage.indices
    if known is None or known[0] != array.dtype or is_written_by_others(array.storage):
        return 0
    return known[1]


def is_written_by_others(storage: Storage) -> bool:
    """Whether other code may write to a memory without a count of its `writes`. It may also where the memory refuses
    writes, because that is a promise of its owner about this library."""
    buffer = storage.buffer
    return storage.readonly or storage.exposure is not None or buffer.exposed or isinstance(buffer, FixedBuffer)


def weight_of(device: Device, nbytes: int) -> int:
    """Return the weight of memory whose values the host does not know."""
    limit = device.memory if config.memory_limit is None else limit_of(config.memory_limit, device.name, device.memory)
    return nbytes * (4 * MAX_WEIGHT) // limit


class GpuArray:
    """A strided view of a `Storage`; ``strides`` and ``offset`` count elements. ``signature``: see `Signature`.

    ``fixed`` views refuse writes, also where the storage allows them (`readonly`).
    """

    __slots__ = ("contiguous", "dtype", "fixed", "offset", "shape", "signature", "size", "storage", "strides")

    def __init__(
        self,
        storage: Storage,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int = 0,
        contiguous: bool | None = None,
        count: int | None = None,
        signature: Signature | None = None,
    ):
        self.storage = storage
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self.size = size(shape) if count is None else count
        self.contiguous = is_c_contiguous(shape, strides) if contiguous is None else contiguous
        self.signature = signature
        self.fixed = False

    @property
    def readonly(self) -> bool:
        """Whether writes are refused."""
        return self.fixed or self.storage.readonly

    @property
    def layout(self) -> Layout:
        return Layout(self.shape, self.strides, self.offset)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def view(self, layout: Layout, dtype: np.dtype[Any] | None = None) -> GpuArray:
        """Return a view of the same memory; ``dtype``: that of the elements that the layout counts."""
        view = self._another()
        if dtype is not None:
            view.dtype = dtype
        view.shape, view.strides, view.offset = layout
        view.size, view.contiguous = extents(view.shape, view.strides)
        return view

    def through(self, layout: Layout) -> GpuArray:
        """Return the same memory in another layout, for reading within this package: it is not a `view`."""
        return GpuArray(self.storage, self.dtype, layout.shape, layout.strides, layout.offset)

    def rolled(self, shifts: tuple[int, ...]) -> GpuArray:
        """Return the same memory with its elements shifted, for reading within this package; the array itself if it has
        no axes."""
        return Rolled(self, shifts) if shifts else self

    def rows(self, item: slice) -> GpuArray:
        """Return the view of a slice of the first axis, which the array has."""
        shape, strides = self.shape, self.strides
        start, stop, step = item.indices(shape[0])  # as `layout.sliced`, whose call would be a tenth of the time
        length = stop - start if step == 1 and start < stop else len(range(start, stop, step))
        view = self._another()
        view.offset = self.offset + start * strides[0] if length else self.offset
        view.shape, view.strides, view.size, view.contiguous = rows(shape, strides, length, step)
        return view

    def row(self, index: int) -> GpuArray:
        """Return the view of one element of the first axis, which the array has. IndexError outside of it."""
        shape, strides = self.shape, self.strides
        n = shape[0]
        if not -n <= index < n:
            raise index_outside(index, n, 0)
        view = self._another()
        view.offset = self.offset + (index + n if index < 0 else index) * strides[0]
        view.shape, view.strides, view.size, view.contiguous = row(shape, strides)
        return view

    def part(self, key: tuple[Any, ...]) -> GpuArray | None:
        """Return the view that ints and slices of the first axes select; None for other keys. IndexError for an int
        outside of its axis."""
        offset, lengths, steps = self.offset, [], []
        if len(key) > len(self.shape):
            return None
        axis = 0
        for item in key:
            n, stride = self.shape[axis], self.strides[axis]
            if type(item) is slice:
                start, stop, step = item.indices(n)
                length = stop - start if step == 1 and start < stop else len(range(start, stop, step))
                if length:
                    offset += start * stride
                lengths.append(length)
                steps.append(step * stride if length > 1 else stride)
            elif type(item) is int:
                if not -n <= item < n:
                    raise index_outside(item, n, axis)
                offset += (item + n if item < 0 else item) * stride
            else:
                return None
            axis += 1
        view = self._another()
        view.offset = offset
        view.shape, view.strides = (*lengths, *self.shape[axis:]), (*steps, *self.strides[axis:])
        view.size, view.contiguous = extents(view.shape, view.strides)
        return view

    def _another(self) -> GpuArray:
        """Return a view whose layout is not set yet."""
        view: GpuArray = GpuArray.__new__(GpuArray)  # as `GpuArray(...)`, which would take twice as long
        view.storage = storage = self.storage
        storage.shared = True
        view.dtype = self.dtype
        view.signature = None
        view.fixed = self.fixed
        return view

    def find_signature(self) -> Signature | None:
        """Return the array's signature; None in memory that has none (see `Signature`)."""
        storage, offset = self.storage, self.offset
        device, buffer = storage.device, storage.buffer
        if not buffer.aligned or (offset and buffer.nbytes > NEAR):
            return None
        if self.contiguous and not offset:
            signature = signature_of(device, self.dtype, self.shape)
        else:
            signature = signature_of(device, self.dtype, self.shape, self.strides, offset % PHASE if offset else -1)
        self.signature = signature
        return signature

    def begins_at(self, multiple: int) -> bool:
        """Return whether the first element lies at a multiple of so many elements in aligned memory, so that one access
        may read them."""
        return self.offset % multiple == 0 and self.storage.buffer.aligned

    def host_view(self) -> np.ndarray[Any, Any]:
        """Return a NumPy array over the same memory, without a copy; only where the device shares host memory.

        It is for use within a call: arrays that are given to other code are `exported`.
        """
        return self._over(self.storage.device.host_view(self.storage.buffer))

    def exported(self, exposure: Exposure) -> np.ndarray[Any, Any]:
        """Return a NumPy array over the same memory for other code: the memory's exposure lasts while the array, or a
        view of it, lives.

        It is read-only where the array is. Only where the device shares host memory.
        """
        view = self._over(self.storage.device.host_view(self.storage.buffer, exposure))
        view.flags.writeable = not self.readonly
        return view

    def _over(self, raw: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return a NumPy array over the bytes of the buffer."""
        if not self.size:
            return np.empty(self.shape, self.dtype)  # NumPy checks strides even where there are no elements
        itemsize = self.dtype.itemsize
        return np.ndarray(
            self.shape, self.dtype, raw, self.offset * itemsize, tuple(s * itemsize for s in self.strides)
        )

    def download(self) -> np.ndarray[Any, Any]:
        """Return a copy in host memory. The array is C-contiguous, or its device shares host memory."""
        device = self.storage.device
        if device.host_shared:
            return self.host_view().copy()
        host = np.empty(self.shape, self.dtype)
        if self.size:
            device.download(self.storage.buffer, self.offset * self.dtype.itemsize, host)
        return host


class Rolled(GpuArray):
    """An array as an expression reads it: its elements ``shifts`` places further along each axis, and those past the
    end at the beginning. Users have no such arrays."""

    __slots__ = ("shifts",)

    def __init__(self, array: GpuArray, shifts: tuple[int, ...]):
        super().__init__(array.storage, array.dtype, array.shape, array.strides, array.offset, False, array.size)
        self.shifts = shifts

    def find_signature(self) -> Signature | None:
        """Return the signature of an array with these strides and shifts."""
        storage, offset = self.storage, self.offset
        if not storage.buffer.aligned or (offset and storage.buffer.nbytes > NEAR):
            return None
        facts = (*self.strides, *self.shifts)
        self.signature = signature_of(storage.device, self.dtype, self.shape, facts, offset % PHASE if offset else -1)
        return self.signature


def numpy_view(array: GpuArray) -> np.ndarray[Any, Any]:
    """Return NumPy's view of an array's memory while the device rests, for immediate use, because nothing keeps the
    memory; only where the device computes in the host's memory, and no memory moves."""
    storage, dtype, offset = array.storage, array.dtype, array.offset
    buffer = storage.buffer
    if storage.device.exposed and buffer.exposed:
        storage.device.host_view(buffer)  # because other libraries may have queued work on it
    block = buffer.block
    signature = None if offset else array.signature or array.find_signature()
    if signature is not None:
        view: np.ndarray[Any, Any] | None = block.views.get(signature)
        if view is not None:
            return view
    if not array.size:
        return np.empty(array.shape, dtype)  # because NumPy checks strides, and where an array begins, even of these
    itemsize = dtype.itemsize
    strides = None if array.contiguous else tuple([step * itemsize for step in array.strides])
    if signature is not None:
        return kept_view(block, signature, dtype, array.shape, strides)
    return np.ndarray(array.shape, dtype, block.host, offset * itemsize, strides)


def numpy_views(*arrays: GpuArray) -> list[np.ndarray[Any, Any]]:
    """Return NumPy's views of the memory of arrays of one device, which the caller keeps; only where the device
    computes in the host's memory."""
    spilling = arrays[0].storage.device.pool.spilling
    if spilling is not None and spilling.moves:
        return [array.host_view() for array in arrays]
    return [numpy_view(array) for array in arrays]


def operand_of(array: GpuArray) -> Operand:
    """Return the array as an operand of a library."""
    return Operand(array.storage.buffer, array.offset, array.dtype, array.shape, array.strides)


class Signature:
    """The facts of an array on which a launch depends: device, dtype, shape and strides, and facts that follow.

    There is one object for equal facts, by which launches are remembered. Arrays that are ``moved``, which do not begin
    where their memory does, have a separate signature: launches get their offsets, which are equal modulo `PHASE`.
    Memory that is not aligned has no signature. Neither do moved arrays in so large a memory that an offset takes 64
    bits.
    """

    __slots__ = ("_home", "device", "dtype", "met", "moved", "nbytes", "shape", "size", "strides", "weight")

    def __init__(
        self, device: Device, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...], moved: bool
    ):
        self.device = device
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.moved = moved
        self.met = False  # True once a result has had it
        self.size = size(shape)
        self.nbytes = self.size * dtype.itemsize
        self.weight = weight_of(device, self.nbytes)
        self._home: list[Block] | None = None  # see `Pool.home`

    def empty(self) -> GpuArray:
        """Return an array in fresh, uninitialised memory; the signature has the strides of the C order."""
        storage = Storage.__new__(Storage)  # as `Storage(...)` and `GpuArray(...)`, which would take twice as long
        storage.device = device = self.device
        try:
            pool = device.pool
            if self._home is None:
                self._home = pool.home(self.nbytes)
            storage.buffer = pool.buffer(self.nbytes, self._home)
        except MemoryError as error:
            raise _no_memory(self, error) from error.__cause__
        storage.weight = self.weight
        storage.shared = storage.readonly = False
        storage.writes = 0
        storage.readers = storage.exposure = storage.origin = storage.indices = storage.repeats = None
        array: GpuArray = GpuArray.__new__(GpuArray)
        array.storage = storage
        array.dtype = self.dtype
        array.shape = self.shape
        array.strides = self.strides
        array.offset = 0
        array.size = self.size
        array.contiguous = True
        array.fixed = False
        array.signature = self
        if unusual and config.debug:
            _lines[storage] = _line()
        return array

    def fresh(self) -> GpuArray:
        """Return an array in fresh memory; while indices are checked (`config.check`) at an offset."""
        return empty(self.device, self.dtype, self.shape, 3) if unusual and config.check else self.empty()


_lines: weakref.WeakKeyDictionary[Storage, str] = weakref.WeakKeyDictionary()  # of the program that made some memory


def _line() -> str:
    """Return the line of the program, outside of this package, that is being run."""
    package = __name__.partition(".")[0]
    frame = sys._getframe()  # in the compiled form that of the caller, because this function has none
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _no_memory(wanted: Signature, error: MemoryError) -> MemoryError:
    """Return the error where there is no memory for an array: that of the pool, with the largest arrays in memory."""
    wholes: dict[Storage, GpuArray] = {}
    for item in gc.get_objects():
        # By its type, because the class of a weak proxy cannot be read after its object died. Other threads may still
        # be making the item.
        if issubclass(type(item), GpuArray) and hasattr(item, "contiguous"):
            storage = item.storage
            known, there = wholes.get(storage), isinstance(storage.buffer.block, Block)
            if storage.device is wanted.device and there and (known is None or known.size < item.size):
                wholes[storage] = item
    largest = sorted(wholes.values(), key=lambda array: -array.storage.buffer.nbytes)[:LISTED_ARRAYS]
    named = [
        f"{array.storage.buffer.nbytes} bytes, {array.dtype} {array.shape}, {_lines.get(array.storage, '')}".rstrip(
            ", "
        )
        for array in largest
    ]
    text = f"{error}; asked for: {wanted.dtype} {wanted.shape}"
    if named:
        text += f"; the largest live arrays: {'; '.join(named)}"
        text += "" if config.debug else "; set config.debug to 1 to list the lines that made them"
    return MemoryError(text)


_signatures: dict[tuple[Any, ...], Signature] = {}
after_fork(clears(_signatures.clear))
_found = _signatures  # the same dictionary, whose type the compiled form knows
_limit: object = None  # the `config.memory_limit` by which they were weighed


def signature_of(
    device: Device,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    phase: int = -1,
) -> Signature:
    """Return the signature of arrays, by default C-contiguous ones.

    ``phase``: the offset modulo `PHASE`, or -1 where arrays begin where their memory does.
    """
    if _limit is not config.memory_limit:
        _weigh_again()
    key = (device.name, dtype, shape, strides, phase)
    signature = _found.get(key)
    if signature is None or signature.device is not device:
        if len(_signatures) >= SIGNATURES:
            _signatures.clear()
        own = contiguous_strides(shape) if strides is None else strides
        signature = _signatures[key] = Signature(device, dtype, shape, own, phase >= 0)
    return signature


def _weigh_again() -> None:
    """Let arrays that are made from now on have the weights that follow from the limit of memory."""
    global _limit
    _limit = config.memory_limit
    for signature in list(_signatures.values()):
        signature.weight = weight_of(signature.device, signature.nbytes)


def empty(device: Device, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int = 0) -> GpuArray:
    """Return an array in fresh, uninitialised, C-contiguous memory; ``offset`` elements before it stay unused."""
    signature = signature_of(device, dtype, shape)
    if not offset:
        return signature.empty()
    storage = Storage(device, device.pool.alloc(signature.nbytes + offset * dtype.itemsize))
    return GpuArray(storage, dtype, shape, signature.strides, offset, True, signature.size)


def upload(device: Device, host: np.ndarray[Any, Any]) -> GpuArray:
    """Return a copy of a host array in device memory."""
    array = empty(device, host.dtype, host.shape)
    if host.size:
        started = start(device, "upload", True) if listeners else None
        device.upload(array.storage.buffer, array.offset * host.dtype.itemsize, np.ascontiguousarray(host))
        if started is not None:
            note(Event("upload", device.name, array.size, array.nbytes, kind=EventKind.COPY), started)
    return array


def transfer(device: Device, array: GpuArray) -> GpuArray:
    """Return a copy on another device. If one of the devices has its memory on the host, no byte goes through other
    host memory. The array is C-contiguous, or its device shares host memory."""
    own = array.storage.device
    if own.host_shared:
        return upload(device, array.host_view())
    if (begun := begin_transfer(device, array)) is not None:
        target, copy = begun
        copy.join()
        copy.join(own)  # before it writes there again
        return target
    if not device.host_shared or not array.size:
        return upload(device, array.download())
    target = empty(device, array.dtype, array.shape)
    own.download(array.storage.buffer, array.offset * array.dtype.itemsize, target.host_view())
    return target


def begin_transfer(device: Device, array: GpuArray) -> tuple[GpuArray, Transfer] | None:
    """Return a copy of a C-contiguous array on another device, and the transfer that is under way; None where there is
    no direct way. Code that uses the copy, or writes to the array, must join the transfer first."""
    own, buffer = array.storage.device, array.storage.buffer
    if own.host_shared or device.host_shared or not array.size:
        return None
    target = empty(device, array.dtype, array.shape)
    offset = array.offset * array.dtype.itemsize
    begun = device.begin_fetch(own, buffer, offset, target.storage.buffer, array.nbytes)
    return None if begun is None else (target, begun)


def adopt(device: Device, host: np.ndarray[Any, Any], private: bool = False) -> GpuArray | None:
    """Return an array in the memory of a host array; None where the device or the strides do not allow that.

    ``private``: no other code has the memory, which was allocated for this call.
    """
    if not device.host_shared or not host.size or not _aligned(host):
        return None
    spanned = span_of(host)
    assert spanned is not None, "elements lie at multiples of their size"
    span, (shape, steps, offset) = spanned
    exposed = not private and not is_frozen(host)
    storage = Storage(device, device.adopt(span), shared=True, readonly=not host.flags.writeable, exposed=exposed)
    return GpuArray(storage, host.dtype, shape, steps, offset)


def span_of(host: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], Layout] | None:
    """Return all elements from the lowest to the highest in a host array's memory, in one dimension, and the array's
    layout there; None where strides are not multiples of the item size."""
    itemsize = host.dtype.itemsize
    if any(step % itemsize for step in host.strides):
        return None
    if not host.size:
        return np.empty(0, host.dtype), c_order(host.shape)
    steps, lowest, highest = _extent(host)
    corner = [slice(n - 1, n) if step < 0 else slice(0, 1) for n, step in zip(host.shape, steps, strict=True)]
    first = host[(*corner, ...)]  # an array for zero dimensions, too
    span = np.lib.stride_tricks.as_strided(first, (highest - lowest + 1,), (itemsize,), writeable=host.flags.writeable)
    return span, Layout(host.shape, steps, -lowest)


def is_frozen(host: np.ndarray[Any, Any]) -> bool:
    """Return whether the owner of a host array's memory promises not to write to it: the owner is a read-only array,
    bytes, a memory map for reading, or another buffer that is read-only."""
    owner: Any = host
    below: Any = host
    while below is not None:
        owner = below
        if isinstance(owner, np.ndarray):
            frozen, below = not owner.flags.writeable, owner.base
        elif isinstance(owner, memoryview):
            frozen, below = owner.readonly, owner.obj
        else:
            break
        if not frozen:
            return False
    if isinstance(owner, np.ndarray):
        return bool(owner.flags.owndata)
    try:
        return memoryview(owner).readonly
    except TypeError:  # a capsule, or another object that does not report it
        return False


def attach(device: Device, shadow: np.ndarray[Any, Any]) -> GpuArray | None:
    """Return an array in device memory of another library, given by a shadow (see `dlpack.read_device`), which keeps
    the memory alive; None where elements do not lie at multiples of their size."""
    if device.exchange is None or not _aligned(shadow):
        return None
    if not shadow.size:
        return empty(device, shadow.dtype, shadow.shape)
    itemsize = shadow.dtype.itemsize
    steps, lowest, highest = _extent(shadow)
    first = shadow.ctypes.data + lowest * itemsize
    lead = first % ALIGNMENT // itemsize  # kernels assume that memory begins at a multiple of this
    nbytes = (lead + highest - lowest + 1) * itemsize
    buffer = device.exchange.attach(first - lead * itemsize, nbytes, shadow)
    storage = Storage(device, buffer, shared=True, readonly=not shadow.flags.writeable, exposed=True)
    return GpuArray(storage, shadow.dtype, shadow.shape, steps, lead - lowest)


def borrow(
    device: Device,
    buffer: Buffer,
    readonly: bool,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
) -> GpuArray:
    """Return an array in memory that the program made with the driver; ``strides`` and ``offset`` count elements.

    ValueError where elements would lie outside of it.
    """
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True)]
    first, last = offset + sum(r for r in reach if r < 0), offset + sum(r for r in reach if r > 0)
    if first < 0 or (last + 1) * dtype.itemsize > buffer.nbytes:
        raise ValueError(
            f"shape {shape}, strides {strides} and offset {offset}, in elements of {dtype}, reach from element {first} "
            f"to {last}; allowed: {buffer.nbytes // dtype.itemsize} elements from 0 on"
        )
    storage = Storage(device, buffer, shared=True, readonly=readonly, exposed=True)
    return GpuArray(storage, dtype, shape, strides, offset)


def _aligned(host: np.ndarray[Any, Any]) -> bool:
    return not any(number % host.dtype.itemsize for number in (host.ctypes.data, *host.strides))


def _extent(host: np.ndarray[Any, Any]) -> tuple[tuple[int, ...], int, int]:
    """Return strides, and the lowest and the highest place of an element, counted from the first one, in elements."""
    steps = tuple(step // host.dtype.itemsize for step in host.strides)
    reach = [(n - 1) * step for n, step in zip(host.shape, steps, strict=True)]
    return steps, sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
