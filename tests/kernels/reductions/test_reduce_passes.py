"""Reductions block by block: segments and outputs in parts give the bits of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.monoid import MAX, SUM, Monoid
from arrayapi_gpu.kernels.reductions.reduce import identity_body
from arrayapi_gpu.kernels.reductions.reduce_passes import SegmentedReduction, reduce
from arrayapi_gpu.memory.gpuarray import empty, upload
from arrayapi_gpu.memory.layout import Layout

F32 = np.dtype("float32")


def whole_of(host: np.ndarray, axis: int, monoid: Monoid, device: Device) -> np.ndarray:
    """The reduction at once."""
    out = empty(device, F32, (*host.shape[:axis], *host.shape[axis + 1 :]))
    x = upload(device, host)
    reduce(device, monoid, ("test",), lambda: identity_body(F32), host.shape, (axis,), [x], [], (), F32, out)
    return out.download()


@pytest.mark.parametrize("count", [1, 3, 1000])
@pytest.mark.parametrize(
    ("shape", "axis"), [((100_003,), 0), ((5000, 17), 0), ((3, 70_000), 1), ((9000, 1, 2), 0), ((100, 40), 0)]
)
def test_blocks_of_segments_give_the_bits_of_the_whole(
    waiting_twin: Device, shape: tuple[int, ...], axis: int, count: int
) -> None:
    host = sample("float32", shape)
    out = empty(waiting_twin, F32, (*shape[:axis], *shape[axis + 1 :]))
    reduction = SegmentedReduction(SUM, shape, (axis,), F32, out, shape)
    order = reduction.order
    for first in range(0, order.segments, count):
        number = min(count, order.segments - first)
        start, stop = first * order.length, min((first + number) * order.length, shape[axis])
        part = np.ascontiguousarray(host[(slice(None),) * axis + (slice(start, stop),)])
        block = upload(waiting_twin, part)
        placed = block.through(Layout(shape, block.strides, -start * block.strides[axis]))
        reduction.add(("test",), lambda: identity_body(F32), [placed], [], (), first, number)
    reduction.finish()
    assert_same(out.download(), whole_of(host, axis, SUM, waiting_twin))


@pytest.mark.parametrize(("shape", "axis"), [((300, 5000), 1), ((5000, 300), 0), ((40, 3, 700), 1), ((70_000, 20), 0)])
@pytest.mark.parametrize("monoid", [SUM, MAX])
def test_some_outputs_have_the_bits_that_they_have_among_all(
    waiting_twin: Device, shape: tuple[int, ...], axis: int, monoid: Monoid
) -> None:
    host = sample("float32", shape)
    expected = whole_of(host, axis, monoid, waiting_twin)
    cut = 1 if axis == 0 else 0
    for start, stop in ((0, 1), (1, 4), (7, 20)):
        part = np.ascontiguousarray(host[(slice(None),) * cut + (slice(start, stop),)])
        out = empty(waiting_twin, F32, (*part.shape[:axis], *part.shape[axis + 1 :]))
        key, body = ("test",), lambda: identity_body(F32)
        block = upload(waiting_twin, part)
        reduce(waiting_twin, monoid, key, body, part.shape, (axis,), [block], [], (), F32, out, shape)
        assert_same(out.download(), expected[start:stop])


def test_segments_are_combined_several_times(waiting_twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 22)
    host = sample("float32", (1 << 23,))
    got, expected = (xp.sum(make(host, device=waiting_twin)) for make in (xp.from_host, xp.asarray))
    assert_same(got.to_numpy(), expected.to_numpy())
