"""No kernel touches memory beside its arrays: guarded.py dies if one does."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import with_modules

from arrayapi_gpu.backends.base import Device

PROGRAM = Path(__file__).with_name("guarded.py")
ROOTS = Path(__file__).parents[1:3]


def run_guarded(device: Device, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROGRAM), device.name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=500, env=with_modules(*ROOTS))


def test_kernels_stay_inside_their_arrays(device: Device) -> None:
    """Only memory that the host shares can be fenced in; elsewhere the same kernels run with the same arithmetic."""
    if not device.host_shared:
        return
    done = run_guarded(device)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert done.stdout.endswith("alive\n")


@pytest.mark.parametrize("side", ["before", "behind"])
def test_whoever_touches_the_byte_beside_an_array_dies(device: Device, side: str) -> None:
    """The guard guards: memory that an array gets from the pool ends, or begins, at a forbidden page."""
    if not device.host_shared:
        return
    done = run_guarded(device, side)
    assert done.returncode == -signal.SIGSEGV, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
