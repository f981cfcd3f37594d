"""Arguments of generated kernels, and the layouts of their arrays."""

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
    """The declaration of an object as an argument: an `ArrayArg` for an array, otherwise a `ScalarArg`.

    Source: pygpu, ``tools.as_argument``.
    """
    return ArrayArg(obj.dtype, name) if isinstance(obj, GpuArray) else ScalarArg(np.asarray(obj).dtype, name)


class Argument:
    """An argument of a kernel: a dtype and a name, which also define equality. Source: pygpu, ``tools.Argument``."""

    def __init__(self, dtype: Any, name: str):
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.name = name

    def ctype(self) -> str:
        """The C name of the dtype in kernels."""
        return dtype_to_ctype(self.dtype)

    def decltype(self) -> str:
        """The declaration of the type in kernels."""
        return self.ctype()

    def expr(self) -> str:
        """The C expression of an element."""
        return self.name

    def isarray(self) -> bool:
        """Whether the argument is an array."""
        return False

    def spec(self) -> Any:
        """The type of the argument for `GpuKernel`."""
        return self.dtype

    def __hash__(self) -> int:
        return hash((type(self), self.dtype, self.name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Argument):
            return NotImplemented
        return (type(self), self.dtype, self.name) == (type(other), other.dtype, other.name)


class ArrayArg(Argument):
    """An argument that is an array. Source: pygpu, ``tools.ArrayArg``."""

    def decltype(self) -> str:
        """The declaration of a pointer to device memory."""
        return f"GLOBAL_MEM {self.ctype()} *"

    def expr(self) -> str:
        """The C expression of the work-item's element."""
        return f"{self.name}[i]"

    def isarray(self) -> bool:
        """Always True."""
        return True

    def spec(self) -> Any:
        """GpuArray."""
        return GpuArray


class ScalarArg(Argument):
    """An argument that is a number. Source: pygpu, ``tools.ScalarArg``."""


def check_args(
    args: Sequence[Any], collapse: bool | None = False, broadcast: bool = False
) -> tuple[int, int, Numbers, tuple[Numbers | None, ...], tuple[int | None, ...]]:
    """The layouts of the arrays among arguments: (elements, axes, extents, strides of each, offset of each).

    Strides and offsets are in bytes, and None for arguments that are not arrays. ``broadcast``: whether axes of one
    element are repeated, with strides of 0; ``collapse``: whether axes that are contiguous with each other in all
    arrays are joined, and axes of one element dropped.

    ValueError if numbers of axes differ, or extents that are not repeated; TypeError without an array.
    Source: pygpu, ``tools.check_args``.
    """
    arrays = [arg for arg in args if isinstance(arg, GpuArray)]
    if not arrays:
        raise TypeError("No arrays in kernel arguments, something is wrong; pass at least one GpuArray")
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
    """Drop axes of one element, and join axes that are contiguous with the next one, in place; one axis is kept."""
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
    """A decorator as ``functools.lru_cache``. Source: pygpu, ``tools.lru_cache``."""
    return _cached(maxsize)  # type: ignore[return-value]


def prod(iterable: Iterable[Any]) -> Any:
    """The product of numbers; 1 if there are none. Source: pygpu, ``tools.prod``."""
    return reduce(mul, iterable, 1)
