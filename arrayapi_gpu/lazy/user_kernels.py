"""Users' kernels over elements as nodes: an operation whose rule is made of the user's text, fused like any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends.base import Device
from ..kernels.ops import Op
from ..kernels.user_functions import UserFunctions
from ..memory.dtypes import fit
from .build import apply
from .evaluate import contiguous
from .graph import Node, Source, leaf


class UserOp(Op):
    """A result of a user's kernel: ``shown`` is the kernel in Python, ``given`` says which of the node's operands it is
    called with, ``number`` which result it is, if there are several."""

    __slots__ = ("given", "number", "shown")

    def __init__(self, name: str, shown: str, given: Sequence[int], number: int | None):
        super().__init__(name, len(given), "any")
        self.shown, self.given, self.number = shown, given, number

    def expression(self, node: Node, *operands: str) -> str:
        text = f"{self.shown}({', '.join(operands[k] for k in self.given)})"
        return text if self.number is None else f"{text}[{self.number}]"


def results_of(
    ops: Sequence[UserOp],
    functions: UserFunctions,
    operands: Sequence[Any],
    raws: Sequence[Node],
    shape: tuple[int, ...],
    device: Device,
) -> list[Node]:
    """The results of a kernel. ``operands``: the inputs and the old values of results, nodes and numbers, at least one
    a node; ``raws``: arrays of which any element is read, which are computed now."""
    sources = [Source(leaf(contiguous(node))) for node in raws]
    nodes = []
    for op, rule in zip(ops, functions.rules, strict=True):
        given = [x if type(x) is Node else fit(x, dtype) for x, dtype in zip(operands, rule.args, strict=False)]
        nodes.append(apply(op, rule, (*given, *sources), shape, device))
    return nodes
