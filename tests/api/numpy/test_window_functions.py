"""Sliding windows beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view as numpys
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.lib.stride_tricks import sliding_window_view

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(60).reshape(3, 4, 5)
WINDOWS: list[tuple[Any, Any]] = [
    (3, 2), (3, -1), ((2, 2), (0, 2)), ((1, 4, 5), None), ((2, 3), (2, 2)), ((0,), (1,)), ((3, 1, 2), (0, 1, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("length", "axis"), WINDOWS)
def test_windows(length: Any, axis: Any) -> None:
    x = xp.asarray(A)
    assert_same(to_host(sliding_window_view(x, length, axis)), numpys(A, length, axis))
    turned = sliding_window_view(x[::-1, :, ::-1], length, axis)
    assert_same(to_host(turned), numpys(A[::-1, :, ::-1], length, axis))


def test_windows_of_a_pending_value() -> None:
    assert_same(to_host(sliding_window_view(xp.asarray(A) * 2, 2, 1) + 1), numpys(A * 2, 2, 1) + 1)


def test_windows_are_a_view_that_cannot_be_written() -> None:
    x = xp.arange(5)
    windows = xp.lib.stride_tricks.sliding_window_view(x, 3)
    x[2] = 9
    assert windows.tolist() == [[0, 1, 9], [1, 9, 3], [9, 3, 4]]
    with pytest.raises(ValueError, match="view of windows"):
        windows[0, 0] = 1


def test_numpys_function_is_ours() -> None:
    with xp.config.set(host_transfers="error"):
        got: Any = numpys(xp.asarray(A), 2, axis=0)
    assert_same(to_host(got), numpys(A, 2, axis=0))


@pytest.mark.parametrize(
    ("length", "axis", "what"),
    [
        (9, 0, "allowed: 0 to the length of the axis"),
        (-1, 0, "allowed: 0 to the length"),
        ((1, 2), 0, "2 lengths for 1 axes"),
        (2, None, "1 lengths"),
    ],
)
def test_what_is_refused(length: Any, axis: Any, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        sliding_window_view(xp.asarray(A), length, axis)
