"""How a reduction goes through its operands: in which order elements are combined, and which work-items do it.

The reduced axes, in C order, form one index; so do the axes that stay, whose elements are the outputs. The reduced
index is cut into segments. See `reduce` for the kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
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
    """In which order elements are combined: a function of the logical shape and the device's lanes alone."""

    n: int  # elements of an output
    outputs: int
    along: bool  # the fastest axis is a reduced one
    across: bool  # lanes lie across the outputs
    lanes_per_output: int  # lanes that share one output, on GPUs each of a work-item
    length: int  # of a segment
    segments: int


@cached
def order_of(shape: tuple[int, ...], axes: tuple[int, ...], target: Target) -> Order:
    """How ``axes`` of ``shape`` are reduced."""
    n = size(tuple(shape[axis] for axis in axes))
    outputs = size(tuple(extent for axis, extent in enumerate(shape) if axis not in axes))
    proper = [axis for axis in range(len(shape)) if shape[axis] > 1]
    along = not proper or proper[-1] in axes
    across, lanes_per_output = False, 1
    if not target.is_gpu:
        # Whichever fills registers.
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
    """The elements of an output, combined in that order; so few of them that they are one segment and one block.

    Identities are left out.
    """
    if order.across:
        blocks = range(0, len(values), tuning.BLOCK_ACROSS)
        return reduce(combine, [reduce(combine, values[at : at + tuning.BLOCK_ACROSS]) for at in blocks])
    # Of a strip, a lane has `together` elements, one for each accumulator on GPUs.
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
    """The first of ``many`` values, a power of two, combined half by half; those that are missing are identities."""
    while many > 1:
        many //= 2
        values = [combine(values[k], values[k + many]) if k + many < len(values) else values[k]
                  for k in range(min(many, len(values)))]  # fmt: skip
    return values[0]


class ReduceSpec(NamedTuple):
    """What a kernel depends on: the part of a schedule that its text is made of."""

    across: bool  # lanes lie across the outputs
    accumulators: int  # of a work-item; across, registers side by side, 0 where a row of outputs does not fill one
    page: int  # across: registers side by side that a work-item takes
    group: int  # work-items of a group
    lanes_per_output: int  # on GPUs each of a work-item
    lanes_per_item: int  # lanes whose work a work-item does one after the other, on GPUs
    output_major: bool  # neighbouring work-items take neighbouring outputs, not neighbouring elements of one
    kept_rank: int
    reduced_rank: int
    modes: str  # a letter an operand: how the dimension is walked on which lanes lie
    integer: str  # the dtype that counts elements
    published: bool  # groups combine what others publish of their segments, on GPUs
    columns: int = 1  # neighbouring outputs that a lane computes, on GPUs
    beside: str = ""  # a letter an operand, where these are several: how it is walked from one to the next
    vectors: bool = False  # neighbouring elements are read by one access, on GPUs
    part: bool = False  # the launch takes some of the segments, and nobody combines them yet


@dataclass(slots=True, eq=False)
class ReduceSchedule:
    """How a reduction goes through its operands."""

    spec: ReduceSpec
    aligned: ReduceSpec  # for operands that begin at multiples of ACCUMULATORS elements
    items: int
    by_segment: bool  # the results of a segment lie side by side, not those of an output
    segments: int
    outputs: int
    numbers: tuple[int, ...]  # for the kernel, see `reduce.Reduction`
    strides: tuple[int, ...]  # an operand after the other: kept axes, then reduced ones

    @property
    def one_pass(self) -> bool:
        """Whether nothing is left to reduce."""
        return self.segments == 1 or self.spec.published


@cached
def reduce_schedule(
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    layouts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...],
    target: Target,
    whole: tuple[int, ...] | None = None,
    only: tuple[int, int] | None = None,
) -> ReduceSchedule:
    """The schedule that reduces ``axes`` of ``shape`` for operands of the given (shape, strides).

    ``whole``: the shape of that of which the operands have some of the outputs, if they are a part: its order counts.
    ``only``: the first segment of those to reduce, and their number, if these are not all.
    """
    kept_axes = [axis for axis in range(len(shape)) if axis not in axes]
    strides = [broadcast_strides(own, steps, shape) for own, steps in layouts]
    kept_shape, reduced_shape = tuple(shape[axis] for axis in kept_axes), tuple(shape[axis] for axis in axes)
    kept, kept_steps = collapse_ordered(kept_shape, tuple(tuple(s[axis] for axis in kept_axes) for s in strides))
    reduced, reduced_steps = collapse_ordered(reduced_shape, tuple(tuple(s[axis] for axis in axes) for s in strides))
    steps = list(zip(kept_steps, reduced_steps, strict=True))
    order = order_of(whole or shape, axes, target)
    spec = _spec(order, kept, reduced, steps, target)._replace(part=only is not None)
    order = order._replace(outputs=size(kept_shape))
    first, count = (0, order.segments) if only is None else only
    items, particular = _work(order._replace(segments=count), spec, kept, reduced, target)
    by_segment = order.across or not order.along
    places = (0,) if spec.published else (1, order.outputs) if by_segment else (order.segments, 1)
    if only is not None:
        places = (*places, first)
    # The parameters of the kernel.
    numbers = (order.n, order.length, count, order.outputs, *places, *kept, *reduced, *particular)
    flat = tuple(step for k, r in steps for step in k + r)
    vectors = (
        target.is_gpu
        and not spec.output_major
        and len(reduced) == 1
        and not any(
            mode == UNIT and extent > 1 and step % tuning.ACCUMULATORS
            for (k, _), mode in zip(steps, spec.modes, strict=True)
            for step, extent in zip(k, kept, strict=True)
        )
    )
    aligned = spec._replace(vectors=True) if vectors else spec
    return ReduceSchedule(spec, aligned, items, by_segment, order.segments, order.outputs, numbers, flat)


def _spec(
    order: Order, kept: tuple[int, ...], reduced: tuple[int, ...], steps: list[Strides], target: Target
) -> ReduceSpec:
    """What the kernel's text is made of, given the collapsed shapes and each operand's strides along them."""
    n, outputs, along, across, lanes_per_output, length, segments = order
    group, lanes_per_item, output_major, integer = tuning.GPU_GROUP, 1, not along, "i64"
    if target.is_gpu:
        output_major = _outputs_lie_closer(steps, along)
        if output_major and along:
            # So a group has outputs enough to read memory in whole lines.
            items = max(tuning.LEAST_ALONG, tuning.GPU_GROUP >> (outputs - 1).bit_length())
            lanes_per_item = max(1, lanes_per_output // items)
        reaches = [sum((m - 1) * abs(step) for m, step in zip(kept + reduced, k + r, strict=True)) for k, r in steps]
        integer = "i32" if max(*reaches, n * outputs, 0) < INDEX32_LIMIT else "i64"
    modes = "".join(_mode(k[-1] if across else r[-1]) for k, r in steps)
    accumulators, page = tuning.ACCUMULATORS, 0
    if across:
        accumulators = next((many for many in (tuning.ACCUMULATORS, 2, 1) if many * target.lanes <= kept[-1]), 0)
        # Strided lanes touch a line each: those of a whole page would not stay in the cache.
        page = max(accumulators, 1) if STRIDED in modes or kept[-1] <= accumulators * target.lanes else tuning.PAGE
    columns, beside = _columns(along, kept, steps) if target.is_gpu else (1, "")
    if not target.is_gpu:
        work = min(n, length) * (page * target.lanes if across else 1)
        group = next((many for many in (64, 8) if many * work <= tuning.GROUP_ELEMENTS), 1)
    return ReduceSpec(
        across, accumulators, page, group, lanes_per_output, lanes_per_item, output_major, len(kept), len(reduced),
        modes, integer, target.is_gpu and segments > 1, columns, beside,
    )  # fmt: skip


def _outputs_lie_closer(steps: list[Strides], along: bool) -> bool:
    """Whether neighbouring outputs lie closer together in memory than reduced elements.

    Across, in most operands. Along, in one: a group that took one output alone would read a sector of this operand for
    each element, while a group that takes some outputs reads whole sectors of the others, too.
    """
    if along:
        return any(0 < abs(k[-1]) < abs(r[-1]) for k, r in steps)
    return sum((abs(k[-1]) < abs(r[-1])) - (abs(r[-1]) < abs(k[-1])) for k, r in steps if k[-1] or r[-1]) > 0


def _columns(along: bool, kept: tuple[int, ...], steps: list[Strides]) -> tuple[int, str]:
    """How many neighbouring outputs a lane should compute, and how operands are walked from one to the next.

    Where most operands are the same for all of them, so is most of what is computed, such as the distances of particles
    in a sum of the forces along each axis of space.
    """
    beside = "".join(_mode(k[-1]) for k, _ in steps)
    few = not along and 1 < kept[-1] <= tuning.COLUMNS
    return (kept[-1], beside) if few and 2 * beside.count(ZERO) > len(beside) else (1, "")


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
    digits = _digits(target.lanes, reduced) + _digits(strip * (order.lanes_per_output - 1), reduced)
    return items * order.segments, digits


def _lanes_per_output(n: int, outputs: int, along: bool) -> int:
    """How many work-items share one output, on GPUs: a power of two.

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
