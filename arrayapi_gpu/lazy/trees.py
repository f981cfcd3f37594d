"""Trees of operations: the keys by which launches of theirs are found before anything is planned.

What a launch computes follows from the operations, from how they refer to each other, from the shapes and signatures of
what they read, and from which values users hold. So these are a key. It is found in one walk, without a decision of
`fuse`. Where one launch computed a tree, and read and wrote just what the walk had found, the next tree with this key
is that launch with new memory (`evaluate`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..backends.base import Buffer
from ..kernels.body import Reference, S, T, X
from ..kernels.ops import Rule
from ..memory.gpuarray import GpuArray
from .graph import CONSTANT, Node, Reduce, Source

OPERATIONS = frozenset((Rule, Reduce))  # what is told apart by the operation and the shapes alone


class Tree(NamedTuple):
    """What a node is computed from."""

    key: list[Any]
    arrays: list[GpuArray]
    buffers: list[Buffer | None]  # those of the arrays, after a place for that of the result
    scalars: list[Any]
    held: list[Node]  # pending values that users hold: results, too
    seen: dict[Node, Reference]
    size: int  # operations


def tree_of(node: Node) -> Tree | None:
    """The tree below an element-wise node, or a reduction, in the order in which `fuse` meets its operands.

    None where there is something else than operations, reductions, arrays and scalars.
    """
    shape = node.shape
    key: list[Any] = [node.rule or node.op, node.dtype, shape]
    arrays: list[GpuArray] = []
    buffers: list[Buffer | None] = [None]
    scalars: list[Any] = []
    held: list[Node] = []
    seen: dict[Node, Reference] = {}
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
    return Tree(key, arrays, buffers, scalars, held, seen, len(queue))
