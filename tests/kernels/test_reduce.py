"""The reduction kernel: along and across, in one pass and in several, with vectors and with single lanes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.reduce import walk_over
from arrayapi_gpu.lazy import plan
from arrayapi_gpu.memory.gpuarray import GpuArray, empty
from arrayapi_gpu.memory.layout import contiguous_strides

HostArray = np.ndarray[Any, Any]


def numbers(shape: tuple[int, ...], walk: Device, dtype: str = "int32") -> tuple[HostArray, xp.Array]:
    host = np.asarray(sample("int16", shape)).astype(dtype)
    return host, xp.asarray(host, device=walk)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 8193, 100_003])
def test_one_axis_of_every_length(walk: Device, n: int) -> None:
    a, x = numbers((n,), walk)
    assert int(xp.sum(x)) == a.sum()
    assert int(xp.argmin(x)) == a.argmin()


@pytest.mark.parametrize("shape", [(3, 4097), (17, 31), (300, 5), (5000, 17), (2, 257, 16), (1, 9), (9, 1)])
def test_axes_that_lie_along_and_across_memory(walk: Device, shape: tuple[int, ...]) -> None:
    a, x = numbers(shape, walk)
    for axis in range(len(shape)):
        assert_same(to_host(xp.sum(x, axis=axis)), a.sum(axis=axis))
        assert_same(to_host(xp.argmax(x, axis=axis)), a.argmax(axis=axis))


@pytest.mark.parametrize("shape", [(300, 5), (5, 3), (7, 600), (3, 5, 2)])
def test_work_items_beyond_the_last_output_write_nothing(
    walk: Device, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Launches are rounded up to whole groups. Behind each array here stands a fence that must not change."""
    fence, fenced = np.full(1024, 171, "uint8"), []
    alloc = type(walk).alloc

    def with_fence(device: Device, nbytes: int) -> Any:
        buffer = alloc(device, nbytes + fence.size)
        device.upload(buffer, nbytes, fence)
        fenced.append((buffer, nbytes))
        return buffer

    monkeypatch.setattr(type(walk), "alloc", with_fence)
    _, x = numbers(shape, walk)
    results = [f(x, axis=axis) for f in (xp.sum, xp.argmax) for axis in range(len(shape))]
    xp.sync(*results)
    assert fenced
    for buffer, nbytes in fenced:
        found = np.zeros_like(fence)
        walk.download(buffer, nbytes, found)
        assert_same(found, fence)


SUBSETS = [axes for n in range(1, 5) for axes in itertools.combinations(range(4), n)]


@pytest.mark.parametrize("axes", SUBSETS, ids=str)
def test_every_set_of_axes(walk: Device, axes: tuple[int, ...]) -> None:
    a, x = numbers((3, 4, 5, 18), walk)
    assert_same(to_host(xp.sum(x, axis=axes)), a.sum(axis=axes))
    assert_same(to_host(xp.max(x.transpose(), axis=axes)), a.transpose().max(axis=axes))


@pytest.mark.parametrize(
    "key", [(slice(None, None, -1),) * 2, (slice(1, None, 2), slice(3, 30)), (slice(None), 5)], ids=str
)
def test_strided_operands(walk: Device, key: Any) -> None:
    a, x = numbers((41, 35), walk)
    for axis in range(a[key].ndim):
        assert_same(to_host(xp.sum(x[key], axis=axis)), a[key].sum(axis=axis))
    assert int(xp.sum(x[key])) == a[key].sum()


def test_broadcast_operands(walk: Device) -> None:
    a, x = numbers((40, 1), walk)
    b, y = numbers((1, 33), walk)
    for axis in (None, 0, 1):
        assert_same(to_host(xp.sum(x * y, axis=axis)), np.asarray((a * b).sum(axis=axis)))


def test_index_variables_are_operands(walk: Device) -> None:
    n = 3000
    assert int(xp.sum(xp.arange(n, device=walk))) == n * (n - 1) // 2
    assert int(xp.sum(xp.eye(70, 50, dtype=xp.int32, device=walk))) == 50
    row = xp.sum(xp.tril(xp.ones((40, 40), dtype=xp.int32, device=walk)), axis=0)
    assert row.tolist() == list(range(40, 0, -1))


def test_gathers_are_operands(walk: Device) -> None:
    a, x = numbers((100,), walk)
    places = sample("int8", 500) % 100
    assert int(xp.sum(x[xp.asarray(places, device=walk)] + 1)) == (a[places] + 1).sum()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "uint8", "bool"])
def test_dtypes_in_several_passes(walk: Device, dtype: str) -> None:
    a = (np.arange(70_000) % 3 == 0).astype(dtype)
    total = to_host(xp.sum(xp.asarray(a, device=walk)))
    assert total.dtype == a.sum().dtype
    assert (
        total == np.sum(a, dtype="c16").astype(total.dtype)
        if a.dtype.kind == "c"
        else a.sum(dtype="f8").astype(total.dtype)
    )


@pytest.mark.parametrize("place", [0, 1, 4095, 4096, 99_999])
def test_the_winner_of_several_passes_is_the_first(walk: Device, place: int) -> None:
    a = np.zeros(100_000, "float32")
    a[place:] = 1
    x = xp.asarray(a, device=walk)
    assert int(xp.argmax(x)) == place
    a[place] = np.nan
    assert int(xp.argmin(xp.asarray(a, device=walk))) == place


def test_float_sums_do_not_depend_on_where_their_operand_comes_from(device: Device) -> None:
    """Fused or in memory, contiguous or not, the elements are added in the same order.

    On devices as they are, not on their scalar twins: Intel's compiler makes vectors of a scalar loop in whatever
    order it likes, and leaves those alone that are vectors already.
    """
    for shape, axis in [((70_001,), 0), ((33, 900), 1), ((900, 33), 0), ((9, 50, 20), 1)]:
        host = sample("float32", shape)
        x = xp.asarray(host, device=device)
        expected = to_host(xp.sum(x, axis=axis))
        doubled = xp.asarray(np.repeat(host, 2, axis=-1), device=device)[..., ::2]
        assert_same(to_host(xp.sum(doubled, axis=axis)), expected)
        assert_same(to_host(xp.sum(x * 2 - x, axis=axis)), expected)
        backwards = xp.asarray(np.ascontiguousarray(np.flip(host)), device=device)
        assert_same(to_host(xp.sum(xp.flip(backwards), axis=axis)), expected)


def test_many_axes(walk: Device) -> None:
    a, x = numbers((2, 1, 3) * 5, walk)
    assert_same(to_host(xp.sum(x, axis=tuple(range(0, 15, 2)))), a.sum(axis=tuple(range(0, 15, 2))))


def test_lanes_lie_along_the_axis_that_is_fastest_and_long() -> None:
    """Across only where the fastest axis stays, or is short beside many results."""
    for shape, axes, across in [
        ((100, 100), (1,), False),
        ((100, 100), (0,), True),
        ((100, 3), (1,), True),
        ((3, 100), (0, 1), False),
        ((5, 3), (1,), False),
    ]:
        layout = (shape, contiguous_strides(shape))
        assert walk_over(shape, axes, (layout,), 16).form.across is across


@pytest.mark.parametrize("shape", [(17, 7), (7, 17), (7, 4097), (4097, 7), (1, 9), (300, 5), (5, 33)])
def test_nothing_behind_the_result_is_written(
    walk: Device, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[GpuArray] = []
    behind = 64

    def wider(device: Device, dtype: np.dtype[Any], wanted: tuple[int, ...], offset: int = 0) -> GpuArray:
        count = int(np.prod(wanted))
        whole = empty(device, dtype, (count + behind,))
        device.upload(whole.storage.buffer, 0, np.ones(count + behind, dtype))
        made.append(whole)
        return GpuArray(whole.storage, dtype, wanted, contiguous_strides(wanted))

    monkeypatch.setattr(plan, "empty", wider)
    a, x = numbers(shape, walk)
    for axis in (0, 1):
        assert_same(to_host(xp.sum(x, axis=axis)), a.sum(axis=axis))
    assert made
    for whole in made:
        assert (whole.download()[-behind:] == 1).all()
