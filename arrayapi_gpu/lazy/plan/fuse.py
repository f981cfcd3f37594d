"""Fusion: which nodes one launch computes.

`fuse` gives the group of a node, or the nodes to compute first. It computes and allocates nothing, so `evaluate` and
`explain` use it alike, and its tests need no device.

A group holds the element-wise operations above its leaves: arrays, index variables and scalars. A node below them is
computed first, by a separate launch, if

* it is a step: an operation with a kernel of its own, such as a sort, or a reduction of another shape, unless it has
  few elements (`lazy.plan.unroll`);
* other plans computed it already, within other values, and it has many operations;
* it is smaller than the result (it is broadcast), and a user still holds it or it is expensive to compute again for
  every element;
* memory is gathered from it;
* the group would need more kernel arguments than the device takes.

A node of the result's shape that a user still holds is one more result of the same launch. So is a *sibling*: a value
that a user holds and that would compute part of the group again (`with_siblings`).

A reduction of rows of the result's shape that is broadcast back to it belongs to the group, and so do the operations on
its results. Such a group is *over rows* and has another kernel, `kernels.reductions.rows`: a softmax is one launch.

The kind of an operation (`kernels.core.operation.Kind`) decides how it takes part. An element-wise operation has a rule
and joins the group in `_collect`; a user's kernel over elements is a rule, too. The operands of a step are computed
first. An expression over a concatenation is computed in parts (`lazy.plan.concatenations`). A movement is replaced by
an expression whose leaves are read at other places (`lazy.plan.pushdown.resolve`). So a new step changes nothing here.
Values over host operands do not come here, because they are computed block by block (`lazy.out_of_core.streaming`).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ...kernels.core import tuning
from ...kernels.core.body import SCALAR, STEP, Body, M, Reference, S, T, X
from ...kernels.core.operation import Kind
from ...kernels.core.ops import UserRule
from ...kernels.core.store import stored
from ...kernels.reductions import rows
from ...memory.gpuarray import MAX_WEIGHT, GpuArray
from ...memory.layout import Layout, contiguous_strides, size
from ..graph.dependencies import rebind
from ..graph.graph import CONSTANT, Handle, Node, Source, of_one_kernel
from ..graph.reduction import Reduce
from ..graph.roll import Roll
from ..graph.views import alone, root_of
from .concatenations import in_parts, operands_of
from .kernel_arguments import is_rolled, part_first
from .pushdown import ALONE, IS_STEP, Need, Planned, computed, is_expensive_for, repays, repays_memory, resolve
from .unroll import unrolled

if TYPE_CHECKING:
    from .merged_launches import First

INT64 = np.dtype("int64")


@dataclass(slots=True)
class Group:
    """A launch to plan: the nodes that it computes, and their leaves.

    ``key``: the reference to ``top``, then to the operands of each node, in the order of ``nodes``. In front of the
    first reference to a value, the key has the facts on which the kernel depends, such as a rule or a dtype.
    """

    kind: Kind
    top: Node  # the node to compute, or the operand of its reduction; ``reference`` refers to it
    key: list[Any]
    leaves: list[GpuArray | Layout]  # arrays, and the layouts of index variables
    memory: list[GpuArray]  # the arrays of gathers
    scalars: list[Any]
    nodes: list[Node]  # from the top down
    kept: list[Node]  # further results
    places: list[Reference]  # to the values of ``kept``
    reference: Reference
    axes: tuple[int, ...] | None  # the reduced axes of a group over rows
    references: dict[Node, Reference] = field(default_factory=dict)  # of all visited nodes
    rolled: list[Node] = field(default_factory=list)  # pending values whose rolls the group computes
    parts: Sequence[tuple[Layout, Node]] = ()  # of a value in parts: the layout and the expression of each
    first: First | None = None  # the product or the reduction whose epilogue the group is


def fuse(node: Node, planned: Planned, one_launch: bool = False) -> Group | list[Need]:
    """The group that computes a node, or the nodes to compute first.

    The group of a node in memory copies it. ``planned``: arrays that count as computed (dtype, shape and strides
    suffice). ``one_launch``: whether other kernels use the group, so it may be neither over rows nor in parts.
    """
    array = node.array
    if array is not None:
        return copy_of(node, array)
    kind = node.op.kind
    if kind is Kind.REDUCTION:
        return _fuse_reduction(node, node.op, planned)
    if kind is Kind.MOVEMENT:
        return _fuse_moved(node, planned)
    if kind is Kind.PARTS:
        return [(node, IS_STEP)] if one_launch else _of_parts(node, operands_of(node))
    if kind is Kind.STEP:
        return missing(node, planned) or Group(Kind.STEP, node, [], [], [], [], [], [], [], T[0], None)
    found = _limited(_collect(node, planned, None, not one_launch))
    return found if isinstance(found, Group) or one_launch else _in_parts(node, found, planned) or found


def is_stored(node: Node) -> bool:
    """Whether a value that plans computed within other values is stored where the next plan needs it."""
    return node.met >= tuning.MET and node.weight >= tuning.MET_OPERATIONS


def _reads_as_much(node: Node, planned: Planned) -> bool:
    """Whether a value is made of one in memory, or of one with a kernel of its own, that has as many elements.

    Others, such as outer products, may be too large for memory.
    """
    least, stack, visited = size(node.shape), [node], {node}
    for one in stack:
        for argument in one.args:
            if type(argument) is Node and argument not in visited and argument.op is not CONSTANT:
                visited.add(argument)
                if computed(argument, planned) is None and (argument.rule is not None or argument.op.kind not in ALONE):
                    stack.append(argument)
                elif size(argument.shape) >= least:
                    return True
    return False


def is_fused(node: Node) -> bool:
    """Whether a value is in memory or may be computed within the group of another value."""
    return node.array is not None or node.op.kind not in ALONE


def copy_of(node: Node, array: Any) -> Group:
    """The group that copies or reduces an array in memory."""
    return Group(Kind.ELEMENTWISE, node, [node.dtype, X[0]], [array], [], [], [], [], [], X[0], None)


def missing(node: Node, planned: Planned) -> list[Need]:
    """The pending operands of a node whose operands must be in memory."""
    operands = [argument for argument in node.args if type(argument) is Node]
    return [(operand, IS_STEP) for operand in operands if computed(operand, planned) is None]


def _in_parts(node: Node, needs: list[Need], planned: Planned) -> Group | None:
    """The group that computes a value part by part, if it needs only concatenations of its shape first; otherwise
    None."""
    concats = [needed for needed, _ in needs]
    op = concats[0].op
    if op.kind is not Kind.PARTS or any([one.op is not op or one.held or one.shape != node.shape for one in concats]):
        return None
    parts = in_parts(node, concats, planned)
    return None if parts is None else _of_parts(node, parts)


def _of_parts(node: Node, parts: list[tuple[Layout, Node]]) -> Group:
    return Group(Kind.PARTS, node, [], [], [], [], [], [], [], T[0], None, parts=parts)


def with_siblings(group: Group, candidates: Sequence[Node], planned: Planned) -> Group | list[Need]:
    """The group extended by the candidates that share enough work with it; the group itself if none does.

    If they share much, as in a loop that adds up reductions, the result may be the needs of the extended group. The
    group must be the group of its ``top``, not of a reduction. ``candidates``: pending values that users hold.
    """
    top = group.top
    results = {top, *group.kept}
    again = set(group.nodes) - results  # nodes that another launch would compute again
    found: list[Node] = []
    for node in candidates:
        if (
            node.shape == top.shape
            and node.device is top.device
            and len(found) < tuning.SIBLINGS
            and node not in results
        ):
            own = _own_part(node, again, results, planned)
            if own is not None:
                found.append(node)
                results.add(node)
                again |= own
    if not found or 4 * len(again | results) > 5 * MAX_WEIGHT:
        return group
    wider = _collect(top, planned, group.axes, group.kind is Kind.ROWS, group, found)
    if not isinstance(wider, Group):
        return wider if 4 * len(again) > MAX_WEIGHT else group
    if wider.kind is group.kind and wider.axes == group.axes and _limited(wider) is wider:
        return wider
    return group


def _own_part(node: Node, again: Set[Node], results: Set[Node], planned: Planned) -> set[Node] | None:
    """The nodes below a pending value that a launch does not compute yet; None if they cost too much compared with the
    nodes that another launch would otherwise compute ``again``."""
    shared = added = 0
    own: set[Node] = set()
    stack, visited = [node], {node}
    if isinstance(node.rule, UserRule) and any([of_one_kernel(node, other) for other in results | again]):
        shared = node.rule.cost
    while stack:
        node = stack.pop()
        if node in results or computed(node, planned) is not None:
            continue
        if node in again:
            shared += node.weight + (0 if node.rule is None else node.rule.cost)
            continue
        if node.rule is not None:
            own.add(node)
            added += node.rule.cost
        elif (root := root_of(node)) is not node and computed(root, planned) is not None:
            continue
        elif node.op.kind not in (Kind.ELEMENTWISE, Kind.REDUCTION):
            return None
        for argument in node.args:
            if type(argument) is Node and argument not in visited:
                visited.add(argument)
                stack.append(argument)
    return own if 0 < added <= tuning.REPAID * shared else None


def claim(needs: list[Need]) -> list[Handle]:
    """Handles on nodes to compute first.

    While these handles exist, a launch that computes one of the nodes on the way to another one writes both. A launch
    that computes one result of a user's kernel writes its other results, too.
    """
    claims = []
    for node, _ in needs if len(needs) > 1 else ():
        if node.array is None and not node.held:
            holder = Handle()
            if isinstance(node.rule, UserRule):
                rebind(holder, node)
            else:
                holder._node, node.handle = node, ref(holder)
            claims.append(holder)
    return claims


def _fuse_moved(node: Node, planned: Planned) -> Group | list[Need]:
    """The group that computes the elements of a pending view or of a roll, or copies them if its operand is in
    memory."""
    found = resolve(node, planned)
    if isinstance(found, list):
        return found
    if found.op.kind is Kind.REDUCTION:
        return [(node.args[0], IS_STEP)]
    group = _collect(found, planned, None, True)
    if isinstance(group, Group) and root_of(node) is node:
        group.rolled.append(node.args[0])
    return _limited(group)


def _fuse_reduction(node: Node, reduce: Any, planned: Planned) -> Group | list[Need]:
    producer = node.args[0]
    if producer.held and computed(producer, planned) is None:
        return [(producer, "a user holds it")]
    found = _limited(_collect(producer, planned, reduce.axes, reduce.joins))
    if isinstance(found, Group) and found.kind is not Kind.ROWS:
        if found.kept:
            return [(kept, "a user holds it") for kept in found.kept]
        found.kind = Kind.REDUCTION
    return found


def _collect(
    top: Node,
    planned: Planned,
    axes: tuple[int, ...] | None,
    over_rows: bool,
    known: Group | None = None,
    siblings: Sequence[Node] = (),
) -> Group | list[Need]:
    """The group of a node; if that is ``known``, the group of the node and its ``siblings``.

    ``axes``: the axes along which the node is reduced next. ``over_rows``: whether a group over rows is allowed.
    """
    array = computed(top, planned)
    if array is not None:
        return copy_of(top, array)
    shape, stores = top.shape, top.met < tuning.MET
    joined = joins = False
    needs: list[Need] = []
    moved: set[Node] = set()  # values to compute before views and rolls of them
    rolled = [] if known is None else [*known.rolled]
    # The operands to visit; the loop adds the operands below them. This is the hot path, so a node is visited once,
    # without a call.
    queue: list[tuple[Any, ...]] = []
    if known is None:
        key: list[Any] = []
        leaves: list[GpuArray | Layout] = []
        memory: list[GpuArray] = []
        scalars: list[Any] = []
        nodes: list[Node] = []
        kept: list[Node] = []
        places: list[Reference] = []
        references: dict[Node, Reference] = {}
        if top.rule is not None:
            references[top] = T[0]
            nodes.append(top)
            queue.append(top.args)
            key += (top.rule, T[0])
        else:
            queue.append((top,))
    else:
        joined = known.kind is Kind.ROWS
        key, leaves, memory, scalars = [*known.key], [*known.leaves], [*known.memory], [*known.scalars]
        nodes, kept, places, references = [*known.nodes], [*known.kept], [*known.places], dict(known.references)
        for sibling in siblings:
            references[sibling] = place = T[len(nodes)]
            nodes.append(sibling)
            kept.append(sibling)
            places.append(place)
            queue.append(sibling.args)
            key += (sibling.rule, "sibling")

    for arguments in queue:
        for argument in arguments:
            if type(argument) is Node:
                reference = references.get(argument)
                if reference is None:
                    rule, array = argument.rule, argument.array
                    if array is None and (array := planned.get(argument)) is not None:
                        rule = None
                    source = argument
                    if rule is None and array is None and argument.op.kind is Kind.MOVEMENT:
                        shown: Node | list[Need]
                        if type(argument.op) is Roll and axes is not None:
                            shown = [(argument, "rows and reductions read it from memory")]
                        elif argument.args[0] in moved:
                            shown = []
                        else:
                            shown = resolve(argument, planned)
                        if isinstance(shown, list):
                            needs += shown
                            moved.update([node for node, _ in shown])
                            continue
                        source, rule, array = shown, shown.rule, computed(shown, planned)
                        if array is not None:
                            rule = None
                        elif rule is not None and type(argument.op) is Roll:
                            rolled.append(argument.args[0])
                    if rule is None and array is None and type(source.op) is Reduce:
                        joins = over_rows and is_over_rows(source, shape, axes, planned)
                        if not joins and (expressed := unrolled(source, shape, planned)) is not None:
                            source, rule, array = expressed, expressed.rule, expressed.array
                    if moved and argument in moved:
                        continue
                    if rule is not None:
                        own = source.shape
                        inside = own is shape or own == shape
                        if stores and argument.met and is_stored(argument) and _reads_as_much(argument, planned):
                            needs.append((argument, "plans before computed it, too"))
                            continue
                        holder = None if argument.handle is None else argument.handle()
                        held = holder is not None and holder._node is argument
                        of_rows = False
                        if inside or not (
                            repays(own, shape)
                            and (held or is_expensive_for(source, shape))
                            and not (of_rows := over_rows and is_over_rows(source, shape, axes, planned))
                        ):
                            references[argument] = reference = T[len(nodes)]
                            nodes.append(source)
                            queue.append(source.args)
                            key.append(rule)
                            if held and (inside or of_rows) and alone(argument):
                                kept.append(argument)
                                places.append(reference)
                                key.append("kept")
                            key.append(reference)
                            continue
                        needs.append((argument, f"it is held or expensive, and smaller than {shape}"))
                        continue
                    if array is None and source.op.kind is not Kind.ELEMENTWISE:
                        operation = source.op
                        if isinstance(operation, Reduce) and joins:
                            axes, joined = operation.axes, True
                            references[argument] = reference = T[len(nodes)]
                            nodes.append(source)
                            queue.append(source.args)
                            key.append(operation.fold(source))
                            if source.held:
                                kept.append(source)
                                places.append(reference)
                                key.append("kept")
                            key.append(reference)
                            continue
                        needs.append((argument, IS_STEP))
                        continue
                    if array is not None:
                        reference = X[len(leaves)]
                        leaves.append(array)
                        key.append(array.dtype)
                    elif source.op is CONSTANT:
                        reference = S[len(scalars)]
                        scalars.append(source.args[0])
                        key.append("constant")
                        key.append(source.dtype)
                    else:
                        reference = X[len(leaves)]
                        leaves.append(source.args[0])
                        key.append("iota")
                    references[argument] = reference
            elif type(argument) is Source:
                reference = M[len(memory)]
                array = computed(argument.node, planned)
                if array is None:
                    needs.append((argument.node, "memory is gathered from it"))
                    continue
                memory.append(array)
                key.append(argument.node.dtype)
            else:
                reference = S[len(scalars)]
                scalars.append(argument)
            key.append(reference)
    if needs:
        needs += _stored_first(needs, references, shape)
        return _largest_first(needs, planned)
    group = Group(
        Kind.ROWS if joined else Kind.ELEMENTWISE, top, key, leaves, memory, scalars, nodes, kept, places,
        references[top], axes if joined else None, references, rolled=rolled,
    )  # fmt: skip
    return group if not joined or _over_rows(group) else _collect(top, planned, axes, False)


def _stored_first(needs: list[Need], references: dict[Node, Reference], shape: tuple[int, ...]) -> list[Need]:
    """The values of a ``shape`` that both a launch and a reduction before it would compute, if storing them costs
    less."""
    stack = [node for node, _ in needs]
    met = set(stack)
    found: list[Need] = []
    for node in stack:
        if node.array is not None or (node.rule is None and node.op.kind is not Kind.REDUCTION):
            continue
        if node in references and node.shape == shape:
            if repays_memory(node):
                found.append((node, "a reduction reads it, too"))
            continue
        for child in node.args:
            if type(child) is Node and child not in met:
                met.add(child)
                stack.append(child)
    return found


def _over_rows(group: Group) -> bool:
    """Whether the kernel over rows can compute a group with reductions of its rows."""
    return not any(map(is_rolled, group.leaves)) and _rows_fit(group)


def _largest_first(needs: list[Need], planned: Planned) -> list[Need]:
    """Needs in the order in which they are computed: those with the most pending values below them first, because their
    launches may compute other claimed ones. The weights of nodes depend on values that were pending when they were
    made, so they would give graphs with the same key several orders."""
    return needs if len(needs) < 2 else sorted(needs, key=lambda need: -_pending_below(need[0], planned))


def _pending_below(node: Node, planned: Planned) -> int:
    stack, visited = [node], {node}
    for one in stack:
        for argument in one.args:
            if type(argument) is Node and argument not in visited and computed(argument, planned) is None:
                visited.add(argument)
                stack.append(argument)
    return len(stack)


def is_over_rows(node: Node, shape: tuple[int, ...], axes: tuple[int, ...] | None, planned: Planned) -> bool:
    """Whether a node, smaller than ``shape``, is a reduction of rows of that shape, or an expression over such
    reductions.

    ``axes``: the axes that are reduced already, if there are any; others may then not be reduced.
    """
    stack = [node]
    visited: set[Node] = set()
    while stack:
        node = stack.pop()
        if node in visited or node.array is not None or computed(node, planned) is not None:
            continue
        visited.add(node)
        op: Any = node.op
        if op.kind is Kind.REDUCTION:
            if (
                op.joins
                and node.args[0].shape == shape
                and (not axes or op.axes == axes)
                and _as_rows(node.shape, shape, op.axes)
                and node.device.loops is None  # which have no kernel over rows
                and rows.possible(shape, op.axes, node.device.target)
            ):
                return True
        elif node.shape != shape:
            if node.rule is not None:
                stack += [argument for argument in node.args if type(argument) is Node]
            elif root_of(node) is not node and isinstance(found := resolve(node, planned), Node):
                stack.append(found)
    return False


@lru_cache(maxsize=4096)
def _as_rows(own: tuple[int, ...], shape: tuple[int, ...], axes: tuple[int, ...]) -> bool:
    """Whether a reduction of ``axes`` is broadcast to the shape of its operand as if it kept its dimensions."""
    kept = tuple([1 if axis in axes else n for axis, n in enumerate(shape)])
    return kept == (1,) * (len(shape) - len(own)) + own


def _rows_fit(group: Group) -> bool:
    """Whether a schedule of the kernel over rows exists for a group with results in fresh memory."""
    assert group.axes is not None
    top = group.top
    device, shape = top.device, top.shape
    results = [(node.shape, contiguous_strides(node.shape)) for node in (top, *group.kept)]
    extents = tuple(node.shape == shape for node in (top, *group.kept))
    layouts = (*results, *layouts_of(group.leaves))
    schedule = rows.row_schedule(shape, group.axes, layouts, extents, device.target)
    if schedule is None:
        return False
    spec = schedule.spec
    return stored((rows.fits, device, spec, *group.key), lambda: rows.fits(device, body_of(group, top.dtype), spec))


def _limited(found: Group | list[Need]) -> Group | list[Need]:
    """The group, if it is within the device's limit on kernel arguments; otherwise a part to compute first."""
    if type(found) is not Group:
        return found
    return part_first(found) or found


def layouts_of(leaves: Sequence[Any]) -> list[tuple[tuple[int, ...], ...]]:
    """The shapes and strides of leaves, with the shifts of rolled ones."""
    return [
        (item.shape, item.strides, item.shifts) if is_rolled(item) else (item.shape, item.strides) for item in leaves
    ]


def steps_in_order(group: Group) -> tuple[list[list[Reference]], dict[int, int]]:
    """The operands of each node of a group, and the places of the nodes in an order in which each follows those that it
    uses."""
    references = iter([item for item in group.key if type(item) is Reference][1:])
    operands = [[next(references) for _ in node.args] for node in group.nodes]
    order: dict[int, int] = {}
    for result in (group.reference, *group.places):
        if result.kind == STEP and result.number not in order:
            _order(result.number, operands, order)
    return operands, order


def body_of(group: Group, dtype: np.dtype[Any]) -> Body:
    """The body of a group, in which each step follows the steps that it uses. ``dtype``: of the first result."""
    operands, order = steps_in_order(group)

    def ordered(reference: Reference) -> Reference:
        return T[order[reference.number]] if reference.kind == STEP else reference

    scalars: list[np.dtype[Any]] = [group.top.dtype] * len(group.scalars)
    steps = []
    for number in order:
        node = group.nodes[number]
        operation: Any = node.op
        rule = operation.fold(node) if node.rule is None else node.rule
        for argument, wanted, reference in zip(node.args, rule.args, operands[number], strict=True):
            if reference.kind == SCALAR:
                scalars[reference.number] = argument.dtype if type(argument) is Node else wanted
        steps.append((rule, tuple(map(ordered, operands[number]))))
    return Body(
        tuple((INT64, True) if isinstance(item, Layout) else (item.dtype, False) for item in group.leaves),
        tuple(array.dtype for array in group.memory),
        tuple(scalars),
        tuple(steps),
        (ordered(group.reference), *map(ordered, group.places)),
        (dtype, *[node.dtype for node in group.kept]),
    )


def _order(number: int, operands: list[list[Reference]], order: dict[int, int]) -> None:
    """Give a node its place after the nodes that it needs. Branches are finished one by one, so few values stay
    live."""
    for reference in operands[number]:
        if reference.kind == STEP and reference.number not in order:
            _order(reference.number, operands, order)
    order[number] = len(order)
