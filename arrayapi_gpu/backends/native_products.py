"""The native back end's library: matrix products by NumPy, which calls BLAS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
        out_view, a_view, b_view = (_view(*_matrices(place)) for place in (out, a, b))
        places = [place.offset for place in (out, a, b)]

        def again(buffers: list[Buffer], offsets: Sequence[int] | None) -> None:
            out_offset, a_offset, b_offset = places if offsets is None else offsets
            target, first, second = buffers
            quiet.copy().run(np.matmul, a_view(first, a_offset), b_view(second, b_offset), out_view(target, out_offset))

        again([out.buffer, a.buffer, b.buffer], None)
        return again

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        return None


def _matrices(place: Operand) -> tuple[np.dtype[Any], tuple[int, ...], tuple[int, ...]]:
    """Return the dtype, the shape and the strides in bytes of a stack; of one matrix alone, for which NumPy calls BLAS
    at once, those of a matrix."""
    shape, strides = place.shape, tuple([step * place.dtype.itemsize for step in place.strides])
    return (place.dtype, shape[1:], strides[1:]) if shape[0] == 1 else (place.dtype, shape, strides)


@lru_cache(maxsize=4096)
def _view(dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...]) -> Callable[[Buffer, int], HostArray]:
    """Return a function that views a buffer as NumPy does, from an offset in elements on. Blocks keep views without an
    offset by this function."""

    def view(buffer: Buffer, offset: int) -> HostArray:
        _ = buffer.handle  # which brings it back if it has moved
        block = buffer.block
        if offset:
            return np.ndarray(shape, dtype, block.host, offset * dtype.itemsize, strides)
        found = block.views.get(view)
        return kept_view(block, view, dtype, shape, strides) if found is None else found

    return view
