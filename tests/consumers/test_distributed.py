"""A cluster of distributed: four worker processes, which may be killed, on the devices of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, lay_out, sample
from support.processes import with_modules

import arrayapi_gpu as xp
from arrayapi_gpu.backends import default_device
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.refusing import refuse_from_now_on

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
own_dask = pytest.importorskip("arrayapi_gpu.dask")
protocol = pytest.importorskip("distributed.protocol")

WORKERS = 4
PATIENCE = 120  # seconds for what takes some on an idle machine
CHUNK = 1 << 18  # elements, 2 MiB of float64


@pytest.fixture(scope="module")
def client(device: Device) -> Iterator[Any]:
    """A client of four workers that share the device."""
    with own_dask.local_cluster([device] * WORKERS) as cluster, distributed.Client(cluster, timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def arrays_of_ours() -> Iterator[None]:
    with dask.config.set({"array.backend": "arrayapi_gpu"}):
        yield


def drawn(chunks: int = 16) -> Any:
    return da.random.default_rng(3).normal(size=chunks * CHUNK, chunks=CHUNK)


def test_each_worker_has_the_device_and_a_part_of_the_memory(client: Any, device: Device) -> None:
    found = client.run(lambda: (str(xp.ones(1).device), xp.memory().limit))
    assert len(found) == WORKERS and {name for name, _ in found.values()} == {str(device)}
    assert sum(limit for _, limit in found.values()) <= device.memory


@pytest.mark.usefixtures("arrays_of_ours")
def test_the_bits_do_not_depend_on_the_workers(client: Any) -> None:
    x = drawn(4)
    for result in (x.sum(), x.std(), (x * 2).reshape(4, -1).sum(axis=0)[:5]):
        expected = result.compute(scheduler="sync").to_numpy()
        np.testing.assert_array_equal(client.compute(result).result(PATIENCE).to_numpy(), expected)


@pytest.mark.usefixtures("arrays_of_ours")
def test_the_scheduler_knows_the_bytes_of_arrays(client: Any) -> None:
    """Those of results, of which nothing keeps what they were made of."""
    x = client.persist(xp_pending(drawn()))
    distributed.wait(x, PATIENCE)
    live = managed = 0
    for _ in range(600):  # the scheduler hears of it a moment later
        live = sum(client.run(lambda: xp.memory().live).values())
        managed = sum(state.memory.managed for state in client.cluster.scheduler.workers.values())
        if abs(managed - live) <= 0.05 * live:
            break
        time.sleep(0.1)
    assert live >= 16 * CHUNK * 8
    assert abs(managed - live) <= 0.05 * live
    told = [state.metrics["arrayapi_gpu"]["limit"] for state in client.cluster.scheduler.workers.values()]
    assert len(told) == WORKERS and min(told) > 0


def xp_pending(x: Any) -> Any:
    return x.map_blocks(lambda block: block * 2 + 1)


def test_arrays_travel_between_workers(client: Any, device: Device) -> None:
    first, second, *_ = client.scheduler_info()["workers"]
    host = np.arange(CHUNK, dtype=np.float32)
    x = client.submit(xp.asarray, host, workers=[first])
    y = client.submit(lambda x: (x * 2, str(x.device)), x, workers=[second])
    doubled, name = y.result(PATIENCE)
    assert name == str(device) and doubled.device is device
    np.testing.assert_array_equal(doubled.to_numpy(), host * 2)
    z = client.submit(lambda pair: pair[0].to_numpy().sum(), {0: x, 1: [x]}, workers=[second])
    assert z.result(PATIENCE) == host.sum()


def test_results_may_be_written_to(client: Any) -> None:
    x = client.submit(xp.ones, CHUNK).result(PATIENCE)
    x[:2] = 7
    assert x[:3].tolist() == [7, 7, 1]


WORKER = ["-m", "distributed.cli.dask_worker", "--preload", "arrayapi_gpu.dask", "--no-dashboard", "--no-nanny"]


def test_a_worker_of_the_command_line_has_a_device(client: Any, device: Device, tmp_path: Path) -> None:
    words = [client.cluster.scheduler_address, "--name", "outside", "--local-directory", str(tmp_path)]
    environment = {**with_modules(*map(Path, filter(None, sys.path))), "ARRAYAPI_GPU_DEVICE": str(device)}
    worker = subprocess.Popen([sys.executable, *WORKER, *words], env=environment, stderr=subprocess.DEVNULL)
    try:
        client.wait_for_workers(WORKERS + 1, PATIENCE)
        (address,) = [a for a, facts in client.scheduler_info()["workers"].items() if facts["name"] == "outside"]
        assert client.run(lambda: xp.config.device, workers=[address]) == {address: f"own:{device}"}
    finally:
        worker.terminate()
        worker.wait(PATIENCE)


def _dies_once(block: Any, mark: str) -> Any:
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return block * 2
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed by a signal that the system lacks")
@pytest.mark.usefixtures("arrays_of_ours")
def test_a_worker_is_killed_in_the_middle(client: Any, tmp_path: Path) -> None:
    """What it held is computed again by the others, with the same bits."""
    x = client.persist(drawn())
    distributed.wait(x, PATIENCE)
    result = x.map_blocks(_dies_once, str(tmp_path / "killed"), meta=x._meta).sum()
    found = client.compute(result).result(PATIENCE)
    assert (tmp_path / "killed").exists()
    np.testing.assert_array_equal(found.to_numpy(), (drawn() * 2).sum().compute(scheduler="sync").to_numpy())


def _loses_its_device(mark: str) -> str:
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        pass
    else:
        refuse_from_now_on(default_device(), "a kernel has failed")
    return str((xp.ones(3) + 1).tolist())


def test_a_worker_whose_device_is_lost_starts_again(client: Any, tmp_path: Path) -> None:
    client.wait_for_workers(WORKERS, PATIENCE)  # another test has killed one
    before = set(client.run(os.getpid).values())
    task = client.submit(_loses_its_device, str(tmp_path / "lost"), retries=2, pure=False)
    assert task.result(PATIENCE) == "[2.0, 2.0, 2.0]"
    assert len(before) == WORKERS
    now = before
    for _ in range(10 * PATIENCE):
        now = set(client.run(os.getpid, on_error="ignore").values())
        if len(now) == WORKERS and now != before:
            break
        time.sleep(0.1)
    assert len(now) == WORKERS and len(now & before) == WORKERS - 1


def test_workers_whose_device_has_its_own_memory(device: Device) -> None:
    """They have two threads, and distributed moves no array to disk, however many bytes these have."""
    options = {**own_dask.OWN_MEMORY, "memory_limit": "1 GiB"}
    with (
        own_dask.local_cluster([device], **options) as cluster,
        distributed.Client(cluster, timeout=PATIENCE) as client,
    ):
        (found,) = client.run(_memory_of_the_worker).values()
        assert found == (False, False, 0.8, 2, dict)
        x = client.persist(drawn(8).map_blocks(xp.asarray))
        assert client.compute(x.sum()).result(PATIENCE).shape == ()


def _memory_of_the_worker(dask_worker: Any) -> tuple[Any, ...]:
    manager = dask_worker.memory_manager
    fractions = manager.memory_target_fraction, manager.memory_spill_fraction, manager.memory_pause_fraction
    return (*fractions, dask_worker.state.nthreads, type(dask_worker.data))


class _Fails(distributed.diagnostics.plugin.WorkerPlugin):  # type: ignore[misc,name-defined]
    def setup(self, worker: Any) -> None:
        raise OSError("no such thing")


def test_a_worker_that_does_not_start_is_an_error(device: Device) -> None:
    with pytest.raises(RuntimeError, match="failed to start"):
        own_dask.local_cluster([device], plugins=(_Fails(),), silence_logs=50)


# --- how arrays are written and read, without a cluster

ARRIVE: dict[str, Callable[[list[Any]], list[Any]]] = {
    "as they were sent": lambda frames: [bytearray(frame) for frame in frames],
    "from a disk": lambda frames: [bytes(frame) for frame in frames],
}


@pytest.mark.parametrize("how", ARRIVE)
@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_travels(name: str, how: str, device: Device) -> None:
    host = sample(name, (3, 5))
    header, frames = protocol.serialize(xp.asarray(host))
    found = protocol.deserialize(header, ARRIVE[how](frames))
    assert header["serializer"] == "dask" and found.device is device
    np.testing.assert_array_equal(found.to_numpy(), host, strict=True)
    found[0] = found[1]
    np.testing.assert_array_equal(found[0].to_numpy(), host[1])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_travels(layout: str, device: Device) -> None:
    host = sample("float32", (4, 6))
    found = protocol.deserialize(*protocol.serialize([{"x": lay_out(host, layout)}, 1]))
    np.testing.assert_array_equal(found[0]["x"].to_numpy(), host, strict=True)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_arrays_of_no_and_of_one_element_travel(shape: tuple[int, ...], device: Device) -> None:
    host = np.full(shape, 2.5)
    np.testing.assert_array_equal(
        protocol.deserialize(*protocol.serialize(xp.asarray(host))).to_numpy(), host, strict=True
    )


@pytest.mark.usefixtures("host_shared")
def test_memory_of_the_host_is_not_copied(device: Device) -> None:
    """Not on the way out, and not where it arrives."""
    x = xp.arange(CHUNK) * 2
    header, (frame,) = protocol.serialize(x)
    assert np.shares_memory(np.frombuffer(frame, np.uint8), np.asarray(x).view(np.uint8))
    arrived = np.frombuffer(bytearray(frame), np.uint8)
    y = protocol.deserialize(header, [arrived.data])
    assert np.shares_memory(arrived, np.asarray(y).view(np.uint8))
