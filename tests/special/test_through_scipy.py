"""The functions of `special` that SciPy computes."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from support import apart_twin

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.special import through_scipy

pytestmark = pytest.mark.usefixtures("device")

CALLS: dict[str, tuple[Any, ...]] = {"lambertw": (np.array([0.5, 1.0, 2.0]), 0)}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_values_are_scipys(name: str) -> None:
    scipys = pytest.importorskip("scipy.special")
    operands = [xp.asarray(x) if isinstance(x, np.ndarray) else x for x in CALLS[name]]
    with xp.record() as made:
        got = getattr(xp.special, name)(*operands)
    assert [(one.kernel, one.library, one.copied) for one in made if one.library] == [
        (f"scipy.special.{name}", "SciPy", True)
    ]
    expected = getattr(scipys, name)(*CALLS[name])
    assert isinstance(got, xp.Array) and got.dtype == expected.dtype
    np.testing.assert_array_equal(got.to_numpy(), expected)


def test_every_function_is_called() -> None:
    assert CALLS.keys() == set(through_scipy.__all__)


def test_a_missing_scipy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(ImportError, match=r"special\.lambertw is computed by SciPy.*pip install scipy"):
        xp.special.lambertw(xp.ones(2), 0)


def test_transfers_may_be_forbidden() -> None:
    pytest.importorskip("scipy.special")
    with xp.config.set(host_transfers="error"), pytest.raises(TypeError, match=r"scipy\.special\.lambertw"):
        xp.special.lambertw(xp.ones(2), 0)


def test_operands_on_different_devices_are_refused(device: Device) -> None:
    pytest.importorskip("scipy.special")
    others = [apart_twin(device)] if device.host_shared else [each for each in devices() if each is not device]
    if not others:
        pytest.skip("there is one device")
    z, k = xp.asarray([1.0], device=device), xp.asarray([0], device=others[0])
    with pytest.raises(ValueError, match=r"lambertw: operands are on different devices"):
        xp.special.lambertw(z, k)


def test_lambertw_has_scipys_arguments() -> None:
    scipys = pytest.importorskip("scipy.special")
    z = np.array([-0.2, -0.1])
    for options in ({}, {"k": -1}, {"k": 1, "tol": 1e-6}):
        got = xp.special.lambertw(xp.asarray(z), **options)
        np.testing.assert_array_equal(got.to_numpy(), scipys.lambertw(z, **options))
