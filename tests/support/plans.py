"""A law: the launches of a value that is computed are those that `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.plan.plan import Graph, Plan
from arrayapi_gpu.lazy.plan.planner import Planner
from arrayapi_gpu.lazy.run import evaluate
from arrayapi_gpu.lazy.run.host_execution import interpreted
from arrayapi_gpu.memory.gpuarray import GpuArray


@contextmanager
def plans_compared() -> Iterator[None]:
    """Inside the block, plan each value that is computed a second time, as `explain` does; AssertionError at the end if
    a plan differs."""
    wrong = []
    computed_by = evaluate._computed_by

    def compared(node: Node, plan: Plan, graph: Graph) -> GpuArray:
        if (found := _launches(plan)) != (expected := _explained(node)):
            wrong.append((found, expected))
        return computed_by(node, plan, graph)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "_computed_by", compared)
        yield
    assert wrong == []


def _launches(plan: Plan) -> list[tuple[object, ...]]:
    """What identifies the launches of a plan."""
    return [(launch.kind, launch.key, len(launch.operands)) for launch in plan.launches]


def _explained(node: Node) -> list[tuple[object, ...]]:
    planner = Planner(first=interpreted)
    planner.compute(node)
    return _launches(planner.plan()[0])
