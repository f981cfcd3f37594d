"""Utility functions against NumPy: `diff`; `all` and `any` stand among the reductions."""

from __future__ import annotations

import numpy as np
import pytest
from support import DTYPES, check_same, sample

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", DTYPES)
def test_diff_of_every_dtype(dtype: str) -> None:
    check_same(lambda np_, x: np_.diff(x), sample(dtype, 40))


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_diff_along_axes_and_of_orders(axis: int, n: int) -> None:
    check_same(lambda np_, x: np_.diff(x, axis=axis, n=n), sample("int32", (4, 6)))


def test_diff_joins_what_comes_before_and_after() -> None:
    a, b = sample("int32", (4, 6)), sample("int32", (4, 2), 1)
    check_same(lambda np_, x, y: np_.diff(x, prepend=y, append=y), a, b)


def test_diff_of_a_negative_order_is_refused() -> None:
    with pytest.raises(ValueError, match="diff: n is -1; allowed: 0 or more"):
        xp.diff(xp.ones(3), n=-1)


def test_diff_of_nothing_is_a_value_of_its_own() -> None:
    x = xp.ones((0, 3))
    found = xp.diff(x, axis=0)
    assert found is not x and found.shape == (0, 3)
    found += 1
    assert xp.diff(xp.from_host(np.zeros((0, 3))), axis=0).__iadd__(1).shape == (0, 3)
