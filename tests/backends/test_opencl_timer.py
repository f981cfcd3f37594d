"""The clock of an OpenCL queue: a queue with profiling, in place of the device's own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError


@pytest.fixture
def opencl(device: Device) -> Any:
    if not str(device).startswith("opencl:"):
        pytest.skip("of OpenCL alone")
    return device


def test_the_queue_of_a_device_is_another_one_until_its_clock_is_closed(opencl: Any) -> None:
    x = xp.asarray(np.ones(100_000, np.float32))
    xp.sync(x + 1)
    own = opencl._queue
    timer = opencl.timer()
    assert opencl._queue is not own and opencl._timer is timer
    xp.sync(x + 1)  # on the other queue
    timer.close()
    assert opencl._queue is own and opencl._timer is None
    np.testing.assert_array_equal((x + 1).to_numpy(), 2)


def test_work_between_two_marks_is_timed(opencl: Any) -> None:
    x = xp.asarray(np.ones(1_000_000, np.float32))
    xp.sync(xp.exp(x))
    timer = opencl.timer()
    try:
        mark = timer.start("two launches")
        xp.compute(xp.exp(x))
        xp.compute(xp.exp(x + 1))
        marks = timer.stop(mark)
        xp.compute(xp.exp(x))
        start, seconds = timer.read(marks)
        assert len(mark) >= 2 and seconds > 0 and timer._zero < start
        assert timer.read(timer.stop(timer.start("nothing")))[1] == 0
    finally:
        timer.close()


def test_a_device_that_fails_gives_no_times(opencl: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.asarray(np.ones(100_000, np.float32))
    timer = opencl.timer()
    try:
        mark = timer.start("k")
        xp.sync(x + 3)
        marks = timer.stop(mark)
        with monkeypatch.context() as patch:
            patch.setattr(type(opencl), "wait", lambda self: (_ for _ in ()).throw(DeviceError("broken")))
            assert math.isnan(timer.read(marks)[1])
    finally:
        timer.close()


def test_launches_that_are_bound_meanwhile_use_the_devices_own_queue_later(opencl: Any) -> None:
    x = xp.asarray(np.arange(70_000, dtype=np.float32))
    for _ in range(3):
        with xp.record() as made:
            for number in range(4):
                np.testing.assert_array_equal((x * 3 - number).to_numpy(), np.arange(70_000) * 3 - number)
        assert len(made) == 4
        for number in range(4):
            np.testing.assert_array_equal((x * 3 - number).to_numpy(), np.arange(70_000) * 3 - number)
