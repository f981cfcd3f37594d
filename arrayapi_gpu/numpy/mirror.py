"""Modules with NumPy's names: each name is made at its first use, from the table, NumPy, or a definition here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from ..api.core.names import missing
from .functions import function
from .table import AS_THEY_ARE, NOT_TAKEN
from .ufuncs import ufunc


def made(name: str, numpys: Any, module: str) -> Any:
    """The object of this package for one of NumPy's: a ufunc, a function, or NumPy's object itself."""
    if isinstance(numpys, np.ufunc):
        return ufunc(numpys, module)
    if name in AS_THEY_ARE or isinstance(numpys, (type, ModuleType)) or not callable(numpys):
        return numpys
    return function(numpys, module)


def mirror(
    module: str,
    numpys: ModuleType,
    own: Mapping[str, Any],
    make: Callable[[str, Any, str], Any] = made,
    later: Sequence[str] = (),
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` of a module with the names of a module of NumPy.

    ``own``: the objects that this package defines, by name; ``make``: the function that makes all others, as `made`
    does. ``later``: submodules that take long to import, which are imported at their first use.
    """
    listed = getattr(numpys, "__all__", None) or [name for name in dir(numpys) if not name.startswith("_")]
    known = set(listed) - NOT_TAKEN.keys()
    public = sorted(known | own.keys())

    def __getattr__(name: str) -> Any:
        here = sys.modules[module]
        if name in later:
            return import_module(f"{module}.{name}")
        if name in own:
            value = own[name]
        elif name in known:
            theirs = getattr(numpys, name)
            first = getattr(theirs, "__name__", name)  # of several names for one object
            other = first != name and first in known and getattr(numpys, first) is theirs
            value = getattr(here, first) if other else make(name, theirs, module)
        else:
            why = missing(module, name, ())
            if name in NOT_TAKEN:
                why = f"module {module!r} does not take NumPy's {name}: {NOT_TAKEN[name]}"
            raise AttributeError(why, name=name, obj=here)
        setattr(here, name, value)
        return value

    def __dir__() -> list[str]:
        return public

    return public, __getattr__, __dir__


def submodule(
    module: str, numpys: ModuleType, own: Mapping[str, Any], make: Callable[[str, Any, str], Any] = made
) -> ModuleType:
    """The module with the names of a module of NumPy (`mirror`), which ``import`` finds."""
    found = ModuleType(module, f"NumPy's ``{numpys.__name__}`` with arrays on devices.")
    names, attribute, directory = mirror(module, numpys, own, make)
    vars(found).update(__all__=names, __getattr__=attribute, __dir__=directory, __path__=[])
    sys.modules[module] = found
    return found
