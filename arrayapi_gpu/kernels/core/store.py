"""The store of kernels and of everything that refers to them, in bounded memory.

`stored` returns the object made for a kind of launch, such as a compiled kernel, and makes it if it is missing; a
function that is `kept` does so for its arguments. A `Recent` has two generations. Entries that are added, or found in
the older generation, belong to the younger one. When the younger one is full, it becomes the older one, and the entries
of the former older one are dropped, because they were not used meanwhile. So a look-up costs no more than one in
a dictionary, and the dropped entries are roughly the least recently used ones.

A pure function whose results depend on numbers of `tuning` is `cached`: `clear` empties its cache together with the
stores, so code that changes such a number calls `clear` alone.

The store of kernels and the launch cache (`lazy.run.launches`) begin a generation together, after a number of kernels
(`launch.compiled`), because a kernel is found in several ways and is freed with the last.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import lru_cache, wraps
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakSet

from ...backends.state import after_fork, clears

K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")

STORE_ENTRIES = 1 << 14  # entries of the store of kernels
CACHE_ENTRIES = 1 << 12  # entries of the cache of a pure function

_stores: WeakSet[Recent[object, object]] = WeakSet()
_emptied: list[Callable[[], None]] = []  # for each function that is `cached`, the call that empties its cache


class Recent(Generic[K, V]):
    """A dictionary of at most ``limit`` entries, which drops the least recently used ones.

    ``young``: the younger generation, always the same dictionary, for look-ups on a hot path, which need no call then.
    """

    __slots__ = ("__weakref__", "_limit", "_old", "young")

    def __init__(self, limit: int):
        self._limit = limit
        self.young: dict[K, V] = {}
        self._old: dict[K, V] = {}
        _stores.add(self)  # type: ignore[arg-type]

    def get(self, key: K) -> V | None:
        """Return the value of a key, None if it was dropped."""
        value = self.young.get(key)
        if value is None:
            value = self._old.get(key)
            if value is not None:
                self[key] = value
        return value

    def __setitem__(self, key: K, value: V) -> None:
        if 2 * len(self.young) >= self._limit:
            self.begin_generation()
        self.young[key] = value

    def __len__(self) -> int:
        return len(self.young.keys() | self._old.keys())

    def values(self) -> Iterator[V]:
        """Return an iterator over all values, each once."""
        return iter((self._old | self.young).values())

    def begin_generation(self) -> None:
        """Drop the entries that were not used since the last generation began."""
        self._old = dict(self.young)
        self.young.clear()

    def clear(self) -> None:
        """Drop all entries."""
        self.young.clear()
        self._old = {}


def begin_generation() -> None:
    """Drop from all stores the entries that were not used since the last generation began."""
    for store in list(_stores):
        store.begin_generation()


_store: Recent[tuple[Hashable, ...], Any] = Recent(STORE_ENTRIES)


def stored(key: tuple[Hashable, ...], make: Callable[[], V]) -> V:
    """Return the value made for a key, or make it. A key begins with the class or the function that it is for."""
    found: V | None = _store.get(key)
    if found is None:
        found = _store[key] = make()
    return found


def kept(function: Callable[P, V]) -> Callable[P, V]:
    """Return the function with its results stored: it is called once for the same arguments while these are used."""

    @wraps(function)
    def found(*args: P.args, **kwargs: P.kwargs) -> V:
        key = (function, *args, *kwargs.items())
        value: V | None = _store.young.get(key)  # at once: launches of a few microseconds ask for several
        return stored(key, lambda: function(*args, **kwargs)) if value is None else value

    return found


def cached(function: Callable[P, V]) -> Callable[P, V]:
    """Return the `lru_cache` of a pure function that reads `tuning`; `clear` empties it.

    The result is the cache itself and no wrapper, because launches of a few microseconds call several.
    """
    cache = lru_cache(CACHE_ENTRIES)(function)
    _emptied.append(cache.cache_clear)
    return cache  # type: ignore[return-value]  # its type in typeshed does not keep the parameters


@clears
def clear() -> None:
    """Drop all kernels, everything that refers to them, and all results that depend on `tuning`."""
    for store in list(_stores):
        store.clear()
    for empty in _emptied:
        empty()


_of_the_parent: list[object] = []


@after_fork
def _forget() -> None:
    """Empty all stores in a forked child, whose devices do nothing.

    Their entries stay in memory: drivers must not be called in the child, not even to free a kernel.
    """
    for store in list(_stores):
        _of_the_parent.extend([dict(store.young), store._old])
    clear()
