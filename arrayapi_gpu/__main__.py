"""`python -m arrayapi_gpu` prints a report for bug reports: versions, devices, and a test kernel on each device.

`python -m arrayapi_gpu prepare` compiles common kernels ahead of time (`prepare`).
"""

from __future__ import annotations

import os
import platform
import sys
from argparse import ArgumentParser

import numpy as np

from . import __version__, compiled
from .backends import binaries, devices, drivers, get_device, present, remedy
from .backends.base import Device, DeviceError
from .config import Config, config
from .memory.dtypes import DTYPE_OF

_PROBE = """
KERNEL void probe(GLOBAL M_i32* out) {
    if (GID == 0) { for (int i = 0; i < 4; i++) out[i] = i * i; }
}
"""

# The end of the report. Each line is a command for a shell.
_NEXT = """
try next:
  python -c "import arrayapi_gpu as xp; x = xp.arange(6).reshape(2, 3); print(x + 1, xp.explain(x + 1), sep=chr(10))"
  python -c "import arrayapi_gpu as xp; help(xp)"    # all functions; arrayapi_gpu.numpy has NumPy's names
  python -m arrayapi_gpu prepare                     # compiles common kernels ahead of time"""


def main() -> int:
    """Print the report; return the exit status: 0 if a device works, 1 if none does."""
    print(f"arrayapi_gpu {__version__}, Python {platform.python_version()}, NumPy {np.__version__}")
    print(f"form: {compiled.form}")
    print("; ".join(filter(None, [platform.platform(), ", ".join(f"{n} {v}" for n, v in drivers().items())])))
    try:
        plain, values = Config().values(), config.values()
    except ValueError as error:  # from a bad environment variable
        print(error)
        return 1
    changed = [f"{name}={value!r}" for name, value in values.items() if value != plain[name]]
    print(f"config: {', '.join(changed) or 'defaults'}")
    kept, folder = binaries.sizes(), binaries.folder()
    print(
        f"compiled kernels: {len(kept)} files of {sum(kept) / 2**20:.1f} MiB in {folder} (safe to delete)"
        if folder is not None
        else "compiled kernels: not kept, there is no home directory; set ARRAYAPI_GPU_CACHE_DIR to a directory"
    )
    try:
        default = get_device(None)
    except DeviceError as error:
        print(error)
        return 1
    states = [_report(device, device == default) for device in devices()]
    for device in present():
        if device.problem is not None:
            print(f"\n{device}, unusable: {device.description}\n  {device.problem}\n  instead: {remedy('cpu')}")
    if any(states):
        print(_NEXT)
    return 0 if any(states) else 1


def _report(device: Device, default: bool) -> bool:
    """Print the report of one device; return whether a kernel gives the right result on it."""
    print(f"\n{device}{' (default)' if default else ''}: {device.description}")
    print(
        f"  {device.compute_units} compute units, {device.memory >> 20} MiB (one array: {device.max_alloc >> 20} MiB), "
        f"local {device.local_memory >> 10} KiB, groups up to {device.max_group}, {device.lanes} lanes"
    )
    dtypes = [short if short in DTYPE_OF else f"{short} (with ml_dtypes)" for short in sorted(device.dtypes)]
    print(f"  dtypes: {' '.join(dtypes)}")
    try:
        kernel = device.compile(_PROBE, "probe")
        buffer = device.alloc(16)
        device.launch(kernel, 1, 64, [buffer], b"")
        got = np.empty(4, np.int32)
        device.download(buffer, 0, got)
    except (DeviceError, MemoryError) as error:
        print(f"  a kernel fails: {error}")
        return False
    right = got.tolist() == [0, 1, 4, 9]
    seconds = device.compile_seconds
    print(f"  a kernel {'works' if right else f'gives {got}'}; compiled in {seconds:.3f} s")
    return right


if __name__ == "__main__":
    if sys.argv[1:2] == ["prepare"]:
        from .prepare import main as prepare

        sys.exit(prepare(sys.argv[2:]))
    if sys.argv[1:]:
        ArgumentParser("python -m arrayapi_gpu", "%(prog)s [-h] [prepare ...]", __doc__).parse_args()
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` say, has enough; the interpreter would flush again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
