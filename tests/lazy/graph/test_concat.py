"""Concatenations as operations of nodes."""

from __future__ import annotations

from typing import Any

import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.graph.concat import Concat
from arrayapi_gpu.lazy.graph.graph import Node, constant, new_node
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.layout import Layout

I32 = DTYPE_OF["i32"]


class Asked:
    """A mover that notes what it is asked."""

    def __init__(self) -> None:
        self.notes: list[Any] = []

    def is_full(self, node: Node) -> bool:
        return False

    def through(self, node: Node, outer: Layout, layout: Layout) -> None:
        self.notes.append((node, outer))

    def needs_first(self, node: Node, reason: str) -> None:
        self.notes.append(reason)


def concat(device: Device) -> Node:
    first, second = (constant(value, I32, (n, 3), device) for value, n in ((5, 2), (-1, 4)))
    return new_node(Concat(0), (first, second), None, I32, (6, 3), device, 1)


@pytest.mark.parametrize(("start", "number", "offset"), [(0, 0, 0), (2, 1, -6), (4, 1, -6)])
def test_a_view_within_one_operand_is_a_view_of_it(device: Device, start: int, number: int, offset: int) -> None:
    node, mover = concat(device), Asked()
    node.op.moved(node, Layout((2, 3), (3, 1), 3 * start), mover)
    assert mover.notes == [(node.args[number], Layout((6, 3), (3, 1), offset))]


def test_a_view_over_several_operands_needs_all_of_it(device: Device) -> None:
    node, mover = concat(device), Asked()
    node.op.moved(node, Layout((2, 3), (3, 1), 3), mover)
    assert mover.notes == ["its elements lie in several operands"]


def test_the_interval_is_that_of_all_operands(device: Device) -> None:
    node = concat(device)
    assert node.op.value_range(node.args, lambda operand: (operand.args[0],) * 2) == (-1, 5)
    assert node.op.value_range(node.args, lambda operand: None) is None
