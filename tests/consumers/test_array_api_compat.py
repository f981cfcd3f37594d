"""array-api-compat's helpers take our arrays and our namespace for those of the standard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

compat = pytest.importorskip("array_api_compat")

pytestmark = pytest.mark.usefixtures("device")

ARRAYS: dict[str, Callable[[], Any]] = {
    "matrix": lambda: xp.asarray(np.arange(6.0).reshape(2, 3)),
    "pending": lambda: xp.ones((2, 3)) * 2 + 1,
    "view": lambda: xp.asarray(np.arange(6))[::2],
    "zero dimensions": lambda: xp.asarray(True),
    "nothing": lambda: xp.zeros((0, 3), dtype=xp.int8),
    "read-only": lambda: xp.from_dlpack(_frozen()),
}


def _frozen() -> np.ndarray[Any, Any]:
    host = np.arange(4.0)
    host.flags.writeable = False
    return host


LIBRARIES = ["numpy", "cupy", "torch", "ndonnx", "dask", "jax", "pydata_sparse", "dpnp"]


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_one_of_the_standard(name: str) -> None:
    x = ARRAYS[name]()
    assert compat.is_array_api_obj(x)
    assert [library for library in LIBRARIES if getattr(compat, f"is_{library}_array")(x)] == []
    assert compat.is_writeable_array(x)
    assert not compat.is_lazy_array(x)


@pytest.mark.parametrize("name", ARRAYS)
def test_size_and_device(name: str, device: Device) -> None:
    x = ARRAYS[name]()
    assert compat.size(x) == x.size == len(x.tolist() if x.ndim == 1 else np.asarray(x).reshape(-1))
    assert compat.device(x) is device
    moved = compat.to_device(x, device)
    assert moved is x
    assert compat.to_device(x, str(device)).tolist() == x.tolist()
    with pytest.raises(ValueError, match="stream"):
        compat.to_device(x, device, stream=1)


def test_to_device_brings_arrays_to_every_device(device: Device) -> None:
    x = xp.arange(4)
    for other in xp.__array_namespace_info__().devices():
        y = compat.to_device(x, other)
        assert compat.device(y) is other and y.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("version", ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12", None])
def test_the_namespace_is_ours_in_every_revision(version: str | None) -> None:
    assert compat.array_namespace(xp.ones(2), api_version=version) is xp


TOGETHER: dict[str, Callable[[], tuple[Any, ...]]] = {
    "two": lambda: (xp.ones(2), xp.zeros((3, 1))),
    "numbers": lambda: (xp.ones(2), 1, 2.5, True, 1j),
    "None": lambda: (None, xp.ones(2), None),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_several_have_one_namespace(name: str) -> None:
    assert compat.array_namespace(*TOGETHER[name]()) is xp


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(TypeError, match="Multiple namespaces"):
        compat.array_namespace(xp.ones(2), np.ones(2))
    with pytest.raises(ValueError, match="does not have an array-api-compat wrapper"):
        compat.array_namespace(xp.ones(2), use_compat=True)
    with pytest.raises(ValueError):
        compat.array_namespace(xp.ones(2), api_version="1999.12")


def test_the_namespace_is_of_no_known_library() -> None:
    asked = [f"is_{library}_namespace" for library in [*LIBRARIES, "array_api_strict"]]
    assert [name for name in asked if getattr(compat, name)(xp)] == []
