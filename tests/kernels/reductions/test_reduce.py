"""The reduction kernel: along and across, in one pass and in several, with vectors and with single lanes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import assert_same, in_turn, launches, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import store, tuning
from arrayapi_gpu.kernels.core.tuning import SEGMENT_ITEM
from arrayapi_gpu.kernels.maps.scratch import scratch

HostArray = np.ndarray[Any, Any]


def numbers(shape: tuple[int, ...], twin: Device, dtype: str = "int32") -> tuple[HostArray, xp.Array]:
    host = np.asarray(sample("int16", shape)).astype(dtype)
    return host, xp.asarray(host, device=twin)


@pytest.mark.parametrize("n", [1, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097, 8193, 100_003])
def test_one_axis_of_every_length(waiting_twin: Device, n: int) -> None:
    a, x = numbers((n,), waiting_twin)
    assert int(xp.sum(x)) == a.sum()
    assert int(xp.argmin(x)) == a.argmin()


@pytest.mark.parametrize("shape", [(3, 4097), (17, 31), (300, 5), (5000, 17), (2, 257, 16), (1, 9), (9, 1)])
def test_axes_that_lie_along_and_across_memory(waiting_twin: Device, shape: tuple[int, ...]) -> None:
    a, x = numbers(shape, waiting_twin)
    for axis in range(len(shape)):
        assert_same(to_host(xp.sum(x, axis=axis)), a.sum(axis=axis))
        assert_same(to_host(xp.argmax(x, axis=axis)), a.argmax(axis=axis))


LONG_ROWS = [(16, 20_000), (40, 33_000), (3, 17, 17_000), (33, 17_000, 2), (17_000, 40), (17_000, 3, 17)]


@pytest.mark.parametrize("dtype", ["int8", "float16", "int32", "float64"])
@pytest.mark.parametrize("shape", LONG_ROWS)
def test_positions_in_rows_of_several_segments(waiting_twin: Device, shape: tuple[int, ...], dtype: str) -> None:
    """Of many outputs, whose segments are combined across or along: each at another place."""
    if dtype == "float64" and "f64" not in waiting_twin.dtypes:
        pytest.skip(f"{waiting_twin} has no {dtype}")
    a = (np.random.default_rng(len(shape)).random(shape) * 120).astype(dtype)
    x = xp.asarray(a, device=waiting_twin)
    for axis in range(len(shape)):
        for name in ("argmax", "argmin"):
            assert_same(to_host(getattr(xp, name)(x, axis=axis)), getattr(np, name)(a, axis=axis))


@pytest.mark.parametrize(
    ("shape", "columns"), in_turn([(1, 1), (1, 5000), (7, 300), (300, 7), (70, 1025), (2, 70_000)], [1, 2, 3, 4, 5], 2)
)
def test_neighbouring_outputs_share_operands(waiting_twin: Device, shape: tuple[int, int], columns: int) -> None:
    """A lane computes up to `tuning.COLUMNS` of them."""
    rows, n = shape
    (a, x), (b, y) = numbers((rows, n), waiting_twin), numbers((n,), waiting_twin)
    c, z = numbers((n, columns), waiting_twin)
    a, x, b, y = a % 99, x % 99, b % 9, y % 9
    assert_same(to_host(xp.sum((x + y)[:, :, None] * z, axis=1)), ((a + b)[:, :, None] * c).sum(axis=1))
    assert_same(to_host(xp.argmin((x - y)[:, :, None] + z, axis=1)), ((a - b)[:, :, None] + c).argmin(axis=1))
    assert_same(to_host(xp.sum((x[0] + 2 * y)[:, None] * z, axis=0)), ((a[0] + 2 * b)[:, None] * c).sum(axis=0))
    whole = xp.sum((x + y)[:, :, None] * z[None, ::-1, ::-1], axis=(0, 1))
    assert_same(to_host(whole), ((a + b)[:, :, None] * c[None, ::-1, ::-1]).sum(axis=(0, 1)))


@pytest.mark.parametrize("shape", [(300, 5), (5, 3), (7, 600), (3, 5, 2), (3, 40_000), (600, 40), (9, 5, 70)])
def test_work_items_beyond_the_last_output_write_nothing(
    twin: Device, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Launches are rounded up to whole groups. Behind each array here stands a fence that must not change."""
    fence, fenced = np.full(1024, 171, "uint8"), []
    alloc = twin.pool.alloc

    def with_fence(nbytes: int) -> Any:
        buffer = alloc(nbytes + fence.size)
        twin.upload(buffer, nbytes, fence)
        fenced.append((buffer, nbytes))
        return buffer

    monkeypatch.setattr(twin.pool, "alloc", with_fence)
    _, x = numbers(shape, twin)
    results = [f(x, axis=axis) for f in (xp.sum, xp.argmax) for axis in range(len(shape))]
    xp.sync(*results)
    assert fenced
    for buffer, nbytes in fenced:
        found = np.zeros_like(fence)
        twin.download(buffer, nbytes, found)
        assert_same(found, fence)


SUBSETS = [axes for n in range(1, 5) for axes in itertools.combinations(range(4), n)]


@pytest.mark.parametrize("axes", SUBSETS, ids=str)
def test_every_set_of_axes(twin: Device, axes: tuple[int, ...]) -> None:
    a, x = numbers((3, 4, 5, 18), twin)
    assert_same(to_host(xp.sum(x, axis=axes)), a.sum(axis=axes))
    assert_same(to_host(xp.max(x.transpose(), axis=axes)), a.transpose().max(axis=axes))


@pytest.mark.parametrize(
    "key", [(slice(None, None, -1),) * 2, (slice(1, None, 2), slice(3, 30)), (slice(None), 5)], ids=str
)
def test_strided_operands(twin: Device, key: Any) -> None:
    a, x = numbers((41, 35), twin)
    for axis in range(a[key].ndim):
        assert_same(to_host(xp.sum(x[key], axis=axis)), a[key].sum(axis=axis))
    assert int(xp.sum(x[key])) == a[key].sum()


def test_broadcast_operands(twin: Device) -> None:
    a, x = numbers((40, 1), twin)
    b, y = numbers((1, 33), twin)
    for axis in (None, 0, 1):
        assert_same(to_host(xp.sum(x * y, axis=axis)), np.asarray((a * b).sum(axis=axis)))


def test_index_variables_are_operands(twin: Device) -> None:
    n = 3000
    assert int(xp.sum(xp.arange(n, device=twin))) == n * (n - 1) // 2
    assert int(xp.sum(xp.eye(70, 50, dtype=xp.int32, device=twin))) == 50
    row = xp.sum(xp.tril(xp.ones((40, 40), dtype=xp.int32, device=twin)), axis=0)
    assert row.tolist() == list(range(40, 0, -1))


def test_constants_are_reduced(twin: Device) -> None:
    x = xp.full((300, 500), 2.0, device=twin)
    assert float(xp.sum(x)) == 300_000
    assert xp.sum(x, axis=0).tolist() == [600.0] * 500
    assert int(xp.argmax(x)) == 0


def test_gathers_are_operands(twin: Device) -> None:
    a, x = numbers((100,), twin)
    places = sample("int8", 500) % 100
    assert int(xp.sum(x[xp.asarray(places, device=twin)] + 1)) == (a[places] + 1).sum()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "uint8", "bool"])
def test_dtypes_in_several_passes(waiting_twin: Device, dtype: str) -> None:
    a = (np.arange(70_000) % 3 == 0).astype(dtype)
    total = to_host(xp.sum(xp.asarray(a, device=waiting_twin)))
    assert total.dtype == a.sum().dtype
    assert (
        total == np.sum(a, dtype="c16").astype(total.dtype)
        if a.dtype.kind == "c"
        else a.sum(dtype="f8").astype(total.dtype)
    )


@pytest.mark.parametrize("place", [0, 1, 4095, 4096, 99_999])
def test_the_winner_of_several_passes_is_the_first(waiting_twin: Device, place: int) -> None:
    a = np.zeros(100_000, "float32")
    a[place:] = 1
    x = xp.asarray(a, device=waiting_twin)
    assert int(xp.argmax(x)) == place
    a[place] = np.nan
    assert int(xp.argmin(xp.asarray(a, device=waiting_twin))) == place


def test_segments_are_combined_in_the_same_launch_where_groups_may_wait(device: Device) -> None:
    for forward_progress, expected in [(True, ["sum"]), (False, ["sum", "combine"])]:
        _, x = numbers((300_000,), scalar_twin(device, forward_progress))
        xp.compute(xp.sum(x))  # there is memory now in which groups tell each other
        with launches() as made:
            xp.compute(xp.sum(x))
        assert [launch.kernel for launch in made] == expected


@pytest.mark.parametrize("forward_progress", [True, False])
def test_groups_forget_what_they_told_each_other(device: Device, forward_progress: bool) -> None:
    twin = scalar_twin(device, forward_progress)
    for shape, axis in [((300_000,), 0), ((9_000_000,), 0), ((40_000, 9), 0), ((3, 70_000), 1), ((90_000, 70), 0)]:
        a, x = numbers(shape, twin, "float64")
        for dtype in ("int8", "float32", "complex128"):
            xp.compute(xp.sum(xp.astype(x, np.dtype(dtype)), axis=axis))
        assert_same(to_host(xp.argmin(x, axis=axis)), a.argmin(axis=axis))
        words, _ = scratch(twin, "reduction", 1)
        assert not words.download().any()


@pytest.fixture
def long_segments(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Segments of many blocks, which otherwise only very large arrays have."""
    monkeypatch.setattr(tuning, "SEGMENT_ITEM", 16 * SEGMENT_ITEM)
    store.clear()
    yield
    store.clear()


@pytest.mark.parametrize("dtypes", [("float32",), ("int8", "float32"), ("int16", "int8"), ("int8",), ("c8", "f8")])
@pytest.mark.parametrize(("shape", "axis"), [((700_003,), 0), ((3, 300_001), 1), ((100_003, 7), 0)])
def test_what_is_read_ahead_is_taken_in_turn(
    device: Device, long_segments: None, dtypes: tuple[str, ...], shape: tuple[int, ...], axis: int
) -> None:
    hosts = [sample("int8", shape, seed).astype(dtype) for seed, dtype in enumerate(dtypes)]
    arrays = [xp.asarray(host, device=scalar_twin(device)) for host in hosts]
    expected = np.sum([host.astype("complex128") for host in hosts], axis=0).sum(axis=axis)
    assert_same(to_host(xp.sum(sum(arrays[1:], arrays[0]), axis=axis, dtype=xp.complex128)), expected)


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


def test_many_axes(twin: Device) -> None:
    a, x = numbers((2, 1, 3) * 5, twin)
    assert_same(to_host(xp.sum(x, axis=tuple(range(0, 15, 2)))), a.sum(axis=tuple(range(0, 15, 2))))


@pytest.mark.parametrize("shape", [(40, 9000), (9, 17_000), (300, 4097), (3, 40_000)])
def test_long_rows_that_lie_across_memory(waiting_twin: Device, shape: tuple[int, ...]) -> None:
    a, x = numbers(shape[::-1], waiting_twin)
    for dtype in ("int32", "float64"):
        b, y = a.T.astype(dtype), xp.astype(x, getattr(xp, dtype)).T
        assert_same(to_host(xp.sum(y, axis=1)), b.sum(axis=1))
        assert_same(to_host(xp.argmax(y, axis=1)), b.argmax(axis=1))


@pytest.mark.parametrize("first", range(5))
def test_operands_begin_anywhere(twin: Device, first: int) -> None:
    for dtype in ("uint8", "int16", "float32", "float64", "complex128"):
        a, x = numbers((2, 40_000), twin, dtype)
        assert_same(to_host(xp.sum(x[:, first:], axis=1)), a[:, first:].sum(axis=1))
        assert_same(
            to_host(xp.sum(x[0, first:] * x[1, : 40_000 - first] != 0)),
            np.asarray(a[0, first:] * a[1, : 40_000 - first] != 0).sum(),
        )


@pytest.mark.parametrize(
    ("dtype", "shape"),
    in_turn(["int8", "int64", "uint64", "float16", "float32", "bool"], [(5, 20_000), (20_000, 5), (600, 40)], 1),
)
def test_positions_of_ties_and_extremes(twin: Device, dtype: str, shape: tuple[int, ...]) -> None:
    """The first winner wins, wherever in registers, work-items and segments the others lie."""
    low: Any
    high: Any
    if dtype == "bool":
        low, high = False, True
    elif np.dtype(dtype).kind == "f":
        low, high = -np.inf, np.inf
    else:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    for value, other in [(low, high), (high, low)]:
        for count in (0, 3, 700):
            a = np.full(shape, value, dtype)
            a.reshape(-1)[(np.arange(count) * 7919 + 4321) % a.size] = other
            x = xp.asarray(a, device=twin)
            for axis in (None, 0, 1):
                assert_same(to_host(xp.argmax(x, axis=axis)), np.asarray(a.argmax(axis=axis)))
                assert_same(to_host(xp.argmin(x, axis=axis)), np.asarray(a.argmin(axis=axis)))


@pytest.mark.parametrize("shape", [(5, 20_000), (20_000, 5), (600, 40)])
def test_the_first_nan_wins(twin: Device, shape: tuple[int, ...]) -> None:
    a = np.asarray(sample("float32", shape))
    a.reshape(-1)[[5, 77, 12_345, 12_346]] = np.nan
    x = xp.asarray(a, device=twin)
    for axis in (None, 0, 1):
        assert_same(to_host(xp.argmax(x, axis=axis)), np.asarray(a.argmax(axis=axis)))
        assert_same(to_host(xp.argmin(x, axis=axis)), np.asarray(a.argmin(axis=axis)))
        assert_same(to_host(xp.max(x, axis=axis)), np.asarray(a.max(axis=axis)))


@pytest.mark.parametrize(("shape", "axis"), [((1 << 20,), 0), ((1 << 16, 16), 0), ((16, 1 << 16), 1)])
def test_rounding_errors_grow_with_the_depth_not_the_length(twin: Device, shape: tuple[int, ...], axis: int) -> None:
    """About 64 additions lie one after the other on the way of an element into a sum of 2^20."""
    a = np.random.default_rng(0).random(shape, dtype="float32")
    exact = a.sum(axis=axis, dtype="float64")
    assert np.all(abs(to_host(xp.sum(xp.asarray(a, device=twin), axis=axis)) - exact) <= 64 * 2.0**-24 * exact)


@pytest.mark.parametrize("shape", [(60, 50, 70), (7, 300, 2), (2, 3, 9000)])
def test_reduced_axes_that_do_not_collapse(twin: Device, shape: tuple[int, ...]) -> None:
    """Rows of the last reduced axis end anywhere in registers and in work-items' shares."""
    a, x = numbers(shape, twin)
    for key in [(slice(None),) * 3, (slice(None), slice(None), slice(1, None)), (slice(None), slice(None, None, -2))]:
        for axis in [(0, 2), (0, 1, 2), (1, 2)]:
            assert_same(to_host(xp.sum(x[key], axis=axis)), np.asarray(a[key].sum(axis=axis)))
            assert_same(to_host(xp.any(x[key] == 7, axis=axis)), np.asarray((a[key] == 7).any(axis=axis)))
    assert int(xp.argmax(x[:, :, 1:])) == a[:, :, 1:].argmax()
