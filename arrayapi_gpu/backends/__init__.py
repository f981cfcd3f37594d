"""The devices of this machine, by name. Drivers are loaded at first use, not by the import.

Back ends: `base` has the classes that each implements, `cuda`, `opencl` and `native` implement them with the modules
whose names begin so (`native_compiler`, `native_library`, `native_products`), `recording` is a back end for tests, and
`refusing` stands for a device that no longer works. Shared by all: `buffers`, `pool` and `spilling` (device memory),
`host_memory`, `exposures` (memory that other code sees), `side_queue` (copies on queues of their own), `collectives`,
`binaries` (compiled kernels on disk), `templates` and `languages` (kernel text), `matrix_units` (words for products of
matrices by the processor itself), `kernel_reports` (logs of it), `events` (the entries of `record`), `claims` (a device
for each process), `install` (commands that bring drivers), `locks`, `c_objects` (locks and weak references of the
compiled form), `c_functions` (addresses in drivers' libraries), and `state` (functions that clear state, or renew it
after a fork). The room imports `config` alone.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import platform
import re
import shutil
import sys
import warnings
from collections.abc import Callable

from .. import compiled
from ..config import config, log, nearest_device, registered
from .base import Device, DeviceError, NoDeviceError
from .claims import OWN_DEVICE, claim
from .install import INSTALL
from .locks import module_lock
from .refusing import FORKED, RefusingDevice, refuse_from_now_on
from .state import after_fork, clears

# The back ends, preferred ones first: the module, its driver library (the names of its packages).
_BACKENDS = (("cuda", ("cupy", "cupy-cuda12x", "cupy-cuda13x")), ("opencl", ("pyopencl",)))

BACKEND_NAMES = tuple(name for name, _ in _BACKENDS)  # the beginnings of the names of their devices
NATIVE = "native"  # the name of the host's processor without a driver

# Names for the first device of a kind; "cuda" and "opencl" are beginnings of names.
_KINDS = ("gpu", "cpu")

_NAME = re.compile(r"([a-z]+)(?::?([0-9]+)(?::([0-9]+))?)?")

_lock = module_lock(globals(), "_lock")
_present: tuple[Device, ...] | None = None
_devices: tuple[Device, ...] | None = None
_found: dict[str, Device] = {}  # by each spelling that was asked for
_first_of_all: Device | None = None  # the default one where config.device names none
_native: Device | None = None  # found by its name without a look at drivers, which takes time
_missed: set[str] = set()  # names of devices that unpickled arrays were on, and that are not here
_failures: dict[str, str] = {}  # the reasons of back ends that have no device


def devices() -> tuple[Device, ...]:
    """Return every device that can be used, the default first.

    GPUs come first, then drivers of a CPU, then the host's processor without a driver, and devices that cannot compile
    kernels come last. Among the drivers of a CPU, Intel's runtime comes first, and of two versions of a driver the
    newer one; otherwise the drivers' order holds. The first call tries drivers that were never tried on this machine
    (`opencl_trial`).
    """
    global _devices
    if _devices is None:
        with _lock:
            if _devices is None:
                _devices = tuple(device for device in present() if device.problem is None)
    return _devices


def present() -> tuple[Device, ...]:
    """Return every device that a driver lists, also those that must not be used: see `Device.problem`."""
    global _present
    if _present is None:
        with _lock:
            if _present is None:
                _present = _discover()
    return _present


def _discover() -> tuple[Device, ...]:
    found: list[Device] = []
    for module, (driver, *_) in _BACKENDS:
        try:
            own = importlib.import_module(f".{module}", __package__).discover()
        except ImportError as error:
            absent = importlib.util.find_spec(driver) is None
            _failures[module] = f"{driver} cannot be imported ({'it is not installed' if absent else error})"
            continue
        if not own:
            _failures[module] = f"{driver} finds no device"
        found += own
    try:
        found.append(_without_driver())
    except NoDeviceError as error:
        _failures[NATIVE] = str(error)
    found.sort(key=lambda device: device.rank)
    if config.debug:
        log(f"form: {compiled.form}")
        for device in found:
            log(f"{device!r}")
    return tuple(found)


def default_device() -> Device:
    """Return the device that ``config.device`` names, otherwise the first of `devices`.

    NoDeviceError names the packages to install.
    """
    global _first_of_all
    name = config.device
    if name is not None:
        return _found.get(name) or get_device(name)
    if _first_of_all is None:
        _first_of_all = _first("")
    return _first_of_all


def get_device(spec: Device | str | None) -> Device:
    """Return the device of a name; None means the default.

    A name is "cuda:0" or "opencl:0:1" (platform, device), in the older spelling "cuda0" or "opencl0:1", or "native",
    the host's processor without a driver. Shorter ones mean the first of several devices, in the order of `devices`:
    "opencl:0", "opencl", "cuda", and for any driver "gpu" and "cpu". "own", and "own:" before a name, is one that the
    fewest processes of this host have as their own, the same for as long as this process runs. NoDeviceError: there is
    no such device; ValueError: a string that cannot be a name; TypeError: anything else.
    """
    if spec is None:
        return default_device()
    if isinstance(spec, Device):
        return spec
    if not isinstance(spec, str):
        raise TypeError(f"device: got {type(spec).__name__}; allowed: a device, a name, None")
    device = _found.get(spec)
    if device is None:
        own, name = (True, spec[len(OWN_DEVICE) + 1 :]) if _is_own(spec) else (False, spec)
        match = _NAME.fullmatch(name)
        if match is None and (name or not own):
            allowed = "a name such as 'cuda:0', 'opencl:0:0', 'native', 'gpu' or 'cpu', or 'own'"
            raise ValueError(
                f"device: got {spec!r}; allowed: {allowed}{nearest_device(name)}; `python -m arrayapi_gpu` lists them"
            )
        beginning = ":".join(part for part in match.groups() if part) if match else ""
        with _lock:  # a process claims one device for each spelling
            if (device := _found.get(spec)) is None:
                device = _found[spec] = claim(alike(beginning)) if own else _first(beginning)
    return device


def _is_own(spec: str | None) -> bool:
    return spec is not None and (spec == OWN_DEVICE or spec.startswith(f"{OWN_DEVICE}:"))


def unpickled(name: str) -> Device:
    """Return the device for an unpickled array that was on the device of this name: the device of this name if there is
    one here, otherwise the default one, with a warning for the first such array. In a process with a device of its own
    it is that."""
    if _is_own(config.device):
        return default_device()
    try:
        return get_device(name)
    except NoDeviceError:
        default = default_device()
        if name not in _missed:
            _missed.add(name)
            warnings.warn(f"unpickling: there is no device {name}; its arrays are on {default}", stacklevel=3)
        return default


def alike(beginning: str = "") -> tuple[Device, ...]:
    """Return the devices of one driver among which a process may choose: the first of those whose kind or name begins
    so, and the others whose names differ from its in the last number alone. NoDeviceError."""
    first = _first(beginning)
    series = first.name.rpartition(":")[0]
    own = [d for d in present() if d.name.rpartition(":")[0] == series and _is_meant(d, beginning)]
    with _lock:  # for trials, of this driver alone
        return tuple(device for device in own if device.problem is None)


def _is_meant(device: Device, beginning: str) -> bool:
    """Return whether a device is of this kind, or its name is or begins with these parts."""
    if beginning in _KINDS:
        return device.kind == beginning
    return not beginning or f"{device.name}:".startswith(f"{beginning}:")


def _without_driver() -> Device:
    """Return the host's processor; NoDeviceError."""
    global _native
    with _lock:
        if _native is None:
            own = importlib.import_module(".native", __package__).discover()
            if not own:
                raise NoDeviceError(
                    "no device native: the package was built without its loops, and there is no C compiler"
                )
            (_native,) = own
    return _native


def partner() -> Device | None:
    """Return the driver that compiles kernels for launches of `native`; None where there is none."""
    return next((d for d in present() if d.kind == "cpu" and d.name != NATIVE and d.problem is None), None)


def loops_device() -> Device | None:
    """Return the host's processor if it has loops that were compiled ahead of time; otherwise None."""
    with contextlib.suppress(NoDeviceError):
        native = _native or _without_driver()
        return native if native.loops is not None else None
    return None


def compiler_ahead(architecture: str) -> tuple[str, Callable[[str, str], object]]:
    """Return the prelude and the compiler for an architecture of GPUs, see `cuda_compiler.ahead`; DeviceError."""
    try:
        module = importlib.import_module(".cuda_compiler", __package__)
    except ImportError as error:
        raise DeviceError(f"{error}; {INSTALL['cuda13']}") from None
    found: tuple[str, Callable[[str, str], object]] = module.ahead(architecture)
    return found


def _first(beginning: str) -> Device:
    """Return the first device that can be used and is of this kind, or whose name is or begins with these parts."""
    if beginning == NATIVE:
        return _without_driver()
    with _lock:  # for trials
        for device in present():
            if _is_meant(device, beginning) and device.problem is None:
                return device
    raise _absent(beginning)


def _absent(beginning: str) -> NoDeviceError:
    """The error for a device that does not exist. It begins with the command that helps, where one does."""
    usable = devices()
    kind = beginning.partition(":")[0]
    missing = f"no device {beginning}".rstrip() + nearest_device(kind)
    problems = [f"{device} cannot be used: {device.problem}" for device in present() if device.problem]
    if usable:
        problems.insert(0, f"there are {', '.join(map(str, usable))}")
    advice = remedy(beginning) if not usable or beginning in ("cuda", *_KINDS) else None
    gpu = f"a GPU needs its driver, and {INSTALL['cuda13']} for NVIDIA's, {INSTALL['opencl']} for others"
    reasons = "; ".join([*problems, *_failures.values(), *([gpu] if kind in ("gpu", "cuda") and not advice else ())])
    return NoDeviceError(f"{advice}\n{missing}: {reasons}" if advice else f"{missing}: {reasons}")


def remedy(beginning: str = "") -> str | None:
    """Return the command that brings a device to this machine, None where no command is known to help.

    ``beginning`` is the kind of device, or the beginning of its name, that is looked for.
    """
    kind = beginning.partition(":")[0]
    if kind in ("", "gpu", "cuda") and "cuda" in _failures and _has_nvidia():
        return INSTALL["cuda13"]
    if kind in ("gpu", "cuda"):
        return None
    failed = {device.description for device in present() if device.problem}
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    if x86 and sys.platform in ("linux", "win32") and not any("Intel(R) OpenCL" in text for text in failed):
        return INSTALL["cpu"]
    if x86 and sys.platform == "linux" and not any("Portable" in text for text in failed):
        return INSTALL["pocl"]
    return "conda install -c conda-forge pocl pyopencl"


def _has_nvidia() -> bool:
    """Return whether NVIDIA's driver is there."""
    return os.path.exists("/proc/driver/nvidia/version") or shutil.which("nvidia-smi") is not None


def register(device: Device) -> None:
    """Let `get_device` find one more device, which `devices` does not list; for tests."""
    _found[device.name] = device
    registered.add(device.name)


def drivers() -> dict[str, str]:
    """Return the version of each driver's package that is installed."""
    import importlib.metadata  # not at the top: it takes a fifth of the time of the whole import

    present = {}
    for package in [name for _, names in _BACKENDS for name in names]:
        try:
            present[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return present


@after_fork
def _refuse() -> None:
    """In the child: make devices refuse whose drivers do not work there."""
    for device in {*(_present or ()), *_found.values()} - {_native}:
        refuse_from_now_on(device, FORKED)


@atexit.register
def _wait() -> None:
    """Let queued work end before the memory that it uses is freed."""
    for device in _working():
        device.wait()


@clears
def _trim() -> None:
    """Free memory of devices that no buffer uses."""
    for device in _working():
        device.trim()


def _working() -> list[Device]:
    """The devices that were found, unless they refuse."""
    own = () if _native is None or _present is not None else (_native,)
    return [device for device in (*(_present or ()), *own) if not isinstance(device, RefusingDevice)]
