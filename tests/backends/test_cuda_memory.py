"""Memory of CUDA: page locks, handles of streams. The exchange itself is tested in memory/test_exchange.py."""

from __future__ import annotations

import gc
import importlib
import importlib.util
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device

if importlib.util.find_spec("cupy_backends") is None:
    pytest.skip("CuPy is not installed", allow_module_level=True)

HOST = 1  # cudaMemoryTypeHost


@pytest.fixture
def cuda(device: Device) -> Any:
    if not str(device).startswith("cuda:"):
        pytest.skip("of CUDA alone")
    return device


def kind(host: Any) -> int:
    runtime: Any = importlib.import_module("cupy_backends.cuda.api.runtime")
    return int(runtime.pointerGetAttributes(host.ctypes.data).type)


def test_memory_is_locked_as_long_as_the_lock_lives(cuda: Any) -> None:
    host = np.zeros(1 << 24, np.uint8)
    lock = cuda.page_lock(host)
    assert lock is not None and kind(host) == HOST
    again = cuda.page_lock(host)  # locked by somebody: nothing to do, nothing to undo
    del again
    assert kind(host) == HOST
    del lock
    gc.collect()
    assert kind(host) != HOST


def test_memory_that_is_locked_in_part_is_refused(cuda: Any) -> None:
    host = np.zeros(1 << 24, np.uint8)
    lock = cuda.page_lock(host[: 1 << 22])
    assert lock is not None and cuda.page_lock(host) is None
    del lock
    assert cuda.page_lock(host) is not None


def test_memory_for_copies_is_locked(cuda: Any) -> None:
    handle, host = cuda.host_alloc(1 << 24)
    assert kind(host) == HOST and int(handle) == host.ctypes.data
    del handle
    assert kind(host) != HOST


@pytest.mark.parametrize("stream", [0, -2, "default"])
def test_a_handle_of_no_stream_is_refused(cuda: Any, stream: Any) -> None:
    with pytest.raises(ValueError, match="allowed: None, -1"):
        cuda.exchange.lend(cuda.alloc(64), stream)
    with pytest.raises(ValueError, match="allowed: None, -1"):
        cuda.exchange.follow(stream)


def test_addresses_of_the_device_are_known(cuda: Any) -> None:
    buffer, (_, host) = cuda.alloc(64), cuda.host_alloc(64)
    assert cuda.exchange.holds(buffer.handle) and not cuda.exchange.holds(host.ctypes.data)
