"""Steps that are joined, that take numbers, and that are kept have the bits of steps that run alone."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.loops.loops import joined, with_numbers

N = 700  # of a row: several registers and a rest
OUTER = ("add", "subtract", "multiply", "minimum", "maximum", "square")
INNER = ("add", "subtract", "multiply", "square")


def operands(device: Device, dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    host = (np.random.default_rng(seed).standard_normal(shape) * 9).astype(dtype)
    if host.dtype.kind == "f":
        host[..., ::50] = np.asarray([np.nan, np.inf, -0.0, 0.0, 1e-40])[np.arange(host[..., ::50].shape[-1]) % 5]
    return xp.asarray(host, device=device)


def same(found: Any, wanted: Any) -> bool:
    found, wanted = (to_host(one) if isinstance(one, xp.Array) else one for one in (found, wanted))
    either = np.isnan(found) | np.isnan(wanted)  # no operation promises which NaN it gives
    found, wanted = np.where(either, np.isnan(found), found), np.where(either, np.isnan(wanted), wanted)
    return bool(np.array_equal(found, wanted) and np.array_equal(np.signbit(found), np.signbit(wanted)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize(("outer", "inner"), list(itertools.product(OUTER, INNER)))
def test_a_pair(native: Device, outer: str, inner: str, dtype: str) -> None:
    f, g = getattr(xp, outer), getattr(xp, inner)
    for shapes in itertools.product([(5, N), (5, 1), (1, N)], repeat=3):
        a, b, c = (operands(native, dtype, shape, k) for k, shape in enumerate(shapes))
        found = g(a) if inner == "square" else g(a, b)
        alone = xp.asarray(to_host(g(a) if inner == "square" else g(a, b)), device=native)
        if outer == "square":
            assert same(f(found), f(alone)), shapes
        else:
            assert same(f(found, c), f(alone, c)), shapes
            found = g(a) if inner == "square" else g(a, b)
            assert same(f(c, found), f(c, alone)), shapes


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_values_of_a_row_for_all_are_kept(native: Device, name: str) -> None:
    """Of long rows, and of short ones, with blocks that end inside of a row."""
    for shape in [(50, 9001), (3000, 7), (2, 50_000), (400, 300)]:
        x = operands(native, name, shape, 1)
        row, column = operands(native, name, shape[1:], 2), operands(native, name, (shape[0], 1), 3)
        scaled, other = xp.sqrt(row * row + 1) / 3, xp.exp(column) * 2
        found = (x - scaled) * other + scaled
        host, row_host, column_host = to_host(x), to_host(scaled), to_host(other)
        with np.errstate(all="ignore"):
            assert same(found, (host - row_host) * column_host + row_host)


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_a_number_that_is_cast_for_a_function_without_a_loop_of_numbers(native: Device, dtype: str) -> None:
    x = xp.asarray([[1.0, 2.0, 4.0]] * 3, device=native)
    exponent = xp.asarray([3], dtype=getattr(xp, dtype), device=native)
    assert same(x**exponent, np.asarray([[1.0, 8.0, 64.0]] * 3))
    column = xp.asarray([[3], [2], [1]], dtype=getattr(xp, dtype), device=native)
    assert same(x**column, np.asarray([[1.0, 8.0, 64.0], [1.0, 4.0, 16.0], [1.0, 2.0, 4.0]]))


def test_names_of_loops() -> None:
    assert with_numbers("add_f32", []) == "add_f32"
    assert with_numbers("where_f32", [1, 2]) == "where_f32_number12"
    assert joined("add_f32", 1, "multiply_f32") == "add_f32_1_multiply_f32"
