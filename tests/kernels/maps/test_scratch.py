"""Memory that outlives launches."""

from __future__ import annotations

import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.tuning import MIN_WORDS
from arrayapi_gpu.kernels.maps import scratch as module
from arrayapi_gpu.kernels.maps.scratch import scratch


def test_uses_of_a_memory_are_numbered_and_new_memory_is_zero(device: Device) -> None:
    first, number = scratch(device, "a test", MIN_WORDS)
    again, next_number = scratch(device, "a test", 1)
    assert again is first
    assert next_number == number + 1
    larger, one = scratch(device, "a test", 2 * MIN_WORDS)
    assert one == 1
    assert larger.size >= 2 * MIN_WORDS
    assert not larger.download().any()


def test_purposes_have_memories_of_their_own(device: Device) -> None:
    assert scratch(device, "a test", 1)[0] is not scratch(device, "another test", 1)[0]


def test_memory_is_new_after_as_many_uses_as_can_be_told_apart(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "USES", 3)
    assert [scratch(device, "a test of numbers", 1)[1] for _ in range(7)] == [1, 2, 3, 1, 2, 3, 1]
