"""The battery finds what is not random, and our streams pass it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from conformance.randomness import __main__ as randomness, battery

WORDS = 1 << 17


ALL = 2**64 - 1


def kept(w: Any, mask: int) -> Any:
    """The bits of a mask."""
    return w & np.uint64(mask)


FLAWS: dict[str, Callable[[Any], Any]] = {
    "monobit": lambda w: w | kept(w >> 17, 1),  # one bit in 64 is set in three words of four
    "runs": lambda w: kept(w, ALL - 2) | kept(w, 1) << 1,  # two bits are the same
    "serial": lambda w: kept(w, ALL - 0xFE00) | kept(w, 0xFE) << 8,  # a byte is nearly that before it
    "successive": lambda w: np.repeat(w[: w.size // 2], 2),
    "gaps": lambda w: np.where(np.arange(w.size) % 16 == 0, kept(w, 2**60 - 1), w),
    "orders": lambda w: np.sort(w.reshape(-1, 4), axis=1).ravel(),
    "largest": lambda w: w >> 1,
    "collisions": lambda w: kept(w, ALL >> 1),
    "birthdays": lambda w: kept(w, ALL >> 2),
}


@pytest.mark.parametrize("test", battery.BATTERY, ids=lambda test: test.__name__)
def test_what_is_not_random_is_found(device: Device, test: Callable[[Any], float]) -> None:
    w = np.random.default_rng(1).integers(0, 2**64, WORDS, dtype=np.uint64)
    assert test(xp.asarray(w)) > 1e-4
    flawed = FLAWS[test.__name__](w)
    assert test(xp.asarray(np.ascontiguousarray(flawed, dtype=np.uint64))) < 1e-6


def test_streams_pass(device: Device) -> None:
    assert [row for row in randomness.of_streams(WORDS, device) if row[2] < 1e-4] == []


def test_distributions_pass_and_the_page_is_written(device: Device, tmp_path: Any, capsys: Any) -> None:
    pytest.importorskip("scipy.stats")
    page = tmp_path / "RANDOM.md"
    options = ["--device", str(device), "--samples", "20000", "--words", str(WORDS), "--output", str(page)]
    assert randomness.main(options) == 0, capsys.readouterr().err
    assert "| normal(1.0, 2.0), float32 |" in page.read_text(encoding="utf-8")
