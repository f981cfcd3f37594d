"""How devices are found: drivers present and absent, names, forks, PoCL's repair, Intel's files."""

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import arrayapi_gpu as xp
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
        "    except b.NoDeviceError as error: print(str(error).replace('\\n', ' | '))\n"
    )
    first, *errors = out.splitlines()
    assert first == "()"
    assert len(errors) == 3
    for text in errors:
        assert problem in text and "cupy cannot be imported" in text


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


@pytest.mark.parametrize("spec", ["cuda:99", "cuda99", "cuda:0:0", "opencl:99", "opencl:0:99"])
def test_absent_devices(spec: str, device: Device) -> None:
    """The name of a device that is not there gives those that are."""
    with pytest.raises(NoDeviceError, match=f"there are .*{device}"):
        backends.get_device(spec)


@pytest.mark.parametrize("name", ["cpu", "gpu", "cuda", "opencl"])
def test_a_kind_means_its_first_device_wherever_a_device_is_named(name: str, device: Device) -> None:
    """The kinds are "cpu" and "gpu", and the back ends."""
    meant = [other for other in backends.devices() if name in (other.kind, str(other).partition(":")[0])]
    with config.set(device=name):
        if not meant:
            with pytest.raises(NoDeviceError, match=f"no device {name}: there are .*{device}"):
                xp.zeros(3)
            return
        assert xp.zeros(3).device is meant[0]
        assert xp.__array_namespace_info__().default_device() is meant[0]
    assert xp.asarray([1, 2], device=name).device is meant[0]
    assert xp.zeros(3, device=device).to_device(name).device is meant[0]
    info = xp.__array_namespace_info__()
    assert info.dtypes(device=name) == info.dtypes(device=meant[0])
    assert info.default_dtypes(device=name) == info.default_dtypes(device=meant[0])


CPU, POCL, CUDA = (f'pip install "arrayapi_gpu[{extra}]"' for extra in ("cpu", "pocl", "cuda13"))
CONDA = "conda install -c conda-forge pocl pyopencl"


@pytest.mark.parametrize(
    "system, machine, nvidia, failed, asked, command",
    [
        ("linux", "x86_64", False, "", "", CPU),
        ("win32", "AMD64", False, "", "opencl", CPU),
        ("linux", "aarch64", False, "", "cpu", CONDA),
        ("darwin", "arm64", False, "", "", CONDA),
        ("darwin", "x86_64", False, "", "", CONDA),
        ("linux", "x86_64", True, "", "", CUDA),
        ("linux", "x86_64", True, "", "gpu", CUDA),
        ("linux", "x86_64", True, "", "cuda:0", CUDA),
        ("linux", "x86_64", True, "", "cpu", CPU),
        ("linux", "x86_64", False, "", "gpu", None),
        ("linux", "x86_64", False, "a processor, Portable Computing Language 3.0", "", CPU),
        ("linux", "x86_64", False, "a processor, Intel(R) OpenCL 2026", "", POCL),
        ("win32", "AMD64", False, "a processor, Intel(R) OpenCL 2026", "", CONDA),
    ],
)
def test_the_error_begins_with_the_command_that_helps_on_this_machine(
    system: str, machine: str, nvidia: bool, failed: str, asked: str, command: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    unusable = SimpleNamespace(name="opencl:0:0", kind="cpu", description=failed, problem="ended by SIGABRT")
    monkeypatch.setattr(backends, "_present", (unusable,) if failed else ())
    monkeypatch.setattr(backends, "_devices", ())
    monkeypatch.setattr(backends, "_found", {})
    monkeypatch.setattr(backends, "_failures", {"cuda": "cupy is not there", "opencl": "pyopencl finds no device"})
    monkeypatch.setattr(backends, "_has_nvidia", lambda: nvidia)
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(NoDeviceError) as caught:
        backends._first(asked)
    first, *rest = str(caught.value).split("\n")
    if command is None:
        assert first.startswith(f"no device {asked}: ")
    else:
        assert first == command
        assert rest[0].startswith(f"no device {asked}".rstrip() + ": ")
    assert not failed or f"{unusable} cannot be used: ended by SIGABRT" in str(caught.value)


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
        lambda: device.compile("", "x"),
        lambda: device.launch(kernel, 1, 64, [buffer], b""), lambda: device.wait(),
        lambda: device.bind(kernel, 1, 64, 1, b""),
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
    os._exit(0 if refused == 13 and same else 1)
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


@pytest.fixture
def told(vendors: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What PoCL would read in POCL_CACHE_DIR while the loader looks is appended."""
    seen: list[str | None] = []

    def look() -> list[object]:
        seen.append(os.environ.get(opencl_icd.POCL_FOLDER))
        return []

    monkeypatch.setattr(opencl_icd, "_platforms", look)
    monkeypatch.delenv(opencl_icd.POCL_FOLDER, raising=False)
    return seen


def test_pocl_keeps_its_cache_in_a_folder_of_ours(
    tmp_path: Path, told: list[str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in config.cache_dir, else in the user's cache; a place that the user has chosen stays."""
    with config.set(cache_dir=tmp_path):
        opencl_icd.platforms()
        monkeypatch.setenv(opencl_icd.POCL_FOLDER, "elsewhere")
        assert opencl_icd.pocl_folder() is None
        opencl_icd.platforms()
    monkeypatch.delenv(opencl_icd.POCL_FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    with config.set(cache_dir=None):
        opencl_icd.platforms()
    assert told == [str(tmp_path / "pocl"), "elsewhere", str(tmp_path / "user" / "arrayapi_gpu" / "pocl")]
    assert opencl_icd.POCL_FOLDER not in os.environ


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


@pytest.mark.parametrize("home", ["writable", "a file", "unknown", "chosen"])
def test_cupy_has_a_folder_of_the_process_where_it_can_have_none_at_home(tmp_path: Path, home: str) -> None:
    """CuPy does not work without one. A place that the user has chosen stays."""
    (tmp_path / "a file").touch()
    code = (
        "import os, pathlib, sys\n"
        "def refuse(): raise RuntimeError('no home')\n"
        "if sys.argv[1] == 'unknown': pathlib.Path.home = staticmethod(refuse)\n"
        "import arrayapi_gpu.backends.cuda_library\n"
        "if os.fork() == 0: raise SystemExit\n"
        "os.wait()\n"
        "place = os.environ.get('CUPY_CACHE_DIR', '')\n"
        "print(place, os.path.isdir(os.path.dirname(place)))\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path / home), "TMPDIR": str(tmp_path)}
    environment.pop("CUPY_CACHE_DIR", None)
    if home == "chosen":
        environment["CUPY_CACHE_DIR"] = "chosen"
    out = subprocess.run(
        [sys.executable, "-c", code, home], env=environment, capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    if home == "writable":
        assert out == ["False"]
    elif home == "chosen":
        assert out == ["chosen", "False"]
    else:
        place = Path(out[0])
        assert out[1] == "True" and place.parents[1] == tmp_path and not place.parent.exists()


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


def test_order_of_drivers_on_the_cpu() -> None:
    """GPUs keep the loader's order; Intel's runtime is the first on the CPU, and the newer version of each."""
    order = importlib.import_module("arrayapi_gpu.backends.opencl")._preference
    pocl, intel = "Portable Computing Language", "Intel(R) OpenCL"
    found = [
        SimpleNamespace(kind=kind, platform=platform, driver_version=version)
        for kind, platform, version in [
            ("cpu", pocl, "3.0-rc2"), ("cpu", pocl, "3.1+debian"), ("gpu", "NVIDIA CUDA", "535.1"),
            ("cpu", pocl, "7.0"), ("cpu", "Another", ""), ("cpu", intel, "2024.1.0.3"), ("gpu", "NVIDIA CUDA", "580.2"),
            ("cpu", intel, "2026.22.10.0.01"), ("cpu", pocl, "10.1"),
        ]
    ]  # fmt: skip
    assert [device.driver_version for device in sorted(found, key=order)] == [
        "535.1", "580.2", "2026.22.10.0.01", "2024.1.0.3", "", "10.1", "7.0", "3.1+debian", "3.0-rc2",
    ]  # fmt: skip


# PoCL's repair: what Linux tells of processors, and what the LLVM 14 of pip's PoCL calls them


def cpuinfo(flags: str) -> str:
    """The beginning of /proc/cpuinfo."""
    return f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t: spectre_v1\n\nprocessor\t: 1\nflags\t\t: fpu\n"


HASWELL = "fpu sse sse2 ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c rdrand abm bmi1 avx2 bmi2 erms"
SKYLAKE_X = f"{HASWELL} avx512f avx512dq rdseed adx clflushopt clwb avx512cd avx512bw avx512vl"
ICE_LAKE = f"{SKYLAKE_X} avx512ifma sha_ni avx512vbmi avx512_vbmi2 gfni vaes vpclmulqdq avx512_vnni avx512_bitalg"
ZEN_2 = f"{HASWELL} cr8_legacy sse4a misalignsse 3dnowprefetch rdseed adx clflushopt clwb sha_ni wbnoinvd rdpid"
ZEN_3 = f"{ZEN_2} invpcid vaes vpclmulqdq pku ospke"
ZEN_4 = f"{ZEN_3} avx512f avx512dq avx512ifma avx512cd avx512bw avx512vl avx512_bf16 avx512vbmi avx512_vnni gfni"
ZEN_5 = f"{ZEN_4} avx_vnni movdiri movdir64b avx512_vp2intersect"
AVX512 = "skylake-avx512"


SANDY_BRIDGE = "fpu sse sse2 ssse3 cx16 sse4_1 sse4_2 popcnt aes xsave avx"
NEHALEM = "fpu sse sse2 ssse3 cx16 sse4_1 sse4_2 popcnt"
SAPPHIRE_RAPIDS = f"{ICE_LAKE} avx_vnni avx512_bf16 amx_bf16 avx512_fp16 amx_tile amx_int8"
ALDER_LAKE = f"{HASWELL} rdseed adx clflushopt clwb sha_ni avx_vnni gfni vaes vpclmulqdq serialize"

PROCESSORS = [
    ("AMD EPYC 7702 (Zen 2), family 23, model 49", ZEN_2, "znver2", None),
    ("AMD EPYC 7763 (Zen 3), family 25, model 1", ZEN_3, "znver3", None),
    ("AMD EPYC 9654 (Zen 4), family 25, model 17", ZEN_4, "znver3", AVX512),
    ("AMD Ryzen 9 7950X (Zen 4), family 25, model 97", ZEN_4, "znver3", AVX512),
    ("AMD EPYC 9755 (Zen 5), family 26, model 2", ZEN_5, "generic", AVX512),
    ("Intel Xeon Gold 6148 (Skylake-X), family 6, model 85", SKYLAKE_X, "skylake-avx512", None),
    ("Intel Xeon Gold 6248 (Cascade Lake), family 6, model 85", f"{SKYLAKE_X} avx512_vnni", "cascadelake", None),
    ("Intel Xeon Platinum 8380 (Ice Lake), family 6, model 106", ICE_LAKE, "icelake-server", None),
    ("Intel Xeon Platinum 8480 (Sapphire Rapids), family 6, model 143", SAPPHIRE_RAPIDS, "sapphirerapids", None),
    ("the same in a virtual machine, as model 167", SAPPHIRE_RAPIDS, "rocketlake", None),
    ("Intel Core i9-12900K (Alder Lake), family 6, model 151", ALDER_LAKE, "alderlake", None),
    ("the same with AVX-512, as its first firmware had it", f"{ICE_LAKE} avx_vnni", "alderlake", AVX512),
    ("Intel Core i9-14900K (Raptor Lake), family 6, model 183", ALDER_LAKE, "generic", "haswell"),
    ("Intel Core i7-4770 (Haswell), family 6, model 60", HASWELL, "haswell", None),
    ("Intel Core i7-2600 (Sandy Bridge), family 6, model 42", SANDY_BRIDGE, "sandybridge", None),
    ("Intel Xeon X5570 (Nehalem), family 6, model 26", NEHALEM, "nehalem", None),
    ("a name that the table does not have", SANDY_BRIDGE, "unheard-of", "sandybridge"),
    ("AVX-512 without all of Skylake's parts", ZEN_4.replace("avx512vl", ""), "znver3", "haswell"),
    ("a virtual machine that hides all", "fpu sse2", "x86-64", None),
    ("a virtual machine that hides all", "fpu sse2", "generic", "x86-64"),
    ("an unreadable description", "", "generic", "x86-64"),
]


@pytest.mark.parametrize("processor, flags, llvm, better", PROCESSORS, ids=[row[0] for row in PROCESSORS])
def test_a_name_gives_way_where_it_means_narrower_registers_than_the_features(
    processor: str, flags: str, llvm: str, better: str | None
) -> None:
    """LLVM's own name stays wherever it is wide enough for the built-in library that PoCL chooses."""
    assert opencl_pocl.replacement(llvm, opencl_pocl.features(cpuinfo(flags))) == better, processor


def fake(version: str, name: str = "Portable Computing Language") -> SimpleNamespace:
    """What `llvm_name` looks at."""
    platform = SimpleNamespace(name=name, version="OpenCL 3.0 PoCL 3.0-rc2  Linux, LLVM 14.0.6")
    return SimpleNamespace(platform=platform, version=version)


def test_llvm_name() -> None:
    """Only a PoCL 3 on x86-64 is looked at."""
    version = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-{}"
    for name in ("generic", "znver3", "skylake-avx512", "x86-64-v4"):
        assert opencl_pocl.llvm_name(fake(version.format(name))) == name
    version = version.format("znver3")
    assert opencl_pocl.llvm_name(fake(version.replace("x86_64", "aarch64"))) is None
    assert opencl_pocl.llvm_name(fake(version, "Another")) is None
    other = fake(version)
    other.platform.version = "OpenCL 3.0 PoCL 6.0  Linux, LLVM 18"
    assert opencl_pocl.llvm_name(other) is None


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


@pytest.fixture
def zen4(tmp_path: Path) -> Path:
    """What Linux tells of a Zen 4."""
    file = tmp_path / "cpuinfo"
    file.write_text(cpuinfo(ZEN_4))
    return file


@needs_proc
def test_repair_puts_a_name_in_place(zen4: Path) -> None:
    """The name after the triplet changes, nothing else; a second repair finds it again."""
    wild = [0, 1, 4096, 2**47 - 8, 2**63 + 7, 2**64 - 1]
    structure = Structure(*wild, b"znver3", b"x86_64-unknown-linux-gnu", b"znver3", b"znver3")
    before = list(structure.words)
    assert opencl_pocl.repair(structure.device, "znver3", zen4) == AVX512
    assert structure.text(48) == AVX512.encode()
    changed = [i for i, word in enumerate(structure.words) if word != before[i]]
    assert changed == [48]
    assert opencl_pocl.repair(structure.device, "znver3", zen4) == AVX512


@needs_proc
def test_repair_leaves_a_right_name_alone(zen4: Path) -> None:
    structure = Structure(b"x86_64-unknown-linux-gnu", b"rocketlake")
    assert opencl_pocl.repair(structure.device, "rocketlake", zen4) is None
    assert structure.text(41) == b"rocketlake"


@needs_proc
def test_repair_leaves_other_layouts_alone(zen4: Path) -> None:
    """Where the two strings do not lie together, or there is no memory, nothing is done."""
    for fields in (
        (b"generic", b"x86_64-unknown-linux-gnu"),
        (b"x86_64-unknown-linux-gnu", b"haswell-like", b"generic"),
        (b"x86_64-unknown-linux-gnu", 0, b"generic"),
    ):
        structure = Structure(*fields)
        before = list(structure.words)
        assert opencl_pocl.repair(structure.device, "generic", zen4) == ""
        assert list(structure.words) == before
    for address in (0, 8, 2**47 - 4096, 2**64 - 8):
        assert opencl_pocl.repair(SimpleNamespace(int_ptr=address), "generic", zen4) == ""


def test_repair_needs_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems nothing is touched."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert opencl_pocl.repair(SimpleNamespace(int_ptr=0), "generic") is None


def test_every_device_here_can_compile(device: Device) -> None:
    """No device is left with a compiler that refuses the CPU."""
    assert device.rank < 2 and device.problem is None
