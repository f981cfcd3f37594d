"""Reductions from their operands to their results: pass after pass, and block by block.

A pass reduces each segment of the reduced index (`reduce`). Where groups do not combine what they find, another pass
reduces the results of segments. Segments need not be reduced at once: `SegmentedReduction` takes blocks of them, so
that not all elements have to be in the device's memory. Either way elements are combined in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device
from ...memory.gpuarray import GpuArray, Signature, empty, signature_of
from ..core.body import Body
from ..core.launch import BoundLaunch
from ..core.monoid import Monoid
from ..maps.copy import zeros
from ..maps.scratch import UINT64
from .reduce import INT64, Reduction, identity_body, reduction
from .reduce_schedule import ReduceSchedule, order_of, reduce_schedule


class BoundPasses(NamedTuple):
    """The passes of a reduction, `launch.BoundLaunch`: each but the first reduces what the one before gave."""

    first: BoundLaunch
    results: list[Signature]  # of the first
    rest: BoundLaunch

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Launch. ``buffers`` are the result's, the operands' and the memory's."""
        arrays = [signature.empty() for signature in self.results]  # which keep their memory where it is
        found = [array.storage.buffer for array in arrays]
        zero = [0] * len(found)
        self.first.run([*found, *buffers[1:]], scalars, None if offsets is None else [*zero, *offsets[1:]])
        self.rest.run([*buffers[:1], *found], (), None if offsets is None else [*offsets[:1], *zero])


def reduce(
    device: Device,
    monoid: Monoid,
    key: tuple[Any, ...],
    body: Callable[[], Body],
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    operands: Sequence[Any],
    memory: Sequence[GpuArray],
    scalars: Sequence[Any],
    dtype: np.dtype[Any],
    out: GpuArray,
    whole: tuple[int, ...] | None = None,
    again: bool = False,
) -> BoundLaunch:
    """Reduce a body's values along ``axes`` into ``out``, a C-contiguous array of the shape that stays. Gives what was
    launched.

    ``key`` identifies the body, which is asked for if there is no kernel yet; ``operands`` are arrays and layouts of
    index variables in the body's order; ``dtype`` is that of the accumulators. For an indexed monoid ``out`` takes the
    winners' positions in the reduced index. ``whole``: see `reduce_schedule`. ``again``: whether the operand has
    results of segments, whose positions are in ``memory``.
    """
    layouts = tuple([(item.shape, item.strides) for item in operands])
    schedule = reduce_schedule(shape, axes, layouts, device.target, whole)
    results = [out] if schedule.one_pass else _of_segments(device, monoid, schedule, dtype)
    dtypes = [array.dtype for array in results]
    kernel = reduction(device, monoid, key, body, schedule, operands, dtypes, dtype, again)
    first = kernel.run(schedule, results, operands, memory, scalars)
    if schedule.one_pass:
        return first
    signatures = [signature_of(device, array.dtype, array.shape) for array in results]
    outputs = order_of(whole or shape, axes, device.target).outputs
    return BoundPasses(first, signatures, _combine(monoid, schedule, results, dtype, out, outputs))


def _of_segments(device: Device, monoid: Monoid, schedule: ReduceSchedule, dtype: np.dtype[Any]) -> list[GpuArray]:
    """Fresh memory for the results of segments: values, and positions if there are some."""
    segments, outputs = schedule.segments, schedule.outputs
    shape = (segments, outputs) if schedule.by_segment else (outputs, segments)
    return [empty(device, one, shape) for one in ((dtype, INT64) if monoid.indexed else (dtype,))]


def _combine(
    monoid: Monoid, schedule: ReduceSchedule, found: list[GpuArray], dtype: np.dtype[Any], out: GpuArray, outputs: int
) -> BoundLaunch:
    """Reduce the results of segments. ``outputs``: of the whole."""
    values, memory = found[0], found[1:]
    segments = schedule.segments
    whole, axes = ((segments, outputs), (0,)) if schedule.by_segment else ((outputs, segments), (1,))
    body = partial(identity_body, dtype, tuple([array.dtype for array in memory]))
    return reduce(
        values.storage.device, monoid, ("partial",), body, values.shape, axes, [values], memory, (), dtype, out, whole,
        monoid.indexed,
    )  # fmt: skip


class SegmentedReduction:
    """A reduction into ``out`` whose segments are reduced block by block.

    ``shape``, ``axes``, ``dtype``, ``whole``: as `reduce` has them.
    """

    def __init__(
        self,
        monoid: Monoid,
        shape: tuple[int, ...],
        axes: tuple[int, ...],
        dtype: np.dtype[Any],
        out: GpuArray,
        whole: tuple[int, ...],
    ):
        self.device, self.monoid, self.shape, self.axes, self.dtype = out.storage.device, monoid, shape, axes, dtype
        self.out, self.whole = out, whole
        self.order = order_of(whole, axes, self.device.target)
        self._results: list[GpuArray] = []
        self._words: GpuArray | None = None  # in which groups publish
        self._last: tuple[Reduction, ReduceSchedule, int, list[Buffer], list[int], Sequence[Any]] | None = None

    def add(
        self,
        key: tuple[Any, ...],
        body: Callable[[], Body],
        operands: Sequence[Any],
        memory: Sequence[GpuArray],
        scalars: Sequence[Any],
        first: int,
        count: int,
    ) -> None:
        """Reduce ``count`` segments, number ``first`` and those behind it.

        The operands have layouts of the whole shape, in which the elements of these segments are where they are; what
        would lie elsewhere need not be there.
        """
        device = self.device
        layouts = tuple([(item.shape, item.strides) for item in operands])
        schedule = reduce_schedule(self.shape, self.axes, layouts, device.target, self.whole, (first, count))
        published = schedule.spec.published
        if not self._results:
            self._results = [self.out] if published else _of_segments(device, self.monoid, schedule, self.dtype)
        dtypes = [array.dtype for array in self._results]
        kernel = reduction(device, self.monoid, key, body, schedule, operands, dtypes, self.dtype)
        items = [*self._results, *operands, *memory]
        offsets = [item.offset for item in items]
        buffers = [item.storage.buffer for item in items if isinstance(item, GpuArray)]
        if published:
            if self._words is None:
                self._words = zeros(device, UINT64, (kernel.joins(schedule, 0, offsets)[1],))
            buffers.append(self._words.storage.buffer)
        kernel.first(schedule, offsets).run(buffers, scalars)
        self._last = kernel, schedule, schedule.items // count, buffers, offsets, scalars

    def finish(self) -> None:
        """Combine what was found in all segments."""
        assert self._last is not None
        kernel, schedule, items, buffers, offsets, scalars = self._last
        if self._words is None:
            _combine(self.monoid, schedule, self._results, self.dtype, self.out, self.order.outputs)
            return
        for launch in kernel.joins(schedule, items, offsets)[0]:
            launch.run(buffers, scalars)
