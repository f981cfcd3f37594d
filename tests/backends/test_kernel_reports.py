"""Reports of kernels."""

from __future__ import annotations

import logging
import threading
import time
from contextvars import copy_context
from pathlib import Path

import pytest

from arrayapi_gpu import config
from arrayapi_gpu.backends import kernel_reports
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.kernel_reports import PATIENCE, asked_by, report_compilation, show_source, users_line
from arrayapi_gpu.backends.recording import RecordingDevice


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


def test_each_kernel_is_logged_with_seconds_and_line(caplog: pytest.LogCaptureFixture) -> None:
    report_compilation(RecordingDevice(), "add", 0.25)
    (line,) = caplog.records
    assert line.levelno == logging.INFO
    assert line.getMessage().startswith(f"recording:0:0: kernel add: 0.250 s, for {__file__}:")


@pytest.mark.parametrize(
    ("seconds", "age", "background", "advised"),
    [
        ([PATIENCE * 0.9], 1.0, False, False),  # few seconds
        ([PATIENCE * 0.9, 1.0], 1.0, False, True),
        ([PATIENCE * 0.9, 1.0, 9.0, 9.0], 1.0, False, True),  # once
        ([PATIENCE * 2], 1000.0, False, False),  # a program that runs for long
        ([PATIENCE * 9], 1.0, True, False),  # the program does not wait
    ],
)
def test_a_program_whose_first_seconds_go_to_compilers_is_advised_once(
    seconds: list[float],
    age: float,
    background: bool,
    advised: bool,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernel_reports, "_waited", 0.0)
    monkeypatch.setattr(kernel_reports, "_began", time.perf_counter() - age)

    def compile_all() -> None:
        if background:
            asked_by.set("script.py:3")
        for one in seconds:
            report_compilation(RecordingDevice(), "add", one)

    copy_context().run(compile_all)
    hints = [one for one in caplog.records if one.levelno == logging.WARNING]
    assert len(hints) == advised and all("prepare" in one.getMessage() for one in hints)
