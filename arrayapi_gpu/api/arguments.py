"""What functions refuse before they begin: what is no array, and arguments by position that have names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..backends.base import Device
from ..memory.dtypes import NARROWER
from .array_object import Array

P = ParamSpec("P")
R = TypeVar("R")


class Undefined(ValueError):
    """The error of what has no value, though NumPy's function of the same name gives one: it is not called instead."""


def refused(name: str, came: object, allowed: str = "an array") -> TypeError:
    """The error of a function that got something else than arrays."""
    return TypeError(f"{name}: got {type(came).__name__}; allowed: {allowed} of ours; use asarray")


def supported(dtype: np.dtype[Any], device: Device) -> np.dtype[Any]:
    """The dtype; TypeError where it was asked for and the device lacks it."""
    if "f64" not in device.dtypes and dtype in NARROWER:
        raise TypeError(
            f"{dtype}: device {device} has no float64; allowed there: float32, complex64 and smaller dtypes"
        )
    return dtype


def by_name(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose TypeError says how to write arguments that came by position, but have to be named."""

    @wraps(function)
    def named(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except TypeError:
            check_positions(function, args)
            raise

    return named


def check_positions(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """TypeError for more arguments than the function takes by position."""
    parameters = inspect.signature(function).parameters.values()
    room = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    names = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    if len(args) <= room or not names or any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return
    written = ", ".join(f"{name}={_shown(value)}" for name, value in zip(names, args[room:], strict=False))
    raise TypeError(
        f"{function.__name__}: got {len(args)} arguments by position; allowed: {room}; write {written}"
    ) from None


def _shown(value: object) -> str:
    if isinstance(value, type):
        return value.__name__
    return repr(value) if value is None or isinstance(value, (bool, int, float, str, tuple)) else "..."


def of_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a TypeError where what it takes arrays from has something else.

    That is its first parameter: an array, a sequence of arrays, or any number of them. Without this, a list or a NumPy
    array would come as far as the first attribute that it lacks. Arguments by position are refused as in `by_name`.
    """
    return _checked(function, None)


def with_numpys_options(function: Callable[P, R]) -> Callable[P, R]:
    """The function, checked as by `of_arrays`; with options that only NumPy's function of the same name has, such as
    ``ddof``, ``out`` and ``where`` of reductions, it is NumPy's function on our arrays."""
    return _checked(function, getattr(np, function.__name__))


def _checked(function: Callable[P, R], numpys: Callable[..., R] | None) -> Callable[P, R]:
    known = inspect.signature(function).parameters
    first = next(iter(known.values()))
    sequence, any_number = first.annotation == "Sequence[Array]", first.kind is first.VAR_POSITIONAL
    allowed = "a sequence of arrays" if sequence else "an array"

    def check(arrays: Iterable[Any]) -> None:
        for array in arrays:
            if type(array) is not Array:
                raise refused(function.__name__, array, allowed)

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        if any_number:
            check(args)
        elif args and type(args[0]) is not Array:
            came: Any = args[0]
            if not sequence or not isinstance(came, (list, tuple)):
                raise refused(function.__name__, came, allowed)
            check(came)
        try:
            return function(*args, **options)
        except TypeError:
            check_positions(function, args)
            if numpys is None or options.keys() <= known.keys():
                raise
        return numpys(*args, **options)

    return checked
