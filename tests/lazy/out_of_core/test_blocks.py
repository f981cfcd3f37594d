"""Boxes of values as expressions over blocks of host operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.lazy.graph.graph import HOST
from arrayapi_gpu.lazy.out_of_core.blocks import Parts
from arrayapi_gpu.lazy.out_of_core.streaming import blocks_of
from arrayapi_gpu.lazy.run.evaluate import contiguous

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


STENCILS: dict[str, Callable[[Any], Any]] = {
    "neighbours": lambda x: (x[:-2] + x[1:-1] + x[2:]) * 0.25,
    "neighbours on both axes": lambda x: x[:-2, 1:-1] + x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:],
    "a ring": lambda x: xp.roll(x, 1, axis=0) - xp.roll(x, -1, axis=0) * 0.5,
    "reversed": lambda x: x[::-1] - x,
    "steps": lambda x: x[::2] - x[1::2],
}


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("stencil", STENCILS.values(), ids=STENCILS)
def test_a_stencil_of_many_steps_takes_few_boxes_of_each(
    device: Device, stencil: Callable[[Any], Any], steps: int
) -> None:
    host = sample("float32", (64, 33))
    lazy, expected = xp.from_host(host), xp.asarray(host)
    for _ in range(steps):
        lazy, expected = stencil(lazy), stencil(expected)
    value = lazy._node
    rows = value.shape[0]
    box = ((rows // 2, rows // 2 + 1), (0, value.shape[1]))
    read = Parts(value).bytes([(value, box)])
    assert read <= (2**steps if stencil is STENCILS["steps"] else 2 * steps + 1) * 33 * 4
    assert_same(contiguous(Parts(value).part(value, box)).download(), expected.to_numpy()[rows // 2 : rows // 2 + 1])


@pytest.mark.parametrize("steps", [40, 100])
def test_boxes_of_steps_that_nothing_reads_any_more_take_no_memory(device: Device, steps: int) -> None:
    host = sample("float32", (8000, 200))
    x, expected = xp.from_host(host), host
    for _ in range(steps):
        x = (x[:-2] + x[1:-1] + x[2:]) / 3
        expected = (expected[:-2] + expected[1:-1] + expected[2:]) / np.float32(3)
    device.pool.trim()
    with config.set(memory_limit=xp.memory(device).live + (16 << 20)):
        assert float(xp.max(x)) == pytest.approx(expected.max(), rel=1e-6)


def test_measuring_reads_nothing_and_counts_what_is_read(device: Device) -> None:
    class Refusing:
        shape, dtype = A.shape, A.dtype

        def __getitem__(self, key: Any) -> Any:
            raise AssertionError("it was read")

    value = (xp.from_host(Refusing()) * 2 + xp.from_host(A))._node
    assert Parts(value).bytes([(value, ((2, 5), (0, 10)))]) == 2 * 3 * 10 * 4


@pytest.mark.parametrize("change", [lambda x: x, lambda x: x[::-1]], ids=["in order", "reversed"])
def test_long_rows_that_are_put_one_after_the_other_are_read_in_few_blocks(
    device: Device, monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], Any]
) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 1 << 14)
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    host = sample("float32", (30_011,))
    x = change(xp.reshape(xp.broadcast_to(xp.from_host(host), (5, host.size)), (-1,)))
    assert blocks_of(x._node).number < 200
    assert_same(to_host(x), change(np.tile(host, 5)))


def test_what_every_block_needs_whole_is_needed_first(device: Device) -> None:
    x = xp.from_host(A)
    mean = xp.mean(x, axis=0)
    value = (x - mean)._node
    parts = Parts(value)
    parts.bytes([(value, ((0, 2), (0, 10)))])
    assert [node.shape for node in parts.needs] == [(10,)]


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "sums": lambda m, x: m.cumulative_sum(x, axis=0, include_initial=True),
    "sums along rows": lambda m, x: m.cumulative_sum(x, axis=1),
    "sorted": lambda m, x: m.sort(x, axis=1),
    "sums of rows": lambda m, x: m.sum(x, axis=1, keepdims=True),
    "a product": lambda m, x: m.matmul(x, m.matrix_transpose(x)),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("key", [(slice(1, None),), (slice(None, None, -1), slice(0, 1)), (2,)], ids=str)
def test_a_view_of_a_step_that_one_block_computes(device: Device, name: str, key: Any) -> None:
    """The step computes all of it, and the view is of that."""
    host = np.random.default_rng(5).integers(-9, 9, (6, 5)).astype("int64")
    expected = STEPS[name](np, host)[key] * 2 + 1
    assert np.array_equal(to_host(STEPS[name](xp, xp.from_host(host, device=device))[key] * 2 + 1), expected)
