"""Epilogues in each kernel of products and reductions: the bits of separate kernels."""

from __future__ import annotations

import numpy as np
import pytest
from support import scalar_twin
from support.products import LAYOUTS, laid, numbers

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.body import Body, S, T, X
from arrayapi_gpu.kernels.core.monoid import SUM
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.kernels.reductions.epilogues import Epilogue, Following
from arrayapi_gpu.kernels.reductions.matmul import matmul, matmul_then, takes_epilogue
from arrayapi_gpu.kernels.reductions.reduce_passes import reduce
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import empty, upload
from arrayapi_gpu.memory.layout import broadcast

# Extents m, n, k, and the dtype.
FORMS = {
    "tiles": ((40, 50, 30), "f32"),
    "tiles of integers": ((40, 50, 30), "i16"),
    "tiles of halves": ((70, 66, 80), "f16"),
    "tiles of float64": ((130, 40, 64), "f64"),
    "a column": ((300, 1, 65), "f32"),
    "a row": ((1, 300, 65), "f32"),
}


@pytest.mark.parametrize("layouts", LAYOUTS, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_bits_are_those_of_separate_kernels(device: Device, form: str, layouts: tuple[str, str]) -> None:
    twin = scalar_twin(device)
    twin.library, twin.fragments = None, frozenset()
    (m, n, k), short = FORMS[form]
    if short not in device.dtypes:
        pytest.skip(f"{device} has no {short}")
    dtype, random = DTYPE_OF[short], np.random.default_rng(3)
    a, b, bias = (numbers(random, shape, dtype) for shape in ((2, m, k), (2, k, n), (n,)))
    left, right, third = laid(twin, a, layouts[0]), laid(twin, b, layouts[1]), upload(twin, bias)
    product = empty(twin, dtype, (2, m, n))
    matmul(left, right, product)
    scale, add = OPS["multiply"].rules[dtype, dtype], OPS["add"].rules[dtype, dtype]
    steps = (scale, (X[1], S[0])), (add, (T[0], X[0]))
    body = Body(((dtype, False), (dtype, False)), (), (dtype,), steps, (T[1],), (dtype,))
    out = empty(twin, dtype, (2, m, n))
    other = third.through(broadcast(third.layout, (2, m, n)))
    assert takes_epilogue(twin, dtype, 2, m, n, k)
    matmul_then(left, right, out, Following(Epilogue(body, 1), [other], [3]))
    with np.errstate(over="ignore"):
        expected = (product.download() * dtype.type(3) + bias).astype(dtype)
    assert out.download().tobytes() == expected.tobytes()


# Shapes, axes, and the dtypes of elements and of results.
REDUCED = {
    "a group for all": ((3000,), (0,), "f32", "f32"),
    "groups that publish": ((4, 200000), (1,), "f32", "f32"),
    "rows": ((60, 300), (1,), "f64", "f64"),
    "short rows": ((5001, 6), (1,), "f32", "f32"),
    "short columns": ((5, 4100), (0,), "i16", "i64"),
    "columns": ((300, 70), (0,), "f16", "f16"),
}


@pytest.mark.parametrize("form", REDUCED)
def test_reductions_have_the_bits_of_separate_kernels(device: Device, form: str) -> None:
    twin = scalar_twin(device)
    shape, axes, given, kept = REDUCED[form]
    if not {given, kept} <= set(device.dtypes):
        pytest.skip(f"{device} has no {given}")
    own, dtype, random = DTYPE_OF[given], DTYPE_OF[kept], np.random.default_rng(3)
    wide = DTYPE_OF["f32"] if given == "f16" else dtype
    left = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    x, y, one = (
        upload(twin, numbers(random, each, d)) for each, d in ((shape, own), (left, dtype), ((1,) * len(left), dtype))
    )
    key, body = (form,), Body(((own, False),), (), (), (), (X[0],), (wide,))
    total, out = empty(twin, dtype, left), empty(twin, dtype, left)
    reduce(twin, SUM, key, lambda: body, shape, axes, [x], [], (), wide, total)
    scale, add = OPS["multiply"].rules[dtype, dtype], OPS["add"].rules[dtype, dtype]
    steps = (scale, (X[1], S[0])), (add, (T[0], X[0])), (add, (T[1], X[2]))
    then = Following(Epilogue(Body(((dtype, False),) * 3, (), (dtype,), steps, (T[2],), (dtype,)), 1), [y, one], [3])
    launch = reduce(twin, SUM, key, lambda: body, shape, axes, [x], [], (), wide, out, then=then)
    expected = (total.download() * dtype.type(3) + y.download()).astype(dtype) + one.download()
    assert out.download().tobytes() == expected.astype(dtype).tobytes()
    launch.run([array.storage.buffer for array in (out, x, y, one)], [0])
    expected = np.broadcast_to((total.download() * dtype.type(0) + y.download()).astype(dtype) + one.download(), left)
    assert out.download().tobytes() == expected.tobytes()


def test_matrix_units_and_sums_in_pieces_take_none(device: Device) -> None:
    twin = scalar_twin(device)
    twin.library, twin.fragments = None, frozenset({"f16"})
    assert not takes_epilogue(twin, DTYPE_OF["f16"], 1, 256, 256, 256)
    assert takes_epilogue(twin, DTYPE_OF["f32"], 1, 64, 64, 64)
    assert not takes_epilogue(twin, DTYPE_OF["f32"], 1, 4, 4, 1 << 16)
    assert not takes_epilogue(twin, DTYPE_OF["f32"], 1, 4, 4, 0)
