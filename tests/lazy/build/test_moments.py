"""Variances of many elements: by chunks, in one pass, and as accurate as if there were two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

import numpy as np
import pytest
from support import assert_same, launches, needs_rows, no_launch, to_host

import arrayapi_gpu as xp
from arrayapi_gpu import config
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import store, tuning
from arrayapi_gpu.lazy.build import moments

HostArray = np.ndarray[Any, Any]


@pytest.fixture(autouse=True, scope="module")
def _large() -> Iterator[None]:
    """Arrays of these tests' size count as large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "LARGE", (2**12, 2**12))
        store.clear()
        yield
    store.clear()


def numbers(shape: tuple[int, ...], dtype: str = "float64", centre: float = 3.0) -> HostArray:
    a = np.random.default_rng(7).standard_normal(shape) + centre
    return (a * 20).astype(dtype) if np.dtype(dtype).kind in "iu" else a.astype(dtype)


def exact(a: HostArray, **options: Any) -> Any:
    return a.astype("complex128" if a.dtype.kind == "c" else "float64").var(**options)


SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((100_003,), None),
    ((70, 1001), None),
    ((9000, 7), None),
    ((3, 40_009), 1),
    ((2, 3, 20_000), (0, 2)),
    ((2000, 70), 0),
    ((5, 700, 40), 1),
    ((700, 5, 40), (0, 1)),
    ((700, 5, 30), (1, 0)),
    ((70_000, 1), (0, 1)),
    ((8, 3, 30, 40), (0, 2, 3)),
    ((8, 5, 1, 3, 300), (0, 4)),
    ((2, 40, 3, 8, 16), (0, 1, 3, 4)),
]


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_variances_over_any_axes(twin: Device, shape: tuple[int, ...], axis: Any, keepdims: bool) -> None:
    a = numbers(shape)
    got = to_host(xp.var(xp.asarray(a, device=twin), axis=axis, keepdims=keepdims, correction=1))
    expected = exact(a, axis=axis, keepdims=keepdims, ddof=1)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64", "complex128", "int16", "uint8", "bool"])
def test_variances_of_every_kind(twin: Device, dtype: str) -> None:
    a = numbers((40_009,), dtype)
    got = to_host(xp.var(xp.asarray(a, device=twin)))
    rtol = {"float16": 5e-4, "float32": 3e-7, "complex64": 3e-7}.get(dtype, 1e-13)
    np.testing.assert_allclose(got, exact(a).astype(got.dtype), rtol=rtol)


def test_they_are_cut_into_chunks(twin: Device) -> None:
    for shape, axes in [((100_003,), (0,)), ((3, 40_009), (1,)), ((9000, 7), (0, 1))]:
        assert moments._way(xp.zeros(shape, device=twin)._node, axes)[1] is not None
    assert moments._way(xp.zeros((100, 1000), device=twin)._node, (1,))[1] is None  # rows as they are
    assert moments._way(xp.zeros((1000,), device=twin)._node, (0,))[1] is None


@pytest.mark.parametrize("centre", [0.0, 1e3, 3e4])
def test_nothing_cancels_where_the_mean_is_large(twin: Device, centre: float) -> None:
    """float32: the rounding of a mean m costs (m 2^-24)^2, as in two passes, not m^2 2^-24."""
    a = numbers((200_000,), "float32", centre)
    got = float(xp.var(xp.asarray(a, device=twin)))
    assert got == pytest.approx(float(exact(a)), rel=1e-6 + (2 * centre * 2.0**-24) ** 2)


def test_outliers_and_trends(twin: Device) -> None:
    ramp = np.linspace(-1e4, 1e4, 100_001, dtype="float32")
    spike = np.zeros(100_001, "float32")
    spike[70_000] = 1e6
    steps = np.repeat(np.array([0, 1e5], "float32"), 50_000)
    for a in (ramp, spike, steps, ramp[::-1].copy()):
        assert float(xp.var(xp.asarray(a, device=twin))) == pytest.approx(float(exact(a)), rel=1e-6)


def test_what_is_not_finite(twin: Device) -> None:
    for value in (np.nan, np.inf, -np.inf):
        for place in (0, 60_000, 99_999):
            a = numbers((100_000,), "float32")
            a[place] = value
            assert np.isnan(float(xp.var(xp.asarray(a, device=twin))))
    big = np.full(100_000, 3e38, "float32")
    assert not np.isfinite(float(xp.var(xp.asarray(big, device=twin))))


def test_the_layout_changes_no_bit(twin: Device) -> None:
    for shape, axis in [((70, 1001), None), ((9000, 7), None), ((2000, 70), 0)]:
        a = numbers(shape, "float32")
        expected = to_host(xp.var(xp.asarray(a, device=twin), axis=axis))
        wide = xp.asarray(np.repeat(a, 2, axis=1), device=twin)[:, ::2]
        turned = xp.asarray(np.ascontiguousarray(a.T), device=twin).T
        for x in (wide, turned, wide + 0):
            assert_same(to_host(xp.var(x, axis=axis)), expected)
        with xp.config.set(fusion=False):
            assert_same(to_host(xp.var(wide, axis=axis)), expected)


def test_the_operand_is_read_by_one_launch(twin: Device) -> None:
    needs_rows(twin)
    x = xp.asarray(numbers((131_072,), "float32"), device=twin)
    with launches() as made:
        xp.compute(xp.var(x))
    assert sum(entry.bytes >= x.nbytes for entry in made) == 1
    assert len(made) == 3  # chunks, what they have in common, the quotient


def test_the_operand_stays_an_array_of_its_own(twin: Device) -> None:
    """No view of it is left behind: it may still be changed without anybody looking on."""
    x = xp.asarray(numbers((100_003,), "float32"), device=twin)
    spread = xp.var(x)
    host = to_host(x)
    x += 1
    assert float(spread) == pytest.approx(float(exact(host)), rel=1e-6)
    x *= 2
    assert float(xp.var(x)) == pytest.approx(float(exact((host + 1) * 2)), rel=1e-5)


def test_a_pending_operand_stays_pending(twin: Device) -> None:
    """It counts once, however often the expression meets it."""
    a = numbers((100_003,), "float32")
    x = xp.asarray(a, device=twin)
    for k in range(20):
        x = x * 1.01 + k
        a = a * np.float32(1.01) + np.float32(k)
    with no_launch():
        spread = xp.var(x)
    assert float(spread) == pytest.approx(float(exact(a)), rel=1e-5)


IMAGES, APART = (16, 3, 20, 30), (0, 2, 3)


def images(device: Device) -> tuple[HostArray, xp.Array]:
    a = numbers(IMAGES, "float32")
    return a, xp.asarray(a, device=device)


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_means_over_any_axes(twin: Device, shape: tuple[int, ...], axis: Any, keepdims: bool) -> None:
    a = numbers(shape)
    got = to_host(xp.mean(xp.asarray(a, device=twin), axis=axis, keepdims=keepdims))
    expected = a.mean(axis=axis, keepdims=keepdims)
    assert got.shape == np.shape(expected)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


@pytest.mark.parametrize("first", ["mean", "var"])
def test_a_mean_and_a_variance_are_one_pass(twin: Device, first: str) -> None:
    needs_rows(twin)
    a, x = images(twin)
    mean = xp.mean(x, axis=APART) if first == "mean" else None
    spread = xp.var(x, axis=APART, keepdims=True)
    mean = xp.mean(x, axis=APART) if mean is None else mean
    with launches() as made:
        xp.compute(mean, spread)
    assert sum(entry.bytes >= x.nbytes for entry in made) == 1
    np.testing.assert_allclose(to_host(mean), a.mean(axis=APART, dtype="float64"), rtol=1e-6)
    np.testing.assert_allclose(to_host(spread), exact(a, axis=APART, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize("shape", [(3000,), (50, 60)], ids=str)
@pytest.mark.parametrize("options", [{}, {"keepdims": True}, {"axis": 0, "keepdims": True}], ids=str)
def test_a_mean_and_a_variance_share_a_sum(twin: Device, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    needs_rows(twin)
    a = numbers(shape)
    x = xp.asarray(a, device=twin)
    y = (x - xp.mean(x, **options)) / xp.std(x, **options)
    with config.set(fusion=True, small_on_host=False), launches() as made:
        xp.compute(y)
    assert len(made) <= 3
    np.testing.assert_allclose(to_host(y), (a - a.mean(**options)) / a.std(**options), atol=1e-12)
    x[...] = a[::-1] * 2
    again = xp.var(x, **options)
    np.testing.assert_allclose(to_host(again), a.var(**options) * 4, rtol=1e-12)


def test_normalised_images_are_read_twice_and_written_once(twin: Device) -> None:
    needs_rows(twin)
    a, x = images(twin)
    y = (x - xp.mean(x, axis=APART, keepdims=True)) / xp.sqrt(xp.var(x, axis=APART, keepdims=True) + 1e-5)
    planned = xp.explain(y).count("# launch")
    with launches() as made:
        xp.compute(y)
    assert planned == len(made)
    assert [entry.bytes // x.nbytes for entry in made if entry.bytes >= x.nbytes] == [1, 2]
    b = a.astype("float64")
    expected = (b - b.mean(axis=APART, keepdims=True)) / np.sqrt(b.var(axis=APART, keepdims=True) + 1e-5)
    np.testing.assert_allclose(to_host(y), expected, atol=1e-5)


def test_sums_are_not_used_again_after_a_write(twin: Device) -> None:
    a, x = images(twin)
    for number in range(3):
        before = xp.mean(x, axis=APART, keepdims=True)
        if number:
            xp.compute(before)
        x[:, 1] = number
        spread, after = xp.var(x, axis=APART), xp.mean(x, axis=APART)
        x[:, 0] += 1
        np.testing.assert_allclose(to_host(before), a.mean(axis=APART, keepdims=True, dtype="float64"), rtol=1e-5)
        a[:, 1] = number
        np.testing.assert_allclose(to_host(spread), exact(a, axis=APART), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(to_host(after), a.mean(axis=APART, dtype="float64"), rtol=1e-5, atol=1e-6)
        a[:, 0] += 1


def test_sums_are_kept_for_nobody(twin: Device) -> None:
    """Neither the sums nor the array that was summed."""
    _, x = images(twin)
    mean = xp.mean(x, axis=APART)
    xp.compute(mean)
    node = ref(x._node)
    del mean
    assert x._node.sums is not None
    assert {sums() for sums, _ in x._node.sums.values()} == {None}
    del x
    assert node() is None


def test_memory_of_others_is_summed_each_time(device: Device) -> None:
    a = numbers(IMAGES, "float32")
    x = xp.from_dlpack(a) if device.host_shared else xp.asarray(a, device=device)
    before = to_host(xp.mean(x, axis=APART))
    if device.host_shared:
        a[...] += 1
        np.testing.assert_allclose(to_host(xp.mean(x, axis=APART)), before + 1, rtol=1e-5)
