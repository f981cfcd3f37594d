"""Products and reductions with the operations that follow them: two launches of a plan become one.

`fuse` gives a product, and a reduction of another shape, a launch of its own. Where one launch alone reads the value,
element by element, and computes element-wise operations, the kernel of the value computes these from the elements that
it holds (`kernels.reductions.epilogues`), so the value is neither written nor read. Nobody else may need it, because it
has no memory and would be computed again (`graph_key`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...kernels.core import tuning
from ...kernels.core.body import T
from ...kernels.core.operation import Kind
from ...kernels.core.ops import UserRule
from ...memory.gpuarray import GpuArray
from ...memory.layout import Shape, broadcast_strides, c_order, collapse_ordered
from ..graph.graph import Node
from .fuse import Group
from .kernel_arguments import is_rolled, part_first
from .plan import Bound, Launch, Promised, Work
from .pushdown import Planned


class First(NamedTuple):
    """The product or the reduction of a ``node``, after which a launch computes the operations of its group.

    ``group``: of its operands, which are the first leaves, scalars and gathered memory of the launch. ``place``: that
    of the value among the leaves of what follows; ``value``: the leaf there.
    """

    node: Node
    group: Group
    place: int
    value: Promised


def with_epilogues(launches: Sequence[Launch], inner: Container[Node], planned: Planned) -> list[Node]:
    """Let launches of operations on a product or on a reduction compute that, too. ``inner``: the values that nothing
    outside of the plan needs. The launch of such a value stays in its place, without work.

    Returns the values that decide: those that were merged, and those that would be if they were ``inner``.
    """
    read: Counter[int] = Counter()
    firsts: dict[int, Launch] = {}
    for launch in launches:
        work = launch.work
        if work is not None:
            read.update([item.slot for item in work.operands if type(item) is Promised])
            if _takes_epilogue(launch.kind, work):
                firsts[planned[work.node].slot] = launch
    deciding: list[Node] = []
    for launch in launches if firsts else ():
        work = launch.work
        if launch.kind is not Kind.ELEMENTWISE or work is None or work.group is None:
            continue
        found: list[tuple[int, Launch, Node]] = []
        leaves: Sequence[Any] = work.group.leaves
        for number, item in enumerate(leaves):
            before = firsts.get(item.slot) if type(item) is Promised and read[item.slot] == 1 else None
            if before is not None and before.work is not None and _may_follow(work, item, before.work):
                found.append((number, before, before.work.node))
        deciding += [node for _, _, node in found]
        for number, before, node in found:
            if node in inner:
                _merge(launch, number, before)
                break
    return deciding


def _takes_epilogue(kind: Kind, work: Work) -> bool:
    """Whether a launch computes a value, as a whole, whose kernel may compute what follows it."""
    return kind in (Kind.STEP, Kind.REDUCTION) and work.whole is None and work.node.op.takes_epilogue(work.node)


def _merge(launch: Launch, number: int, before: Launch) -> None:
    """Let a launch compute the product or the reduction that is the leaf of a ``number``, too. The operands of that
    come first."""
    work, own = launch.work, before.work
    assert work is not None and work.group is not None and own is not None
    group, node = work.group, own.node
    first = First(node, _group_of(own), number, group.leaves[number])  # type: ignore[arg-type]
    leaves = [*first.group.leaves, *group.leaves[:number], *group.leaves[number + 1 :]]
    scalars, memory = [*first.group.scalars, *group.scalars], first.group.memory
    kind = Kind.PRODUCT if own.group is None else Kind.TOTAL
    key = [(node.op, number, first.group.top.shape, *first.group.key), *group.key]
    launch.kind, launch.key = kind, tuple(key)
    merged = replace(group, kind=kind, key=key, leaves=leaves, scalars=scalars, memory=memory, first=first)
    launch.work = replace(work, group=merged, operands=[*leaves, *memory])
    before.work = None
    if before.bound is None:  # a reduction, whose result is the last that its launch would allocate
        before.kind, before.bound = Kind.STEP, Bound(node.op, before.fresh.pop(), False)  # type: ignore[arg-type]


def _group_of(own: Work) -> Group:
    """The group of a reduction, or of the operands of a product."""
    return own.group or Group(Kind.STEP, own.node, [], [*own.operands], [], [], [], [], [], T[0], None)


def separated(group: Group) -> tuple[Group, Group]:
    """The group of the product or the reduction of a launch, and the group of what follows it, whose leaf at
    ``first.place`` is not in memory."""
    first = group.first
    assert first is not None
    leaves, scalars = len(first.group.leaves), len(first.group.scalars)
    own = replace(
        first.group, leaves=group.leaves[:leaves], scalars=group.scalars[:scalars], memory=group.memory
    )  # fmt: skip
    others: list[Any] = group.leaves[leaves:]
    others.insert(first.place, first.value)
    after = replace(
        group, kind=Kind.ELEMENTWISE, key=group.key[1:], leaves=others, scalars=group.scalars[scalars:], memory=[],
        first=None,
    )  # fmt: skip
    return own, after


def _may_follow(work: Work, item: Any, own: Work) -> bool:
    """Whether operations may follow a product or a reduction in its launch: they read it as it is, once, have few other
    operands in the kernel's reach, and one result in fresh memory. ``own``: the work of the product or the
    reduction."""
    group, node, shape = work.group, own.node, own.node.shape
    assert group is not None
    whole = c_order(shape)
    if group.top.shape != shape or (item.layout, item.dtype, item.shifts) != (whole, node.dtype, None):
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
    others = [one for one in group.leaves if one is not item]
    return _follows_product(own, others) if own.group is None else _follows_reduction(own, others, group.scalars)


def _follows_product(own: Work, others: Sequence[Any]) -> bool:
    """Whether the kernel of a product reads other operands where they lie: all are stacks of matrices."""
    shape = own.node.shape
    a, b = own.operands
    batch = shape[: len(shape) - (len(a.shape) > 1) - (len(b.shape) > 1)]
    if not all([_is_evenly_spaced(one, (*batch, *one.shape[-2:]), batch) for one in (a, b)]):  # they are copied
        return False
    return all([_is_evenly_spaced(one, shape, batch) for one in others])


def _follows_reduction(own: Work, others: Sequence[Any], scalars: Sequence[Any]) -> bool:
    """Whether the kernel of a reduction reads other operands where they lie, as the results do or one element for all,
    and takes so many arguments."""
    shape, group = own.node.shape, own.group
    assert group is not None
    if not all([_steps_between(one, shape, shape) in ((0,), (1,)) for one in others]):
        return False
    wider = replace(group, leaves=[*group.leaves, *others], scalars=[*group.scalars, *scalars])
    return part_first(wider) is None


def _is_evenly_spaced(item: Any, shape: Shape, batch: Shape) -> bool:
    """Whether an operand, broadcast to a shape, is a stack of matrices at equal distances."""
    steps = _steps_between(item, shape, batch)
    return steps is not None and len(steps) <= 1


def _steps_between(item: Any, shape: Shape, outer: Shape) -> tuple[int, ...] | None:
    """The distances of an operand, broadcast to a shape, along the first axes, which are ``outer``, where as few as
    possible index them; None of an operand without memory, and of a rolled one."""
    if not isinstance(item, (GpuArray, Promised)) or is_rolled(item):
        return None
    steps = broadcast_strides(item.shape, item.strides, shape)[: len(outer)]
    return collapse_ordered(outer, (steps,))[1][0]
