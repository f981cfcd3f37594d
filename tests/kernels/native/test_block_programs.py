"""Bodies and reductions by loops have the bits of kernels: layouts, sizes and orders that blocks must respect."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import in_part, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

Expression = Callable[..., Any]


def check(device: Device, native: Device, f: Expression, *hosts: np.ndarray[Any, Any]) -> None:
    if device is native:
        pytest.skip("it is compared with other devices")
    found, wanted = (to_host(f(*[xp.asarray(host, device=one) for host in hosts])) for one in (native, device))
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    if found.dtype.kind in "fc":  # no operation promises which NaN it gives
        found, wanted = (np.where(one == one, one, np.array(np.nan, one.dtype)) for one in (found, wanted))
    assert found.tobytes() == wanted.tobytes()


EXPRESSIONS: dict[str, Expression] = {
    "contiguous": lambda x, y, z: x + x * 2,
    "a row for all": lambda x, y, z: xp.sin(x * y) + y,
    "a column for all": lambda x, y, z: x * z - z,
    "transposed, backwards, with steps": lambda x, y, z: x.mT[::-2, ::3] * xp.exp(x.mT[::2, 1::3][::-1, :-1][:, :1]),
    "rolled along both axes": lambda x, y, z: xp.roll(x, (3, -7), axis=(0, 1)) * 2 + x,
    "indices": lambda x, y, z: xp.reshape(xp.arange(x.size, device=x.device), x.shape) * x,
    "gathered": lambda x, y, z: xp.take(x, xp.asarray([3, 1, 2, 2], device=x.device), axis=1) * 2,
    "halves": lambda x, y, z: xp.astype(x, xp.float16) * xp.astype(y, xp.float16) + 3,
    "a comparison": lambda x, y, z: xp.astype(x * 10, xp.int16) > 3,
    "complex": lambda x, y, z: xp.where(x > 0, x, y) * 1j,
    "one element": lambda x, y, z: x[1, 4] * y[2],
    "no elements": lambda x, y, z: x[:0] * y,
    "a strided result": lambda x, y, z: xp.stack([x, x + 1], axis=1)[:, :, ::2] + 1,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("shape", [(300, 301), (5, 7), (2, 9001)])
def test_an_expression(device: Device, native: Device, name: str, shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(shape[1])
    x, y, z = (rng.standard_normal(own).astype(np.float32) for own in (shape, shape[1:], (shape[0], 1)))
    check(device, native, EXPRESSIONS[name], x, y, z)


PANELS = [(16, 16), (33, 47), (5, 40), (300, 19), (19, 300), (70, 5000), (9, 17, 33), (33, 17, 9), (3, 20, 5, 31)]
STORED = ["int8", "bool", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize("shape", PANELS, ids=str)
def test_rows_that_share_cache_lines(native: Device, dtype: str, shape: tuple[int, ...]) -> None:
    """They are copied in panels: of whole and parts of rows, of squares and what is left, next to other operands."""
    rng = np.random.default_rng(shape[0])
    x, y = ((rng.standard_normal(shape) * 50).astype(dtype) for _ in range(2))
    ours, other = (xp.asarray(host, device=native) for host in (x, y))
    outer = xp.empty((2, *shape), dtype=ours.dtype, device=native)[1]
    for axes in itertools.permutations(range(len(shape))):
        turned, beside = xp.permute_dims(ours, axes), xp.permute_dims(other, axes)
        back = tuple(map(int, np.argsort(axes)))
        straight = xp.asarray(rng.integers(0, 7, turned.shape, np.int8), device=native)
        rows = turned[..., ::-1, :] if len(shape) > 1 else turned
        wanted = x.transpose(axes)
        assert np.array_equal(xp.where(straight > 3, turned, xp.flip(turned)).to_numpy(),
                              np.where(straight.to_numpy() > 3, wanted, np.flip(wanted)))  # fmt: skip
        assert np.array_equal((turned == beside).to_numpy(), wanted == y.transpose(axes))
        assert np.array_equal(xp.where(straight > 3, rows, turned).to_numpy(),
                              np.where(straight.to_numpy() > 3, wanted[..., ::-1, :], wanted))  # fmt: skip
        outer[...] = xp.permute_dims(xp.asarray(np.ascontiguousarray(wanted), device=native), back)
        assert np.array_equal(outer.to_numpy(), x)


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
    names = ["sum", "prod", "any", "all", *["max", "min", "argmax", "argmin"] * (dtype not in ("complex64", "bool"))]
    for name, axis in itertools.product(names, (None, *range(len(shape)))):
        reduce = getattr(xp, name)
        if dtype == "bool" and name in ("sum", "prod"):
            continue
        check(device, native, lambda x, reduce=reduce, axis=axis: reduce(x, axis=axis), host)
        if dtype != "bool":
            check(device, native, lambda x, reduce=reduce, axis=axis: reduce(x * x + x, axis=axis), host)


@pytest.mark.parametrize("axis", [(0, 1), (0, 2), (1, 2)], ids=str)
def test_reductions_of_two_axes(device: Device, native: Device, axis: tuple[int, int]) -> None:
    host = np.random.default_rng(0).standard_normal((30, 33, 19)).astype(np.float32)
    check(device, native, lambda x: xp.sum(x * 3, axis=axis), host)


def test_the_first_nan_wins(device: Device, native: Device) -> None:
    host = np.random.default_rng(0).standard_normal((50, 4000)).astype(np.float32)
    host[::3, 17::1000] = np.nan
    check(device, native, lambda x: xp.argmax(x, axis=1), host)
    check(device, native, lambda x: xp.max(x, axis=0), host)


def test_an_operand_that_is_the_result(native: Device) -> None:
    host = np.arange(100_000, dtype=np.float32)
    x = xp.asarray(host, device=native, copy=True)
    for _ in range(3):
        x += x * 2
    assert np.array_equal(to_host(x), host * 27)
