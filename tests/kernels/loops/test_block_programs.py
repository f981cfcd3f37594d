"""Bodies by loops have the bits of kernels: layouts and sizes that blocks must respect."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from support import to_host
from support.loops_bits import Expression, same_bits

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

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
    same_bits(device, native, EXPRESSIONS[name], x, y, z)


PANELS = [(16, 16), (33, 47), (5, 40), (300, 19), (19, 300), (70, 5000), (9, 17, 33), (33, 17, 9), (3, 20, 5, 31)]
STORED = ["int8", "bool", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize("shape", PANELS, ids=str)
def test_rows_that_share_cache_lines(native: Device, dtype: str, shape: tuple[int, ...]) -> None:
    """They are copied in panels, of whole rows and of parts, in squares and one by one, with other operands."""
    rng = np.random.default_rng(shape[0])
    x, y = ((rng.standard_normal(shape) * 50).astype(dtype) for _ in range(2))
    first, second = (xp.asarray(host, device=native) for host in (x, y))
    target = xp.empty((2, *shape), dtype=first.dtype, device=native)[1]
    for axes in itertools.permutations(range(len(shape))):
        turned, other = xp.permute_dims(first, axes), xp.permute_dims(second, axes)
        back = tuple(map(int, np.argsort(axes)))
        straight = xp.asarray(rng.integers(0, 7, turned.shape, np.int8), device=native)
        rows = turned[..., ::-1, :] if len(shape) > 1 else turned
        wanted = x.transpose(axes)
        assert np.array_equal(xp.where(straight > 3, turned, xp.flip(turned)).to_numpy(),
                              np.where(straight.to_numpy() > 3, wanted, np.flip(wanted)))  # fmt: skip
        assert np.array_equal((turned == other).to_numpy(), wanted == y.transpose(axes))
        assert np.array_equal(xp.where(straight > 3, rows, turned).to_numpy(),
                              np.where(straight.to_numpy() > 3, wanted[..., ::-1, :], wanted))  # fmt: skip
        target[...] = xp.permute_dims(xp.asarray(np.ascontiguousarray(wanted), device=native), back)
        assert np.array_equal(target.to_numpy(), x)


def test_an_operand_that_is_the_result(native: Device) -> None:
    host = np.arange(100_000, dtype=np.float32)
    x = xp.asarray(host, device=native, copy=True)
    for _ in range(3):
        x += x * 2
    assert np.array_equal(to_host(x), host * 27)


COPIES: dict[str, Expression] = {
    "backwards": lambda x, y, z: x[..., ::-1],
    "with steps": lambda x, y, z: x[..., 1::3],
    "without its border": lambda x, y, z: x[1:, 1:],
    "repeated": lambda x, y, z: xp.broadcast_to(x[:, :1], x.shape),
    "rolled": lambda x, y, z: xp.roll(x, (3, 5), axis=(0, 1)),
    "turned": lambda x, y, z: xp.permute_dims(x, tuple(range(x.ndim))[::-1]),
    "a part, turned": lambda x, y, z: xp.permute_dims(x[::2, 1:], tuple(range(x.ndim))[::-1]),
}


@pytest.mark.parametrize("dtype", [*STORED, "int16"])
@pytest.mark.parametrize("shape", [(33, 47), (300, 19), (3, 2100), (2100, 70), (9, 17, 33), (70, 3, 150)], ids=str)
def test_a_copy_that_computes_nothing(native: Device, dtype: str, shape: tuple[int, ...]) -> None:
    """It goes to a new array, and to a part of one."""
    host = (np.random.default_rng(shape[0]).standard_normal(shape) * 50).astype(dtype)
    x = xp.asarray(host, device=native)
    for name, copied in COPIES.items():
        found = xp.asarray(copied(x, x, x), copy=True)
        wanted = np.ascontiguousarray(_by_numpy(name, host))
        assert np.array_equal(found.to_numpy(), wanted), name
        target = xp.zeros((found.shape[0], 2 * found.shape[1], *found.shape[2:]), dtype=found.dtype, device=native)
        target[:, ::2] = copied(x, x, x)
        assert np.array_equal(target.to_numpy()[:, ::2], wanted), name
        assert not target.to_numpy()[:, 1::2].any(), name


def _by_numpy(name: str, x: np.ndarray) -> np.ndarray:
    back = tuple(range(x.ndim))[::-1]
    found = {
        "backwards": x[..., ::-1], "with steps": x[..., 1::3], "without its border": x[1:, 1:],
        "repeated": np.broadcast_to(x[:, :1], x.shape), "rolled": np.roll(x, (3, 5), axis=(0, 1)),
        "turned": x.transpose(back), "a part, turned": x[::2, 1:].transpose(back),
    }  # fmt: skip
    return found[name]


@pytest.mark.parametrize("dtype", ["int8", "bool", "uint16", "float32"])
@pytest.mark.parametrize("n", [4095, 4097, 32769, 300_001])
def test_blocks_of_narrow_elements(native: Device, dtype: str, n: int) -> None:
    host = (np.random.default_rng(n).standard_normal(n) * 50).astype(dtype)
    x = xp.asarray(host, device=native)
    assert np.array_equal((x == xp.flip(x)).to_numpy(), host == host[::-1])
    assert np.array_equal(xp.asarray(x[1:], copy=True).to_numpy(), host[1:])
    assert xp.any(x).to_numpy() == host.any()
    if dtype != "bool":
        assert np.array_equal((x + x).to_numpy(), host + host)
        assert (xp.max(x).to_numpy(), xp.min(x).to_numpy()) == (host.max(), host.min())
