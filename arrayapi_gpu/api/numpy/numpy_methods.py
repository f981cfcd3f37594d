"""NumPy's methods that equal NumPy's functions: ``x.cumsum(axis=0)`` is ``numpy.cumsum(x, axis=0)``.

They take NumPy's arguments, and dispatch by `numpy_protocols` as the functions do. Methods that modify the array write
to it. Reductions are functions of this namespace.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.array_object import Array
from ..core.memory_order import axes_in_order, put_first
from .rounding import built_in, rounded

FUNCTIONS = (
    "argpartition", "argsort", "choose", "clip", "compress", "cumprod", "cumsum", "diagonal", "dot",
    "nonzero", "put", "repeat", "searchsorted", "swapaxes", "take", "trace",
)  # fmt: skip

REDUCTIONS = ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax")
MEANS = ("mean", "var", "std")  # NumPy allows integer dtypes for these


def _reduction(name: str, function: Callable[..., Array]) -> Callable[..., Array]:
    def method(self: Array, axis: Any = None, *args: Any, **options: Any) -> Array:
        options.update(zip(after, args, strict=False))
        chosen = numpys if name in MEANS and "dtype" in options else function
        return chosen(self, axis=axis, **options)

    numpys = getattr(np, name)
    after = [p.name for p in inspect.signature(numpys).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][2:]
    return _named(method, name, f"The `{name}` of the array along ``axis``, with NumPy's other arguments.")


def _of_numpy(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def method(self: Array, *args: Any, **options: Any) -> Any:
        if name == "compress":  # its array is the second argument
            return function(args[0], self, *args[1:], **options)
        return function(self, *args, **options)

    return _named(method, name, f"The result of `numpy.{name}` for the array.")


def _round(self: Array, decimals: int = 0, out: Any = None) -> Any:
    """The elements rounded to multiples of 10**-decimals, halves to even."""
    return rounded(self, decimals) if out is None else np.round(self, decimals, out=out)


def _sort(self: Array, axis: int = -1, **options: Any) -> None:
    """Sort the array along an axis in place."""
    self[...] = np.sort(self, axis=axis, **options)


def _partition(self: Array, kth: Any, axis: int = -1, **options: Any) -> None:
    """Sort the array along an axis in place, so that the ``kth`` elements are at their sorted positions."""
    self[...] = np.partition(self, kth, axis=axis, **options)


def _fill(self: Array, value: Any) -> None:
    """Assign one value to all elements."""
    self[...] = value


def _tobytes(self: Array, order: str | None = "C") -> bytes:
    """The bytes of the elements; ``order`` as in `Array.ravel`, except that "K" means "C", as in NumPy's method."""
    axes = axes_in_order("tobytes", self._node, "C" if order in ("K", "k") else order)
    host: np.ndarray[Any, Any] = put_first(self, axes).to_numpy()
    return host.tobytes()


def _conjugate(self: Array) -> Array:
    """The complex conjugates; the array itself if it is real."""
    return self.conj()


def _divmod(self: Array, other: Any) -> tuple[Any, Any]:
    """The tuple ``(self // other, self % other)``."""
    return self // other, self % other


def _rdivmod(self: Array, other: Any) -> tuple[Any, Any]:
    """The tuple ``(other // self, other % self)``."""
    return other // self, other % self


def _named(method: Callable[..., Any], name: str, says: str | None) -> Callable[..., Any]:
    method.__name__, method.__qualname__, method.__doc__ = name, f"Array.{name}", says
    return method


def add_methods(namespace: dict[str, Any]) -> None:
    """Add the methods to `Array`; ``namespace``: the names of this package, whose reductions they call."""
    for name in FUNCTIONS:
        setattr(Array, name, _of_numpy(name))
    for name in REDUCTIONS:
        setattr(Array, name, _reduction(name, namespace[name]))
    own: dict[str, Callable[..., Any]] = {
        "round": _round, "__round__": built_in, "sort": _sort, "partition": _partition, "fill": _fill,
        "tobytes": _tobytes, "conjugate": _conjugate, "__divmod__": _divmod, "__rdivmod__": _rdivmod,
    }  # fmt: skip
    for name, method in own.items():
        setattr(Array, name, _named(method, name, method.__doc__))
