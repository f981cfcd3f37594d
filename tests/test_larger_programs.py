"""Programs over more data than a device may hold give NumPy's values, in each of their ways."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support import run_on

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench import larger_programs
from bench.programs import larger
from bench.programs.larger import PROGRAMS, Larger, Size
from bench.programs.program import Inputs

pytestmark = pytest.mark.usefixtures("device")

IDS = [program.name for program in PROGRAMS]
LIMIT = 1 << 20  # bytes, less than the inputs or the results have
WORKSPACE = 4 << 20  # and of cuSOLVER


@pytest.fixture(autouse=True)
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels of few operations, which compile sooner."""
    monkeypatch.setattr(larger, "POINTS", 12)


@pytest.fixture
def little_memory(device: Device) -> Iterator[None]:
    xp.sync()
    device.trim()
    limit = device.pool.live + LIMIT + (WORKSPACE if device.name.startswith("cuda") else 0)
    with xp.config.set(memory_limit=limit):
        yield


def check(found: Inputs, program: Larger) -> None:
    expected = program.numpy(*program.inputs(program.small), program.small)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=program.tolerance, atol=program.tolerance * np.abs(other).max())


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_one_device_in_blocks(program: Larger, device: Device) -> None:
    check(program.blocks(*program.inputs(program.small), program.small, device), program)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_several_devices_in_one_program(program: Larger, device: Device) -> None:
    """With chunks of one size the bits do not depend on their number."""
    inputs = program.inputs(program.small)
    one, several = (program.devices(*inputs, program.small, [device] * number) for number in (1, 3))
    check(one, program)
    assert [a.tobytes() for a in one] == [b.tobytes() for b in several]


@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_dask(program: Larger) -> None:
    dask = pytest.importorskip("dask")
    pytest.importorskip("dask.array")
    found = []
    for scheduler in ("sync", "threads"):
        with dask.config.set(scheduler=scheduler):
            found.append(program.dask(*program.inputs(program.small), program.small))
    check(found[0], program)
    assert [a.tobytes() for a in found[0]] == [b.tobytes() for b in found[1]]


CUBED = """
import os, tempfile
os.environ["CUBED_BACKEND_ARRAY_API_MODULE"] = "arrayapi_gpu"
import cubed
import numpy as np
from bench.programs import larger
larger.POINTS = 12
for number, program in enumerate(larger.PROGRAMS):
    with tempfile.TemporaryDirectory() as folder:
        found = program.cubed(*program.inputs(program.small), program.small, cubed.Spec(folder, allowed_mem="100MB"))
    np.savez(f"{FOLDER}/{number}.npz", *found)
"""


@pytest.fixture(scope="module")
def by_cubed(device: Device, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the results of all programs, of a process of its own: cubed chooses when it is imported."""
    pytest.importorskip("cubed")
    folder = tmp_path_factory.mktemp("cubed")
    done = run_on(device, f"FOLDER = {str(folder)!r}\n{CUBED}")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("number", range(len(PROGRAMS)), ids=IDS)
def test_cubed(number: int, by_cubed: Path) -> None:
    with np.load(by_cubed / f"{number}.npz") as found:
        check(tuple(found[name] for name in found.files), PROGRAMS[number])


def test_chunks_cover_all_rows() -> None:
    size = Size(10, 1, 4)
    assert size.chunks() == [slice(0, 4), slice(4, 8), slice(8, 10)] and size.lengths() == (4, 4, 2)


def test_the_command_measures_and_saves(device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "larger.json"
    with xp.config.set(memory_limit=None):
        words = [
            "--only",
            "Monte Carlo|covariance",
            "--limit",
            "64 MiB",
            "--times",
            "0.25",
            "--samples",
            "10000",
            "--devices",
            str(device),
        ]
        larger_programs.main([*words, "--ways", "numpy", "blocks", "devices", "--output", str(file)])
    results = json.loads(file.read_text())["results"]
    assert list(results) == IDS[:2]
    for found in results.values():
        assert all(row["seconds"] > 0 for row in found["ways"].values())
        assert found["ways"]["devices"]["difference"] < 1e-3
    assert "covariance, 16,384 x 256" in capsys.readouterr().out
