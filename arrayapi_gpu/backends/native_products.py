"""The native back end's library: matrix products by NumPy, which calls BLAS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .base import Buffer, HostArray, Library, Operand, Product
from .host_memory import quiet


class NumPyLibrary(Library):
    """Products of floating-point matrices. Its routines are those of `kernels.host.host_library`, which are NumPy's."""

    products = frozenset({"f32", "f64", "c64", "c128"})

    def __init__(self) -> None:
        self.names = {"matmul": "NumPy"}

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        views = [(_viewer(place), place.offset) for place in (out, a, b)]

        def again(buffers: list[Buffer], offsets: Sequence[int] | None) -> None:
            own = [offset for _, offset in views] if offsets is None else offsets
            target, first, second = [
                view(buffer, offset) for (view, _), buffer, offset in zip(views, buffers, own, strict=True)
            ]
            quiet.copy().run(np.matmul, first, second, target)

        again([out.buffer, a.buffer, b.buffer], None)
        return again

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        return None


def _viewer(place: Operand) -> Callable[[Buffer, int], HostArray]:
    """Return a function that views a buffer as NumPy does, from an offset on."""
    shape, dtype, itemsize = place.shape, place.dtype, place.dtype.itemsize
    if shape[0] == 1:  # one matrix, for which NumPy calls BLAS at once
        shape, strides = shape[1:], tuple([step * itemsize for step in place.strides[1:]])
    else:
        strides = tuple([step * itemsize for step in place.strides])

    def view(buffer: Buffer, offset: int) -> HostArray:
        _ = buffer.handle  # which brings it back if it has moved
        return np.ndarray(shape, dtype, buffer.host, offset * itemsize, strides)

    return view
