"""Rolls as operations of nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import sample, to_host

import arrayapi_gpu as xp
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


# Shifts and axes of rolls, one after another.
CHAINS: dict[str, list[tuple[Any, Any]]] = {
    "by nothing": [(0, 0)],
    "by whole extents": [((7, -10), (0, 1))],
    "there and back": [(2, 0), (-2, 0)],
    "by nothing, then one": [(0, 0), (1, 1)],
    "one, then by nothing": [(3, 1), (0, 0)],
    "along both axes": [(1, 0), (-1, 1)],
    "three times": [((1, 2), (0, 1)), (-1, 0), (3, 1)],
}


@pytest.mark.parametrize("dtype", ["int8", "float32", "bool"])
@pytest.mark.parametrize("shape", [(7, 5), (0, 5), (1, 1)])
@pytest.mark.parametrize("chain", CHAINS)
def test_rolls_after_one_another_share_no_memory(
    device: Device, chain: str, shape: tuple[int, ...], dtype: str
) -> None:
    host = sample(dtype, shape, 1)
    source = xp.asarray(host, device=device)
    for first in (source, xp.where(source == source, source, source)):
        x, expected = first, host
        for shift, axis in CHAINS[chain]:
            x, expected = xp.roll(x, shift, axis=axis), np.roll(expected, shift, axis)
        assert not isinstance(x._node.op, Roll) or any(x._node.op.shifts)
        np.testing.assert_array_equal(to_host(x), expected)
        x[...] = 0
        np.testing.assert_array_equal(to_host(source), host)


def test_equal_rolls_are_one_operation(device: Device) -> None:
    """Whatever numbers say so, and also after another roll."""
    x = xp.ones((4, 3), device=device)
    one: Any = np.int64(1)
    first, *others = (xp.roll(x, by, axis=0)._node.op for by in (1, one, -3, (1,)))
    assert all(other is first for other in others)
    twice = [xp.roll(xp.roll(x, one, axis=0), one, axis=0)._node.op for _ in range(2)]
    assert twice[0] is twice[1] is xp.roll(x, 2, axis=0)._node.op


@pytest.mark.parametrize("shape", [(), (1,), (2,), (300, 1), (1, 2), (300, 2)])
def test_operands_of_fewer_axes_are_rolled_as_far_as_they_have_any(device: Device, shape: tuple[int, ...]) -> None:
    a, b = sample("int8", (300, 2), 1), sample("int8", shape, 2)
    want = np.roll(a + b, (2, -1), (0, 1))
    x, y = xp.asarray(a, device=device), xp.asarray(b, device=device)
    for computed_on_host in (True, False):
        with xp.config.set(small_on_host=computed_on_host):
            for _ in range(3):
                found = xp.roll(x + y, (2, -1), axis=(0, 1))
                np.testing.assert_array_equal(to_host(xp.broadcast_to(found, (3, 300, 2))[1]), want)
                np.testing.assert_array_equal(to_host(found), want)
