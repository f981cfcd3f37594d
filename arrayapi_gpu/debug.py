"""Seeing what happens: `explain` shows an expression and the launches it would take, `record` lists those made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .api.arguments import of_arrays
from .api.array_object import Array
from .kernels.launch import recording
from .lazy.fuse import Group, fuse
from .lazy.graph import CONSTANT, IOTA, Node, Source
from .memory.dtypes import SHORT
from .memory.layout import contiguous_strides

record = recording


class Promised(NamedTuple):
    """An array that an earlier launch would have made."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]


@of_arrays
def explain(x: Array) -> str:
    """The graph of an array as a program, one line a value, cut into the launches that computing it would take.

    A reduction of many elements and other kernels of their own may take several passes, which count as one launch here.
    Nothing is launched and nothing is computed.
    """
    launches: list[str] = []
    names: dict[Node, str] = {}
    planned: dict[Node, Promised] = {}

    def plan(node: Node) -> None:
        """Write down the launches that make a node, unless they are there already."""
        if node.array is not None or node in planned:
            return
        found = fuse(node, planned)
        while not isinstance(found, Group):
            for needed, _ in found:
                plan(needed)
            found = fuse(node, planned)
        lines: list[str] = []
        describe(node, lines, set())
        head = f"launch {len(launches) + 1} ({found.kind.value}, {node.device}) -> {names[node]}"
        launches.append("\n".join([head, *lines]))
        for made in (node, *found.kept):
            planned[made] = Promised(made.dtype, made.shape, contiguous_strides(made.shape))

    def describe(node: Node, lines: list[str], seen: set[Node]) -> None:
        """The lines of a node and of what its launch computes on the way to it."""
        if node in seen:
            return
        seen.add(node)
        what = f"{SHORT[node.dtype]}{list(node.shape)}"
        if node.array is not None:
            value = "array"
        elif node in planned:
            value = "computed above"
        elif node.op is CONSTANT:
            value = repr(node.args[0])
        elif node.op is IOTA:
            value = f"index{node.args[0].strides} + {node.args[0].offset}"
        else:
            words = []
            for argument in node.args:
                operand = argument.node if isinstance(argument, Source) else argument
                if isinstance(operand, Node):
                    describe(operand, lines, seen)
                    words.append(names[operand])
                else:
                    words.append(repr(operand))
            value = f"{node.op.name}({', '.join(words)})"
        names.setdefault(node, f"v{len(names)}")
        lines.append(f"  {names[node]}: {what} = {value}")

    plan(x._node)
    if not launches:
        return f"{SHORT[x.dtype]}{list(x.shape)}: in memory, no launch"
    return "\n".join(launches)
