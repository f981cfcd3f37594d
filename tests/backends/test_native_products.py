"""Products of the native back end are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

SHAPES = [((3, 4), (4, 5)), ((2, 3, 4), (4, 2)), ((7,), (7, 3)), ((2, 3), (3,)), ((0, 3), (3, 2)), ((3, 0), (0, 2))]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_products_are_numpys(native: Device, dtype: str, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    found = to_host(xp.matmul(xp.asarray(a, device=native), xp.asarray(b, device=native)))
    assert np.allclose(found, a @ b, rtol=1e-5) and found.dtype == dtype


def test_a_product_is_repeated_on_other_operands(native: Device) -> None:
    rng = np.random.default_rng(0)
    with xp.config.set(device="native"):
        for _ in range(3):
            a, b = rng.standard_normal((2, 40, 40))
            found = to_host(xp.exp(xp.asarray(a)) @ xp.asarray(b).T[::-1])
            assert np.allclose(found, np.exp(a) @ b.T[::-1])
