"""The cache of compiled kernels on disk: what is found again, what is not trusted, and many processes in one folder."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.processes import with_modules

from arrayapi_gpu.backends import binaries
from arrayapi_gpu.backends.base import Device, DeviceError, KernelBuildError
from arrayapi_gpu.config import config
from conformance import VARIABLES

ROOT = Path(__file__).parents[2]
KEY = binaries.key_of("a text", ("an option",))
IMAGE = bytes(range(256)) * 40
TWICE = "KERNEL void twice(GLOBAL M_i32* x) { x[GID] *= 2; }\n"

posix = pytest.mark.skipif(sys.platform == "win32", reason="files have neither owners nor modes there")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> Iterator[Path]:
    """An empty cache for each test."""
    with config.set(cache_dir=tmp_path):
        yield tmp_path / "binaries"


def kept(cache: Path) -> Path:
    """The file of a binary."""
    binaries.keep(KEY, IMAGE)
    (file,) = cache.iterdir()
    return file


def test_a_binary_is_found_again(cache: Path) -> None:
    assert binaries.load(KEY) is None
    binaries.keep(KEY, IMAGE)
    assert binaries.load(KEY) == IMAGE


def test_every_fact_makes_another_key() -> None:
    facts = [("a", "b"), ("ab", ""), ("a", "b", ""), ("a", ("b",)), ("a", 1), ("a", "1"), ("a", None)]
    assert len({binaries.key_of(*fact) for fact in facts}) == len(facts)


def test_nobody_else_may_read_a_file(cache: Path) -> None:
    assert kept(cache).stat().st_mode & 0o077 == 0 or sys.platform == "win32"


@pytest.mark.parametrize("damage", ["empty", "cut off", "changed", "longer", "no digest", "another's", "a folder"])
def test_a_damaged_file_counts_as_absent_and_is_written_anew(damage: str, cache: Path) -> None:
    file = kept(cache)
    content = file.read_bytes()
    changed = bytearray(content)
    changed[-1] ^= 1
    if damage == "another's":
        other = binaries.key_of("another text")
        binaries.keep(other, IMAGE)
        (cache / f"{other.hex()}.bin").replace(file)
    elif damage == "a folder":
        file.unlink()
        file.mkdir()
    else:
        pieces = {"empty": b"", "cut off": content[:-9], "changed": bytes(changed), "longer": content + b"x"}
        file.write_bytes(pieces.get(damage, IMAGE))
    assert binaries.load(KEY) is None
    binaries.keep(KEY, IMAGE)
    assert binaries.load(KEY) == (None if damage == "a folder" else IMAGE)


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_not_trusted(mode: int, cache: Path) -> None:
    file = kept(cache)
    file.chmod(mode)
    assert binaries.load(KEY) is None
    file.chmod(0o644)
    assert binaries.load(KEY) == IMAGE


@posix
def test_a_file_of_another_user_is_not_trusted(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = kept(cache)
    if (user := os.getuid()) == 0:
        os.chown(file, 12345, -1)
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert binaries.load(KEY) is None


@posix
def test_a_file_of_root_in_a_folder_that_is_only_read_is_used(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(cache)
    with config.set(cache_dir=str(tmp_path / "own"), cache_dirs=os.pathsep.join(["/nowhere", str(cache.parent)])):
        assert binaries.load(KEY) == IMAGE
        assert not (tmp_path / "own").exists()
        if os.getuid() == 0:
            monkeypatch.setattr(os, "getuid", lambda: 12345)
            assert binaries.load(KEY) == IMAGE


@posix
def test_a_pipe_in_place_of_a_file_is_not_waited_for(cache: Path) -> None:
    file = kept(cache)
    file.unlink()
    os.mkfifo(file)
    assert binaries.load(KEY) is None


@posix
def test_a_link_to_a_file_of_another_key_is_not_trusted(cache: Path) -> None:
    file = kept(cache)
    other = cache / f"{binaries.key_of('another text').hex()}.bin"
    other.symlink_to(file)
    assert binaries.load(binaries.key_of("another text")) is None


def test_a_folder_that_cannot_be_written_to_does_no_harm(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    with config.set(cache_dir=tmp_path / "file", debug=1):
        binaries.keep(KEY, IMAGE)
        assert binaries.load(KEY) is None
    assert "cannot be written to" in caplog.text


def test_without_the_cache_nothing_is_read_or_written(cache: Path) -> None:
    with config.set(cache=False):
        binaries.keep(KEY, IMAGE)
    assert not cache.exists()
    binaries.keep(KEY, IMAGE)
    with config.set(cache=False):
        assert binaries.load(KEY) is None


def test_the_folder_may_be_deleted_at_any_time(cache: Path) -> None:
    kept(cache).unlink()
    cache.rmdir()
    assert binaries.load(KEY) is None
    binaries.keep(KEY, IMAGE)
    assert binaries.load(KEY) == IMAGE


def test_beyond_the_limit_what_was_used_least_lately_goes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [binaries.key_of(number) for number in range(8)]
    for age, key in enumerate(keys):
        binaries.keep(key, IMAGE)
        os.utime(cache / f"{key.hex()}.bin", (0, 10**9 - age * 100 * binaries.DAY))
    assert binaries.load(keys[7]) == IMAGE  # the oldest, but used now
    monkeypatch.setattr(binaries, "MAX_BYTES", 8 * len(IMAGE))
    monkeypatch.setattr(binaries, "_written", 0)
    binaries.keep(binaries.key_of("one more"), IMAGE)
    assert [key for key in keys if binaries.load(key)] == [keys[0], keys[7]]
    assert binaries.load(binaries.key_of("one more")) == IMAGE
    assert sum(binaries.sizes()) <= binaries.MAX_BYTES // 2


def test_processes_and_threads_share_the_cache(cache: Path) -> None:
    """Whoever looks while others write finds whole files only."""
    code = (
        "import sys; from arrayapi_gpu.config import config; from arrayapi_gpu.backends import binaries\n"
        "config.set(cache_dir=sys.argv[1])\n"
        "for n in range(20): binaries.keep(b'key', bytes([n]) * 100_000)\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(cache.parent)], cwd=ROOT) for _ in range(3)]
    found = 0
    while any(writer.poll() is None for writer in writers):
        image = binaries.load(b"key")
        assert image is None or (len({*image}) == 1 and len(image) == 100_000)
        found += image is not None
    assert [writer.returncode for writer in writers] == [0, 0, 0] and found
    with ThreadPoolExecutor(4) as threads:
        [*threads.map(lambda n: binaries.keep(b"key", bytes([n]) * 100_000), range(20))]
    assert binaries.load(b"key") and {file.suffix for file in cache.iterdir()} == {".bin"}


# --- devices ---


def doubled(device: Device) -> list[int]:
    """What a kernel computes that is compiled, or loaded, now."""
    kernel = device.compile(TWICE, "twice")
    x = np.arange(16, dtype=np.int32)
    buffer = device.alloc(x.nbytes)
    device.upload(buffer, 0, x)
    device.launch(kernel, 1, 16, [buffer], b"")
    device.download(buffer, 0, x)
    return x.tolist()


EXPECTED = list(range(0, 32, 2))


def files(device: Device, cache: Path) -> dict[Path, bytes]:
    """What a device has put there."""
    if "Portable Computing Language" in device.description:
        pytest.skip("PoCL keeps its own cache")
    assert doubled(device) == EXPECTED
    return {file: file.read_bytes() for file in cache.iterdir()}


def test_a_device_loads_what_it_compiled(device: Device, cache: Path) -> None:
    before = files(device, cache)
    assert len(before) == 1
    assert doubled(device) == EXPECTED
    assert {file: file.read_bytes() for file in cache.iterdir()} == before


def test_a_damaged_binary_is_compiled_anew(device: Device, cache: Path) -> None:
    ((file, content),) = files(device, cache).items()
    file.write_bytes(content[: len(content) // 2])
    assert doubled(device) == EXPECTED
    assert file.stat().st_size == len(content)


def test_a_binary_that_the_driver_refuses_is_compiled_anew(device: Device, cache: Path) -> None:
    """A whole file of the right key, but not what this driver makes any more."""
    ((file, content),) = files(device, cache).items()
    key, image = bytes.fromhex(file.stem), b"no binary at all"
    file.write_bytes(hashlib.sha256(key + image).digest() + image)
    assert doubled(device) == EXPECTED
    assert file.stat().st_size == len(content)


def test_many_processes_start_with_one_empty_cache(device: Device, tmp_path: Path) -> None:
    code = (
        "import sys; import arrayapi_gpu as xp\n"
        "x = xp.arange(1000, dtype=xp.int32, device=sys.argv[1])\n"
        "print(int(xp.sum(x * 2 + 1)), int(xp.max(x[::2])))\n"
    )
    environment = {
        **os.environ, **VARIABLES,
        "ARRAYAPI_GPU_CACHE_DIR": str(tmp_path / "cache"), "POCL_CACHE_DIR": str(tmp_path / "pocl"),
    }  # fmt: skip
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(device)], cwd=ROOT, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(6)
    ]  # fmt: skip
    for process in processes:
        assert (*process.communicate(timeout=120), process.returncode) == ("1000000 998\n", "", 0)


def test_a_text_that_does_not_compile_is_not_kept(device: Device, cache: Path) -> None:
    with pytest.raises(KernelBuildError):
        device.compile("KERNEL void broken(GLOBAL M_f32* x) { nonsense }\n", "broken")
    assert not cache.exists() or not [*cache.iterdir()]


def test_pocl_builds_again_where_processes_delete_each_others_files(
    device: Device, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It fails without an error in its log then; see `backends.opencl`."""
    if "Portable Computing Language" not in device.description:
        pytest.skip("other drivers do not")
    error = importlib.import_module("pyopencl").RuntimeError("clBuildProgram failed: BUILD_PROGRAM_FAILURE")
    compiler: Any = importlib.import_module("arrayapi_gpu.backends.opencl_compiler").OpenCLCompiler
    build, failures = compiler._built, [error, error]

    def built(self: object, program: object, name: str) -> object:
        if failures:
            raise failures.pop()
        return build(self, program, name)

    monkeypatch.setattr(compiler, "_built", built)
    assert doubled(device) == EXPECTED
    failures[:] = [error] * 3
    with pytest.raises(KernelBuildError):
        doubled(device)


def test_pyopencl_asks_a_program_for_nothing_that_it_has_not(
    device: Device, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is raised in such a search is lost, and an interrupt may arrive there."""
    if not str(device).startswith("opencl"):
        pytest.skip("pyopencl is not used there")
    asked: list[str] = []

    def search(self: object, name: str) -> None:
        asked.append(name)
        raise AttributeError(name)

    monkeypatch.setattr(importlib.import_module("pyopencl").Program, "__getattr__", search)
    assert [doubled(device), doubled(device)] == [EXPECTED, EXPECTED]  # compiled, and loaded from disk
    assert not asked


def test_a_kernel_is_freed_with_its_last_reference(device: Device, cache: Path) -> None:
    """A kernel takes up to 2.6 MiB; one that is compiled and one that is loaded has no other owner than ours."""
    if not str(device).startswith("opencl"):
        pytest.skip("pyopencl is not used there")
    question = importlib.import_module("pyopencl").kernel_info.REFERENCE_COUNT
    for _ in range(2):
        assert device.compile(TWICE, "twice").handle.get_info(question) == 1


def test_a_driver_that_does_not_find_what_it_kept_is_named(
    device: Device, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is no error of this library's, and the message does not say so."""
    if not str(device).startswith("opencl"):
        pytest.skip("a driver that keeps nothing")
    error = importlib.import_module("pyopencl").LogicError("clCreateKernel failed: INVALID_KERNEL_NAME")

    def built(self: object, program: object, name: str) -> object:
        raise error

    compiler = importlib.import_module("arrayapi_gpu.backends.opencl_compiler").OpenCLCompiler
    monkeypatch.setattr(compiler, "_built", built)
    with pytest.raises(DeviceError, match=r"INVALID_KERNEL_NAME\. This is an error of the driver, .*delete") as caught:
        device.compile(TWICE, "twice")
    assert device.description in str(caught.value) and "arrayapi_gpu, not" not in str(caught.value)
    assert not isinstance(caught.value, KernelBuildError)


# --- no home folder ---

HOMELESS = """
import os, sys, pathlib
def refuse(): raise RuntimeError("Could not determine home directory.")
if sys.argv[1] == "patched": pathlib.Path.home = staticmethod(refuse)
from arrayapi_gpu.backends import binaries
from arrayapi_gpu.__main__ import main
print(binaries.folder(), binaries.sizes(), binaries.load(b"key"), binaries.keep(b"key", b"image"))
print("status", main())
import arrayapi_gpu as xp
print(float(xp.sum(xp.arange(10.0) * 2)))
"""


def homeless(*command: str) -> str:
    environment = {
        name: value for name, value in os.environ.items()
        if name not in ("HOME", "XDG_CACHE_HOME", "ARRAYAPI_GPU_CACHE_DIR", "POCL_CACHE_DIR")
    }  # fmt: skip
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_home_folder_there_is_no_cache() -> None:
    """Everything else works, and the report says so."""
    out = homeless(sys.executable, "-c", HOMELESS, "patched")
    assert out.startswith("None [] None None\n") and out.endswith("status 0\n90.0\n")
    assert "compiled kernels: not kept, there is no home directory" in out


@posix
def test_a_user_whom_the_system_does_not_know_has_no_cache() -> None:
    """As in a container that runs under a number: HOME is not set, and there is no line in /etc/passwd."""
    if os.getuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("takes root and setpriv")
    command = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", sys.executable]
    reachable = subprocess.run([*command, "-c", "import numpy"], cwd=ROOT, capture_output=True)
    if reachable.returncode:
        pytest.skip(f"that user cannot run {sys.executable}")
    out = homeless(*command, "-c", HOMELESS, "real")
    assert out.startswith("None [] None None\n") and out.endswith("status 0\n90.0\n")
    assert "compiled kernels: not kept, there is no home directory" in out


@pytest.mark.parametrize("place", ["a file", "below a file", "a folder"])
def test_a_kernel_needs_no_file_of_anybody(device: Device, tmp_path: Path, place: str) -> None:
    """Neither ours nor those of the packages below us, wherever the user's cache should be."""
    (tmp_path / "a file").touch()
    (tmp_path / "empty").mkdir()
    where = {"a file": "a file", "below a file": "a file/home", "a folder": "cache"}[place]
    environment = {
        **with_modules(ROOT), **VARIABLES,
        "XDG_CACHE_HOME": str(tmp_path / where), "HOME": str(tmp_path / "a file"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    code = "import sys, arrayapi_gpu as xp; print(int(xp.sum(xp.arange(10, device=sys.argv[1]) * 2)))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(device)], cwd=tmp_path / "empty", env=environment, text=True,
        capture_output=True, timeout=300,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == ("90\n", "", 0)
    assert not [*(tmp_path / "empty").iterdir()]
    if place == "a folder" and device.loops is None:  # loops compile nothing
        assert {folder.name for folder in (tmp_path / where).iterdir()} <= {"arrayapi_gpu", "pocl"}
