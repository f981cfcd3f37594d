"""Seeing what happens: `explain` shows an expression and the launches it would take, `record` lists those made."""

from __future__ import annotations

from typing import Any

from .api.array_object import Array
from .kernels.launch import recording
from .lazy.graph import CONSTANT, IOTA, Node, Source
from .memory.dtypes import SHORT

record = recording


def explain(x: Array) -> str:
    """The graph of an array as a program, one line a value, cut into the launches that computing it would take.

    Nothing is launched and nothing is computed.
    """
    launches: list[str] = []
    names: dict[int, str] = {}

    def name(node: Any) -> str:
        if isinstance(node, Source):
            node = node.node
        if not isinstance(node, Node):
            return repr(node)
        if id(node) not in names:
            names[id(node)] = f"v{len(names)}"
        return names[id(node)]

    def line(node: Node) -> str:
        what = f"{SHORT[node.dtype]}{list(node.shape)}"
        if node.array is not None:
            return f"  {name(node)}: {what} = array"
        if node.op is CONSTANT:
            return f"  {name(node)}: {what} = {node.args[0]!r}"
        if node.op is IOTA:
            return f"  {name(node)}: {what} = index{node.args[0].strides} + {node.args[0].offset}"
        return f"  {name(node)}: {what} = {node.op.name}({', '.join(name(a) for a in node.args)})"

    planned: set[int] = set()

    def plan(node: Node) -> None:
        if node.array is not None or id(node) in planned:
            return
        planned.add(id(node))
        lines: list[str] = []
        seen: set[int] = set()

        def visit(inner: Node, root: bool = False) -> None:
            if id(inner) in seen:
                return
            seen.add(id(inner))
            fusable = not hasattr(inner.op, "run")
            if inner.array is None and (root or fusable):
                for argument in inner.args:
                    child = argument.node if isinstance(argument, Source) else argument
                    if isinstance(child, Node):
                        if child.array is None and (hasattr(child.op, "run") or isinstance(argument, Source)):
                            plan(child)
                        else:
                            visit(child)
            lines.append(line(inner) if fusable or root else f"  {name(inner)}: computed above")

        visit(node, True)
        kind = "reduction" if hasattr(node.op, "run") else "element-wise"
        launches.append("\n".join([f"launch {len(launches) + 1} ({kind}, {node.device}) -> {name(node)}", *lines]))

    plan(x._node)
    if not launches:
        return f"{SHORT[x.dtype]}{list(x.shape)}: in memory, no launch"
    return "\n".join(launches)
