"""Evaluation: from pending nodes to launches.

`evaluate` computes a node. One operation on arrays in memory is launched again, if the launch cache (`launches`) has
it. A plan computes any other graph: one that is kept for graphs with the same key, or a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ...backends.locks import locked, module_lock
from ...config import config, unusual
from ...kernels.core.body import S, X
from ...kernels.core.operation import Kind
from ...kernels.core.ops import Op
from ...kernels.core.store import Recent
from ...kernels.host.on_host import KernelNeeded
from ...memory.gpuarray import GpuArray, signature_of
from ...memory.layout import component, contiguous_strides
from ..graph.dependencies import forget, noted
from ..graph.failures import LostIfInterrupted
from ..graph.graph import HOST, Handle, Node, Source, become_copy, leaf, settle, settle_views
from ..graph.host_operands import on_device, streaming, view_on_host
from ..graph.movements import Movement
from ..graph.views import COMPONENTS, alone, is_visible, root_of, view_of
from ..plan.fuse import Group, fuse, is_fused
from ..plan.graph_key import Structure, complete, is_planned_anew, structure_of
from ..plan.plan import Bound, Graph, Plan
from ..plan.planner import Planner
from ..plan.pushdown import Planned, too_deep
from . import host_execution as small
from .compile import launch_group
from .host_execution import computed as computed_on_host, copy_few as copy_now, counts_alone, is_copied
from .launchers import fresh as fresh
from .launches import known as _known, remember
from .ownership import is_ours_again
from .run import in_memory, run, run_step

PLANS = 2048  # graphs whose plans are kept

# In the key of one operation: an array that was met before, and a scalar.
_SAME, _SCALAR = X[0], S[0]

_lock = module_lock(globals(), "_lock")
_young = _known.young
_host = HOST  # a number in C in the compiled form
# A plan of one simple launch is that launch. A list has the numbers of values: the plan depends on those of them that
# nothing else needs, and has a key with their numbers, too.
plans: Recent[tuple[Any, ...], Plan | Bound | list[int]] = Recent(PLANS)


def evaluate(node: Node) -> GpuArray:
    """The node's array, which is computed first if it is not there yet."""
    array = node.array
    if array is None:
        if node.weight >= _host:  # without the lock, because it is slow and other threads may compute on other devices
            return on_device(node)
        array = locked(_lock, _evaluated, node)
    return array


def _evaluated(node: Node) -> GpuArray:
    """The array of a value on its device. The caller holds the lock."""
    array = node.array
    if array is None:
        array = _compute(node)
        if node.handle is not None:
            forget(node)
    return array


def computed_all(holders: tuple[Handle, ...]) -> list[Node]:
    """Compute the values of some handles that lie on devices, the heaviest first, because its launches may compute the
    others, too. Return the pending values of other handles, which depend on host operands."""
    if len(holders) == 1:  # the most common case, without a list
        holder = holders[0]
        node = holder._node
        if node.weight < _host:
            if node.array is None:
                evaluate(node)
            return _NO_NODES
    nodes = [one._node for one in holders]
    nodes.sort(key=_weight_of, reverse=True)
    left = []
    for node in nodes:
        if node.array is None:
            if node.weight >= _host:
                left.append(node)
            else:
                evaluate(node)
    return left


_NO_NODES: list[Node] = []


def _weight_of(node: Node) -> int:
    return node.weight


def contiguous(node: Node) -> GpuArray:
    """The node's array in C order: itself, or a copy."""
    array = evaluate(node)
    return array if array.contiguous else copy(node)


def copy(node: Node) -> GpuArray:
    """The node's value in new memory, in C order."""
    out = fresh(node.device, node.dtype, node.shape)
    write(node, out)
    return out


def write(node: Node, out: GpuArray, group: Group | None = None) -> None:
    """Compute a node into existing memory of its shape, with any strides. ``group``: its `fused_elements`, if they are
    known."""
    if node.array is None and node.weight >= _host:
        streaming.settle(node, out)
        return
    if group is None and is_copied(node):
        counted = counts_alone(node)
        copy_now(evaluate(node), out, counted)
        return
    with _lock:
        if group is None and computed_on_host(node, out) is not None:
            return
        group = group or fused_elements(node, False)
        if group.kind is Kind.PARTS:
            run(*_written(group, node, out))
            return
        results = [out]
        for one in group.kept:
            results.append(fresh(one.device, one.dtype, one.shape))
        launch_group(group, group.top, results)
        for number, one in enumerate(group.kept, 1):
            settle(one, results[number])


def _written(group: Group, node: Node, out: GpuArray) -> tuple[Plan, Graph]:
    planner = Planner(siblings=(), first=small.interpreted)
    planner.write(group, node, out)
    return planner.plan()


def write_over(node: Node, place: Node, write: Callable[[], None]) -> None:
    """Let ``write`` compute a pending value, which a user holds, into memory that it reads. From then on the value is a
    copy of the elements at ``place``, so it is computed once. Meanwhile it has no handle, because it must not be
    settled with the other readers of the memory."""
    with _lock:
        reference, node.handle = node.handle, None
        assert reference is not None
        doing = (
            "an element was being written into memory from which it is computed when the program was interrupted; its "
            "value is lost: compute it again"
        )
        try:
            with LostIfInterrupted(node, doing):
                write()
                if node.array is None:
                    become_copy(node, place)
        finally:
            node.handle = reference
            noted.append(reference)


def exclusively() -> AbstractContextManager[object]:
    """The lock under which values are computed, for a ``with``."""
    return _lock


def is_computing() -> bool:
    """Whether this thread holds the lock under which values are computed (`exclusively`)."""
    return bool(_lock._is_owned())  # type: ignore[attr-defined]  # every reentrant lock has it


def write_on_host(node: Node, out: GpuArray) -> bool:
    """Compute a node into memory if NumPy can (`computed_on_host`); return whether it did."""
    with _lock:
        return computed_on_host(node, out) is not None


def copy_few(source: GpuArray, out: GpuArray, counted: bool) -> None:
    """Copy few elements into memory (`small.copy_few`)."""
    with _lock:
        copy_now(source, out, counted)


def put_on_host(target: GpuArray, key: Sequence[Any], values: Node) -> bool:
    """Assign to the elements that a key with arrays selects, if NumPy can (`small.put`); return whether it did."""
    with _lock:
        return small.put(target, key, values, evaluate)


def fused_elements(node: Node, one_launch: bool = True) -> Group:
    """The group whose kernel gives a node's elements at any index. Values that the group needs first are computed.

    ``one_launch``: see `fuse`.
    """
    if not is_fused(node):
        evaluate(node)
    return fused(node, one_launch)


def fused(node: Node, one_launch: bool = False) -> Group:
    """The group of a node. Values that the group needs first are computed."""
    with _lock:
        planned = Planned()
        found = fuse(node, planned, one_launch)
        if isinstance(found, Group) and not small.interpreted(found, node, planned)[0]:
            return found
        del planned, found
        group, plan, graph = _grouped(node, one_launch)
        given, memory = len(graph.arrays), graph.arrays
        run(plan, graph)
        return in_memory(group, memory, given)


def _grouped(node: Node, one_launch: bool) -> tuple[Group, Plan, Graph]:
    planner = Planner(siblings=(), first=small.interpreted)
    group = planner.group(node, one_launch)
    return group, *planner.plan([*group.leaves, *group.memory])


def through(x: Node, movement: Movement, shared: bool, fixed: bool = False, part: Op | None = None) -> Node:
    """A view of a value through another layout: a pending one, or one of its array.

    ``shared``: whether a user gets the view, so it must share memory with the value. ``fixed``: whether the view
    refuses writes. ``part``: the operation, real or imag, whose results the view shows.
    """
    if x.array is None:
        with _lock:
            if x.array is None and x.streamed:
                return view_on_host(x, movement, shared) or view_of(x, movement, fixed)
            if x.array is None and config.fusion and not (shared and too_deep(x)):
                return view_of(x, movement, fixed, part)
    array = memory(x) if shared else evaluate(x)
    layout = movement.layout(array.layout)
    assert layout is not None, "the caller asks only for views that exist"
    if not shared:
        return leaf(array.through(layout))
    if part is None:
        found = array.view(layout)
    else:
        found = array.view(component(layout, COMPONENTS.index(part)), part.rules[array.dtype].result)
    found.fixed = found.fixed or fixed
    return leaf(found)


def memory(node: Node) -> GpuArray:
    """The memory in which a value lies, for a caller that writes to it or gives it away. A view lies in the memory of
    its root, if other arrays share that memory."""
    if node.array is None and root_of(node) is not node:
        with _lock:
            if not alone(node):
                root = root_of(node)
                (evaluate if not root.streamed else streaming.settle)(root)
            return evaluate(node)
    return evaluate(node)


def strides_of(node: Node) -> tuple[int, ...]:
    """The strides of the memory in which a value lies. A value that is computed in blocks may have no memory: its
    strides are those of C order."""
    return contiguous_strides(node.shape) if node.array is None and node.streamed else memory(node).strides


def memory_if_seen(node: Node) -> GpuArray | None:
    """The memory of a value, if other arrays or programs share it. None: the value may get other memory."""
    array = node.array
    if array is None or node.views is not None:
        with _lock:
            if is_visible(node):
                array = memory(node)
                if node.views is not None:  # an interrupt came before they were settled
                    settle_views(node, node.views)
    if array is None or not array.storage.shared:
        return None
    del array  # a reference here would be counted
    if not is_ours_again(node):
        return node.array
    return None


def _compute(node: Node) -> GpuArray:
    op = node.op
    key: list[Any]
    array = computed_on_host(node)
    if array is not None:
        return settle(node, array)
    args = node.args
    if node.rule is not None:
        place = 1
        key = [node.rule] * (place + len(args))
    elif op.kind is Kind.REDUCTION:
        place = 3
        key = [op, node.dtype, node.shape, *args]
    elif op.kind is not Kind.STEP or None in (operands := [argument.array for argument in args]):
        return _compute_graph(node)
    else:
        return settle(node, run_step(op, operands, signature_of(node.device, node.dtype, node.shape)))
    # Most nodes are one operation on arrays in memory and scalars, and most of these were launched before. So such a
    # launch is remembered under a separate key, for which nothing has to be collected.
    buffers: list[Any] = [None] * (len(args) + 1)  # the first is a place for the result's
    count = 1
    scalars: Any = ()
    last = None
    for argument in args:
        if argument is last:
            key[place] = _SAME
        elif type(argument) is Node:
            last = argument
            array = last.array
            if array is None:
                argument = last = None  # the readers of a pending value are counted
                return _compute_graph(node)
            signature = array.signature or array.find_signature()
            if signature is None:
                return _compute_anew(node)
            key[place] = signature
            buffers[count] = array.storage.buffer
            count += 1
        elif type(argument) is Source:
            return _compute_graph(node)
        else:
            key[place] = _SCALAR
            scalars = (*scalars, argument)
        place += 1
    if count < len(buffers):  # because the slice alone takes 0.1 us
        del buffers[count:]
    own = tuple(key)
    known = _young.get(own) or _known.get(own)
    if known is not None and not (unusual and config.check) and _launch_again(node, known, buffers, scalars, None):
        return node.array  # type: ignore[return-value]  # it was settled
    return _compute_and_remember(node, own)


def _compute_and_remember(node: Node, own: tuple[Any, ...]) -> GpuArray:
    """Compute an operation on arrays and scalars. Its launch is remembered under its ``own`` key, if it is the only one
    and reads them in their order."""
    arrays, scalars = _arrays_of(node), [one for one in node.args if type(one) is not Node]
    plan, graph = _planned(node, None)
    first = plan.launches[0]
    group = first.work.group if first.work is not None and len(plan.launches) == 1 else None
    alike = group is not None and (group.leaves, group.scalars, group.kept) == (arrays, scalars, [])
    del group
    array = _computed_by(node, plan, graph)
    if alike and first.bound is not None:
        remember(own, first.bound.kernel, array)
    return array


def _arrays_of(node: Node) -> list[Any]:
    """The arrays that an operation reads. One that it reads twice in turn is listed once."""
    args = node.args
    nodes = [one for k, one in enumerate(args) if type(one) is Node and not (k and one is args[k - 1])]
    return [one.array for one in nodes]


def _launch_again(
    node: Node, known: Bound, buffers: list[Any], scalars: Sequence[Any], arrays: list[GpuArray] | None
) -> bool:
    """Compute a node by a launch that was made before. Return False where there is no memory or no kernel: then a plan
    computes the node.

    ``buffers``: a place for the buffer of the result, then the buffers of ``arrays``; by default of those that the
    operation reads.
    """
    offsets = None
    if known.moved:
        offsets = [0, *[item.offset for item in (_arrays_of(node) if arrays is None else arrays)]]
    try:
        out = known.signature.empty()
        buffers[0] = out.storage.buffer
        known.run(buffers, scalars, offsets)
    except (MemoryError, KernelNeeded):
        return False
    settle(node, out)
    return True


def _graph_again(node: Node, known: Bound, structure: Structure) -> bool:
    """`_launch_again` for a graph, which counts that its values were met."""
    arrays = structure.arrays
    if known.order is not None:
        arrays = [arrays[number] for number in known.order]
    if not _launch_again(node, known, [None, *[item.storage.buffer for item in arrays]], structure.scalars, arrays):
        return False
    for one in structure.nodes:
        one.met += 1
    return True


def _compute_graph(node: Node) -> GpuArray:
    """Compute a node whose operands are pending, by the plan that is kept for its key, or by a new one."""
    if (array := _shown(node)) is not None:
        return array
    if unusual and is_planned_anew():
        return _compute_anew(node)
    structure = structure_of(node)
    if structure is not None and structure.needs:
        for needed in structure.needs:
            evaluate(needed)
        if (array := _there(node)) is not None:
            return array
        structure = complete(structure) or structure_of(node)
    if structure is None or structure.needs:
        return _compute_anew(node)
    key = tuple(structure.key)
    found = _kept(key, structure)
    arrays, scalars = len(structure.arrays), len(structure.scalars)
    if isinstance(found, Bound):
        if _graph_again(node, found, structure):
            return node.array  # type: ignore[return-value]
    elif isinstance(found, Plan):
        return _computed_by(node, found, structure)
    inner = structure.inner(structure.followed)
    plan, graph = _planned(node, structure, inner=inner)
    structure.nodes.clear()  # so that an array is freed when no launch needs it
    structure.arrays.clear()
    simple = root_of(node) is node
    array = _computed_by(node, plan, graph)
    if plan.kept and all([launch.bound is not None for launch in plan.launches]):
        if structure.followed:
            plans[key] = structure.followed
            key = (*key, "inner", *[number for number in inner if number in structure.followed])
        plans[key] = (plan.only(arrays, scalars) if simple else None) or plan
    return array


def _shown(node: Node) -> GpuArray | None:
    """The array of a view of a value in memory, and of one that shows all elements of a pending value in their order:
    the launches of that value compute it. Otherwise None."""
    op: Any = node.op
    root = root_of(node)
    whole = root is not node and root.array is None and op.own is None and op.shows_all(root.shape)
    if whole and not (unusual and is_planned_anew()):
        evaluate(root)
    return _there(node)


def _kept(key: tuple[Any, ...], structure: Structure) -> Plan | Bound | None:
    """The plan that is kept for a structure."""
    found = plans.young.get(key) or plans.get(key)
    if type(found) is not list:
        return found  # type: ignore[return-value]
    key = (*key, "inner", *structure.inner(found))
    return plans.young.get(key) or plans.get(key)  # type: ignore[return-value]


def _compute_anew(node: Node) -> GpuArray:
    """Compute a node by a new plan, which is not kept."""
    return _computed_by(node, *_planned(node, None))


def _planned(
    node: Node, structure: Structure | None, siblings: Sequence[Node] | None = None, inner: Sequence[int] = ()
) -> tuple[Plan, Graph]:
    """A plan and its graph. ``inner``: the numbers of values that nothing else needs. Afterwards the structure knows
    which of those that are ``followed`` matter for the plan."""
    if structure is None:
        planner = Planner(siblings=siblings, first=small.interpreted)
    else:
        planner = Planner(structure, structure.related, [*structure.siblings], small.interpreted)
    planner.compute(node)
    if structure is not None and structure.followed:
        nodes = structure.nodes
        matter = planner.merge([nodes[number] for number in inner])
        structure.followed = [number for number in structure.followed if nodes[number] in matter]
    return planner.plan()


def _computed_by(node: Node, plan: Plan, graph: Graph) -> GpuArray:
    """The array of a node, which its plan computes. Where there is no memory for that, a plan that needs less does."""
    try:
        run(plan, graph)
    except (MemoryError, KernelNeeded):
        if _there(node) is None:
            _compute_alone(node)
    array = _there(node)
    assert array is not None
    return array


def _compute_alone(node: Node) -> None:
    """Compute a node by launches that compute no other values, except for those that variables hold and it needs."""
    plan, graph = _planned(node, None, ())
    try:
        run(plan, graph)
    except MemoryError as error:
        if len(plan.nodes) < 2:
            raise
        raise MemoryError(
            f"{error}; values that variables hold are stored when a result needs them: write such a value into the "
            "expression, or delete its variable first"
        ) from error.__cause__


def _there(node: Node) -> GpuArray | None:
    """The array of a value that is in memory, otherwise None. A view lies in its root's memory, or has separate
    elements."""
    op: Any = node.op
    if node.array is None and op.layout is not None:
        root: Node = node.args[0]
        if root.array is not None:
            return settle(node, op.shown_by(root.array, node.dtype))
        if op.own is not None:
            return settle(node, op.own) if alone(node) else op.own
    return node.array
