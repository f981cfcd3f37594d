"""Monoids: identities of every dtype, and what rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from arrayapi_gpu.lazy.build.build import handle
from arrayapi_gpu.lazy.build.reductions import reduction
from arrayapi_gpu.memory.dtypes import COMPLEX_FLOATING, COMPUTES_IN, DTYPES, FLOATING, NUMERIC, REAL, SHORT

REDUCE: dict[Monoid, Any] = {SUM: np.sum, PROD: np.prod, MIN: np.min, MAX: np.max, ANY: np.any, ALL: np.all}
ACCEPTS = {SUM: NUMERIC, PROD: NUMERIC, MIN: REAL, MAX: REAL}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("monoid", REDUCE, ids=lambda monoid: monoid.name)
def test_the_identity_changes_no_value(device: Device, monoid: Monoid, dtype: np.dtype[Any]) -> None:
    """One element is reduced with the identity in the other lanes, and gives itself."""
    if dtype not in ACCEPTS.get(monoid, {np.dtype(bool)}) or SHORT[dtype] not in device.dtypes:
        pytest.skip(f"{monoid.name} of {dtype}")
    values: list[Any] = [0, 1]
    if dtype in FLOATING - COMPLEX_FLOATING:
        values += [-1.5, math.inf, -math.inf]
    elif dtype.kind in "iu":
        values += [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for value in values:
        x = xp.asarray(np.asarray([value]).astype(dtype), device=device)
        found = handle(xp.Array, reduction(monoid, x._node, (0,), False, dtype))
        assert found.to_numpy() == x.to_numpy()[0]


@pytest.mark.parametrize(
    ("monoid", "value"), [(SUM, 0), (PROD, 1), (ANY, 0), (ALL, 1), (MIN, math.nan), (ARGMAX, math.nan)]
)
def test_what_nothing_gives(monoid: Monoid, value: float) -> None:
    assert monoid.of_nothing == value or (math.isnan(value) and math.isnan(monoid.of_nothing))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_sums_and_products_of_floats_round_and_nothing_else(dtype: np.dtype[Any]) -> None:
    assert SUM.rounds(dtype) is PROD.rounds(dtype) is (dtype in FLOATING)
    assert not any(monoid.rounds(dtype) for monoid in (MIN, MAX, ANY, ALL, ARGMIN, ARGMAX))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_rounds_accumulates_in_the_dtype_that_computes(dtype: np.dtype[Any]) -> None:
    assert SUM.accumulator(dtype) == COMPUTES_IN[dtype]
    assert MAX.accumulator(dtype) == dtype
