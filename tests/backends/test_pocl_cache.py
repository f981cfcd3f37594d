"""PoCL's cache on disk: what a process left half-written is found, and removed; two PoCLs share one folder."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arrayapi_gpu import backends
from arrayapi_gpu.backends import opencl_pocl
from arrayapi_gpu.backends.base import Device

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no PoCL")

CODE = (
    "import sys; import arrayapi_gpu as xp\n"
    "for name in sys.argv[1:]:\n"
    "    x = xp.arange(1000, dtype=xp.int32, device=name)\n"
    "    print(int(xp.sum(x * 2 + 1)))\n"
)


def compute(cache: Path, *devices: Device) -> subprocess.CompletedProcess[str]:
    """A process that uses the cache."""
    environment = {**os.environ, "ARRAYAPI_GPU_CACHE_DIR": str(cache), "ARRAYAPI_GPU_TRIAL": "0"}
    environment.pop("POCL_CACHE_DIR", None)
    command = [sys.executable, "-c", CODE, *map(str, devices)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


def needs_pocl(device: Device) -> None:
    if opencl_pocl.PLATFORM not in device.description:
        pytest.skip("other drivers have no such cache")


def files(cache: Path) -> list[Path]:
    """What holds code."""
    return sorted(file for file in (cache / "pocl").rglob("*") if file.suffix in opencl_pocl._FORMATS)


@pytest.fixture(scope="module")
def filled(device: Device, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the kernels of `CODE`."""
    needs_pocl(device)
    cache = tmp_path_factory.mktemp("filled")
    assert compute(cache, device).stdout == "1000000\n"
    assert {file.suffix for file in files(cache)} == {".bc", ".so"}
    return cache


def test_a_file_that_ends_early_is_known(device: Device, filled: Path, tmp_path: Path) -> None:
    """By its own head, wherever it ends."""
    for file in files(filled):
        content = file.read_bytes()
        assert opencl_pocl._is_whole(file)
        for length in (0, 1, 4, 63, 64, len(content) // 2, len(content) - 4, len(content) - 1):
            part = tmp_path / file.name
            part.write_bytes(content[:length])
            assert not opencl_pocl._is_whole(part), length
    assert opencl_pocl.clean(filled / "pocl") == 0


@pytest.mark.parametrize("length", ["nothing", "half"])
@pytest.mark.parametrize("suffix", [".bc", ".so"])
def test_what_a_killed_process_left_half_written_is_made_anew(
    suffix: str, length: str, device: Device, filled: Path, tmp_path: Path
) -> None:
    """PoCL itself would end the process, or find no kernel."""
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    victims = [file for file in files(cache) if file.suffix == suffix]
    for file in victims:
        os.truncate(file, 0 if length == "nothing" else file.stat().st_size // 2)
    (cache / "pocl-processes" / "4711-killed").touch()  # the mark of a process that did not end by itself
    done = compute(cache, device)
    assert (done.stdout, done.returncode) == ("1000000\n", 0), done.stderr
    assert all(opencl_pocl._is_whole(file) for file in victims)
    assert not [*(cache / "pocl-processes").iterdir()]


def test_an_empty_program_is_found_without_a_mark_too(device: Device, filled: Path, tmp_path: Path) -> None:
    """PoCL finds no kernel in it; the entry is removed, and the build tried again."""
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    for file in files(cache):
        if file.suffix == ".bc":
            os.truncate(file, 0)
    done = compute(cache, device)
    assert (done.stdout, done.returncode) == ("1000000\n", 0), done.stderr


def test_a_process_that_is_alive_keeps_its_mark(tmp_path: Path) -> None:
    """Another process does not take the mark of a living one for that of a killed one."""
    code = (
        "import sys; from pathlib import Path; from arrayapi_gpu.backends import opencl_pocl\n"
        "opencl_pocl.enter(Path(sys.argv[1]) / 'pocl')\n"
        "print('in', flush=True)\n"
        "sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    first, second = (
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)
    )
    for process in (first, second):
        assert process.stdout is not None and process.stdout.readline() == "in\n"
    marks = tmp_path / "pocl-processes"
    assert {mark.name.partition("-")[0] for mark in marks.iterdir()} == {str(first.pid), str(second.pid)}
    second.kill()
    second.communicate()
    first.communicate()
    assert [mark.name.partition("-")[0] for mark in marks.iterdir()] == [str(second.pid)]


def test_an_entry_that_is_whole_stays(device: Device, filled: Path, tmp_path: Path) -> None:
    """Of two programs, one of which was left half-written, one is compiled again."""
    cache = tmp_path / "cache"
    shutil.copytree(filled, cache)
    before = {file: file.stat().st_ino for file in files(cache)}
    victim = next(file for file in before if file.suffix == ".bc")
    os.truncate(victim, 5)
    assert opencl_pocl.clean(cache / "pocl") == 1
    left = {file: file.stat().st_ino for file in files(cache)}
    assert left == {file: inode for file, inode in before.items() if victim.parent not in file.parents}


def test_two_versions_of_pocl_share_a_folder_in_both_orders(tmp_path: Path) -> None:
    """Each makes entries of its own, and works beside the other in one process."""
    both = [device for device in backends.devices() if opencl_pocl.PLATFORM in device.description]
    if len(both) < 2:
        pytest.skip("there are no two versions of PoCL")
    for order in (both, both[::-1]):
        cache = tmp_path / str(order[0]).replace(":", "-")
        numbers = [0]
        for device in order:
            assert compute(cache, device).stdout == "1000000\n"
            numbers.append(len(files(cache)))
        assert all(more > less for less, more in itertools.pairwise(numbers))
        assert compute(cache, *order, *order).stdout == "1000000\n" * (2 * len(order))
        assert len(files(cache)) == numbers[-1]
