"""The host's memory: copies by several threads."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample

from arrayapi_gpu.backends import host_memory
from arrayapi_gpu.backends.host_memory import fresh_memory, host_copy


@pytest.fixture(params=[1, 5])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: request.param)
    monkeypatch.setattr(host_memory, "PART_OF_COPY", 1)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (1000,), (2, 3), (3, 1, 50), (1, 2, 2)])
def test_copies_are_whole(shape: tuple[int, ...]) -> None:
    source = sample("float32", shape)
    target = np.empty(shape, np.float32)
    host_copy(target, source)
    assert_same(target, source)


@pytest.mark.usefixtures("threads")
def test_elements_are_cast_and_strides_kept() -> None:
    source, target = sample("int16", (40, 30)).astype(">i2"), np.zeros((40, 60), np.int16)
    host_copy(target[:, ::-2], source[::-1])
    assert_same(target[:, ::-2], source[::-1].astype(np.int16))
    assert not target[:, ::2].any()


@pytest.mark.usefixtures("threads")
def test_an_error_of_a_thread_is_raised() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        host_copy(np.empty((10, 2)), np.empty((10, 3)))


def test_fresh_memory_has_its_size() -> None:
    for size in (1, 4096, (3 << 20) + 1):
        found: Any = fresh_memory(size)
        assert found.shape == (size,) and found.dtype == np.uint8 and found.flags.c_contiguous


def test_there_is_memory() -> None:
    assert host_memory.host_memory() > 1 << 27
