"""Products of matrices in pieces of the summed index, which are added where there are several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device
from ...memory.dtypes import COMPUTES_IN, DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, Signature, empty, signature_of
from ...memory.layout import collapse_ordered, size, turned
from ..core import tuning
from ..core.dialect import STRIDED, UNIT, ZERO, Parameters, cast, int64s, vectors_of
from ..core.launch import BoundKernel, BoundLaunch, FixedKernel
from ..core.monoid import SUM
from ..core.texts import defines, section
from ..core.traffic import traffic_of
from ..maps.copy import contiguous
from .epilogues import Epilogue, Following
from .reduce import identity_body
from .reduce_passes import reduce

Shorts = tuple[str, str, str]  # the dtypes of operands, sums and results

_OFFSETS = ("out_0", "a_0", "b_0")
_STRIDES = ("a_stack", "a_down", "a_right", "b_stack", "b_down", "b_right")


class Stack(NamedTuple):
    """Matrices in memory: the array, and its strides from matrix to matrix (0 for a single one), down, and to the
    right."""

    array: GpuArray
    stack: int
    down: int
    right: int

    @property
    def numbers(self) -> tuple[int, int, int, int]:
        return self.array.offset, self.stack, self.down, self.right


def stack_of(array: GpuArray, inner: bool = False) -> Stack:
    """Return an operand, copied if its batch dimensions are not evenly spaced or, where ``inner`` dimensions have to be
    contiguous, if these are not."""
    shape, (steps,) = collapse_ordered(array.shape[:-2], (array.strides[:-2],))
    if len(shape) > 1 or (inner and array.strides[-1] != 1):
        array = contiguous(array)
        steps = (size(array.shape[-2:]),)
    return Stack(array, 0 if shape == (1,) else steps[0], *array.strides[-2:])


def turned_array(array: GpuArray) -> GpuArray:
    """Return the transposed matrices, for reading or writing within this package."""
    return array.through(turned(array.layout))


def short_of(array: GpuArray) -> str:
    """Return the short dtype of a kernel's operand (`short_dtype`)."""
    return short_dtype(array.dtype)


def short_dtype(dtype: np.dtype[Any]) -> str:
    """Return the short dtype in which products are computed: wrapping is the same for signed and unsigned integers."""
    return SHORT[dtype].replace("i", "u")


def stored_as(target: GpuArray, then: Following | None) -> str:
    """Return the short dtype of what a kernel stores."""
    return short_of(target) if then is None else SHORT[target.dtype]


def sums_in(dtype: np.dtype[Any]) -> str:
    """Return the short dtype of sums on GPUs. Those of short integers wrap as in their own if they are cast."""
    short = short_dtype(COMPUTES_IN[dtype])
    return {"u8": "u32", "u16": "u32"}.get(short, short)


class ProductKernel:
    """A kernel of products with the numbers that it takes."""

    def __init__(
        self,
        device: Device,
        name: str,
        numbers: Sequence[str],
        text: str,
        constants: Mapping[str, object],
        epilogue: Epilogue | None = None,
    ):
        self._numbers = numbers
        fields, last = int64s(*numbers, *_OFFSETS), int64s(*_STRIDES)
        self._name = f"matmul {name}"
        if epilogue is not None:
            fields, last = fields + epilogue.offsets, last + epilogue.strides
            self._name = "+".join([self._name, *epilogue.body.operations])
        self._kernel = FixedKernel(device, name, Parameters(fields + last), text, constants)

    def bound(
        self,
        items: int,
        group: int,
        out: GpuArray,
        x: Stack,
        y: Stack,
        numbers: dict[str, int],
        others: Sequence[Stack] = (),
    ) -> BoundKernel:
        """Return the launch for operands, given the numbers by name. ``others``: those of an epilogue."""
        head = [numbers.get(field, 0) for field in self._numbers]
        operands = [x, y, *others]
        offsets = [out.offset, *[one.array.offset for one in operands]]
        moved = traffic_of([out], [one.array for one in operands])
        tail = [step for one in operands for step in one[1:]]
        kernel = self._kernel
        return BoundKernel(
            kernel.device, kernel.kernel, self._name, items, group, kernel.parameters, head, offsets, tail, moved
        )


def extents(x: Stack, out: GpuArray) -> dict[str, int]:
    """Return the numbers of matrices, rows, columns and summed places."""
    m, k = x.array.shape[-2:]
    return {"matrices": size(out.shape[:-2]), "m": m, "n": out.shape[-1], "k": k}


def cut(k: int, length: int) -> dict[str, int]:
    """Return how a summed index is cut into pieces of a length."""
    return {"pieces": -(-k // length) if k else 1, "length": length}


def length_of(m: int, n: int, k: int, wanted: int, unit: int) -> int:
    """Return the length of pieces, a multiple of a ``unit``, where so many of them are ``wanted``: not so many that
    their products take longer than the operands, nor shorter ones than `tuning.TILE_PIECE`."""
    pieces = min(wanted, k * (m + n) // (4 * m * n), k // tuning.TILE_PIECE)
    return k if pieces <= 1 else -(-k // (pieces * unit)) * unit


def epilogue_of(then: Following | None, swapped: bool = False) -> tuple[Epilogue | None, list[Stack]]:
    """Return an epilogue with the modes of its other operands, and these, transposed where the product is."""
    if then is None:
        return None, []
    stacks = [stack_of(turned_array(one) if swapped else one) for one in then.arrays]
    modes = [{0: ZERO, 1: UNIT}.get(one.down, STRIDED) + {0: ZERO, 1: UNIT}.get(one.right, STRIDED) for one in stacks]
    return then.epilogue._replace(modes=tuple(modes)), stacks


class Pieces(NamedTuple):
    """The signature of the memory for the products of pieces, and the launch that adds these."""

    products: Signature
    sum: BoundLaunch


def target_of(out: GpuArray, pieces: int) -> GpuArray:
    """Return the memory for the products of pieces."""
    if pieces == 1:
        return out
    return empty(out.storage.device, COMPUTES_IN[out.dtype], (size(out.shape[:-2]), pieces, *out.shape[-2:]))


def add_pieces(target: GpuArray, out: GpuArray) -> Pieces | None:
    """Add the products of pieces, if there are several, and round the sums once. Return what adds them again."""
    if target.storage is out.storage:
        return None
    device, dtype = out.storage.device, target.dtype
    body = partial(identity_body, dtype)
    added = reduce(device, SUM, ("pieces",), body, target.shape, (1,), (target,), (), (), dtype, out)
    return Pieces(signature_of(device, dtype, target.shape), added)


class ProductLaunch:
    """A product as a `BoundLaunch`. ``swapped``: whether the kernel takes the second operand first. ``pieces``: None
    where there is one."""

    __slots__ = ("_launch", "_pieces", "_swapped")

    def __init__(self, launch: BoundKernel, swapped: bool, pieces: Pieces | None):
        self._launch, self._swapped, self._pieces = launch, swapped, pieces

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        if self._swapped:
            buffers = [buffers[0], buffers[2], buffers[1], *buffers[3:]]
            offsets = None if offsets is None else [offsets[0], offsets[2], offsets[1], *offsets[3:]]
        if self._pieces is None:
            self._launch.run(buffers, scalars, offsets)
            return
        target = self._pieces.products.empty()  # which keeps its memory allocated
        products = target.storage.buffer
        self._launch.run([products, *buffers[1:]], scalars, None if offsets is None else [0, *offsets[1:]])
        self._pieces.sum.run([buffers[0], products], (), None if offsets is None else [offsets[0], 0])


def launched(
    arrays: tuple[GpuArray, GpuArray, GpuArray],
    launch: BoundKernel,
    operands: tuple[GpuArray, Stack, Stack],
    then: Following | None = None,
    swapped: bool = False,
) -> ProductLaunch | None:
    """Run a launch, and add the pieces. Return both as one launch, which may run again; None if an operand was
    copied."""
    (a, b, out), (target, x, y) = arrays, operands
    others, scalars = ((), ()) if then is None else (then.arrays, then.scalars)
    launch.run([array.storage.buffer for array in (target, x.array, y.array, *others)], scalars)
    pieces = add_pieces(target, out)
    first, second = (b, a) if swapped else (a, b)
    if x.array.storage is not first.storage or y.array.storage is not second.storage:
        return None
    return ProductLaunch(launch, swapped, pieces)


def words_of(shorts: Shorts, accesses: set[tuple[str, int]], out_wide: int, epilogue: Epilogue | None = None) -> str:
    """Return the words of a kernel that depend on its dtypes. ``accesses``: dtypes and neighbours of one access."""
    short, wide, result = shorts
    first, then, last = (DTYPE_OF[each] for each in (short, wide, result if epilogue is None else short))
    words = {
        "NOTHING": f"C_{short}({'0, 0' if short[0] == 'c' else '0'})",
        "WIDE(x)": cast("(x)", first, then),
        "NARROW(x)": cast("(x)", then, last),
        "PUT(p, i, v)": f"STOREV_{result}(p, i, v)" if out_wide > 1 else f"STORE_{result}(p, i, *(v))",
    }
    if epilogue is None:
        words |= {"BEGIN(row, column)": "", "FINISH(sum, down, across)": "NARROW(sum)"}
    text = section("matmul", f"arithmetic_{wide[0]}", T=wide)
    text += vectors_of((each, count) for each, count in accesses if count > 1)
    return defines(words) + text + ("" if epilogue is None else epilogue.words(short))
