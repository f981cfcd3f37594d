"""Memory in use: blocks, which a driver gave, and buffers, which use them."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled import missing

if TYPE_CHECKING:
    from .exposures import Exposure

HostArray = np.ndarray[Any, Any]


class Block:
    """Memory as a driver gave it: ``handle`` is the driver's object, ``host`` the bytes where the host can see them.

    A block belongs to a list, ``home``, in which it lies while no buffer uses it; ``give()`` puts it there.
    ``nbytes`` is its size in the pool's account; memory of others counts nothing. ``address``: that of ``host``, kept
    after the first question, because NumPy takes long to answer it; so are ``views`` (`host_memory.kept_view`).
    """

    __slots__ = ("address", "give", "handle", "home", "host", "nbytes", "views")

    give: Callable[[], None]

    def __init__(self, handle: Any, host: HostArray | None, home: list[Any], nbytes: int = 0):
        self.handle, self.host = handle, host
        self.address: int | None = None
        self.home, self.nbytes = home, nbytes
        self.views: dict[Any, HostArray] = {}
        self.give = partial(home.append, self)

    def free(self) -> None:
        """Drop the memory: the block and its ``give`` refer to each other."""
        self.views.clear()
        self.handle = self.host = None
        self.give = nothing


def let_go(items: list[Any]) -> None:
    """Drop objects that the queue does not use any more: blocks with their memory, and others."""
    if not items:
        return
    with contextlib.suppress(IndexError):  # the list is empty
        while True:  # an item is taken before it is freed, so no other thread, nor a call after an interrupt, frees it
            item = items.pop()
            if isinstance(item, Block):
                item.free()


nothing: Any = bool  # a destructor without effect, in C like all destructors


class Memory:
    """The fields of a `Buffer`, which are a structure in the compiled form.

    When the last reference dies, ``give`` is called, without a step of Python code: an exception from a signal
    handler, such as KeyboardInterrupt, is raised between two of these, and would be lost in a destructor, with the
    block. So in the Python form ``give``, a function in C, is itself the destructor.
    """

    __slots__ = ("__weakref__", "aligned", "block", "exposure", "give", "handle", "nbytes")

    give: Callable[[], Any]
    exposure: weakref.ref[Exposure] | None

    def __del__(self) -> None:
        """The destructor of the compiled form."""
        _returned(self)


def _returned(memory: Memory) -> None:
    """Call ``give``."""
    if memory.give is None:
        return
    if type(memory.block) is Block:
        block = memory.block
        if memory.give is block.give:
            block.home.append(block)  # as ``give()``, which takes longer
            return
    memory.give()


class Buffer(Memory):
    """A `Block` in use, and how much of it. ``give`` is called in place of the block's when the buffer dies.

    When the last reference to a buffer dies, its block returns to its list. Work in the queue may still use the block,
    and the device that owns the list decides when to use it again or to free it.
    """

    __slots__ = ()

    def __init__(self, nbytes: int, block: Block, aligned: bool = True, give: Callable[[], Any] | None = None):
        self.block = block
        self.give = block.give if give is None else give
        self.nbytes = nbytes
        self.aligned = aligned  # it begins at a multiple of 64 bytes
        self.handle = block.handle
        self.exposure = None

    @property
    def host(self) -> HostArray | None:
        """The bytes where the host can see them."""
        return self.block.host

    @property
    def exposed(self) -> bool:
        """Whether other code can read and write the memory: an `Exposure` lives."""
        return self.exposure is not None and self.exposure() is not None

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """NumPy's array interface, version 3; an array made from it keeps the buffer alive."""
        host = self.host
        if host is None:
            raise AttributeError("the memory of this device is not host memory")
        block = self.block
        if block.address is None:
            block.address = host.__array_interface__["data"][0]
        data = (block.address, not host.flags.writeable)
        return {"version": 3, "shape": (self.nbytes,), "typestr": "|u1", "data": data}


if missing:
    Buffer.__del__ = Memory.__dict__["give"]  # type: ignore[method-assign]


class FixedBuffer(Buffer):
    """A buffer that never moves, because other code knows its address, see `backends.spilling`."""

    __slots__ = ()


def taken(home: list[Any], nbytes: int) -> Buffer | None:
    """Return a buffer of a block of a list; None if the list is empty."""
    own = _plain.__new__(_plain)  # as `Buffer(...)`, which takes longer than all of this
    if not home:
        return None
    own.block = block = home[-1]
    own.give = block.give
    del home[-1]
    own.handle = block.handle
    own.nbytes = nbytes
    own.aligned = True
    own.exposure = None
    return own


_plain = Buffer
