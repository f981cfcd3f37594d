"""Programs in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

from arrayapi_gpu.backends.base import Device


def run_on(device: Device, code: str) -> subprocess.CompletedProcess[str]:
    """Run a program whose default device is this one."""
    environment = {**os.environ, "ARRAYAPI_GPU_DEVICE": device.name}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
