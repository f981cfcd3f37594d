"""`config.nan`: the operation that made NaN or an infinity.

While the setting is on, each result is computed and checked on its device at the call that makes it. So the line of the
program is known, and nothing is kept for later. A value is *new* if the operands do not explain it: a NaN if no operand
has one, an infinity if all operands are finite. For an element-wise operation this is asked of each element, for others
of all elements of the operands. If a call has new values in its result, its operations are checked one by one.
"""

from __future__ import annotations

import cmath
import linecache
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...backends.kernel_reports import users_line
from ...config import config, modes_of
from ...kernels.core.monoid import ANY
from ...kernels.core.operation import Kind
from ...kernels.core.ops import CAST, OPS, Op
from ...memory.dtypes import DTYPE_OF, FLOATING
from ...memory.layout import broadcast_shapes, size
from ..graph.graph import CONSTANT, HOST, Node, Source, new_node
from ..graph.host_operands import called
from ..graph.movements import keyed
from ..graph.reduction import Reduce
from .evaluate import evaluate, through

# Operations with poles: whether a new infinity is a division by zero depends on the operand with this number, which is
# zero there; None: each new infinity is one.
_POLES = {
    "atanh": None, "divide": 1, "floor_divide": 1, "log": None, "log10": None, "log1p": None, "log2": None, "pow": 0,
    "remainder": 1,
}  # fmt: skip
_AND, _FINITE, _INFINITE, _NAN = (OPS[name] for name in ("logical_and", "isfinite", "isinf", "isnan"))
_NOT, _OR = OPS["logical_not"], OPS["logical_or"]
_NONZERO = CAST[DTYPE_OF["b8"]]
_reduced = lru_cache(maxsize=4096)(Reduce)


class Step(NamedTuple):
    """A value, and its operation and operands before it was computed."""

    node: Node
    name: str
    elementwise: bool
    args: tuple[Any, ...]


def check(node: Node) -> None:
    """Compute a pending value. FloatingPointError, or a warning, if it has new NaN or infinities that `config.nan` does
    not ignore."""
    if node.dtype not in FLOATING or node.op is CONSTANT or not size(node.shape):
        return
    steps = _steps(node)
    if not node.streamed:
        evaluate(node)
    if steps and _has(_bad(node)):
        _look_at(steps)


def check_results(name: str, operands: Sequence[Node], results: Sequence[Node]) -> None:
    """The same for the results of a call of a library or of a user's kernel."""
    for node in results:
        if node.dtype in FLOATING and size(node.shape) and _has(_bad(node)):
            _report(Step(node, name, False, tuple(operands)), None)


def _steps(top: Node) -> list[Step]:
    """The pending values from the operands up to a value."""
    found: dict[Node, Step | None] = {}
    stack = [top]
    while stack:
        node = stack[-1]
        if found.get(node) is not None or node.array is not None:
            stack.pop()
        elif node in found:
            stack.pop()
            found.pop(node)
            found[node] = Step(node, node.op.name, _is_elementwise(node), node.args)
        else:
            found[node] = None
            stack += [child for argument in node.args if (child := _node(argument)) is not None and child not in found]
    return [step for step in found.values() if step is not None]


def _node(argument: Any) -> Node | None:
    return argument.node if type(argument) is Source else argument if type(argument) is Node else None


def _is_elementwise(node: Node) -> bool:
    return node.op.kind is Kind.ELEMENTWISE and not any([type(argument) is Source for argument in node.args])


def _look_at(steps: list[Step]) -> None:
    """Report the first of some operations that made the new values in the last one's result."""
    own = {step.node for step in steps}
    operands = {argument: None for step in steps for argument in step.args if _node(argument) not in own}
    plain = all([step.elementwise for step in steps])
    whole = Step(steps[-1].node, "", plain, tuple(operands))
    bad = _any_of([mask for _, mask in _new_values(whole)])
    if not _has(bad):
        return
    for step in steps:
        if step.node.dtype in FLOATING and _report(step, bad if plain else None):
            return


def _report(step: Step, among: Node | None) -> bool:
    """Report new values in the result of an operation; return whether there are any. ``among``: a mask of the elements
    that count; None: all do."""
    modes, found = modes_of(config.nan), _new_values(step)
    for mode in ("raise", "warn"):
        masks = [mask if among is None else _of(_AND, mask, among) for kind, mask in found if modes[kind] == mode]
        if not masks or not _has(mask := _any_of(masks)):
            continue
        text = _text(step, mask)
        if mode == "raise":
            raise FloatingPointError(text)
        file, _, line = users_line().rpartition(":")
        warnings.warn_explicit(text, RuntimeWarning, file, int(line))
        return True
    return False


def _text(step: Step, mask: Node) -> str:
    node, line = step.node, users_line()
    index = np.unravel_index(int(np.argmax(evaluate(mask).download())), node.shape)
    place = tuple(map(int, index))
    value = evaluate(through(node, keyed(place), False)).download().item()
    operands = ", ".join([f"{one.dtype} {one.shape}" if (one := _node(x)) else repr(x) for x in step.args])
    outer, name = called(), step.name
    if outer and not outer.startswith("_"):
        name = outer if name.startswith(outer) else f"{name} in {outer}"
    file, _, number = line.rpartition(":")
    source = linecache.getline(file, int(number)).strip()
    return (
        f"{name}: got {value} at index {place} of the result, {node.dtype} {node.shape}, from operands without such a "
        f"value: {operands}; line {line}{f': {source}' if source else ''}; look at the operands there, or allow it by "
        "config.set(nan=None)"
    )


def _new_values(step: Step) -> list[tuple[str, Node]]:
    """The kinds of new values in a result, each with a mask of the elements."""
    nans, infinities = _of(_NAN, step.node), _of(_INFINITE, step.node)
    for argument in step.args:
        operand = _node(argument)
        if operand is None:
            number = complex(argument)
            nans = _without(nans, nans) if cmath.isnan(number) else nans
            infinities = infinities if cmath.isfinite(number) else _without(infinities, infinities)
        elif operand.dtype in FLOATING and size(operand.shape):
            each = step.elementwise and type(argument) is not Source
            nan, bad = _of(_NAN, operand), _bad(operand)
            nans, infinities = (
                _without(nans, nan if each else _any(nan)),
                _without(infinities, bad if each else _any(bad)),
            )
    return [("invalid", nans), *_kinds(step, infinities)]


def _kinds(step: Step, infinities: Node) -> list[tuple[str, Node]]:
    """The kinds of new infinities in a result: divisions by zero, and overflows."""
    if step.name not in _POLES:
        return [("over", infinities)]
    place = _POLES[step.name]
    if place is None:
        return [("divide", infinities)]
    divisor = step.args[place]
    if type(divisor) is not Node:
        return [("over" if divisor else "divide", infinities)]
    is_zero = _of(_NOT, _of(_NONZERO, divisor))
    return [("divide", _of(_AND, infinities, is_zero)), ("over", _without(infinities, is_zero))]


def _bad(node: Node) -> Node:
    return _of(_NOT, _of(_FINITE, node))


def _cleared(mask: Node) -> Node:
    return _without(mask, mask)


def _without(mask: Node, other: Node) -> Node:
    return _of(_AND, mask, _of(_NOT, other))


def _any_of(masks: Sequence[Node]) -> Node:
    first, *rest = masks
    for mask in rest:
        first = _of(_OR, first, mask)
    return first


def _any(mask: Node) -> Node:
    """Whether a mask has a true element, as a value without dimensions."""
    if not mask.shape:
        return mask
    operation = _reduced(ANY, tuple(range(len(mask.shape))))
    return new_node(operation, (mask,), None, mask.dtype, (), mask.device, mask.weight)


def _has(mask: Node) -> bool:
    return bool(evaluate(_any(mask)).download().item())


def _of(op: Op, x: Node, *others: Node) -> Node:
    """The node of an element-wise operation."""
    operands = (x, *others)
    rule = op.tables[others[0].dtype][x.dtype] if others else op.rules[x.dtype]
    shape = broadcast_shapes(x.shape, others[0].shape) if others else x.shape
    weight = min(HOST, 1 + sum([one.weight for one in operands]))
    return new_node(op, operands, rule, rule.result, shape, x.device, weight)
