"""What takes long runs at night: a share of a table, or a whole test (`pytest --nightly`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def in_part(values: Iterable[Any], share: int = 3) -> list[Any]:
    """Return parameters for a test, tuples for a test of several. Every ``share``-th one runs each time; the others run
    at night."""
    table = [value if isinstance(value, tuple) else (value,) for value in values]
    return [
        pytest.param(*row, marks=[pytest.mark.nightly] if number % share else []) for number, row in enumerate(table)
    ]
