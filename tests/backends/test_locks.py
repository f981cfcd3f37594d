"""Locks of modules: for one thread at a time, which may take them again, and free in the child of a fork."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from arrayapi_gpu.backends.locks import module_lock


def free_for_others(lock: Any) -> bool:
    """Whether another thread could take the lock."""
    got: list[bool] = []

    def attempt() -> None:
        got.append(lock.acquire(blocking=False))
        if got[0]:
            lock.release()

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return got[0]


def test_other_threads_wait_for_the_one_that_holds_it() -> None:
    lock = module_lock({}, "lock")
    with lock:
        assert not free_for_others(lock)
    assert free_for_others(lock)


def test_the_thread_that_holds_it_may_take_it_again() -> None:
    lock = module_lock({}, "lock")
    with lock:
        with lock:
            pass
        assert not free_for_others(lock)
    assert free_for_others(lock)


def test_an_exception_lets_it_go() -> None:
    lock = module_lock({}, "lock")
    with pytest.raises(KeyboardInterrupt), lock:
        raise KeyboardInterrupt
    assert free_for_others(lock)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_the_child_of_a_fork_finds_it_free_though_a_thread_of_the_parent_held_it() -> None:
    code = """if True:
        import os, threading
        from arrayapi_gpu.backends.locks import module_lock
        lock = module_lock(globals(), "lock")
        held, done = threading.Event(), threading.Event()
        def hold():
            with lock:
                held.set()
                done.wait()
        threading.Thread(target=hold).start()
        held.wait()
        child = os.fork()
        if child == 0:
            os._exit(0 if lock.acquire(blocking=False) else 1)
        status = os.waitpid(child, 0)[1]
        print(status, lock.acquire(blocking=False))
        done.set()
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("0 False\n", "")
