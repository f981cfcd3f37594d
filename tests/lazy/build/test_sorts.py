"""Sorts as nodes."""

from __future__ import annotations

import numpy as np
from support import assert_same, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

A = sample("float32", (5, 40))


def test_arrays_are_sorted_when_their_values_are_needed(device: Device) -> None:
    with no_launch():
        x = xp.sort(xp.asarray(A) * 2, axis=0)
    assert_same(to_host(x), np.sort(A * 2, axis=0))


def test_positions_are_known_to_be_indices(device: Device) -> None:
    order = xp.argsort(xp.asarray(A), axis=1)
    xp.compute(order)
    assert order._node.array is not None
    assert order._node.array.storage.indices == 40


def test_a_copy_is_not_made_to_be_sorted(device: Device) -> None:
    x = xp.asarray(A)
    with xp.record() as launches:
        xp.compute(xp.sort(xp.asarray(x, copy=True), axis=0))
    with xp.record() as others:
        xp.compute(xp.sort(x, axis=0))
    assert len(launches) == len(others)
