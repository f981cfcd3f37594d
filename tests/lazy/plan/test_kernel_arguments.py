"""The limit on a kernel's arguments, asked without any driver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.plan.fuse import Group, fuse
from arrayapi_gpu.lazy.plan.kernel_arguments import part_first
from arrayapi_gpu.lazy.plan.pushdown import Planned
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import GpuArray, Storage
from arrayapi_gpu.memory.layout import contiguous_strides

SHAPE = (4, 5)
ARRAY = 8 * (2 + len(SHAPE))  # bytes of arguments
MANY = 1 << 20


@pytest.fixture
def recorder() -> RecordingDevice:
    return RecordingDevice("recording:arguments", True)


def array(device: RecordingDevice) -> Node:
    buffer = device.pool.alloc(4 * int(np.prod(SHAPE)))
    return leaf(GpuArray(Storage(device, buffer), DTYPE_OF["f32"], SHAPE, contiguous_strides(SHAPE), 0))


def add(x: Any, y: Any) -> Node:
    return build.binary(OPS["add"], x, y)


def grouped(node: Node, device: RecordingDevice, arrays: int) -> Group:
    """The group of a node, made before the device takes only so many arrays."""
    device.parameter_bytes = MANY
    found = fuse(node, Planned())
    assert isinstance(found, Group)
    device.parameter_bytes = ARRAY * arrays + 8 * len(SHAPE) + 64
    return found


def chain(device: RecordingDevice, steps: int) -> list[Node]:
    values = [array(device)]
    for _ in range(steps):
        values.append(add(values[-1], array(device)))
    return values


def test_a_group_that_fits_stays_whole(recorder: RecordingDevice) -> None:
    assert part_first(grouped(chain(recorder, 30)[-1], recorder, 32)) is None


@pytest.mark.parametrize("steps", [40, 60, 90])
def test_the_first_part_of_a_chain_is_as_long_as_fits(recorder: RecordingDevice, steps: int) -> None:
    """It does not depend on the length of the chain."""
    values = chain(recorder, steps)
    ((part, reason),) = part_first(grouped(values[-1], recorder, 32)) or []
    assert part is values[30]  # 31 operands and one result
    assert "bytes of arguments" in reason


def test_what_others_need_on_the_way_is_written_by_the_same_launch(recorder: RecordingDevice) -> None:
    """Two chains: the second adds up the values of the first."""
    totals = chain(recorder, 50)
    others = [totals[0]]
    for total in totals[1:]:
        others.append(add(others[-1], total))
    found = part_first(grouped(others[-1], recorder, 32)) or []
    assert [node for node, _ in found] == [others[29], totals[29]]  # 30 operands and two results


def test_small_values_are_computed_again(recorder: RecordingDevice) -> None:
    """The sum of two arrays takes as many arguments as itself and one more."""
    small = add(array(recorder), array(recorder))
    node = small
    for _ in range(50):
        node = add(add(node, array(recorder)), small)
    ((part, _),) = part_first(grouped(node, recorder, 32)) or []
    assert part is not small
