"""The reduction kernel: a monoid over the values of a fused body, along any axes.

The reduced axes, in C order, form one index; so do the axes that stay, whose elements are the outputs. The reduced
index is cut into segments, which are reduced on their own, and their results are reduced again: on CPUs by the same
kernel; on GPUs, where there are many, PART after PART, by the group that is the last to tell of those of a part, or,
where groups may not wait for what others tell, by launches of their own.
The order in which elements are combined depends on the logical shape and the device's lanes alone, never on strides or
on the body, so a sum has the same bits whether its producer is fused, and however its operands lie in memory. The
rounding error of a sum grows with the depth of the combination, not with the length.

Two schedules:

Along. The lanes of a register take neighbouring elements of the reduced index. A work-item holds a few accumulators,
which take registers in turn; blocks of these are combined on their own. On GPUs, where a register is one lane, a few
neighbouring elements are a work-item's, by one access where they are aligned, and as many work-items of a group as are
worth it share one output and combine their results in local memory. Neighbouring work-items are for neighbouring
elements of an output or for neighbouring outputs, whichever lie closer in memory; in the second case a work-item may do
the work of several, one after the other, so that there are outputs enough beside each other to read whole lines.

Across, on CPUs where the fastest axis stays. The lanes take neighbouring outputs, and a work-item a few pages of them:
for some rows at a time it goes through the page, strip by strip, each of which is as wide as fits into registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Buffer, Device, Kernel, Target
from ..memory.dtypes import DTYPE_OF, REAL_FLOATING, SHORT
from ..memory.gpuarray import GpuArray, empty
from ..memory.layout import broadcast_strides, collapse_ordered, size
from .dialect import (
    ARRAY,
    STRIDED,
    UNIT,
    ZERO,
    Body,
    Parameters,
    Place,
    arguments,
    arithmetic,
    cast,
    described,
    fill,
    indented,
    kernel_name,
    load,
    name_of,
    store,
    type_of,
)
from .launch import BoundKernel, BoundLaunch, compiled
from .monoid import Monoid
from .schedule import GPU_GROUP, INDEX32_LIMIT
from .scratch import scratch
from .store import stored
from .texts import section

STRIP = 4  # accumulators of a work-item: registers that are combined independently of each other
STRIPS_AHEAD = 4  # strips that are on their way before they are combined, on GPUs: at most, a power of two
ON_THE_WAY = 64  # bytes of them that a work-item has room for
BLOCK = 16  # registers that an accumulator takes along the reduced index before their result is added to the others'
BLOCK_ACROSS = 8  # as BLOCK, across: more rows at a time are too many streams for a processor to foresee
SEGMENT_ALONG = 16384  # elements of the reduced index that a work-item takes, on CPUs
SEGMENT_ACROSS = 256
GROUP_ELEMENTS = 2**18  # elements that a group takes, on CPUs: many short outputs or one long segment
PAGE = 64  # registers side by side, across: they cover pages of memory
BUSY_ITEMS = 2**19  # work-items that keep any GPU busy
LEAST_ALONG, LEAST_ACROSS = 32, 8  # the fewest of them that share one output
SEGMENT_ITEM = 64  # the fewest elements of a segment that a work-item takes, on GPUs
FEW_RESULTS = 8  # results of an output's work-items that one of them combines: waiting for each other would take longer
MANY = 4  # results of segments that a work-item asks for, at most
COUNTERS = BUSY_ITEMS // GPU_GROUP  # at most so many groups work on segments, and count those of a part

INT64 = DTYPE_OF["i64"]


class Order(NamedTuple):
    """In which order elements are combined: a function of the logical shape and the device's lanes alone."""

    n: int  # elements of an output
    outputs: int
    along: bool  # the fastest axis is a reduced one
    across: bool  # lanes lie across the outputs
    together: int  # lanes that share one output, on GPUs each of a work-item
    length: int  # of a segment
    segments: int


@lru_cache(maxsize=4096)
def order_of(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> Order:
    """How ``axes`` of ``shape`` are reduced."""
    n = size(tuple(shape[axis] for axis in axes))
    outputs = size(tuple(extent for axis, extent in enumerate(shape) if axis not in axes))
    proper = [axis for axis in range(len(shape)) if shape[axis] > 1]
    along = not proper or proper[-1] in axes
    across, together = False, 1
    if not target.is_gpu:
        # Whichever fills registers.
        if along:
            across = bool(proper) and shape[proper[-1]] < target.lanes <= outputs
        else:
            across = size(shape[max(axes) + 1 :]) >= target.lanes or n < target.lanes
        length = SEGMENT_ACROSS if across else SEGMENT_ALONG
    else:
        together = _together(n, outputs, along)
        segments = min(-(-n // (SEGMENT_ITEM * together)), max(1, BUSY_ITEMS // (outputs * together)))
        length = _up(-(-n // segments), STRIP * together)
    return Order(n, outputs, along, across, together, length, max(1, -(-n // length)))


class ReduceSpec(NamedTuple):
    """What a kernel depends on: the part of a schedule that its text is made of."""

    across: bool  # lanes lie across the outputs
    strip: int  # accumulators; across, registers side by side, 0 where a row of outputs does not fill one
    page: int  # across: registers side by side that a work-item takes
    group: int  # work-items of a group
    together: int  # lanes that share one output, on GPUs each of a work-item
    turns: int  # of which a work-item is one after the other
    apart: bool  # neighbouring work-items take neighbouring outputs, not neighbouring elements of one
    kept_rank: int
    reduced_rank: int
    modes: str  # a letter an operand: how the dimension is walked on which lanes lie
    integer: str  # the dtype that counts elements
    told: bool  # what is combined are segments, of which groups tell each other, on GPUs
    vectors: bool = False  # neighbouring elements are read by one access, on GPUs


@dataclass(slots=True, eq=False)
class ReduceSchedule:
    """How a reduction goes through its operands."""

    spec: ReduceSpec
    aligned: ReduceSpec  # for operands that begin at multiples of STRIP elements
    items: int
    by_segment: bool  # the results of a segment lie side by side, not those of an output
    segments: int
    outputs: int
    numbers: tuple[int, ...]  # for the kernel, see `Reduction._text`
    strides: tuple[int, ...]  # an operand after the other: kept axes, then reduced ones

    @property
    def one_pass(self) -> bool:
        """Whether nothing is left to reduce."""
        return self.segments == 1 or self.spec.told


@lru_cache(maxsize=4096)
def reduce_schedule(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    target: Target,
) -> ReduceSchedule:
    """The schedule that reduces ``axes`` of ``shape`` for operands of the given (shape, strides)."""
    kept_axes = [axis for axis in range(len(shape)) if axis not in axes]
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    kept_shape, reduced_shape = tuple(shape[axis] for axis in kept_axes), tuple(shape[axis] for axis in axes)
    n, outputs, along, across, together, length, segments = order_of(shape, axes, target)
    kept, kept_steps = collapse_ordered(kept_shape, tuple(tuple(s[axis] for axis in kept_axes) for s in strides))
    reduced, reduced_steps = collapse_ordered(reduced_shape, tuple(tuple(s[axis] for axis in axes) for s in strides))
    steps = [(k, r) for k, r in zip(kept_steps, reduced_steps, strict=True)]
    group, turns, apart, integer = GPU_GROUP, 1, not along, "i64"
    if target.is_gpu:
        apart = sum((abs(k[-1]) < abs(r[-1])) - (abs(r[-1]) < abs(k[-1])) for k, r in steps if k[-1] or r[-1]) > 0
        if apart and along:
            # Work-items have several turns, so that a group has outputs enough to read memory in whole lines.
            turns = max(1, together // max(LEAST_ALONG, GPU_GROUP >> (outputs - 1).bit_length()))
        reaches = [sum((m - 1) * abs(step) for m, step in zip(kept + reduced, k + r, strict=True)) for k, r in steps]
        integer = "i32" if max(*reaches, n * outputs, 0) < INDEX32_LIMIT else "i64"
    modes = "".join(_mode(k[-1] if across else r[-1]) for k, r in steps)
    strip, page = STRIP, 0
    if across:
        strip = next((many for many in (STRIP, 2, 1) if many * target.lanes <= kept[-1]), 0)
        # Strided lanes touch a line each: those of a whole page would not stay in the cache.
        page = max(strip, 1) if STRIDED in modes or kept[-1] <= strip * target.lanes else PAGE
    if not target.is_gpu:
        work = min(n, length) * (page * target.lanes if across else 1)
        group = next((many for many in (64, 8) if many * work <= GROUP_ELEMENTS), 1)
    told = target.is_gpu and segments > 1
    spec = ReduceSpec(across, strip, page, group, together, turns, apart, len(kept), len(reduced), modes, integer, told)
    # What the kernel is told.
    by_segment = across or not along
    if across:
        strips = -(-kept[-1] // (max(strip, 1) * target.lanes))
        pages = -(-strips * max(strip, 1) // page)
        particular = [pages, -(-strips // pages) * max(strip, 1)]
        items = size(kept[:-1]) * pages * segments
    else:
        particular = _digits(target.lanes, reduced) + _digits(STRIP * target.lanes * (together - 1), reduced)
        items = (_up(outputs * together // turns, GPU_GROUP) if target.is_gpu else outputs) * segments
    places = (0,) if told else (1, outputs) if by_segment else (segments, 1)
    numbers = (n, length, segments, outputs, *places, *kept, *reduced, *particular)
    flat = tuple(step for k, r in steps for step in k + r)
    vectors = (
        target.is_gpu
        and not apart
        and len(reduced) == 1
        and not any(
            mode == UNIT and extent > 1 and step % STRIP
            for (k, _), mode in zip(steps, modes, strict=True)
            for step, extent in zip(k, kept, strict=True)
        )
    )
    aligned = spec._replace(vectors=True) if vectors else spec
    return ReduceSchedule(spec, aligned, items, by_segment, segments, outputs, numbers, flat)


def _together(n: int, outputs: int, along: bool) -> int:
    """How many work-items share one output, on GPUs: a power of two.

    Long rows get a group each, and so do few outputs. Others get few work-items each, but enough of them that memory is
    read in whole lines, whether these hold neighbouring elements of an output or neighbouring outputs.
    """
    if along:
        least = min(max(LEAST_ALONG, _power(2 * -(-n // SEGMENT_ITEM) - 1)), GPU_GROUP)
    else:
        least = LEAST_ACROSS if outputs < BUSY_ITEMS // 4 else min(LEAST_ACROSS, _power(2 * -(-n // SEGMENT_ITEM) - 1))
    return min(max(least, GPU_GROUP >> (outputs - 1).bit_length()), _power(n // 8))


def _power(n: int) -> int:
    """The largest power of two up to n; 1 for less."""
    return 1 << max(n, 1).bit_length() - 1


def _mode(step: int) -> str:
    return UNIT if step == 1 else STRIDED if step else ZERO


def _up(n: int, step: int) -> int:
    return -(-n // step) * step


def _digits(number: int, radices: Sequence[int]) -> list[int]:
    """A number as the coordinates of an element of a shape; the first is not bounded."""
    digits = []
    for radix in reversed(radices[1:]):
        digits.append(number % radix)
        number //= radix
    return [number, *reversed(digits)]


class BoundReduction(NamedTuple):
    """The launches of a reduction whose groups tell each other what they found, `launch.BoundLaunch`."""

    device: Device
    launches: list[BoundKernel]
    words: int  # in which they do

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Launch. ``buffers`` are the results', the operands' and the memory's."""
        words, _ = scratch(self.device, "reduction", self.words)
        buffers.append(words.storage.buffer)
        for launch in self.launches:
            launch.run(buffers, scalars, offsets)


class Reduction:
    """A compiled reduction of one body by one monoid on schedules of one spec (`ReduceSpec`).

    ``dtype`` is that of the accumulators, ``results`` those of what is written: a value, a position, or both. Where
    ``again``, what is reduced are the winners of segments; their positions are gathered from the body's memory.

    Groups that tell each other do so in memory that is zero before and after a launch: first come counters, half a word
    each, then what is told of each segment, then of each part of them, of parts of these, and so on.
    """

    def __init__(
        self,
        device: Device,
        body: Body,
        spec: ReduceSpec,
        monoid: Monoid,
        dtype: np.dtype[Any],
        results: tuple[np.dtype[Any], ...],
        again: bool,
    ):
        self.device, self.body, self.spec, self.monoid, self.again = device, body, spec, monoid, again
        self.short, self.identity = SHORT[dtype], monoid.identity(dtype)
        self._name = kernel_name(monoid.name, body, spec.kept_rank + spec.reduced_rank)
        self.dtype = dtype
        # Words for what is told of a segment: half a word holds 4 bytes.
        self.parts = -(-(dtype.itemsize + 8 if monoid.indexed else dtype.itemsize) // 4)
        self.results = [(f"o{k}", d) for k, d in enumerate(results)]
        self.operands = [(f"x{k}", SHORT[d], is_iota) for k, (d, is_iota) in enumerate(body.operands)]
        # Operands of which several neighbours are read by one access: dtype, and how many.
        self.vectors: dict[str, tuple[str, int]] = {}
        for (name, short, is_iota), mode in zip(self.operands, spec.modes, strict=True):
            count = min(STRIP, 16 // DTYPE_OF[short].itemsize)
            if spec.vectors and mode == UNIT and not is_iota and count > 1:
                self.vectors[name] = (short, count)
        # Operands that are read ahead, and how many strips.
        self.early = {
            name
            for (name, _, is_iota), mode in zip(self.operands, spec.modes, strict=True)
            if device.is_gpu and spec.reduced_rank == 1 and mode != ZERO and not is_iota
        }
        nbytes = STRIP * sum(DTYPE_OF[short].itemsize for name, short, _ in self.operands if name in self.early)
        self.ahead = min(STRIPS_AHEAD, _power(ON_THE_WAY // nbytes)) if nbytes else 0
        # An accumulator: a value and, of an indexed monoid, where in the segment it was found.
        self.state = [self.short, "i32"] if monoid.indexed else [self.short]
        self.start = [self.identity, "SPLAT_i32(0)"][: len(self.state)]
        # Unrolled, accumulators stay in registers; on CPUs that repays the compiler's time where little is computed.
        cheap = sum(rule.cost for rule, _ in body.steps) <= 16
        self.unroll = "UNROLL " if cheap or device.is_gpu else ""
        self.parameters = Parameters()
        self.text = self._text()
        self.kernel: Kernel = compiled(device, self.text, self._name)
        self.join = compiled(device, self._text_of_join(), "join") if self._joins else None

    @property
    def _joins(self) -> bool:
        """Whether a second launch combines what is told of segments: groups may not wait for what others tell."""
        return self.spec.told and not self.device.forward_progress

    def run(
        self,
        schedule: ReduceSchedule,
        results: Sequence[GpuArray],
        operands: Sequence[Any],
        memory: Sequence[GpuArray],
        scalars: Sequence[Any],
    ) -> BoundLaunch:
        """One pass; ``operands`` are arrays and layouts of index variables. Gives what another one needs."""
        items = [*results, *operands, *memory]
        offsets = [item.offset for item in items]
        buffers = [item.storage.buffer for item in items if type(item) is GpuArray]
        launches: list[BoundKernel] = []

        def add(kernel: Kernel, name: str, items: int, numbers: Sequence[int]) -> None:
            group, parameters = schedule.spec.group, self.parameters
            launches.append(
                BoundKernel(self.device, kernel, name, items, group, parameters, numbers, offsets, schedule.strides)
            )

        add(self.kernel, self.monoid.name, schedule.items, schedule.numbers)
        told, words = 0, COUNTERS // 2
        if schedule.spec.told:
            n, first, outputs, last = schedule.segments, schedule.numbers[:2], schedule.outputs, schedule.numbers[5:]
            while n > 1:
                parts = -(-n // self._part)
                if self.join is not None:
                    work_items = schedule.items // schedule.segments * parts
                    add(self.join, "join", work_items, (*first, n, outputs, told, *last))
                told += n * outputs
                n = parts
            words += told * self.parts
        launched: BoundLaunch = BoundReduction(self.device, launches, words) if told else launches[0]
        launched.run(buffers, scalars)
        return launched

    def _text(self) -> str:
        """The kernel."""
        body, spec, add = self.body, self.spec, self.parameters.add
        axes = [f"k{axis}" for axis in range(spec.kept_rank)] + [f"r{axis}" for axis in range(spec.reduced_rank)]
        digits = (
            ["pages", "width"] if spec.across else [f"{by}{axis}" for by in "de" for axis in range(spec.reduced_rank)]
        )
        places = ["told_0"] if spec.told else ["to_output", "to_segment"]
        for name in ("n", "length", "segments", "outputs", *places, *axes, *digits):
            add(name, spec.integer)
        memory = [f"m{k}" for k in range(len(body.memory))]
        for name in [f"{name}_0" for name, *_ in (*self.results, *self.operands)] + memory:
            add(name, "i64")
        for name, _, _ in self.operands:
            for axis in axes:
                add(f"{name}_{axis}", spec.integer)
        for k, dtype in enumerate(body.scalars):
            add(f"s{k}", SHORT[dtype])
        lines = [
            *sorted({f"VECTORS({t}, {count}, W_{count * DTYPE_OF[t].itemsize})" for t, count in self.vectors.values()}),
            *self._head(self._name),
            *[f"R_{SHORT[d]} s{k} = SPLAT_{SHORT[d]}(p.s{k});" for k, d in enumerate(body.scalars)],
            *(self._across() if spec.across else self._along()),
            "}",
        ]
        return indented(lines)

    def _text_of_join(self) -> str:
        """The kernel of a second launch, which takes the same arguments."""
        lines = [
            *self._head("join"),
            *self._column(),
            f"S_{self.spec.integer} n = p.segments, place = GROUP / {self._chunks};",
            f"const S_{self.spec.integer} row = GROUP % {self._chunks} * {self._item_of_group()[1]} + column;",
            *self._local(),
            f"words += {COUNTERS // 2} + p.told_0 * PARTS;",
            *self._join_part(),
            "}",
        ]
        return indented(lines)

    def _head(self, name: str) -> list[str]:
        """What stands before the body of a kernel."""
        pointers = [(SHORT[dtype], name) for name, dtype in self.results]
        pointers += [(short, f"p{name}") for name, short, is_iota in self.operands if not is_iota]
        pointers += [(SHORT[dtype], f"m{k}") for k, dtype in enumerate(self.body.memory)]
        told = []
        if self.spec.told:
            pointers.append(("u64", "words"))
            place = " R_i64 place;" if self.monoid.indexed else ""
            told = [f"typedef struct __attribute__((packed)) {{ R_{self.short} value;{place} }} Found;", _told()]
        return [self.parameters.text(), *told, described(self.body), f"KERNEL void {name}({arguments(pointers)}) {{"]

    # What both schedules are made of.

    def _outputs(self, axes: int) -> list[str]:
        """Where output ``row`` of the first kept axes begins in each operand."""
        index = self.spec.integer
        lines = []
        if axes:
            lines.append(f"S_{index} rest = row;")
        for axis in reversed(range(axes)):
            shorter = f" % p.k{axis}; rest /= p.k{axis}" if axis else ""
            lines.append(f"S_{index} c{axis} = rest{shorter};")
        for name, _, _ in self.operands:
            terms = "".join(f" + (S_i64)c{axis} * p.{name}_k{axis}" for axis in range(axes))
            lines.append(f"S_i64 {name}_b = p.{name}_0{terms};")
        return lines

    def _segment(self) -> list[str]:
        return [
            f"S_{self.spec.integer} first = segment * p.length;",
            f"S_{self.spec.integer} last = first + p.length < p.n ? first + p.length : p.n;",
        ]

    def _accumulators(self, name: str, count: str) -> list[str]:
        """Declare accumulators that hold nothing."""
        declared = " ".join(f"R_{t} {name}{k}[{count}];" for k, t in enumerate(self.state))
        filled = " ".join(f"{name}{k}[u] = {start};" for k, start in enumerate(self.start))
        return [declared, f"{self._each(count)} {{ {filled} }}"]

    def _each(self, count: str) -> str:
        return f"{self.unroll if int(count) <= STRIP else ''}for (int u = 0; u < {count}; u++)"

    def _values(self, masked: bool) -> list[str]:
        """The body's value, as a register ``v0``; the identity in lanes that hold no element."""
        reference = self.body.results[0]
        word = cast(name_of(reference), type_of(self.body, reference), self.dtype)
        lines = [*arithmetic(self.body), f"R_{self.short} v0 = {word};"]
        if masked:
            lines.append(f"v0 = where_{self.short}(valid, v0, {self.identity});")
        return lines

    def _take(self, into: str, value: str, found: str) -> str:
        """Combine a value into an accumulator that holds earlier ones."""
        t, function = self.short, self.monoid.function
        best, place = into.replace("@", "0"), into.replace("@", "1")
        if not self.monoid.indexed:
            return f"{best} = {function}_{t}({best}, {value});"
        wins = f"{function}_{t}({value}, {best})"
        if self.dtype in REAL_FLOATING:  # the first NaN wins
            no_better = {"greater": "less_equal", "less": "greater_equal"}[function]
            wins = f"~{no_better}_{t}({value}, {best}) & equal_{t}({best}, {best})"
        return (
            f"{{ R_b8 wins = {wins}; "
            f"{best} = where_{t}(wins, {value}, {best}); {place} = where_i32(wins, {found}, {place}); }}"
        )

    def _join(self, other: str) -> str:
        """Combine ``total`` with another of other elements, earlier or later; places are int64 now."""
        t, function = self.short, self.monoid.function
        if not self.monoid.indexed:
            return f"total = {function}_{t}(total, {other});"
        wins, same = f"{function}_{t}({other}, total)", f"equal_{t}({other}, total)"
        if self.dtype in REAL_FLOATING:
            is_nan, was_number = f"not_equal_{t}({other}, {other})", f"equal_{t}(total, total)"
            wins, same = f"({wins} | ({is_nan} & {was_number}))", f"({same} | ({is_nan} & ~{was_number}))"
        return (
            f"{{ R_b8 wins = {wins} | ({same} & less_i64({other}_at, total_at)); "
            f"total = where_{t}(wins, {other}, total); total_at = where_i64(wins, {other}_at, total_at); }}"
        )

    def _found_again(self, place: str) -> str:
        """The position that lies beside a value of an earlier pass, given where that is from the output's first."""
        return f"LOADG_i64(m0, SPLAT_i64(x0_b - p.x0_0 + p.m0) + {place})"

    def _kept(self, value: str, place: str) -> list[tuple[str, str, str]]:
        """What is written: name, dtype and register of each result."""
        found = []
        for name, dtype in self.results:
            is_place = self.monoid.indexed and dtype == INT64 and (name == "o1" or len(self.results) == 1)
            word = place if is_place else cast(value, self.dtype, dtype)
            found.append((name, SHORT[dtype], word))
        return found

    # Along.

    def _along(self) -> list[str]:
        spec, integer, gpu = self.spec, self.spec.integer, self.device.is_gpu
        many = spec.reduced_rank > 1
        lane = "share" if spec.turns == 1 else f"share + turn * {spec.together // spec.turns}"
        rounds = self.monoid.rounds(self.dtype)  # what is exact needs no blocks
        own = "part" if rounds else "total"
        each = self._each(str(STRIP))
        whole = "whole" if spec.together > 1 else "total"
        take = self._take(f"{own}@[u]", "v0", "SPLAT_i32((int)(r - first))")
        advance = [_advance(spec.reduced_rank, "d")] if many else []
        if gpu and not many:  # no branches, so that the loads are on their way together
            tail = ["const int n = LANES;", "R_b8 valid = less_i64(i, end);", "if (i >= end) i = end - 1;"]
        else:
            tail = [
                "const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;",
                *([] if gpu else ["if (n == 0) break;"]),
                "R_b8 valid = less_i64(IOTA, SPLAT_i64(n));",
            ]
        strip = [
            f"{each} {{",
            f"S_{integer} i = r + own + u * LANES; const int n = LANES;",
            *self._loads_along(False),
            *self._values(False),
            take,
            *advance,
            "}",
            *([_advance(spec.reduced_rank, "e")] if many and spec.together > 1 else []),
        ]
        strips = self._strips_ahead(strip) if self.ahead else ["for (; r + strip <= end; r += strip) {", *strip, "}"]
        lines = [
            *self._item(),
            *self._outputs(spec.kept_rank),
            *self._segment(),
            *(["if (row >= p.outputs) last = first;"] if gpu else []),
            *self._local(),
            *([f"for (int turn = 0; turn < {spec.turns}; turn++) {{"] if spec.turns > 1 else []),
            f"const int lane = {lane}, own = lane * {STRIP} * LANES;",
            *self._accumulators("total", str(STRIP)),
            *(_coordinates(spec.reduced_rank, integer, "first + own") if many else []),
            *(_lanes(spec.reduced_rank) if many and not gpu else []),
            f"const int strip = {STRIP * spec.together} * LANES;",
            *self._begin_ahead(),
            f"for (S_{integer} block = first; block < last; block += {BLOCK} * strip) {{",
            f"S_{integer} end = block + {BLOCK} * strip < last ? block + {BLOCK} * strip : last, r = block;",
            *(self._accumulators("part", str(STRIP)) if rounds else []),
            *strips,
            f"if (r < end) {each} {{",
            f"S_{integer} i = r + own + u * LANES;",
            *tail,
            *self._loads_along(True),
            *self._values(True),
            take,
            *advance,
            "}",
            *([f"{each} {{ {self._take('total@[u]', 'part0[u]', 'part1[u]')} }}"] if rounds else []),
            "}",
            *self._fold(),
            "if (row < p.outputs && share == 0) {" if gpu else "{",
            *self._last(spec.together),
        ]
        if spec.told:
            lines = [f"GLOBAL M_u64* const memory = words; words += {COUNTERS // 2};", *lines]
            return [*lines, f"{self._tell('segment', whole)} }}", *([] if self._joins else self._join_parts())]
        if self.again:
            lines.append(f"{whole}_at = {self._found_again(f'{whole}_at * SPLAT_i64(p.x0_r0)')};")
        for name, t, value in self._kept(whole, f"{whole}_at"):
            lines.append(f"STOREN_{t}({name}, p.{name}_0 + row * p.to_output + segment * p.to_segment, 1, 1, {value});")
        return [*lines, "}"]

    def _tell(self, place: str, whole: str) -> str:
        """Tell of a segment, or of a part."""
        found = f" found.place = {whole}_at;" if self.monoid.indexed else ""
        return f"Found found; found.value = {whole};{found} tell(words, {place} * p.outputs + row, 1, found);"

    def _join_parts(self) -> list[str]:
        """The last group of a part goes on, and tells of the part."""
        index, chunks = f"S_{self.spec.integer}", self._chunks
        return [
            "GLOBAL M_u32* counters = (GLOBAL M_u32*)memory;",
            f"{index} n = p.segments, place = segment;",
            "while (n > 1) {",
            f"const {index} part = place / {self._part}, rest = n - part * {self._part};",
            "BARRIER;",
            "if (LID == 0) {",
            f"GLOBAL M_u32* counter = counters + part * {chunks} + chunk;",
            f"is_last = ATOMIC_ADD(counter, 1) == (rest < {self._part} ? rest : {self._part}) - 1;",
            "if (is_last) ATOMIC_XCHG(counter, 0);",
            "}",
            "BARRIER;",
            "if (!is_last) return;",
            f"counters += (n + {self._part - 1}) / {self._part} * {chunks};",
            "place = part;",
            *self._join_part(),
            "}",
        ]

    def _join_part(self) -> list[str]:
        """Combine what is told of part ``place`` of ``n`` segments or parts, forget it, and tell of the part; of the
        only one it is the result."""
        t, indexed, index = self.short, self.monoid.indexed, f"S_{self.spec.integer}"
        items, _ = self._item_of_group()
        many = self._part // items
        place, other = ("R_i64 total_at = 0;", "R_i64 other_at = found[e].place;") if indexed else ("", "")
        whole = "whole" if items > 1 else "total"
        stores = [
            f"STOREN_{short}({name}, p.{name}_0 + row, 1, 1, {value});"
            for name, short, value in self._kept(whole, f"{whole}_at")
        ]
        return [
            f"R_{t} total = {self.identity}; {place}",
            f"const {index} own = place * {self._part} + share;",
            "if (row < p.outputs && own < n) {",
            f"Found found[{many}];",
            f"const int left = (int)((n - own + {items - 1}) / {items}), count = left < {many} ? left : {many};",
            "int all = 0;",
            "while (!all) {",
            "all = 1;",
            f"UNROLL for (int e = 0; e < {many}; e++)",
            f"  all &= told_by_now(words, (own + (e < count ? e : 0) * {items}) * p.outputs + row, &found[e]);",
            "}",
            f"UNROLL for (int e = 0; e < {many}; e++) if (e < count) {{",
            f"R_{t} other = found[e].value; {other} {self._join('other')}",
            f"forget(words, (own + e * {items}) * p.outputs + row);",
            "}",
            "}",
            "words += n * p.outputs * PARTS;",
            f"n = (n + {self._part - 1}) / {self._part};",
            *self._among(items, 1, "share"),
            "if (row < p.outputs && share == 0) {",
            *self._last(items),
            f"if (n > 1) {{ {self._tell('place', whole)} }}",
            "else {",
            *stores,
            "}",
            "}",
        ]

    @property
    def _part(self) -> int:
        """How many segments are combined at a time."""
        items, beside = self._item_of_group()
        return items * min(beside, MANY)

    @property
    def _chunks(self) -> str:
        """How many groups, or on CPUs work-items, it takes for a segment of all outputs."""
        _, beside = self._item_of_group()
        return f"((p.outputs + {beside - 1}) / {beside})" if beside > 1 else "p.outputs"

    def _item_of_group(self) -> tuple[int, int]:
        """How many work-items of a group share an output, and how many outputs it has. On CPUs each is for itself."""
        if not self.device.is_gpu:
            return 1, 1
        items = self.spec.together // self.spec.turns
        return items, GPU_GROUP // items

    def _column(self) -> list[str]:
        """Which of a group's outputs the work-item has a share of, and which share."""
        items, beside = self._item_of_group()
        column, share = f"LID / {items}", f"LID % {items}"
        if self.spec.apart:
            column, share = f"LID % {beside}", f"LID / {beside}"
        if not self.device.is_gpu:
            column, share = "0", "0"
        return [f"const int column = {column}, share = {share};"]

    def _item(self) -> list[str]:
        """What the work-item is for: ``segment`` of output ``row``, of each strip the registers from ``own`` on."""
        gpu, integer = self.device.is_gpu, f"S_{self.spec.integer}"
        _, beside = self._item_of_group()
        chunk, segment = "item / p.segments", "item % p.segments"
        if self.spec.apart:
            chunk, segment = f"item % {self._chunks}", f"item / {self._chunks}"
        return [
            *self._column(),
            f"const {integer} item = {'GROUP' if gpu else 'GID'}, chunk = {chunk}, segment = {segment};",
            f"const {integer} row = chunk * {beside} + column;",
            *([] if gpu else ["if (item >= p.outputs * p.segments) return;"]),
        ]

    def _begin_ahead(self) -> list[str]:
        """The first strips of a segment, on their way: as many accesses as hide the time that one takes."""
        if not self.ahead:
            return []
        kept = [f"R_{t} {name}_ahead[{self.ahead}][{STRIP}];" for name, t, _ in self.operands if name in self.early]
        return [
            *kept,
            f"UNROLL for (int a = 0; a < {self.ahead}; a++) if (first + (a + 1) * strip <= last) {{",
            *self._load_strip("first + a * strip"),
            "}",
        ]

    def _strips_ahead(self, strip: list[str]) -> list[str]:
        """Combine the whole strips of a block, which are there, and ask for later ones of the segment instead."""
        early = [(name, t) for name, t, _ in self.operands if name in self.early]
        there = [
            *[f"R_{t} {name}_v[{STRIP}];" for name, t in early],
            f"UNROLL for (int u = 0; u < {STRIP}; u++) {{",
            *[f"{name}_v[u] = {name}_ahead[a][u];" for name, _ in early],
            "}",
        ]
        rest = [*there, *strip, "r += strip;"] if self.ahead > 1 else []
        return [
            f"while (r + {self.ahead} * strip <= end) UNROLL for (int a = 0; a < {self.ahead}; a++) {{",
            *there,
            f"if (r + {self.ahead + 1} * strip <= last) {{",
            *self._load_strip(f"r + {self.ahead} * strip"),
            "}",
            *strip,
            "r += strip;",
            "}",
            f"UNROLL for (int a = 0; a < {self.ahead - 1}; a++) if (r + strip <= end) {{",
            *rest,
            "}",
        ]

    def _load_strip(self, at: str) -> list[str]:
        """A strip of each operand that is read ahead, from element ``at`` on; neighbours by one access if aligned."""
        lines = []
        for (name, short, is_iota), mode in zip(self.operands, self.spec.modes, strict=True):
            if name in self.vectors:
                t, count = self.vectors[name]
                for k in range(0, STRIP, count):
                    lines.append(f"LOADV_{t}(p{name}, {name}_b + {at} + own + {k}, {name}_ahead[a] + {k});")
            elif name in self.early:
                step = "1" if mode == UNIT else f"p.{name}_r0"
                place = Place(f"{name}_b", f"({at} + own + u * LANES)", step, "LANES")
                word = fill(f"{name}_ahead[a][u]", f"p{name}", short, is_iota, mode, place)
                lines.append(f"UNROLL for (int u = 0; u < {STRIP}; u++) {{ {word} }}")
        return lines

    def _fold(self) -> list[str]:
        """Combine the accumulators, then the lanes, then the work-items that share an output."""
        t, indexed, together = self.short, self.monoid.indexed, self.spec.together
        place = "cast_i32_i64(total1[{0}]) + IOTA + SPLAT_i64(first + own + {0} * LANES)"
        lines = [f"R_{t} total = total0[0];"]
        if indexed:
            lines.append(f"R_i64 total_at = {place.format(0)};")
        own = f"R_{t} other = total0[u];" + (f" R_i64 other_at = {place.format('u')};" if indexed else "")
        lines.append(f"{self.unroll}for (int u = 1; u < {STRIP}; u++) {{ {own} {self._join('other')} }}")
        shift = self.device.lanes // 2
        while shift:
            turned = f"R_{t} other = ROTATE_{t}(total, {shift});"
            turned += f" R_i64 other_at = ROTATE_i64(total_at, {shift});" if indexed else ""
            lines.append(f"{{ {turned} {self._join('other')} }}")
            shift //= 2
        return [*lines, *self._among(together, self.spec.turns, "lane")]

    def _among(self, together: int, turns: int, lane: str) -> list[str]:
        """Combine what work-items that share an output have found, each ``turns`` times, but for a few results."""
        if together == 1:
            return []
        # In local memory, what is to be combined lies as many lanes apart as there are still to combine.
        places = "places[{0}] = total_at;" if self.monoid.indexed else ""
        beside = GPU_GROUP * turns // together
        loop = f"int e = LID; if (e < away * {beside})"
        if turns > 1:
            loop = f"for (int e = LID; e < away * {beside}; e += {GPU_GROUP})"
        both = self._pair("totals[{0}]", "places[{0}]", f"e + away * {beside}")
        lines = [
            f"const int own_place = {lane} * {beside} + column;",
            f"totals[own_place] = total; {places.format('own_place')}",
            *(["}"] if turns > 1 else []),
        ]
        if together > FEW_RESULTS:
            lines += [
                f"for (int away = {together // 2}; away >= {FEW_RESULTS}; away /= 2) {{",
                "BARRIER;",
                f"{loop} {{ {both} {self._join('other')} totals[e] = total; {places.format('e')} }}",
                "}",
            ]
        return [*lines, "BARRIER;"]

    def _last(self, together: int) -> list[str]:
        """The last few results of an output's work-items, which one of these combines alone."""
        t, indexed = self.short, self.monoid.indexed
        if together == 1:
            return []
        few, place = min(together, FEW_RESULTS), f"e * {self._item_of_group()[1]} + column"
        declare, whole = f"R_{t} q[{few}];", f"R_{t} whole = q[0];"
        take, keep = f"q[e] = totals[{place}];", "q[e] = total;"
        if indexed:
            declare += f" R_i64 q_at[{few}];"
            take += f" q_at[e] = places[{place}];"
            keep += " q_at[e] = total_at;"
            whole += " R_i64 whole_at = q_at[0];"
        both = self._pair("q[{0}]", "q_at[{0}]", "e + away")
        return [
            declare,
            f"UNROLL for (int e = 0; e < {few}; e++) {{ {take} }}",
            f"UNROLL for (int away = {few // 2}; away > 0; away /= 2)",
            f"  UNROLL for (int e = 0; e < {few // 2}; e++) if (e < away) {{ {both} {self._join('other')} {keep} }}",
            whole,
        ]

    def _pair(self, value: str, place: str, other: str) -> str:
        """Declare what `_join` combines: results number ``e`` and ``other`` of an array."""
        t = self.short
        text = f"R_{t} total = {value.format('e')}; R_{t} other = {value.format(other)};"
        if self.monoid.indexed:
            text += f" R_i64 total_at = {place.format('e')}; R_i64 other_at = {place.format(other)};"
        return text

    def _local(self) -> list[str]:
        """Local memory, for what is combined between work-items."""
        if self.spec.together == 1:
            return []
        lines = [f"LOCAL R_{self.short} totals[{GPU_GROUP * self.spec.turns}];"]
        if self.monoid.indexed:
            lines.append(f"LOCAL R_i64 places[{GPU_GROUP * self.spec.turns}];")
        if self.spec.told:
            lines.append("LOCAL int is_last;")
        return lines

    def _loads_along(self, masked: bool) -> list[str]:
        """One register of each operand, from element ``i`` of the reduced index."""
        rank, lines, straight, scattered = self.spec.reduced_rank, [], [], []
        for (name, short, is_iota), mode in zip(self.operands, self.spec.modes, strict=True):
            base = f"{name}_b"
            for axis in range(rank - 1):
                base += f" + (S_i64)a{axis} * p.{name}_r{axis}"
            if rank > 1:
                lines.append(f"S_i64 {name}_r = {base};")
                base = f"{name}_r"
            step = "1" if mode == UNIT else f"p.{name}_r{rank - 1}"
            declaration, statement = load(name, short, is_iota, mode, base, step)
            if name in self.early and not masked:
                statement = f"{name} = {name}_v[u];"
            lines.append(declaration)
            straight.append(statement)
            address = f"SPLAT_i64({name}_b)"
            for axis in range(rank):
                address += f" + e{axis} * SPLAT_i64(p.{name}_r{axis})"
            if masked:
                address = f"where_i64(valid, {address}, SPLAT_i64({name}_b))"
            scattered.append(f"{name} = {address if is_iota else f'LOADG_{short}(p{name}, {address})'};")
        if rank == 1:
            return [*lines, *straight]
        inner = rank - 1
        lines.append(f"i = a{inner};")
        if self.device.is_gpu:
            return [*lines, *straight]
        # A register that goes over the end of the last reduced axis is gathered.
        return [
            *lines,
            f"if (a{inner} + n <= p.r{inner}) {{",
            *straight,
            "} else {",
            *_lane_places(rank),
            *scattered,
            "}",
        ]

    # Across.

    def _across(self) -> list[str]:
        spec, index = self.spec, self.spec.integer
        extent, strip = f"p.k{spec.kept_rank - 1}", max(spec.strip, 1)
        each = self._each(str(strip))
        # The last strip of a row ends where the row ends, and shares outputs with the one before it.
        final = f"{extent} - {strip} * LANES"
        begin, n = f"column + c * LANES < {final} ? column + c * LANES : {final}", "LANES"
        if not spec.strip:
            begin, n = "0", extent
        lines = [
            f"S_{index} item = GID, page = item % p.pages; item /= p.pages;",
            f"S_{index} segment = item % p.segments, row = item / p.segments;",
            f"if (row >= p.outputs / {extent}) return;",
            f"S_{index} column = page * p.width * LANES;",
            f"S_{index} left = ({extent} - column + LANES - 1) / LANES;",
            f"const int n = {n}, width = left < p.width ? left : p.width;",
            *self._outputs(spec.kept_rank - 1),
            *self._segment(),
            *self._accumulators("total", str(spec.page)),
            f"for (S_{index} block = first; block < last; block += {BLOCK_ACROSS}) {{",
            f"const int rows = last - block < {BLOCK_ACROSS} ? last - block : {BLOCK_ACROSS};",
            f"S_i64 {', '.join(f'{name}_r[{BLOCK_ACROSS}]' for name, _, _ in self.operands)};",
            "for (int b = 0; b < rows; b++) {",
            *_coordinates(spec.reduced_rank, index, "block + b"),
        ]
        loads: list[str] = []
        for (name, short, is_iota), mode in zip(self.operands, spec.modes, strict=True):
            terms = "".join(f" + (S_i64)a{axis} * p.{name}_r{axis}" for axis in range(spec.reduced_rank))
            lines.append(f"{name}_r[b] = {name}_b{terms};")
            step = "1" if mode == UNIT else f"p.{name}_k{spec.kept_rank - 1}"
            loads += load(name, short, is_iota, mode, f"{name}_r[b]", step)
        lines += [
            "}",
            f"for (int c = 0; c < width; c += {strip}) {{",
            f"const S_{index} begin = {begin};",
            *self._accumulators("part", str(strip)),
            "for (int b = 0; b < rows; b++) {",
            f"{each} {{",
            f"const S_{index} i = begin + u * LANES;",
            *loads,
            *self._values(False),
            self._take("part@[u]", "v0", "SPLAT_i32(block + b - first)"),
            "}",
            "}",
            f"{each} {{ {self._take('total@[c + u]', 'part0[u]', 'part1[u]')} }}",
            "}",
            "}",
            f"for (int c = 0; c < width; c += {strip}) {{",
            f"const S_{index} begin = {begin};",
            f"{each} {{",
            f"const S_{index} i = begin + u * LANES;",
        ]
        if self.monoid.indexed:
            lines.append("R_i64 place = cast_i32_i64(total1[c + u]) + SPLAT_i64(first);")
        if self.again:
            output = f"minimum_i64(SPLAT_i64(i) + IOTA, SPLAT_i64({extent} - 1))"
            lines.append(f"place = {self._found_again(f'place * SPLAT_i64(p.x0_r0) + {output}')};")
        for name, t, word in self._kept("total0[c + u]", "place"):
            lines.append(
                store(name, t, UNIT, word, Place(f"p.{name}_0 + segment * p.to_segment + row * {extent}", "i", "1"))
            )
        return [*lines, "}", "}"]


# Coordinates a0, a1, ... of the reduced axes.


def _coordinates(rank: int, index: str, number: str) -> list[str]:
    """The coordinates of an element of the reduced index."""
    lines = [f"S_{index} at = {number};"] if rank > 1 else []
    for axis in reversed(range(1, rank)):
        lines.append(f"S_{index} a{axis} = at % p.r{axis}; at /= p.r{axis};")
    return [*lines, f"S_{index} a0 = {'at' if rank > 1 else number};"]


def _advance(rank: int, by: str) -> str:
    """Go on by as many elements as have the coordinates d0, d1, ... or e0, e1, ..."""
    text, carry = "int over = 0;", ""
    for axis in reversed(range(1, rank)):
        text += f" a{axis} += p.{by}{axis}{carry}; over = a{axis} >= p.r{axis}; if (over) a{axis} -= p.r{axis};"
        carry = " + over"
    return f"{text} a0 += p.{by}0{carry};"


def _lanes(rank: int) -> list[str]:
    """The coordinates l0, l1, ... of a register's lanes in relation to its first."""
    lines = ["R_i64 lanes = IOTA;"]
    for axis in reversed(range(1, rank)):
        lines.append(f"R_i64 l{axis} = remainder_i64(lanes, SPLAT_i64(p.r{axis}));")
        lines.append(f"lanes = floor_divide_i64(lanes, SPLAT_i64(p.r{axis}));")
    return [*lines, "R_i64 l0 = lanes;"]


def _lane_places(rank: int) -> list[str]:
    """The coordinates e0, e1, ... of a register's lanes, the first of which is at a0, a1, ..."""
    lines, carry = ["R_i64 over;"], ""
    for axis in reversed(range(1, rank)):
        lines += [
            f"R_i64 e{axis} = SPLAT_i64(a{axis}) + l{axis}{carry};",
            f"over = where_i64(less_i64(e{axis}, SPLAT_i64(p.r{axis})), SPLAT_i64(0), SPLAT_i64(1));",
            f"e{axis} = e{axis} - over * SPLAT_i64(p.r{axis});",
        ]
        carry = " + over"
    return [*lines, f"R_i64 e0 = SPLAT_i64(a0) + l0{carry};"]


def _told() -> str:
    """The words in which groups tell each other what they have found."""
    return section("groups", "told", V="Found")


def identity_body(dtype: np.dtype[Any], memory: tuple[np.dtype[Any], ...] = ()) -> Body:
    """The body that is its operand."""
    return Body(((dtype, False),), memory, (), (), (ARRAY,), (dtype,))


def _aligned(operands: Sequence[Any]) -> bool:
    """Whether operands begin where several neighbouring elements may be read by one access."""
    for item in operands:
        if item.offset % STRIP or (type(item) is GpuArray and not item.storage.buffer.aligned):
            return False
    return True


def _reduction(device: Device, body: Callable[[], Body], *facts: Any) -> Reduction:
    return Reduction(device, body(), *facts)


def reduce(
    device: Device,
    monoid: Monoid,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    operands: Sequence[Any],
    memory: Sequence[GpuArray],
    scalars: Sequence[Any],
    dtype: np.dtype[Any],
    out: GpuArray,
) -> BoundLaunch | None:
    """Reduce a body's values along ``axes`` into ``out``, a C-contiguous array of the shape that stays. Gives what was
    launched, if it was one pass.

    ``key`` identifies the body, which is asked for if there is no kernel yet; ``operands`` are arrays and layouts of
    index variables in the body's order; ``dtype`` is that of the accumulators. For an indexed monoid ``out`` takes the
    winners' positions in the reduced index.
    """
    again, first = False, True
    while True:
        schedule = reduce_schedule(shape, axes, tuple([(item.shape, item.strides) for item in operands]), device.target)
        results = [out]
        if not schedule.one_pass:
            segments, outputs = schedule.segments, schedule.outputs
            shape = (segments, outputs) if schedule.by_segment else (outputs, segments)
            results = [empty(device, d, shape) for d in ((dtype, INT64) if monoid.indexed else (dtype,))]
        dtypes = tuple([array.dtype for array in results])
        spec = schedule.aligned if schedule.aligned is not schedule.spec and _aligned(operands) else schedule.spec
        lookup = (Reduction, device, monoid, spec, dtypes, dtype, again, key)
        kernel = stored(lookup, partial(_reduction, device, body, spec, monoid, dtype, dtypes, again))
        launched = kernel.run(schedule, results, operands, memory, scalars)
        if schedule.one_pass:
            return launched if first else None
        again, first = monoid.indexed, False
        key, operands, memory, scalars = ("partial",), results[:1], results[1:], ()
        body = partial(identity_body, dtype, tuple(array.dtype for array in memory))
        axes = (0,) if schedule.by_segment else (1,)
