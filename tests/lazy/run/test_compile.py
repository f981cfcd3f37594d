"""The first run of a launch: it is remembered from the second array of its signature on."""

from __future__ import annotations

import numpy as np
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.plan.fuse import Group, fuse
from arrayapi_gpu.lazy.plan.pushdown import Planned
from arrayapi_gpu.lazy.run.compile import launch_group
from arrayapi_gpu.lazy.run.launchers import fresh
from arrayapi_gpu.lazy.run.launches import known


def test_a_launch_that_may_run_again_is_returned(device: Device) -> None:
    x = xp.asarray(np.arange(12.0).reshape(3, 4), device=device)
    value = x * 3 - x
    found = fuse(value._node, Planned())
    assert isinstance(found, Group)
    outs = [fresh(device, value.dtype, value.shape) for _ in range(3)]
    bounds = [launch_group(found, value._node, [out]) for out in outs]
    assert bounds[2] is not None and bounds[2] in list(known.values())
    for out in outs:
        np.testing.assert_array_equal(out.download(), to_host(x) * 2)
