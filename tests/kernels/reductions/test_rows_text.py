"""Row kernels in which lanes lie across the rows: one launch, and the bits of the kernels that it stands for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import LAYOUTS, assert_same, launches, lay_out, needs_rows, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

Rows = Callable[[Any, int], Any]


@pytest.fixture(autouse=True)
def _on_cpus(device: Device) -> None:
    if device.is_gpu:
        pytest.skip("lanes lie across rows on CPUs alone")


def softmax(x: Any, axis: int) -> Any:
    e = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return e / xp.sum(e, axis=axis, keepdims=True)


def standardised(x: Any, axis: int) -> Any:
    return (x - xp.mean(x, axis=axis, keepdims=True)) / xp.std(x, axis=axis, keepdims=True)


def scaled(x: Any, axis: int) -> Any:
    low, high = xp.min(x, axis=axis, keepdims=True), xp.max(x, axis=axis, keepdims=True)
    return xp.where(high == low, 0, x - low) * 2 + (high - low)


def with_a_row_and_an_index(x: Any, axis: int) -> Any:
    weights = xp.sum(x, axis=axis, keepdims=True) * 2 + xp.min(x, axis=axis, keepdims=True)
    return xp.tril(x) + weights * weights - x[:1, ...]


def taken(x: Any, axis: int) -> Any:
    return xp.take(x, xp.asarray([1, 0, 2] * 24, device=x.device)[: x.shape[-1]], axis=-1) - xp.max(
        x, axis=axis, keepdims=True
    )


def unfused(function: Rows, x: Any, axis: int) -> Any:
    with xp.config.set(fusion=False):
        return to_host(function(x, axis))


PROGRAMS: list[Rows] = [softmax, standardised, scaled, with_a_row_and_an_index, taken]
SHAPES: list[tuple[tuple[int, ...], int]] = [((4, n, 21), 1) for n in (1, 2, 8, 9, 255, 256, 257, 2049, 2100)]
SHAPES += [((300, 3), 1), ((65, 15), 1), ((30, 16), 0), ((3, 40, 16), 1), ((2, 3, 50, 70), 2), ((9, 2, 5, 33), 1)]


@pytest.mark.parametrize(("shape", "axis"), SHAPES, ids=str)
@pytest.mark.parametrize("program", PROGRAMS)
def test_one_launch_with_the_bits_of_several(program: Rows, shape: tuple[int, ...], axis: int, device: Device) -> None:
    needs_rows(device)
    x = xp.asarray(sample("float32", shape), device=device)
    result = program(x, axis)
    with launches() as made:
        xp.compute(result)
    assert len(made) == 1
    assert_same(to_host(result), unfused(program, x, axis))


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "complex128", "int16", "uint64", "bfloat16"])
def test_every_kind_of_dtype(dtype: str, device: Device) -> None:
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
        x = xp.astype(xp.asarray(sample("float32", (3, 300, 20)), device=device), xp.bfloat16)
    else:
        x = xp.asarray(sample(dtype, (3, 300, 20)), device=device)
    for program in (standardised, lambda x, axis: x - xp.sum(x, axis=axis, keepdims=True, dtype=x.dtype)):
        assert_same(to_host(program(x, 1)), unfused(program, x, 1))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(layout: str, device: Device) -> None:
    host = sample("float32", (40, 50))
    x = lay_out(host, layout) if device == xp.asarray(0).device else xp.asarray(host, device=device)
    assert_same(to_host(softmax(x, 0)), unfused(softmax, x, 0))


def test_results_that_are_one_a_row(device: Device) -> None:
    needs_rows(device)
    x = xp.asarray(sample("float32", (5, 300, 37)), device=device)
    top = xp.max(x, axis=1, keepdims=True)
    e = xp.exp(x - top)
    total = xp.sum(e, axis=1, keepdims=True)
    share = e / total
    with launches() as made:
        xp.compute(share)
    assert len(made) == 1
    with xp.config.set(fusion=False):
        expected_top = xp.max(x, axis=1, keepdims=True)
        expected = xp.exp(x - expected_top)
        expected_total = xp.sum(expected, axis=1, keepdims=True)
    for got, want in ((top, expected_top), (total, expected_total), (e, expected)):
        assert_same(to_host(got), to_host(want))
    assert_same(to_host(share), to_host(expected / expected_total))


def test_a_reduction_at_the_end(device: Device) -> None:
    needs_rows(device)
    x = xp.asarray(sample("float32", (5, 300, 37)), device=device)
    result = xp.sum(xp.square(x - xp.mean(x, axis=1, keepdims=True)), axis=1)
    with launches() as made:
        xp.compute(result)
    assert len(made) == 1
    with xp.config.set(fusion=False):
        expected = xp.sum(xp.square(x - xp.mean(x, axis=1, keepdims=True)), axis=1)
    assert_same(to_host(result), to_host(expected))


def test_an_array_that_becomes_its_own_softmax(device: Device) -> None:
    host = sample("float32", (5, 300, 37))
    x = xp.asarray(host, device=device)
    expected = unfused(softmax, x, 1)
    view = x[:]
    x[...] = softmax(x, 1)
    assert_same(to_host(view), expected)


def test_special_values(device: Device) -> None:
    host = sample("float32", (3, 40, 20))
    host[0, 5, 3], host[1, 7, 4], host[2, 30, 5] = np.nan, np.inf, -np.inf
    host[0, :, 7], host[1, :, 8] = -0.0, -np.inf
    x = xp.asarray(host, device=device)
    for program in (softmax, scaled, lambda x, axis: xp.copysign(x, xp.sum(x, axis=axis, keepdims=True))):
        with np.errstate(all="ignore"):
            assert_same(to_host(program(x, 1)), unfused(program, x, 1))


def test_what_does_not_stay_in_the_cache_is_cut(device: Device) -> None:
    x = xp.asarray(sample("float32", (2, tuning.PLANE // 1024, 1100)), device=device)
    result = softmax(x, 1)
    with launches() as made:
        xp.compute(result)
    assert len(made) > 1
    assert_same(to_host(result), unfused(softmax, x, 1))


def test_what_is_saved_has_room_or_is_computed_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.asarray(sample("float64", (2, 301, 35)), device=device)
    expected = unfused(softmax, x, 1)
    monkeypatch.setattr(device, "local_memory", 1 << 12)
    assert_same(to_host(softmax(x, 1)), expected)
