"""The program that runs every kind of kernel under a tool: that it runs them, and what it takes for a complaint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import in_part

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from conformance import kernels


def test_every_form_is_for_some_dtype(device: Device) -> None:
    """Each row of the table is tried, and its name is its own."""
    found = dict(kernels.forms(device))
    for rows, _ in kernels.TABLE:
        for name, _, _ in rows:
            assert any(full.startswith(f"{name} ") for full in found), name


def test_forms_are_computed_without_a_pool(device: Device, capsys: pytest.CaptureFixture[str]) -> None:
    done, launches, failed = kernels.run(device, only="masked (17,)")
    assert not failed
    assert done == sum("masked (17,)" in name for name in kernels.jobs(device)) > 10
    assert launches >= done
    assert xp.config.pool


def test_parts_are_all(device: Device) -> None:
    """No computation is left out, and none is in two parts."""
    every = kernels.run(device, only="eye")[0]
    assert every == sum(kernels.run(device, (part, 3), "eye")[0] for part in range(3)) > 0


@pytest.mark.parametrize("part", in_part(range(120), 40))
def test_everything_is_computed(device: Device, part: int) -> None:
    """No computation fails: a tool sees nothing of those that do."""
    assert kernels.run(device, (part, 120))[2] == []


def test_what_fails_is_named_and_the_rest_is_computed(
    device: Device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing() -> None:
        raise ValueError("so")

    monkeypatch.setattr(kernels, "jobs", lambda device: {"one": failing, "two": lambda: xp.arange(5) + 1})
    assert kernels.main(["--device", str(device), "--quiet"]) == 1
    said = capsys.readouterr()
    assert "one: ValueError: so" in said.err
    assert "2 computations" in said.out
    assert "1 failed" in said.out


def test_operands_are_not_all_alike() -> None:
    """Masks select some, places go beyond one round, and arrays of one computation differ."""
    assert 0 < int(xp.count_nonzero(kernels.mask(1000))) < 1000
    assert np.unique(np.asarray(kernels.places(100, 40))).size == 40 > np.unique(np.asarray(kernels.places(5, 40))).size
    x, y = kernels._compute(lambda *arrays: arrays, np.dtype("float32"), ((9,), (9,)))
    assert not bool(xp.all(x == y))


CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
CLEAN_RACES = "========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"


@pytest.mark.parametrize(
    ("tool", "log", "lines"),
    [
        ("memcheck", CLEAN, 0),
        ("racecheck", CLEAN_RACES, 0),
        ("memcheck", CLEAN.replace("0 errors", "1 error"), 1),
        ("racecheck", CLEAN_RACES.replace("0 warnings", "2 warnings"), 1),
        ("memcheck", "========= Invalid __global__ read\n========= ERROR SUMMARY: 1 error", 2),
        ("initcheck", "", 1),
        ("oclgrind", "", 0),
        ("oclgrind", "Read-write data race at global memory address 0x1\n\tKernel: sum\n", 2),
    ],
)
def test_complaints(tool: str, log: str, lines: int) -> None:
    """A tool that has not said that there are no errors has found some."""
    assert len(kernels.complaints(tool, log)) == lines


@pytest.mark.parametrize("tool", [*kernels.SANITIZERS, "oclgrind"])
def test_a_tool_that_is_not_installed_is_named(
    tool: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert kernels.main(["--tool", tool]) == 2
    assert "is not installed" in capsys.readouterr().err
