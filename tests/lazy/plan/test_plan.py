"""Plans as data."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.operation import Kind
from arrayapi_gpu.lazy.plan.plan import Bound, Launch, Operand, Plan, Promised
from arrayapi_gpu.memory.gpuarray import signature_of
from arrayapi_gpu.memory.layout import Layout

F32 = np.dtype("float32")
DEVICE = RecordingDevice("recording:plan")
SIGNATURE = signature_of(DEVICE, F32, (4,))
BOUND = Bound(cast(Any, SimpleNamespace(run=None)), SIGNATURE, False)


def launch(operands: list[Operand], scalars: list[int], bound: Bound | None = BOUND) -> Launch:
    made = Launch(Kind.ELEMENTWISE, (), DEVICE, [SIGNATURE], None)
    made.operands, made.scalars, made.settles, made.bound = operands, scalars, [(0, 2)], bound
    return made


def plan(*launches: Launch, nodes: tuple[int, ...] = (0,)) -> Plan:
    return Plan([*launches], [*nodes], [], True, [])


def test_a_promised_array_has_the_shape_and_strides_of_its_layout() -> None:
    array = Promised(3, F32, Layout((2, 3), (3, 1), 0))
    assert (array.shape, array.strides, array.shifts) == ((2, 3), (3, 1), None)
    turned = array.through(Layout((3, 2), (1, 3), 0))
    assert (turned.slot, turned.shape, turned.strides) == (3, (3, 2), (1, 3))
    assert array.rolled((1, 0)).shifts == (1, 0)


def test_a_plan_of_one_launch_over_its_arrays_and_scalars_is_that_launch() -> None:
    operands = [Operand(2, 0), Operand(0, 0), Operand(1, 0)]
    assert plan(launch(operands, [0])).only(2, 1) is BOUND


def test_a_plan_is_more_than_its_launch_where_anything_differs() -> None:
    operands = [Operand(2, 0), Operand(0, 0), Operand(1, 0)]
    assert plan(launch(operands, [0]), launch(operands, [0])).only(2, 1) is None
    assert plan(launch(operands, [0]), nodes=(1,)).only(2, 1) is None
    assert plan(launch(operands, [0, 0])).only(2, 1) is None
    assert plan(launch([operands[0], operands[1], Operand(1, 4)], [0])).only(2, 1) is None
    assert plan(launch(operands, [0])).only(3, 1) is None
    assert plan(launch([operands[0], operands[1], Operand(-1, 0)], [0])).only(2, 1) is None
    assert plan(launch(operands, [0], None)).only(2, 1) is None


def test_a_launch_may_take_the_arrays_in_any_order_and_repeatedly() -> None:
    out, one, other = Operand(2, 0), Operand(0, 0), Operand(1, 0)
    for operands, order in (([out, other, one], (1, 0)), ([out, one, other, one], (0, 1, 0)), ([out, other], (1,))):
        found = plan(launch(operands, [0])).only(2, 1)
        assert found is not None and (found.order, found.kernel) == (order, BOUND.kernel)
