"""Clusters of `distributed` with one device for each worker. This is the only module of the package that imports dask.

    cluster = arrayapi_gpu.dask.local_cluster()          # a worker process for each GPU of this host
    dask worker ADDRESS --preload arrayapi_gpu.dask      # a worker of any other cluster, on the command line
    client.register_plugin(arrayapi_gpu.dask.OwnDevice())  # all workers of a running cluster

Serialization and sizes of arrays are registered with dask without this module (`api.registrations`).
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


PATIENCE = 60  # seconds to wait until all workers have started

# Options of workers whose devices have their own memory: their arrays take no host memory, so distributed must not move
# arrays to disk to free it; a second thread prepares the next launch.
OWN_MEMORY = {
    "threads_per_worker": 2,
    "config": {"distributed.worker.memory.target": False, "distributed.worker.memory.spill": False},
}


class OwnDevice(WorkerPlugin):  # type: ignore[misc]
    """A plugin that gives a worker of `distributed` its own device.

    The device is the one that the fewest processes of its host use. Arrays that arrive at the worker are on it. The
    scheduler gets the numbers of `memory` of each worker as the metric "arrayapi_gpu". If a device stops working
    because a kernel failed, its worker is closed, and its nanny starts it again; meanwhile other workers compute tasks
    with ``retries``.

    Parameters
    ----------
    device : str, optional
        The name of a device, or the first parts of a name; by default ``config.device`` in the worker.
    memory_limit : int, float or str, optional
        The ``config.memory_limit`` of the worker; by default, if the device computes in host memory, the number of
        bytes at which distributed pauses the worker.

    See Also
    --------
    local_cluster : A cluster of this host.

    Notes
    -----
    Settings of a thread or task that differ from their defaults where the plugin is created are copied to the worker.

    Examples
    --------
    >>> from arrayapi_gpu.dask import OwnDevice  # doctest: +SKIP
    >>> client.register_plugin(OwnDevice())  # doctest: +SKIP
    """

    name = "arrayapi_gpu"

    def __init__(self, device: str | None = None, memory_limit: int | float | str | None = None):
        self.device, self.memory_limit = device, memory_limit
        here = {name: getattr(config, name) for name in Config.context_rows - {"device"}}
        self.settings = {name: value for name, value in here.items() if value != ROWS[name].default}

    def setup(self, worker: Worker) -> None:
        """Set up a worker; distributed calls it.

        Parameters
        ----------
        worker : distributed.Worker
            The worker.

        Raises
        ------
        NoDeviceError
            If the worker's host does not have the device.

        Examples
        --------
        >>> from arrayapi_gpu.dask import OwnDevice  # doctest: +SKIP
        >>> client.register_plugin(OwnDevice())  # doctest: +SKIP
        """
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
        """Close the worker if a task failed and the device is lost.

        distributed calls it when the state of a task changes.

        Parameters
        ----------
        key : Any
            The task.
        start : str
            Its state before.
        finish : str
            Its state now.
        **_ : Any
            Options of distributed.

        Examples
        --------
        >>> from arrayapi_gpu.dask import OwnDevice  # doctest: +SKIP
        >>> client.register_plugin(OwnDevice())  # doctest: +SKIP
        """
        if finish == "error" and isinstance(default_device(), RefusingDevice):
            self.worker.loop.add_callback(self.worker.close, nanny=False, reason="arrayapi_gpu-device-lost")


def _limit_like(worker: Worker, device: Device) -> int | None:
    """The bytes at which distributed pauses a worker, scaled down if the device uses only a part of the host's
    memory."""
    manager = worker.memory_manager
    limit = (manager.memory_limit or 0) * (manager.memory_pause_fraction or 1)
    return int(limit * min(1, device.memory / MEMORY_LIMIT)) or None


async def _used(worker: Worker) -> dict[str, int]:
    return memory()._asdict()


async def dask_setup(worker: Worker) -> None:
    """Add `OwnDevice` to a worker; distributed calls it.

    The command ``dask worker ADDRESS --preload arrayapi_gpu.dask`` makes it do so.

    Parameters
    ----------
    worker : distributed.Worker
        The worker.

    Raises
    ------
    TypeError
        Unless the process is a worker.
    NoDeviceError
        If its host has no device.

    Examples
    --------
    >>> await dask_setup(worker)  # doctest: +SKIP
    """
    if not isinstance(worker, Worker):
        raise TypeError(
            f"--preload arrayapi_gpu.dask: got {type(worker).__name__}; allowed: a worker; use it with 'dask worker'"
        )
    await worker.plugin_add(OwnDevice(), name=OwnDevice.name, catch_errors=False)


class _Cluster(LocalCluster):  # type: ignore[misc]
    """A cluster whose workers get these plugins in turn."""

    def __init__(self, own: list[OwnDevice], **options: Any):
        self._own = own
        super().__init__(n_workers=0, **options)

    def new_worker_spec(self) -> dict[Any, Any]:
        """The specification of the next worker, which `distributed.SpecCluster` requests."""
        ((name, spec),) = super().new_worker_spec().items()
        options = spec["options"]
        plugins = (*options.get("plugins", ()), self._own[self._i % len(self._own)])
        return {name: {**spec, "options": {**options, "plugins": plugins}}}


def local_cluster(devices: Iterable[Device | str] | None = None, **options: Any) -> Any:
    """Start a cluster of `distributed` on this host, with one worker process for each device.

    A program must call this function below ``if __name__ == "__main__":``, because each worker imports the program.

    Parameters
    ----------
    devices : iterable of Device or str, optional
        The devices; one that is listed several times gets as many workers, which share its memory. By default all
        devices like the default device, such as all GPUs of its driver.
    **options : Any
        Options of `distributed.LocalCluster`. By default a worker has one thread, or two if its device has its own
        memory, so that the device does not wait for the scheduler.

    Returns
    -------
    distributed.LocalCluster
        The cluster.

    Raises
    ------
    NoDeviceError
        If a device does not exist.
    ValueError
        For an empty sequence.
    RuntimeError
        If a worker does not start.

    See Also
    --------
    OwnDevice : The plugin, for any other cluster.

    Notes
    -----
    Workers whose devices have their own memory move arrays to host memory when device memory is full, and distributed
    moves none to disk. Memory limits of ``config`` apply to all workers of a device together.

    Examples
    --------
    >>> from arrayapi_gpu.dask import local_cluster  # doctest: +SKIP
    >>> with local_cluster() as cluster, distributed.Client(cluster) as client:  # doctest: +SKIP
    ...     x = da.random.default_rng(0).normal(size=10**10, chunks=10**8)
    """
    chosen = list(alike()) if devices is None else [get_device(device) for device in devices]
    if not chosen:
        raise ValueError("local_cluster: got no device; allowed: one or more; use devices=None for all of one driver")
    sharing = Counter(chosen)
    own = [OwnDevice(str(device), _part_of(device, sharing[device])) for device in chosen]
    shared = any(device.host_shared for device in chosen)
    defaults = {"threads_per_worker": 1, "memory_limit": MEMORY_LIMIT // len(chosen), "dashboard_address": ":0"}
    cluster = _Cluster(own, **{**defaults, **({} if shared else OWN_MEMORY), **options})
    while len(cluster.worker_spec) < len(own):
        cluster.worker_spec.update(cluster.new_worker_spec())
    if not cluster.asynchronous:
        cluster.__enter__()  # starts the workers, and raises the error of a worker that does not start
        cluster.wait_for_workers(len(own), timeout=PATIENCE)
    return cluster


def _part_of(device: Device, workers: int) -> int | None:
    """The memory limit of each of ``workers`` that share a device; None lets `OwnDevice` choose it."""
    if config.memory_limit is None and (workers == 1 or device.host_shared):
        return None
    return max(1, device.pool.limit // workers)
