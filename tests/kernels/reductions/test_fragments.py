"""Products by matrix units, whose words are computed here from local memory: every dtype, tile and layout."""

from __future__ import annotations

import numpy as np
import pytest
from support import scalar_twin
from support.products import LAYOUTS, bound, laid, numbers

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.reductions.fragments import by_fragments, has_fragments, slabs_of
from arrayapi_gpu.memory.dtypes import DTYPE_OF, INTEGRAL
from arrayapi_gpu.memory.gpuarray import empty, upload

SIZES = ((16, 16, 16), (33, 70, 41), (64, 40, 128), (16, 3000, 16))


@pytest.fixture
def with_units(device: Device) -> Device:
    """A device that stands for one with matrix units."""
    twin = scalar_twin(device)
    twin.fragments = frozenset({"u8", "f16", "bf16", "f64", "c128"}) & device.dtypes
    return twin


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("short", ["u8", "i8", "f16", "bf16", "f64", "c128"])
def test_layouts_never_show_in_the_bits(with_units: Device, short: str, size: tuple[int, int, int]) -> None:
    if short.replace("i", "u") not in with_units.fragments:
        pytest.skip(f"{with_units} has no {short}")
    dtype, (m, k, n) = DTYPE_OF[short], size
    random = np.random.default_rng(8)
    a, b = numbers(random, (2, m, k), dtype), numbers(random, (2, k, n), dtype)
    found = []
    for one, other in LAYOUTS:
        out = empty(with_units, dtype, (2, m, n))
        by_fragments(laid(with_units, a, one), laid(with_units, b, other), out)
        found.append(out.download())
    if dtype in INTEGRAL:
        np.testing.assert_array_equal(found[0], a @ b)
    else:
        exact = a.astype(np.complex128) @ b.astype(np.complex128)
        assert (abs(found[0].astype(np.complex128) - exact) <= bound(a, b, dtype)).all()
    assert {one.tobytes() for one in found} == {found[0].tobytes()}


@pytest.mark.parametrize("slabs", sorted({(size, row) for size, rows in tuning.FRAGMENT_SLABS.items() for row in rows}))
def test_slabs_fit(slabs: tuple[int, tuple[int, ...]]) -> None:
    """Slabs fit in local memory, and every work-item copies as many units."""
    itemsize, (tall, broad, depth, high, width, stages) = slabs
    items = tall // high * (broad // width) * 32
    assert stages * (tall + broad) * depth * itemsize <= 48 << 10
    assert all(edge * depth * itemsize // 16 % items == 0 for edge in (tall, broad))


def test_infinity_and_nan_stay_in_their_rows_and_columns(with_units: Device) -> None:
    a, b = np.ones((20, 25), np.float16), np.ones((25, 20), np.float16)
    a[3, 4], b[2, 7] = np.nan, np.inf
    out = empty(with_units, a.dtype, (20, 20))
    by_fragments(upload(with_units, a), upload(with_units, b), out)
    np.testing.assert_array_equal(out.download(), a.astype(np.float32) @ b.astype(np.float32))


def test_only_matrices_of_some_size_are_multiplied_so(with_units: Device) -> None:
    def asked(m: int, k: int, n: int, short: str = "f16", matrices: int = 1) -> bool:
        return has_fragments(with_units, DTYPE_OF[short], matrices, m, n, k)

    (least, middle), many = tuning.FRAGMENTS_FROM[16], 1 << 14
    assert asked(least, many, middle, "c128") and asked(middle, least, middle, "c128", matrices=many)
    assert not asked(least, many, least, "c128")  # of whose tiles most would be empty
    least, middle = tuning.FRAGMENTS_FROM[2]
    assert asked(least, many, middle) and not asked(least - 8, many, many)
    assert not asked(300, 300, 300) and asked(2000, 2000, 2001)  # whose rows are copied
    assert not any((asked(1, many, many), asked(many, 1, many), asked(many, many, 1), asked(many, 64, 64, "f32")))
    assert asked(128, 128, 128, "i8") and not asked(64, many, many, "u8")
    assert not asked(least, least, least)  # so little is computed that a launch takes most of the time


def test_a_long_sum_is_cut_where_tiles_are_few() -> None:
    assert slabs_of(4096, 4096, 4096, 1, 2)[1] == 4096
    assert slabs_of(16, 16, 1 << 20, 1, 2)[1] < 1 << 20
