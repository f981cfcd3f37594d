"""Libraries that are not needed, and what needs them."""

from __future__ import annotations

import pytest

from arrayapi_gpu.special import through_scipy


def skip_without_scipy(text: str) -> None:
    """Skip the test if an expression calls a function that SciPy computes, and SciPy is missing."""
    if any(f"special.{name}(" in text for name in through_scipy.__all__):
        pytest.importorskip("scipy")
