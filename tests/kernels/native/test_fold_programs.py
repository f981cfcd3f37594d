"""Reductions by loops have the bits of kernels: layouts, sizes and orders that blocks must respect."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support import in_part, to_host
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


# Rows of one chunk, of several, of three and of no whole one; few elements and a prime number of outputs; two axes that
# stay; no outputs.
INSIDE_AND_OUTSIDE: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((9, 70, 1024), (0, 2)), ((17, 13, 2048), (0, 2)), ((7, 5, 3072), (0, 2)), ((5, 3, 8192), (0, 2)),
    ((33, 7, 1000), (0, 2)), ((40, 6, 513), (0, 2)), ((300, 11, 100), (0, 2)), ((3, 4, 5, 2, 1024), (0, 2, 4)),
    ((9, 0, 1024), (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
@pytest.mark.parametrize(("shape", "axis"), INSIDE_AND_OUTSIDE, ids=str)
def test_outputs_read_in_turn_have_the_bits_of_those_read_one_after_another(
    native: Device, shape: tuple[int, ...], axis: tuple[int, ...], dtype: str
) -> None:
    host = (9 * np.random.default_rng(3).standard_normal((shape[0], 2, *shape[1:]))).astype(dtype)
    kept = tuple([k for k in range(len(shape)) if k not in axis])
    spread = xp.asarray(host, device=native)[:, 1]  # no two axes are one in memory
    packed = xp.asarray(np.ascontiguousarray(host[:, 1].transpose(*kept, *axis)), device=native)
    for name in ["sum", "max"] if dtype != "complex128" and packed.size else ["sum"]:
        reduce = getattr(xp, name)
        for other, own in ((spread, packed), (spread * spread + spread, packed * packed + packed)):
            found, wanted = reduce(other, axis=axis), reduce(own, axis=tuple(range(len(kept), len(shape))))
            assert to_host(found).tobytes() == to_host(wanted).tobytes()
        exact = getattr(np, name)(host[:, 1], axis=axis)
        np.testing.assert_allclose(to_host(reduce(spread, axis=axis)), exact, rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize(("rows", "columns"), [(11, 1024), (6, 2048), (5, 3072), (9, 256), (8, 100), (12, 4096)])
def test_rows_of_spans_that_are_whole_blocks(native: Device, rows: int, columns: int) -> None:
    host = np.random.default_rng(5).standard_normal((3, 2 * rows, columns)).astype(np.float32)
    spread, packed = (xp.asarray(one, device=native) for one in (host, np.ascontiguousarray(host[:, :rows])))
    for reduce in (xp.sum, xp.argmax):
        part = spread[:, :rows]
        for other, own in ((part, packed), (part * part - part, packed * packed - packed)):
            assert to_host(reduce(other, axis=2)).tobytes() == to_host(reduce(own, axis=2)).tobytes()


EXTREMA = ["float32", "float64", "int8", "uint8", "int16", "uint32", "int64"]


@pytest.mark.parametrize("dtype", EXTREMA)
@pytest.mark.parametrize(
    "shape", [(63,), (65_537,), (7, 4_096), (37, 127), (21, 129), (2_050, 9), (33, 5, 70), (9, 300, 16)], ids=str
)
def test_extrema_along_each_axis(native: Device, dtype: str, shape: tuple[int, ...]) -> None:
    """Also of infinities, and where a NaN is the first element, the last one, or any."""
    rng = np.random.default_rng(shape[0])
    host = (rng.standard_normal(shape) * 60).astype(dtype)
    hosts = [host]
    if dtype.startswith("float"):
        for place in (0, host.size // 3, host.size - 1):
            hosts.append(np.where(rng.random(shape) < 0.01, -np.inf, host).astype(dtype))
            hosts[-1].reshape(-1)[place] = np.nan
    hosts += [host[..., ::-1] // 40, np.zeros(shape, dtype)]  # many equal ones
    for own, axis, name in itertools.product(hosts, (None, *range(len(shape))), ("max", "min", "argmax", "argmin")):
        found = getattr(xp, name)(xp.asarray(own, device=native), axis=axis).to_numpy()
        assert np.array_equal(found, getattr(np, name)(own, axis=axis), equal_nan=dtype.startswith("float"))
