"""T13: a process that is forked beside busy threads says within a second that it cannot compute; the others compute.
Where no driver is used, it computes, too.

Findings C1 and C4: no child of a fork waits for a lock for ever, no pool of forked processes starts workers for ever.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError

from .row import Budget, Outcome, in_context

SECONDS = 1.0  # within which a forked child raises
START = 60.0  # seconds within which a fresh process computes, on a machine that is busy
THREADS = 4
RAISES = "DeviceError"  # which names spawn

# What a forked child tries with the arrays x, of three float32, and y, a pending expression over x.
ATTEMPTS: dict[str, Callable[[Any, Any], object]] = {
    "read an array": lambda x, y: x.to_numpy(),
    "read an expression": lambda x, y: y.to_numpy(),
    "compute": lambda x, y: (x + 2).to_numpy(),
    "sum": lambda x, y: float(xp.sum(x * 3)),
    "upload": lambda x, y: xp.asarray([1.0, 2.0]).to_numpy(),
    "write": lambda x, y: x.__setitem__(0, 7.0),
    "gather": lambda x, y: x[xp.asarray([1, 0])].to_numpy(),
    "sync": lambda x, y: xp.sync(y),
    "export": lambda x, y: np.from_dlpack(x + 1),
    "pickle": lambda x, y: pickle.loads(pickle.dumps(x + 1)),
    "repr": lambda x, y: repr(x + 1),
    "sort": lambda x, y: xp.sort(x).tolist(),
}


def computes_in_forks(device: Device) -> bool:
    """Whether a forked child can compute; no driver can."""
    return device.name == "native"


def forked(attempt: Callable[[Any, Any], object], x: Any, y: Any, computes: bool) -> tuple[str, float]:
    """Fork, try something in the child, and return what is wrong with it and the seconds until then.

    ``computes``: the child must compute, as this process does afterwards.
    """
    reader, writer = os.pipe()
    started = time.monotonic()
    child = os.fork()
    if not child:
        try:
            said = f"no error, and {attempt(x, y)!r}"
        except DeviceError as error:
            said = RAISES if "spawn" in str(error) else f"the error does not name spawn: {error}"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode()[:4000])
        os._exit(0)
    os.close(writer)
    said, ended = "", False
    while time.monotonic() - started < 10 * SECONDS and not ended:
        ended = os.waitpid(child, os.WNOHANG)[0] == child
        time.sleep(0.002)
    taken = time.monotonic() - started
    if ended:
        said = os.read(reader, 4000).decode()
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said = "it hangs"
    os.close(reader)
    right = f"no error, and {attempt(x, y)!r}" if computes else RAISES
    return "" if said == right else said, taken


def doubled(x: Any) -> list[float]:
    """What a worker process computes of an array that came as its argument."""
    result: list[float] = (x * 2).tolist()
    return result


def pooled(method: str, x: Any, raises: bool) -> str:
    """Give an array to a worker of a pool, and say what is wrong with what came back. ``raises``: that is an error."""
    context: Any = multiprocessing.get_context(method)
    with context.Pool(1) as pool:
        promise = pool.apply_async(doubled, (x,))
        try:
            found = promise.get(timeout=10 * SECONDS if method == "fork" else START)
        except multiprocessing.TimeoutError:
            return "Pool gives neither a result nor an error"
        except DeviceError as error:
            return "" if raises else f"Pool: DeviceError: {error}"
        if raises:
            return f"Pool: {found}, and no error"
        return "" if found == [2.0, 4.0, 6.0] else f"Pool: {found}"


def executed(method: str, x: Any, raises: bool) -> str:
    """As `pooled`, with the other pool of the standard library."""
    executor = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method))
    try:
        found = executor.submit(doubled, x).result(timeout=10 * SECONDS if method == "fork" else START)
    except TimeoutError:
        return "ProcessPoolExecutor gives neither a result nor an error"
    except Exception as error:
        return "" if raises else f"ProcessPoolExecutor: {type(error).__name__}: {error}"
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    if raises:
        return f"ProcessPoolExecutor: {found}, and no error"
    return "" if found == [2.0, 4.0, 6.0] else f"ProcessPoolExecutor: {found}"


def busy(stop: threading.Event) -> None:
    """Compute until the event is set."""
    x = xp.asarray(np.arange(1000, dtype=np.float32))
    while not stop.is_set():
        (x + xp.sum(x * 2)).to_numpy()


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Fork beside busy threads; every sixteenth case starts processes by the other methods, and pools."""
    outcome = Outcome()
    if sys.platform == "win32":
        outcome.notes.append("this system has no fork")
        return outcome
    stop, slowest, computes = threading.Event(), 0.0, computes_in_forks(device)
    os.environ["ARRAYAPI_GPU_DEVICE"] = str(device)  # for processes that start anew
    with xp.config.set(device=str(device)):
        x = xp.asarray([1.0, 2.0, 3.0], dtype=xp.float32)
        doubled(x)
        threads = [in_context(busy, stop) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        names = list(ATTEMPTS)
        for number in budget:
            if number % 16 == 15:
                for method in ("fork", "spawn", "forkserver"):
                    for way in (pooled, executed):
                        wrong = way(method, x, method == "fork" and not computes)
                        if wrong:
                            outcome.fault(f"case {number}, {method}: {wrong}")
            else:
                name = names[number % len(names)]
                said, taken = forked(ATTEMPTS[name], x, x * 5 + 1, computes)
                x[0] = 1  # of which "write" made another number
                slowest = max(slowest, taken)
                if said or taken > SECONDS:
                    outcome.fault(f"case {number}, fork, {name}: {said or 'too late'} after {taken:.2f} s")
            outcome.done += 1
        stop.set()
        for thread in threads:
            thread.join(60)
        if doubled(x) != [2.0, 4.0, 6.0]:
            outcome.fault("the parent computes wrong values after it forked")
    outcome.notes.append(f"{THREADS} busy threads; the slowest child of a fork took {slowest:.2f} s")
    return outcome
