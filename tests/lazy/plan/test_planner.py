"""The planner: which launches compute a value, before anything is launched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import needs_rows, no_launch, sample

import arrayapi_gpu as xp
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.operation import Kind
from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.plan.plan import NO_MEMORY, Operand, Plan
from arrayapi_gpu.lazy.plan.planner import Planner

pytestmark = pytest.mark.usefixtures("device")

K = Kind


def pair() -> tuple[xp.Array, xp.Array]:
    return tuple(xp.asarray(sample("float32", (6, 40), seed), copy=True) for seed in range(2))  # type: ignore[return-value]


def planned(x: xp.Array) -> Plan:
    """The plan of a value."""
    planner = Planner(siblings=())
    with no_launch():
        planner.compute(x._node)
    return planner.plan()[0]


PLANS: dict[str, tuple[Callable[[Any, Any], Any], list[Kind]]] = {
    "an expression": (lambda x, y: x * y + x, [K.ELEMENTWISE]),
    "a reduction": (lambda x, y: xp.sum(x * y), [K.REDUCTION]),
    "over rows": (lambda x, y: x - xp.max(x, axis=1, keepdims=True), [K.ROWS]),
    "two reductions": (lambda x, y: xp.sum(x - xp.sum(y, axis=0)), [K.REDUCTION, K.REDUCTION]),
    "a product of sums": (lambda x, y: (x + 1) @ (y + 1).T, [K.ELEMENTWISE, K.ELEMENTWISE, K.STEP]),
    "a sort within": (lambda x, y: xp.sort(x * 2) - y, [K.ELEMENTWISE, K.STEP, K.ELEMENTWISE]),
    "parts": (lambda x, y: xp.concat([x, y * 2]) + 1, [K.ELEMENTWISE, K.ELEMENTWISE]),
    "a part that is a step": (lambda x, y: xp.concat([x, xp.sort(y)]), [K.ELEMENTWISE, K.STEP, K.ELEMENTWISE]),
    "a view of a step": (lambda x, y: xp.sort(x)[1:], [K.STEP]),
    "nothing": (lambda x, y: x, []),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_kinds_of_launches(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "over rows":
        needs_rows()
    monkeypatch.setattr(tuning, "PARTS_FROM", (0, 0))
    make, kinds = PLANS[name]
    assert [launch.kind for launch in planned(make(*pair())).launches] == kinds


def test_launches_refer_to_memory_by_slots() -> None:
    x, y = pair()
    plan = planned(xp.sort(x + y) * x)
    first, sort, last = plan.launches
    assert first.operands == [Operand(2, 0), Operand(0, 0), Operand(1, 0)]
    assert sort.operands == [Operand(2, 0)]
    assert last.operands == [Operand(4, 0), Operand(3, 0), Operand(0, 0)]
    assert [launch.frees for launch in plan.launches] == [[1], [2], []]


def test_views_are_told_by_where_they_begin() -> None:
    x, _ = pair()
    plan = planned(x[2:] + x[:-2] + xp.arange(40, dtype=xp.float32))
    (launch,) = plan.launches
    assert NO_MEMORY in [slot for slot, _ in launch.operands]
    assert [slot for slot, _ in launch.operands if slot != NO_MEMORY] == launch.slots


def test_a_graph_with_a_known_key_has_a_plan_that_is_kept() -> None:
    class Known:
        def __init__(self, top: Node, *arrays: xp.Array):
            self.nodes, self.scalars = [top], [2.0]
            self.arrays: list[Any] = [array._node.array for array in arrays]

    x, y = pair()
    for arrays, kept in (((x, y), True), ((x,), False)):
        top = (x * y)._node
        planner = Planner(Known(top, *arrays), siblings=())
        planner.compute(top)
        plan, graph = planner.plan()
        assert plan.kept == kept and plan.nodes == [0] and len(graph.arrays) == 2


def test_a_step_keeps_no_memory() -> None:
    x, _ = pair()
    (launch,) = planned(xp.sort(x)).launches
    assert launch.work is not None
    (operand,) = launch.work.operands
    assert operand.slot == -1 and not hasattr(operand, "storage")


@pytest.mark.parametrize("times", [100_000])
def test_long_chains_are_planned_without_recursion(times: int) -> None:
    x = xp.asarray(np.arange(8.0)) + 0
    for _ in range(times):
        x = x[::-1]
    assert len(planned(x).launches) == 1
