"""Triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import basic
from arrayapi_gpu.pygpu.gpuarray import GpuContext


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("shape", [(10, 5), (5, 10), (6, 6), (0, 3)], ids=str)
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("inplace", [True, False])
def test_a_triangle_is_numpys(ctx: GpuContext, name: str, shape: Any, order: Any, inplace: bool, rng: Any) -> None:
    host = np.asarray(rng.random(shape), order=order)
    x = pygpu.array(host, order=order, context=ctx)
    result = getattr(basic, name)(x, inplace=inplace)
    np.testing.assert_array_equal(np.asarray(result), getattr(np, name)(host))
    assert (result is x) is inplace
    if not inplace:
        np.testing.assert_array_equal(np.asarray(x), host)


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_what_is_no_contiguous_matrix_is_refused(ctx: GpuContext, name: str) -> None:
    x = pygpu.zeros((4, 4, 4), context=ctx)
    for wrong, text in ((x, "2d arrays: got 3"), (x[0, 0], "2d arrays: got 1"), (x[:, 0, ::2], "contiguous arrays")):
        with pytest.raises(ValueError, match=text):
            getattr(basic, name)(wrong)
