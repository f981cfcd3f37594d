"""The native back end's library: matrix products by NumPy, which calls BLAS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .base import Buffer, HostArray, Library, Operand, Product


class NumPyLibrary(Library):
    """Products of floating-point matrices. Its routines are those of `kernels.host.host_library`, which are NumPy's."""

    names = {"matmul": "NumPy"}
    products = frozenset({"f32", "f64", "c64", "c128"})

    def multiply(self, a: Operand, b: Operand, out: Operand) -> Product:
        nothing: Any = None
        places = [operand._replace(buffer=nothing) for operand in (out, a, b)]  # which keep no memory alive

        def again(buffers: list[Buffer], offsets: Sequence[int] | None) -> None:
            own = [place.offset for place in places] if offsets is None else offsets
            target, first, second = map(_view, places, buffers, own)
            with np.errstate(all="ignore"):
                np.matmul(first, second, out=target)

        again([out.buffer, a.buffer, b.buffer], None)
        return again

    def compute(self, name: str, operands: Sequence[Operand], options: Mapping[str, Any]) -> list[Operand] | None:
        return None


def _view(place: Operand, buffer: Buffer, offset: int) -> HostArray:
    size = place.dtype.itemsize
    _ = buffer.handle  # which brings it back if it has moved
    return np.ndarray(place.shape, place.dtype, buffer.host, offset * size, [step * size for step in place.strides])
