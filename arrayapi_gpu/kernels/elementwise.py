"""The element-wise kernel: one scalar program over any number of strided operands, and several results.

A work-item takes one register of a flat array, or, where the operands do not collapse to one dimension, a span of
registers of one row or of a few neighbouring rows (a tile). Each operand's innermost dimension is contiguous, constant
or strided; its row is found by dividing the item's number by the outer dimensions. A short last register touches no
memory beyond its elements.

In a tile, what stays the same along a row is computed once a row, and what stays the same from row to row once a
register; the rest is computed for each register of each row.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

from ..backends.base import Buffer, Device, Kernel
from ..memory.dtypes import SHORT
from .dialect import (
    ARRAY,
    RESULT,
    STRIDED,
    ZERO,
    Body,
    Parameters,
    arguments,
    arithmetic,
    cast,
    invariant,
    load,
    name_of,
    store,
    type_of,
)
from .geometry import Geometry
from .launch import GROUP, compiled, launch

SPAN = 16  # registers of a row that one work-item takes
ROWS = 8  # rows that one work-item takes where they have something in common
TILED_GROUP = 4  # work-items of a group then: each has much to do, and all cores shall have some


class Tile(NamedTuple):
    """What one work-item takes: so many rows, of each so many registers."""

    rows: int
    span: int


def tile_of(device: Device, walk: Geometry) -> Tile:
    if walk.rank == 1:
        return Tile(1, 1)
    common = any(still and mode != ZERO for still, mode in zip(walk.still, walk.modes, strict=True))
    return Tile(ROWS if common and device.lanes > 1 and not walk.across else 1, SPAN)


class Elementwise:
    """A compiled element-wise kernel for one body and one kind of geometry."""

    __slots__ = ("_kernel", "_names", "_parameters", "body", "device", "rank", "text", "tile")

    def __init__(self, device: Device, body: Body, walk: Geometry, wide: bool):
        self.device = device
        self.body = body
        self.rank = walk.rank
        self.tile = tile_of(device, walk)
        parameters = Parameters()
        self.text = _text(body, walk, self.tile, wide, parameters)
        self._parameters = parameters
        self._names = "+".join(rule.function.rsplit("_", 1)[0] for rule, _ in body.steps) or "copy"
        self._kernel: Kernel = compiled(device, self.text, "elementwise")

    def run(self, walk: Geometry, buffers: Sequence[Buffer], offsets: Sequence[int], scalars: Sequence[Any]) -> None:
        """Launch. ``buffers`` and ``offsets``: results, operands in memory, gathered memory; index variables have
        offsets only
        and stand among the operands."""
        rows, span = self.tile
        items = -(-walk.inner // (self.device.lanes * span))
        values = [walk.inner, *walk.shape, *offsets, *walk.strides, *scalars]
        if self.rank > 1:
            tiles = walk.rows // walk.shape[-1] * -(-walk.shape[-1] // rows)
            items *= tiles
            values.insert(1, tiles)
        packed = self._parameters.pack(values)
        group = GROUP if rows == 1 else TILED_GROUP
        launch(self.device, self._kernel, self._names, items, buffers, packed, group)


def _text(body: Body, walk: Geometry, tile: Tile, wide: bool, parameters: Parameters) -> str:
    index = "i64" if wide else "i32"
    results = [f"o{k}" for k in range(len(body.results))]
    operands = [f"x{k}" for k in range(len(body.operands))]
    walked = dict(zip(results + operands, walk.modes, strict=True))
    _declare(body, walk, walked, index, parameters)
    pointers = (
        [(SHORT[dtype], name) for name, dtype in zip(results, body.dtypes, strict=True)]
        + [(SHORT[dtype], f"p{name}") for name, (dtype, is_iota) in zip(operands, body.operands, strict=True) if not is_iota]
        + [(SHORT[dtype], f"m{k}") for k, dtype in enumerate(body.memory)]
    )
    lines = [parameters.text(), f"KERNEL void elementwise({arguments(pointers)}) {{"]
    lines += _indented(_place(walk, walked, tile, f"S_{index}"))
    lines += [f"  R_{SHORT[dtype]} s{k} = SPLAT_{SHORT[dtype]}(p.s{k});" for k, dtype in enumerate(body.scalars)]

    # The numbers of the operands, and of the steps, that stay the same along a row, and from row to row.
    modes, still = walk.modes[len(results) :], walk.still[len(results) :]
    numbers = range(len(operands))
    rowwise = {k for k in numbers if walk.rank > 1 and modes[k] == ZERO}
    columnwise = {k for k in numbers if tile.rows > 1 and still[k]} - rowwise
    each = set(numbers) - rowwise - columnwise
    row_steps = invariant(body, columnwise | each) if walk.rank > 1 else set()
    column_steps = invariant(body, rowwise | each) - row_steps if tile.rows > 1 else set()
    steps = set(range(len(body.steps))) - row_steps - column_steps

    def loads(some: Iterable[int]) -> list[str]:
        lines = []
        for k in sorted(some):
            dtype, is_iota = body.operands[k]
            name = operands[k]
            lines += load(name, SHORT[dtype], is_iota, modes[k], *_address(name, walk, tile, modes[k], still[k]))
        return lines

    def stores() -> list[str]:
        lines = []
        for k, (name, reference, dtype) in enumerate(zip(results, body.results, body.dtypes, strict=True)):
            value = cast(name_of(reference), type_of(body, reference), dtype)
            mode = walk.modes[k]
            lines.append(store(name, SHORT[dtype], mode, value, *_address(name, walk, tile, mode, False)))
        return lines

    row = loads(rowwise) + arithmetic(body, row_steps, partial=False)
    column = loads(columnwise) + arithmetic(body, column_steps)
    rest = loads(each) + arithmetic(body, steps) + stores()
    if tile.rows > 1:
        # Each row's values are put aside for the loop over the registers, which takes rows in turn.
        kept = _used(body, steps, rowwise, row_steps)
        typed = [(name_of(reference), f"R_{SHORT[type_of(body, reference)]}") for reference in kept]
        lines += [f"  {type_} {name}_row[{tile.rows}];" for name, type_ in typed]
        row = _each_row(row + [f"{name}_row[r] = {name};" for name, _ in typed])
        rest = _each_row([f"{type_} {name} = {name}_row[r];" for name, type_ in typed] + rest)
    if walk.rank == 1:
        lines += _indented(["int n = p.n - i < LANES ? (int)(p.n - i) : LANES;", *rest])
    else:
        lines += _indented(row)
        lines.append(f"  for (S_{index} i = first; i < last; i += LANES) {{")
        lines += _indented(_indented(["int n = last - i < LANES ? (int)(last - i) : LANES;", *column, *rest]))
        lines.append("  }")
    lines.append("}\n")
    return "\n".join(lines)


def _declare(body: Body, walk: Geometry, walked: dict[str, str], index: str, parameters: Parameters) -> None:
    """The fields of the parameter block, in the order of `Elementwise.run`."""
    rank = walk.rank
    names = ["n"]
    if rank > 1:
        names += ["tiles", *[f"d{axis}" for axis in range(rank - 1)]]
    for name in names + [f"{name}_0" for name in walked]:
        parameters.add(name, index)
    for k in range(len(body.memory)):
        parameters.add(f"m{k}", "i64")
    for name, mode in walked.items():
        for axis in range(rank if mode == STRIDED else rank - 1):
            parameters.add(f"{name}_s{axis}", index)
    for k, dtype in enumerate(body.scalars):
        parameters.add(f"s{k}", SHORT[dtype])


def _place(walk: Geometry, walked: Iterable[str], tile: Tile, integer: str) -> list[str]:
    """Where the item's tile lies: its first element ``i``, or ``first`` to ``last`` of its rows, and their addresses."""
    if walk.rank == 1:
        return [f"{integer} i = ({integer})GID * LANES;", "if (i >= p.n) return;"]
    span = f"{tile.span} * LANES"
    tile_, part = ("item % p.tiles", "item / p.tiles") if walk.across else ("item / spans", "item % spans")
    lines = [
        f"{integer} item = ({integer})GID, spans = (p.n + {span} - 1) / ({span});",
        "if (item >= p.tiles * spans) return;",
        f"{integer} row = {tile_}, first = ({part}) * ({span});",
        f"{integer} last = first + {span} < p.n ? first + {span} : p.n;",
    ]
    innermost = walk.rank - 2
    for axis in reversed(range(walk.rank - 1)):
        extent = f"p.d{axis}"
        if axis == innermost and tile.rows > 1:
            extent = f"((p.d{axis} + {tile.rows - 1}) / {tile.rows})"
        lines.append(f"{integer} c{axis} = row % {extent}; row /= {extent};" if axis else f"{integer} c0 = row;")
    if tile.rows > 1:
        lines.append(f"c{innermost} *= {tile.rows};")
        lines.append(f"int rows = p.d{innermost} - c{innermost} < {tile.rows} ? (int)(p.d{innermost} - c{innermost}) : {tile.rows};")
    for name in walked:
        terms = " + ".join(f"c{axis} * p.{name}_s{axis}" for axis in range(walk.rank - 1))
        lines.append(f"{integer} {name}_b = p.{name}_0 + {terms};")
    return lines


def _address(name: str, walk: Geometry, tile: Tile, mode: str, still: bool) -> tuple[str, str]:
    """The address of element 0 of an operand's row, and the step from element to element."""
    base = f"p.{name}_0" if walk.rank == 1 else f"{name}_b"
    if tile.rows > 1 and not still:
        base += f" + r * p.{name}_s{walk.rank - 2}"
    return base, f"p.{name}_s{walk.rank - 1}" if mode == STRIDED else "1"


def _used(body: Body, steps: Container[int], operands: Container[int], results: Container[int]) -> list[int]:
    """References to those of the operands and results that the steps, or the kernel's results, need."""
    needed = {reference for number, (_, references) in enumerate(body.steps) if number in steps for reference in references}
    needed.update(body.results)
    of = {ARRAY: operands, RESULT: results}
    return sorted(reference for reference in needed if reference >> 2 in of.get(reference & 3, ()))


def _each_row(lines: list[str]) -> list[str]:
    return ["for (int r = 0; r < rows; r++) {", *_indented(lines), "}"]


def _indented(lines: list[str]) -> list[str]:
    return ["  " + line for line in lines]
