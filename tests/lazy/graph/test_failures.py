"""Values that cannot be computed any more."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device, DeviceError
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph.failures import lose, lost
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import empty


def pending(device: Device) -> Node:
    return build.binary(OPS["add"], leaf(empty(device, np.dtype("f4"), (3,))), 1.0)


def test_a_lost_value_raises_its_error_whenever_it_is_asked_for(device: Device) -> None:
    node = lost(DeviceError("gone"), np.dtype("f4"), (3,), device)
    for _ in range(2):
        with pytest.raises(DeviceError, match="gone"):
            evaluate(node)
    with pytest.raises(DeviceError, match="gone"):
        evaluate(build.binary(OPS["add"], node, 1.0))


def test_a_pending_value_may_be_lost(device: Device) -> None:
    node = pending(device)
    lose(node, ValueError("interrupted"))
    with pytest.raises(ValueError, match="interrupted"):
        evaluate(node)
