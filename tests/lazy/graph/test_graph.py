"""Nodes: what each kind knows when it is made, and who holds it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import no_launch

from arrayapi_gpu.backends.base import SINGLE, Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.monoid import ARGMAX, SUM
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph.graph import (
    COMPUTED,
    Handle,
    available,
    constant,
    flat_index,
    index_along,
    iota,
    leaf,
    new_node,
)
from arrayapi_gpu.lazy.graph.movements import Movement
from arrayapi_gpu.lazy.graph.reduction import Reduce
from arrayapi_gpu.lazy.graph.views import View
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import empty, upload
from arrayapi_gpu.memory.layout import Layout

I8, I64, F16, F32, F64, C128 = (DTYPE_OF[name] for name in ("i8", "i64", "f16", "f32", "f64", "c128"))


@pytest.fixture
def recorder() -> RecordingDevice:
    return RecordingDevice("recording:graph")


def test_a_leaf_has_the_facts_of_its_array(recorder: RecordingDevice) -> None:
    array = empty(recorder, F32, (2, 3))
    node = leaf(array)
    assert (node.op, node.args, node.dtype, node.shape) == (COMPUTED, (), F32, (2, 3))
    assert node.array is array and node.device is recorder and not node.held


def test_a_value_is_held_as_long_as_its_handle_stands_for_it(recorder: RecordingDevice) -> None:
    node = build.unary(OPS["sqrt"], leaf(empty(recorder, F32, (2,))))
    assert not node.held
    holder = build.handle(Handle, node)
    assert node.held
    del holder
    assert not node.held


@pytest.mark.parametrize("shape", [(), (5,), (0,), (2, 3, 4)])
def test_the_flat_index_counts_in_c_order(device: Device, shape: tuple[int, ...]) -> None:
    found = evaluate(flat_index(shape, device)).download()
    assert found.dtype == np.int64
    assert found.tolist() == np.arange(np.prod(shape, dtype=int)).reshape(shape).tolist()


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_the_index_along_an_axis_is_the_coordinate(device: Device, axis: int) -> None:
    assert evaluate(index_along(axis, (2, 3, 4), device)).download().tolist() == np.indices((2, 3, 4))[axis].tolist()


def test_an_index_variable_has_its_own_addresses(device: Device) -> None:
    found = evaluate(iota(Layout((3, 2), (10, -1), 100), device)).download()
    assert found.tolist() == [[100 + 10 * i - j for j in range(2)] for i in range(3)]


@pytest.mark.parametrize(("value", "dtype"), [(True, "b8"), (-3, "i8"), (2**63, "u64"), (0.5, "f16"), (1 - 2j, "c64")])
def test_a_constant_is_one_value_for_a_shape(device: Device, value: Any, dtype: str) -> None:
    found = evaluate(constant(value, DTYPE_OF[dtype], (2, 3), device)).download()
    assert found.dtype == DTYPE_OF[dtype] and found.tolist() == [[value] * 3] * 2


def test_without_float64_constants_are_rounded_to_float32(recorder: RecordingDevice) -> None:
    recorder.dtypes = SINGLE
    third, much = constant(1 / 3, F64, (), recorder), constant(1e300, F64, (), recorder)
    assert (third.dtype, third.args) == (F32, (float(np.float32(1 / 3)),))
    assert much.args == (float("inf"),)


def test_a_dtype_is_available_or_has_a_smaller_one(recorder: RecordingDevice) -> None:
    assert [available(dtype, recorder) for dtype in (I8, F64, C128)] == [I8, F64, C128]
    recorder.dtypes = SINGLE
    assert [available(dtype, recorder) for dtype in (I8, F64, C128)] == [I8, F32, DTYPE_OF["c64"]]


def test_a_reduction_of_float16_is_accumulated_in_float32() -> None:
    operation = Reduce(SUM, (0,))
    assert [operation.accumulator(dtype) for dtype in (F16, DTYPE_OF["bf16"], F32, I64)] == [F32, F32, F32, I64]


def test_positions_do_not_join_a_group_over_rows() -> None:
    assert [Reduce(monoid, (1,)).joins for monoid in (SUM, ARGMAX)] == [True, False]


def test_a_node_keeps_its_value_when_its_handle_gets_another(device: Device) -> None:
    node = build.binary(OPS["add"], leaf(upload(device, np.ones(3, "f4"))), 1.0)
    holder = build.handle(Handle, node)
    for factor in (2.0, 3.0):
        build.rebind(holder, build.binary(OPS["multiply"], holder._node, factor))
    assert evaluate(node).download().tolist() == [2, 2, 2]
    assert evaluate(holder._node).download().tolist() == [12, 12, 12]


def test_a_view_is_its_operand_through_another_layout(device: Device) -> None:
    host = np.arange(24, dtype="float32").reshape(4, 6)
    x = leaf(upload(device, host))
    turned = Layout((6, 4), (1, 6), 0)
    columns = View(turned, Movement("matrix_transpose", {}))
    node = new_node(columns, (x,), None, F32, (6, 4), device, 1)
    with no_launch():
        array = evaluate(node)
    assert x.array is not None and array.storage is x.array.storage
    assert np.array_equal(evaluate(build.unary(OPS["positive"], node)).download(), host.T)
    assert columns.expression(node, "v0") == "xp.matrix_transpose(v0)"
