"""Reductions that read neighbours by whole accesses: many of narrow dtypes, and along several axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, Target
from arrayapi_gpu.kernels.reductions.reduce_schedule import reduce_schedule

HostArray = np.ndarray[Any, Any]


@pytest.fixture
def gpu(device: Device) -> Device:
    return scalar_twin(device)


DTYPES = ("bool", "int8", "uint16", "float16")
# Whole strips and parts of one, of one segment and of several; rows that are a multiple of 16 and 4 elements long.
EXTENTS = [((70_003,), None), ((1 << 17,), None), ((5, 3, 2048), (0, 2)), ((40, 2, 1020), (0, 2))]


def _host(dtype: str, shape: tuple[int, ...], offset: int) -> HostArray:
    """Elements of both signs that begin ``offset`` elements behind an aligned place."""
    n = int(np.prod(shape)) + offset
    numbers = np.asarray(sample("int8", (n,)))
    whole = numbers > 100 if dtype == "bool" else (numbers % 7 if dtype == "complex64" else numbers).astype(dtype)
    return np.asarray(whole)


@pytest.mark.parametrize("offset", [0, 4])
@pytest.mark.parametrize(("shape", "axes"), EXTENTS)
def test_extents_and_offsets_of_narrow_elements(
    gpu: Device, shape: tuple[int, ...], axes: tuple[int, ...] | None, offset: int
) -> None:
    for dtype in DTYPES:
        host = _host(dtype, shape, offset)
        a, x = host[offset:].reshape(shape), xp.reshape(xp.asarray(host, device=gpu)[offset:], shape)
        found, expected = [xp.any(x != 0, axis=axes)], [np.any(a != 0, axis=axes)]
        if dtype == "float16":
            found.append(xp.sum(x != 0, axis=axes))
            expected.append(np.sum(a != 0, axis=axes))
        elif dtype != "bool":
            found += [xp.max(x, axis=axes), xp.sum(x, axis=axes)]
            expected += [np.max(a, axis=axes), np.sum(a, axis=axes)]
        for one, other in zip(found, expected, strict=True):
            assert_same(to_host(one), np.asarray(other))


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_sums_over_two_axes_have_the_same_bits_wherever_they_lie(gpu: Device, dtype: str) -> None:
    """Aligned, not aligned, along reversed rows, and from an expression."""
    shape = (12, 5, 1024)
    values = np.random.default_rng(1).random((2, *shape)).astype(dtype)
    whole = np.concatenate([np.zeros(3, dtype), values[0].ravel()])
    x = xp.asarray(values, device=gpu)[0]
    ways = [
        x,
        xp.reshape(xp.asarray(whole, device=gpu)[3:], shape),
        xp.asarray(np.ascontiguousarray(values[0, ..., ::-1]), device=gpu)[..., ::-1],
        xp.asarray(np.asarray(values[0] / 2, dtype), device=gpu) * 2,
    ]
    sums = [to_host(xp.sum(way, axis=(0, 2))) for way in ways]
    for one in sums[1:]:
        assert_same(one, sums[0])


def test_products_wrap_in_their_dtype(gpu: Device) -> None:
    a = np.asarray(sample("uint8", (70_003,))) | 1
    x = xp.asarray(a, device=gpu)
    assert int(xp.prod(x, dtype=xp.uint8)) == np.prod(a, dtype="uint8")


def test_extremes_are_not_mistaken_for_missing_elements(gpu: Device) -> None:
    """Accumulators of narrow integers are wider, but their identities are not."""
    for dtype in ("int8", "uint8", "int16", "uint16"):
        info = np.iinfo(dtype)
        for value in (info.min, info.max):
            x = xp.full(5003, value, dtype=getattr(xp, dtype), device=gpu)
            assert int(xp.max(x)) == int(xp.min(x)) == value


def test_sums_of_narrow_elements_are_wide(gpu: Device) -> None:
    for dtype in ("int8", "uint16"):
        for value in (np.iinfo(dtype).min, np.iinfo(dtype).max):
            x = xp.full(1 << 20, value, dtype=getattr(xp, dtype), device=gpu)
            assert int(xp.sum(x)) == value << 20


@pytest.mark.parametrize(
    ("shape", "axes", "together", "vectors"),
    [
        ((1 << 20,), (0,), 16, 16),  # any order, 16 elements an access
        ((1 << 20,), (0,), 0, 4),  # a recorded order
        ((64, 1 << 16), (1,), 8, 8),
        ((64, 4000), (1,), 16, 8),  # there must be several strips
        ((64, 4001), (1,), 16, 0),  # rows begin anywhere
        ((64, 3, 1024), (0, 2), 16, 16),
        ((64, 3, 1022), (0, 2), 16, 0),
        ((64, 1024), (0,), 16, 0),
    ],
)
def test_the_neighbours_that_are_read_together(
    shape: tuple[int, ...], axes: tuple[int, ...], together: int, vectors: int
) -> None:
    strides = tuple(int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
    schedule = reduce_schedule(shape, axes, ((shape, strides),), Target(1, True, 1024), None, None, together)
    assert (0 if schedule.aligned is None else schedule.aligned.spec.vectors) == vectors
