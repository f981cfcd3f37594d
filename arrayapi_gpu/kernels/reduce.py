"""The reduction kernel: a monoid over the values of a fused body, along any axes.

The order in which elements are combined depends on the logical shape alone, never on strides, so a sum has the same
bits
whether its producer is fused, and however its operands lie in memory. The reduced axes, in C order, form one index that
is cut into segments; a segment is combined by one work-item in blocks (a register's lanes take neighbouring elements,
blocks of 16 are combined on their own: the rounding error of a sum grows with the depth, not the length), and the
segments' results are reduced again.

Two walks. Along: lanes lie along the reduced axes. Across: lanes lie along the last axis that stays, for reductions
whose
fastest axis stays.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Buffer, Device, Kernel
from ..memory.dtypes import DTYPE_OF, REAL_FLOATING, SHORT
from ..memory.gpuarray import GpuArray, empty
from ..memory.layout import broadcast_strides, collapse_ordered, size
from .dialect import Body, Parameters, arguments, arithmetic, cast, load, name_of, type_of
from .launch import compiled, launch

SEGMENT_ALONG = 4096  # elements of the reduced axes that one work-item takes
SEGMENT_ACROSS = 256
BLOCK = 16  # registers combined before their result is
WIDE = (64, 8, 1)  # registers side by side that one work-item takes where lanes lie across: pages at a time, if it can
GROUP = 4  # few: every work-item has much to do

INT64 = DTYPE_OF["i64"]


@dataclass(frozen=True)
class Monoid:
    """An associative operation with an identity.

    ``function`` combines two values; a monoid that is ``indexed`` keeps the position of the winner beside the value,
    and
    its function tells whether the second value beats the first.
    """

    name: str
    function: str
    indexed: bool = False

    def identity(self, dtype: np.dtype[Any]) -> str:
        """The C literal (dialect word) of the identity."""
        short = SHORT[dtype]
        if self.name in ("sum", "any"):
            value = "0"
        elif self.name in ("prod", "all"):
            value = "1"
        else:
            least = self.name in ("max", "argmax")
            if dtype.kind == "b":
                value = "0" if least else "1"
            elif dtype.kind == "f":
                value = "-INFINITY" if least else "INFINITY"
            else:
                limits = np.iinfo(dtype)
                value = _integer(int(limits.min if least else limits.max), dtype)
        if dtype.kind == "c":
            return f"C_{short}({value}, 0)"
        return f"SPLAT_{short}({value})"


def _integer(value: int, dtype: np.dtype[Any]) -> str:
    if dtype.kind == "u":
        return f"{value}UL"
    return f"({value + 1}L - 1)" if value < 0 else f"{value}L"


SUM = Monoid("sum", "add")
PROD = Monoid("prod", "multiply")
MIN = Monoid("min", "minimum")
MAX = Monoid("max", "maximum")
ANY = Monoid("any", "logical_or")
ALL = Monoid("all", "logical_and")
ARGMIN = Monoid("argmin", "less", indexed=True)
ARGMAX = Monoid("argmax", "greater", indexed=True)


class Walk(NamedTuple):
    """How a reduction goes through its operands; the first fields shape the kernel, the others are its parameters."""

    across: bool
    wide: int
    kept_rank: int
    reduced_rank: int
    modes: str
    kept: tuple[int, ...]
    reduced: tuple[int, ...]
    strides: tuple[int, ...]  # an operand after the other: kept axes, then reduced ones

    @property
    def segment(self) -> int:
        return SEGMENT_ACROSS if self.across else SEGMENT_ALONG


@lru_cache(maxsize=4096)
def walk_over(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    lanes: int,
) -> Walk:
    """The walk that reduces ``axes`` of ``shape`` for operands of the given (shape, strides)."""
    kept_axes = [axis for axis in range(len(shape)) if axis not in axes]
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    kept_shape = tuple(shape[axis] for axis in kept_axes)
    reduced_shape = tuple(shape[axis] for axis in axes)
    proper = [axis for axis in range(len(shape)) if shape[axis] > 1]
    fastest = proper[-1] if proper else -1
    along = fastest in axes and (shape[fastest] >= 16 or size(kept_shape) < 16)
    across = fastest >= 0 and not along and size(kept_shape) > 1
    kept, kept_strides = collapse_ordered(kept_shape, tuple(tuple(s[axis] for axis in kept_axes) for s in strides))
    reduced, reduced_strides = collapse_ordered(reduced_shape, tuple(tuple(s[axis] for axis in axes) for s in strides))
    inner = kept_strides if across else reduced_strides
    modes = "".join("u" if s[-1] == 1 else "z" if s[-1] == 0 else "s" for s in inner)
    wide = next(n for n in WIDE if n == 1 or (across and kept[-1] >= n * lanes))
    flat = tuple(step for pair in zip(kept_strides, reduced_strides, strict=True) for s in pair for step in s)
    return Walk(across, wide, len(kept), len(reduced), modes, kept, reduced, flat)


class Reduction:
    """A compiled reduction of one body by one monoid on one kind of walk."""

    def __init__(self, device: Device, body: Body, walk: Walk, monoid: Monoid, accumulators: tuple[np.dtype[Any], ...]):
        self.device = device
        self.body = body
        self.name = monoid.name
        self.parameters = Parameters()
        self.text = _text(body, walk, monoid, accumulators, self.parameters)
        self.kernel: Kernel = compiled(device, self.text, "reduction")

    def run(
        self,
        walk: Walk,
        segments: int,
        buffers: Sequence[Buffer],
        offsets: Sequence[int],
        scalars: Sequence[Any],
    ) -> None:
        """One pass. ``buffers``: results, operands in memory, gathered memory; index variables have offsets only."""
        values = [size(walk.reduced), segments, *walk.kept, *walk.reduced, *offsets, *walk.strides]
        packed = self.parameters.pack([*values, *scalars])
        if walk.across:
            items = size(walk.kept[:-1]) * -(-walk.kept[-1] // (self.device.lanes * walk.wide)) * segments
        else:
            items = size(walk.kept) * segments
        launch(self.device, self.kernel, self.name, items, buffers, packed, GROUP)


_reductions: dict[tuple[Any, ...], Reduction] = {}


def reduce(
    device: Device,
    monoid: Monoid,
    key: tuple[Any, ...],
    body: Body,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    operands: Sequence[Any],
    memory: Sequence[GpuArray],
    scalars: Sequence[Any],
    accumulators: tuple[np.dtype[Any], ...],
    out: GpuArray,
) -> None:
    """Reduce a body's values along ``axes`` into ``out``, a C-contiguous array of the shape that stays.

    ``key`` identifies the body; ``operands`` are arrays and layouts of index variables in the body's order. For an
    indexed
    monoid the body's second result is the position, and ``out`` takes the winner's.
    """
    n = size(tuple(shape[axis] for axis in axes))
    while True:
        layouts = tuple((item.shape, item.strides) for item in operands)
        walk = walk_over(shape, axes, layouts, device.lanes)
        segments = max(1, -(-n // walk.segment))
        last = segments == 1
        kept_shape = tuple(m for axis, m in enumerate(shape) if axis not in axes)
        if last:
            dtypes: tuple[np.dtype[Any], ...] = (out.dtype,)
            results = [out]
        else:
            dtypes = accumulators
            partial = (segments, *kept_shape) if walk.across else (*kept_shape, segments)
            results = [empty(device, dtype, partial) for dtype in accumulators]
        body = Body(body.operands, body.memory, body.scalars, body.steps, body.results, dtypes)
        lookup = (device, monoid, walk[:5], dtypes, accumulators, last, key)
        plan = _reductions.get(lookup)
        if plan is None:
            plan = _reductions[lookup] = Reduction(device, body, walk, monoid, accumulators)
        arrays = [item for item in operands if isinstance(item, GpuArray)]
        offsets = [array.offset for array in results]
        offsets += [item.offset for item in operands] + [array.offset for array in memory]
        buffers = [array.storage.buffer for array in (*results, *arrays, *memory)]
        plan.run(walk, segments, buffers, offsets, scalars)
        if last:
            return
        key = ("partial", accumulators)
        body = Body(
            tuple((dtype, False) for dtype in accumulators), (), (), (), tuple(range(0, 4 * len(accumulators), 4)), ()
        )
        shape = results[0].shape
        axes = (0,) if walk.across else (len(shape) - 1,)
        operands, memory, scalars, n = results, (), (), segments


def _combine(monoid: Monoid, dtype: np.dtype[Any], into: str, value: str) -> list[str]:
    """Statements that combine ``value`` (and its position) into an accumulator; ``@`` in the words is 0 and 1."""
    short = SHORT[dtype]
    best, new = into.replace("@", "0"), value.replace("@", "0")
    if not monoid.indexed:
        return [f"{best} = {monoid.function}_{short}({best}, {new});"]
    wins, same = f"{monoid.function}_{short}({new}, {best})", f"equal_{short}({new}, {best})"
    if dtype in REAL_FLOATING:
        is_nan, was_number = f"not_equal_{short}({new}, {new})", f"equal_{short}({best}, {best})"
        wins, same = f"({wins} | ({is_nan} & {was_number}))", f"({same} | ({is_nan} & ~{was_number}))"
    place, other = into.replace("@", "1"), value.replace("@", "1")
    return [
        f"{{ R_b8 wins = {wins} | ({same} & less_i64({other}, {place}));",
        f"  {best} = where_{short}(wins, {new}, {best}); {place} = where_i64(wins, {other}, {place}); }}",
    ]


def _text(
    body: Body, walk: Walk, monoid: Monoid, accumulators: tuple[np.dtype[Any], ...], parameters: Parameters
) -> str:
    add = parameters.add
    operands = [(f"x{k}", SHORT[dtype], is_iota) for k, (dtype, is_iota) in enumerate(body.operands)]
    memory = [(f"m{k}", SHORT[dtype]) for k, dtype in enumerate(body.memory)]
    results = [(f"o{k}", SHORT[dtype]) for k, dtype in enumerate(body.dtypes)]
    kept, reduced = walk.kept_rank, walk.reduced_rank
    for name in ("n", "segments", *[f"k{a}" for a in range(kept)], *[f"r{a}" for a in range(reduced)]):
        add(name, "i64")
    for name, _ in results:
        add(f"{name}_0", "i64")
    for name, _, _ in operands:
        add(f"{name}_0", "i64")
    for name, _ in memory:
        add(name, "i64")
    for name, _, _ in operands:
        for axis in range(kept):
            add(f"{name}_k{axis}", "i64")
        for axis in range(reduced):
            add(f"{name}_r{axis}", "i64")
    for k, dtype in enumerate(body.scalars):
        add(f"s{k}", SHORT[dtype])
    pointers = (
        [(short, name) for name, short in results]
        + [(short, f"p{name}") for name, short, is_iota in operands if not is_iota]
        + [(short, name) for name, short in memory]
    )
    primary = accumulators[0]
    identities = [monoid.identity(primary)] + [f"SPLAT_i64({2**63 - 1}L)"] * (len(accumulators) - 1)
    registers = [f"R_{SHORT[dtype]}" for dtype in accumulators]

    each = f"for (int u = 0; u < {walk.wide}; u++)" if walk.across else ""
    at = "[u]" if walk.across else ""

    def declare(word: str) -> list[str]:
        size_ = f"[{walk.wide}]" if walk.across else ""
        lines = [f"{t} {word}{k}{size_};" for k, t in enumerate(registers)]
        filling = " ".join(f"{word}{k}{at} = {identity};" for k, identity in enumerate(identities))
        return [*lines, f"{each} {{ {filling} }}"]

    head = [parameters.text(), f"KERNEL void reduction({arguments(pointers)}) {{", "  S_i64 item = GID;"]
    segment = walk.segment
    if walk.across:
        head += [
            f"  S_i64 chunks = (p.k{kept - 1} + {walk.wide} * LANES - 1) / ({walk.wide} * LANES);",
            "  S_i64 chunk = item % chunks; item /= chunks;",
            "  S_i64 segment = item % p.segments, row = item / p.segments;",
        ]
        outer = kept - 1
    else:
        head += ["  S_i64 segment = item % p.segments, row = item / p.segments;"]
        outer = kept
    rows = " * ".join(f"p.k{axis}" for axis in range(outer)) or "1"
    head.append(f"  if (row >= {rows}) return;")
    head.append("  S_i64 output = row, rest = row;")
    for axis in reversed(range(outer)):
        head.append(f"  S_i64 c{axis} = rest % p.k{axis}; rest /= p.k{axis};")
    for name, _, _ in operands:
        terms = "".join(f" + c{axis} * p.{name}_k{axis}" for axis in range(outer))
        head.append(f"  S_i64 {name}_b = p.{name}_0{terms};")
    head += [f"  R_{SHORT[d]} s{k} = SPLAT_{SHORT[d]}(p.s{k});" for k, d in enumerate(body.scalars)]
    head += [
        f"  S_i64 first = segment * {segment}, last = first + {segment} < p.n ? first + {segment} : p.n;",
        *declare("total"),
    ]
    stride = "1" if walk.across else "LANES"
    head += [
        f"  for (S_i64 block = first; block < last; block += {BLOCK} * {stride}) {{",
        f"    S_i64 end = block + {BLOCK} * {stride} < last ? block + {BLOCK} * {stride} : last;",
        *declare("part"),
        f"    for (S_i64 r = block; r < end; r += {stride}) {{",
    ]
    before, loads = _loads_across(operands, walk) if walk.across else ([], _loads_along(operands, walk))
    values = []
    for k, (dtype, reference) in enumerate(zip(accumulators, body.results, strict=True)):
        word = cast(name_of(reference), type_of(body, reference), dtype)
        values.append(f"R_{SHORT[dtype]} v{k} = {word};")
        if not walk.across:
            values.append(f"if (n < LANES) v{k} = where_{SHORT[dtype]}(valid, v{k}, {identities[k]});")
    inner = [
        *before,
        f"{each} {{",
        *loads,
        *arithmetic(body),
        *values,
        *_combine(monoid, primary, f"part@{at}", "v@"),
        "}",
    ]
    tail = ["    }", f"{each} {{", *_combine(monoid, primary, f"total@{at}", f"part@{at}"), "}", "  }"]
    if not walk.across:
        for shift in (8, 4, 2, 1):
            turned = " ".join(
                f"{t} turn{k} = ROTATE_{SHORT[d]}(total{k}, {shift});"
                for k, (t, d) in enumerate(zip(registers, accumulators, strict=True))
            )
            combined = " ".join(_combine(monoid, primary, "total@", "turn@"))
            tail.append(f"  if (LANES > {shift}) {{ {turned} {combined} }}")
    # The last pass of an indexed monoid keeps the position only.
    sources = [len(accumulators) - 1] if len(results) == 1 else list(range(len(results)))
    for (name, short), dtype, k in zip(results, body.dtypes, sources, strict=True):
        value = cast(f"total{k}{at}", accumulators[k], dtype)
        if walk.across:
            place = f"p.{name}_0 + (segment * ({rows}) + output) * p.k{kept - 1} + i"
            tail.append(f"  {each} {{ {_span(walk)} STOREN_{short}({name}, {place}, 1, n, {value}); }}")
        else:
            tail.append(f"  STOREN_{short}({name}, p.{name}_0 + output * p.segments + segment, 1, 1, {value});")
    return "\n".join([*head, *["      " + line for line in inner], *tail, "}\n"])


def _span(walk: Walk) -> str:
    """Where register ``u`` of a work-item lies along the last axis that stays, and how many of its lanes are in use."""
    extent = f"p.k{walk.kept_rank - 1}"
    return (
        f"S_i64 i = (chunk * {walk.wide} + u) * LANES; "
        f"int n = i >= {extent} ? 0 : {extent} - i < LANES ? (int)({extent} - i) : LANES;"
    )


def _loads_across(operands: list[tuple[str, str, bool]], walk: Walk) -> tuple[list[str], list[str]]:
    """Statements that find row ``r`` of the reduced axes, and those that load one register of it."""
    reduced, kept = walk.reduced_rank, walk.kept_rank
    rows = ["S_i64 at = r;"]
    loads = [_span(walk)]
    for axis in reversed(range(reduced)):
        rows.append(f"S_i64 a{axis} = at % p.r{axis}; at /= p.r{axis};" if axis else "S_i64 a0 = at;")
    for (name, short, is_iota), mode in zip(operands, walk.modes, strict=True):
        terms = " + ".join(f"a{axis} * p.{name}_r{axis}" for axis in range(reduced))
        rows.append(f"S_i64 {name}_r = {name}_b + {terms};")
        loads += load(name, short, is_iota, mode, f"{name}_r", f"p.{name}_k{kept - 1}")
    return rows, loads


def _loads_along(operands: list[tuple[str, str, bool]], walk: Walk) -> list[str]:
    reduced = walk.reduced_rank
    lines = [
        "int n = end - r < LANES ? (int)(end - r) : LANES;",
        "R_b8 valid = less_i64(IOTA, SPLAT_i64(n));",
    ]
    if reduced == 1:
        lines.append("S_i64 i = r;")
        for (name, short, is_iota), mode in zip(operands, walk.modes, strict=True):
            step = f"p.{name}_r0"
            lines += load(name, short, is_iota, mode, f"{name}_b", step)
        return lines
    inner = f"p.r{reduced - 1}"
    lines += [f"S_i64 i = r % {inner}, at = r / {inner};"]
    for axis in reversed(range(reduced - 1)):
        lines.append(f"S_i64 a{axis} = at % p.r{axis}; at /= p.r{axis};" if axis else "S_i64 a0 = at;")
    lines.append(f"int straight = i + n <= {inner};")
    # A register that goes over the end of a row has its elements' addresses worked out one by one.
    lines.append("R_i64 place = minimum_i64(SPLAT_i64(r) + IOTA, SPLAT_i64(end - 1));")
    for (name, short, is_iota), mode in zip(operands, walk.modes, strict=True):
        terms = " + ".join(f"a{axis} * p.{name}_r{axis}" for axis in range(reduced - 1))
        step = f"p.{name}_r{reduced - 1}"
        declaration, straight = load(name, short, is_iota, mode, f"{name}_r", step)
        lines += [f"S_i64 {name}_r = {name}_b + {terms};", declaration]
        scattered = [f"R_i64 left = place, address = SPLAT_i64({name}_b);"]
        for axis in reversed(range(reduced)):
            coordinate = f"remainder_i64(left, SPLAT_i64(p.r{axis}))" if axis else "left"
            scattered.append(f"address = address + {coordinate} * SPLAT_i64(p.{name}_r{axis});")
            if axis:
                scattered.append(f"left = floor_divide_i64(left, SPLAT_i64(p.r{axis}));")
        scattered.append(f"{name} = address;" if is_iota else f"{name} = LOADG_{short}(p{name}, address);")
        lines.append(f"if (straight) {{ {straight} }} else {{ {' '.join(scattered)} }}")
    return lines


def identity_value(monoid: Monoid) -> float:
    """What an empty reduction gives; NaN where it has no value."""
    return {"sum": 0.0, "prod": 1.0, "any": 0.0, "all": 1.0}.get(monoid.name, math.nan)
