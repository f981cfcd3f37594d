"""Launches that are remembered: what the second of two alike gives, whatever came before it."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config
from arrayapi_gpu.lazy.run.launches import known

N = 1000
pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    known.clear()


def pair(seed: int = 1, shape: Any = N, dtype: str = "float32") -> tuple[xp.Array, np.ndarray[Any, Any]]:
    host = sample(dtype, shape, seed)
    return xp.asarray(host), host


@pytest.mark.parametrize("order", list(itertools.permutations(("x + y", "x + x", "y + x", "x + z"))))
def test_operands_that_are_alike_and_operands_that_are_the_same(order: tuple[str, ...]) -> None:
    """``z`` has memory of its own, but not from its beginning."""
    (x, a), (y, b) = pair(1), pair(2)
    with config.set(check=True):
        z = xp.asarray(b) * 1
        xp.compute(z)
    for text in (*order, *order):
        expected = eval(text, {"x": a, "y": b, "z": b})
        assert_same(to_host(eval(text, {"x": x, "y": y, "z": z})), expected)


def test_an_operand_that_comes_twice_among_three() -> None:
    x, y, z = (np.arange(N) % k == 0 for k in (2, 3, 5))
    a, b, c = xp.asarray(x), xp.asarray(y), xp.asarray(z)
    for _ in range(3):
        assert_same(to_host(xp.where(a, b, c)), np.where(x, y, z))
        assert_same(to_host(xp.where(a, b, a)), np.where(x, y, x))
        assert_same(to_host(xp.where(a, a, b)), np.where(x, x, y))
        assert_same(to_host(xp.where(a, b, b)), np.where(x, y, y))


@pytest.mark.parametrize("dtype", ["int16", "uint64", "float16", "float32", "complex64"])
def test_scalars_are_those_of_each_call(dtype: str) -> None:
    x, host = pair(3, dtype=dtype)
    for scalar in (3, 1, 2, 3):
        assert_same(to_host(x * scalar), host * scalar)
        assert_same(to_host(scalar - x), scalar - host)
        assert_same(to_host(x * scalar + 1), host * scalar + 1)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_scalars_that_are_equal_but_not_the_same(dtype: str) -> None:
    x, host = xp.ones(N, dtype=getattr(xp, dtype)), np.ones(N, dtype)
    for scalar in (0.0, 0.0, 0.0, -0.0, -0.0, -0.0, 0.0, -0.0, 0.0):
        assert_same(to_host(x * scalar), host * scalar)
        assert_same(to_host(x * scalar * 2), host * scalar * 2)


FORK = """
import os
import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import DeviceError
x, y = xp.zeros(1000, device=NAME), xp.ones(1000, device=NAME)
part = x[:500]
for _ in range(4):
    part += 1
    part[...] = 2 * part + y[500:]
    y[...] = x
    xp.sync(x, y)
child = os.fork()
if child == 0:
    refused = 0
    for key in (Ellipsis, slice(0, 500), slice(1, 501)):
        try:
            y[key] = x[key]
            y[key] += x[key]
            xp.compute(y)
        except DeviceError as error:
            refused += "before fork" in str(error)
    os._exit(0 if refused == 3 else 1)
print(os.waitpid(child, 0)[1])
y[...] = x
print(set(y.tolist()) == {0.0, float(x[0])})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_what_is_remembered_is_not_launched_in_the_child_of_a_fork(device: Device) -> None:
    """Devices refuse there, also writes, which need no memory."""
    if device.name == "native":
        pytest.skip("it works in the child: test_native.py")
    code = f"NAME = {str(device)!r}\n{FORK}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("0\nTrue\n", 0), done.stderr


def test_shapes_that_are_broadcast() -> None:
    x, a = pair(1, (20, 30))
    for shape in ((30,), (20, 1), (1, 30), (1,), (20, 30)) * 2:
        y, b = pair(2, shape)
        assert_same(to_host(x + y), a + b)
        assert_same(to_host(y - x), b - a)


@pytest.fixture(params=["vectors", "scalars"])
def place(device: Device, request: pytest.FixtureRequest) -> Device:
    """A device; "scalars" stands for GPUs, on which the same kernels run with one lane."""
    return device if request.param == "vectors" else scalar_twin(device)


@pytest.mark.parametrize("dtype", ["int8", "float64"])
@pytest.mark.parametrize("mode", ["always", "by use"])
def test_views_that_begin_elsewhere_each_time(place: Device, dtype: str, mode: str) -> None:
    """Moved operands and results, at all distances to where several elements may be read at a time."""
    a, b, c = (sample(dtype, 3000, seed) for seed in (1, 2, 3))
    x, y, z = (xp.asarray(host, device=place) for host in (a, b, c))
    with config.set(specialise=mode):
        for round, n in itertools.product((0, 1), (1, 100, 999)):
            for begin in (0, 1, 2, 4, 8, 15, 16, 17, 32, 160, 1600 + round):
                here, there = np.s_[begin : begin + n], np.s_[2 * begin % 37 : 2 * begin % 37 + n]
                assert_same(to_host(x[here] * y[here]), a[here] * b[here])
                assert_same(to_host(x[here] * y[there]), a[here] * b[there])
                assert_same(to_host(x[here] * x[here]), a[here] * a[here])
                assert_same(to_host(x[here] * 3), a[here] * 3)
                assert_same(to_host(3 * x[there] * y[here] + y[:n]), 3 * a[there] * b[here] + b[:n])
                z[here] = x[there] + y[here]
                c[here] = a[there] + b[here]
        assert_same(to_host(z), c)


def test_views_of_many_layouts(place: Device) -> None:
    a, b = sample("float32", (24, 26), 1), sample("float32", (24, 26), 2)
    x, y = xp.asarray(a, device=place), xp.asarray(b, device=place)
    keys = (np.s_[:20, :20], np.s_[4:, 6:], np.s_[3:23, 1:21], np.s_[19::-1, :20], np.s_[:20, 3:4])
    for _, first, second in itertools.product(range(2), keys, keys):
        for turned in (False, True):
            p, q, u, v = x[first], y[second], a[first], b[second]
            if turned:
                q, v = q.T, v.T
            try:
                expected = u + v
            except ValueError:
                continue
            assert_same(to_host(p + q), expected)


@pytest.mark.parametrize("host_shared", [True, False], ids=["CPU", "GPU"])
def test_a_remembered_launch_is_the_one_that_would_be_made_anew(host_shared: bool) -> None:
    """Kernel, work-items and parameters of random views, after launches for others of the same form and phase."""
    recorder = RecordingDevice("recording:repeats", host_shared)
    random = np.random.default_rng(5)
    x, y = (xp.asarray(sample("float32", 4000, seed), device=recorder) for seed in (1, 2))
    other = xp.asarray(np.arange(4000, dtype=np.int64), device=recorder)

    def launched(begin: int, end: int, number: int) -> list[Any]:
        recorder.calls.clear()
        v, w, i = x[begin : begin + 960], y[end : end + 960], other[begin : begin + 960]
        if number % 2:
            v, w, i = (xp.reshape(part, (40, 24))[:, :20] for part in (v, w, i))
        results: list[Callable[[], Any]] = [
            lambda: v + w,
            lambda: xp.sqrt(v) * w + 2.0 * begin,
            lambda: i + xp.astype(v, xp.int64),
            lambda: w.T - v.T,
            lambda: xp.where(v > w, v, 1.5 * end),
            lambda: xp.sum(v),
            lambda: xp.sum(w * v + 2.0 * end),
            lambda: xp.argmax(w, axis=0),
            lambda: xp.sum(xp.exp(i), dtype=xp.float32),
        ]
        xp.compute(results[number]())
        return [found for verb, found in recorder.calls if verb == "launch"]

    def facts(calls: list[Any]) -> list[Any]:
        return [(kernel.handle, groups, group, packed) for kernel, groups, group, _, packed in calls]

    with config.set(specialise="always"):
        for number in range(9):
            for _ in range(40):
                begin, end = random.integers(0, 2000, 2)
                for shift in (0, 16, 160, 1, 5):
                    launched(begin + shift, end + shift, number)
                remembered = facts(launched(begin, end, number))
                known.clear()
                assert facts(launched(begin, end, number)) == remembered


def test_memory_that_is_not_aligned_is_not_taken_for_aligned(device: Device) -> None:
    if not device.host_shared:
        pytest.skip("the device adopts no host memory")
    a, b = sample("float32", 1003, 1), sample("float32", 1000, 2)
    y = xp.asarray(b)
    for _ in range(3):
        for begin in (3, 0, 1, 2):
            x = xp.asarray(a[begin : begin + 1000], copy=False)
            assert_same(to_host(x + y), a[begin : begin + 1000] + b)
            assert_same(to_host(y + y), b + b)


def test_a_gather_of_whole_arrays() -> None:
    x, a = pair(1)
    for seed in (1, 2, 3):
        index = np.random.default_rng(seed).integers(0, N, 50)
        assert_same(to_host(xp.take(x, xp.asarray(index))), a[index])
        assert_same(to_host(x[10:][xp.asarray(index // 2)]), a[10:][index // 2])


def test_what_is_listed_is_the_same_each_time() -> None:
    x, y = pair(1)[0], pair(2)[0]
    made = []
    for _ in range(4):
        with launches() as now:
            xp.compute(x + y)
        made.append(now[:])
    assert made == made[:1] * 4 and len(made[0]) == 1


def test_results_begin_at_an_offset_where_that_is_asked_for() -> None:
    x, a = pair(1)
    for _ in range(3):
        xp.compute(x + x, x * 2)
    with config.set(check=True):
        for result, expected in ((x + x, a + a), (x * 2, a * 2)):
            assert result.offset > 0
            assert_same(to_host(result), expected)


def test_a_result_that_is_written_is_not_what_the_next_one_gets() -> None:
    x, a = pair(1)
    first = x + x
    first[:10] = 0
    second = x + x
    second[5:] = 1
    expected = a + a
    assert_same(to_host(x + x), expected)
    assert_same(to_host(second)[:5], expected[:5])


def test_so_many_are_remembered_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    known.clear()
    monkeypatch.setattr(known, "_limit", 8)
    for _ in range(2):
        for n in range(1, 40):
            assert_same(to_host(xp.ones(n) * 1 + xp.asarray(np.arange(n))), 1.0 + np.arange(n))
            x = xp.asarray(np.arange(n))
            assert_same(to_host(x + x), 2 * np.arange(n))
    assert len(known) <= 8


def test_memory_that_runs_out_is_recovered_from_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request for memory of a remembered launch is refused."""
    x, a = pair(1)
    for _ in range(3):
        xp.compute(x + x)
    pool, refuse = x.device.pool, [True]
    alloc = pool.alloc

    def refusing(nbytes: int) -> Any:
        if refuse.pop() if refuse else False:
            raise MemoryError
        return alloc(nbytes)

    monkeypatch.setattr(pool, "alloc", refusing)
    assert_same(to_host(x + x), a + a)
    assert not refuse


@pytest.mark.parametrize("shape", [(3, 1, 50), (300_000,)], ids=str)
@pytest.mark.parametrize("dtype", ["int32", "float16"])
def test_reductions_of_arrays_that_are_alike(shape: tuple[int, ...], dtype: str) -> None:
    """Each function, axis and form of the result in turn, three times, on two arrays, and on the second's rows, which
    begin elsewhere and with other strides."""
    pairs = [pair(seed, shape, dtype) for seed in (1, 2)]
    pairs.append((pairs[1][0][1::2], pairs[1][1][1::2]))
    wide = "int64" if dtype == "int32" else dtype
    for _ in range(3):
        for x, host in pairs:
            for axis in (None, -1):
                for keepdims in (False, True):
                    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims}
                    assert_same(to_host(xp.max(x, **options)), host.max(**options))
                    assert_same(to_host(xp.min(x, **options)), host.min(**options))
                    assert_same(to_host(xp.argmax(x, **options)), host.argmax(**options))
                    whole = np.isfinite(host).all(**options)
                    assert_same(to_host(xp.all(xp.isfinite(x), **options)), whole)
                    total, again = xp.sum(x, **options), xp.sum(x + 0, **options)
                    assert total.dtype == wide and to_host(total).tobytes() == to_host(again).tobytes()
                    assert to_host(xp.sum(x, dtype=xp.float64, **options)).dtype == np.float64


def test_a_reduction_is_listed_the_same_each_time_and_takes_no_other_launch() -> None:
    x = pair(1)[0]
    made = []
    for _ in range(4):
        with launches() as now:
            xp.compute(xp.sum(x))
        made.append(now[:])
    assert made == made[:1] * 4 and len(made[0]) == 1
