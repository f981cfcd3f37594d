"""Operations whose operands weigh more than a launch may have.

The weight of an operation is at most the sum of the weights of its operands, in which a part that several of them share
counts several times. Only where this sum is too large, the parts are counted (`sketch_of`), and only an operation that
is still too heavy has parts of its operands computed first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...config import config
from ...kernels.core.ops import Op, Rule
from ...memory.gpuarray import MAX_WEIGHT
from ..graph import dependencies as pending
from ..graph.graph import HOST, Node, halving, last_held, new_node, share, sketch_of, sketches
from ..plan.fuse import claim
from ..run.evaluate import evaluate
from ..run.run import report_separate

_most = MAX_WEIGHT  # numbers in C in the compiled form
_host = HOST


def heavy(op: Op, rule: Rule, args: tuple[Any, ...], shape: tuple[int, ...]) -> Node:
    """An operation whose operands weigh too much together, or any operation if fusion is off."""
    operands: list[Node] = []
    weight, shared = 1, False
    for argument in args:
        if type(argument) is Node:
            operand = argument  # another name, because the compiled form knows its type
            if operand.weight >= _host:  # it is cut later, when it is computed block by block
                return new_node(op, args, rule, rule.result, shape, operand.device, HOST)
            operands.append(operand)
            weight += operand.weight
            if operand.sketch:
                shared = True
    bits: int | None = None  # if no value is shared, the sum of the weights is right
    if shared or share(operands):
        bits = sketch_of(operands)
        weight = bits.bit_count()
        if weight > _most and sketches.stale:
            bits = _sketch_again(operands)
            weight = bits.bit_count()
    if weight > _most or not _fuses():
        weight, bits = _lightened(operands, weight, bits)
    node = new_node(op, args, rule, rule.result, shape, operands[0].device, weight)
    node.sketch = bits
    return node


def _fuses() -> bool:
    """Whether expressions grow. With `config.nan` they do within a call, because `nonfinite.check` computes them."""
    return config.fusion or config.nan is not None


def _lightened(operands: list[Node], weight: int, bits: int | None) -> tuple[int, int | None]:
    """The weight and the sketch of an operation, after parts of its operands are computed until the weight is allowed.

    The first part is the oldest value held by a user after which at most half of the weight is left. In a loop these
    are the values that the steps pass on, so the same launch comes again. If there is no such value, the first part is
    the heaviest operand.
    """
    fusing = _fuses()
    reason = "fusion is off" if not fusing else "the expression has become large"
    parts = sorted(operands, key=lambda node: -node.weight)
    claims = claim([(part, reason) for part in parts])
    most, first = MAX_WEIGHT, []
    if fusing:
        first = last_held(operands, weight - 1) if bits is None else halving(operands, _recent_below(operands))
        parts = first + parts
    if first:  # values that an operand shares with the first part are not stored, so it may still be heavy and grow
        most = MAX_WEIGHT // 2 + 1
    for part in parts:
        if part.array is None:
            report_separate(part, reason)
            evaluate(part).storage.origin = f"computed first: {reason}"
        if bits is None and part in operands:
            weight = 1 + sum([node.weight for node in operands])
        else:  # values over the part have another weight, too
            bits = _sketch_again(operands)
            weight = bits.bit_count()
        if weight <= most and fusing:
            break
    del claims
    return weight, bits


def _recent_below(operands: Sequence[Node]) -> list[Node]:
    """The recent values held by users that are below the operands. Sketches cannot show that, because different values
    may have the same bits, and a value that is being computed must not be needed again."""
    below = pending.all_below(operands)
    return [node for node in pending.recent(0) if node in below]


def _sketch_again(operands: Sequence[Node]) -> int:
    """The result of `sketch_of` after values below the operands may have been computed."""
    for node in pending.all_below(operands):
        node.sketch = None
    sketches.stale = False
    return sketch_of(operands)
