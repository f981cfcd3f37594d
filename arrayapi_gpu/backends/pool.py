"""Memory that is used again: asking a driver for memory is slow, and touching it first is slower.

Free blocks lie in lists by size. There are eight sizes between a power of two and the next, so at most an eighth is
lost. A buffer that dies appends its block to the list of its size in one atomic step, which needs no lock. Work in the
queue may still use the block then. This is right, because the queue is in order, so work of the next owner comes later.

A block must not get lost, nor have two owners, whenever a thread or an exception from a signal handler interrupts.
Python interrupts at calls and at the ends of loops only. So a block changes its owner in steps without a call between
them.

With ``config.pool`` off, each buffer is a separate block, no larger than requested, and freed blocks return to the
driver before the next is made, so tools detect reads and writes outside an array.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ..config import config, limit_of, unusual
from .base import Block, Buffer, HostArray
from .buffers import taken

if TYPE_CHECKING:
    from .spilling import Spilling

SMALLEST = 64  # bytes


@lru_cache(maxsize=4096)
def block_size(nbytes: int) -> int:
    """Return the size of the block that serves a request, a multiple of 64."""
    last = nbytes - 1 if nbytes > SMALLEST else SMALLEST - 1
    shift = last.bit_length() - 4
    if shift < 6:
        shift = 6
    return ((last >> shift) + 1) << shift


class Pool:
    """The memory of one device.

    ``create(size)`` gives a block's handle and host memory, or raises MemoryError. ``drain()`` returns when no work
    queued before uses any block. ``destroy(handle)`` frees memory that its last reference does not free. ``reclaim()``
    puts blocks that other libraries or copies have used into their lists, and returns whether there were any.

    ``lock``: that of the device, if it has one that it holds while it takes handles from buffers. ``knob``: the row of
    the configuration that limits the memory.

    ``alloc(nbytes)`` returns a buffer; MemoryError. It is `usual` unless it is replaced, as by spilling.
    """

    alloc: Callable[[int], Buffer]

    def __init__(
        self,
        name: str,
        memory: int,
        max_alloc: int,
        create: Callable[[int], tuple[Any, HostArray | None]],
        drain: Callable[[], None],
        destroy: Callable[[Any], None] = lambda handle: None,
        reclaim: Callable[[], bool] = lambda: False,
        lock: AbstractContextManager[object] | None = None,
        knob: str = "memory_limit",
    ):
        self._name = name
        self._memory = memory
        self._max_alloc = max_alloc
        self._create = create
        self._drain = drain
        self._destroy = destroy
        self._reclaim = reclaim
        self._knob = knob
        self._held = 0  # bytes of all blocks, used and free
        self.peak = 0  # the largest number of these
        self._free: dict[int, list[Block]] = {}
        self.spilling: Spilling | None = None
        self.usual = self.alloc = self._alloc
        self.lock = threading.RLock() if lock is None else lock  # of all changes except for steps on a free list

    def home(self, nbytes: int) -> list[Block]:
        """Return the list of the free blocks that serve such a request."""
        return self._free.setdefault(block_size(nbytes), [])

    def buffer(self, nbytes: int, home: list[Block]) -> Buffer:
        """Return the result of ``alloc``, in less time. ``home``: that of ``nbytes``."""
        found = None
        if home and self.alloc is self.usual and not unusual:
            found = taken(home, nbytes)
        return self.alloc(nbytes) if found is None else found

    def _alloc(self, nbytes: int) -> Buffer:
        if unusual and not config.pool:
            self.trim()
            return self._fresh(nbytes, max(nbytes, 1))
        size = block_size(nbytes)
        home = self._free.get(size)
        return (None if home is None else taken(home, nbytes)) or self._fresh(nbytes, size)

    def _fresh(self, nbytes: int, size: int) -> Buffer:
        """Return a new block. Where there is no room, free blocks are freed first, then memory that only reference
        cycles keep."""
        if self._reclaim():
            return self.alloc(nbytes)
        most = min(self._max_alloc, self.limit)
        if size > most:
            size = max(nbytes, SMALLEST)
        if size > most:
            raise self._full(nbytes)
        made = self._created(nbytes, size)
        for prepare in (bool, gc.collect):
            if isinstance(made, MemoryError):
                prepare()
                self.trim()
                made = self._created(nbytes, size)
            while isinstance(made, MemoryError) and self.spilling is not None and self.spilling.make_room(size):
                if self._free.get(size):
                    return self.alloc(nbytes)
                self.trim()
                made = self._created(nbytes, size)
        if isinstance(made, MemoryError):
            raise self._full(nbytes) from (made if made.args else None)
        return made

    def _created(self, nbytes: int, size: int) -> Buffer | MemoryError:
        """Return a new block's buffer, or the driver's error, which has no text where the limit is reached."""
        with self.lock:
            if self._held + size > self.limit:
                return MemoryError()
            try:
                handle, host = self._create(size)
            except MemoryError as error:
                return error
            block = Block(handle, host, self._free.setdefault(size, []), size)
            self._held += size
            self.peak = max(self.peak, self._held)
        return Buffer(nbytes, block)

    def _full(self, nbytes: int) -> MemoryError:
        advice = "delete arrays that are no longer needed, or work on smaller parts"
        if nbytes > self._max_alloc:
            advice = f"one array can have at most {self._max_alloc} bytes; work on smaller parts"
        if nbytes > min(self._max_alloc, self.limit):
            advice += ", or keep a larger array in the host's memory: from_host(array) is computed part by part"
        elif config.spill_folder is None:
            advice += ", or let config.spill_folder name a folder to which arrays may move"
        elif self.spilling is not None and self.spilling.fault:
            advice += f"; no array could move to a file: {self.spilling.fault}"
        limit, spilled = self.limit, "" if self.spilling is None else f", {self.spilling.spilled} spilled"
        source = f" that config.{self._knob} allows" if limit < self._memory else ""
        return MemoryError(
            f"{self._name}: {nbytes} bytes requested; {self.live} bytes are live, {self.cached} "
            f"cached{spilled}, of {limit}{source}; {advice}"
        )

    def renew_lock(self) -> None:
        """Forget which thread holds the lock, in the child of a fork."""
        self.lock = threading.RLock()
        if self.spilling is not None:
            self.spilling.renew_lock()

    def owns(self, block: Block) -> bool:
        """Return whether a block is one of the pool's."""
        return self._free.get(block.nbytes) is block.home

    def forget(self, block: Block, home: list[Any]) -> None:
        """Take a block in use out of the pool; when its buffer dies, the block is put into another list."""
        with self.lock:
            if block.home is not home:
                self._held -= block.nbytes
                block.nbytes, block.home, block.give = 0, home, partial(home.append, block)

    @property
    def limit(self) -> int:
        """Bytes that all blocks may have together: those of the device, or as many as the configuration allows."""
        limit = getattr(config, self._knob)
        return self._memory if limit is None else limit_of(limit, self._name, self._memory)

    @property
    def cached(self) -> int:
        """Bytes of the free blocks."""
        return sum(size * len(blocks) for size, blocks in list(self._free.items()))

    @property
    def live(self) -> int:
        """Bytes of the blocks in use."""
        return self._held - self.cached

    @property
    def room(self) -> int:
        """Bytes that can still be allocated: the limit minus the live bytes, unless these can be spilled."""
        if self.spilling is not None and self.spilling.may_copy():
            return self.limit
        return self.limit - self.live

    def trim(self) -> None:
        """Free the free blocks, after all work that may use them."""
        self._reclaim()
        taken: list[Block] = []
        try:
            for home in list(self._free.values()):
                taken += home
                del home[:]
            self._drain()
            while taken:
                block = taken[-1]
                del taken[-1]
                self._held -= block.nbytes
                handle = block.handle
                block.free()
                self._destroy(handle)
                del handle
        finally:
            for block in taken:  # they could not be freed, so they may be used again
                block.home.append(block)
