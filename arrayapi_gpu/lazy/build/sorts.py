"""Sorts as nodes: steps over an operand in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...kernels.core import tuning
from ...kernels.core.operation import Interval, Operation
from ...kernels.ordering.by_numpy import selected
from ...kernels.ordering.sort import argsort, sort
from ...memory.boxes import Box
from ...memory.gpuarray import GpuArray, Signature, note_indices
from ..graph.expressions import call, literal
from ..graph.graph import Node
from .build import step

INT64 = np.dtype("int64")


class Sort(Operation):
    """The elements along an axis in order, or, if ``positions``, the indices that sort them."""

    __slots__ = ("axis", "descending", "name", "positions")

    def __init__(self, axis: int, descending: bool, positions: bool):
        self.axis, self.descending, self.positions = axis, descending, positions
        self.name = "argsort" if positions else "sort"

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        (source,) = operands
        if not self.positions:
            return sort(source, self.axis, self.descending)
        order = argsort(source, self.axis, self.descending)
        note_indices(order, source.shape[self.axis])
        if len(source.shape) == 1:
            order.storage.repeats = 0, False
        return order

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        return (0, args[0].shape[self.axis] - 1) if self.positions else of(args[0])

    def boxes(self, node: Node, box: Box) -> list[Box] | None:
        """The box of the operand; None if the box does not have the whole sorted axis."""
        return [box] if box[self.axis] == (0, node.shape[self.axis]) else None

    def expression(self, node: Node, *operands: str) -> str:
        return call(self.name, *operands, axis=self.axis, descending=self.descending)


class Selection(Operation):
    """The elements at some places of the order along an axis, or, if ``positions``, their indices. ``places``: in
    ascending order; of indices the first ones."""

    __slots__ = ("axis", "descending", "name", "places", "positions")

    def __init__(self, axis: int, descending: bool, positions: bool, places: tuple[int, ...] | range):
        self.axis, self.descending, self.positions, self.places = axis, descending, positions, places
        self.name = "selection"

    def run(self, operands: Sequence[GpuArray], result: Signature) -> GpuArray:
        (source,) = operands
        found = selected(source, self.axis, self.descending, self.positions, self.places)
        if self.positions:
            note_indices(found, source.shape[self.axis])
        return found

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        return (0, args[0].shape[self.axis] - 1) if self.positions else of(args[0])

    def boxes(self, node: Node, box: Box) -> list[Box] | None:
        """The box of the operand; None if the box does not have all places."""
        own = [*box]
        if own[self.axis] != (0, len(self.places)):
            return None
        own[self.axis] = (0, node.args[0].shape[self.axis])
        return [tuple(own)]

    def expression(self, node: Node, *operands: str) -> str:
        name = "argsort" if self.positions else "sort"
        ordered = call(name, *operands, axis=self.axis, descending=self.descending)
        places = call("arange", str(len(self.places))) if self.positions else call("asarray", literal([*self.places]))
        return call("take", ordered, places, axis=self.axis)


_operation = lru_cache(maxsize=4096)(Sort)
_selection = lru_cache(maxsize=4096)(Selection)


def sorted_along(x: Node, axis: int, descending: bool, positions: bool = False) -> Node:
    """The node of the elements in order, or, if ``positions``, of the int64 indices that sort them."""
    return step(_operation(axis, descending, positions), (x,), INT64 if positions else x.dtype, x.shape)


def selected_along(
    x: Node, axis: int, descending: bool, positions: bool, places: tuple[int, ...] | range
) -> Node | None:
    """The node of the elements at some places of the order along an axis, or of their indices (`Selection`). None where
    all elements must be sorted: on devices whose kernels sort, for arrays larger than the device's memory, and for more
    places than an operation should keep."""
    if x.device.loops is None or x.streamed or (not positions and len(places) > tuning.SELECTED_MOST):
        return None
    shape = (*x.shape[:axis], len(places), *x.shape[axis + 1 :])
    return step(_selection(axis, descending, positions, places), (x,), INT64 if positions else x.dtype, shape)
