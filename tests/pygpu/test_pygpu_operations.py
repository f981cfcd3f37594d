"""Splitting and joining, beside NumPy's functions of the same names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import operations
from arrayapi_gpu.pygpu.gpuarray import GpuContext, may_share_memory

SPLITS: list[tuple[str, tuple[int, ...], Any]] = [
    ("split", (9,), 3), ("split", (9,), [3, 5, 6, 10]), ("split", (4, 6), (2, 2)), ("split", (0, 2), 1),
    ("array_split", (8,), 3), ("array_split", (2, 3), 5), ("array_split", (8,), np.array([2, 7])),
    ("hsplit", (4, 4), 2), ("hsplit", (6,), 3), ("hsplit", (2, 2, 2), [1]), ("vsplit", (4, 4), [3, 6]),
    ("vsplit", (2, 2, 2), 2), ("dsplit", (2, 2, 4), 2), ("dsplit", (2, 2, 4), [3, 6]),
]  # fmt: skip


@pytest.mark.parametrize("name, shape, where", SPLITS)
def test_parts_are_numpys_and_views(ctx: GpuContext, name: str, shape: Any, where: Any, rng: Any) -> None:
    host = rng.random(shape)
    x = pygpu.array(host, context=ctx)
    parts, expected = getattr(pygpu, name)(x, where), getattr(np, name)(host, where)
    for part, other in zip(parts, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(part), other)
        assert part.shape == other.shape and (not part.size or may_share_memory(part, x))


@pytest.mark.parametrize("axis", [1, -1, -2])
def test_parts_are_along_an_axis(ctx: GpuContext, axis: int, rng: Any) -> None:
    host = rng.random((6, 8))
    parts = pygpu.array_split(pygpu.array(host, context=ctx), 3, axis=axis)
    for part, other in zip(parts, np.array_split(host, 3, axis=axis), strict=True):
        np.testing.assert_array_equal(np.asarray(part), other)


def test_splits_that_make_no_sense_are_refused(ctx: GpuContext) -> None:
    x = pygpu.zeros((4, 4), "float32", context=ctx)
    cases: list[tuple[Callable[[], Any], str]] = [
        (lambda: pygpu.split(x, 3), "equal division"),
        (lambda: pygpu.split(x, 0), "equal division"),
        (lambda: pygpu.array_split(x, 0), "larger than 0"),
        (lambda: pygpu.array_split(x, 2, axis=2), "axis out of bounds"),
        (lambda: pygpu.array_split(x, [1], axis=-3), "axis out of bounds"),
        (lambda: pygpu.split(x, [3, 1]), "do not decrease"),
        (lambda: pygpu.hsplit(pygpu.zeros((), context=ctx), 1), "1 or more dimensions"),
        (lambda: pygpu.vsplit(x[0], 1), "2 or more dimensions"),
        (lambda: pygpu.dsplit(x, 1), "3 or more dimensions"),
    ]
    for call, text in cases:
        with pytest.raises(ValueError, match=text):
            call()


@pytest.mark.parametrize("name", ["hstack", "vstack", "dstack"])
@pytest.mark.parametrize("shape", [(), (3,), (3, 1), (2, 3, 4)], ids=str)
def test_arrays_are_stacked_as_numpys(ctx: GpuContext, name: str, shape: Any, rng: Any) -> None:
    hosts = [rng.random(shape).astype("float32") for _ in range(3)]
    stacked = getattr(pygpu, name)([pygpu.array(host, context=ctx) for host in hosts], ctx)
    np.testing.assert_array_equal(np.asarray(stacked), getattr(np, name)(hosts))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_arrays_are_joined_in_a_dtype_that_holds_all(ctx: GpuContext, axis: int) -> None:
    hosts = [np.arange(6).reshape(2, 3).astype(dtype) for dtype in ("int8", "uint8", "float32")]
    joined = pygpu.concatenate([pygpu.array(host, context=ctx) for host in hosts], axis)
    expected = np.concatenate(hosts, axis)
    assert joined.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(joined), expected)


def test_arrays_that_do_not_fit_are_refused(ctx: GpuContext) -> None:
    x = pygpu.zeros((2, 3), context=ctx)
    with pytest.raises(ValueError, match="zero-length"):
        pygpu.concatenate([])
    with pytest.raises(ValueError, match="axis out of bounds"):
        pygpu.concatenate([x], axis=2)
    with pytest.raises(ValueError):
        pygpu.concatenate([x, x.T])


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (2, 3, 4, 5)], ids=str)
@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_axes_are_added_as_numpy_adds_them(ctx: GpuContext, name: str, shape: Any) -> None:
    x, host = pygpu.zeros(shape, context=ctx), np.zeros(shape)
    function, numpys = getattr(operations, name), getattr(np, name)
    assert function(x).shape == numpys(host).shape
    assert [y.shape for y in function(x, x)] == [y.shape for y in numpys(host, host)]
