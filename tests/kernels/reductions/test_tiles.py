"""Products without explicit vectors, by tiles and of vectors: every dtype, tile and layout."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support import in_part, scalar_twin
from support.products import LAYOUTS, bound, laid, numbers

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.reductions.matmul import matmul
from arrayapi_gpu.kernels.reductions.pieces import sums_in
from arrayapi_gpu.kernels.reductions.tiles import division, sums_of
from arrayapi_gpu.memory.dtypes import DTYPE_OF, DTYPES, INTEGRAL, NUMERIC
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload
from arrayapi_gpu.memory.layout import Layout

Host = npt.NDArray[Any]

# Tiles of all sizes, with and without all of their elements; a summed index in pieces; rows and columns.
SIZES = (
    (1, 1, 1),
    (2, 3, 4),
    (8, 8, 8),
    (17, 16, 15),
    (64, 70, 64),
    (130, 17, 131),
    (3, 3000, 40),
    (8, 5000, 8),
    (1, 300, 1),
    (1, 17, 200),
    (300, 3, 1),
    (70, 5000, 1),
)


@pytest.fixture
def lanes_of_one(device: Device) -> Device:
    return scalar_twin(device)


def multiplied(a: GpuArray, b: GpuArray) -> Host:
    out = empty(a.storage.device, a.dtype, (*a.shape[:-1], b.shape[-1]))
    matmul(a, b, out)
    return out.download()


@pytest.mark.parametrize(
    ("short", "size"), in_part(product(("u8", "i16", "f16", "bf16", "f32", "c64", "c128"), SIZES), 5)
)
def test_layouts_never_show_in_the_bits(lanes_of_one: Device, short: str, size: tuple[int, int, int]) -> None:
    """Of stacks of three: by rows, by columns, not aligned, and reversed in steps."""
    dtype, (m, k, n) = DTYPE_OF[short], size
    random = np.random.default_rng(8)
    a, b = numbers(random, (3, m, k), dtype), numbers(random, (3, k, n), dtype)
    found = [multiplied(laid(lanes_of_one, a, one), laid(lanes_of_one, b, other)) for one, other in LAYOUTS]
    if dtype in INTEGRAL:
        np.testing.assert_array_equal(found[0], a @ b)
    else:
        exact = a.astype(np.complex128) @ b.astype(np.complex128)
        assert (abs(found[0].astype(np.complex128) - exact) <= bound(a, b, dtype)).all()
    assert {one.tobytes() for one in found} == {found[0].tobytes()}


def test_a_matrix_may_be_the_same_in_a_stack(lanes_of_one: Device) -> None:
    random = np.random.default_rng(9)
    a, b = random.standard_normal((40, 16, 16)), random.standard_normal((16, 16))
    same = upload(lanes_of_one, b).view(Layout((40, 16, 16), (0, 16, 1), 0))
    np.testing.assert_allclose(multiplied(upload(lanes_of_one, a), same), a @ b, rtol=1e-12, atol=1e-12)


def test_infinity_and_nan_stay_in_their_rows_and_columns(lanes_of_one: Device) -> None:
    a, b = np.ones((20, 9), np.float32), np.ones((9, 20), np.float32)
    a[3, 4], b[2, 7] = np.nan, np.inf
    np.testing.assert_array_equal(multiplied(upload(lanes_of_one, a), upload(lanes_of_one, b)), a @ b)


@pytest.mark.parametrize("itemsize", [4, 8, 16])
def test_tiles_fit(itemsize: int) -> None:
    """Every work-item moves whole parts of a slab, and slabs fit in local memory."""
    sizes = (1, 2, 3, 8, 20, 64, 100, 300, 5000)
    for m, n, k in ((m, n, k) for m in sizes for n in sizes for k in (1, 7, 64, 100_000)):
        for matrices in (1, 1000):
            tile, length = division(m, n, k, matrices, itemsize)
            for edge in (tile.tall, tile.broad):
                assert edge * tile.depth % tile.own == 0
            pad = max(16 // itemsize, 1)
            nbytes = tile.together * max(
                tile.tall * (tile.depth + pad) + tile.broad * (tile.depth + pad),
                tile.depth * (tile.tall + tile.broad + 2 * pad),
            )
            assert nbytes * itemsize <= 48 << 10
            assert tile.own * tile.together <= 256
            assert length == k or length % tile.depth == 0


def test_small_matrices_get_small_tiles() -> None:
    for extent in (2, 4, 8, 16, 32, 64):
        tile = division(extent, extent, extent, 1_000_000, 4).tile
        assert (tile.tall, tile.broad) == (extent, extent)


def test_a_long_sum_is_cut_only_where_rows_are_few() -> None:
    assert sums_of(1 << 20, 4096, 1, 4)[-1] == 4096
    assert sums_of(64, 1 << 20, 1, 4)[-1] < 1 << 20


@pytest.mark.parametrize(
    ("m", "k", "itemsize"), [(8192, 512, 4), (1 << 16, 256, 4), (1 << 15, 128, 8), (1 << 14, 256, 16)]
)
def test_rows_that_are_busy_in_one_piece_stay_whole(m: int, k: int, itemsize: int) -> None:
    """Fewer sums of a row must not make more pieces of it."""
    assert sums_of(m, k, 1, itemsize)[-1] == k


def test_many_rows_have_fewer_sums() -> None:
    assert [sums_of(m, 100, 1, 16)[:2] for m in (1 << 10, 1 << 18)] == [(8, 16), (8, 2)]
    assert sums_of(1 << 18, 4096, 1, 4)[:2] == (8, 16)  # which is long


@pytest.mark.parametrize("size", [(901, 77, 1), (1, 91, 901)], ids=str)
@pytest.mark.parametrize("short", ["f16", "f32", "c128"])
def test_layouts_of_many_rows_never_show_in_the_bits(
    lanes_of_one: Device, short: str, size: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "VECTORS_BUSY", 64)
    m, k, n = size
    itemsize = DTYPE_OF[sums_in(DTYPE_OF[short])].itemsize
    line, parts, *_ = sums_of(max(m, n), k, 3, itemsize)
    assert line * parts == tuning.VECTOR_LINE * (2 if short == "c128" else 1)
    test_layouts_never_show_in_the_bits(lanes_of_one, short, size)


def test_a_single_matrix_has_groups_of_one_tile() -> None:
    assert division(3, 3, 3, 1, 4).tile.together == 1 < division(3, 3, 3, 1000, 4).tile.together
    assert division(3, 3, 1 << 20, 1, 4).tile.together > 1  # in pieces


def test_every_dtype_is_multiplied(lanes_of_one: Device) -> None:
    for dtype in DTYPES:
        if dtype in NUMERIC:
            one = np.ones((2, 5), dtype)
            np.testing.assert_array_equal(
                abs(multiplied(upload(lanes_of_one, one), upload(lanes_of_one, one.T.copy())).astype(np.complex128)), 5
            )
