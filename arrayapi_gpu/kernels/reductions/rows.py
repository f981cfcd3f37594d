"""The row kernel: a program over rows in which reductions of a row are steps like others.

A row has the elements of one output of a reduction. A group of work-items owns a row, or several short ones; on CPUs a
work-item takes some rows one after another, or, where lanes lie across rows, some together. The program is cut into
phases: one ends where a row has been reduced, and the next may use the result, which is the same for all elements of
the row. So an array is read from memory once, however many reductions of its rows an expression has.

Values that a later phase needs again are saved or recomputed. On GPUs all are saved, in the registers of the work-item
that has them, so rows have a largest length there. On CPUs the expensive ones are saved, in local memory, because the
operands of the row are still in the cache. Elements are combined in the order in which `reduce` combines them.

The loops, and the combination of accumulators, lanes and work-items, are C: rows.c. `rows_text` puts the loads, the
arithmetic and the stores of a body into them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device, Target
from ...memory.dtypes import SHORT
from ...memory.layout import size
from ..core import tuning
from ..core.body import STEP, Body, M, Reference, S, T, X
from ..core.dialect import UNIT
from ..core.monoid import Monoid
from ..core.ops import Rule
from ..core.staging import staging_of
from ..core.store import cached
from .reduce_schedule import Order, Strides, collapsed, integer_of, modes_of, order_of

NEVER = 1 << 30  # a cost that no value has
RECOMPUTED = "cast_f16_f32"  # wherever it is wanted: the half takes less room than the float


class Fold(Rule):
    """The reduction of a row as a step of a program: it takes the accumulators' dtype."""

    __slots__ = ("identity", "in_blocks", "monoid", "op", "short", "texts")

    def __init__(self, monoid: Monoid, dtype: np.dtype[Any], result: np.dtype[Any]):
        super().__init__((dtype,), result, monoid.name, 1)
        self.monoid = monoid
        self.short = SHORT[dtype]
        self.op = f"{monoid.function}_{self.short}"  # the function that combines two accumulators
        self.texts = monoid.texts
        self.identity = monoid.identity(dtype)
        self.in_blocks = monoid.rounds(dtype)  # blocks have their own sums, which exact operations do not need


fold_of = lru_cache(maxsize=None)(Fold)  # the same object for the same reduction: rules are keys


# --- the phases of a program ---


def without_repeats(body: Body) -> Body:
    """Return the body with each step once, because expressions over rows often have the same reduction twice."""
    found: dict[tuple[Rule, tuple[Reference, ...]], int] = {}
    now: dict[Reference, Reference] = {}
    for number, (rule, references) in enumerate(body.steps):
        step = rule, tuple([now.get(reference, reference) for reference in references])
        now[T[number]] = T[found.setdefault(step, len(found))]
    return replace(body, steps=tuple(found), results=tuple(now.get(own, own) for own in body.results))


class Phase(NamedTuple):
    """The work on each element of a row until its next reductions are known, as references."""

    rowwise: tuple[Reference, ...]  # values that are the same all along the row, computed before its elements
    computed: tuple[Reference, ...]
    recalled: tuple[Reference, ...]  # saved by an earlier phase
    folds: tuple[Reference, ...]
    results: tuple[int, ...]  # numbers of results with a value for each element


class Program(NamedTuple):
    """A body in phases."""

    phases: tuple[Phase, ...]
    saved: frozenset[Reference]
    words: int  # of four bytes that are saved at a time, for each element


def _first_phases(body: Body, rowwise: frozenset[int]) -> tuple[dict[Reference, int], set[Reference]]:
    """The phase in which each step's value can be computed first, and all values that are the same along a row."""
    scalars, memory = range(len(body.scalars)), range(len(body.memory))
    same = {*[X[k] for k in rowwise], *[S[k] for k in scalars], *[M[k] for k in memory]}
    earliest: dict[Reference, int] = {}
    for number, (rule, references) in enumerate(body.steps):
        own = T[number]
        earliest[own] = max([earliest.get(reference, 0) for reference in references]) + isinstance(rule, Fold)
        if isinstance(rule, Fold) or same.issuperset(references):
            same.add(own)
    return earliest, same


def _in_order(references: set[Reference]) -> tuple[Reference, ...]:
    return tuple(sorted(references, key=lambda reference: (reference.kind, reference)))


@lru_cache(maxsize=1024)
def program_of(body: Body, rowwise: frozenset[int], extents: tuple[bool, ...], least: int) -> Program:
    """Return a body in phases.

    ``rowwise``: the numbers of the operands that are the same all along a row; ``extents``: for each result, whether it
    has a value for each element; ``least``: the cost from which a value is saved, 0 for operands too.
    """
    earliest, same = _first_phases(body, rowwise)
    folds = [own for own in earliest if isinstance(body.steps[own.number][0], Fold)]
    phases: list[Phase] = []
    saved: set[Reference] = set()
    first: dict[Reference, int] = {}  # the phase in which a value is computed
    final: dict[Reference, int] = {}  # the last phase in which a value is needed
    for phase in range(1 + max([earliest.get(reference, 0) for reference in (*folds, *body.results)])):
        ended = [own for own in folds if earliest[own] == phase + 1]
        stored = [k for k, reference in enumerate(body.results) if extents[k] and earliest.get(reference, 0) == phase]
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
        ready = tuple(own for own in earliest if earliest[own] == phase and own in same and own not in folds)
        phases.append(Phase(ready, _in_order(computed), _in_order(recalled), tuple(ended), tuple(stored)))
    words = [
        sum([-(-body.dtype_of(own).itemsize // 4) for own in saved if first[own] <= phase < final[own]])
        for phase in range(len(phases))
    ]
    return Program(tuple(phases), frozenset(saved), max(words))


def _cost(body: Body, reference: Reference) -> int:
    """The cost of computing a value again from its operands."""
    if reference.kind != STEP:
        return 0
    rule = body.steps[reference.number][0]
    return -1 if rule.function == RECOMPUTED else rule.cost


# --- the schedule of rows ---


class RowSpec(NamedTuple):
    """The part of a schedule that the text of a kernel depends on."""

    extents: tuple[bool, ...]  # for each result, whether it has a value for each element
    kept_rank: int
    modes: str  # a letter for each result and operand: its stride from lane to lane
    integer: str  # the dtype that counts elements
    same: tuple[bool, ...]  # for each result and operand, whether it is the same all along a row
    capacity: int = 0  # on CPUs, the registers of a saved value
    # On GPUs
    lanes_per_row: int = 1  # lanes that share a row, each of ``items_per_lane`` work-items
    items_per_lane: int = 1  # that share a lane's accumulators
    group: int = 1  # work-items
    strips: int = 0  # of a row, each of ACCUMULATORS registers a lane
    whole: int = 0  # of them have all their elements
    even: bool = False  # of the last, each work-item has all or none
    output_major: bool = False  # neighbouring work-items take neighbouring rows, not neighbouring elements of one
    aligned: bool = False  # rows begin where several elements may be accessed at a time
    segments: int = 1  # of a row, which are combined separately
    segment_strips: int = 0
    extent: int = 0  # elements of a row, if the text is for rows of one length
    staged: tuple[bool, ...] = ()  # for each result and operand, whether the rows of a group go through local memory
    pitch: int = 1  # elements from one of a row to the next there
    turns: int = 1  # rows that a work-item takes one after the other
    # On CPUs, where lanes lie across the rows
    across: bool = False
    width: int = 1  # neighbouring registers that a work-item takes

    @property
    def own(self) -> int:
        """The number of accumulators of a work-item, and of its registers in a strip."""
        return tuning.ACCUMULATORS // self.items_per_lane

    @property
    def rows(self) -> int:
        """The number of rows that a group takes, on GPUs."""
        return self.group // (self.lanes_per_row * self.items_per_lane) * self.turns

    @property
    def local_values(self) -> int:
        """The number of values in local memory for each reduction, on GPUs."""
        return self.segments * self.group * (1 + self.own if self.items_per_lane > 1 else 1)


class RowSchedule(NamedTuple):
    """The facts of one launch over rows."""

    spec: RowSpec
    grain: int  # rows begin at multiples of so many elements, if their arrays do; 1 where it does not matter
    shares: int  # work-items on CPUs; rows on GPUs, where a group takes `RowSpec.rows`
    numbers: tuple[int, ...]  # for the kernel, see `rows_text`
    strides: tuple[int, ...]  # of a result or operand after the other: kept axes, then along the row


@cached
def possible(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> bool:
    """Return whether rows of ``shape`` along ``axes`` are short enough for the row kernel."""
    if 0 in shape:
        return False
    order = order_of(shape, axes, target)
    if not target.is_gpu:
        near = order.along or order.n * size(shape[max(axes) + 1 :]) <= tuning.PLANE
        return order.n <= tuning.LONGEST and (near or not order.across)
    segments = 1 if order.along else tuning.ROW_SEGMENTS
    most = segments * tuning.BLOCK * tuning.ACCUMULATORS * order.lanes_per_output
    return order.segments <= segments and order.n <= most


@cached
def row_schedule(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    layouts: tuple[tuple[tuple[int, ...], ...], ...],
    extents: tuple[bool, ...],
    target: Target,
) -> RowSchedule | None:
    """Return the schedule for results, of the given ``extents``, and operands of the given (shape, strides).

    None if the elements of a row are not evenly spaced, or if their distance in memory is larger than that of rows.
    """
    order = order_of(shape, axes, target)
    kept, reduced, steps = collapsed(shape, axes, layouts)
    output_major = not order.across and _rows_are_closer(order, steps)
    if len(reduced) > 1 or (output_major and (not target.is_gpu or (order.along and order.lanes_per_output > 1))):
        return None
    modes = modes_of((k if order.across else r)[-1] for k, r in steps)
    integer = integer_of(order, kept + reduced, steps, target)
    spec = RowSpec(extents, len(kept), modes, integer, same=tuple(r == (0,) for _, r in steps))
    outputs, grain, checked = order.outputs, 1, range(0)
    if order.across:
        # The lanes of a register take neighbouring rows, and a work-item some such registers, along the rows together.
        width = min(tuning.ACCUMULATORS, -(-kept[-1] // target.lanes))
        capacity, segments = width << (order.n - 1).bit_length(), min(order.segments, 2)  # one, or many
        spec = spec._replace(across=True, width=width, capacity=capacity, segments=segments)
        many = -(-kept[-1] // (width * target.lanes))
        outputs = shares = size(kept[:-1]) * many
    elif target.is_gpu:
        spec = _on_gpu(spec, order, output_major, target)
        spec = _with_short_rows(spec, order.n, size(shape[max(axes) + 1 :]), kept, steps)
        shares, many = outputs, 1
        if not output_major:
            grain, checked = tuning.ACCUMULATORS, range(len(modes))
    else:
        spec = spec._replace(capacity=1 << (-(-order.n // target.lanes) - 1).bit_length())
        many = max(1, min(tuning.ITEM_ELEMENTS // order.n, outputs // 64))
        if order.n % target.lanes == 0:
            grain, checked = target.lanes, range(len(extents))
        shares = -(-outputs // many)
    apart = [steps[number][0] for number in checked if modes[number] == UNIT]  # the distances of rows
    if any([step % grain for own in apart for step, extent in zip(own, kept, strict=True) if extent > 1]):
        grain = 1
    return RowSchedule(
        spec, grain, shares, (order.n, outputs, many, *kept), tuple(step for k, r in steps for step in k + r)
    )


def _rows_are_closer(order: Order, steps: list[Strides]) -> bool:
    """Whether rows lie closer together in memory than the elements of one, in most results and operands."""
    voters = [(k[-1], r[-1]) for k, r in steps if r[-1] or (k[-1] and order.along)]
    return min(order.n, order.outputs) > 1 and sum((abs(k) < abs(r)) - (abs(r) < abs(k)) for k, r in voters) > 0


def _on_gpu(spec: RowSpec, order: Order, output_major: bool, target: Target) -> RowSpec:
    """The spec with a group's share of the work."""
    lanes = order.lanes_per_output
    strips = -(-order.n // (tuning.ACCUMULATORS * lanes))
    items_per_lane = 1
    while items_per_lane < tuning.ACCUMULATORS and 2 * items_per_lane * lanes <= target.max_group:
        if strips * tuning.ACCUMULATORS <= tuning.SAVED_PER_ITEM * items_per_lane:
            break
        items_per_lane *= 2
    # Where neighbours take neighbouring rows, there are enough of them to read memory in whole lines; in quarters of
    # lines where rows have segments, because each segment takes local memory.
    neighbours = tuning.LINE_ROWS if order.segments == 1 else tuning.LINE_ROWS // 4
    wanted = lanes * items_per_lane * (neighbours if output_major else 1)
    return spec._replace(
        lanes_per_row=lanes,
        items_per_lane=items_per_lane,
        group=max(tuning.GPU_GROUP, min(wanted, target.max_group)),
        strips=strips,
        whole=order.n // (tuning.ACCUMULATORS * lanes),
        even=order.n % tuning.ACCUMULATORS == 0,
        output_major=output_major,
        segments=order.segments,
        segment_strips=order.length // (tuning.ACCUMULATORS * lanes),
    )


def _with_short_rows(spec: RowSpec, n: int, pitch: int, kept: tuple[int, ...], steps: list[Strides]) -> RowSpec:
    """The spec with the length of short rows, and with the arrays in which they lie together.

    Rows that vectors fill are not staged, nor are longer ones that are only read, because they are read well.
    """
    if n < tuning.SHORT_ROW:
        near = n > 1 and (spec.output_major or n % tuning.ACCUMULATORS > 0)
    else:
        near = n <= tuning.STAGED_ROW and any(spec.extents) and not spec.output_major and n % tuning.ACCUMULATORS > 0
    staged = tuple([_rows_lie_together(n, kept, own, pitch) for own in steps]) if near else ()
    if any(staged):
        return spec._replace(extent=n, staged=staged, pitch=pitch)
    return spec._replace(extent=n if n < tuning.SHORT_ROW else 0)


def _rows_lie_together(n: int, kept: tuple[int, ...], steps: Strides, pitch: int) -> bool:
    """Whether memory has the elements of rows without gaps, those of ``pitch`` rows alternately."""
    wanted: list[int] = []
    distance = 1
    for extent in reversed(kept):
        distance *= n if distance == pitch else 1
        wanted.insert(0, distance)
        distance *= extent
    return steps == (tuple(wanted), (pitch,))


def with_staging(device: Device, body: Body, spec: RowSpec) -> RowSpec:
    """Return the spec with the rows of a group, where they go through local memory and have room there."""
    dtypes = [*body.dtypes, *[dtype for dtype, _ in body.operands]]
    iotas = [False] * len(body.dtypes) + [is_iota for _, is_iota in body.operands]
    staged = tuple([own and not is_iota for own, is_iota in zip(spec.staged, iotas, strict=False)])
    if any(staged):
        row_bytes = [spec.extent * dtype.itemsize for own, dtype in zip(staged, dtypes, strict=True) if own]
        items, room = spec.lanes_per_row * spec.items_per_lane, device.local_memory - _local_bytes(body, spec)
        found = staging_of(row_bytes, spec.group, room, items, spec.pitch)
        if found is not None:
            return spec._replace(staged=staged, group=found.group, turns=found.turns)
    return spec._replace(staged=(), pitch=1)


def _local_bytes(body: Body, spec: RowSpec) -> int:
    """The bytes of local memory in which the work-items of a group combine their results, and those of one more
    reduction, on GPUs."""
    local = 16 + sum([rule.args[0].itemsize for rule, _ in body.steps if isinstance(rule, Fold)])
    return local * spec.local_values


def program_on(device: Device, body: Body, spec: RowSpec) -> Program:
    """Return the phases of a body on a device."""
    rowwise = frozenset(k for k, same in enumerate(spec.same[len(body.results) :]) if same)
    program = program_of(body, rowwise, spec.extents, 0 if device.is_gpu else tuning.EXPENSIVE + 1)
    if spec.across and program.words * 4 * spec.capacity * device.lanes > device.local_memory // 2:
        return program_of(body, rowwise, spec.extents, NEVER)
    return program


def fits(device: Device, body: Body, spec: RowSpec) -> bool:
    """Return whether there is room for the saved values of a row, and for one more reduction of the result."""
    body = without_repeats(body)
    words = program_on(device, body, spec).words
    if not device.is_gpu:
        return words * 4 * spec.capacity * device.lanes <= device.local_memory // 2
    return (
        words * spec.strips * tuning.ACCUMULATORS <= tuning.SAVED_WORDS * spec.items_per_lane
        and _local_bytes(body, spec) <= device.local_memory
        and body.cost <= tuning.COSTLY
    )
