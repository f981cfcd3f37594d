"""Sorting against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support import in_turn, scalar_twin

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.tuning import GPU_GROUP, NETWORK, PER_ITEM, ROW, SORT_SEGMENT
from arrayapi_gpu.kernels.ordering import sort as kernels
from arrayapi_gpu.kernels.ordering.sort import argsort, sort, sorted_at_once, unique
from arrayapi_gpu.memory.dtypes import BOOLEAN, COMPUTES_IN, DTYPES, INTEGRAL, REAL, REAL_FLOATING
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

FEW = 4  # elements of a work-item: small tiles are compiled sooner, and more of them make a row
TILE = GPU_GROUP * FEW

Host = npt.NDArray[Any]


@pytest.fixture
def twin(waiting_twin: Device) -> Device:
    return waiting_twin


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "PER_ITEM", dict.fromkeys(PER_ITEM, FEW))
    monkeypatch.setattr(tuning, "NETWORK_OWN", FEW)
    monkeypatch.setattr(tuning, "MERGED", -1)


def positions(host: Host, axis: int, descending: bool) -> Host:
    """The stable order, NaN last, by NumPy: descending by keys that fall as the elements rise."""
    keys = host = host.astype(COMPUTES_IN[host.dtype])
    if descending:
        signed = host.astype(np.int8) if host.dtype.kind == "b" else host
        keys = -signed if host.dtype.kind == "f" else ~signed
    return np.argsort(keys, axis, kind="stable")


def check(device: Device, host: Host, axis: int) -> None:
    """Both functions, in both directions: positions and every bit of the elements."""
    source = upload(device, host)
    for descending in (False, True):
        wanted = positions(host, axis, descending)
        np.testing.assert_array_equal(argsort(source, axis, descending).download(), wanted)
        found = sort(source, axis, descending).download()
        assert found.tobytes() == np.take_along_axis(host, wanted, axis).tobytes()


def elements(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Host:
    """All magnitudes, and for floats both zeros, both infinities and NaN, several times."""
    random = np.random.default_rng(11)
    host = random.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    if dtype in REAL_FLOATING:
        host = random.standard_normal(shape).astype(dtype)
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype)
        host.flat[::3] = np.resize(random.permutation(np.repeat(special, 5)), -(-host.size // 3))
    return host


WAYS = [NETWORK, GPU_GROUP, ROW, SORT_SEGMENT]  # lengths of rows, each of which is sorted another way


@pytest.mark.parametrize(
    ("dtype", "n"), in_turn([d for d in DTYPES if d in REAL | BOOLEAN], [*WAYS, WAYS[0]], 2), ids=str
)
def test_every_dtype(twin: Device, dtype: np.dtype[Any], n: int) -> None:
    """Stable, zeros equal, NaN last."""
    check(twin, elements(dtype, (2, n)), 1)


@pytest.mark.parametrize(
    "n", [1, 2, NETWORK + 1, TILE // 4 + 1, TILE - 1, TILE, TILE + 1, 40 * TILE, ROW + 1, 3 * SORT_SEGMENT // 4]
)
def test_lengths(twin: Device, n: int) -> None:
    """Around the lengths at which the work is cut."""
    check(twin, elements(np.dtype(np.float32), (n,)), 0)


@pytest.mark.parametrize("n", [3, 8, 10, 31, 64, 100, 127])
def test_short_rows(twin: Device, n: int) -> None:
    """Rows that a work-item has, several or one, and that many share; from any place on."""
    host = elements(np.dtype(np.float32), (131, n))
    check(twin, host[:37], 1)
    whole = upload(twin, host)
    for first, rows in ((1, 129), (3, 1)):
        part = whole.view(Layout((rows, n), (n, 1), first * n))
        wanted = positions(host[first : first + rows], 1, False)
        np.testing.assert_array_equal(argsort(part, 1, False).download(), wanted)


@pytest.mark.parametrize("n", [1, 2, 7, 16])
def test_networks_put_all_zeros_before_all_ones(n: int) -> None:
    """Then they sort any numbers (Knuth, 5.3.4 Z)."""
    bits = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    for a, b in kernels._exchanges(n):
        bits[:, [a, b]] = np.sort(bits[:, [a, b]], axis=1)
    assert (np.diff(bits, axis=1) >= 0).all()


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in REAL | BOOLEAN], ids=str)
@pytest.mark.parametrize(("shape", "axis"), [((300, 17), 1), ((17, 300), 0), ((6000,), 0), ((9, 520), 1)], ids=str)
def test_lanes_of_an_array_that_is_not_small(
    device: Device, dtype: np.dtype[Any], shape: tuple[int, ...], axis: int
) -> None:
    """Short and long ones, where NumPy sorts, too."""
    if device.loops is None:
        pytest.skip("its kernels are tested by the lengths around which they differ")
    check(device, elements(dtype, shape), axis)


@pytest.mark.parametrize(
    ("dtype", "n"),
    in_turn([d for d in DTYPES if d in REAL | BOOLEAN], [TILE + 1, 2 * TILE, 4 * TILE - 1, 5 * TILE + 3, 9 * TILE], 2),
    ids=str,
)
def test_few_tiles_are_merged(twin: Device, dtype: np.dtype[Any], n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one row and several, from any place on, with many equal elements."""
    monkeypatch.setattr(tuning, "MERGED", 1 << 20)
    check(twin, elements(dtype, (n,)), 0)
    check(twin, elements(dtype, (3, n)), 1)
    few = np.random.default_rng(4).integers(0, 2, n + 5).astype(dtype)
    part = upload(twin, few).view(Layout((n,), (1,), 5))
    np.testing.assert_array_equal(argsort(part, 0, True).download(), positions(few[5:], 0, True))
    assert sort(part, 0, False).download().tobytes() == np.sort(few[5:], kind="stable").tobytes()


def test_tiles_of_their_real_size(twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is a tile, rows of one and a half, and rows of many."""
    monkeypatch.setattr(tuning, "PER_ITEM", PER_ITEM)
    tiles = {np.float32: GPU_GROUP * PER_ITEM[4, False], np.int64: GPU_GROUP * PER_ITEM[8, False]}
    for dtype, tile in ((np.dtype(name), tile) for name, tile in tiles.items()):
        for shape in ((tile,), (3, tile * 3 // 2), (2, tile * 6 + 1)):
            host = elements(dtype, shape)
            source = upload(twin, host)
            wanted = positions(host, -1, False)
            np.testing.assert_array_equal(argsort(source, host.ndim - 1, False).download(), wanted)
            found = sort(source, host.ndim - 1, False).download()
            assert found.tobytes() == np.take_along_axis(host, wanted, -1).tobytes()


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in REAL | BOOLEAN], ids=str)
def test_different_elements(device: Device, dtype: np.dtype[Any]) -> None:
    """The first of equal ones, each NaN, from any place on."""
    twin = scalar_twin(device)
    host = elements(dtype, (TILE,)) // 5 if dtype in INTEGRAL else elements(dtype, (TILE,))
    whole = upload(twin, host)
    for first, n in ((0, TILE), (3, 777), (9, 1)):
        assert sorted_at_once(twin, dtype, n)
        part = host[first : first + n]
        ordered = part[positions(part, 0, False)]
        wanted = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        found = unique(whole.view(Layout((n,), (1,), first))).download()
        assert found.tobytes() == wanted.tobytes()
    assert not sorted_at_once(twin, dtype, TILE + 1)
    assert not sorted_at_once(twin, dtype, 0)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in REAL | BOOLEAN], ids=str)
def test_lanes_and_vectors_of_the_host(native: Device, dtype: np.dtype[Any]) -> None:
    """Lanes that NumPy sorts by their digits and shorter ones; vectors of more elements than few."""
    if native.loops is None:
        pytest.skip("the package was built without loops")
    for lane in (23, 24, 511, 1024, 3001):
        check(native, elements(dtype, (3, lane)), 1)
        check(native, elements(dtype, (lane, 3)), 0)
    for n in (tuning.ON_HOST, tuning.ON_HOST + 1, 30011):
        host = elements(dtype, (n,))
        assert sorted_at_once(native, dtype, n) == (dtype in REAL_FLOATING or n <= tuning.ON_HOST)
        ordered = host[positions(host, 0, False)]
        wanted = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        assert unique(upload(native, host)).download().tobytes() == wanted.tobytes()


def test_numbers_of_elements_that_need_64_bits(twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short rows sorted as very long ones are."""
    monkeypatch.setattr(kernels, "COUNTED", 1)
    check(twin, elements(np.dtype(np.int32), (2, 10 * TILE + 3)), 1)


@pytest.mark.parametrize("n", [100, 100_000])
def test_orders(twin: Device, n: int) -> None:
    """Elements that are sorted already, the wrong way round, all equal, or equal in some digits."""
    for host in (np.arange(n), np.arange(n)[::-1].copy(), np.full(n, 7), np.arange(n) % 3 << 40):
        check(twin, host, 0)


def test_axes_and_views(twin: Device) -> None:
    """Any axis of any view; the source stays as it is."""
    host = np.random.default_rng(12).integers(0, 9, (20, 6, 70)).astype(np.int16)
    whole = upload(twin, host)
    for axis in range(3):
        check(twin, host, axis)
    view = whole.view(Layout((70, 10, 6), (-1, 840, 70), 69))
    turned = host[::2].transpose(2, 0, 1)[::-1]
    for axis in range(3):
        np.testing.assert_array_equal(sort(view, axis, False).download(), np.sort(turned, axis))
    np.testing.assert_array_equal(whole.download(), host)


def test_no_elements(twin: Device) -> None:
    """Empty axes, and empty other axes."""
    for shape in ((0,), (3, 0), (0, 3)):
        source = upload(twin, np.zeros(shape))
        assert sort(source, len(shape) - 1, False).shape == shape
        assert argsort(source, 0, True).download().dtype == np.int64
