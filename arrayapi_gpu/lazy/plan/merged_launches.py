"""Products with the operations that follow them: two launches of a plan become one.

`fuse` gives a product a launch of its own. Where one launch alone reads the product, element by element, and computes
element-wise operations, the product's kernel computes these from the sums that it holds (`kernels.reductions.
epilogues`), so the product is neither written nor read. Nobody else may need the product, because it has no memory and
would be computed again (`graph_key`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from ...kernels.core import tuning
from ...kernels.core.operation import Kind
from ...kernels.core.ops import UserRule
from ...memory.gpuarray import GpuArray
from ...memory.layout import broadcast_strides, c_order, collapse_ordered
from ..graph.graph import Node
from .kernel_arguments import is_rolled
from .plan import Launch, Promised, Work
from .pushdown import Planned


def with_epilogues(launches: Sequence[Launch], inner: Container[Node], planned: Planned) -> None:
    """Let launches of operations on a product compute the product, too. ``inner``: the values that nothing outside of
    the plan needs. The launch of such a product stays in its place, without work."""
    read: Counter[int] = Counter()
    products: dict[int, Launch] = {}
    for launch in launches:
        work = launch.work
        if work is not None:
            read.update([item.slot for item in work.operands if type(item) is Promised])
            if launch.kind is Kind.STEP and work.node in inner and work.node.op.takes_epilogue(work.node):
                products[planned[work.node].slot] = launch
    for launch in launches if products else ():
        work = launch.work
        if launch.kind is not Kind.ELEMENTWISE or work is None or work.group is None:
            continue
        leaves: Sequence[Any] = work.group.leaves
        for number, item in enumerate(leaves):
            product = products.get(item.slot) if type(item) is Promised and read[item.slot] == 1 else None
            if product is not None and product.work is not None and _may_follow(work, item, product.work):
                _merge(launch, number, product)
                break


def _merge(launch: Launch, number: int, product: Launch) -> None:
    """Let a launch compute the product that is the leaf of a ``number``, too. The operands of the product are the first
    two leaves of its group, in place of the product."""
    work, own = launch.work, product.work
    assert work is not None and work.group is not None and own is not None
    group = work.group
    leaves = [*own.operands, *group.leaves[:number], *group.leaves[number + 1 :]]
    key = [own.node.op, number, *group.key]
    launch.kind, launch.key = Kind.PRODUCT, tuple(key)
    merged = replace(group, kind=Kind.PRODUCT, key=key, leaves=leaves, product=(own.node.op, number))
    launch.work = replace(work, group=merged, operands=leaves)
    product.work = None


def _may_follow(work: Work, item: Any, own: Work) -> bool:
    """Whether operations may follow a product in its launch: they read it as it is, once, have few other operands in
    the kernel's reach, and one result in fresh memory. ``own``: the work of the product."""
    group, product, shape = work.group, own.node, own.node.shape
    assert group is not None
    whole = c_order(shape)
    if group.top.shape != shape or (item.layout, item.dtype, item.shifts) != (whole, product.dtype, None):
        return False
    if group.kept or group.memory or group.rolled or work.whole is not None or len(work.results) > 1:
        return False
    result = work.results[0]
    if type(result) is not Promised or result.layout != whole or len(group.leaves) > tuning.EPILOGUE_OPERANDS:
        return False
    if any([isinstance(node.rule, UserRule) for node in group.nodes]):
        return False
    if sum([0 if node.rule is None else node.rule.cost for node in group.nodes]) > tuning.EPILOGUE_COST:
        return False
    a, b = own.operands
    batch = shape[: len(shape) - (len(a.shape) > 1) - (len(b.shape) > 1)]
    if not all([_is_evenly_spaced(one, (*batch, *one.shape[-2:]), batch) for one in (a, b)]):  # they are copied
        return False
    return all([one is item or _is_evenly_spaced(one, shape, batch) for one in group.leaves])


def _is_evenly_spaced(item: Any, shape: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    """Whether an operand, broadcast to a shape, is a stack of matrices at equal distances."""
    if not isinstance(item, (GpuArray, Promised)) or is_rolled(item):
        return False
    steps = broadcast_strides(item.shape, item.strides, shape)[: len(batch)]
    return len(collapse_ordered(batch, (steps,))[0]) <= 1
