"""Libraries that are not needed, and what needs them."""

from __future__ import annotations

import pytest

from conformance.campaign.exposure import by_scipy


def skip_without_scipy(text: str) -> None:
    """Skip the test if an expression calls a function that SciPy computes, and SciPy is missing."""
    if by_scipy(text):
        pytest.importorskip("scipy")
