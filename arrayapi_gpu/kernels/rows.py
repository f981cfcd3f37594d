"""The row kernel: a program over rows in which reductions of a row are steps like others.

A row is what one output of a reduction is made of. A group of work-items owns a row, or several short ones; on CPUs a
work-item takes some rows one after another. The program is cut into phases: one ends where a row has been reduced, and
the next may use what came out, which is the same for all of its elements. So an array is read from memory once, however
many reductions of its rows an expression has.

What a later phase needs again is saved or recomputed: on GPUs all is saved, in the registers of the work-item that has
it, which is why rows have a largest length there; on CPUs only what is expensive, in local memory, since the row's
operands are still in the cache. Elements are combined in the very order in which `reduce` combines them.

The loops, and what combines accumulators, lanes and work-items, are C: rows.c. The loads, arithmetic and stores of a
body are put into them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..backends.base import Device, Kernel, Target
from ..memory.dtypes import DTYPE_OF, SHORT
from ..memory.gpuarray import GpuArray
from ..memory.layout import Layout, broadcast_strides, collapse_ordered
from . import tuning
from .body import OPERAND, STEP, Body, M, Reference, S, T, X
from .dialect import (
    STRIDED,
    UNIT,
    ZERO,
    Parameters,
    Place,
    arguments,
    bases_of,
    cast,
    expression,
    load,
    parameters_of,
    pointers_of,
    scalars_of,
    store,
    value_of,
)
from .launch import compiled, launch
from .monoid import Monoid
from .ops import Rule
from .reduce_schedule import Order, order_of
from .schedule import INDEX32_LIMIT
from .texts import Hook, defines, section

RECOMPUTED = "cast_f16_f32"  # wherever it is wanted: the half takes less room than the float


class Fold(Rule):
    """The reduction of a row as a step of a program: it takes the accumulators' dtype."""

    __slots__ = ("identity", "in_blocks", "op", "short")

    def __init__(self, monoid: Monoid, dtype: np.dtype[Any], result: np.dtype[Any]):
        super().__init__((dtype,), result, monoid.name, 1)
        self.short = SHORT[dtype]
        self.op = f"{monoid.function}_{self.short}"  # the function that combines two accumulators
        self.identity = monoid.identity(dtype)
        self.in_blocks = monoid.rounds(dtype)  # blocks have sums of their own: what is exact needs none


fold = lru_cache(maxsize=None)(Fold)  # the same object for the same reduction: rules are keys


# --- the phases of a program ---


def without_repeats(body: Body) -> Body:
    """The body with each step once: expressions over rows often have the same reduction twice."""
    found: dict[tuple[Rule, tuple[Reference, ...]], int] = {}
    now: dict[Reference, Reference] = {}
    for number, (rule, references) in enumerate(body.steps):
        step = rule, tuple([now.get(reference, reference) for reference in references])
        now[T[number]] = T[found.setdefault(step, len(found))]
    return replace(body, steps=tuple(found), results=tuple(now.get(own, own) for own in body.results))


class Phase(NamedTuple):
    """What happens to each element of a row before the next reductions of it are known; all are references."""

    rowwise: tuple[Reference, ...]  # values that are the same all along the row, computed before it
    computed: tuple[Reference, ...]
    recalled: tuple[Reference, ...]  # saved by an earlier phase
    folds: tuple[Reference, ...]
    results: tuple[int, ...]  # numbers of results with a value an element


class Program(NamedTuple):
    """A body in phases."""

    phases: tuple[Phase, ...]
    saved: frozenset[Reference]
    words: int  # of four bytes that are saved at a time, for each element


def _levels(body: Body, rowwise: frozenset[int]) -> tuple[dict[Reference, int], set[Reference]]:
    """The phase in which each step's value can be computed first, and all values that are the same along a row."""
    same = {X[number] for number in rowwise}
    same |= {S[k] for k in range(len(body.scalars))} | {M[k] for k in range(len(body.memory))}
    level: dict[Reference, int] = {}
    for number, (rule, references) in enumerate(body.steps):
        own = T[number]
        level[own] = max([level.get(reference, 0) for reference in references]) + isinstance(rule, Fold)
        if isinstance(rule, Fold) or same.issuperset(references):
            same.add(own)
    return level, same


def _in_order(references: set[Reference]) -> tuple[Reference, ...]:
    return tuple(sorted(references, key=lambda reference: (reference.kind, reference)))


@lru_cache(maxsize=1024)
def program_of(body: Body, rowwise: frozenset[int], extents: tuple[bool, ...], least: int) -> Program:
    """Cut a body into phases.

    ``rowwise``: the numbers of the operands that are the same all along a row; ``extents``: for each result, whether it
    has a value an element; ``least``: the cost from which a value is saved, 0 for operands too.
    """
    level, same = _levels(body, rowwise)
    folds = [own for own in level if isinstance(body.steps[own.number][0], Fold)]
    phases: list[Phase] = []
    saved: set[Reference] = set()
    first: dict[Reference, int] = {}  # the phase in which a value is computed
    final: dict[Reference, int] = {}  # the last phase in which a value is needed
    for phase in range(1 + max([level.get(reference, 0) for reference in (*folds, *body.results)])):
        ended = [own for own in folds if level[own] == phase + 1]
        stored = [k for k, reference in enumerate(body.results) if extents[k] and level.get(reference, 0) == phase]
        needed = [body.steps[own.number][1][0] for own in ended] + [body.results[k] for k in stored]
        computed: set[Reference] = set()
        recalled: set[Reference] = set()
        while needed:
            reference = needed.pop()
            if reference in same or reference in computed or reference in recalled:
                continue
            final[reference] = phase
            if _cost(body, reference) >= least and first.setdefault(reference, phase) < phase:
                recalled.add(reference)
                continue
            computed.add(reference)
            if reference.kind == STEP:
                needed += body.steps[reference.number][1]
        saved |= recalled
        ready = tuple(own for own in level if level[own] == phase and own in same and own not in folds)
        phases.append(Phase(ready, _in_order(computed), _in_order(recalled), tuple(ended), tuple(stored)))
    words = [
        sum([-(-body.dtype_of(own).itemsize // 4) for own in saved if first[own] <= phase < final[own]])
        for phase in range(len(phases))
    ]
    return Program(tuple(phases), frozenset(saved), max(words))


def _cost(body: Body, reference: Reference) -> int:
    """What it takes to compute a value again from its operands."""
    if reference.kind != STEP:
        return 0
    rule = body.steps[reference.number][0]
    return -1 if rule.function == RECOMPUTED else rule.cost


# --- how work-items go through rows ---


class RowSpec(NamedTuple):
    """What a kernel depends on: the part of a schedule that its text is made of."""

    extents: tuple[bool, ...]  # for each result, whether it has a value an element
    kept_rank: int
    modes: str  # a letter a result and operand: how a row is walked
    integer: str  # the dtype that counts elements
    capacity: int = 0  # on CPUs, the registers of a row that there is room for
    # On GPUs
    lanes_per_row: int = 1  # lanes that share a row, each of ``items_per_lane`` work-items
    items_per_lane: int = 1  # that share a lane's accumulators
    group: int = 1  # work-items
    strips: int = 0  # of a row, each of ACCUMULATORS registers a lane
    whole: int = 0  # of them have all their elements
    even: bool = False  # of the last, each work-item has all or none
    output_major: bool = False  # neighbouring work-items take neighbouring rows, not neighbouring elements of one
    aligned: bool = False  # rows begin where several elements may be accessed at a time

    @property
    def own(self) -> int:
        """The accumulators of a work-item, and the registers that it has of a strip."""
        return tuning.ACCUMULATORS // self.items_per_lane

    @property
    def local_values(self) -> int:
        """Values in local memory for each reduction, on GPUs."""
        return self.group * (1 + self.own if self.items_per_lane > 1 else 1)


class RowSchedule(NamedTuple):
    """How rows are walked."""

    spec: RowSpec
    grain: int  # rows begin at multiples of so many elements, if their arrays do; 1 where it does not matter
    items: int
    numbers: tuple[int, ...]  # for the kernel, see `_Text`
    strides: tuple[int, ...]  # of a result or operand after the other: kept axes, then along the row


@lru_cache(maxsize=4096)
def possible(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> bool:
    """Whether rows of ``shape`` along ``axes`` are short enough for their kernel."""
    if 0 in shape:
        return False
    order = order_of(shape, axes, target)
    if not target.is_gpu:
        return order.n <= tuning.LONGEST and not order.across
    return order.segments == 1 and order.n <= tuning.BLOCK * tuning.ACCUMULATORS * order.lanes_per_output


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
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    (kept, kept_steps), (reduced, reduced_steps) = (
        collapse_ordered(tuple(shape[axis] for axis in own), tuple(tuple(s[axis] for axis in own) for s in strides))
        for own in ([axis for axis in range(len(shape)) if axis not in axes], axes)
    )
    if len(reduced) > 1:
        return None
    steps = [(k, r[0]) for k, r in zip(kept_steps, reduced_steps, strict=True)]
    output_major = _rows_are_closer(order, steps)
    if output_major and (not target.is_gpu or (order.along and order.lanes_per_output > 1)):
        return None
    modes = "".join(UNIT if r == 1 else STRIDED if r else ZERO for _, r in steps)
    reaches = [sum((m - 1) * abs(s) for m, s in zip(kept + reduced, (*k, r), strict=True)) for k, r in steps]
    integer = "i32" if target.is_gpu and max(*reaches, order.n * order.outputs) < INDEX32_LIMIT else "i64"
    spec = RowSpec(extents, len(kept), modes, integer)
    if target.is_gpu:
        spec = _on_gpu(spec, order, output_major, target)
        many = spec.group // (spec.lanes_per_row * spec.items_per_lane)
        grain, checked, useful = tuning.ACCUMULATORS, range(len(modes)), not output_major
    else:
        spec = spec._replace(capacity=1 << (-(-order.n // target.lanes) - 1).bit_length())
        many = max(1, min(tuning.ITEM_ELEMENTS // order.n, order.outputs // 64))
        grain, checked, useful = target.lanes, range(len(extents)), order.n % target.lanes == 0
    for number in checked:
        if modes[number] == UNIT and any(step % grain for step in steps[number][0]):
            useful = False
    items = -(-order.outputs // many) * spec.group
    numbers = (order.n, order.outputs, many, *kept)
    return RowSchedule(spec, grain if useful else 1, items, numbers, tuple(step for k, r in steps for step in (*k, r)))


def _rows_are_closer(order: Order, steps: Sequence[tuple[tuple[int, ...], int]]) -> bool:
    """Whether rows lie closer together in memory than the elements of one, in most results and operands."""
    voters = [(k[-1], r) for k, r in steps if r or (k[-1] and order.along)]
    return min(order.n, order.outputs) > 1 and sum((abs(k) < abs(r)) - (abs(r) < abs(k)) for k, r in voters) > 0


def _on_gpu(spec: RowSpec, order: Order, output_major: bool, target: Target) -> RowSpec:
    """The spec with a group's share of the work."""
    lanes = order.lanes_per_output
    strips = -(-order.n // (tuning.ACCUMULATORS * lanes))
    items_per_lane = 2 if strips * tuning.ACCUMULATORS > tuning.SAVED_PER_ITEM and 2 * lanes <= target.max_group else 1
    # Where neighbours take neighbouring rows, enough of them to read memory in whole lines.
    wanted = lanes * items_per_lane * (tuning.LINE_ROWS if output_major else 1)
    return spec._replace(
        lanes_per_row=lanes,
        items_per_lane=items_per_lane,
        group=max(tuning.GPU_GROUP, min(wanted, target.max_group)),
        strips=strips,
        whole=order.n // (tuning.ACCUMULATORS * lanes),
        even=order.n % tuning.ACCUMULATORS == 0,
        output_major=output_major,
    )


class Rows:
    """The row kernels of one body on schedules of one spec (`RowSpec`): for any memory, and for aligned memory."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.device, self.body = device, without_repeats(body)
        self._spec = spec
        self._kernels: dict[bool, tuple[Parameters, Kernel]] = {}
        self._names = "+".join(body.operations)
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
            and (self.device.is_gpu or results[0].size * results[0].dtype.itemsize >= tuning.STREAM)
        )
        ready = self._kernels.get(aligned)
        if ready is None:
            text = _Text(self.device, self.body, self._spec._replace(aligned=aligned))
            kernel = compiled(self.device, text.write(), text.name)
            ready = self._kernels[aligned] = text.parameters, kernel
        parameters, kernel = ready
        offsets = [item.offset for item in (*items, *memory)]
        packed = parameters.pack([*schedule.numbers, *offsets, *schedule.strides, *scalars])
        launch(self.device, kernel, self._names, schedule.items, buffers, packed, schedule.spec.group)


def _program(device: Device, body: Body, spec: RowSpec) -> Program:
    """The phases of a body on a device."""
    rowwise = frozenset(k for k, mode in enumerate(spec.modes[len(body.results) :]) if mode == ZERO)
    return program_of(body, rowwise, spec.extents, 0 if device.is_gpu else tuning.EXPENSIVE + 1)


def fits(device: Device, body: Body, spec: RowSpec) -> bool:
    """Whether there is room for what is saved of a row, and for one reduction more of the result."""
    body = without_repeats(body)
    words = _program(device, body, spec).words
    if not device.is_gpu:
        return words * 4 * spec.capacity * device.lanes <= device.local_memory // 2
    local = 16 + sum([rule.args[0].itemsize for rule, _ in body.steps if isinstance(rule, Fold)])
    return (
        words * spec.strips * tuning.ACCUMULATORS <= tuning.SAVED_WORDS * spec.items_per_lane
        and local * spec.local_values <= device.local_memory
        and body.cost <= tuning.COSTLY
    )


# --- the text of a kernel: what is put into rows.c ---


class _Array(NamedTuple):
    """A result or operand."""

    name: str
    pointer: str
    short: str
    mode: str
    is_iota: bool
    neighbours: int  # that are accessed at a time, on GPUs; 1: each on its own

    @property
    def step(self) -> str:
        return "1" if self.mode == UNIT else f"p.{self.name}_r"

    def loaded(self) -> tuple[str, str]:
        """The declaration of the register, and the statement that fills it."""
        return load(self.name, self.short, self.is_iota, self.mode, f"{self.name}_b", self.step)


class _Text:
    """The text of a kernel."""

    def __init__(self, device: Device, body: Body, spec: RowSpec):
        self.body, self.spec, self.program, self.gpu = body, spec, _program(device, body, spec), device.is_gpu
        self.name = body.kernel_name("rows", spec.kept_rank + 1)
        self.folds = {T[k]: rule for k, (rule, _) in enumerate(body.steps) if isinstance(rule, Fold)}
        kinds = [
            (f"o{k}", f"o{k}", dtype, False, extent)
            for k, (dtype, extent) in enumerate(zip(body.dtypes, spec.extents, strict=True))
        ]
        kinds += [(f"x{k}", f"px{k}", dtype, is_iota, True) for k, (dtype, is_iota) in enumerate(body.operands)]
        self.arrays = []
        for (name, pointer, dtype, is_iota, moving), mode in zip(kinds, spec.modes, strict=True):
            together = self.gpu and spec.aligned and moving and mode == UNIT and not is_iota
            count = min(spec.own, 16 // dtype.itemsize) if together else 1
            self.arrays.append(_Array(name, pointer, SHORT[dtype], mode, is_iota, count))
        self.results, self.operands = self.arrays[: len(body.results)], self.arrays[len(body.results) :]
        # The parameters, in the order in which `Rows.run` packs them.
        axes, names = [f"k{axis}" for axis in range(spec.kept_rank)], [array.name for array in self.arrays]
        strides = [f"{name}_{axis}" for name in names for axis in (*axes, "r")]
        self.parameters = parameters_of(body, ["n", "outputs", "many", *axes], names, strides, spec.integer)

    def write(self) -> str:
        """The kernel."""
        spec, kind = self.spec, "gpu" if self.gpu else "cpu"
        wide = {(array.short, array.neighbours) for array in self.arrays if array.neighbours > 1}
        constants = {"ACCUMULATORS": tuning.ACCUMULATORS, "BLOCK": tuning.BLOCK}
        if self.gpu:
            constants = {"ACCUMULATORS": tuning.ACCUMULATORS, "LANES_PER_ROW": spec.lanes_per_row}
            constants |= {"ITEMS_PER_LANE": spec.items_per_lane}
            constants |= {"SIZE": spec.group, "STRIPS": spec.strips, "WHOLE": spec.whole}
            constants |= {"EVEN": spec.even and bool(wide), "OUTPUT_MAJOR": spec.output_major}
            constants["RESULTS_PER_ITEM"] = min(spec.lanes_per_row, tuning.ROW_RESULTS_PER_ITEM)
        accesses = [f"VECTORS({short}, {count}, W_{count * DTYPE_OF[short].itemsize})\n" for short, count in wide]
        text = f"{self.parameters.text()}\n{''.join(sorted(accesses))}{defines(constants)}"
        text += section("rows", f"begin_{kind}", **self._beginning())
        *_, last = self.program.phases
        for phase in self.program.phases:
            if phase.folds or phase.results:
                text += section("rows", f"phase_{kind}", **self._phase(phase))
            for reference in phase.folds:
                fold, w = self.folds[reference], f"w{reference.number}"
                words = {"T": fold.short, "R": SHORT[fold.result], "value": cast(w, fold.args[0], fold.result)}
                text += section("rows", f"combine_{kind}", f=reference.number, op=fold.op, **words)
        values = [] if last.results else self._rowwise(last)
        return text + section("rows", f"end_{kind}", values=values, stores=self._row_stores())

    def _beginning(self) -> dict[str, Hook]:
        """What comes before the first phase."""
        body, spec = self.body, self.spec
        where, slots = ("", spec.strips * spec.own) if self.gpu else ("LOCAL ", spec.capacity)
        # Left alone, compilers also keep what a half was converted to, and half as many groups run.
        attribute = f"GROUPS_OF({spec.group})"
        if self.gpu and spec.group < tuning.MIN_RESIDENT and self.program.words * slots <= tuning.SAVED_PER_ITEM:
            attribute = f"RESIDENT_GROUPS_OF({spec.group}, {tuning.MIN_RESIDENT // spec.group})"
        return {
            "expression": body.described(),
            "attribute": attribute,
            "kernel": self.name,
            "arguments": arguments(pointers_of(body, body.dtypes)),
            "scalars": scalars_of(body),
            "I": spec.integer,
            "bases": bases_of([array.name for array in self.arrays], spec.kept_rank, spec.integer),
            "rowwise": [line for array in self.operands if array.mode == ZERO for line in array.loaded()],
            "saved": [
                f"{where}R_{self._short(reference)} {reference}_saved[{slots}];"
                for reference in sorted(self.program.saved)
            ],
        }

    def _phase(self, phase: Phase) -> dict[str, Hook]:
        """The statements for a row up to the next reductions of it."""
        totals, parts, sums, loads, stores = [], [], [], [], []
        each = "UNROLL for (int u = 0; u < OWN; u++)"
        for reference in phase.folds:
            fold, total, part = self.folds[reference], f"total{reference.number}", f"part{reference.number}"
            totals.append(f"R_{fold.short} {total}[OWN]; {each} {total}[u] = {fold.identity};")
            if fold.in_blocks:
                parts.append(f"R_{fold.short} {part}[OWN]; {each} {part}[u] = {fold.identity};")
                sums.append(f"{each} {total}[u] = {fold.op}({total}[u], {part}[u]);")
        read = [self.operands[reference.number] for reference in phase.computed if reference.kind == OPERAND]
        for array in read + [self.results[number] for number in phase.results]:
            if array.neighbours > 1:
                loads.append(f"R_{array.short} {array.name}_v[OWN];")
                for k in range(0, self.spec.own, array.neighbours):
                    access = f"V_{array.short}({array.pointer}, {array.name}_b + first + {k}, {array.name}_v + {k});"
                    if array in read:
                        loads.append(f"LOAD{access}")
                    else:
                        stores.append(f"if (inside) STORE{access}")
        # Unrolled, accumulators stay in registers, which repays the compiler's time where little is computed.
        cost = sum([self.body.steps[own.number][0].cost for own in phase.computed if own.kind == STEP])
        return {
            "I": self.spec.integer,
            "values": self._rowwise(phase),
            "totals": totals,
            "parts": parts,
            "unroll": "UNROLL " if cost <= 16 else "",
            "loads": loads,
            "element": self._element(phase, masked=False),
            "last": self._element(phase, masked=True),
            "stores": stores,
            "sums": sums,
        }

    def _rowwise(self, phase: Phase) -> list[str]:
        """The values that are the same all along the row."""
        return [
            f"R_{self._short(reference)} {reference} = {expression(self.body, reference.number, partial=False)};"
            for reference in phase.rowwise
        ]

    def _element(self, phase: Phase, masked: bool) -> list[str]:
        """What happens to the register of elements from ``i`` on, of which ``n`` lanes hold some.

        ``masked``: some are none. Those that are accessed together with others are loaded before, and stored later.
        """
        body, lines, together = self.body, [], self.spec.even or not masked
        for reference in phase.recalled:
            lines.append(f"R_{self._short(reference)} {reference} = {reference}_saved[SLOT];")
        for reference in phase.computed:
            name, short = str(reference), self._short(reference)
            if reference.kind == STEP:
                lines.append(f"R_{short} {name} = {expression(body, reference.number)};")
            elif together and self.operands[reference.number].neighbours > 1:
                lines.append(f"R_{short} {name} = {name}_v[u];")
            else:
                lines += self.operands[reference.number].loaded()
            if reference in self.program.saved:
                lines.append(f"{name}_saved[SLOT] = {name};")
        for reference in phase.folds:
            fold, (value,) = self.folds[reference], body.steps[reference.number][1]
            word = value_of(body, value, fold.args[0])
            if masked:
                word = f"where_{fold.short}(valid, {word}, {fold.identity})"
            into = f"{'part' if fold.in_blocks else 'total'}{reference.number}[u]"
            lines.append(f"{into} = {fold.op}({into}, {word});")
        for number in phase.results:
            array, word = self.results[number], self._result(number)
            place = Place(f"{array.name}_b", "(S_i64)i" if self.gpu else "i", array.step)
            if together and array.neighbours > 1:
                lines.append(f"{array.name}_v[u] = {word};")
            elif self.gpu:
                lines.append(f"STOREN_{array.short}({array.name}, {place.first}, 1, inside, {word});")
            else:
                how = "STREAM" if self.spec.aligned else "STORE"
                lines.append(store(array.name, array.short, array.mode, word, place, how))
        return lines

    def _row_stores(self) -> list[str]:
        """The stores of results that have a value a row."""
        condition = "if (active && item == 0) " if self.gpu else ""
        return [
            f"{condition}STOREN_{array.short}({array.name}, {array.name}_b, 1, 1, {self._result(number)});"
            for number, array in enumerate(self.results)
            if not self.spec.extents[number]
        ]

    def _short(self, reference: Reference) -> str:
        return SHORT[self.body.dtype_of(reference)]

    def _result(self, number: int) -> str:
        """The value of a result, as it is stored."""
        return value_of(self.body, self.body.results[number], self.body.dtypes[number])
