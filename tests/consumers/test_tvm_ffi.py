"""TVM's foreign function interface takes our arrays by DLPack's table, and gives results as our arrays."""

from __future__ import annotations

import ctypes
import gc
import threading
from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, assert_same, lay_out, sample, to_host
from support.exchange_tables import ExchangeTable

import arrayapi_gpu as xp
from arrayapi_gpu import compiled
from arrayapi_gpu.backends.base import Device

tvm_ffi = pytest.importorskip("tvm_ffi")

pytestmark = [
    pytest.mark.skipif(compiled.missing != "", reason="the table belongs to the compiled form"),
    pytest.mark.usefixtures("host_shared"),
]


@pytest.fixture(scope="module")
def returned() -> Any:
    """A function of TVM's that returns its argument."""
    return tvm_ffi.convert(lambda x: x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_function_gives_an_array_of_ours(layout: str, dtype: str, returned: Any) -> None:
    a = sample(dtype, (3, 4))
    y = returned(lay_out(a, layout))
    assert isinstance(y, xp.Array)
    assert_same(to_host(y), a)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3, 4)])
def test_every_shape_is_taken(shape: tuple[int, ...], returned: Any) -> None:
    a = sample("float32", shape)
    assert_same(to_host(returned(xp.asarray(a))), a)


def test_a_pending_array_is_computed(returned: Any) -> None:
    a = np.arange(1000.0)
    assert_same(to_host(returned(xp.asarray(a) * 2 + 1)), a * 2 + 1)


def test_a_function_sees_the_memory_itself(returned: Any) -> None:
    x = xp.asarray(np.zeros(3))
    y = returned(x)
    y[1] = 5
    assert to_host(x).tolist() == [0, 5, 0]


def test_a_function_writes_into_an_array() -> None:
    def double(source: Any, target: Any) -> None:
        np.from_dlpack(target)[...] = np.from_dlpack(source) * 2

    x, out = xp.asarray(np.arange(6.0).reshape(2, 3)), xp.zeros((2, 3))
    before = out + 1
    tvm_ffi.convert(double)(x, out)
    assert to_host(out).tolist() == [[0, 2, 4], [6, 8, 10]]
    assert to_host(before).tolist() == [[1, 1, 1], [1, 1, 1]]


def test_memory_returns_when_the_functions_are_done(device: Device, returned: Any) -> None:
    x = xp.asarray(np.ones(100_000))
    returned(x)
    gc.collect()
    device.wait()
    live = device.live_bytes
    for _ in range(100):
        returned(x)
    gc.collect()
    device.wait()
    assert device.live_bytes == live
    assert not x._node.array.storage.buffer.exposed  # type: ignore[union-attr]


def test_tvms_own_tensors_take_the_memory() -> None:
    x = xp.asarray(np.arange(4.0))
    tensor = tvm_ffi.from_dlpack(x)
    x[0] = 9
    assert np.from_dlpack(tensor).tolist() == [9, 1, 2, 3]


def test_threads_call_functions(returned: Any) -> None:
    x = xp.asarray(np.arange(100.0))
    failures: list[int] = []

    def call() -> None:
        for number in range(200):
            if not np.array_equal(to_host(returned(x + number)), np.arange(100.0) + number):
                failures.append(number)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_library_allocates_by_the_table_of_its_arguments(device: Device) -> None:
    """`TVMFFIEnvTensorAlloc`, which functions in C++ call for their results, takes memory from the pool."""
    library = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi())
    x = xp.zeros((500, 700), dtype=xp.float32)
    prototype, taken = ExchangeTable(xp.Array).borrow(x), []

    def allocate(argument: Any) -> Any:
        live, handle = device.live_bytes, ctypes.c_void_p()
        assert library.TVMFFIEnvTensorAlloc(ctypes.byref(prototype), ctypes.byref(handle)) == 0
        taken.append(device.live_bytes - live)
        library.TVMFFIObjectDecRef(handle)
        taken.append(device.live_bytes - live)
        return argument

    tvm_ffi.convert(allocate)(x)
    assert taken[0] >= x.nbytes and taken[1] == 0
