"""How the work-items of an element-wise kernel share the elements, by kinds of layouts and bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.body import Body, S, T, X
from arrayapi_gpu.kernels.core.ops import OPS, RANDOM
from arrayapi_gpu.kernels.core.schedule import elementwise_schedule
from arrayapi_gpu.kernels.maps.elementwise_tiling import Tiling, alignment, tiling_of
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.layout import contiguous_strides

N = 512


def sines(short: str, count: int) -> Body:
    """``count`` sines of one operand."""
    dtype = DTYPE_OF[short]
    rule = OPS["sin"].rules[dtype]
    steps = tuple((rule, (T[k - 1] if k else X[0],)) for k in range(count))
    return Body(((dtype, False),), (), (dtype,), steps, (T[count - 1],), (dtype,))


def samples() -> Body:
    word, index = DTYPE_OF["u64"], DTYPE_OF["i64"]
    step = RANDOM["philox"].rules[word], (X[0], *[S[k] for k in range(6)])
    return Body(((index, True),), (), (word,) * 6, (step,), (T[0],), (word,))


def tiling(device: Device, body: Body, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tiling:
    """For aligned memory, where the kind of schedule makes a difference of it."""
    layouts = ((shape, contiguous_strides(shape)), (shape, strides))
    schedule = elementwise_schedule(shape, layouts, 1, device.lanes)
    grain = alignment(device, body, schedule)[0]
    return tiling_of(device, body, schedule, grain > 1, grain)


@pytest.mark.parametrize(("short", "count"), [("f16", 8), ("f32", 4)])
def test_items_of_gpus_take_accesses_of_16_bytes(device: Device, short: str, count: int) -> None:
    if short not in device.dtypes:
        pytest.skip(f"{device} has no {short}")
    found = tiling(scalar_twin(device), sines(short, 1), (N,), (1,))
    assert (found.vectors, found.count, found.most, found.group) == (True, count, 0, tuning.VECTOR_GROUP)


def test_items_of_gpus_go_on_where_neighbours_are_computed_together(device: Device) -> None:
    found = tiling(scalar_twin(device), samples(), (N,), (1,))
    assert (found.vectors, found.count, found.most) == (True, 4, tuning.LOOPING_ITEMS)


def test_items_of_gpus_take_one_element_of_a_costly_body(device: Device) -> None:
    body = sines("f32", tuning.ONE_ELEMENT)
    found = tiling(scalar_twin(device), body, (N,), (1,))
    assert (found.vectors, found.count) == (False, 1)


KINDS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "strided": ((N,), (2,), {"vectors": False, "count": tuning.ROWS_PER_ITEM, "spacing": "GROUP_SIZE"}),
    "rows": ((N, N), (3 * N, 2), {"rows": True, "count": tuning.ROWS_PER_ITEM, "staged": frozenset()}),
    "transposed": ((N, N), (1, N), {"rows": True, "count": tuning.TILE_ROWS[False], "staged": frozenset([0])}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_items_of_gpus_take_several_elsewhere(device: Device, kind: str) -> None:
    shape, strides, expected = KINDS[kind]
    found = tiling(scalar_twin(device), sines("f32", 1), shape, strides)
    assert {name: getattr(found, name) for name in expected} == expected


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16"])
@pytest.mark.parametrize("shape", [(1, 130), (33, 64), (127, 66), (3, 65, 127)], ids=str)
def test_narrow_tiles_turn_all_elements(device: Device, dtype: str, shape: tuple[int, ...]) -> None:
    """Work-items of GPUs take more rows of a tile where all elements have one byte."""
    twin = scalar_twin(device)
    host = np.random.default_rng(6).integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    x = xp.asarray(host, device=twin)
    turned, wanted = xp.permute_dims(x, (*range(x.ndim)[::-1],)), host.T
    np.testing.assert_array_equal(to_host(xp.asarray(turned, copy=True)), wanted)
    np.testing.assert_array_equal(to_host(turned | xp.asarray(wanted.copy(), device=twin)), wanted)
    np.testing.assert_array_equal(
        to_host(xp.flip(turned) | turned), wanted[(slice(None, None, -1),) * host.ndim] | wanted
    )


@pytest.mark.parametrize(
    ("op", "short", "wide"), [("square", "i8", False), ("abs", "i8", False), ("square", "i16", True)]
)
def test_items_of_gpus_take_more_rows_of_narrow_tiles(device: Device, op: str, short: str, wide: bool) -> None:
    dtype = DTYPE_OF[short]
    body = Body(((dtype, False),), (), (dtype,), ((OPS[op].rules[dtype], (X[0],)),), (T[0],), (dtype,))
    assert tiling(scalar_twin(device), body, (N, N), (1, N)).count == tuning.TILE_ROWS[not wide]


def test_items_of_cpus_take_spans_of_registers(device: Device) -> None:
    if device.is_gpu:
        pytest.skip("of CPUs")
    found = tiling(device, sines("f32", 1), (N,), (1,))
    assert (found.span, found.streams, found.vectors) == (tuning.STREAM_SPAN, True, False)


def test_what_stays_the_same_along_a_row_is_told(device: Device) -> None:
    """Operand 0 is one column, so it and its sine are made once a row."""
    found = tiling(device, sines("f32", 1), (N, N), (1, 0))
    assert found.along == (frozenset([0]), frozenset([0]))
