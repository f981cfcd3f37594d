"""Implicit transfers to the host: allowed, logged with the user's line, or refused (``config.host_transfers``)."""

from __future__ import annotations

import inspect
import sys

from ...config import config, log

OWN_MODULES = (__name__.partition(".")[0], "numpy")


def ask(what: str, instead: str) -> None:
    """Log an implicit transfer, or raise TypeError; ``what``: what is done, ``instead``: what a user may write."""
    if config.host_transfers == "error":
        raise TypeError(f"{what}, and config.host_transfers is 'error'; use {instead}")
    tell(what)


def tell(what: str) -> None:
    """Log a transfer, where these are logged; ``what``: what is done."""
    if config.host_transfers == "log":
        log(f"{what}, {users_line()}")


def users_line() -> str:
    """The file and the line outside of this package, and of NumPy, that is being computed."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in OWN_MODULES:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else sys.argv[0]
