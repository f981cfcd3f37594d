"""Locks and weak references of the compiled form."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import weakref
from typing import Any

import pytest

from arrayapi_gpu import compiled

pytestmark = pytest.mark.skipif(compiled.missing != "", reason="the Python form has Python's own")


@pytest.fixture
def objects() -> Any:
    from arrayapi_gpu.backends import c_objects

    return c_objects


class Thing:
    """An object that can be referred to."""

    other: object = None


def test_one_thread_at_a_time_has_a_lock(objects: Any) -> None:
    lock, inside, most, total = objects.Mutex(), [0], [0], [0]

    def work() -> None:
        for _ in range(2000):
            with lock, lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                total[0] += 1
                inside[0] -= 1

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert (most, total) == ([1], [8000])
    assert not lock._is_owned()


def test_a_lock_is_taken_without_waiting_or_not_at_all(objects: Any) -> None:
    lock, got = objects.Mutex(), []
    assert lock.acquire() and lock.acquire(blocking=False) and lock._is_owned()
    thread = threading.Thread(target=lambda: got.append((lock.acquire(blocking=False), lock._is_owned())))
    thread.start()
    thread.join()
    assert got == [(False, False)]
    lock.release()
    assert lock._is_owned()
    lock.release()
    with pytest.raises(RuntimeError):
        lock.release()


def test_a_thread_that_waits_can_be_interrupted(objects: Any) -> None:
    if not hasattr(signal, "pthread_kill"):
        pytest.skip("the system sends no signals to threads")
    lock, held, done = objects.Mutex(), threading.Event(), threading.Event()

    def hold() -> None:
        with lock:
            held.set()
            done.wait()

    def interrupted(*_: object) -> None:
        raise InterruptedError

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    main = threading.get_ident()
    timer = threading.Timer(0.05, lambda: signal.pthread_kill(main, signal.SIGUSR1))
    former = signal.signal(signal.SIGUSR1, interrupted)
    try:
        timer.start()
        with pytest.raises(InterruptedError), lock:
            pass
    finally:
        signal.signal(signal.SIGUSR1, former)
        done.set()
        thread.join()
    with lock:  # which nobody has any more
        assert lock._is_owned()


def test_locked_gives_the_lock_back(objects: Any) -> None:
    lock = objects.Mutex()

    def refuse(argument: str) -> None:
        assert lock._is_owned()
        raise ValueError(argument)

    assert objects.locked(lock, lambda argument: (argument, lock._is_owned()), 3) == (3, True)
    with pytest.raises(ValueError, match="why"):
        objects.locked(lock, refuse, "why")
    assert not lock._is_owned()


def test_a_reference_dies_with_what_it_refers_to(objects: Any) -> None:
    thing = Thing()
    weak = objects.reference(thing)
    assert type(weak) is weakref.ref and weak() is thing and weak is weakref.ref(thing)
    assert not gc.is_tracked(weak)
    del thing
    assert weak() is None


def test_the_collector_clears_references_to_cycles(objects: Any) -> None:
    one, other = Thing(), Thing()
    one.other, other.other = other, one
    weak = objects.reference(one)
    del one, other
    gc.collect()
    assert weak() is None
