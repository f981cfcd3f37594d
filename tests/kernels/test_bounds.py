"""No kernel touches memory beside its arrays: guarded.py dies if one does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from arrayapi_gpu.backends.base import Device

PROGRAM = Path(__file__).with_name("guarded.py")
ROOTS = [str(folder) for folder in Path(__file__).parents[1:3]]


def test_kernels_stay_inside_their_arrays(device: Device) -> None:
    """Only memory that the host shares can be fenced in; elsewhere the same kernels run with the same arithmetic."""
    if not device.host_shared:
        return
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*ROOTS, os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), device.name], capture_output=True, text=True, timeout=500, env=environment
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stdout.endswith("alive\n")
