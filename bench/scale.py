"""`python -m bench.scale`: weak scaling on the devices that are here, and simulated for up to 1,024 workers.

Each worker has the same work however many there are, so the time stays what it is where nothing is lost. Programs:
Monte Carlo and covariance over chunks that the devices make themselves, or that the host feeds to them; and chunks that
only sleep, which tell what Dask takes on any machine. Each runs on a cluster of Dask with a worker process a device and
without Dask in one program that drives all devices. From the parts that are measured, too (a chunk, a task of the
scheduler, a message), `bench.scale_model` says what the same takes on any number of workers.

Writes bench/results/scale.json and scale.png. ``--simulate`` simulates and draws again, from the parts in that file.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import alike, get_device
from arrayapi_gpu.backends.base import Device
from bench import scale_model as model
from bench.measure import once
from bench.programs.larger import sampled, samples, started
from bench.programs.program import HostArray
from bench.report import RESULTS, columns, saved
from bench.scale_model import Parts

RUNS = 3  # of which the median counts
NAP = 0.02  # seconds of a chunk that sleeps
NAPS = 20  # chunks of a worker, or tasks of a chain, that measure what is between two
MANY = (200, 1000)  # chunks of graphs that measure the scheduler
CHUNKS = (0.01, 0.1, 1.0, 10.0)  # seconds of chunks that are simulated
MOST = 1024  # workers that are simulated


@dataclass(frozen=True)
class Work:
    """What a worker does: ``each`` chunks, of ``blocks`` parts that are computed one after the other."""

    samples: int  # of a block of the Monte Carlo program
    rows: int  # of a block of the matrix
    columns: int
    blocks: int
    each: int


GPU = Work(1 << 30, 1 << 22, 256, 6, 36)
CPU = Work(1 << 20, 1 << 14, 64, 2, 6)


# --- chunks: each is a function of its number


def monte_carlo(number: int, work: Work, device: Device | None = None) -> xp.Array:
    """The sums of some blocks of samples, of shape (2,)."""
    blocks = range(number * work.blocks, (number + 1) * work.blocks)
    return xp.sum(xp.concat(started(sampled(block, work.samples, device) for block in blocks)), axis=0)


def _matrices(number: int, work: Work, device: Device | None) -> Iterator[xp.Array]:
    for block in range(number * work.blocks, (number + 1) * work.blocks):
        yield samples(block, device).standard_normal((work.rows, work.columns), dtype=xp.float32)


def covariance(number: int, work: Work, device: Device | None = None) -> xp.Array:
    """X.T @ X of some blocks of rows, and the sums of their columns, of shape (columns + 1, columns)."""
    return _added(_products(_matrices(number, work, device)))


def _products(matrices: Iterator[xp.Array]) -> Iterator[xp.Array]:
    return (xp.concat([x.T @ x, xp.sum(x, axis=0, keepdims=True)]) for x in matrices)


def _added(parts: Iterator[xp.Array]) -> xp.Array:
    total: Any = None
    for part in parts:
        total = part if total is None else total + part
        xp.compute(total)
    return total  # type: ignore[no-any-return]


def nap(number: int, work: Work, device: Device | None = None) -> HostArray:
    """Nothing, later."""
    time.sleep(NAP)
    return np.ones(2)


MADE: dict[str, tuple[Callable[..., Any], Callable[[Work], tuple[int, ...]]]] = {
    "Monte Carlo": (monte_carlo, lambda work: (2,)),
    "covariance": (covariance, lambda work: (work.columns + 1, work.columns)),
    "sleeping": (nap, lambda work: (2,)),
}


def _block(*_: Any, block_id: tuple[int, ...], make: Callable[..., Any], work: Work) -> Any:
    return make(block_id[0], work)[None]


def by_dask(name: str, workers: int, work: Work) -> float:
    """Seconds of a graph with chunks for so many workers, on the cluster that is in force."""
    import dask.array as da

    make, shape_of = MADE[name]
    shape, number = shape_of(work), workers * work.each
    meta = np.empty((0,) * (len(shape) + 1)) if name == "sleeping" else xp.empty((0,) * (len(shape) + 1))
    chunks = ((1,) * number, *[(extent,) for extent in shape])
    graph = da.map_blocks(_block, chunks=chunks, dtype=meta.dtype, meta=meta, make=make, work=work)
    total = graph.sum(axis=0, split_every=model.SPLIT)
    found, result = once(lambda: np.asarray(total.compute()))
    assert np.all(np.isfinite(np.asarray(result)))
    return found


def in_one_program(name: str, devices: Sequence[Device], work: Work) -> float:
    """Seconds of as much work without Dask: one thread starts chunks on all devices in turn."""
    make, _ = MADE[name]

    def run() -> None:
        parts = started(make(k, work, devices[k % len(devices)]) for k in range(len(devices) * work.each))
        np.sum([part.to_numpy() for part in parts], axis=0)

    return once(run)[0]


# --- chunks that the host feeds


@contextmanager
def pinned(devices: Sequence[Device], work: Work) -> Iterator[list[HostArray]]:
    """Rows for each device, in memory of the host from which copies are fast."""
    nbytes = 4 * work.rows * work.columns
    found = [device.host_alloc(nbytes) for device in devices]
    try:
        hosts = [host[:nbytes].view(np.float32).reshape(work.rows, work.columns) for _, host in found]
        for host in hosts:
            host[...] = 1.0
        yield hosts
    finally:
        for device in devices:
            device.wait()  # `found` keeps the memory until then


def fed(host: HostArray, work: Work, device: Device, compute: bool) -> None:
    """Copy the rows to the device again and again, and compute their products, or nothing."""
    copies = (xp.asarray(host, device=device, copy=True) for _ in range(work.each))
    if compute:
        _added(_products(copies)).to_numpy()
    else:
        for _ in copies:
            pass
        device.wait()


def feeding(devices: Sequence[Device], work: Work) -> dict[str, float]:
    """Bytes a second to all devices at once, of copies alone and of those of which something is computed."""
    rates = {}
    with pinned(devices, work) as hosts, ThreadPoolExecutor(len(devices)) as pool:
        for name, compute in (("copies", False), ("computed", True)):

            def run(compute: bool = compute) -> None:
                list(pool.map(lambda host, device: fed(host, work, device, compute), hosts, devices))

            run()
            taken = statistics.median(once(run)[0] for _ in range(RUNS))
            rates[name] = len(devices) * work.each * 4 * work.rows * work.columns / taken
    return rates


# --- clusters, and their parts


@contextmanager
def cluster(devices: Sequence[Device] | None, workers: int) -> Iterator[Any]:
    """A client of a cluster with a worker for each device, or of workers without one."""
    from distributed import Client, LocalCluster

    from arrayapi_gpu.dask import local_cluster

    if devices is None:
        made = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")
    else:
        made = local_cluster(devices)
    with made, Client(made) as client:
        client.wait_for_workers(workers)
        yield client


def _times(*_: Any, nap: float) -> HostArray:
    """When a chunk begins and ends, and which thread it has, of shape (1, 4)."""
    begin = time.time()
    time.sleep(nap)
    return np.array([[begin, time.time(), os.getpid(), threading.get_ident()]])


def _next(_: float) -> float:
    return time.time()


def parts_of(client: Any) -> Parts:
    """What the scheduler, a worker, messages and the link of a running cluster take."""
    import dask.array as da

    workers = list(client.scheduler_info(n_workers=-1)["workers"])

    def chunks(number: int, nap: float = 0.0) -> Any:
        return da.map_blocks(_times, chunks=((1,) * number, (4,)), dtype=float, meta=np.empty((0, 0)), nap=nap)

    def first_and_work(number: int) -> tuple[float, float]:
        """Seconds until the first chunk begins, and of the scheduler's thread until the end."""
        graph = chunks(number).min(axis=0, split_every=model.SPLIT)
        for _ in range(2):  # the first is the first use of much code
            worked, begin = client.run_on_scheduler(time.thread_time), time.time()
            first = graph.compute()[0] - begin
            worked = client.run_on_scheduler(time.thread_time) - worked
        return float(first), worked

    few, many = MANY
    (first, worked), (later, more) = first_and_work(few), first_and_work(many)
    tasks = model.tasks_of(many) - model.tasks_of(few)
    intake, task = max(0.0, (later - first) / tasks), max(0.0, (more - worked) / tasks)
    worker = between(chunks(NAPS * len(workers), NAP).compute())
    message = max(0.0, (chained(client, workers[0]) - worker - task) / 2)
    whole = statistics.median(once(chunks(1).compute)[0] for _ in range(20))
    latency = max(0.0, whole - intake - task - worker - 2 * message)
    return Parts(intake, task, worker, message, latency, link_of(client, workers))


def between(times: HostArray) -> float:
    """Seconds from the end of a chunk to the beginning of the next one of its thread, where most are as short.

    ``times``: what `_times` found, of shape (chunks, 4).
    """
    times = times[np.lexsort((times[:, 0], times[:, 3], times[:, 2]))]
    same = np.all(times[1:, 2:] == times[:-1, 2:], axis=1)
    return float(np.median((times[1:, 0] - times[:-1, 1])[same]))


def chained(client: Any, worker: str) -> float:
    """Seconds from a task's beginning to that of the task that needs its result, on one worker."""
    futures = [client.submit(_next, 0.0, pure=False, workers=[worker])]
    for _ in range(NAPS):
        futures.append(client.submit(_next, futures[-1], pure=False, workers=[worker]))
    times = client.gather(futures)
    return float(np.median(np.diff(times)))


def link_of(client: Any, workers: Sequence[str], nbytes: int = 64 << 20) -> float:
    """Bytes a second from one worker to another; of a cluster with one worker, from it to the client."""

    def run() -> None:
        if len(workers) > 1:
            client.submit(len, data, workers=[workers[1]], pure=False).result()
        else:
            data.result()

    rates = []
    for _ in range(RUNS):
        data = client.submit(np.ones, nbytes // 8, workers=[workers[0]], pure=False)
        client.submit(len, data, workers=[workers[0]], pure=False).result()
        rates.append(nbytes / once(run)[0])
    return statistics.median(rates)


# --- everything


def measure_all(facts: dict[str, Any], devices: Sequence[Device], counts: Sequence[int], naps: Sequence[int]) -> None:
    """Note the seconds of each program, way and number of workers, and the parts."""
    work = Work(**facts["work"])
    for count in counts:
        chosen = list(devices[:count]) if len(devices) >= count else [devices[0]] * count
        for name in ("Monte Carlo", "covariance"):
            in_one_program(name, chosen, work)
            note(facts, f"{name}, one program", count, [in_one_program(name, chosen, work) for _ in range(RUNS)])
        facts["feeding"][count] = feeding(chosen, work)
        print(f"fed from the host, {count}: {facts['feeding'][count]}", file=sys.stderr, flush=True)
    for device in devices:
        device.trim()  # the workers' processes need the memory
    for count in counts:
        chosen = list(devices[:count]) if len(devices) >= count else [devices[0]] * count
        with_a_cluster(facts, ("Monte Carlo", "covariance"), chosen, count)
    for count in naps:  # workers without a device, which would let two sleep at a time
        with_a_cluster(facts, ("sleeping",), None, count)


def with_a_cluster(facts: dict[str, Any], names: Sequence[str], chosen: Sequence[Device] | None, count: int) -> None:
    """Note the seconds of programs by Dask, and the parts of their cluster."""
    work, kind = Work(**facts["work"]), "parts" if chosen else "parts of sleepers"
    with cluster(chosen, count) as client:
        for name in names:
            by_dask(name, count, work)
            note(facts, f"{name}, Dask", count, [by_dask(name, count, work) for _ in range(RUNS)])
        facts[kind][count] = asdict(parts_of(client))
        print(f"{kind}, {count} workers: {facts[kind][count]}", file=sys.stderr, flush=True)


def note(facts: dict[str, Any], name: str, count: int, times: list[float]) -> None:
    """Keep the median."""
    facts["seconds"].setdefault(name, {})[count] = statistics.median(times)
    print(f"{name}, {count}: {' '.join(f'{each:.3f}' for each in times)} s", file=sys.stderr, flush=True)


def chunk_seconds(facts: dict[str, Any]) -> dict[str, float]:
    """What one chunk takes on a device, by program: measured without Dask."""
    each = facts["work"]["each"]
    found = {name: facts["seconds"].get(f"{name}, one program", {}) for name in ("Monte Carlo", "covariance")}
    return {"sleeping": NAP, **{name: times["1"] / each for name, times in found.items() if "1" in times}}


def predicted(facts: dict[str, Any]) -> dict[str, dict[str, float]]:
    """What the model says of each measurement with Dask, from the parts that were measured."""
    work, chunks = Work(**facts["work"]), chunk_seconds(facts)
    result: dict[str, dict[str, float]] = {}
    for name, chunk in chunks.items():
        nbytes = 4 * int(np.prod(MADE[name][1](work)))
        for count in facts["seconds"].get(f"{name}, Dask", {}):
            kind, threads = ("parts of sleepers", 1) if name == "sleeping" else ("parts", facts["threads"])
            parts = Parts(**facts[kind][count])
            result.setdefault(name, {})[count] = model.seconds(
                parts, int(count), work.each, chunk, nbytes, threads=threads
            )
    return result


def simulated(parts: Parts, each: int, nbytes: int) -> dict[str, Any]:
    """The share of linear speed of up to 1,024 workers, for chunks of several lengths, and what limits."""
    shares = {
        str(chunk): {str(n): model.efficiency(parts, n, each, chunk, nbytes) for n in model.powers(MOST)}
        for chunk in CHUNKS
    }
    most = {str(chunk): model.most_workers(parts, each, chunk, nbytes, up_to=MOST) for chunk in CHUNKS}
    limits = {str(chunk): model.limits(parts, MOST, each, chunk, nbytes) for chunk in CHUNKS}
    return {"efficiency": shares, "workers at 0.9": most, f"seconds of parts at {MOST}": limits}


def report(facts: dict[str, Any]) -> str:
    """What was measured, beside what is predicted, and where the limits are."""
    guesses = predicted(facts)
    body = []
    for name, times in facts["seconds"].items():
        program, _, way = name.partition(", ")
        for count, taken in times.items():
            guess = guesses.get(program, {}).get(count) if way == "Dask" else None
            beside = "" if guess is None else f"{guess:.3f} ({100 * (guess / taken - 1):+.0f} %)"
            share = f"{times['1'] / taken:.3f}" if "1" in times else ""
            body.append([name, count, f"{taken:.3f}", share, beside])
    text = columns(["program", "workers", "seconds", "of linear", "predicted"], body)
    feeds = [
        [f"fed from the host, {count}", f"{rates['copies'] / 1e9:.1f}", f"{rates['computed'] / 1e9:.1f}",
         f"{rates['computed'] / rates['copies']:.3f}"]
        for count, rates in facts["feeding"].items()
    ]  # fmt: skip
    text += "\n\n" + columns(["GB/s to all devices at once", "copies", "computed", "share"], feeds)
    shares, limits = facts["simulated"]["efficiency"], facts["simulated"][f"seconds of parts at {MOST}"]
    lines = [
        [f"{chunk} s", str(workers), f"{shares[chunk][str(MOST)]:.3f}", max(limits[chunk], key=limits[chunk].get)]
        for chunk, workers in facts["simulated"]["workers at 0.9"].items()
    ]
    head = ["simulated, chunks of", "workers at 0.9 of linear", f"of linear at {MOST}", "what limits there"]
    return text + "\n\n" + columns(head, lines)


def plot(facts: dict[str, Any], path: Path) -> Path | None:
    """The share of linear speed against the workers; None where matplotlib is not installed."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    figure, axis = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
    for name, times in facts["seconds"].items():
        if "1" in times:
            axis.plot([int(n) for n in times], [times["1"] / t for t in times.values()], "o", label=name)
    for chunk, shares in facts["simulated"]["efficiency"].items():
        axis.plot([int(n) for n in shares], list(shares.values()), "-", label=f"simulated, chunks of {chunk} s")
    axis.axhline(0.9, color="grey", linewidth=0.8)
    axis.set_xscale("log", base=2)
    axis.set_ylim(0, 1.1)
    axis.set_xlabel("workers, a device each")
    axis.set_ylabel("share of linear speed")
    axis.legend(fontsize="small")
    axis.grid(alpha=0.3)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return path


def completed(facts: dict[str, Any]) -> dict[str, Any]:
    """The facts as they come out of a file, with what is simulated from them."""
    facts = json.loads(json.dumps(facts))
    last = max(facts["parts"], key=int)
    work = Work(**facts["work"])
    nbytes = 4 * (work.columns + 1) * work.columns
    return {
        **facts,
        "predicted": predicted(facts),
        "simulated": simulated(Parts(**facts["parts"][last]), work.each, nbytes),
    }


def main(arguments: list[str] | None = None) -> None:
    """Parse the command line, measure, simulate, print, save."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    add = parser.add_argument
    add("--devices", nargs="+", metavar="D", help="devices (default: all that are like the default device)")
    add("--workers", nargs="+", type=int, metavar="N", help="numbers of workers with a device (default: 1, 2, 4 ...)")
    add("--sleeping", nargs="*", type=int, default=[1, 2, 4], metavar="N", help="numbers of workers that sleep")
    add("--simulate", action="store_true", help="measure nothing: simulate and draw from the file")
    add("--output", type=Path, default=RESULTS / "scale.json", help="the JSON file")
    options = parser.parse_args(arguments)
    if options.simulate:
        facts = completed(json.loads(options.output.read_text()))
        options.output.write_text(json.dumps(facts, indent=1) + "\n")
    else:
        devices = [get_device(name) for name in options.devices] if options.devices else list(alike())
        counts = options.workers or [n for n in model.powers(len(devices)) if n <= len(devices)]
        work = GPU if devices[0].is_gpu else CPU
        facts = {
            "devices": [device.description for device in devices], "work": asdict(work),
            "threads": 1 if devices[0].host_shared else 2,  # of a worker, as `local_cluster` has them
            "seconds": {}, "feeding": {}, "parts": {}, "parts of sleepers": {},
        }  # fmt: skip
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))  # and keep what there is
        try:
            measure_all(facts, devices, counts, options.sleeping)
        finally:
            saved(options.output, facts)  # what there is when time is up
        facts = completed(facts)
        saved(options.output, facts)
    print(f"{report(facts)}\n\nfigures: {options.output}")
    if picture := plot(facts, options.output.with_suffix(".png")):
        print(f"plot:    {picture}")


if __name__ == "__main__":
    main()
