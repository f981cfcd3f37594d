"""NumPy's methods that are functions of NumPy's: ``x.cumsum(axis=0)`` is ``numpy.cumsum(x, axis=0)``.

They take NumPy's arguments, and are found by `numpy_protocols` as the functions are. Those that change the array write
into it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .array_object import Array

FUNCTIONS = (
    "argpartition", "argsort", "choose", "clip", "compress", "cumprod", "cumsum", "diagonal", "dot",
    "nonzero", "put", "repeat", "searchsorted", "swapaxes", "take", "trace",
)  # fmt: skip


def _of_numpy(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def method(self: Array, *args: Any, **options: Any) -> Any:
        if name == "compress":  # whose array is the second argument
            return function(args[0], self, *args[1:], **options)
        return function(self, *args, **options)

    return _named(method, name, f"`numpy.{name}` of the array.")


def _sort(self: Array, axis: int = -1, **options: Any) -> None:
    """Sort the array itself along an axis."""
    self[...] = np.sort(self, axis=axis, **options)


def _partition(self: Array, kth: Any, axis: int = -1, **options: Any) -> None:
    """Sort the array itself along an axis, so that the ``kth`` elements have their places."""
    self[...] = np.partition(self, kth, axis=axis, **options)


def _fill(self: Array, value: Any) -> None:
    """Write one value to all elements."""
    self[...] = value


def _tobytes(self: Array, order: Any = "C") -> bytes:
    """The elements' bytes, in C order or another that NumPy knows."""
    return self.to_numpy().tobytes(order)


def _conjugate(self: Array) -> Array:
    """Complex conjugates; the array itself where it is real."""
    return self.conj()


def _divmod(self: Array, other: Any) -> tuple[Any, Any]:
    """``self // other, self % other``."""
    return self // other, self % other


def _rdivmod(self: Array, other: Any) -> tuple[Any, Any]:
    """``other // self, other % self``."""
    return other // self, other % self


def _named(method: Callable[..., Any], name: str, says: str | None) -> Callable[..., Any]:
    method.__name__, method.__qualname__, method.__doc__ = name, f"Array.{name}", says
    return method


def add_methods() -> None:
    """Give them to the array object."""
    for name in FUNCTIONS:
        setattr(Array, name, _of_numpy(name))
    own: dict[str, Callable[..., Any]] = {
        "sort": _sort, "partition": _partition, "fill": _fill, "tobytes": _tobytes, "conjugate": _conjugate,
        "__divmod__": _divmod, "__rdivmod__": _rdivmod,
    }  # fmt: skip
    for name, method in own.items():
        setattr(Array, name, _named(method, name, method.__doc__))
