"""Reductions as operations: what a part of one is, and views of one."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.monoid import ARGMAX, MAX, SUM
from arrayapi_gpu.lazy.build.reductions import reduction
from arrayapi_gpu.lazy.graph.graph import constant
from arrayapi_gpu.lazy.graph.reduction import Reduce, like, moves_only_ones
from arrayapi_gpu.memory.layout import Layout

F32 = np.dtype("float32")


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (Layout((1, 3, 4), (0, 4, 1), 0), True),
        (Layout((3, 4), (4, 1), 0), True),
        (Layout((4, 3), (1, 4), 0), False),
        (Layout((2, 4), (4, 1), 4), False),
        (Layout((3, 2), (4, 1), 0), False),
    ],
)
def test_whether_a_view_only_moves_axes_of_one_element(view: Layout, expected: bool) -> None:
    assert moves_only_ones(view, (3, 4)) is expected


@pytest.mark.parametrize("keepdims", [False, True])
def test_a_box_of_a_reduction_needs_the_reduced_axes_whole(device: Device, keepdims: bool) -> None:
    x = constant(1.0, F32, (4, 5, 6), device)
    node = reduction(SUM, x, (1,), keepdims, F32)
    box = ((1, 3), (0, 1), (2, 6)) if keepdims else ((1, 3), (2, 6))
    assert node.op.boxes(node, box) == [((1, 3), (0, 5), (2, 6))]


def test_the_interval_of_a_reduction(device: Device) -> None:
    x = constant(1, np.dtype("int32"), (4, 5), device)
    assert Reduce(ARGMAX, (0, 1)).value_range((x,), lambda operand: None) == (0, 19)
    assert Reduce(MAX, (0,)).value_range((x,), lambda operand: (-2, 7)) == (-2, 7)
    assert Reduce(SUM, (0,)).value_range((x,), lambda operand: (-2, 7)) is None


def test_a_part_of_a_reduction_knows_the_whole() -> None:
    op = Reduce(SUM, (0,))
    assert like(op, (7, 8)) is like(op, (7, 8))
    assert (like(op, (7, 8)).whole, op.whole) == ((7, 8), None)
    assert op.joins and not like(op, (7, 8)).joins
