"""The schedule of an element-wise kernel: dimensions collapsed over all operands, the innermost in registers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ...memory.gpuarray import GpuArray
from ...memory.layout import broadcast_strides, collapse, collapse_ordered
from . import tuning
from .store import cached
from .traffic import elements

# The largest element offset for 32-bit arithmetic, with room for loops to run past the end.
INDEX32_LIMIT = 2**31 - 2**16


@dataclass(slots=True, eq=False)
class Schedule:
    """The facts of a set of layouts that shape a kernel (the first four, ``wraps`` and ``interleaved``), and those that
    are parameters.

    Rows may be *packed*: then the innermost dimension is rows of so few elements that a register takes several.
    """

    rank: int
    modes: str  # a letter for each operand: its innermost stride (see dialect)
    row_invariant: tuple[bool, ...]  # operand by operand: whether neighbouring rows are the same elements
    transposed: tuple[bool, ...]  # operand by operand: whether it is contiguous, or nearly so, from row to row
    inner: int
    rows: int
    shape: tuple[int, ...]  # of the rows, outermost first
    strides: tuple[int, ...]  # operand by operand, outermost first; an innermost one only where it is not 0 or 1
    reach: int  # the largest element offset that occurs, for the index width
    grain: int  # divides the distances between the rows of all operands with mode "u"; 0: they have one row
    wraps: tuple[tuple[int, int], ...] = ()  # operands and their axes along which they continue at the beginning
    shifts: tuple[int, ...] = ()  # for each of these, the distance of an element from its place
    # Divides the extent of a row, and the distances between rows, of operands that continue at its beginning; 1 where
    # their elements are not neighbours. Divides the extent of interleaved rows.
    inner_grain: int = 0
    interleaved: int = 0  # the number of rows, if they are few and closer in an operand's memory than its elements
    # The elements of a packed row, 2^16 divided by them, and the strides from row to row of operands with mode "p"; and
    # the schedule in which rows are not packed.
    packed: tuple[int, ...] = ()
    unpacked: Schedule | None = None
    extents: tuple[int, ...] = ()  # operand by operand: its elements, where those that are broadcast count once
    kind: tuple[Any, ...] = field(init=False)  # the facts that shape the kernel

    def __post_init__(self) -> None:
        self.kind = self.rank, self.modes, self.row_invariant, self.transposed, self.wraps, self.interleaved


@cached
def elementwise_schedule(
    shape: tuple[int, ...], layouts: tuple[tuple[tuple[int, ...], ...], ...], results: int = 1, lanes: int = 1
) -> Schedule:
    """Return the schedule over ``shape`` for operands of the given (shape, strides); results come first.

    ``lanes``: elements of a register, on GPUs of an access. Where an operand is transposed, the dimension along which
    it is contiguous becomes the one of neighbouring rows.
    Operands that are rolled have shifts behind their strides (`memory.gpuarray.Rolled`).
    """
    strides = tuple(broadcast_strides(own, steps, shape) for own, steps, *_ in layouts)
    operands, given = len(strides), shape
    shifts = [(0,) * (len(shape) - len(own)) + (more[0] if more else (0,) * len(own)) for own, _, *more in layouts]
    rolled = [axis for axis, n in enumerate(shape) if any([by[axis] % n for by in shifts if n])]
    # Operands that move along one axis alone, so this axis is not merged with others and can be found again.
    strides += tuple(tuple(int(k == axis) for k in range(len(shape))) for axis in rolled)
    shape, strides = collapse(shape, strides)
    last = len(shape) - 1
    for steps in strides[:operands]:
        size, axis = min((abs(step) or math.inf, axis) for axis, step in enumerate(steps))
        if size < abs(steps[last]) and min(shape[axis], shape[last]) >= tuning.MIN_TRANSPOSED:
            order = [*range(axis), *range(axis + 1, last), axis, last]
            shape = tuple(shape[k] for k in order)
            strides = tuple(tuple(s[k] for k in order) for s in strides)
            break
    wraps, forward = [], []
    for steps, axis in zip(strides[operands:], rolled, strict=True):
        for number, by in enumerate(shifts):
            if by[axis] % given[axis] and strides[number][steps.index(1)]:
                wraps.append((number, steps.index(1)))
                forward.append(-by[axis] % given[axis])
    schedule = _schedule(shape, strides[:operands], tuple(wraps), tuple(forward))
    return schedule if rolled else _packed(schedule, shape, strides, results, lanes)


def _packed(
    unpacked: Schedule, shape: tuple[int, ...], strides: tuple[tuple[int, ...], ...], results: int, lanes: int
) -> Schedule:
    """The schedule in which lanes go on from row to row.

    It is the given one where rows fill registers, or results are not contiguous.
    """
    width = shape[-1]
    if len(shape) < 2 or width > 2 * lanes or width % lanes == 0 or math.prod(shape) < tuning.SHORT_ROWS_FROM:
        return unpacked
    jumps = [s[-2] != width * s[-1] for s in strides]
    if any(jumps[:results]):
        return unpacked
    schedule = _schedule((*shape[:-2], shape[-2] * width), tuple((*s[:-2], s[-1]) for s in strides), jumps=jumps)
    schedule.reach, schedule.unpacked, schedule.extents = unpacked.reach, unpacked, unpacked.extents
    steps = [s[-2] for s, packed in zip(strides, jumps, strict=True) if packed]
    schedule.packed = (width, -(-(1 << 16) // width), *steps)
    return schedule


def _schedule(
    shape: tuple[int, ...],
    strides: tuple[tuple[int, ...], ...],
    wraps: tuple[tuple[int, int], ...] = (),
    shifts: tuple[int, ...] = (),
    jumps: Sequence[bool] = (),
) -> Schedule:
    inner = {number for number, axis in wraps if axis == len(shape) - 1}
    modes = "".join(
        "w" if number in inner else "u" if s[-1] == 1 else "z" if s[-1] == 0 else "s"
        for number, s in enumerate(strides)
    )
    modes = "".join("p" if far else mode for mode, far in zip(modes, jumps or (False,) * len(modes), strict=True))
    reach = max((sum((n - 1) * abs(step) for n, step in zip(shape, s, strict=True)) for s in strides), default=0)
    needed = tuple(step for s, mode in zip(strides, modes, strict=True) for step in (s if mode in "swp" else s[:-1]))
    row_invariant = tuple(len(shape) > 1 and s[-2] == 0 for s in strides)
    large = len(shape) > 1 and min(shape[-2:]) >= tuning.MIN_TRANSPOSED
    gathered = {number for number, _ in wraps} | {number for number, far in enumerate(jumps) if far}
    transposed = tuple(
        large and 0 < abs(s[-2]) < abs(s[-1]) and number not in gathered for number, s in enumerate(strides)
    )
    if wraps:
        reach = max(reach, 2 * max(shape))
    rows = math.prod(shape[:-1])
    grain = math.gcd(*[step for s, mode in zip(strides, modes, strict=True) if mode == "u" for step in s[:-1]])
    wrapped = [strides[number] for number in inner]
    inner_grain = math.gcd(*[step for s in wrapped for step in (*s[:-1], shape[-1], *[1] * (s[-1] != 1))])
    interleaved = 0
    if not wraps and not any(jumps) and len(shape) > 1 and 1 < shape[-2] <= tuning.INTERLEAVED:
        interleaved = shape[-2] if any([0 < abs(s[-2]) < abs(s[-1]) for s in strides]) else 0
        inner_grain = shape[-1] if interleaved else 0
    extents = tuple([elements(shape, s) for s in strides])
    return Schedule(
        len(shape), modes, row_invariant, transposed, shape[-1], rows, shape[:-1], needed, reach, grain, wraps, shifts,
        inner_grain, interleaved, extents=extents,
    )  # fmt: skip


def side_by_side(operands: Iterable[object], shape: tuple[int, ...]) -> bool:
    """Return whether the elements of ``shape`` are contiguous in every operand, so that `flat` is their schedule."""
    return all(isinstance(x, GpuArray) and x.contiguous and x.shape == shape for x in operands)


@lru_cache(maxsize=4096)
def flat(n: int, operands: int) -> Schedule:
    """Return the schedule over ``n`` elements that are contiguous in every operand."""
    nowhere = (False,) * operands
    return Schedule(1, "u" * operands, nowhere, nowhere, n, 1, (), (), n, 0, extents=(n,) * operands)


@cached
def generic_schedule(schedule: Schedule) -> Schedule:
    """Return a schedule for generic kernels: of their rank, with a stride of every operand along every dimension."""
    more = max(tuning.GENERIC - schedule.rank, 0)
    rest = iter(schedule.strides)
    strides: list[int] = []
    for mode in schedule.modes:
        strides += [0] * more + [next(rest) for _ in schedule.shape]
        strides.append(next(rest) if mode == "s" else int(mode == "u"))
    nowhere = (False,) * len(schedule.modes)
    shape, modes = (1,) * more + schedule.shape, "s" * len(schedule.modes)
    return Schedule(
        schedule.rank + more, modes, nowhere, nowhere, schedule.inner, schedule.rows, shape, tuple(strides),
        schedule.reach, 0, extents=schedule.extents,
    )  # fmt: skip


@cached
def in_order(shape: tuple[int, ...], layouts: tuple[tuple[tuple[int, ...], ...], ...]) -> Schedule:
    """Return the schedule over ``shape`` in C order, for kernels to which the order of elements matters."""
    strides = tuple(broadcast_strides(own, steps, shape) for own, steps in layouts)
    return _schedule(*collapse_ordered(shape, strides))
