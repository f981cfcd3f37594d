"""Products by a processor's matrix units, whose words `backends/matrix_units.h` has.

Slabs of both matrices are copied to local memory while those before are multiplied, as they lie, in units of 16 bytes.
So rows must begin at multiples of 16 bytes: other operands are copied first. A warp holds a part of the product in
blocks of 16 x 16. Products of 16 bits are summed in float32, and rounded once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...backends.base import WARP, Device
from ...backends.matrix_units import fragment_words
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import contiguous_strides, size, turned
from ..core import tuning
from ..core.store import cached, kept
from ..core.texts import section
from ..maps.copy import assign
from .pieces import (
    ProductKernel,
    ProductLaunch,
    Shorts,
    Stack,
    cut,
    extents,
    launched,
    length_of,
    short_dtype,
    short_of,
    stack_of,
    sums_in,
    target_of,
    words_of,
)

_UNIT = 16  # bytes


class Slabs(NamedTuple):
    """The tile of a group, the length of the summed index of a slab, the part of a warp, and slabs in local memory."""

    tall: int
    broad: int
    depth: int
    high: int
    width: int
    stages: int


def has_fragments(device: Device, dtype: np.dtype[Any], matrices: int, m: int, n: int, k: int) -> bool:
    """Return whether so many matrices of this dtype and size are multiplied so.

    Their layouts do not matter, because a product has the same bits for each.
    """
    if short_dtype(dtype) not in device.fragments:
        return False
    (least, middle, _), itemsize = sorted((m, n, k)), dtype.itemsize
    shortest, second = tuning.FRAGMENTS_FROM[itemsize]
    if least < shortest or middle < second:
        return False
    copied = itemsize > 1 and (k * itemsize % _UNIT or n * itemsize % _UNIT)  # matrices by rows; bytes always are
    return matrices * m * n * k >= (tuning.FRAGMENTS_COPIED if copied else tuning.FRAGMENTS_WORK)


def by_fragments(a: GpuArray, b: GpuArray, out: GpuArray) -> ProductLaunch | None:
    """Write ``a @ b`` into ``out``. Return the launch, if it may run again."""
    device, short = out.storage.device, short_of(out)
    by_rows = short == "u8"  # along the summed index
    x, y = _lying(a, False if by_rows else None), _lying(b, True if by_rows else None)
    numbers = extents(x, out)
    m, n, k, matrices = (numbers[name] for name in ("m", "n", "k", "matrices"))
    slabs, length = slabs_of(m, n, k, matrices, out.dtype.itemsize)
    numbers |= cut(k, length) | {"down": -(-m // slabs.tall), "across": -(-n // slabs.broad)}
    target = target_of(out, numbers["pieces"])
    pairs = 2 if target.dtype.itemsize <= 8 and n % 2 == 0 and target.begins_at(2) else 1
    kernel = _compiled(device, (short, sums_in(out.dtype), short_of(target)), slabs, (x.right == 1, y.down == 1), pairs)
    items = slabs.tall // slabs.high * (slabs.broad // slabs.width) * WARP
    groups = numbers["down"] * numbers["across"] * matrices * numbers["pieces"]
    launch = kernel.bound(groups * items, items, target, x, y, numbers)
    return launched((a, b, out), launch, (target, x, y))


def _lying(array: GpuArray, by_columns: bool | None = None) -> Stack:
    """An operand whose rows or columns (either, if it does not matter) are contiguous and begin at multiples of a unit,
    copied if necessary."""
    found, unit = stack_of(array), _UNIT // array.dtype.itemsize
    down, right = found.down, found.right
    if by_columns is None:
        by_columns = down == 1 if 1 in (down, right) else abs(down) < abs(right)
    near, far = (down, right) if by_columns else (right, down)
    if near == 1 and found.array.begins_at(unit) and far % unit == found.stack % unit == 0:
        return found
    if by_columns:
        array = array.through(turned(array.layout))
    *batch, rows, columns = array.shape
    pitch = -(-columns // unit) * unit
    fresh = empty(array.storage.device, array.dtype, (size(tuple(batch)), rows, pitch))
    steps = [step // columns * pitch for step in contiguous_strides(array.shape)[:-1]]
    copy = GpuArray(fresh.storage, array.dtype, array.shape, (*steps, 1), fresh.offset)
    assign(copy, array)
    return stack_of(copy.through(turned(copy.layout)) if by_columns else copy)


@cached
def slabs_of(m: int, n: int, k: int, matrices: int, itemsize: int) -> tuple[Slabs, int]:
    """Return the division of a product, and the length of the pieces of the summed index."""
    best = None
    for slabs in tuning.FRAGMENT_SLABS[itemsize]:
        found = Slabs(*slabs)
        tiles = matrices * -(-m // found.tall) * -(-n // found.broad)
        length = length_of(m, n, k, tuning.FRAGMENT_GROUPS // tiles, found.depth)
        busy = min(tiles * -(-k // length) / tuning.FRAGMENT_GROUPS, 1)
        work = tiles * found.tall * found.broad * (1 + tuning.FRAGMENT_MOVED * (1 / found.tall + 1 / found.broad))
        if best is None or work / busy < best[0]:
            best = work / busy, found, length
    assert best is not None
    return best[1:]


@kept
def _compiled(device: Device, shorts: Shorts, slabs: Slabs, along: tuple[bool, bool], out_wide: int) -> ProductKernel:
    short, wide, result = shorts
    constants = {name.upper(): number for name, number in slabs._asdict().items()} | {
        "A_ALONG": along[0],
        "B_ALONG": along[1],
        "OUT_WIDE": out_wide,
    }
    text = words_of(shorts, {(result, out_wide)}, out_wide) + fragment_words(short, wide)
    text += section("fragments", "fragments", T=short, W=wide, O=result)
    numbers = ("matrices", "m", "n", "k", "pieces", "length", "down", "across")
    return ProductKernel(device, "fragments", numbers, text, constants)
