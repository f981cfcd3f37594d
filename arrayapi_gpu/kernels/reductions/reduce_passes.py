"""Reductions from their operands to their results: pass after pass, and block by block.

A pass reduces each segment of the reduced index (`reduce`). Where groups do not combine their results, another pass
reduces the results of segments. `SegmentedReduction` takes some segments at a time, so that not all elements have to be
in the device's memory. Either way elements are combined in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Buffer, Device
from ...memory.gpuarray import GpuArray, Signature, empty, signature_of
from ...memory.layout import broadcast
from ..core.body import Body
from ..core.launch import BoundKernel, BoundLaunch
from ..core.monoid import Monoid
from ..core.traffic import Traffic, traffic_of
from ..maps.copy import zeros
from ..maps.elementwise_tiling import ACCESS
from ..maps.scratch import UINT64
from .epilogues import Following
from .reduce import INT64, identity_body, offsets_and_buffers, reduction_of
from .reduce_schedule import ReduceSchedule, order_of, reduce_schedule
from .short import ShortText, short_schedule


class BoundPasses(NamedTuple):
    """The passes of a reduction, `launch.BoundLaunch`: each reduces the results of the one before."""

    first: BoundLaunch
    results: list[Signature]  # of the first
    rest: BoundLaunch

    def run(self, buffers: list[Buffer], scalars: Sequence[Any], offsets: list[int] | None = None) -> None:
        """Launch. ``buffers``: of the result, of the operands and of gathered memory."""
        arrays = [signature.empty() for signature in self.results]  # which keep their memory allocated
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
    then: Following | None = None,
) -> BoundLaunch:
    """Return the launch, which may run again, of a reduction of a body's values along ``axes`` into ``out``, a
    C-contiguous array of the shape that stays.

    ``key`` identifies the body, which is made only if there is no kernel yet; ``operands``: arrays and layouts of index
    variables in the body's order; ``dtype``: of the accumulators. For an indexed monoid ``out`` takes the positions of
    the winners in the reduced index. ``whole``: see `reduce_schedule`. ``again``: whether the operand has results of
    segments, whose positions are in ``memory``. ``then``: operations on the results, on GPUs, where a launch stores
    final ones; ``out`` has the dtype of theirs.
    """
    alone = whole is None and not monoid.folds(dtype)
    short = short_schedule(shape, axes, operands, out, device.target) if alone else None
    schedule = short or _scheduled(device, monoid, shape, axes, operands, dtype, whole)
    results = _results_of(monoid, schedule, dtype, out)
    dtypes = [array.dtype for array in results]
    kind = None if short is None else ShortText
    epilogue = None
    if then is not None:
        assert schedule.one_pass, "the results of segments are reduced before something follows"
        arrays = [one.through(broadcast(one.layout, out.shape)) for one in then.arrays]
        epilogue = then._replace(arrays=arrays).of_reduction()
        operands, scalars = [*operands, *arrays], [*scalars, *then.scalars]
    kernel = reduction_of(device, monoid, key, body, schedule, dtypes, dtype, again, kind, epilogue)
    first = kernel.run(schedule, results, operands, memory, scalars)
    if schedule.one_pass:
        return first
    signatures = [signature_of(device, array.dtype, array.shape) for array in results]
    outputs = order_of(whole or shape, axes, device.target).outputs
    return BoundPasses(first, signatures, _combine(monoid, schedule, results, dtype, out, outputs))


def _scheduled(
    device: Device,
    monoid: Monoid,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    operands: Sequence[Any],
    dtype: np.dtype[Any],
    whole: tuple[int, ...] | None,
    only: tuple[int, int] | None = None,
) -> ReduceSchedule:
    """Return the schedule for operands, by whole accesses where they are aligned; the arguments are those of
    `reduce` and `reduce_schedule`."""
    layouts = tuple([(item.shape, item.strides) for item in operands])
    widest = max([item.dtype.itemsize for item in operands if type(item) is GpuArray], default=ACCESS)
    together = ACCESS // widest if monoid.in_any_order(dtype) else 0
    schedule = reduce_schedule(shape, axes, layouts, device.target, whole, only, together)
    return schedule.aligned if schedule.aligned and _begin_at(schedule.aligned.spec.vectors, operands) else schedule


def _begin_at(multiples: int, operands: Sequence[Any]) -> bool:
    """Return whether operands begin at multiples of so many elements in aligned memory."""
    offsets, buffers = offsets_and_buffers(operands)
    return not any([offset % multiples for offset in offsets]) and all([own.aligned for own in buffers])


def _results_of(monoid: Monoid, schedule: ReduceSchedule, dtype: np.dtype[Any], out: GpuArray) -> list[GpuArray]:
    """Return ``out``, or fresh memory for the values of segments and, if the monoid is indexed, their positions."""
    if schedule.one_pass:
        return [out]
    segments, outputs = schedule.segments, schedule.outputs
    shape = (segments, outputs) if schedule.by_segment else (outputs, segments)
    return [empty(out.storage.device, one, shape) for one in ((dtype, INT64) if monoid.indexed else (dtype,))]


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
    """A reduction into ``out`` that takes some segments at a time.

    ``shape``, ``axes``, ``dtype``, ``whole``: those of `reduce`.
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
        self._words: list[GpuArray] = []  # the memory in which groups publish, if they do
        self._last: tuple[ReduceSchedule, list[BoundKernel], list[Buffer], Sequence[Any]] | None = None

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
        """Reduce ``count`` segments from number ``first`` on.

        The operands have layouts of the whole shape; memory for the elements of other segments does not have to exist.
        """
        device = self.device
        schedule = _scheduled(
            device, self.monoid, self.shape, self.axes, operands, self.dtype, self.whole, (first, count)
        )
        if not self._results:
            self._results = _results_of(self.monoid, schedule, self.dtype, self.out)
        dtypes = [array.dtype for array in self._results]
        kernel = reduction_of(device, self.monoid, key, body, schedule, dtypes, self.dtype)
        offsets, buffers = offsets_and_buffers(self._results, operands, memory)
        whole = traffic_of(self._results, operands)
        part = Traffic(whole.read * count // self.order.segments, whole.written * count // self.order.segments)
        launches, words = kernel.launches(schedule, offsets, part)
        if words and not self._words:
            self._words = [zeros(device, UINT64, (words,))]
        buffers += [array.storage.buffer for array in self._words]
        launches[0].run(buffers, scalars)
        self._last = schedule, launches[1:], buffers, scalars

    def finish(self) -> None:
        """Combine the results of all segments."""
        assert self._last is not None
        schedule, launches, buffers, scalars = self._last
        for launch in launches:
            launch.run(buffers, scalars)
        if not schedule.one_pass:
            _combine(self.monoid, schedule, self._results, self.dtype, self.out, self.order.outputs)
