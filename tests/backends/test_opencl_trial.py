"""The trial of drivers on the CPU: who has one, what comes of each end that it can have, and that there is one only."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import backends
from arrayapi_gpu.backends import opencl_trial
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config

ROOT = Path(__file__).parents[2]
BEGIN = f"import os, signal, sys, time; print({opencl_trial._BEGUN!r}, flush=True); "

posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are not ended by signals there")

DEVICE: Any = SimpleNamespace(name="opencl:9:9", description="a driver that nobody has")

Child = Callable[[str], None]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path) -> Iterator[Path]:
    """An empty cache for each test, and trials are on."""
    with config.set(cache_dir=tmp_path / "cache", trial=True):
        yield tmp_path / "cache"


@pytest.fixture
def started(tmp_path: Path) -> Path:
    """A file to which every child of `child` adds a byte."""
    file = tmp_path / "started"
    file.touch()
    return file


@pytest.fixture
def child(started: Path, monkeypatch: pytest.MonkeyPatch) -> Child:
    """Replaces what the child does by other Python code."""

    def replace(code: str) -> None:
        counted = f"open({str(started)!r}, 'a').write('x'); {code}"
        monkeypatch.setattr(opencl_trial, "command", lambda device: [sys.executable, "-c", counted])

    return replace


def problem(identity: object = None) -> str | None:
    return opencl_trial.problem(DEVICE, None, identity)


def children(started: Path) -> int:
    return len(started.read_text())


# What the child computes


def test_each_device_passes(device: Device) -> None:
    """A real child compiles and runs the kernel; nothing is left in the user's cache but the verdict."""
    if device.kind != "cpu" or not str(device).startswith("opencl"):
        pytest.skip("drivers of CPUs alone have a trial")
    assert opencl_trial.problem(device, None, None) is None


def test_numbers_are_exact_in_every_order() -> None:
    """No sum rounds, so a driver may add as it likes: all values are whole and small enough for their dtype."""
    for _, name in opencl_trial._DTYPES:
        a, b = opencl_trial.operands(name)
        values, sums = opencl_trial.expected(a, b)
        assert values.dtype == sums.dtype == a.dtype == np.dtype(name)
        if values.dtype.kind in "fc":
            parts = np.stack([values.real, values.imag])
            bound = 1 / np.finfo(name).eps
            assert (parts == np.rint(parts)).all() and np.abs(parts).reshape(2, 4, -1).sum(axis=2).max() <= bound
        assert len(set(values.tolist())) > 1 + (name != "bool")


@posix
def test_wrong_values_are_found(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a driver that computes something else; here the text is another."""
    if device.kind != "cpu" or device.name == "native":
        pytest.skip("drivers of CPUs alone have a trial")
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from arrayapi_gpu.backends import opencl_trial as trial\n"
        "text = trial._text()\n"
        "trial._text = lambda: text.replace('FMA(x, y, SQRT', 'FMA(x, -y, SQRT')\n"
        f"trial.main({device.name!r}, {device.description!r})"
    )
    monkeypatch.setattr(opencl_trial, "command", lambda device: [sys.executable, "-c", code])
    found = opencl_trial.problem(device, None, None)
    assert found is not None
    assert found.startswith("a trial gave wrong values: element 1 of float32 is -")


# How it ends


@posix
def test_a_driver_that_aborts(child: Child, started: Path) -> None:
    """The verdict says how the child ended and what it said last, and is kept."""
    child(BEGIN + "print('LLVM ERROR: out of its depth', file=sys.stderr, flush=True); os.abort()")
    found = problem()
    assert found is not None
    assert found.startswith("a trial was ended by SIGABRT: LLVM ERROR: out of its depth (found once and kept: delete ")
    child(BEGIN)
    assert problem() == found and children(started) == 1
    os.unlink(found.split("delete ")[1].split(" to try again")[0])
    assert problem() is None and children(started) == 2


@posix
def test_a_linker_that_is_installed_later(child: Child, started: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the package that a user needs, and the verdict from before does not hold with a linker."""
    child(BEGIN + "print('no linker', file=sys.stderr, flush=True); os.abort()")
    monkeypatch.setattr(shutil, "which", {}.get)
    found = problem()
    assert found is not None and "no linker; there is no linker, ld, on PATH" in found and "binutils" in found
    child(BEGIN)
    monkeypatch.setattr(shutil, "which", {"ld": "/usr/bin/ld"}.get)
    assert problem() is None and children(started) == 2


@posix
def test_a_driver_that_never_returns(child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child and all that it started are ended at the limit."""
    pids = tmp_path / "pids"
    monkeypatch.setattr(opencl_trial, "TIME_LIMIT", 2.0)
    child(
        BEGIN + f"import subprocess; other = subprocess.Popen(['sleep', '600']); open({str(pids)!r}, 'w').write("
        "f'{os.getpid()} {other.pid}'); time.sleep(600)"
    )
    began = time.monotonic()
    found = problem()
    assert found is not None and found.startswith("a trial had not ended after 2 s")
    assert time.monotonic() - began < 60
    for pid in pids.read_text().split():
        assert state(int(pid)) in "ZX"  # nobody may have waited for it yet


def state(pid: int) -> str:
    """The letter by which Linux tells a process's state; X: there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "X"


def test_a_child_that_memory_ran_out_for_says_nothing_for_good(child: Child, started: Path) -> None:
    """A signal that the system sends where memory is short is a failure, but the next process tries again."""
    child(BEGIN + "os.kill(os.getpid(), signal.SIGKILL)")
    assert problem() == "a trial was ended by SIGKILL"
    child(BEGIN)
    assert problem() is None and children(started) == 2


def test_a_child_that_cannot_begin_says_nothing(child: Child, started: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where Python itself fails in the child, nothing is known of the driver: there was no trial."""
    child("sys.exit('no module named numpy')")
    with config.set(debug=1):
        assert problem() is None
        assert problem() is None
    assert "opencl:9:9" not in str(started)
    assert "did not begin" in caplog.text and children(started) == 2


# Who has a trial, and how often


@pytest.mark.parametrize("executable", ["", None, "/usr/bin/blender", "C:\\Maya\\maya.exe"])
def test_without_a_python_there_is_no_trial(
    executable: str | None, child: Child, started: Path, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """An embedded interpreter must not start its host program again; it says so at debug 1."""
    child(BEGIN + "os.abort()")
    monkeypatch.setattr(sys, "executable", executable)
    with config.set(debug=1):
        assert problem() is None
    assert "is used without a trial: sys.executable" in caplog.text
    caplog.clear()
    assert problem() is None and not caplog.text and not children(started)


def test_the_knob_leaves_trials_out(child: Child, started: Path, caplog: pytest.LogCaptureFixture) -> None:
    child(BEGIN + "os.abort()")
    with config.set(trial=False, debug=1):
        assert problem() is None
    assert "config.trial is off" in caplog.text and not children(started)


@pytest.mark.parametrize("facts", [{"kind": "gpu"}, {"rank": 3}, {"platform": "Oclgrind"}])
def test_who_has_no_trial(facts: dict[str, object], child: Child, started: Path, device: Device) -> None:
    """GPUs, devices that compile nothing anyway, and Oclgrind, which would take too long."""
    if not str(device).startswith("opencl"):
        pytest.skip("a driver that has no trial at all")
    child(BEGIN + "os.abort()")
    other: Any = object.__new__(type(device))
    other.__dict__.update({**device.__dict__, **facts})
    other.__dict__.pop("problem", None)
    assert other.problem is None and not children(started)


def test_the_verdict_is_for_one_processor_library_version_and_device(
    child: Child, started: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each other fact takes a trial of its own; none takes two."""
    child(BEGIN)
    library = tmp_path / "libdriver.so"
    library.write_bytes(b"a driver")
    trials: list[Callable[[], str | None]] = [
        problem,
        lambda: problem("another device"),
        lambda: opencl_trial.problem(DEVICE, library, None),
    ]
    for number, trial in enumerate(trials, 1):
        assert trial() is None and trial() is None and children(started) == number
    library.write_bytes(b"its successor")
    assert trials[-1]() is None and children(started) == 4
    library.write_bytes(b"a driver")  # a file with another time, but the same content
    assert trials[-1]() is None and children(started) == 4
    for name, value in (("processor", lambda: "a newer one"), ("_version", lambda: "9.9"), ("_text", lambda: "x")):
        monkeypatch.setattr(opencl_trial, name, value)
        before = children(started)
        assert problem() is None and problem() is None and children(started) == before + 1


def test_a_library_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its digest is kept by place, size, time and inode: Intel's has 100 MB."""
    library = tmp_path / "libdriver.so"
    library.write_bytes(b"a driver")
    first = opencl_trial._digest_of(library)
    assert len(first) == 32
    monkeypatch.setattr("hashlib.file_digest", None)
    assert opencl_trial._digest_of(library) == first
    assert opencl_trial._digest_of(tmp_path / "absent") == opencl_trial._digest_of(None) == b""


def test_where_nothing_can_be_written_each_process_has_a_child(
    child: Child, started: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()

    def refuse(*_: object, **__: object) -> None:
        raise FileNotFoundError("No usable temporary directory")

    monkeypatch.setattr("tempfile.TemporaryDirectory", refuse)
    child(BEGIN)
    with config.set(cache_dir=tmp_path / "file"):
        assert problem() is None and children(started) == 1
        assert problem() is None and children(started) == 2
        child(BEGIN + "sys.exit('wrong')")
        assert problem() == "a trial ended with status 1: wrong"


OTHER_PROCESS = """
import sys
from types import SimpleNamespace
from arrayapi_gpu.backends import opencl_trial
opencl_trial.command = lambda device: [sys.executable, "-c", {code!r}]
print(opencl_trial.problem(SimpleNamespace(name="opencl:9:9", description=""), None, None))
"""


def other_process(cache: Path, code: str) -> subprocess.Popen[str]:
    """A process that asks for the same verdict, whose child would do this."""
    environment = {**os.environ, "ARRAYAPI_GPU_CACHE_DIR": str(cache), "ARRAYAPI_GPU_TRIAL": "1"}
    command = [sys.executable, "-c", OTHER_PROCESS.format(code=code)]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


@posix
def test_many_processes_wait_for_one_child(cache: Path, started: Path) -> None:
    wrong = "time.sleep(1); print('wrong', file=sys.stderr); sys.exit(3)"
    code = f"open({str(started)!r}, 'a').write('x'); {BEGIN} {wrong}"
    processes = [other_process(cache, code) for _ in range(6)]
    answers = {process.communicate(timeout=100)[0].partition(" (")[0] for process in processes}
    assert {answer.strip() for answer in answers} == {"a trial gave wrong values: wrong"}
    assert children(started) == 1


def test_an_error_of_the_driver_is_not_kept(child: Child, started: Path) -> None:
    """It may come from a disk that is full; the next process tries again."""
    child(BEGIN + "raise OSError('no space left')")
    for times in (1, 2):
        assert "no space left" in str(problem())
        assert children(started) == times


@posix
def test_an_owner_that_is_killed_keeps_nobody_waiting(cache: Path, child: Child, started: Path) -> None:
    owner = other_process(cache, f"open({str(started)!r}, 'a').write('x'); {BEGIN} time.sleep(20)")
    while not children(started):
        time.sleep(0.01)
    owner.kill()
    owner.communicate()
    child(BEGIN)
    began = time.monotonic()
    assert problem() is None and children(started) == 2
    assert time.monotonic() - began < 15  # and not until the orphan ends


# What becomes of a driver that fails: the loader's function is replaced by one that aborts, or never returns


@pytest.fixture(scope="module")
def compiler() -> str:
    found = shutil.which("cc") or shutil.which("gcc")
    if found is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler, on Linux")
    return found


REPORT = """
import runpy, sys
from arrayapi_gpu import backends
from arrayapi_gpu.backends import native, opencl, opencl_trial
opencl_trial.TIME_LIMIT = {limit}
found = [device for device in opencl.discover() if device.kind == "cpu"]  # GPUs are not tried; they would fail, too
opencl.discover = lambda: found
native.discover = lambda: []
for device in backends.present():
    print(device.kind, device in backends.devices(), device.problem)
try:
    print(backends.get_device("cpu"))
except backends.NoDeviceError as error:
    print(error)
sys.argv = ["arrayapi_gpu"]
try:
    runpy.run_module("arrayapi_gpu", run_name="__main__")
except SystemExit as end:
    print("status", end.code)
"""


@pytest.mark.parametrize(
    "body, limit, what",
    [("abort();", 120, "a trial was ended by SIGABRT"), ("for (;;) pause();", 5, "a trial had not ended after 5 s")],
    ids=["aborts", "never returns"],
)
def test_a_compiler_that_fails_takes_no_process_of_the_users_down(
    body: str, limit: int, what: str, compiler: str, tmp_path: Path
) -> None:
    """Its devices are not among `devices`; the report and the error say what happened and what to install."""
    pytest.importorskip("pyopencl")
    source, library = tmp_path / "driver.c", tmp_path / "driver.so"
    source.write_text(f"#include <stdlib.h>\n#include <unistd.h>\nint clBuildProgram(void) {{ {body} return 0; }}\n")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    environment = {
        **os.environ, "LD_PRELOAD": str(library), "ARRAYAPI_GPU_CACHE_DIR": str(tmp_path), "ARRAYAPI_GPU_TRIAL": "1"
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(limit=limit)], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=200,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    if not any(str(device).startswith("opencl") and device.kind == "cpu" for device in backends.present()):
        pytest.skip("no OpenCL device is a CPU")
    on_cpu = [device for device in backends.present() if str(device).startswith("opencl") and device.kind == "cpu"]
    assert done.stdout.count(f"cpu False {what}") == len(on_cpu) > 0
    assert done.stdout.count(f"cannot be used: {what}") >= len(on_cpu)
    assert "conda install" in done.stdout or "pip install" in done.stdout
    if all(str(device).startswith(("opencl", "native")) for device in backends.present()):  # the program has no native
        assert "status 1" in done.stdout
    else:
        assert done.stdout.count(", unusable: ") == len(on_cpu)


def test_the_default_passes_on_to_the_next_device(device: Device, tmp_path: Path) -> None:
    """Where the driver of the first device fails, arrays are on the second, or nowhere."""
    code = (
        "import sys\n"
        "import arrayapi_gpu as xp\n"
        "from arrayapi_gpu import backends\n"
        "from arrayapi_gpu.backends import native, opencl_trial\n"
        "native.discover = lambda: []\n"
        "first, *rest = [other for other in backends.present() if other.kind == 'cpu']\n"
        "opencl_trial.problem = lambda other, *_: 'a trial was ended by SIGABRT' if other is first else None\n"
        "try: found = xp.zeros(3, device='cpu').device\n"
        "except backends.NoDeviceError as error: print(not rest, first.problem in str(error))\n"
        "else: print(found is rest[0], first not in backends.devices())\n"
    )
    if device.kind != "cpu" or device.name == "native":
        pytest.skip("drivers of CPUs alone have a trial")
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True True\n"


def test_signals_have_names() -> None:
    assert opencl_trial._end_of(-int(signal.SIGSEGV), False) == "a trial was ended by SIGSEGV"
    assert opencl_trial._end_of(-9999, False) == "a trial ended with status -9999"
