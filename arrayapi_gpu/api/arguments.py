"""What functions of arrays refuse before they begin."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .array_object import Array

P = ParamSpec("P")
R = TypeVar("R")


def refused(name: str, came: object, allowed: str = "an array") -> TypeError:
    """The error of a function that got something else than arrays."""
    return TypeError(f"{name}: got {type(came).__name__}; allowed: {allowed} of ours; use asarray")


def of_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a TypeError where what it takes arrays from has something else.

    That is its first parameter: an array, a sequence of arrays, or any number of them. Without this, a list or a NumPy
    array would come as far as the first attribute that it lacks.
    """
    first = next(iter(inspect.signature(function).parameters.values()))
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
        return function(*args, **options)

    return checked
