"""The ways in which the work-items of an element-wise kernel share the elements. A `Tiling` is one of these:

* CPUs, whose registers are wide: an item takes a span of registers of one row, one after another. Rows of less than
  a register or two are packed: lanes go on from one to the next. Where much of the program stays the same from row to
  row, an item takes several rows at a time. Where an operand is transposed, an item takes one register of several rows,
  and the next item takes one of the rows below, because both read the same few cache lines of that operand. Results
  that are much larger than the caches are written past them.
* GPUs, whose registers hold one element: if all operands are contiguous and aligned, an item takes as many neighbours
  as one access of 16 bytes reads. It goes on until all is done where steps compute neighbours together, because these
  share work. Elements of an operand that continues at the beginning of a row lie between two accesses. Short rows are
  packed if they are no whole accesses; of a few rows that are interleaved an item takes all. Otherwise it takes one
  element in each of several rows, or elements of a flat array at even distances. Of costly bodies over flat arrays it
  takes one element. Operands whose contiguous dimension is not that of the result are staged: a group reads tiles of
  them along their own rows into local memory, and computes along those of the result.

Where an item has several registers at a time, values that differ between them are in arrays, and every statement is for
all of them, so independent instructions hide the latency of each other. Values that are the same for all are computed
once, and those that stay the same all along a row before the loop over its registers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backends.base import Device
from ..core import tuning
from ..core.body import Body
from ..core.dialect import STRIDED, UNIT, WRAPPED, ZERO, run_length
from ..core.schedule import Schedule

ACCESS = 16  # bytes that a work-item reads at a time
MOST_ACCESSED = 64  # bytes of neighbours, at most, where steps compute more of them together


Same = tuple[frozenset[int], frozenset[int]]  # the numbers of operands, and of steps, that stay the same


@dataclass(frozen=True)
class Tiling:
    """The work-items' shares of the elements.

    ``along``, ``down``: the values that stay the same along a row, and from row to row.
    """

    group: int  # work-items
    span: int = 1  # registers of a row one after another
    count: int = 1  # registers at a time
    rows: bool = False  # they are in rows, otherwise neighbours
    near: int = 1  # those of each row that are neighbours
    spacing: str = ""  # the distance between two of them, in rows or elements, if it is not one
    vectors: bool = False  # they are neighbours, aligned, and read and written by one access
    most: int = 0  # work-items of a launch, if each continues behind the elements of all until all is done
    streams: bool = False  # results are written past the caches
    downwards: bool = False  # neighbouring items take neighbouring rows, otherwise neighbours along a row
    staged: frozenset[int] = frozenset()  # the numbers of the operands that pass through local memory
    tile: int = 0  # rows, and columns, of them at a time
    along: Same = (frozenset(), frozenset())
    down: Same = (frozenset(), frozenset())

    @property
    def width(self) -> int:
        """Registers of one row that an item takes."""
        return self.span * self.access

    @property
    def access(self) -> int:
        """Neighbouring registers."""
        return self.near if self.rows else self.count

    @property
    def strip(self) -> int:
        """Rows that an item takes at a time."""
        return self.count // self.near if self.rows else 1

    @property
    def several(self) -> bool:
        """Whether values are arrays of registers."""
        return self.rows or self.count > 1

    @property
    def ahead(self) -> str:
        """The distance of register ``k`` from the first, or of its row from the first row."""
        if self.near > 1:
            return f"k / {self.near}"
        return f"k * {self.spacing}" if self.spacing else "k"


def alignment(device: Device, body: Body, schedule: Schedule) -> tuple[int, int, list[int]]:
    """Return the grain of aligned memory, the elements from which on alignment matters, and the numbers of the arrays
    that must be aligned; see `elementwise.Elementwise`."""
    results = len(body.results)
    dtypes = [*body.dtypes, *[dtype for dtype, _ in body.operands]]
    memory = [k for k in range(len(dtypes)) if k < results or not body.operands[k - results][1]]
    unit = [k for k in memory if schedule.modes[k] in UNIT + WRAPPED]
    if not device.is_gpu:
        written = [k for k in unit if k < results]
        return device.lanes, tuning.STREAM // max(dtype.itemsize for dtype in body.dtypes), written
    if any(schedule.modes[k] == STRIDED for k in memory if not schedule.interleaved or k < results):
        return 1, 0, []
    if _takes_one(body, schedule):
        return 1, 0, []
    widest = max(dtypes[k].itemsize for k in memory)
    numbers = [run_length(body, number, schedule.modes[results:]) for number in range(len(body.steps))]
    return max([ACCESS // widest, *[length for length in numbers if length * widest <= MOST_ACCESSED]]), 0, unit


def _takes_one(body: Body, schedule: Schedule) -> bool:
    """Whether one element of a flat array is enough work for a work-item of a GPU."""
    return schedule.rank == 1 and body.cost >= tuning.ONE_ELEMENT and not _computes_neighbours(body, schedule)


def _computes_neighbours(body: Body, schedule: Schedule) -> bool:
    """Whether a step computes neighbours together."""
    modes = schedule.modes[len(body.results) :]
    return any(run_length(body, number, modes) > 0 for number in range(len(body.steps)))


def tiling_of(device: Device, body: Body, schedule: Schedule, aligned: bool, grain: int) -> Tiling:
    """Return the tiling for a kind of schedule; ``aligned``: results and operands begin at multiples of ``grain``."""
    results, numbers = len(body.results), frozenset(range(len(body.operands)))
    modes, row_invariant = schedule.modes[results:], schedule.row_invariant[results:]
    transposed = frozenset(k for k in numbers if schedule.transposed[results + k] and not body.operands[k][1])
    same_along = frozenset(k for k in numbers if schedule.rank > 1 and modes[k] == ZERO)
    same_down = frozenset(k for k in numbers if row_invariant[k]) - same_along
    nothing: frozenset[int] = frozenset()
    along = same_along, body.invariant(numbers - same_along) if schedule.rank > 1 else nothing
    down = same_down, body.invariant(numbers - same_down) - along[1]

    if not device.is_gpu:
        arrays = results + len(numbers - same_along - same_down)
        is_transposed = bool(transposed) or any(schedule.transposed[:results])
        return _on_cpus(body, schedule, aligned, along, down, arrays, is_transposed)
    if aligned:
        together = schedule.rank == 1 and _computes_neighbours(body, schedule)
        most = tuning.LOOPING_ITEMS if together else 0
        if rows := schedule.interleaved:
            return Tiling(tuning.VECTOR_GROUP, count=rows * grain, rows=True, near=grain, vectors=True, along=along)
        return Tiling(tuning.VECTOR_GROUP, count=grain, vectors=True, most=most, along=along)
    if schedule.rank == 1:
        count = 1 if _takes_one(body, schedule) else tuning.ROWS_PER_ITEM
        return Tiling(tuning.GPU_GROUP, count=count, spacing="GROUP_SIZE" if count > 1 else "", along=along)
    dtypes = [*body.dtypes, *[dtype for dtype, _ in body.operands], *[rule.result for rule, _ in body.steps]]
    count = tuning.TILE_ROWS[all([dtype.itemsize == 1 for dtype in dtypes])]
    if tile := _tile(device, [body.operands[k][0] for k in transposed], count):
        return Tiling(
            tile * tile // count, 1, count, rows=True, spacing=str(tile // count), staged=transposed, tile=tile,
            along=along, down=down,
        )  # fmt: skip
    return Tiling(tuning.GPU_GROUP, count=tuning.ROWS_PER_ITEM, rows=True, along=along, down=down)


def _on_cpus(
    body: Body, schedule: Schedule, aligned: bool, along: Same, down: Same, arrays: int, transposed: bool
) -> Tiling:
    """`tiling_of` CPUs. ``arrays``: the number of arrays whose rows differ; ``transposed``: whether any array is."""
    cost = sum(body.steps[number][0].cost for number in down[1])
    others = sum(rule.cost for number, (rule, _) in enumerate(body.steps) if number not in along[1] | down[1])
    if transposed:
        group, span, downwards = tuning.SPAN_GROUP, 1, True
    elif schedule.rank > 1 and cost >= tuning.REPAYS * arrays and 2 * cost >= others:
        group, span, downwards = tuning.ROWS_GROUP, tuning.SPAN, False
    else:
        span = tuning.STREAM_SPAN if aligned else tuning.SPAN
        return Tiling(tuning.SPAN_GROUP, span, streams=aligned, along=along)
    count = tuning.ROWS_PER_ITEM
    return Tiling(group, span, count, rows=True, streams=aligned, downwards=downwards, along=along, down=down)


def _tile(device: Device, dtypes: Sequence[np.dtype[Any]], count: int) -> int:
    """The largest tile for which a group has room in local memory, if there is anything to stage; otherwise 0.
    ``count``: the rows that a work-item takes."""
    element = sum(dtype.itemsize for dtype in dtypes)
    for tile in tuning.TILES if dtypes else ():
        room = element * tile * (tile + 1) <= min(tuning.TILE_BYTES, device.local_memory)
        if room and tile * tile // count <= device.max_group:
            return tile
    return 0
