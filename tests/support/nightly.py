"""What takes long runs at night: a share of a table, or a whole test (`pytest --nightly`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def in_part(values: Iterable[Any], share: int = 3) -> list[Any]:
    """Return the parameters of a test of which one of ``share`` runs each time, and the others at night."""
    return [
        pytest.param(value, marks=[pytest.mark.nightly] if number % share else [])
        for number, value in enumerate(values)
    ]
