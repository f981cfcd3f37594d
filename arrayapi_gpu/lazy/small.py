"""Selections of few elements, which NumPy makes on devices in the host's memory while the device rests.

A selection by a mask takes kernels three launches and a wait, and each has a shape of its own. Indices were checked
before, where all are (`api.indexing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..kernels import tuning
from ..kernels.on_host import HostArray, may_compute, noted, placed, seen
from ..memory.gpuarray import GpuArray
from ..memory.layout import size
from .graph import CONSTANT, Node
from .launches import unknown


def selects_few(node: Node, key: Sequence[Any]) -> bool:
    """Whether a key with arrays selects so few elements of a node that NumPy may do it. ``key``: without masks of no
    dimensions; its arrays are nodes, or NumPy's."""
    if not node.device.computes_on_host or not node.shape:
        return False
    most = 1
    for item in key:
        shape = getattr(item, "shape", None)
        if shape is not None:
            most = max(most, size(shape))
    return most <= tuning.ON_HOST and size(node.shape) <= tuning.ON_HOST and may_compute(node.device)


def taken(source: GpuArray, key: Sequence[Any]) -> GpuArray | None:
    """The elements that a key selects whose arrays are computed; None where these do not fit together."""
    device = source.storage.device
    device.wait()
    try:
        value = seen(source)[_items(key)]
    except IndexError:
        return None
    out = placed(device, source.dtype, value.shape, value)
    noted("gather", out)
    unknown()
    return out


def put(target: GpuArray, key: Sequence[Any], values: Node, evaluate: Callable[[Node], GpuArray]) -> bool:
    """Write values to the elements that a key selects whose arrays are computed; False where these, or the values, do
    not fit. Who reads the old elements has done so."""
    value = values.dtype.type(values.args[0]) if values.op is CONSTANT else seen(evaluate(values))
    target.storage.device.wait()
    memory = seen(target)
    if type(value) is np.ndarray and np.may_share_memory(memory, value):
        value = value.copy()
    try:
        memory[_items(key)] = value
    except (IndexError, ValueError):
        return False
    noted("scatter", target)
    unknown()
    return True


def _items(key: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([seen(item.array) if type(item) is Node else item for item in key])  # type: ignore[arg-type]


def on_host(node: Node) -> HostArray | None:
    """The elements of a small computed node as NumPy sees them; None where it may not, now."""
    array = node.array
    if array is None or not node.device.computes_on_host or array.size > tuning.ON_HOST:
        return None
    return seen(array) if may_compute(node.device) else None
