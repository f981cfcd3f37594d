"""The clock of a CUDA stream: pairs of events, which are used again, and ranges of NVTX."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

if importlib.util.find_spec("cupy_backends") is None:
    pytest.skip("CuPy is not installed", allow_module_level=True)

from arrayapi_gpu.backends import cuda_timer


@pytest.fixture
def cuda(device: Device) -> Any:
    if not str(device).startswith("cuda:"):
        pytest.skip("of CUDA alone")
    return device


def test_work_between_two_events_is_timed(cuda: Any) -> None:
    x = xp.asarray(np.ones(10_000_000, np.float32))
    xp.sync(xp.exp(x))
    timer = cuda.timer()
    mark = timer.start("exp")
    xp.compute(xp.exp(x))
    start, seconds = timer.read(timer.stop(mark))
    assert timer._began <= start and 1e-6 < seconds < 1
    free = len(timer._free)
    timer.read(timer.stop(timer.start("nothing")))
    assert len(timer._free) == free
    timer.close()


class Ranges(list[str]):
    """NVTX that lists its ranges."""

    def RangePush(self, label: str) -> None:  # CuPy's name
        self.append(label)

    def RangePop(self) -> None:
        self.append("end")


def test_a_launch_that_is_recorded_is_a_range(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ranges = Ranges()
    monkeypatch.setattr(cuda_timer, "nvtx", ranges)
    x = xp.asarray(np.ones(1_000_000, np.float32))
    with xp.record() as made:
        xp.sync(x + 1)
        xp.sync(xp.matmul(x.reshape(1000, 1000), x.reshape(1000, 1000)))
    assert ranges == [word for event in made for word in (event.kernel, "end")]
