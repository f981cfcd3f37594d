"""Rolls as operations of nodes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...kernels.core.operation import Interval, Kind, Operation
from .expressions import call
from .graph import Node


class Roll(Operation):
    """The elements of an operand, moved ``shifts`` places along each axis; elements that leave at one end enter at the
    other (standard, ``roll``). ``shifts``: from 0 to the extent of the axis.

    Element-wise kernels read their operands rolled. Other kernels read a computed roll from memory.
    """

    __slots__ = ("moves", "shifts")

    name = "roll"
    kind = Kind.MOVEMENT
    cost = 1  # above 0, so that a chain of rolls becomes expensive and is computed

    def __init__(self, shifts: tuple[int, ...]):
        self.shifts = shifts
        self.moves = any(shifts)

    def key(self, node: Node) -> tuple[Any, ...]:
        return Roll, self.shifts

    def rolled(
        self, node: Node, shifts: tuple[int, ...], roll: Callable[[Node, tuple[int, ...]], Node | None]
    ) -> Node | None:
        return roll(node.args[0], tuple([one + other for one, other in zip(self.shifts, shifts, strict=True)]))

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        return of(args[0])

    def expression(self, node: Node, *operands: str) -> str:
        axes = tuple(axis for axis, shift in enumerate(self.shifts) if shift)
        return call(self.name, *operands, shift=tuple(self.shifts[axis] for axis in axes), axis=axes)


@lru_cache(maxsize=4096)
def rolled_by(shifts: tuple[int, ...]) -> Roll:
    """The roll by so many places: one object for equal shifts."""
    return Roll(shifts)
