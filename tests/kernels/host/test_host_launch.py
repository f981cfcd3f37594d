"""Launches that NumPy makes while the device rests, and kernels else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.body import Body, S, T, X
from arrayapi_gpu.kernels.core.monoid import MAX, SUM
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.kernels.host.host_launch import HostLaunch, host_launch
from arrayapi_gpu.kernels.host.on_host import KernelNeeded
from arrayapi_gpu.kernels.reductions.rows import fold_of
from arrayapi_gpu.lazy.run import evaluate as evaluation
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload

FLOAT64, INT64 = DTYPE_OF["f64"], DTYPE_OF["i64"]

pytestmark = pytest.mark.usefixtures("host_shared")


@pytest.fixture(autouse=True)
def on_host() -> Iterator[None]:
    with config.set(small_on_host=True):
        yield


def body_of(name: str, scalar: bool = False) -> Body:
    """A body of one operation of two operands, of which one may be a scalar."""
    rule = OPS[name].rules[FLOAT64, FLOAT64]
    x = (FLOAT64, False)
    if scalar:
        return Body((x,), (), (FLOAT64,), ((rule, (X[0], S[0])),), (T[0],), (rule.result,))
    return Body((x, x), (), (), ((rule, (X[0], X[1])),), (T[0],), (rule.result,))


def bound(device: Device, body: Body, out: GpuArray, *operands: GpuArray, **options: Any) -> HostLaunch:
    """A launch that NumPy can make."""
    shape = options.pop("shape", out.shape)
    found = host_launch(device, (body,), lambda: body, shape, [out], operands, (), **options)
    assert found is not None
    return found


def buffers_of(*arrays: GpuArray) -> list[Any]:
    return [array.storage.buffer for array in arrays]


def libraries(expression: Any) -> list[str]:
    """What computed an expression: libraries, or nothing for kernels."""
    with xp.record() as made:
        to_host(expression)
    return [launch.library for launch in made]


def test_a_launch_is_made_again_on_other_memory_with_other_scalars(device: Device) -> None:
    x, y = (upload(device, sample("float64", (3, 4), k)) for k in (1, 2))
    out = empty(device, FLOAT64, (3, 4))
    again = bound(device, body_of("multiply", scalar=True), out, x)
    for operand, scalar in ((x, 2.0), (y, -0.0), (y, 0.0)):
        again.run(buffers_of(out, operand), [scalar])
        assert_same(out.host_view(), operand.host_view() * scalar)


@pytest.mark.filterwarnings("error")
def test_a_result_is_written_without_a_warning(device: Device) -> None:
    """NumPy deprecates a third positional argument of maximum."""
    rule = OPS["maximum"].rules[INT64, INT64]
    x, y = upload(device, np.array([1, 5])), upload(device, np.array([3, 2]))
    out = empty(device, INT64, (2,))
    body = Body(((INT64, False), (INT64, False)), (), (), ((rule, (X[0], X[1])),), (T[0],), (INT64,))
    bound(device, body, out, x, y).run(buffers_of(out, x, y), [])
    assert out.host_view().tolist() == [3, 5]


def test_a_launch_is_made_again_at_other_offsets(device: Device) -> None:
    x = upload(device, sample("float64", 20))
    part = GpuArray(x.storage, FLOAT64, (4,), (2,), 3)
    out = empty(device, FLOAT64, (4,))
    again = bound(device, body_of("add", scalar=True), out, part)
    again.run(buffers_of(out, part), [1.0])
    assert_same(out.host_view(), x.host_view()[3:11:2] + 1)
    again.run(buffers_of(out, part), [1.0], [0, 7])
    assert_same(out.host_view(), x.host_view()[7:15:2] + 1)


def test_a_kernel_is_needed_where_numpy_may_not_compute(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x, out = upload(device, sample("float64", 5)), empty(device, FLOAT64, (5,))
    again = bound(device, body_of("add", scalar=True), out, x)
    kernels = []
    with config.set(small_on_host=False), pytest.raises(KernelNeeded):
        again.run(buffers_of(out, x), [1.0])
    if device.loops is None:  # otherwise nothing is queued
        monkeypatch.setattr(type(device), "rests", lambda device: False)
        with pytest.raises(KernelNeeded):
            again.run(buffers_of(out, x), [1.0])
    again.kernel = type("Kernel", (), {"run": lambda self, *arguments: kernels.append(arguments)})()
    with config.set(small_on_host=False):
        again.run(buffers_of(out, x), [1.0])
    assert kernels == [(buffers_of(out, x), [1.0], None)]


def test_an_order_that_shows_needs_a_kernel(device: Device) -> None:
    x, out = upload(device, np.array([0.0, -0.0])), empty(device, FLOAT64, ())
    for monoid in (SUM, MAX):
        step = fold_of(monoid, FLOAT64, FLOAT64), (X[0],)
        body = Body(((FLOAT64, False),), (), (), (step,), (T[0],), (FLOAT64,))
        again = bound(device, body, out, x, shape=(2,), axes=(0,))
        if monoid is SUM:
            again.run(buffers_of(out, x), [])
            assert_same(out.host_view(), np.array(0.0))
        else:
            with pytest.raises(KernelNeeded):
                again.run(buffers_of(out, x), [])


def test_larger_bodies_and_bits_of_our_own_are_none_of_numpys(device: Device) -> None:
    x = upload(device, sample("float64", 5))
    large = (tuning.ON_HOST + 1,)
    assert host_launch(device, (), lambda: body_of("add"), large, [x], [x, x], ()) is None
    assert host_launch(device, ("pow",), lambda: body_of("pow"), (5,), [x], [x, x], ()) is None


def test_while_work_is_queued_kernels_compute(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.loops is not None:
        pytest.skip("nothing is queued there, and loops compute")
    x = xp.asarray(sample("float64", 100))
    expected = to_host(x) * 3 - 1
    for rests in (True, False, True, False, True):
        with monkeypatch.context() as patch:
            if not rests:
                patch.setattr(type(device), "rests", lambda device: False)
            y = x * 3 - 1
            assert libraries(y) == (["NumPy"] if rests else [""])
            assert_same(to_host(y), expected)


def test_what_numpy_makes_is_replayed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is planned for it the third time: neither alone nor beside larger launches."""
    x, large = xp.asarray(sample("float64", (5, 7))), xp.asarray(sample("float64", (300, 100)))

    def compute(k: float) -> Any:
        small = xp.sum(x * k + 1, axis=0) / 2
        return large[:7, :7] + small - xp.max(large * k)

    for _ in range(3):
        to_host(compute(2.0))
        xp.sync(large)
    with config.set(small_on_host=False):
        for _ in range(2):  # in which kernels are made
            expected = to_host(compute(3.0))
    monkeypatch.setattr(evaluation, "fuse", None)
    with config.set(small_on_host=False):
        assert_same(to_host(compute(3.0)), expected)
    assert_same(to_host(compute(3.0)), expected)


def test_gathers_read_memory_from_where_the_array_begins(device: Device) -> None:
    host = sample("float64", 40)
    x = xp.asarray(host)[30:2:-2]
    index = np.array([0, 3, -1, 13])
    for expression in (xp.take(x, xp.asarray(index)) + 1, x[xp.asarray(index)] + 1):
        assert_same(to_host(expression), host[30:2:-2][index] + 1)


@pytest.mark.parametrize("name", ["negative", "abs", "isfinite", "isnan", "isinf", "signbit", "floor", "sign", "sqrt"])
@pytest.mark.parametrize("short", ["f32", "f64"])
def test_results_are_right_at_any_distances(device: Device, name: str, short: str) -> None:
    """A ufunc gets no ``out`` that is not contiguous, where NumPy is wrong for some."""
    dtype = DTYPE_OF[short]
    rule = OPS[name].rules[dtype]
    body = Body(((dtype, False),), (), (), ((rule, (X[0],)),), (T[0],), (rule.result,))
    for n in (2, 3, 17):
        for apart, away in ((1, 1), (1, 2), (2, 3), (4, 1), (4, 2), (4, 4)):
            x = upload(device, np.arange(1, n * apart + 1).astype(dtype))
            x.host_view()[apart] = np.nan
            part = GpuArray(x.storage, dtype, (n,), (apart,))
            out = GpuArray(empty(device, rule.result, (n * away,)).storage, rule.result, (n,), (away,))
            bound(device, body, out, part).run(buffers_of(out, part), [])
            expected = getattr(np, name)(part.host_view().copy())
            assert_same(out.host_view().copy(), expected)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (7, 1), (7, 5)])
def test_rolled_operands_may_have_fewer_axes(device: Device, shape: tuple[int, ...]) -> None:
    a, b = np.random.default_rng(1).random((7, 5)), np.random.default_rng(2).random(shape)
    x, y, out = upload(device, a), upload(device, b), empty(device, FLOAT64, (7, 5))
    own = y.rolled((2, -1)[2 - len(shape) :])
    bound(device, body_of("add"), out, x.rolled((2, -1)), own).run(buffers_of(out, x, y), [])
    assert_same(out.host_view(), np.roll(a + b, (2, -1), (0, 1)))
