"""Programs in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arrayapi_gpu.backends.base import Device


def run_on(device: Device, code: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program, a text or a file, whose default device is this one; it finds the modules that we find."""
    environment = {
        **os.environ,
        "ARRAYAPI_GPU_DEVICE": device.name,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    words = [str(code)] if isinstance(code, Path) else ["-c", code]
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment)


def with_modules(*folders: Path) -> dict[str, str]:
    """Return the environment, in which Python finds modules in these folders first, then where it does now."""
    paths = [*map(str, folders), *filter(None, [os.getenv("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
