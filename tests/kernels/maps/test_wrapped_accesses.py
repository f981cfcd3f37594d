"""Rolled operands on GPUs: elements between two whole accesses, and one by one where rows are no whole accesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.schedule import elementwise_schedule

HostArray = np.ndarray[Any, Any]

DTYPES = ("bool", "int8", "uint16", "float16", "int32", "float32", "complex64", "int64")


@pytest.fixture
def gpu(device: Device) -> Device:
    return scalar_twin(device)


def _numbers(dtype: str, shape: tuple[int, ...]) -> HostArray:
    numbers = np.asarray(sample("int8", shape))
    return numbers > 0 if dtype == "bool" else numbers.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(4096,), (1009,), (7, 96), (5, 3, 64), (6, 50)])
def test_every_dtype_rolled_by_every_part_of_an_access(gpu: Device, dtype: str, shape: tuple[int, ...]) -> None:
    a = _numbers(dtype, shape)
    x = xp.asarray(a, device=gpu)
    for shift in (1, -1, 2, 7, 12, 16, 21):
        assert_same(to_host(xp.roll(x, shift, axis=-1)), np.roll(a, shift, axis=-1))


@pytest.mark.parametrize("offset", [0, 16, 5])
@pytest.mark.parametrize("shape", [(12, 64), (12, 60), (3, 8, 32)])
def test_neighbours_of_a_plane(gpu: Device, shape: tuple[int, ...], offset: int) -> None:
    """Rolls along several axes at once, of arrays that begin anywhere, in expressions with wider dtypes."""
    whole = _numbers("int8", (int(np.prod(shape)) + offset,))
    a = whole[offset:].reshape(shape)
    x = xp.reshape(xp.asarray(whole, device=gpu)[offset:], shape)
    b = _numbers("float32", shape)
    y = xp.asarray(b, device=gpu)
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    around = sum(np.roll(a, by, axis=(-2, -1)) for by in shifts)
    found = sum(xp.roll(x, by, axis=(-2, -1)) for by in shifts)
    assert_same(to_host((found == 3) | (x == 1)), (around == 3) | (a == 1))
    wider = xp.astype(xp.roll(x, (1, 3), axis=(-2, -1)), xp.float32) + xp.roll(y, -5, axis=-1) + y
    assert_same(to_host(wider), np.roll(a, (1, 3), axis=(-2, -1)).astype("float32") + np.roll(b, -5, axis=-1) + b)
    steps = xp.roll(x[..., ::2], 3, axis=-1) + x[..., ::2]  # elements that are no neighbours
    assert_same(to_host(steps), np.roll(a[..., ::2], 3, axis=-1) + a[..., ::2])


@pytest.mark.parametrize(
    ("shape", "strides", "shifts", "grain"),
    [
        ((4096,), (1,), (1,), 4096),
        ((12, 64), (64, 1), (0, 1), 64),
        ((12, 60), (64, 1), (0, 1), 4),
        ((12, 64), (64, 1), (1, 0), 0),  # whole rows
        ((12, 32), (64, 2), (0, 1), 1),
    ],
)
def test_what_rows_that_wrap_are_multiples_of(
    shape: tuple[int, ...], strides: tuple[int, ...], shifts: tuple[int, ...], grain: int
) -> None:
    result = tuple(int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
    schedule = elementwise_schedule(shape, ((shape, result), (shape, strides, shifts)))
    assert schedule.inner_grain == grain
