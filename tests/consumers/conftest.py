"""SciPy reads its switch when it is imported, which the tests of this folder do first."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

os.environ.setdefault("SCIPY_ARRAY_API", "1")


@pytest.fixture(autouse=True)
def as_users_have_it() -> Iterator[None]:
    """Small arrays are computed as by default; elsewhere tests are of the kernels."""
    from arrayapi_gpu.config import Config, config

    with config.set(small_on_host=Config().small_on_host):
        yield
