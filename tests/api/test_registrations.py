"""Entry points for other libraries."""

from __future__ import annotations

import functools
from importlib.metadata import entry_points
from typing import Any

import pytest

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


def test_dask_is_told_the_size_of_arrays() -> None:
    if not [entry for entry in entry_points(group="dask.sizeof") if entry.module.startswith("arrayapi_gpu")]:
        pytest.skip("arrayapi_gpu runs from its folder, without being installed")
    (entry,) = [entry for entry in entry_points(group="dask.sizeof") if entry.name == "arrayapi_gpu"]

    @functools.singledispatch
    def sizeof(value: Any) -> int:
        return -1

    entry.load()(sizeof)
    assert sizeof(xp.ones((10, 20), dtype=xp.float32)) == 800
    assert sizeof("text") == -1
