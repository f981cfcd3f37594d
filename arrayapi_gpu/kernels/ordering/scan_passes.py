"""Scans of an axis whose elements are not all in the device's memory: block by block, in the order of a scan at once.

Where groups publish their results (`scan`), the published words stay from the first block to the last. Elsewhere the
blocks are read twice: the first time for the total of each segment, the second time for the scan of the segments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends.base import Device
from ...memory.gpuarray import GpuArray, empty
from ...memory.layout import Layout, contiguous_strides, size
from ..core.monoid import Monoid
from ..maps.copy import assign, contiguous, zeros
from ..maps.scratch import UINT64
from .scan import ScanKernels, carries, kernels_for


def scan_of_row(
    device: Device, monoid: Monoid, source: np.dtype[Any], whole: tuple[int, ...], axis: int, dtype: np.dtype[Any]
) -> ScanKernels:
    """Return the cut of the scan along ``axis`` of one row of an array of the shape ``whole``: the number of segments
    and their length."""
    return _kernels(device, monoid, source, (*[1] * axis, *whole[axis:]), axis, dtype, whole)


def _kernels(
    device: Device,
    monoid: Monoid,
    source: np.dtype[Any],
    shape: tuple[int, ...],
    axis: int,
    dtype: np.dtype[Any],
    whole: tuple[int, ...],
) -> ScanKernels:
    strides = contiguous_strides(shape)
    found = kernels_for(device, monoid, source, shape, strides, axis, dtype, False, whole, False)
    assert found is not None, "arrays in C order have a schedule"
    return found


class SegmentedScan:
    """A scan along ``axis`` of one row of an array of the shape ``whole``; ``dtype`` is that of the results.

    Blocks are some segments, each ``length`` elements of the axis long except for the last. They have the axes of the
    array; those before ``axis`` have length 1. ``twice``: `look` takes all blocks first.
    """

    def __init__(
        self,
        device: Device,
        monoid: Monoid,
        source: np.dtype[Any],
        whole: tuple[int, ...],
        axis: int,
        dtype: np.dtype[Any],
    ):
        self.device, self.whole, self.axis, self.dtype = device, whole, axis, dtype
        self._facts = device, monoid, source
        self._row = scan_of_row(device, monoid, source, whole, axis, dtype)
        self.length, self.segments, self.twice = self._row.length, self._row.segments, not self._row.words
        self._width = size(whole[axis + 1 :])
        self._totals = empty(device, self._row.spec.values, (1, self.segments if self.twice else 0, self._width))
        self._before: GpuArray | None = None
        self._words = None if self.twice else zeros(device, UINT64, (self._row.words,))

    def _kernels(self, shape: tuple[int, ...]) -> ScanKernels:
        return _kernels(*self._facts, shape, self.axis, self.dtype, self.whole)

    def _of_block(self, array: GpuArray, first: int, count: int) -> GpuArray:
        """The part of totals, or of the carries of segments, that belongs to a block."""
        return array.through(Layout((1, count, self._width), (0, self._width, 1), first * self._width))

    def look(self, source: GpuArray, first: int) -> None:
        """Compute the totals of a block's segments; ``first``: the number of the first one."""
        source = contiguous(source)
        (found,) = self._kernels(source.shape).totals(source)
        assign(self._of_block(self._totals, first, found.shape[1]), found)

    def scan(self, source: GpuArray, first: int) -> GpuArray:
        """Return the results of a block. Blocks come in order."""
        source = contiguous(source)
        out = empty(self.device, self.dtype, source.shape)
        if self._words is not None:
            count = -(-source.shape[self.axis] // self.length)
            self._row.tiles(source, out, self._words, first, count)
            return out
        if self._before is None:
            rows = size(self.whole[: self.axis])
            self._before = carries(self._row.spec, [self._totals], (rows, self.segments, self._width))
        kernels = self._kernels(source.shape)
        own = empty(self.device, self._before.dtype, (1, kernels.segments, self._width))
        assign(own, self._of_block(self._before, first, kernels.segments))
        kernels.after((source,), out, own)
        return out
