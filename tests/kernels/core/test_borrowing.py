"""Functions that compute on loops while a kernel is compiled: the bits of the kernels, and what is left undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from support import in_part, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device, KernelBuildError
from arrayapi_gpu.backends.state import clear
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.borrowing import loops_for
from arrayapi_gpu.kernels.core.specialise import Job, background
from arrayapi_gpu.lazy.run.evaluate import evaluate


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


ROUNDED = ("cumulative sum", "cumulative sum with the identity", "cumulative product")  # of floats


@pytest.fixture(autouse=True)
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Job]]:
    """Jobs are kept."""
    if backends.loops_device() is None:
        pytest.skip("the package was built without loops")
    found: list[Job] = []

    def submit(function: Callable[[], object]) -> Job:
        found.append(Job(function))
        return found[-1]

    monkeypatch.setattr(background, "submit", submit)
    clear()
    yield found
    clear()


@pytest.fixture(params=["CPU", "GPU"])
def compiling(device: Device, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device whose kernels have to be compiled; as a GPU it does not share memory with the host."""
    if request.param == "GPU":
        device = scalar_twin(device)
        backends.register(device)
        monkeypatch.setattr(device, "host_shared", False)
    elif device.loops is not None:
        pytest.skip("the device has loops")
    return device


@pytest.mark.parametrize(("dtype", "name"), in_part(product(["float32", "float16", "int16", "uint64"], FUNCTIONS)))
def test_the_bits_are_those_of_the_kernels(
    compiling: Device, jobs: list[Job], name: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    host = (rng.integers(0, 9, (60, 50)) / (4 if dtype[0] == "f" else 1)).astype(dtype)
    x, n = xp.asarray(host, device=compiling), xp.asarray(rng.integers(0, 60, 30), device=compiling)
    m = x > 1
    xp.sync(m)
    expected = to_host(FUNCTIONS[name](x, n, m))
    assert not jobs
    clear()
    monkeypatch.setattr(compiling, "has_binary", lambda source, name: False, raising=False)
    with config.set(wait_for_compiler=False):
        found = to_host(FUNCTIONS[name](x, n, m))
    if not (compiling.is_gpu and dtype[0] == "f" and name in ROUNDED):
        assert jobs and not any(job.done for job in jobs), "nothing was waited for"
    assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def test_only_exact_functions_have_loops_of_another_order(compiling: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.zeros(100, device=compiling)
    xp.sync(x)
    arrays, loops = [evaluate(x._node)], backends.loops_device()
    assert loops_for(compiling, arrays, exact=True) is loops
    assert loops_for(compiling, arrays, exact=False) is (None if compiling.is_gpu else loops)
    monkeypatch.setattr(compiling, "lanes", 4)
    assert loops_for(compiling, arrays, exact=False) is None


def test_copies_need_leave_and_room(compiling: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.zeros(100, device=compiling)
    xp.sync(x)
    arrays, loops = [evaluate(x._node)], backends.loops_device()
    for transfers in ("log", "error"):
        with config.set(host_transfers=transfers):
            assert loops_for(compiling, arrays, exact=True) is (None if compiling.is_gpu else loops)
    monkeypatch.setattr(tuning, "MEANWHILE_COPIED", 99)
    assert loops_for(compiling, arrays, exact=True) is (None if compiling.is_gpu else loops)


def test_a_kernel_is_compiled_by_one_job(compiling: Device, jobs: list[Job], monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.asarray(np.arange(100, 0, -1, dtype=np.int32), device=compiling)
    xp.sync(x)
    monkeypatch.setattr(compiling, "has_binary", lambda source, name: False, raising=False)
    with config.set(wait_for_compiler=False):
        for _ in range(5):
            assert to_host(xp.sort(x)).tolist() == [*range(1, 101)]
    assert len(jobs) == 1


def test_a_kernel_that_does_not_compile_is_tried_once(
    compiling: Device, jobs: list[Job], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = xp.asarray(np.arange(100, 0, -1, dtype=np.int32), device=compiling)
    xp.sync(x)
    monkeypatch.setattr(compiling, "has_binary", lambda source, name: False, raising=False)

    def refuse(source: str, name: str) -> Any:
        raise KernelBuildError(compiling, name, source, "no such instruction")

    monkeypatch.setattr(compiling, "build", refuse, raising=False)
    with config.set(wait_for_compiler=False):
        for _ in range(3):
            assert to_host(xp.sort(x)).tolist() == [*range(1, 101)]
            for job in jobs:
                job.do()
    assert [job.failed for job in jobs] == [True]
