"""The element-wise kernel: one scalar program over any number of strided operands, and several results.

A work-item takes one register of a flat array, or, where the operands do not collapse to one dimension, a span of
registers of one row. Each operand's innermost dimension is contiguous, constant or strided; its row is found by
dividing the item's number by the outer dimensions. A short last register touches no memory beyond its elements.

What stays the same all along a row is computed before the loop over its registers. Where much of the program stays the
same from row to row, an item takes several neighbouring rows at a time: what differs between them is in arrays of
registers, each statement is for all rows (which also hides the latency of long chains), and the rest is computed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    cast,
    expression,
    fill,
    invariant,
    name_of,
    store,
    type_of,
)
from .geometry import Geometry
from .launch import GROUP, compiled, launch

SPAN = 16  # registers of a row that one work-item takes
ROWS = 4  # rows that one work-item takes where they have much in common
ROWS_GROUP = 4  # work-items of a group then: each has much to do, and every core shall have some
REPAYS = 8  # what rows must have in common, in cost for every array: several rows at a time are slower to read


class Elementwise:
    """A compiled element-wise kernel for one body and one kind of geometry."""

    __slots__ = ("_group", "_kernel", "_names", "_parameters", "_plan", "body", "device", "text")

    def __init__(self, device: Device, body: Body, walk: Geometry, wide: bool):
        self.device = device
        self.body = body
        self._plan = _plan_of(device, body, walk)
        self._parameters = Parameters()
        self.text = _text(body, walk, self._plan, "i64" if wide else "i32", self._parameters)
        self._names = "+".join(rule.function.rsplit("_", 1)[0] for rule, _ in body.steps) or "copy"
        self._group = GROUP if self._plan.rows == 1 else ROWS_GROUP
        self._kernel: Kernel = compiled(device, self.text, "elementwise")

    def run(self, walk: Geometry, buffers: Sequence[Buffer], offsets: Sequence[int], scalars: Sequence[Any]) -> None:
        """Launch. ``buffers`` and ``offsets``: results, operands in memory, gathered memory; index variables have
        offsets only
        and stand among the operands."""
        if walk.rank == 1:
            items = -(-walk.inner // self.device.lanes)
            values = [walk.inner, *offsets, *walk.strides, *scalars]
        else:
            rows = self._plan.rows
            strips = walk.rows if rows == 1 else walk.rows // walk.shape[-1] * -(-walk.shape[-1] // rows)
            items = -(-walk.inner // (self.device.lanes * SPAN)) * strips
            values = [walk.inner, strips, *walk.shape, *offsets, *walk.strides, *scalars]
        launch(self.device, self._kernel, self._names, items, buffers, self._parameters.pack(values), self._group)


class Plan(NamedTuple):
    """How many rows a work-item takes at a time, and which operands and steps are needed how often.

    ``along``: those that stay the same along a row. ``down``: those that stay the same from row to row, where an item
    takes several; else none.
    """

    rows: int
    along: tuple[set[int], set[int]]
    down: tuple[set[int], set[int]]


def _plan_of(device: Device, body: Body, walk: Geometry) -> Plan:
    nothing: tuple[set[int], set[int]] = (set(), set())
    if walk.rank == 1:
        return Plan(1, nothing, nothing)
    operands = set(range(len(body.operands)))
    modes, still = (each[len(body.results) :] for each in (walk.modes, walk.still))
    same_along = {k for k in operands if modes[k] == ZERO}
    same_down = {k for k in operands if still[k]} - same_along
    along = (same_along, invariant(body, operands - same_along))
    down = (same_down, invariant(body, operands - same_down) - along[1])

    cost = sum(body.steps[number][0].cost for number in down[1])
    others = sum(rule.cost for number, (rule, _) in enumerate(body.steps) if number not in along[1] | down[1])
    arrays = len(body.results) + len(operands - same_along - same_down)
    if device.lanes > 1 and not walk.across and cost >= REPAYS * arrays and 2 * cost >= others:
        return Plan(ROWS, along, down)
    return Plan(1, along, nothing)


def _text(body: Body, walk: Geometry, plan: Plan, index: str, parameters: Parameters) -> str:
    results = [f"o{k}" for k in range(len(body.results))]
    operands = [f"x{k}" for k in range(len(body.operands))]
    names = results + operands
    _declare(body, walk, names, index, parameters)
    pointers = [(SHORT[dtype], name) for name, dtype in zip(results, body.dtypes, strict=True)]
    pointers += [(SHORT[dtype], f"px{k}") for k, (dtype, is_iota) in enumerate(body.operands) if not is_iota]
    pointers += [(SHORT[dtype], f"m{k}") for k, dtype in enumerate(body.memory)]
    once = {k * 4 + ARRAY for k in plan.down[0]} | {number * 4 + RESULT for number in plan.down[1]}

    def name(reference: int) -> str:
        """The register of a value: one of an array of them, if it differs between rows taken together."""
        word = name_of(reference)
        return f"{word}[r]" if plan.rows > 1 and reference & 3 in (ARRAY, RESULT) and reference not in once else word

    def value(reference: int, statement: str) -> list[str]:
        """The declaration of a value's register, and the statement that fills it."""
        short = SHORT[type_of(body, reference)]
        if reference & 3 == ARRAY and body.operands[reference >> 2][1]:
            short = "i64"
        word = name_of(reference)
        if name(reference) != word:
            return [f"R_{short} {word}[{plan.rows}];", f"EACH {statement}"]
        return [f"R_{short} {word};", statement] if statement.startswith("if") else [f"R_{short} {statement}"]

    def address(number: int) -> tuple[str, str]:
        """Where a result's or operand's row begins, and the step from element to element."""
        word, mode = names[number], walk.modes[number]
        base = f"p.{word}_0" if walk.rank == 1 else f"{word}_b"
        if plan.rows > 1 and not walk.still[number]:
            base += "[r]"
        return base, f"p.{word}_s{walk.rank - 1}" if mode == STRIDED else "1"

    def compute(some: Iterable[int], steps: Iterable[int], partial: bool = True) -> list[str]:
        lines = []
        for k in sorted(some):
            dtype, is_iota = body.operands[k]
            number = len(results) + k
            reference = k * 4 + ARRAY
            lines += value(
                reference,
                fill(name(reference), f"px{k}", SHORT[dtype], is_iota, walk.modes[number], *address(number)),
            )
        for number in sorted(steps):
            reference = number * 4 + RESULT
            lines += value(reference, f"{name(reference)} = {expression(body, number, name, partial)};")
        return lines

    def keep() -> list[str]:
        each = "EACH " if plan.rows > 1 else ""
        lines = []
        for k, (reference, dtype) in enumerate(zip(body.results, body.dtypes, strict=True)):
            word = cast(name(reference), type_of(body, reference), dtype)
            lines.append(each + store(results[k], SHORT[dtype], walk.modes[k], word, *address(k)))
        return lines

    others = (
        set(range(len(operands))) - plan.along[0] - plan.down[0],
        set(range(len(body.steps))) - plan.along[1] - plan.down[1],
    )
    lines = [parameters.text(), f"KERNEL void elementwise({arguments(pointers)}) {{"]
    lines += _indented(_place(walk, plan, names, f"S_{index}"))
    lines += _indented(f"R_{SHORT[dtype]} s{k} = SPLAT_{SHORT[dtype]}(p.s{k});" for k, dtype in enumerate(body.scalars))
    if walk.rank == 1:
        lines += _indented(["int n = p.n - i < LANES ? (int)(p.n - i) : LANES;", *compute(*others), *keep()])
    else:
        lines += _indented(compute(*plan.along, partial=False))
        lines.append(f"  for (S_{index} i = first; i < last; i += LANES) {{")
        inner = ["int n = last - i < LANES ? (int)(last - i) : LANES;"]
        inner += compute(*plan.down) + compute(*others) + keep()
        lines += [*_indented(_indented(inner)), "  }"]
    return "\n".join([*lines, "}\n"])


def _declare(body: Body, walk: Geometry, names: Sequence[str], index: str, parameters: Parameters) -> None:
    """The fields of the parameter block, in the order of `Elementwise.run`."""
    rank = walk.rank
    sizes = ["n"] if rank == 1 else ["n", "strips", *[f"d{axis}" for axis in range(rank - 1)]]
    for name in sizes + [f"{name}_0" for name in names]:
        parameters.add(name, index)
    for k in range(len(body.memory)):
        parameters.add(f"m{k}", "i64")
    for name, mode in zip(names, walk.modes, strict=True):
        for axis in range(rank if mode == STRIDED else rank - 1):
            parameters.add(f"{name}_s{axis}", index)
    for k, dtype in enumerate(body.scalars):
        parameters.add(f"s{k}", SHORT[dtype])


def _place(walk: Geometry, plan: Plan, names: Sequence[str], integer: str) -> list[str]:
    """Where the item's elements lie: from ``i`` on, or from ``first`` to ``last`` of rows that begin at bases."""
    if walk.rank == 1:
        return [f"{integer} i = ({integer})GID * LANES;", "if (i >= p.n) return;"]
    strip, span = ("item % p.strips", "item / p.strips") if walk.across else ("item / spans", "item % spans")
    lines = [
        f"{integer} item = ({integer})GID, spans = (p.n + {SPAN} * LANES - 1) / ({SPAN} * LANES);",
        "if (item >= p.strips * spans) return;",
        f"{integer} row = {strip}, first = ({span}) * ({SPAN} * LANES);",
        f"{integer} last = first + {SPAN} * LANES < p.n ? first + {SPAN} * LANES : p.n;",
    ]
    coordinates = [f"c{axis}" for axis in range(walk.rank - 1)]
    extents = [f"p.d{axis}" for axis in range(walk.rank - 1)]
    if plan.rows > 1:
        extents[-1] = f"((p.d{walk.rank - 2} + {plan.rows - 1}) / {plan.rows})"
    for axis in reversed(range(walk.rank - 1)):
        value = f"row % {extents[axis]}; row /= {extents[axis]}" if axis else "row"
        lines.append(f"{integer} c{axis} = {value};")
    if plan.rows > 1:
        c, d = coordinates[-1], f"p.d{walk.rank - 2}"
        lines += [  # rows past the end are the last one again
            f"#define EACH UNROLL for (int r = 0; r < {plan.rows}; r++)",
            f"{integer} at[{plan.rows}];",
            f"EACH at[r] = {c} * {plan.rows} + r < {d} ? {c} * {plan.rows} + r : {d} - 1;",
        ]
        coordinates[-1] = "at[r]"
    for name, still in zip(names, walk.still, strict=True):
        terms = [f"{c} * p.{name}_s{axis}" for axis, c in enumerate(coordinates)]
        if plan.rows == 1:
            lines.append(f"{integer} {name}_b = p.{name}_0 + {' + '.join(terms)};")
        elif still:
            lines.append(f"{integer} {name}_b = {' + '.join([f'p.{name}_0', *terms[:-1]])};")
        else:
            lines += [f"{integer} {name}_b[{plan.rows}];", f"EACH {name}_b[r] = p.{name}_0 + {' + '.join(terms)};"]
    return lines


def _indented(lines: Iterable[str]) -> list[str]:
    return ["  " + line for line in lines]
