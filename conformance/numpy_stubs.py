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
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import arrayapi_gpu.numpy as ours
from arrayapi_gpu import Array
from arrayapi_gpu.numpy.grids import Indexed
from arrayapi_gpu.numpy.table import ARRAY_PARAMETERS, SEQUENCE_PARAMETERS

FOLDER = Path(ours.__file__).parent
CALLS = Path(__file__).parents[1] / "tests/support/numpy_calls.py"
TOP = """# Written by `python -m conformance.numpy_stubs` from NumPy {version}.
# ruff: noqa
import builtins
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Literal, SupportsIndex, overload

import numpy
from numpy.typing import DTypeLike as _DType
from arrayapi_gpu import Array
from arrayapi_gpu.api.standard.set_functions import (
    UniqueAll as _UniqueAll, UniqueCounts as _UniqueCounts, UniqueInverse as _UniqueInverse,
)
from arrayapi_gpu.linalg import (
    EigenResult as _EigenResult, QRResult as _QRResult, SlogdetResult as _SlogdetResult, SVDResult as _SVDResult,
)

from . import stub_types as _types
from .stub_types import Axis as _Axis, Number as _Number, Out as _Out, Shape as _Shape, Values as _Values
from .grids import Indexed as _Indexed

__all__: builtins.list[builtins.str]
"""
# The classes of ufuncs by their numbers of operands and results, and whether they have a signature.
UFUNCS = {
    (1, 1, False): "UnaryUfunc",
    (2, 1, False): "BinaryUfunc",
    (2, 1, True): "GeneralizedUfunc",
    (1, 2, False): "UnaryUfuncOfPairs",
    (2, 2, False): "BinaryUfuncOfPairs",
}
# Functions whose result depends on arguments: the parameters that are otherwise in an overload, or all, and its result.
_NO, _YES, _PAIR, _TUPLE = (
    "Literal[False]",
    "Literal[True]",
    "builtins.tuple[Array, Array]",
    "builtins.tuple[Array, ...]",
)
_AT_LEAST = (("a: _Values, /", "Array"), ("a: _Values, b: _Values, /, *arys: _Values", _TUPLE))
_FLAGS = ("return_index", "return_inverse", "return_counts")
OVERLOADS: dict[str, tuple[tuple[str | dict[str, str], str], ...]] = {
    **dict.fromkeys(("atleast_1d", "atleast_2d", "atleast_3d"), _AT_LEAST),
    "average": (({"returned": _NO}, "Array"), ({"returned": _YES}, _PAIR), ({}, "Any")),
    "eigh": (({"UPLO": "Literal['L']"}, "_EigenResult"), ({}, "Any")),
    "linspace": (({"retstep": _NO}, "Array"), ({"retstep": _YES}, "builtins.tuple[Array, Any]"), ({}, "Any")),
    "qr": (({"mode": "Literal['reduced', 'complete']"}, "_QRResult"), ({"mode": "Literal['r']"}, "Array"), ({}, "Any")),
    "svd": (({"compute_uv": _YES}, "_SVDResult"), ({"compute_uv": _NO}, "Array"), ({}, "Any")),
    "unique": ((dict.fromkeys(_FLAGS, _NO), "Array"), *(({flag: _YES}, _TUPLE) for flag in _FLAGS), ({}, "Any")),
    "where": (({"x": "None", "y": "None"}, _TUPLE), ({"x": "_Values", "y": "_Values"}, "Array")),
}
GENERATORS = """from numpy.random import BitGenerator as BitGenerator
from arrayapi_gpu.random import (
    Generator as Generator, Philox as Philox, SeedSequence as SeedSequence, default_rng as default_rng,
)

class RandomState:
    def __init__(self, seed: Any = ...) -> None: ...
    def tomaxint(self, size: _Shape | None = ...) -> Array: ...
"""
OF_RANDOM = {"seed": "None", "set_state": "None", "shuffle": "None", "get_state": "Any", "bytes": "builtins.bytes"}
# Functions that return arrays, except with unusual arguments; arrays of strings and similar ones are NumPy's.
ARRAYS = (
    "array", "asarray", "asanyarray", "empty", "empty_like", "fromfile", "fromregex", "indices", "ones_like",
    "row_stack", "trim_zeros", "unique_values", "zeros", "zeros_like",
)  # fmt: skip
NOTHING = ("copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask")
SCALARS = {one: f"builtins.{one.__name__}" for one in (bool, int, float, complex, str)} | {type(None): "None"}
DEFINED = ("files", "grids", "host_state")  # modules of functions that are not made from NumPy's
# The types of parameters by name; those of others follow from `ARRAY_PARAMETERS` and from their defaults.
PARAMETERS = {
    **dict.fromkeys(("shape", "size", "newshape", "s"), "_Shape"),
    **dict.fromkeys(("axis", "axes"), "_Axis"),
    "dtype": "_DType | None",
    "out": "_Out",
    "keepdims": "builtins.bool | numpy.bool",
}
OF_DEFAULTS: dict[Any, str] = {
    bool: "builtins.bool | numpy.bool", int: "_Number", float: "_Values", str: "builtins.str | None",
}  # fmt: skip
OTHER = (
    "object", "bins", "mode", "like", "method", "interpolation", "initial", "constant_values", "UPLO",
    "prepend", "append",
)  # fmt: skip
CREATION = ("array", "asarray", "asanyarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray")


def kind(value: Any) -> str:
    """The type of a result."""
    if isinstance(value, Array):
        return "Array"
    if isinstance(value, np.dtype):
        return "numpy.dtype[Any]"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"_{type(value).__name__}" if type(value).__module__.startswith("arrayapi_gpu") else "Any"
    if type(value) in (tuple, list) and value:
        kinds = [kind(item) for item in value]
        if len({*kinds}) == 1:
            return f"builtins.tuple[{kinds[0]}, ...]" if type(value) is tuple else f"builtins.list[{kinds[0]}]"
        return f"builtins.tuple[{', '.join(kinds)}]" if type(value) is tuple else "Any"
    return SCALARS.get(type(value), "Any")


def results(table: dict[str, tuple[str, ...]], path: str, operands: dict[str, Any]) -> dict[str, str]:
    """The types of the results of functions, by name."""
    kinds = set[str]()

    def noted(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        kinds.add(kind(result))
        return result

    found = {}
    for name, calls in table.items():
        kinds.clear()
        function = partial(noted, attrgetter(f"{path}{name}")(ours))
        for call in calls:
            names = {key: ours.asarray(host.copy()) for key, host in operands.items()}
            eval(call.format("function"), {"np": ours, "function": function, **names})
        only = {"None"} if name in NOTHING else kinds
        found[name] = only.pop() if len(only) == 1 else "Any"
    return found | dict.fromkeys(ARRAYS, "Array")


def annotation(function: Any, parameter: inspect.Parameter) -> str:
    """The type of a parameter of a function."""
    name, default = parameter.name, parameter.default
    if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return "_Values" if parameter.kind is parameter.VAR_POSITIONAL and name not in ("args", "operands") else "Any"
    if name in OTHER or (function.__name__ in CREATION and name == "a"):
        return "Any"
    if name in PARAMETERS:
        found = PARAMETERS[name]
    elif name in SEQUENCE_PARAMETERS:
        found = "Sequence[_Values] | Array | numpy.ndarray[Any, Any]"
    elif name in ARRAY_PARAMETERS:
        found = "_Values"
    else:
        return OF_DEFAULTS.get(type(default), "Any")
    optional = default in (None, np._NoValue) if isinstance(default, (type(None), type(np._NoValue))) else False
    return f"{found} | None" if optional and found in ("_Values", "_Shape") else found


def parameters(function: Any, otherwise: Mapping[str, str] = {}) -> list[str]:
    """The parameters of a function, as source; ``otherwise``: types of some in an overload, in which a parameter has
    a default only if the type allows it."""
    try:
        listed = [*inspect.signature(function).parameters.values()]
    except ValueError:
        return ["*args: Any", "**kwargs: Any"]
    p = inspect.Parameter
    stars: dict[Any, str] = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}
    text, named, after_default = list[str](), False, False
    for k, parameter in enumerate(listed):
        before, kind = listed[k - 1].kind if k else None, parameter.kind
        type_ = otherwise.get(parameter.name) or annotation(function, parameter)
        default = repr(parameter.default)
        required = parameter.default is p.empty or default not in otherwise.get(parameter.name, default)
        if before is p.POSITIONAL_ONLY and kind is not before:
            text.append("/")
        if not named and (kind is p.KEYWORD_ONLY or (required and after_default and kind is p.POSITIONAL_OR_KEYWORD)):
            text.append("*")
            named = True
        text.append(f"{stars.get(kind, '')}{parameter.name}: {type_}{'' if required else ' = ...'}")
        named, after_default = named or kind is p.VAR_POSITIONAL, after_default or not required
    return [*text, "/"] if listed and listed[-1].kind is p.POSITIONAL_ONLY else text


def definition(name: str, value: Any, theirs: Any, result: str) -> str:
    """The source of the stub of one name; ``theirs``: the module of NumPy that has it."""
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, ours.ufunc):
        return f"{name}: _types.{UFUNCS[value.nin, value.nout, value.signature is not None]}"
    if value is getattr(theirs, name, None):
        return f"from {theirs.__name__} import {name} as {name}"
    if isinstance(value, ModuleType):
        is_file = (FOLDER / f"{name}.py").exists() or name in MADE
        return f"from . import {name} as {name}" if is_file else f"{name}: ModuleType"
    if value is Array:
        return f"{name} = Array"
    if isinstance(value, Indexed):
        return f"{name}: _Indexed"
    if value is ours.ufunc:
        return "from .ufuncs import ufunc as ufunc"
    if home.startswith(ours.__name__) and home.rpartition(".")[2] in DEFINED:
        return f"from .{home.rpartition('.')[2]} import {name} as {name}"
    if inspect.isfunction(value) and home.startswith(ours.__name__):
        overloads = OVERLOADS.get(name, (({}, result),))
        head = "@overload\ndef" if len(overloads) > 1 else "def"
        texts = [
            (one if isinstance(one, str) else ", ".join(parameters(value, one)), result) for one, result in overloads
        ]
        return "\n".join([f"{head} {name}({text}) -> {result}: ..." for text, result in texts])
    if callable(value):
        return f"from {home} import {name} as {name}"
    raise TypeError(
        f"{name}: {value!r} has no stub; allowed: ufuncs, modules, functions and NumPy's objects; add a line"
    )


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
            "": results(table["FUNCTIONS"], "", table["OPERANDS"]),
            "linalg": results(table["LINALG"], "linalg.", table["OPERANDS"]),
            "fft": results(table["FFT"], "fft.", table["OPERANDS"]),
        }
    found = {"random.pyi": top + "\n".join(of_random()) + "\n"}
    for part in ("", *MADE):
        result = "Array" if part == "emath" else "Any"  # of functions without calls in the table
        module, theirs = (getattr(root, part) if part else root for root in (ours, np))
        lines = [
            definition(name, getattr(module, name), theirs, types.get(part, {}).get(name, result))
            for name in module.__all__
        ]
        found[f"{part or '__init__'}.pyi"] = top + "\n".join(lines) + "\n"
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
