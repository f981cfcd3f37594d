"""Fourier transforms by plans of cuFFT that are kept: those of contiguous operands along their last axes.

CuPy's functions find a plan again in 60 us of Python code, which is more than a transform of a million numbers takes.
They compute all other transforms (`cuda_library`). Own kernels take 17 to 22 us for up to 2^20 elements of complex64 on
an H200, cuFFT and its call 37 to 60. But their compiler takes 0.25 to 0.6 s for each length, a plan of cuFFT 0.05.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .base import Buffer, Operand, c_strides

if TYPE_CHECKING:
    from .cuda_library import CudaLibrary

CUFFT = "cupy.cuda.cufft"
PLANS = 16  # that are kept, because each has memory of its own
_RANK = 3  # axes that cuFFT transforms at once
_FORWARD, _INVERSE = -1, 1
# cufftType by the dtype of the operand, and whether the result is real.
_KINDS = {
    ("F", False): 0x29,
    ("f", False): 0x2A,
    ("F", True): 0x2C,
    ("D", False): 0x69,
    ("d", False): 0x6A,
    ("D", True): 0x6C,
}


class _Transform(NamedTuple):
    """A plan of cuFFT, its direction, and its result, which has to be multiplied by ``factor``."""

    plan: Any
    direction: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    factor: float


class CudaTransforms:
    """The plans of one device."""

    def __init__(self, library: CudaLibrary):
        self._library = library
        self._plans: OrderedDict[tuple[Any, ...], _Transform] = OrderedDict()

    def compute(self, cupy: Any, name: str, x: Operand, options: Mapping[str, Any]) -> list[Operand] | None:
        """Return the transform ``name``; None where it needs CuPy's function. The caller holds the library's lock."""
        s, axes, norm = options.get("s"), options.get("axes"), options.get("norm") or "backward"
        shape, rank = x.shape, len(x.shape)
        many = rank if axes is None else len(axes)
        real_out, real_in = name == "irfftn", name == "rfftn"
        if not 0 < many <= (1 if real_out else _RANK) or (axes is not None and tuple(axes) != (*range(rank),)[-many:]):
            return None
        lengths = shape[-many:] if s is None else tuple(s)
        if real_out:
            lengths = (2 * (shape[-1] - 1),) if s is None else lengths
            fits = lengths[0] // 2 + 1 == shape[-1]
        else:
            fits = lengths == shape[-many:]
        address = first_address(x)
        is_real = np.issubdtype(x.dtype, np.floating)
        pair = x.dtype.itemsize * (2 if is_real else 1)  # bytes of a complex number, by which operands must be aligned
        if not fits or is_real is not real_in or address % pair or x.strides != c_strides(shape):
            return None
        key = name, x.dtype, shape, lengths, norm
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._made(name, x, lengths, norm)
            if len(self._plans) > PLANS:
                self._plans.popitem(last=False)
        else:
            self._plans.move_to_end(key)
        return [self._run(cupy, found, x, address, real_out)]

    def _made(self, name: str, x: Operand, lengths: tuple[int, ...], norm: str) -> _Transform:
        """Return a new plan."""
        many, inverse, n = len(lengths), name in ("ifftn", "irfftn"), prod(lengths)
        batch, cufft = prod(x.shape[:-many]), self._library._load(CUFFT)
        kind = _KINDS[x.dtype.char, name == "irfftn"]
        with self._library._at_work(raises=False):  # a plan's memory is the device's
            if many == 1:
                plan = cufft.Plan1d(lengths[0], kind, batch)
            else:
                plan = cufft.PlanNd(lengths, None, 1, 0, None, 1, 0, kind, batch, "C", many - 1, None)
        last = lengths[-1] // 2 + 1 if name == "rfftn" else lengths[-1]
        dtype = np.dtype(x.dtype.char.lower() if name == "irfftn" else x.dtype.char.upper())
        factor = 1 / n**0.5 if norm == "ortho" else 1 / n if (norm == "backward") is inverse else 1.0
        return _Transform(
            plan, _INVERSE if inverse else _FORWARD, dtype, (*x.shape[:-many], *lengths[:-1], last), factor
        )

    def _run(self, cupy: Any, found: _Transform, x: Operand, address: int, spoils: bool) -> Operand:
        """Return the result of a plan. ``spoils``: whether it writes to its operand."""
        device, itemsize = self._library._device, found.dtype.itemsize
        out = device.alloc(prod(found.shape) * itemsize)
        if spoils:
            own = device.alloc(prod(x.shape) * x.dtype.itemsize)
            self._library._copy(own.handle, address, own.nbytes)
            address = own.handle
        result = Operand(out, 0, found.dtype, found.shape, c_strides(found.shape))
        with self._library._stream:
            found.plan.fft(_Place(address), _Place(out.handle), found.direction)
            if found.factor != 1:
                view = self._library._view(cupy, result)
                view *= found.factor
        out.__class__ = Buffer  # like that of any array, it may move from now on
        return result

    def release(self) -> None:
        """Free the memory of all plans."""
        self._plans.clear()


class _Place:
    """An address, as the methods of plans take it."""

    def __init__(self, address: int):
        self.data, self.ptr = self, address


def first_address(operand: Operand) -> int:
    """Return the address of an operand's first element."""
    address: int = operand.buffer.handle + operand.offset * operand.dtype.itemsize
    return address
