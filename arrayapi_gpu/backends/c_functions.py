"""Functions of drivers' libraries, and their addresses, by which the compiled form calls them (`launching`)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any


def function_of(library: str, name: str) -> Any:
    """Return a function of a library; None where the library cannot be loaded or has none of that name."""
    try:
        return getattr(ctypes.CDLL(library), name)
    except (OSError, AttributeError):
        return None


def address_of(function: Any) -> int:
    """Return the address of a function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def addresses_of(functions: Sequence[Any]) -> tuple[int, ...] | None:
    """Return the addresses of functions; None if one of them is None."""
    if None in functions:
        return None
    return tuple(map(address_of, functions))
