"""The row kernel: a program over rows in which reductions of a row are steps like others.

A row is what one output of a reduction is made of. A group of work-items owns a row, or several short ones; on CPUs a
work-item takes some rows one after another. The program is cut into phases: one ends where a row has been reduced, and
the next may use what came out, which is the same for all of its elements. So an array is read from memory once, however
many reductions of its rows an expression has.

What a later phase needs again is *held*: on GPUs in the registers of the work-item that has it, which is why rows have
a largest length there; on CPUs only what is dear to compute, in local memory, since the row's operands are still in the
cache. Elements are combined in the very order in which `reduce` combines them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Device, Kernel, Target
from ..memory.dtypes import SHORT
from ..memory.gpuarray import GpuArray
from ..memory.layout import Layout, broadcast_strides, collapse_ordered
from .dialect import (
    ARRAY,
    MEMORY,
    RESULT,
    SCALAR,
    STRIDED,
    UNIT,
    ZERO,
    Body,
    Parameters,
    Place,
    arguments,
    cast,
    described,
    expression,
    fill,
    indented,
    kernel_name,
    name_of,
    operations,
    store,
    type_of,
)
from .launch import compiled, launch
from .monoid import Monoid
from .ops import Rule
from .reduce_schedule import order_of
from .schedule import INDEX32_LIMIT
from .tuning import ACCUMULATORS as STRIP, BLOCK, GPU_GROUP, STREAM

HELD_WORDS = 128  # of four bytes, that a work-item of a GPU holds in registers
LONGEST = 16384  # elements of a row, on CPUs: more are cut into segments, and work-items share them
EXPENSIVE = 8  # the cost above which a value is held on CPUs, not computed again
RECOMPUTED = "cast_f16_f32"  # computed again wherever it is wanted: the half takes less room than the float
COSTLY = 128  # the cost of programs whose text, once for every element that a work-item holds, is too long
ITEM_ELEMENTS = 2**16  # elements of the rows that a work-item takes one after another, on CPUs
FEW_IN_ROW = 16  # work-items of a row whose results each of them combines, on GPUs
LINE_ROWS = 32  # rows beside each other


FEW_HELD = 32  # elements of a row that a work-item has, if the device's groups are large enough
MIN_RESIDENT = 1024  # work-items of a multiprocessor for which there must be registers, where each holds few words


class Fold(Rule):
    """The reduction of a row as a step of a program: it takes the accumulators' dtype."""

    __slots__ = ("monoid",)

    def __init__(self, monoid: Monoid, dtype: np.dtype[Any], result: np.dtype[Any]):
        super().__init__((dtype,), result, monoid.name, 1)
        self.monoid = monoid


fold = lru_cache(maxsize=None)(Fold)  # the same object for the same reduction: rules are keys


# --- the phases of a program ---


def without_repeats(body: Body) -> Body:
    """The body with each step once: expressions over rows often have the same reduction twice."""
    found: dict[tuple[Rule, tuple[int, ...]], int] = {}
    now: dict[int, int] = {}
    for number, (rule, references) in enumerate(body.steps):
        step = rule, tuple([now.get(reference, reference) for reference in references])
        now[number * 4 + RESULT] = found.setdefault(step, len(found)) * 4 + RESULT
    return replace(body, steps=tuple(found), results=tuple(now.get(own, own) for own in body.results))


@dataclass(frozen=True)
class Phase:
    """What happens to each element of a row before the next reductions of it are known; all are references."""

    rowwise: tuple[int, ...]  # values that are the same all along the row, computed before it
    computed: tuple[int, ...]
    recalled: tuple[int, ...]  # held since an earlier phase
    folds: tuple[int, ...]
    results: tuple[int, ...]  # numbers of results with a value an element


@dataclass(frozen=True)
class Program:
    """A body in phases."""

    phases: tuple[Phase, ...]
    held: frozenset[int]
    words: int  # of four bytes that are held at a time, for each element


@lru_cache(maxsize=1024)
def program_of(body: Body, rowwise: frozenset[int], extents: tuple[bool, ...], least: int) -> Program:
    """Cut a body into phases.

    ``rowwise``: the numbers of the operands that are the same all along a row; ``extents``: for each result, whether it
    has a value an element; ``least``: the cost from which a value is held, 0 for operands too.
    """
    count = len(body.steps)
    same = {number * 4 + ARRAY for number in rowwise}  # all along the row
    level: dict[int, int] = {}  # the phase in which a value can be computed first

    def known(reference: int) -> bool:
        return reference & 3 in (SCALAR, MEMORY) or reference in same

    def cost_of(reference: int) -> int:
        if reference & 3 != RESULT:
            return 0
        rule = body.steps[reference >> 2][0]
        return -1 if rule.function == RECOMPUTED else rule.cost

    for number, (rule, references) in enumerate(body.steps):
        own = number * 4 + RESULT
        level[own] = max([level.get(reference, 0) for reference in references]) + isinstance(rule, Fold)
        if isinstance(rule, Fold) or all(map(known, references)):
            same.add(own)

    folds = [number * 4 + RESULT for number, (rule, _) in enumerate(body.steps) if isinstance(rule, Fold)]
    last = max([level.get(reference, 0) for reference in (*folds, *body.results)])
    held: set[int] = set()
    born: dict[int, int] = {}
    uses: dict[int, int] = {}  # the last phase in which a value is needed
    drafts: list[tuple[set[int], set[int], list[int], list[int]]] = []
    for phase in range(last + 1):
        ended = [own for own in folds if level[own] == phase + 1]
        stored = [k for k, reference in enumerate(body.results) if extents[k] and level.get(reference, 0) == phase]
        needed = [body.steps[own >> 2][1][0] for own in ended] + [body.results[k] for k in stored]
        computed: set[int] = set()
        recalled: set[int] = set()
        while needed:
            reference = needed.pop()
            if known(reference) or reference in computed or reference in recalled:
                continue
            uses[reference] = phase
            cost = cost_of(reference)
            if cost >= least and born.setdefault(reference, phase) < phase:
                held.add(reference)
                recalled.add(reference)
                continue
            computed.add(reference)
            if reference & 3 == RESULT:
                needed += body.steps[reference >> 2][1]
        drafts.append((computed, recalled, ended, stored))

    def in_order(references: set[int]) -> tuple[int, ...]:
        return tuple(sorted(references, key=lambda reference: (reference & 3, reference)))

    rows = [own for own in (number * 4 + RESULT for number in range(count)) if own in same and own not in folds]
    phases = []
    for phase, (computed, recalled, ended, stored) in enumerate(drafts):
        ready = tuple(own for own in rows if level[own] == phase)
        phases.append(Phase(ready, in_order(computed), in_order(recalled), tuple(ended), tuple(stored)))
    words = [
        sum([-(-type_of(body, own).itemsize // 4) for own in held if born[own] <= phase < uses[own]])
        for phase in range(last + 1)
    ]
    return Program(tuple(phases), frozenset(held), max(words))


# --- how work-items go through rows ---


class RowSpec(NamedTuple):
    """What a kernel depends on: the part of a schedule that its text is made of."""

    together: int  # lanes that share a row, on GPUs each of ``split`` work-items
    split: int  # that share a lane's STRIP accumulators
    group: int  # work-items
    strips: int  # of a row, each of STRIP registers a lane; 0: counted by the kernel
    full: int  # of them have all their elements
    even: bool  # of the last, each work-item has all or none
    apart: bool  # neighbouring work-items take neighbouring rows, not neighbouring elements of one
    capacity: int  # on CPUs, the registers of a row that there is room for
    extents: tuple[bool, ...]  # for each result, whether it has a value an element
    kept_rank: int
    modes: str  # a letter a result and operand: how a row is walked
    integer: str  # the dtype that counts elements
    aligned: bool = False  # rows begin where several elements may be accessed at a time

    @property
    def own(self) -> int:
        """The accumulators of a work-item, and the registers that it has of a strip."""
        return STRIP // self.split

    @property
    def shared(self) -> int:
        """Values that a group's work-items have for each other when a row is reduced, on GPUs."""
        return self.group * (1 + self.own if self.split > 1 else 1)


class RowSchedule(NamedTuple):
    """How rows are walked."""

    spec: RowSpec
    grain: int  # rows begin at multiples of so many elements, if their arrays do; 1 where it does not matter
    items: int
    numbers: tuple[int, ...]  # for the kernel, see `Rows._text`
    strides: tuple[int, ...]  # of a result or operand after the other: kept axes, then along the row


@lru_cache(maxsize=4096)
def possible(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> bool:
    """Whether rows of ``shape`` along ``axes`` are short enough for their kernel."""
    if 0 in shape:
        return False
    order = order_of(shape, axes, target)
    if not target.is_gpu:
        return order.n <= LONGEST and not order.across
    return order.segments == 1 and order.n <= BLOCK * STRIP * order.lanes_per_output


@lru_cache(maxsize=4096)
def row_schedule(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    extents: tuple[bool, ...],
    target: Target,
) -> RowSchedule | None:
    """The schedule for results, of the given ``extents``, and operands of the given (shape, strides).

    None where elements of a row are not evenly spaced, or lie farther apart in memory than rows do.
    """
    order = order_of(shape, axes, target)
    kept_axes = [axis for axis in range(len(shape)) if axis not in axes]
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    kept, kept_steps = collapse_ordered(
        tuple(shape[axis] for axis in kept_axes), tuple(tuple(s[axis] for axis in kept_axes) for s in strides)
    )
    reduced, reduced_steps = collapse_ordered(
        tuple(shape[axis] for axis in axes), tuple(tuple(s[axis] for axis in axes) for s in strides)
    )
    if len(reduced) > 1:
        return None
    steps = [(k, r[0]) for k, r in zip(kept_steps, reduced_steps, strict=True)]
    # Whether rows lie closer together in memory than the elements of one.
    voters = [(k[-1], r) for k, r in steps if r or (k[-1] and order.along)]
    apart = sum((abs(k) < abs(r)) - (abs(r) < abs(k)) for k, r in voters) > 0
    if min(order.n, order.outputs) == 1:
        apart = False
    elif apart and (not target.is_gpu or (order.along and order.lanes_per_output > 1)):
        return None
    modes = "".join(UNIT if r == 1 else STRIDED if r else ZERO for _, r in steps)
    reaches = [sum((m - 1) * abs(s) for m, s in zip(kept + reduced, (*k, r), strict=True)) for k, r in steps]
    integer = "i32" if target.is_gpu and max(*reaches, order.n * order.outputs) < INDEX32_LIMIT else "i64"
    capacity = strips = full = 0
    split = group = 1
    if not target.is_gpu:
        capacity = 1 << (-(-order.n // target.lanes) - 1).bit_length()
        many = max(1, min(ITEM_ELEMENTS // order.n, order.outputs // 64))
        items = -(-order.outputs // many)
        grain, aligned = target.lanes, range(len(extents))
        useful = order.n % target.lanes == 0
    else:
        strips = -(-order.n // (STRIP * order.lanes_per_output))
        full = order.n // (STRIP * order.lanes_per_output)
        split = 2 if strips * STRIP > FEW_HELD and 2 * order.lanes_per_output <= target.max_group else 1
        # Where neighbours take neighbouring rows, enough of them to read memory in whole lines.
        group = max(GPU_GROUP, min(order.lanes_per_output * split * (LINE_ROWS if apart else 1), target.max_group))
        many = group // (order.lanes_per_output * split)
        items = -(-order.outputs // many) * group
        grain, aligned = STRIP, range(len(modes))
        useful = not apart
    for number in aligned:
        if modes[number] == UNIT and any(step % grain for step in steps[number][0]):
            useful = False
    even = order.n % STRIP == 0
    spec = RowSpec(
        order.lanes_per_output, split, group, strips, full, even, apart, capacity, extents, len(kept), modes, integer
    )  # fmt: skip
    numbers = (order.n, order.outputs, many, *kept)
    return RowSchedule(spec, grain if useful else 1, items, numbers, tuple(step for k, r in steps for step in (*k, r)))


class Rows:
    """The row kernels of one body on schedules of one spec (`RowSpec`): for any memory, and for aligned memory."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.device, self.body = device, without_repeats(body)
        self._spec = spec
        self._kernels: dict[bool, tuple[Parameters, Kernel]] = {}
        self._names = "+".join(operations(body))
        results = len(body.results)
        self._checked = [
            number
            for number, mode in enumerate(spec.modes)
            if mode == UNIT and (number < results or (device.is_gpu and not body.operands[number - results][1]))
        ]

    def run(
        self,
        schedule: RowSchedule,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
        scalars: Sequence[Any],
    ) -> None:
        """One launch; operands in the body's order, with the layouts of index variables among them."""
        items = (*results, *operands)
        arrays = [*results, *[item for item in operands if type(item) is GpuArray], *memory]
        buffers = [array.storage.buffer for array in arrays]
        aligned = (
            schedule.grain > 1
            and all([items[number].offset % schedule.grain == 0 for number in self._checked])
            and all([buffer.aligned for buffer in buffers])
            and (self.device.is_gpu or results[0].size * results[0].dtype.itemsize >= STREAM)
        )
        ready = self._kernels.get(aligned)
        if ready is None:
            parameters = Parameters()
            text = _Text(self.device, self.body, self._spec._replace(aligned=aligned))
            kernel = compiled(self.device, text.write(parameters), text.name_of_kernel)
            ready = self._kernels[aligned] = parameters, kernel
        parameters, kernel = ready
        offsets = [item.offset for item in (*items, *memory)]
        packed = parameters.pack([*schedule.numbers, *offsets, *schedule.strides, *scalars])
        launch(self.device, kernel, self._names, schedule.items, buffers, packed, schedule.spec.group)


def _program(device: Device, body: Body, spec: RowSpec) -> Program:
    """The phases of a body on a device."""
    rowwise = frozenset(k for k, mode in enumerate(spec.modes[len(body.results) :]) if mode == ZERO)
    return program_of(body, rowwise, spec.extents, 0 if device.is_gpu else EXPENSIVE + 1)


def fits(device: Device, body: Body, spec: RowSpec) -> bool:
    """Whether there is room for what is held of a row, and for one reduction more of the result."""
    body = without_repeats(body)
    words = _program(device, body, spec).words
    if not device.is_gpu:
        return words * 4 * spec.capacity * device.lanes <= device.local_memory // 2
    shared = 16 + sum([rule.args[0].itemsize for rule, _ in body.steps if isinstance(rule, Fold)])
    return (
        words * spec.strips * STRIP <= HELD_WORDS * spec.split
        and shared * spec.shared <= device.local_memory
        and sum([rule.cost for rule, _ in body.steps]) <= COSTLY
    )


class _Text:
    """The text of a kernel."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.device, self.body, self.spec, self.program = device, body, spec, _program(device, body, spec)
        self.gpu = device.is_gpu
        self.name_of_kernel = kernel_name("rows", body, spec.kept_rank + 1)
        self.results = [f"o{k}" for k in range(len(body.results))]
        self.operands = [f"x{k}" for k in range(len(body.operands))]
        self.integer = f"S_{spec.integer}"
        self.own = spec.own
        self.each = f"UNROLL for (int u = 0; u < {self.own}; u++)"
        # Several neighbours by one access, on GPUs: of results and operands, how many.
        self.vectors: dict[str, int] = {}
        dtypes = [*body.dtypes, *[dtype for dtype, _ in body.operands]]
        for number, (name, dtype) in enumerate(zip(self.results + self.operands, dtypes, strict=True)):
            is_iota = number >= len(self.results) and body.operands[number - len(self.results)][1]
            moving = spec.extents[number] if number < len(self.results) else spec.modes[number] != ZERO
            count = min(self.own, 16 // dtype.itemsize)
            if self.gpu and spec.aligned and moving and spec.modes[number] == UNIT and not is_iota and count > 1:
                self.vectors[name] = count

    def write(self, parameters: Parameters) -> str:
        """The kernel. Its parameters are declared in the order in which `Rows.run` packs them."""
        body, spec, add = self.body, self.spec, parameters.add
        axes = [f"k{axis}" for axis in range(spec.kept_rank)]
        for name in ("n", "outputs", "many", *axes):
            add(name, spec.integer)
        for name in [f"{name}_0" for name in self.results + self.operands]:
            add(name, "i64")
        for k in range(len(body.memory)):
            add(f"m{k}", "i64")
        for name in self.results + self.operands:
            for axis in (*axes, "r"):
                add(f"{name}_{axis}", spec.integer)
        for k, dtype in enumerate(body.scalars):
            add(f"s{k}", SHORT[dtype])
        pointers = [(SHORT[dtype], name) for name, dtype in zip(self.results, body.dtypes, strict=True)]
        pointers += [
            (SHORT[dtype], f"p{name}")
            for name, (dtype, is_iota) in zip(self.operands, body.operands, strict=True)
            if not is_iota
        ]
        pointers += [(SHORT[dtype], f"m{k}") for k, dtype in enumerate(body.memory)]
        dtypes = dict(zip(self.results + self.operands, [*body.dtypes, *[d for d, _ in body.operands]], strict=True))
        accesses = {
            f"VECTORS({SHORT[dtypes[name]]}, {count}, W_{count * dtypes[name].itemsize})"
            for name, count in self.vectors.items()
        }
        phases = [line for number, phase in enumerate(self.program.phases) for line in self.phase(number, phase)]
        lines = [
            parameters.text(),
            *sorted(accesses),
            described(body),
            f"KERNEL {self.group()} void {self.name_of_kernel}({arguments(pointers)}) {{",
            *[f"R_{SHORT[d]} s{k} = SPLAT_{SHORT[d]}(p.s{k});" for k, d in enumerate(body.scalars)],
            *self.memory(),
            *self.place(),
            *phases,
            *self.keep(),
            *(["}"] if not self.gpu else []),
            "}",
        ]
        return indented(lines)

    def group(self) -> str:
        """How many work-items a group has. Left alone, compilers also keep what a half was converted to, and half as
        many groups run."""
        group = self.spec.group
        if self.gpu and group < MIN_RESIDENT and self.program.words * self.spec.strips * self.own <= FEW_HELD:
            return f"CROWDS_OF({group}, {MIN_RESIDENT // group})"
        return f"GROUPS_OF({group})"

    def memory(self) -> list[str]:
        """Local memory: for what is combined between work-items, and on CPUs for what is held."""
        lines = []
        if not self.gpu:
            for reference in sorted(self.program.held):
                short = SHORT[type_of(self.body, reference)]
                lines.append(f"LOCAL R_{short} {name_of(reference)}_h[{self.spec.capacity}];")
        elif self.spec.together * self.spec.split > 1:
            for number, (rule, _) in enumerate(self.body.steps):
                if isinstance(rule, Fold):
                    register, group = f"R_{SHORT[rule.args[0]]}", self.spec.group
                    lines.append(f"LOCAL {register} totals{number}[{group}];")
                    if self.spec.split > 1:
                        lines.append(f"LOCAL {register} parts{number}[{group * self.own}];")
        return lines

    def place(self) -> list[str]:
        """Which row, and where it begins in each array."""
        spec, integer = self.spec, self.integer
        if self.gpu:
            items = spec.together * spec.split
            column, share = f"LID / {items}", f"LID % {items}"
            if spec.apart:
                column, share = f"LID % {self.beside}", f"LID / {self.beside}"
            lines = [
                f"const int column = {column}, share = {share}; const S_i64 own = share * {self.own};",
                f"{integer} row = GROUP * {self.beside} + column;",
                "const int live = row < p.outputs;",
                "if (!live) row = p.outputs - 1;",  # once more, to no effect
            ]
        else:
            lines = [
                f"{integer} final = (GID + 1) * p.many < p.outputs ? (GID + 1) * p.many : p.outputs;",
                f"for ({integer} row = GID * p.many; row < final; row++) {{",
            ]
        lines.append(f"{integer} rest = row;")
        for axis in reversed(range(spec.kept_rank)):
            shorter = f" % p.k{axis}; rest /= p.k{axis}" if axis else ""
            lines.append(f"{integer} c{axis} = rest{shorter};")
        for name in self.results + self.operands:
            terms = "".join(f" + (S_i64)c{axis} * p.{name}_k{axis}" for axis in range(spec.kept_rank))
            lines.append(f"S_i64 {name}_b = p.{name}_0{terms};")
        for k, name in enumerate(self.operands):
            if spec.modes[len(self.results) + k] == ZERO:
                dtype, is_iota = self.body.operands[k]
                short = "i64" if is_iota else SHORT[dtype]
                lines.append(f"R_{short} {fill(name, f'p{name}', short, is_iota, ZERO, Place(f'{name}_b', '0', '1'))}")
        if self.gpu:
            for reference in sorted(self.program.held):
                short = SHORT[type_of(self.body, reference)]
                lines.append(f"R_{short} {name_of(reference)}_h[{spec.strips * self.own}];")
        return lines

    def phase(self, number: int, phase: Phase) -> list[str]:
        """The statements for a row up to, and with, the next reductions of it."""
        lines = []
        for reference in phase.rowwise:
            rule, _ = self.body.steps[reference >> 2]
            word = expression(self.body, reference >> 2, partial=False)
            lines.append(f"R_{SHORT[rule.result]} {name_of(reference)} = {word};")
        if not phase.folds and not phase.results:
            return lines
        lines += [self.start("total", reference) for reference in phase.folds]
        lines += (self.held_strips if self.gpu else self.strips)(phase)
        for reference in phase.folds:
            lines += self.combine(reference)
        return lines

    @property
    def beside(self) -> int:
        """Rows of a group, on GPUs."""
        return self.spec.group // (self.spec.together * self.spec.split)

    def held_strips(self, phase: Phase) -> list[str]:
        """On GPUs: all strips of a row, each of which has registers of its own."""
        spec, strip = self.spec, STRIP * self.spec.together
        lines = [self.start("part", reference) for reference in phase.folds if self.in_blocks(reference)]
        if spec.full:
            lines += [
                f"UNROLL for (int k = 0; k < {spec.full}; k++) {{",
                f"const S_i64 first = k * {strip} + own;",
                *self.vector_loads(phase),
                f"{self.each} {{",
                "const S_i64 i = first + u; const int n = LANES;",
                *self.element(phase, f"k * {self.own} + u", masked=False, wide=True),
                "}",
                *self.vector_stores(phase, "live"),
                "}",
            ]
        if spec.full == spec.strips:
            return lines + self.end_block(phase)
        # The last elements: no branches, so that the loads are on their way together.
        begin, slot = f"{spec.full * strip} + own", f"{spec.full * self.own} + u"
        if spec.even and self.vectors:
            lines += [
                "{",
                f"S_i64 first = {begin}; const int inside = live && first < p.n;",
                "R_b8 valid = less_i64(first, p.n);",
                f"if (first >= p.n) first = p.n - {self.own};",
                *self.vector_loads(phase),
                f"{self.each} {{",
                "const S_i64 i = first + u; const int n = LANES;",
                *self.element(phase, slot, masked=True, wide=True),
                "}",
                *self.vector_stores(phase, "inside"),
                "}",
            ]
        else:
            lines += [
                f"{self.each} {{",
                f"S_i64 i = {begin} + u; const int n = LANES;",
                "R_b8 valid = less_i64(i, p.n); const int inside = live && i < p.n;",
                "if (i >= p.n) i = p.n - 1;",
                *self.element(phase, slot, masked=True, wide=False),
                "}",
            ]
        return lines + self.end_block(phase)

    def strips(self, phase: Phase) -> list[str]:
        """On CPUs: block by block, and strip by strip."""
        strip = f"{STRIP} * LANES"
        # Unrolled, accumulators stay in registers, which repays the compiler's time where little is computed.
        cost = sum([self.body.steps[own >> 2][0].cost for own in phase.computed if own & 3 == RESULT])
        each = self.each if cost <= 16 else self.each.removeprefix("UNROLL ")
        return [
            f"for ({self.integer} block = 0; block < p.n; block += {BLOCK} * {strip}) {{",
            f"{self.integer} end = block + {BLOCK} * {strip} < p.n ? block + {BLOCK} * {strip} : p.n, r = block;",
            *[self.start("part", reference) for reference in phase.folds if self.in_blocks(reference)],
            f"for (; r + {strip} <= end; r += {strip}) {{",
            f"{each} {{",
            f"const {self.integer} i = r + u * LANES; const int n = LANES;",
            *self.element(phase, "i / LANES", masked=False, wide=False),
            "}",
            "}",
            f"if (r < end) {each} {{",
            f"const {self.integer} i = r + u * LANES;",
            "const int n = i >= end ? 0 : end - i < LANES ? (int)(end - i) : LANES;",
            "if (n == 0) break;",
            "R_b8 valid = less_i64(IOTA, SPLAT_i64(n));",
            *self.element(phase, "i / LANES", masked=True, wide=False),
            "}",
            *self.end_block(phase),
            "}",
        ]

    def element(self, phase: Phase, slot: str, masked: bool, wide: bool) -> list[str]:
        """What happens to the register of elements from ``i`` on, of which ``n`` lanes hold some.

        ``masked``: some are none; ``wide``: those that are accessed together with others are loaded, and stored later.
        """
        body, lines = self.body, []
        for reference in phase.recalled:
            name = name_of(reference)
            lines.append(f"R_{self.short(reference)} {name} = {name}_h[{slot}];")
        for reference in phase.computed:
            name, short = name_of(reference), self.short(reference)
            if reference & 3 == ARRAY:
                lines += self.loaded(reference >> 2, wide)
            else:
                lines.append(f"R_{short} {name} = {expression(body, reference >> 2)};")
            if reference in self.program.held:
                lines.append(f"{name}_h[{slot}] = {name};")
        for reference in phase.folds:
            rule, (value,) = body.steps[reference >> 2]
            assert isinstance(rule, Fold)
            t, number, dtype = SHORT[rule.args[0]], reference >> 2, rule.args[0]
            word = cast(name_of(value), type_of(body, value), dtype)
            if masked:
                word = f"where_{t}(valid, {word}, {rule.monoid.identity(dtype)})"
            into = f"{'part' if self.in_blocks(reference) else 'total'}{number}[u]"
            lines.append(f"{into} = {rule.monoid.function}_{t}({into}, {word});")
        for k in phase.results:
            name, short = f"o{k}", SHORT[body.dtypes[k]]
            result = cast(name_of(body.results[k]), type_of(body, body.results[k]), body.dtypes[k])
            mode = self.spec.modes[k]
            step = "1" if mode == UNIT else f"p.{name}_r"
            if name in self.vectors and wide:
                lines.append(f"{name}_v[u] = {result};")
            elif self.gpu:
                inside = "inside" if masked else "live"
                lines.append(f"STOREN_{short}({name}, {name}_b + (S_i64)i * {step}, 1, {inside}, {result});")
            else:
                word = "STREAM" if self.spec.aligned else "STORE"
                lines.append(store(name, short, mode, result, Place(f"{name}_b", "i", step), word))
        return lines

    def short(self, reference: int) -> str:
        """The dtype of a value's register."""
        is_iota = reference & 3 == ARRAY and self.body.operands[reference >> 2][1]
        return "i64" if is_iota else SHORT[type_of(self.body, reference)]

    def loaded(self, number: int, wide: bool) -> list[str]:
        """The register of an operand."""
        name, (dtype, is_iota) = self.operands[number], self.body.operands[number]
        if name in self.vectors and wide:
            return [f"R_{SHORT[dtype]} {name} = {name}_v[u];"]
        mode = self.spec.modes[len(self.results) + number]
        step = "1" if mode == UNIT else f"p.{name}_r"
        place = Place(f"{name}_b", "i", step)
        return [
            f"R_{'i64' if is_iota else SHORT[dtype]} {name};",
            fill(name, f"p{name}", SHORT[dtype], is_iota, mode, place),
        ]

    def vector_loads(self, phase: Phase) -> list[str]:
        """Several elements from ``first`` on by one access, and room for those that are stored so."""
        lines = []
        for reference in phase.computed:
            name = name_of(reference)
            if reference & 3 == ARRAY and (count := self.vectors.get(name)):
                short = self.short(reference)
                lines.append(f"R_{short} {name}_v[{self.own}];")
                for k in range(0, self.own, count):
                    lines.append(f"LOADV_{short}(p{name}, {name}_b + first + {k}, {name}_v + {k});")
        for k in phase.results:
            if f"o{k}" in self.vectors:
                lines.append(f"R_{SHORT[self.body.dtypes[k]]} o{k}_v[{self.own}];")
        return lines

    def vector_stores(self, phase: Phase, condition: str) -> list[str]:
        lines = []
        for number in phase.results:
            name, short = f"o{number}", SHORT[self.body.dtypes[number]]
            if count := self.vectors.get(name):
                for k in range(0, self.own, count):
                    lines.append(f"if ({condition}) STOREV_{short}({name}, {name}_b + first + {k}, {name}_v + {k});")
        return lines

    # Reductions, as `reduce` has them.

    def in_blocks(self, reference: int) -> bool:
        """Whether blocks have sums of their own: what is exact needs none."""
        rule = self.body.steps[reference >> 2][0]
        return isinstance(rule, Fold) and rule.monoid.rounds(rule.args[0])

    def start(self, name: str, reference: int) -> str:
        """Declare accumulators that hold nothing."""
        rule, number = self.body.steps[reference >> 2][0], reference >> 2
        assert isinstance(rule, Fold)
        identity = rule.monoid.identity(rule.args[0])
        return f"R_{SHORT[rule.args[0]]} {name}{number}[{self.own}]; {self.each} {{ {name}{number}[u] = {identity}; }}"

    def end_block(self, phase: Phase) -> list[str]:
        lines = []
        for reference in phase.folds:
            if self.in_blocks(reference):
                number, rule = reference >> 2, self.body.steps[reference >> 2][0]
                assert isinstance(rule, Fold)
                word = f"{rule.monoid.function}_{SHORT[rule.args[0]]}"
                lines.append(f"{self.each} {{ total{number}[u] = {word}(total{number}[u], part{number}[u]); }}")
        return lines

    def combine(self, reference: int) -> list[str]:
        """Combine the accumulators, then the lanes, then the work-items that share a row."""
        rule, number = self.body.steps[reference >> 2][0], reference >> 2
        assert isinstance(rule, Fold)
        t, spec, totals = SHORT[rule.args[0]], self.spec, f"totals{number}"
        word, whole = f"{rule.monoid.function}_{t}", f"w{number}"
        lines = [f"R_{t} {whole} = total{number}[0];"]
        if spec.split > 1:
            # A work-item for each lane gets at the accumulators of the others that share it.
            lines += [
                f"{self.each} parts{number}[u * {spec.group} + LID] = total{number}[u];",
                "BARRIER;",
                f"if (share < {spec.together}) {{",
                f"UNROLL for (int u = 0; u < {STRIP}; u++) {{",
                f"const int other = share * {spec.split} + u / {self.own};",
                f"R_{t} its = parts{number}[u % {self.own} * {spec.group} + {self.place_of('other')}];",
                f"{whole} = u ? {word}({whole}, its) : its;",
                "}",
                "}",
            ]
        else:
            lines.append(f"UNROLL for (int u = 1; u < {STRIP}; u++) {whole} = {word}({whole}, total{number}[u]);")
        shift = self.device.lanes // 2
        while shift:
            lines.append(f"{whole} = {word}({whole}, ROTATE_{t}({whole}, {shift}));")
            shift //= 2
        if not self.gpu:  # of two zeros, lanes may have chosen differently: the first lane's counts
            lines.append(f"{whole} = LAST_{t}(ROTATE_{t}({whole}, 1));")
        if spec.together * spec.split > 1:
            # Some work-items combine what lies as far apart as it does in `reduce`, and then each does the rest.
            few = min(spec.together, FEW_IN_ROW)
            lines += [f"{totals}[LID] = {whole};", "BARRIER;"]
            if spec.together > few:
                lines += [f"if (share < {few}) {{", *self.tree(word, t, totals, "share", few, spec.together // few)]
                lines += [f"{totals}[LID] = q[0];", "}", "BARRIER;"]
            lines += ["{", *self.tree(word, t, totals, "0", 1, few), f"{whole} = q[0];", "}"]
        value = cast(whole, rule.args[0], rule.result)
        return [*lines, f"R_{SHORT[rule.result]} {name_of(reference)} = {value};"]

    def place_of(self, share: str) -> str:
        """The number in its group of the work-item with that share of the row."""
        if self.spec.apart:
            return f"({share}) * {self.beside} + column"
        return f"column * {self.spec.together * self.spec.split} + {share}"

    def tree(self, word: str, t: str, totals: str, first: str, apart: int, count: int) -> list[str]:
        """Combine the results of ``count`` of a row's work-items, ``apart`` from each other, from ``first`` on."""
        return [
            f"R_{t} q[{count}];",
            f"UNROLL for (int j = 0; j < {count}; j++) q[j] = {totals}[{self.place_of(f'{first} + j * {apart}')}];",
            f"UNROLL for (int away = {count // 2}; away > 0; away /= 2)",
            f"  UNROLL for (int j = 0; j < {count // 2}; j++) if (j < away) q[j] = {word}(q[j], q[j + away]);",
        ]

    def keep(self) -> list[str]:
        """The stores of results that have a value a row."""
        lines = []
        for k, (reference, dtype) in enumerate(zip(self.body.results, self.body.dtypes, strict=True)):
            if not self.spec.extents[k]:
                value = cast(name_of(reference), type_of(self.body, reference), dtype)
                condition = "if (live && share == 0) " if self.gpu else ""
                lines.append(f"{condition}STOREN_{SHORT[dtype]}(o{k}, o{k}_b, 1, 1, {value});")
        return lines
