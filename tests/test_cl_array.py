"""What CL_ARRAY had, row by row (docs/ancestors/features.md): each test is named after a row.

Zouaoui, thesis on containers of any number of dimensions for OpenCL. Its resizing, inserting and deleting are tested in
tests/api/numpy/test_resizing_functions.py, too.
"""

from __future__ import annotations

import bisect
import random
from typing import Any

import numpy as np
import pytest
from support import launches

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench import containers, multilinear

pytestmark = pytest.mark.usefixtures("device")

# --- containers of any number of dimensions ---------------------------------------------------------------------------


@pytest.mark.parametrize("rank", containers.RANKS)
def test_containers_of_rank_9_to_16_are_built_filled_read_and_freed(device: Device, rank: int) -> None:
    shape = tuple(min(n, 3) for n in containers.extents(rank))
    before = device.pool.live
    ours, numpys = containers.build(xp, shape), containers.build(np, shape)
    containers.fill(xp, ours)
    containers.fill(np, numpys)
    for one, other in zip(ours, numpys, strict=True):
        assert (one.ndim, one.dtype) == (other.ndim, other.dtype)
        np.testing.assert_array_equal(np.asarray(one), other)
    assert containers.element(ours) == containers.element(numpys) == numpys[0][(1,) * rank]
    del ours, one
    assert device.pool.live == before


def test_table_6_1_has_these_extents() -> None:
    assert containers.extents(9) == (2, 2, 2, 2, 20, 20, 19, 2, 3)
    assert [len(containers.extents(rank)) for rank in containers.RANKS] == list(containers.RANKS)


# --- memory strategies ------------------------------------------------------------------------------------------------


def test_each_memory_strategy_brings_the_values_there_and_back(device: Device) -> None:
    strategies = containers.strategies(device)
    assert "copy" in strategies
    assert ("mapped" in strategies) == device.host_shared
    for name, make in strategies.items():
        host, back = make(1000), make(1000)
        host[...] = np.arange(1000)
        x = xp.asarray(host, copy=name != "mapped")
        y = x + 1
        containers.read_into(y, back)
        np.testing.assert_array_equal(back, np.arange(1000) + 1)
        assert np.shares_memory(np.asarray(x), host) == (name == "mapped")


# --- resize -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4, 5, 6), (7, 5, 6), (4, 2, 6), (7, 3, 9), (1, 1, 1), (0, 5, 6), (4, 5, 0)])
def test_resizing_keeps_each_element_at_its_indices(shape: tuple[int, ...]) -> None:
    host = np.random.default_rng(2).random((4, 5, 6))
    expected = np.zeros(shape)
    common = tuple(slice(min(a, b)) for a, b in zip(shape, host.shape, strict=True))
    expected[common] = host[common]
    x = xp.asarray(host, copy=True)
    got = containers.resized(x, shape)
    np.testing.assert_array_equal(np.asarray(got), expected)
    if got.size:
        got[(0,) * 3] = -1.0
        assert float(x[0, 0, 0]) == host[0, 0, 0]


@pytest.mark.parametrize("change", containers.CHANGES)
def test_resizing_inserting_and_deleting_take_no_more_memory_than_the_result(device: Device, change: str) -> None:
    x = xp.asarray(np.random.default_rng(2).random((40, 50, 60)), copy=True)
    containers.allocated(device, containers.CHANGES[change], x)  # what is made once
    several = device.is_gpu and change == "grow all axes"  # there such small arrays grow axis by axis
    assert containers.allocated(device, containers.CHANGES[change], x) <= 9 / 8 * (2.5 if several else 1)
    got, expected = containers.CHANGES[change](x), containers.NUMPYS[change](np.asarray(x))
    np.testing.assert_array_equal(np.asarray(got), expected)


# --- views ------------------------------------------------------------------------------------------------------------


def test_a_view_of_another_rank_shares_the_memory() -> None:
    """Figure 5.6: a container of [4][6], seen as [2][3][4]."""
    x = xp.asarray(np.arange(24), copy=True).reshape((4, 6))
    view = xp.reshape(x, (2, 3, 4), copy=False)
    view[1, 2] = -1
    assert x[3, 2:].tolist() == [-1] * 4
    part = view[1]
    part += 100
    assert int(x[2, 0]) == 112


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_a_kernel_is_mapped_over_the_parts_one_launch_each(device: Device, ahead: int) -> None:
    rng = np.random.default_rng(3)
    for strategy, make in containers.strategies(device).items():
        inputs, outputs = (make(containers.PARTS * 60).reshape(containers.PARTS, 3, 20) for _ in range(2))
        inputs[...], outputs[...] = rng.random(inputs.shape), rng.random(outputs.shape)
        expected = inputs + outputs
        with launches() as made:
            containers.mapped(inputs, outputs, strategy, ahead)
        np.testing.assert_array_equal(outputs, expected)
        assert len(made) == containers.PARTS


# --- iterators for algorithms of the host -----------------------------------------------------------------------------


@pytest.mark.usefixtures("host_shared")
def test_algorithms_of_the_host_work_on_the_memory_of_the_device() -> None:
    """Listing 6.9: fill and find, through iterators of one plane; and Python's own on the buffer."""
    x = xp.zeros((10, 10, 2))
    plane = np.asarray(x)[5]
    plane.fill(-1)
    assert float(xp.sum(x)) == -20
    values = np.asarray(x).data.cast("B").cast("d")
    assert list(values).index(-1.0) == 100
    row = np.asarray(x)[0, :, 0]
    row[:] = random.Random(1).sample(range(10), 10)
    row.sort()
    assert bisect.bisect(row, 4) == 5
    assert x[0, :, 0].tolist() == list(range(10))


def test_a_container_is_iterated_by_its_first_axis_and_a_vector_by_its_elements() -> None:
    x = xp.asarray(np.arange(6).reshape(3, 2))
    assert [plane.tolist() for plane in x] == [[0, 1], [2, 3], [4, 5]]
    assert max(x[1]) == 3


# --- arrays of structures ---------------------------------------------------------------------------------------------


def test_attributes_of_structures_are_views_of_one_memory() -> None:
    """A structure of a double, an int and 16 floats, 80 bytes with the gap that C leaves."""
    kind = np.dtype([("d", "f8"), ("i", "i4"), ("gap", "i4"), ("f", "f4", (16,))])
    host = np.zeros(50, kind)
    host["d"], host["i"], host["f"] = np.arange(50), np.arange(50) // 2, np.arange(800).reshape(50, 16) / 3
    x = xp.asarray(host.view(np.uint8).reshape(50, 80), copy=True)
    double, integer, floats = x[:, :8].view("f8")[:, 0], x[:, 8:12].view("i4")[:, 0], x[:, 16:].view("f4")
    np.testing.assert_array_equal(np.asarray(double + integer), host["d"] + host["i"])
    np.testing.assert_array_equal(np.asarray(floats * 2), host["f"] * 2)
    double *= 2
    integer[3] = 77
    back = np.asarray(x).copy().view(kind)[:, 0]
    np.testing.assert_array_equal(back["d"], 2 * host["d"])
    assert back["i"][3] == 77
    np.testing.assert_array_equal(back["f"], host["f"])


def test_structures_are_records_whose_fields_are_views(device: Device) -> None:
    kind = np.dtype([("d", "f8"), ("i", "i4"), ("f", "f4", (16,))], align=True)
    host = np.zeros((2, 3, 4), kind)
    host["d"], host["i"], host["f"] = 1.5, 7, np.arange(16)
    records = xp.Records(host)
    records["d"] += records["i"]
    records["f"] = records["f"] / 2
    back = np.asarray(records)
    assert back.dtype == kind
    np.testing.assert_array_equal(back["d"], np.full((2, 3, 4), 8.5))
    np.testing.assert_array_equal(back["f"], host["f"] / 2)


def test_an_image_of_structures_is_convolved() -> None:
    image = np.random.default_rng(4).integers(0, 256, (9, 7, 3), dtype=np.uint8)
    pixels = np.ascontiguousarray(image).view(multilinear.PIXEL)[..., 0]
    got = multilinear.convolution(xp, xp.Records(pixels))
    np.testing.assert_array_equal(np.asarray(got), np.asarray(multilinear.convolution(xp, xp.asarray(image))))


# --- multilinear algebra ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", multilinear.WORK)
@pytest.mark.parametrize("n", [1, 7, 20])
def test_each_program_of_its_benchmark_gives_numpys_values(name: str, n: int) -> None:
    compute, make, _ = multilinear.WORK[name]
    hosts = make(n)
    expected: Any = compute(np, *hosts)
    got = np.asarray(compute(xp, *[xp.asarray(host) for host in hosts]))
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    if got.dtype == np.uint8:  # sums of float32, cut to integers
        assert np.max(np.abs(got.astype(int) - expected.astype(int))) <= 1
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_a_convolution_leaves_an_even_image_as_it_is() -> None:
    image = np.full((5, 6, 3), 200, np.uint8)
    np.testing.assert_array_equal(np.asarray(multilinear.convolution(xp, xp.asarray(image))), image)
