"""Modules with NumPy's names: each name is made at its first use, from the table, NumPy, or a definition here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from .functions import function
from .table import AS_THEY_ARE, NOT_TAKEN
from .ufuncs import ufunc


def made(name: str, numpys: Any, module: str) -> Any:
    """The object of this package for one of NumPy's: a ufunc, a function, or NumPy's object itself."""
    if isinstance(numpys, np.ufunc):
        return ufunc(numpys, module)
    if name in AS_THEY_ARE or isinstance(numpys, type) or not callable(numpys):
        return numpys
    return function(numpys, module)


def mirror(
    module: str, numpys: ModuleType, own: Mapping[str, Any], names: list[str] | None = None
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a module with the names of a module of NumPy.

    ``own``: the names that the module defines, by object or by a function that imports it; ``names``: NumPy's names, by
    default its ``__all__``.
    """
    known = set(numpys.__all__ if names is None else names) - NOT_TAKEN.keys()
    public = sorted(known | own.keys())

    def __getattr__(name: str) -> Any:
        if name in NOT_TAKEN:
            raise AttributeError(
                f"module {module!r} does not take NumPy's {name}: {NOT_TAKEN[name]}", name=name, obj=None
            )
        if name in own:
            value = own[name]
        elif name in known:
            value = made(name, getattr(numpys, name), module)
        else:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        setattr(sys.modules[module], name, value)
        return value

    def __dir__() -> list[str]:
        return public

    return public, __getattr__, __dir__
