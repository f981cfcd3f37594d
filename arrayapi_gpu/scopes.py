"""Settings with a scope: a block of a program, or the process.

A row of the *context* follows Python's `contextvars`: a block changes it for the thread or task that is in the block,
and for tasks that are created there. A row of the *process* holds everywhere: each block pushes its value on a stack
and removes this value at its end, so blocks that overlap in time leave nothing behind.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from contextvars import Context, ContextVar
from functools import cache
from typing import Any, ClassVar
from weakref import WeakSet, ref

_lock = threading.RLock()  # protects the values of the process and the classes of settings


def _renew() -> None:
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class Unusable:
    """A value from the environment that the row does not allow: reading the row raises ``error``."""

    __slots__ = ("error",)

    def __init__(self, error: str):
        self.error = error


class Entry:
    """One entry into a block, and the rows that the block sets."""

    __slots__ = ("block", "rows")

    def __init__(self, block: Block, rows: frozenset[str]):
        self.block, self.rows = block, rows


Entries = Sequence[tuple[Entry, Mapping[str, Any]]]  # each with its values of rows of the context, the innermost last


class Layer:
    """The blocks that a context is in. Immutable, because copies of a context share it."""

    __slots__ = ("__weakref__", "entries", "values")

    def __init__(self, entries: Entries):
        self.entries = entries
        self.values: dict[str, Any] = {}
        for _, own in entries:
            self.values.update(own)


class Scoped:
    """Rows of settings. A subclass has a slot for each row, and lists the rows of the context in ``context_rows``.

    Reading a row is a plain attribute read as long as no context has set it. Otherwise the object becomes an instance
    of a subclass with a property in place of the slot.
    """

    __slots__ = ("_context", "_defaults", "_layers", "_owners", "_plain", "_stacks", "unusual")

    context_rows: ClassVar[frozenset[str]]
    hot_rows: ClassVar[frozenset[str]] = frozenset()  # a hot path reads them only if ``unusual`` is not empty
    _defaults: dict[str, Any]
    _context: ContextVar[Layer | None]
    _layers: WeakSet[Layer]  # of all contexts
    _owners: dict[str, ref[Layer]]  # for each row with a property, a layer that sets it
    _plain: Any  # the class without properties
    _stacks: dict[str, list[tuple[Entry | None, Any]]]  # for each row, the value of the process, then those of blocks
    unusual: set[str]  # rows among ``hot_rows`` that have another value than their defaults, perhaps in one context

    def __init__(self, defaults: Mapping[str, Any]) -> None:
        put = object.__setattr__
        put(self, "_context", ContextVar("settings", default=None))
        put(self, "_layers", WeakSet())
        put(self, "_owners", {})
        put(self, "_plain", type(self))
        put(self, "unusual", set())
        put(self, "_defaults", dict(defaults))
        put(self, "_stacks", {name: [(None, value)] for name, value in defaults.items()})
        for name in defaults:
            self._put_top(name)

    def assign(self, name: str, value: Any) -> None:
        """Change a setting in the innermost enclosing block that sets it, or in the process.

        Assignment to an attribute of `config` calls it with a checked value.

        Parameters
        ----------
        name : str
            The setting.
        value : Any
            Its value.

        Examples
        --------
        >>> with xp.config.set(fusion=True):
        ...     xp.config.assign("fusion", False)
        ...     print(xp.config.fusion)
        False
        """
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
        """Begin a block of settings.

        The ``with`` statement calls it.

        Parameters
        ----------
        block : Block
            The block.
        values : mapping of str to Any
            The settings of the block.

        See Also
        --------
        leave : End the block.

        Examples
        --------
        >>> block = xp.config.set(fusion=False)
        >>> xp.config.enter(block, {"fusion": False})
        >>> xp.config.fusion
        False
        >>> xp.config.leave(block)
        >>> with block:
        ...     pass
        """
        entry = Entry(block, frozenset(values))
        own = {name: value for name, value in values.items() if name in self.context_rows}
        try:
            self._see([*self._entries(), (entry, own)])
            with _lock:
                for name in values.keys() - own.keys():
                    self._stacks[name].append((entry, values[name]))
                    self._put_top(name)
        except BaseException:  # after an interrupt ``leave`` would not be called
            self.leave(block)
            raise

    def leave(self, block: Block) -> None:
        """End a block of settings.

        The ``with`` statement calls it. It ends the block's innermost entry in this context, or in another context if
        there is none here.

        Parameters
        ----------
        block : Block
            The block.

        See Also
        --------
        enter : Begin the block.

        Examples
        --------
        >>> before, block = xp.config.fusion, xp.config.set(fusion=False)
        >>> with block:
        ...     xp.config.leave(block)
        ...     print(xp.config.fusion == before)
        True
        """
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
        """Copy the settings of this context to a new one.

        Returns
        -------
        contextvars.Context
            A context with these settings and no other variables, so it keeps no memory alive.

        Examples
        --------
        >>> with xp.config.set(fusion=False):
        ...     context = xp.config.alone()
        >>> context.run(lambda: xp.config.fusion)
        False
        """
        context = Context()
        context.run(self._context.set, self._context.get())
        return context

    def _entries(self) -> Entries:
        layer = self._context.get()
        return () if layer is None else layer.entries

    def _see(self, entries: Entries) -> None:
        """Set the blocks that this context is in."""
        layer = Layer(entries) if entries else None
        if layer is not None:
            with _lock:
                self._layers.add(layer)
                self._shape()
        self._context.set(layer)

    def _put_top(self, name: str) -> None:
        """Make the value at the top of a row's stack the value of the process."""
        with _lock:
            self._plain.__dict__[name].__set__(self, self._stacks[name][-1][1])
            self._shape()

    def _shape(self) -> None:
        """Use properties only for the rows that need one. The caller holds the lock."""
        owners = {name: ref(layer) for layer in self._layers for name in layer.values}
        unusable = [name for name, stack in self._stacks.items() if isinstance(stack[-1][1], Unusable)]
        object.__setattr__(self, "_owners", owners)
        wanted = _with_properties(self._plain, frozenset([*owners, *unusable]))
        if type(self) is not wanted:
            object.__setattr__(self, "__class__", wanted)
        for name in self.hot_rows:
            usual = name not in owners and self._stacks[name][-1][1] == self._defaults[name]
            (self.unusual.discard if usual else self.unusual.add)(name)

    def _read(self, name: str) -> Any:
        """The value of a row with a property that is not set in this context."""
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
    """The subclass of ``plain`` in which these rows are properties."""
    if not rows:
        return plain
    body = {name: _property(name) for name in rows}
    return type(plain.__name__, (plain,), {"__slots__": (), "__doc__": plain.__doc__, **body})


class Block:
    """The values of a call of ``config.set``.

    As a context manager it sets them inside its block, which may be entered several times, also inside itself and in
    other threads. If the program drops it unused, as a statement does, it sets them from then on.

    Parameters
    ----------
    target : Config
        The settings.
    values : mapping of str to Any
        The values.

    Examples
    --------
    >>> with xp.config.set(fusion=False):
    ...     print(xp.config.fusion)
    False
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
        """Set the values, unless the block was ever entered."""
        unused, self._unused = self._unused, False
        if unused:
            for name, value in self._values.items():
                self._target.assign(name, value)

    def __del__(self) -> None:
        self._settle()

    def __repr__(self) -> str:
        self._settle()  # interactive Python prints the value of a statement, and keeps it alive
        return f"config.set({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"
