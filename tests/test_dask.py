"""`arrayapi_gpu.dask` without a cluster: what it refuses, and the devices and limits that workers get."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, NoDeviceError

pytest.importorskip("distributed")
own_dask = pytest.importorskip("arrayapi_gpu.dask")

pytestmark = pytest.mark.usefixtures("device")


def test_dask_is_imported_with_it_alone() -> None:
    code = "import sys, arrayapi_gpu as xp; assert 'dask' not in sys.modules; import arrayapi_gpu.dask; assert xp.dask"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_cluster_without_devices_is_refused() -> None:
    with pytest.raises(ValueError, match="local_cluster: got no device; allowed: one or more"):
        own_dask.local_cluster([])
    with pytest.raises(NoDeviceError):
        own_dask.local_cluster(["cuda:99"])


def test_only_workers_are_given_a_device() -> None:
    with pytest.raises(TypeError, match=r"--preload arrayapi_gpu.dask: got SimpleNamespace; allowed: a worker"):
        asyncio.run(own_dask.dask_setup(SimpleNamespace()))


LIMITS = {
    "alone": (None, 1, None),
    "one of two in the host's memory": (None, 2, None),
    "alone, with a limit": (1 << 20, 1, 1 << 20),
    "one of four, with a limit": (1 << 20, 4, 1 << 18),
}


@pytest.mark.parametrize("name", LIMITS)
def test_workers_share_the_limit_of_their_device(name: str, device: Device) -> None:
    limit, workers, expected = LIMITS[name]
    if limit is None and workers > 1 and not device.host_shared:
        expected = device.memory // workers
    with xp.config.set(memory_limit=limit):
        assert own_dask._part_of(device, workers) == expected


def test_a_worker_has_what_is_set_where_its_plugin_is_made(device: Device) -> None:
    with xp.config.set(device="opencl:9:9", fusion=False, specialise="never", host_transfers="log", check=True):
        plugin = pickle.loads(pickle.dumps(own_dask.OwnDevice(str(device), "1 GiB")))
    before = xp.config.values()
    assert plugin.settings == {
        "fusion": False, "specialise": "never", "host_transfers": "log",
        **({} if before["small_on_host"] else {"small_on_host": False}),
    }  # fmt: skip
    with xp.config.set(fusion=True, specialise="by use", host_transfers="allow", device=None, memory_limit=None):
        plugin.setup(SimpleNamespace(metrics={}))
        got = xp.config.values()
    assert got == {**before, **plugin.settings, "device": f"own:{device}", "memory_limit": 1 << 30}
    assert xp.config.values() == before


# What a worker's own limit is, by that of distributed and the share at which distributed pauses it.
PAUSED = {"a limit": (1000, 0.8, 800), "no pause": (1000, False, 1000), "no limit": (None, 0.8, None)}


@pytest.mark.parametrize("name", PAUSED)
def test_a_worker_is_set_up(name: str, device: Device) -> None:
    limit, pause, expected = PAUSED[name]
    manager = SimpleNamespace(memory_limit=limit, memory_pause_fraction=pause)
    worker = SimpleNamespace(memory_manager=manager, metrics={})
    with xp.config.set(device=str(device), memory_limit=None):
        own_dask.OwnDevice().setup(worker)
        assert xp.config.device == f"own:{device}" and xp.ones(1).device is device
        if expected is not None:  # of the memory that the device takes
            expected = int(expected * min(1, device.memory / own_dask.MEMORY_LIMIT))
        assert xp.config.memory_limit == (expected if device.host_shared else None)
        used = asyncio.run(worker.metrics["arrayapi_gpu"](worker))
    assert used.keys() == {"limit", "live", "cached", "spilled", "peak"}
    with xp.config.set(device=None, memory_limit=None):
        own_dask.OwnDevice(str(device), "4 KiB").setup(worker)
        assert (xp.config.device, xp.config.memory_limit) == (f"own:{device}", 4096)
