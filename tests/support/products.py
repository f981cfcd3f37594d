"""Operands of matrix products in all layouts, and how much a product may differ from the exact one."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import COMPUTES_IN, INTEGRAL, finfo
from arrayapi_gpu.memory.gpuarray import GpuArray, upload
from arrayapi_gpu.memory.layout import Layout

Host = npt.NDArray[Any]

# How both operands lie.
LAYOUTS = (
    ("rows", "rows"),
    ("columns", "columns"),
    ("rows", "columns"),
    ("columns", "rows"),
    ("behind another element", "behind another element"),
    ("reversed in steps", "reversed in steps"),
)


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Host:
    """Elements of all signs and, for integers, all magnitudes."""
    if dtype in INTEGRAL:
        return random.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    if dtype.kind == "c":
        return (random.uniform(-1, 1, shape) + 1j * random.uniform(-1, 1, shape)).astype(dtype)
    return random.uniform(-1, 1, shape).astype(dtype)


def bound(a: Host, b: Host, dtype: np.dtype[Any]) -> Host:
    """The rounding of k additions, in the dtype that computes, and of one to its own."""
    wide = COMPUTES_IN[dtype]
    found: Host = (a.shape[-1] + 2) * finfo(wide).eps * (abs(a).astype(float) @ abs(b).astype(float))
    if wide != dtype:
        found += abs(a.astype(float) @ b.astype(float)) * finfo(dtype).eps
    return found


def laid(device: Device, a: Host, layout: str) -> GpuArray:
    """The matrices on the device, in a layout."""
    steps = tuple(step // a.itemsize for step in a.strides)
    if layout == "rows":
        return upload(device, a)
    if layout == "columns":
        array = upload(device, np.ascontiguousarray(a.swapaxes(-1, -2)))
        *stacks, down, right = array.strides
        return array.view(Layout(a.shape, (*stacks, right, down), 0))
    if layout == "behind another element":
        longer = np.zeros(a.size + 1, a.dtype)
        longer[1:] = a.reshape(-1)
        return upload(device, longer).view(Layout(a.shape, steps, 1))
    spread = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    spread[..., ::-2] = a
    array = upload(device, spread)
    return array.view(Layout(a.shape, (*array.strides[:-1], -2), 2 * a.shape[-1] - 1))
