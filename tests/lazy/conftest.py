"""A law for all tests of the lazy engine: what is launched is what `explain` would have shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.plan.plan import Graph, Plan
from arrayapi_gpu.lazy.plan.planner import Planner
from arrayapi_gpu.lazy.run import evaluate
from arrayapi_gpu.lazy.run.host_execution import interpreted
from arrayapi_gpu.memory.gpuarray import GpuArray


def launches_of(plan: Plan) -> list[tuple[object, ...]]:
    """What identifies the launches of a plan."""
    return [(launch.kind, launch.key, len(launch.operands)) for launch in plan.launches]


def planned_again(node: Node) -> list[tuple[object, ...]]:
    """What identifies the launches that `explain` shows."""
    planner = Planner(first=interpreted)
    planner.compute(node)
    return launches_of(planner.plan()[0])


@pytest.fixture(autouse=True)
def explained(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plan each value that is computed a second time, as `explain` does, and compare."""
    wrong = []
    computed_by = evaluate._computed_by

    def compared(node: Node, plan: Plan, graph: Graph) -> GpuArray:
        if (found := launches_of(plan)) != (expected := planned_again(node)):
            wrong.append((found, expected))
        return computed_by(node, plan, graph)

    monkeypatch.setattr(evaluate, "_computed_by", compared)
    yield
    assert wrong == []
