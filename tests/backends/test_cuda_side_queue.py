"""CUDA's side queues: what they have of their own. What all have in common is in test_opencl_side_queue.py."""

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
def cuda(device: Device) -> Device:
    if not str(device).startswith("cuda:"):
        pytest.skip("of CUDA alone")
    return device


def kind(host: Any) -> int:
    runtime: Any = importlib.import_module("cupy_backends.cuda.api.runtime")
    return int(runtime.pointerGetAttributes(host.ctypes.data).type)


def test_memory_is_locked_as_long_as_the_lock_lives(cuda: Device) -> None:
    host = np.zeros(1 << 24, np.uint8)
    lock = cuda.page_lock(host)
    assert lock is not None and kind(host) == HOST
    again = cuda.page_lock(host)  # locked by somebody: nothing to do, nothing to undo
    del again
    assert kind(host) == HOST
    del lock
    gc.collect()
    assert kind(host) != HOST


def test_memory_that_is_locked_in_part_is_refused(cuda: Device) -> None:
    host = np.zeros(1 << 24, np.uint8)
    lock = cuda.page_lock(host[: 1 << 22])
    assert lock is not None and cuda.page_lock(host) is None
    del lock
    assert cuda.page_lock(host) is not None


def test_memory_for_copies_is_locked(cuda: Device) -> None:
    handle, host = cuda.host_alloc(1 << 24)
    assert kind(host) == HOST and int(handle) == host.ctypes.data
    del handle
    assert kind(host) != HOST
