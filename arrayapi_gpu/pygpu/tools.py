"""Arguments of generated kernels, and how their arrays lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache as _cached, reduce
from operator import mul
from typing import Any, TypeVar

import numpy as np

from .array_object import GpuArray
from .dtypes import dtype_to_ctype

F = TypeVar("F", bound=Callable[..., Any])
Numbers = tuple[int, ...]


def as_argument(obj: Any, name: str) -> Argument:
    """What declares an object as an argument: an `ArrayArg` for an array, else a `ScalarArg`.

    Source: pygpu, ``tools.as_argument``.
    """
    return ArrayArg(obj.dtype, name) if isinstance(obj, GpuArray) else ScalarArg(np.asarray(obj).dtype, name)


class Argument:
    """An argument of a kernel: a dtype and a name. Equal where these are. Source: pygpu, ``tools.Argument``."""

    def __init__(self, dtype: Any, name: str):
        self.dtype = np.dtype(dtype)
        self.name = name

    def ctype(self) -> str:
        """The name of the dtype in kernels."""
        return dtype_to_ctype(self.dtype)

    def decltype(self) -> str:
        """The type as kernels declare it."""
        return self.ctype()

    def expr(self) -> str:
        """An element, in an expression."""
        return self.name

    def isarray(self) -> bool:
        """Whether it is an array."""
        return False

    def spec(self) -> Any:
        """What `GpuKernel` takes for its type."""
        return self.dtype

    def __hash__(self) -> int:
        return hash((type(self), self.dtype, self.name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Argument):
            return NotImplemented
        return (type(self), self.dtype, self.name) == (type(other), other.dtype, other.name)


class ArrayArg(Argument):
    """An array as an argument. Source: pygpu, ``tools.ArrayArg``."""

    def decltype(self) -> str:
        """A pointer to memory of the device."""
        return f"GLOBAL_MEM {self.ctype()} *"

    def expr(self) -> str:
        """The element of the work-item."""
        return f"{self.name}[i]"

    def isarray(self) -> bool:
        """Always True."""
        return True

    def spec(self) -> Any:
        """GpuArray."""
        return GpuArray


class ScalarArg(Argument):
    """A number as an argument. Source: pygpu, ``tools.ScalarArg``."""


def check_args(
    args: Sequence[Any], collapse: bool | None = False, broadcast: bool = False
) -> tuple[int, int, Numbers, tuple[Numbers | None, ...], tuple[int | None, ...]]:
    """How the arrays among arguments lie: (elements, axes, extents, strides of each, offset of each).

    Strides and offsets count bytes and are None for what is no array. With ``broadcast``, strides are 0 along axes that
    are repeated. With ``collapse``, axes along which all arrays go on evenly become one, and axes of one element go.

    ValueError where ranks differ, or extents that are not repeated; TypeError without an array.
    Source: pygpu, ``tools.check_args``.
    """
    arrays = [arg for arg in args if isinstance(arg, GpuArray)]
    if not arrays:
        raise TypeError("No arrays in kernel arguments, something is wrong; pass one GpuArray at least")
    shapes = [x.shape for x in arrays]
    if len({len(shape) for shape in shapes}) > 1:
        raise ValueError(f"Array order differs: shapes {', '.join(map(str, shapes))}")
    dims = [next((n for n in each if n != 1 and broadcast), each[0]) for each in zip(*shapes, strict=True)]
    for shape in shapes:
        if any(n != m and not (broadcast and n == 1) for n, m in zip(shape, dims, strict=True)):
            raise ValueError(f"Array shape differs: {', '.join(map(str, shapes))}")
    steps = [
        [step if n == m else 0 for n, m, step in zip(x.shape, dims, x.strides, strict=True)] for x in arrays
    ]  # fmt: skip
    if collapse is None or collapse:
        _collapse(dims, steps)
    own = iter(tuple(step) for step in steps)
    strides = tuple(next(own) if isinstance(arg, GpuArray) else None for arg in args)
    offsets = tuple(arg.offset if isinstance(arg, GpuArray) else None for arg in args)
    return prod(dims), len(dims), tuple(dims), strides, offsets


def _collapse(dims: list[int], steps: list[list[int]]) -> None:
    """Take away axes of one element, and those that go on where the next one ends; one axis stays."""
    for axis in range(len(dims) - 1, -1, -1):
        if len(dims) > 1 and dims[axis] == 1:
            for own in (dims, *steps):
                del own[axis]
    for axis in range(len(dims) - 1, 0, -1):
        if all(step[axis] * dims[axis] == step[axis - 1] for step in steps):
            dims[axis - 1] *= dims.pop(axis)
            for step in steps:
                step[axis - 1] = step.pop(axis)


def lru_cache(maxsize: int = 20) -> Callable[[F], F]:
    """As ``functools.lru_cache``. Source: pygpu, ``tools.lru_cache``."""
    return _cached(maxsize)  # type: ignore[return-value]


def prod(iterable: Iterable[Any]) -> Any:
    """The product of numbers; 1 of none. Source: pygpu, ``tools.prod``."""
    return reduce(mul, iterable, 1)
