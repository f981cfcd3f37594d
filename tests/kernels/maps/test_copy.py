"""Copies into contiguous memory, casts on the way, and memory full of zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, assert_same, lay_out, sample

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.maps.copy import assign, contiguous, zeros
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload
from arrayapi_gpu.memory.layout import Layout


def strided(device: Device, a: np.ndarray[Any, Any], layout: Layout) -> GpuArray:
    """A view of a copy of ``a`` on the device."""
    return upload(device, a).view(layout)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_copy_has_the_elements_of_the_view_in_c_order(twin: Device, dtype: str) -> None:
    a = sample(dtype, (6, 7))
    turned = strided(twin, a, Layout((7, 6), (1, 7), 0))
    out = contiguous(turned)
    assert out.contiguous and out.storage is not turned.storage
    assert_same(out.download(), a.T.copy())


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_what_is_not_contiguous_is_copied(layout: str) -> None:
    a = sample("float32", (5, 6))
    array = lay_out(a, layout)._memory()
    assert (contiguous(array) is array) == array.contiguous
    assert_same(contiguous(array).download(), a)


def test_another_dtype_is_a_cast_copy(twin: Device) -> None:
    a = np.array([1.75, -2.5, 300.0, 0.0], "f4")
    out = contiguous(upload(twin, a), np.dtype("i2"))
    assert_same(out.download(), a.astype("i2"))


@pytest.mark.parametrize(("source", "target"), [("f4", "f8"), ("i8", "i1"), ("u1", "f2"), ("f4", "c8"), ("i4", "?")])
def test_elements_are_cast_into_a_view_and_nothing_beside_it_changes(twin: Device, source: str, target: str) -> None:
    a = np.arange(-6, 6).astype(source)
    whole = upload(twin, np.ones((4, 7), target))
    assign(whole.view(Layout((4, 3), (7, 2), 1)), upload(twin, a.reshape(4, 3)))
    expected = np.ones((4, 7), target)
    expected[:, 1:7:2] = a.reshape(4, 3).astype(target)
    assert_same(whole.download(), expected)


def test_bits_of_nan_are_copied_as_they_are(twin: Device) -> None:
    bits = np.array([0x7FC00001, 0xFFC12345, 0x7F800001], "u4")
    source = upload(twin, np.repeat(bits, 2).view("f4")).view(Layout((3,), (2,), 0))
    assert contiguous(source).download().view("u4").tolist() == bits.tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (17,), (5, 1000)])
def test_zeros_has_zero_bits_everywhere(twin: Device, shape: tuple[int, ...], dtype: str) -> None:
    used = upload(twin, np.full(shape, 1, dtype))  # so that the pool has memory that is not zero
    del used
    out = zeros(twin, np.dtype(dtype), shape)
    assert_same(out.download(), np.zeros(shape, dtype))


def test_no_elements_take_no_launch() -> None:
    device = RecordingDevice()
    assign(empty(device, np.dtype("f4"), (0, 3)), empty(device, np.dtype("f8"), (0, 3)))
    assert zeros(device, np.dtype("f4"), (2, 0)).shape == (2, 0)
    assert "launch" not in [verb for verb, _ in device.calls]
