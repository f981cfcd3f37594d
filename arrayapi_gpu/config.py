"""Every knob of the library, in one table.

A row is a field of `Config`: its name, type and default, how a value is read (from Python or from the environment
variable ``ARRAYAPI_GPU_<NAME>``), whose it is, and what it does. `scopes` says who sees a value.

>>> config.set(fusion=False)            # from now on
>>> with config.set(fusion=False): ...  # inside the block
"""

from __future__ import annotations

import dataclasses
import difflib
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any

from .scopes import Block, Scoped, Unusable

PREFIX = "ARRAYAPI_GPU_"

logger = logging.getLogger("arrayapi_gpu")
logger.setLevel(logging.INFO)  # `Config.debug` chooses the messages

_TRUE, _FALSE = ("1", "true", "on", "yes"), ("0", "false", "off", "no", "")


def log(text: str) -> None:
    """Give a line to the logger "arrayapi_gpu", or to standard error where the program has no handlers for it."""
    if logger.hasHandlers():
        logger.info(text)
    else:
        print(f"[arrayapi_gpu] {text}", file=sys.stderr)


def _flag(value: object) -> bool:
    if not isinstance(value, (str, int)) and type(value).__name__ not in ("bool", "bool_"):  # NumPy's
        raise ValueError("True or False is allowed (in the environment 1 or 0)")
    text = str(value).lower()
    if text not in _TRUE + _FALSE:
        raise ValueError("True or False is allowed (in the environment 1 or 0)")
    return text in _TRUE


def _level(value: object) -> int:
    if not isinstance(value, (str, Integral)) or str(value) not in tuple("012345"):
        raise ValueError("0, 1, 2, 3, 4 or 5 is allowed")
    return int(str(value))


def _folder(value: object) -> str | None:
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise ValueError("the path of a folder, or None, is allowed")
    path = None if value is None else os.fspath(value)
    if isinstance(path, bytes):
        raise ValueError("the path of a folder as text is allowed")
    return path or None


registered: set[str] = set()  # names of devices that the program has made known, which need not be of this form
_DEVICE = re.compile(r"own|(own:)?(cpu|gpu|(cuda|opencl)(:?[0-9]+(:[0-9]+)?)?)")


def _device(value: object) -> str | None:
    """The name of a device. It does not have to exist: its first use looks for it."""
    name = value if isinstance(value, str) or value is None else getattr(value, "name", value)
    if name is None or name == "":
        return None
    if not isinstance(name, str) or not (_DEVICE.fullmatch(name) or name.removeprefix("own:") in registered):
        raise ValueError(
            "'cpu', 'gpu', 'cuda', 'opencl', a name such as 'cuda:0' or 'opencl:1:0', 'own', or 'own:' before one of "
            "these, is allowed; devices() lists those that are there"
        )
    return str(name)


def _transfers(value: object) -> str:
    if value not in ("allow", "log", "error"):
        raise ValueError("'allow', 'log' or 'error' is allowed")
    return str(value)


def _specialise(value: object) -> str:
    if value not in ("always", "by use", "never"):
        raise ValueError("'always', 'by use' or 'never' is allowed")
    return str(value)


Limit = int | float | Mapping[str, int | float] | None  # bytes, a share, or one of both for each device

_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_AMOUNT = re.compile(r"([0-9]+)|([0-9]*\.?[0-9]+) *([kKMGT]?i?B)|([0-9]*\.[0-9]*)")


def _amount(value: object, least: int = 1) -> int | float:
    """Bytes, an int, or a share of all that there is, a float."""
    if isinstance(value, str) and (match := _AMOUNT.fullmatch(value.strip())):
        whole, number, unit, share = match.groups()
        if unit in _UNITS:
            value = int(float(number) * _UNITS[unit])
        elif unit is None and share != ".":
            value = int(whole) if whole else float(share)
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least:
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) <= 1:
        return float(value)
    raise ValueError(
        f"bytes (an int from {least} on), a share (a float above 0, at most 1.0) or a text ('256 MiB') is allowed"
    )


def _amounts(value: object, least: int = 1) -> Limit:
    """An amount for every device, or one for each that is named."""
    if value is None or value == "":
        return None
    pairs = value.items() if isinstance(value, Mapping) else None
    if isinstance(value, str) and "=" in value:
        pairs = [part.split("=", 1) if "=" in part else (part, "") for part in value.split(",")]  # type: ignore[assignment]
    if pairs is None:
        return _amount(value, least)
    return {str(name).strip(): _amount(amount, least) for name, amount in pairs}


def limit_of(limit: Limit, device: str, memory: int) -> int:
    """Return the bytes that a ``memory_limit`` allows for a device of this name, which has ``memory`` bytes.

    A name counts for all devices whose names begin with its parts; the longest one is taken.
    """
    if isinstance(limit, Mapping):
        names = [name for name in limit if f"{device}:".startswith(f"{name}:")]
        limit = limit[max(names, key=len)] if names else None
    if limit is None:
        return memory
    return max(1, int(limit * memory)) if isinstance(limit, float) else min(limit, memory)


def _row(default: object, read: Callable[[object], object], doc: str, scope: str = "process") -> Any:
    return dataclasses.field(default=default, metadata={"read": read, "doc": doc, "scope": scope})


_context_row = partial(_row, scope="context")


@dataclasses.dataclass(slots=True, init=False, eq=False, repr=False)
class Config(Scoped):
    """The knobs. There is one instance, `config`, for the process.

    Setting one raises AttributeError if there is no such knob, and ValueError, which names the knob, the value and the
    allowed ones, for a value it cannot take. It sets the row in the innermost block around that has set it, otherwise
    for the process.
    """

    device: str | None = _context_row(
        None,
        _device,
        "name of the default device, or own: one that few other processes have (default: a GPU, or a CPU)",
    )
    fusion: bool = _context_row(True, _flag, "fuse expressions into few kernels")
    specialise: str = _context_row(
        "by use", _specialise, "kernels for one layout of operands: by use, always (at once) or never"
    )
    small_on_host: bool = _context_row(
        True, _flag, "compute small arrays in host memory with NumPy, where it gives the bits of the kernels"
    )
    debug: int = _context_row(
        0, _level, "log 1 devices, 2 launches, 3 values computed separately and the reason, 4 source, 5 compilers' logs"
    )
    dump: str | None = _row(None, _folder, "directory for the source of each kernel")
    check: bool = _row(False, _flag, "start new arrays at an offset; check indices of users' kernels")
    pool: bool = _row(True, _flag, "keep freed memory for later arrays; off, memory checkers see each array")
    host_transfers: str = _context_row("allow", _transfers, "implicit host copies: allow, log or error")
    progress: bool = _context_row(False, _flag, "show how many blocks of a value made of host operands are done")
    cache: bool = _row(True, _flag, "keep compiled kernels on disk")
    cache_dir: str | None = _row(
        None, _folder, "directory for compiled kernels (default: in the user's cache directory)"
    )
    memory_limit: int | float | Mapping[str, int | float] | None = _row(
        None, _amounts, "memory that a device's arrays may take: bytes, a share, '256 MiB', or one for each name"
    )
    spill_limit: int | float | Mapping[str, int | float] | None = _row(
        None,
        partial(_amounts, least=0),
        "host memory for arrays that do not fit on the device (default: half of it; none on CPUs)",
    )
    spill_folder: str | None = _row(None, _folder, "directory for arrays that fit in neither device nor host memory")
    trial: bool = _row(True, _flag, "try a driver on the CPU in a process of its own before it is trusted")

    def __init__(self) -> None:
        Scoped.__init__(self, {name: row.default for name, row in ROWS.items()})

    def __setattr__(self, name: str, value: object) -> None:
        self.assign(name, _read(name, value))

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"config.{name} cannot be deleted; allowed: to assign a value")

    def set(self, **knobs: object) -> Block:
        """Change knobs, all or, where one raises, none; as a context manager, inside its block.

        The result is to be entered, or dropped as a statement does: while a program keeps it, nothing is set.
        """
        return Block(self, {name: _read(name, value) for name, value in knobs.items()})

    def values(self) -> dict[str, Any]:
        """Return the values of all rows that hold here."""
        return {name: getattr(self, name) for name in ROWS}

    def read_environment(self, environment: Mapping[str, str]) -> None:
        """Take over every variable that is set.

        A value that a knob cannot take raises a ValueError when the knob is first read, unless it is set before, so the
        import does not fail. A variable with the package's prefix that belongs to no knob is probably misspelt: it
        causes a UserWarning.
        """
        known = [name.upper() for name in ROWS]
        for variable in environment:
            name = variable.removeprefix(PREFIX)
            if name != variable and name not in known:
                near = [PREFIX + each for each in difflib.get_close_matches(name, known) or known]
                warnings.warn(f"environment: got {variable}; allowed: {', '.join(near)}", stacklevel=2)
        for name, row in ROWS.items():
            variable = PREFIX + name.upper()
            text = environment.get(variable)
            if text is None:
                continue
            try:
                self.assign(name, row.metadata["read"](text))
            except ValueError as error:
                advice = f"unset {variable}, or call config.set({name}=...) before the first use"
                self.assign(name, Unusable(f"environment: {variable}: got {text!r}; {error}; {advice}"))


ROWS: dict[str, dataclasses.Field[Any]] = {field.name: field for field in dataclasses.fields(Config)}
Config.context_rows = frozenset(name for name, row in ROWS.items() if row.metadata["scope"] == "context")


def _read(name: str, value: object) -> object:
    """The value of a row, of the type that it has."""
    if name not in ROWS:
        raise AttributeError(f"config: got {name!r}; there are {', '.join(ROWS)}")
    try:
        return ROWS[name].metadata["read"](value)
    except ValueError as error:
        raise ValueError(f"config.{name}: got {value!r}; {error}") from None


config = Config()
config.read_environment(os.environ)
