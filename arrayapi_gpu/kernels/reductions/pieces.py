"""Products of matrices in pieces of the summed index, which are added where there are several."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from ...backends.base import Device
from ...memory.dtypes import COMPUTES_IN, SHORT
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import collapse_ordered, size
from ..core.dialect import Parameters, int64s
from ..core.launch import BoundKernel, FixedKernel
from ..core.monoid import SUM
from ..core.traffic import traffic_of
from ..maps.copy import assign, contiguous
from .reduce import identity_body
from .reduce_passes import reduce

_OFFSETS = ("out_0", "a_0", "b_0")
_STRIDES = ("a_stack", "a_down", "a_right", "b_stack", "b_down", "b_right")


class Stack(NamedTuple):
    """An operand: its memory, and the strides from matrix to matrix and inside of one."""

    array: GpuArray
    stack: int
    down: int
    right: int


def stack_of(array: GpuArray, inner: bool = False) -> Stack:
    """Return an operand, copied if its batch dimensions are not evenly spaced or, where ``inner`` dimensions have to be
    contiguous, if these are not."""
    shape, (steps,) = collapse_ordered(array.shape[:-2], (array.strides[:-2],))
    if len(shape) > 1 or (inner and array.strides[-1] != 1):
        array = contiguous(array)
        steps = (size(array.shape[-2:]),)
    return Stack(array, steps[0], *array.strides[-2:])


def short_of(array: GpuArray) -> str:
    """Return the short dtype of a kernel's operand: wrapping is the same for signed and unsigned integers."""
    return SHORT[array.dtype].replace("i", "u")


class ProductKernel:
    """A kernel of products with the numbers that it takes."""

    def __init__(self, device: Device, name: str, numbers: Sequence[str], text: str, constants: dict[str, object]):
        self._name, self._numbers = name, numbers
        parameters = Parameters(int64s(*numbers, *_OFFSETS, *_STRIDES))
        self._kernel = FixedKernel(device, name, parameters, text, constants)

    def bound(self, items: int, group: int, out: GpuArray, x: Stack, y: Stack, numbers: dict[str, int]) -> BoundKernel:
        """Return the launch for operands, given the numbers by name."""
        head = [numbers.get(field, 0) for field in self._numbers]
        offsets = [out.offset, x.array.offset, y.array.offset]
        moved = traffic_of([out], [x.array, y.array])
        kernel, parameters, name = self._kernel.kernel, self._kernel.parameters, f"matmul {self._name}"
        tail = [*x[1:], *y[1:]]
        return BoundKernel(self._kernel.device, kernel, name, items, group, parameters, head, offsets, tail, moved)


def extents(x: Stack, out: GpuArray) -> dict[str, int]:
    """Return the numbers of matrices, rows, columns and summed places."""
    m, k = x.array.shape[-2:]
    return {"matrices": size(out.shape[:-2]), "m": m, "n": out.shape[-1], "k": k}


def cut(k: int, length: int) -> dict[str, int]:
    """Return how a summed index is cut into pieces of a length."""
    return {"pieces": -(-k // length) if k else 1, "length": length}


def target_of(out: GpuArray, pieces: int) -> GpuArray:
    """Return the memory for the products of pieces."""
    if pieces == 1:
        return out
    return empty(out.storage.device, COMPUTES_IN[out.dtype], (size(out.shape[:-2]), pieces, *out.shape[-2:]))


def add_pieces(target: GpuArray, out: GpuArray) -> None:
    """Add the products of pieces, if there are several."""
    if target is out:
        return
    device, dtype = out.storage.device, target.dtype
    wide = out if dtype == out.dtype else empty(device, dtype, out.shape)
    body = partial(identity_body, dtype)
    reduce(device, SUM, ("pieces",), body, target.shape, (1,), (target,), (), (), dtype, wide)
    if wide is not out:
        assign(out, wide)
