"""Launches of bodies by loops that were compiled ahead of time, block by block (blocks.c).

The bound launch of a body is a `BlockLaunch` on a device that has loops, if all functions of the body are among them.
It has the bits of kernels, because its loops call the same device functions.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from ctypes import c_void_p
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device
from ...memory.dtypes import SHORT
from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout, broadcast_strides, collapse, contiguous_strides, size
from ..core import tuning
from ..core.body import MEMORY, Body, M, Reference, S, T, X
from ..core.launch import Launch, is_listening, note
from ..core.ops import UserRule
from .loops import PREFIX

CONTIGUOUS, NUMBER, STRIDED, INDEX, ALL_OF_MEMORY = range(5)  # kinds of inputs, see blocks.c

_HEADER = 8  # words


class _Missing(Exception):
    """There is no loop of a function."""


class _Step(NamedTuple):
    """A loop, the value that it computes, and the values that it reads."""

    loop: int  # its address
    value: Any
    operands: tuple[Any, ...]
    dtype: np.dtype[Any]  # of the value


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
        steps = _steps(device, body)
    except _Missing:
        return None
    return BlockLaunch(device, body, steps, shape, results, operands, memory)


def _steps(device: Device, body: Body) -> list[_Step]:
    """Return the loops of a body, each after those whose values it reads."""
    steps: list[_Step] = []
    casts: dict[tuple[Reference, np.dtype[Any]], Any] = {}

    def in_dtype(own: Reference, dtype: np.dtype[Any]) -> Any:
        """Return a value in a dtype; its cast is one more step."""
        source = dtype if own.kind == MEMORY else body.dtype_of(own)
        if source == dtype:
            return own
        if (own, dtype) not in casts:
            casts[own, dtype] = own, dtype
            steps.append(_Step(_loop(device, f"cast_{SHORT[source]}_{SHORT[dtype]}"), (own, dtype), (own,), dtype))
        return casts[own, dtype]

    for number, (rule, references) in enumerate(body.steps):
        if isinstance(rule, UserRule) or rule.texts:
            raise _Missing
        operands = tuple(map(in_dtype, references, rule.args))
        steps.append(_Step(_loop(device, rule.function), T[number], operands, rule.result))
    for reference, dtype in zip(body.results, body.dtypes, strict=True):
        in_dtype(reference, dtype)
    return steps


def _loop(device: Device, function: str) -> int:
    address: int | None = device.loop(PREFIX + function)
    if address is None:
        raise _Missing
    return address


class BlockLaunch:
    """A `BoundLaunch` of loops."""

    __slots__ = ("_device", "_groups", "_name", "_numbers", "_pointers", "_places", "_size", "_threads", "_words")

    def __init__(
        self,
        device: Device,
        body: Body,
        steps: Sequence[_Step],
        shape: tuple[int, ...],
        results: Sequence[GpuArray],
        operands: Sequence[GpuArray | Layout],
        memory: Sequence[GpuArray],
    ):
        self._device, self._name, self._size = device, body.kernel_name("blocks", len(shape)), size(shape)
        items = [*results, *operands]
        extents, strides, shifts = _walk(shape, items)
        rank, contiguous = len(extents), contiguous_strides(extents)
        values = [
            ref if body.dtype_of(ref) == dtype else (ref, dtype)
            for ref, dtype in zip(body.results, body.dtypes, strict=True)
        ]
        own = [tuple(strides[k]) == contiguous for k in range(len(results))]
        last = steps[-1].value if steps else None
        direct = [values[k] == last and own[k] and values.count(last) == 1 for k in range(len(results))]
        slots = _Slots(steps, [value for value, at_once in zip(values, direct, strict=True) if not at_once])

        # Words of inputs: in the order of operands, memory and scalars.
        inputs: list[list[int]] = []
        places: list[tuple[int, int]] = []  # of an offset among the words of inputs or outputs, and the bytes of one
        numbers: list[tuple[int, np.dtype[Any]]] = []
        buffer = len(results)
        width = 7 + 2 * rank
        for k, item in enumerate(operands):
            steps_of, by = strides[len(results) + k], shifts[len(results) + k]
            if isinstance(item, Layout):
                inputs.append([INDEX, slots.room(X[k], 8), 8, 0, item.offset, 0, 0, *steps_of, *by])
                places.append((k, 1))
                continue
            flat = tuple(steps_of) == contiguous and not any(by)
            slot = slots.elsewhere(X[k]) if flat else slots.room(X[k], item.dtype.itemsize)
            kind = CONTIGUOUS if flat else STRIDED
            inputs.append([kind, slot, item.dtype.itemsize, buffer, 0, 0, 0, *steps_of, *by])
            places.append((k, item.dtype.itemsize))
            buffer += 1
        for k, item in enumerate(memory):
            inputs.append([ALL_OF_MEMORY, slots.elsewhere(M[k]), item.dtype.itemsize, buffer, 0, 0, 0, *[0] * 2 * rank])
            places.append((len(operands) + k, item.dtype.itemsize))
            buffer += 1
        for k, dtype in enumerate(body.scalars):
            numbers.append((len(inputs), dtype))
            inputs.append([NUMBER, slots.room(S[k], dtype.itemsize), dtype.itemsize, 0, 0, 0, 0, *[0] * 2 * rank])
        if any(direct):
            slots.elsewhere(last)
        own_steps = [word for step in slots.of_steps(steps) for word in step]
        outputs = [
            [slots.of[value], array.dtype.itemsize, k, 0, int(at_once), *strides[k]]
            for k, (value, array, at_once) in enumerate(zip(values, results, direct, strict=True))
        ]
        block = _block(slots.bytes, self._size, body.cost)
        self._groups = -(-self._size // block)
        head = [
            self._size, block, rank, len(inputs), len(slots.steps), len(outputs), len(slots.sizes), slots.bytes * block + 128 * len(slots.sizes),
        ]  # fmt: skip
        first, before = _HEADER + rank, _HEADER + rank + width * len(inputs) + len(own_steps)
        rooms, at = [], 0
        for itemsize in slots.sizes:
            rooms.append(at)
            at += -(-itemsize * block // 128) * 128
        self._words = array("q", [*head, *extents])
        for part in (*inputs, own_steps, *outputs, rooms):
            self._words.extend(part)
        # The place of each offset in the words, and the bytes of an element: of results, operands, memory.
        self._places = [(before + (5 + rank) * k + 3, array_.dtype.itemsize) for k, array_ in enumerate(results)]
        self._places += [(first + width * k + 4, itemsize) for k, itemsize in places]
        self._numbers = [(first + width * k + 5, dtype) for k, dtype in numbers]
        self._pointers = c_void_p * buffer
        self._threads = 1 if self._size * max(body.cost, len(steps), 1) < tuning.NATIVE_ALONE else 0
        self._set(self._words, [item.offset for item in (*items, *memory)])

    def _set(self, words: array[int], offsets: Sequence[int]) -> None:
        for (place, itemsize), offset in zip(self._places, offsets, strict=True):
            words[place] = offset * itemsize

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Compute the results."""
        words = self._words
        if offsets is not None or scalars:
            words = words[:]
            if offsets is not None:
                self._set(words, offsets)
            with np.errstate(all="ignore"):
                for (place, dtype), scalar in zip(self._numbers, scalars, strict=True):
                    given = np.array(scalar, dtype).tobytes()
                    words[place : place + 2] = array("q", given.ljust(16, b"\0"))
        pointers = self._pointers(*[buffer.handle for buffer in buffers])
        self._device.run_blocks(pointers, words.buffer_info()[0], self._groups, self._threads)
        if is_listening():
            nbytes = sum([buffer.nbytes for buffer in buffers])
            note(Launch(self._name, self._device.name, self._size, nbytes))


def _walk(
    shape: tuple[int, ...], items: Sequence[GpuArray | Layout]
) -> tuple[tuple[int, ...], list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Return the extents of the fewest axes along which all items are walked, and their strides and shifts."""
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
    return extents, list(steps[: len(items)]), [tuple(by) for by in shifts]


def _block(room: int, n: int, cost: int) -> int:
    """Return the elements of a block, whose slots take so many bytes an element."""
    most = tuning.NATIVE_BLOCK if not room else max(256, min(tuning.NATIVE_BLOCK, tuning.NATIVE_CACHE // room))
    return int(max(1, min(n, most // 64 * 64)))


class _Slots:
    """The places of values in a block: the number of its slot for each value, and the size of the elements of each
    slot, 0 for slots outside the memory of the thread. A slot is used again when no later step reads its value."""

    def __init__(self, steps: Sequence[_Step], kept: Sequence[Any]):
        self.of: dict[Any, int] = {}
        self.sizes: list[int] = []
        self.steps = steps
        self._last: dict[Any, int] = {}
        for number, step in enumerate(steps):
            for value in step.operands:
                self._last[value] = number
        for value in kept:
            self._last[value] = len(steps)
        self._free: dict[int, list[int]] = {}

    @property
    def bytes(self) -> int:
        """Bytes of all slots, for one element."""
        return sum(self.sizes)

    def room(self, value: Any, itemsize: int) -> int:
        """Return the slot of an input, which keeps it."""
        return self._new(value, itemsize)

    def elsewhere(self, value: Any) -> int:
        """Return the slot of a value in an array."""
        return self._new(value, 0)

    def _new(self, value: Any, itemsize: int) -> int:
        self.of[value] = len(self.sizes)
        self.sizes.append(itemsize)
        return self.of[value]

    def of_steps(self, steps: Sequence[_Step]) -> list[list[int]]:
        """Return the words of the steps."""
        words = []
        made: set[Any] = set()
        for number, (loop, value, operands, dtype) in enumerate(steps):
            if value not in self.of:
                free = self._free.get(dtype.itemsize)
                if free:
                    self.of[value] = free.pop()
                else:
                    self._new(value, dtype.itemsize)
                made.add(value)
            words.append([loop, self.of[value], len(operands), *[self.of[operand] for operand in operands]])
            for operand in dict.fromkeys(operands):
                if operand in made and self._last[operand] == number:
                    slot = self.of[operand]
                    self._free.setdefault(self.sizes[slot], []).append(slot)
        return words
