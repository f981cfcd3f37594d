"""Every knob of the library, in one table.

A row is a field of `Config`: its name, type and default, how its text is read from the environment variable
``ARRAYAPI_GPU_<NAME>``, and what it does. Reading a knob, as in ``config.fusion``, is a plain attribute read.

>>> with config.set(fusion=False):
...     config.fusion
False
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Any

PREFIX = "ARRAYAPI_GPU_"


def _boolean(value: object) -> bool:
    if isinstance(value, str):
        words = {"1": True, "true": True, "on": True, "yes": True,
                 "0": False, "false": False, "off": False, "no": False, "": False}  # fmt: skip
        if value.lower() in words:
            return words[value.lower()]
    elif isinstance(value, bool):
        return value
    raise ValueError("True or False is allowed (in the environment: 1 or 0)")


def _level(value: object) -> int:
    text = str(int(value)) if isinstance(value, int) else value
    if isinstance(text, str) and text in {"0", "1", "2", "3", "4", "5"}:
        return int(text)
    raise ValueError("0, 1, 2, 3, 4 or 5 is allowed")


def _text(value: object) -> str | None:
    return None if value is None or value == "" else os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _transfers(value: object) -> str:
    if isinstance(value, str) and value in {"allow", "log", "error"}:
        return value
    raise ValueError('"allow", "log" or "error" is allowed')


def _knob(default: object, read: Callable[[object], object], doc: str) -> Any:
    return dataclasses.field(default=default, metadata={"read": read, "doc": doc})


@dataclasses.dataclass(slots=True)
class Config:
    """The knobs; there is one instance, `config`. ValueError names the knob, what came, and what is allowed."""

    device: str | None = _knob(None, _text, "the default device, such as opencl:0:1 (default: a GPU, else the CPU)")
    fusion: bool = _knob(True, _boolean, "compute expressions lazily, many operations in one kernel")
    debug: int = _knob(0, _level, "print 1: devices; 2: launches; 3: why a plan was cut; 4: source; 5: compiler log")
    dump: str | None = _knob(None, _text, "a folder into which the source of every kernel is written")
    check: bool = _knob(False, _boolean, "checked loads; every fresh array starts at an offset")
    host_transfers: str = _knob("allow", _transfers, "implicit copies to the host: allow, log or error")
    cache_dir: str | None = _knob(None, _text, "a folder for compiled kernels (default: where each driver keeps them)")

    def __setattr__(self, name: str, value: object) -> None:
        try:
            read = _READERS[name]
        except KeyError:
            raise AttributeError(f"config.{name}: no such knob; there are {', '.join(_READERS)}") from None
        try:
            object.__setattr__(self, name, read(value))
        except ValueError as error:
            raise ValueError(f"config.{name}: got {value!r}; {error}") from None

    def set(self, **knobs: object) -> Restore:
        """Change knobs, for good or, as a context manager, inside the ``with`` block (in all threads alike)."""
        before = {name: getattr(self, name, None) for name in knobs}
        try:
            for name, value in knobs.items():
                setattr(self, name, value)
        except (AttributeError, ValueError):
            for name in before.keys() & _READERS.keys():
                setattr(self, name, before[name])
            raise
        return Restore(self, before)

    def read_environment(self, environment: Mapping[str, str]) -> None:
        """Take over every variable that is there."""
        for name in _READERS:
            if (text := environment.get(PREFIX + name.upper())) is not None:
                setattr(self, name, text)


class Restore:
    """What `Config.set` returns: leaving its ``with`` block brings the former values back."""

    __slots__ = ("_before", "_config")

    def __init__(self, target: Config, before: dict[str, object]):
        self._config = target
        self._before = before

    def __enter__(self) -> Config:
        return self._config

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            setattr(self._config, name, value)


_READERS: dict[str, Callable[[object], object]] = {
    field.name: field.metadata["read"] for field in dataclasses.fields(Config)
}

config = Config()
config.read_environment(os.environ)
