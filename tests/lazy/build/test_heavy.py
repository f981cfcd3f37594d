"""Operations above the limit of a graph's weight: their weight, and the operands that are computed first."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from support import sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph import graph
from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import MAX_WEIGHT, upload


def leaf(device: Device, n: int = 6) -> Node:
    return graph.leaf(upload(device, np.arange(n).astype(DTYPE_OF["f32"])))


def test_what_is_shared_counts_once() -> None:
    node = leaf(RecordingDevice("recording:heavy"))
    for _ in range(60):
        node = build.binary(OPS["add"], build.binary(OPS["multiply"], node, node), node)
    assert node.array is None and 110 < node.weight <= 122


def test_what_has_become_too_heavy_is_computed_on_the_way(device: Device) -> None:
    node = leaf(device, 3)
    weights = []
    for _ in range(2 * MAX_WEIGHT):
        node = build.binary(OPS["add"], node, 1.0)
        weights.append(node.weight)
    assert max(weights) <= MAX_WEIGHT
    assert evaluate(node).download().tolist() == [2 * MAX_WEIGHT + k for k in range(3)]


def _many_operations(x: Any, r: Any) -> Any:
    for _ in range(120):
        x = x * r + x * 0.5  # twice the same, so that sets of bits are asked for
    return x


@pytest.mark.parametrize("on_host", [False, True], ids=["on the device", "in blocks"])
def test_what_is_computed_first_is_a_part_whatever_bits_say(
    device: Device, on_host: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All values have the same bits. A value that is being computed was asked for then, again and again
    (RecursionError), and values that have nothing to do with the operation were computed."""
    monkeypatch.setattr(graph, "_new_bit", lambda: (1 << graph.SKETCH_BITS) - 1)
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 12)
    host, row = sample("float32", (300, 8), 1), np.array([0.25, 0.5, 0.125, 0.5, 0.25, 0.5, 0.125, 0.375], np.float32)
    make = partial(xp.from_host, device=device) if on_host else partial(xp.asarray, device=device)
    other = xp.asarray(host[:3], device=device) + 1
    y = _many_operations(make(host), xp.asarray(row, device=device))
    expected = _many_operations(host.astype(np.float64), row.astype(np.float64))
    np.testing.assert_allclose(to_host(y), expected, rtol=1e-4)
    assert other._node.array is None
