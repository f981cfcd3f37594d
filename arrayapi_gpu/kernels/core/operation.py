"""The methods of all operations: an operation says how one value is made of others.

An element-wise operation (`ops.Op`) is known by its rules. Every other kind of operation is a class with the methods
here. So a new kind is one class, which inherits the defaults of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

Interval = tuple[int, int]  # the least and the greatest that an element may be


class Kind:
    """How launches compute an operation, or a group of operations; ``value`` says it in words.

    It is no Enum, because Python 3.11 takes 100 ns to find a member of one, and 23 ns to find an attribute of a class.
    """

    ELEMENTWISE: ClassVar[Kind]
    ROWS: ClassVar[Kind]
    REDUCTION: ClassVar[Kind]
    STEP: ClassVar[Kind]
    PARTS: ClassVar[Kind]
    MOVEMENT: ClassVar[Kind]
    PRODUCT: ClassVar[Kind]
    TOTAL: ClassVar[Kind]

    def __init__(self, value: str):
        self.value = value

    def __repr__(self) -> str:
        return self.value


Kind.ELEMENTWISE = Kind("element-wise")
Kind.ROWS = Kind("over rows")
Kind.REDUCTION = Kind("reduction")
Kind.STEP = Kind("a kernel of its own")
Kind.PARTS = Kind("in parts")
Kind.MOVEMENT = Kind("its operand, read at other places")
Kind.PRODUCT = Kind("a product and what follows it")
Kind.TOTAL = Kind("a reduction and what follows it")


class Operation:
    """The operation of a node.

    There is one object for equal arguments (`lru_cache`), because plans are found by it.

    ``kind``: how launches compute it. ``reusable``: whether it depends only on its operands, so a plan with it may be
    kept. ``launched``: whether a step is one launch, which the launch cache has under the step and the signatures of
    its result and operands. ``cost``: of one element, where it has no rule. ``on_host``: whether it is a host operand.

    A roll has ``shifts``.

    A view of its operand, which is the root, has a ``layout`` and a ``movement``. It may have elements of its ``own``,
    be ``fixed``, and show a ``part`` (`lazy.graph.views.View`).
    """

    __slots__ = ()

    name: str = ""
    kind: ClassVar[Kind] = Kind.STEP
    reusable: ClassVar[bool] = True
    launched: ClassVar[bool] = False
    cost: ClassVar[int] = 0
    layout: Any = None
    own: Any = None
    fixed: bool = False
    part: Any = None
    movement: Any = None
    shifts: Any = None
    on_host: bool = False

    def key(self, node: Any) -> tuple[Any, ...]:
        """The part of a graph's key that describes a node without its operands."""
        return self, node.dtype

    def run(self, operands: Sequence[Any], result: Any) -> Any:
        """The result of a step: an array of a signature in fresh memory, never an operand, in C order. The operands are
        in memory, in any layout."""
        raise NotImplementedError

    def takes_epilogue(self, node: Any) -> bool:
        """Whether the launch of a step (`run_then`) or of a reduction may compute element-wise operations on its
        result, too."""
        return False

    def run_then(self, operands: Sequence[Any], out: Any, then: Any) -> Any:
        """Compute a step, and from its elements what follows them, into ``out``; the launch, if it may run again."""
        raise NotImplementedError

    def boxes(self, node: Any, box: Any) -> list[Any] | None:
        """The boxes of the operands that a box of the result needs; None if it is not computed in boxes."""
        return None

    def part_of(self, shape: tuple[int, ...], part: tuple[int, ...], target: Any) -> Any:
        """The operation on a part of an operand of some shape, with the bits that it gives to the whole."""
        return self

    def moved(self, node: Any, layout: Any, mover: Any) -> Any:
        """The elements of a pending node that a layout shows where the node is in C order, as an expression; None if
        something must be computed first (`lazy.plan.pushdown.Mover`)."""
        return mover.step(node)

    def rolled(self, node: Any, shifts: tuple[int, ...], roll: Callable[[Any, tuple[int, ...]], Any]) -> Any:
        """The pending node further along its axes, as an expression; None if it must be computed first."""
        return None

    def value_range(self, args: tuple[Any, ...], of: Callable[[Any], Interval | None]) -> Interval | None:
        """The interval of the results, if it is known. ``of``: the interval of an operand."""
        return None

    def value(self, node: Any, args: tuple[Any, ...]) -> Any:
        """The only value of a node as a Python scalar, if it is known without a device; None if not."""
        return None

    def expression(self, node: Any, *operands: str) -> str:
        """The value of a node in Python, given its operands in Python."""
        raise NotImplementedError


def any_of(intervals: Sequence[Interval | None]) -> Interval | None:
    """The interval of values that are each one of several; None where one is not known."""
    known = [each for each in intervals if each is not None]
    if len(known) < len(intervals):
        return None
    return min([low for low, _ in known]), max([high for _, high in known])
