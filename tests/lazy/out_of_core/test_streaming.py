"""Values in blocks: how long these are, and where results lie."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph.host_operands import OnHost
from arrayapi_gpu.lazy.out_of_core import streaming as streaming_module
from arrayapi_gpu.lazy.out_of_core.streaming import blocks_of, settle

A = sample("float32", (64, 16))


def test_what_fits_is_one_block(device: Device) -> None:
    assert blocks_of((xp.from_host(A) * 2)._node).number == 1


@pytest.mark.parametrize("room", [1, 100, 256, 1000, 5000])
def test_blocks_take_no_more_than_their_room(device: Device, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", room)
    found = blocks_of((xp.from_host(A) * 2)._node)
    assert found.nbytes <= max(room, 8)
    boxes = [
        job.part(first, min(first + job.step, job.units))
        for job in found.jobs
        for first in range(0, job.units, job.step)
    ]
    assert found.number == len(boxes)
    assert sum(np.prod([stop - start for start, stop in box]) for box in boxes) == A.size


def test_results_that_fit_are_on_the_device(device: Device) -> None:
    node = (xp.from_host(A) * 2)._node
    settle(node)
    assert node.array is not None


def test_results_that_do_not_fit_are_host_operands(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    y = xp.from_host(A) * 2
    settle(y._node)
    assert type(y._node.op) is OnHost
    assert_same((y + 1).to_numpy(), A * 2 + 1)


def test_values_are_written_into_memory_of_the_host(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1000)
    for value in (xp.from_host(A), xp.from_host(A) * 2, xp.asarray(A) * 2):
        out = np.empty((64, 32), np.float32)[:, ::2]
        settle(value._node, out)
        assert_same(out, value.to_numpy())


def test_blocks_are_uploaded_and_listed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1024)
    y = xp.from_host(A) * 2
    with xp.record() as launches:
        xp.compute(y)
    uploads = [launch for launch in launches if launch.kernel == "upload"]
    assert sum(launch.bytes for launch in uploads) == (0 if device.host_shared else A.nbytes)
    assert len(launches) - len(uploads) == 8


READS: dict[str, tuple[tuple[int, ...], Callable[[Any], Any], int]] = {
    "a sum": ((8192, 160), lambda x: xp.sum(x, axis=0), 1),
    "a variance of columns": ((8192, 160), lambda x: xp.var(x, axis=0), 1),
    "a variance of rows": ((8192, 160), lambda x: xp.std(x, axis=1), 1),
    "a variance of all": ((8192, 160), lambda x: xp.var(x), 1),
    "a variance of channels": ((320, 4, 32, 32), lambda x: xp.var(x, axis=(0, 2, 3)), 1),
    "columns less their means": ((8192, 160), lambda x: x - xp.mean(x, axis=0), 2),
    "standard columns": ((8192, 160), lambda x: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0), 2),
    "standard all": ((8192, 160), lambda x: (x - xp.mean(x)) / xp.std(x), 2),
    "scaled columns": ((8192, 160), lambda x: (x - xp.min(x, axis=0)) / (xp.max(x, axis=0) - xp.min(x, axis=0)), 2),
    "scaled all": ((320, 4, 32, 32), lambda x: (x - xp.min(x)) / (xp.max(x) - xp.min(x)), 2),
    "two sums of columns": ((8192, 160), lambda x: xp.sum(x, axis=0) * xp.sum(x * x, axis=0), 1),
    "standard rows": ((8192, 160), lambda x: (x - xp.mean(x, axis=1)[:, None]) / xp.std(x, axis=1)[:, None], 1),
}


@pytest.mark.parametrize("lanes", ["vectors", "scalars"])
@pytest.mark.parametrize("name", READS)
def test_host_operands_are_read_so_many_times(
    device: Device, name: str, lanes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the bits are those of an array on the device."""
    shape, compute, times = READS[name]
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 20)
    monkeypatch.setattr(tuning, "LARGE", (1 << 20, 1 << 20))
    twin = apart_twin(device) if device.host_shared else device
    if lanes == "scalars":
        twin = scalar_twin(twin)
    host = np.random.default_rng(1).random(shape, np.float32)
    with xp.record() as launches:
        found = compute(xp.from_host(host, device=twin)).to_numpy()
    read = sum(launch.bytes for launch in launches if launch.kernel == "upload")
    assert times <= read / host.nbytes < times + 0.1
    assert_same(found, to_host(compute(xp.asarray(host, device=twin))))


def test_slices_of_one_operand_are_read_once(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1024)
    twin = apart_twin(device) if device.host_shared else device
    x = xp.from_host(A, device=twin)
    with xp.record() as launches:
        y = (x[:-2] + x[1:-1] + x[2:, :] * 2 - xp.roll(x, 1, axis=0)[1:-1]).to_numpy()
    assert_same(y, A[:-2] + A[1:-1] + A[2:] * 2 - A[:-2])
    assert sum(launch.bytes for launch in launches if launch.kernel == "upload") <= 1.5 * A.nbytes


@pytest.mark.parametrize("turn", range(3))
def test_threads_that_want_one_value_get_it(device: Device, monkeypatch: pytest.MonkeyPatch, turn: int) -> None:
    """Sums of deviations, places, sorted elements and stencils, each wanted by four threads at once."""
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 12)
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << (60 if turn else 2))
    host = np.asarray(sample("int16", (2000, 8))).astype(np.float64)
    if "f64" not in device.dtypes:
        host = host.astype(np.float32)
    x = xp.from_host(host)
    values = [xp.sum((x - xp.max(x, axis=0)) * 2, axis=0), x * 2, xp.sort(xp.reshape(x, (-1,))), x[1:] - x[:-1]]
    wanted = [((host - host.max(0)) * 2).sum(0), host * 2, np.sort(host.ravel()), host[1:] - host[:-1]]
    errors: list[BaseException] = []

    def read() -> None:
        try:
            for value, expected in zip(values, wanted, strict=True):
                assert_same(to_host(value), expected)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_strides_of_what_is_computed_in_blocks_are_those_of_c_order(device: Device) -> None:
    x = xp.from_host(np.asfortranarray(A))
    assert x.strides == (x + 1).strides == (64, 4)
    assert (x + 1)[0].strides == (4,)


@pytest.mark.parametrize("steps", [200, 600])
def test_long_expressions_are_no_deep_recursion(
    device: Device, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:  # fmt: skip
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 11)
    x, y = xp.from_host(A), xp.asarray(A)
    total = xp.zeros(16, dtype=xp.float32)
    for k in range(steps):
        x, y = x * 0.5 + 1, y * 0.5 + 1
        total = total + xp.from_host(A)[k % 64]
    assert_same(to_host(x), to_host(y))
    assert to_host(total).shape == (16,)


def test_results_for_which_other_arrays_leave_no_room_are_in_host_memory(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(streaming_module, "fresh", full)
    x = xp.from_host(A) * 2
    settle(x._node)
    assert type(x._node.op) is OnHost
    monkeypatch.setattr(streaming_module, "upload", full)
    mask = xp.from_host(A) > 0
    positive = xp.from_host(A)[mask]
    assert_same(to_host(positive), A[A > 0])
    assert_same(to_host(x), A * 2)


REFUSED: dict[str, Callable[[xp.Array], Any]] = {
    "histogram": lambda x: np.histogram(x, 10),
    "interp": lambda x: np.interp(x, [0.0, 1.0], [0.0, 1.0]),
    "searchsorted": lambda x: x.searchsorted(xp.asarray([0.5], dtype=xp.float32)),
    "convolve": lambda x: np.convolve(x, [1.0, 2.0]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_done_in_blocks_is_named(device: Device, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """By NumPy's functions and by methods, too."""
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    with pytest.raises(MemoryError, match=rf"^{name}: needs an array"):
        REFUSED[name](xp.from_host(A.ravel()))


def test_a_block_that_does_not_fit_names_the_function(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(streaming_module, "_fill", full)
    with pytest.raises(MemoryError, match=r"^to_numpy: no room\. It is computed in blocks .*memory_limit"):
        (xp.from_host(A) * 2).to_numpy()
