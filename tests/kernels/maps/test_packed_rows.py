"""Short rows on GPUs, where work-items take the neighbours of an access across the ends of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.schedule import elementwise_schedule

HostArray = np.ndarray[Any, Any]

ROWS = 2003


@pytest.fixture
def gpu(device: Device) -> Device:
    return scalar_twin(device)


def _numbers(dtype: str, shape: tuple[int, ...]) -> HostArray:
    numbers = np.asarray(sample("int8", shape))
    return numbers > 0 if dtype == "bool" else numbers.astype(dtype)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "complex64", "int64"])
def test_repeated_elements(gpu: Device, dtype: str) -> None:
    a = _numbers(dtype, (2 * ROWS,))
    x = xp.asarray(a, device=gpu)
    for count in (3, 5, 7):
        assert_same(to_host(xp.repeat(x, count)), np.repeat(a, count))


@pytest.mark.parametrize("width", [3, 5, 7, 13])
def test_rows_with_gaps_columns_and_indices(gpu: Device, width: int) -> None:
    a, b = _numbers("int16", (ROWS, 16)), _numbers("int16", (width,))
    x, y = xp.asarray(a, device=gpu), xp.asarray(b, device=gpu)
    assert_same(to_host(x[:, :width] + y), a[:, :width] + b)
    assert_same(to_host(x[:, 1 : width + 1] - x[:, :1]), a[:, 1 : width + 1] - a[:, :1])
    assert_same(to_host(x[::-1, width:0:-1] * y), a[::-1, width:0:-1] * b)
    i = xp.arange(width, dtype=xp.int64, device=gpu) + xp.astype(x[:, :1], xp.int64)
    assert_same(to_host(i), np.arange(width) + a[:, :1].astype("int64"))
    planes = _numbers("uint8", (width, ROWS))
    assert_same(to_host(xp.asarray(planes, device=gpu).T + 1), planes.T + np.uint8(1))


def test_results_that_begin_anywhere(gpu: Device) -> None:
    """Without whole accesses, elements lie at even distances."""
    a = _numbers("int8", (ROWS,))
    x, z = xp.asarray(a, device=gpu), xp.zeros(3 * ROWS + 1, dtype=xp.int8, device=gpu)
    z[1:] = xp.repeat(x, 3) + 1
    assert_same(to_host(z), np.concatenate([np.zeros(1, "int8"), np.repeat(a, 3) + np.int8(1)]))


@pytest.mark.parametrize(("width", "lanes", "packed"), [(3, 4, True), (4, 4, False), (9, 4, False), (9, 16, True)])
def test_rows_are_packed_that_are_no_accesses(width: int, lanes: int, packed: bool) -> None:
    shape = (5000, width)
    schedule = elementwise_schedule(shape, ((shape, (width, 1)), (shape, (1, 0))), 1, lanes)
    assert bool(schedule.packed) is packed
