"""Launches of bodies by loops that were compiled ahead of time, block by block (blocks.c).

The launch of a body, or of a reduction of its value, is a `BlockLaunch` on a device that has loops, if all functions of
the body are among them. It has the bits of kernels, because its loops call the same device functions and its reductions
combine elements in the same order.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd
from typing import Any, Protocol

import numpy as np

from ...backends.base import Buffer, Device
from ...backends.events import Report, listeners
from ...backends.native_library import Number
from ...config import config
from ...memory.dtypes import DISCRETE, FLOATING, REAL_FLOATING
from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout, size
from ..core import tuning
from ..core.body import Body, M, S, X
from ..core.traffic import traffic_of
from .steps import MissingLoop, Slots, Steps, loops_of
from .walks import LINE, TurnedRows, Walk, turned_rows, walked

_IN_PLACE, _NUMBER, _STRIDED, _ROLLED, _INDEX, _ALL_OF_MEMORY, _TURNED = range(7)  # kinds of inputs, see blocks.c
_COPIED, _DIRECT, _SCATTERED = range(3)  # ways of outputs, see blocks.c
_SIZE, _PANEL, _ALONG = 2, 9, 10  # words of an input: the size of an element, the place of its panel, and its strides
BY_ROWS, ROWS_IN_TURN, ACROSS_ROWS = 3, 4, 6  # ways of reductions, see folds.c

_MAP = (0,) * 18  # words of a program that is no reduction
OF_A_PART = 1024  # elements that are combined before their sum is added to others', see folds.c
# States of rows begin between lines of the cache. One core of an EPYC (Zen 4) takes twice the time for sums of float64
# where they begin with a line: loads wait for stores of whole lines whose addresses have the same last 12 bits.
_BETWEEN = 32
_STATE, _ACROSS = 1088, 64  # bytes of the state of an output, see blocks.c, and of one side by side with others


@dataclass(frozen=True)
class FoldOfBlocks:
    """A reduction of the value of a body."""

    name: str
    function: int  # the address of its loop
    n: int  # elements of an output
    length: int  # of a segment of them
    segments: int
    outputs: int
    way: int  # see folds.c
    wide: int  # outputs side by side
    dtype: np.dtype[Any]  # of results as the function writes them
    cast: int  # the loop that casts them; 0 for none
    places: tuple[int, int]  # from output to output, and from segment to segment
    in_turn: bool = False  # the blocks of neighbouring outputs are nearer in memory than those of one


def block_launch(
    device: Device,
    body: Body,
    shape: tuple[int, ...],
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
) -> BlockLaunch | None:
    """Return the launch of a body over a shape; None where the device lacks a loop."""
    walk = walked(shape, [*results, *operands])
    try:
        steps = Steps(device, body, walk, len(results))
    except MissingLoop:
        return None
    return BlockLaunch(device, body, steps, walk, results, operands, memory)


def scatter_launch(
    device: Device,
    body: Body,
    shape: tuple[int, ...],
    target: GpuArray,
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    in_order: bool,
) -> BlockLaunch | None:
    """Return the launch that writes the second result of a body to places in a target, which are the first result
    (int64 element offsets); None where the device lacks a loop. ``in_order``: the last of several values for one place
    must stay."""
    walk = walked(shape, operands)
    try:
        steps = Steps(device, body, walk, 0)
    except MissingLoop:
        return None
    return BlockLaunch(device, body, steps, walk, [target], operands, memory, scattered=True, alone=in_order)


class _Repeat(Protocol):
    def __call__(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None: ...


class BlockLaunch:
    """A `BoundLaunch` of loops."""

    __slots__ = ("_device", "_name", "_numbers", "_size", "_words", "run")

    run: _Repeat  # that of its program

    def __init__(
        self,
        device: Device,
        body: Body,
        steps: Steps,
        walk: Walk,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
        fold: FoldOfBlocks | None = None,
        scattered: bool = False,
        alone: bool = False,
    ):
        """``walk``: of the operands, and before them of the results, unless a value is reduced or scattered.
        ``alone``: one thread computes all."""
        extents, rank, values = walk.extents, len(walk.extents), steps.values
        self._device, self._size = device, size(extents)
        self._name = "+".join(body.operations) or "copy" if fold is None else fold.name  # as kernels are named
        own = 0 if fold is not None or scattered else len(results)  # results that the walk has
        panels = turned_rows(walk, own, operands if own else (), _is_copy(steps, own, operands))
        last = _last(steps, walk, own, operands, panels)
        direct = [values[k] == last and walk.is_in_place(k) and values.count(last) == 1 for k in range(own)]
        slots = Slots(steps.all, values, last if any(direct) else None)
        packed = values[0] if fold is not None and _divided(walk, fold) % OF_A_PART else None
        inputs, places, numbers = _inputs(body, walk, slots, own, len(results), operands, memory, packed, panels)
        of_steps = slots.of_steps(steps.all)
        block, together = _block(slots.bytes, walk, fold, panels, device.compute_units)
        outputs = _outputs([slots.of[value] for value in values], results, walk, direct, scattered)
        rooms, room = slots.rooms(block)
        room = _place_panels(panels, [inputs[number - own] for number in sorted(panels.items)], block, together, room)
        of_fold, groups, room = _words_of(fold, slots, values, results, block, room, device.compute_units)
        shift = 0 if packed is None else slots.sizes[slots.of[packed]]
        head = [
            self._size, block, rank, len(inputs), len(steps.all), len(outputs), len(rooms), room, walk.span, shift,
            panels.axis, panels.rows, together,
        ]  # fmt: skip
        self._words = array("q", [*head, *of_fold, *extents])
        first = len(self._words)
        for part in (*inputs, *of_steps):
            self._words.extend(part)
        before, width = len(self._words), _ALONG + 2 * rank
        for part in (*outputs, rooms):
            self._words.extend(part)
        # The place of each offset in the words, and the bytes of an element: of results, operands, memory.
        offsets = [(before + (6 + rank) * k + 3, one.dtype.itemsize) for k, one in enumerate(results)]
        if fold is not None:
            offsets = [(len(head) + 14, results[0].dtype.itemsize)]
        offsets += [(first + width * k + 4, itemsize) for k, itemsize in places]
        self._numbers = [(first + width * k + 7, dtype) for k, dtype in numbers]
        work = self._size * max(body.cost, len(steps.all), 1)
        threads = 1 if alone or work < tuning.NATIVE_ALONE else config.threads or device.compute_units
        for (place, itemsize), item in zip(offsets, (*results, *operands, *memory), strict=True):
            self._words[place] = item.offset * itemsize
        groups = groups or panels.groups(walk, block, together)
        report = Report(self._name, device, self._size, traffic_of(results, operands, memory, self._size))
        self.run = _run_of(device, self._words, offsets, self._numbers, groups, threads, work, report)


def _run_of(
    device: Device,
    words: array[int],
    offsets: list[tuple[int, int]],
    numbers: list[tuple[int, np.dtype[Any]]],
    groups: int,
    threads: int,
    work: int,
    report: Report,
) -> _Repeat:
    """Return the function that runs a program. ``work``: the operations of all elements."""
    packed, alone = partial(_packed, [dtype for _, dtype in numbers]), work < tuning.NATIVE_ALONE
    kinds = [_number(place, dtype) for place, dtype in numbers]
    program = loops_of(device).program(
        words.tobytes(), offsets, kinds, packed, groups, threads, alone, listeners, report
    )
    return program.run


def _number(place: int, dtype: np.dtype[Any]) -> Number:
    """Return a scalar as `NativeLoops.program` takes it."""
    kind: type | None = None
    if dtype in DISCRETE and sys.byteorder == "little":  # whose lowest bytes come first, so that one word serves all
        kind = int
    elif dtype in FLOATING and dtype.itemsize > 2:
        kind = float if dtype in REAL_FLOATING else complex
    return place, kind, dtype.itemsize


def _packed(dtypes: Sequence[np.dtype[Any]], number: int, scalar: Any) -> bytes:
    """Return the bytes of a scalar, in two words."""
    with np.errstate(all="ignore"):
        return np.array(scalar, dtypes[number]).tobytes().ljust(16, b"\0")


def _outputs(
    slots: Sequence[int], results: Sequence[GpuArray], walk: Walk, direct: Sequence[bool], scattered: bool
) -> list[list[int]]:
    """Return the words of the results. ``slots``: of their values, or of the places and the values to be scattered;
    ``direct``: which of the results that the walk has the last step writes itself."""
    if scattered:
        places, value = slots
        return [[value, results[0].dtype.itemsize, 0, 0, _SCATTERED, places, *[0] * len(walk.extents)]]
    ways = [_DIRECT if one else _COPIED for one in direct]
    return [[slots[k], results[k].dtype.itemsize, k, 0, way, 0, *walk.strides[k]] for k, way in enumerate(ways)]


def _inputs(
    body: Body,
    walk: Walk,
    slots: Slots,
    own: int,
    buffer: int,
    operands: Sequence[Any],
    memory: Sequence[GpuArray],
    packed: Any,
    panels: TurnedRows,
) -> tuple[list[list[int]], list[tuple[int, int]], list[tuple[int, np.dtype[Any]]]]:
    """Return the words of operands, memory and scalars; the numbers of those that have offsets, and the bytes of an
    element; the numbers of scalars. ``own``, ``buffer``: how many items of the walk, and buffers, come before;
    ``packed``: the value that must lie in its slot, for several spans."""
    nowhere = [0] * (2 * len(walk.extents))
    inputs: list[list[int]] = []
    places: list[tuple[int, int]] = []
    numbers: list[tuple[int, np.dtype[Any]]] = []
    for k, item in enumerate(operands):
        number = own + k
        along, one, period = [*walk.strides[number], *walk.shifts[number]], walk.is_one(number), walk.period(number)
        if isinstance(item, Layout):
            inputs.append([_INDEX, slots.new(X[k], 8, one), 8, 0, item.offset, int(one), 0, 0, 0, 0, *along])
            places.append((k, 1))
            continue
        itemsize, kind = item.dtype.itemsize, _STRIDED
        if packed != X[k] and (one or walk.is_in_place(number)):
            kind = _IN_PLACE
        elif packed != X[k] and walk.is_rolled_row(number):
            kind = _ROLLED
        elif number in panels.items:
            kind = _TURNED
        if X[k] not in slots.of:
            slots.new(X[k], 0 if kind in (_IN_PLACE, _TURNED) else itemsize, rare=kind == _ROLLED)
        slot = slots.of[X[k]]
        inputs.append([kind, slot, itemsize, buffer, 0, int(one), period, 0, 0, 0, *along])
        places.append((k, itemsize))
        buffer += 1
    for k, item in enumerate(memory):
        places.append((len(inputs), item.dtype.itemsize))
        inputs.append([_ALL_OF_MEMORY, slots.new(M[k], 0), item.dtype.itemsize, buffer, 0, 0, 0, 0, 0, 0, *nowhere])
        buffer += 1
    for k, dtype in enumerate(body.scalars):
        numbers.append((len(inputs), dtype))
        inputs.append([_NUMBER, slots.new(S[k], 0), dtype.itemsize, 0, 0, 1, 0, 0, 0, 0, *nowhere])
    return inputs, places, numbers


def _is_copy(steps: Steps, own: int, operands: Sequence[GpuArray | Layout]) -> bool:
    """Return whether the only result is a copy of the only operand."""
    return not steps.all and own == len(operands) == 1 and not isinstance(operands[0], Layout)


def _last(steps: Steps, walk: Walk, own: int, operands: Sequence[GpuArray | Layout], panels: TurnedRows) -> Any:
    """Return the value that may be written to a result at once: that of the last step, or of an operand that is copied
    and would lie in a slot; None where there is none."""
    if steps.all:
        return steps.all[-1].value
    lies = panels.rows or walk.is_one(own) or walk.is_in_place(own) or walk.is_rolled_row(own)
    return X[0] if _is_copy(steps, own, operands) and not lies else None


def _place_panels(panels: TurnedRows, inputs: Sequence[list[int]], block: int, together: int, room: int) -> int:
    """Place the panels of inputs behind the slots. Return the bytes of the thread's memory. ``block``,
    ``together``: the elements of a block and its rows, 0 where rows are copied without panels."""
    for words in inputs if together else ():
        words[_PANEL], room = room, room + panels.bytes(block // together, words[_SIZE])
    return room


def _words_of(
    fold: FoldOfBlocks | None,
    slots: Slots,
    values: Sequence[Any],
    results: Sequence[GpuArray],
    block: int,
    room: int,
    threads: int,
) -> tuple[tuple[int, ...], int, int]:
    """Return the words of a reduction, the number of its groups, and the bytes of the thread's memory. ``room``: bytes
    of the slots."""
    if fold is None:
        return _MAP, 0, room
    n, outputs, segments = fold.n, fold.outputs, fold.segments
    page = 1
    if fold.way == ACROSS_ROWS:
        page = min(fold.wide, block)
        groups = outputs // fold.wide * -(-fold.wide // page) * segments
    elif n <= block and segments == 1:
        groups = -(-outputs // (block // n if n else block))
    else:
        if fold.in_turn:  # as many as leave each thread some groups
            page = max(1, min(fold.wide, tuning.NATIVE_IN_TURN, outputs * segments // (4 * threads)))
        groups = outputs // fold.wide * -(-fold.wide // page) * segments
    across = fold.way == ACROSS_ROWS
    state = room + -room % LINE + (0 if across else _BETWEEN)
    finished = state + page * (_ACROSS if across else _STATE)
    itemsize = fold.dtype.itemsize
    room = finished + max(page, block) * itemsize + 128
    words = (
        fold.function, fold.way, slots.of[values[0]], n, outputs, fold.length, segments, fold.wide, page,
        state, finished, itemsize, fold.cast, 0, 0, results[0].dtype.itemsize, *fold.places,
    )  # fmt: skip
    return words, groups, room


def _divided(walk: Walk, fold: FoldOfBlocks) -> int:
    """Return a number of elements. Blocks of so many elements as divide it lie in one span each; 0 if all blocks do."""
    if walk.span >= size(walk.extents):
        return 0
    if fold.way == BY_ROWS and walk.span <= fold.n:
        return gcd(walk.span, fold.length)
    return walk.span if fold.way == BY_ROWS and not (fold.n % OF_A_PART and OF_A_PART % fold.n) else 1


def _block(room: int, walk: Walk, fold: FoldOfBlocks | None, panels: TurnedRows, threads: int) -> tuple[int, int]:
    """Return the elements of a block, whose slots take so many bytes an element, and its rows of panels."""
    share = size(walk.extents) // (tuning.NATIVE_SHARES * threads)
    most = min(tuning.NATIVE_CACHE // max(room, walk.itemsize), max(tuning.NATIVE_BLOCK, share))
    most = max(256, most)
    if fold is not None:
        chunks, rest = divmod(_divided(walk, fold), OF_A_PART)
        return OF_A_PART * next((n for n in range(most // OF_A_PART, 1, -1) if rest or not chunks % n), 1), 1
    most = max(1, min(size(walk.extents), most))
    if panels.rows:
        return panels.block(walk, most)
    rows = [size(walk.extents[axis:]) for axis in range(1, len(walk.extents))]
    row = next((n for n in rows if n <= most), 1)
    return most // row * row, 1
