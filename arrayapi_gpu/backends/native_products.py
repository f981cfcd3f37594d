"""The native back end's library: matrix products by NumPy, which calls BLAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .base import Buffer, HostArray, Library, Operand, Product
from .host_memory import kept_view, quiet


class NumPyLibrary(Library):
    """Products of floating-point matrices. Its routines are those of `kernels.host.host_library`, which are NumPy's."""

    products = frozenset({"f32", "f64", "c64", "c128"})

    def __init__(self) -> None:
        self.names = {"matmul": "NumPy"}

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        again = _NumPyProduct(
            [_view(*_matrices(place)) for place in (out, a, b)], [place.offset for place in (out, a, b)]
        )
        again([out.buffer, a.buffer, b.buffer], None)
        return again

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        return None


def _matrices(place: Operand) -> tuple[np.dtype[Any], tuple[int, ...], tuple[int, ...]]:
    """Return the dtype, the shape and the strides in bytes of a stack; of one matrix alone, for which NumPy calls BLAS
    at once, those of a matrix."""
    shape, strides = place.shape, tuple([step * place.dtype.itemsize for step in place.strides])
    return (place.dtype, shape[1:], strides[1:]) if shape[0] == 1 else (place.dtype, shape, strides)


class _NumPyView:
    """How a buffer is viewed as NumPy does. Blocks keep views without an offset by this object."""

    __slots__ = ("_dtype", "_shape", "_strides")

    def __init__(self, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]):
        self._dtype, self._shape, self._strides = dtype, shape, strides

    def of(self, buffer: Buffer, offset: int) -> HostArray:
        """Return the view of a buffer from an offset in elements on."""
        _ = buffer.handle  # which brings it back if it has moved
        own = buffer  # another name, because the compiled form knows its type
        block = own.block
        if offset:
            itemsize = self._dtype.itemsize
            return np.ndarray(self._shape, self._dtype, block.host, offset * itemsize, self._strides)
        found = block.views.get(self)
        return kept_view(block, self, self._dtype, self._shape, self._strides) if found is None else found


_view = lru_cache(maxsize=4096)(_NumPyView)


class _NumPyProduct:
    """A product that can be repeated on other buffers: of the result and of both operands."""

    __slots__ = ("_a", "_b", "_offsets", "_out")

    def __init__(self, views: list[_NumPyView], offsets: list[int]):
        self._out, self._a, self._b = views
        self._offsets = offsets

    def __call__(self, buffers: list[Buffer], offsets: Sequence[int] | None) -> None:
        to, first, second = self._offsets if offsets is None else offsets
        out, a, b = self._out.of(buffers[0], to), self._a.of(buffers[1], first), self._b.of(buffers[2], second)
        quiet.copy().run(np.matmul, a, b, out)
