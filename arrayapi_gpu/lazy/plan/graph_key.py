"""The key of a graph, under which its plan is kept.

The plan of a value follows from the operations below it, from the references between them, from the shapes and
signatures of their operands, and from the set of values that users hold. So these are the key. One walk makes it,
without a decision of `fuse`. The plan of one graph computes each graph with the same key (`lazy.run.evaluate.plans`).
"""

from __future__ import annotations

from collections.abc import Container
from sys import getrefcount
from typing import Any

from ...config import config, unusual
from ...kernels.core.operation import Kind
from ...memory.gpuarray import GpuArray
from ..graph.dependencies import recent
from ..graph.graph import IOTA, Node, Source, of_one_kernel
from .fuse import is_stored
from .unroll import may_be_unrolled

MAX_NODES = 512  # pending values of a graph that has a key
SOON = 16  # operations
MOVING = frozenset((Kind.MOVEMENT, Kind.PARTS))

# In a key, operands of an operation are numbers: of pending values from 0 up, of scalars from -1 down, and of arrays
# from here up.
ARRAYS = 1 << 20
PENDING = 1 << 40  # of values needed first from above here; this number itself stands for values that take no part


class Structure:
    """The structure of a graph: its key, and the operands of its plan.

    ``nodes``: the pending values, beginning with the value itself. ``siblings``: those of them that are not below the
    value, but may share work with it. ``needs``: steps to compute before the structure is known. ``own``: the number of
    nodes without siblings. ``followed``: the numbers of the steps and reductions among these, which may be computed
    with an epilogue.
    """

    __slots__ = (
        "arrays", "followed", "key", "needs", "nodes", "numbers", "own", "related", "scalars", "shapes", "siblings",
    )  # fmt: skip

    def __init__(self, top: Node):
        self.key: list[Any] = [top.device.name, top.dtype, top.shape]
        self.nodes = [top]
        self.arrays: list[GpuArray] = []
        self.scalars: list[Any] = []
        self.shapes = [top.shape]  # of nodes, with repetitions
        self.siblings: list[Node] = []
        self.needs: list[Node] = []
        self.followed: list[int] = []
        self.own = 0
        self.related = True  # whether the key has the relative offsets of all arrays in one memory
        # The numbers of nodes, and of scalars by identity. One scalar twice is another structure than two equal
        # scalars, so that a plan takes the right one.
        self.numbers: dict[Any, int] = {top: 0}

    def inner(self, followed: list[int]) -> list[int]:
        """Those of some steps and reductions that are needed for the value alone.

        Nobody else reads such a value, nor the values between it and a stored one: the top, a value that a user holds,
        or a step. Siblings count as others, because the plan may compute them separately. References to nodes are
        counted, so nothing else may hold one.
        """
        nodes, own = self.nodes, self.own
        places = {id(nodes[place]): place for place in range(own)}
        readers: list[list[int]] = [[] for _ in range(own)]
        for place in range(own):
            for name in map(id, nodes[place].args):  # without a variable that would hold an operand
                if name in places:
                    readers[places[name]].append(place)
        return [number for number in followed if _is_inner(number, nodes, readers)]

    def inner_nodes(self) -> list[Node]:
        """The steps and reductions that launches may compute with an epilogue."""
        return [self.nodes[number] for number in self.inner(self.followed)]


def structure_of(top: Node) -> Structure | None:
    """The structure of a pending value and its siblings; None if an array has no signature, or if the graph is too
    large for a key. If it has needs, `complete` must follow."""
    found = Structure(top)
    if not _walk(found, 0):
        return None
    return found if found.needs else _with_siblings(found)


def inner_of(top: Node) -> list[Node]:
    """The steps and reductions below a pending value that its launches may compute with an epilogue."""
    found = None if is_planned_anew() else structure_of(top)
    return [] if found is None else found.inner_nodes()


def is_planned_anew() -> bool:
    """Whether settings forbid plans that are kept under a key."""
    return bool(unusual) and (bool(config.check) or config.debug > 2 or not config.fusion)


def complete(found: Structure) -> Structure | None:
    """The structure after its needs were computed; None if other values of it were computed with them."""
    if any([node.array is not None for node in found.nodes]):
        return None
    for needed in found.needs:
        if _read(needed.array, found) is None:
            return None
    found.needs.clear()  # so that their memory is freed as soon as no launch reads it
    return _with_siblings(found)


def _with_siblings(found: Structure) -> Structure | None:
    """A structure, extended by its siblings."""
    nodes, arrays = found.nodes, found.arrays
    found.own = own = len(nodes)
    if (others := recent(own)) and _add_siblings(found, others) and not _walk(found, own):
        return None
    found.numbers.clear()
    if len(nodes) > MAX_NODES:
        return None
    if len(arrays) > 1 and _share_memory(arrays):
        moves = any([node.op.kind in MOVING or may_be_unrolled(node) for node in nodes if node.rule is None])
        _relate(found, moves or any([part is Source for part in found.key]))
    return found


def _share_memory(arrays: list[GpuArray]) -> bool:
    """Whether two arrays lie in one memory."""
    memories = set()
    for array in arrays:
        memories.add(id(array.storage))
    return len(memories) < len(arrays)


def _walk(found: Structure, first: int) -> bool:
    """Whether all arrays have signatures, after adding the nodes from number ``first`` on, and those below, to the
    key."""
    key, nodes, scalars, numbers = found.key, found.nodes, found.scalars, found.numbers
    shape = nodes[0].shape
    place = first
    while place < len(nodes):  # a hot path, so nodes are visited without a call; the list grows meanwhile
        node = nodes[place]
        place += 1
        args = node.args
        if node.rule is not None:
            key.append(node.rule)
            if node.met and is_stored(node):
                key.append("met")
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
                child = argument  # another name, because the compiled form knows its type
                number = numbers.get(child)
                if number is None:
                    if child.rule is not None:
                        number = len(nodes)
                        nodes.append(child)
                    else:
                        number = _meet(child, found)
                        if number is None:
                            return False
                    numbers[child] = number
            else:
                name = id(argument)
                number = numbers.get(name)
                if number is None:
                    if type(argument) is Source:
                        number = _meet(argument, found)
                        if number is None:
                            return False
                    else:
                        number = ~len(scalars)
                        scalars.append(argument)
                    numbers[name] = number
            key.append(number)
    return True


def _meet(argument: Node | Source, found: Structure) -> int | None:
    """The number of an array, or of a value without a rule; None for an array without a signature."""
    if isinstance(argument, Source):
        found.key.append(Source)
        return _read(argument.node.array, found)
    node = argument  # another name, because the compiled form knows its type
    op: Any = node.op
    array = node.array if op.own is None else op.own
    if array is not None:
        return _read(array, found)
    if op.kind is not Kind.STEP or (not found.siblings and op.reusable):
        if not found.siblings and (op.kind is Kind.STEP or op.kind is Kind.REDUCTION):
            found.followed.append(len(found.nodes))
        found.nodes.append(node)
        return len(found.nodes) - 1
    if not found.siblings:  # a step below a sibling takes no part
        found.needs.append(node)
        return PENDING + len(found.needs)
    return PENDING


_listed = [Node()]
_ONE = getrefcount(_listed[0])  # the count of an object to which one list refers


def _is_inner(number: int, nodes: list[Node], readers: list[list[int]]) -> bool:
    stack, visited = [number], {number}
    for place in stack:
        if nodes[place].held or getrefcount(nodes[place]) != _ONE + len(readers[place]):
            return False
        for reader in readers[place]:
            stored = not reader or nodes[reader].held or nodes[reader].op.kind is Kind.STEP
            if not stored and reader not in visited:
                visited.add(reader)
                stack.append(reader)
    return True


def _read(array: GpuArray | None, found: Structure) -> int | None:
    """The number of an array that is read; None if it has no signature."""
    signature = None if array is None else array.signature or array.find_signature()
    if array is None or signature is None:
        return None
    found.key.append(signature)
    found.arrays.append(array)
    return ARRAYS + len(found.arrays) - 1


def _add_siblings(found: Structure, others: list[Node]) -> bool:
    """Whether a structure has siblings, after adding those among some pending values (`fuse.with_siblings`)."""
    nodes, numbers, shapes = found.nodes, found.numbers, found.shapes
    device = nodes[0].device
    for other in others:
        if other.rule is None or other.shape not in shapes or other.device is not device or other in numbers:
            continue
        if _shares(other, numbers) or any([of_one_kernel(other, node) for node in nodes]):
            found.siblings.append(other)
    if not found.siblings:
        return False
    for other in found.siblings:
        numbers[other] = len(nodes)
        nodes.append(other)
    found.key.append(len(found.siblings))
    return True


def _shares(node: Node, numbers: Container[Any]) -> bool:
    """Whether a short search below a pending value, through operations and reductions, finds a numbered one."""
    queue = [node]
    for node in queue:
        for child in node.args:
            if type(child) is Node and child.array is None:
                if child in numbers:
                    return True
                if child.rule is not None or child.op.kind is Kind.REDUCTION:
                    queue.append(child)
                elif child.op.kind is not Kind.ELEMENTWISE:
                    return False
        if len(queue) > SOON:
            return False
    return False


def _relate(found: Structure, moves: bool) -> None:
    """Add to the key which arrays share memory, and their relative offsets. One array may appear twice: as an operand,
    and as the memory of a gather.

    ``moves``: whether the graph has movements or gathers. Their launches read arrays at other offsets, so then all
    arrays of one memory are related. Otherwise only equal arrays are.
    """
    found.related = moves
    first: dict[Any, int] = {}
    arrays, key = found.arrays, found.key
    for number, array in enumerate(arrays):
        memory = id(array.storage)
        before = first.setdefault(memory if moves else (memory, array.signature, array.offset), number)
        if before != number:
            other = arrays[before]
            key.append((number, before, array.offset - other.offset))
