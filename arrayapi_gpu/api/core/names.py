"""Names that differ between NumPy and the standard, and the error for an unknown name of a module.

`RENAMED` is the one table of NumPy's names: errors are made from it, and `numpy_protocols` finds functions by it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Final

import numpy as np

# NumPy's names, including removed ones, and the standard's names for the same functions and dtypes.
RENAMED: Final[Mapping[str, str]] = {
    "absolute": "abs",
    "alltrue": "all",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "array": "asarray",
    "asanyarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "bool_": "bool",
    "concatenate": "concat",
    "conjugate": "conj",
    "fix": "trunc",
    "half": "float16",
    "in1d": "isin",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "product": "prod",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "around": "round",
    "single": "float32",
    "double": "float64",
    "csingle": "complex64",
    "cdouble": "complex128",
    "sometrue": "any",
    "true_divide": "divide",
}

# NumPy's names without an equivalent in the standard, and the code to use instead.
INSTEAD: Final[Mapping[str, str]] = {
    "allclose": "xp.all(xp.abs(a - b) <= atol + rtol * xp.abs(b))",
    "argwhere": "nonzero",
    "bfloat16": "float32, or install ml_dtypes, which brings bfloat16",
    "array_equal": "xp.all(a == b) and a.shape == b.shape",
    "ascontiguousarray": "asarray with copy=True",
    "column_stack": "stack with axis=1",
    "diagonal": "linalg.diagonal",
    "dot": "matmul, vecdot or tensordot",
    "flatnonzero": "nonzero of reshape(x, (-1,))",
    "hstack": "concat",
    "inner": "vecdot or tensordot",
    "isclose": "xp.abs(a - b) <= atol + rtol * xp.abs(b)",
    "matvec": "matmul",
    "norm": "linalg.norm",
    "outer": "linalg.outer",
    "ptp": "max and min",
    "ravel": "reshape(x, (-1,))",
    "swapaxes": "permute_dims or moveaxis",
    "trace": "linalg.trace",
    "unique": "unique_values, unique_counts, unique_inverse or unique_all",
    "vdot": "vecdot",
    "vstack": "concat",
}


def missing(module: str, name: str, public: Collection[str]) -> str:
    """The message of the AttributeError for a name that a module does not have; ``public``: the names that it has."""
    if RENAMED.get(name) in public:
        return f"module {module!r} has no attribute {name!r}: NumPy's {name} is called {RENAMED[name]} in the standard"
    if name in INSTEAD:
        return f"module {module!r} has no attribute {name!r}: the standard has no {name}; use {INSTEAD[name]}"
    package, _, chapter = module.partition(".")
    if hasattr(np if not chapter else getattr(np, chapter, None), name):
        home = ".".join(filter(None, (package, "numpy", chapter)))
        return f"module {module!r} has no attribute {name!r}: the standard has no {name}; {home} has NumPy's"
    return f"module {module!r} has no attribute {name!r}"


def attributes(
    module: str, public: Sequence[str], later: Sequence[str] = ()
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a module with these public names (PEP 562). Submodules among them that take
    long to import (``later``) are imported at their first use.

    The AttributeError carries the name and the module, so Python's traceback suggests similar names.
    """
    names = frozenset(public)

    def __getattr__(name: str) -> ModuleType:
        if name in later:
            return import_module(f"{module}.{name}")
        raise AttributeError(missing(module, name, names), name=name, obj=sys.modules[module])

    def __dir__() -> list[str]:
        return list(public)

    return __getattr__, __dir__
