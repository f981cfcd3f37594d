"""The element-wise kernel: one scalar program over any number of strided operands, and several results.

A work-item takes one register of a flat array, or a span of registers of one row where the operands do not collapse to
one dimension. Each operand's innermost dimension is contiguous, constant or strided; its row is found by dividing the
item's number by the outer dimensions. A short last register touches no memory beyond its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends.base import Buffer, Device, Kernel
from ..memory.dtypes import SHORT
from .dialect import (
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
from .launch import compiled, launch

SPAN = 16  # registers of a row that one work-item takes


class Elementwise:
    """A compiled element-wise kernel for one body and one kind of geometry."""

    __slots__ = ("_kernel", "_names", "_parameters", "body", "device", "lanes", "rank", "text")

    def __init__(self, device: Device, body: Body, walk: Geometry, wide: bool):
        self.device = device
        self.body = body
        self.rank = walk.rank
        self.lanes = device.lanes * (SPAN if walk.rank > 1 else 1)
        parameters = Parameters()
        self.text = _text(body, walk, wide, parameters)
        self._parameters = parameters
        self._names = "+".join(rule.function.rsplit("_", 1)[0] for rule, _ in body.steps) or "copy"
        self._kernel: Kernel = compiled(device, self.text, "elementwise")

    def run(self, walk: Geometry, buffers: Sequence[Buffer], offsets: Sequence[int], scalars: Sequence[Any]) -> None:
        """Launch. ``buffers`` and ``offsets``: results, operands in memory, gathered memory; index variables have
        offsets only
        and stand among the operands."""
        if self.rank == 1:
            items = -(-walk.inner // self.lanes)
            values = [walk.inner, *offsets, *walk.strides, *scalars]
        else:
            items = -(-walk.inner // self.lanes) * walk.rows
            values = [walk.inner, walk.rows, *walk.shape, *offsets, *walk.strides, *scalars]
        packed = self._parameters.pack(values)
        launch(self.device, self._kernel, self._names, items, buffers, packed)


def _text(body: Body, walk: Geometry, wide: bool, parameters: Parameters) -> str:
    index = "i64" if wide else "i32"
    add = parameters.add
    rank, modes = walk.rank, walk.modes
    outer = [f"d{axis}" for axis in range(rank - 1)]
    add("n", index)
    if rank > 1:
        add("rows", index)
        for name in outer:
            add(name, index)
    results = [(f"o{k}", SHORT[dtype]) for k, dtype in enumerate(body.dtypes)]
    operands = [(f"x{k}", SHORT[dtype], is_iota) for k, (dtype, is_iota) in enumerate(body.operands)]
    memory = [(f"m{k}", SHORT[dtype]) for k, dtype in enumerate(body.memory)]
    walked = [name for name, _ in results] + [name for name, _, _ in operands]
    for name in walked:
        add(f"{name}_0", index)
    for name, _ in memory:
        add(name, "i64")
    for name, mode in zip(walked, modes, strict=True):
        for axis in range(rank if mode == STRIDED else rank - 1):
            add(f"{name}_s{axis}", index)
    for k, dtype in enumerate(body.scalars):
        add(f"s{k}", SHORT[dtype])

    pointers = (
        [(short, name) for name, short in results]
        + [(short, f"p{name}") for name, short, is_iota in operands if not is_iota]
        + [(short, name) for name, short in memory]
    )
    lines = [parameters.text(), f"KERNEL void elementwise({arguments(pointers)}) {{"]
    base = {name: f"p.{name}_0" for name in walked}
    if rank == 1:
        lines += [f"  S_{index} i = (S_{index})GID * LANES;", "  if (i >= p.n) return;"]
    else:
        spans = f"((p.n + {SPAN} * LANES - 1) / ({SPAN} * LANES))"
        lines += [f"  S_{index} item = (S_{index})GID, spans = {spans};", "  if (item >= p.rows * spans) return;"]
        row, span = ("item % p.rows", "item / p.rows") if walk.across else ("item / spans", "item % spans")
        lines.append(f"  S_{index} row = {row}, first = ({span}) * ({SPAN} * LANES);")
        for axis in reversed(range(rank - 1)):
            if axis:
                lines.append(f"  S_{index} c{axis} = row % p.d{axis}; row /= p.d{axis};")
            else:
                lines.append(f"  S_{index} c0 = row;")
        for name in walked:
            terms = " + ".join(f"c{axis} * p.{name}_s{axis}" for axis in range(rank - 1))
            lines.append(f"  S_{index} {name}_b = p.{name}_0 + {terms};")
            base[name] = f"{name}_b"
        lines.append(f"  S_{index} last = first + {SPAN} * LANES < p.n ? first + {SPAN} * LANES : p.n;")
    lines += [f"  R_{SHORT[dtype]} s{k} = SPLAT_{SHORT[dtype]}(p.s{k});" for k, dtype in enumerate(body.scalars)]
    step = {name: f"p.{name}_s{rank - 1}" if mode == STRIDED else "1" for name, mode in zip(walked, modes, strict=True)}
    loads = {
        name: load(name, short, is_iota, mode, base[name], step[name])
        for (name, short, is_iota), mode in zip(operands, modes[len(results) :], strict=True)
    }
    every = set(range(len(body.steps)))
    indent = "  "
    if rank > 1:
        # What is the same all along a row is computed before its loop.
        early = invariant(body, modes[len(results) :])
        for (name, _, _), mode in zip(operands, modes[len(results) :], strict=True):
            if mode == ZERO:
                lines += ["  " + line for line in loads.pop(name)]
        lines += ["  " + line for line in arithmetic(body, early, partial=False)]
        every -= early
        lines.append(f"  for (S_{index} i = first; i < last; i += LANES) {{")
        indent = "    "
    limit = "p.n" if rank == 1 else "last"
    inner = [f"int n = {limit} - i < LANES ? (int)({limit} - i) : LANES;"]
    for lines_ in loads.values():
        inner += lines_
    inner += arithmetic(body, every)
    for (name, short), mode, reference, dtype in zip(results, modes, body.results, body.dtypes, strict=False):
        value = cast(name_of(reference), type_of(body, reference), dtype)
        inner.append(store(name, short, mode, value, base[name], step[name]))
    lines += [indent + line for line in inner]
    if rank > 1:
        lines.append("  }")
    lines.append("}\n")
    return "\n".join(lines)
