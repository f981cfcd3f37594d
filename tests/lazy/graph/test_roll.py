"""Rolls as operations of nodes."""

from __future__ import annotations

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.graph.graph import Node, constant, new_node
from arrayapi_gpu.lazy.graph.roll import Roll
from arrayapi_gpu.memory.dtypes import DTYPE_OF


def rolled(device: Device, shifts: tuple[int, ...]) -> Node:
    return new_node(Roll(shifts), (constant(1, DTYPE_OF["i32"], (3, 4), device),), None, DTYPE_OF["i32"],
                          (3, 4), device, 1)  # fmt: skip


def test_only_shifted_axes_are_written(device: Device) -> None:
    node = rolled(device, (0, 3))
    assert node.op.expression(node, "v0") == "xp.roll(v0, shift=(3,), axis=(1,))"


def test_a_roll_of_a_roll_shifts_by_both(device: Device) -> None:
    node = rolled(device, (2, 3))
    asked: list[tuple[Node, tuple[int, ...]]] = []
    node.op.rolled(node, (1, 0), lambda x, shifts: asked.append((x, shifts)))
    assert asked == [(node.args[0], (3, 3))]


def test_the_elements_are_those_of_the_operand(device: Device) -> None:
    node = rolled(device, (1, 1))
    assert node.op.value_range(node.args, lambda operand: (1, 1)) == (1, 1)
    assert node.op.key(node) == (Roll, (1, 1))
