"""Clusters of `distributed` whose workers have a device each. Nothing else of this package imports dask.

    cluster = arrayapi_gpu.dask.local_cluster()          # a worker process for each GPU of this host
    dask worker ADDRESS --preload arrayapi_gpu.dask      # a worker of any other cluster, on the command line
    client.register_plugin(arrayapi_gpu.dask.OwnDevice())  # the workers of a cluster that runs

dask learns without this module how arrays travel and how large they are (`api.registrations`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from distributed import LocalCluster, Worker
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.system import MEMORY_LIMIT

from .api.exchange.devices import memory
from .backends import alike, default_device, get_device
from .backends.base import Device
from .backends.claims import OWN_DEVICE
from .backends.refusing import RefusingDevice
from .config import ROWS, Config, config

__all__ = ["OwnDevice", "dask_setup", "local_cluster"]


PATIENCE = 60  # seconds in which the scheduler hears of workers that have started

# Options of workers whose devices have memory of their own: the bytes of their arrays are none of the host's, which
# distributed would free by moving arrays to disk; and a second thread has its next launch ready.
OWN_MEMORY = {
    "threads_per_worker": 2,
    "config": {"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False},
}


class OwnDevice(WorkerPlugin):  # type: ignore[misc]
    """Gives a worker a device of its own: one that the fewest processes of its host have.

    ``device``: a name, or the beginning of one, of the devices that may be meant; by default what ``config.device`` is
    in the worker. ``memory_limit``: what `config` takes; by default, where the device computes in the host's memory, as
    many bytes as those at which the worker is paused. Of the rows of `config` that belong to a context, the worker gets
    those that are set where the plugin is made.

    Arrays that arrive at the worker are on its device. Each worker reports `memory` to the scheduler as its metric
    "arrayapi_gpu". A worker whose device no longer works, because a kernel has failed, is closed, and its nanny
    starts it again; tasks with ``retries`` are computed elsewhere meanwhile.
    """

    name = "arrayapi_gpu"

    def __init__(self, device: str | None = None, memory_limit: int | float | str | None = None):
        self.device, self.memory_limit = device, memory_limit
        here = {name: getattr(config, name) for name in Config.context_rows - {"device"}}
        self.settings = {name: value for name, value in here.items() if value != ROWS[name].default}

    def setup(self, worker: Worker) -> None:
        """Called by distributed. NoDeviceError where the worker's host has no such device."""
        self.worker = worker
        for knob, value in self.settings.items():
            setattr(config, knob, value)
        name = self.device or config.device or OWN_DEVICE
        config.device = name if name.startswith(OWN_DEVICE) else f"{OWN_DEVICE}:{name}"
        if self.memory_limit is not None:
            config.set(memory_limit=self.memory_limit)
        elif config.memory_limit is None and default_device().host_shared:
            config.memory_limit = _limit_like(worker, default_device())
        worker.metrics[self.name] = _used

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Called by distributed when the state of a task changes."""
        if finish == "error" and isinstance(default_device(), RefusingDevice):
            self.worker.loop.add_callback(self.worker.close, nanny=False, reason="arrayapi_gpu-device-lost")


def _limit_like(worker: Worker, device: Device) -> int | None:
    """The bytes at which distributed pauses a worker; fewer on a device that does not take all of the host's memory."""
    manager = worker.memory_manager
    limit = (manager.memory_limit or 0) * (manager.memory_pause_fraction or 1)
    return int(limit * min(1, device.memory / MEMORY_LIMIT)) or None


async def _used(worker: Worker) -> dict[str, int]:
    return memory()._asdict()


async def dask_setup(worker: Worker) -> None:
    """Called by distributed for ``--preload arrayapi_gpu.dask``. TypeError for an object that is no worker;
    NoDeviceError."""
    if not isinstance(worker, Worker):
        raise TypeError(f"--preload arrayapi_gpu.dask: got {type(worker).__name__}; allowed: a worker")
    await worker.plugin_add(OwnDevice(), name=OwnDevice.name, catch_errors=False)


class _Cluster(LocalCluster):  # type: ignore[misc]
    """Workers that have these plugins in turn."""

    def __init__(self, own: list[OwnDevice], **options: Any):
        self._own = own
        super().__init__(n_workers=0, **options)

    def new_worker_spec(self) -> dict[Any, Any]:
        """The next worker, as `distributed.SpecCluster` asks for it."""
        ((name, spec),) = super().new_worker_spec().items()
        options = spec["options"]
        plugins = (*options.get("plugins", ()), self._own[self._i % len(self._own)])
        return {name: {**spec, "options": {**options, "plugins": plugins}}}


def local_cluster(devices: Iterable[Device | str] | None = None, **options: Any) -> Any:
    """A cluster of worker processes on this host, one for each device, as a `distributed.LocalCluster`.

    ``devices``: devices or their names; one that stands there several times has as many workers, which share memory.
    None means all that are like the default device, such as all GPUs of its driver. ``options`` are LocalCluster's.
    By default a worker has one thread, and two where its device has memory of its own, so that the device need not wait
    for the scheduler. Such a worker moves arrays to the host's memory when the device's is full, and distributed moves
    none to disk. Memory limits that are set in ``config`` hold for all workers of a device together. NoDeviceError:
    there is no such device; ValueError: none is named; RuntimeError: a worker does not start.

    A program that calls it does so below ``if __name__ == "__main__":``, since each worker imports the program.
    Source: this library.

    >>> with local_cluster() as cluster, distributed.Client(cluster) as client:
    ...     x = da.random.default_rng(0).normal(size=10**10, chunks=10**8)
    """
    chosen = list(alike()) if devices is None else [get_device(device) for device in devices]
    if not chosen:
        raise ValueError("local_cluster: got no device; allowed: one or more; devices=None takes all of one driver")
    sharing = Counter(chosen)
    own = [OwnDevice(str(device), _part_of(device, sharing[device])) for device in chosen]
    shared = any(device.host_shared for device in chosen)
    defaults = {"threads_per_worker": 1, "memory_limit": MEMORY_LIMIT // len(chosen), "dashboard_address": ":0"}
    cluster = _Cluster(own, **{**defaults, **({} if shared else OWN_MEMORY), **options})
    while len(cluster.worker_spec) < len(own):
        cluster.worker_spec.update(cluster.new_worker_spec())
    if not cluster.asynchronous:
        cluster.__enter__()  # starts them, and raises the error of a worker that does not start
        cluster.wait_for_workers(len(own), timeout=PATIENCE)
    return cluster


def _part_of(device: Device, workers: int) -> int | None:
    """The limit of each of several workers that share a device; None for what `OwnDevice` chooses."""
    if config.memory_limit is None and (workers == 1 or device.host_shared):
        return None
    return max(1, device.pool.limit // workers)
