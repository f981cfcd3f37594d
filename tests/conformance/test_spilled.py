"""Programs over more than the memory that a device may use: what the command finds."""

from __future__ import annotations

import gc
from itertools import count
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from bench.programs.program import N, Program, drawn, floats
from conformance import spilled

LIMIT = 3 << 20


def scaled(module: Any, x: Any) -> tuple[Any, Any]:
    """Two results of an array."""
    return x * 2 + 1, module.sum(x, axis=0)


PROGRAM = Program("scaled", "tests", scaled, drawn(floats, (N, N)), 64, 256, 256)


@pytest.fixture(autouse=True)
def room(device: Device) -> None:
    gc.collect()
    device.trim()


def test_all_instances_are_right_and_have_moved(device: Device) -> None:
    found = spilled.checked(device, PROGRAM, 256, LIMIT, 10, 1000)
    assert found is not None and found.wrong == []
    assert found.nbytes >= 10 * LIMIT and found.moved > 5 * LIMIT and found.back > 0
    assert config.memory_limit is None


def test_a_wrong_instance_is_named(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = count(1)

    def wrong(program: Program, arrays: Any) -> tuple[Any, ...]:
        results = spilled.several(program.compute(xp, *arrays))
        return (results[0] + 1, results[1]) if next(calls) == spilled.SETS + 2 else results

    monkeypatch.setattr(spilled, "computed", wrong)
    found = spilled.checked(device, PROGRAM, 256, LIMIT, 10, 8)
    assert found is not None and found.wrong == ["instance 1"]


def test_what_cannot_fit_is_left_out(device: Device) -> None:
    assert spilled.checked(device, PROGRAM, 2048, LIMIT, 2, 10) is None


def test_bits_are_compared() -> None:
    assert spilled.same(np.zeros(3), np.zeros(3)) and not spilled.same(np.zeros(3), -np.zeros(3))
    assert not spilled.same(np.zeros(3), np.zeros(3, np.float32))
