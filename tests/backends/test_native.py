"""The native back end: the device, and launches that are shared among threads."""

from __future__ import annotations

import threading

import numpy as np
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config


def test_nothing_is_queued(native: Device) -> None:
    x = xp.asarray(np.arange(10, dtype=np.float32), device=native)
    xp.compute(x + 1)
    assert native.rests()


def test_it_is_found_by_its_name_alone(native: Device) -> None:
    assert native not in backends.devices() and backends.get_device("native") is native
    with config.set(device="native"):
        assert xp.ones(3).device is native


def test_threads_compute_at_once(native: Device) -> None:
    host = np.random.default_rng(0).standard_normal(200_000).astype(np.float32)
    wanted = to_host(xp.sum(xp.asarray(host, device=native) * 2))
    found: list[bool] = []

    def work() -> None:
        for _ in range(20):
            found.append(to_host(xp.sum(xp.asarray(host, device=native) * 2)) == wanted)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 80


def test_memory_of_others_is_released_when_it_is_no_longer_used(native: Device) -> None:
    host = np.zeros(1000)
    buffer = native.adopt(host)
    assert native.address(buffer) == host.ctypes.data
    del buffer
    native.wait()
    assert not native._adopted  # type: ignore[attr-defined]
