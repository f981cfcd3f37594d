"""Launches of bodies by loops that were compiled ahead of time, block by block (blocks.c).

The launch of a body, or of a reduction of its value, is a `BlockLaunch` on a device that has loops, if all functions of
the body are among them. It has the bits of kernels, because its loops call the same device functions and its reductions
combine elements in the same order.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from marshal import dumps
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device
from ...backends.native_library import NativeLoops
from ...config import config
from ...memory.dtypes import DTYPE_OF, SHORT
from ...memory.gpuarray import GpuArray, empty, signature_of
from ...memory.layout import Layout, broadcast_strides, collapse, contiguous_strides, size
from ..core import tuning
from ..core.body import MEMORY, Body, M, Reference, S, T, X
from ..core.launch import BoundLaunch, Launch, is_listening, note
from ..core.monoid import Monoid
from ..core.ops import UserRule
from ..reductions.reduce import identity_body
from ..reductions.reduce_passes import BoundPasses
from ..reductions.reduce_schedule import Order, collapsed, order_of
from .loops import EXPAND, LOOP, fold_name, with_numbers

_IN_PLACE, _NUMBER, _STRIDED, _ROLLED, _INDEX, _ALL_OF_MEMORY = range(6)  # kinds of inputs, see blocks.c
_COPIED, _DIRECT, _SCATTERED = range(3)  # ways of outputs, see blocks.c
_ROWS, _ROWS_IN_TURN, _ACROSS = 3, 4, 6  # ways of reductions, see folds.c

INT64 = DTYPE_OF["i64"]
_MAP = (0,) * 18  # words of a program that is no reduction
_STATE = 4096  # bytes of the state of one output


class _Missing(Exception):
    """There is no loop of a function."""


class _Step(NamedTuple):
    """A loop, the value that it computes, and the values that it reads."""

    loop: int  # its address
    value: Any
    operands: tuple[Any, ...]
    dtype: np.dtype[Any]  # of the value
    single: bool  # the value is one number in each span


class _Walk:
    """The extents in whose C order elements are walked, and the strides and shifts of each item along them.

    ``axis``: the first one of a span. Spans are as long as `tuning.NATIVE_SPAN` if an array is, and longer where this
    changes no item: in each, an item may be in place (neighbours in memory), one number, or neither.
    """

    def __init__(
        self, extents: tuple[int, ...], strides: Sequence[tuple[int, ...]], shifts: Sequence[tuple[int, ...]]
    ):
        self.extents, self.strides, self.shifts = extents, strides, shifts
        plain = contiguous_strides(extents)
        ways = []
        for axis in range(len(extents)):
            long = [k for k in range(axis, len(extents)) if extents[k] > 1]
            ways.append([
                "one" if not any([steps[k] for k in long])
                else "in place" if all([steps[k] == plain[k] and not by[k] for k in long])
                else ""
                for steps, by in zip(strides, shifts, strict=True)
            ])  # fmt: skip
        self.axis = len(extents) - 1
        while self.axis and (self.span < tuning.NATIVE_SPAN or ways[self.axis - 1] == ways[self.axis]):
            self.axis -= 1
        self._ways = ways[self.axis]

    @property
    def span(self) -> int:
        """The number of elements of a span."""
        return size(self.extents[self.axis :])

    def is_in_place(self, number: int) -> bool:
        return self._ways[number] == "in place"

    def is_one(self, number: int) -> bool:
        """Whether an item is one number in each span."""
        return self._ways[number] == "one"

    def repeats(self, number: int) -> bool:
        """Whether an item has the same elements in several spans, or in several parts of one."""
        outer = zip(self.extents[: self.axis], self.strides[number], strict=False)
        return self.is_one(number) or self.period(number) < self.span or all([n == 1 or not step for n, step in outer])

    def is_rolled_row(self, number: int) -> bool:
        """Whether a span is a row of an item, rolled along it."""
        return self.axis == len(self.extents) - 1 and self.strides[number][-1] == 1

    def period(self, number: int) -> int:
        """Return the elements of a span after which an item repeats."""
        axis = self.axis
        while axis < len(self.extents) - 1 and (self.extents[axis] == 1 or not self.strides[number][axis]):
            axis += 1
        return size(self.extents[axis:])


@dataclass
class _Reduction:
    """A reduction of the value of a body: its function, the order, and the dtype of its results."""

    name: str
    function: int
    order: Order
    way: int
    wide: int  # outputs side by side
    dtype: np.dtype[Any]  # of results as the function writes them
    cast: int  # the loop that casts them; 0 for none
    places: tuple[int, int]  # from output to output, and from segment to segment


def block_launch(
    device: Device,
    body: Body,
    shape: tuple[int, ...],
    results: Sequence[GpuArray],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
) -> BlockLaunch | None:
    """Return the launch of a body over a shape; None where the device lacks a loop."""
    walk = _walked(shape, [*results, *operands])
    try:
        steps = _Steps(device, body, _ones(body, walk, len(results)))
    except _Missing:
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
    walk = _walked(shape, operands)
    try:
        steps = _Steps(device, body, _ones(body, walk, 0))
    except _Missing:
        return None
    return BlockLaunch(device, body, steps, walk, [target], operands, memory, scattered=True, alone=in_order)


def fold_launch(
    device: Device,
    monoid: Monoid,
    body: Body,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    dtype: np.dtype[Any],
    out: GpuArray,
    whole: tuple[int, ...] | None = None,
) -> BoundLaunch | None:
    """Return the launch that reduces the value of a body along ``axes`` into ``out``, see `reduce_passes.reduce`; None
    where the device lacks a loop. A monoid that gives positions takes each output at once."""
    order = order_of(whole or shape, axes, device.target)
    if monoid.indexed:
        order = order._replace(length=order.n, segments=1)
    result = INT64 if monoid.indexed else dtype
    kept, reduced, steps_of = collapsed(shape, axes, tuple([(item.shape, item.strides) for item in operands]))
    outputs, by_segment = size(kept), order.across or not order.along
    extents, strides = (*kept, *reduced), [(*k, *r) for k, r in steps_of]
    way = _ROWS
    if order.across and order.along:
        way = _ROWS_IN_TURN
    elif order.across:
        way = _ACROSS
        extents = (*kept[:-1], *reduced, kept[-1])
        strides = [(*k[:-1], *r, k[-1]) for k, r in steps_of]
    walk = _Walk(extents, strides, [(0,) * len(extents)] * len(operands))
    try:
        steps = _Steps(device, body, _ones(body, walk, 0), dtype)
        function = _loops_of(device).find(fold_name(monoid, dtype))
        if function is None:
            raise _Missing
        cast = 0 if order.segments > 1 or result == out.dtype else _cast(device, result, out.dtype)
    except _Missing:
        return None
    places = (1, outputs) if by_segment else (order.segments, 1)
    fold = _Reduction(monoid.name, function, order._replace(outputs=outputs), way, kept[-1], result, cast, places)
    if order.segments == 1:
        return BlockLaunch(device, body, steps, walk, [out], operands, memory, fold)
    layout = (order.segments, outputs) if by_segment else (outputs, order.segments)
    partial = empty(device, dtype, layout)
    all_outputs, last = order.outputs, int(not by_segment)
    whole_layout = (order.segments, all_outputs) if by_segment else (all_outputs, order.segments)
    first = BlockLaunch(device, body, steps, walk, [partial], operands, memory, fold)
    rest = fold_launch(device, monoid, identity_body(dtype), layout, (last,), [partial], (), dtype, out, whole_layout)
    return None if rest is None else BoundPasses(first, [signature_of(device, dtype, layout)], rest)


class _Steps:
    """The loops of a body, each after those whose values it reads, and the values of its results.

    ``ones``: the operands that are one number in each span. A step of such operands alone computes one number. The
    results are in blocks, and in the dtype of the ``accumulator`` if they are reduced.
    """

    def __init__(self, device: Device, body: Body, ones: set[Any], accumulator: np.dtype[Any] | None = None):
        self._device, self._ones = device, ones
        self._made: dict[Any, Any] = {}  # casts and expanded numbers
        self.all: list[_Step] = []
        for number, (rule, references) in enumerate(body.steps):
            if isinstance(rule, UserRule) or rule.texts:
                raise _Missing
            operands = [
                own if own.kind == MEMORY else self._in_dtype(own, body.dtype_of(own), dtype)
                for own, dtype in zip(references, rule.args, strict=True)
            ]
            self._add(rule.function, T[number], operands, rule.args, rule.result)
        dtypes = body.dtypes if accumulator is None else (accumulator,)
        found = zip(body.results, body.dtypes, strict=True)
        values = [self._in_dtype(own, body.dtype_of(own), dtype) for own, dtype in found]
        if accumulator is not None:
            values = [self._in_dtype(values[0], body.dtypes[0], accumulator)]
        self.values = [self._expanded(own, dtype) for own, dtype in zip(values, dtypes, strict=True)]

    def _add(
        self,
        function: str,
        value: Any,
        operands: Sequence[Any],
        dtypes: Sequence[np.dtype[Any]],
        result: np.dtype[Any],
    ) -> None:
        ones = [k for k, own in enumerate(operands) if own in self._ones]
        single = len(ones) == sum([getattr(own, "kind", None) != MEMORY for own in operands])
        loop = _loops_of(self._device).find(LOOP + (function if single else with_numbers(function, ones)))
        if loop is None and not single:
            operands = [self._expanded(own, dtype) for own, dtype in zip(operands, dtypes, strict=True)]
            loop = _loops_of(self._device).find(LOOP + function)
        if loop is None:
            raise _Missing
        if single:
            self._ones.add(value)
        self.all.append(_Step(loop, value, tuple(operands), result, single))

    def _in_dtype(self, own: Any, source: np.dtype[Any], dtype: np.dtype[Any]) -> Any:
        """Return a value in a dtype; its cast is one more step."""
        if source == dtype:
            return own
        if (own, dtype) not in self._made:
            self._made[own, dtype] = own, dtype
            self._add(f"cast_{SHORT[source]}_{SHORT[dtype]}", (own, dtype), [own], [source], dtype)
        return self._made[own, dtype]

    def _expanded(self, own: Any, dtype: np.dtype[Any]) -> Any:
        """Return a value for each element; if it is one number, that is one more step."""
        if own not in self._ones:
            return own
        if own not in self._made:
            self._made[own] = "expanded", own
            loop = _loops_of(self._device).find(f"{EXPAND}{dtype.itemsize}")
            if loop is None:
                raise _Missing
            self.all.append(_Step(loop, self._made[own], (own,), dtype, False))
        return self._made[own]


def _ones(body: Body, walk: _Walk, own: int) -> set[Any]:
    """Return the operands that are one number in each span. ``own``: how many items of the walk come before them."""
    operands = [X[k] for k in range(len(walk.strides) - own) if walk.is_one(own + k)]
    return {*operands, *[S[k] for k in range(len(body.scalars))]}


def _loops_of(device: Device) -> NativeLoops:
    assert device.loops is not None, "the caller asks"
    return device.loops


def _cast(device: Device, source: np.dtype[Any], dtype: np.dtype[Any]) -> int:
    loop = _loops_of(device).find(f"{LOOP}cast_{SHORT[source]}_{SHORT[dtype]}")
    if loop is None:
        raise _Missing
    return loop


class BlockLaunch:
    """A `BoundLaunch` of loops."""

    __slots__ = ("_device", "_given", "_launch", "_name", "_numbers", "_plain", "_size", "_words")

    def __init__(
        self,
        device: Device,
        body: Body,
        steps: _Steps,
        walk: _Walk,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
        fold: _Reduction | None = None,
        scattered: bool = False,
        alone: bool = False,
    ):
        """``walk``: of the operands, and before them of the results, unless a value is reduced or scattered.
        ``alone``: one thread computes all."""
        extents, rank, values = walk.extents, len(walk.extents), steps.values
        self._device, self._size = device, size(extents)
        self._name = "+".join(body.operations) or "copy" if fold is None else fold.name  # as kernels are named
        own = 0 if fold is not None or scattered else len(results)  # results that the walk has
        last = steps.all[-1].value if steps.all else None
        direct = [values[k] == last and walk.is_in_place(k) and values.count(last) == 1 for k in range(own)]
        repeated = {X[k] for k in range(len(operands)) if walk.repeats(own + k)} | {S[k] for k in range(len(body.scalars))}
        slots = _Slots(steps.all, [values[k] for k in range(len(values)) if not (own and direct[k])], repeated)
        packed = values[0] if fold is not None and walk.span < self._size else None
        inputs, places, numbers = _inputs(body, walk, slots, own, len(results), operands, memory, packed)
        if any(direct):
            slots.new(last, 0)
        of_steps = slots.of_steps(steps.all)
        block = _block(slots.bytes, walk, body.cost, fold)
        outputs = _outputs([slots.of[value] for value in values], results, walk, direct, scattered)
        rooms, room = [], 0
        for slot, itemsize in enumerate(slots.sizes):
            rooms.append(room)
            room += 128 if slot in slots.singles else -(-itemsize * block // 128) * 128
        of_fold, groups, room = _words_of(fold, slots, values, results, block, room)
        shift = slots.sizes[slots.of[values[0]]] if packed is not None else 0
        if fold is None:
            groups = -(-self._size // block)
        head = [
            self._size, block, rank, len(inputs), len(steps.all), len(outputs), len(slots.sizes), room,
            max(1, walk.span), shift,
        ]  # fmt: skip
        self._words = array("q", [*head, *of_fold, *extents])
        first = len(self._words)
        for part in (*inputs, *of_steps):
            self._words.extend(part)
        before, width = len(self._words), 9 + 2 * rank
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
        words = self._words.tobytes()
        self._given, self._plain = (b"", words), words  # the scalars of the last launch, and the words with them
        self._launch = _loops_of(device).program(offsets, groups, threads, work < tuning.NATIVE_ALONE)

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Compute the results."""
        words = self._plain
        if scalars:
            packed = dumps(list(scalars), 2)  # as bits, since 0.0 equals -0.0
            before, words = self._given
            if packed != before:
                words = self._with(scalars)
                self._given = packed, words
        self._launch(buffers, words, offsets)
        if is_listening():
            nbytes = sum([buffer.nbytes for buffer in buffers])
            note(Launch(self._name, self._device.name, self._size, nbytes))

    def _with(self, scalars: Sequence[Any]) -> bytes:
        """Return the words with these scalars."""
        words = self._words[:]
        with np.errstate(all="ignore"):
            for (place, dtype), scalar in zip(self._numbers, scalars, strict=True):
                words[place : place + 2] = array("q", np.array(scalar, dtype).tobytes().ljust(16, b"\0"))
        return words.tobytes()


def _outputs(
    slots: Sequence[int], results: Sequence[GpuArray], walk: _Walk, direct: Sequence[bool], scattered: bool
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
    walk: _Walk,
    slots: _Slots,
    own: int,
    buffer: int,
    operands: Sequence[Any],
    memory: Sequence[GpuArray],
    packed: Any,
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
            inputs.append([_INDEX, slots.new(X[k], 8, one), 8, 0, item.offset, int(one), 0, 0, 0, *along])
            places.append((k, 1))
            continue
        itemsize, kind = item.dtype.itemsize, _STRIDED
        if packed != X[k]:
            if one or walk.is_in_place(number):
                kind = _IN_PLACE
            elif walk.is_rolled_row(number):
                kind = _ROLLED
        slot = slots.new(X[k], 0 if kind == _IN_PLACE else itemsize)
        inputs.append([kind, slot, itemsize, buffer, 0, int(one), period, 0, 0, *along])
        places.append((k, itemsize))
        buffer += 1
    for k, item in enumerate(memory):
        places.append((len(inputs), item.dtype.itemsize))
        inputs.append([_ALL_OF_MEMORY, slots.new(M[k], 0), item.dtype.itemsize, buffer, 0, 0, 0, 0, 0, *nowhere])
        buffer += 1
    for k, dtype in enumerate(body.scalars):
        numbers.append((len(inputs), dtype))
        inputs.append([_NUMBER, slots.new(S[k], 0), dtype.itemsize, 0, 0, 1, 0, 0, 0, *nowhere])
    return inputs, places, numbers


def _words_of(
    fold: _Reduction | None, slots: _Slots, values: Sequence[Any], results: Sequence[GpuArray], block: int, room: int
) -> tuple[tuple[int, ...], int, int]:
    """Return the words of a reduction, the number of its groups, and the bytes of the thread's memory. ``room``: bytes
    of the slots."""
    if fold is None:
        return _MAP, 0, room
    n, outputs, segments = fold.order.n, fold.order.outputs, fold.order.segments
    page = 1
    if fold.way == _ACROSS:
        page = min(fold.wide, block)
        groups = outputs // fold.wide * -(-fold.wide // page) * segments
    elif n <= block and segments == 1:
        groups = -(-outputs // (block // n if n else block))
    else:
        groups = outputs * segments
    state, finished = room, room + _STATE + 64 * page
    itemsize = fold.dtype.itemsize
    room = finished + max(page, block) * itemsize + 128
    words = (
        fold.function, fold.way, slots.of[values[0]], n, outputs, fold.order.length, segments, fold.wide, page,
        state, finished, itemsize, fold.cast, 0, 0, results[0].dtype.itemsize, *fold.places,
    )  # fmt: skip
    return words, groups, room


def _walked(shape: tuple[int, ...], items: Sequence[GpuArray | Layout]) -> _Walk:
    """Return the walk with the fewest axes, in the order of the first item's memory."""
    strides = [broadcast_strides(item.shape, item.strides, shape) for item in items]
    missing = [len(shape) - len(item.shape) for item in items]
    given = [
        (0,) * more + tuple(getattr(item, "shifts", None) or (0,) * len(item.shape))
        for item, more in zip(items, missing, strict=True)
    ]
    rolled = [axis for axis, n in enumerate(shape) if any([by[axis] % n for by in given if n])]
    # One more operand for each of these axes, which moves along it alone, so that it is not merged with others.
    alone = [tuple([int(k == axis) for k in range(len(shape))]) for axis in rolled]
    extents, steps = collapse(shape, tuple([*strides, *alone]))
    shifts = [[0] * len(extents) for _ in items]
    for axis, other in zip(rolled, steps[len(items) :], strict=True):
        place = other.index(1)
        for number, by in enumerate(given):
            if steps[number][place]:
                shifts[number][place] = -by[axis] % shape[axis]
    return _Walk(extents, steps[: len(items)], [tuple(by) for by in shifts])


def _block(room: int, walk: _Walk, cost: int, fold: _Reduction | None) -> int:
    """Return the elements of a block, whose slots take so many bytes an element."""
    most = tuning.NATIVE_BLOCK
    if room:
        most = max(256, min(most, tuning.NATIVE_CACHE // room))
    if fold is not None:
        return max(1024, most // 1024 * 1024)  # whole blocks of the order in which elements are combined
    most = max(1, min(size(walk.extents), most))
    rows = [size(walk.extents[axis:]) for axis in range(1, len(walk.extents))]
    row = next((n for n in rows if n <= most), 1)
    return most // row * row


class _Slots:
    """The places of values in a block: the number of its slot for each value, and the size of the elements of each
    slot, 0 for slots outside the memory of the thread. A slot of a step is used again when no later step reads it.
    ``singles``: the slots of one number. ``repeated``: operands that are the same in several spans; the values of steps
    that read no others are kept from span to span, if these fit."""

    def __init__(self, steps: Sequence[_Step], results: Sequence[Any], repeated: set[Any]):
        self.of: dict[Any, int] = {}
        self.sizes: list[int] = []
        self.singles: set[int] = set()
        self._last: dict[Any, int] = {}
        self._repeated = repeated
        for number, step in enumerate(steps):
            self._last.update(dict.fromkeys(step.operands, number))
        self._last.update(dict.fromkeys(results, len(steps)))

    @property
    def bytes(self) -> int:
        """Bytes of all slots, for one element."""
        return sum([itemsize for slot, itemsize in enumerate(self.sizes) if slot not in self.singles])

    def new(self, value: Any, itemsize: int, single: bool = False) -> int:
        """Return a slot of its own for a value; ``itemsize`` 0: the value lies in an array."""
        self.of[value] = len(self.sizes)
        self.sizes.append(itemsize)
        if single:
            self.singles.add(self.of[value])
        return self.of[value]

    def of_steps(self, steps: Sequence[_Step]) -> list[list[int]]:
        """Return the words of the steps."""
        words = []
        free: dict[int, list[int]] = {}
        made: set[Any] = set()
        room = tuning.NATIVE_KEPT
        for number, (loop, value, operands, dtype, single) in enumerate(steps):
            kept = self._last.get(value) != len(steps) and value not in self.of and self._repeated.issuperset(operands)
            if kept and not single:
                kept = room >= dtype.itemsize
                room -= dtype.itemsize * kept
            if kept:
                self._repeated.add(value)
            if value not in self.of:
                if kept or single:
                    self.new(value, dtype.itemsize, single)
                else:
                    if free.get(dtype.itemsize):
                        self.of[value] = free[dtype.itemsize].pop()
                    else:
                        self.new(value, dtype.itemsize)
                    made.add(value)
            reads = [self.of[own] for own in operands]
            words.append([loop, self.of[value], int(single), int(kept), len(operands), *reads])
            for operand in dict.fromkeys(operands):
                if operand in made and self._last[operand] == number:
                    free.setdefault(self.sizes[self.of[operand]], []).append(self.of[operand])
        return words
