"""`GpuArray`: what it is and where, views and copies, indexing, and transfers, beside NumPy."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu import pygpu
from arrayapi_gpu.backends import devices
from arrayapi_gpu.pygpu.errors import GpuArrayException
from arrayapi_gpu.pygpu.gpuarray import GpuArray, GpuContext, may_share_memory

Host = np.ndarray[Any, Any]


class Mine(GpuArray):
    """A subclass with an __init__ that must not be called."""

    def __init__(self) -> None:
        raise AssertionError


def both(ctx: GpuContext, host: Host, **options: Any) -> tuple[Host, Any]:
    """A host array and a copy on the device, in its order."""
    return host, pygpu.array(host, order="F" if host.flags.fnc else "C", context=ctx, **options)


def same(x: Any, host: Host) -> None:
    """Values, dtype, shape and strides are the host array's."""
    assert (x.dtype, x.shape, x.strides) == (host.dtype, host.shape, host.strides)
    np.testing.assert_array_equal(np.asarray(x), host)


@pytest.fixture
def cube(rng: np.random.Generator) -> Host:
    return rng.integers(-99, 99, (5, 4, 3)).astype("int32")


def test_what_an_array_is(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    assert (x.shape, x.strides, x.ndim, x.size, x.itemsize) == (host.shape, host.strides, 3, 60, 4)
    assert x.dtype == np.int32 and x.typecode == 5 and x.offset == 0 and x.context is ctx and x.base is None
    assert len(x) == 5 and str(x) == str(host) and repr(x) == "gpuarray." + repr(host)


def test_the_class_makes_no_array() -> None:
    with pytest.raises(RuntimeError, match=r"Called raw GpuArray\.__init__"):
        GpuArray()


@pytest.mark.parametrize("protocol", [0, 2, -1])
def test_an_array_is_not_pickled_nor_hashed(ctx: GpuContext, protocol: int) -> None:
    x = pygpu.zeros((2,), "float32", context=ctx)
    with pytest.raises(RuntimeError, match="Cannot pickle GpuArray"):
        pickle.dumps(x, protocol)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


@pytest.mark.parametrize("value, expected", [([], False), ([0], False), ([1], True), (0.0, False), (np.nan, True)])
def test_truth_is_that_of_one_element(ctx: GpuContext, value: Any, expected: bool) -> None:
    assert bool(pygpu.array(np.asarray(value, "float32"), context=ctx)) is expected


def test_several_elements_have_no_truth(ctx: GpuContext) -> None:
    with pytest.raises(ValueError, match="ambiguous; use any"):
        bool(pygpu.zeros((2,), "float32", context=ctx))


# --- views

KEYS: list[Any] = [
    ..., 2, -1, np.int64(1), slice(1, 4), slice(None, None, -1), slice(4, 1, -2), slice(9, 12), slice(None, None, -20),
    (1, 2), (slice(None), -1), (..., 1), (1, ...), (slice(2), ..., slice(None, None, 2)), None, (None, 1), (1, None, 2),
    (..., None), (slice(1, None), None), (0, slice(None, None, -1), slice(None, None, -1)), (slice(0, 0), ...),
    (1, 2, 0), (slice(None), slice(None, None, -20), None), (slice(None, None, 7), ..., slice(1, 2, 5)), (),
    [slice(1, 2), ...],
]  # fmt: skip


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_basic_key_gives_numpys_view(ctx: GpuContext, cube: Host, key: Any, order: Any) -> None:
    host, x = both(ctx, np.asarray(cube, order=order))
    numpys = tuple(key) if isinstance(key, list) else key
    same(x[key], host[(*numpys, ...)] if isinstance(numpys, tuple) and ... not in numpys else host[numpys, ...]
         if isinstance(numpys, int) else host[numpys])  # fmt: skip
    view = x[key]
    view[...] = 7
    host[numpys] = 7
    np.testing.assert_array_equal(np.asarray(x), host)


@pytest.mark.parametrize("key", [5, -6, (0, 0, 3), (0, 0, 0, 0), (..., ...), ((1, 2),), 1.0, "a", True])
def test_other_keys_and_places_are_refused(ctx: GpuContext, cube: Host, key: Any) -> None:
    _, x = both(ctx, cube)
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 0


@pytest.mark.parametrize("key", [[0, 1], [[0], [1]], np.array([0, 1]), (slice(None), np.array([0, 1]))], ids=str)
def test_fancy_indexing_is_refused(ctx: GpuContext, cube: Host, key: Any) -> None:
    _, x = both(ctx, cube)
    with pytest.raises(NotImplementedError, match="fancy indexing not supported; use take1"):
        x[key]
    with pytest.raises(NotImplementedError, match="fancy indexing not supported"):
        x[key] = 0


def test_an_array_without_axes_has_one_key(ctx: GpuContext) -> None:
    x = pygpu.array(3.5, context=ctx)
    assert np.asarray(x[()]) == np.asarray(x[...]) == 3.5 and x[None].shape == (1,)
    for key in (0, slice(1), (0,)):
        with pytest.raises(IndexError):
            x[key]
    with pytest.raises(TypeError, match="unsized"):
        len(x)


def test_iteration_gives_rows(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    for row, expected in zip(x, host, strict=True):
        same(row, expected)


@pytest.mark.parametrize("order", "CF")
def test_axes_are_permuted_as_views(ctx: GpuContext, cube: Host, order: Any) -> None:
    host, x = both(ctx, np.asarray(cube, order=order))
    same(x.T, host.T)
    same(x.transpose(), host.T)
    same(x.transpose(1, 2, 0), host.transpose(1, 2, 0))
    same(x.transpose((2, 0, 1)), host.transpose(2, 0, 1))
    same(np.transpose(x, (0, 2, 1)), host.transpose(0, 2, 1))
    assert may_share_memory(x, x.T)
    for axes in ((0, 1), (0, 1, 1), (0, 1, 3)):
        with pytest.raises(ValueError):
            x.transpose(axes)


@pytest.mark.parametrize("order", ["C", "F", "A", "a"])
@pytest.mark.parametrize("own", "CF")
@pytest.mark.parametrize("shape", [(60,), (-1,), (4, 15), (3, -1, 5), (5, 4, 3), (5, 1, 12), -1])
def test_a_shape_is_taken_as_numpy_takes_it(ctx: GpuContext, cube: Host, shape: Any, own: Any, order: Any) -> None:
    host, x = both(ctx, np.asarray(cube, order=own))
    same(x.reshape(shape, order), host.reshape(shape, order=order.upper()))
    host, x = host[::-1, 1:], x[::-1, 1:]
    if shape in ((60,), (4, 15), (5, 4, 3), (5, 1, 12)):
        with pytest.raises(ValueError, match="45 elements do not fit"):
            x.reshape(shape, order)


def test_a_reshape_shares_memory_where_it_can(ctx: GpuContext, cube: Host) -> None:
    _, x = both(ctx, cube)
    assert may_share_memory(x, x.reshape((12, 5)))
    assert not may_share_memory(x, x.T.reshape((12, 5)))
    with pytest.raises(ValueError, match="Valid orders"):
        x.reshape((60,), order="Z")


def test_shape_can_be_set_where_there_is_a_view(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    x.shape = (12, 5)
    same(x, host.reshape(12, 5))
    with pytest.raises(ValueError):
        x.shape = (13, 5)
    with pytest.raises(ValueError, match="negative"):
        x.shape = (-1,)
    turned = x.T
    with pytest.raises(GpuArrayException, match="has no view of shape"):
        turned.shape = (60,)


@pytest.mark.parametrize("strides", [(4, 16), (8, 8), (16, 0), (0, 0), (12, 4)])
def test_strides_can_be_set_inside_the_memory(ctx: GpuContext, strides: Any) -> None:
    host, x = both(ctx, np.arange(16, dtype="float32").reshape(4, 4))
    x.strides = strides
    same(x, np.lib.stride_tricks.as_strided(host, strides=strides))


@pytest.mark.parametrize("strides", [(16, 400), (-16, 4), (32, 4), (16,), (16, 2)])
def test_strides_outside_of_the_memory_are_refused(ctx: GpuContext, strides: Any) -> None:
    _, x = both(ctx, np.arange(16, dtype="float32").reshape(4, 4))
    with pytest.raises(ValueError, match="new strides"):
        x.strides = strides
    assert x.strides == (16, 4)


def test_a_view_is_of_a_class(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    mine: Any = x.view(Mine)
    assert type(mine) is Mine and type(mine[1:]) is type(mine.T) is type(mine.copy()) is type(mine.reshape(-1)) is Mine
    assert type(mine.view()) is GpuArray
    mine[0] = 5
    host[0] = 5
    same(x, host)
    for other in (np.ndarray, 1, object):
        with pytest.raises(TypeError, match="allowed: GpuArray and classes derived"):
            x.view(other)


# --- copies


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("own", "CF")
def test_copies_are_in_an_order(ctx: GpuContext, cube: Host, own: Any, order: Any) -> None:
    host, x = both(ctx, np.asarray(cube, order=own))
    same(x.copy(order), host.copy(order))
    same(x[1:, ::2].copy(order), host[1:, ::2].copy("C" if order == "A" else order))
    assert not may_share_memory(x, x.copy(order))
    for made in (copy.copy(x), copy.deepcopy(x)):
        same(made, host.copy("C"))
        assert not may_share_memory(made, x)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "complex64", "bool", 23])
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_a_cast_is_a_copy(ctx: GpuContext, cube: Host, dtype: Any, order: Any) -> None:
    host, x = both(ctx, np.asarray(np.abs(cube), order="F"))
    kind = "float16" if dtype == 23 else dtype
    same(x.astype(dtype, order), host.astype(kind, order))


def test_a_cast_without_need_is_no_copy(ctx: GpuContext, cube: Host) -> None:
    _, x = both(ctx, cube)
    assert x.astype("int32", copy=False) is x is x.astype("int32", "C", copy=False)
    assert x.astype("int32") is not x is not x.astype("int32", "F", copy=False)
    with pytest.raises(ValueError, match="don't know how"):
        x.astype("U4")


def test_indices_take_sub_arrays(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    places = np.array([4, 0, -1, 0])
    np.testing.assert_array_equal(np.asarray(x[:, ::-1].take1(pygpu.array(places, context=ctx))), host[:, ::-1][places])
    with pytest.raises(IndexError):
        np.asarray(x.take1(pygpu.array([5], context=ctx)))
    with pytest.raises(ValueError, match="nd=1"):
        x.take1(pygpu.array([[0]], context=ctx))


# --- writes


def test_values_are_broadcast_and_cast(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    row = np.array([1.5, 2.5, -3.5], "float32")
    writes: list[tuple[Any, Any]] = [(..., 3), (0, row), (slice(1, 3), row), ((..., 0), True), ((None, 4), np.int8(-1))]
    for key, value in writes:
        host[key] = value
        x[key] = value
    x[2] = pygpu.array(row, context=ctx)
    host[2] = row
    x[3:, 1] = x[:2, 2]
    host[3:, 1] = host[:2, 2]
    same(x, host)


def test_overlapping_views_are_copied_as_numpy_copies(ctx: GpuContext) -> None:
    host, x = both(ctx, np.arange(20))
    x[5:], host[5:] = x[:-5], host[:-5].copy()
    x[::-1], host[::-1] = x, host.copy()
    same(x, host)


def test_values_of_another_shape_are_refused(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    for value in (np.zeros((2, 3)), pygpu.zeros((2,), "int32", context=ctx)):
        with pytest.raises(ValueError, match="broadcast"):
            x[...] = value
    same(x, host)


def test_an_array_of_another_context_is_refused(ctx: GpuContext) -> None:
    if len(devices()) < 2:
        pytest.skip("one device alone is present")
    other = next(d for d in devices() if d is not ctx._device)
    foreign = pygpu.zeros((2,), "float32", context=GpuContext._of(other))
    x = pygpu.zeros((2,), "float32", context=ctx)
    with pytest.raises(ValueError, match="cannot copy an array to a different context"):
        x[...] = foreign
    moved = foreign.transfer(ctx)
    assert moved.context is ctx
    x[...] = moved


# --- to and from the host


def test_numpy_gets_a_copy(ctx: GpuContext, cube: Host) -> None:
    for host, x in (both(ctx, cube), both(ctx, np.asfortranarray(cube))):
        given = np.asarray(x)
        assert given.strides == host.strides and given.flags.writeable
        given[...] = 0
        same(x, host)
        assert np.asarray(x, "float64").dtype == np.float64
        assert np.asarray(x[::-1]).flags.c_contiguous
        with pytest.raises(ValueError):
            np.array(x, copy=False)


@pytest.mark.parametrize("order", "CF")
def test_write_and_read_in_the_arrays_order(ctx: GpuContext, rng: np.random.Generator, order: Any) -> None:
    host = np.asarray(rng.random((3, 4, 5)), "float32", order=order)
    x: Any = pygpu.zeros((3, 4, 5), "float32", order, context=ctx)
    x.write(host)
    same(x, host)
    x.write(np.asarray(host, order="F" if order == "C" else "C"))
    same(x, host)
    back = np.zeros_like(host)
    x.read(back)
    np.testing.assert_array_equal(back, host)
    flat = np.zeros(60, "float32")
    x.read(flat)
    np.testing.assert_array_equal(flat, host.ravel("K"))
    x.write(flat[::-1])
    np.testing.assert_array_equal(np.asarray(x).ravel("K"), flat[::-1])


def test_what_does_not_fit_is_neither_written_nor_read(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    readonly = host.copy()
    readonly.setflags(write=False)
    for wrong in (host[1:].copy(), host.astype("float32")):
        with pytest.raises(ValueError, match=r"same size in bytes|matching data types"):
            x.write(wrong)
        with pytest.raises(ValueError, match=r"same size in bytes|matching data types"):
            x.read(wrong)
    for target in (readonly, np.asfortranarray(host)):
        with pytest.raises(ValueError, match=r"not well behaved|do not match in contiguity"):
            x.read(target)
    with pytest.raises(ValueError, match="not contiguous"):
        x[:, ::2].write(host[:, ::2].copy())
    with pytest.raises(TypeError, match="allowed: a NumPy array"):
        x.write([1])
    same(x, host)


@pytest.mark.parametrize("order", "CF")
def test_a_transfer_is_a_copy_in_another_context(ctx: GpuContext, cube: Host, order: Any) -> None:
    host, x = both(ctx, np.asarray(cube, order=order))
    for target in devices():
        moved = x.transfer(GpuContext._of(target))
        assert moved.context._device is target and type(moved) is GpuArray
        same(moved, host)
        assert not may_share_memory(moved, x)
    with pytest.raises(ValueError, match="only works for contigous source"):
        x[::2].transfer(ctx)


# --- the driver's memory, and the namespace's arrays


def test_views_know_where_in_the_drivers_memory_they_begin(ctx: GpuContext, cube: Host) -> None:
    _, x = both(ctx, cube)
    part = x[1:, ::-1]
    assert part.offset == cube[1:, ::-1].__array_interface__["data"][0] - cube.__array_interface__["data"][0]
    assert x.base_data == part.base_data == x.data == x.gpudata > 0
    assert part.gpudata - x.gpudata == (part.offset if ctx.kind == b"cuda" else 0)
    with pytest.raises(ValueError, match="has an offset"):
        _ = part.data
    x.sync()


def test_the_namespace_sees_the_same_memory(ctx: GpuContext, cube: Host) -> None:
    host, x = both(ctx, cube)
    y = xp.asarray(x)
    assert y.device is ctx._device
    y += 1
    same(x, host + 1)
    x[0] = 9
    assert bool(xp.all(y[0] == 9))
    z = pygpu.asarray(y)
    z[...] = 0
    assert int(xp.sum(y)) == 0


def test_what_is_no_context_is_refused(ctx: GpuContext) -> None:
    with pytest.raises(TypeError, match="transfer: got NoneType; allowed: a GpuContext"):
        pygpu.zeros((2,), context=ctx).transfer(None)  # type: ignore[arg-type]
