"""How devices are found: drivers present and absent, names, forks, PoCL's repair, Intel's files."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from arrayapi_gpu import backends
from arrayapi_gpu.backends import opencl_icd, opencl_pocl
from arrayapi_gpu.backends.base import Device, NoDeviceError
from arrayapi_gpu.config import config

ROOT = Path(__file__).parents[2]


def run(code: str, **environment: str) -> str:
    """Run code in a new interpreter and return what it prints; a failure shows its traceback."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_touches_no_driver() -> None:
    """The back ends' package loads no driver library."""
    out = run("import arrayapi_gpu.backends, sys; print({'pyopencl', 'cupy_backends'} & {*sys.modules})")
    assert out == "set()\n"


@pytest.mark.parametrize(
    "setup, problem",
    [
        ("sys.modules['pyopencl'] = None", "pyopencl cannot be imported"),
        ("import pyopencl; pyopencl.get_platforms = lambda: []", "pyopencl finds no device"),
    ],
    ids=["no pyopencl", "no driver"],
)
def test_no_device(setup: str, problem: str) -> None:
    """Without pyopencl, or without a driver, the import works and first use says what to do."""
    out = run(
        f"import sys; sys.modules['cupy_backends'] = None\n{setup}\n"
        "import arrayapi_gpu.backends as b\n"
        "print(b.devices())\n"
        "for spec in (None, 'opencl', 'cuda:0'):\n"
        "    try: b.get_device(spec)\n"
        "    except b.NoDeviceError as error: print(error)\n"
    )
    first, *errors = out.splitlines()
    assert first == "()"
    assert len(errors) == 3
    for text in errors:
        assert problem in text and "cupy cannot be imported" in text
        assert "arrayapi_gpu[cuda12]" in text and "arrayapi_gpu[cuda13]" in text
        assert "arrayapi_gpu[pocl]" in text and "arrayapi_gpu[intel]" in text


def test_the_report_without_a_device() -> None:
    """`python -m arrayapi_gpu` still reports where there is no device, and fails."""
    code = (
        "import sys, runpy; sys.modules['pyopencl'] = sys.modules['cupy_backends'] = None\n"
        "try: runpy.run_module('arrayapi_gpu', run_name='__main__')\n"
        "except SystemExit as end: print(end.code)\n"
    )
    out = run(code)
    assert out.startswith("arrayapi_gpu ") and "no device" in out and out.endswith("\n1\n")


def test_the_report(device: Device) -> None:
    """`python -m arrayapi_gpu` describes each device and runs a kernel on it."""
    done = subprocess.run(
        [sys.executable, "-m", "arrayapi_gpu"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert device.description in done.stdout
    assert "(default)" in done.stdout
    assert "fails" not in done.stdout


def test_names(device: Device) -> None:
    """Both spellings, shorter names and the device itself are understood."""
    backend, first, *rest = device.name.split(":")
    assert backends.get_device(device) is device
    assert backends.get_device(device.name) is device
    assert backends.get_device(":".join([f"{backend}{first}", *rest])) is device
    assert f"{backends.get_device(f'{backend}{first}')}:".startswith(f"{backend}:{first}:")
    assert backends.get_device(backend) in backends.devices()


@pytest.mark.parametrize("spec", ["cuda:99", "cuda99", "cuda:0:0", "opencl:99", "opencl:0:99", "gpu"])
def test_absent_devices(spec: str, device: Device) -> None:
    """The name of a device that is not there gives those that are."""
    with pytest.raises(NoDeviceError, match=f"there are .*{device}"):
        backends.get_device(spec)


def test_what_is_no_name() -> None:
    """A string that cannot be a name is a ValueError, anything else a TypeError."""
    for spec in ("", "opencl:", "opencl:0:1:2", "OpenCL", "opencl:-1", "opencl 0"):
        with pytest.raises(ValueError, match="a name such as"):
            backends.get_device(spec)
    with pytest.raises(TypeError, match="got int"):
        backends.get_device(0)  # type: ignore[arg-type]


def test_default() -> None:
    """The default is the first device, of the best rank, unless the knob names another."""
    devices = backends.devices()
    with config.set(device=None):
        assert backends.get_device(None) is backends.default_device() is devices[0]
    assert devices[0].rank == min(device.rank for device in devices)
    with config.set(device=str(devices[-1])):
        assert backends.get_device(None) is devices[-1]
    with config.set(device="opencl:99"), pytest.raises(NoDeviceError):
        backends.get_device(None)


def test_default_from_the_environment() -> None:
    """ARRAYAPI_GPU_DEVICE names the default."""
    last = str(backends.devices()[-1])
    code = "import arrayapi_gpu.backends as b; print(b.get_device(None))"
    assert run(code, ARRAYAPI_GPU_DEVICE=last) == f"{last}\n"


FORK = """
import os, pickle
import numpy as np
from arrayapi_gpu import backends
device = backends.get_device(NAME)
kernel = device.compile("KERNEL void one(GLOBAL M_i32* x) { x[GID] += 1; }", "one")
buffer, host = device.alloc(256), np.zeros(64, np.int32)
device.upload(buffer, 0, host)
device.launch(kernel, 1, 64, [buffer], b"")
child = os.fork()
if child == 0:
    refused = 0
    for verb in (
        lambda: device.alloc(64), lambda: device.adopt(host),
        lambda: device.upload(buffer, 0, host), lambda: device.download(buffer, 0, host),
        lambda: device.copy(buffer, 0, buffer, 64, 64), lambda: device.compile("", "x"),
        lambda: device.launch(kernel, 1, 64, [buffer], b""), lambda: device.wait(),
        lambda: device.repeated(kernel, 1, 64, 1, b""),
        lambda: device.host_view(buffer), lambda: device.trim(),
        lambda: device.live_bytes, lambda: device.cached_bytes,
        lambda: backends.get_device(None).wait(),
    ):
        try:
            verb()
        except backends.base.DeviceError as error:
            refused += "before fork" in str(error) and "spawn" in str(error)
    same = pickle.loads(pickle.dumps(device)) is device and str(device) == NAME
    del buffer, kernel
    os._exit(0 if refused == 14 and same else 1)
print(os.waitpid(child, 0)[1])
device.launch(kernel, 1, 64, [buffer], b"")
device.download(buffer, 0, host)
print(set(host.tolist()))
"""


def test_fork(device: Device) -> None:
    """Every verb raises in the child and none hangs; the parent goes on."""
    assert run(f"NAME = {str(device)!r}\n{FORK}") == "0\n{2}\n"


def test_fork_before_first_use() -> None:
    """A child may find devices of its own if the parent has not."""
    code = (
        "import os, sys\n"
        "from arrayapi_gpu import backends\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    backends.get_device(None).alloc(64)\n"
        "    os._exit(0)\n"
        "print(os.waitpid(child, 0)[1])\n"
        "backends.get_device(None).alloc(64)\n"
    )
    assert run(code) == "0\n"


# Intel's package


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
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "none"))
    monkeypatch.setattr("site.USER_BASE", None)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv(opencl_icd.VENDORS, raising=False)
    return seen


def install_intel(prefix: Path) -> Path:
    """Put an empty file where Intel's package has its library."""
    library = prefix / "lib" / "libintelocl.so"
    library.parent.mkdir()
    library.touch()
    return library


def test_intel_is_shown_to_the_loader(tmp_path: Path, vendors: list[dict[str, str]]) -> None:
    """The loader sees the system's drivers and Intel's library, and nothing stays changed."""
    library = install_intel(tmp_path)
    assert opencl_icd.platforms() == []
    assert vendors == [{"nvidia.icd": "libnvidia-opencl.so.1\n", "intel-pip.icd": f"{library}\n"}]
    assert opencl_icd.VENDORS not in os.environ


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


def test_cache_folder(
    tmp_path: Path, vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """config.cache_dir holds PoCL's cache too, unless the user placed that elsewhere."""
    monkeypatch.setenv("POCL_CACHE_DIR", "elsewhere")
    with config.set(cache_dir=tmp_path):
        opencl_icd.platforms()
        assert os.environ["POCL_CACHE_DIR"] == "elsewhere"
        monkeypatch.delenv("POCL_CACHE_DIR")
        opencl_icd.platforms()
        assert os.environ["POCL_CACHE_DIR"] == str(tmp_path / "pocl")


# PoCL's repair

AVX512 = "avx512f avx512bw avx512cd avx512dq avx512vl avx avx2 fma"


@pytest.mark.parametrize(
    "flags, name",
    [
        (AVX512, "skylake-avx512"),
        (AVX512.replace("avx512vl", ""), "haswell"),
        ("avx avx2 fma", "haswell"),
        ("avx avx2", "sandybridge"),
        ("avx", "sandybridge"),
        ("sse4_2", "x86-64"),
    ],
)
def test_cpu_name(flags: str, name: str) -> None:
    """The name is the best one of which the CPU has all features."""
    assert opencl_pocl.cpu_name(f"processor : 0\nflags\t\t: fpu {flags} tsc\nbugs : x\n") == name


def test_cpu_name_of_an_unreadable_description() -> None:
    """Without flags the name is the one that every CPU deserves."""
    assert opencl_pocl.cpu_name("") == "x86-64"


def fake(version: str, name: str = "Portable Computing Language") -> SimpleNamespace:
    """What `is_generic` looks at."""
    platform = SimpleNamespace(name=name, version="OpenCL 3.0 PoCL 3.0-rc2  Linux, LLVM 14.0.6")
    return SimpleNamespace(platform=platform, version=version)


def test_is_generic() -> None:
    """Only a PoCL 3 whose CPU is generic is repaired."""
    generic = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-generic"
    assert opencl_pocl.is_generic(fake(generic))
    assert not opencl_pocl.is_generic(fake(generic.replace("generic", "haswell")))
    assert not opencl_pocl.is_generic(fake(generic.replace("x86_64", "aarch64")))
    assert not opencl_pocl.is_generic(fake(generic, "Another"))
    other = fake(generic)
    other.platform.version = "OpenCL 3.0 PoCL 6.0  Linux, LLVM 18"
    assert not opencl_pocl.is_generic(other)


needs_proc = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.uname().machine != "x86_64",
    reason="PoCL is repaired on Linux on x86-64 only",
)


class Structure:
    """Memory like PoCL's device structure: 128 words, some of which point to strings."""

    def __init__(self, *fields: bytes | int):
        self.words = (ctypes.c_uint64 * 128)()
        self._texts = [ctypes.create_string_buffer(f) for f in fields if isinstance(f, bytes)]
        addresses = iter(ctypes.addressof(text) for text in self._texts)
        for number, field in enumerate(fields):
            self.words[40 + number] = next(addresses) if isinstance(field, bytes) else field
        self.device = SimpleNamespace(int_ptr=ctypes.addressof(self.words))

    def text(self, word: int) -> bytes | None:
        """The string to which a word points."""
        return ctypes.c_char_p(self.words[word]).value


@needs_proc
def test_repair_puts_a_name_in_place() -> None:
    """The name after the triplet changes, nothing else; a second repair finds it again."""
    wild = [0, 1, 4096, 2**47 - 8, 2**63 + 7, 2**64 - 1]
    structure = Structure(*wild, b"generic", b"x86_64-unknown-linux-gnu", b"generic", b"generic")
    before = list(structure.words)
    name = opencl_pocl.repair(structure.device)
    assert name in {known for known, _ in opencl_pocl._NAMES}
    assert structure.text(48) == name.encode()
    changed = [i for i, word in enumerate(structure.words) if word != before[i]]
    assert changed == [48]
    assert opencl_pocl.repair(structure.device) == name


@needs_proc
def test_repair_leaves_other_layouts_alone() -> None:
    """Where the two strings do not lie together, or there is no memory, nothing is done."""
    for fields in (
        (b"generic", b"x86_64-unknown-linux-gnu"),
        (b"x86_64-unknown-linux-gnu", b"haswell-like", b"generic"),
        (b"x86_64-unknown-linux-gnu", 0, b"generic"),
    ):
        structure = Structure(*fields)
        before = list(structure.words)
        assert opencl_pocl.repair(structure.device) is None
        assert list(structure.words) == before
    for address in (0, 8, 2**47 - 4096, 2**64 - 8):
        assert opencl_pocl.repair(SimpleNamespace(int_ptr=address)) is None


def test_repair_needs_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems nothing is touched."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert opencl_pocl.repair(SimpleNamespace(int_ptr=0)) is None


def test_every_device_here_can_compile(device: Device) -> None:
    """No device is left with a compiler that refuses the CPU."""
    assert device.rank < 2
