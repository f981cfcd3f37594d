"""Devices of one's own: each process has one that the fewest others have, until it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support import run_on

from arrayapi_gpu import backends
from arrayapi_gpu.backends import claims
from arrayapi_gpu.backends.base import Device, NoDeviceError
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config

DEVICES = [RecordingDevice(f"recording:0:{number}") for number in range(3)]
locking = pytest.mark.skipif(sys.platform == "win32", reason="the system has no such locks")


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[int]:
    """The locks of a test, in a folder of its own, which go with it."""
    own: list[int] = []
    monkeypatch.setattr(claims, "_held", own)
    monkeypatch.setattr(claims, "folder", lambda: tmp_path)
    return own


@locking
def test_devices_are_given_out_evenly(tmp_path: Path) -> None:
    assert [str(claims.claim(DEVICES, tmp_path)) for _ in range(7)] == [f"recording:0:{k % 3}" for k in range(7)]


@locking
def test_a_device_is_free_again_when_its_owner_has_ended(held: list[int], tmp_path: Path) -> None:
    first, second = (claims.claim(DEVICES, tmp_path) for _ in range(2))
    assert (first, second) == (DEVICES[0], DEVICES[1])
    os.close(held.pop(0))
    assert claims.claim(DEVICES, tmp_path) is DEVICES[0]
    assert claims.claim(DEVICES, tmp_path) is DEVICES[2]


@locking
def test_the_device_counts_and_not_its_number_in_a_process(tmp_path: Path) -> None:
    """A process that sees them in another order takes another one."""
    assert claims.claim(DEVICES, tmp_path) is DEVICES[0]
    assert claims.claim(DEVICES[:1] + DEVICES[2:], tmp_path) is DEVICES[2]
    assert claims.claim(DEVICES[1::-1], tmp_path) is DEVICES[1]


def test_without_locks_it_is_the_first(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    assert claims.claim(DEVICES, tmp_path / "file") is DEVICES[0]
    assert "other processes may use recording:0:0" in caplog.text


def test_other_processes_are_counted(device: Device) -> None:
    """A process that asks gets the device that it names, and keeps one lock."""
    code = (
        "import arrayapi_gpu as xp; from arrayapi_gpu.backends import claims, get_device\n"
        "name = xp.config.device; xp.config.device = f'own:{name}'\n"
        "print(str(xp.ones(1).device) == name, len(claims._held), get_device(xp.config.device) is xp.ones(1).device)"
    )
    done = run_on(device, code)
    assert done.stdout == f"True {int(sys.platform != 'win32')} True\n", done.stderr


SPELLINGS: dict[str, Callable[[str], str]] = {"own": lambda name: f"own:{name}", "of a kind": lambda name: "own"}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_process_has_one_device_for_a_spelling(
    spelling: str, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backends, "_found", {})
    spec = SPELLINGS[spelling](str(device))
    assert backends.get_device(spec) is backends.get_device(spec)
    assert spelling != "own" or backends.get_device(spec) is device


@pytest.mark.parametrize("name", ["own:", "own:x", "own:cuda:99", "own:own", "owner", "own cuda"])
def test_what_is_no_device_is_refused(name: str, device: Device) -> None:
    if name == "own:":
        assert backends.get_device(name) in backends.devices()
        return
    with pytest.raises((ValueError, NoDeviceError), match=r"own|cuda:99|x"):
        backends.get_device(name)


def test_what_is_unpickled_is_here(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """An array is on the device of its name. If there is none, it is on the default device, and the first such array
    causes a warning. In a process with a device of its own every array is on that."""
    monkeypatch.setattr(backends, "_missed", set())
    assert backends.unpickled(device.name) is device
    with pytest.warns(UserWarning, match="there is no device cuda:99") as warned:
        assert [backends.unpickled("cuda:99") for _ in range(3)] == [backends.default_device()] * 3
    assert len(warned) == 1
    with config.set(device=f"own:{device}"):
        for other in backends.devices():
            assert backends.unpickled(other.name) is device


def test_devices_alike_are_of_one_driver(device: Device) -> None:
    if device.name == backends.NATIVE:
        assert backends.alike(device.name) == (device,)
        return
    found = backends.alike(device.name.rpartition(":")[0])
    assert device in found
    assert {other.name.rpartition(":")[0] for other in found} == {device.name.rpartition(":")[0]}
    assert backends.alike(device.name) == (device,)


def test_no_lock_is_taken_by_the_import() -> None:
    code = "import arrayapi_gpu; from arrayapi_gpu.backends import claims; assert not claims._held"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_the_child_of_a_fork_holds_no_device(tmp_path: Path) -> None:
    """The lock goes with the process that took it, however long its children live."""
    code = f"""if True:
        import os
        from pathlib import Path
        from arrayapi_gpu.backends import claims
        from arrayapi_gpu.backends.recording import RecordingDevice
        device, place = RecordingDevice(), Path({str(tmp_path)!r})
        claims.claim([device], place)
        child_waits, parent_ends = os.pipe()
        ready, begun = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(begun, b"1")
            os.close(parent_ends)
            os.read(child_waits, 1)
            os._exit(len(claims._held))
        os.read(ready, 1)
        os.close(claims._held.pop())
        claims.claim([device], place)
        print(sorted(file.name[-1] for file in place.iterdir()))
        os.close(parent_ends)
        print(os.waitpid(child, 0)[1])
    """
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("['0']\n0\n", "")
