"""The passes of scatters on GPUs: the last value for each place stays, in every dtype."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.maps import scatter_passes
from arrayapi_gpu.lazy import evaluate


@pytest.fixture(autouse=True)
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes for any number of values."""
    monkeypatch.setattr(tuning, "MAX_IN_ORDER", 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n", "places"), [(60, 60), (300, 60), (3000, 7), (50, 400)])
def test_the_last_value_stays_in_every_dtype(twin: Device, dtype: str, n: int, places: int) -> None:
    a, values = sample(dtype, places), sample(dtype, n, 1)
    index = np.random.default_rng([n, places]).integers(-places, places, n)
    x = xp.asarray(a, device=twin)
    x[xp.asarray(index, device=twin)] = xp.asarray(values, device=twin)
    a[index] = values
    assert_same(to_host(x), a)


@pytest.mark.parametrize("n", [1, 1023, 1025, 40_000])
def test_groups_take_all_values(twin: Device, n: int) -> None:
    index = np.random.default_rng(n).permutation(n)
    x = xp.zeros(n, dtype=xp.int64, device=twin)
    x[xp.asarray(index, device=twin)] = xp.arange(1, n + 1, dtype=xp.int64, device=twin)
    expected = np.zeros(n, "int64")
    expected[index] = np.arange(1, n + 1)
    assert_same(to_host(x), expected)


def test_all_values_go_to_one_place(twin: Device) -> None:
    x = xp.zeros(3, dtype=xp.int32, device=twin)
    x[xp.full((20_000,), 1, device=twin)] = xp.arange(20_000, dtype=xp.int32, device=twin)
    assert x.tolist() == [0, 19_999, 0]


def test_targets_may_be_reversed_and_values_strided(twin: Device) -> None:
    a, values = np.zeros((20, 30), "int32"), sample("int32", (8, 30), 1)
    places = np.array([9, 0, 3, 3])
    x = xp.asarray(a, device=twin)
    x[::-2, 1::3][xp.asarray(places, device=twin)] = xp.asarray(values, device=twin)[::2, ::-3]
    a[::-2, 1::3][places] = values[::2, ::-3]
    assert_same(to_host(x), a)


def test_values_and_places_in_the_target_are_read_before_it_is_written(twin: Device) -> None:
    x = xp.asarray(np.arange(6)[::-1].copy(), device=twin)
    x[x] = x
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(("index", "expected"), [([0, 2, 1], False), ([0, 2, 0], True)])
def test_repeated_places_are_found(twin: Device, index: list[int], expected: bool) -> None:
    target, places = (evaluate(xp.asarray(np.asarray(host, "int64"), device=twin)._node) for host in (range(3), index))
    assert scatter_passes.repeat(target, places) == expected


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex64"])
def test_additions_to_places_that_do_not_repeat(twin: Device, dtype: str) -> None:
    a, values = sample(dtype, 90), sample(dtype, 70, 1)
    index = np.random.default_rng(3).permutation(90)[:70]
    x = xp.asarray(a, device=twin)
    xp.add_at(x, xp.asarray(index, device=twin), xp.asarray(values, device=twin))
    with np.errstate(all="ignore"):
        np.add.at(a, index, values)
    assert_same(to_host(x), a)


def _passes(x: xp.Array, index: xp.Array, values: xp.Array) -> int:
    """The launches of scatters that a write took."""
    with xp.record() as recording:
        x[index] = values
        xp.sync(x)
    return sum(event.kernel == "scatter" for event in recording)


def test_an_index_is_asked_once_whether_it_repeats(twin: Device) -> None:
    """Until it is written to; and again for an axis of another length, in which -1 is another place."""
    if not twin.is_gpu:
        pytest.skip("the order of writes takes time on GPUs")
    host = np.random.default_rng(5).permutation(100)
    index, values = xp.asarray(host, device=twin), xp.arange(100.0, device=twin)
    x, longer = xp.zeros(100, device=twin), xp.zeros(120, device=twin)
    found = [_passes(one, index, values) for one in (x, x, longer, longer)]
    index[0] = index[1]
    found += [_passes(x, index, values) for _ in range(2)]
    assert found == [3, 1, 3, 1, 3, 3]
    assert to_host(x)[host[1]] == 1


def test_a_permutation_that_was_computed_does_not_repeat(twin: Device) -> None:
    if not twin.is_gpu:
        pytest.skip("the order of writes takes time on GPUs")
    host = sample("float32", 100)
    index = xp.argsort(xp.asarray(host, device=twin))
    x, values = xp.zeros(100, device=twin), xp.arange(100.0, device=twin)
    assert _passes(x, index, values) == 1
    expected = np.zeros(100)
    expected[np.argsort(host)] = np.arange(100.0)
    assert_same(to_host(x), expected)


def test_an_index_that_is_its_own_target_is_asked_again(twin: Device) -> None:
    host = np.random.default_rng(6).permutation(50)
    x = xp.asarray(host, device=twin)
    for _ in range(3):
        x[x] = xp.zeros_like(x) + xp.arange(50, device=twin) % 7
        host[host.copy()] = np.arange(50) % 7
        assert_same(to_host(x), host)
