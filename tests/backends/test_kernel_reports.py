"""Reports of kernels."""

from __future__ import annotations

import threading
from contextvars import copy_context
from pathlib import Path

import pytest

from arrayapi_gpu import config
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.kernel_reports import asked_by, show_source, users_line


def test_the_users_line_is_outside_the_library() -> None:
    assert users_line().startswith(f"{__file__}:")


def test_a_job_has_the_line_of_the_program_that_asked() -> None:
    found: list[str] = []

    def job() -> None:
        asked_by.set("script.py:3")
        found.append(users_line())

    thread = threading.Thread(target=copy_context().run, args=(job,))
    thread.start()
    thread.join()
    assert found == ["script.py:3"] and users_line() != "script.py:3"


def test_source_is_written_with_the_prelude(device: Device, tmp_path: Path) -> None:
    with config.set(dump=tmp_path / "kernels"):
        show_source(device, "void f(void) {}\n", "f")
    (file,) = (tmp_path / "kernels").iterdir()
    assert file.name.endswith(f"-f.{device.extension}")
    assert file.read_text("utf-8") == device.prelude + "void f(void) {}\n"


def test_a_folder_that_cannot_be_made_is_an_error_with_its_row(device: Device, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with config.set(dump=tmp_path / "file"), pytest.raises(OSError, match=r"config\.dump .*ARRAYAPI_GPU_DUMP"):
        show_source(device, "", "f")
