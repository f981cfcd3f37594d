"""A device of its own for each process of a host, where `config.device` is "own", or "own:" before a name.

Each device has a row of files, which processes lock. A process that locks the first file of a row is alone on the
device, the second file is for a second process on it, and so on. The locks are the system's, which releases them when
their owner ends, however that happens. So a worker that is started again finds a free device. All processes of this
host and this user find the files, also with other home folders.
"""

from __future__ import annotations

import itertools
import os
import platform
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..config import log
from .base import Device
from .state import after_fork

if sys.platform != "win32":
    import fcntl

OWN_DEVICE = "own"

_held: list[int] = []  # the files whose locks this process has, for as long as it runs


@after_fork
def _give_up() -> None:
    """Close the files in the child, whose devices refuse: otherwise the locks would outlive the process itself."""
    while _held:
        os.close(_held.pop())


def folder() -> Path:
    """Return the folder of the files."""
    user = os.getuid() if sys.platform != "win32" else ""
    return Path(tempfile.gettempdir(), f"arrayapi_gpu-{platform.node()}-{user}")


def claim(candidates: Sequence[Device], place: Path | None = None) -> Device:
    """Return the first of the devices that the fewest processes have as their own. This process has it until it ends.

    Where no file can be locked, the first device is returned, and the log says so.
    """
    place = folder() if place is None else place
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        for row in itertools.count():
            for device in candidates:
                if _locked(place / f"{device.place.replace(':', '-')}.{row}"):
                    return device
    except (OSError, NameError) as error:  # no folder, or a system without such locks
        log(f"other processes may use {candidates[0]}, too: files in {place} cannot be locked: {error}")
    return candidates[0]


def _locked(file: Path) -> bool:
    """Lock a file for this process; return False where another process has locked it."""
    own = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(own)
        return False
    _held.append(own)
    return True
