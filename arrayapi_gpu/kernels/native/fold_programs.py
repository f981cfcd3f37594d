"""Reductions of bodies by loops that were compiled ahead of time: `BlockLaunch`, in one pass or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backends.base import Device
from ...memory.dtypes import DTYPE_OF
from ...memory.gpuarray import GpuArray, empty, signature_of
from ...memory.layout import Layout, size
from ..core.body import Body
from ..core.launch import BoundLaunch
from ..core.monoid import Monoid
from ..loops.block_programs import ACROSS_ROWS, BY_ROWS, ROWS_IN_TURN, BlockLaunch, FoldOfBlocks
from ..loops.loops import fold_name
from ..loops.steps import MissingLoop, Steps, cast_loop, loops_of
from ..loops.walks import Walk, widest
from ..reductions.reduce import identity_body
from ..reductions.reduce_passes import BoundPasses
from ..reductions.reduce_schedule import collapsed, order_of

INT64 = DTYPE_OF["i64"]


def fold_launch(
    device: Device,
    monoid: Monoid,
    body: Body,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    operands: Sequence[GpuArray | Layout],
    memory: Sequence[GpuArray],
    dtype: np.dtype[Any],
    out: GpuArray,
    whole: tuple[int, ...] | None = None,
) -> BoundLaunch | None:
    """Return the launch that reduces the value of a body along ``axes`` into ``out``, see `reduce_passes.reduce`; None
    where the device lacks a loop. A monoid that gives positions takes each output at once."""
    order = order_of(whole or shape, axes, device.target)
    if monoid.indexed:
        order = order._replace(length=order.n, segments=1)
    result = INT64 if monoid.indexed else dtype
    kept, reduced, steps_of = collapsed(shape, axes, tuple([(item.shape, item.strides) for item in operands]))
    outputs, by_segment = size(kept), order.across or not order.along
    extents, strides = (*kept, *reduced), [(*k, *r) for k, r in steps_of]
    way = BY_ROWS
    if order.across and order.along:
        way = ROWS_IN_TURN
    elif order.across:
        way = ACROSS_ROWS
        extents = (*kept[:-1], *reduced, kept[-1])
        strides = [(*k[:-1], *r, k[-1]) for k, r in steps_of]
    walk = Walk(extents, strides, [(0,) * len(extents)] * len(operands), widest(operands))
    try:
        steps = Steps(device, body, walk, 0, dtype)
        function = loops_of(device).find(fold_name(monoid, dtype))
        if function is None:
            raise MissingLoop
        cast = 0 if order.segments > 1 or result == out.dtype else cast_loop(device, result, out.dtype)
    except MissingLoop:
        return None
    places = (1, outputs) if by_segment else (order.segments, 1)
    in_turn = way == BY_ROWS and any([0 < abs(k[-1]) < abs(r[0]) for k, r in steps_of if k and r])
    fold = FoldOfBlocks(
        monoid.name, function, order.n, order.length, order.segments, outputs, way, kept[-1], result, cast, places,
        in_turn,
    )  # fmt: skip
    if order.segments == 1:
        return BlockLaunch(device, body, steps, walk, [out], operands, memory, fold)
    layout = (order.segments, outputs) if by_segment else (outputs, order.segments)
    partial = empty(device, dtype, layout)
    all_outputs, last = order.outputs, int(not by_segment)
    whole_layout = (order.segments, all_outputs) if by_segment else (all_outputs, order.segments)
    first = BlockLaunch(device, body, steps, walk, [partial], operands, memory, fold)
    rest = fold_launch(device, monoid, identity_body(dtype), layout, (last,), [partial], (), dtype, out, whole_layout)
    return None if rest is None else BoundPasses(first, [signature_of(device, dtype, layout)], rest)
