"""Compaction: the positions of a mask, and the elements there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import assert_same

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.build.compaction import compress, nonzero
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.graph.movements import as_strided
from arrayapi_gpu.memory.gpuarray import indices_of, upload
from arrayapi_gpu.memory.layout import Layout

RNG = np.random.default_rng(9)


def node(device: Device, host: np.ndarray[Any, Any]) -> Node:
    return leaf(upload(device, host))


@pytest.mark.parametrize("shape", [(7,), (300,), (4, 5), (3, 1, 6), (0,), (2, 0)])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_positions_are_numpys_in_c_order(twin: Device, shape: tuple[int, ...], share: float) -> None:
    mask = RNG.random(shape) < share
    found = nonzero(node(twin, mask))
    assert len(found) == len(shape)
    for got, expected in zip(found, np.nonzero(mask), strict=True):
        assert_same(got.download(), expected)


def test_positions_are_known_to_be_inside_their_axes(twin: Device) -> None:
    """So nobody checks them when they are used as indices."""
    found = nonzero(node(twin, np.eye(4, 5, dtype=bool)))
    assert [indices_of(array) for array in found] == [4, 5]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
def test_a_mask_picks_elements_in_c_order(twin: Device, dtype: str) -> None:
    a, mask = RNG.integers(0, 9, (6, 7)).astype(dtype), RNG.random((6, 7)) < 0.5
    turned = build.view(node(twin, a), as_strided(Layout((7, 6), (1, 7), 0)))
    assert_same(compress(node(twin, mask.T.copy()), turned).download(), a.T[mask.T])
