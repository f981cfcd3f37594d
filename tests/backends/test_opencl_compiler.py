"""The compiler of OpenCL: its options. Binaries on disk are tested in test_binaries.py."""

from __future__ import annotations

import importlib
import os
import warnings
from typing import Any

import pytest
from support.masked import masked

from arrayapi_gpu.backends.base import Device

cl = pytest.importorskip("pyopencl")


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


def test_a_build_leaves_the_filters_of_warnings_alone(opencl: Any) -> None:
    """They are the whole process's, and threads build in the background. Compilers say something of most programs."""
    text = "// %s\nKERNEL void silent(GLOBAL int* x, const Parameters p) { x[GID] = 1; }"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        before = warnings.filters, [*warnings.filters], warnings.showwarning
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(warnings, "catch_warnings", None)
            opencl.compile("typedef struct { int n; } Parameters;\n" + text % os.urandom(8).hex(), "silent")
        assert (warnings.filters, [*warnings.filters], warnings.showwarning) == before


def test_the_output_of_other_builds_is_still_warned_of(opencl: Any) -> None:
    opencl.compile("KERNEL void heard(GLOBAL int* x) { x[GID] = 2; }", "heard")
    with pytest.warns(cl.CompilerWarning):
        cl.compiler_output("a program of somebody else")
