"""`memory/gpuarray.py`: views of arrays."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.build.build import handle
from arrayapi_gpu.lazy.graph.graph import leaf
from arrayapi_gpu.memory.gpuarray import GpuArray, adopt, empty
from arrayapi_gpu.memory.layout import Layout, basic_index

ENDS = [None, -9, -4, -3, -1, 0, 1, 3, 4, 9]
SLICES = [slice(*ends) for ends in itertools.product(ENDS, ENDS, [None, 1, 2, -1, -3, 9])]
LAYOUTS = [
    Layout((4,), (1,), 0),
    Layout((4,), (-2,), 7),
    Layout((4,), (0,), 3),
    Layout((1,), (1,), 5),
    Layout((0,), (1,), 2),
    Layout((4, 3), (3, 1), 0),
    Layout((4, 3), (1, 4), 1),
    Layout((4, 0, 2), (2, 2, 1), 0),
    Layout((1, 3), (3, 1), 2),
]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_slice_of_rows_is_the_view_that_its_layout_says(layout: Layout, device: Device) -> None:
    whole = empty(device, np.dtype("float32"), (20,)).view(layout)
    for item in SLICES:
        got, want = whole.rows(item), whole.view(basic_index(layout, (item,)))
        assert facts(got) == facts(want), item
        assert got.storage is whole.storage


def facts(array: GpuArray) -> tuple[object, ...]:
    return array.layout, array.size, array.contiguous, array.dtype


def test_memory_that_is_only_read_is_adopted_without_a_copy(device: Device, host_shared: None) -> None:
    host = np.arange(100_000, dtype=np.float32)
    view = host[:]
    view.flags.writeable = False
    array = adopt(device, view, private=True)
    assert array is not None
    assert array.storage.readonly
    host[7] = 1e9  # what a kernel then sees tells whose memory it is
    assert float(xp.max(handle(xp.Array, leaf(array)))) == 1e9
