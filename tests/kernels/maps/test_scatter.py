"""The scatter kernel: in order, of every dtype, from every layout, never beside its target."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 16, 50])
def test_every_dtype_is_scattered(twin: Device, dtype: str, n: int) -> None:
    a = sample(dtype, 60)
    values = sample(dtype, n, 1)
    places = np.random.default_rng(n).permutation(60)[:n]
    x = xp.asarray(a, device=twin)
    x[xp.asarray(places, device=twin)] = xp.asarray(values, device=twin)
    a[places] = values
    assert_same(to_host(x), a)


@pytest.mark.parametrize("n", [2, 15, 16, 17, 33, 5000])
@pytest.mark.parametrize("places", [1, 2, 7, 40])
def test_of_values_for_one_place_the_last_stays(twin: Device, places: int, n: int) -> None:
    index = np.random.default_rng([n, places]).integers(0, places, n)
    x = xp.full((places,), -1, dtype=xp.int32, device=twin)
    x[xp.asarray(index, device=twin)] = xp.arange(n, dtype=xp.int32, device=twin)
    a = np.full(places, -1, "int32")
    a[index] = np.arange(n)
    assert_same(to_host(x), a)


def test_targets_and_values_may_be_strided(twin: Device) -> None:
    a, values = np.zeros((20, 30), "int32"), sample("int32", (8, 30), 1)
    places = np.array([9, 0, 3, 3])
    x = xp.asarray(a, device=twin)
    x[::-2, 1::3][xp.asarray(places, device=twin)] = xp.asarray(values, device=twin)[::2, ::-3]
    a[::-2, 1::3][places] = values[::2, ::-3]
    assert_same(to_host(x), a)


def test_one_value_goes_to_many_places(twin: Device) -> None:
    a = np.zeros((20, 3))
    places = np.array([1, 19, -3])
    x = xp.asarray(a, device=twin)
    x[xp.asarray(places, device=twin)] = xp.asarray(np.array([1.0, 2.0, 3.0]), device=twin)
    a[places] = [1, 2, 3]
    assert_same(to_host(x), a)


def test_no_places_write_nothing(twin: Device) -> None:
    x = xp.asarray(np.arange(5.0), device=twin)
    x[xp.asarray(np.zeros(0, "int64"), device=twin)] = 7
    assert x.tolist() == [0, 1, 2, 3, 4]


def test_pending_indices_and_values_are_computed_on_the_way(twin: Device) -> None:
    x = xp.zeros((10,), device=twin)
    index = xp.arange(5, device=twin) * 2
    x[index + 1] = xp.arange(5, device=twin) * 10
    assert x.tolist() == [0, 0, 0, 10, 0, 20, 0, 30, 0, 40]


def test_many_values_may_be_the_target_s_own(twin: Device) -> None:
    a, index = sample("float32", 300), np.random.default_rng(0).integers(0, 300, (16, 300))
    x = xp.asarray(a, device=twin)
    x[xp.asarray(index, device=twin)] = xp.broadcast_to(x, (16, 300))
    a[index] = np.broadcast_to(a.copy(), (16, 300))
    assert_same(to_host(x), a)
