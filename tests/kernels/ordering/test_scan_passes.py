"""Scans block by block have the bits of scans at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, sample

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.monoid import MAX, PROD, SUM, Monoid
from arrayapi_gpu.kernels.core.tuning import CPU_CUT
from arrayapi_gpu.kernels.ordering.scan import scan
from arrayapi_gpu.kernels.ordering.scan_passes import SegmentedScan
from arrayapi_gpu.memory.gpuarray import empty, upload


def in_blocks(
    device: Device, monoid: Monoid, host: Any, axis: int, dtype: Any, count: int
) -> tuple[Any, SegmentedScan]:
    """The scan of each row, ``count`` segments at a time."""
    out = np.empty(host.shape, dtype)
    for row in np.ndindex(host.shape[:axis]):
        own = host[row][(None,) * axis]
        scanning = SegmentedScan(device, monoid, host.dtype, host.shape, axis, np.dtype(dtype))
        starts = range(0, scanning.segments, count)
        parts = {}
        for first in starts:
            ends = first * scanning.length, (first + count) * scanning.length
            parts[first] = np.ascontiguousarray(own[(slice(None),) * axis + (slice(*ends),)])
        for first in starts if scanning.twice else ():
            scanning.look(upload(device, parts[first]), first)
        results = [scanning.scan(upload(device, parts[first]), first).download() for first in starts]
        out[row] = np.concatenate(results, axis=axis)[(0,) * axis]
    return out, scanning


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((40 * CPU_CUT.along + 3,), 0), ((3, 9 * CPU_CUT.along + 1), 1), ((10 * CPU_CUT.across + 1, 33), 0), ((5,), 0),
     ((2, 5 * CPU_CUT.across, 3), 1)],
)  # fmt: skip
def test_bits_are_those_of_a_scan_at_once(waiting_twin: Device, shape: tuple[int, ...], axis: int, count: int) -> None:
    host = sample("float32", shape)
    for monoid, source, dtype in ((SUM, host, np.float32), (PROD, host * 0 + 1, np.float64), (SUM, host, np.float16)):
        got, _ = in_blocks(waiting_twin, monoid, source, axis, dtype, count)
        out = empty(waiting_twin, np.dtype(dtype), shape)
        scan(monoid, upload(waiting_twin, source), axis, out)
        assert_same(got, out.download())


def test_windows_of_tiles_lie_in_several_blocks(waiting_twin: Device) -> None:
    """More tiles than a window has, and as many windows as are looked at one by one."""
    host = np.random.default_rng(3).integers(-(2**40), 2**40, 3_000_000)
    for monoid, function in ((SUM, np.add), (MAX, np.maximum)):
        got, scanning = in_blocks(waiting_twin, monoid, host, 0, np.int64, 29)
        assert scanning.segments > 60
        np.testing.assert_array_equal(got, function.accumulate(host))


def test_blocks_are_read_once_where_groups_publish(waiting_twin: Device) -> None:
    scanning = SegmentedScan(waiting_twin, SUM, np.dtype("f4"), (1_000_000,), 0, np.dtype("f4"))
    together = waiting_twin.is_gpu and waiting_twin.forward_progress
    assert scanning.twice != together
