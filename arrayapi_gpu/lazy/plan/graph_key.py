"""The key of a graph, by which the plan that computed such a graph is found again.

How a value is computed follows from the operations below it, from how they refer to each other, from the shapes and
signatures of what they read, and from which values users hold. So these are the key. One walk finds it, without a
decision of `fuse`. The plan of one graph computes each graph with the same key (`lazy.run.evaluate.plans`).
"""

from __future__ import annotations

from collections.abc import Container
from itertools import islice
from typing import Any

from ...kernels.core.operation import Kind
from ...memory.gpuarray import GpuArray
from ..graph.dependencies import recent
from ..graph.graph import IOTA, Node, Source, of_one_kernel
from .unroll import may_be_unrolled

MAX_NODES = 512  # pending values of a graph that has a key
SOON = 16  # operations
MOVING = frozenset((Kind.MOVEMENT, Kind.PARTS))

# In a key, what an operation refers to is a number: that of a pending value counts from 0 up, that of a scalar from -1
# down, that of an array from here up.
ARRAYS = 1 << 20
PENDING = 1 << 40  # and that of what is needed first from here; itself stands for what takes no part


class Structure:
    """What a value is computed from.

    ``nodes``: the pending values, first the one itself; ``siblings``: those of them that are not below it, but may
    share work with it. ``needs``: what is a kernel of its own, and has to be computed before the structure is known.
    """

    __slots__ = ("arrays", "key", "needs", "nodes", "scalars", "seen", "shapes", "siblings", "told")

    def __init__(self, top: Node):
        self.key: list[Any] = [top.device, top.dtype, top.shape]
        self.nodes = [top]
        self.arrays: list[GpuArray] = []
        self.scalars: list[Any] = []
        self.shapes = [top.shape]  # of nodes, some of them several times
        self.siblings: list[Node] = []
        self.needs: list[Node] = []
        self.told = True  # whether the key tells of each array how it lies to others in its memory
        # The numbers of nodes, and of scalars by identity: one scalar twice is another structure than two, so that it
        # is known of each which one a launch takes.
        self.seen: dict[Any, int] = {top: 0}


def structure_of(top: Node) -> Structure | None:
    """The structure below a pending value, and below its siblings; None where there is memory without a signature, or
    more than a key is worth. Where something is needed first, it is for `complete`."""
    found = Structure(top)
    if not _walk(found, 0):
        return None
    return found if found.needs else _with_siblings(found)


def complete(found: Structure) -> Structure | None:
    """The structure whose needs are computed now; None if more of it was computed with them."""
    if any([node.array is not None for node in found.nodes]):
        return None
    for needed in found.needs:
        if _read(needed.array, found) is None:
            return None
    found.needs.clear()  # its memory may go as soon as no launch reads it
    return _with_siblings(found)


def _with_siblings(found: Structure) -> Structure | None:
    """A structure, and what may be computed beside it."""
    nodes, arrays = found.nodes, found.arrays
    own = len(nodes)
    if (beside := recent(own)) and _add_siblings(found, beside) and not _walk(found, own):
        return None
    found.seen.clear()
    if len(nodes) > MAX_NODES:
        return None
    if len({id(array.storage) for array in arrays}) < len(arrays):
        moves = any([node.op.kind in MOVING or may_be_unrolled(node) for node in nodes if node.rule is None])
        _relate(found, moves or any([part is Source for part in found.key]))
    return found


def _walk(found: Structure, first: int) -> bool:
    """Describe the nodes from number ``first`` on, and add those below them; False where there is memory without a
    signature."""
    key, nodes, scalars, seen = found.key, found.nodes, found.scalars, found.seen
    shape = nodes[0].shape
    for node in islice(nodes, first, None):  # a hot path, so nodes are visited without a call
        args = node.args
        if node.rule is not None:
            key.append(node.rule)
        else:
            key += node.op.key(node)
            args = () if node.op is IOTA else args
        if node.shape is not shape:
            if node.shape != shape:
                key.append(node.shape)
                found.shapes.append(node.shape)
            shape = node.shape
        if (held := node.handle) is not None and (holder := held()) is not None and holder._node is node:
            key.append("held")
        for argument in args:
            if type(argument) is Node:
                if argument in seen:
                    key.append(seen[argument])
                    continue
                if argument.rule is not None:
                    seen[argument] = number = len(nodes)
                    nodes.append(argument)
                    key.append(number)
                    continue
            else:
                name = id(argument)
                if name in seen:
                    key.append(seen[name])
                    continue
                if type(argument) is not Source:
                    seen[name] = number = ~len(scalars)
                    scalars.append(argument)
                    key.append(number)
                    continue
            met = _meet(argument, found)
            if met is None:
                return False
            seen[argument if type(argument) is Node else id(argument)] = met
            key.append(met)
    return True


def _meet(argument: Node | Source, found: Structure) -> int | None:
    """The number of an array, or of a value without a rule; None of memory without a signature."""
    if isinstance(argument, Source):
        found.key.append(Source)
        return _read(argument.node.array, found)
    op = argument.op
    array = argument.array if op.own is None else op.own
    if array is not None:
        return _read(array, found)
    if op.kind is not Kind.STEP or (not found.siblings and op.reusable):
        found.nodes.append(argument)
        return len(found.nodes) - 1
    if not found.siblings:  # a value beside the graph that needs a kernel of its own takes no part
        found.needs.append(argument)
        return PENDING + len(found.needs)
    return PENDING


def _read(array: GpuArray | None, found: Structure) -> int | None:
    """The number of an array that is read; None where it has no signature."""
    signature = None if array is None else array.signature or array.find_signature()
    if array is None or signature is None:
        return None
    found.key.append(signature)
    found.arrays.append(array)
    return ARRAYS + len(found.arrays) - 1


def _add_siblings(found: Structure, beside: list[Node]) -> bool:
    """Add the pending values that may be computed beside a graph, or beside a part of it, see `fuse.with_siblings`;
    False where there are none."""
    nodes, seen, shapes = found.nodes, found.seen, found.shapes
    device = nodes[0].device
    for other in beside:
        if other.rule is None or other.shape not in shapes or other.device is not device or other in seen:
            continue
        if _shares(other, seen) or any([of_one_kernel(other, node) for node in nodes]):
            found.siblings.append(other)
    if not found.siblings:
        return False
    for other in found.siblings:
        seen[other] = len(nodes)
        nodes.append(other)
    found.key.append(len(found.siblings))
    return True


def _shares(node: Node, seen: Container[Any]) -> bool:
    """Whether a pending value is soon found to be made, by operations and reductions, of pending ones that are seen."""
    queue = [node]
    for node in queue:
        for child in node.args:
            if type(child) is Node and child.array is None:
                if child in seen:
                    return True
                if child.rule is not None or child.op.kind is Kind.REDUCTION:
                    queue.append(child)
                elif child.op.kind is not Kind.ELEMENTWISE:
                    return False
        if len(queue) > SOON:
            return False
    return False


def _relate(found: Structure, moves: bool) -> None:
    """Tell which arrays lie in the same memory, and how far from each other. One array may stand there twice: as an
    operand, and as memory that is gathered from.

    Where there is movement, or memory is gathered from, launches read them in other ways than they are given; then they
    are told by their memory.
    """
    found.told = moves
    first: dict[Any, int] = {}
    for number, array in enumerate(found.arrays):
        memory = id(array.storage)
        before = first.setdefault(memory if moves else (memory, array.signature, array.offset), number)
        if before != number:
            found.key.append((number, before, array.offset - found.arrays[before].offset))
