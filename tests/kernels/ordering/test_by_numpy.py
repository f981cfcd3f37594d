"""Sorts, searches, compactions and scans by NumPy have the bits of the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.monoid import PROD, SUM
from arrayapi_gpu.kernels.ordering import by_numpy, compact, distinct, scan, search, sort
from arrayapi_gpu.memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPES, INTEGRAL, REAL_FLOATING
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload

REAL = [dtype for dtype in DTYPES if dtype not in COMPLEX_FLOATING]


@pytest.fixture(autouse=True)
def by_kernels(device: Device) -> None:
    """Leave out devices on which there is nothing to compare."""
    if not device.host_shared:
        pytest.skip("NumPy sees no memory of this device")
    if device.loops is not None:
        pytest.skip("it is compared with other devices")


def values(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Random elements. Many are equal; floats include zeros of both signs, infinities, and NaN with different bits."""
    rng = np.random.default_rng(len(shape))
    if dtype in BOOLEAN:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGRAL:
        made: np.ndarray[Any, Any] = rng.integers(0, 2**63, shape, dtype=np.uint64).astype(dtype) // np.array(3, dtype)
        return made
    host = (rng.integers(-9, 9, shape) * 0.5).astype(dtype)
    host[rng.random(shape) < 0.1] = -0.0
    host[rng.random(shape) < 0.1] = np.inf
    host[rng.random(shape) < 0.1] = -np.inf
    host[rng.random(shape) < 0.1] = np.nan
    bits = host.view(f"u{dtype.itemsize}")
    bits[rng.random(shape) < 0.05] |= np.array(1 << 8 * dtype.itemsize - 1, bits.dtype)  # a sign
    return host


def on(device: Device, host: np.ndarray[Any, Any]) -> GpuArray:
    return upload(device, np.ascontiguousarray(host))


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "shape, axis", [((1000,), 0), ((20, 31), 0), ((20, 31), 1), ((5, 40, 3), 1), ((3, 0), 1), ((9, 520), 1)]
)
def test_sorts(device: Device, dtype: np.dtype[Any], descending: bool, shape: tuple[int, ...], axis: int) -> None:
    loops = backends.loops_device()
    if loops is None:
        pytest.skip("the package was built without loops")
    host = values(dtype, shape)
    x, own = on(loops, host), on(device, host)
    for function, same in ((by_numpy.sort, sort.sort), (by_numpy.argsort, sort.argsort)):
        assert function(x, axis, descending).download().tobytes() == same(own, axis, descending).download().tobytes()


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "shape, axis, places",
    [
        ((1000,), 0, (0, 17, 500, 999)), ((1000,), 0, range(9)), ((70, 31), 0, (35,)), ((3, 200), 1, range(1)),
        ((3, 200), 1, (100, 199)), ((2, 90, 3), 1, (0, 40, 89)), ((20,), 0, (3, 4)), ((80,), 0, range(80)),
        ((80,), 0, range(0)),
    ],
)  # fmt: skip
def test_selections(
    device: Device,
    dtype: np.dtype[Any],
    descending: bool,
    shape: tuple[int, ...],
    axis: int,
    places: tuple[int, ...] | range,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The elements at places of a sort, and the first of its positions."""
    monkeypatch.setattr(tuning, "SELECTED_LANE", {4: 64, 8: 64})
    loops = backends.loops_device()
    if loops is None:
        pytest.skip("the package was built without loops")
    host = values(dtype, shape)
    for functions in ((sort.sort, False), (sort.argsort, True))[: 2 if isinstance(places, range) else 1]:
        function, positions = functions
        found = by_numpy.selected(on(loops, host), axis, descending, positions, places)
        wanted = function(on(device, host), axis, descending).download().take([*places], axis)
        assert found.download().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", REAL, ids=str)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searches(device: Device, dtype: np.dtype[Any], side: Any) -> None:
    host = values(dtype, (300,))
    order = sort.argsort(on(device, host), 0, False)
    ordered, asked = sort.sort(on(device, host), 0, False), on(device, values(dtype, (4, 50)))
    for args in ((ordered, asked, side, None), (on(device, host), asked, side, order)):
        device.wait()  # NumPy is for devices that queue nothing
        assert by_numpy.searchsorted(*args).download().tolist() == search.searchsorted(*args).download().tolist()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_compaction(device: Device, dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(0)
    mask = on(device, rng.random((30, 40)) < 0.3)
    host = values(dtype, (30, 40)) if dtype in REAL else rng.standard_normal((30, 40)).astype(dtype)
    x = on(device, host)
    assert by_numpy.compress(mask, x).download().tobytes() == compact.compress(mask, x).download().tobytes()
    if dtype in INTEGRAL:
        for first in (0, 250, 2**64 - 3):
            found = by_numpy.nonzero(mask, first, dtype).download()
            assert found.tobytes() == compact.nonzero(mask, first, dtype).download().tobytes()


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype in INTEGRAL], ids=str)
def test_marks(device: Device, dtype: np.dtype[Any]) -> None:
    low = int(np.iinfo(dtype).max) - 100
    x = on(device, np.random.default_rng(0).integers(low, low + 100, (500,), dtype=dtype))
    assert by_numpy.marked(x, low, 100).download().tolist() == distinct.marked(x, low, 100).download().tolist()


@pytest.mark.parametrize("monoid", [SUM, PROD], ids=["sum", "prod"])
@pytest.mark.parametrize("out", [dtype for dtype in DTYPES if dtype in INTEGRAL], ids=str)
@pytest.mark.parametrize("shape, axis", [((1000,), 0), ((20, 31), 0), ((20, 31), 1)])
def test_scans(device: Device, monoid: Any, out: np.dtype[Any], shape: tuple[int, ...], axis: int) -> None:
    for dtype in (np.dtype(bool), np.dtype(np.int8), out):
        x = on(device, values(dtype, shape))
        assert by_numpy.scans(monoid, x.dtype, out)
        found, wanted = empty(device, out, shape), empty(device, out, shape)
        by_numpy.scan(monoid, x, axis, found)
        scan.scan(monoid, x, axis, wanted)
        assert found.download().tobytes() == wanted.download().tobytes()


def test_scans_of_floats_have_an_order() -> None:
    assert not any(by_numpy.scans(SUM, dtype, dtype) for dtype in DTYPES if dtype in REAL_FLOATING)
