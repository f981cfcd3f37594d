"""`python -m arrayapi_gpu`: the report with and without a device."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import arrayapi_gpu
from arrayapi_gpu import __main__
from arrayapi_gpu.backends.base import Device

ROOT = Path(__file__).parents[1]


def test_the_report_without_a_device() -> None:
    """`python -m arrayapi_gpu` still reports where there is no device, and fails."""
    code = (
        "import sys, runpy; sys.modules['pyopencl'] = sys.modules['cupy_backends'] = None\n"
        "from arrayapi_gpu.backends import native; native.discover = lambda: []\n"
        "try: runpy.run_module('arrayapi_gpu', run_name='__main__')\n"
        "except SystemExit as end: print(end.code)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert out.startswith("arrayapi_gpu ") and "no device" in out and out.endswith("\n1\n")


def test_the_report(device: Device) -> None:
    """`python -m arrayapi_gpu` describes each device and runs a kernel on it."""
    done = subprocess.run([sys.executable, "-m", "arrayapi_gpu"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert device.description in done.stdout
    assert "(default)" in done.stdout
    assert "fails" not in done.stdout


def test_the_report_says_which_dtype_needs_a_package() -> None:
    code = "import sys, runpy; sys.modules['ml_dtypes'] = None; runpy.run_module('arrayapi_gpu', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert "dtypes: b8 bf16 (with ml_dtypes) c128" in done.stdout
    assert "ml_dtypes" in (arrayapi_gpu.__doc__ or "")


def test_the_report_ends_with_commands_that_run(device: Device) -> None:
    """Each line that begins with python; the last one compiles for minutes, so its help is asked for."""
    lines = [line.partition("  #")[0].strip() for line in __main__._NEXT.splitlines() if line.startswith("  ")]
    assert len(lines) == 3
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "python"
        arguments += ["--help"] if arguments[-1] == "prepare" else []
        done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout, (line, done.stderr)
    report = subprocess.run([sys.executable, "-m", "arrayapi_gpu"], cwd=ROOT, capture_output=True, text=True)
    assert report.stdout.endswith(f"{__main__._NEXT}\n")


def test_other_arguments_get_help() -> None:
    for argument, status in (("--help", 0), ("nothing", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "arrayapi_gpu", argument], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == status and "usage: python -m arrayapi_gpu" in done.stdout + done.stderr


@pytest.mark.usefixtures("device")
def test_a_reader_may_stop_reading() -> None:
    command = shlex.join([sys.executable, "-m", "arrayapi_gpu"])
    code = "import sys; sys.stdin.close()"
    done = subprocess.run(
        f"{command} | {shlex.join([sys.executable, '-c', code])}", shell=True, cwd=ROOT, capture_output=True, text=True
    )
    assert done.stderr == ""
