"""Boxes of values as expressions over blocks of host operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support import assert_same, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.blocks import Parts, bytes_of
from arrayapi_gpu.lazy.evaluate import contiguous
from arrayapi_gpu.lazy.host_operands import HOST

A = sample("float32", (12, 10))


VALUES: dict[str, Callable[[Any], Any]] = {
    "an operation": lambda x: x * 2 + x[0],
    "a view": lambda x: (x * 2)[::-1],
    "a reshape": lambda x: xp.reshape(x * 2, (10, 12)),
    "a roll": lambda x: xp.roll(x, (5, 3), axis=(0, 1)),
    "a concatenation": lambda x: xp.concat([x[:5], x])[3:15, :],
    "a sum of rows": lambda x: x - xp.sum(x, axis=1, keepdims=True),
}


@pytest.mark.parametrize("program", VALUES.values(), ids=VALUES)
def test_a_box_has_the_elements_of_the_value(device: Device, program: Callable[[Any], Any]) -> None:
    value = program(xp.from_host(A))._node
    expected = program(xp.asarray(A)).to_numpy()
    box = ((3, 7), (0, value.shape[1]))
    part = Parts(value).part(value, box)
    assert part.weight < HOST
    assert_same(contiguous(part).download(), expected[3:7])


def test_measuring_reads_nothing_and_counts_what_is_read(device: Device) -> None:
    class Refusing:
        shape, dtype = A.shape, A.dtype

        def __getitem__(self, key: Any) -> Any:
            raise AssertionError("it was read")

    value = (xp.from_host(Refusing()) * 2 + xp.from_host(A))._node
    assert bytes_of(Parts(value, dry=True).part(value, ((2, 5), (0, 10)))) == 2 * 3 * 10 * 4


def test_what_every_block_needs_whole_is_needed_first(device: Device) -> None:
    x = xp.from_host(A)
    mean = xp.mean(x, axis=0)
    value = (x - mean)._node
    parts = Parts(value, dry=True)
    parts.part(value, ((0, 2), (0, 10)))
    assert [node.shape for node in parts.needs] == [(10,)]
