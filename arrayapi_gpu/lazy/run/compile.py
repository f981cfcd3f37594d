"""The first run of a launch, which compiles its kernel or finds it in the launch cache (`lazy.run.launches`)."""

from __future__ import annotations

from functools import partial

from ...memory.gpuarray import GpuArray
from ..graph.graph import Node
from ..plan.fuse import Group
from ..plan.plan import Bound
from .launchers import launcher_of, on_host
from .launches import launch
from .meanwhile import kernel_or_meanwhile


def launch_group(group: Group, node: Node, results: list[GpuArray]) -> Bound | None:
    """Compute a node, and the other values of its group, into ``results``. Return the launch if it may run again."""
    if not results[0].size:
        return None
    launcher = launcher_of(group, node, results)
    make = partial(kernel_or_meanwhile, group, node, results, launcher)
    operands = [*group.leaves, *group.memory]
    return launch(launcher[0], results, operands, group.scalars, make, partial(on_host, group, node, results))
