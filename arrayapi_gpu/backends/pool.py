"""Memory that is used again: asking a driver for memory is slow, and touching it first is slower.

Free blocks lie in lists by size. There are eight sizes between a power of two and the next, so at
most an eighth is lost. A buffer that dies appends its block to the list of its size in one atomic
step, which needs no lock. Work in the queue may still use the block then, and that is right: the
queue is in order, so what the next owner queues comes later.

With ``config.pool`` off, each buffer is a block of its own, no larger than asked for, and what was freed
goes back to the driver before the next is made: so tools see what is read or written beside an array.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..config import config
from .base import Buffer, HostArray

Block = tuple[Any, HostArray | None]

_new: Any = object.__new__

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

    ``create(size)`` makes a block or raises MemoryError; ``drain()`` returns when no work that was
    queued before uses any block; ``destroy(block)`` frees what does not go with its last reference;
    ``reclaim()`` puts blocks that were lent to others into their lists, and tells whether there were some.
    """

    def __init__(
        self,
        name: str,
        memory: int,
        max_alloc: int,
        create: Callable[[int], Block],
        drain: Callable[[], None],
        destroy: Callable[[Block], None] = lambda block: None,
        reclaim: Callable[[], bool] = lambda: False,
    ):
        self._name = name
        self._memory = memory
        self._max_alloc = max_alloc
        self._create = create
        self._drain = drain
        self._destroy = destroy
        self._reclaim = reclaim
        self._held = 0  # bytes of all blocks, used and free
        self._free: dict[int, list[Block]] = {}
        self._lock = threading.RLock()  # of what is not a step on a free list

    def alloc(self, nbytes: int) -> Buffer:
        """Return a buffer of ``nbytes``; MemoryError."""
        if not config.pool:
            self.trim()
            return self._fresh(nbytes, max(nbytes, 1))
        size = block_size(nbytes)
        try:
            home = self._free[size]
            block = home.pop()
        except (KeyError, IndexError):
            return self._fresh(nbytes, size)
        buffer: Buffer = _new(Buffer)  # as `Buffer(...)`, which takes longer than all of this
        buffer.handle, buffer.host = block
        buffer.home = home
        buffer.nbytes = nbytes
        buffer.aligned = True
        return buffer

    def _fresh(self, nbytes: int, size: int) -> Buffer:
        if self._reclaim():
            return self.alloc(nbytes)
        if size > self._max_alloc:
            size = max(nbytes, SMALLEST)
        if size > min(self._max_alloc, self._memory):
            raise self._full(nbytes)
        with self._lock:
            if self._held + size > self._memory:
                self.trim()
            if self._held + size > self._memory:
                raise self._full(nbytes)
            try:
                handle, host = self._create(size)
            except MemoryError:
                self.trim()
                try:
                    handle, host = self._create(size)
                except MemoryError as error:
                    raise self._full(nbytes) from error
            self._held += size
            return Buffer(nbytes, handle, host, self._free.setdefault(size, []))

    def _full(self, nbytes: int) -> MemoryError:
        advice = "delete arrays that are no longer needed, or work on smaller parts"
        if nbytes > self._max_alloc:
            advice = f"one array can have at most {self._max_alloc} bytes; work on smaller parts"
        return MemoryError(
            f"{self._name}: {nbytes} bytes requested; {self.live} bytes are live, {self.cached} "
            f"cached, of {self._memory}; {advice}"
        )

    @property
    def cached(self) -> int:
        """Bytes of the free blocks."""
        return sum(size * len(blocks) for size, blocks in list(self._free.items()))

    @property
    def live(self) -> int:
        """Bytes of the blocks in use."""
        return self._held - self.cached

    def trim(self) -> None:
        """Free the free blocks, after all work that may use them."""
        self._reclaim()
        blocks = []
        with self._lock:
            for size, home in list(self._free.items()):
                for _ in range(len(home)):
                    try:
                        blocks.append(home.pop())
                    except IndexError:  # another thread took the rest
                        break
                    self._held -= size
        self._drain()
        for block in blocks:
            self._destroy(block)
