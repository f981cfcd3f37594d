"""Memory that is used again: free lists by size, since asking a driver for memory is slow and touching it first is slower.

Blocks come in sizes of which there are eight between each power of two and the next, so at most an eighth is lost. A
buffer that dies appends its block to the free list of its size, in one atomic step, so no lock is needed.
The next user may get the block while work on it is queued: the device's queue is in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .base import Buffer, HostArray

Block = tuple[Any, HostArray | None]

SMALLEST = 64


def block_size(nbytes: int) -> int:
    """The size of the block that serves a request: a multiple of 64 and of a sixteenth of the next power of two."""
    last = nbytes - 1 if nbytes > SMALLEST else SMALLEST - 1
    shift = last.bit_length() - 4
    if shift < 6:
        shift = 6
    return ((last >> shift) + 1) << shift


class Pool:
    """The memory of one device.

    ``create(size)`` makes a block or raises MemoryError; ``drain()`` returns when no queued work uses any block.
    """

    def __init__(
        self,
        name: str,
        memory: int,
        max_alloc: int,
        create: Callable[[int], Block],
        drain: Callable[[], None],
    ):
        self.name = name
        self.memory = memory
        self.max_alloc = max_alloc
        self.held = 0  # bytes of all blocks, in use or free
        self._create = create
        self._drain = drain
        self._free: dict[int, list[Block]] = {}

    def alloc(self, nbytes: int) -> Buffer:
        """A buffer from the pool; MemoryError."""
        size = block_size(nbytes)
        try:
            home = self._free[size]
            handle, host = home.pop()
        except (KeyError, IndexError):
            return self._fresh(nbytes, size)
        return Buffer(nbytes, handle, host, home)

    def _fresh(self, nbytes: int, size: int) -> Buffer:
        if size > self.max_alloc:
            size = max(nbytes, SMALLEST)
        if size > self.max_alloc or size > self.memory:
            raise self._out_of_memory(nbytes)
        if self.held + size > self.memory:
            self.trim()
        if self.held + size > self.memory:
            raise self._out_of_memory(nbytes)
        try:
            handle, host = self._create(size)
        except MemoryError:
            self.trim()
            try:
                handle, host = self._create(size)
            except MemoryError:
                raise self._out_of_memory(nbytes) from None
        self.held += size
        return Buffer(nbytes, handle, host, self._free.setdefault(size, []))

    def _out_of_memory(self, nbytes: int) -> MemoryError:
        if nbytes > self.max_alloc:
            advice = f"one array may have {self.max_alloc} bytes there; split it into smaller ones"
        else:
            advice = (
                f"the device has {self.memory} bytes; delete arrays that are no longer needed, or work in smaller parts"
            )
        return MemoryError(
            f"{self.name}: {nbytes} bytes requested, {self.live} bytes in live arrays, {self.cached} bytes cached; {advice}"
        )

    @property
    def cached(self) -> int:
        """Bytes of the free blocks."""
        return sum(size * len(blocks) for size, blocks in list(self._free.items()))

    @property
    def live(self) -> int:
        """Bytes of the blocks in use."""
        return self.held - self.cached

    def trim(self) -> None:
        """Free the free blocks."""
        blocks = []
        for size, home in list(self._free.items()):
            for _ in range(len(home)):
                try:
                    blocks.append(home.pop())
                except IndexError:  # another thread was faster
                    break
                self.held -= size
        self._drain()
        blocks.clear()
