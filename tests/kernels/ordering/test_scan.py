"""Scans against NumPy's accumulate."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support import scalar_twin

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import store, tuning
from arrayapi_gpu.kernels.core.monoid import MAX, MIN, PROD, SUM, Monoid
from arrayapi_gpu.kernels.core.tuning import CPU_CUT
from arrayapi_gpu.kernels.maps import scratch
from arrayapi_gpu.kernels.ordering.scan import WINDOW, scan
from arrayapi_gpu.memory.dtypes import COMPLEX_FLOATING, COMPUTES_IN, DTYPES, FLOATING, NUMERIC, REAL_FLOATING, finfo
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload
from arrayapi_gpu.memory.layout import Layout

Host = npt.NDArray[Any]

ACCUMULATE = {SUM: np.add, PROD: np.multiply, MAX: np.maximum, MIN: np.minimum}

# Rows, columns, short and long axes in every place; lengths around those at which work is cut.
SHAPES = (
    (1,),
    (17,),
    (CPU_CUT.along,),
    (40 * CPU_CUT.along + 3,),
    (3, 5),
    (5, 100),
    (CPU_CUT.busy, CPU_CUT.along + 1),
    (2 * CPU_CUT.across + 1, 33),
    (2, CPU_CUT.across + 1, 3),
    (70, 2, 9),
)


@pytest.fixture
def twin(waiting_twin: Device) -> Device:
    return waiting_twin


def scanned(monoid: Monoid, source: GpuArray, axis: int, dtype: Any, exclusive: bool = False) -> Host:
    """What scan writes."""
    out = empty(source.storage.device, np.dtype(dtype), source.shape)
    scan(monoid, source, axis, out, exclusive=exclusive)
    return out.download()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("monoid", [SUM, MAX], ids=lambda monoid: monoid.name)
def test_every_axis(twin: Device, monoid: Monoid, shape: tuple[int, ...]) -> None:
    """Exact for integers, along each axis, inclusive and exclusive."""
    host = np.random.default_rng(8).integers(-(2**40), 2**40, shape)
    source = upload(twin, host)
    for axis in range(host.ndim):
        wanted = ACCUMULATE[monoid].accumulate(host, axis)
        np.testing.assert_array_equal(scanned(monoid, source, axis, np.int64), wanted)
        first = 0 if monoid is SUM else -(2**63)
        before = np.roll(wanted, 1, axis)
        before[(slice(None),) * axis + (0,)] = first
        np.testing.assert_array_equal(scanned(monoid, source, axis, np.int64, True), before)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in NUMERIC], ids=str)
@pytest.mark.parametrize("monoid", [SUM, PROD, MAX, MIN], ids=lambda monoid: monoid.name)
def test_every_dtype(twin: Device, monoid: Monoid, dtype: np.dtype[Any]) -> None:
    """Integers wrap; floating results keep to the rounding of n operations, in the dtype that computes, and of
    one to their own."""
    if dtype in COMPLEX_FLOATING and monoid in (MAX, MIN):
        return
    random = np.random.default_rng(9)
    host = random.integers(1, 100, 600).astype(dtype)
    if dtype in FLOATING:
        host = random.uniform(0.97, 1.03, 600).astype(dtype)
    wide = np.dtype(float) if dtype in REAL_FLOATING else np.dtype(complex) if dtype in COMPLEX_FLOATING else dtype
    wanted = ACCUMULATE[monoid].accumulate(host.astype(wide), dtype=wide)
    found = scanned(monoid, upload(twin, host), 0, dtype)
    eps = 600 * finfo(COMPUTES_IN[dtype]).eps + finfo(dtype).eps if dtype in FLOATING else 0
    bound = eps * abs(wanted)
    assert (abs(found.astype(wide) - wanted) <= bound).all()


def test_elements_are_cast_first(twin: Device) -> None:
    """The sum of bytes as int32 does not wrap; that of floats as int8 truncates each."""
    source = upload(twin, np.full(300, 200, np.uint8))
    np.testing.assert_array_equal(scanned(SUM, source, 0, np.int32), np.arange(200, 60001, 200, dtype=np.int32))
    source = upload(twin, np.full(30, 1.9))
    np.testing.assert_array_equal(scanned(SUM, source, 0, np.int8), np.arange(1, 31))


def test_strides_never_show_in_the_bits(twin: Device) -> None:
    """Views give the bits of their copies, into memory that begins anywhere."""
    host = np.random.default_rng(10).random((30, 40, 50), np.float32)
    whole = upload(twin, host)
    views = {
        "transposed": (host.transpose(2, 0, 1), Layout((50, 30, 40), (1, 2000, 50), 0)),
        "reversed": (host[::-1, ::-3], Layout((30, 14, 50), (-2000, -150, 1), 29 * 2000 + 1950)),
        "repeated": (np.broadcast_to(host[3, 5], (40, 50)), Layout((40, 50), (0, 1), 3 * 2000 + 250)),
        "stepped": (host[:, :, ::2], Layout((30, 40, 25), (2000, 50, 2), 0)),
    }
    for view, layout in views.values():
        copied = upload(twin, np.ascontiguousarray(view))
        for axis in range(view.ndim):
            out = empty(twin, view.dtype, (view.size + 5,))
            part = out.view(Layout(view.shape, copied.strides, 5))
            scan(SUM, whole.view(layout), axis, part)
            found = out.download()[5:].reshape(view.shape)
            assert found.tobytes() == scanned(SUM, copied, axis, np.float32).tobytes()


def test_many_tiles(twin: Device) -> None:
    """More windows of tiles than a group asks for, in each of two rows; again, since timing must not show."""
    host = np.random.default_rng(13).standard_normal((2, (WINDOW + 10) * WINDOW * 2048 + 5))
    source = upload(twin, host)
    found = scanned(SUM, source, 1, np.float64)
    np.testing.assert_allclose(found, np.cumsum(host, 1), rtol=0, atol=1e-9)
    assert found.tobytes() == scanned(SUM, source, 1, np.float64).tobytes()


MANY_TILES = [("float32", 2_000_000), ("complex128", 500_000), ("int8", 4_000_000), ("float64", 1_000_000)]


def test_what_earlier_launches_told_means_nothing(twin: Device) -> None:
    """Scans of all widths follow one another in the same memory, in which they tell each other of tiles."""
    random = np.random.default_rng(14)
    part = 1 if twin.kind == "gpu" else 10  # where a CPU stands for a GPU, work-items that wait take long
    for _ in range(3):
        for dtype, n in MANY_TILES:
            host = random.integers(0, 9, n // part).astype(dtype)
            np.testing.assert_array_equal(scanned(SUM, upload(twin, host), 0, dtype), np.cumsum(host, dtype=dtype))


def test_numbers_of_launches_begin_again(twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """When all numbers are used up, memory is new."""
    monkeypatch.setattr(scratch, "USES", 3)
    host = np.random.default_rng(15).integers(0, 9, 70_000)
    for first in range(8):
        found = scanned(SUM, upload(twin, host + first), 0, np.int64)
        np.testing.assert_array_equal(found, np.cumsum(host + first))


def test_a_launch_that_is_refused_leaves_nothing_behind(twin: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if twin.loops is not None:
        pytest.skip("NumPy scans integers, without a launch")
    host = np.random.default_rng(16).integers(0, 9, 70_000)
    source, shorter = upload(twin, host), upload(twin, host[:-1])
    np.testing.assert_array_equal(scanned(SUM, source, 0, np.int64), np.cumsum(host))

    def refused(*_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(twin, "launch", refused)
        with pytest.raises(MemoryError):
            scanned(SUM, shorter, 0, np.int64)  # a launch that is not remembered
    for _ in range(2):
        np.testing.assert_array_equal(scanned(SUM, source, 0, np.int64), np.cumsum(host))
        np.testing.assert_array_equal(scanned(SUM, shorter, 0, np.int64), np.cumsum(host[:-1]))


def test_threads_scan_at_a_time(twin: Device) -> None:
    """Whichever is the first to launch."""
    if twin.name.startswith("native:"):
        pytest.skip("launches of threads are not queued, and so may share no scratch memory")
    random = np.random.default_rng(17)
    hosts = [random.integers(0, 9, 70_000 + 9_000 * k) for k in range(4)]

    def right(host: Host) -> bool:
        source, wanted = upload(twin, host), np.cumsum(host)
        return all(np.array_equal(scanned(SUM, source, 0, np.int64), wanted) for _ in range(5))

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, hosts))


def test_no_elements(twin: Device) -> None:
    """Nothing is launched for an array without elements."""
    assert scanned(SUM, upload(twin, np.zeros((0, 5))), 1, np.float64).shape == (0, 5)
    assert scanned(SUM, upload(twin, np.zeros((0, 5))), 0, np.float64).shape == (0, 5)


def test_nan_reaches_all_that_follow(twin: Device) -> None:
    """A NaN is the largest and the smallest of all that it is among."""
    host = np.arange(100.0)
    host[40] = np.nan
    for monoid in (SUM, MAX, MIN):
        found = scanned(monoid, upload(twin, host), 0, np.float64)
        assert np.isnan(found[40:]).all()
        assert not np.isnan(found[:40]).any()


@pytest.fixture
def through_local_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Rows of arrays of every size go there."""
    monkeypatch.setattr(tuning, "SHORT_FROM", 0)
    store.clear()
    yield
    store.clear()


@pytest.mark.parametrize("n", [16, 17, 37, 128, 132, 500, 600, 1030])
@pytest.mark.parametrize("dtype", ["float16", "float32", "complex128"])
def test_a_row_has_the_same_bits_among_others_and_in_any_layout(
    twin: Device, through_local_memory: None, dtype: str, n: int
) -> None:
    host = np.random.default_rng(12).standard_normal((41, n)).astype(dtype)
    together = scanned(SUM, upload(twin, host), 1, dtype)
    for row in (0, 7, 40):
        assert together[row].tobytes() == scanned(SUM, upload(twin, host[row]), 0, dtype).tobytes()
    wide = np.zeros((41, 2 * n + 1), dtype)
    wide[:, 1::2] = host[:, ::-1]
    array = upload(twin, wide)
    backwards = array.view(Layout((41, n), (2 * n + 1, -2), 2 * n - 1))
    assert together.tobytes() == scanned(SUM, backwards, 1, dtype).tobytes()


@pytest.mark.parametrize("n", [2, 4, 5, 15, 16, 31, 64, 100])
@pytest.mark.parametrize("dtype", ["int8", "float16", "complex128"])
def test_short_rows_in_every_place(device: Device, through_local_memory: None, dtype: str, n: int) -> None:
    """On GPUs through local memory where they lie together: several groups, and rows beyond the last whole one."""
    twin = scalar_twin(device)
    host = np.random.default_rng(21).integers(-3, 4, (2060, n)).astype(dtype)
    wanted = np.add.accumulate(host, 1, dtype=dtype)
    for first in (0, 1, 16):
        flat = upload(twin, np.concatenate([np.ones(first, dtype), host.ravel()]))
        source = flat.view(Layout(host.shape, (n, 1), first))
        np.testing.assert_array_equal(scanned(SUM, source, 1, dtype), wanted)
    before = np.roll(wanted, 1, 1)
    before[:, 0] = 0
    np.testing.assert_array_equal(scanned(SUM, source, 1, dtype, True), before)
    gaps = upload(twin, np.concatenate([host, host[:, :1]], 1)).view(Layout(host.shape, (n + 1, 1), 0))
    np.testing.assert_array_equal(scanned(SUM, gaps, 1, dtype), wanted)
    wider = "complex128" if dtype == "complex128" else "float64"
    np.testing.assert_array_equal(scanned(SUM, source, 1, wider), np.add.accumulate(host, 1, dtype=wider))


@pytest.mark.parametrize("n", [3, 20, 40])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_of_complex_rows_have_the_same_bits_in_any_layout(
    device: Device, through_local_memory: None, dtype: str, n: int
) -> None:
    """With zeros of both signs, infinities and NaN, which a compiler loses that leaves out the identity."""
    twin, random = scalar_twin(device), np.random.default_rng(22)
    parts = random.standard_normal((300, 2 * n))
    for value, least in ((np.nan, 0.01), (np.inf, 0.02), (-np.inf, 0.03), (-0.0, 0.15)):
        parts[random.random(parts.shape) < least] = value
    host = parts.view(np.complex128).astype(dtype)
    apart = upload(twin, np.concatenate([host, host[:, :1]], 1)).view(Layout(host.shape, (n + 1, 1), 0))
    for exclusive in (False, True):
        found, other = (scanned(PROD, source, 1, dtype, exclusive) for source in (upload(twin, host), apart))
        np.testing.assert_array_equal(found, other)
        real, others = (array.view(array.real.dtype) for array in (found, other))
        np.testing.assert_array_equal(np.signbit(real[real == 0]), np.signbit(others[real == 0]))


def test_rows_of_small_arrays_share_kernels(device: Device) -> None:
    """A length of its own would wait for a compiler; large arrays repay that."""
    twin = scalar_twin(device)
    store.clear()
    scanned(SUM, upload(twin, np.ones((4, 21), np.float32)), 1, "float32")
    before = twin.kernels_compiled
    for n in (22, 23, 25, 31):
        scanned(SUM, upload(twin, np.ones((4, n), np.float32)), 1, "float32")
    assert twin.kernels_compiled == before


def running_in_segments(host: Host, starts: npt.NDArray[np.bool_], axis: int, exclusive: bool) -> Host:
    """Sums along an axis that begin anew where `starts` is true."""
    moved, begins = np.moveaxis(host, axis, 0), np.moveaxis(starts, axis, 0)
    found, total = np.zeros_like(moved), np.zeros_like(moved[0])
    for i in range(len(moved)):
        before = total
        total = np.where(begins[i], moved[i], total + moved[i])
        found[i] = before if exclusive else total
    return np.moveaxis(found, 0, axis)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scans_begin_anew_at_segments(twin: Device, shape: tuple[int, ...]) -> None:
    """Along each axis, with few segments and many, of one element and without any."""
    random = np.random.default_rng(18)
    host = random.integers(-(2**40), 2**40, shape)
    for share in (0.0, 0.001, 0.2, 1.0):
        starts = random.random(shape) < share
        for axis in range(host.ndim):
            for exclusive in (False, True):
                out = empty(twin, np.dtype(np.int64), shape)
                scan(SUM, upload(twin, host), axis, out, exclusive=exclusive, starts=upload(twin, starts))
                wanted = running_in_segments(host, starts, axis, exclusive)
                np.testing.assert_array_equal(out.download(), wanted)


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex64", "complex128"])
def test_segments_of_every_width(twin: Device, dtype: str) -> None:
    random = np.random.default_rng(19)
    host, starts = random.integers(0, 5, 50_000).astype(dtype), random.random(50_000) < 0.1
    out = empty(twin, np.dtype(dtype), host.shape)
    scan(SUM, upload(twin, host), 0, out, starts=upload(twin, starts))
    np.testing.assert_array_equal(out.download(), running_in_segments(host, starts, 0, False))


def test_strides_of_segments_do_not_show(twin: Device) -> None:
    random = np.random.default_rng(20)
    host, starts = random.random((40, 300), np.float32), random.random((40, 300)) < 0.05
    x, s = upload(twin, host), upload(twin, np.ascontiguousarray(starts.T)).view(Layout((40, 300), (1, 40), 0))
    y, z = empty(twin, np.dtype("f4"), (40, 300)), empty(twin, np.dtype("f4"), (40, 300))
    scan(SUM, x, 1, y, starts=s)
    scan(SUM, x, 1, z, starts=upload(twin, starts))
    assert y.download().tobytes() == z.download().tobytes()
    np.testing.assert_allclose(y.download(), running_in_segments(host, starts, 1, False), rtol=1e-5)
