"""The numbers and C names of dtypes. Programs may register more."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

# The numbers of libgpuarray's types (GPUARRAY_TYPES), which programs may pass in place of dtypes.
BUFFER: Final = -1
SIZE: Final = 24
SSIZE: Final = 25

_BUILT_IN: Final = (
    ("bool", 0, "ga_bool"),
    ("int8", 1, "ga_byte"),
    ("uint8", 2, "ga_ubyte"),
    ("int16", 3, "ga_short"),
    ("uint16", 4, "ga_ushort"),
    ("int32", 5, "ga_int"),
    ("uint32", 6, "ga_uint"),
    ("int64", 7, "ga_long"),
    ("uint64", 8, "ga_ulong"),
    ("float32", 11, "ga_float"),
    ("float64", 12, "ga_double"),
    ("complex64", 14, "ga_cfloat"),
    ("complex128", 15, "ga_cdouble"),
    ("float16", 23, "ga_half"),
)
ALLOWED: Final = f"{', '.join(name for name, *_ in _BUILT_IN)}, vectors; use register_dtype for others"
DOUBLE_CODE: Final = 12  # the default dtype
FIRST_VECTOR: Final = 256  # libgpuarray's number of the first vector type
FIRST_REGISTERED: Final = 512  # after the numbers of vector types
WHOLE_WIDTHS, FLOATING_WIDTHS = (2, 3, 4, 8, 16), (2, 4, 8, 16)


def _vector(dtype: str, width: int) -> np.dtype[Any]:
    """The dtype of a vector: a structure whose fields have the names of OpenCL's components."""
    names = "xyzw"[:width] if width <= 4 else [f"s{k:x}" for k in range(width)]
    return np.dtype([(name, dtype) for name in names])


def _vectors() -> Iterator[tuple[str, np.dtype[Any]]]:
    """The C names and dtypes of libgpuarray's vectors, in the order of their numbers."""
    for kind, bits in (("byte", 8), ("short", 16), ("int", 32), ("long", 64)):
        for width in WHOLE_WIDTHS:
            yield f"ga_{kind}{width}", _vector(f"int{bits}", width)
            yield f"ga_u{kind}{width}", _vector(f"uint{bits}", width)
    for kind, bits in (("float", 32), ("double", 64), ("half", 16)):
        for width in FLOATING_WIDTHS:
            yield f"ga_{kind}{width}", _vector(f"float{bits}", width)


_codes: dict[np.dtype[Any], int] = {np.dtype(name): code for name, code, _ in _BUILT_IN}
_dtypes: dict[int, np.dtype[Any]] = {
    **{code: dtype for dtype, code in _codes.items()}, SIZE: np.dtype(np.uintp), SSIZE: np.dtype(np.intp)
}  # fmt: skip
_names: dict[int, str] = {**{code: name for _, code, name in _BUILT_IN}, SIZE: "ga_size", SSIZE: "ga_ssize"}
for _code, (_name, _dtype) in enumerate(_vectors(), FIRST_VECTOR):
    _codes[_dtype], _dtypes[_code], _names[_code] = _code, _dtype, _name
_registered = itertools.count(FIRST_REGISTERED)


def dtype_to_typecode(dtype: Any) -> int:
    """The number of a dtype in libgpuarray; a number is returned as it is. A vector type or a registered one may be
    given by its C name.

    ValueError for a dtype without a number. Source: pygpu, ``gpuarray.dtype_to_typecode``.

    >>> dtype_to_typecode("float32")
    11
    """
    if isinstance(dtype, int):
        return dtype
    code = None
    if dtype is not None:
        try:
            code = _codes.get(np.dtype(dtype))
        except TypeError:
            code = next((code for code, name in _names.items() if name == dtype and code >= FIRST_VECTOR), None)
    if code is None:
        raise ValueError(f"don't know how to convert to dtype: {dtype}; allowed: {ALLOWED}")
    return code


def typecode_to_dtype(code: int) -> np.dtype[Any]:
    """The dtype with a number. NotImplementedError for an unknown number."""
    if code not in _dtypes:
        raise NotImplementedError(
            f"typecode {code}: unknown; allowed: {', '.join(map(str, sorted(_dtypes)[:16]))}, vectors from "
            f"{FIRST_VECTOR} on, and numbers from register_dtype"
        )
    return _dtypes[code]


def as_dtype(dtype: Any) -> np.dtype[Any]:
    """The dtype of an argument: a NumPy dtype, its name, a type, or a number of libgpuarray.

    A structure needs no number. ValueError and NotImplementedError for an unknown dtype.
    """
    if not isinstance(dtype, int | np.integer) and (kind := _structured(dtype)) is not None:
        return kind
    return typecode_to_dtype(dtype_to_typecode(dtype))


def _structured(dtype: Any) -> np.dtype[Any] | None:
    """The structured dtype of an argument, or None if it is not one."""
    try:
        kind = np.dtype(dtype)
    except TypeError:
        return None
    return None if dtype is None or kind.fields is None else kind


def dtype_to_ctype(dtype: Any) -> str:
    """The C name of a dtype in kernels.

    ValueError for a dtype without a name. Source: pygpu, ``gpuarray.dtype_to_ctype``.

    >>> dtype_to_ctype("float32")
    'ga_float'
    """
    code = dtype_to_typecode(dtype)
    if code not in _names:
        raise ValueError(f"No mapping for {dtype}; allowed: {ALLOWED}")
    return _names[code]


def is_named(dtype: np.dtype[Any]) -> bool:
    """Whether a dtype has a fixed C name. A structure equal to a vector type may still get another name."""
    return not FIRST_VECTOR <= _codes.get(dtype, FIRST_VECTOR) < FIRST_REGISTERED


def register_dtype(dtype: Any, cname: str) -> int:
    """The number of a dtype after registering its C name: a new number, or the existing one of this name.

    TypeError for an invalid dtype, RuntimeError if the dtype already has another name.
    Source: pygpu, ``gpuarray.register_dtype``.
    """
    kind = np.dtype(dtype)
    if kind in _codes and _names[_codes[kind]] == cname:
        return _codes[kind]
    if is_named(kind):
        raise RuntimeError(f"register_dtype: {kind} is {_names[_codes[kind]]} already; each dtype has one name")
    code = next(_registered)
    _codes[kind], _dtypes[code], _names[code] = code, kind, cname
    return code
