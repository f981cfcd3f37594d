"""Settings that belong to the block of a program that set them, or to the process.

A row of the *context* holds where Python's `contextvars` say: a block changes it for the thread or the task that is in
the block, and for the tasks that are made there. A row of the *process* holds everywhere: each block puts its value on
a stack and removes that one value at its end, so blocks that overlap in time leave nothing behind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextvars import Context, ContextVar
from functools import cache
from typing import Any, ClassVar
from weakref import WeakSet, ref

_lock = threading.RLock()  # of the values of the process, and of the classes of settings


def _renew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class Unusable:
    """Stands for a value of the environment that the row cannot take: reading the row raises the error."""

    __slots__ = ("error",)

    def __init__(self, error: str):
        self.error = error


class Entry:
    """One time that a block was entered, and the rows that it sets."""

    __slots__ = ("block", "rows")

    def __init__(self, block: Block, rows: frozenset[str]):
        self.block, self.rows = block, rows


Entries = Sequence[tuple[Entry, Mapping[str, Any]]]  # with the values of rows of the context, the innermost last


class Layer:
    """The blocks that a context is in. It never changes, because copies of a context share it."""

    __slots__ = ("__weakref__", "entries", "values")

    def __init__(self, entries: Entries):
        self.entries = entries
        self.values: dict[str, Any] = {}
        for _, own in entries:
            self.values.update(own)


class Scoped:
    """Rows of settings. A subclass has a slot for each row, and names those of the context in ``context_rows``.

    Reading a row is a plain attribute read as long as no context has a value of its own for it. Otherwise the object is
    an instance of a subclass that has a property in its place.
    """

    __slots__ = ("_context", "_layers", "_owners", "_plain", "_stacks")

    context_rows: ClassVar[frozenset[str]]
    _context: ContextVar[Layer | None]
    _layers: WeakSet[Layer]  # of all contexts
    _owners: dict[str, ref[Layer]]  # by row that has a property, a layer with a value for it
    _plain: Any  # the class without properties
    _stacks: dict[str, list[tuple[Entry | None, Any]]]  # by row, the value of the process and those of blocks

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        put = object.__setattr__
        put(self, "_context", ContextVar("settings", default=None))
        put(self, "_layers", WeakSet())
        put(self, "_owners", {})
        put(self, "_plain", type(self))
        put(self, "_stacks", {name: [(None, value)] for name, value in defaults.items()})
        for name in defaults:
            self._put_top(name)

    def assign(self, name: str, value: Any) -> None:
        """Change a row in the innermost block around that sets it, otherwise in the process."""
        entries = self._entries()
        entry = next((entry for entry, _ in reversed(entries) if name in entry.rows), None)
        if entry is not None and name in self.context_rows:
            self._see([(each, {**own, name: value} if each is entry else own) for each, own in entries])
            return
        with _lock:
            stack = self._stacks[name]
            place = next((place for place, (each, _) in enumerate(stack) if each is entry), 0)
            stack[place] = stack[place][0], value
            self._put_top(name)

    def enter(self, block: Block, values: Mapping[str, Any]) -> None:
        """Let the values of a block hold: in this context, or, of rows of the process, everywhere."""
        entry = Entry(block, frozenset(values))
        own = {name: value for name, value in values.items() if name in self.context_rows}
        try:
            self._see([*self._entries(), (entry, own)])
            with _lock:
                for name in values.keys() - own.keys():
                    self._stacks[name].append((entry, values[name]))
                    self._put_top(name)
        except BaseException:  # an interrupt: the block never begins, so it has no end
            self.leave(block)
            raise

    def leave(self, block: Block) -> None:
        """End a block: the innermost time that it was entered in this context, otherwise in another one."""
        entries = self._entries()
        with _lock:
            stacked = [entry for stack in self._stacks.values() for entry, _ in stack if entry is not None]
            entered = [entry for entry in (*stacked, *[entry for entry, _ in entries]) if entry.block is block]
            if not entered:
                return
            for name in entered[-1].rows - self.context_rows:
                self._stacks[name] = [pair for pair in self._stacks[name] if pair[0] is not entered[-1]]
                self._put_top(name)
        self._see([pair for pair in entries if pair[0] is not entered[-1]])

    def alone(self) -> Context:
        """Return a context that has the settings of this one and nothing else, so it keeps no memory alive."""
        context = Context()
        context.run(self._context.set, self._context.get())
        return context

    def _entries(self) -> Entries:
        layer = self._context.get()
        return () if layer is None else layer.entries

    def _see(self, entries: Entries) -> None:
        """Let this context be in these blocks."""
        layer = Layer(entries) if entries else None
        if layer is not None:
            with _lock:
                self._layers.add(layer)
                self._shape()
        self._context.set(layer)

    def _put_top(self, name: str) -> None:
        """Let the value at the top of a stack hold in the process."""
        with _lock:
            self._plain.__dict__[name].__set__(self, self._stacks[name][-1][1])
            self._shape()

    def _shape(self) -> None:
        """Have properties in the place of those rows alone that need one. The lock is held."""
        owners = {name: ref(layer) for layer in self._layers for name in layer.values}
        unusable = [name for name, stack in self._stacks.items() if isinstance(stack[-1][1], Unusable)]
        object.__setattr__(self, "_owners", owners)
        wanted = _with_properties(self._plain, frozenset([*owners, *unusable]))
        if type(self) is not wanted:
            object.__setattr__(self, "__class__", wanted)

    def _read(self, name: str) -> Any:
        """The value of a row that has a property, but none in this context."""
        value = self._plain.__dict__[name].__get__(self)
        if isinstance(value, Unusable):
            raise ValueError(value.error)
        owner = self._owners.get(name)
        if owner is None or owner() is None:
            with _lock:
                self._shape()
        return value


def _property(name: str) -> property:
    def read(self: Scoped) -> Any:
        layer = self._context.get()
        if layer is not None and name in layer.values:
            return layer.values[name]
        return self._read(name)

    return property(read)


@cache
def _with_properties(plain: type[Any], rows: frozenset[str]) -> type[Any]:
    """The class of settings in which these rows are properties."""
    if not rows:
        return plain
    body = {name: _property(name) for name in rows}
    return type(plain.__name__, (plain,), {"__slots__": (), "__doc__": plain.__doc__, **body})


class Block:
    """The values that a call of ``set`` gave. As a context manager it is a block in which they hold. A program that
    drops it, as a statement does, sets them from then on.

    A block may be entered several times, inside itself and in other threads too.
    """

    __slots__ = ("_target", "_unused", "_values")

    def __init__(self, target: Any, values: Mapping[str, Any]):
        self._target, self._values, self._unused = target, values, True

    def __enter__(self) -> Any:
        self._unused = False
        self._target.enter(self, self._values)
        return self._target

    def __exit__(self, *_: object) -> None:
        self._target.leave(self)

    def _settle(self) -> None:
        """Set the values, unless a block was entered."""
        unused, self._unused = self._unused, False
        if unused:
            for name, value in self._values.items():
                self._target.assign(name, value)

    def __del__(self) -> None:
        self._settle()

    def __repr__(self) -> str:
        self._settle()  # an interactive Python shows the value of a statement, and keeps it
        return f"config.set({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"
