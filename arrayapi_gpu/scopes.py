"""Rows of settings that belong to who set them: to a block of a program, else to the process.

A row of the *context* holds where Python's `contextvars` say: a block changes it for the thread or the task that is in
the block, and for the tasks that are made there. A row of the *process* holds everywhere: blocks that overlap in time
stand on a stack, of which each leaves its own place, and the top one holds.

Reading a row is a plain attribute read while no context has a value of its own for it. While one has, the object is
an instance of a subclass that has properties in the place of these rows.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum, auto
from functools import lru_cache
from typing import Any, ClassVar

_lock = threading.RLock()  # of the values of the process, and of which rows are properties


def _renew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class State(Enum):
    """What became of the values that a call of `Scoped.set` gave."""

    OPEN = auto()  # nobody knows yet whether a block begins
    ENTERED = auto()
    GONE = auto()  # they were set without a block, or another context entered the block


class Entry:
    """One time that a block is entered. ``key``: what the block has alone."""

    __slots__ = ("key", "state", "values")

    def __init__(self, key: object, values: Mapping[str, Any], state: State):
        self.key, self.values, self.state = key, values, state


Blocks = tuple[tuple[Entry, dict[str, Any]], ...]  # with the values of rows of the context, the innermost last


class Layer:
    """The blocks that a context is in, and the values that these give it. It is not changed: copies of contexts share it."""

    __slots__ = ("blocks", "is_open", "target", "values")

    def __init__(self, target: Scoped, blocks: Blocks):
        self.target, self.blocks = target, blocks
        self.is_open = any([entry.state is State.OPEN for entry, _ in blocks])
        self.values: dict[str, Any] = {}
        for _, values in blocks:
            self.values.update(values)
        target._count(self)

    def __del__(self) -> None:
        self.target._uncount(self)


class Unusable:
    """Stands in the place of a value that the environment gave and no row can take; reading the row raises its error."""

    __slots__ = ("error",)

    def __init__(self, error: str):
        self.error = error


_MISSING: Any = object()


def _own(name: str, slot: Any) -> property:
    """The property of a row for which a context has a value of its own."""
    get: Callable[[Any], Any] = slot.__get__

    def read(self: Scoped) -> Any:
        layer = self._context.get()
        if layer is not None and layer.is_open:
            layer = self._decided()
        if layer is not None:
            value = layer.values.get(name, _MISSING)
            if value is not _MISSING:
                return value
        value = get(self)
        if type(value) is Unusable:
            raise ValueError(value.error)
        if not self._own[name]:
            self._shape_if_free()
        return value

    return property(read)


@lru_cache(maxsize=None)
def _with_properties(plain: type[Scoped], rows: frozenset[str]) -> type[Scoped]:
    if not rows:
        return plain
    body = {name: _own(name, plain.__dict__[name]) for name in rows}
    return type(plain.__name__, (plain,), {"__slots__": (), "__doc__": plain.__doc__, **body})


class Scoped:
    """Rows of settings. A subclass has a slot for each row, and names in ``context_rows`` those of the context."""

    __slots__ = ("_context", "_own", "_plain", "_stacks")

    context_rows: ClassVar[frozenset[str]]
    _context: ContextVar[Layer | None]
    _own: dict[str, set[int]]  # by row, the layers and others that want a property
    _plain: type[Scoped]
    _stacks: dict[str, list[tuple[Entry | None, Any]]]  # by row of the process, its value and those of blocks

    def __init__(self) -> None:
        put = object.__setattr__
        put(self, "_context", ContextVar("configuration", default=None))
        put(self, "_own", {})
        put(self, "_plain", type(self))
        put(self, "_stacks", {})

    # --- what blocks do ---

    def enter(self, key: object, values: Mapping[str, Any], state: State) -> Entry:
        """Let values hold in this context, and those of rows of the process everywhere."""
        entry = Entry(key, values, state)
        layer = self._decided()
        own = {name: value for name, value in values.items() if name in self.context_rows}
        self._context.set(Layer(self, (*(() if layer is None else layer.blocks), (entry, own))))
        with _lock:
            for name, value in values.items():
                if name not in self.context_rows:
                    stack = self._stacks.setdefault(name, [(None, self._process_value(name))])
                    stack.append((entry, value))
                    self._put(name, value)
        return entry

    def leave(self, key: object) -> None:
        """End the innermost block of this key in this context; where it was entered in another one, for the process."""
        layer = self._context.get()
        blocks = () if layer is None else layer.blocks
        entry = next((entry for entry, _ in reversed(blocks) if entry.key is key), None)
        if entry is None:
            with _lock:
                found = [e for stack in self._stacks.values() for e, _ in stack if e is not None and e.key is key]
            entry = found[-1] if found else None
        if entry is not None:
            self._drop(entry)

    def begin(self, entry: Entry) -> bool:
        """Whether a block begins with the values that `set` gave just before; else these are taken back."""
        layer = self._context.get()
        with _lock:
            if entry.state is not State.OPEN:
                return False
            begins = layer is not None and bool(layer.blocks) and layer.blocks[-1][0] is entry
            entry.state = State.ENTERED if begins else State.GONE
        if begins:
            assert layer is not None
            self._context.set(Layer(self, layer.blocks))
        else:
            self._drop(entry)
        return begins

    def settle(self, entry: Entry) -> None:
        """Make values that `set` gave, and no block has entered, those of the block around, or of the process."""
        with _lock:
            if entry.state is not State.OPEN:
                return
            entry.state = State.GONE
        layer = self._context.get()
        here = layer is not None and any([other is entry for other, _ in layer.blocks])
        for name, value in entry.values.items():
            self._assign(name, value, inside=here)
        self._drop(entry)

    def assign(self, name: str, value: Any) -> None:
        """Change a row in the innermost block of this context that has it, else in the process."""
        self._decided()
        self._assign(name, value)

    def _assign(self, name: str, value: Any, inside: bool = True) -> None:
        layer = self._context.get()
        blocks = layer.blocks if layer is not None and inside else ()
        entered = [entry for entry, _ in blocks if entry.state is State.ENTERED and name in entry.values]
        entry = entered[-1] if entered else None
        if name in self.context_rows and entry is not None:
            changed = [(e, {**own, name: value} if e is entry else own) for e, own in blocks]
            self._context.set(Layer(self, tuple(changed)))
            return
        with _lock:
            stack = self._stacks.get(name)
            if stack is None:
                self._put(name, value)
                return
            places = [place for place, (other, _) in enumerate(stack) if other is entry]
            stack[places[0] if places else 0] = entry if places else None, value
            self._put(name, stack[-1][1])

    def _drop(self, entry: Entry) -> None:
        layer = self._context.get()
        if layer is not None and any([other is entry for other, _ in layer.blocks]):
            blocks = tuple([pair for pair in layer.blocks if pair[0] is not entry])
            self._context.set(Layer(self, blocks) if blocks else None)
        with _lock:
            for name in entry.values:
                if (stack := self._stacks.get(name)) is None:
                    continue
                stack[:] = [pair for pair in stack if pair[0] is not entry]
                self._put(name, stack[-1][1])
                if len(stack) == 1:
                    del self._stacks[name]

    def _decided(self) -> Layer | None:
        """The layer of this context, whose program does something else now: what `set` gave before is no block."""
        layer = self._context.get()
        if layer is not None and layer.is_open:
            for entry, _ in layer.blocks:
                self.settle(entry)
                if entry.state is State.GONE:
                    self._drop(entry)
        return self._context.get()

    # --- the values of the process, and who reads them ---

    def _process_value(self, name: str) -> Any:
        return self._plain.__dict__[name].__get__(self)

    def _put(self, name: str, value: Any) -> None:
        """Put the value of a row that holds in the process."""
        with _lock:
            self._plain.__dict__[name].__set__(self, value)
            own = self._own.setdefault(name, set())
            (own.add if isinstance(value, Unusable) else own.discard)(0)
            self._shape()

    def _count(self, layer: Layer) -> None:
        with _lock:
            for name in layer.values:
                self._own.setdefault(name, set()).add(id(layer))
            self._shape()

    def _uncount(self, layer: Layer) -> None:
        for name in layer.values:
            self._own[name].discard(id(layer))
        self._shape_if_free()

    def _shape_if_free(self) -> None:
        """`_shape`, unless another thread has the lock: a collection of garbage, which may end a layer, must not wait.

        Then there is a property too many until its row is read.
        """
        lock = _lock
        if lock.acquire(blocking=False):
            try:
                self._shape()
            finally:
                lock.release()

    def _shape(self) -> None:
        """Have properties for the rows for which a context has a value of its own. The lock is held."""
        rows = frozenset([name for name, own in [*self._own.items()] if own])
        wanted = _with_properties(self._plain, rows)
        if type(self) is not wanted:
            object.__setattr__(self, "__class__", wanted)


class Block:
    """What `set` returns: ``with`` makes a block of it, in whose end the former values hold.

    It may be entered again, inside of itself and in other threads, too.
    """

    __slots__ = ("_first", "_key", "_target", "_values")

    def __init__(self, target: Any, values: Mapping[str, Any]):
        self._target, self._values, self._key = target, values, object()
        self._first: Entry | None = target.enter(self._key, values, State.OPEN)

    def __enter__(self) -> Any:
        first, self._first = self._first, None
        if first is None or not self._target.begin(first):
            self._target.enter(self._key, self._values, State.ENTERED)
        return self._target

    def __exit__(self, *_: object) -> None:
        self._target.leave(self._key)

    def _settle(self) -> None:
        first, self._first = self._first, None
        if first is not None:
            self._target.settle(first)

    def __del__(self) -> None:
        if getattr(self, "_first", None) is not None:
            self._settle()

    def __repr__(self) -> str:
        """The values. Who shows them, as an interactive Python does, enters no block: so they are set from then on."""
        self._settle()
        return f"config.set({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"
