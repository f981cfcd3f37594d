"""The schedule of a reduction: the order in which it combines elements, and the work-items that do it.

The reduced axes, in C order, form one index; so do the axes that stay, whose elements are the outputs. The reduced
index is cut into segments. See `reduce` for the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd
from typing import NamedTuple, TypeVar

from ...backends.base import Target
from ...memory.layout import broadcast_strides, collapse_ordered, size
from ..core import tuning
from ..core.dialect import STRIDED, UNIT, ZERO
from ..core.schedule import INDEX32_LIMIT
from ..core.store import cached

V = TypeVar("V")
Strides = tuple[tuple[int, ...], tuple[int, ...]]  # of an operand: along kept axes, and along reduced ones


class Order(NamedTuple):
    """The order in which elements are combined: a function of the logical shape and the device's lanes alone."""

    n: int  # elements of an output
    outputs: int
    along: bool  # the elements of an output lie along the fastest axis
    across: bool  # lanes lie across the outputs
    lanes_per_output: int  # lanes that share one output, on GPUs each of a work-item
    length: int  # of a segment
    segments: int


@cached
def order_of(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> Order:
    """Return the order in which ``axes`` of ``shape`` are reduced."""
    n = size(tuple(shape[axis] for axis in axes))
    outputs = size(tuple(extent for axis, extent in enumerate(shape) if axis not in axes))
    proper = [axis for axis in range(len(shape)) if shape[axis] > 1]
    along = not proper or proper[-1] in axes
    across, lanes_per_output = False, 1
    if not target.is_gpu:
        # Lanes lie along the axes that fill registers.
        if along:
            across = bool(proper) and shape[proper[-1]] < target.lanes <= outputs
        else:
            across = size(shape[max(axes) + 1 :]) >= target.lanes or n < target.lanes
        length = tuning.SEGMENT_ACROSS if across else tuning.SEGMENT_ALONG
    else:
        lanes_per_output = _lanes_per_output(n, outputs, along)
        busy = max(1, tuning.BUSY_ITEMS // (outputs * lanes_per_output))
        segments = min(-(-n // (tuning.SEGMENT_ITEM * lanes_per_output)), busy)
        length = _up(-(-n // segments), tuning.ACCUMULATORS * lanes_per_output)
    return Order(n, outputs, along, across, lanes_per_output, length, max(1, -(-n // length)))


def combined(values: Sequence[V], order: Order, target: Target, combine: Callable[[V, V], V]) -> V:
    """Return the elements of an output combined in that order, if they are one segment and one block.

    Identities are left out.
    """
    if order.across:
        blocks = range(0, len(values), tuning.BLOCK_ACROSS)
        return reduce(combine, [reduce(combine, values[at : at + tuning.BLOCK_ACROSS]) for at in blocks])
    # A lane has `together` elements of a strip, on GPUs one for each accumulator.
    many, together = (order.lanes_per_output, tuning.ACCUMULATORS) if target.is_gpu else (target.lanes, 1)
    of_lanes: list[V] = []
    for lane in range(min(many, -(-len(values) // together))):
        own = [values[at : at + together] for at in range(lane * together, len(values), many * together)]
        accumulators = tuning.ACCUMULATORS // together  # that take strips in turn
        parts = [
            reduce(combine, [strip[u] for strip in own[turn::accumulators] if u < len(strip)])
            for turn in range(min(accumulators, len(own)))
            for u in range(len(own[turn]))
        ]
        of_lanes.append(reduce(combine, parts))
    return halved(of_lanes, many, combine)


def halved(values: list[V], many: int, combine: Callable[[V, V], V]) -> V:
    """Return the combination, half by half, of ``many`` values, a power of two; missing ones are identities."""
    while many > 1:
        many //= 2
        values = [combine(values[k], values[k + many]) if k + many < len(values) else values[k]
                  for k in range(min(many, len(values)))]  # fmt: skip
    return values[0]


class ReduceSpec(NamedTuple):
    """The part of a schedule that the text of a kernel depends on."""

    across: bool  # lanes lie across the outputs
    accumulators: int  # of a work-item; across, neighbouring registers, 0 where a row of outputs does not fill one
    page: int  # across: neighbouring registers that a work-item takes
    group: int  # work-items of a group
    lanes_per_output: int  # on GPUs each of a work-item
    lanes_per_item: int  # lanes whose work a work-item does one after the other, on GPUs
    output_major: bool  # neighbouring work-items take neighbouring outputs, not neighbouring elements of one
    kept_rank: int
    reduced_rank: int
    modes: str  # a letter for each operand: its stride from lane to lane
    integer: str  # the dtype that counts elements
    published: bool  # groups combine the published results of others' segments, on GPUs
    columns: int = 1  # neighbouring outputs that a lane computes, on GPUs
    column_modes: str = ""  # a letter for each operand: its stride from output to output, if a lane computes several
    vectors: int = 0  # neighbouring elements that a work-item reads by whole accesses, on GPUs; 0: none
    some_segments: bool = False  # the launch takes some of the segments, and later launches combine them
    # Where a work-item has all elements of its outputs (`short`): their number, and the bytes of an access.
    elements: int = 0
    width: int = 0
    staged: bool = False  # the rows of a group go through local memory


@dataclass(slots=True, eq=False)
class ReduceSchedule:
    """The facts of one launch of a reduction: merged dimensions, strides and numbers."""

    spec: ReduceSpec
    items: int
    by_segment: bool  # the results of a segment are neighbours in memory, not those of an output
    segments: int
    outputs: int
    numbers: tuple[int, ...]  # for the kernel, see `reduce.Reduction`
    strides: tuple[int, ...]  # of each operand: along kept axes, then along reduced ones
    aligned: ReduceSchedule | None = None  # for operands that begin at multiples of its `vectors`

    @property
    def one_pass(self) -> bool:
        """Whether the launch leaves nothing to reduce."""
        return self.segments == 1 or self.spec.published


@cached
def reduce_schedule(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    target: Target,
    whole: tuple[int, ...] | None = None,
    only: tuple[int, int] | None = None,
    together: int = 0,
) -> ReduceSchedule:
    """Return the schedule that reduces ``axes`` of ``shape`` for operands of the given (shape, strides).

    ``whole``: the shape of all operands, if these have some of the outputs only; it decides about the order.
    ``only``: the first segment to reduce and the number of segments, if these are not all. ``together``: neighbouring
    elements that a work-item may take in any order, if these are more than it has accumulators.
    """
    kept, reduced, steps = collapsed(shape, axes, layouts)
    order = order_of(whole or shape, axes, target)
    spec = _spec(order, kept, reduced, steps, target)._replace(some_segments=only is not None)
    order = order._replace(outputs=size(kept))
    first, count = (0, order.segments) if only is None else only
    by_segment = order.across or not order.along
    places = (0,) if spec.published else (1, order.outputs) if by_segment else (order.segments, 1)
    if only is not None:
        places = (*places, first)
    flat = tuple(step for k, r in steps for step in k + r)
    taken, extents = order._replace(segments=count), (*kept, *reduced)

    def schedule(spec: ReduceSpec, aligned: ReduceSchedule | None) -> ReduceSchedule:
        items, particular = _work(taken, spec, kept, reduced, target)
        # The parameters of the kernel.
        numbers = (order.n, order.length, count, order.outputs, *places, *extents, *particular)
        return ReduceSchedule(spec, items, by_segment, order.segments, order.outputs, numbers, flat, aligned)

    vectors = _vectors(max(together, tuning.ACCUMULATORS), order, spec, extents, steps) if target.is_gpu else 0
    return schedule(spec, schedule(spec._replace(vectors=vectors), None) if vectors else None)


def collapsed(
    shape: tuple[int, ...], axes: tuple[int, ...], layouts: Sequence[tuple[tuple[int, ...], ...]]
) -> tuple[tuple[int, ...], tuple[int, ...], list[Strides]]:
    """Return the merged extents of kept and of reduced axes, and the strides of each operand along both."""
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    (kept, kept_steps), (reduced, reduced_steps) = (
        collapse_ordered(tuple(shape[axis] for axis in own), tuple(tuple(s[axis] for axis in own) for s in strides))
        for own in ([axis for axis in range(len(shape)) if axis not in axes], axes)
    )
    return kept, reduced, list(zip(kept_steps, reduced_steps, strict=True))


def integer_of(order: Order, extents: tuple[int, ...], steps: list[Strides], target: Target) -> str:
    """Return the dtype that counts elements: on GPUs 32 bits where these are enough."""
    reaches = [sum((n - 1) * abs(step) for n, step in zip(extents, k + r, strict=True)) for k, r in steps]
    return "i32" if target.is_gpu and max(*reaches, order.n * order.outputs, 0) < INDEX32_LIMIT else "i64"


def modes_of(steps: Iterable[int]) -> str:
    """Return a letter for each stride along lanes."""
    return "".join([UNIT if step == 1 else STRIDED if step else ZERO for step in steps])


def _spec(
    order: Order, kept: tuple[int, ...], reduced: tuple[int, ...], steps: list[Strides], target: Target
) -> ReduceSpec:
    """The spec, given the merged extents and each operand's strides along them."""
    n, outputs, along, across, lanes_per_output, length, segments = order
    group, lanes_per_item, output_major = tuning.GPU_GROUP, 1, not along
    if target.is_gpu:
        output_major = _outputs_lie_closer(steps, along)
        if output_major and along:
            # So a group has outputs enough to read memory in whole lines.
            items = max(tuning.LEAST_ALONG, tuning.GPU_GROUP >> (outputs - 1).bit_length())
            lanes_per_item = max(1, lanes_per_output // items)
    modes = modes_of(k[-1] if across else r[-1] for k, r in steps)
    accumulators, page = tuning.ACCUMULATORS, 0
    if across:
        accumulators = next((many for many in (tuning.ACCUMULATORS, 2, 1) if many * target.lanes <= kept[-1]), 0)
        # Strided lanes touch a line each: those of a whole page would not stay in the cache.
        page = max(accumulators, 1) if STRIDED in modes or kept[-1] <= accumulators * target.lanes else tuning.PAGE
    columns, column_modes = _columns(along, kept, steps) if target.is_gpu else (1, "")
    if not target.is_gpu:
        work = min(n, length) * (page * target.lanes if across else 1)
        group = next((many for many in (64, 8) if many * work <= tuning.GROUP_ELEMENTS), 1)
    return ReduceSpec(
        across, accumulators, page, group, lanes_per_output, lanes_per_item, output_major, len(kept), len(reduced),
        modes, integer_of(order, kept + reduced, steps, target), target.is_gpu and segments > 1, columns, column_modes,
    )  # fmt: skip


def _vectors(together: int, order: Order, spec: ReduceSpec, extents: tuple[int, ...], steps: list[Strides]) -> int:
    """The neighbouring elements, at most ``together``, that a work-item can read by whole accesses; 0 for none.

    They lie in one row of the last reduced axis, and rows begin at multiples of their number. Of many there must be
    several strips.
    """
    if spec.output_major or spec.columns > 1:
        return 0
    apart = [
        step
        for (k, r), mode in zip(steps, spec.modes, strict=True)
        for step, extent in zip(k + r[:-1], extents[:-1], strict=True)
        if mode == UNIT and extent > 1
    ]
    apart += [extents[-1]] * (spec.reduced_rank > 1) + [order.length] * (order.segments > 1)
    vectors = gcd(together, *apart)
    while vectors > tuning.ACCUMULATORS and tuning.MAX_AHEAD * vectors * order.lanes_per_output > min(
        order.n, order.length
    ):
        vectors //= 2
    return 0 if vectors % tuning.ACCUMULATORS else vectors


def _outputs_lie_closer(steps: list[Strides], along: bool) -> bool:
    """Whether neighbouring outputs lie closer together in memory than reduced elements.

    If a reduced axis is the fastest, one such operand is enough: a group that took one output alone would read a sector
    of this operand for each element, while a group that takes some outputs reads whole sectors of the others, too.
    Otherwise most operands decide.
    """
    if along:
        return any(0 < abs(k[-1]) < abs(r[-1]) for k, r in steps)
    return sum((abs(k[-1]) < abs(r[-1])) - (abs(r[-1]) < abs(k[-1])) for k, r in steps if k[-1] or r[-1]) > 0


def _columns(along: bool, kept: tuple[int, ...], steps: list[Strides]) -> tuple[int, str]:
    """The number of neighbouring outputs that a lane should compute, and the modes of operands from one to the next.

    Where most operands are the same for all of them, so are most computed values, such as the distances of particles in
    a sum of the forces along each axis of space.
    """
    modes = modes_of(k[-1] for k, _ in steps)
    few = not along and 1 < kept[-1] <= tuning.COLUMNS
    return (kept[-1], modes) if few and 2 * modes.count(ZERO) > len(modes) else (1, "")


def _work(
    order: Order, spec: ReduceSpec, kept: tuple[int, ...], reduced: tuple[int, ...], target: Target
) -> tuple[int, list[int]]:
    """The number of work-items, and the parameters of one of the two kernels alone."""
    if spec.across:
        wide = max(spec.accumulators, 1)
        strips = -(-kept[-1] // (wide * target.lanes))
        pages = -(-strips * wide // spec.page)
        return size(kept[:-1]) * pages * order.segments, [pages, -(-strips // pages) * wide]
    strip, items = tuning.ACCUMULATORS * target.lanes, order.outputs
    if target.is_gpu:
        items = order.outputs // spec.columns * order.lanes_per_output // spec.lanes_per_item
        items = _up(items, tuning.GPU_GROUP)
    digits = _digits(target.lanes, reduced)  # to the next element, and from the last of a strip to the next strip
    digits += _digits(spec.vectors * order.lanes_per_output or strip * (order.lanes_per_output - 1), reduced)
    return items * order.segments, digits


def _lanes_per_output(n: int, outputs: int, along: bool) -> int:
    """The number of work-items that share one output, on GPUs: a power of two.

    Long rows get a group each, and so do few outputs. Others get few work-items each, but enough of them that memory is
    read in whole lines, whether these hold neighbouring elements of an output or neighbouring outputs.
    """
    useful = power_of_two(2 * -(-n // tuning.SEGMENT_ITEM) - 1)
    if along:
        least = min(max(tuning.LEAST_ALONG, useful), tuning.GPU_GROUP)
    else:
        least = tuning.LEAST_ACROSS if outputs < tuning.BUSY_ITEMS // 4 else min(tuning.LEAST_ACROSS, useful)
    return min(max(least, tuning.GPU_GROUP >> (outputs - 1).bit_length()), power_of_two(n // 8))


def power_of_two(n: int) -> int:
    """Return the largest power of two up to n; 1 for less."""
    return 1 << max(n, 1).bit_length() - 1


def _up(n: int, step: int) -> int:
    return -(-n // step) * step


def _digits(number: int, radices: Sequence[int]) -> list[int]:
    """The coordinates of an element of a shape, given its number; the first is not bounded."""
    digits = []
    for radix in reversed(radices[1:]):
        digits.append(number % radix)
        number //= radix
    return [number, *reversed(digits)]
