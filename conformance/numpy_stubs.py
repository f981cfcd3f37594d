"""`python -m conformance.numpy_stubs`: writes the type stubs of `arrayapi_gpu.numpy`, whose names are made at run time.

A function has NumPy's parameters. The type of its result is that of the calls of `tests/support/numpy_calls.py`: an
array, a tuple or a list of arrays, a number, or else Any.
"""

from __future__ import annotations

import argparse
import inspect
import runpy
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import arrayapi_gpu.numpy as ours
from arrayapi_gpu import Array
from arrayapi_gpu.numpy.grids import Indexed

FOLDER = Path(ours.__file__).parent
CALLS = Path(__file__).parents[1] / "tests/support/numpy_calls.py"
TOP = """# Written by `python -m conformance.numpy_stubs` from NumPy {version}.
# ruff: noqa
import builtins
from types import ModuleType
from typing import Any

import numpy
from arrayapi_gpu import Array

"""
UFUNCS = """from .ufuncs import ufunc as ufunc

_ufunc_of_several = Any
"""
GENERATORS = """from numpy.random import BitGenerator as BitGenerator
from arrayapi_gpu.random import (
    Generator as Generator, Philox as Philox, SeedSequence as SeedSequence, default_rng as default_rng,
)

class RandomState:
    def __init__(self, seed: Any = ...) -> None: ...
"""
OF_RANDOM = {"seed": "None", "set_state": "None", "shuffle": "None", "get_state": "Any", "bytes": "builtins.bytes"}
# Functions that return arrays, except with unusual arguments; arrays of strings and similar ones are NumPy's.
ARRAYS = (
    "array", "asarray", "asanyarray", "empty", "empty_like", "fromfile", "indices", "linspace", "ones_like",
    "trim_zeros", "unique_values", "zeros", "zeros_like",
)  # fmt: skip
NOTHING = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")
SCALARS = {one: f"builtins.{one.__name__}" for one in (bool, int, float, complex, str)} | {type(None): "None"}
DEFINED = ("files", "grids", "host_state")  # modules of functions that are not made from NumPy's


def kind(value: Any) -> str:
    """The type of a result."""
    if isinstance(value, Array):
        return "Array"
    if isinstance(value, np.dtype):
        return "numpy.dtype[Any]"
    if type(value) in (tuple, list) and value and all(isinstance(item, Array) for item in value):
        return "builtins.tuple[Array, ...]" if isinstance(value, tuple) else "builtins.list[Array]"
    return SCALARS.get(type(value), "Any")


def results(table: dict[str, tuple[str, ...]], path: str, operands: dict[str, Any]) -> dict[str, str]:
    """The types of the results of functions, by name."""
    found = {}
    for name, calls in table.items():
        kinds = set()
        for call in calls:
            if not call.startswith("{0}("):  # a part of the result
                kinds.add("Any")
                continue
            names = {key: ours.asarray(host.copy()) for key, host in operands.items()}
            kinds.add(kind(eval(call.format(f"{path}.{name}"), {"np": ours, **names})))
        kinds = {"Array"} if name in ARRAYS else {"None"} if name in NOTHING else kinds
        found[name] = kinds.pop() if len(kinds) == 1 else "Any"
    return found


def parameters(function: Any) -> list[str]:
    """The parameters of a function, as source."""
    try:
        listed = [*inspect.signature(function).parameters.values()]
    except ValueError:
        return ["*args: Any", "**kwargs: Any"]
    p = inspect.Parameter
    stars: dict[Any, str] = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}
    text = list[str]()
    for k, parameter in enumerate(listed):
        before = listed[k - 1].kind if k else None
        if before is p.POSITIONAL_ONLY and parameter.kind is not before:
            text.append("/")
        if parameter.kind is p.KEYWORD_ONLY and before not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            text.append("*")
        default = "" if parameter.default is p.empty else " = ..."
        text.append(f"{stars.get(parameter.kind, '')}{parameter.name}: Any{default}")
    return [*text, "/"] if listed and listed[-1].kind is p.POSITIONAL_ONLY else text


def definition(name: str, value: Any, theirs: Any, result: str) -> str:
    """The source of the stub of one name; ``theirs``: the module of NumPy that has it."""
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, ours.ufunc):
        return f"{name}: ufunc" if value.nout == 1 else f"{name}: _ufunc_of_several"
    if isinstance(value, ModuleType):
        is_file = (FOLDER / f"{name}.py").exists() or name in MADE
        if value is getattr(theirs, name):
            return f"from {theirs.__name__} import {name} as {name}"
        return f"from . import {name} as {name}" if is_file else f"{name}: ModuleType"
    if value is Array:
        return f"{name} = Array"
    if home.startswith(ours.__name__) and home.rpartition(".")[2] in DEFINED and not isinstance(value, Indexed):
        return f"from .{home.rpartition('.')[2]} import {name} as {name}"
    if inspect.isfunction(value) and home.startswith(ours.__name__):
        return f"def {name}({', '.join(parameters(value))}) -> {result}: ..."
    if callable(value):
        return "" if value is ours.ufunc else f"from {theirs.__name__} import {name} as {name}"
    return f"{name}: {SCALARS.get(type(value), 'Any')}"


def of_random() -> Iterator[str]:
    """Yield the lines of the stub of the random functions and their class."""
    yield GENERATORS.rstrip()
    names = [name for name in ours.random.__all__ if inspect.isfunction(getattr(ours.random, name))]
    names.remove("default_rng")
    for name in names:
        listed = ", ".join(["self", *parameters(getattr(ours.random, name))])
        yield f"    def {name}({listed}) -> {OF_RANDOM.get(name, 'Array')}: ..."
    for name in names:
        listed = ", ".join(parameters(getattr(ours.random, name)))
        yield f"def {name}({listed}) -> {OF_RANDOM.get(name, 'Array')}: ..."


MADE = ("emath", "fft", "linalg")  # modules that have a stub and no file of their own


def stubs() -> dict[str, str]:
    """The stubs by name of file."""
    table, top = runpy.run_path(str(CALLS)), TOP.format(version=np.__version__)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        types = {
            "": results(table["FUNCTIONS"], "np", table["OPERANDS"]),
            "linalg": results(table["LINALG"], "np.linalg", table["OPERANDS"]),
            "fft": results(table["FFT"], "np.fft", table["OPERANDS"]),
        }
    found = {"random.pyi": f"{top}__all__: builtins.list[builtins.str]\n" + "\n".join(of_random()) + "\n"}
    for part in ("", *MADE):
        module, theirs = (getattr(root, part) if part else root for root in (ours, np))
        lines = [
            definition(name, getattr(module, name), theirs, types.get(part, {}).get(name, "Any"))
            for name in module.__all__
        ]
        listed = f"__all__: builtins.list[builtins.str]\n{UFUNCS if not part else ''}"
        found[f"{part or '__init__'}.pyi"] = top + listed + "\n".join(filter(None, lines)) + "\n"
    return found


def main(arguments: list[str] | None = None) -> int:
    """Write the stubs."""
    parser = argparse.ArgumentParser(prog="python -m conformance.numpy_stubs", description=__doc__)
    parser.parse_args(arguments)
    for name, text in stubs().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(FOLDER / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
