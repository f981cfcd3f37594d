"""`memory/gpuarray.py`: views of arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.build.build import handle
from arrayapi_gpu.lazy.graph.graph import leaf
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import GpuArray, adopt, empty, indices_of
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


# Views of an array that serve as an index; whether the check of one is noted; other views that then need no check.
SEEN: dict[str, tuple[Callable[[Any], Any], bool, list[Callable[[Any], Any]]]] = {
    "itself": (lambda x: x, True, [lambda x: x, lambda x: x[1:], lambda x: x.reshape((2, 3))]),
    "in another shape": (lambda x: x.reshape((3, 2)), True, [lambda x: x, lambda x: x[::-1]]),
    "a part": (lambda x: x[1:], False, []),
    "reversed": (lambda x: x[::-1], False, []),
    "twice": (lambda x: xp.broadcast_to(x, (2, 6)), False, []),
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_indices_are_checked_once_whatever_views_there_are(device: Device, name: str) -> None:
    see, noted, others = SEEN[name]
    x = xp.asarray(np.array([3, 0, 2, 1, 3, 2], "int64"), copy=True)
    index = see(x)
    values = xp.arange(4, dtype=xp.float32)
    to_host(values[index])
    assert indices_of(evaluate(index._node)) == (4 if noted else 0)
    for other in others:
        assert indices_of(evaluate(other(x)._node)) == 4
    assert indices_of(evaluate(x.view(xp.int32)._node)) == 0
    x[0] = 9
    assert indices_of(evaluate(x._node)) == 0
    with pytest.raises(IndexError):
        to_host(values[x])


def test_nothing_is_known_of_memory_that_others_see(device: Device) -> None:
    if device.is_gpu:
        pytest.skip("NumPy sees no memory of GPUs")
    x = xp.asarray(np.array([3, 0, 2, 1], "int64"), copy=True)
    values = xp.arange(4, dtype=xp.float32)
    to_host(values[x])
    host: Any = np.asarray(x, copy=False)
    assert indices_of(evaluate(x._node)) == 0
    to_host(values[x])  # a check while others see it
    host[1] = 7
    for _ in range(2):
        with pytest.raises(IndexError):
            to_host(values[x])
        host = None  # nobody sees it now


@pytest.mark.parametrize("how", ["an older view", "the flag"])
def test_nothing_is_known_of_memory_that_its_owner_does_not_write(device: Device, how: str) -> None:
    if device.is_gpu:
        pytest.skip("NumPy sees no memory of GPUs")
    host = np.array([3, 0, 2, 1], "int64")
    older = host[:]
    host.flags.writeable = False
    x = xp.asarray(host, copy=False)
    values = xp.arange(4, dtype=xp.float32)
    to_host(values[x])
    if how == "the flag":
        host.flags.writeable = True
    (host if how == "the flag" else older)[0] = 9
    with pytest.raises(IndexError):
        to_host(values[x])
