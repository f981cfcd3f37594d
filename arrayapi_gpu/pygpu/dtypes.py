"""Dtypes and their names in C, and the dtypes of results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import types
from .types import dtype_to_ctype as _name_of

NAME_TO_DTYPE: dict[str, np.dtype[Any]] = {}

# C names of each dtype; the first one is pygpu's.
_C_NAMES = {
    "bool": ["ga_bool", "bool"],
    "int8": ["ga_byte", "char", "signed char"],
    "uint8": ["ga_ubyte", "unsigned char"],
    "int16": ["ga_short", "short", "signed short", "signed short int", "short signed int"],
    "uint16": ["ga_ushort", "unsigned short", "unsigned short int", "short unsigned int"],
    "int32": ["ga_int", "int", "signed int"],
    "uint32": ["ga_uint", "unsigned", "unsigned int"],
    "int64": ["ga_long", "long", "long int", "signed long int", "long signed int", "ga_ssize", "ssize_t"],
    "uint64": ["ga_ulong", "unsigned long", "unsigned long int", "long unsigned int", "ga_size", "size_t"],
    "float16": ["ga_half", "half"],
    "float32": ["ga_float", "float"],
    "float64": ["ga_double", "double"],
    "complex64": ["ga_cfloat"],
    "complex128": ["ga_cdouble"],
}

_DECLARATOR = re.compile(r"(\**)\s*([_a-zA-Z][_a-zA-Z0-9]*)(\s*\[[ 0-9]*\])*\s*$")


def register_dtype(dtype: Any, c_names: str | Sequence[str]) -> None:
    """Register C names of a dtype; the first name is used in generated code.

    RuntimeError for a name of another dtype. Source: pygpu, ``dtypes.register_dtype``.
    """
    names = [c_names] if isinstance(c_names, str) else list(c_names)
    kind = np.dtype(dtype)
    if not types.is_named(kind):
        types.register_dtype(kind, names[0])
    for name in names:
        if NAME_TO_DTYPE.setdefault(name, kind) != kind:
            raise RuntimeError(f"name '{name}' already registered, for {NAME_TO_DTYPE[name]}")


def _fill_dtype_registry() -> None:
    """Register the C names of the built-in dtypes."""
    for dtype, names in _C_NAMES.items():
        register_dtype(dtype, names)


_fill_dtype_registry()


def dtype_to_ctype(dtype: Any) -> str:
    """The C name of a dtype in kernels. ValueError for None and for a dtype without a name.

    Source: pygpu, ``dtypes.dtype_to_ctype``.
    """
    if dtype is None:
        raise ValueError("dtype may not be None")
    return _name_of(np.dtype(dtype))


def parse_c_arg_backend(c_arg: str, scalar_arg_class: Callable[..., Any], vec_arg_class: Callable[..., Any]) -> Any:
    """The argument that a C declaration describes: of ``vec_arg_class`` for a declaration with ``*`` or brackets, of
    ``scalar_arg_class`` otherwise.

    ValueError for an invalid declaration, and for an unknown type. Source: pygpu, ``dtypes.parse_c_arg_backend``.

    >>> parse_c_arg_backend("const float *x", lambda *args: ("scalar", *args), lambda *args: ("array", *args))
    ('array', dtype('float32'), 'x')
    """
    text = re.sub(r"\b(?:const|volatile)\b", "", c_arg)
    found = _DECLARATOR.search(text)
    if found is None:
        raise ValueError(f"couldn't parse C declarator '{c_arg}'; allowed: a type and a name, such as 'float *x'")
    words = " ".join(text[: found.start()].split())
    if words not in NAME_TO_DTYPE:
        raise ValueError(f"unknown type '{words}'; allowed: {', '.join(NAME_TO_DTYPE)}")
    kind = vec_arg_class if found.group(1) or found.group(3) is not None else scalar_arg_class
    return kind(NAME_TO_DTYPE[words], found.group(2))


def get_np_obj(obj: Any) -> Any:
    """The NumPy object from which NumPy determines the dtype of a result: for an array or a NumPy scalar, an array of
    one element; a Python scalar itself, because NumPy gives it no fixed dtype.

    Source: pygpu, ``dtypes.get_np_obj``.
    """
    if isinstance(obj, bool | int | float | complex) and not isinstance(obj, np.generic):
        return obj
    if isinstance(obj, np.ndarray) and obj.shape == ():
        return obj
    return np.ones(1, dtype=obj.dtype) if hasattr(obj, "dtype") else np.asarray(obj)


def get_common_dtype(obj1: Any, obj2: Any, allow_double: bool) -> np.dtype[Any]:
    """The dtype of the sum of two objects in NumPy; ``allow_double``: whether it may be of double precision.

    Source: pygpu, ``dtypes.get_common_dtype``.
    """
    result: np.dtype[Any] = np.asarray(get_np_obj(obj1) + get_np_obj(obj2)).dtype
    narrower = {"float64": "float32", "complex128": "complex64"}
    return result if allow_double else np.dtype(narrower.get(result.name, result))


def upcast(*args: Any) -> np.dtype[Any]:
    """The dtype to which all dtypes promote. Source: pygpu, ``dtypes.upcast``."""
    return np.result_type(*args)
