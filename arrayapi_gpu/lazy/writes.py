"""Mutation: the one place where memory that somebody may be looking at is changed.

A pending expression reads its operands when it is computed, so whoever has a pending expression on memory that is about
to change is computed first. Then the write happens, in place, because views must see it. Where nobody else can see the
memory, ``x += y`` changes no memory at all: the handle is given the new expression and stays lazy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.ops import Op
from ..memory.gpuarray import GpuArray, Storage
from ..memory.layout import may_overlap, same_elements, self_overlaps
from .build import astype, binary, broadcast, pending_nodes, rebind
from .graph import Handle, Node, Source, leaf
from .plan import copy, evaluate, write


def operate(op: Op, target: Handle, other: Any) -> None:
    """``target op= other``, keeping the target's dtype and shape (standard, "Array object": in-place operators)."""
    node = target._node
    result = binary(op, node, other)
    if result.shape != node.shape:
        raise ValueError(
            f"in-place {op.name}: the result has shape {result.shape}, the array {node.shape}; an "
            f"array cannot grow in place"
        )
    if result.dtype != node.dtype and not np.can_cast(result.dtype, node.dtype, "same_kind"):
        raise TypeError(
            f"in-place {op.name}: the result has dtype {result.dtype}, which does not go into {node.dtype}; "
            "write x = x op y, or convert the other operand with astype"
        )
    result = astype(result, node.dtype)
    array = node.array
    if array is None or not array.storage.shared:
        rebind(target, result)
    else:
        assign(array, result)


def assign(target: GpuArray, value: Node) -> None:
    """Write a value into memory, after everybody who still has to read the old one."""
    check_writable(target)
    value = astype(broadcast(value, target.shape), target.dtype)
    settle_readers(target.storage)
    if value.array is None and not _safe(value, target):
        evaluate(value)
    array = value.array
    if array is not None and _meet(array, target) and not same_elements(array.layout, target.layout):
        value = leaf(copy(value))
    write(value, target)
    if target.storage.exposed:
        target.storage.device.publish()


def check_writable(target: GpuArray) -> None:
    """ValueError for memory that is read-only, and where elements share memory, so that writing one writes others."""
    if target.storage.readonly:
        raise ValueError("the array is read-only: it shares the memory of a read-only host array; copy it first")
    if not target.contiguous and self_overlaps(target.layout):
        raise ValueError(
            f"the destination, of shape {target.shape}, is a broadcast view whose elements share memory; copy it first"
        )


def settle_readers(storage: Storage) -> None:
    """Compute every pending value that reads a storage, which is about to change."""
    storage.indices = 0
    for node in pending_nodes():
        if node.array is None and _reads(node, storage):
            evaluate(node)


def _reads(node: Node, storage: Storage) -> bool:
    stack, seen = [node], {id(node)}
    while stack:
        node = stack.pop()
        if node.array is not None:
            if node.array.storage is storage:
                return True
            continue
        for argument in node.args:
            child = argument.node if type(argument) is Source else argument
            if type(child) is Node and id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
    return False


def _safe(value: Node, target: GpuArray) -> bool:
    """Whether a kernel may write the target while it reads what the value reads: each element only where it is
    written."""
    stack = [value]
    while stack:
        node = stack.pop()
        if node.array is not None:
            if _meet(node.array, target) and not same_elements(node.array.layout, target.layout):
                return False
            continue
        for argument in node.args:
            if type(argument) is Source:
                if argument.node.array is None or _meet(argument.node.array, target):
                    return False
            elif type(argument) is Node:
                stack.append(argument)
    return True


def _meet(a: GpuArray, b: GpuArray) -> bool:
    return a.storage is b.storage and may_overlap(a.layout, a.dtype.itemsize, b.layout, b.dtype.itemsize)
