"""Seeing what happens: `explain` shows an expression and the launches it would take, `record` lists those made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .api.core.arguments import of_arrays
from .api.core.array_object import Array
from .config import config
from .kernels.core.launch import recording
from .lazy.build.build import handle
from .lazy.graph.dependencies import recent, unfused
from .lazy.graph.expressions import call, literal
from .lazy.graph.graph import Node, Source, View, leaf
from .lazy.graph.host_operands import HOST, OnHost, fits
from .lazy.out_of_core.streaming import blocks_of
from .lazy.plan.fuse import Group, claim, fuse, with_siblings
from .lazy.plan.pushdown import Plan, computed
from .lazy.run.host_execution import lacking
from .memory.gpuarray import GpuArray
from .memory.layout import Layout, contiguous_strides, extent, size

record = recording


class Explanation(str):
    """Python statements, and ``arrays``: those in memory that the statements read, by their names.

    ``exec(text, {"xp": arrayapi_gpu, **text.arrays})`` binds the last name to the value that was explained.
    """

    arrays: dict[str, Array]

    def __new__(cls, text: str, arrays: dict[str, Array]) -> Explanation:
        new = super().__new__(cls, text)
        new.arrays = arrays
        return new


@dataclass(frozen=True)
class Promised:
    """An array that an earlier launch would have made; with ``shifts`` as an expression reads it (`Rolled`)."""

    dtype: np.dtype[Any]
    layout: Layout
    shifts: tuple[int, ...] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        return self.layout.strides

    def rolled(self, shifts: tuple[int, ...]) -> Promised:
        """The same memory with its elements further on."""
        return replace(self, shifts=shifts)

    def through(self, layout: Layout) -> Promised:
        """The same memory through another layout."""
        return replace(self, layout=layout)


class Program:
    """The launches that are planned, and the lines that say what they compute."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.arrays: dict[str, Array] = {}
        self._launches = 0
        self._names: dict[Node, str] = {}
        self._memory: dict[Node, Node] = {}  # of arrays that are gathered from, in one dimension
        self._planned = Plan()

    def plan(self, node: Node) -> None:
        """Write down the launches that make a node, unless they are there already."""
        if node.array is not None or node in self._planned or type(node.op) is OnHost:
            return
        if node.weight >= HOST:
            self._plan_blocks(node)
            return
        for needed, _ in [] if config.fusion else unfused(node):
            self.plan(needed)
        found = self._group(node)
        if found.top is node:
            found = with_siblings(found, recent(0), self._planned)
        count = self._count(found)
        start = len(self.lines)
        made, named = [node, *found.kept], set[Node]()
        for one in made:
            self.name(one, named)
        for one in made:
            self._planned[one] = Promised(one.dtype, Layout(one.shape, contiguous_strides(one.shape), 0))
        if isinstance(node.op, View) and (below := computed(node.args[0], self._planned)) is not None:
            self._planned[node] = Promised(node.dtype, node.op.seen(below.layout))
            return
        names = ", ".join(self._names[one] for one in made)
        first = self._launches + 1
        self._launches += count
        numbers = f"launch {first}" if first == self._launches else f"launches {first} to {self._launches}"
        by = ", by NumPy while the device rests" if lacking(found, node) == [] else ""
        self.lines.insert(start, f"# {numbers} ({found.kind.value}, {node.device}{by}): {names}")

    def _plan_blocks(self, node: Node) -> None:
        """The same of a value made of host operands, which is computed block by block."""
        while (found := blocks_of(node, self._planned)).needs:
            for needed in found.needs:
                self.plan(needed)
        nbytes = size(node.shape) * node.dtype.itemsize
        to = "on the device" if fits(node.device, nbytes) else "in host memory"
        start, count = len(self.lines), found.count(node)
        name = self.name(node, set())
        blocks = "1 block" if count == 1 else f"{count} blocks"
        self.lines.insert(
            start, f"# {blocks} of {found.nbytes} bytes ({node.device}): {name}, whose {nbytes} bytes will be {to}"
        )
        self._planned[node] = Promised(node.dtype, Layout(node.shape, contiguous_strides(node.shape), 0))

    def _group(self, node: Node) -> Group:
        """The group of a node, after the launches that it needs first."""
        while not isinstance(found := fuse(node, self._planned), Group):
            claims = claim(found)
            for needed, _ in found:
                self.plan(needed)
            del claims
        return found

    def _count(self, group: Group) -> int:
        """How many launches compute a group: one for each part."""
        return sum([self._count(self._group(expression)) for _, expression in group.parts]) or 1

    def name(self, node: Node, seen: set[Node]) -> str:
        """The name of a node, after the lines that say what it is. ``seen``: nodes that this launch has lines of."""
        known = self._names.get(node)
        if known is not None and (node in seen or node in self._planned or node.array is not None):
            return known
        seen.add(node)
        operands = [self._operand(argument, seen) for argument in node.args]
        name = self._names.setdefault(node, f"v{len(self._names)}")
        if type(node.op) is OnHost:
            nbytes = size(node.shape) * node.dtype.itemsize
            self.lines.append(f"# {name}: {node.dtype} {node.shape}, {nbytes} bytes in host memory")
            self.arrays[name] = handle(Array, node)
        elif node.array is None:
            self.lines.append(f"{name} = {node.op.expression(node, *operands)}  # {node.dtype} {node.shape}")
        else:
            origin = node.array.storage.origin
            self.lines.append(f"# {name}: {node.dtype} {node.shape}, in memory{f', {origin}' if origin else ''}")
            self.arrays[name] = handle(Array, node)
        return name

    def _operand(self, argument: Any, seen: set[Node]) -> str:
        if isinstance(argument, Node):
            return self.name(argument, seen)
        if not isinstance(argument, Source):
            return literal(argument)
        node = argument.node
        if node.array is None or node.array.contiguous:
            name = self.name(node, seen)
            return name if len(node.shape) == 1 else call("reshape", name, "(-1,)")
        if node not in self._memory:
            self._memory[node] = _flat(node.array)
            self.lines.append(f"# the memory under a view of shape {node.shape}, strides {node.array.strides}:")
        return self.name(self._memory[node], seen)


def _flat(array: GpuArray) -> Node:
    """All memory from the lowest element of a view to the highest, in one dimension."""
    low, high = extent(array.layout) or (0, -1)
    return leaf(array.view(Layout((high - low + 1,), (1,), low)))


@of_arrays
def explain(x: Array) -> Explanation:
    """The expression of an array as Python, one statement a value, cut into the launches that computing it would take.

    ``v2 = xp.add(v0, v1)  # float32 (3, 4)``; arrays in memory are names without a statement, which the attribute
    ``arrays`` of the text has. Some of these have no expression because a library computed them, or because it had
    become too large for one kernel: the text says so. A reduction of many elements and other kernels of their own may
    take several passes, which count as one launch here. Of values made of host operands (`from_host`) it says in how
    many blocks of how many bytes they are computed, instead of launches. Nothing is launched and nothing is computed.
    """
    program = Program()
    program.plan(x._node)
    program.name(x._node, set())
    return Explanation("\n".join(program.lines), program.arrays)
