"""Evaluation: what is computed where and when, also in place where memory is too short for a second array."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import assert_same, launches, no_launch, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph.graph import COMPUTED, Node, leaf
from arrayapi_gpu.lazy.graph.movements import as_strided
from arrayapi_gpu.lazy.run import compile as compiling, evaluate, run
from arrayapi_gpu.memory.gpuarray import GpuArray, empty, upload
from arrayapi_gpu.memory.layout import Layout

Make = Callable[[], xp.Array]

N = 1 << 16
A = np.arange(N, dtype=np.float64)


@pytest.fixture
def make(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], xp.Array]]:
    """Makes an array of two thirds of the memory, which may not spill."""

    def function() -> xp.Array:
        array = xp.asarray(A, device=device)
        xp.sync(array)
        device.trim()
        monkeypatch.setattr(device.pool, "_memory", device.pool._held + A.nbytes // 2)
        return array

    with xp.config.set(spill_limit=0):
        yield function


def test_an_array_that_nobody_else_sees_is_computed_in_its_own_memory(make: Make) -> None:
    z = make()
    z += 1
    z *= 2
    assert_same(to_host(z), (A + 1) * 2)


def test_a_pending_array_can_be_written_to(make: Make) -> None:
    z = make()
    z += 1
    z[:] = 5
    z[0] = 3
    assert (float(z[0]), float(z[1]), float(xp.sum(z))) == (3.0, 5.0, 5.0 * N - 2)


def test_a_pending_array_can_be_reduced(make: Make) -> None:
    z = make()
    z += 1
    assert float(xp.sum(z)) == (A + 1).sum()
    assert float(z[-1]) == N


def test_an_operand_that_somebody_reads_is_left_alone(make: Make) -> None:
    """The other value needs memory that there is not, so the error is raised, and nothing is lost."""
    z = make()
    other = z * 2
    z += 1
    with pytest.raises(MemoryError):
        to_host(z)
    with pytest.raises(MemoryError):
        to_host(other)
    del z
    assert_same(to_host(other), A * 2)


def test_an_operand_that_somebody_holds_is_left_alone(make: Make) -> None:
    z = make()
    result = z + 1
    for _ in range(2):
        with pytest.raises(MemoryError):
            to_host(result)
    assert_same(to_host(z), A)


def test_the_error_for_a_value_that_a_variable_holds_says_so(device: Device) -> None:
    n, most = 5_000_000, 16_000_000  # elements, and bytes
    with xp.config.set(memory_limit=most, spill_limit=0):
        held = xp.arange(n, dtype=xp.float32, device=device) * 2
        held = held + xp.arange(n, dtype=xp.float32, device=device)
        device.trim()
        with pytest.raises(MemoryError, match="values that variables hold are stored when a result needs them"):
            float(xp.sum(held))


def test_a_part_is_not_computed_in_place_of_the_whole(
    device: Device, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory that a concatenation lacks is that of all its parts, not of the first."""
    monkeypatch.setattr(tuning, "PARTS_FROM", (0, 0))
    other = xp.asarray(A, device=device, copy=True)
    xp.sync(other)
    z = make()
    z += 1
    joined = xp.concat([z, other])
    with pytest.raises(MemoryError):
        xp.compute(joined)
    del joined
    assert_same(to_host(z), A + 1)


def test_an_operand_that_is_read_elsewhere_is_left_alone(make: Make) -> None:
    """A gather reads other elements than those that are written."""
    z = make()
    index = xp.arange(2, device=z.device)
    z += xp.sum(z[index])
    assert_same(to_host(z), A + 1)


def test_an_interrupted_computation_in_place_says_that_values_are_lost(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    z = make()
    z += 1
    launch_group = compiling.launch_group

    def interrupted(*arguments: Any) -> None:
        launch_group(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as context:
        context.setattr(run, "launch_group", interrupted)
        with pytest.raises(KeyboardInterrupt):
            to_host(z)
    for _ in range(2):
        with pytest.raises(DeviceError, match="lost"):
            to_host(z)


def values(array: GpuArray) -> Any:
    return array.download().tolist()


def pending(device: Device) -> Node:
    """1, 2, 3 as a sum that nobody has computed."""
    return build.binary(OPS["add"], leaf(upload(device, np.arange(3, dtype="f4"))), 1.0)


def test_a_node_is_computed_once(device: Device) -> None:
    node = pending(device)
    first = evaluate.evaluate(node)
    with no_launch():
        assert evaluate.evaluate(node) is first
    assert values(first) == [1, 2, 3]


def test_a_computed_node_lets_go_of_its_operands(device: Device) -> None:
    node = pending(device)
    evaluate.evaluate(node)
    assert (node.op, node.args, node.rule) == (COMPUTED, (), None)


def test_a_copy_has_memory_of_its_own(device: Device) -> None:
    x = leaf(upload(device, np.arange(6, dtype="f4")))
    for node, expected in ((x, [0, 1, 2, 3, 4, 5]), (build.view(x, as_strided(Layout((3,), (-2,), 5))), [5, 3, 1])):
        made = evaluate.copy(node)
        assert made.contiguous and made.storage is not evaluate.evaluate(x).storage
        assert values(made) == expected


def test_only_what_is_not_contiguous_is_copied(device: Device) -> None:
    x = leaf(upload(device, np.arange(6, dtype="f4")))
    turned = build.view(x, as_strided(Layout((3, 2), (1, 3), 0)))
    assert evaluate.contiguous(x) is x.array
    found = evaluate.contiguous(turned)
    assert found is not turned.array and values(found) == [[0, 3], [1, 4], [2, 5]]


def test_a_node_is_written_into_memory_of_any_strides(device: Device) -> None:
    whole = upload(device, np.zeros(7, "f4"))
    with launches() as made:
        evaluate.write(pending(device), whole.view(Layout((3,), (-2,), 5)))
    assert len(made) == 1
    assert values(whole) == [0, 3, 0, 2, 0, 1, 0]


def test_no_elements_take_no_launch(device: Device) -> None:
    node = build.binary(OPS["add"], leaf(empty(device, np.dtype("f4"), (0, 3))), 1.0)
    with no_launch():
        assert evaluate.evaluate(node).shape == (0, 3)


def test_a_launch_that_is_refused_can_be_asked_for_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    node = pending(device)

    def refuse(*_: Any) -> None:
        raise MemoryError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(device.pool, "alloc", refuse)
        with pytest.raises(MemoryError, match="no room"):
            evaluate.evaluate(node)
    assert values(evaluate.evaluate(node)) == [1, 2, 3]


@pytest.mark.parametrize("repeated", [False, True])
def test_each_run_of_a_bound_launch_counts_the_values_that_it_meets(device: Device, repeated: bool) -> None:
    """A value that is met often is stored (`fuse.is_stored`)."""
    x, y = (xp.asarray(A + k, device=device) for k in (1, 2))
    inner = (x * (x + y if repeated else y))._node  # no variable holds it, so no launch stores it
    for number in range(1, 6):
        result = build.handle(xp.Array, build.binary(OPS["multiply"], inner, 2.0))
        assert_same(to_host(result), (A + 1) * (2 * A + 3 if repeated else A + 2) * 2)
        assert (inner.array, inner.met) == (None, number)
