"""Sorts as nodes."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.memory.gpuarray import indices_of

A = sample("float32", (5, 40))


def test_arrays_are_sorted_when_their_values_are_needed(device: Device) -> None:
    with no_launch():
        x = xp.sort(xp.asarray(A) * 2, axis=0)
    assert_same(to_host(x), np.sort(A * 2, axis=0))


def test_positions_are_known_to_be_indices(device: Device) -> None:
    order = xp.argsort(xp.asarray(A), axis=1)
    xp.compute(order)
    assert order._node.array is not None
    assert indices_of(order._node.array) == 40


def test_a_copy_is_not_made_to_be_sorted(device: Device) -> None:
    x = xp.asarray(A)
    with xp.record() as launches:
        xp.compute(xp.sort(xp.asarray(x, copy=True), axis=0))
    with xp.record() as others:
        xp.compute(xp.sort(x, axis=0))
    assert len(launches) == len(others)


def test_a_selection_is_the_place_of_a_sort(device: Device) -> None:
    """On every device, and so are the expressions that `explain` prints."""
    host = sample("float64", (7, 300))
    x = xp.asarray(host)
    highest, where = xp.topk(x, 3, axis=1)
    found = {
        "values": (highest, np.sort(host)[:, :-4:-1]),
        "positions": (where, np.argsort(-host, axis=1, kind="stable")[:, :3]),
        "median": (xp.median(x, axis=1), np.median(host, axis=1)),
        "quantiles": (xp.quantile(x, [0.1, 0.5], axis=0), np.quantile(host, [0.1, 0.5], axis=0)),
    }
    for name, (got, wanted) in found.items():
        np.testing.assert_allclose(to_host(got), wanted, rtol=1e-15, err_msg=name)


def test_where_numpy_sorts_it_also_selects(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "SELECTED_LANE", {4: 64, 8: 64})
    if native.loops is None:
        pytest.skip("the package was built without loops")
    x = xp.asarray(sample("float32", (7, 300)), device=native)
    with xp.record() as launches:
        xp.sync(xp.topk(x, 3, axis=1)[1])
    assert [launch.kernel for launch in launches] == ["selection"]
    (line,) = [line for line in str(xp.explain(xp.topk(x, 3, axis=1)[1])).splitlines() if "argsort" in line]
    with xp.config.set(device="native"):
        again = eval(line.partition("#")[0].partition("=")[2], {"xp": xp, "v0": x})
    assert_same(to_host(again), to_host(xp.topk(x, 3, axis=1)[1]))
