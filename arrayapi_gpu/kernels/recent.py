"""What was made lately, and what it is found by: bounded memory of kernels, and of all that refers to them.

A store has two generations. What is put into it, or found in the older one, belongs to the younger one. When the
younger one is full, it becomes the older one; what was in the older one goes, since nobody has asked for it meanwhile.
So a look-up costs no more than one in a dictionary, and what goes was, nearly enough, used least recently.

All stores that hold kernels begin a generation together, when so many kernels were made (`launch.compiled`): a kernel
is in several of them, and goes with the last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K")
V = TypeVar("V")

_stores: WeakSet[Recent[object, object]] = WeakSet()


class Recent(Generic[K, V]):
    """A dictionary of at most ``limit`` entries, of which the least recently used go.

    ``young`` is the younger generation, the same dictionary for ever, for look-ups on a hot path: what is there needs
    no call of ours.
    """

    __slots__ = ("__weakref__", "_limit", "_old", "young")

    def __init__(self, limit: int):
        self._limit = limit
        self.young: dict[K, V] = {}
        self._old: dict[K, V] = {}
        _stores.add(self)  # type: ignore[arg-type]

    def get(self, key: K) -> V | None:
        """The value of a key, None if there is none any more."""
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
        """All values, each once."""
        return iter((self._old | self.young).values())

    def begin_generation(self) -> None:
        """Let go of what was not used since the last generation began."""
        self._old = dict(self.young)
        self.young.clear()

    def clear(self) -> None:
        """Let go of everything."""
        self.young.clear()
        self._old = {}


def begin_generation() -> None:
    """Let all stores go of what was not used since the last generation began."""
    for store in list(_stores):
        store.begin_generation()
