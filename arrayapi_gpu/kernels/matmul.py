"""The matrix product.

Every element of a product is one chain of multiply-adds, fused where they are floating, in the
order of the summed index. How the work is cut therefore never shows in the bits, nor do strides.

With explicit vectors a work-item takes a panel of columns, a few registers wide, and a block of
rows. A tile of a few rows of the panel stays in registers while the summed index runs through a
stretch that leaves the panel of b in the cache; b is copied panel by panel beforehand where enough
rows use it. Without, a group of work-items copies squares of a and b to local memory, and each
work-item holds a small square of the product.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from string import Template
from typing import NamedTuple

from ..backends.base import Device, Kernel
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray, empty
from ..memory.layout import collapse_ordered, size
from .copy import assign, contiguous
from .dialect import Parameters
from .launch import compiled, launch

FLOAT16, FLOAT32 = DTYPE_OF["f16"], DTYPE_OF["f32"]

BLOCK = 96  # rows of a that one work-item takes
STRETCH = 256  # of the summed index
SIDE, DEPTH = 16, 16  # of a group without vectors: work-items a side, length of the summed index
PACK = 48  # rows of a from which on b is copied

# Sections of the text, by name.
_TEXTS = dict(
    re.findall(
        r"^//: (\w+)\n(.*?)(?=^//: |\Z)",
        Path(__file__).with_suffix(".c").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)

# What of an element's arithmetic depends on its kind.
_WORDS = {
    "u": """
#define ZERO C_$T(0)
#define MADD(sum, x, y) ((sum) + (x) * (y))
""",
    "f": """
#define ZERO C_$T(0)
#define MADD(sum, x, y) FMA(x, y, sum)
""",
    "c": """
#define ZERO SPLAT_$T(((S_$T){0, 0}))
FN R_$T MADD(R_$T sum, R_$T x, R_$T y) {
    sum.re = FMA(-x.im, y.im, FMA(x.re, y.re, sum.re));
    sum.im = FMA(x.im, y.re, FMA(x.re, y.im, sum.im));
    return sum;
}
""",
}


class Tile(NamedTuple):
    """What a kernel is compiled for: a dtype, rows and registers that are held, a copied b."""

    short: str
    rows: int
    registers: int
    packed: bool


class Stack(NamedTuple):
    """An operand: its memory, and the strides from matrix to matrix and inside of one."""

    array: GpuArray
    stack: int
    down: int
    right: int


def matmul(a: GpuArray, b: GpuArray, out: GpuArray) -> None:
    """Write ``a @ b`` into ``out``.

    Shapes (..., m, k), (..., k, n) and (..., m, n) with the same batch shape; one numeric dtype;
    ``out`` is C-contiguous, the others may be any views. Integers wrap; float16 is summed in
    float32 and rounded once; an empty sum is zero.
    """
    if not out.size:
        return
    device = out.storage.device
    if out.dtype == FLOAT16:
        wide = empty(device, FLOAT32, out.shape)
        matmul(contiguous(a, FLOAT32), contiguous(b, FLOAT32), wide)
        assign(out, wide)
        return
    if device.lanes > 1:
        _by_panels(device, a, b, out)
    else:
        _by_squares(device, a, b, out)


def _stack(array: GpuArray) -> Stack:
    shape, (steps,) = collapse_ordered(array.shape[:-2], (array.strides[:-2],))
    if len(shape) > 1:
        array = contiguous(array)
        steps = (size(array.shape[-2:]),)
    return Stack(array, steps[0], *array.strides[-2:])


def _by_panels(device: Device, a: GpuArray, b: GpuArray, out: GpuArray) -> None:
    short = SHORT[out.dtype].replace("i", "u")  # wrapping is the same for both
    (m, k), n = a.shape[-2:], b.shape[-1]
    matrices = size(out.shape[:-2])
    x, y = _stack(a), _stack(b)
    if x.right != 1:
        x = _stack(contiguous(a))
    wide = min(4, 16 // out.dtype.itemsize)
    registers = next(r for r in (1, 2, 4) if r * device.lanes >= n or r >= wide)
    tile = Tile(short, 6 if m > 1 else 1, registers, m >= PACK and k > 0)
    width = registers * device.lanes
    panels = -(-n // width)
    if tile.packed:
        copies = matrices if y.stack else 1
        pieces = -(-k // STRETCH)
        packed = empty(device, out.dtype, (copies, panels, k, width))
        kernel, parameters = _compiled(device, tile, "pack")
        numbers = (k, n, panels, y.array.offset, y.stack, y.down, y.right)
        buffers = (packed.storage.buffer, y.array.storage.buffer)
        items = copies * panels * pieces
        launch(device, kernel, "pack", items, buffers, parameters.pack(numbers), 1)
        y = Stack(packed, panels * k * width if y.stack else 0, width, 1)
        step = k * width
    else:
        step = width
        if y.right != 1:
            y = _stack(contiguous(b))
    kernel, parameters = _compiled(device, tile, "product")
    sizes = (m, n, k, panels, out.offset, x.array.offset, x.stack, x.down)
    packed_numbers = parameters.pack((*sizes, y.array.offset, y.stack, y.down, step))
    buffers3 = (out.storage.buffer, x.array.storage.buffer, y.array.storage.buffer)
    items = -(-m // BLOCK) * panels * matrices
    launch(device, kernel, "matmul", items, buffers3, packed_numbers, 1)


def _by_squares(device: Device, a: GpuArray, b: GpuArray, out: GpuArray) -> None:
    x, y = _stack(a), _stack(b)
    (m, k), n = a.shape[-2:], b.shape[-1]
    tile = Tile(SHORT[out.dtype].replace("i", "u"), 4, 1, False)
    kernel, parameters = _compiled(device, tile, "square")
    square = tile.rows * SIDE
    groups = -(-m // square) * -(-n // square) * size(out.shape[:-2])
    numbers = (m, n, k, out.offset, *[step for s in (x, y) for step in (s.array.offset, *s[1:])])
    buffers = [array.storage.buffer for array in (out, x.array, y.array)]
    items = groups * SIDE * SIDE
    launch(device, kernel, "matmul", items, buffers, parameters.pack(numbers), SIDE * SIDE)


_FIELDS = {
    "pack": "k n panels b_0 b_stack b_down b_right",
    "product": "m n k panels out_0 a_0 a_stack a_down b_0 b_stack b_down b_panel",
    "square": "m n k out_0 a_0 a_stack a_down a_right b_0 b_stack b_down b_right",
}


@cache
def _compiled(device: Device, tile: Tile, name: str) -> tuple[Kernel, Parameters]:
    parameters = Parameters()
    for field in _FIELDS[name].split():
        parameters.add(field, "i64")
    constants = {
        "ROWS": tile.rows,
        "REGISTERS": tile.registers,
        "PACKED": int(tile.packed),
        "BLOCK": BLOCK,
        "STRETCH": STRETCH,
        "SIDE": SIDE,
        "DEPTH": DEPTH,
    }
    defines = "".join(f"#define {key} {value}\n" for key, value in constants.items())
    words = _WORDS[tile.short[0]] + _TEXTS["words"] * (device.lanes > 1)
    text = Template(words + _TEXTS[name]).substitute(T=tile.short)
    return compiled(device, f"{defines}{parameters.text()}{text}", name), parameters
