"""Compaction against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.tuning import SCALARS, VECTORS
from arrayapi_gpu.kernels.ordering.compact import compress, nonzero
from arrayapi_gpu.memory.dtypes import BOOLEAN, DTYPES, INTEGRAL
from arrayapi_gpu.memory.gpuarray import GpuArray, upload
from arrayapi_gpu.memory.layout import Layout

LENGTHS = (0, 1, 15, 16, 17, SCALARS[0], VECTORS[0] - 1, VECTORS[0], 3 * VECTORS[0] + 5)


@pytest.fixture
def twin(waiting_twin: Device) -> Device:
    return waiting_twin


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_positions_and_elements(twin: Device, n: int, share: float) -> None:
    """Both results are NumPy's, whatever the length and the share of true ones."""
    random = np.random.default_rng(n)
    mask = random.random(n) < share
    values = random.standard_normal(n).astype(np.float32)
    on_device = upload(twin, mask)
    np.testing.assert_array_equal(nonzero(on_device).download(), np.flatnonzero(mask))
    np.testing.assert_array_equal(compress(on_device, upload(twin, values)).download(), values[mask])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype(twin: Device, dtype: np.dtype[np.generic]) -> None:
    """Elements keep their bits."""
    random = np.random.default_rng(1)
    values = random.integers(0, 2, 100 * dtype.itemsize, np.uint8)
    values = values.view(dtype) if dtype.kind != "b" else values.astype(bool)
    mask = random.random(100) < 0.5
    found = compress(upload(twin, mask), upload(twin, values)).download()
    assert found.dtype == dtype
    assert found.tobytes() == values[mask].tobytes()


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d in INTEGRAL | BOOLEAN], ids=str)
def test_positions_from_any_number_on(twin: Device, dtype: np.dtype[Any]) -> None:
    """Positions as numbers of any dtype that has them, which begin anywhere."""
    mask = np.random.default_rng(3).random(2 if dtype.kind == "b" else 90) < 0.5
    last = 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)
    first = last - mask.size + 1
    found = nonzero(upload(twin, mask), first, dtype).download()
    assert found.dtype == dtype
    assert found.tolist() == [first + int(k) for k in np.flatnonzero(mask)]


def test_views(twin: Device) -> None:
    """Positions count the view's elements in C order, whatever its strides and offset."""
    base = np.random.default_rng(2).random((40, 30)) < 0.3
    whole = upload(twin, base)
    layouts = {
        "transposed": (base.T, Layout((30, 40), (1, 30), 0)),
        "reversed": (base[::-1, 3:], Layout((40, 27), (-30, 1), 39 * 30 + 3)),
        "repeated": (np.broadcast_to(base[5], (7, 30)), Layout((7, 30), (0, 1), 150)),
        "a row": (base[7], Layout((30,), (1,), 210)),
        "no dimension": (base[3, 3], Layout((), (), 93)),
    }
    for host, layout in layouts.values():
        view: GpuArray = whole.view(layout)
        np.testing.assert_array_equal(nonzero(view).download(), np.flatnonzero(host))
        np.testing.assert_array_equal(compress(view, view).download(), host[host])
