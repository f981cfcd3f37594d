"""The words of the dialect that move data, each against what NumPy's indexing does, for every dtype."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device, Kernel
from arrayapi_gpu.memory.dtypes import DTYPE_OF

HostArray = np.ndarray[Any, Any]

ALL = list(DTYPE_OF)
SCALAR = {"b8": "i4", "i8": "i4", "i16": "i4", "u8": "u4", "u16": "u4", "bf16": "f4", "f16": "f4"}
SIZE = 256  # elements, more than any access below reaches


@cache
def _kernel(device: Device, t: str, body: str) -> Kernel:
    return device.compile(
        f"typedef struct {{ S_{t} v; long s; int n; }} P;\n"
        f"KERNEL void words(const GLOBAL M_{t} *a, GLOBAL M_{t} *r, P p) {{ {body} }}\n",
        "words",
    )


def run(device: Device, t: str, body: str, stride: int = 1, count: int = 1) -> tuple[Any, ...]:
    """The operand, the scalar, and what a kernel with this body made of a copy of the operand, reversed."""
    dtype = DTYPE_OF[t]
    rng = np.random.default_rng(1)
    a: HostArray
    if t[0] in "iu":
        info = np.iinfo(dtype)
        a = rng.integers(info.min, info.max, SIZE, dtype, endpoint=True)
    elif t == "b8":
        a = rng.random(SIZE) < 0.5
    elif t[0] == "c":
        a = (rng.normal(size=SIZE) + 1j * rng.normal(size=SIZE)).astype(dtype)
    else:
        a = rng.normal(size=SIZE).astype(dtype)
    scalar = a[17]
    fields = [("v", SCALAR.get(t, dtype)), ("s", "i8"), ("n", "i4")]
    parameters = np.zeros((), np.dtype(fields, align=True))
    parameters["v"], parameters["s"], parameters["n"] = scalar, stride, count
    result = a[::-1].copy()
    buffers = [device.alloc(a.nbytes), device.alloc(a.nbytes)]
    for buffer, host in zip(buffers, (a, result), strict=True):
        device.upload(buffer, 0, host)
    device.launch(_kernel(device, t, body), 1, 1, buffers, parameters.tobytes())
    device.download(buffers[1], 0, result)
    return a, scalar, result


@pytest.fixture(params=ALL)
def t(twin: Device, request: pytest.FixtureRequest) -> str:
    """Every dtype that the device has."""
    if request.param not in twin.dtypes:
        pytest.skip(f"{twin} has no {request.param}")
    return str(request.param)


def same(got: HostArray, expected: HostArray) -> None:
    assert got.tobytes() == np.ascontiguousarray(expected).tobytes()


def test_load_and_store(twin: Device, t: str) -> None:
    a, _, r = run(twin, t, f"STORE_{t}(r, 5, LOAD_{t}(a, 3));")
    expected = a[::-1].copy()
    expected[5 : 5 + twin.lanes] = a[3 : 3 + twin.lanes]
    same(r, expected)


@pytest.mark.parametrize("stride", [0, 1, 3, -2])
def test_strided_load(twin: Device, t: str, stride: int) -> None:
    a, _, r = run(twin, t, f"STORE_{t}(r, 0, LOADS_{t}(a, 100, p.s));", stride)
    same(r[: twin.lanes], a[100 + stride * np.arange(twin.lanes)])


@pytest.mark.parametrize("stride", [1, 5, -3])
def test_load_of_the_first_lanes_leaves_zeros_behind(twin: Device, t: str, stride: int) -> None:
    for n in {0, 1, (twin.lanes + 1) // 2, twin.lanes}:
        body = f"STORE_{t}(r, 0, LOADN_{t}(a, 100, p.s, p.n));"
        a, _, r = run(twin, t, body, stride, n)
        expected = np.zeros(twin.lanes, a.dtype)
        expected[:n] = a[100 + stride * np.arange(n)]
        same(r[: twin.lanes], expected)


def test_load_of_one_element(twin: Device, t: str) -> None:
    a, _, r = run(twin, t, f"STORE_{t}(r, 0, LOAD1_{t}(a, 7));")
    same(r[: twin.lanes], np.repeat(a[7], twin.lanes))


def test_gather(twin: Device, t: str) -> None:
    index = "C_i64(9) + IOTA * IOTA"
    a, _, r = run(twin, t, f"STORE_{t}(r, 0, LOADG_{t}(a, {index}));")
    same(r[: twin.lanes], a[9 + np.arange(twin.lanes) ** 2])


def test_scalar_parameter(twin: Device, t: str) -> None:
    _, scalar, r = run(twin, t, f"STORE_{t}(r, 0, SPLAT_{t}(p.v));")
    same(r[: twin.lanes], np.repeat(scalar, twin.lanes))


def test_rotation(twin: Device, t: str) -> None:
    a, _, r = run(twin, t, f"STORE_{t}(r, 0, ROTATE_{t}(LOAD_{t}(a, 0), 5));")
    same(r[: twin.lanes], np.roll(a[: twin.lanes], -5))


@pytest.mark.parametrize("stride", [1, 3, -2])
def test_strided_store(twin: Device, t: str, stride: int) -> None:
    a, _, r = run(twin, t, f"STORES_{t}(r, 100, p.s, LOAD_{t}(a, 0));", stride)
    expected = a[::-1].copy()
    expected[100 + stride * np.arange(twin.lanes)] = a[: twin.lanes]
    same(r, expected)


@pytest.mark.parametrize("stride", [1, -3])
def test_store_of_the_first_lanes(twin: Device, t: str, stride: int) -> None:
    n = (twin.lanes + 1) // 2
    a, _, r = run(twin, t, f"STOREN_{t}(r, 100, p.s, p.n, LOAD_{t}(a, 0));", stride, n)
    expected = a[::-1].copy()
    expected[100 + stride * np.arange(n)] = a[:n]
    same(r, expected)


def test_scatter_under_a_mask(twin: Device, t: str) -> None:
    n = (twin.lanes + 1) // 2
    body = f"STOREG_{t}(r, C_i64(200) - IOTA * C_i64(2), LT(IOTA, C_i64(p.n)), LOAD_{t}(a, 0));"
    a, _, r = run(twin, t, body, count=n)
    expected = a[::-1].copy()
    expected[200 - 2 * np.arange(n)] = a[:n]
    same(r, expected)


def test_any_and_all(twin: Device) -> None:
    lanes = twin.lanes
    body = "r[0] = ANY(LT(IOTA, C_i64(p.s))); r[1] = ALL(LT(IOTA, C_i64(p.s)));"
    for bound in {0, 1, lanes - 1, lanes}:
        _, _, r = run(twin, "i32", body, bound)
        assert [bool(v) for v in r[:2]] == [bound > 0, bound >= lanes]


def mapped(device: Device, t: str, a: HostArray, word: str, to: str) -> HostArray:
    """What a word makes of every element, in memory of another dtype."""
    kernel = device.compile(
        f"typedef struct {{ int n; }} P;\n"
        f"KERNEL void words(const GLOBAL M_{t} *a, GLOBAL M_{to} *r, P p) {{\n"
        f"    STORE_{to}(r, GID * LANES, {word}(LOAD_{t}(a, GID * LANES)));\n}}\n",
        "words",
    )
    result = np.empty(a.size, DTYPE_OF[to])
    source, target = device.alloc(a.nbytes), device.alloc(result.nbytes)
    device.upload(source, 0, a)
    device.launch(kernel, a.size // device.lanes // 16, 16, [source, target], np.int32(0).tobytes())
    device.download(target, 0, result)
    return result


def test_every_half_is_kept_bit_for_bit(twin: Device) -> None:
    """NaNs too, but that they may become quiet."""
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    kept = mapped(twin, "f16", halves, "", "f16").view(np.uint16)
    assert np.array_equal(kept | 0x200 * np.isnan(halves), halves.view(np.uint16) | 0x200 * np.isnan(halves))


def test_floats_round_to_the_nearest_half(twin: Device) -> None:
    """All halves, what lies around the middle between two of them, and random bits; a NaN keeps its sign."""
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16).astype(np.float32)
    middles = halves.view(np.uint32) | np.uint32(0x1000)
    around = np.concatenate([middles - 1, middles, middles + 1]).view(np.float32)
    bits = np.random.default_rng(0).integers(0, 2**32, 2**18, dtype=np.uint32).view(np.float32)
    floats = np.concatenate([halves, around, bits])
    with np.errstate(all="ignore"):
        expected = floats.astype(np.float16)
    rounded = mapped(twin, "f32", floats, "ROUND_f16", "f16")
    nan = np.isnan(expected)
    same(rounded[~nan], expected[~nan])
    assert np.isnan(rounded[nan]).all()
    same(np.signbit(rounded[nan]), np.signbit(floats[nan]))
