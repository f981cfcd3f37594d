"""Arrays that go to another device: nobody sees them before they are there, nor what is written behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends import present
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.graph import device_transfers as arrivals

Pair = tuple[Device, Device]


@pytest.fixture(params=["beside", "late"])
def pair(device: Device, request: pytest.FixtureRequest) -> Pair:
    """Two devices with memory of their own: two of a driver, or twins of a CPU, one of which copies late."""
    if device.host_shared:
        return apart_twin(device), apart_twin(device, late=True)
    others = [one for one in present() if one is not device and str(one).startswith(str(device).split(":")[0])]
    if request.param == "late" or not others:
        pytest.skip("the machine has one device of this driver")
    return device, others[0]


def test_values_are_those_of_the_time_of_the_call(pair: Pair) -> None:
    one, other = pair
    host = sample("float32", (300, 70))
    x = xp.asarray(host, device=one, copy=True)
    y = x * 2
    z = y.to_device(other)
    y += 1
    x[...] = 0
    assert z.device is other and y.device is one
    assert_same(to_host(z), host * 2)
    assert_same(to_host(y), host * 2 + 1)


def test_views_and_expressions_arrive(pair: Pair) -> None:
    one, other = pair
    host = sample("float32", (40, 30))
    x = xp.asarray(host, device=one, copy=True)
    views: list[Callable[[Any], Any]] = [
        lambda a: a, lambda a: a.T, lambda a: a[::-2, 3:], lambda a: a * 2 - 1, lambda a: a[:0],
    ]  # fmt: skip
    for view in views:
        assert_same(to_host(view(x).to_device(other) + 1), view(host) + 1)


def test_memory_of_what_is_on_its_way_is_not_used_again(pair: Pair) -> None:
    one, other = pair
    host = sample("float32", (1000, 70))
    for k in range(10):
        moved = xp.asarray(host + np.float32(k), device=one, copy=True).to_device(other)
        others = [xp.asarray(host * 0, device=one, copy=True) for _ in range(3)]
        xp.compute(*others)
        assert_same(to_host(moved), host + np.float32(k))


def test_writes_wait_for_copies_that_nobody_has_used(pair: Pair) -> None:
    one, other = pair
    host = sample("float32", (500, 70))
    x = xp.asarray(host, device=one, copy=True)
    x = x + 0
    xp.compute(x)
    copies = []
    for k in range(4):
        copies.append(x.to_device(other))
        x[k] = 7
    expected = host.copy()
    for k, copied in enumerate(copies):
        assert_same(to_host(copied), expected)
        expected[k] = 7
    assert_same(to_host(x), expected)


def test_what_others_see_is_copied_in_order(pair: Pair) -> None:
    one, other = pair
    x = xp.asarray(sample("float32", 1000), device=one, copy=True)
    array = x._node.array
    assert array is not None
    exposure = array.storage.expose()
    assert arrivals.arriving(other, array) is None
    del exposure


def test_there_and_back_again_and_again(pair: Pair) -> None:
    one, other = pair
    host: Any = sample("int32", 5000)
    x = xp.asarray(host, device=one, copy=True)
    for k in range(20):
        x = x.to_device(other if k % 2 == 0 else one) + 1
        host = host + 1
    assert_same(to_host(x), host)
