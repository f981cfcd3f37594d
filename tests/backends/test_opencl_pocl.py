"""PoCL: its cache on disk, in which processes leave files half-written, and the repair of the processor's name."""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from arrayapi_gpu import backends
from arrayapi_gpu.backends import opencl_pocl
from arrayapi_gpu.backends.base import Device
from conformance import VARIABLES

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no PoCL")

CODE = (
    "import sys; import arrayapi_gpu as xp\n"
    "for name in sys.argv[1:]:\n"
    "    x = xp.arange(1000, dtype=xp.int32, device=name)\n"
    "    print(int(xp.sum(x * 2 + 1)))\n"
)


def compute(cache: Path, *devices: Device) -> subprocess.CompletedProcess[str]:
    """A process that uses the cache. It compiles its kernels before it ends, whatever tests/conftest.py sets here."""
    own = {"ARRAYAPI_GPU_CACHE_DIR": str(cache), "ARRAYAPI_GPU_TRIAL": "0"}
    environment = {**os.environ, **VARIABLES, **own}
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
