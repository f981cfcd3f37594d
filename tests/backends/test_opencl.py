"""OpenCL: which device comes first, and what only this back end has; its contract is in test_base.py."""

from __future__ import annotations

import importlib
import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu import compiled
from arrayapi_gpu.backends.base import Device, DeviceError


def test_order_of_drivers_on_the_cpu() -> None:
    """GPUs keep the loader's order; Intel's runtime is the first on the CPU, and the newer version of each."""
    pytest.importorskip("pyopencl")
    order = importlib.import_module("arrayapi_gpu.backends.opencl")._preference
    pocl, intel = "Portable Computing Language", "Intel(R) OpenCL"
    found = [
        SimpleNamespace(kind=kind, platform=platform, driver_version=version)
        for kind, platform, version in [
            ("cpu", pocl, "3.0-rc2"), ("cpu", pocl, "3.1+debian"), ("gpu", "NVIDIA CUDA", "535.1"),
            ("cpu", pocl, "7.0"), ("cpu", "Another", ""), ("cpu", intel, "2024.1.0.3"), ("gpu", "NVIDIA CUDA", "580.2"),
            ("cpu", intel, "2026.22.10.0.01"), ("cpu", pocl, "10.1"),
        ]
    ]  # fmt: skip
    assert [device.driver_version for device in sorted(found, key=order)] == [
        "535.1", "580.2", "2026.22.10.0.01", "2024.1.0.3", "", "10.1", "7.0", "3.1+debian", "3.0-rc2",
    ]  # fmt: skip


def test_every_device_here_can_compile(device: Device) -> None:
    """No device is left with a compiler that refuses the CPU."""
    assert device.rank < 3 and device.problem is None


def test_the_host_looks_only_at_drivers_for_which_it_would_sleep(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intel's runtime computes in the thread that waits."""
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    device.wait()  # so that nothing but the small launch of below is queued
    looked: list[int] = []
    monkeypatch.setattr(device, "_look", lambda: looked.append(1))
    total = xp.sum(xp.arange(8, device=device))
    xp.compute(total)
    device.wait()  # to read a value need not wait
    assert bool(looked) == (device.kind != "cpu" or "Portable" in device.platform)
    assert int(total) == 28


@pytest.mark.skipif(compiled.missing != "" or sys.platform == "win32", reason="launches are made in Python there")
def test_repeated_launches_need_no_python(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader's functions are found, and its driver takes the launches."""
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    kernel = device.compile("KERNEL void two(GLOBAL M_i32* out) { out[GID] = 2; }", "two")
    again = device.bind(kernel, 1, 64, 1, b"")
    monkeypatch.setattr(device, "launch", None)
    out = device.alloc(256)
    again([out])
    assert (device._last is None) == (device.kind != "cpu")
    host = np.empty(64, np.int32)
    device.download(out, 0, host)
    assert (host == 2).all()


def test_a_repeated_launch_that_the_driver_refuses(device: Any) -> None:
    """The error is that of `launch`."""
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    kernel = device.compile("KERNEL void two(GLOBAL M_i32* out) { out[GID] = 2; }", "two")
    out, group = device.alloc(256), 2 * device.max_group
    again = device.bind(kernel, 1, group, 1, b"")
    with pytest.raises(DeviceError, match="launch of two") as once:
        device.launch(kernel, 1, group, [out], b"")
    with pytest.raises(DeviceError) as repeated:
        again([out])
    assert str(repeated.value) == str(once.value)


class Silent:
    """A queue whose kernel has failed. ``order``: what was asked of it."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def flush(self) -> None:
        self.order.append("flush")

    def finish(self) -> None:
        self.order.append("finish")
        raise importlib.import_module("pyopencl").RuntimeError("finish")


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize(("status", "fails"), [(-5, True), (-9999, True), (0, False), (3, False)])
def test_a_marker_says_whether_a_launch_without_an_event_failed(
    status: int, fails: bool, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is queued before the wait, because one that is queued later knows nothing of the launch."""
    pytest.importorskip("pyopencl")
    opencl = importlib.import_module("arrayapi_gpu.backends.opencl")
    queue, refused = Silent(), []

    def marker(of: Silent) -> Any:
        of.order.append("marker")
        return SimpleNamespace(command_execution_status=status)

    monkeypatch.setattr(opencl.cl, "enqueue_marker", marker)
    monkeypatch.setattr(opencl, "refuse_from_now_on", lambda device, text: refused.append(text))
    monkeypatch.setattr(opencl, "LOOK", 0)
    device: Any = object.__new__(opencl.OpenCLDevice)
    device.__dict__.update(
        name="opencl:9:9", _queue=queue, _last=None, _queued=1, _done=0, _limbo=[], _lock=threading.RLock(),
        _sleeps=True, _few=few, _used=0, computes_on_host=False,
    )  # fmt: skip
    with pytest.raises(DeviceError, match="restart the program" if fails else "^opencl:9:9: finish"):
        device.wait()
    assert queue.order == ["marker", *["flush"] * few, "finish"]
    assert len(refused) == fails
