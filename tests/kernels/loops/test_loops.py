"""Loops have the bits of kernels: every rule of every operation, at ordinary and special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import in_part

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.body import Body, T, X
from arrayapi_gpu.kernels.core.launch import BoundLaunch
from arrayapi_gpu.kernels.core.ops import Rule
from arrayapi_gpu.kernels.core.schedule import flat
from arrayapi_gpu.kernels.loops import loops
from arrayapi_gpu.kernels.loops.block_programs import block_launch
from arrayapi_gpu.kernels.maps.elementwise import Elementwise
from arrayapi_gpu.memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, INTEGRAL, iinfo
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload

N = 1003


def values_of(dtype: np.dtype[Any], seed: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(seed)
    if dtype in BOOLEAN:
        return rng.random(N) < 0.5
    if dtype in INTEGRAL:
        info = iinfo(dtype)
        found = rng.integers(info.min, info.max, N, dtype, endpoint=True)
        found[:200] = rng.integers(0, 9, 200)
        found[-3:] = info.min, info.max, 0
        return found
    if dtype in COMPLEX_FLOATING:
        real = COMPONENT[dtype]
        parts = [values_of(real, seed), values_of(real, seed + 1)]
        return np.stack(parts, axis=1).astype(real).reshape(-1).view(dtype)
    with np.errstate(all="ignore"):
        found = (rng.standard_normal(N) * 10.0 ** rng.integers(-6, 7, N)).astype(dtype)
        found[:300] = rng.random(300)
        found[-6:] = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]).astype(dtype)
    return found


def on(device: Device, hosts: list[np.ndarray[Any, Any]], rule: Rule) -> np.ndarray[Any, Any]:
    """The results of a rule, by loops where the device has them, otherwise by a kernel."""
    operands = [upload(device, host) for host in hosts]
    out = empty(device, rule.result, (N,))
    references = tuple([X[k] for k in range(len(operands))])
    body = Body(tuple([(dtype, False) for dtype in rule.args]), (), (), ((rule, references),), (T[0],), (rule.result,))
    launched: BoundLaunch | None
    buffers = [array.storage.buffer for array in (out, *operands)]
    if device.loops is not None:
        launched = block_launch(device, body, (N,), [out], operands, [])
        assert launched is not None, "there is a loop for every rule"
        launched.run(buffers, ())
    else:
        schedule = flat(N, 1 + len(operands))
        Elementwise(device, body, schedule, False).run(schedule, buffers, [0] * len(buffers), ())
    host = np.empty(N, rule.result)
    device.download(buffers[0], 0, host)
    return host


def bits(host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Bytes, with one NaN in place of all: no operation promises which one it gives."""
    if host.dtype in COMPLEX_FLOATING:
        host = host.view(COMPONENT[host.dtype])
    if host.dtype not in BOOLEAN | INTEGRAL:
        host = np.where(host == host, host, np.array(np.nan).astype(host.dtype))
    return host.view(np.uint8)


@pytest.mark.parametrize("name", in_part(sorted(loops.rules())))
def test_a_loop_has_the_bits_of_a_kernel(device: Device, native: Device, name: str) -> None:
    if device is native:
        pytest.skip("it is compared with other devices")
    rule = loops.rules()[name]
    hosts = [values_of(dtype, k) for k, dtype in enumerate(rule.args)]
    if name.startswith("philox"):
        hosts[0] = np.arange(5, N + 5)  # numbers of words, which are never negative
    assert np.array_equal(bits(on(native, hosts, rule)), bits(on(device, hosts, rule)))


def test_every_rule_has_a_loop(native: Device) -> None:
    assert native.loops is not None
    assert [name for name in loops.rules() if native.loops.find(loops.LOOP + name) is None] == []


def test_an_array_of_no_elements_is_left_alone(native: Device) -> None:
    rule = loops.rules()["add_f32"]
    out = empty(native, rule.result, (0,))
    operands: list[GpuArray | Any] = [empty(native, rule.result, (0,)) for _ in range(2)]
    body = Body(
        tuple([(dtype, False) for dtype in rule.args]), (), (), ((rule, (X[0], X[1])),), (T[0],), (rule.result,)
    )
    launched = block_launch(native, body, (0,), [out], operands, [])
    assert launched is not None
    launched.run([array.storage.buffer for array in (out, *operands)], ())
