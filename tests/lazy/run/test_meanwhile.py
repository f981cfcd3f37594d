"""What computes a value while its kernel is compiled: the bits of the kernel, the forms that run, and the jobs."""

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
from arrayapi_gpu.kernels.core.specialise import Job, background
from arrayapi_gpu.lazy.run import meanwhile

Value = Any

# Of a matrix x, a row y of the same dtype, and integers n of the shape of x.
EXPRESSIONS: dict[str, Callable[[Value, Value, Value], Value]] = {
    "one operation": lambda x, y, n: x + x[::-1, :],
    "a copy": lambda x, y, n: xp.asarray(x.mT, copy=True),
    "a row for all, and a number": lambda x, y, n: x * y - 2,
    "transposed, with steps": lambda x, y, n: xp.abs(x.mT[::-1, ::3]) + 1,
    "rolled": lambda x, y, n: xp.roll(x, 5, axis=1) + x,
    "gathered": lambda x, y, n: xp.take(x, xp.asarray([3, 1, 2, 2] * 9, device=x.device), axis=1) * 2,
    "an index variable": lambda x, y, n: xp.astype(xp.arange(70, device=x.device), x.dtype) * x,
    "a comparison": lambda x, y, n: xp.where((x < y) & (n > 0), x, -x),
    "casts": lambda x, y, n: xp.astype(xp.astype(n * 3, xp.int16), x.dtype) + x,
    "a smaller value": lambda x, y, n: x + (y * y - y),
    "a value times itself": lambda x, y, n: (lambda d: d * d + 1)(x - y),
    "a part": lambda x, y, n: (x * 2 + y)[3:9, 5:],
    "a sum": lambda x, y, n: xp.sum(x * x),
    "sums along the first axis": lambda x, y, n: xp.sum(x * y, axis=0),
    "sums along the last axis": lambda x, y, n: xp.sum(x + y, axis=1, keepdims=True),
    "a root of a mean": lambda x, y, n: xp.sqrt(xp.mean(x * x, axis=1) + 1),
    "a sum of integers, and more": lambda x, y, n: xp.sum(n * 3, axis=0) * 2 + n[1],
    "positions": lambda x, y, n: xp.argmax(x - y, axis=1),
    "any": lambda x, y, n: xp.any(x > y + 1, axis=0),
    "an expression of reductions": lambda x, y, n: (x - xp.mean(x, axis=0)) / (xp.std(x, axis=0) + 1),
    "rows": lambda x, y, n: xp.exp(x - xp.max(x, axis=1, keepdims=True)) * y,
    "a reduction of rows": lambda x, y, n: xp.sum(xp.square(x - xp.mean(x, axis=1, keepdims=True)), axis=1),
}
FLOATING = (
    "an expression of reductions", "rows", "a reduction of rows", "a sum", "sums along the first axis",
    "a root of a mean",
)  # fmt: skip


class Queue:
    """Jobs that wait until they are asked for."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def submit(self, function: Callable[[], object]) -> Job:
        self.jobs.append(Job(function))
        return self.jobs[-1]

    def do_all(self) -> None:
        """Do all jobs."""
        for job in self.jobs:
            job.do()
        self.jobs.clear()


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """No kernel is on disk, and jobs wait."""
    held = Queue()
    monkeypatch.setattr(background, "submit", held.submit)
    clear()
    with config.set(wait_for_compiler=False):
        yield held
    clear()


def without_binaries(device: Device, monkeypatch: pytest.MonkeyPatch) -> Device:
    monkeypatch.setattr(device, "has_binary", lambda source, name: False, raising=False)
    return device


@pytest.fixture(params=["loops", "loops on copies", "steps"])
def form(request: pytest.FixtureRequest) -> str:
    """How a value is computed."""
    return str(request.param)


@pytest.fixture
def compiling(device: Device, form: str, monkeypatch: pytest.MonkeyPatch) -> Device:
    """A device that has no kernel on disk, but single operations in the form "steps"."""
    if form != "steps" and backends.loops_device() is None:
        pytest.skip("the package was built without loops")
    if form == "loops":
        if device.loops is not None:
            pytest.skip("the device has loops and no kernels")
        return without_binaries(device, monkeypatch)
    twin = scalar_twin(device)
    backends.register(twin)
    monkeypatch.setattr(twin, "host_shared", False)
    if form == "loops on copies":
        return without_binaries(twin, monkeypatch)
    steps, by_steps = [False], meanwhile._by_steps

    def noted(*arguments: Any) -> bool:
        steps[0] = True
        try:
            return by_steps(*arguments)
        finally:
            steps[0] = False

    monkeypatch.setattr(meanwhile, "_by_steps", noted)
    monkeypatch.setattr(meanwhile, "_by_loops", lambda *arguments: False)
    monkeypatch.setattr(twin, "has_binary", lambda source, name: steps[0], raising=False)
    return twin


def operands(device: Device, dtype: str) -> tuple[Value, Value, Value]:
    rng = np.random.default_rng(0)
    hosts = [rng.standard_normal((40, 70)) * 9, rng.standard_normal(70) * 9, rng.integers(-9, 9, (40, 70))]
    x, y, n = [
        xp.asarray(host.astype(kind), device=device) for host, kind in zip(hosts, (dtype, dtype, "int32"), strict=True)
    ]
    return x, y, n


@pytest.mark.parametrize(("dtype", "name"), in_part(product(["float32", "float16", "int16", "complex64"], EXPRESSIONS)))
def test_the_bits_are_those_of_the_kernel(compiling: Device, queue: Queue, name: str, dtype: str) -> None:
    f = EXPRESSIONS[name]
    if dtype == "int16" and name in FLOATING:
        pytest.skip("a function of floats")
    if dtype == "complex64" and name in ("positions", "any", "a comparison", "rows"):
        pytest.skip("a function of real numbers")
    given = operands(compiling, dtype)
    with config.set(wait_for_compiler=True):
        expected = to_host(f(*given))
    clear()
    found = to_host(f(*given))
    queue.do_all()
    clear()
    assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


def explained(x: Value, y: Value) -> str:
    value = xp.exp(x) * y + x
    return xp.debug.explain(value)


def test_loops_compute_until_there_is_a_kernel(device: Device, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.loops is not None or backends.loops_device() is None:
        pytest.skip("the device has loops and no kernels, or there are none")
    without_binaries(device, monkeypatch)
    x, y, _ = operands(device, "float32")
    for _ in range(3):
        with xp.record() as launches:
            xp.sync(xp.exp(x) * y + x)
        assert [launch.device for launch in launches] == ["native"]
        assert ", its kernel is being compiled): " in explained(x, y)
    assert len(queue.jobs) == 1
    queue.do_all()
    for _ in range(3):
        with xp.record() as launches:
            xp.sync(xp.exp(x) * y + x)
        assert [launch.device for launch in launches] == [str(device)]
        assert "compiled" not in explained(x, y)
    assert not queue.jobs


def test_steps_are_recorded_one_by_one(
    compiling: Device, form: str, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    if form != "steps":
        pytest.skip("of steps alone")
    x, y, _ = operands(compiling, "float32")
    with xp.record() as launches:
        xp.sync(xp.exp(x) * y + x)
    assert [launch.kernel for launch in launches] == ["exp", "multiply", "add"]
    queue.do_all()
    with xp.record() as launches:
        xp.sync(xp.exp(x) * y + x)
    assert len(launches) == 1


def test_several_results_of_one_launch(compiling: Device, queue: Queue) -> None:
    x, y, _ = operands(compiling, "float32")
    a = xp.exp(x) * y
    b = a + x
    xp.sync(a, b)
    expected = np.exp(to_host(x)) * to_host(y)
    np.testing.assert_allclose(to_host(a), expected, rtol=1e-5)
    np.testing.assert_allclose(to_host(b), expected + to_host(x), rtol=1e-4)


def test_values_are_written_into_a_part_of_an_array(compiling: Device, queue: Queue) -> None:
    x, y, _ = operands(compiling, "float32")
    out = xp.zeros((80, 70), dtype=xp.float32, device=compiling)
    xp.sync(out)
    out[::2, :] = x * y + 1
    expected = np.zeros((80, 70), np.float32)
    expected[::2] = to_host(x) * to_host(y) + 1
    np.testing.assert_array_equal(to_host(out), expected)


def test_above_the_limit_a_program_waits(compiling: Device, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MEANWHILE", 0)
    x, y, _ = operands(compiling, "float32")
    with xp.record() as launches:
        xp.sync(xp.exp(x) * y + x)
    assert [launch.device for launch in launches] == [str(compiling)]
    assert all(job.done for job in queue.jobs), "nobody compiles it once more"


def test_copies_are_made_for_few_operations(
    compiling: Device, form: str, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    if form != "loops on copies":
        pytest.skip("of loops on copies alone")
    x, y, _ = operands(compiling, "float32")
    for most, expected in ((3 * 40 * 70, "native"), (3 * 40 * 70 - 1, str(compiling))):
        monkeypatch.setattr(tuning, "MEANWHILE_OPERATIONS", most)
        with xp.record() as launches:
            xp.sync(xp.exp(x) * y + x)
        assert [launch.device for launch in launches] == [expected]


def test_a_failed_compilation_is_logged_once_and_costs_no_value(
    compiling: Device, form: str, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    x, y, _ = operands(compiling, "float32")
    expected = np.exp(to_host(x)) * to_host(y) + to_host(x)

    build = compiling.build

    def refuse(source: str, name: str) -> Any:
        if "exp_multiply_add" in name:
            raise KernelBuildError(compiling, name, source, "no such instruction")
        return build(source, name)

    monkeypatch.setattr(compiling, "build", refuse, raising=False)
    with config.set(debug=1):
        for _ in range(3):
            np.testing.assert_allclose(to_host(xp.exp(x) * y + x), expected, rtol=1e-5)
            queue.do_all()
    assert [record.message.count("no such instruction") for record in caplog.records].count(1) == 1


def test_a_line_of_each_kernel(device: Device, caplog: pytest.LogCaptureFixture) -> None:
    """At debug 1: the device, the kernel, its seconds, and the user's line."""
    if device.loops is not None:
        pytest.skip("the device has loops and no kernels")
    with config.set(debug=1, wait_for_compiler=True):
        x = xp.ones((40, 70), device=device)
        xp.sync(xp.exp(x) * 3 - x)
    lines = [record.message for record in caplog.records if " kernel " in record.message]
    assert lines and all(" s, for " in line and "/tests/" in line for line in lines)
