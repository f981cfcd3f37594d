"""Programs in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arrayapi_gpu.backends.base import Device


def run_on(device: Device, code: str) -> subprocess.CompletedProcess[str]:
    """Run a program whose default device is this one."""
    environment = {**os.environ, "ARRAYAPI_GPU_DEVICE": device.name}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


def with_modules(*folders: Path) -> dict[str, str]:
    """Return the environment, in which Python finds modules in these folders first, then where it does now."""
    paths = [*map(str, folders), *filter(None, [os.getenv("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
