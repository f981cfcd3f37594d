"""Spilling: where memory is full, unused arrays move to the host, or into a file, and come back when needed.

A buffer that has moved, or may, is *dormant*: its class is changed in place to one whose ``handle`` and ``host`` bring
it back. So code that uses buffers does not know of spilling, other buffers cost nothing, and no invalid handle is read.

Code that uses a buffer refers to it: launches and copies while they are made, views of the host and other libraries as
long as they live. So a buffer to which only its storage refers may move. It becomes dormant before references to it are
counted, so a later user finds it dormant, and waits for the lock. Memory that a move frees may be used again at once,
because the queue is in order. Memory whose address was given away never moves (`FixedBuffer`).

The least recently used buffers are found as operating systems find them. When memory is full, all buffers become
dormant and keep their memory. A use wakes one up. The next time, buffers that are still dormant move, in their order.
"""

from __future__ import annotations

import gc
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from sys import getrefcount
from typing import Any, ClassVar

import numpy as np

from ..config import config
from .base import Block, Buffer, Device, DeviceError, HostArray, nothing
from .host_memory import host_memory
from .pool import Pool, block_size

MOVABLE = 1 << 16  # bytes; smaller arrays stay where they are
PIECE = 1 << 30  # bytes that are read or written at once; systems take no more than 2^31


# They are called with the device, "spill" or "return", and the bytes that have moved.
listeners: list[Callable[[Device, str, int], None]] = []


class DormantBuffer(Buffer):
    """A buffer that was not used for a while. Its ``block`` is still its memory, or otherwise a copy: a buffer of the
    host, or an `Extent`. Each device has a separate class, which knows its `Spilling`."""

    __slots__ = ()

    spilling: ClassVar[Spilling]

    @property
    def handle(self) -> Any:
        """The driver's object, after the memory is back; MemoryError."""
        return self.spilling.wake(self).handle

    @property
    def host(self) -> HostArray | None:
        """The bytes where the host can see them, after the memory is back; MemoryError."""
        return self.spilling.wake(self).host


def _references(reference: weakref.ref[Buffer]) -> int:
    """Return how many references there are to the buffer, which lives."""
    buffer = reference()
    return getrefcount(buffer)


def _references_of_idle() -> int:
    """Return how many there are where a storage has one, and the caller of `_references` another."""
    owner = [Buffer(0, Block(None, None, []))]
    buffer = owner[0]
    return _references(weakref.ref(buffer))


_IDLE = _references_of_idle()


class Spilling:
    """Moves between a device's memory and the host's. They begin when memory is full for the first time."""

    def __init__(self, device: Device, pool: Pool):
        pool.spilling = self
        self._device = device
        self._pool = pool
        self._plain = pool.usual  # without a note
        self._known: dict[weakref.ref[Buffer], None] = {}  # buffers that may move, those longest unused first
        self._host: Pool | None = None  # the host's memory for copies
        self._file: SpillFile | None = None
        self._dormant = type(DormantBuffer.__name__, (DormantBuffer,), {"__slots__": (), "spilling": self})
        self._busy = False
        self.began = False
        self.smallest = MOVABLE
        self.always = False  # for tests: all buffers that may move do so before each allocation

    @property
    def spilled(self) -> int:
        """Bytes of arrays that have moved."""
        return sum(buffer.nbytes for reference in list(self._known) if (buffer := reference()) and _moved(buffer))

    @property
    def moves(self) -> bool:
        """Whether memory may move, or may have moved: then code must not use it without a reference to its buffer."""
        # Where the host's memory is the device's, there is no other room, unless the configuration names some.
        return (
            self.began
            or config.spill_folder is not None
            or config.spill_limit is not None
            or not self._device.host_shared
        )

    def begin(self) -> None:
        """Note buffers that are allocated from now on, and find those that were allocated before."""
        with self._pool.lock:
            if self.began:
                return
            self._pool.alloc = self._alloc
            self.began = True
            for item in gc.get_objects():
                if type(item) is Buffer and getattr(item, "block", None) and self._pool.owns(item.block):
                    self._note(item)

    def end(self) -> None:
        """Bring everything back, and return to the state before the beginning. MemoryError where there is no room."""
        with self._pool.lock:
            for reference in list(self._known):
                if (buffer := reference()) is not None:
                    self.wake(buffer)
            if self.began:
                self._pool.alloc = self._pool.usual
                self.began = False
                self._known.clear()

    def _alloc(self, nbytes: int) -> Buffer:
        """`Pool.alloc`, from the beginning on."""
        if self.always:
            self.make_room(self._pool.limit)
        buffer = self._plain(nbytes)
        self._note(buffer)
        return buffer

    def _note(self, buffer: Buffer) -> None:
        if buffer.nbytes >= self.smallest:
            self._known.setdefault(weakref.ref(buffer, self._known.pop))

    # From the device

    def make_room(self, nbytes: int) -> int:
        """Return the bytes that were freed. Buffers move until their blocks have so many bytes together, as far as such
        buffers exist and the host has room."""
        gone = 0
        if not self.may_copy():
            return gone
        self.begin()
        with self._pool.lock:
            if self._busy:  # a destructor that ran meanwhile allocates
                return gone
            try:
                self._busy = True
                for reference in [*self._known, *self._known]:  # at the first time, all may be in use
                    if gone >= nbytes:
                        break
                    gone += self._look_at(reference)
            finally:
                self._busy = False
        return gone

    def renew_lock(self) -> None:
        """Take the new lock of the device's memory, see `Pool.renew_lock`."""
        if self._host is not None:
            self._host.lock = self._pool.lock

    def may_copy(self) -> bool:
        """Return whether the host, or a file, has room for buffers that move."""
        return self._room_on_host() > 0 or config.spill_folder is not None

    def _room_on_host(self) -> int:
        if self._device.host_shared and config.spill_limit is None:
            return 0  # it is the same memory
        if self._host is None:
            device, memory = self._device, host_memory()
            # It has the lock of the device's memory, because code that holds one of both may need the other.
            self._host = Pool(
                f"{device}, copies on the host", memory, memory, device.host_alloc, device.wait,
                lock=self._pool.lock, knob="spill_limit",
            )  # fmt: skip
        limit = self._host.limit if config.spill_limit is not None else self._host.limit // 2
        return limit - self._host.live

    def on_host(self, nbytes: int) -> Buffer | None:
        """Return memory of the host to and from which copies are fast; None where its limit or the system has no
        room."""
        if self._room_on_host() < block_size(nbytes):
            return None
        assert self._host is not None
        try:
            return self._host.alloc(nbytes)
        except MemoryError:
            return None

    def _look_at(self, reference: weakref.ref[Buffer]) -> int:
        """Make a buffer dormant if it was used, otherwise let it move; return the bytes that this freed."""
        buffer = reference()
        if buffer is None:
            return 0
        if type(buffer) is Buffer:
            buffer.__class__ = self._dormant
            self._known[reference] = self._known.pop(reference)
        elif type(buffer) is self._dormant and not _moved(buffer):
            if not buffer.exposed and _references(weakref.ref(buffer)) == _IDLE:
                return self._move(buffer)
            buffer.__class__ = Buffer
        return 0

    def _move(self, buffer: Buffer) -> int:
        block = buffer.block
        copy = self._copy(Buffer(buffer.nbytes, block, give=nothing))  # which does not give the block back
        if copy is None:
            return 0
        give, freed = buffer.give, block.nbytes
        # No call up to ``give()``, so nothing comes in between. A step before may have woken the buffer.
        if buffer.__class__ is not self._dormant:
            return 0
        buffer.__class__ = Buffer
        buffer.handle = None
        buffer.block = copy
        buffer.give = nothing
        buffer.__class__ = self._dormant
        give()
        self._report("spill", buffer.nbytes)
        return freed

    def _copy(self, buffer: Buffer) -> Any:
        """Return a copy of a buffer, in the host's memory or otherwise in a file; None where there is no room."""
        if (copy := self.on_host(buffer.nbytes)) is not None:
            self._device.to_host(buffer, copy)
            return copy
        if config.spill_folder is None:
            return None
        if self._file is None or self._file.folder != config.spill_folder:
            self._file = SpillFile(config.spill_folder)
        self._device.wait()
        shared = buffer.host
        host = np.empty(buffer.nbytes, np.uint8) if shared is None else shared[: buffer.nbytes]
        if shared is None:
            self._device.download(buffer, 0, host)
        return self._file.write(host)

    @property
    def fault(self) -> str:
        """Why the last copy did not go into the file; empty where it did."""
        return "" if self._file is None else self._file.fault

    def trim(self) -> None:
        """Free the host's memory that is kept for the next copies."""
        if self._host is not None:
            self._host.trim()

    # Back to the device

    def wake(self, buffer: Buffer) -> Buffer:
        """Return the buffer, which has its memory now, and an ordinary class. MemoryError: it stays where it is."""
        with self._device.pool.lock:  # a device that no longer works refuses here
            if type(buffer) is self._dormant:
                if _moved(buffer):
                    self._return(buffer)
                block = buffer.block
                buffer.__class__ = Buffer  # no call up to the next line, as in `_move`
                buffer.handle = block.handle
        return buffer

    def _return(self, buffer: Buffer) -> None:
        copy: Any = buffer.block
        if self.always:
            self.make_room(self._pool.limit)
        fresh = self._plain(buffer.nbytes)
        if isinstance(copy, Extent):
            self._device.wait()
            shared = fresh.host
            host = np.empty(buffer.nbytes, np.uint8) if shared is None else shared[: buffer.nbytes]
            copy.read(host)
            if shared is None:
                self._device.upload(fresh, 0, host)
        else:
            self._device.from_host(fresh, copy)
        block, give = fresh.block, fresh.give
        if buffer.block is not copy:  # a step before has brought it back, see `_move`
            return
        fresh.give = nothing
        buffer.give = give
        buffer.block = block
        self._report("return", buffer.nbytes)

    def _report(self, move: str, nbytes: int) -> None:
        for listener in listeners:
            listener(self._device, move, nbytes)


def _moved(buffer: Buffer) -> bool:
    return not isinstance(buffer.block, Block)


class Extent:
    """A part of a file, which is free again when its last reference is dropped."""

    __slots__ = ("__del__", "_file", "_offset")

    __del__: Callable[[], None]  # as that of `Buffer`

    def __init__(self, file: SpillFile, offset: int, home: list[int]):
        self._file = file
        self._offset = offset
        self.__del__ = partial(home.append, offset)

    def read(self, host: HostArray) -> None:
        """Read the bytes; DeviceError."""
        self._file.transfer("read", host, self._offset)


class SpillFile:
    """A file without a name in a folder. It vanishes with the process, however that ends. Extents are used again."""

    def __init__(self, folder: str):
        self.folder = folder
        try:
            self._file: Any = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115, for the process's life
        except OSError as error:
            raise DeviceError(
                f"config.spill_folder: got {folder!r}; {error}; name a folder in which files can be written"
            ) from None
        self.fault = ""  # why the last write failed
        self._end = 0
        self._free: dict[int, list[int]] = {}  # offsets of extents, by their sizes

    def write(self, host: HostArray) -> Extent | None:
        """Return an extent with the bytes; None where the disk has no room."""
        size = block_size(host.nbytes)
        home = self._free.setdefault(size, [])
        if home:
            offset = home.pop()
        else:
            offset, self._end = self._end, self._end + size
        extent = Extent(self, offset, home)
        try:
            self.transfer("write", host, offset)
        except DeviceError as error:
            self.fault = str(error)
            return None
        self.fault = ""
        return extent

    def transfer(self, verb: str, host: HostArray, offset: int) -> None:
        """Read or write all bytes of an array at an offset of the file; DeviceError."""
        rest = memoryview(host.data)
        try:
            self._file.seek(offset)
            while rest:
                done = self._file.readinto(rest[:PIECE]) if verb == "read" else self._file.write(rest[:PIECE])
                if not done:
                    raise DeviceError(
                        f"config.spill_folder {self.folder!r}: {verb} ended too soon: the file is damaged"
                    )
                rest = rest[done:]
        except OSError as error:
            raise DeviceError(f"config.spill_folder {self.folder!r}: {verb}: {error}") from None
