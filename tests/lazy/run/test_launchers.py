"""Launches of groups by kernels of a device, and their copies where a kernel cannot write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, needs_rows, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.operation import Kind
from arrayapi_gpu.kernels.reductions import rows
from arrayapi_gpu.lazy.plan.fuse import Group, fuse
from arrayapi_gpu.lazy.plan.pushdown import Planned
from arrayapi_gpu.lazy.run.compile import launch_group
from arrayapi_gpu.lazy.run.launchers import fresh
from arrayapi_gpu.memory.layout import Layout

A = sample("float32", (5, 40))


def group(x: xp.Array) -> Group:
    found = fuse(x._node, Planned())
    assert isinstance(found, Group)
    return found


def test_each_kind_of_group_is_launched(device: Device) -> None:
    needs_rows(device)
    x = xp.asarray(A, device=device)
    top = x - xp.max(x, axis=1, keepdims=True)
    for value, kind, expected in (
        (x * 2 + 1, Kind.ELEMENTWISE, A * 2 + 1),
        (xp.max(x * 2, axis=0), Kind.REDUCTION, (A * 2).max(0)),
        (top, Kind.ROWS, A - A.max(1, keepdims=True)),
        (xp.min(x - xp.max(x, axis=1, keepdims=True), axis=1), Kind.ROWS, (A - A.max(1, keepdims=True)).min(1)),
    ):
        found = group(value)
        out = fresh(device, value.dtype, value.shape)
        launch_group(found, value._node, [out])
        assert found.kind is kind
        assert_same(out.download(), expected)


def test_nothing_is_launched_for_no_elements(device: Device) -> None:
    x = xp.zeros((0, 3), device=device) + 1
    with xp.record() as launches:
        assert launch_group(group(x), x._node, [fresh(device, x.dtype, x.shape)]) is None
    assert launches == []


def test_rows_are_copied_to_where_their_kernel_cannot_write(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_rows(device)
    x = xp.asarray(A, device=device)
    top = x - xp.max(x, axis=1, keepdims=True)
    found, schedule, asked = group(top), rows.row_schedule, []

    def refused(shape: Any, axes: Any, layouts: Any, *rest: Any) -> Any:
        asked.append(layouts[0][1])
        return None if layouts[0][1] == (1, 5) else schedule(shape, axes, layouts, *rest)

    monkeypatch.setattr(rows, "row_schedule", refused)
    whole = fresh(device, top.dtype, (40, 5))
    out = whole.through(Layout((5, 40), (1, 5), 0))
    launch_group(found, top._node, [out])
    assert asked == [(1, 5), (40, 1)]
    assert_same(np.asarray(whole.download()).T, A - A.max(1, keepdims=True))


MOVED: dict[str, Callable[[Any], Any]] = {
    "flip": lambda x: xp.flip(x, axis=0),
    "an axis": lambda x: x[None],
    "every other": lambda x: x[:, ::2],
    "transpose": lambda x: xp.permute_dims(x, (1, 0)),
    "reshape": lambda x: xp.reshape(x, (-1, 3)),
    "broadcast": lambda x: xp.broadcast_to(x, (2, *x.shape)),
    "concat": lambda x: xp.concat([x, x + 1], axis=0),
}


@pytest.mark.parametrize("shape", [(1, 33), (5, 12), (12, 1), (1, 3)])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", MOVED)
def test_a_view_of_an_expression_over_rows_has_its_elements(
    device: Device, name: str, axis: int, shape: tuple[int, int]
) -> None:
    """The kernel over rows computes the elements at their places, which is no reduction of them."""
    x = xp.asarray(sample("float32", shape))

    def over_rows() -> Any:
        return x * xp.log1p(xp.sum(xp.exp(-x * x), axis=axis, keepdims=True))

    with xp.config.set(small_on_host=False):
        got = to_host(MOVED[name](over_rows()))
        with xp.config.set(fusion=False):
            expected = to_host(MOVED[name](over_rows()))
    assert_same(got, expected)
