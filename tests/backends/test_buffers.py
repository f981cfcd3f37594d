"""Buffers give their blocks back, whichever way they die."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from arrayapi_gpu.backends.buffers import Block, Buffer, FixedBuffer, let_go, nothing, taken


def test_a_block_returns_to_its_list() -> None:
    home: list[Any] = []
    block = Block("handle", None, home, 64)
    buffer = Buffer(10, block)
    assert (buffer.handle, buffer.nbytes, buffer.aligned, buffer.exposed) == ("handle", 10, True, False)
    del buffer
    assert home == [block]
    again = taken(home, 20)
    assert again is not None and (again.block, again.nbytes, home) == (block, 20, [])
    assert taken(home, 20) is None
    again.__class__ = FixedBuffer
    del again
    assert home == [block]


def test_another_function_may_be_called() -> None:
    home: list[Any] = []
    done: list[int] = []
    buffer = Buffer(1, Block("handle", None, home), give=lambda: done.append(1))
    del buffer
    assert done == [1] and not home
    buffer = Buffer(1, Block("handle", None, home))
    buffer.give = nothing
    del buffer
    assert not home


def test_a_buffer_in_a_cycle_with_its_block_gives_it_back() -> None:
    """The collector clears the parts of a block only after that."""
    kept: list[Any] = []
    for with_list in (False, True):
        home = kept if with_list else list[Any]()
        cycle: list[Any] = [Buffer(1, Block("handle", None, home)), home]
        cycle.append(cycle)
        died = weakref.ref(cycle[0])
        del cycle, home
        gc.collect()
        assert died() is None
    assert [block.handle for block in kept] == ["handle"]


def test_blocks_of_others_are_freed() -> None:
    items: list[Any] = []
    block = Block("handle", None, items)
    items += [block, object()]
    let_go(items)
    assert (items, block.handle, block.views) == ([], None, {})


def test_memory_that_the_host_does_not_see_has_no_interface() -> None:
    with pytest.raises(AttributeError):
        Buffer(1, Block("handle", None, [])).__array_interface__  # noqa: B018
