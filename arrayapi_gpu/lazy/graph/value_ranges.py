"""Intervals that contain the integers of a value, as far as they follow from its operations.

An index whose interval lies inside its axis is not checked, so the program neither computes it early nor waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kernels.core.operation import Interval, Operation, any_of
from ...kernels.core.ops import CAST, GATHER, OPS, WHERE
from ...memory.dtypes import BOOLEAN, INTEGRAL, iinfo
from ...memory.gpuarray import indices_of
from .graph import Node, Source

LEVELS = 8  # levels of operations below a value that are searched


def interval(node: Node, deep: int = LEVELS) -> Interval | None:
    """The interval of a value of integers or booleans, at worst the range of its dtype; None for other dtypes."""
    if node.dtype in BOOLEAN:
        return 0, 1
    if node.dtype not in INTEGRAL:
        return None
    limits = iinfo(node.dtype)
    args, op, array = node.args, node.op, node.array  # in this order, while other threads compute it
    found: Interval | None = None
    if array is not None:
        if extent := indices_of(array):
            found = max(-extent, limits.min), extent - 1
    elif deep:
        found = _of_operation(op, args, deep - 1)
    # Results outside the dtype wrap around, so nothing is known of them.
    return found if found and limits.min <= found[0] <= found[1] <= limits.max else (limits.min, limits.max)


def _of_operation(op: Operation, args: tuple[Any, ...], deep: int) -> Interval | None:
    """The interval of the results of an operation, if they were exact; None if it is not known."""

    def of(argument: Any) -> Interval | None:
        operand: Any = argument.node if type(argument) is Source else argument
        return interval(operand, deep) if type(operand) is Node else (operand, operand)

    rule = _RULES.get(op)
    if rule is None:
        return op.value_range(args, of)
    known = [of(argument) for argument in args]
    return None if None in known else rule(*known)


def _one_of(*operands: Interval) -> Interval | None:
    return any_of(operands)


def _products(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _quotients(a: Interval, b: Interval) -> Interval | None:
    corners = [x // y for x in a for y in b] if b[0] > 0 else []
    return (min(corners), max(corners)) if corners else None


def _remainders(a: Interval, b: Interval) -> Interval | None:
    if b[0] <= 0:
        return None
    return (0, min(a[1], b[1] - 1)) if a[0] >= 0 else (0, b[1] - 1)


def _common_bits(a: Interval, b: Interval) -> Interval | None:
    positive = [high for low, high in (a, b) if low >= 0]
    return (0, min(positive)) if positive else None


_RULES: dict[Any, Callable[..., Interval | None]] = {
    OPS["add"]: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    OPS["subtract"]: lambda a, b: (a[0] - b[1], a[1] - b[0]),
    OPS["multiply"]: _products,
    OPS["negative"]: lambda a: (-a[1], -a[0]),
    OPS["positive"]: _one_of,
    OPS["maximum"]: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    OPS["minimum"]: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    OPS["floor_divide"]: _quotients,
    OPS["remainder"]: _remainders,
    OPS["bitwise_and"]: _common_bits,
    WHERE: lambda condition, a, b: any_of((a, b)),
    GATHER: lambda memory, offsets: memory,
    **dict.fromkeys(CAST.values(), _one_of),
}
