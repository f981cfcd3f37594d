"""Ownership of memory: whether a value may get other memory, or be computed in the memory of an operand.

CPython counts references, which show whether any other object refers to a memory.
"""

from __future__ import annotations

import gc
from sys import getrefcount
from typing import Any

from ...memory.gpuarray import GpuArray, is_written_by_others
from ..graph.dependencies import only_reader
from ..graph.graph import MOVED, Handle, Node, Source
from ..plan.fuse import Group

_source = Source(Node())
_ONE = getrefcount(_source.node)  # the count of an object to which one attribute refers


def is_ours_again(node: Any) -> bool:
    """Whether only this node refers to the memory of a computed value: there is one reference to its array and one to
    its storage, and no other library knows its address. No variable of the callers may hold the array.

    Memory that refuses writes does not count, because it must go on to refuse them. Neither does a view with gaps or in
    another order: new memory would be in C order, and a later `reshape` would be a view where NumPy copies.
    """
    array = node.array
    if array.readonly or is_written_by_others(array.storage):
        return False
    if not array.contiguous:
        return False
    del array
    if getrefcount(node.array) != _ONE or getrefcount(node.array.storage) != _ONE:
        return False
    node.array.storage.shared = False
    return True


def operand_to_replace(node: Node, group: Group) -> GpuArray | None:
    """An operand of the group that only this group reads and no user holds, with the dtype and shape of the result;
    None without one."""
    if group.kept or group.axes is not None or not node.held or group.top is not node:
        return None
    if group.first is not None:  # other work-items read its operands
        return None
    arrays = [item for item in group.leaves if isinstance(item, GpuArray)]
    operands = {argument for inner in group.nodes for argument in inner.args if type(argument) is Node}
    for array in arrays:
        storage = array.storage
        if (
            (array.dtype, array.shape) == (node.dtype, node.shape)
            and array.contiguous
            and sum(item.storage is storage for item in (*arrays, *group.memory)) == 1
            and not any(
                operand.array is array and (operand.op is MOVED or _has_holder(operand)) for operand in operands
            )
            and only_reader(storage, node)
        ):
            return array
    return None


def _has_holder(node: Node) -> bool:
    """Whether a user holds a node. The garbage collector finds its handle, because a computed node has no reference to
    it."""
    return any(isinstance(other, Handle) and other._node is node for other in gc.get_referrers(node))
