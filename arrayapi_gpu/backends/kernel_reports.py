"""Reports of kernels: their source, and the user's line for which each was compiled."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import config, log

if TYPE_CHECKING:
    from .base import Device

_PACKAGE = str(Path(__file__).parents[1])

asked_by: ContextVar[str] = ContextVar("asked_by", default="")  # the user's line of a job in the background


def users_line() -> str:
    """Return file and line of the innermost call that is not the library's, or of the job that this thread does."""
    if line := asked_by.get():
        return line
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def show_source(device: Device, source: str, name: str) -> None:
    """Print the source of a kernel, or write it to a file, if ``config`` says so."""
    if config.debug > 3:
        log(source)
    if config.dump is not None:
        folder = Path(config.dump)
        file = f"{device.name.replace(':', '-')}-{device.kernels_compiled:04}-{name}.{device.extension}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(device.prelude + source, encoding="utf-8")
        except OSError as error:
            raise type(error)(
                error.errno, f"config.dump (ARRAYAPI_GPU_DUMP): no kernel can be written into {folder}: {error}"
            ) from None
