"""Bodies that write into raw arrays: what the kernel is given, and when it is not launched."""

from __future__ import annotations

import numpy as np
from support import assert_same, launches, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.user.user_functions import UserBody
from arrayapi_gpu.kernels.user.user_launch import Along, incoming_of, launch_body
from arrayapi_gpu.lazy.build.build import handle
from arrayapi_gpu.lazy.graph.graph import leaf
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import empty

FLOAT32, INT64 = np.dtype("float32"), np.dtype("int64")
BODY = UserBody(
    "spread", "y[i] = x * c; z += c", "", (("x", FLOAT32), ("c", FLOAT32), ("i", INT64)), (("y", FLOAT32),),
    (("z", FLOAT32),), (), True, ("y",),
)  # fmt: skip


def test_inputs_of_every_kind(twin: Device) -> None:
    host = np.arange(1000, dtype=np.float32)
    x, old = (evaluate(xp.asarray(values, device=twin)._node) for values in (host, host * 2))
    y, z = (empty(twin, FLOAT32, (1000,)) for _ in range(2))
    launch_body(twin, BODY, 1000, [x, 3.0, Along(1, 1000)], [old], [z], [y], False)
    assert_same(to_host(handle(xp.Array, leaf(y))), host * 3)
    assert_same(to_host(handle(xp.Array, leaf(z))), host * 2 + 3)


def test_a_body_that_adds_reads_the_old_values() -> None:
    assert incoming_of(BODY) == ("z",)


def test_nothing_is_launched_for_no_elements(device: Device) -> None:
    y = empty(device, FLOAT32, (3,))
    with launches() as made:
        launch_body(device, BODY, 0, [1.0, 1.0, Along(1, 1)], [None], [empty(device, FLOAT32, (0,))], [y], True)
    assert not made
