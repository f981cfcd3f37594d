"""Copies beside the queue change no value: random programs over host operands, on devices with memory of their own.

A CPU stands for a GPU. One twin copies in queues of their own, at the same time as it computes; the other one makes its
copies as late as it may, and what is not copied yet has other bytes.
"""

from __future__ import annotations

import gc
import random
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import apart_twin, assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph import host_operands
from arrayapi_gpu.memory import page_locks
from conformance.campaign.spills import all_moves

SHAPE = 900, 33

OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * b - b,
    lambda a, b: xp.where(a > b, a, 0.5),
    lambda a, b: a[::-1] * 0.5 + b[:1],
    lambda a, b: xp.roll(a, 7, axis=0) - b,
    lambda a, b: a - xp.mean(b, axis=0),
    lambda a, b: a / (1 + xp.max(xp.abs(b), axis=1, keepdims=True)),
    lambda a, b: xp.sort(a, axis=1) + b,
    lambda a, b: xp.concat([b[450:], a[:450]]),
    lambda a, b: xp.cumulative_sum(a, axis=1) * 0.125 + b,
    lambda a, b: a + xp.sum(xp.sin(b)) * 1e-3,
]
ENDS: list[Callable[[Any], Any]] = [
    lambda a: a,
    lambda a: xp.sum(a, axis=0),
    lambda a: xp.argmax(a, axis=0),
    lambda a: a[a > 0.25],
    lambda a: a.T @ a,
    lambda a: a[5:700:3, ::-2],
    lambda a: xp.astype(a * 10, xp.int16),
]


@pytest.fixture(params=["beside", "late"])
def apart(device: Device, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Device]:
    """A device with memory of its own, which has few blocks in it."""
    monkeypatch.setattr(page_locks, "LEAST", 1)
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 14)
    if not device.host_shared:
        if request.param == "late":
            pytest.skip("its own copies are tested")
        yield device
        return
    twin = apart_twin(device, request.param == "late")
    with config.set(device=str(twin)):
        yield twin


def numbers(shape: tuple[int, ...], seed: int = 0) -> Any:
    """Numbers in memory of their own, which can be page-locked."""
    return sample("float32", shape, seed).copy()


def program(seed: int, make: Callable[[Any], Any]) -> list[Any]:
    """A program, and all that it computes."""
    choose = random.Random(seed)
    values = [make(numbers(SHAPE, 7 * seed + k)) for k in range(2)]
    for _ in range(choose.randint(1, 5)):
        values.append(choose.choice(OPERATIONS)(choose.choice(values), choose.choice(values)))
        if choose.random() < 0.2:
            xp.compute(values[-1])
    return [choose.choice(ENDS)(values[-1]), values[choose.randrange(len(values))]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("results", [4, 1 << 60], ids=["results on the device", "results on the host"])
def test_random_programs_are_as_in_memory(
    apart: Device, monkeypatch: pytest.MonkeyPatch, seed: int, results: int
) -> None:
    monkeypatch.setattr(tuning, "HOST_RESULTS", results)
    monkeypatch.setattr(tuning, "PRODUCT_PART", 1 << 20)
    got = [to_host(one) for one in program(seed, xp.from_host)]
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 28)
    expected = [to_host(one) for one in program(seed, xp.asarray)]
    for one, other in zip(got, expected, strict=True):
        if seed and one.shape == (33, 33):  # products of matrices have an order of their own
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)
        else:
            assert_same(one, other)


@pytest.mark.parametrize("results", [4, 1 << 60])
def test_interrupts_leave_all_usable(apart: Device, monkeypatch: pytest.MonkeyPatch, results: int) -> None:
    """An exception comes at one verb after the other."""
    monkeypatch.setattr(tuning, "HOST_RESULTS", results)
    a, b = numbers(SHAPE, 1), numbers(SHAPE, 2)
    expected = to_host(xp.asarray(a) * 2 + xp.asarray(b))
    for verb in ("begin_upload", "begin_download", "launch"):
        for after in (0, 1, 5):
            left = [after]
            own = getattr(apart, verb)

            def interrupting(*arguments: Any, own: Any = own, left: list[int] = left, **options: Any) -> Any:
                result = own(*arguments, **options)
                left[0] -= 1
                if left[0] == -1:
                    raise KeyboardInterrupt
                return result

            y = xp.from_host(a) * 2 + xp.from_host(b)
            with monkeypatch.context() as patched:
                patched.setattr(apart, verb, interrupting)
                try:
                    to_host(y)
                except KeyboardInterrupt:
                    pass
                else:
                    assert left[0] >= 0
            fresh = xp.asarray(b)  # takes the memory of what was interrupted
            assert_same(to_host(y), expected)
            assert_same(to_host(fresh), b)


def test_memory_is_free_when_all_is_done(apart: Device) -> None:
    live = []
    for _ in range(2):  # the first time, kernels get memory of their own
        for seed in range(3):
            for one in program(seed, xp.from_host):
                to_host(one)
        del one
        apart.wait()
        apart.pool.trim()
        live.append(xp.memory(apart).live)
    assert live[0] == live[1]


@pytest.mark.parametrize("threads", [0, 1])
def test_arrays_that_move_meanwhile_are_right(apart: Device, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """All that may moves before each allocation, and with a thread at any moment: the host's memory is one for both."""
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    monkeypatch.setattr(page_locks, "LEAST", 1 << 60)
    monkeypatch.setattr(host_operands, "READ_BY_THREAD", 1)
    a, b = numbers(SHAPE, 1), numbers(SHAPE, 2)
    with all_moves(apart, threads=threads) as counts:
        kept = [xp.asarray(a + np.float32(k), copy=True) for k in range(4)]
        for k in range(4):
            y = (xp.from_host(a) * 2 + xp.from_host(b)) + kept[k]
            assert_same(to_host(y), (a * 2 + b) + (a + np.float32(k)))
            for number, x in enumerate(kept):
                assert_same(to_host(x), a + np.float32(number))
        del x, y, kept
    assert counts["spill"] and counts["return"]


def test_a_limit_is_kept(apart: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 28)
    a, b = numbers((3000, 1000), 1), numbers((3000, 1000), 2)
    apart.pool.trim()
    apart.pool.peak = xp.memory(apart).live
    with config.set(memory_limit=xp.memory(apart).live + (4 << 20)):
        y = xp.from_host(a) * 2 + xp.from_host(b)
        assert_same(np.asarray(y), a * 2 + b)
        assert_same(np.asarray(xp.max(y, axis=0)), (a * 2 + b).max(axis=0))
        assert xp.memory(apart).peak <= xp.memory(apart).limit


def test_memory_that_cannot_be_locked_is_staged(apart: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_locks, "LEAST", 1 << 60)
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 23)
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    a = numbers((3000, 1000), 1)
    assert_same(np.asarray(xp.from_host(a.astype(">f4")) * 2), a * 2)
    assert_same(np.asarray(xp.from_host(a[:, ::-1]) * 2 + xp.from_host(a)), a[:, ::-1] * 2 + a)


def test_blocks_are_on_their_way_before_they_are_computed_with(apart: Device) -> None:
    """The next block's upload begins before the kernel of a block is launched."""
    a = numbers((2000, 100))
    if page_locks.page_lock(apart, a, a.nbytes) is None:
        pytest.skip("memory is staged: uploads are listed when they are joined")
    with xp.record() as launches:
        xp.compute(xp.from_host(a) * 2)
    uploads = [launch.kernel == "upload" for launch in launches]
    assert sum(uploads) > 4 and uploads[:2] == [True, True]


def test_memory_of_a_result_goes_with_it(apart: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the garbage collector: it may be much."""
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    host = numbers(SHAPE)
    x = xp.from_host(host)
    gc.collect()
    gc.disable()
    try:
        found = set()
        for _ in range(4):
            y = x * 2
            xp.compute(y)
            found.add(np.asarray(y).ctypes.data)
            del y
        assert len(found) == 1
    finally:
        gc.enable()


def test_threads_share_the_queues(apart: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads stream while a third one fills the memory again and again."""
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    hosts = [numbers(SHAPE, seed) for seed in range(2)]
    faults: list[object] = []
    over = threading.Event()

    def stream(host: Any) -> None:
        try:
            for k in range(6):
                got = to_host(xp.from_host(host) * np.float32(k) + 1)
                if not np.array_equal(got, host * np.float32(k) + 1):
                    faults.append(k)
        except BaseException as error:
            faults.append(error)

    def fill() -> None:
        while not over.is_set():
            arrays = [xp.asarray(hosts[0], copy=True) for _ in range(5)]
            apart.trim()
            del arrays

    threads = [threading.Thread(target=stream, args=(host,)) for host in hosts]
    filler = threading.Thread(target=fill)
    for thread in (*threads, filler):
        thread.start()
    for thread in threads:
        thread.join(120)
    over.set()
    filler.join(120)
    assert not faults and not any(thread.is_alive() for thread in (*threads, filler))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")
def test_interrupts_come_at_any_moment(apart: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    a, b = numbers(SHAPE, 1), numbers(SHAPE, 2)
    expected = a * 2 + b
    choose, interrupted = random.Random(1), 0

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(80):
            y = xp.from_host(a) * 2 + xp.from_host(b)
            try:
                signal.setitimer(signal.ITIMER_REAL, choose.random() * 5e-3 + 1e-5)
                to_host(y)
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            other = xp.asarray(b, copy=True)
            assert_same(to_host(y), expected)
            assert_same(to_host(other), b)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 5
