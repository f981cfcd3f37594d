"""Functions that compute on loops while a kernel is compiled: the bits of the kernels, and what is left undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.state import clear
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core.borrowing import alike
from arrayapi_gpu.kernels.core.specialise import Job, background


def changed(x: Any, change: Callable[[Any], None]) -> Any:
    """A copy of x, changed."""
    y = xp.asarray(x, copy=True)
    change(y)
    return y


def scattered(n: Any, x: Any) -> Callable[[Any], None]:
    def change(y: Any) -> None:
        y[n, :] = x[:30, :] * 2

    return change


def added(n: Any, x: Any) -> Callable[[Any], None]:
    return lambda y: xp.add_at(y, n, x[:30, 0])


def numbered(n: Any) -> Callable[[Any], None]:
    def change(y: Any) -> None:
        y[:, n % 50] = 3

    return change


# Of a matrix x (60, 50), integers n (30,) below 60, and truth values m of the shape of x.
FUNCTIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sort": lambda x, n, m: xp.sort(x, axis=0),
    "sort of a view, descending": lambda x, n, m: xp.sort(x.mT[::2, ::-1], axis=1, descending=True),
    "argsort": lambda x, n, m: xp.argsort(xp.reshape(x, (-1,)), descending=True),
    "cumulative sum": lambda x, n, m: xp.cumulative_sum(x, axis=1),
    "cumulative sum with the identity": lambda x, n, m: xp.cumulative_sum(x, axis=0, include_initial=True),
    "cumulative product": lambda x, n, m: xp.cumulative_prod(x, axis=0),
    "compress": lambda x, n, m: x[m],
    "nonzero": lambda x, n, m: xp.nonzero(m)[1],
    "distinct values": lambda x, n, m: xp.unique_values(n),
    "distinct values with places": lambda x, n, m: xp.unique_inverse(n)[1],
    "places in sorted values": lambda x, n, m: xp.searchsorted(xp.sort(x[0, :]), x),
    "is in": lambda x, n, m: xp.isin(n, n[:5]),
    "values written at places": lambda x, n, m: changed(x, scattered(n, x)),
    "a number written at places": lambda x, n, m: changed(x, numbered(n)),
    "values added at places": lambda x, n, m: changed(x[:, 1], added(n, x)),
}


@pytest.fixture(autouse=True)
def jobs(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Job]]:
    """No kernel is on disk, and jobs are kept."""
    if device.loops is not None or alike(device) is None:
        pytest.skip("the device has loops, or there are none that have its order")
    found: list[Job] = []

    def submit(function: Callable[[], object]) -> Job:
        found.append(Job(function))
        return found[-1]

    monkeypatch.setattr(background, "submit", submit)
    clear()
    yield found
    clear()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int16", "uint64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_bits_are_those_of_the_kernels(
    device: Device, jobs: list[Job], name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    host = (rng.integers(0, 9, (60, 50)) / (4 if dtype[0] == "f" else 1)).astype(dtype)
    x, n = xp.asarray(host, device=device), xp.asarray(rng.integers(0, 60, 30), device=device)
    m = x > 1
    xp.sync(m)
    expected = to_host(FUNCTIONS[name](x, n, m))
    assert not jobs
    clear()
    monkeypatch.setattr(device, "has_binary", lambda source, name: False, raising=False)
    with config.set(wait_for_compiler=False):
        found = to_host(FUNCTIONS[name](x, n, m))
    assert jobs and not any(job.done for job in jobs), "nothing was waited for"
    assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def test_without_the_order_of_loops_there_are_none(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    assert alike(device) is backends.loops_device()
    monkeypatch.setattr(device, "lanes", 4)
    assert alike(device) is None
