"""All settings of the library, in one table.

A row is a field of `Config`: its name, type and default, the function that reads a value (from Python or from the
environment variable ``ARRAYAPI_GPU_<NAME>``), its scope, and its description. `scopes` defines where a value holds.

>>> config.set(fusion=False)            # from now on
>>> with config.set(fusion=False): ...  # inside the block
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
import logging
import os
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from .scopes import Block, Scoped, Unusable

PREFIX = "ARRAYAPI_GPU_"

logger: logging.Logger = logging.getLogger("arrayapi_gpu")
logger.setLevel(logging.INFO)  # `Config.debug` decides which lines are logged

_TRUE, _FALSE = ("1", "true", "on", "yes"), ("0", "false", "off", "no", "")


def log(text: str) -> None:
    """Write a line to the logger "arrayapi_gpu", or to standard error if the program has no handlers for it."""
    if logger.hasHandlers():
        logger.info(text)
    else:
        print(f"[arrayapi_gpu] {text}", file=sys.stderr)


def _flag(value: object) -> bool:
    if not isinstance(value, (str, int)) and type(value).__name__ not in ("bool", "bool_"):  # NumPy's
        raise ValueError("allowed: True, False (in the environment 1, 0)")
    text = str(value).lower()
    if text not in _TRUE + _FALSE:
        raise ValueError("allowed: True, False (in the environment 1, 0)")
    return text in _TRUE


def _level(value: object) -> int:
    if not isinstance(value, (str, Integral)) or str(value) not in tuple("012345"):
        raise ValueError("allowed: 0, 1, 2, 3, 4, 5")
    return int(str(value))


def _count(value: object) -> int:
    if not isinstance(value, (str, Integral)) or not str(value).isdecimal():
        raise ValueError("allowed: 0 and positive integers")
    return int(str(value))


def _folder(value: object) -> str | None:
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise ValueError("allowed: the path of a directory, None")
    path = None if value is None else os.fspath(value)
    if isinstance(path, bytes):
        raise ValueError("allowed: the path of a directory as str, not bytes")
    return path or None


_DEVICES = ("cpu", "gpu", "native", "cuda", "opencl")
registered: set[str] = set()  # names of devices that the program registered; they may have any form
_DEVICE = re.compile(r"own|(own:)?(cpu|gpu|native|(cuda|opencl)(:?[0-9]+(:[0-9]+)?)?)")


def nearest_device(name: str) -> str:
    """Return the end of a message: which kind of device a misspelt name resembles, if any."""
    near = difflib.get_close_matches(name.lower().partition(":")[0], (*_DEVICES, *registered), 1)
    return f"; the closest name is {near[0]!r}" if near and near[0] != name else ""


def _device(value: object) -> str | None:
    """The name of a device. Whether the device exists is checked at its first use."""
    name = value if isinstance(value, str) or value is None else getattr(value, "name", value)
    if name is None or name == "":
        return None
    if not isinstance(name, str) or not (_DEVICE.fullmatch(name) or name.removeprefix("own:") in registered):
        raise ValueError(
            "allowed: 'cpu', 'gpu', 'native', 'cuda', 'opencl', a name such as 'cuda:0' or 'opencl:1:0', 'own', or "
            "'own:' before one of these; `python -m arrayapi_gpu` lists the devices of this machine"
            + nearest_device(str(name))
        )
    return str(name)


def _transfers(value: object) -> str:
    if value not in ("allow", "log", "error"):
        raise ValueError("allowed: 'allow', 'log', 'error'")
    return str(value)


NONFINITE = ("invalid", "divide", "over")  # kinds of results that are not finite, as `numpy.errstate` calls them
_MODES = (None, "ignore", "warn", "raise")


def _nan(value: object) -> str | dict[str, str] | None:
    """The handling of results that are not finite: one mode, or one for each kind. None: all are ignored."""
    if isinstance(value, str) and "=" in value:
        value = {kind.strip(): mode.strip() for kind, _, mode in (part.partition("=") for part in value.split(","))}
    modes = value if isinstance(value, Mapping) else {kind: value or None for kind in NONFINITE}
    if any(kind not in NONFINITE or mode not in _MODES for kind, mode in modes.items()):
        raise ValueError(
            "allowed: None, 'ignore', 'warn', 'raise', or a mapping from 'invalid', 'divide' and 'over' to these"
        )
    chosen = {str(kind): str(mode) for kind, mode in modes.items() if mode not in (None, "ignore")}
    return (value if isinstance(value, str) else chosen) if chosen else None


def modes_of(nan: str | Mapping[str, str] | None) -> dict[str, str]:
    """The mode of each kind, for a value of ``config.nan``."""
    if isinstance(nan, Mapping):
        return {kind: nan.get(kind, "ignore") for kind in NONFINITE}
    return dict.fromkeys(NONFINITE, nan or "ignore")


def _specialise(value: object) -> str:
    if value not in ("always", "by use", "never"):
        raise ValueError("allowed: 'always', 'by use', 'never'")
    return str(value)


Limit = int | float | Mapping[str, int | float] | None  # bytes or a share of all memory, or one of these per device

_UNITS = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_AMOUNT = re.compile(r"([0-9]+)|([0-9]*\.?[0-9]+) *([kKMGT]?i?B)|([0-9]*\.[0-9]*)")


def _amount(value: object, least: int = 1) -> int | float:
    """An amount of memory: bytes as an int, or a share of all memory as a float. ``least``: the fewest bytes
    allowed."""
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
    raise ValueError(f"allowed: bytes (an int >= {least}), a share (a float > 0 and <= 1.0), a text such as '256 MiB'")


def _amounts(value: object, least: int = 1) -> Limit:
    """One amount for all devices, or a mapping from names of devices to amounts."""
    if value is None or value == "":
        return None
    pairs = value.items() if isinstance(value, Mapping) else None
    if isinstance(value, str) and "=" in value:
        pairs = [part.split("=", 1) if "=" in part else (part, "") for part in value.split(",")]  # type: ignore[assignment]
    if pairs is None:
        return _amount(value, least)
    return {str(name).strip(): _amount(amount, least) for name, amount in pairs}


def limit_of(limit: Limit, device: str, memory: int) -> int:
    """The bytes that ``limit``, a ``memory_limit``, allows for the device named ``device`` with ``memory`` bytes.

    A key of a mapping applies to all devices whose names begin with its parts; the longest such key is used.
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
    """The settings of the library; `config` is the one instance.

    Assignment to a setting changes it in the innermost enclosing ``with`` block that has set it, or in the process if
    there is none. Each setting can also be given by an environment variable, such as ARRAYAPI_GPU_FUSION=0.

    Raises
    ------
    AttributeError
        For an unknown setting.
    ValueError
        For a value that is not allowed.

    Examples
    --------
    >>> with xp.config.set(fusion=False):
    ...     print(xp.config.fusion)
    False
    """

    device: str | None = _context_row(
        None, _device, "name of the default device; own: one that few other processes use (default: a GPU, or a CPU)"
    )
    fusion: bool = _context_row(True, _flag, "fuse expressions into few kernels")
    specialise: str = _context_row(
        "by use",
        _specialise,
        "kernels for one layout of operands: by use (after repeated use), always (at once), never",
    )
    small_on_host: bool = _context_row(
        True, _flag, "compute small arrays on the host with NumPy if it gives the same bits as the kernels"
    )
    background: int = _context_row(
        1 << 24,
        _count,
        "elements that the native device computes by loops before a kernel is compiled in the background; 0: never",
    )
    threads: int = _row(
        0, _count, "threads of the native device for launches that are made from now on; 0: one for each processor"
    )
    wait_for_compiler: bool = _context_row(
        False, _flag, "wait until a new expression has its kernel, instead of computing it in another way meanwhile"
    )
    debug: int = _context_row(
        0, _level, "log 1 devices and kernels, 2 launches, 3 why expressions are not fused, 4 source, 5 compilers' logs"
    )
    dump: str | None = _row(None, _folder, "directory to which the source of each kernel is written")
    nan: str | dict[str, str] | None = _context_row(  # noqa: RUF009  # as in the other rows
        None, _nan, "raise or warn where an operation makes NaN or infinity from finite values; nothing is lazy then"
    )
    check: bool = _row(False, _flag, "start new arrays at an offset, and check the indices in user kernels")
    pool: bool = _row(True, _flag, "keep freed memory for later arrays; set to False for tools that watch memory")
    host_transfers: str = _context_row("allow", _transfers, "implicit host copies: allow, log or error")
    progress: bool = _context_row(False, _flag, "show the number of finished blocks of out-of-core computations")
    cache: bool = _row(True, _flag, "keep compiled kernels on disk")
    cache_dir: str | None = _row(None, _folder, "directory for compiled kernels (default: one in the user's cache)")
    cache_dirs: str | None = _row(
        None, _folder, f"directories that are looked into first and never written to, with {os.pathsep!r} between them"
    )
    memory_limit: int | float | Mapping[str, int | float] | None = _row(
        None, _amounts, "memory limit for a device's arrays: bytes, a share, '256 MiB', or a mapping by device name"
    )
    spill_limit: int | float | Mapping[str, int | float] | None = _row(
        None,
        partial(_amounts, least=0),
        "limit on host memory for arrays that do not fit in device memory (default: half of it; none on CPUs)",
    )
    spill_folder: str | None = _row(None, _folder, "directory for arrays that fit in neither device nor host memory")
    trial: bool = _row(True, _flag, "test a CPU driver in a separate process before its first use")

    def __init__(self) -> None:
        Scoped.__init__(self, {name: row.default for name, row in ROWS.items()})

    if not TYPE_CHECKING:  # with which mypy would accept every name

        def __setattr__(self, name: str, value: object) -> None:
            self.assign(name, _read(name, value))

    def __repr__(self) -> str:
        return f"config({', '.join(f'{name}={value!r}' for name, value in self.values().items())})"

    def __reduce__(self) -> tuple[Callable[[], Config], tuple[()]]:
        """Copies and pickles stand for the settings of the process, as a module does."""
        return _of_process, ()

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"config.{name} cannot be deleted; allowed: assignment; use config.set({name}=...)")

    def set(self, **knobs: object) -> Block:
        """Change settings, for a ``with`` block or from now on.

        A ``with`` statement changes them inside its block, for the thread or task that is in it, or, for settings of
        the process, everywhere. A call as a statement changes them at once. A program should not keep the result in a
        variable, because nothing is changed as long as it does.

        Parameters
        ----------
        **knobs : Any
            The settings and their values.

        Returns
        -------
        Block
            The context manager.

        Raises
        ------
        AttributeError
            For an unknown setting.
        ValueError
            For a value that is not allowed; then nothing is changed.

        See Also
        --------
        values : All settings.

        Examples
        --------
        >>> with xp.config.set(host_transfers="log"):
        ...     print(xp.config.host_transfers)
        log
        """
        return Block(self, {name: _read(name, value) for name, value in knobs.items()})

    def values(self) -> dict[str, Any]:
        """Read all settings.

        Returns
        -------
        dict of str to Any
            The settings and their values in the current context.

        Examples
        --------
        >>> "fusion" in xp.config.values()
        True
        """
        return {name: getattr(self, name) for name in ROWS}

    def read_environment(self, environment: Mapping[str, str]) -> None:
        """Read settings from environment variables.

        It is called with ``os.environ`` when the package is imported. A value that is not allowed raises ValueError
        when the setting is first used, unless it is set before.

        Parameters
        ----------
        environment : mapping of str to str
            The variables. The name of a setting's variable is ARRAYAPI_GPU_ and the name in capitals.

        Warns
        -----
        UserWarning
            For a variable with this prefix that matches no setting.

        Examples
        --------
        >>> with xp.config.set(progress=False):
        ...     xp.config.read_environment({"ARRAYAPI_GPU_PROGRESS": "1"})
        ...     print(xp.config.progress)
        True
        """
        known = [*map(str.upper, ROWS), "COMPILED"]  # which `compiled` reads before this module is there
        for variable in environment:
            name = variable.removeprefix(PREFIX)
            if name != variable and name not in known:
                near = [PREFIX + each for each in difflib.get_close_matches(name, known) or known]
                warnings.warn(f"environment: got {variable}; allowed: {', '.join(near)}; rename it", stacklevel=2)
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
Config.__doc__ = f"{inspect.cleandoc(Config.__doc__ or '')}\n\nAttributes\n----------\n" + "".join(
    f"{name} : {row.type}\n    {row.metadata['doc'][:1].upper()}{row.metadata['doc'][1:]}.\n"
    for name, row in ROWS.items()
)
Config.context_rows = frozenset(name for name, row in ROWS.items() if row.metadata["scope"] == "context")
Config.hot_rows = frozenset(("check", "debug", "fusion", "nan", "pool"))


def _read(name: str, value: object) -> object:
    """A value of a row, converted to the row's type."""
    if name not in ROWS:
        near = difflib.get_close_matches(name, ROWS, 1)
        advice = f"; the closest name is {near[0]!r}" if near else ""
        raise AttributeError(f"config: got {name!r}; allowed: {', '.join(ROWS)}{advice}")
    try:
        return ROWS[name].metadata["read"](value)
    except ValueError as error:
        raise ValueError(f"config.{name}: got {value!r}; {error}") from None


config: Config = Config()


def _of_process() -> Config:
    return config


unusual: set[str] = config.unusual  # see `Scoped`; always the same set
config.read_environment(os.environ)
