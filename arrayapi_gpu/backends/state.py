"""State of modules: functions that clear it, and functions that renew it in the child of a fork.

`tests/test_mutable_state.py` lists every mutable object of a module, with its lock, whether `clear` empties it, and its
state after a fork.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[[], Any])

_clearing: list[Callable[[], Any]] = []


def clears(function: F) -> F:
    """Return the function, which `clear` calls from now on."""
    _clearing.append(function)
    return function


def clear() -> None:
    """Drop everything that is kept only to save time: kernels, plans, signatures, free memory of devices.

    Arrays and pending values stay valid. Threads may compute meanwhile.
    """
    for function in _clearing:
        function()


def after_fork(function: F) -> F:
    """Return the function, which is called in the child of every fork from now on."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)
    return function
