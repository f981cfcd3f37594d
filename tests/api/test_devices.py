"""Several devices in one program: copies between every two of them, and none by accident."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, lay_out, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device

PAIRS = [(a, b) for a in devices() for b in devices() if a is not b]

pytestmark = pytest.mark.skipif(not PAIRS, reason="there is one device only")


def ids(pair: Any) -> str:
    return str(pair)


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_arrive(dtype: str, layout: str, source: Device, target: Device) -> None:
    a = sample(dtype, (7, 9))
    for device in (source, target):
        if any(short not in device.dtypes for short in {"float64": ["f64"], "complex128": ["c128"]}.get(dtype, [])):
            pytest.skip(f"{device} has no {dtype}")
    x = lay_out(a, layout).to_device(source)
    y = x.to_device(target)
    assert (x.device, y.device) == (source, target)
    assert y.to_numpy().tobytes() == x.to_numpy().tobytes() == np.ascontiguousarray(a).tobytes()
    assert y.to_device(target) is y


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_nothing_of_nothing_arrives(source: Device, target: Device) -> None:
    assert xp.zeros((0, 3), device=source).to_device(target).shape == (0, 3)
    assert float(xp.asarray(2.5, device=source).to_device(target)) == 2.5


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_a_copy_keeps_its_place_among_what_is_queued(source: Device, target: Device) -> None:
    """It sees what was queued before, and neither later writes nor memory that is used again."""
    x = xp.asarray(np.zeros(1 << 20, np.float32), device=source)
    view = x[:]
    copies = []
    for turn in range(1, 20):
        view += 1
        copies.append((turn, view.to_device(target)))
        view += 1
        view -= 1
        other = xp.asarray(np.full(1 << 20, -1, np.float32), device=source)
        moved = (other * 2).to_device(target)
        del other
    assert all(float(xp.min(y)) == turn == float(xp.max(y)) for turn, y in copies)
    assert float(xp.max(moved)) == -2


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_devices_do_not_mix_by_accident(source: Device, target: Device) -> None:
    with pytest.raises(ValueError, match="device"):
        xp.ones(3, device=source) + xp.ones(3, device=target)
    with pytest.raises(ValueError, match="device"):
        xp.matmul(xp.ones((3, 3), device=source), xp.ones((3, 3), device=target))
