"""Writing to places that are computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.mutation.scatters import scatter
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

RNG = np.random.default_rng(9)


def node(device: Device, host: np.ndarray[Any, Any]) -> Node:
    return leaf(upload(device, host))


@pytest.mark.parametrize("n", [1, 17, 5000])
@pytest.mark.parametrize(("few", "spread"), [(4, 64), (4, 0), (10**6, 64)])
def test_of_values_for_one_place_the_last_stays(
    twin: Device, n: int, few: int, spread: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they are written in passes, sorted before, or written in order."""
    monkeypatch.setattr(tuning, "MAX_IN_ORDER", few)
    monkeypatch.setattr(tuning, "PASS_SPREAD", spread)
    places, values = RNG.integers(0, 30, n), np.arange(n, dtype="f4")
    target = upload(twin, np.full(30, -1, "f4"))
    scatter(target, node(twin, places), node(twin, values))
    expected = np.full(30, -1, "f4")
    expected[places] = values
    assert_same(target.download(), expected)


def test_places_count_from_the_first_element_of_the_target(twin: Device) -> None:
    whole = upload(twin, np.zeros(10, "i4"))
    scatter(whole.view(Layout((5,), (1,), 3)), node(twin, np.array([0, 4])), node(twin, np.array([1, 2], "i4")))
    assert whole.download().tolist() == [0, 0, 0, 1, 0, 0, 0, 2, 0, 0]


def test_values_that_lie_in_the_target_are_read_before_it_is_written(twin: Device) -> None:
    target = upload(twin, np.arange(6, dtype="i4"))
    backwards = leaf(target.view(Layout((6,), (-1,), 5)))
    scatter(target, node(twin, np.arange(6)), backwards, distinct=True)
    assert target.download().tolist() == [5, 4, 3, 2, 1, 0]


def test_places_that_lie_in_the_target_are_read_before_it_is_written(twin: Device) -> None:
    target = upload(twin, np.array([3, 2, 1, 0]))
    scatter(target, build.binary(OPS["add"], leaf(target), 0), node(twin, np.array([7, 8, 9, 10])), distinct=True)
    assert target.download().tolist() == [10, 9, 8, 7]


def test_pending_values_that_read_the_target_keep_what_they_read(twin: Device) -> None:
    x = xp.zeros((4,), dtype=xp.int32, device=twin) + 1
    xp.sync(x)
    y = x * 10
    scatter(evaluate(x._node), node(twin, np.array([2])), node(twin, np.array([5], "i4")), distinct=True)
    assert (x.tolist(), y.tolist()) == ([1, 1, 5, 1], [10, 10, 10, 10])


def test_read_only_memory_is_refused(twin: Device) -> None:
    target = upload(twin, np.zeros(3))
    target.storage.readonly = True
    with pytest.raises(ValueError, match="read-only"):
        scatter(target, node(twin, np.array([0])), node(twin, np.array([1.0])))


def test_no_values_change_nothing(twin: Device) -> None:
    target = upload(twin, np.ones(3, "f4"))
    scatter(target, node(twin, np.zeros(0, "i8")), node(twin, np.zeros(0, "f4")))
    assert target.download().tolist() == [1, 1, 1]
