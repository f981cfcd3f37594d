"""Rows of settings that belong to who set them: to a block of a program, else to the process.

A row of the *context* holds where Python's `contextvars` say: a block changes it for the thread or the task that is in
the block, and for the tasks that are made there. A row of the *process* holds everywhere: blocks that overlap in time
stand on a stack, of which each leaves its own place, and the top one holds.

Reading a row is a plain attribute read while no context has a value of its own for it. While one has, the object is
an instance of a subclass that has properties in the place of these rows.

Nothing here happens in a destructor, since an interrupt that comes there is lost: what has ended is noticed later, by
weak references.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum, auto
from functools import cache
from typing import Any, ClassVar
from weakref import ref

_lock = threading.RLock()  # of the values of the process, and of which rows are properties


def _renew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class State(Enum):
    """What became of values that were set."""

    OPEN = auto()  # a block may begin with them, or not
    ENTERED = auto()
    GONE = auto()  # they were set without a block, or the block began in another context


class Entry:
    """The values of one time that a block is entered, or may be. ``inner``: rows that a block around it has, too."""

    __slots__ = ("block", "inner", "state", "values")

    def __init__(self, block: Block, values: Mapping[str, Any], state: State, inner: set[str]):
        self.block, self.values, self.state, self.inner = ref(block), dict(values), state, inner


Blocks = tuple[tuple[Entry, dict[str, Any]], ...]  # with the values of rows of the context, the innermost last


class Layer:
    """The blocks that a context is in, and the values that these give it.

    It is not changed, since copies of the context share it.
    """

    __slots__ = ("__weakref__", "blocks", "is_open", "values")

    def __init__(self, blocks: Blocks):
        self.blocks = blocks
        self.is_open = any([entry.state is State.OPEN for entry, _ in blocks])
        self.values: dict[str, Any] = {}
        for _, values in blocks:
            self.values.update(values)


class Unusable:
    """Stands for a value of the environment that the row cannot take: reading the row raises the error."""

    __slots__ = ("error",)

    def __init__(self, error: str):
        self.error = error


_MISSING: Any = object()


def _property(name: str, slot: Any) -> property:
    """The property of a row for which a context has a value of its own."""
    get: Callable[[Any], Any] = slot.__get__

    def read(self: Scoped) -> Any:
        layer = self._context.get()
        if layer is not None:
            if layer.is_open:
                self.settle()
                layer = self._context.get()
            if layer is not None and (value := layer.values.get(name, _MISSING)) is not _MISSING:
                return value
            layer = None
        if self._opened or name not in self._owners or self._owners[name]() is None:
            self.settle()
        value = get(self)
        if type(value) is Unusable:
            raise ValueError(value.error)
        return value

    return property(read)


@cache
def _with_properties(plain: type[Any], rows: frozenset[str]) -> type[Any]:
    if not rows:
        return plain
    body = {name: _property(name, plain.__dict__[name]) for name in rows}
    return type(plain.__name__, (plain,), {"__slots__": (), "__doc__": plain.__doc__, **body})


class Scoped:
    """Rows of settings. A subclass has a slot for each row, and names in ``context_rows`` those of the context."""

    __slots__ = ("_context", "_layers", "_opened", "_owners", "_plain", "_stacks", "_unusable")

    context_rows: ClassVar[frozenset[str]]
    _context: ContextVar[Layer | None]
    _layers: list[ref[Layer]]  # of all contexts, and some that are gone
    _opened: list[Entry]  # those that may be open
    _owners: dict[str, ref[Layer]]  # by row that is a property, a layer that has a value for it
    _plain: Any  # the class without properties
    _stacks: dict[str, list[tuple[Entry | None, Any]]]  # by row of the process, its value and those of blocks
    _unusable: set[str]

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        put = object.__setattr__
        put(self, "_context", ContextVar("configuration", default=None))
        put(self, "_layers", [])
        put(self, "_opened", [])
        put(self, "_owners", {})
        put(self, "_plain", type(self))
        put(self, "_stacks", {})
        put(self, "_unusable", set())
        for name, value in defaults.items():
            put(self, name, value)

    # --- what blocks do ---

    def enter(self, block: Block, values: Mapping[str, Any], state: State) -> Entry:
        """Let values hold in this context, and those of rows of the process everywhere."""
        self.settle()
        entry = Entry(block, values, state, {name for around, _ in self._blocks() for name in around.values})
        own = {name: value for name, value in values.items() if name in self.context_rows}
        with _lock:
            if state is State.OPEN:
                self._opened.append(entry)
            self._become((*self._blocks(), (entry, own)))
            for name, value in values.items():
                if name not in self.context_rows:
                    stack = self._stacks.setdefault(name, [(None, self._plain.__dict__[name].__get__(self))])
                    stack.append((entry, value))
                    self._put(name, value)
        return entry

    def begin(self, entry: Entry) -> bool:
        """Whether a block begins with the values that `set` gave just before; else these are taken back."""
        with _lock:
            if entry.state is not State.OPEN:
                return False
            blocks = self._blocks()
            begins = bool(blocks) and blocks[-1][0] is entry
            entry.state = State.ENTERED if begins else State.GONE
            self._opened.remove(entry)
            if begins:
                self._become(blocks)
            else:
                self._drop(entry)
            return begins

    def leave(self, block: Block) -> None:
        """End a block: the innermost time that it was entered in this context, or else, for the process, in another."""
        self.settle()
        with _lock:
            entries = [entry for stack in self._stacks.values() for entry, _ in stack if entry is not None]
            entries += [entry for entry, _ in self._blocks()]
            own = [entry for entry in entries if entry.block() is block]
            if own:
                self._drop(own[-1])

    def settle(self, asked: Entry | None = None) -> None:
        """Notice what has ended. Values that `set` gave, and with which no block begins any more, become those of the
        block around, or of the process: of this context, since it does something else now; of an object that is gone;
        and those that are ``asked`` for.
        """
        with _lock:
            for entry in [*self._opened]:
                here = any([other is entry for other, _ in self._blocks()])
                if not (entry is asked or here or entry.block() is None):
                    continue
                for name in [*entry.values]:
                    if here or name not in entry.inner:  # what is a block's is left to its context
                        self._assign(name, entry.values[name], self._blocks() if here else ())
                        self._take(name, entry)
                if here or not entry.values:
                    entry.state = State.GONE
                    self._opened.remove(entry)
                    self._drop(entry)
            for entry in [entry for entry, _ in self._blocks() if entry.state is State.GONE]:
                self._drop(entry)
            for name, stack in [*self._stacks.items()]:
                for entry in [entry for entry, _ in stack if entry is not None and entry.state is State.ENTERED]:
                    if entry.block() is None:  # it was interrupted while it began, and never ends
                        self._take(name, entry)
            self._shape()

    def assign(self, name: str, value: Any) -> None:
        """Change a row in the innermost block of this context that has it, else in the process."""
        self.settle()
        with _lock:
            self._assign(name, value, self._blocks())

    def _assign(self, name: str, value: Any, blocks: Blocks) -> None:
        entered = [entry for entry, _ in blocks if entry.state is State.ENTERED and name in entry.values]
        entry = entered[-1] if entered else None
        if name in self.context_rows and entry is not None:
            self._become(tuple([(e, {**own, name: value} if e is entry else own) for e, own in blocks]))
        elif (stack := self._stacks.get(name)) is None:
            self._put(name, value)
        else:
            place = next((place for place, (other, _) in enumerate(stack) if other is entry), 0)
            stack[place] = stack[place][0], value
            self._put(name, stack[-1][1])

    def _drop(self, entry: Entry) -> None:
        """Take the values of an entry out of this context and of the process."""
        kept = tuple([pair for pair in self._blocks() if pair[0] is not entry])
        if len(kept) < len(self._blocks()):
            self._become(kept)
        for name in [*entry.values]:
            self._take(name, entry)

    def _take(self, name: str, entry: Entry) -> None:
        """Take a value of an entry out of the process."""
        if entry.state is not State.ENTERED:
            del entry.values[name]
        if (stack := self._stacks.get(name)) is not None:
            stack[:] = [pair for pair in stack if pair[0] is not entry]
            self._put(name, stack[-1][1])
            if len(stack) == 1:
                del self._stacks[name]

    # --- where values are; the lock is held ---

    def _blocks(self) -> Blocks:
        layer = self._context.get()
        return () if layer is None else layer.blocks

    def _become(self, blocks: Blocks) -> None:
        """Let this context be in these blocks."""
        layer = Layer(blocks) if blocks else None
        if layer is not None:
            self._layers.append(ref(layer))
            self._shape()  # before the context has values of its own
        self._context.set(layer)
        self._shape()

    def _put(self, name: str, value: Any) -> None:
        """Put the value of a row that holds in the process."""
        self._plain.__dict__[name].__set__(self, value)
        if isinstance(value, Unusable) or name in self._unusable:
            (self._unusable.add if isinstance(value, Unusable) else self._unusable.discard)(name)
            self._shape()

    def _shape(self) -> None:
        """Have properties for the rows for which a context has a value of its own."""
        living = [(known, layer) for known in self._layers if (layer := known()) is not None]
        self._layers[:] = [known for known, _ in living]
        owners = {name: known for known, layer in living for name in layer.values}
        object.__setattr__(self, "_owners", owners)
        wanted = _with_properties(self._plain, frozenset([*owners, *self._unusable]))
        if type(self) is not wanted:
            object.__setattr__(self, "__class__", wanted)


class Block:
    """What `set` returns: ``with`` makes a block of it, in whose end the former values hold.

    It may be entered again, inside of itself and in other threads, too.
    """

    __slots__ = ("__weakref__", "_first", "_target", "_values")

    def __init__(self, target: Any, values: Mapping[str, Any]):
        self._target, self._values = target, values
        self._first: Entry | None = target.enter(self, values, State.OPEN)

    def __enter__(self) -> Any:
        first, self._first = self._first, None
        if first is None or not self._target.begin(first):
            self._target.enter(self, self._values, State.ENTERED)
        return self._target

    def __exit__(self, *_: object) -> None:
        self._target.leave(self)

    def __repr__(self) -> str:
        """The values. Who shows them, as an interactive Python does, enters no block: so they are set from then on."""
        if self._first is not None:
            self._target.settle(self._first)
        return f"config.set({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"
