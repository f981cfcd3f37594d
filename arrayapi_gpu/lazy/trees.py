"""Trees of operations: the keys by which launches of theirs are found before anything is planned.

What a launch computes follows from the operations, from how they refer to each other, from the shapes and signatures of
what they read, and from which values users hold. So these are a key. It is found in one walk, without a decision of
`fuse`. Where one launch computed a tree, and read and wrote just what the walk had found, the next tree with this key
is that launch with new memory (`evaluate`).
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any, NamedTuple

from ..backends.base import Buffer
from ..kernels.body import Reference, S, T, X
from ..kernels.ops import Rule
from ..memory.gpuarray import GpuArray
from .graph import CONSTANT, Node, Reduce, Source
from .pending import recent

OPERATIONS = frozenset((Rule, Reduce))  # what is told apart by the operation and the shapes alone


class Tree(NamedTuple):
    """What a node is computed from."""

    key: list[Any]
    arrays: list[GpuArray]
    buffers: list[Buffer | None]  # those of the arrays, after a place for that of the result
    scalars: list[Any]
    held: list[Node]  # pending values that users hold: results, too
    siblings: list[Node]  # those of them that are not below the node


def tree_of(node: Node) -> Tree | None:
    """The tree below an element-wise node, or a reduction, in the order in which `fuse` meets its operands.

    With an element-wise node come those pending values of its shape that users hold: they may share work with it. None
    where there is something else than operations, reductions, arrays and scalars.
    """
    shape = node.shape
    tree = Tree([node.rule or node.op, node.dtype, shape], [], [None], [], [], [])
    key, arrays, buffers, scalars, held, siblings = tree
    seen: dict[Node, Reference] = {}
    alone = node.rule is None
    queue = [node.args]
    for arguments in queue:
        for argument in arguments:
            if type(argument) is Node:
                reference = seen.get(argument)
                if reference is None:
                    array = argument.array
                    if array is not None:
                        signature = array.signature or array.find_signature()
                        if signature is None:
                            return None
                        reference = X[len(arrays)]
                        arrays.append(array)
                        buffers.append(array.storage.buffer)
                        key.append(signature)
                    elif argument.op is CONSTANT:
                        reference = S[len(scalars)]
                        scalars.append(argument.args[0])
                        key.append(argument.dtype)
                    else:
                        operation = argument.rule or argument.op
                        if argument.views is not None or type(operation) not in OPERATIONS:
                            return None
                        reference = T[len(queue)]
                        queue.append(argument.args)
                        key.append(operation)
                        if type(operation) is Reduce:
                            key.append(argument.dtype)
                        if argument.shape != shape:
                            key.append(argument.shape)
                        if argument.handle is not None and argument.held:
                            key.append("held")
                            held.append(argument)
                    seen[argument] = reference
            elif type(argument) is Source:
                return None
            else:
                reference = S[len(scalars)]
                scalars.append(argument)
            key.append(reference)
        if not alone and arguments is queue[-1]:
            alone = True
            siblings += _siblings(node, len(queue), seen)
            for other in siblings:
                seen[other] = T[len(queue)]
                queue.append(other.args)
                key += (other.rule, "sibling")
                held.append(other)
    return tree


def _siblings(node: Node, size: int, seen: Container[Node]) -> list[Node]:
    """Pending values that may be computed beside a tree of ``size`` operations, see `fuse.with_siblings`."""
    return [
        other
        for other in recent(size)
        if other.rule is not None
        and other.shape == node.shape
        and other.device is node.device
        and other is not node
        and other not in seen
    ]
