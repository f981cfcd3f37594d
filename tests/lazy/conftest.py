"""All tests of the lazy engine hold that what is launched is what `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.plans import plans_compared


@pytest.fixture(autouse=True)
def _explained() -> Iterator[None]:
    with plans_compared():
        yield
