"""How devices are found: drivers present and absent, names, the default, forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device, NoDeviceError
from arrayapi_gpu.backends.install import INSTALL
from arrayapi_gpu.backends.recording import RecordingDevice
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
    """Without pyopencl, or without a driver, and without loops and a compiler, first use says what to do."""
    if problem == "pyopencl finds no device":
        pytest.importorskip("pyopencl")
    out = run(
        f"import sys; sys.modules['cupy_backends'] = None\n{setup}\n"
        "import arrayapi_gpu.backends as b\n"
        "import arrayapi_gpu.backends.native as native; native.discover = lambda: []\n"
        "print(b.devices())\n"
        "for spec in (None, 'opencl', 'cuda:0'):\n"
        "    try: b.get_device(spec)\n"
        "    except b.NoDeviceError as error: print(str(error).replace('\\n', ' | '))\n"
    )
    first, *errors = out.splitlines()
    assert first == "()"
    assert len(errors) == 3
    for text in errors:
        assert problem in text and "cupy cannot be imported" in text and "built without its loops" in text


@pytest.mark.usefixtures("native")
def test_without_a_driver_the_processor_is_the_device() -> None:
    out = run(
        "import sys; sys.modules['cupy_backends'] = sys.modules['pyopencl'] = None\n"
        "import arrayapi_gpu.backends as b\n"
        "print(*b.devices(), *[b.get_device(name) is b.get_device(None) for name in ('cpu', 'native')])",
        ARRAYAPI_GPU_DEVICE="",
    )
    assert out == "native True True\n"


def test_names(device: Device) -> None:
    """Both spellings, shorter names and the device itself are understood."""
    backend, *numbers = device.name.split(":")
    assert backends.get_device(device) is device
    assert backends.get_device(device.name) is device
    if not numbers:
        return
    first, *rest = numbers
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


CPU, POCL, CUDA = INSTALL["cpu"], INSTALL["pocl"], INSTALL["cuda13"]
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
        assert first.endswith(f"; a GPU needs its driver, and {CUDA} for NVIDIA's, {INSTALL['opencl']} for others")
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


def test_threads_have_their_default_devices(device: Device) -> None:
    """Blocks that overlap, with barriers between their steps: arrays lie on the device of their thread's block."""
    others = [f"recording:{number}:0" for number in range(3)]
    for name in others:
        backends.register(RecordingDevice(name))
    names = [str(device), *others]
    before = backends.default_device()
    meet = threading.Barrier(len(names), timeout=60)
    found: dict[str, set[str]] = {}

    def work(name: str) -> None:
        seen = found[name] = set()
        for _ in range(20):
            meet.wait()
            with config.set(device=name):
                meet.wait()
                x = xp.zeros(3)
                seen.update((str(x.device), str((x + 1).device), str(xp.asarray([1]).device), str(xp.arange(3).device)))
                seen.add(str(xp.__array_namespace_info__().default_device()))

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {name: {name} for name in names}
    assert xp.zeros(3).device is before is backends.default_device()


def test_an_operation_has_the_device_of_the_block_in_which_it_is_written() -> None:
    """And not of the one in which it is computed."""
    first, last = backends.devices()[0], backends.devices()[-1]
    with config.set(device=str(last)):
        x = xp.ones(3) + 1
    with config.set(device=str(first)):
        assert x.device is last and (x + 1).device is last and float(xp.sum(x)) == 6.0


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
        lambda: backends.get_device(NAME).wait(),
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
    """Every verb of a driver raises in the child and none hangs; the parent goes on."""
    if device.name == backends.NATIVE:
        pytest.skip("it works in the child: test_native.py")
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


def test_a_package_that_is_not_installed_is_said_to_be_so() -> None:
    code = (
        "import sys; sys.modules['cupy'] = sys.modules['cupy_backends'] = None\n"
        "import arrayapi_gpu.backends as b\n"
        "try: b.get_device('cuda')\n"
        "except b.NoDeviceError as error: print(error)\n"
    )
    assert "cupy cannot be imported (it is not installed)" in run(code)
