"""Joined arrays: of every dtype, along every axis, in one launch and in several."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.maps import join as joining


def _joined(twin: Device, hosts: list[np.ndarray], axis: int) -> np.ndarray:
    return to_host(xp.concat([xp.asarray(host, device=twin) for host in hosts], axis=axis))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_dtype_along_every_axis(twin: Device, dtype: str, axis: int) -> None:
    shapes = [[4, 3, 5] for _ in range(5)]
    for number, shape in enumerate(shapes):
        shape[axis] = [2, 0, 1, 7, 16][number]
    hosts = [sample(dtype, tuple(shape), number) for number, shape in enumerate(shapes)]
    assert_same(_joined(twin, hosts, axis), np.concatenate(hosts, axis))


@pytest.mark.parametrize("count", [3, 4, 16, 17, 64, 130])
def test_as_many_launches_as_parameters_need(twin: Device, count: int) -> None:
    hosts = [sample("int16", (2, 1 + number % 3), number) for number in range(count)]
    assert_same(_joined(twin, hosts, 1), np.concatenate(hosts, 1))


@pytest.mark.parametrize("n", [1, 1023, 5000, 100_001])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_groups_copy_all_units(twin: Device, n: int, dtype: str) -> None:
    hosts = [sample(dtype, (n,), number) for number in range(3)]
    assert_same(_joined(twin, hosts, 0), np.concatenate(hosts))


@pytest.mark.parametrize("count", [5, 20, 70])
@pytest.mark.parametrize("alike", [False, True])
def test_each_array_has_groups_of_its_own(twin: Device, count: int, alike: bool) -> None:
    """Of arrays of many lengths, and of one, of several groups each."""
    lengths = np.random.default_rng(count).integers(0, 30_000, count)
    hosts = [sample("float32", (9001 if alike else int(n),), number) for number, n in enumerate(lengths)]
    assert_same(_joined(twin, hosts, 0), np.concatenate(hosts))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float64"])
def test_stacks_of_many_exchange_short_rows(twin: Device, axis: int, dtype: str) -> None:
    hosts = [sample(dtype, (30, 20), number) for number in range(9)]
    got = xp.stack([xp.asarray(host, device=twin) for host in hosts], axis=axis)
    assert_same(to_host(got), np.stack(hosts, axis))
    assert got.strides == xp.zeros(got.shape, dtype=got.dtype, device=twin).strides


def test_views_reversed_and_pending_values_are_joined(twin: Device) -> None:
    host = sample("float32", (6, 7), 3)
    x = xp.asarray(host, device=twin)
    got = xp.concat([x[::-1], x[:, ::-1], x, x[1:]], axis=0)
    assert_same(to_host(got), np.concatenate([host[::-1], host[:, ::-1], host, host[1:]]))
    got = xp.concat([x + 1, x, 2 * x], axis=1)
    assert_same(to_host(got), np.concatenate([host + 1, host, 2 * host], 1))


def test_parts_at_odd_offsets_are_joined(twin: Device) -> None:
    host = sample("int8", (100,), 1)
    x = xp.asarray(host, device=twin)
    assert_same(to_host(xp.concat([x[1:20], x[3:33], x[7:8]])), np.concatenate([host[1:20], host[3:33], host[7:8]]))


def test_arrays_of_all_devices_fit_into_the_parameters(twin: Device) -> None:
    most, equal = joining._most(twin, False), joining._most(twin, True)
    assert most >= 8 and 8 * (2 + most * (1 + len(joining._FIELDS))) <= twin.parameter_bytes
    assert equal >= 2 * most and 8 * (6 + 2 * equal) <= twin.parameter_bytes


def test_few_joins_are_remembered(twin: Device) -> None:
    """Joins of other lengths each time do not take the memory that kernels have."""
    x = xp.asarray(np.arange(2000, dtype=np.int16), device=twin)
    for n in range(1, 2 * joining.REMEMBERED_JOINS):
        xp.compute(xp.concat([x[:n], x[n:]]))
    assert len(joining._remembered) <= joining.REMEMBERED_JOINS
    assert_same(to_host(xp.concat([x[:1], x[1:]])), np.arange(2000, dtype=np.int16))


@pytest.mark.parametrize("count", [2, 3, 8, 9])
@pytest.mark.parametrize("row", [1, 3, 8])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex128"])
def test_short_rows_are_interleaved(twin: Device, dtype: str, row: int, count: int) -> None:
    hosts = [sample(dtype, (1501, row), number) for number in range(count)]
    parts = [xp.asarray(host, device=twin) for host in hosts]
    assert_same(to_host(xp.concat(parts, axis=1)), np.concatenate(hosts, 1))
    assert_same(to_host(xp.stack(parts, axis=-1)), np.stack(hosts, -1))
    assert_same(to_host(xp.stack([part[1:] for part in parts], axis=1)), np.stack([host[1:] for host in hosts], 1))
