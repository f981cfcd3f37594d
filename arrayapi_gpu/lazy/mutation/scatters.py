"""Scatters: values are written or added at computed places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...kernels.core.body import Body, S, X
from ...kernels.core.borrowing import on_loops_meanwhile
from ...kernels.core.ops import OPS
from ...kernels.core.schedule import in_order
from ...kernels.core.store import stored
from ...kernels.loops.block_programs import scatter_launch
from ...kernels.maps import scatter_passes
from ...kernels.maps.scatter import Scatter
from ...kernels.maps.scatter_add import add_apart, add_in_order, add_runs, are_many
from ...kernels.ordering import compact, sort
from ...memory.gpuarray import GpuArray
from ...memory.layout import Layout, size
from ..build.build import binary, gather
from ..build.compaction import compress
from ..graph.graph import CONSTANT, Node, flat_index, leaf
from ..plan.fuse import body_of
from ..run.evaluate import contiguous, copy, evaluate, fused_elements
from .writes import check_writable, meet, settle_readers


def scatter(target: GpuArray, offsets: Node, values: Node, distinct: bool = False) -> GpuArray | None:
    """Write values to element offsets of an array, relative to its first element, in C order: the last value stays.

    ``distinct``: whether no two offsets are equal, so the order does not matter. Return a number on the device that is
    0 if none are, where that was found out.
    """
    args, constant = values.args, values.op is CONSTANT  # in this order, because other threads may compute it
    constant = constant and bool(args)
    distinct = distinct or constant  # the values are equal, so any may be the last
    n = size(values.shape)
    many = not distinct and are_many(target.storage.device, n)
    passes = many and values.dtype == target.dtype and scatter_passes.pays(target, n)
    if many and not passes:
        return scatter(target, *_last(offsets, values), distinct=True)
    check_writable(target)
    if passes:
        return _write_last(target, offsets, values)
    sources = [] if constant else [evaluate(values)]
    if sources and meet(sources[0], target):
        sources = [copy(leaf(sources[0]))]
    settle_readers(target.storage)
    group = fused_elements(offsets)
    if group.kept or any(isinstance(a, GpuArray) and meet(a, target) for a in (*group.leaves, *group.memory)):
        evaluate(offsets)
        group = fused_elements(offsets)
    if not n:
        return None
    leaves = [*group.leaves, *sources]

    def body_of_scatter() -> Body:
        body = body_of(group, target.dtype)
        operands, scalars, value = body.operands, body.scalars, X[len(body.operands)]
        if constant:
            scalars, value = (*scalars, values.dtype), S[len(scalars)]
        else:
            operands = (*operands, (values.dtype, False))
        results, dtypes = (body.results[0], value), (offsets.dtype, target.dtype)
        return replace(body, operands=operands, scalars=scalars, results=results, dtypes=dtypes)

    scalars = [*group.scalars, args[0]] if constant else group.scalars
    key = (constant, *group.key)
    _launch_scatter(target, leaves, group.memory, scalars, offsets.shape, distinct, key, body_of_scatter)
    return None


def _write_last(target: GpuArray, offsets: Node, values: Node) -> GpuArray | None:
    """Write values to offsets that may repeat, in passes over vectors."""
    places, flat = _beside(target, offsets), _beside(target, values)
    settle_readers(target.storage)
    return scatter_passes.write_last(target, flat, places)


def _beside(target: GpuArray, node: Node) -> GpuArray:
    """The node's elements in C order, in memory, none of them in the target's."""
    array = evaluate(_flat(node))
    return copy(leaf(array)) if meet(array, target) else array


@on_loops_meanwhile
def _launch_scatter(
    target: GpuArray,
    leaves: list[GpuArray | Layout],
    memory: list[GpuArray],
    scalars: Sequence[Any],
    shape: tuple[int, ...],
    distinct: bool,
    key: tuple[Any, ...],
    body: Callable[[], Body],
) -> None:
    """Write the second result of a body to the places in a target that are its first result. ``key``: identifies the
    body."""
    device = target.storage.device
    arrays = [item for item in leaves if isinstance(item, GpuArray)]
    buffers = [target.storage.buffer, *[a.storage.buffer for a in arrays], *[a.storage.buffer for a in memory]]
    places = [target.offset, *[item.offset for item in leaves], *[a.offset for a in memory]]
    if device.loops is not None:
        shaped = [
            (getattr(item, "dtype", None), item.shape, item.strides, getattr(item, "shifts", None)) for item in leaves
        ]
        loops = stored(
            (scatter_launch, device, target.dtype, distinct, shape, *map(tuple, shaped), *key),
            lambda: (scatter_launch(device, body(), shape, target, leaves, memory, not distinct),),
        )[0]
        if loops is not None:
            return loops.run(buffers, scalars, places)
    schedule = in_order(shape, tuple((item.shape, item.strides) for item in leaves))
    kernel = stored(
        (Scatter, device, target.dtype, schedule.rank, schedule.modes, *key), lambda: Scatter(device, body(), schedule)
    )
    kernel.run(schedule, not distinct, buffers, places, scalars)


def _last(offsets: Node, values: Node) -> tuple[Node, Node]:
    """Distinct offsets and their values. Of equal offsets the last one in C order stays, because sorting keeps the
    order of equals."""
    n, device = size(offsets.shape), offsets.device
    places, flat = (_flat(node) for node in (offsets, values))
    order = leaf(sort.argsort(evaluate(places), 0, False))
    ordered = leaf(evaluate(gather(places, order)))
    at = flat_index((n,), device)
    following = gather(ordered, binary(OPS["minimum"], binary(OPS["add"], at, 1), n - 1))
    ends = binary(OPS["logical_or"], binary(OPS["not_equal"], ordered, following), binary(OPS["equal"], at, n - 1))
    winners = leaf(compress(ends, order))
    return gather(places, winners), gather(flat, winners)


def scatter_add(target: GpuArray, offsets: Node, values: Node) -> None:
    """Add values at element offsets of an array, relative to its first element. Values for one place are added in C
    order.

    Each sum is computed in the dtype of the values, and rounded to the target's.
    """
    check_writable(target)
    places, amounts = _beside(target, offsets), _beside(target, values)
    settle_readers(target.storage)
    n, device = places.size, offsets.device
    if n and not are_many(device, n):
        add_in_order(target, amounts, places)
    elif n and scatter_passes.pays(target, n) and not scatter_passes.repeat(target, places):
        add_apart(target, amounts, places)
    elif n:
        add_runs(target, amounts, places, *_runs(places))


def _runs(places: GpuArray) -> tuple[GpuArray, GpuArray]:
    """The order that sorts places, and the begin of each run of equal places in it, then the end of the last run."""
    n, device = places.size, places.storage.device
    order = sort.argsort(places, 0, False)
    ordered = leaf(evaluate(gather(leaf(places), leaf(order))))
    at = flat_index((n + 1,), device)
    here = gather(ordered, binary(OPS["minimum"], at, n - 1))
    before = gather(ordered, binary(OPS["maximum"], binary(OPS["subtract"], at, 1), 0))
    ends = binary(OPS["logical_or"], binary(OPS["equal"], at, 0), binary(OPS["equal"], at, n))
    starts = compact.nonzero(evaluate(binary(OPS["logical_or"], ends, binary(OPS["not_equal"], here, before))))
    return order, starts


def _flat(node: Node) -> Node:
    """The node's elements in C order, in memory."""
    array = contiguous(node)
    return leaf(array.view(Layout((array.size,), (1,), array.offset)))
