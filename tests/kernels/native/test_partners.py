"""A launch of the native device gets a kernel of an OpenCL driver, with the bits of the loops."""

from __future__ import annotations

import gc
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
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.specialise import background
from arrayapi_gpu.kernels.native import partners

EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "contiguous": lambda x, y: xp.exp(x) * 2 + x,
    "a row for all, and a number": lambda x, y: x * y - 0.5,
    "transposed, with steps": lambda x, y: xp.sin(x.mT[::-1, ::3]) + 1,
    "rolled": lambda x, y: xp.roll(x, 5, axis=1) + x,
    "gathered": lambda x, y: xp.take(x, xp.asarray([3, 1, 2, 2] * 9, device=x.device), axis=1) * 2,
    "a sum": lambda x, y: xp.sum(x * x),
    "sums along an axis": lambda x, y: xp.sum(xp.exp(x), axis=0),
    "positions": lambda x, y: xp.argmax(x, axis=1),
}


@pytest.fixture(autouse=True)
def soon(native: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every launch gets a kernel, and the job of the background is done at once."""
    if native.loops is None:
        pytest.skip("the package was built without loops")
    if backends.partner() is None:
        pytest.skip("there is no OpenCL driver for the processor")
    monkeypatch.setattr(tuning, "NATIVE_PARTNERED", 1)
    monkeypatch.setattr(background, "submit", lambda job: job())
    monkeypatch.setattr(partners, "_TRIALS", 1 << 30)
    clear()
    with config.set(device="native", background=1):
        yield
    clear()


def places(launches: list[Any]) -> set[str]:
    return {launch.device for launch in launches}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_a_kernel_has_the_bits_of_the_loops(name: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    f = EXPRESSIONS[name]
    if dtype == "int16" and name in ("contiguous", "transposed, with steps", "sums along an axis"):
        pytest.skip("a function of floats")
    hosts = [(rng.standard_normal(shape) * 9).astype(dtype) for shape in ((300, 70), (70,))]
    with config.set(background=0):
        wanted = to_host(f(*map(xp.asarray, hosts)))
    clear()  # of launches without a partner
    ways = set()
    x, y = (xp.asarray(host, copy=True) for host in hosts)
    for _ in range(6):
        with xp.record() as launches:
            found = to_host(f(x, y))
        ways |= places(launches)
        assert found.tobytes() == wanted.tobytes()
    assert str(backends.partner()) in ways


def test_memory_at_other_places_and_other_numbers(native: Device) -> None:
    x = xp.asarray(np.arange(4000, dtype=np.float32))
    for k in range(8):
        assert to_host(x[k : 2000 + k] * float(k)).tolist() == [(i + k) * float(k) for i in range(2000)]


def test_a_value_is_written_in_place(native: Device) -> None:
    x = xp.asarray(np.ones(5000, np.float32))
    for _ in range(6):
        x *= 2
        xp.compute(x)
    assert set(to_host(x).tolist()) == {64.0}


def test_a_partner_that_fails_leaves_the_loops(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partners, "partner", lambda: None)
    x = xp.asarray(np.ones(5000, np.float32))
    for _ in range(4):
        with xp.record() as launches:
            assert float(xp.sum(x + 1)) == 10000.0
        assert places(launches) == {"native"}


def test_a_kernel_in_the_making_keeps_no_memory(native: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs: list[Callable[[], object]] = []
    monkeypatch.setattr(background, "submit", jobs.append)
    before = native.live_bytes

    def computed() -> list[Any]:
        x = xp.asarray(np.arange(5000, dtype=np.int32), copy=True)
        return [to_host(f(x)).tolist() for f in (lambda x: x * 2 + 1, xp.sum, lambda x: x[xp.asarray([5, 1] * 99)] + 1)]

    for _ in range(4):
        wanted = computed()
    gc.collect()
    assert jobs and native.live_bytes == before
    for job in jobs:
        job()
    with xp.record() as launches:
        assert [computed() for _ in range(4)] == [wanted] * 4
    assert str(backends.partner()) in places(launches)
