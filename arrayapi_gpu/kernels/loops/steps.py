"""The steps of a body: the loops that compute it one after another, and the memory in which their values lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device
from ...backends.native_library import NativeLoops
from ...memory.dtypes import SHORT
from ..core import tuning
from ..core.body import MEMORY, Body, S, T, X
from ..core.ops import UserRule
from .loops import EXPAND, LOOP, joined, with_numbers
from .walks import Walk

# Functions whose value is their operand, bit by bit: booleans become 0 or 1, and bfloat16 is computed in float32.
_COPIES = frozenset([f"positive_{short}" for short in SHORT.values() if short not in ("b8", "bf16")])


class MissingLoop(Exception):
    """There is no loop of a function."""


class LoopStep(NamedTuple):
    """A loop, the value that it computes, and the values that it reads."""

    loop: int  # its address
    value: Any
    operands: tuple[Any, ...]
    dtype: np.dtype[Any]  # of the value
    single: bool = False  # the value is one number in each span
    function: str = ""  # with which the loop may be joined to another
    kept: bool = False  # the value is computed again only where an operand has changed


class Steps:
    """The loops of a body, each after those whose values it reads, and the values of its results.

    A step whose operands are all one number in each span computes one number. The results are in blocks, and in the
    dtype of the ``accumulator`` if they are reduced. ``own``: how many items of the walk come before the operands.
    """

    def __init__(self, device: Device, body: Body, walk: Walk, own: int, accumulator: np.dtype[Any] | None = None):
        self._device, scalars = device, [S[k] for k in range(len(body.scalars))]
        operands = [(X[k], own + k) for k in range(len(walk.strides) - own)]
        self._ones = {*scalars, *[value for value, number in operands if walk.is_one(number)]}
        repeated = {*scalars, *[value for value, number in operands if walk.repeats(number)]}
        self._made: dict[Any, Any] = {}  # casts and expanded numbers
        self._copied: dict[Any, Any] = {}  # the operands of steps that copy them
        self.all: list[LoopStep] = []
        for number, (rule, references) in enumerate(body.steps):
            if isinstance(rule, UserRule) or rule.texts:
                raise MissingLoop
            given = [
                own if own.kind == MEMORY else self._in_dtype(own, body.dtype_of(own), dtype)
                for own, dtype in zip(references, rule.args, strict=True)
            ]
            if rule.function in _COPIES:
                self._copied[T[number]] = given[0]
            else:
                self._add(rule.function, T[number], given, rule.args, rule.result)
        dtypes = body.dtypes if accumulator is None else (accumulator,)
        found = zip(body.results, body.dtypes, strict=True)
        values = [self._in_dtype(own, body.dtype_of(own), dtype) for own, dtype in found]
        if accumulator is not None:
            values = [self._in_dtype(values[0], body.dtypes[0], accumulator)]
        self.values = [self._expanded(own, dtype) for own, dtype in zip(values, dtypes, strict=True)]
        self._join(repeated)
        self._keep(repeated)

    def _add(
        self, function: str, value: Any, operands: Sequence[Any], dtypes: Sequence[np.dtype[Any]], result: np.dtype[Any]
    ) -> None:
        ones = [k for k, own in enumerate(operands) if own in self._ones]
        single = len(ones) == sum([getattr(own, "kind", None) != MEMORY for own in operands])
        loop = loops_of(self._device).find(LOOP + (function if single else with_numbers(function, ones)))
        if loop is None and not single:
            operands = [self._expanded(own, dtype) for own, dtype in zip(operands, dtypes, strict=True)]
            loop = loops_of(self._device).find(LOOP + function)
        if loop is None:
            raise MissingLoop
        if single:
            self._ones.add(value)
        self.all.append(LoopStep(loop, value, tuple(operands), result, single, "" if single else function))

    def _in_dtype(self, own: Any, source: np.dtype[Any], dtype: np.dtype[Any]) -> Any:
        """Return a value in a dtype; its cast is one more step."""
        own = self._copied.get(own, own)
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
        made = "expanded", own
        if made not in self._made:
            self._made[made] = made
            loop = loops_of(self._device).find(f"{EXPAND}{dtype.itemsize}")
            if loop is None:
                raise MissingLoop
            self.all.append(LoopStep(loop, made, (own,), dtype))
        return made

    def _join(self, repeated: set[Any]) -> None:
        """Compute two steps by one loop, where the library has it and nothing else reads the value of the first.
        ``repeated``: the operands, and then also the values, that are the same in several spans."""
        reads = Counter([own for step in self.all for own in step.operands] + self.values)
        steps: dict[Any, LoopStep] = {}
        for step in self.all:
            repeats = repeated.issuperset(step.operands)
            if repeats:
                repeated.add(step.value)
            for place, own in enumerate(step.operands):
                first = steps.get(own)
                if first is None or not (first.function and step.function) or reads[own] > 1:
                    continue
                operands = (*step.operands[:place], *first.operands, *step.operands[place + 1 :])
                ones = [k for k, operand in enumerate(operands) if operand in self._ones]
                name = with_numbers(joined(step.function, place, first.function), ones)
                loop = loops_of(self._device).find(LOOP + name)
                if loop is not None and (own in repeated) == repeats:
                    step = LoopStep(loop, step.value, operands, step.dtype)
                    del steps[own]
                    break
            steps[step.value] = step
        self.all = list(steps.values())

    def _keep(self, repeated: set[Any]) -> None:
        """Keep numbers, and values that are the same in several spans, if they fit."""
        room = tuning.NATIVE_KEPT
        for number, step in enumerate(self.all):
            size = 0 if step.single else step.dtype.itemsize
            if (step.single or step.value in repeated) and step.value not in self.values and size <= room:
                self.all[number] = step._replace(kept=True)
                room -= size


def loops_of(device: Device) -> NativeLoops:
    """Return the loops of a device that has them."""
    assert device.loops is not None, "the caller asks"
    return device.loops


def cast_loop(device: Device, source: np.dtype[Any], dtype: np.dtype[Any]) -> int:
    """Return the loop that casts elements."""
    loop = loops_of(device).find(f"{LOOP}cast_{SHORT[source]}_{SHORT[dtype]}")
    if loop is None:
        raise MissingLoop
    return loop


class Slots:
    """The places of values in a block: the number of its slot for each value, and the size of the elements of each
    slot, 0 for slots outside the memory of the thread. A slot of a step is used again when no later step reads it, and
    its value is not kept. ``direct``: the value that its step writes into an array, if there is one."""

    def __init__(self, steps: Sequence[LoopStep], results: Sequence[Any], direct: Any):
        self.of: dict[Any, int] = {}
        self.sizes: list[int] = []
        self._singles: set[int] = set()  # those of one number
        self._rare: set[int] = set()  # those that few spans use
        if direct is not None:
            self.new(direct, 0)
        self._last: dict[Any, int] = {}
        for number, step in enumerate(steps):
            self._last.update(dict.fromkeys(step.operands, number))
        self._last.update(dict.fromkeys(results, len(steps)))

    @property
    def bytes(self) -> int:
        """Bytes of all slots that blocks use, for one element."""
        return sum([itemsize for slot, itemsize in enumerate(self.sizes) if slot not in self._singles | self._rare])

    def rooms(self, block: int) -> tuple[list[int], int]:
        """Return where the slots lie in the memory of a thread, and its bytes. ``block``: the elements of a slot."""
        rooms, room = [], 0
        for slot, itemsize in enumerate(self.sizes):
            rooms.append(room)
            room += 128 if slot in self._singles else -(-itemsize * block // 128) * 128
        return rooms, room

    def new(self, value: Any, itemsize: int, single: bool = False, rare: bool = False) -> int:
        """Return a slot of its own for a value; ``itemsize`` 0: the value lies in an array; ``rare``: in most spans."""
        self.of[value] = len(self.sizes)
        self.sizes.append(itemsize)
        if single:
            self._singles.add(self.of[value])
        if rare:
            self._rare.add(self.of[value])
        return self.of[value]

    def of_steps(self, steps: Sequence[LoopStep]) -> list[list[int]]:
        """Return the words of the steps."""
        words = []
        free: dict[int, list[int]] = {}
        made: set[Any] = set()
        for number, step in enumerate(steps):
            value, itemsize = step.value, step.dtype.itemsize
            if value not in self.of:
                if not (step.kept or step.single):
                    made.add(value)
                if value in made and free.get(itemsize):
                    self.of[value] = free[itemsize].pop()
                else:
                    self.new(value, itemsize, step.single)
            reads = [self.of[own] for own in step.operands]
            words.append([step.loop, self.of[value], int(step.single), int(step.kept), len(reads), *reads])
            for operand in dict.fromkeys(step.operands):
                if operand in made and self._last[operand] == number:
                    free.setdefault(self.sizes[self.of[operand]], []).append(self.of[operand])
        return words
