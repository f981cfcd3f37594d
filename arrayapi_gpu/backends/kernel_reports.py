"""Reports of kernels: their source, the user's line for which each was compiled, and the seconds that this took."""

from __future__ import annotations

import sys
import time
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from ..config import config, log, logger

if TYPE_CHECKING:
    from .base import Device

_PACKAGE = str(Path(__file__).parents[1])

PATIENCE = 2.0  # seconds in compilers before which nobody needs advice

_began = time.perf_counter()
_waited = 0.0  # seconds in which the program waited for compilers, until it was advised

asked_by: ContextVar[str] = ContextVar("asked_by", default="")  # the user's line of a job in the background


def users_line() -> str:
    """Return file and line of the innermost call that is not the library's, or of the job that this thread does."""
    if line := asked_by.get():
        return line
    frame = sys._getframe(1)
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def report_compilation(device: Device, name: str, seconds: float) -> None:
    """Log a kernel that was compiled. If most of the first seconds of the program have gone to compilers, say once how
    to avoid that."""
    global _waited
    line = f"{device}: kernel {name}: {seconds:.3f} s, for {users_line()}"
    if config.debug:
        log(line)
    else:
        logger.info(line)
    if asked_by.get():  # in the background: the program does not wait
        return
    _waited += seconds
    if _waited > PATIENCE and _waited - seconds <= PATIENCE and _waited > (time.perf_counter() - _began) / 2:
        logger.warning(
            "%.1f of the first %.1f seconds of this program went to compilers. Kernels are kept on disk (config.cache),"
            " so the next run does not wait for them; `python -m arrayapi_gpu prepare` makes common ones in advance;"
            " arrays of fewer shapes and dtypes need fewer kernels. xp.record() lists compilations, with their lines.",
            _waited,
            time.perf_counter() - _began,
        )


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
