"""Concatenations of values in memory: one launch for many, and none that changes what laziness promises."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device


def test_many_arrays_are_joined_by_one_launch_of_a_gpu(twin: Device) -> None:
    parts = [xp.full((3, 4), k, dtype=xp.int32, device=twin) for k in range(8)]
    xp.compute(*parts)
    with xp.record() as recording:
        xp.compute(xp.concat(parts))
    assert [event.kernel for event in recording] == (["join"] if twin.is_gpu else ["copy"] * 8)


def test_a_pending_part_is_computed_into_its_place(twin: Device) -> None:
    parts = [xp.full((3, 4), k, dtype=xp.int32, device=twin) for k in range(8)]
    xp.compute(*parts[:-1])
    hosts = [np.full((3, 4), k, "int32") for k in range(8)]
    assert_same(to_host(xp.concat([*parts[:-1], parts[-1] + 1])), np.concatenate([*hosts[:-1], hosts[-1] + 1]))


def test_a_joined_array_is_no_view_of_its_parts(twin: Device) -> None:
    parts = [xp.full((2, 4), k, dtype=xp.int32, device=twin) for k in range(5)]
    xp.compute(*parts)
    z = xp.stack(parts, axis=-1)
    parts[0][...] = 9
    assert int(xp.max(z)) == 4


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_many_pieces_are_joined_by_numpy_on_native(device: Device, name: str) -> None:
    hosts = [np.full((2, 3), k, "int16") for k in range(40)]
    parts = [xp.asarray(host) for host in hosts]
    with xp.record() as recording:
        found = getattr(xp, name)(parts)
    assert_same(to_host(found), (np.concatenate if name == "concat" else np.stack)(hosts))
    if device.loops is not None:
        assert [event.label for event in recording] == ["join by NumPy"]


def test_parts_that_are_not_contiguous_are_copied_once(twin: Device) -> None:
    x = xp.asarray(np.arange(60, dtype="int32").reshape(6, 10), device=twin)
    with xp.record() as recording:
        found = xp.concat([x[:, 1:3], x[:, 4:5], x[:, 7:]], axis=1)
        xp.compute(found)
    assert_same(to_host(found), np.delete(to_host(x), [0, 3, 5, 6], axis=1))
    if twin.is_gpu:
        assert [event.kernel for event in recording] == ["copy"] * 3
