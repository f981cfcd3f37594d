"""The native back end: the device, and launches that are shared among threads."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.host_memory import PART_OF_COPY
from arrayapi_gpu.config import config


def test_nothing_is_queued(native: Device) -> None:
    x = xp.asarray(np.arange(10, dtype=np.float32), device=native)
    xp.compute(x + 1)
    assert native.rests()


def test_it_comes_after_the_drivers(native: Device) -> None:
    devices = backends.devices()
    assert native in devices and backends.get_device("native") is native
    assert all(device.rank < native.rank for device in devices[: devices.index(native)])
    assert devices[-1] is native or devices[-1].rank > native.rank
    with config.set(device="native"):
        assert xp.ones(3).device is native


FORK = """
import os, threading
import numpy as np
import arrayapi_gpu as xp
host = np.arange(1 << 18, dtype=np.float32)
x = xp.asarray(host, device="native")
wanted = float(xp.sum(xp.sqrt(x)))
ended = threading.Event()
def work():
    while not ended.is_set():
        float(xp.sum(xp.sqrt(xp.asarray(host, device="native"))))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
codes = []
for _ in range(5):
    child = os.fork()
    if child == 0:
        os._exit(0 if float(xp.sum(xp.sqrt(x))) == wanted else 1)
    codes.append(os.waitpid(child, 0)[1])
ended.set()
print(codes)
"""


@pytest.mark.usefixtures("native")
def test_it_works_in_the_child_of_a_fork_while_threads_compute() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == "[0, 0, 0, 0, 0]\n"


LITTLE_MEMORY = """
from array import array
import numpy as np
import arrayapi_gpu as xp
x = xp.asarray(np.ones(1 << 16, np.float32), device="native")
wanted = float(xp.sum(xp.exp(x[::2])))
from arrayapi_gpu.backends import native_library
loops = native_library.loops()
words = array("q", [0] * 64)
words[0] = words[1] = words[2] = 1  # one element, a block, an axis
words[7] = 1 << 60  # and more memory than there is
try:
    loops.program(words.tobytes(), [], [], print, 1, 1, False, {}, print).run([], [])
except MemoryError as error:
    print(error)
print(float(xp.sum(xp.exp(x[::2]))) == wanted)
"""


def test_a_thread_without_memory_is_an_error(native: Device) -> None:
    if native.loops is None:
        pytest.skip("the package was built without loops")
    done = subprocess.run(
        [sys.executable, "-c", LITTLE_MEMORY], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "native: no memory for the values of a block; free some of the host's memory\nTrue\n"


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


def test_large_memory_is_copied_by_several_threads(native: Device) -> None:
    host = np.arange(4 * PART_OF_COPY + 5, dtype=np.uint8)
    buffer, back = native.alloc(host.nbytes + 3), np.empty_like(host)
    native.upload(buffer, 3, host)
    native.download(buffer, 3, back)
    np.testing.assert_array_equal(back, host)
