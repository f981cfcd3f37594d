"""`python -m arrayapi_gpu prepare`: common kernels are compiled before programs ask for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu import prepare
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.state import clear

ROOT = Path(__file__).parents[1]
PRELUDE = "#define LANES 1\n"


def test_there_are_few_kernels_and_the_same_each_time() -> None:
    first = prepare.texts(PRELUDE, prepare.COMMON_DTYPES)
    assert first == prepare.texts(PRELUDE, prepare.COMMON_DTYPES)
    assert 100 < len(first) <= prepare.MOST_KERNELS and len({*first}) == len(first)


def test_a_program_finds_its_kernels_among_them(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    if device.loops is not None:
        pytest.skip("loops are compiled already")
    made = {*prepare.texts(device, ["float32"])}
    asked: list[tuple[str, str]] = []
    build = device.build

    def noted(source: str, name: str) -> Any:
        asked.append((source, name))
        return build(source, name)

    monkeypatch.setattr(device, "build", noted)
    clear()
    x, y = (xp.asarray(np.ones((1024, 64), np.float32), device=device, copy=True) for _ in range(2))
    xp.sync(xp.exp(x), x + y, xp.sum(x, axis=0), x * 2 + y)
    monkeypatch.undo()
    clear()
    assert asked and {*asked} <= made


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "arrayapi_gpu", "prepare", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )


def test_loops_need_nothing(native: Device, tmp_path: Path) -> None:
    if native.loops is None:
        pytest.skip("the package was built without loops")
    done = run("--device", "native", ARRAYAPI_GPU_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0 and "needs no kernels" in done.stdout


def test_without_cudas_compiler_it_says_so(tmp_path: Path) -> None:
    done = run("--arch", "sm_90", ARRAYAPI_GPU_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0 or "NVRTC" in done.stdout or "cupy" in done.stdout


@pytest.mark.nightly
def test_kernels_come_from_a_folder_that_is_only_read(device: Device, tmp_path: Path) -> None:
    if not str(device).startswith("opencl"):
        pytest.skip("it takes a minute on a driver of a CPU")
    image, own = tmp_path / "image", tmp_path / "own"
    done = run("--device", str(device), "--dtypes", "float32", ARRAYAPI_GPU_CACHE_DIR=str(image))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "" and done.stdout.count("kernels in") == 1 == len(done.stdout.splitlines())
    code = f"import arrayapi_gpu as xp; print(float(xp.sum(xp.exp(xp.zeros((1024, 64), device={str(device)!r})))))"
    environment = {"ARRAYAPI_GPU_CACHE_DIRS": str(image), "ARRAYAPI_GPU_CACHE_DIR": str(own)}
    out = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    assert out.stdout == "65536.0\n"
