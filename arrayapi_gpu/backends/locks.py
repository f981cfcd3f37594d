"""Locks of modules. A forked child gets them unlocked, because the thread that held one does not exist there.

A lock for which a thread waits is taken by ``with``, and in no other way. An exception from a signal handler may be
raised between any two steps of Python code, and between ``acquire()`` and ``try`` it would leave the lock held for
ever; the interpreter does not interrupt the beginning of a ``with`` block for a lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from .state import after_fork

try:
    from . import c_objects
except ImportError:  # in the Python form
    c_objects = None  # type: ignore[assignment]


def module_lock(namespace: dict[str, Any], name: str) -> AbstractContextManager[object]:
    """Return a lock that the thread that holds it may take again, for the global variable ``name`` of a module.

    >>> _lock = module_lock(globals(), "_lock")
    """
    after_fork(lambda: namespace.__setitem__(name, _made()))
    return _made()


def _made() -> AbstractContextManager[object]:
    return threading.RLock() if c_objects is None else c_objects.Mutex()


def locked(lock: AbstractContextManager[object], function: Callable[[Any], Any], argument: Any) -> Any:
    """Return the result of a function for an argument while this thread holds a lock of a module."""
    with lock:
        return function(argument)


if c_objects is not None:
    locked = c_objects.locked  # type: ignore[assignment]  # which takes less time
