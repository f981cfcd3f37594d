"""T14: whatever happens to the files of compiled kernels, no wrong kernel is run.

Files are cut off, changed, exchanged, given to other users or opened for them; folders cannot be written to; disks are
full; and processes are killed while they compile. Each time a kernel must compute right values afterwards. PoCL has a
cache of its own: of it, files are cut off, as a killed process or a full disk leaves them.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config

from .row import Budget, Outcome

ROOT = Path(__file__).parents[2]
PROCESSES = 2  # one of so many cases starts processes
EXPRESSIONS = 4  # that a process computes
TRIALS = 8  # one of so many processes tries its drivers first, which takes longer than all that it computes
PATIENCE = 600.0  # seconds in which a process ends, on a machine that has much else to do
FULL = 4096  # bytes that a file can have where the disk is "full"

PROGRAM = """
import sys
import numpy as np
import arrayapi_gpu as xp
from conformance.campaign.growth import distinct
hosts = [np.random.default_rng(n).normal(size=100).astype(np.float32) for n in range(2)]
x, y = (xp.asarray(host) for host in hosts)
print("begun", flush=True)
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    text = distinct(number)
    got = eval(text, {"xp": xp, "x": x, "y": y}).to_numpy()
    with np.errstate(all="ignore"):
        expected = eval(text, {"xp": np, "x": hosts[0], "y": hosts[1]})
    assert np.array_equal(got, expected, equal_nan=True), f"wrong values: {text}"
print("right", flush=True)
"""


def _cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: random.randrange(file.stat().st_size + 1)])


def _change(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    file.write_bytes(content)


def _foreign(file: Path) -> None:
    if os.getuid() == 0:
        os.chown(file, 65534, 65534)
    _change(file)


def _open_to_all(file: Path) -> None:
    file.chmod(0o666)
    _change(file)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut off": _cut_off,
    "empty": lambda file: file.write_text(""),
    "changed": _change,
    "a foreign owner": _foreign,
    "open to all": _open_to_all,
    "a folder": _folder,
    "a pipe": _pipe,
    "no file": lambda file: file.unlink(),
}


def tripled(device: Device, factor: int) -> bool:
    """Whether a kernel that is compiled, or loaded, now multiplies by ``factor``."""
    kernel = device.compile(f"KERNEL void times(GLOBAL M_i32* x) {{ x[GID] *= {factor}; }}\n", "times")
    x = np.arange(16, dtype=np.int32)
    expected = x * factor
    buffer = device.alloc(x.nbytes)
    device.upload(buffer, 0, x)
    device.launch(kernel, 1, 16, [buffer], b"")
    device.download(buffer, 0, x)
    return bool(np.array_equal(x, expected))


def damaged(device: Device, rng: np.random.Generator, folder: Path) -> str | None:
    """Compile two kernels, damage their files, and use the kernels again. Return what is wrong."""
    factors = [int(factor) for factor in rng.choice(10_000, 2, replace=False)]
    name = list(DAMAGE)[int(rng.integers(len(DAMAGE)))]
    with config.set(cache_dir=str(folder)):
        if not all([tripled(device, factor) for factor in factors]):
            return "a kernel that was compiled is wrong"
        files = [file for file in folder.rglob("*") if file.is_file()]
        if rng.random() < 0.2 and len(files) > 1:
            name = "exchanged"
            contents = [file.read_bytes() for file in files]
            for file, content in zip(files, contents[1:] + contents[:1], strict=True):
                file.write_bytes(content)
        elif rng.random() < 0.1:
            name = "a file in place of the folder"
            for file in files:
                file.unlink()
            (folder / "binaries").rmdir() if (folder / "binaries").is_dir() else None
            (folder / "binaries").touch()
        else:
            for file in files:
                DAMAGE[name](file)
        for factor in factors:
            if not tripled(device, factor):
                return f"a kernel is wrong where its file is {name}"
    return None


def _process(device: Device, folder: Path, first: int, full: bool = False) -> subprocess.Popen[str]:
    """Start a process that computes distinct expressions with caches in ``folder``."""
    environment = {
        **os.environ, "ARRAYAPI_GPU_DEVICE": str(device), "ARRAYAPI_GPU_CACHE_DIR": str(folder / "ours"),
        "XDG_CACHE_HOME": str(folder / "xdg"), "ARRAYAPI_GPU_TRIAL": str(int(first % TRIALS == 0)),
    }  # fmt: skip
    code = PROGRAM
    if full:
        code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({FULL}, {FULL}))\n" + code
    return subprocess.Popen(
        [sys.executable, "-c", code, str(first), str(first + EXPRESSIONS)], cwd=ROOT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def _ends(process: subprocess.Popen[str], what: str) -> str | None:
    """Wait for a process, and return what is wrong with how it ended."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"{what}: it hangs"
    if process.returncode or not out.endswith("right\n"):
        return f"{what}: exit status {process.returncode}: {out[-200:]}{err[-600:]}"
    return None


def killed(device: Device, rng: np.random.Generator, folder: Path) -> str | None:
    """Kill a process while it compiles, then compute the same with what it left. Return what is wrong."""
    first = int(rng.integers(10**6))
    process = _process(device, folder, first)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(float(rng.uniform(0, 1)))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return _ends(_process(device, folder, first), f"expressions {first} after a killed process")


def full_disk(device: Device, rng: np.random.Generator, folder: Path) -> str | None:
    """Compute where no file can be longer than a page, then with what that left. Return what is wrong."""
    first = int(rng.integers(10**6))
    ours_only = "Portable Computing Language" not in device.description  # PoCL cannot compile without a disk
    wrong = _ends(_process(device, folder, first, full=True), f"expressions {first} on a full disk")
    return (wrong if ours_only else None) or _ends(
        _process(device, folder, first), f"expressions {first} after a full disk"
    )


def cut_off(device: Device, rng: np.random.Generator, folder: Path) -> str | None:
    """Cut off files that a process left, its driver's too, as if it had been killed, and compute the same. Return what
    is wrong."""
    first = int(rng.integers(10**6))
    wrong = _ends(_process(device, folder, first), f"expressions {first}")
    if wrong:
        return wrong
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.stat().st_size)
    chosen = [file for file in files if rng.random() < 0.3]
    for file in chosen:
        content = file.read_bytes()
        file.write_bytes(content[: int(rng.integers(len(content)))])
    marks = folder / "ours" / "pocl-processes"  # of processes that use PoCL's cache: one has been killed
    marks.mkdir(parents=True, exist_ok=True)
    (marks / "1-killed").touch()
    what = f"expressions {first} after {len(chosen)} of {len(files)} files were cut off"
    return _ends(_process(device, folder, first), what)


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Damage files, kill processes, fill disks."""
    outcome = Outcome()
    counts = dict.fromkeys(("killed", "full disk", "cut off", "damaged"), 0)
    if sys.platform == "win32":
        outcome.notes.append("this system has neither owners nor modes of files")
        return outcome
    for number in budget:
        rng = np.random.default_rng([seed, number])
        random.seed(int(rng.integers(2**32)))
        way = "damaged" if number % PROCESSES else ("killed", "killed", "full disk", "cut off")[number // PROCESSES % 4]
        with tempfile.TemporaryDirectory(prefix="campaign-") as name:
            try:
                ways = {"damaged": damaged, "killed": killed, "full disk": full_disk, "cut off": cut_off}
                wrong = ways[way](device, rng, Path(name))
            except Exception as error:
                wrong = f"{type(error).__name__}: {error}"
        if wrong:
            outcome.fault(f"case {number}, {way}: {wrong}")
        counts[way] += 1
        outcome.done += 1
    outcome.notes.append(", ".join(f"{way}: {count}" for way, count in counts.items()))
    return outcome
