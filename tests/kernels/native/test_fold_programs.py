"""Reductions by loops have the bits of kernels: layouts, sizes and orders that blocks must respect."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support import in_part
from support.loops_bits import same_bits

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

SHAPES = [
    (7,),
    (5000,),
    (100003,),
    (3, 5),
    (40, 3),
    (300, 70),
    (70, 300),
    (5, 20000),
    (20000, 5),
    (17, 33, 9),
    (2, 70000),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", in_part(["float32", "uint8", "complex64", "float16", "float64", "int32", "bool"]))
def test_reductions(device: Device, native: Device, dtype: str, shape: tuple[int, ...]) -> None:
    host = (np.random.default_rng(len(shape)).standard_normal(shape) * 50).astype(dtype)
    rounded = np.dtype(dtype).kind in "fc" and device.lanes != native.lanes  # whose sums have an order of their own
    names = ["any", "all", *["sum", "prod"] * (not rounded)]
    names += ["max", "min", "argmax", "argmin"] * (dtype not in ("complex64", "bool"))
    for name, axis in itertools.product(names, (None, *range(len(shape)))):
        reduce = getattr(xp, name)
        if dtype == "bool" and name in ("sum", "prod"):
            continue
        same_bits(device, native, lambda x, reduce=reduce, axis=axis: reduce(x, axis=axis), host)
        if dtype != "bool":
            same_bits(device, native, lambda x, reduce=reduce, axis=axis: reduce(x * x + x, axis=axis), host)


@pytest.mark.parametrize("axis", [(0, 1), (0, 2), (1, 2)], ids=str)
def test_reductions_of_two_axes(device: Device, native: Device, axis: tuple[int, int]) -> None:
    host = np.random.default_rng(0).integers(-9, 9, (30, 33, 19)).astype(np.float32)  # sums of any order are exact
    same_bits(device, native, lambda x: xp.sum(x * 3, axis=axis), host)


def test_the_first_nan_wins(device: Device, native: Device) -> None:
    host = np.random.default_rng(0).standard_normal((50, 4000)).astype(np.float32)
    host[::3, 17::1000] = np.nan
    same_bits(device, native, lambda x: xp.argmax(x, axis=1), host)
    same_bits(device, native, lambda x: xp.max(x, axis=0), host)
