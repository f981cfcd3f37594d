"""Planes made of neighbouring elements on GPUs: a work-item takes all rows with the neighbours of an access."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.schedule import elementwise_schedule

HostArray = np.ndarray[Any, Any]


@pytest.fixture
def gpu(device: Device) -> Device:
    return scalar_twin(device)


def _numbers(dtype: str, shape: tuple[int, ...]) -> HostArray:
    numbers = np.asarray(sample("int8", shape))
    return numbers > 0 if dtype == "bool" else numbers.astype(dtype)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "float32", "complex64"])
@pytest.mark.parametrize("shape", [(9, 64, 3), (9, 63, 3), (30, 32, 2), (11, 16, 4), (8, 16, 5)])
def test_pixels_become_planes(gpu: Device, shape: tuple[int, ...], dtype: str) -> None:
    a = _numbers(dtype, shape)
    x = xp.asarray(a, device=gpu)
    found = xp.permute_dims(x, (2, 0, 1))
    assert_same(to_host(xp.asarray(found, copy=True)), np.ascontiguousarray(a.transpose(2, 0, 1)))
    wide = "complex64" if dtype == "complex64" else "float32"
    assert_same(to_host(xp.astype(found, getattr(xp, wide)) * 3), a.transpose(2, 0, 1).astype(wide) * np.float32(3))


@pytest.mark.parametrize("columns", [256, 250])
@pytest.mark.parametrize("offset", [0, 1])
def test_planes_of_several_operands(gpu: Device, columns: int, offset: int) -> None:
    """Others that are planes, the same for all rows, one number a row, or an index; memory that begins anywhere."""
    whole = _numbers("uint8", (columns * 3 + offset,))
    a, x = whole[offset:].reshape(columns, 3).T, xp.asarray(whole, device=gpu)[offset:].reshape(columns, 3).T
    planes, line, column = (_numbers("float32", shape) for shape in ((3, columns), (columns,), (3, 1)))
    b, y, z = (xp.asarray(each, device=gpu) for each in (planes, line, column))
    found = (xp.astype(x, xp.float32) + b) * y + z + xp.arange(columns, dtype=xp.float32, device=gpu)
    expected = (a.astype("float32") + planes) * line + column + np.arange(columns, dtype="float32")
    assert_same(to_host(found), expected)
    assert_same(to_host(x[::-1, ::-1] + x), a[::-1, ::-1] + a)


@pytest.mark.parametrize(
    ("shape", "strides", "rows"),
    [
        ((3, 1024), (1, 3), 3),
        ((5, 1024), (1, 5), 0),  # too many
        ((3, 1024), (2048, 2), 0),  # no neighbours
        ((7, 3, 1024), (3072, 1, 3), 3),
    ],
)
def test_rows_are_interleaved_that_are_few_and_close(
    shape: tuple[int, ...], strides: tuple[int, ...], rows: int
) -> None:
    result = tuple(int(np.prod(shape[k + 1 :])) for k in range(len(shape)))
    schedule = elementwise_schedule(shape, ((shape, result), (shape, strides)))
    assert (schedule.interleaved, schedule.inner_grain) == (rows, 1024 if rows else 0)
