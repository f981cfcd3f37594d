"""A driver on the CPU is tried before it is trusted.

Such a driver compiles for the processor that it finds, which may be newer than the driver's compiler. Then no
exception is raised: the process ends, or the compiler never returns, or values are wrong. So a child process compiles
and runs a kernel like this library's (opencl_trial.c). Only a driver that computes the right values there, in time, has
its device among `backends.devices`.

A trial is made once for each processor, file of the driver and version of this library, because the verdict is kept
next to the compiled kernels. Of many processes that start at once, one has a child, and the others wait for the
verdict. Where nothing can be written, each process has a child. Where there is no Python to start a child with, or
``config.trial`` is off, there is no trial, and ``debug`` 1 reports that.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.resources
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..config import PREFIX, config, log
from . import binaries
from .base import Device
from .binaries import processor

if sys.platform != "win32":
    import fcntl
    import resource

TIME_LIMIT = 120.0  # seconds that a child may take
POLL = 0.02  # seconds between two looks whether another process's child has ended
WRONG = 3  # the status of a child whose values were wrong; Python's own is 1 after an exception
LINES = 3  # the last ones of a child's output

TRIAL_GROUPS, TRIAL_ITEMS, LANES = 4, 8, 16  # of the launches, as in opencl_trial.c
TRIAL_SIZE = TRIAL_GROUPS * TRIAL_ITEMS * LANES
SLOT = 16 * TRIAL_SIZE  # bytes for each dtype

# How a child begins. It finds the same modules as this process does.
_PROGRAM = "import sys; sys.path[:] = {path!r}; from {package}.opencl_trial import main; main({name!r}, {text!r})"
_BEGUN = "the trial begins"  # printed by a child before the driver compiles something

# The dtypes in the order of opencl_trial.c.
_DTYPES = (
    ("b8", "bool"), ("i8", "int8"), ("i16", "int16"), ("i32", "int32"), ("i64", "int64"), ("u8", "uint8"),
    ("u16", "uint16"), ("u32", "uint32"), ("u64", "uint64"), ("f16", "float16"), ("f32", "float32"),
    ("c64", "complex64"), ("f64", "float64"), ("c128", "complex128"),
)  # fmt: skip


def problem(device: Device, library: Path | None, identity: object) -> str | None:
    """Return why a device on the CPU must not be used; None: it passes, or there can be no trial.

    ``library``: the file of its driver, None where that is not known. ``identity``: further facts on which the verdict
    depends.
    """
    missing = _missing()
    if missing:
        _say(f"{device} is used without a trial: {missing}")
        return None
    # PoCL links each kernel by the system's linker: a verdict without one does not hold with one.
    linker = shutil.which("ld")
    key = binaries.key_of("trial", _version(), processor(), _digest_of(library), identity, linker or "", _text())
    verdict = binaries.load(key)
    if verdict is None:
        with _turn(key):
            verdict = binaries.load(key)
            if verdict is None:
                _say(f"{device} is tried in a process of its own")
                found, lasting = _try(device)
                if found is None and not lasting:
                    return None
                verdict = (found or "").encode()
                if lasting:
                    binaries.keep(key, verdict)
    if not verdict:
        return None
    kept = binaries.file_of(key)
    again = f" (found once and kept: delete {kept} to try again)" if kept is not None and kept.exists() else ""
    cure = "" if linker else "; there is no linker, ld, on PATH: if the driver needs one, install binutils"
    return f"{verdict.decode()}{cure}{again}"


def _missing() -> str | None:
    """Return why there can be no trial; None where there can be one."""
    if not config.trial:
        return "config.trial is off"
    if not re.search("python|pypy", os.path.basename(sys.executable or "").lower()):
        return f"sys.executable, {sys.executable!r}, is no Python"
    return None


def _say(text: str) -> None:
    if config.debug:
        log(text)


def _version() -> str:
    package: Any = sys.modules[__package__.partition(".")[0]]
    return str(package.__version__)


def _text() -> str:
    return importlib.resources.files(__package__).joinpath("opencl_trial.c").read_text("utf-8")


def _digest_of(library: Path | None) -> bytes:
    """Return the digest of a file, which is read once only, because Intel's has 100 MB."""
    if library is None:
        return b""
    try:
        facts = library.stat()
        key = binaries.key_of("file", str(library), facts.st_size, facts.st_mtime_ns, facts.st_ino)
        digest = binaries.load(key)
        if digest is None:
            with open(library, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").digest()
            binaries.keep(key, digest)
    except OSError:
        return b""
    return digest


@contextlib.contextmanager
def _turn(key: bytes) -> Iterator[None]:
    """Let one process at a time into the block, or another once there is a verdict.

    The lock is the system's, which releases it when its owner ends, however that happens. A process that cannot lock,
    or has waited for longer than a child may take, proceeds.
    """
    with contextlib.ExitStack() as stack:
        place = binaries.file_of(key)
        if sys.platform != "win32" and place is not None:
            with contextlib.suppress(OSError):
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                file = stack.enter_context(open(place.parent / "trial.lock", "wb"))
                end = time.monotonic() + 2 * TIME_LIMIT
                while binaries.load(key) is None and time.monotonic() < end:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        time.sleep(POLL)
        yield


def command(device: Device) -> list[str]:
    """Return the command line of a child."""
    program = _PROGRAM.format(path=sys.path, package=__package__, name=device.name, text=device.description)
    return [sys.executable, "-c", program]


def _try(device: Device) -> tuple[str | None, bool]:
    """Run a child. Return the problem, None if there is none, and whether it will occur the next time."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith((PREFIX, "POCL_"))}
    environment[f"{PREFIX}TRIAL"] = environment[f"{PREFIX}CACHE"] = "0"
    with contextlib.ExitStack() as stack:
        # The cache is a separate one, because no process should find the files of a driver that failed.
        with contextlib.suppress(OSError):
            folder = tempfile.TemporaryDirectory(prefix="arrayapi_gpu-", ignore_cleanup_errors=True)
            environment[f"{PREFIX}CACHE_DIR"] = stack.enter_context(folder)
            environment[f"{PREFIX}CACHE"] = "1"
        try:
            child = subprocess.Popen(
                command(device), env=environment, text=True, errors="replace", start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        except OSError as error:
            _say(f"{device} is used without a trial: {sys.executable} cannot be started: {error}")
            return None, False
        late = False
        try:
            out, err = child.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            late = True
            _end(child)
            out, err = child.communicate()
        except BaseException:
            _end(child)
            child.wait()
            raise
    if child.returncode == 0:
        return None, True
    said = "; ".join(err.strip().splitlines()[-LINES:])
    if _BEGUN not in out.splitlines():
        _say(f"{device} is used without a trial: its process did not begin: {said}")
        return None, False
    # Where disk or memory is short, the system may kill the child, and the driver may report errors.
    passing = not late and child.returncode in (1, -getattr(signal, "SIGKILL", 1))
    return f"{_end_of(child.returncode, late)}{': ' * bool(said)}{said}", not passing


def _end(child: subprocess.Popen[str]) -> None:
    """Kill a child and all processes that it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


def _end_of(status: int, late: bool) -> str:
    """Return how a child ended, in words."""
    if late:
        return f"a trial had not ended after {TIME_LIMIT:g} s"
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"a trial was ended by {signal.Signals(-status).name}"
    if status == WRONG:
        return "a trial gave wrong values"
    return f"a trial ended with status {status}"


# In the child


def main(name: str, description: str) -> None:
    """Run the trial of a device, in a process of its own; its status is 0 if all is well, `WRONG` for wrong values."""
    from .opencl import discover

    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    (device,) = [device for device in discover() if (device.name, device.description) == (name, description)]
    print(_BEGUN, flush=True)
    wrong = trial(device)
    if wrong is not None:
        print(wrong, file=sys.stderr)
        sys.exit(WRONG)


def trial(device: Device) -> str | None:
    """Return the problem that a run of the kernel shows; None where all values are right."""
    numbers = [number for number, (short, _) in enumerate(_DTYPES) if short in device.dtypes]
    hosts = [np.zeros((len(_DTYPES), SLOT), np.uint8) for _ in range(4)]
    for number in numbers:
        for host, values in zip(hosts, operands(_DTYPES[number][1]), strict=False):
            host[number, : values.nbytes] = values.view(np.uint8)
    kernel = device.compile(_text(), "trial")
    buffers = [device.alloc(host.nbytes) for host in hosts]
    for buffer, host in zip(buffers, hosts, strict=True):
        device.upload(buffer, 0, host)
    device.launch(kernel, TRIAL_GROUPS, TRIAL_ITEMS, buffers, np.int64(1).tobytes())
    for buffer, host in zip(buffers, hosts, strict=True):
        device.download(buffer, 0, host)
    for number in numbers:
        name = _DTYPES[number][1]
        for host, right in zip(hosts[2:], expected(*operands(name)), strict=True):
            got = host[number, : right.nbytes].view(name)
            if got.tobytes() != right.tobytes():
                place = int(np.argmax(got != right))
                return f"element {place} of {name} is {got[place]}; {right[place]} is right"
    return None


def operands(name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return two arrays of whole numbers, which are so small that every sum of them is exact."""
    numbers = np.arange(TRIAL_SIZE)
    if name == "bool":
        return numbers % 3 == 0, numbers % 5 == 0
    a, b = ((numbers % 5) ** 2).astype(name), (numbers * 3 % 7).astype(name)
    if np.iscomplexobj(a):
        a += 1j * (numbers % 3)
        b -= 1j * (numbers % 4)
    return a, b


def expected(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the right results of opencl_trial.c: the values, and the sum of each group in every lane."""
    if a.dtype == np.bool_:
        values = a & ~b
    elif np.issubdtype(a.dtype, np.integer):
        values = np.where(a < b, a * b + a, (a - b) << a.dtype.type(1) ^ b)
    elif a.dtype == np.float16:
        values = np.where(a < b, a * b + a, a)
    elif np.issubdtype(a.dtype, np.floating):
        part = np.copysign(np.floor(a / 4), -b) + np.rint(b * a.dtype.type(0.5)) + b
        values = np.where(a < b, a * b + np.sqrt(a), part)
    else:
        values = a * b
    add = np.bitwise_xor if a.dtype == np.bool_ else np.add
    sums = add.reduce(values.reshape(TRIAL_GROUPS, -1), axis=1, dtype=a.dtype)
    return values, np.repeat(sums, LANES)
