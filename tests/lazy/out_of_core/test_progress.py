"""The line of progress."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.out_of_core import progress as module
from arrayapi_gpu.lazy.out_of_core.progress import progress


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines without waiting, and without tqdm."""
    monkeypatch.setattr(module, "AFTER", -1.0)
    monkeypatch.setattr(module, "EVERY", -1.0)
    monkeypatch.delitem(sys.modules, "tqdm", raising=False)


def test_nothing_is_written_unless_it_is_asked_for(at_once: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(progress(range(3), 3, "sum")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_a_line_tells_how_many_are_done_and_goes(at_once: None, capsys: pytest.CaptureFixture[str]) -> None:
    with xp.config.set(progress=True):
        assert list(progress(range(3), 3, "sum")) == [0, 1, 2]
    written = capsys.readouterr().err
    assert "\rsum: 2 of 3 blocks" in written
    assert written.endswith(f"\r{' ' * 18}\r")


def test_blocks_are_counted(
    at_once: None, device: Device, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1000)
    with xp.config.set(progress=True):
        xp.compute(xp.from_host(np.ones((100, 100), np.float32)) * 2)
    assert "multiply: 99 of 100 blocks" in capsys.readouterr().err


def test_it_is_tqdms_where_the_program_has_that(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[dict[str, Any]] = []

    def bar(items: Iterable[int], **options: Any) -> Iterable[int]:
        calls.append(options)
        return items

    stand_in = SimpleNamespace(tqdm=bar)
    monkeypatch.setitem(sys.modules, "tqdm", stand_in)
    with xp.config.set(progress=True):
        assert list(progress(range(3), 3, "sum")) == [0, 1, 2]
    assert [(one["total"], one["desc"]) for one in calls] == [(3, "sum")]
