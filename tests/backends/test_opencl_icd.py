"""What the loader of OpenCL's drivers is shown: Intel's package, folders of the user, a place for PoCL's cache. And its
functions."""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config

pytest.importorskip("pyopencl")
opencl_icd: Any = importlib.import_module("arrayapi_gpu.backends.opencl_icd")

INVALID_ARG_INDEX = -49  # CL_INVALID_ARG_INDEX


@pytest.fixture
def vendors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """A system with one driver. What a loader would see is appended: names of files, contents."""
    system = tmp_path / "vendors"
    system.mkdir()
    (system / "nvidia.icd").write_text("libnvidia-opencl.so.1\n")
    (system / "notes.txt").write_text("not for the loader\n")
    seen: list[dict[str, str]] = []

    def look() -> list[object]:
        folder = os.environ.get(opencl_icd.VENDORS)
        files = Path(folder).iterdir() if folder else []
        seen.append({file.name: file.read_text() for file in files})
        return []

    monkeypatch.setattr(opencl_icd, "_SYSTEM", system)
    monkeypatch.setattr(opencl_icd, "_platforms", look)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sysconfig, "get_path", {"data": str(tmp_path / "data")}.__getitem__)
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "none"))
    monkeypatch.setattr("site.USER_BASE", None)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv(opencl_icd.VENDORS, raising=False)
    return seen


def install_intel(prefix: Path) -> Path:
    """Put an empty file where Intel's package has its library."""
    library = prefix / "lib" / "libintelocl.so"
    library.parent.mkdir(parents=True)
    library.touch()
    return library


def test_intel_is_shown_to_the_loader(tmp_path: Path, vendors: list[dict[str, str]]) -> None:
    """The loader sees the system's drivers and Intel's library, and nothing stays changed."""
    library = install_intel(tmp_path)
    assert opencl_icd.platforms() == []
    assert vendors == [{"nvidia.icd": "libnvidia-opencl.so.1\n", "intel-pip.icd": f"{library}\n"}]
    assert opencl_icd.VENDORS not in os.environ


@pytest.mark.parametrize("place", ["data", "user"])
def test_pip_may_have_another_prefix_than_python(
    place: str, tmp_path: Path, vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's has /usr/local, and one for a user."""
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "user"))
    library = install_intel(tmp_path / place)
    opencl_icd.platforms()
    assert vendors[0]["intel-pip.icd"] == f"{library}\n"


def test_without_intel_nothing_is_changed(vendors: list[dict[str, str]]) -> None:
    """No library, no variable."""
    opencl_icd.platforms()
    assert vendors == [{}]


def test_a_users_folder_is_respected(
    tmp_path: Path, vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """OCL_ICD_VENDORS, set by the user, is used as it is."""
    install_intel(tmp_path)
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.icd").write_text("libmine.so\n")
    monkeypatch.setenv(opencl_icd.VENDORS, str(own))
    opencl_icd.platforms()
    assert vendors == [{"mine.icd": "libmine.so\n"}]
    assert os.environ[opencl_icd.VENDORS] == str(own)


def test_a_users_folder_without_drivers_hides_those_of_the_system_alone(
    tmp_path: Path, vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for PoCL from pip, which is there whatever the variable says."""
    library = install_intel(tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv(opencl_icd.VENDORS, str(empty))
    opencl_icd.platforms()
    assert vendors == [{"intel-pip.icd": f"{library}\n"}]
    assert os.environ[opencl_icd.VENDORS] == str(empty)


def test_where_nothing_can_be_written_intel_is_not_shown(
    tmp_path: Path, vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loader still finds the system's drivers."""

    def refuse(**_: str) -> None:
        raise FileNotFoundError("No usable temporary directory")

    install_intel(tmp_path)
    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    opencl_icd.platforms()
    assert vendors == [{}]


@pytest.fixture
def told(vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What PoCL would read in POCL_CACHE_DIR while the loader looks is appended."""
    seen: list[str | None] = []

    def look() -> list[object]:
        seen.append(os.environ.get(opencl_icd.POCL_VARIABLE))
        return []

    monkeypatch.setattr(opencl_icd, "_platforms", look)
    monkeypatch.delenv(opencl_icd.POCL_VARIABLE, raising=False)
    return seen


def test_pocl_keeps_its_cache_in_a_folder_of_ours(
    tmp_path: Path, told: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in config.cache_dir, else in the user's cache; a place that the user has chosen stays."""
    with config.set(cache_dir=tmp_path):
        opencl_icd.platforms()
        monkeypatch.setenv(opencl_icd.POCL_VARIABLE, "elsewhere")
        assert opencl_icd.pocl_folder() is None
        opencl_icd.platforms()
    monkeypatch.delenv(opencl_icd.POCL_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    with config.set(cache_dir=None):
        opencl_icd.platforms()
    assert told == [str(tmp_path / "pocl"), "elsewhere", str(tmp_path / "user" / "arrayapi_gpu" / "pocl")]
    assert opencl_icd.POCL_VARIABLE not in os.environ


def test_where_nothing_can_be_kept_pocl_has_a_folder_of_the_process(tmp_path: Path) -> None:
    """It goes with the process, and with no child of its."""
    (tmp_path / "file").touch()
    code = (
        "import os\n"
        "from arrayapi_gpu.backends import opencl_icd\n"
        "place = opencl_icd.pocl_folder()\n"
        "place.mkdir()\n"
        "if os.fork() == 0: raise SystemExit\n"
        "os.wait()\n"
        "print(place, place.is_dir() and place == opencl_icd.pocl_folder())\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    environment.pop("ARRAYAPI_GPU_CACHE_DIR", None)
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout
    place, there = out.split()
    assert there == "True" and Path(place).parents[1] == tmp_path and not Path(place).parent.exists()


def test_the_library_of_a_driver_is_found(device: Device) -> None:
    """It is the file in whose memory the driver's functions lie, which has the name of the driver."""
    if not str(device).startswith("opencl") or not sys.platform.startswith("linux"):
        pytest.skip("other drivers than OpenCL's, on other systems than Linux, are not asked for")
    library = opencl_icd.library_of(device._device.platform)  # type: ignore[attr-defined]
    assert library is not None and library.is_file()
    for part, name in {"Portable": "libpocl", "Intel(R) OpenCL": "libintelocl", "NVIDIA": "nvidia"}.items():
        assert part not in device.description or name in library.name


def test_no_library_is_found_at_wild_addresses() -> None:
    """Memory that is not there gives no crash."""
    for address in (0, 8, 2**47 - 4096, 2**64 - 8, 2**64):
        assert opencl_icd.library_of(SimpleNamespace(int_ptr=address)) is None


@pytest.mark.skipif(sys.platform == "win32", reason="the names of an extension do not include those of others there")
def test_the_functions_of_the_loader_are_found(device: Device) -> None:
    """By their addresses, a kernel of pyopencl refuses an argument that it does not have."""
    if not str(device).startswith("opencl"):
        pytest.skip(f"{device} is none of OpenCL's")
    found = opencl_icd.launch_functions()
    assert found is not None
    argument = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p)(
        found[0]
    )
    kernel = device.compile("KERNEL void two(GLOBAL M_i32* out) { out[GID] = 2; }", "two")
    assert argument(kernel.handle.int_ptr, 1, 8, None) == INVALID_ARG_INDEX


@pytest.mark.parametrize("file", [np.random.mtrand.__file__, "no file"])
def test_functions_that_are_not_found(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Launches are then made in Python."""
    monkeypatch.setattr(opencl_icd, "cl", SimpleNamespace(_cl=SimpleNamespace(__file__=file)))
    assert opencl_icd.launch_functions.__wrapped__() is None
