"""Which memory of the host is page-locked, and how long."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.memory import page_locks
from arrayapi_gpu.memory.page_locks import owner_of, page_lock


class Lock:
    """What keeps memory locked."""


class Locking(RecordingDevice):
    """A device that page-locks."""

    overlaps = True
    refuses = False

    def page_lock(self, host: Any) -> Any:
        self._record("page_lock", host.ctypes.data, host.nbytes)
        return None if self.refuses else Lock()


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Locking:
    monkeypatch.setattr(page_locks, "LEAST", 1000)
    return Locking(host_shared=False)


def locked(device: Locking) -> list[Any]:
    return [arguments for verb, arguments in device.calls if verb == "page_lock"]


def test_views_of_an_array_have_one_lock(device: Locking) -> None:
    host = np.zeros((100, 100), np.float32)
    first = page_lock(device, host, host.nbytes)
    assert page_lock(device, host[::-1, 3:], host.nbytes // 2) is first
    assert page_lock(device, host.T, host.nbytes) is first
    assert locked(device) == [(host.ctypes.data, host.nbytes)]


def test_it_is_unlocked_when_nobody_wants_it(device: Locking) -> None:
    host = np.zeros(1000, np.float32)
    lock = page_lock(device, host, host.nbytes)
    del lock
    gc.collect()
    page_lock(device, host, host.nbytes)
    assert len(locked(device)) == 2


@pytest.mark.parametrize("wanted", [0, 999])
def test_a_small_part_is_not_worth_it(device: Locking, wanted: int) -> None:
    host = np.zeros(1000, np.float32)
    assert page_lock(device, host[:10], wanted) is None
    assert page_lock(device, np.zeros(10, np.float32), 40) is None
    assert locked(device) == []


def test_files_are_not_locked(device: Locking, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(1000))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for host in (mapped, mapped[::-1], np.asarray(mapped)[3:], np.frombuffer(memoryview(mapped)[:500])):
        assert page_lock(device, np.asarray(host), host.nbytes) is None
    strided = np.lib.stride_tricks.as_strided(mapped, (500,), (8,))
    assert page_lock(device, strided, strided.nbytes) is None
    assert locked(device) == []


def test_what_is_refused_is_not_locked(device: Locking) -> None:
    device.refuses = True
    host = np.zeros(1000, np.float32)
    assert page_lock(device, host, host.nbytes) is None
    device.refuses = False
    assert page_lock(device, host, host.nbytes) is not None


def test_no_more_is_locked_than_the_host_can_spare(device: Locking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_locks, "host_memory", lambda: 16_000)
    known = sum(nbytes for _, nbytes in list(page_locks._known))
    monkeypatch.setattr(page_locks, "host_memory", lambda: 16_000 + known * 4 // 3 + 1)
    hosts = [np.zeros(1250, np.float32) for _ in range(3)]
    locks = [page_lock(device, host, host.nbytes) for host in hosts]
    assert [lock is not None for lock in locks] == [True, True, False]


def test_the_owner_is_behind_all_views() -> None:
    host = np.zeros((20, 30))
    assert owner_of(host[3:, ::2].T) is not None
    for view in (host, host[::2], host.reshape(-1)[5:], np.lib.stride_tricks.as_strided(host[4], (2,), (8,))):
        owner = owner_of(view)
        assert owner is not None and (owner.ctypes.data, owner.nbytes) == (host.ctypes.data, host.nbytes)
    frozen = np.frombuffer(bytes(800))
    assert owner_of(frozen) is not None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_the_child_of_a_fork_does_not_undo_locks() -> None:
    """The driver must not be called there."""
    code = """if True:
        import gc, os
        import numpy as np
        from arrayapi_gpu.backends.recording import RecordingDevice
        from arrayapi_gpu.memory.page_locks import page_lock
        undone = []
        class Lock:
            def __del__(self):
                undone.append(1)
        class Locking(RecordingDevice):
            overlaps = True
            def page_lock(self, host):
                return Lock()
        host = np.zeros(1 << 22, np.uint8)
        lock = page_lock(Locking(host_shared=False), host, host.nbytes)
        child = os.fork()
        del lock
        gc.collect()
        if child == 0:
            os._exit(len(undone))
        print(os.waitpid(child, 0)[1], len(undone))
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("0 1\n", "")
