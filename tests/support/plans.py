"""A law: the launches of a value that is computed, or assigned, are those that `explain` shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.lazy.plan.fuse import Group
from arrayapi_gpu.lazy.plan.graph_key import Structure
from arrayapi_gpu.lazy.plan.plan import Bound, Graph, Plan
from arrayapi_gpu.lazy.plan.planner import Planner
from arrayapi_gpu.lazy.run import evaluate
from arrayapi_gpu.lazy.run.compile import launch_group
from arrayapi_gpu.lazy.run.host_execution import interpreted
from arrayapi_gpu.memory.gpuarray import GpuArray


@contextmanager
def plans_compared() -> Iterator[None]:
    """Inside the block, plan each value that is computed a second time, as `explain` does; AssertionError at the end if
    a plan differs."""
    wrong: list[Any] = []
    computed_by = evaluate._computed_by

    def compared(node: Node, plan: Plan, graph: Graph) -> GpuArray:
        if (found := _launches(plan)) != (expected := _explained(node, inner=_merged(plan, graph))):
            wrong.append((found, expected))
        return computed_by(node, plan, graph)

    def written(group: Group, node: Node, results: list[GpuArray]) -> Bound | None:
        """The launch of an assignment: all that it needs first is computed."""
        operands = len(results) + len(group.leaves) + len(group.memory)
        found = [(group.kind, tuple(group.key), operands)]
        if found != (expected := _explained(node, results[0])):
            wrong.append((found, expected))
        return launch_group(group, node, results)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "_computed_by", compared)
        patch.setattr(evaluate, "launch_group", written)
        yield
    assert wrong == []


def _launches(plan: Plan) -> list[tuple[object, ...]]:
    """What identifies the launches of a plan."""
    return [(launch.kind, launch.key, len(launch.operands)) for launch in plan.launches]


def _merged(plan: Plan, graph: Graph) -> list[Node]:
    """The products and the reductions that launches of a plan compute with what follows them."""
    if isinstance(graph, Structure):  # the plan was kept, for graphs with this key
        return graph.inner_nodes()
    works = [launch.work for launch in plan.launches]
    groups = [work.group for work in works if work is not None and work.group is not None]
    return [group.first.node for group in groups if group.first is not None]


def _explained(node: Node, out: GpuArray | None = None, inner: Sequence[Node] = ()) -> list[tuple[object, ...]]:
    planner = Planner(first=interpreted, siblings=None if out is None else ())
    planner.compute(node, out)
    planner.merge(inner)
    return _launches(planner.plan()[0])
