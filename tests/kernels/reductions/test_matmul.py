"""The matrix product against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.tuning import BLOCK_ROWS, BUSY, COLUMN_ROWS, PACKED_ROWS, STRETCH, WIDE
from arrayapi_gpu.kernels.reductions.matmul import matmul
from arrayapi_gpu.memory.dtypes import COMPUTES_IN, DTYPES, INTEGRAL, NUMERIC, finfo
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload
from arrayapi_gpu.memory.layout import Layout

Host = npt.NDArray[Any]

# Vectors, single elements, lengths around those at which work is cut, nothing to sum.
SIZES = (
    (1, 1, 1),
    (1, 64 * STRETCH + 70, 1),
    (1, 2 * STRETCH + 40, 33),
    (33, 40, 1),
    (COLUMN_ROWS * BUSY + 3, 100, 1),
    (3, 5, 2),
    (7, 0, 5),
    (PACKED_ROWS, 1, 64),
    (PACKED_ROWS + 1, STRETCH + 1, 65),
    (2 * BLOCK_ROWS + 1, 2 * STRETCH, 17),
)


def product(a: GpuArray, b: GpuArray, shape: tuple[int, ...]) -> Host:
    """What matmul writes."""
    out = empty(a.storage.device, a.dtype, shape)
    matmul(a, b, out)
    return out.download()


def numbers(random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Host:
    """Elements of all signs and, for integers, all magnitudes."""
    if dtype in INTEGRAL:
        return random.integers(0, 256, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    if dtype.kind == "c":
        return (random.uniform(-1, 1, shape) + 1j * random.uniform(-1, 1, shape)).astype(dtype)
    return random.uniform(-1, 1, shape).astype(dtype)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in NUMERIC], ids=str)
def test_every_dtype(twin: Device, dtype: np.dtype[Any], size: tuple[int, int, int]) -> None:
    """Integers agree exactly; floating sums within the rounding of k additions, in the dtype that computes,
    and of one to their own."""
    m, k, n = size
    random = np.random.default_rng(5)
    a, b = numbers(random, (m, k), dtype), numbers(random, (k, n), dtype)
    found = product(upload(twin, a), upload(twin, b), (m, n))
    if dtype in INTEGRAL:
        np.testing.assert_array_equal(found, a @ b)
        return
    exact = a.astype(np.complex128) @ b.astype(np.complex128)
    bound = (k + 2) * finfo(COMPUTES_IN[dtype]).eps * (abs(a).astype(float) @ abs(b).astype(float))
    if COMPUTES_IN[dtype] != dtype:
        bound += abs(exact) * finfo(dtype).eps
    assert (abs(found.astype(np.complex128) - exact) <= bound).all()


def test_strides_never_show_in_the_bits(twin: Device) -> None:
    """Transposed, reversed and stepped operands give the bits of their copies."""
    random = np.random.default_rng(6)
    a, b = random.standard_normal((60, 300)), random.standard_normal((300, 70))
    wanted = product(upload(twin, a), upload(twin, b), (60, 70))
    turned = upload(twin, np.ascontiguousarray(a.T)).view(Layout((60, 300), (1, 60), 0))
    spread = np.zeros((300, 140))
    spread[::-1, ::-2] = b
    stepped = upload(twin, spread).view(Layout((300, 70), (-140, -2), 299 * 140 + 139))
    assert product(turned, stepped, (60, 70)).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("m", [5, 19])
@pytest.mark.parametrize("stack", [(), (2,)])
def test_strides_of_a_very_wide_matrix_never_show_in_the_bits(twin: Device, stack: tuple[int, ...], m: int) -> None:
    """Times a vector: whether it lies by rows or by columns."""
    random, k = np.random.default_rng(7), m * WIDE + 3
    a, b = random.standard_normal((*stack, m, k)).astype("f4"), random.standard_normal((*stack, k, 1)).astype("f4")
    wanted = product(upload(twin, a), upload(twin, b), (*stack, m, 1))
    np.testing.assert_allclose(wanted, a.astype("f8") @ b.astype("f8"), rtol=1e-4, atol=1e-4)
    strides = (*[m * k] * len(stack), 1, m)
    turned = upload(twin, np.ascontiguousarray(a.swapaxes(-1, -2))).view(Layout((*stack, m, k), strides, 0))
    assert product(turned, upload(twin, b), (*stack, m, 1)).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("m", [2, PACKED_ROWS])
def test_stacks(twin: Device, m: int) -> None:
    """Batch dimensions may be repeated, and need not be evenly spaced."""
    random = np.random.default_rng(7)
    a, b = random.standard_normal((3, m, 20)), random.standard_normal((4, 3, 20, 30))
    wanted = a @ b
    x = upload(twin, a).view(Layout((4, 3, m, 20), (0, m * 20, 20, 1), 0))
    found = product(x, upload(twin, b), wanted.shape)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    one = upload(twin, b[0, 0]).view(Layout((4, 3, 20, 30), (0, 0, 30, 1), 0))
    found = product(x, one, wanted.shape)
    np.testing.assert_allclose(found, np.broadcast_to(a @ b[0, 0], wanted.shape), atol=1e-12)


def test_infinities_stay_in_their_rows(twin: Device) -> None:
    """Nothing outside of the matrices takes part: neither zeros next to infinity nor its copies."""
    a, b = np.ones((5, 3)), np.ones((3, 5))
    a[4, 2] = np.inf
    b[0, 4] = -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(product(upload(twin, a), upload(twin, b), (5, 5)), a @ b)
