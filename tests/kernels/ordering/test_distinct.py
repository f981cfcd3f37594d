"""Marked integers against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.tuning import BYTES, LENGTH, MARK_SEGMENT, PART_BITS, PARTS, SPREAD
from arrayapi_gpu.kernels.ordering.distinct import ends, marked, numbers, of_sorted, pays
from arrayapi_gpu.memory.dtypes import BOOLEAN, DTYPES, INTEGRAL
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

Host = npt.NDArray[Any]


def check(device: Device, host: Host, low: int, extent: int) -> None:
    """The marks of the range, one by one."""
    wanted = np.zeros(extent, bool)
    wanted[[int(value) - low for value in np.unique(host)]] = True
    source = upload(device, host)
    found = marked(source, low, extent)
    assert found.dtype == bool
    np.testing.assert_array_equal(found.download(), wanted)
    found = numbers(source, low, extent)
    assert found.dtype == host.dtype
    np.testing.assert_array_equal(found.download(), np.unique(host))


@pytest.fixture(params=["short", "long"])
def extent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Numbers of a range, which is short, or is taken for a long one."""
    if request.param == "long":
        monkeypatch.setattr(tuning, "BYTES", 0)
        monkeypatch.setattr(tuning, "PARTS", 0)
    return 251


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in INTEGRAL | BOOLEAN], ids=str)
def test_every_dtype(twin: Device, dtype: np.dtype[Any], extent: int) -> None:
    """Ranges at both ends of what the dtype has, and around 0."""
    random = np.random.default_rng(1)
    if dtype.kind == "b":
        for host in (random.random(1000) < 0.5, np.ones(3, bool)):
            check(twin, host, 0, 2)
        return
    limits = np.iinfo(dtype)
    for low in (int(limits.min), int(limits.max) - extent + 1, -125 if dtype.kind == "i" else 2):
        offsets = random.integers(0, extent, 300) // 3 * 3
        check(twin, np.array([low + int(k) for k in offsets], dtype), low, extent)


@pytest.mark.parametrize("n", [1, 7, LENGTH - 1, LENGTH + 1, MARK_SEGMENT + 1, 3 * MARK_SEGMENT + 5])
def test_lengths(twin: Device, n: int, extent: int) -> None:
    """Around the lengths at which the work is cut."""
    check(twin, np.random.default_rng(n).integers(-9, extent - 9, n, np.int32), -9, extent)


ENDS = (32, BYTES, PART_BITS, PARTS * PART_BITS)  # the longest ranges of each way


@pytest.mark.parametrize("extent", [1, 31, *[end + more for end in ENDS for more in (0, 1)]])
def test_ranges(twin: Device, extent: int) -> None:
    """Around the lengths at which ranges are short; both ends, and the same numbers again and again."""
    host = np.random.default_rng(extent).integers(0, extent, 3000).repeat(3)
    host[7], host[-1] = 0, extent - 1
    check(twin, host, 0, extent)
    check(twin, np.where(host % 2 == 0, 0, extent - 1), 0, extent)


def test_numbers_of_one_hash(twin: Device, extent: int) -> None:
    """Numbers that take each other's place in what a group remembers are all marked: more of them than it remembers."""
    check(twin, np.resize(np.random.default_rng(4).permutation(5000), 20_000), 0, 5000)


def test_views(twin: Device) -> None:
    """Any view; the source stays as it is."""
    host = np.random.default_rng(2).integers(0, 300, (40, 30)).astype(np.int16)
    whole = upload(twin, host)
    found = marked(whole.view(Layout((30, 20), (-1, 60), 29)), 0, 300)
    np.testing.assert_array_equal(found.download(), np.isin(np.arange(300), host[::2]))
    np.testing.assert_array_equal(whole.download(), host)


def test_what_pays() -> None:
    """Ranges that are not much longer than the array, or short; none whose numbers are no int32."""
    assert pays(10**6, SPREAD * 10**6)
    assert not pays(10**6, SPREAD * 10**6 + 1)
    assert pays(1, 256)
    assert not pays(2**31, 2**31)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "uint64"])
@pytest.mark.parametrize("n", [1, 40_000])
def test_of_sorted_elements_the_first_of_each_value_stays(twin: Device, dtype: str, n: int) -> None:
    if not twin.is_gpu:
        pytest.skip("a kernel without explicit vectors")
    host = np.sort(np.random.default_rng(n).integers(-90, 90, n)).astype("int64" if dtype == "uint64" else dtype)
    host = host.astype(dtype)
    if host.dtype.kind == "f":
        host[-3:] = np.nan
    got = of_sorted(upload(twin, host)).download()
    expected = host[np.concatenate([[True], host[1:] != host[:-1]])]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
@pytest.mark.parametrize("n", [1, 255, 40_001])
def test_ends_are_the_least_and_the_greatest(twin: Device, dtype: str, n: int) -> None:
    if not twin.is_gpu:
        pytest.skip("a kernel without explicit vectors")
    info = np.iinfo(dtype)
    host = np.random.default_rng(n).integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    assert ends(upload(twin, host)) == (int(host.min()), int(host.max()))
