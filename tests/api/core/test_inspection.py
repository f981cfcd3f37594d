"""Inspection: what the namespace says of devices, dtypes and revisions of the standard."""

from __future__ import annotations

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.inspection import VERSIONS, check_version
from arrayapi_gpu.backends import register
from arrayapi_gpu.backends.base import SINGLE, Device
from arrayapi_gpu.backends.recording import RecordingDevice


def test_inspection_says_what_is_there(device: Device) -> None:
    info = xp.__array_namespace_info__()
    assert info.default_device() == device
    assert device in info.devices()
    assert isinstance(info.devices(), tuple)
    assert info.capabilities() == {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}
    defaults = info.default_dtypes(device=device)
    assert set(defaults) == {"real floating", "complex floating", "integral", "indexing"}
    for name, dtype in info.dtypes(device=device).items():
        assert dtype == getattr(xp, name)
        assert xp.zeros(2, dtype=dtype, device=device).dtype == dtype
    assert set(info.dtypes(kind=("bool", "unsigned integer"))) == {"bool", "uint8", "uint16", "uint32", "uint64"}
    with pytest.raises(ValueError, match="kind 'text'; allowed"):
        info.dtypes(kind="text")


@pytest.fixture(scope="module")
def single() -> Device:
    """A device without float64."""
    device = RecordingDevice("recording:8:1")
    device.dtypes = SINGLE
    register(device)
    return device


@pytest.mark.parametrize("kind", ["bool", "signed integer", "integral", "real floating", "complex floating", "numeric"])
def test_the_dtypes_of_a_kind_are_those_that_isdtype_knows(kind: str) -> None:
    info = xp.__array_namespace_info__()
    every = info.dtypes()
    assert info.dtypes(kind=kind) == {name: dtype for name, dtype in every.items() if xp.isdtype(dtype, kind)}
    assert set(info.dtypes(kind=kind)) < set(every)


def test_dtypes_outside_the_standard_are_not_listed() -> None:
    assert {"float16", "bfloat16"}.isdisjoint(xp.__array_namespace_info__().dtypes())


def test_a_device_without_float64_lists_none_and_has_smaller_defaults(single: Device) -> None:
    info = xp.__array_namespace_info__()
    assert {"float64", "complex128"}.isdisjoint(info.dtypes(device=single))
    assert info.default_dtypes(device=single) == {
        "real floating": np.dtype("float32"),
        "complex floating": np.dtype("complex64"),
        "integral": np.dtype("int64"),
        "indexing": np.dtype("int64"),
    }


@pytest.mark.parametrize("version", [None, *VERSIONS])
def test_revisions_that_are_followed_give_the_namespace(version: str | None) -> None:
    check_version(version)
    assert xp.ones(1).__array_namespace__(api_version=version) is xp


@pytest.mark.parametrize("version", ["2020.12", "2026.12", "", "latest"])
def test_other_revisions_are_refused_with_those_that_are_followed(version: str) -> None:
    with pytest.raises(ValueError, match=r"allowed: None, 2021\.12, 2022\.12, 2023\.12, 2024\.12, 2025\.12"):
        xp.ones(1).__array_namespace__(api_version=version)
