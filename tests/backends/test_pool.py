"""The memory pool: sizes, reuse, and what it does when memory runs short."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from arrayapi_gpu.backends.base import Buffer
from arrayapi_gpu.backends.pool import SMALLEST, Pool, block_size
from arrayapi_gpu.config import config


@given(st.integers(0, 1 << 45))
def test_block_size(nbytes: int) -> None:
    """A block fits, is a multiple of 64 bytes, and wastes at most an eighth."""
    size = block_size(nbytes)
    assert size >= max(nbytes, SMALLEST)
    assert size % 64 == 0
    assert size - nbytes <= max(64, nbytes / 8)
    assert block_size(size) == size


class Driver:
    """Memory of ``limit`` bytes, counted; ``drained`` counts the waits."""

    def __init__(self, limit: int):
        self.limit = limit
        self.created = 0
        self.drained = 0

    def create(self, size: int) -> tuple[object, None]:
        if size > self.limit:
            raise MemoryError("the driver has no more")
        self.created += 1
        return np.empty(0, np.uint8), None

    def drain(self) -> None:
        self.drained += 1


def pool(driver: Driver, memory: int = 1 << 20, max_alloc: int = 1 << 19) -> Pool:
    """A pool over the driver."""
    return Pool("test:0", memory, max_alloc, driver.create, driver.drain)


def test_blocks_are_used_again() -> None:
    """A free block serves requests of its size class, and no others."""
    driver = Driver(1 << 30)
    own = pool(driver)
    first = own.alloc(1000)
    handle = first.handle
    del first
    assert own.alloc(1001).handle is handle
    assert driver.created == 1
    kept = own.alloc(100)
    assert (driver.created, kept.nbytes) == (2, 100)
    assert (own.live, own.cached) == (128, block_size(1000))


def test_free_blocks_make_room() -> None:
    """When live and cached bytes together would pass the limit, the cache goes first."""
    driver = Driver(1 << 30)
    own = pool(driver)
    kept = own.alloc(1 << 19)
    own.alloc(1 << 18)
    assert own.cached == 1 << 18
    second = own.alloc(1 << 19)
    assert (own.live, own.cached, driver.drained) == (1 << 20, 0, 1)
    with pytest.raises(MemoryError, match=r"test:0: 64 bytes requested; 1048576 bytes are live"):
        own.alloc(64)
    del kept, second
    own.alloc(64)


def test_the_largest_block_is_not_rounded_beyond_the_limit() -> None:
    """A request of exactly `max_alloc`, between two block sizes, succeeds."""
    limit = (1 << 18) + 1000
    own = pool(Driver(1 << 30), max_alloc=limit)
    assert own.alloc(limit).nbytes == limit
    with pytest.raises(MemoryError, match="at most 263144 bytes"):
        own.alloc(limit + 1)


def test_the_limit_is_that_of_the_configuration() -> None:
    """It counts from the next block on, and what is free goes before it is passed."""
    own = pool(Driver(1 << 30))
    kept = own.alloc(1 << 16)
    own.alloc(1 << 17)
    with config.set(memory_limit=1 << 17):
        assert own.limit == 1 << 17
        other = own.alloc(1 << 16)
        assert (own.live, own.cached) == (1 << 17, 0)
        with pytest.raises(
            MemoryError, match="1 bytes requested; 131072 bytes are live, 0 cached, of 131072 that config"
        ):
            own.alloc(1)
        with pytest.raises(MemoryError, match="131073 bytes requested"):
            own.alloc((1 << 17) + 1)
    with config.set(memory_limit={"other": 1, "test:0": 0.5}):
        assert own.limit == 1 << 19
    del kept, other
    assert (own.limit, own.peak) == (1 << 20, 3 << 16)
    with config.set(memory_limit=(1 << 16) + 1000):
        assert own.alloc((1 << 16) + 1000).nbytes == own.limit


def test_the_driver_refuses_once() -> None:
    """When the driver has no more, the pool trims and asks again, collects cycles and asks again, and then says what it
    knows."""
    driver = Driver(1 << 30)
    own = pool(driver)
    own.alloc(1 << 10)
    driver.limit = 0
    with pytest.raises(MemoryError, match=r"4096 bytes requested; 0 bytes are live, 0 cached") as e:
        own.alloc(1 << 12)
    assert driver.drained == 2
    assert "no more" in str(e.value.__cause__)


def test_without_a_pool_no_memory_is_kept() -> None:
    """Blocks are as large as asked for, never used again, and go back to the driver before the next is made."""
    sizes: list[int] = []
    destroyed: list[int] = []

    def create(size: int) -> tuple[int, None]:
        sizes.append(size)
        return len(sizes), None

    own = Pool("test:0", 1 << 20, 1 << 19, create, lambda: None, destroyed.append)
    with config.set(pool=False):
        for nbytes in (1000, 1000, 7, 0):
            own.alloc(nbytes)
    assert sizes == [1000, 1000, 7, 1]
    assert destroyed == [1, 2, 3]
    assert own.live == 0


def test_a_block_that_is_forgotten_goes_elsewhere() -> None:
    driver, elsewhere = Driver(1 << 20), list[object]()
    pool = Pool("device", 1 << 20, 1 << 20, driver.create, driver.drain)
    one, other = pool.alloc(1000), pool.alloc(1000)
    for _ in range(2):
        pool.forget(one.block, elsewhere)
    assert pool.live == block_size(1000)
    block = one.block
    one.give = block.give
    del one, other
    assert elsewhere == [block] and pool.cached == block_size(1000) and not pool.live


def test_a_buffer_comes_from_the_list_of_its_size() -> None:
    """`Pool.buffer` is `Pool.alloc` without the look-up of the list."""
    own = pool(Driver(1 << 30))
    home = own.home(1000)
    first = own.buffer(1000, home)
    block = first.block
    del first
    assert home == [block]
    again = own.buffer(1000, home)
    assert again.block is block and again.nbytes == 1000 and not home
    assert own.buffer(1000, home).block is not block


def test_what_stands_in_for_alloc_makes_all_buffers() -> None:
    own, asked = pool(Driver(1 << 30)), []

    def noted(nbytes: int) -> Buffer:
        asked.append(nbytes)
        return own.usual(nbytes)

    home = own.home(64)
    del home[:]
    first = own.buffer(64, home)
    del first
    own.alloc = noted
    assert own.buffer(64, home).nbytes == 64
    own.alloc = own.usual
    assert own.buffer(64, home).nbytes == 64 and asked == [64]


def test_without_the_pool_each_buffer_is_fresh() -> None:
    driver = Driver(1 << 30)
    own = pool(driver)
    home = own.home(64)
    with config.set(pool=False):
        for _ in range(3):
            assert own.buffer(64, home).nbytes == 64
    assert driver.created == 3
