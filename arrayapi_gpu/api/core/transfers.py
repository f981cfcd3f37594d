"""Implicit transfers to the host: allowed, logged with the caller's line, or refused (``config.host_transfers``)."""

from __future__ import annotations

import inspect
import sys

from ...config import config, log

OWN_MODULES = (__name__.partition(".")[0], "numpy")


def check_transfer(what: str, instead: str) -> None:
    """Raise TypeError if implicit transfers are refused, log the transfer if they are logged.

    ``what``: the description of the transfer; ``instead``: the code to write for an explicit transfer.
    """
    if config.host_transfers == "error":
        raise TypeError(f"{what}, and config.host_transfers is 'error'; use {instead}")
    log_transfer(what)


def log_transfer(what: str) -> None:
    """Log a transfer if implicit transfers are logged; ``what``: the description of the transfer."""
    if config.host_transfers == "log":
        log(f"{what}, {users_line()}")


def users_line() -> str:
    """The file and line of the innermost caller outside this package and NumPy."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OWN_MODULES:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else sys.argv[0]
