"""searchsorted and isin against NumPy."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from support import DTYPES as NAMES, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.ordering import search
from arrayapi_gpu.kernels.ordering.search import searchsorted
from arrayapi_gpu.memory.dtypes import BOOLEAN, COMPUTES_IN, DTYPES, REAL, REAL_FLOATING
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

Side = Literal["left", "right"]


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in REAL | BOOLEAN], ids=str)
def test_every_dtype(twin: Device, dtype: np.dtype[np.generic], side: Side) -> None:
    """Places are NumPy's, for lengths around powers of two, NaN, infinities and both zeros."""
    random = np.random.default_rng(3)
    for length in (0, 1, 2, 3, 16, 100, 127, 128, 129):
        host = np.sort(random.integers(0, 60, length).astype(dtype))
        values = random.integers(0, 61, (5, 7)).astype(dtype)
        if dtype.kind == "f":
            host[length // 2 :] *= 0.5
            host[length - length // 8 :] = np.nan
            host[: length // 8] = -np.inf
            host.sort()
            values[0, :4] = [np.nan, np.inf, -np.inf, -0.0]
        found = searchsorted(upload(twin, host), upload(twin, values), side).download()
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, np.searchsorted(host, values, side))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in REAL | BOOLEAN and d.itemsize == 1], ids=str)
def test_tables_of_all_values_of_one_byte(
    twin: Device, dtype: np.dtype[np.generic], side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In groups that take many values, from any place on."""
    monkeypatch.setattr(tuning, "TABLED", 1)
    monkeypatch.setattr(tuning, "SEARCH_GROUPS", 2)
    random = np.random.default_rng(5)
    values = random.integers(0, 256, 6007, np.uint8)
    values = values > 100 if dtype in BOOLEAN else values.view(dtype)
    for length in (1, 10, 255, 1000):
        host = np.sort(np.resize(values[::7], length))
        x, v = upload(twin, host), upload(twin, values).view(Layout((6000,), (1,), 3))
        found = searchsorted(x, v, side).download()
        np.testing.assert_array_equal(found, np.searchsorted(host, values[3:6003], side))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in REAL and d.itemsize > 1], ids=str)
def test_sorted_arrays_of_which_groups_hold_a_part(
    twin: Device, dtype: np.dtype[Any], side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All elements, or every second, fourth or further one, with a rest behind the last; NaN and infinities among them;
    given in order, by a sorter or as a view; and members of them."""
    for name, number in {"HELD_FROM": 1, "HELD_BYTES": 256, "HELD_GROUP": 32, "HELD_GROUPS": 1}.items():
        monkeypatch.setattr(tuning, name, number)
    random = np.random.default_rng(8)
    for length in (1, 2, 30, 31, 32, 33, 61, 62, 63, 64, 65, 127, 128, 130, 500, 1023):
        host, values = (random.integers(0, 1 << 7, count).astype(dtype) for count in (length, 333))
        if dtype in REAL_FLOATING:
            host[: length // 3] *= -1
            host[length - length // 5 :] = np.nan
            values[:5] = [np.nan, np.inf, -np.inf, 0.0, -0.0]
        else:
            most = dtype.type(np.iinfo(dtype).max - 200)
            host[: length // 3] += most
            values[::2] += most
        wide = COMPUTES_IN[dtype]  # NumPy sorts no NaN of bfloat16
        host = np.sort(host.astype(wide)).astype(dtype)
        expected = np.searchsorted(host.astype(wide), values.astype(wide), side)
        v = upload(twin, values)
        x = upload(twin, np.repeat(host, 2)[::-1].copy()).view(Layout((length,), (-2,), 2 * length - 1))
        order = random.permutation(length)
        shuffled = np.empty_like(host)
        shuffled[order] = host
        np.testing.assert_array_equal(searchsorted(x, v, side).download(), expected)
        sorter = upload(twin, order.astype(np.int64))
        np.testing.assert_array_equal(searchsorted(upload(twin, shuffled), v, side, sorter).download(), expected)
        np.testing.assert_array_equal(search.members(v, x).download(), np.isin(values.astype(wide), host.astype(wide)))


def test_places_that_need_64_bits(twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PLACED_BY_32", 1)
    host, values = np.arange(0, 300, 3), np.arange(-1, 303)
    found = searchsorted(upload(twin, host), upload(twin, values), "left").download()
    np.testing.assert_array_equal(found, np.searchsorted(host, values))


@pytest.mark.parametrize("side", ["left", "right"])
def test_sorter_and_views(twin: Device, side: Side) -> None:
    """A sorter stands for sorting first; all three arrays may be views."""
    random = np.random.default_rng(4)
    host = random.integers(0, 50, 200).astype(np.int16)
    values = random.integers(-5, 55, (6, 9)).astype(np.int16)
    x = upload(twin, host).view(Layout((100,), (-2,), 199))
    v = upload(twin, values).view(Layout((9, 6), (1, 9), 0))
    order = np.argsort(host[::-2], kind="stable").astype(np.int32)
    found = searchsorted(x, v, side, upload(twin, order)).download()
    np.testing.assert_array_equal(found, np.searchsorted(host[::-2], values.T, side, order))


def test_a_sorter_that_points_outside_reads_nothing_outside(twin: Device) -> None:
    """Any int64 in a sorter is safe; the places stay inside."""
    sorter = upload(twin, np.array([-(2**63), 2**63 - 1, 5]))
    x = upload(twin, np.array([1.0, 2.0, 3.0]))
    found = searchsorted(x, upload(twin, np.array([2.5, 9.0])), "left", sorter).download()
    assert ((found >= 0) & (found <= 3)).all()


def test_one_value(twin: Device) -> None:
    """An array of no dimension gives one."""
    found = searchsorted(upload(twin, np.arange(10)), upload(twin, np.array(4)), "right")
    assert found.shape == ()
    assert found.download() == 5


@pytest.mark.parametrize("dtype", [name for name in NAMES if not name.startswith("complex")])
@pytest.mark.parametrize(("n", "m"), [(0, 20), (1, 16), (50, 17), (700, 300), (60, 3), (60, 4), (60, 11)])
def test_members_are_found_in_every_dtype(twin: Device, dtype: str, n: int, m: int) -> None:
    """Among few values and many, with NaN and both zeros."""
    values, among = sample(dtype, n), sample(dtype, m, 1)
    values[: n // 2] = among[: n // 2] if n // 2 <= m else np.resize(among, n // 2)
    got = xp.isin(xp.asarray(values, device=twin), xp.asarray(among, device=twin))
    assert_same(to_host(got), np.isin(values, among))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8"])
@pytest.mark.parametrize(("n", "first", "m"), [(1, 0, 30), (16, 16, 9), (4099, 0, 7), (4099, 1, 300), (9001, 48, 6000)])
def test_members_of_one_byte(twin: Device, dtype: str, n: int, first: int, m: int) -> None:
    """Values begin at an access of 16 bytes or do not; each group marks the others, or all groups share the marks."""
    values, among = sample(dtype, first + n), sample(dtype, m, 1)[: -(-m // 8)].repeat(8)[:m]
    got = search.members(upload(twin, values).view(Layout((n,), (1,), first)), upload(twin, among)).download()
    np.testing.assert_array_equal(got, np.isin(values[first:], among))


@pytest.mark.parametrize("m", [0, 3, 5, 15, 16, 40])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_members_are_compared_with_each(twin: Device, dtype: str, m: int) -> None:
    values = np.arange(60).astype(dtype) * (1 + 2j)
    among = values[::-1][:m] + (np.arange(m) % 2)
    for invert in (False, True):
        got = xp.isin(xp.asarray(values, device=twin), xp.asarray(among, device=twin), invert=invert)
        assert_same(to_host(got), np.isin(values, among, invert=invert))


def test_members_of_strided_views(twin: Device) -> None:
    values, among = np.arange(120, dtype="int32").reshape(10, 12), np.arange(0, 200, 3, dtype="int32")
    x, y = xp.asarray(values, device=twin), xp.asarray(among, device=twin)
    assert_same(to_host(xp.isin(x.T[::-1], y[::-2])), np.isin(values.T[::-1], among[::-2]))
