"""The kernels of scattered addition: NumPy's bits, in order, by one work-item and by many."""

from __future__ import annotations

import numpy as np
import pytest
from support import NUMERIC, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.maps import scatter_add, scatter_passes
from arrayapi_gpu.lazy.mutation import scatters as selection


@pytest.fixture(params=["in order", "runs"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kernels, however many values there are."""
    monkeypatch.setattr(selection, "are_many", lambda device, n: request.param == "runs")
    monkeypatch.setattr(scatter_passes, "pays", lambda target, n: False)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("dtype", NUMERIC)
@pytest.mark.parametrize(("places", "n"), [(1, 0), (1, 7), (3, 50), (60, 33), (500, 700)])
def test_every_dtype_is_added_in_order(twin: Device, dtype: str, places: int, n: int) -> None:
    a, values = sample(dtype, places), sample(dtype, n, 1)
    index = np.random.default_rng([places, n]).integers(-places, places, n)
    x = xp.asarray(a, device=twin)
    xp.add_at(x, xp.asarray(index, device=twin), xp.asarray(values, device=twin))
    with np.errstate(all="ignore"):
        np.add.at(a, index, values)
    assert_same(to_host(x), a)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(("dtype", "other"), [("float32", "float64"), ("float16", "float32"), ("int8", "int64")])
def test_a_sum_is_made_in_the_wider_dtype_and_rounded_each_time(twin: Device, dtype: str, other: str) -> None:
    a, values = sample(dtype, 9), sample(other, 200, 1)
    index = np.random.default_rng(5).integers(0, 9, 200)
    x = xp.asarray(a, device=twin)
    xp.add_at(x, xp.asarray(index, device=twin), xp.asarray(values, device=twin))
    with np.errstate(all="ignore"):
        np.add.at(a, index, values)
    assert_same(to_host(x), a)


@pytest.mark.usefixtures("way")
def test_targets_and_values_may_be_strided(twin: Device) -> None:
    a, values = np.zeros((20, 30), "int32"), sample("int32", (8, 30), 1)
    places = np.array([9, 0, 3, 3])
    x = xp.asarray(a, device=twin)
    xp.add_at(x[::-2, 1::3], xp.asarray(places, device=twin), xp.asarray(values, device=twin)[::2, ::-3])
    np.add.at(a[::-2, 1::3], places, values[::2, ::-3])
    assert_same(to_host(x), a)


def test_many_values_are_sorted_on_gpus_alone(device: Device) -> None:
    assert not scatter_add.are_many(device, 1)
    assert scatter_add.are_many(device, 10**6) == device.is_gpu
