"""Entry points for other libraries."""

from __future__ import annotations

import functools
import sys
import types
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


class Dispatch:
    """What stands for a table of dask's."""

    def __init__(self) -> None:
        self.rows: dict[type, Any] = {}

    def register(self, kind: type, function: Any) -> None:
        self.rows[kind] = function


def test_dask_array_is_told_of_percentiles_when_it_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = types.SimpleNamespace(percentile_lookup=Dispatch())
    x = xp.asarray([3.0, 1.0, 2.0])
    monkeypatch.delitem(sys.modules, "dask.array.dispatch", raising=False)
    token = x.__dask_tokenize__()
    monkeypatch.setitem(sys.modules, "dask.array.dispatch", tables)
    assert x.__dask_tokenize__() == token
    percentile = tables.percentile_lookup.rows[xp.Array]
    values, count = percentile(x, [50, 100])
    assert values.tolist() == [2, 3] and isinstance(values, xp.Array) and count == 3
    assert percentile(x, [50], "lower")[0].tolist() == [2]
    assert percentile(x[:0], [50]) == (None, 0)
