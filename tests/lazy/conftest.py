"""In all tests of the lazy engine, the launches of values and of assignments must be those that `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.plans import plans_compared


@pytest.fixture(autouse=True)
def _explained() -> Iterator[None]:
    with plans_compared():
        yield
