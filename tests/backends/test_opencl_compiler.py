"""The compiler of OpenCL: its options. Binaries on disk are tested in test_binaries.py."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from support.masked import masked

from arrayapi_gpu.backends.base import Device


@pytest.fixture
def opencl(device: Device) -> Any:
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    return device


def test_constants_are_single_where_the_device_is(opencl: Any) -> None:
    option = "-cl-single-precision-constant"
    assert (option in opencl._compiler.options) == ("f64" not in opencl.dtypes)
    assert option in masked(opencl, ("float64",))._compiler.options  # type: ignore[attr-defined]


def test_binaries_depend_on_driver_and_device(opencl: Any) -> None:
    """The same text has another binary after an update of the driver, and on another processor."""
    driver, _, device, *_ = opencl._compiler.identity
    assert opencl.driver_version in driver and device == opencl._device.name


def test_lines_have_the_numbers_of_their_texts_where_a_compiler_counts_all(opencl: Any) -> None:
    renumbered = importlib.import_module("arrayapi_gpu.backends.opencl_compiler").renumbered
    source = 'int a;\n#line 1 "preamble"\nint b;\n  # line  7 "body" // "hm"\nint c;\nint d;'
    said = "".join([f"<kernel>:{number}:2: error\n" for number in (3, 10, 12, 14, 15, 16)])
    places = ["<kernel>:3", "<kernel>:10", "preamble:1", "body:7", "body:8", "<kernel>:16"]
    assert renumbered(said, source, 10) == "".join([f"{place}:2: error\n" for place in places])


def test_keys_that_cannot_be_hashed_are_not_kept(opencl: Any) -> None:
    """pyopencl asks its place for the code of calls with the arguments of a kernel."""
    kept = importlib.import_module("arrayapi_gpu.backends.opencl_compiler")._Invokers()
    kept.store_if_not_present(["list"], 1)
    kept.store_if_not_present("name", 2)
    kept.store_if_not_present("name", 3)
    assert kept == {"name": 2} and kept["name"] == 2
    with pytest.raises(KeyError):
        kept[["list"]]
