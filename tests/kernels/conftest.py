"""No generic kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arrayapi_gpu.config import config


@pytest.fixture(autouse=True)
def own_kernels() -> Iterator[None]:
    """Every form of operands gets the kernel that is made for it, since the tests here are of those kernels."""
    with config.set(specialise="always"):
        yield
