"""The extension of IPython: ``%load_ext arrayapi_gpu`` adds ``%xp_time`` and ``%%xp_time``.

It needs nothing of IPython but the shell that it is given, so the package does not import it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from .benchmarking import Benchmark, benchmark
from .recordings import Recording, record


def load_ipython_extension(ipython: Any) -> None:
    """Add the magic functions to a shell. Source: this library.

    Parameters
    ----------
    ipython : IPython.core.interactiveshell.InteractiveShell
        The shell.

    Examples
    --------
    ``%load_ext arrayapi_gpu`` in a cell calls this function.
    """
    ipython.register_magic_function(partial(xp_time, ipython), magic_kind="line_cell", magic_name="xp_time")


def xp_time(ipython: Any, line: str, cell: str | None = None) -> Benchmark | Recording:
    """Measure an expression (``%xp_time x + y``), or record a cell that begins with ``%%xp_time``, which runs once."""
    if cell is None:
        measured = benchmark(partial(eval, compile(line.strip(), "<xp_time>", "eval"), ipython.user_ns))
        measured.name = line.strip()
        return measured
    with record() as made:
        ipython.run_cell(cell).raise_error()
    return made
