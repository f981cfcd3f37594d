"""Launches of bodies by loops that were compiled ahead of time, block by block (blocks.c).

The launch of a body, or of a reduction of its value, is a `BlockLaunch` on a device that has loops, if all functions of
the body are among them. It has the bits of kernels, because its loops call the same device functions and its reductions
combine elements in the same order.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...backends.base import Buffer, Device
from ...backends.native_library import NativeLoops, Number
from ...config import config
from ...memory.dtypes import DISCRETE, DTYPE_OF, FLOATING, REAL_FLOATING, SHORT
from ...memory.gpuarray import GpuArray, empty, signature_of
from ...memory.layout import Layout, broadcast_strides, collapse, contiguous_strides, size
from ..core import tuning
from ..core.body import MEMORY, Body, M, Reference, S, T, X
from ..core.launch import BoundLaunch, Launch, is_listening, listeners, note
from ..core.monoid import Monoid
from ..core.ops import UserRule
from ..reductions.reduce import identity_body
from ..reductions.reduce_passes import BoundPasses
from ..reductions.reduce_schedule import Order, collapsed, order_of
from .loops import LOOP, fold_name

_CONTIGUOUS, _NUMBER, _STRIDED, _INDEX, _ALL_OF_MEMORY = range(5)  # kinds of inputs, see blocks.c
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


class _Walk(NamedTuple):
    """The extents in whose C order elements are walked, and the strides and shifts of each item along them."""

    extents: tuple[int, ...]
    strides: Sequence[tuple[int, ...]]
    shifts: Sequence[tuple[int, ...]]

    def is_contiguous(self, number: int) -> bool:
        """Whether an item is walked from each element to its neighbour."""
        plain = zip(self.extents, self.strides[number], contiguous_strides(self.extents), strict=True)
        return not any(self.shifts[number]) and all([n == 1 or step == other for n, step, other in plain])


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
    try:
        steps, values = _steps(device, body)
    except _Missing:
        return None
    return BlockLaunch(device, body, steps, values, _walked(shape, [*results, *operands]), results, operands, memory)


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
    try:
        steps, values = _steps(device, body)
    except _Missing:
        return None
    walk = _walked(shape, operands)
    return BlockLaunch(device, body, steps, values, walk, [target], operands, memory, scattered=True, alone=in_order)


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
    try:
        steps, values = _steps(device, body, dtype)
        function = _loops_of(device).find(fold_name(monoid, dtype))
        if function is None:
            raise _Missing
        cast = 0 if order.segments > 1 or result == out.dtype else _cast(device, result, out.dtype)
    except _Missing:
        return None
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
    places = (1, outputs) if by_segment else (order.segments, 1)
    fold = _Reduction(monoid.name, function, order._replace(outputs=outputs), way, kept[-1], result, cast, places)
    if order.segments == 1:
        return BlockLaunch(device, body, steps, values, walk, [out], operands, memory, fold)
    layout = (order.segments, outputs) if by_segment else (outputs, order.segments)
    partial = empty(device, dtype, layout)
    all_outputs, last = order.outputs, int(not by_segment)
    whole_layout = (order.segments, all_outputs) if by_segment else (all_outputs, order.segments)
    first = BlockLaunch(device, body, steps, values, walk, [partial], operands, memory, fold)
    rest = fold_launch(device, monoid, identity_body(dtype), layout, (last,), [partial], (), dtype, out, whole_layout)
    return None if rest is None else BoundPasses(first, [signature_of(device, dtype, layout)], rest)


def _steps(device: Device, body: Body, accumulator: np.dtype[Any] | None = None) -> tuple[list[_Step], list[Any]]:
    """Return the loops of a body, each after those whose values it reads, and its results, in the dtype of the
    accumulators if they are reduced."""
    steps: list[_Step] = []
    casts: dict[tuple[Reference, np.dtype[Any]], Any] = {}

    def in_dtype(own: Any, source: np.dtype[Any], dtype: np.dtype[Any]) -> Any:
        """Return a value in a dtype; its cast is one more step."""
        if source == dtype:
            return own
        if (own, dtype) not in casts:
            casts[own, dtype] = own, dtype
            steps.append(_Step(_cast(device, source, dtype), (own, dtype), (own,), dtype))
        return casts[own, dtype]

    for number, (rule, references) in enumerate(body.steps):
        if isinstance(rule, UserRule) or rule.texts:
            raise _Missing
        operands = [
            own if own.kind == MEMORY else in_dtype(own, body.dtype_of(own), dtype)
            for own, dtype in zip(references, rule.args, strict=True)
        ]
        loop = _loops_of(device).find(LOOP + rule.function)
        if loop is None:
            raise _Missing
        steps.append(_Step(loop, T[number], tuple(operands), rule.result))
    values = [
        in_dtype(reference, body.dtype_of(reference), dtype)
        for reference, dtype in zip(body.results, body.dtypes, strict=True)
    ]
    if accumulator is not None:
        values = [in_dtype(values[0], body.dtypes[0], accumulator)]
    return steps, values


def _loops_of(device: Device) -> NativeLoops:
    assert device.loops is not None, "the caller asks"
    return device.loops


def _cast(device: Device, source: np.dtype[Any], dtype: np.dtype[Any]) -> int:
    loop = _loops_of(device).find(f"{LOOP}cast_{SHORT[source]}_{SHORT[dtype]}")
    if loop is None:
        raise _Missing
    return loop


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
        steps: Sequence[_Step],
        values: Sequence[Any],
        walk: _Walk,
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
        fold: _Reduction | None = None,
        scattered: bool = False,
        alone: bool = False,
    ):
        """``values``: of the results, or the one that is reduced. ``walk``: of the operands, and before them of the
        results, unless a value is reduced or scattered. ``alone``: one thread computes all."""
        extents, rank = walk.extents, len(walk.extents)
        self._device, self._size = device, size(extents)
        self._name = "+".join(body.operations) or "copy" if fold is None else fold.name  # as kernels are named
        own = 0 if fold is not None or scattered else len(results)  # results that the walk has
        last = steps[-1].value if steps else None
        direct = [values[k] == last and walk.is_contiguous(k) and values.count(last) == 1 for k in range(own)]
        slots = _Slots(steps, [values[k] for k in range(len(values)) if not (own and direct[k])])
        inputs, places, numbers = _inputs(body, walk, slots, own, len(results), operands, memory)
        if any(direct):
            slots.new(last, 0)
        of_steps = slots.of_steps(steps)
        block = _block(slots.bytes, self._size, body.cost, fold)
        outputs = _outputs([slots.of[value] for value in values], results, walk, direct, scattered)
        rooms, room = [], 0
        for itemsize in slots.sizes:
            rooms.append(room)
            room += -(-itemsize * block // 128) * 128
        of_fold, groups, room = _words_of(fold, slots, values, results, block, room)
        if fold is None:
            groups = -(-self._size // block)
        head = [self._size, block, rank, len(inputs), len(steps), len(outputs), len(slots.sizes), room]
        self._words = array("q", [*head, *of_fold, *extents])
        first = len(self._words)
        for part in (*inputs, *of_steps):
            self._words.extend(part)
        before, width = len(self._words), 7 + 2 * rank
        for part in (*outputs, rooms):
            self._words.extend(part)
        # The place of each offset in the words, and the bytes of an element: of results, operands, memory.
        offsets = [(before + (6 + rank) * k + 3, one.dtype.itemsize) for k, one in enumerate(results)]
        if fold is not None:
            offsets = [(len(head) + 14, results[0].dtype.itemsize)]
        offsets += [(first + width * k + 4, itemsize) for k, itemsize in places]
        self._numbers = [(first + width * k + 5, dtype) for k, dtype in numbers]
        work = self._size * max(body.cost, len(steps), 1)
        threads = 1 if alone or work < tuning.NATIVE_ALONE else config.threads or device.compute_units
        for (place, itemsize), item in zip(offsets, (*results, *operands, *memory), strict=True):
            self._words[place] = item.offset * itemsize
        report = partial(_report, self._name, device, self._size)
        self.run = _run_of(device, self._words, offsets, self._numbers, groups, threads, work, report)


def _run_of(
    device: Device,
    words: array[int],
    offsets: list[tuple[int, int]],
    numbers: list[tuple[int, np.dtype[Any]]],
    groups: int,
    threads: int,
    work: int,
    report: Callable[[list[Buffer]], None],
) -> _Repeat:
    """Return the function that runs a program. ``work``: the operations of all elements."""
    packed, alone = partial(_packed, [dtype for _, dtype in numbers]), work < tuning.NATIVE_ALONE
    kinds = [_number(place, dtype) for place, dtype in numbers]
    program = _loops_of(device).program(
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


def _report(name: str, device: Device, items: int, buffers: list[Buffer]) -> None:
    """Report a launch to the listeners."""
    if is_listening():
        note(Launch(name, device.name, items, sum([buffer.nbytes for buffer in buffers])))


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
    body: Body, walk: _Walk, slots: _Slots, own: int, buffer: int, operands: Sequence[Any], memory: Sequence[GpuArray]
) -> tuple[list[list[int]], list[tuple[int, int]], list[tuple[int, np.dtype[Any]]]]:
    """Return the words of operands, memory and scalars; the numbers of those that have offsets, and the bytes of an
    element; the numbers of scalars. ``own``, ``buffer``: how many items of the walk, and buffers, come before."""
    nowhere = [0] * (2 * len(walk.extents))
    inputs: list[list[int]] = []
    places: list[tuple[int, int]] = []
    numbers: list[tuple[int, np.dtype[Any]]] = []
    for k, item in enumerate(operands):
        along = [*walk.strides[own + k], *walk.shifts[own + k]]
        if isinstance(item, Layout):
            inputs.append([_INDEX, slots.new(X[k], 8), 8, 0, item.offset, 0, 0, *along])
            places.append((k, 1))
            continue
        itemsize, flat = item.dtype.itemsize, walk.is_contiguous(own + k)
        slot = slots.new(X[k], 0 if flat else itemsize)
        inputs.append([_CONTIGUOUS if flat else _STRIDED, slot, itemsize, buffer, 0, 0, 0, *along])
        places.append((k, itemsize))
        buffer += 1
    for k, item in enumerate(memory):
        places.append((len(inputs), item.dtype.itemsize))
        inputs.append([_ALL_OF_MEMORY, slots.new(M[k], 0), item.dtype.itemsize, buffer, 0, 0, 0, *nowhere])
        buffer += 1
    for k, dtype in enumerate(body.scalars):
        numbers.append((len(inputs), dtype))
        inputs.append([_NUMBER, slots.new(S[k], dtype.itemsize), dtype.itemsize, 0, 0, 0, 0, *nowhere])
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


def _block(room: int, n: int, cost: int, fold: _Reduction | None) -> int:
    """Return the elements of a block, whose slots take so many bytes an element."""
    most = tuning.NATIVE_BLOCK
    if room:
        most = max(256, min(most, tuning.NATIVE_CACHE // room))
    if fold is not None:
        return max(1024, most // 1024 * 1024)  # whole blocks of the order in which elements are combined
    return max(1, min(n, most))


class _Slots:
    """The places of values in a block: the number of its slot for each value, and the size of the elements of each
    slot, 0 for slots outside the memory of the thread. A slot of a step is used again when no later step reads it."""

    def __init__(self, steps: Sequence[_Step], kept: Sequence[Any]):
        self.of: dict[Any, int] = {}
        self.sizes: list[int] = []
        self._last: dict[Any, int] = {}
        for number, step in enumerate(steps):
            self._last.update(dict.fromkeys(step.operands, number))
        self._last.update(dict.fromkeys(kept, len(steps)))

    @property
    def bytes(self) -> int:
        """Bytes of all slots, for one element."""
        return sum(self.sizes)

    def new(self, value: Any, itemsize: int) -> int:
        """Return a slot of its own for a value; ``itemsize`` 0: the value lies in an array."""
        self.of[value] = len(self.sizes)
        self.sizes.append(itemsize)
        return self.of[value]

    def of_steps(self, steps: Sequence[_Step]) -> list[list[int]]:
        """Return the words of the steps."""
        words = []
        free: dict[int, list[int]] = {}
        made: set[Any] = set()
        for number, (loop, value, operands, dtype) in enumerate(steps):
            if value not in self.of:
                if free.get(dtype.itemsize):
                    self.of[value] = free[dtype.itemsize].pop()
                else:
                    self.new(value, dtype.itemsize)
                made.add(value)
            words.append([loop, self.of[value], len(operands), *[self.of[operand] for operand in operands]])
            for operand in dict.fromkeys(operands):
                if operand in made and self._last[operand] == number:
                    free.setdefault(self.sizes[self.of[operand]], []).append(self.of[operand])
        return words
